// SPDX-License-Identifier: MIT
// Areas as goals on random worlds: equal to every cell judged by itself, symmetric, and the same to the oracle of
// verify.
#include <drover/verify.hpp>

#include "field/goal_area.hpp"
#include "oracle/sight.hpp"
#include "property/field_world.hpp"
#include "support/data.hpp"

#include <set>
#include <string>
#include <vector>

namespace drover::test {
namespace {

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

WorldPlan draw_plan(Draw& draw, std::uint64_t seed, int most) {
  WorldPlan plan;
  plan.seed = seed;
  plan.width = 1 + draw.below(most);
  plan.height = 1 + draw.below(most);
  plan.layers = draw.percent(20) ? 2 : 1;
  plan.walls_percent = draw.below(4) * 12;
  plan.unknown_percent = draw.percent(30) ? draw.below(15) : 0;
  plan.door_percent = draw.percent(30) ? 50 : 0;
  plan.footprint = std::min({draw.percent(60) ? 1 : 1 + draw.below(4), plan.width, plan.height});
  return plan;
}

// One bit of the answer after the other, from the definition.
std::vector<Cell> expected(const World& world, const GoalArea& area) {
  const Cell origin = world.map->shape().origin();
  const int of_x = area.of.x - origin.x, of_y = area.of.y - origin.y, r = static_cast<int>(area.radius);
  std::vector<Cell> cells;
  for (int y = 0; y < world.ground.height; ++y) {
    for (int x = 0; x < world.ground.width; ++x) {
      const int dx = x - of_x, dy = y - of_y;
      if (dx * dx + dy * dy > r * r || !oracle::fits(world.ground, world.body, x, y, area.of.layer)) continue;
      if (area.rule == GoalArea::Rule::in_sight && !oracle::clear_line(world.ground, area.of.layer, of_x, of_y, x, y))
        continue;
      cells.push_back({origin.x + x, origin.y + y, area.of.layer});
    }
  }
  return cells;
}

std::vector<Cell> found(const NavGraph& graph, const GoalArea& area) {
  std::vector<Cell> cells;
  for (const std::uint32_t cell : field::cells_of(graph.compiled(), area)) cells.push_back(graph.shape().cell({cell}));
  return cells;
}

TEST(AreaProperty, EqualsTheDefinitionAndTheOracleOfVerify) {
  std::uint64_t hidden = 0, seen = 0;
  for (int i = 0; i < rounds(1500); ++i) {
    Draw draw(static_cast<std::uint64_t>(i) + 77);
    const World world = World::make(draw_plan(draw, static_cast<std::uint64_t>(i), i % 10 == 0 ? 40 : 14));
    const MapView view = world.map->view();
    const Result<NavGraph> graph = NavGraph::compile(view, world.profile);
    ASSERT_TRUE(graph.ok());
    const GridShape& shape = view.shape();
    for (int k = 0; k < 6; ++k) {
      GoalArea area;
      area.rule = k % 3 == 0 ? GoalArea::Rule::within : GoalArea::Rule::in_sight;
      area.of = {shape.origin().x + draw.below(shape.width()), shape.origin().y + draw.below(shape.height()),
                 draw.below(shape.layers())};
      area.radius = static_cast<std::uint32_t>(draw.percent(30) ? 512 : draw.below(16));
      const std::vector<Cell> want = expected(world, area);
      ASSERT_EQ(found(*graph, area), want) << "world " << i;
      const AreaRule rule = area.rule == GoalArea::Rule::within ? AreaRule::within : AreaRule::in_sight;
      ASSERT_EQ(area_targets(view, world.profile, area.of, area.radius, rule), want) << "world " << i;
      if (area.rule == GoalArea::Rule::within) continue;
      seen += want.size();
      area.rule = GoalArea::Rule::within;
      hidden += found(*graph, area).size() - want.size();
    }
  }
  EXPECT_GT(seen, 10000u);
  EXPECT_GT(hidden, 10000u);
}

// fov_pairs_are_symmetric, of what is built: the map of the case, radius 40, all pairs of free cells.
TEST(AreaProperty, fov_pairs_are_symmetric) {
  std::vector<std::string> rows(12, std::string(40, '.'));
  for (std::uint64_t y = 0; y < 12; ++y)
    for (std::uint64_t x = 0; x < 40; ++x)
      if (((x * 73856093) ^ (y * 19349663)) % 100 < 30) rows[y][x] = '#';
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  const GridMap map = std::move(GridMap::from_rows(views)).value();
  const NavGraph graph = std::move(NavGraph::compile(map.view(), MovementProfile{})).value();
  std::set<std::pair<std::uint32_t, std::uint32_t>> sees;
  for (std::int32_t y = 0; y < 12; ++y) {
    for (std::int32_t x = 0; x < 40; ++x) {
      if (graph.footing({x, y, 0}) != Footing::open) continue;
      const std::uint32_t eye = graph.shape().at(x, y, 0);
      for (const std::uint32_t cell : field::cells_of(graph.compiled(), {GoalArea::Rule::in_sight, {x, y, 0}, 40}))
        sees.emplace(eye, cell);
    }
  }
  EXPECT_GT(sees.size(), 5000u);
  for (const auto& [a, b] : sees) ASSERT_TRUE(sees.count({b, a}) != 0) << a << " sees " << b;
}

// fov_pillar_shadow, of free cells: the map of the case.
TEST(AreaProperty, fov_pillar_shadow) {
  std::vector<std::string> rows(7, std::string(11, '.'));
  rows[3][6] = '#';
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  const GridMap map = std::move(GridMap::from_rows(views)).value();
  const NavGraph graph = std::move(NavGraph::compile(map.view(), MovementProfile{})).value();
  std::set<std::pair<int, int>> lit;
  for (const Cell c : found(graph, {GoalArea::Rule::in_sight, {3, 3, 0}, 20})) lit.emplace(c.x, c.y);
  for (const auto& visible :
       std::vector<std::pair<int, int>>{{0, 0}, {5, 3}, {3, 0}, {9, 0}, {0, 6}, {10, 6}, {6, 2}, {6, 4}})
    EXPECT_EQ(lit.count(visible), 1u) << visible.first << "," << visible.second;
  for (int x = 7; x <= 10; ++x) EXPECT_EQ(lit.count({x, 3}), 0u) << x;
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 7; ++x) EXPECT_TRUE(lit.count({x, y}) != 0 || (x == 6 && y == 3)) << x << "," << y;
}

// A map turned or mirrored gives the view turned or mirrored.
TEST(AreaProperty, AViewTurnsWithItsMap) {
  constexpr int kSide = 21;
  for (int i = 0; i < rounds(60); ++i) {
    Draw draw(static_cast<std::uint64_t>(i) + 4000);
    std::vector<std::string> rows(kSide, std::string(kSide, '.'));
    for (std::string& row : rows)
      for (char& c : row) c = draw.percent(20) ? '#' : '.';
    std::set<std::pair<int, int>> first;
    for (int turn = 0; turn < 8; ++turn) {
      const auto turned = [&](int x, int y) {
        if (turn & 1) x = kSide - 1 - x;
        if (turn & 2) y = kSide - 1 - y;
        if (turn & 4) std::swap(x, y);
        return std::pair{x, y};
      };
      std::vector<std::string> other(kSide, std::string(kSide, '.'));
      for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) {
          const auto [to_x, to_y] = turned(x, y);
          other[static_cast<std::size_t>(to_y)][static_cast<std::size_t>(to_x)] =
              rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
        }
      const std::vector<std::string_view> views(other.begin(), other.end());
      const GridMap map = std::move(GridMap::from_rows(views)).value();
      const NavGraph graph = std::move(NavGraph::compile(map.view(), MovementProfile{})).value();
      const auto [eye_x, eye_y] = turned(8, 11);
      std::set<std::pair<int, int>> view;
      const std::vector<Cell> cells = found(graph, {GoalArea::Rule::in_sight, {eye_x, eye_y, 0}, 15});
      const std::set<std::pair<int, int>> here = [&] {
        std::set<std::pair<int, int>> set;
        for (const Cell c : cells) set.emplace(c.x, c.y);
        return set;
      }();
      for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x)
          if (here.count(turned(x, y)) != 0) view.emplace(x, y);
      if (turn == 0) first = view;
      ASSERT_EQ(view, first) << "map " << i << ", turn " << turn;
    }
  }
}

// Far out shadows are many and thin.
TEST(AreaProperty, LargeRadiiEqualTheOracleOfVerify) {
  for (int i = 0; i < rounds(3); ++i) {
    Draw draw(static_cast<std::uint64_t>(i) + 9000);
    WorldPlan plan;
    plan.seed = static_cast<std::uint64_t>(i);
    plan.width = plan.height = 201;
    plan.walls_percent = 1 + i % 3;
    const World world = World::make(plan);
    const Result<NavGraph> graph = NavGraph::compile(world.map->view(), world.profile);
    ASSERT_TRUE(graph.ok());
    const Cell of{world.map->shape().origin().x + 100, world.map->shape().origin().y + 100, 0};
    ASSERT_EQ(found(*graph, {GoalArea::Rule::in_sight, of, 140}),
              area_targets(world.map->view(), world.profile, of, 140, AreaRule::in_sight));
  }
}

}  // namespace
}  // namespace drover::test
