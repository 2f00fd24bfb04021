// SPDX-License-Identifier: MIT
// Lanes: ways from the gate cells into the crowd that share no cell, where growth would shut a gate cell in.
#pragma once
#include "crowd/forest.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace drover::crowd {

/// What lanes are opened for.
struct LaneRequest {
  const ForestDraft* draft = nullptr;  // cells with a tree are taken already
  std::span<const std::uint32_t> agents;
  const std::uint8_t* occupied = nullptr;
  const std::uint32_t* distance = nullptr;  // steps to the nearest gate cell
  std::uint16_t shut = kNoTree;             // a gate cell that must get a lane; kNoTree: every one that can
  ForestTies ties = ForestTies::straight;
  int levels = 0;  // first to the deepest 1/levels of the agents, and so on; last of all to any
};

/// A maximum flow of vertex-disjoint ways by augmenting paths (Ford and Fulkerson 1956), searched for away from the
/// gate: short ones first, of those the last seen. Scratch memory is kept.
class ForestLanes {
 public:
  explicit ForestLanes(const ForestGround& ground) : ground_(ground), has_lane_(ground.gates.size()) {}

  /// Replaces the lanes by those of the request; false, with the old ones kept, where the gate cell that is shut in
  /// gets none, or nobody is left to fetch.
  bool open(const LaneRequest& request, std::span<const std::uint8_t> closed, ForestBudget& budget);
  /// Reserved cells with tree and step; other cells have no tree.
  const std::vector<ForestCell>& reserved() const noexcept { return reserved_; }
  bool any() const noexcept { return !lane_cells_.empty(); }
  void clear();

 private:
  static constexpr std::uint8_t kNone = 0xFF;
  struct Node {
    std::uint8_t next = kNone, previous = kNone;  // directions along the lane, outwards and back
    std::uint8_t entered = kNone, left = kNone;   // how the search came to enter and to leave this cell
    bool gate = false;
  };
  struct Visit {
    std::uint32_t cell = 0;
    bool leaving = false;
  };

  bool find_unclaimed(const LaneRequest& request);
  std::uint32_t augment(std::span<const std::uint32_t> roots);
  bool expand(Visit at);
  void visit(Visit at, std::uint8_t how, std::uint32_t detour);
  bool is_goal(std::uint32_t cell) const noexcept;
  std::uint32_t steps_left(std::uint32_t cell) const noexcept;
  void apply();
  void set_goals(const LaneRequest& request, int level);
  void augment_all(std::span<const std::uint8_t> closed, std::uint16_t but);
  void uncross();
  bool uncross_at(std::uint32_t cell);
  void reserve();

  const ForestGround& ground_;
  std::vector<Node> nodes_;
  std::vector<ForestCell> reserved_;
  std::vector<std::uint8_t> has_lane_;
  std::vector<std::uint32_t> lane_cells_, depths_, roots_, used_;
  std::vector<Visit> visited_, path_;
  std::array<std::vector<Visit>, 4> open_;  // by detour, in a ring
  std::uint32_t detour_ = 0;
  LaneRequest request_;
  std::uint32_t least_ = 0;  // goals are at least so far from the gate
  std::uint64_t visits_ = 0, most_visits_ = 0;
};

}  // namespace drover::crowd
