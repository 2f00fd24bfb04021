// SPDX-License-Identifier: MIT
// An evening of a strategy game: many groups of three sizes, a field for each, an edit and an order every second.
#pragma once
#include <drover/host.hpp>
#include <drover/status.hpp>

#include <cstdint>
#include <functional>

#include "base/histogram.hpp"

namespace drover::bench {

struct RtsDef {
  std::int32_t size = 512;
  std::uint32_t agents = 10000, fields = 200;
  std::uint64_t ticks = 1200, edit_every = 20, seed = 1;
  std::uint32_t latency_ticks = 1, refresh_ticks = 16;
};

struct RtsFigures {
  base::Histogram tick_ns;
  base::Histogram cpu_ns;  // of the calling thread: beside other programs this is the one to compare
  double mean_tick_ns = 0, baseline_tick_ns = 0;  // baseline: all fields built anew after every edit, nothing else
  std::uint64_t fields = 0, agents = 0, edits = 0, orders = 0;
  std::uint64_t most_first_step = 0;  // ticks from an order to the first step of its group; the most of all orders
  std::uint64_t builds = 0, repairs = 0, moves = 0;
  std::uint64_t memory_bytes = 0;  // resident at the end, less what was before the world; 0: not known on this system
  bool equal = false;              // fields in force at the end equal those built anew
};

Result<RtsFigures> measure_rts(const RtsDef& def, const Host& host,
                               const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace drover::bench
