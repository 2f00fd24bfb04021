// SPDX-License-Identifier: MIT
// Baking a scene of shapes, and moving one of them, beside asking every cell near every shape.
#pragma once
#include <drover/host.hpp>
#include <drover/obstacle.hpp>

#include <cstdint>
#include <functional>

namespace drover::bench {

struct BakeDef {
  std::int32_t size = 1000;
  std::uint32_t shapes = 1000, runs = 15, moves = 10000;
  std::uint64_t seed = 1;
};

struct BakeFigures {
  double bake_ms = 0, baseline_ms = 0;                          // medians, memory taken included
  double move_median_us = 0, move_p99_us = 0, move_max_us = 0;  // of a circle of radius 3
  double move_baseline_us = 0;                                  // median
  std::uint64_t blocked = 0, cells_asked = 0;                   // at the start; by the baseline
  bool equal = false;                                           // after baking, and after all moves
};

/// Circles, capsules, turned boxes and polygons with holes, of 1 to 24 units, a quarter of each; body radius 0.35. The
/// circle walks a step of up to one unit each way at a time. The baseline calls overlaps_circle for every cell of every
/// shape's box. `progress(done, all)` is told after every run.
Result<BakeFigures> measure_bake(const BakeDef& def, const Host& host,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace drover::bench
