// SPDX-License-Identifier: MIT
// The report of a run as JSON, keys as docs/formats/report.md lists them.
#pragma once
#include "io/run_bound.hpp"

#include <drover/io.hpp>
#include <drover/verify.hpp>

#include <array>
#include <string>
#include <vector>

namespace drover::io {

struct Percentiles {
  std::uint64_t p50 = 0, p95 = 0, p99 = 0, max = 0;
};

struct UnfinishedAgent {
  std::uint64_t key = 0;
  std::string why;
};

struct RunReport {
  std::string drover, scenario;
  std::uint64_t seed = 0, threads = 1, ticks = 0;
  GuidancePolicy guidance = GuidancePolicy::plain;
  StateCounts states{};
  std::optional<std::uint64_t> makespan_ticks;
  std::uint64_t sum_of_arrivals = 0;
  RunBounds bound;
  bool validated = false;
  std::uint64_t moves = 0, violations = 0;
  std::vector<Violation> first_violations;
  Metrics metrics;
  Percentiles tick_us;
  std::uint64_t agent_step_ns = 0;
  Digests digests;
  std::vector<std::pair<std::string, PlacedGoal>> moved_goals;  // name, where `nearest` moved it
  std::vector<UnfinishedAgent> unfinished;                      // the first few
  std::array<std::uint64_t, kReasons> unfinished_by_reason{};   // all
  std::vector<Warning> warnings;
  std::string picture, recording;
  bool interrupted = false, paranoid = false;

  std::uint64_t agents() const;
  std::uint64_t count(AgentState state) const { return states[static_cast<std::size_t>(state)]; }
  std::optional<double> throughput_vs_optimum() const;
};

std::string hex16(std::uint64_t digest);
std::string to_json(const RunReport& report);

}  // namespace drover::io
