// SPDX-License-Identifier: MIT
// Fields that an edit does not concern.
#pragma once
#include "nav/graph_changes.hpp"

#include <drover/field.hpp>

namespace drover::sim {

/// True only if what `field` says of the cells from where it leads to a goal holds on `after` as it did on `before`,
/// and from all others there still is no way. O(edit + goals) if `after` is an update of `before`.
bool still_right(const FlowField& field, const NavGraph& before, const NavGraph& after, const GoalDef& goal,
                 nav::GraphChanges& scratch);

/// Whether both lead from the same cells, the same ways at the same costs. O(cells).
bool same_ways(const FlowField& a, const FlowField& b) noexcept;

}  // namespace drover::sim
