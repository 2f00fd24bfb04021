// SPDX-License-Identifier: MIT
// Crowds among obstacles that stand, move and go; what the validator and the oracle make of them by themselves.
#include "support/scene.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>
#include <drover/verify.hpp>

#include <string>
#include <vector>

namespace drover::test {
namespace {

EditMap edit_of(std::vector<ObstacleEdit> obstacles) { return {{{}, {}, {}, {}, std::move(obstacles)}}; }

SimulationDef keep_if_legal() {
  SimulationDef def;
  def.on_stale = OnStale::keep_if_legal;
  return def;
}

// A ball in the middle of row 1 takes cells 4 .. 6 of it, and none beside: 1.0 up to the rows' middles, 0.5 + 0.35
// less.
GridMap street(std::int32_t ball_column) {
  const std::vector<std::string> rows = open_rows(11, 3);
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  GridMap map = *GridMap::from_rows(views);
  EXPECT_TRUE(map.add_obstacle(circle(quarters(4 * ball_column + 2, 6), quarters(2))).ok());
  return map;
}

TEST(CrowdAndObstacle, WalksRoundOneThatStands) {
  Scene s(street(5));
  s.open({{1, {0, 1}, {10, 1}, true}});
  s.run(40);
  EXPECT_EQ(s.arrival(1), 10u) << "diagonals round it cost no step more";
  for (std::uint64_t t = 0; t < 10; ++t) EXPECT_NE(s.at(t, 1), (Cell{5, 1}));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(CrowdAndObstacle, WhoeverIsUnderOneKeepsTheCellAndGoesOnWhenItHasLeft) {
  Scene s(street(8), keep_if_legal());
  s.open({{1, {0, 1}, {10, 1}, true}});
  for (int t = 0; t < 2; ++t) s.step();
  const Cell held = s.agent(1).cell;
  ASSERT_TRUE(s.sim().submit({3, 0, edit_of({move_to(0, s.sim().map().frame().centre(held))})}).ok());
  ASSERT_TRUE(s.sim().submit({6, 0, edit_of({move_to(0, quarters(2, 2))})}).ok());
  for (int t = 0; t < 3; ++t) {
    s.step();
    EXPECT_EQ(s.agent(1).cell, held) << "never pushed";
    EXPECT_EQ(s.agent(1).reason, Reason::enclosed);
    EXPECT_EQ(s.agent(1).state, AgentState::enclosed);
  }
  s.run(40);
  EXPECT_EQ(s.arrival(1), 14u) << "ten steps, three ticks under it, one until a field knows its cell again";
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// A ball that rolls towards everyone in the middle row: the small ones keep walking, the wide ones have no room beside
// it and wait until it is past.
TEST(CrowdAndObstacle, SeesOneComingAsAnOverlayVersionEachStep) {
  for (const OnStale policy : {OnStale::keep_if_legal, OnStale::hold}) {
    SimulationDef def = keep_if_legal();
    def.on_stale = policy;
    Scene s(street(9), def);
    s.open({{1, {0, 0}, {10, 0}, true}, {2, {0, 1}, {10, 1}, true}});
    const std::uint64_t overlay = s.sim().map().overlay_version(), map = s.sim().map().map_version();
    for (std::int32_t t = 1; t <= 16; ++t)
      ASSERT_TRUE(
          s.sim().submit({static_cast<std::uint64_t>(t), 0, edit_of({move_to(0, quarters(38 - 2 * t, 6))})}).ok());
    for (int t = 0; t < 16; ++t) s.step();
    EXPECT_EQ(s.sim().map().overlay_version(), overlay + 16);
    EXPECT_EQ(s.sim().map().map_version(), map);
    EXPECT_EQ(s.arrivals(), policy == OnStale::hold ? 0u : 2u) << "hold stands still while the map changes";
    s.run(40);
    EXPECT_EQ(s.arrivals(), 2u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

TEST(CrowdAndObstacle, ALaterAgentWaitsUntilItsPlaceIsFree) {
  Scene s(street(3), keep_if_legal());
  s.open({{1, {3, 1}, {10, 1}, true, 2}});
  ASSERT_TRUE(s.sim().submit({5, 0, edit_of({take_away(0)})}).ok());
  for (int t = 0; t < 4; ++t) s.step();
  EXPECT_EQ(s.agent(1).reason, Reason::start_held);
  s.step();
  EXPECT_EQ(s.at(5, 1), (Cell{3, 1}));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(CrowdAndObstacle, EditsAreCheckedWhenTheyAreGiven) {
  Scene s(street(5));
  s.open({{1, {0, 1}, {10, 1}}});
  const auto code = [&](const ObstacleEdit& e) { return s.sim().submit({4, 0, edit_of({e})}).code(); };
  EXPECT_EQ(code(move_to(1, {})), StatusCode::handle);
  EXPECT_EQ(code(shape_of(0, circle({}, {}))), StatusCode::obstacle);
  EXPECT_EQ(code({0, ObstacleChange::shape}), StatusCode::edit);
  EXPECT_EQ(code(shape_of(0, circle({}, quarters(4)))), StatusCode::ok);
  EXPECT_EQ(code(take_away(0)), StatusCode::ok);
  EXPECT_EQ(code(move_to(0, {})), StatusCode::ok) << "what is gone by then stays gone";
}

TEST(CrowdAndObstacle, WouldBlockKnowsThem) {
  // Rows 0 and 2 lead past the ball.
  Scene s(street(5));
  s.open({{1, {0, 1}, {10, 1}}});
  const std::vector<Cell> one{{5, 0, 0}}, both{{5, 0, 0}, {5, 2, 0}};
  EXPECT_TRUE(s.sim().would_block(one)->agents.empty());
  EXPECT_EQ(s.sim().would_block(both)->agents, std::vector<std::uint64_t>{1});
}

// --- the validator

struct Judge {
  GridMap map;
  Validator validator;
  std::uint64_t ticks = 0;

  Judge(GridMap given, const MovementProfile& profile)
      : map(std::move(given)), validator(map.view(), {&profile, 1}, {}) {}
  std::vector<ViolationKind> step(Cell from, Cell to) {
    const std::vector<MoveRecord> moves{{1, from, to, ticks}};
    const std::size_t before = validator.first().size();
    validator.tick(++ticks, from == to ? std::span<const MoveRecord>() : std::span(moves));
    std::vector<ViolationKind> kinds;
    for (const Violation& v : validator.first().subspan(before)) kinds.push_back(v.kind);
    return kinds;
  }
  void edit(ObstacleEdit e) {
    EXPECT_TRUE(map.apply(edit_of({std::move(e)}).edit).ok());
    validator.set_map(map.view());
  }
};

using Kinds = std::vector<ViolationKind>;

TEST(ValidatorAndObstacle, AStepOntoATakenPlacementTouchesAWall) {
  Judge judge(street(5), {});
  judge.validator.enter(1, 0, {4, 1});
  EXPECT_EQ(judge.step({4, 1}, {5, 1}), (Kinds{ViolationKind::wall}));
}

TEST(ValidatorAndObstacle, ADiagonalPastOneCutsACorner) {
  Judge judge(street(5), {});
  judge.validator.enter(1, 0, {4, 1});
  EXPECT_EQ(judge.step({4, 1}, {5, 0}), (Kinds{ViolationKind::corner}));
}

TEST(ValidatorAndObstacle, TheRadiusOfTheBodyCounts) {
  MovementProfile thin;
  thin.body_radius = Fixed::ratio(1, 10);
  GridMap map = street(5);
  // 0.55 from the middle of 5,1: a body of 0.1 fits, one of 0.35 does not.
  ASSERT_TRUE(
      map.apply(edit_of({shape_of(0, circle({Fixed::ratio(605, 100), quarters(6)}, Fixed::ratio(4, 10)))}).edit).ok());
  for (const bool is_thin : {true, false}) {
    GridMap copy = street(5);
    copy.restore(map.view());
    Judge judge(std::move(copy), is_thin ? thin : MovementProfile{});
    judge.validator.enter(1, 0, {4, 1});
    EXPECT_EQ(judge.step({4, 1}, {5, 1}).empty(), is_thin);
  }
}

TEST(ValidatorAndObstacle, UnderOneABodyMayStayButNotStep) {
  Judge judge(street(9), {});
  judge.validator.enter(1, 0, {4, 1});
  judge.edit(move_to(0, quarters(18, 6)));
  EXPECT_EQ(judge.step({4, 1}, {4, 1}), Kinds{});
  EXPECT_EQ(judge.step({4, 1}, {3, 1}), (Kinds{ViolationKind::wall})) << "that step does not exist";
  judge.edit(take_away(0));
  EXPECT_EQ(judge.step({3, 1}, {4, 1}), Kinds{});
}

TEST(ValidatorAndObstacle, WhatMovedAwayIsFreeAndWhatCameIsNot) {
  Judge judge(street(5), {});
  judge.validator.enter(1, 0, {4, 1});
  judge.edit(move_to(0, quarters(38, 6)));
  EXPECT_EQ(judge.step({4, 1}, {5, 1}), Kinds{});
  judge.edit(shape_of(0, box(quarters(26, 6), quarters(2, 2))));
  EXPECT_EQ(judge.step({5, 1}, {6, 1}), (Kinds{ViolationKind::wall}));
}

}  // namespace
}  // namespace drover::test
