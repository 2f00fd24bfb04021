// SPDX-License-Identifier: MIT
// The cells of a goal that is given as an area.
#pragma once
#include <drover/field.hpp>

#include <cstdint>
#include <vector>

namespace drover::field {

/// Padded indices of the placements in the area, ascending. Precondition: its centre is on the map, its radius at most
/// kMaxGoalRadius. O(radius^2), however large the map is.
std::vector<std::uint32_t> cells_of(const nav::CompiledGraph& graph, const GoalArea& area);

}  // namespace drover::field
