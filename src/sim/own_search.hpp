// SPDX-License-Identifier: MIT
// Searches of single agents on today's graph, within a budget of cells.
#pragma once
#include "crowd/own_ways.hpp"
#include "search/astar.hpp"
#include "sim/guidance.hpp"

#include <cstdint>
#include <vector>

namespace drover::sim {

/// Goals of a (profile, goal) as they stand on a graph, in the order that searches need.
struct GoalSpots {
  std::uint64_t graph_hash = 0, goal_version = 0;
  bool known = false;
  std::vector<search::Target> cells;      // ascending; empty: some goal is bad there, so nobody can reach it
  std::vector<std::uint32_t> components;  // of the cells, each once, ascending

  bool holds(std::uint32_t cell) const noexcept;
};

/// The steps that are left are legal on this graph and lead to its end.
bool is_legal(const crowd::OwnWay& way, const nav::CompiledGraph& graph) noexcept;

/// Costs equal those of the field that is on its way. Serial; memory stays between ticks.
class OwnSearch {
 public:
  enum class Outcome : std::uint8_t { found, unreachable, budget_exceeded, out_of_memory };

  explicit OwnSearch(const Host& host) : host_(host) {}
  /// Places goals anew only where the graph or the goal is another than at the last call.
  const GoalSpots& spots(const Guidance& guidance, std::uint32_t pair);
  /// After a rollback numbers of pairs and goals may mean others.
  void forget() noexcept {
    for (GoalSpots& spots : spots_) spots.known = false;
  }
  /// Fills in the way where it is found. `left` goes down by the cells whose steps were tried.
  Outcome run(const nav::CompiledGraph& graph, std::uint32_t from, const GoalSpots& to, std::uint64_t& left,
              crowd::OwnWay& way);

 private:
  Host host_;
  search::AStar search_;
  std::vector<GoalSpots> spots_;  // by pair
};

}  // namespace drover::sim
