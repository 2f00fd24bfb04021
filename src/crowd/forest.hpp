// SPDX-License-Identifier: MIT
// A planned forest: one in-tree per gate cell that tells every agent its next step and the crowd its last tick.
#pragma once
#include "base/bytes.hpp"
#include "crowd/pair_table.hpp"
#include "nav/compiled_graph.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace drover::crowd {

inline constexpr std::uint16_t kNoTree = 0xFFFF;

struct ForestCell {
  std::uint32_t depth = 0;       // steps to the gate cell
  std::uint16_t tree = kNoTree;  // index of the gate cell it leads to
  std::uint8_t step = kStay;     // towards the parent; kStay on gate cells and off the plan
  std::uint8_t unused = 0;
};

/// Counted from the tick the plan was made for.
struct Forecast {
  std::uint64_t finish = 0;  // tick of the last arrival
  std::uint64_t sum = 0;     // of all ticks of arrival
  friend bool operator==(const Forecast&, const Forecast&) = default;
};

/// How 1x1 bodies of one kind may queue.
struct ForestRules {
  std::uint32_t spacing = 1;  // ticks between two agents on one cell: 2 where nobody may enter what is being left
  std::uint8_t directions = 0xFF;
  std::array<std::uint8_t, kDirections + 1> may_follow{};  // [own step]: bit = step of whom one follows

  bool follows(std::uint8_t own, std::uint8_t leader) const noexcept {
    return leader == kStay || ((may_follow[own] >> leader) & 1) != 0;
  }
  /// Bodies so wide that more than crossing and following matters walk straight, with a free cell between them.
  static ForestRules of(const PairTable& table, std::uint8_t body, Following following);
};

/// What a planner is made for. Gate cells are different placements of the graph.
struct ForestGround {
  std::shared_ptr<const nav::CompiledGraph> graph;
  std::vector<std::uint32_t> gates;  // padded cells; the tree of gate i is i; fewer than kNoTree
  ForestRules rules;
  std::array<std::uint32_t, kDirections + 1> steps{};

  ForestGround(std::shared_ptr<const nav::CompiledGraph> graph, std::vector<std::uint32_t> gates, ForestRules rules);

  std::uint32_t cells() const noexcept { return graph->shape().padded_cells(); }
  /// Legal steps out of a cell, and directions of the neighbours from which a step leads here.
  std::uint8_t out(std::uint32_t cell) const noexcept { return graph->moves()[cell] & rules.directions; }
  std::uint8_t in(std::uint32_t cell) const noexcept { return graph->reverse_moves()[cell] & rules.directions; }
  bool may_follow(std::uint8_t own, std::uint8_t leader) const noexcept { return rules.follows(own, leader); }
  /// The step crosses the diagonal of another cell of the same 2 x 2 block.
  bool crosses(const ForestCell* cells, std::uint32_t from, std::uint8_t step) const noexcept;
};

/// Immutable; any number of threads may read it. Where nobody else enters the crowd and no wall changes, agents that
/// ForestArbiter leads along it have all left after forecast().finish ticks or fewer: in order of depth along a tree
/// agent after agent leaves at t = max(t of the one before + spacing, depth). Exact with a spacing of 1 unless agents
/// change to a tree that is done earlier; with 2 a gate cell that several cells lead to may take more.
///
/// Valid for one content of the graph (steps_hash()). Cells that no agent had to pass may be off the plan.
class Forest {
 public:
  const ForestCell& at(std::uint32_t padded) const noexcept { return cells_[padded]; }
  const ForestCell* cells() const noexcept { return cells_.data(); }
  std::span<const std::uint32_t> gates() const noexcept { return gates_; }
  const ForestRules& rules() const noexcept { return rules_; }
  const nav::CompiledGraph& graph() const noexcept { return *graph_; }
  const Forecast& forecast() const noexcept { return forecast_; }
  /// Last arrival by tree; 0 where nobody is on its way.
  std::span<const std::uint64_t> finish() const noexcept { return finish_; }
  std::uint64_t steps_hash() const noexcept { return steps_hash_; }
  /// Plans that this one goes back to.
  std::uint32_t round() const noexcept { return round_; }
  /// Agents without a way to a gate cell on this plan.
  std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  friend class ForestPlanner;
  friend void write_forest(base::ByteWriter& out, const Forest& forest);
  friend std::shared_ptr<const Forest> read_forest(base::ByteReader& in, const ForestGround& ground);
  std::vector<ForestCell> cells_;
  std::vector<std::uint32_t> gates_;
  std::vector<std::uint64_t> finish_;
  Forecast forecast_;
  std::uint64_t steps_hash_ = 0, left_out_ = 0;
  ForestRules rules_;
  std::shared_ptr<const nav::CompiledGraph> graph_;
  std::uint32_t round_ = 0, next_try_ = 0;
};

/// Which of equal neighbours comes first, so that one method gives several forests: straight steps, or diagonal ones.
enum class ForestTies : std::uint8_t { straight, diagonal };
inline std::uint8_t first_of(std::uint8_t directions, ForestTies ties) noexcept {
  const int first = ties == ForestTies::straight ? std::countr_zero(directions) : 7 - std::countl_zero(directions);
  return static_cast<std::uint8_t>(first);
}

/// A forest that is still being changed.
struct ForestDraft {
  std::vector<ForestCell> cells;
  std::vector<std::uint64_t> finish;  // by tree
  Forecast forecast;
  std::uint64_t left_out = 0;

  void clear(const ForestGround& ground);
};

/// Work in cells visited, so that what is given up does not depend on the machine.
class ForestBudget {
 public:
  explicit ForestBudget(std::uint64_t visits) noexcept : left_(visits) {}
  void spend(std::uint64_t visits) noexcept { left_ = visits < left_ ? left_ - visits : 0; }
  bool exhausted() const noexcept { return left_ == 0; }
  std::uint64_t left() const noexcept { return left_; }

 private:
  std::uint64_t left_;
};

}  // namespace drover::crowd
