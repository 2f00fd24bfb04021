// SPDX-License-Identifier: MIT
// Front to back along a planned forest: for 1x1 crowds that vanish at the gate.
#pragma once
#include "crowd/agents.hpp"
#include "crowd/forest.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace drover::crowd {

/// In order of depth along its tree every agent moves to its parent if nobody stays there and nobody with more right
/// wants it. No pushes, no swaps, no recursion: a tick is one pass over the agents, kept in order of depth.
///
/// Of those that want one cell it is the one of higher class, then larger age, then smaller key. Never later than the
/// plan's forecast while nobody comes in. Deterministic whatever the order of add().
class ForestArbiter {
 public:
  explicit ForestArbiter(const GridShape& shape);

  /// Agents keep their places. `forest` has the shape's cells and covers every agent.
  void adopt(std::shared_ptr<const Forest> forest);
  const Forest* forest() const noexcept { return forest_.get(); }
  /// An agent on a free cell of the plan, gate cells excepted.
  void add(const Agents& agents, std::uint32_t agent);
  void clear() noexcept;

  /// Decides everybody's step of a tick: `move`, and of those who stay `by` and `wanted`. The caller carries them out;
  /// the arbiter counts them as done. Returns those that enter a gate cell, which are no longer its own; valid until
  /// the next call.
  std::span<const std::uint32_t> decide(Agents& agents);

  std::size_t size() const noexcept { return order_.size(); }
  /// Its agents are these, undecided, where it left them.
  bool has_exactly(const Agents& agents, const std::vector<std::uint32_t>& undecided) const noexcept;
  /// Cells of its agents, by depth.
  void cells(std::vector<std::uint32_t>& out) const;
  /// By tree, as the plan says and those that changed trees made it.
  const std::vector<std::uint64_t>& finish() const noexcept { return finish_; }
  void restore_finish(const std::vector<std::uint64_t>& finish) { finish_ = finish; }

 private:
  struct Entry {
    std::uint32_t cell, agent;
  };
  struct Place {
    std::uint32_t holder = kNobody, claim = kNobody;
  };

  bool precedes(const Agents& agents, std::uint32_t a, std::uint32_t b) const noexcept;
  bool may_leave_by(std::uint32_t cell, std::uint8_t step) const noexcept;
  void sort();
  void claim(const Agents& agents, std::size_t begin, std::size_t end);
  void move(Agents& agents, std::size_t begin, std::size_t end);
  void walk(Agents& agents, const Entry& e, std::uint8_t step);
  void change_trees(Agents& agents);
  std::uint8_t faster(const Entry& e) const noexcept;

  std::array<std::uint32_t, kDirections + 1> steps_{};
  std::shared_ptr<const Forest> forest_;
  std::vector<Place> places_;
  std::vector<Entry> order_, stay_, change_;
  std::vector<std::uint64_t> finish_;
  std::vector<std::uint32_t> counts_, arrived_, left_;
  std::size_t kept_ = 0;  // entries of order_ that are written again
  bool sorted_ = true;
};

}  // namespace drover::crowd
