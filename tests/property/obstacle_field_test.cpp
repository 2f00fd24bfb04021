// SPDX-License-Identifier: MIT
// Fields of maps with obstacles, before and after they move: every engine's bytes are the textbook's, and the oracle,
// which asks the shapes themselves, agrees in every cell.
#include <drover/field.hpp>
#include <drover/verify.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "io/field_claims.hpp"
#include "nav/compiled_graph.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"
#include "support/shapes.hpp"

namespace drover::test {
namespace {

MovementProfile drawn_body(Draws& draw) {
  MovementProfile p = body(draw.percent(60) ? 1 : draw.between(2, 4), static_cast<CornerRule>(draw.below(3)),
                           draw.percent(80) ? Moves::eight : Moves::four);
  if (draw.percent(70)) p.body_radius = Fixed::ratio(p.footprint * draw.between(1, 8), 16);
  return p;
}

std::vector<Cell> places_to_stand(const NavGraph& graph) {
  std::vector<Cell> cells;
  const GridShape& shape = graph.shape();
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer)
    for (std::int32_t y = 0; y < shape.height(); ++y)
      for (std::int32_t x = 0; x < shape.width(); ++x) {
        const Cell c{shape.origin().x + x, shape.origin().y + y, layer};
        if (graph.footing(c) == Footing::open) cells.push_back(c);
      }
  return cells;
}

void judge(Draws& draw, const MapView& map, const NavGraph& graph, std::uint64_t& fields) {
  const std::vector<Cell> places = places_to_stand(graph);
  if (places.empty()) return;
  GoalDef goal;
  for (int i = 0; i < 2; ++i)
    goal.cells.push_back({places[draw.below(static_cast<std::uint32_t>(places.size()))], draw.below(30)});
  FieldBuilder builder;
  const Result<FieldRef> field = builder.build(graph, goal);
  const Result<FieldRef> textbook = builder.build(graph, goal, {FieldEngine::textbook});
  ASSERT_TRUE(field.ok() && textbook.ok());
  EXPECT_EQ((*field)->digest(), (*textbook)->digest());
  std::vector<FieldTarget> targets;
  for (const GoalCell& c : goal.cells) targets.push_back({c.cell, c.offset});
  OracleOptions options;
  options.all_starts = 0;  // one Dijkstra reaches all
  options.samples = 2;
  const Result<FieldVerdict> verdict =
      verify_field(map, graph.compiled().profile(), targets, io::claims_of(**field), options);
  ASSERT_TRUE(verdict.ok()) << verdict.status().message();
  EXPECT_EQ(verdict->wrong, 0u);
  ++fields;
}

TEST(ObstacleField, EveryCellIsWhatTheOracleFindsAmongTheShapes) {
  const std::uint64_t worlds = long_run() ? 4000 : 150;
  std::uint64_t fields = 0;
  for (std::uint64_t seed = 0; seed < worlds && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Draws draw(3'000'000 + seed);
    GridMapDef def;
    def.width = draw.percent(30) ? draw.between(60, 70) : draw.between(4, 24);
    def.height = draw.between(4, 16);
    def.layers = draw.percent(20) ? 2 : 1;
    def.origin = {draw.between(-9, 9), draw.between(-9, 9), 0};
    if (draw.percent(40)) def.cell_size = quarters(draw.between(1, 7));
    GridMap map = *GridMap::create(def);
    ShapeDraws shapes(draw, map.shape(), map.view().frame());
    for (std::uint32_t i = 1 + draw.below(5); i > 0; --i) ASSERT_TRUE(map.add_obstacle(shapes.shape()).ok());
    std::vector<NavGraph> graphs;
    for (int i = 0; i < 2; ++i) graphs.push_back(graph_of(map.view(), drawn_body(draw)));
    for (int step = 0; step < 4 && !HasFailure(); ++step) {
      for (const NavGraph& graph : graphs) judge(draw, map.view(), graph, fields);
      MapEdit edit;
      edit.obstacles = {shapes.edit(map.view()), shapes.edit(map.view())};
      const Result<EditReport> report = map.apply(edit);
      ASSERT_TRUE(report.ok()) << report.status().message();
      for (NavGraph& graph : graphs) graph = *graph.updated(map.view(), report->dirty);
    }
  }
  EXPECT_GT(fields, 5 * worlds);
}

// Obstacles are no walls to the eye: what is seen from a place is what was seen before they came.
TEST(ObstacleField, TheyDoNotBlockSight) {
  GridMap map = map_of({"..........", "..........", ".........."});
  const std::vector<Cell> seen = area_targets(map.view(), {}, {0, 1, 0}, 9, AreaRule::in_sight);
  ASSERT_TRUE(map.add_obstacle(box(quarters(18, 6), quarters(2, 6))).ok());  // the whole of column 4
  std::vector<Cell> expected = seen;
  std::erase_if(expected, [](Cell c) { return c.x == 4; });
  EXPECT_EQ(area_targets(map.view(), {}, {0, 1, 0}, 9, AreaRule::in_sight), expected);
  EXPECT_EQ(expected.size(), seen.size() - 3);
  GoalDef goal;
  goal.area = {GoalArea::Rule::in_sight, {0, 1, 0}, 9};
  FieldBuilder builder;
  const Result<FieldRef> field = builder.build(graph_of(map.view()), goal);
  ASSERT_TRUE(field.ok());
  EXPECT_EQ((*field)->goals().size(), expected.size());
}

}  // namespace
}  // namespace drover::test
