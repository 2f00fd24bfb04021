// SPDX-License-Identifier: MIT
// The anchors that one shape blocks, row by row.
#pragma once
#include "base/int128.hpp"
#include "world/shape_test.hpp"

#include <cstdint>
#include <vector>

namespace drover::world {

/// Anchors `begin` .. `end` - 1 of a row, counted from the corner of the map.
struct Run {
  std::int32_t row = 0, begin = 0, end = 0;
  friend constexpr bool operator==(const Run&, const Run&) noexcept = default;
};

/// Where the middles of bodies are, for every anchor of a layer.
struct AnchorGrid {
  std::int32_t width = 0, height = 0;
  Position corner;
  Fixed cell_size;
  std::int32_t footprint = 1;
  Fixed radius;
};

/// Appends the runs of a valid shape, ascending by (row, begin), without overlap. May throw std::bad_alloc.
void append_runs(const Obstacle& obstacle, const AnchorGrid& grid, std::vector<Run>& runs);

}  // namespace drover::world
