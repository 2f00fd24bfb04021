// SPDX-License-Identifier: MIT
// The measuring loop: product, heap, Dial, product, heap, Dial, ...
#include "field_bench.hpp"

#include <drover/bundle.hpp>

#include <algorithm>
#include <chrono>

#include "dial_field.hpp"
#include "heap_field.hpp"
#include "thread_clock.hpp"

namespace drover::bench {

namespace {

using Clock = std::chrono::steady_clock;

double wall_ns() { return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count(); }
double cpu_ns() { return static_cast<double>(thread_ns()); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool same_costs(const BenchMap& map, const FlowField& field, const std::vector<std::uint32_t>& costs) {
  for (std::int32_t y = 0; y < map.height; ++y) {
    for (std::int32_t x = 0; x < map.width; ++x) {
      const Cost mine = field.cost_to_goal(field.shape().index({x, y, 0}));
      const std::uint32_t other = costs[map.at(x, y)];
      if (other == kFar ? mine != kInfiniteCost : mine != other) return false;
    }
  }
  return true;
}

bool same_costs(const BenchMap& map, const DialField& dial, const std::vector<std::uint32_t>& costs) {
  for (std::int32_t y = 0; y < map.height; ++y) {
    for (std::int32_t x = 0; x < map.width; ++x)
      if (dial.cost(x, y) != costs[map.at(x, y)]) return false;
  }
  return true;
}

GoalDef goal_of(const BenchMap& map) {
  GoalDef goal;
  goal.cells.push_back({map.nearest_free(map.width / 2, map.height / 2), 0});
  return goal;
}

constexpr std::size_t kLargeCells = std::size_t{1} << 22;
constexpr int kLargeRuns = 3;

}  // namespace

Result<FieldFigures> measure_field(const BenchMap& map, const std::string& name, int moves, int runs, const Host& host,
                                   const std::function<std::uint64_t()>& parallel_ns) {
  Result<GridMap> grid = to_grid_map(map);
  if (!grid) return grid.status();
  MovementProfile profile;
  profile.moves = moves == 4 ? Moves::four : Moves::eight;
  const Result<NavGraph> graph = NavGraph::compile(grid->view(), profile, host);
  if (!graph) return graph.status();
  FieldFigures out;
  out.map = name;
  out.moves = moves;
  const GoalDef goal = goal_of(map);
  FieldBuilder builder(host);
  FieldRef field;
  DialField dial(map, moves);
  std::vector<std::uint32_t> costs;
  std::vector<double> mine, heap, buckets, directions;
  double (*const product_ns)() = host.tasks.workers > 1 ? wall_ns : cpu_ns;
  const int baseline_runs = map.wall.size() > kLargeCells ? std::min(runs, kLargeRuns) : runs;
  BuildReport report;
  for (int run = 0; run <= runs; ++run) {
    field.reset();
    const std::uint64_t parallel_before = parallel_ns();
    const double start = product_ns();
    Result<FieldRef> built = builder.build(*graph, goal, {}, &report);
    const double took = product_ns() - start;
    if (!built) return built.status();
    field = *std::move(built);
    const double in_directions = static_cast<double>(parallel_ns() - parallel_before);
    if (run > 0) {  // the first one warms caches and buffers
      mine.push_back(took);
      directions.push_back(in_directions);
    }
    if (run > baseline_runs) continue;
    const double heap_start = cpu_ns();
    heap_field(map, goal.cells[0].cell, moves, costs);
    const double heap_took = cpu_ns() - heap_start;
    const double dial_start = cpu_ns();
    dial.run(goal.cells[0].cell);
    const double dial_took = cpu_ns() - dial_start;
    if (run == 0) continue;
    heap.push_back(heap_took);
    buckets.push_back(dial_took);
  }
  const auto cells = static_cast<double>(std::max<std::uint64_t>(report.reachable, 1));
  out.reachable = report.reachable;
  out.ns_per_unit = median(mine) / cells;
  out.directions_ns = median(directions) / cells;
  out.integrate_ns = std::max(0.0, out.ns_per_unit - out.directions_ns);
  out.baseline_ns_per_unit = median(heap) / cells;
  out.dial_ns_per_unit = median(buckets) / cells;
  out.equal = same_costs(map, *field, costs) && same_costs(map, dial, costs);
  out.engine = to_string(report.engine);
  out.activations = report.activations;
  return out;
}

Result<double> measure_call_us(const BenchMap& map, const Host& host) {
  constexpr int kCalls = 2001;
  Result<GridMap> grid = to_grid_map(map);
  if (!grid) return grid.status();
  const Result<NavGraph> graph = NavGraph::compile(grid->view(), {}, host);
  if (!graph) return graph.status();
  const GoalDef goal = goal_of(map);
  const ProfileId profile{0, 1};
  const GoalId goal_id{0, 1};
  FieldBuilder builder(host);
  NavStore store;
  std::vector<double> times;
  for (std::uint64_t call = 0; call < kCalls; ++call) {
    const double start = cpu_ns();
    Result<FieldRef> field = builder.build(*graph, goal);
    if (!field) return field.status();
    const BundleEntry entry{profile, goal_id, Freshness::current, *std::move(field), {}};
    store.publish(std::make_shared<const NavBundle>(call, grid->view(), std::vector{std::pair{profile, *graph}},
                                                    std::vector{entry}));
    times.push_back((cpu_ns() - start) * 1e-3);
  }
  return median(times);
}

}  // namespace drover::bench
