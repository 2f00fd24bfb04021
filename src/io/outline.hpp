// SPDX-License-Identifier: MIT
// Shapes of obstacles as rings of points, for drawing.
#pragma once
#include <drover/map.hpp>

#include <vector>

namespace drover::io {

struct DrawnPoint {
  double x = 0, y = 0;
};
using DrawnRings = std::vector<std::vector<DrawnPoint>>;

/// In cells from the corner of the map. What an odd number of rings surrounds is solid; arcs become short straights.
DrawnRings outline(const Obstacle& shape, const WorldFrame& frame);

}  // namespace drover::io
