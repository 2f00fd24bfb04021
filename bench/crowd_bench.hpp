// SPDX-License-Identifier: MIT
// A crowd on a map with a tenth of walls, beside a greedy crowd in a tree map.
#pragma once
#include <drover/simulation.hpp>
#include <drover/verify.hpp>

#include <functional>

#include "base/histogram.hpp"
#include "maps.hpp"

namespace drover::bench {

struct CrowdDef {
  std::int32_t size = 1024;
  std::uint32_t agents = 100000, goals = 1;
  std::uint64_t ticks = 200, seed = 1;
};

struct CrowdFigures {
  double ns_per_unit = 0, ns_per_move = 0, baseline_ns_per_unit = 0;
  bool equal = false;  // two runs, equal digests after every tick
  std::uint64_t decisions = 0, moves = 0, violations = 0, arrived = 0, ticks = 0;
  base::Histogram tick_ns;
  double record_ns_per_tick = 0, record_bytes_per_tick = 0;
  double record_over_tick = 0;  // beside the steps of the same run
};

/// An agent step is one agent that is on the map and has not arrived, in one tick, whether it moves or waits. Judging
/// is not timed. The second run is recorded, to a file
/// in the folder for temporary files. `progress(done, all)` is told after every tick.
Result<CrowdFigures> measure_crowd(const CrowdDef& def, const Host& host,
                                   const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace drover::bench
