// SPDX-License-Identifier: MIT
// Every query twice: by itself, and by A*.
#include "path_bench.hpp"

#include "thread_clock.hpp"

#include <algorithm>
#include <optional>

#include <drover/search.hpp>

#include "base/counter_rng.hpp"
#include "search/column_bits.hpp"
#include "search/jump_points.hpp"

namespace drover::bench {

namespace {

constexpr int kEdits = 200, kRefusals = 20000;

// A wall cell with walls around it: free, it is a component of its own.
std::optional<Cell> solid_cell(const BenchMap& map) {
  for (std::int32_t y = 1; y + 1 < map.height; ++y)
    for (std::int32_t x = 1; x + 1 < map.width; ++x) {
      bool solid = true;
      for (std::int32_t dy = -1; dy <= 1; ++dy)
        for (std::int32_t dx = -1; dx <= 1; ++dx) solid = solid && map.wall[map.at(x + dx, y + dy)] != 0;
      if (solid) return Cell{x, y, 0};
    }
  return std::nullopt;
}

// The map with a cell the other way round.
Status toggle(GridMap& map, NavGraph& graph, Cell cell, bool wall) {
  const Result<EditReport> edit = map.apply({{{cell, CellChange::terrain, wall ? kWall : kFloor}}, {}});
  if (!edit) return edit.status();
  Result<NavGraph> next = graph.updated(map.view(), edit->dirty);
  if (!next) return next.status();
  graph = *std::move(next);
  return {};
}

Status measure_edits(GridMap& map, NavGraph& graph, Cell cell, const Host& host, PathFigures& out) {
  if (!search::JumpPoints::is_valid(graph.compiled())) return {};
  search::ColumnBits columns;
  if (!columns.follow(graph.compiled(), host.allocator)) return {StatusCode::out_of_memory, "out of memory"};
  std::uint64_t ns = 0;
  for (int i = 0; i < 2 * kEdits; ++i) {
    if (Status status = toggle(map, graph, cell, i % 2 == 0); !status.ok()) return status;
    const std::uint64_t start = thread_ns();
    if (!columns.follow(graph.compiled(), host.allocator)) return {StatusCode::out_of_memory, "out of memory"};
    ns += thread_ns() - start;
  }
  out.edit_ns = static_cast<double>(ns) / (2 * kEdits);
  return {};
}

Status measure_refusals(GridMap& map, NavGraph& graph, Cell from, Cell to, PathFinder& finder, PathFigures& out) {
  if (Status status = toggle(map, graph, to, false); !status.ok()) return status;
  Path path;
  if (Status status = finder.find(graph, from, to, path); !status.ok()) return status;
  const std::uint64_t start = thread_ns();
  for (int i = 0; i < kRefusals; ++i)
    if (Status status = finder.find(graph, from, to, path); !status.ok()) return status;
  out.unreachable_ns = static_cast<double>(thread_ns() - start) / kRefusals;
  out.equal = out.equal && path.status == PathStatus::unreachable && path.expanded == 0;
  return toggle(map, graph, to, true);
}

}  // namespace

std::vector<PathQuery> draw_queries(const BenchMap& map, std::uint64_t count, std::uint64_t seed) {
  const base::CounterRng rng(seed, 0x70617468);
  std::vector<Cell> cells;
  for (std::uint64_t i = 0; cells.size() < 2 * count; i += 2) {
    const Cell c{static_cast<std::int32_t>(rng.uniform(i, static_cast<std::uint32_t>(map.width))),
                 static_cast<std::int32_t>(rng.uniform(i + 1, static_cast<std::uint32_t>(map.height))), 0};
    if (map.wall[map.at(c.x, c.y)] == 0) cells.push_back(c);
  }
  std::vector<PathQuery> out;
  for (std::uint64_t i = 0; i < count; ++i)
    out.emplace_back(cells[static_cast<std::size_t>(2 * i)], cells[static_cast<std::size_t>(2 * i + 1)]);
  return out;
}

Result<PathFigures> measure_paths(const BenchMap& plan, const std::string& name, const std::vector<PathQuery>& queries,
                                  const Host& host) {
  Result<GridMap> map = to_grid_map(plan);
  if (!map) return map.status();
  MovementProfile profile;
  profile.costs = CostBase::octile;
  Result<NavGraph> graph = NavGraph::compile(map->view(), profile, host);
  if (!graph) return graph.status();
  PathFigures out;
  out.map = name;
  out.queries = queries.size();
  PathFinder finder(host), astar(host);
  PathOptions plain;
  plain.algorithm = PathAlgorithm::astar;
  Path mine, other;
  std::uint64_t ns = 0, baseline_ns = 0, expanded = 0, baseline_expanded = 0;
  for (std::size_t i = 0; i <= queries.size(); ++i) {  // the first is not counted: it allocates
    const PathQuery& query = queries[i == 0 ? 0 : i - 1];
    std::uint64_t start = thread_ns();
    if (Status status = finder.find(*graph, query.first, query.second, mine); !status.ok()) return status;
    const std::uint64_t took = thread_ns() - start;
    start = thread_ns();
    if (Status status = astar.find(*graph, query.first, query.second, other, plain); !status.ok()) return status;
    const std::uint64_t plain_took = thread_ns() - start;
    if (i == 0) continue;
    ns += took;
    baseline_ns += plain_took;
    expanded += mine.expanded;
    baseline_expanded += other.expanded;
    out.found += mine.status == PathStatus::found ? 1u : 0u;
    out.equal = out.equal && mine.status == other.status && mine.cost == other.cost;
  }
  out.algorithm = to_string(mine.algorithm);
  const auto count = static_cast<double>(std::max<std::size_t>(queries.size(), 1));
  out.ns = static_cast<double>(ns) / count;
  out.baseline_ns = static_cast<double>(baseline_ns) / count;
  out.expanded = static_cast<double>(expanded) / count;
  out.baseline_expanded = static_cast<double>(baseline_expanded) / count;
  if (queries.empty()) return out;
  if (Status status = measure_edits(*map, *graph, queries[0].first, host, out); !status.ok()) return status;
  const std::optional<Cell> apart = solid_cell(plan);
  if (!apart) return out;
  if (Status status = measure_refusals(*map, *graph, queries[0].first, *apart, finder, out); !status.ok())
    return status;
  return out;
}

}  // namespace drover::bench
