// SPDX-License-Identifier: MIT
// Every change of a simulation, in the order in which it counts.
#pragma once
#include <drover/simulation.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace drover::sim {

/// Commands by (tick, key, sequence). What is recorded is what is replayed: sequence is the order of submission. Copies
/// share the commands.
class CommandQueue {
 public:
  void push(Command command);
  bool empty() const noexcept { return entries_.empty(); }
  /// The first command of a tick up to `tick`, or null. Valid until the next call.
  const Command* pop(std::uint64_t tick);
  /// Any command of a tick up to `tick`.
  bool waits(std::uint64_t tick) const noexcept;
  /// Those that wait, in order of submission: pushed again in that order they stand in the same order.
  std::vector<const Command*> by_sequence() const;

 private:
  struct Entry {
    std::uint64_t tick, key, sequence;
    std::shared_ptr<const Command> command;
  };
  std::vector<Entry> entries_;  // sorted backwards once sorted_: the next one is the last
  std::shared_ptr<const Command> current_;
  std::uint64_t sequence_ = 0;
  bool sorted_ = true;
};

}  // namespace drover::sim
