// SPDX-License-Identifier: MIT
// From a goal list to source cells: checks, moves to the nearest placement, resolves cells named twice.
#pragma once
#include <drover/field.hpp>

#include "field/plan.hpp"

#include <vector>

namespace drover::field {

struct PlacedGoals {
  Status status;                      // the first bad goal's code, with a sentence that names all bad ones
  std::vector<PlacedGoal> placed;     // as the list, or one a cell of the area
  std::vector<std::uint32_t> cells;   // each goal cell once, ascending
  std::vector<std::uint32_t> owners;  // entry of `placed` that counts in cells[i]: least offset, then first
  std::vector<Cost> offsets;          // of that entry
  std::vector<Source> sources;        // ascending by (cost, cell); costs in the profile's units
};

/// Largest offset: with it the worst total still fits 64 bits.
inline constexpr Cost kMaxGoalOffset = Cost{1} << 62;

/// What is wrong with a goal on any map: too few cells or too many, a radius, an offset, parts that exclude each
/// other.
Status check_goal(const GoalDef& goal);
PlacedGoals place_goals(const NavGraph& graph, const GoalDef& goal);

}  // namespace drover::field
