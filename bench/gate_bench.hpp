// SPDX-License-Identifier: MIT
// Crowds that leave through gates of one to eight cells: forest guidance beside the plain field and the exact optimum;
// and what a planned forest costs.
#pragma once
#include <drover/host.hpp>
#include <drover/status.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace drover::bench {

inline constexpr std::uint32_t kGateWidths = 6;  // rows: 1, 2, 3, 4, 6 and 8 cells

struct GateBenchDef {
  std::int32_t size = 32;  // of the caves that crowds leave
  std::uint32_t agents = 100, instances = 20;
  std::int32_t plan_size = 64;  // of the cave that plans are measured on
  std::uint32_t plan_agents = 1000;
  std::uint64_t seed = 1;
};

/// Makespans in percent of the optimum's (100: as early as anybody can be), over the instances of one width.
struct GateRow {
  std::int32_t width = 0;
  std::uint32_t instances = 0;
  double mean = 0, interval = 0;  // half the width of the 95 % interval of the mean, by the normal distribution
  double worst = 100, plain_mean = 0, plain_worst = 100;
  std::uint32_t slower = 0;  // instances where the plain field was done earlier
  std::uint32_t late = 0;    // instances done after the forecast of their plan in force
  std::uint32_t stuck = 0;   // runs that somebody never left
};

struct GateFigures {
  std::vector<GateRow> rows;
  // A crowd that walks along forests alone: a plan every 4 ticks.
  double first_plan_ms = 0, refresh_ms = 0, refresh_max_ms = 0;  // processor time; refresh: median
  std::uint64_t refreshes = 0, plan_agents = 0, plan_ticks = 0;
  double step_ns = 0;          // of the arbiter, an agent step, all who stand counted too
  double per_gate_cell = 0;    // agents a tick and gate cell while the middle half leaves
  std::uint64_t build_ns = 0;  // baseline: the field that a plan takes the place of
  bool equal = true;           // everybody left, none after the forecast
};

/// `progress` as (done, all) instances.
Result<GateFigures> measure_gates(const GateBenchDef& def, const Host& host,
                                  const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace drover::bench
