// SPDX-License-Identifier: MIT
// Steps of the ways of a field, worked out on drawn maps.
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "support/grids.hpp"

namespace drover::test {
namespace {

FieldRef build(const NavGraph& graph, Cell goal, bool steps = true) {
  FieldBuilder builder;
  GoalDef def;
  def.cells = {{goal, 0}};
  Result<FieldRef> field = builder.build(graph, def, {FieldEngine::automatic, steps});
  EXPECT_TRUE(field.ok()) << field.status().message();
  return *std::move(field);
}

std::optional<WaySteps> at(const FieldRef& field, std::int32_t x, std::int32_t y) {
  return field->steps_to_goal(field->shape().index({x, y, 0}));
}

TEST(FieldSteps, CountStraightAndDiagonalStepsApart) {
  const FieldRef field = build(graph_of({"......", ".####.", "......"}), {0, 0, 0});
  EXPECT_EQ(at(field, 0, 0), (WaySteps{0, 0, 0}));
  EXPECT_EQ(at(field, 5, 0), (WaySteps{5, 0, 0}));
  EXPECT_EQ(at(field, 3, 2), (WaySteps{5, 0, 0}));  // west, no corner to cut
  const FieldRef open = build(graph_of({"......", "......", "......"}), {0, 0, 0});
  EXPECT_EQ(at(open, 5, 2), (WaySteps{3, 2, 0}));
  EXPECT_EQ(at(open, 5, 2)->all(), 5u);
}

TEST(FieldSteps, AreNothingWhereThereIsNoWay) {
  const FieldRef field = build(graph_of({".#.?"}), {0, 0, 0});
  for (const std::int32_t x : {1, 2, 3}) EXPECT_FALSE(at(field, x, 0).has_value()) << x;
  EXPECT_FALSE(field->steps_to_goal({field->shape().at(-1, 0, 0)}).has_value());
}

// The dear way is the short one: steps are those of the cheapest way.
TEST(FieldSteps, AreThoseOfTheWayThatDirectionsLead) {
  GridMap map = map_of({"...", "..."});
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>{1, 9, 1, 1, 1, 1}).ok());
  const FieldRef field = build(graph_of(map.view(), body(1, CornerRule::strict, Moves::four)), {0, 0, 0});
  EXPECT_EQ(at(field, 2, 0), (WaySteps{4, 0, 0}));
}

TEST(FieldSteps, CountPortalsApart) {
  GridMap map = map_of({"...#..."});
  ASSERT_TRUE(map.add_portal({{4, 0, 0}, {2, 0, 0}, 25}).ok());
  const FieldRef field = build(graph_of(map.view()), {0, 0, 0});
  EXPECT_EQ(at(field, 6, 0), (WaySteps{4, 0, 1}));
  EXPECT_EQ(field->cost_to_goal(field->shape().index({6, 0, 0})), 65u);
}

TEST(FieldSteps, AGoalCellHasNoneAlsoWhereItIsDominated) {
  FieldBuilder builder;
  GoalDef def;
  def.cells = {{{0, 0, 0}, 0}, {{3, 0, 0}, 95}};
  const FieldRef field = *builder.build(graph_of({"....."}), def, {FieldEngine::automatic, true});
  EXPECT_EQ(at(field, 3, 0), (WaySteps{0, 0, 0}));
  EXPECT_EQ(at(field, 4, 0), (WaySteps{1, 0, 0}));  // its direction ends at 3,0
  EXPECT_EQ(field->cost_to_goal(field->shape().index({4, 0, 0})), 40u);
}

TEST(FieldSteps, AreLeftOutUnlessAskedForAndTheirBytesCount) {
  const NavGraph graph = graph_of({"....."});
  const FieldRef with = build(graph, {0, 0, 0}), without = build(graph, {0, 0, 0}, false);
  EXPECT_TRUE(with->has_steps());
  EXPECT_FALSE(without->has_steps());
  EXPECT_FALSE(at(without, 0, 0).has_value());
  const std::uint64_t page = std::uint64_t{1} << FlowField::kPageBits;
  EXPECT_GE(with->bytes(), without->bytes() + 12 * page);
  EXPECT_EQ(with->digest(), without->digest());
}

}  // namespace
}  // namespace drover::test
