// SPDX-License-Identifier: MIT
// Fields that an edit does not concern.
#pragma once
#include <drover/field.hpp>

#include <cstdint>
#include <span>

namespace drover::sim {

/// True only if what `field` says of the cells from where it leads to a goal holds on `after` as it did on the graph
/// that it is right on, and from all others there still is no way. `changed`: every cell where the two differ, of other
/// cells any. O(changed + goals).
bool still_right(const FlowField& field, std::span<const std::uint32_t> changed, const NavGraph& after,
                 const GoalDef& goal);

/// Whether both lead from the same cells, the same ways at the same costs. O(cells).
bool same_ways(const FlowField& a, const FlowField& b) noexcept;

}  // namespace drover::sim
