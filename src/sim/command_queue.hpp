// SPDX-License-Identifier: MIT
// Every change of a simulation, in the order in which it counts.
#pragma once
#include <drover/simulation.hpp>

#include <cstdint>
#include <vector>

namespace drover::sim {

/// Commands by (tick, key, sequence). What is recorded is what is replayed: sequence is the order of submission.
class CommandQueue {
 public:
  void push(Command command);
  bool empty() const noexcept { return next_ == entries_.size(); }
  /// The first command of a tick up to `tick`, or null. Valid until the next call.
  const Command* pop(std::uint64_t tick);

 private:
  struct Entry {
    Command command;
    std::uint64_t sequence;
  };
  std::vector<Entry> entries_;  // [next_, end) is sorted once sorted_
  std::size_t next_ = 0;
  std::uint64_t sequence_ = 0;
  bool sorted_ = true;
};

}  // namespace drover::sim
