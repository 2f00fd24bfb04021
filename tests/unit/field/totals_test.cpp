// SPDX-License-Identifier: MIT
// Totals at the limits of costs, extras, slopes, portals and offsets: exact, never wrapped, never taken for "no way".
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "support/grids.hpp"

#include <set>
#include <string>
#include <vector>

namespace drover::test {
namespace {

constexpr FieldEngine kEngines[] = {FieldEngine::automatic,  FieldEngine::textbook,  FieldEngine::breadth_first,
                                    FieldEngine::two_cursor, FieldEngine::buckets,   FieldEngine::heap,
                                    FieldEngine::directed,   FieldEngine::bitboards, FieldEngine::sweep};
constexpr Cost kMostOffset = Cost{1} << 62;

FieldRef build(const NavGraph& graph, std::vector<GoalCell> cells, FieldEngine engine, BuildReport* report = nullptr) {
  FieldBuilder builder;
  GoalDef goal;
  goal.cells = std::move(cells);
  Result<FieldRef> field = builder.build(graph, goal, {engine}, report);
  EXPECT_TRUE(field.ok()) << field.status().message();
  return *std::move(field);
}

Cost cost_at(const FieldRef& field, std::int32_t x, std::int32_t y = 0) {
  return field->cost_to_goal(field->shape().index({x, y, 0}));
}

// The dearest step there is: weight 2^20 on the octile diagonal, an extra, the prices of two doors and a slope, each at
// its limit. One step is beyond 32 bits.
TEST(FieldTotals, TheDearestStepOfAllIsExact) {
  GridMapDef def;
  def.width = def.height = 3;
  def.slope = {kMaxEdgeCost, 0};
  GridMap map = std::move(GridMap::create(def)).value();
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>(9, kMaxCellCost)).ok());
  ASSERT_TRUE(map.set_heights(0, std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 0, 1, 1}).ok());
  const GridStep first{{0, 0, 0}, Direction::south_east};
  ASSERT_TRUE(map.add_door({"cell", {{1, 1, 0}}, true, {}, kMaxEdgeCost}).ok());
  ASSERT_TRUE(map.add_door({"step", {}, true, {first}, kMaxEdgeCost}).ok());
  MapEdit edit;
  edit.steps.push_back({first, true, kMaxEdgeCost});
  ASSERT_TRUE(map.apply(edit).ok());
  ASSERT_TRUE(map.apply(MapEdit{{{{1, 0, 0}, CellChange::terrain, kWall},
                                 {{2, 0, 0}, CellChange::terrain, kWall},
                                 {{0, 1, 0}, CellChange::terrain, kWall},
                                 {{0, 2, 0}, CellChange::terrain, kWall}},
                                {}})
                  .ok());
  MovementProfile profile = body(1, CornerRule::none);
  profile.costs = CostBase::octile;
  const NavGraph graph = graph_of(map.view(), profile);
  const Cost diagonal = Cost{1393} << 20, dearest = diagonal + 4 * Cost{kMaxEdgeCost};
  ASSERT_GT(dearest, Cost{1} << 32);
  for (const FieldEngine engine : kEngines) {
    for (const Cost offset : {Cost{0}, Cost{1}, kMostOffset}) {
      const FieldRef field = build(graph, {{{2, 2, 0}, offset}}, engine);
      EXPECT_EQ(cost_at(field, 2, 2), offset);
      EXPECT_EQ(cost_at(field, 1, 1), offset + diagonal) << to_string(engine);
      EXPECT_EQ(cost_at(field, 0, 0), offset + diagonal + dearest) << to_string(engine);
      EXPECT_EQ(field->step(field->shape().index({0, 0, 0})).direction, Direction::south_east);
    }
  }
}

// A chain of the dearest portals, from the far end of which the way is longer than 32 bits count.
TEST(FieldTotals, AChainOfTheDearestPortalsIsExact) {
  GridMap map = map_of({".#.#.#.#.#.#.#."});
  for (std::int32_t x = 2; x <= 14; x += 2) ASSERT_TRUE(map.add_portal({{x, 0, 0}, {x - 2, 0, 0}, kMaxEdgeCost}).ok());
  for (const FieldEngine engine : kEngines) {
    for (const Cost offset : {Cost{0}, kMostOffset}) {
      const FieldRef field = build(graph_of(map.view()), {{{0, 0, 0}, offset}}, engine);
      for (std::int32_t i = 0; i < 8; ++i)
        EXPECT_EQ(cost_at(field, 2 * i), offset + static_cast<Cost>(i) * kMaxEdgeCost) << to_string(engine);
    }
  }
}

// Totals that end just below, at and above 2^32 - 1 units, which is what an unreached cell of 32 bits looks like.
// `unit`: what offset and steps have in common.
void sweep_the_edge(const NavGraph& graph, Cost unit, Cost step) {
  std::set<int> widths;
  for (const FieldEngine engine : kEngines) {
    for (Cost back = 0; back < 40; ++back) {
      const Cost offset = ((Cost{1} << 32) + 2 - back) * unit;
      BuildReport report;
      const FieldRef field = build(graph, {{{0, 0, 0}, offset}}, engine, &report);
      widths.insert(report.cost_bits);
      for (std::int32_t x = 0; x < graph.shape().width(); ++x) {
        ASSERT_EQ(cost_at(field, x), offset + static_cast<Cost>(x) * step) << to_string(report.engine) << " " << back;
        ASSERT_EQ(field->state(field->shape().index({x, 0, 0})), x == 0 ? CellState::goal : CellState::reachable);
      }
      ASSERT_EQ(field->state(field->shape().index({1, 1, 0})), CellState::blocked);
    }
  }
  EXPECT_EQ(widths, (std::set<int>{32, 64}));
}

TEST(FieldTotals, AtTheEdgeOf32BitsNothingIsLost) {
  MovementProfile uniform;
  uniform.costs = CostBase::uniform;
  sweep_the_edge(graph_of({"....", "####"}, uniform), 1, 1);
  MovementProfile four = body(1, CornerRule::strict, Moves::four);
  sweep_the_edge(graph_of({"....", "####"}, four), 10, 10);  // stored in tens
  sweep_the_edge(graph_of({"....", "####"}), 2, 10);         // stored in twos
  GridMap one_way = map_of({"..", "##"});
  ASSERT_TRUE(one_way.apply({{}, {}, {{{{0, 0, 0}, Direction::east}, false, 0}}, {}}).ok());
  uniform.moves = Moves::four;
  sweep_the_edge(graph_of(one_way.view(), uniform), 1, 1);
}

TEST(FieldTotals, WeightsAtTheirLimitAddUpBeyond32Bits) {
  GridMap map = map_of({std::string(64, '.'), std::string(64, '#')});
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>(128, kMaxCellCost)).ok());
  std::vector<std::uint32_t> uneven(128, kMaxCellCost);
  uneven[1] = kMaxCellCost - 1;
  for (const bool even : {true, false}) {
    if (!even) {
      ASSERT_TRUE(map.set_weights(0, uneven).ok());
    }
    MovementProfile profile;
    profile.costs = CostBase::octile;
    const NavGraph graph = graph_of(map.view(), profile);
    for (const FieldEngine engine : kEngines) {
      for (const Cost offset : {Cost{0}, Cost{7}, kMostOffset}) {
        BuildReport report;
        const FieldRef field = build(graph, {{{0, 0, 0}, offset}, {{0, 0, 0}, kMostOffset}}, engine, &report);
        const Cost step = Cost{985} << 20;
        // The goal itself, weight 2^20, is entered last; 1,0 comes before it.
        const Cost last = offset + 63 * step - (even ? 0 : 985);
        EXPECT_EQ(cost_at(field, 63), last) << to_string(report.engine);
        EXPECT_EQ(report.max_cost, last) << to_string(report.engine);
      }
    }
  }
}

// The largest offset beside none: whoever has a way to the near goal never counts the far one.
TEST(FieldTotals, AnOffsetAtItsLimitBesideNoneChangesNothing) {
  for (const FieldEngine engine : kEngines) {
    const FieldRef field =
        build(graph_of({"....#."}), {{{0, 0, 0}, 0}, {{3, 0, 0}, kMostOffset}, {{5, 0, 0}, kMostOffset}}, engine);
    for (std::int32_t x = 0; x < 4; ++x) EXPECT_EQ(cost_at(field, x), static_cast<Cost>(10 * x));
    EXPECT_EQ(cost_at(field, 5), kMostOffset);
  }
}

}  // namespace
}  // namespace drover::test
