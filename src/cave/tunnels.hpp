// SPDX-License-Identifier: MIT
// Joins the regions of a cave by the shortest tunnels.
#pragma once
#include "cave/bit_grid.hpp"
#include "cave/regions.hpp"

#include <cstdint>

namespace drover::cave {

struct TunnelRules {
  int footprint = 1;       // of the body that must get through
  std::int32_t width = 1;  // at least footprint
  Touch touch = Touch::sides;
};

/// Digs until the places where the body fits are one region, keeping the outermost cells and all floor. All regions
/// spread over the rock at once; where two meet, the way back to both is a tunnel; the shortest that join everything
/// are dug (Kruskal), equal ones by the cells where they meet. False if there is no region, or no room to dig. O(cells)
/// for each time that what was dug made a new region beside it, which needs a body of more than one cell. May throw
/// std::bad_alloc.
bool dig_tunnels(BitGrid& walls, const TunnelRules& rules);

}  // namespace drover::cave
