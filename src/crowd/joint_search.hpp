// SPDX-License-Identifier: MIT
// A few bodies on a few cells: the plan that brings all of them where they want to be, or the proof that there is none.
#pragma once
#include "crowd/pair_table.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace drover::crowd {

/// Cells are numbered from 0 within the problem; sets of them are bits of a word.
struct JointProblem {
  static constexpr std::size_t kMostCells = 60, kMostAgents = 6;
  static constexpr std::uint8_t kNoCell = 0xff;
  using Steps = std::array<std::uint8_t, kDirections>;  // the cell behind each direction, or kNoCell

  struct Agent {
    std::uint8_t body = 0, start = 0;
    bool member = false;        // of the cycle that is asked about
    std::uint64_t content = 0;  // where it wants to be
    std::uint64_t vanish = 0;   // where it is gone at the end of the tick
    std::array<Steps, kMostCells> steps;
  };

  Following following = Following::allowed;
  std::vector<Cell> cells;
  std::vector<Agent> agents;  // highest priority first
};

/// Breadth-first in effect (A*, then greedily where that is too dear) over the places of all agents at once, by the
/// very table of pairs that reservations use. Deterministic; memory stays between calls.
class JointSearch {
 public:
  enum class Outcome : std::uint8_t {
    plan,         // moves() has it
    members_too,  // all agents at once: never; but the members of the cycle can be where they want to be
    impossible,   // not even they, whatever the others do
    too_dear
  };

  explicit JointSearch(const PairTable& table) noexcept : table_(table) {}
  /// `work` goes down by the steps that were tried.
  Outcome run(const JointProblem& problem, std::uint64_t& work);
  /// Tick by tick, in the order of the agents: a direction or kStay.
  const std::vector<std::uint8_t>& moves() const noexcept { return moves_; }

 private:
  struct Node {
    std::uint64_t places = 0;
    std::uint32_t parent = 0;
    std::uint32_t ticks = 0;
  };
  struct Entry {
    std::uint64_t rank = 0;  // the least first
    std::uint32_t node = 0;
  };

  Outcome search(bool greedy, std::uint64_t& work);
  void measure();
  void reach(std::uint64_t places, std::uint32_t parent, std::uint32_t ticks);
  bool expand(std::uint32_t node, std::uint64_t& work);
  bool clear(std::size_t a, std::size_t b) const noexcept;
  bool content(std::uint64_t places, bool members_only) const noexcept;
  std::uint64_t after_step() const noexcept;
  void trace(std::uint32_t node);
  std::uint32_t* slot(std::uint64_t places);
  void grow();

  const PairTable& table_;
  const JointProblem* problem_ = nullptr;
  bool greedy_ = false;
  std::vector<Node> nodes_;
  std::vector<Entry> open_;           // a heap
  std::vector<std::uint32_t> index_;  // hash table: node + 1
  std::vector<std::uint8_t> moves_;
  std::array<std::array<std::uint8_t, JointProblem::kMostCells>, JointProblem::kMostAgents> distance_{};
  std::array<std::uint8_t, JointProblem::kMostAgents> from_{}, to_{}, move_{};
};

}  // namespace drover::crowd
