// SPDX-License-Identifier: MIT
// A cave from its seed, beside cells that are counted one at a time.
#pragma once
#include <drover/status.hpp>

#include <cstdint>
#include <functional>

namespace drover::bench {

struct CaveBenchDef {
  std::int32_t size = 1000;
  std::int32_t generations = 5;
  std::uint32_t runs = 15;  // medians of so many
  std::uint64_t seed = 1;
};

/// Whole calls in ms, parts in ns a cell, processor time.
struct CaveFigures {
  double ms = 0, baseline_ms = 0;  // fill, generations, regions, the largest kept
  double fill_ns = 0, generation_ns = 0, rule_ns = 0, classic_ns = 0, regions_ns = 0;
  double baseline_fill_ns = 0, baseline_generation_ns = 0, baseline_classic_ns = 0, baseline_regions_ns = 0;
  std::uint64_t floor = 0;
  std::uint32_t regions = 0;  // before all but the largest are filled
  bool equal = false;
};

/// 45 percent walls. The baseline: one byte a cell, one draw a cell of the same generator (a plain fill of the same
/// cells would draw 32 bits of each in turn; so its cells are thrown away and those of the product taken, which are
/// compared with their definition outside of the time), nine loads a cell and generation, a queue for the regions.
/// `progress(done, all)` is told after every run.
Result<CaveFigures> measure_cave(const CaveBenchDef& def,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace drover::bench
