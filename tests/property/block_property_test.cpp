// SPDX-License-Identifier: MIT
// would_block in random worlds: equal to closing the cells for an oracle that sees every edge and asking its fields.
#include "property/directed_world.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"

#include <gtest/gtest.h>
#include <drover/search.hpp>
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <string>

namespace drover::test {
namespace {

using Indices = std::vector<std::uint32_t>;

/// Who has a way on one ground, by fields of the oracle: one to all goals that can be stood on, and one to each.
struct Ways {
  std::vector<bool> goals, places;
};

Ways ways_on(const oracle::Ground& ground, const DirectedWorld& directed, const std::vector<oracle::Target>& goals,
             const std::vector<std::size_t>& places) {
  const oracle::Body& body = directed.world().body;
  const auto stands = [&](const oracle::Target& t) { return oracle::fits(ground, body, t.x, t.y, t.layer); };
  const auto field_to = [&](const std::vector<oracle::Target>& targets) {
    return oracle::directed_field(ground, body, directed.directed(), targets).cost;
  };
  std::vector<oracle::Target> standing;
  std::copy_if(goals.begin(), goals.end(), std::back_inserter(standing), stands);
  Ways ways;
  const std::vector<std::uint64_t> to_any = field_to(standing);
  for (const std::size_t place : places) ways.places.push_back(to_any[place] != oracle::kNever);
  for (const oracle::Target& goal : goals) {
    if (!stands(goal)) {
      ways.goals.push_back(false);
      continue;
    }
    const std::vector<std::uint64_t> to_it = field_to({goal});
    const std::size_t own = ground.at(goal.x, goal.y, goal.layer);
    bool any = false;
    for (const std::size_t place : places) any = any || to_it[place] != oracle::kNever;
    for (std::size_t cell = 0; places.empty() && cell < to_it.size(); ++cell)
      any = any || (cell != own && to_it[cell] != oracle::kNever);
    ways.goals.push_back(any);
  }
  return ways;
}

Indices lost(const std::vector<bool>& before, const std::vector<bool>& after) {
  Indices list;
  for (std::uint32_t i = 0; i < before.size(); ++i)
    if (before[i] && !after[i]) list.push_back(i);
  return list;
}

std::uint64_t questions, with_lost_places, with_lost_goals, without_places, one_way_worlds, portal_worlds;

class Asking {
 public:
  Asking(const DirectedWorld& world, std::uint64_t seed) : world_(world), draw_(seed ^ 0xb10c) {
    const oracle::Ground& ground = world.world().ground;
    goals_ = world.world().targets;
    for (oracle::Target& goal : goals_) goal.offset = 0;
    if (draw_.percent(20)) goals_.push_back({draw_.below(ground.width), draw_.below(ground.height), 0, 0});
    for (int i = draw_.percent(20) ? 0 : 1 + draw_.below(8); i > 0; --i) places_.push_back(any_cell());
    if (draw_.percent(20) && !goals_.empty() && !places_.empty())
      places_.push_back(ground.at(goals_[0].x, goals_[0].y, goals_[0].layer));
  }

  std::string fault(BlockTester& tester, const NavGraph& graph) {
    std::vector<Cell> goals, places;
    const Cell origin = graph.shape().origin();
    for (const oracle::Target& goal : goals_) goals.push_back({origin.x + goal.x, origin.y + goal.y, goal.layer});
    for (const std::size_t place : places_) places.push_back(cell(place));
    if (const Status status = tester.prepare(graph, goals, places); !status.ok()) return status.message();
    const oracle::Ground& ground = world_.world().ground;
    const Ways before = ways_on(ground, world_, goals_, places_);
    LostWays found;
    for (int i = 0; i < 6; ++i) {
      const std::vector<std::size_t> closed = draw_cells();
      oracle::Ground after = ground;
      std::vector<Cell> cells;
      for (const std::size_t c : closed) {
        if (after.cells[c] == '.') after.cells[c] = '#';
        cells.push_back(cell(c));
      }
      const Ways left = ways_on(after, world_, goals_, places_);
      if (const Status status = tester.would_block(cells, found); !status.ok()) return status.message();
      const Indices goals_lost = lost(before.goals, left.goals), places_lost = lost(before.places, left.places);
      ++questions;
      with_lost_goals += goals_lost.empty() ? 0u : 1u;
      with_lost_places += places_lost.empty() ? 0u : 1u;
      without_places += places_.empty() ? 1u : 0u;
      if (found.goals != goals_lost) return "goals of question " + std::to_string(i);
      if (found.places != places_lost) return "places of question " + std::to_string(i);
    }
    return {};
  }

 private:
  std::size_t any_cell() {
    return static_cast<std::size_t>(draw_.below(static_cast<int>(world_.world().ground.cells.size())));
  }
  Cell cell(std::size_t number) const {
    const oracle::Ground& g = world_.world().ground;
    const int n = static_cast<int>(number);
    const Cell origin = world_.view().shape().origin();
    return {origin.x + n % g.width, origin.y + n / g.width % g.height, n / g.width / g.height};
  }
  // One cell, a block, a wall across, or cells anywhere.
  std::vector<std::size_t> draw_cells() {
    const oracle::Ground& g = world_.world().ground;
    std::vector<std::size_t> cells;
    const int kind = draw_.below(4), layer = draw_.below(g.layers);
    if (kind == 3) {
      for (int i = draw_.below(8); i >= 0; --i) cells.push_back(any_cell());
      return cells;
    }
    const int x = draw_.below(g.width), y = draw_.below(g.height);
    const int width = kind == 0 ? 1 : 1 + draw_.below(3), height = kind == 0 ? 1 : 1 + draw_.below(kind == 1 ? 3 : 8);
    for (int dy = 0; dy < height && y + dy < g.height; ++dy)
      for (int dx = 0; dx < width && x + dx < g.width; ++dx) cells.push_back(g.at(x + dx, y + dy, layer));
    return cells;
  }

  const DirectedWorld& world_;
  Draw draw_;
  std::vector<oracle::Target> goals_;
  std::vector<std::size_t> places_;
};

TEST(BlockProperty, EqualsClosingTheCellsAndAskingTheOracle) {
  BlockTester tester;
  const int worlds = long_run() ? 20000 : 700;
  for (int i = 0; i < worlds; ++i) {
    const std::uint64_t seed = 9100000u + static_cast<std::uint64_t>(i);
    const WorldPlan plan = draw_world(seed, i % 10 == 0 ? 20 : 10);
    EdgePlan edges = draw_edges(seed, plan);
    if (i % 3 != 0) edges.forbidden_percent = 0;
    if (i % 3 == 1) edges = {};
    DirectedWorld world(plan, edges);
    NavGraph graph = *NavGraph::compile(world.view(), world.world().profile);
    one_way_worlds += graph.compiled().moves() != graph.compiled().reverse_moves() ? 1u : 0u;
    portal_worlds += graph.compiled().portals().empty() ? 0u : 1u;
    Asking asking(world, seed);
    ASSERT_EQ(asking.fault(tester, graph), "") << "world " << i;
    ASSERT_EQ(asking.fault(tester, graph), "") << "world " << i << ", tables kept";
    if (i % 2 == 0) continue;
    const std::vector<CellIndex> dirty = world.edit();
    graph = *graph.updated(world.view(), dirty);
    ASSERT_EQ(Asking(world, seed).fault(tester, graph), "") << "world " << i << ", edited";
  }
  EXPECT_GT(questions, 6000u);
  EXPECT_GT(with_lost_places, 1000u);
  EXPECT_GT(with_lost_goals, 500u);
  EXPECT_GT(without_places, 300u);
  EXPECT_GT(one_way_worlds, 100u);
  EXPECT_GT(portal_worlds, 100u);
}

std::vector<bool> ways_by_fields(const NavGraph& graph, const std::vector<Cell>& goals,
                                 const std::vector<Cell>& places) {
  FieldBuilder builder;
  GoalDef all;
  for (const Cell goal : goals)
    if (graph.footing(goal) == Footing::open) all.cells.push_back({goal});
  const auto has_way = [&](const FieldRef& field, Cell place) {
    const CellState state = field->state(graph.shape().index(place));
    return state == CellState::reachable || state == CellState::goal;
  };
  const Result<FieldRef> to_all = builder.build(graph, all);
  std::vector<bool> ways;
  for (const Cell place : places) ways.push_back(to_all.ok() && has_way(*to_all, place));
  for (const Cell goal : goals) {
    const Result<FieldRef> to_it = builder.build(graph, GoalDef{{{goal}}});
    const auto comes = [&](Cell place) { return has_way(*to_it, place); };
    ways.push_back(to_it.ok() && std::any_of(places.begin(), places.end(), comes));
  }
  return ways;
}

// Maps large enough that what a question cuts off is searched in more than one way.
TEST(BlockProperty, EqualsEditingCompilingAndBuilding) {
  std::uint64_t blocking = 0;
  for (std::uint64_t seed = 0; seed < (long_run() ? 400u : 30u); ++seed) {
    Draws draw(9200000 + seed);
    constexpr int kSize = 90;
    GridMap map = map_of(draw.rows(kSize, kSize, seed % 3 == 0 ? 5 : 25));
    const auto cell = [&] { return Cell{draw.between(0, kSize - 1), draw.between(0, kSize - 1), 0}; };
    MapEdit walls;
    for (int x = 0; x < kSize; ++x)
      if (x % 30 != 7) walls.cells.push_back({{x, kSize / 2, 0}, CellChange::terrain, kWall});
    for (int i = seed % 2 == 0 ? 60 : 0; i > 0; --i)
      walls.steps.push_back({{cell(), static_cast<Direction>(draw.below(8))}, false});
    ASSERT_TRUE(map.apply(walls).ok());
    for (int i = seed % 4 < 2 ? 1 : 0; i > 0; --i) ASSERT_TRUE(map.add_portal({cell(), cell()}).ok());
    const MovementProfile profile = body(seed % 3 == 0 ? 2 : 1, static_cast<CornerRule>(draw.below(3)));
    const NavGraph graph = graph_of(map.view(), profile);
    std::vector<Cell> goals{cell(), cell(), cell()}, places;
    for (int i = 0; i < 60; ++i) places.push_back(cell());
    const std::vector<bool> before = ways_by_fields(graph, goals, places);
    BlockTester tester;
    LostWays lost;
    ASSERT_TRUE(tester.prepare(graph, goals, places).ok());
    for (int question = 0; question < 30; ++question) {
      const Cell at = question % 5 == 0 ? Cell{7 + draw.between(-1, 1), kSize / 2 + draw.between(-1, 1), 0} : cell();
      const int width = question % 6 == 1 ? 40 : draw.between(1, 3), height = draw.between(1, 3);
      MapEdit edit;
      std::vector<Cell> cells;
      for (int i = 0; i < width * height; ++i) {
        const Cell c{at.x + i % width, at.y + i / width, 0};
        if (!map.shape().contains(c)) continue;
        cells.push_back(c);
        edit.cells.push_back({c, CellChange::unknown, kFloor});
      }
      const MapView view = map.view();
      const Result<EditReport> report = map.apply(edit);
      ASSERT_TRUE(report.ok());
      const std::vector<bool> after = ways_by_fields(*graph.updated(map.view(), report->dirty), goals, places);
      map.restore(view);
      ASSERT_TRUE(tester.would_block(cells, lost).ok());
      Indices want_places, want_goals;
      for (std::uint32_t i = 0; i < before.size(); ++i) {
        if (!before[i] || after[i]) continue;
        const auto count = static_cast<std::uint32_t>(places.size());
        i < count ? want_places.push_back(i) : want_goals.push_back(i - count);
      }
      ASSERT_EQ(lost.places, want_places) << "seed " << seed << ", question " << question;
      ASSERT_EQ(lost.goals, want_goals) << "seed " << seed << ", question " << question;
      blocking += want_places.empty() ? 0u : 1u;
    }
  }
  EXPECT_GT(blocking, 50u);
}

}  // namespace
}  // namespace drover::test
