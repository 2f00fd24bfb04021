// SPDX-License-Identifier: MIT
// Runs of blocked anchors: every anchor of the grown box is asked.
#include "world/shape_runs.hpp"

#include <algorithm>

namespace drover::world {

using base::floor_div;
using base::Int128;

namespace {

// The columns (or rows) whose offsets from a shape's centre lie within `low` .. `high`.
struct Lines {
  std::int32_t first = 0, end = 0;
  std::int64_t start = 0, step = 0;

  std::int64_t at(std::int32_t line) const noexcept { return start + (line - first) * step; }
};

Lines lines_within(std::int64_t low, std::int64_t high, Int128 first_middle, Int128 step, std::int32_t count) noexcept {
  const Int128 first = std::max(Int128{0}, -floor_div(first_middle - low, step));
  const Int128 end = std::min(Int128{count}, floor_div(high - first_middle, step) + 1);
  if (first >= end) return {};
  // With two lines or more a step is no longer than the box is wide; with one it is not used.
  return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(end),
          static_cast<std::int64_t>(first_middle + first * step), static_cast<std::int64_t>(step)};
}

// Twice the place of the first body's middle, seen from the shape.
Int128 first_middle(Fixed corner, Fixed centre, const AnchorGrid& grid) noexcept {
  return (Int128{corner.raw} - centre.raw) * 2 + Int128{grid.cell_size.raw} * grid.footprint;
}

}  // namespace

void append_runs(const Obstacle& obstacle, const AnchorGrid& grid, std::vector<Run>& runs) {
  const std::int64_t radius = halves(grid.radius);
  const Bounds bounds = bounds_of(obstacle, radius);
  const Int128 step = Int128{grid.cell_size.raw} * 2;
  const Lines rows = lines_within(bounds.low.y, bounds.high.y, first_middle(grid.corner.y, obstacle.centre.y, grid),
                                  step, grid.height);
  const Lines columns =
      lines_within(bounds.low.x, bounds.high.x, first_middle(grid.corner.x, obstacle.centre.x, grid), step, grid.width);
  for (std::int32_t row = rows.first; row < rows.end; ++row) {
    for (std::int32_t column = columns.first; column < columns.end; ++column) {
      if (!overlaps(obstacle, {columns.at(column), rows.at(row)}, radius)) continue;
      if (!runs.empty() && runs.back().row == row && runs.back().end == column) {
        ++runs.back().end;
      } else {
        runs.push_back({row, column, column + 1});
      }
    }
  }
}

}  // namespace drover::world
