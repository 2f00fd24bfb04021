// SPDX-License-Identifier: MIT
// Goals that are areas, goals placed from a cell, and what becomes of goals given twice or undercut.
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "support/grids.hpp"

#include <string>
#include <vector>

namespace drover::test {
namespace {

GoalDef area(GoalArea::Rule rule, Cell of, std::uint32_t radius) {
  GoalDef goal;
  goal.area = GoalArea{rule, of, radius};
  return goal;
}
GoalDef within(Cell of, std::uint32_t radius) { return area(GoalArea::Rule::within, of, radius); }
GoalDef in_sight(Cell of, std::uint32_t radius) { return area(GoalArea::Rule::in_sight, of, radius); }

Result<FieldRef> build(const NavGraph& graph, const GoalDef& goal, BuildReport* report = nullptr) {
  FieldBuilder builder;
  return builder.build(graph, goal, {}, report);
}

// '*' a goal, '#' blocked or unknown, '.' the rest.
std::vector<std::string> drawn(const NavGraph& graph, const GoalDef& goal) {
  const Result<FieldRef> field = build(graph, goal);
  EXPECT_TRUE(field.ok()) << field.status().message();
  std::vector<std::string> rows;
  const GridShape& shape = graph.shape();
  for (std::int32_t y = 0; field && y < shape.height(); ++y) {
    std::string& row = rows.emplace_back();
    for (std::int32_t x = 0; x < shape.width(); ++x) {
      const CellState state = (*field)->state({shape.at(x, y, 0)});
      row += state == CellState::goal ? '*' : state == CellState::blocked || state == CellState::unknown ? '#' : '.';
    }
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(GoalWithin, IsTheEuclideanDiscWhereTheBodyFits) {
  const NavGraph graph = graph_of({".......", "....#..", ".......", ".......", "......."});
  EXPECT_EQ(drawn(graph, within({3, 2, 0}, 2)), (Rows{"...*...", "..**#..", ".*****.", "..***..", "...*..."}));
  EXPECT_EQ(drawn(graph, within({3, 2, 0}, 0)), (Rows{".......", "....#..", "...*...", ".......", "......."}));
  EXPECT_EQ(drawn(graph, within({4, 1, 0}, 1)), (Rows{"....*..", "...*#*.", "....*..", ".......", "......."}));
}

TEST(GoalWithin, OfALargeBodyTheAnchorCounts) {
  const NavGraph graph = graph_of({".....", ".....", "....."}, body(2));
  EXPECT_EQ(drawn(graph, within({3, 1, 0}, 2)), (Rows{"..**.", ".***.", "....."}));
}

TEST(GoalWithin, StaysOnItsLayer) {
  GridMapDef def;
  def.width = def.height = 3;
  def.layers = 2;
  def.origin = {-7, 40, 0};
  const GridMap map = std::move(GridMap::create(def)).value();
  const FieldRef field = *build(graph_of(map.view()), within({-6, 41, 1}, 1));
  EXPECT_EQ(field->goals().size(), 5u);
  for (const PlacedGoal& goal : field->goals()) EXPECT_EQ(goal.placed.layer, 1);
}

// The pillar's corners lie at slope 1/3, and a line that touches one passes.
TEST(GoalInSight, APillarThrowsAShadowWithExactEdges) {
  const NavGraph graph = graph_of({".........", ".........", "...#.....", ".........", "........."});
  EXPECT_EQ(drawn(graph, in_sight({1, 2, 0}, 20)),
            (Rows{"********.", "*****....", "***#.....", "*****....", "********."}));
  EXPECT_EQ(drawn(graph, in_sight({1, 2, 0}, 3)),
            (Rows{"****.....", "****.....", "***#.....", "****.....", "****....."}));
}

TEST(GoalInSight, ALinePassesBetweenTwoBlocksThatTouch) {
  EXPECT_EQ(drawn(graph_of({".#.", "#..", "..."}), in_sight({0, 0, 0}, 9)), (Rows{"*#.", "#*.", "..*"}));
}

TEST(GoalInSight, WhatIsUnknownIsOpaqueUntilItIsSeen) {
  GridMap map = map_of({"..?..", "#####"});
  EXPECT_EQ(drawn(graph_of(map.view()), in_sight({0, 0, 0}, 9)), (Rows{"**#..", "#####"}));
  ASSERT_TRUE(map.apply(set_terrain({2, 0, 0}, kFloor)).ok());
  EXPECT_EQ(drawn(graph_of(map.view()), in_sight({0, 0, 0}, 9)), (Rows{"*****", "#####"}));
}

TEST(GoalInSight, AClosedDoorIsOpaqueAndAnOpenOneIsNot) {
  GridMap map = map_of({"....."});
  ASSERT_TRUE(map.add_door({"door", {{2, 0, 0}}, false}).ok());
  EXPECT_EQ(drawn(graph_of(map.view()), in_sight({0, 0, 0}, 9)), (Rows{"**#.."}));
  ASSERT_TRUE(map.apply(set_door(0, DoorState::open)).ok());
  EXPECT_EQ(drawn(graph_of(map.view()), in_sight({0, 0, 0}, 9)), (Rows{"*****"}));
}

TEST(GoalInSight, OpaqueEndsDoNotCount) {
  EXPECT_EQ(drawn(graph_of({"#...", "####"}), in_sight({0, 0, 0}, 9)), (Rows{"#***", "####"}));
}

// A corridor too narrow for the body is no wall.
TEST(GoalInSight, GroundWithoutRoomForTheBodyIsClear) {
  EXPECT_EQ(drawn(graph_of({"..#..", ".....", "....."}, body(2)), in_sight({0, 1, 0}, 9)),
            (Rows{"*.#..", "****.", "....."}));
}

// From the middle of a closed room its walls are all that is seen of the rest.
TEST(GoalInSight, AClosedRoomHidesTheWorld) {
  EXPECT_EQ(
      drawn(graph_of({".......", ".#####.", ".#...#.", ".#...#.", ".#####.", "......."}), in_sight({2, 2, 0}, 512)),
      (Rows{".......", ".#####.", ".#***#.", ".#***#.", ".#####.", "......."}));
}

TEST(GoalArea, IsTheFieldOfTheListOfItsCells) {
  const NavGraph graph = graph_of({".........", ".........", "...#.....", ".........", "........."});
  const FieldRef field = *build(graph, in_sight({1, 2, 0}, 3));
  GoalDef list;
  for (const PlacedGoal& goal : field->goals()) {
    EXPECT_EQ(goal.asked, goal.placed);
    EXPECT_EQ(goal.status, StatusCode::ok);
    list.cells.push_back({goal.placed, 0});
  }
  const FieldRef same = *build(graph, list);
  EXPECT_EQ(field->digest(), same->digest());
  EXPECT_EQ(field->goal_indices(), same->goal_indices());
}

std::string refusal(const NavGraph& graph, const GoalDef& goal, StatusCode code) {
  const Result<FieldRef> field = build(graph, goal);
  EXPECT_EQ(field.status().code(), code) << field.status().message();
  return field.status().message();
}

TEST(GoalArea, WithoutACellItIsBlockedAndNamed) {
  const NavGraph graph = graph_of({"###.", "###."});
  EXPECT_EQ(refusal(graph, within({0, 1, 0}, 2), StatusCode::goal_blocked), "within 2 of 0,1 goal_blocked");
  EXPECT_EQ(refusal(graph, in_sight({0, 1, 0}, 9), StatusCode::goal_blocked), "in sight of 0,1 within 9 goal_blocked");
  EXPECT_EQ(refusal(graph, within({0, 2, 0}, 9), StatusCode::goal_outside),
            "within 9 of 0,2 goal_outside; the map is 4x2");
  EXPECT_EQ(refusal(graph_of({"?#"}), within({0, 0, 0}, 0), StatusCode::goal_blocked), "within 0 of 0,0 goal_blocked");
}

TEST(GoalArea, WithoutACellNearestTakesTheOneClosestToTheCentre) {
  GoalDef goal = within({0, 1, 0}, 2);
  goal.placement = GoalPlacement::nearest;
  BuildReport report;
  ASSERT_TRUE(build(graph_of({"###.", "###."}), goal, &report).ok());
  ASSERT_EQ(report.goals.size(), 1u);
  EXPECT_EQ(report.goals[0].status, StatusCode::goal_blocked);
  EXPECT_EQ(report.goals[0].placed, (Cell{3, 1, 0}));
}

TEST(GoalArea, PartsThatExcludeEachOtherAreRefused) {
  const NavGraph graph = graph_of({"..."});
  GoalDef both = within({0, 0, 0}, 1);
  both.cells = {{{0, 0, 0}, 0}};
  EXPECT_NE(refusal(graph, both, StatusCode::argument).find("area"), std::string::npos);
  EXPECT_EQ(refusal(graph, within({0, 0, 0}, kMaxGoalRadius + 1), StatusCode::limit_goals), "radius 513; at most 512");
  EXPECT_TRUE(build(graph, within({0, 0, 0}, kMaxGoalRadius)).ok());
  GoalDef from;
  from.cells = {{{0, 0, 0}, 0}};
  from.nearest_from = Cell{1, 0, 0};
  EXPECT_NE(refusal(graph, from, StatusCode::argument).find("nearest"), std::string::npos);
}

// The largest area has fewer cells than a list may have.
TEST(GoalArea, TheLargestFitsTheLimitOfCells) {
  GridMapDef def;
  def.width = def.height = 1025;
  const GridMap map = std::move(GridMap::create(def)).value();
  const NavGraph graph = graph_of(map.view());
  std::size_t points = 0;
  for (int y = -512; y <= 512; ++y)
    for (int x = -512; x <= 512; ++x) points += x * x + y * y <= 512 * 512 ? 1 : 0;
  for (const auto rule : {GoalArea::Rule::within, GoalArea::Rule::in_sight}) {
    const Result<FieldRef> field = build(graph, area(rule, {512, 512, 0}, kMaxGoalRadius));
    ASSERT_TRUE(field.ok());
    EXPECT_EQ((*field)->goals().size(), points);
    EXPECT_LT(points, kMaxGoalCells);
  }
}

PlacedGoal placed_from(const NavGraph& graph, Cell goal, Cell from) {
  GoalDef def;
  def.cells = {{goal, 0}};
  def.placement = GoalPlacement::nearest;
  def.nearest_from = from;
  BuildReport report;
  const Result<FieldRef> field = build(graph, def, &report);
  EXPECT_TRUE(field.ok()) << field.status().message();
  return report.goals.at(0);
}

TEST(GoalNearestFrom, AGoalOnAnotherIslandIsMoved) {
  const NavGraph graph = graph_of({"...#..", "...#.."});
  EXPECT_EQ(placed_from(graph, {5, 1, 0}, {0, 0, 0}).placed, (Cell{2, 1, 0}));
  EXPECT_EQ(placed_from(graph, {5, 1, 0}, {0, 0, 0}).status, StatusCode::goal_blocked);
  EXPECT_EQ(placed_from(graph, {5, 1, 0}, {4, 0, 0}).placed, (Cell{5, 1, 0}));
  EXPECT_EQ(placed_from(graph, {5, 1, 0}, {4, 0, 0}).status, StatusCode::ok);
  EXPECT_EQ(placed_from(graph, {9, 0, 0}, {0, 0, 0}).placed, (Cell{2, 0, 0}));
}

// A ledge that can be jumped down only: both ends are one component, but there is no way up.
TEST(GoalNearestFrom, FollowsOneWays) {
  GridMap map = map_of({"....."});
  ASSERT_TRUE(map.apply({{}, {}, {{{{2, 0, 0}, Direction::east}, false, 0}}, {}}).ok());
  const NavGraph graph = graph_of(map.view());
  EXPECT_EQ(placed_from(graph, {4, 0, 0}, {0, 0, 0}).placed, (Cell{2, 0, 0}));
  EXPECT_EQ(placed_from(graph, {0, 0, 0}, {4, 0, 0}).placed, (Cell{0, 0, 0}));
}

TEST(GoalNearestFrom, FollowsPortalsAndStaysOnTheLayerOfTheGoal) {
  GridMapDef def;
  def.width = 3;
  def.height = 1;
  def.layers = 2;
  GridMap map = std::move(GridMap::create(def)).value();
  ASSERT_TRUE(map.apply(set_terrain({1, 0, 1}, kWall)).ok());
  GoalDef goal;
  goal.cells = {{{2, 0, 1}, 0}};
  goal.placement = GoalPlacement::nearest;
  goal.nearest_from = Cell{0, 0, 0};
  EXPECT_EQ(build(graph_of(map.view()), goal).status().code(), StatusCode::goal_blocked);
  ASSERT_TRUE(map.add_portal({{2, 0, 0}, {0, 0, 1}, 10}).ok());
  EXPECT_EQ(placed_from(graph_of(map.view()), {2, 0, 1}, {0, 0, 0}).placed, (Cell{0, 0, 1}));
}

TEST(GoalNearestFrom, ABodyMustBeAbleToStandThere) {
  GoalDef goal;
  goal.cells = {{{0, 0, 0}, 0}};
  goal.placement = GoalPlacement::nearest;
  for (const Cell from : {Cell{1, 0, 0}, Cell{9, 0, 0}}) {
    goal.nearest_from = from;
    EXPECT_NE(refusal(graph_of({".#"}), goal, StatusCode::argument).find("stand"), std::string::npos);
  }
}

std::vector<GoalRank> ranks(const NavGraph& graph, std::vector<GoalCell> cells,
                            GoalPlacement placement = GoalPlacement::exact) {
  GoalDef goal;
  goal.cells = std::move(cells);
  goal.placement = placement;
  BuildReport report;
  const Result<FieldRef> field = build(graph, goal, &report);
  EXPECT_TRUE(field.ok()) << field.status().message();
  std::vector<GoalRank> out;
  for (std::size_t i = 0; i < report.goals.size(); ++i) {
    out.push_back(report.goals[i].rank);
    EXPECT_EQ((*field)->goals()[i].rank, report.goals[i].rank);
  }
  return out;
}

using Ranks = std::vector<GoalRank>;

TEST(GoalRanks, OfOnePlaceTheLeastOffsetCountsThenTheFirst) {
  const NavGraph graph = graph_of({"...#"});
  EXPECT_EQ(ranks(graph, {{{0, 0, 0}, 30}, {{0, 0, 0}, 5}, {{2, 0, 0}, 0}, {{0, 0, 0}, 5}}),
            (Ranks{GoalRank::duplicate, GoalRank::counts, GoalRank::counts, GoalRank::duplicate}));
  // Two that nearest moves to one place.
  EXPECT_EQ(ranks(graph, {{{3, 0, 0}, 0}, {{2, 0, 0}, 0}}, GoalPlacement::nearest),
            (Ranks{GoalRank::counts, GoalRank::duplicate}));
}

// goal_two_sources_and_offset: 80 lie between the two.
TEST(GoalRanks, AnOffsetThatAWayUndercutsIsDominated) {
  const NavGraph graph = graph_of({"........."});
  EXPECT_EQ(ranks(graph, {{{0, 0, 0}, 0}, {{8, 0, 0}, 95}}), (Ranks{GoalRank::counts, GoalRank::dominated}));
  EXPECT_EQ(ranks(graph, {{{0, 0, 0}, 0}, {{8, 0, 0}, 81}}), (Ranks{GoalRank::counts, GoalRank::dominated}));
  EXPECT_EQ(ranks(graph, {{{0, 0, 0}, 0}, {{8, 0, 0}, 80}}), (Ranks{GoalRank::counts, GoalRank::counts}));
  EXPECT_EQ(ranks(graph, {{{0, 0, 0}, 0}, {{8, 0, 0}, 95}, {{8, 0, 0}, 90}}),
            (Ranks{GoalRank::counts, GoalRank::duplicate, GoalRank::dominated}));
  EXPECT_STREQ(to_string(GoalRank::dominated), "dominated");
}

// A goal that nobody comes to from another one is never dominated, however large its offset.
TEST(GoalRanks, AnIslandKeepsItsOffset) {
  EXPECT_EQ(ranks(graph_of({"..#.."}), {{{0, 0, 0}, 0}, {{4, 0, 0}, Cost{1} << 62}}),
            (Ranks{GoalRank::counts, GoalRank::counts}));
}

}  // namespace
}  // namespace drover::test
