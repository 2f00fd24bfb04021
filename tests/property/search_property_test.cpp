// SPDX-License-Identifier: MIT
// Every start of random worlds: the search's cost is the oracle's, its path is legal step by step and adds up.
#include "property/directed_world.hpp"
#include "search/astar.hpp"
#include "support/data.hpp"

#include <gtest/gtest.h>
#include <drover/search.hpp>

#include <algorithm>
#include <string>

namespace drover::test {
namespace {

std::string text_of(Cell c) { return std::to_string(c.x) + "," + std::to_string(c.y) + "," + std::to_string(c.layer); }

// The first thing wrong with a path that was found, by the oracle's list of edges; or an empty string.
std::string fault_of_path(const Path& path, const World& world, const std::vector<oracle::Edge>& edges) {
  const Cell origin = world.map->shape().origin();
  const auto number = [&](Cell c) { return world.ground.at(c.x - origin.x, c.y - origin.y, c.layer); };
  if (path.cells.size() != path.steps.size() + 1) return "cells and steps do not match";
  std::uint64_t sum = 0, diagonals = 0, portals = 0;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const Step& step = path.steps[i];
    const bool portal = step.kind == Step::Kind::portal;
    const std::size_t way = portal ? 8 + step.portal : static_cast<std::size_t>(step.direction);
    const std::size_t from = number(path.cells[i]), to = number(path.cells[i + 1]);
    const auto edge = std::find_if(edges.begin(), edges.end(),
                                   [&](const oracle::Edge& e) { return e.from == from && e.to == to && e.way == way; });
    if (edge == edges.end()) return "no such step from " + text_of(path.cells[i]);
    sum += edge->cost;
    diagonals += !portal && is_diagonal(step.direction) ? 1u : 0u;
    portals += portal ? 1u : 0u;
  }
  if (sum != path.cost) return "steps cost " + std::to_string(sum) + ", not " + std::to_string(path.cost);
  if (diagonals != path.diagonals || portals != path.portals) return "steps are counted wrong";
  return {};
}

PathStatus status_by_oracle(char letter) {
  switch (letter) {
    case '#':
    case 'o':
      return PathStatus::start_blocked;
    case '?':
      return PathStatus::start_unknown;
    case 'x':
      return PathStatus::unreachable;
    default:
      return PathStatus::found;
  }
}

std::uint64_t many_goals, searches, portal_paths, found_paths, lost;

std::string fault_of_graph(PathFinder& finder, const NavGraph& graph, const DirectedWorld& directed) {
  const World& world = directed.world();
  if (world.targets.empty()) return {};
  oracle::Target target = world.targets.front();
  target.offset = 0;
  const oracle::DirectedReference want =
      oracle::directed_field(world.ground, world.body, directed.directed(), {target});
  const std::vector<oracle::Edge> edges = oracle::edges_of(world.ground, world.body, directed.directed());
  const GridShape& shape = graph.shape();
  const Cell goal{shape.origin().x + target.x, shape.origin().y + target.y, target.layer};
  Path path;
  for (std::size_t n = 0; n < world.ground.cells.size(); ++n) {
    const int cell = static_cast<int>(n), width = shape.width(), height = shape.height();
    const Cell start{shape.origin().x + cell % width, shape.origin().y + cell / width % height, cell / width / height};
    const std::string name = "from " + text_of(start) + " to " + text_of(goal) + ": ";
    if (const Status status = finder.find(graph, start, goal, path); !status.ok()) return name + status.message();
    ++searches;
    if (path.status != status_by_oracle(want.letters[n])) return name + to_string(path.status);
    if (path.cost != want.cost[n]) {
      return name + std::to_string(path.cost) + " not " + std::to_string(want.cost[n]);
    }
    if (path.expanded > graph.open_cells()) return name + "a cell was expanded twice";
    if (path.status != PathStatus::found) {
      lost += path.status == PathStatus::unreachable ? 1u : 0u;
      if (!path.cells.empty() || !path.steps.empty()) return name + "cells of a failed search";
      continue;
    }
    if (path.cells.front() != start || path.cells.back() != goal) return name + "other ends";
    if (std::string text = fault_of_path(path, world, edges); !text.empty()) return name + text;
    ++found_paths;
    portal_paths += path.portals > 0 ? 1u : 0u;
    const Result<Path> again = find_path(graph, start, goal);
    if (!again || again->cells != path.cells || again->expanded != path.expanded) return name + "not the same again";
  }
  return {};
}

// All goals of the world at once, with their offsets: what the field to them costs.
std::string fault_of_targets(const NavGraph& graph, const DirectedWorld& directed, search::AStar& astar) {
  const World& world = directed.world();
  if (world.targets.empty()) return {};
  const oracle::DirectedReference want =
      oracle::directed_field(world.ground, world.body, directed.directed(), world.targets);
  const GridShape& shape = graph.shape();
  const auto place = [&](int x, int y, int layer) { return Cell{shape.origin().x + x, shape.origin().y + y, layer}; };
  std::vector<search::Target> targets;
  for (const oracle::Target& t : world.targets)
    targets.push_back({shape.index(place(t.x, t.y, t.layer)).value, t.offset});
  std::sort(targets.begin(), targets.end(), [](const search::Target& a, const search::Target& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.offset < b.offset;
  });
  const auto same = [](const search::Target& a, const search::Target& b) { return a.cell == b.cell; };
  targets.erase(std::unique(targets.begin(), targets.end(), same), targets.end());
  for (std::size_t n = 0; n < world.ground.cells.size(); ++n) {
    const int cell = static_cast<int>(n), width = shape.width(), height = shape.height();
    const Cell start = place(cell % width, cell / width % height, cell / width / height);
    if (graph.footing(start) != Footing::open) continue;
    using Outcome = search::AStar::Outcome;
    const Outcome outcome = astar.run(graph.compiled(), shape.index(start), {shape, targets}, {}, {});
    const std::string name = "from " + text_of(start) + ": ";
    if ((outcome == Outcome::found) != (want.cost[n] != kInfiniteCost)) return name + "reachability";
    if (outcome != Outcome::found) continue;
    const search::Target* end = search::Targets(shape, targets).find(astar.end());
    if (end == nullptr) return name + "no goal at the end";
    const Cost cost = astar.cost(end->cell) + end->offset;
    ++many_goals;
    if (cost != want.cost[n]) return name + std::to_string(cost) + " not " + std::to_string(want.cost[n]);
  }
  return {};
}

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

// Portals and free ground allow no estimate, portals dear enough and stairs that stay where they are do: all of these
// are drawn.
TEST(SearchProperty, CostAndReachabilityEqualTheOracleFromEveryStart) {
  PathFinder finder;
  for (int i = 0; i < rounds(500); ++i) {
    const std::uint64_t seed = 7000000u + static_cast<std::uint64_t>(i);
    WorldPlan plan = draw_world(seed, i % 10 == 0 ? 20 : 10);
    EdgePlan edges = draw_edges(seed, plan);
    if (i % 3 == 0) edges = {};                  // undirected
    if (i % 3 == 1) edges.most_portal = 100000;  // most portals dearer than the ground between their ends
    if (i % 12 == 4) edges.portals = 1;          // the estimate holds then
    const DirectedWorld world(plan, edges);
    const Result<NavGraph> graph = NavGraph::compile(world.view(), world.world().profile);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    ASSERT_EQ(fault_of_graph(finder, *graph, world), "") << "world " << i;
  }
  EXPECT_GT(searches, 20000u);
  EXPECT_GT(found_paths, 5000u);
  EXPECT_GT(portal_paths, 200u);
  EXPECT_GT(lost, 1000u);
}

TEST(SearchProperty, ManyGoalsWithOffsetsCostWhatTheFieldCosts) {
  search::AStar astar;
  std::uint64_t several = 0;
  for (int i = 0; i < rounds(500); ++i) {
    const std::uint64_t seed = 9000000u + static_cast<std::uint64_t>(i);
    const WorldPlan plan = draw_world(seed, 12);
    EdgePlan edges = draw_edges(seed, plan);
    if (i % 2 == 0) edges.portals = 0;  // the estimate holds then
    const DirectedWorld world(plan, edges);
    several += world.world().targets.size() > 1;
    const NavGraph graph = *NavGraph::compile(world.view(), world.world().profile);
    ASSERT_EQ(fault_of_targets(graph, world, astar), "") << "world " << i;
  }
  EXPECT_GT(many_goals, 10000u);
  EXPECT_GT(several, 100u);
}

TEST(SearchProperty, AfterEditsToo) {
  PathFinder finder;
  for (int i = 0; i < rounds(80); ++i) {
    const std::uint64_t seed = 8000000u + static_cast<std::uint64_t>(i);
    const WorldPlan plan = draw_world(seed, 10);
    DirectedWorld world(plan, draw_edges(seed, plan));
    NavGraph graph = *NavGraph::compile(world.view(), world.world().profile);
    for (int step = 0; step < 4; ++step) {
      const std::vector<CellIndex> dirty = world.edit();
      graph = *graph.updated(world.view(), dirty);
      ASSERT_EQ(fault_of_graph(finder, graph, world), "") << "world " << i << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace drover::test
