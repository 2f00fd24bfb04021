// SPDX-License-Identifier: MIT
// Random questions to a BlockTester and to fields of the edited map.
#include "block_bench.hpp"

#include <drover/field.hpp>
#include <drover/search.hpp>

#include <algorithm>
#include <chrono>

#include "base/counter_rng.hpp"

namespace drover::bench {

namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
  return static_cast<double>((Clock::now() - start) / std::chrono::nanoseconds(1)) / 1e3;
}

/// Draws free cells and shapes around them, in order.
class Questions {
 public:
  Questions(const BenchMap& map, std::uint64_t seed) : map_(map), rng_(seed, 0x4242) {
    for (std::int32_t y = 0; y < map.height; ++y)
      for (std::int32_t x = 0; x < map.width; ++x)
        if (map.wall[map.at(x, y)] == 0) free_.push_back({x, y, 0});
  }
  Cell cell() { return free_[below(static_cast<std::uint32_t>(free_.size()))]; }
  std::vector<Cell> shape(std::uint32_t number) {
    const Cell at = cell();
    if (number % 3 == 0) return {at};
    const bool block = number % 3 == 1, upright = !block && below(2) == 1;
    const std::int32_t width = block ? 2 : upright ? 1 : 3, height = block ? 2 : upright ? 3 : 1;
    std::vector<Cell> cells;
    for (std::int32_t y = at.y; y < std::min(at.y + height, map_.height); ++y)
      for (std::int32_t x = at.x; x < std::min(at.x + width, map_.width); ++x) cells.push_back({x, y, 0});
    return cells;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return rng_.uniform(draws_++, bound); }

  const BenchMap& map_;
  base::CounterRng rng_;
  std::uint64_t draws_ = 0;
  std::vector<Cell> free_;
};

/// The plain way: an edit, the graph after it, its field. The map is as before afterwards.
class Plain {
 public:
  Plain(GridMap map, NavGraph graph, Cell goal, const std::vector<Cell>& places, const Host& host)
      : map_(std::move(map)), graph_(std::move(graph)), builder_(host), places_(places) {
    goal_.cells = {{goal, 0}};
  }

  Status ask(const std::vector<Cell>& cells, LostWays& lost) {
    const MapView before = map_.view();
    MapEdit edit;
    for (const Cell c : cells) edit.cells.push_back({c, CellChange::terrain, kWall});
    const Result<EditReport> report = map_.apply(edit);
    if (!report) return report.status();
    const Result<NavGraph> graph = graph_.updated(map_.view(), report->dirty);
    if (!graph) return graph.status();
    map_.restore(before);
    const Result<FieldRef> field = builder_.build(*graph, goal_);
    if (!field && field.status().code() != StatusCode::goal_blocked) return field.status();
    // All free cells of a bench map are connected, so every place has a way now.
    lost.goals.clear();
    lost.places.clear();
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const CellState state = field ? (*field)->state(graph->shape().index(places_[i])) : CellState::blocked;
      if (state != CellState::reachable && state != CellState::goal) lost.places.push_back(i);
    }
    if (lost.places.size() == places_.size()) lost.goals.push_back(0);
    return {};
  }

 private:
  GridMap map_;
  NavGraph graph_;
  FieldBuilder builder_;
  GoalDef goal_;
  const std::vector<Cell>& places_;
};

}  // namespace

Result<BlockFigures> measure_would_block(const BenchMap& map, const std::string& name, const BlockDef& def,
                                         const Host& host, const std::function<void(std::uint64_t)>& progress) {
  Result<GridMap> grid = to_grid_map(map);
  if (!grid) return grid.status();
  const Result<NavGraph> graph = NavGraph::compile(grid->view(), {}, host);
  if (!graph) return graph.status();
  Questions questions(map, def.seed);
  const Cell goal = map.nearest_free(map.width / 2, map.height / 2);
  std::vector<Cell> places;
  for (std::uint32_t i = 0; i < def.places; ++i) places.push_back(questions.cell());

  BlockFigures figures{name};
  figures.equal = true;
  BlockTester tester(host);
  const auto start = Clock::now();
  if (Status status = tester.prepare(*graph, {&goal, 1}, places); !status.ok()) return status;
  figures.prepare_us = us_since(start);
  Plain plain(*std::move(grid), *graph, goal, places, host);
  std::vector<double> times;
  LostWays lost, expected;
  for (std::uint32_t i = 0; i < 3 * def.questions; ++i) {
    const std::vector<Cell> cells = questions.shape(i);
    const auto asked = Clock::now();
    if (Status status = tester.would_block(cells, lost); !status.ok()) return status;
    times.push_back(us_since(asked));
    const auto built = Clock::now();
    if (Status status = plain.ask(cells, expected); !status.ok()) return status;
    figures.baseline_us += us_since(built);
    figures.blocking += lost.places.empty() ? 0u : 1u;
    figures.equal = figures.equal && lost.places == expected.places && lost.goals == expected.goals;
    progress(i + 1);
  }
  figures.questions = times.size();
  for (const double t : times) figures.mean_us += t / static_cast<double>(times.size());
  figures.baseline_us /= static_cast<double>(times.size());
  std::sort(times.begin(), times.end());
  figures.p50_us = times[times.size() / 2];
  figures.p99_us = times[times.size() * 99 / 100];
  figures.max_us = times.back();
  return figures;
}

}  // namespace drover::bench
