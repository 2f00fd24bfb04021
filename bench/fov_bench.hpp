// SPDX-License-Identifier: MIT
// Views on a cave, beside a line to every cell of the disc.
#pragma once
#include <drover/status.hpp>

#include <cstdint>

namespace drover::bench {

struct FovDef {
  std::int32_t size = 1000;
  std::uint32_t radius = 10;
  std::uint64_t seed = 1;
};

struct FovFigures {
  double view_ns = 0, baseline_ns = 0, line_ns = 0;  // means, processor time
  std::uint64_t views = 0, p99_ns = 0;
  double seen = 0;               // cells a view, walls too
  std::uint64_t asymmetric = 0;  // pairs of eyes where one sees the other and not the other way round
  bool equal = false;            // views and lines agree on every free cell
};

Result<FovFigures> measure_fov(const FovDef& def);

}  // namespace drover::bench
