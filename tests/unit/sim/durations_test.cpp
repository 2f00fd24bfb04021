// SPDX-License-Identifier: MIT
// Steps that last as long as their way: ground speed, who holds what while a step lasts, and what may come between.
#include "support/scene.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace drover::test {
namespace {

SimulationDef timed(BodyRule bodies = BodyRule::discs) {
  SimulationDef def;
  def.step = StepPolicy::ground_speed;
  def.bodies = bodies;
  return def;
}

Fixed speed(const char* decimal) { return Fixed::parse(decimal).value(); }

Walker walker(std::uint64_t key, Cell at, Cell goal, const char* decimal) {
  Walker w;
  w.key = key;
  w.at = at;
  w.goal = goal;
  w.speed = speed(decimal);
  return w;
}

std::vector<MoveRecord> under_way(Scene& scene) {
  std::vector<MoveRecord> steps;
  scene.sim().under_way(steps);
  return steps;
}

// The tick of arrival is the exact time rounded to the nearest, in all eight directions: within 2 % from 25 ticks on.
TEST(GroundSpeed, IsTheProfilesInEveryDirection) {
  constexpr std::int32_t kSteps = 120;
  for (const char* decimal : {"1", "0.9", "0.7071", "0.5", "0.3", "0.07"}) {
    for (int d = 0; d < kDirections; ++d) {
      Scene scene(open_rows(2 * kSteps + 1, 2 * kSteps + 1), timed());
      const Cell from{kSteps, kSteps}, to{kSteps + kSteps * kDx[d], kSteps + kSteps * kDy[d]};
      scene.open({walker(1, from, to, decimal)});
      scene.run(4000);
      // steps x length / (985 speed) ticks, in 32.32 fixed point
      const std::uint64_t length = d < 4 ? 985 : 1393;
      const std::uint64_t tick = 985 * static_cast<std::uint64_t>(speed(decimal).raw);
      EXPECT_EQ(scene.arrival(1), ((kSteps * length << 32) + tick / 2) / tick)
          << "direction " << d << " at speed " << decimal;
      EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
    }
  }
}

TEST(GroundSpeed, IsTheSameWhateverStepsCost) {
  for (const CostBase costs : {CostBase::uniform, CostBase::tens, CostBase::octile}) {
    Scene scene(open_rows(40, 40), timed());
    scene.costs(costs).open({walker(1, {0, 0}, {39, 39}, "0.5")});
    scene.run(1000);
    EXPECT_EQ(scene.arrival(1), 110u);  // 39 x 2.8284 = 110.3
  }
}

TEST(Durations, AnAgentStaysWhereItsStepBeganUntilItIsOver) {
  Scene scene({"....."}, timed());
  scene.open({walker(1, {0, 0}, {4, 0}, "0.25")});
  for (std::uint64_t t = 1; t <= 3; ++t) {
    scene.step();
    EXPECT_EQ(scene.at(t, 1), (Cell{0, 0}));
    EXPECT_EQ(scene.agent(1).state, AgentState::moving);
    const std::vector<MoveRecord> steps = under_way(scene);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(steps[0].from, (Cell{0, 0}));
    EXPECT_EQ(steps[0].to, (Cell{1, 0}));
    EXPECT_EQ(steps[0].start_tick, 0u);
    EXPECT_EQ(steps[0].ticks, 4u);
    EXPECT_EQ(scene.sim().moves().size(), t == 1 ? 1u : 0u);
  }
  EXPECT_EQ(scene.step().moved, 1u);
  EXPECT_EQ(scene.at(4, 1), (Cell{1, 0}));
  EXPECT_TRUE(under_way(scene).empty());
  scene.run(100);
  EXPECT_EQ(scene.arrival(1), 16u);
}

// A train of equals keeps its gaps; one that could go four times as fast comes as fast as the one in front.
TEST(Durations, AFollowerArrivesWithItsLeaderOrLater) {
  Scene scene({"............"}, timed());
  Walker slow = walker(1, {2, 0}, {11, 0}, "0.25"), fast = walker(2, {1, 0}, {11, 0}, "1");
  slow.vanish = fast.vanish = true;
  Walker last = walker(3, {0, 0}, {11, 0}, "0.25");
  last.vanish = true;
  scene.open({slow, fast, last});
  for (std::uint64_t t = 1; t <= 36; ++t) {
    scene.step();
    for (const MoveRecord& m : scene.sim().moves()) {
      EXPECT_TRUE(m.agent != 2 || m.start_tick % 4 == 3) << "its step of one tick is the last of four";
    }
    EXPECT_EQ(scene.at(t, 2)->x, static_cast<std::int32_t>(1 + t / 4));
  }
  EXPECT_EQ(scene.arrival(1), 36u);
  scene.run(100);
  EXPECT_EQ(scene.arrival(2), 37u);
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

TEST(Durations, EqualAgentsFollowEachOtherWithoutAGap) {
  Scene scene({"...................."}, timed());
  std::vector<Walker> train;
  for (std::int32_t i = 0; i < 6; ++i) {
    train.push_back(walker(static_cast<std::uint64_t>(1 + i), {i, 0}, {19, 0}, "0.5"));
    train.back().vanish = true;
  }
  scene.open(train);
  scene.run(200);
  for (std::uint64_t i = 0; i < 6; ++i) EXPECT_EQ(scene.arrival(1 + i), 2 * (19 - i));
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

// The slow one stands in a bay's mouth and in the fast one's way; whoever has to, waits.
TEST(Durations, HeadOnWithDifferentSpeedsBothArrive) {
  for (const bool slow_first : {true, false}) {
    Scene scene({"...........", "#####.#####"}, timed());
    scene.open({walker(slow_first ? 1 : 2, {0, 0}, {10, 0}, "0.25"), walker(slow_first ? 2 : 1, {10, 0}, {0, 0}, "1")});
    scene.run(400);
    EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
  }
  for (const bool slow_first : {true, false}) {
    Scene scene(open_rows(11, 3), timed());
    scene.open({walker(slow_first ? 1 : 2, {0, 1}, {10, 1}, "0.25"), walker(slow_first ? 2 : 1, {10, 1}, {0, 1}, "1")});
    scene.run(400);
    EXPECT_EQ(scene.arrivals(), 2u);
    EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
  }
}

// A slow one is overtaken by going round, not by going through.
TEST(Durations, AFastOneOvertakesWhereThereIsRoom) {
  Scene scene(open_rows(40, 3), timed());
  scene.open({walker(1, {1, 1}, {38, 1}, "0.1"), walker(2, {0, 1}, {39, 1}, "1")});
  scene.run(800);
  EXPECT_LT(scene.arrival(2), 60u);
  EXPECT_EQ(scene.arrival(1), 370u);
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

TEST(Durations, AStepBegunBeforeItsTargetClosedIsFinishedFirst) {
  Scene scene({"....."}, timed());
  const std::uint32_t door = scene.door("gate", {{1, 0}});
  scene.open({walker(1, {0, 0}, {4, 0}, "0.25")});
  scene.step();
  ASSERT_TRUE(scene.sim().edit(MapEdit{{}, {{door, DoorState::closed, 0}}}).ok());
  for (std::uint64_t t = 2; t <= 4; ++t) {
    scene.step();
    EXPECT_EQ(scene.agent(1).state, AgentState::moving);
  }
  EXPECT_EQ(scene.at(4, 1), (Cell{1, 0}));
  scene.step();
  EXPECT_EQ(scene.agent(1).state, AgentState::enclosed);
  ASSERT_TRUE(scene.sim().edit(MapEdit{{}, {{door, DoorState::open, 0}}}).ok());
  scene.run(100);
  EXPECT_EQ(scene.arrivals(), 1u);
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

TEST(Durations, AStepThroughAPortalHoldsBothEndsForItsTicks) {
  GridMap map = layers_of({{"...."}, {"...."}});
  ASSERT_TRUE(map.add_portal({{1, 0, 0}, {1, 0, 1}, 10, true, 5}).ok());
  Scene scene(std::move(map), timed());
  Walker rider = walker(1, {1, 0, 0}, {3, 0, 1}, "1"), below = walker(2, {0, 0, 0}, {3, 0, 0}, "1"),
         above = walker(3, {0, 0, 1}, {2, 0, 1}, "1");
  scene.open({rider, below, above});
  for (std::uint64_t t = 1; t <= 5; ++t) {
    scene.step();
    EXPECT_EQ(scene.at(t, 1), t < 5 ? (Cell{1, 0, 0}) : (Cell{1, 0, 1}));
    EXPECT_EQ(scene.at(t, 2), (Cell{0, 0, 0})) << "tick " << t;
    EXPECT_EQ(scene.at(t, 3), (Cell{0, 0, 1})) << "tick " << t;
  }
  scene.run(50);
  EXPECT_EQ(scene.arrival(1), 7u);
  EXPECT_EQ(scene.arrivals(), 3u);
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

TEST(Durations, ATeleportEndsAStepAndFreesBothPlaces) {
  Scene scene({".....", "....."}, timed());
  scene.open({walker(1, {0, 0}, {4, 0}, "0.1"), walker(2, {0, 1}, {4, 1}, "0.1")});
  scene.step();
  EXPECT_FALSE(scene.sim().teleport(scene.id(2), {1, 0}).ok()) << "where agent 1 is going";
  ASSERT_TRUE(scene.sim().teleport(scene.id(1), {3, 0}).ok());
  scene.step();
  EXPECT_EQ(scene.at(2, 1), (Cell{3, 0}));
  ASSERT_TRUE(scene.sim().teleport(scene.id(2), {1, 0}).ok());
  scene.run(100);
  EXPECT_EQ(scene.arrival(1), 11u);
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

// The disc of who is on its way counts, not only the cells that it holds.
TEST(Durations, NobodyIsPutWhereSomebodyIsPassing) {
  Scene scene(open_rows(4, 4), timed());
  Walker wide = walker(1, {0, 0}, {3, 3}, "0.1");
  wide.radius = Fixed::ratio(45, 100);
  scene.open({wide, walker(2, {3, 0}, {3, 0}, "1")});
  scene.step();
  EXPECT_FALSE(scene.sim().teleport(scene.id(2), {1, 0}).ok());
  EXPECT_TRUE(scene.sim().teleport(scene.id(2), {2, 0}).ok());
  scene.step();
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

TEST(Durations, NobodyIsPushedInTheMiddleOfAStep) {
  Scene scene(open_rows(5, 3), timed());
  scene.open({walker(1, {0, 1}, {4, 1}, "0.5")});
  scene.step();
  EXPECT_FALSE(scene.sim().push(scene.id(1), Direction::north).ok());
  scene.step();
  EXPECT_TRUE(scene.sim().push(scene.id(1), Direction::north).ok());
  scene.run(3);
  EXPECT_EQ(scene.agent(1).cell, (Cell{1, 0}));
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

TEST(Durations, WhoIsRemovedGivesUpBothPlaces) {
  Scene scene({"...."}, timed());
  scene.open({walker(1, {1, 0}, {3, 0}, "0.01"), walker(2, {0, 0}, {3, 0}, "1")});
  scene.step();
  ASSERT_TRUE(scene.sim().remove_agent(scene.id(1)).ok());
  scene.run(10);
  EXPECT_EQ(scene.arrival(2), 4u);
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();
}

TEST(Durations, UnitRunsKnowNoSpeedsAndNoSlowPortals) {
  Simulation sim = *Simulation::create(layers_of({{"..."}}), {});
  MovementProfile slow;
  slow.speed = speed("0.5");
  EXPECT_EQ(sim.add_profile(slow).status().code(), StatusCode::speed);
  GridMap map = layers_of({{"..."}});
  ASSERT_TRUE(map.add_portal({{0, 0}, {2, 0}, 10, true, 2}).ok());
  EXPECT_EQ(Simulation::create(std::move(map), {}).status().code(), StatusCode::speed);
}

TEST(Durations, SpeedsAreAboveNothingAndAtMostOne) {
  MovementProfile p;
  for (const std::int64_t raw : {std::int64_t{0}, std::int64_t{-1}, kMinSpeed.raw - 1, (std::int64_t{1} << 32) + 1}) {
    p.speed = Fixed{raw};
    EXPECT_EQ(p.validate(8).code(), StatusCode::speed) << raw;
  }
  for (const std::int64_t raw : {kMinSpeed.raw, std::int64_t{1} << 32}) {
    p.speed = Fixed{raw};
    EXPECT_TRUE(p.validate(8).ok()) << raw;
  }
}

}  // namespace
}  // namespace drover::test
