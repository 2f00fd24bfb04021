// SPDX-License-Identifier: MIT
// Fields beside the heap and Dial's buckets, in turn, in one process.
#pragma once
#include <drover/field.hpp>

#include <functional>
#include <string>

#include "maps.hpp"

namespace drover::bench {

struct FieldFigures {
  std::string map;
  int moves = 8;
  std::uint64_t reachable = 0;
  double ns_per_unit = 0, baseline_ns_per_unit = 0, dial_ns_per_unit = 0;
  double integrate_ns = 0, directions_ns = 0;
  bool equal = false;
  std::string engine;
  std::uint64_t activations = 0;

  double ms() const { return ns_per_unit * static_cast<double>(reachable) * 1e-6; }
  double ratio() const { return ns_per_unit > 0 ? baseline_ns_per_unit / ns_per_unit : 0; }
  double dial_ratio() const { return ns_per_unit > 0 ? dial_ns_per_unit / ns_per_unit : 0; }
};

/// Medians of `runs` builds of each; the goal is the free cell nearest the centre. `parallel_ns` reads the clock of the
/// task hook: time spent in the pass over directions. Costs are compared cell by cell. On maps of more than 4 million
/// cells the baselines run three times at most. Processor time of the thread; of the product on several threads, time.
Result<FieldFigures> measure_field(const BenchMap& map, const std::string& name, int moves, int runs, const Host& host,
                                   const std::function<std::uint64_t()>& parallel_ns);

/// The median call that a game makes: from goal to published bundle, on a cave with eight moves.
Result<double> measure_call_us(const BenchMap& map, const Host& host);

/// What measure_field takes at its peak for each cell of the map, the map itself included.
inline constexpr std::uint64_t kFieldBenchBytes = 48;

}  // namespace drover::bench
