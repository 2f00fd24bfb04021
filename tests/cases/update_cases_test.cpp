// SPDX-License-Identifier: MIT
// Cases from users about updates and publication, through a simulation.
#include "support/grids.hpp"
#include "support/scene.hpp"
#include "unit/sim/town.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace drover::test {
namespace {

// One goal, G = (15,15), that goes to A = (0,15) and back: every time is a wish. G's wishes: three on the open map,
// three with the wall, three on the open map again: builds 2, hits 7. A's: two, two, and two: builds 2, hits 4.
TEST(UpdateCases, update_cache_hits_again) {
  for (const bool asked_from_outside : {false, true}) {
    Town t(open_rows(16, 16), {}, {}, {15, 15}, {0, 0});
    std::uint64_t tick = 0;
    const auto look = [&] {
      if (!asked_from_outside) return;
      const BundleRef bundle = t.sim.snapshot();
      EXPECT_EQ(bundle->look_up(t.profile, t.goal, {14, 15}).state, CellState::reachable);
      EXPECT_TRUE(FieldBuilder().build(bundle->graph(t.profile), at({7, 7})).ok());
      EXPECT_TRUE(t.sim.would_block(std::vector<Cell>{{1, 1, 0}}).ok());
    };
    const auto there_and_back_twice = [&] {
      for (const Cell cell : {Cell{0, 15}, Cell{15, 15}, Cell{0, 15}, Cell{15, 15}}) {
        t.aim(tick + 1, cell);
        t.run_to(tick += 3);
        look();
      }
    };
    const auto counts = [&] {
      return std::array<std::uint64_t, 2>{t.sim.metrics().field_builds, t.sim.metrics().cache_hits};
    };
    there_and_back_twice();
    EXPECT_EQ(counts(), (std::array<std::uint64_t, 2>{1 + 1, 2 + 1}));
    t.edit(tick + 1, {8, 8}, kWall);
    t.run_to(tick += 3);
    there_and_back_twice();
    EXPECT_EQ(counts(), (std::array<std::uint64_t, 2>{2 + 2, 4 + 2}));
    t.edit(tick + 1, {8, 8}, kFloor);
    t.run_to(tick += 3);
    there_and_back_twice();
    EXPECT_EQ(counts(), (std::array<std::uint64_t, 2>{2 + 2, 7 + 4}));
  }
}

// The door of the seed's timeline shuts at tick 4, when the small one stands before it; its field is there at 7.
Scene before_the_door(OnStale on_stale, std::uint32_t refusals = 8) {
  SimulationDef def;
  def.on_stale = on_stale;
  def.refusals_before_replan = refusals;
  def.adopt_latency_ticks = 3;
  Scene s({"#########", "....#....", ".........", "....#....", "....#....", ".........", ".........", "#########"},
          def);
  const std::uint32_t door = s.door("d", {{4, 2}});
  s.open({{1, {0, 2}, {8, 2}}});
  EXPECT_TRUE(s.sim().submit({4, 0, EditMap{set_door(door, DoorState::closed)}}).ok());
  return s;
}

TEST(UpdateCases, update_door_timeline_keep_if_legal_finds_nothing_legal_to_keep) {
  Scene s = before_the_door(OnStale::keep_if_legal);
  s.run(6);
  for (std::uint64_t t = 4; t <= 6; ++t) EXPECT_EQ(s.at(t, 1), (Cell{3, 2, 0})) << "tick " << t;
  EXPECT_EQ(s.agent(1).reason, Reason::stale);
  EXPECT_EQ(s.sim().metrics().stale_stops, 3u);
  s.run(1);
  EXPECT_EQ(s.at(7, 1), (Cell{3, 3, 0}));
  s.run(60);
  // 92 from (3,2): (3,3), (3,4), then through the gap of rows 5 and 6: eight steps, from tick 7 on.
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(UpdateCases, update_door_timeline_own_search_walks_on_at_once) {
  Scene s = before_the_door(OnStale::own_search);
  s.run(4);
  EXPECT_EQ(s.at(3, 1), (Cell{3, 2, 0}));
  EXPECT_EQ(s.at(4, 1), (Cell{3, 3, 0})) << "its own way: the same step three ticks earlier";
  s.run(60);
  Scene waits = before_the_door(OnStale::hold);
  waits.run(60);
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(s.arrival(1) + 3, waits.arrival(1));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// Three ticks are fewer than eight: like hold. After two of them it walks on by a way of its own, a tick before the
// field.
TEST(UpdateCases, update_door_timeline_replan_walks_on_after_its_refusals) {
  for (const std::uint32_t refusals : {8u, 2u}) {
    Scene s = before_the_door(OnStale::replan, refusals);
    s.run(6);
    EXPECT_EQ(s.at(5, 1), (Cell{3, 2, 0}));
    EXPECT_EQ(s.at(6, 1), refusals == 8 ? (Cell{3, 2, 0}) : (Cell{3, 3, 0}));
    EXPECT_EQ(s.sim().metrics().fallbacks, refusals == 8 ? 0u : 1u);
    s.run(60);
    Scene waits = before_the_door(OnStale::hold);
    waits.run(60);
    EXPECT_EQ(s.arrival(1) + (refusals == 8 ? 0 : 1), waits.arrival(1));
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

// The door opens again at tick 5, before the field of the shut one is there: the old field is right again, nobody
// waits.
TEST(UpdateCases, update_door_timeline_a_door_that_opens_again_makes_the_old_field_right) {
  Scene s = before_the_door(OnStale::hold);
  ASSERT_TRUE(s.sim().submit({5, 0, EditMap{set_door(0, DoorState::open)}}).ok());
  s.run(4);
  EXPECT_EQ(s.agent(1).reason, Reason::stale);
  s.run(60);
  EXPECT_EQ(s.arrival(1), 9u) << "eight steps and the tick of the shut door";
}

// G1, G2, G1 at 2, 4, 6; fields of them are there two ticks later each. Who holds waits in all six of them.
// One step north, seven east, four ticks each; the edits fall into the second and the eighth step.
TEST(UpdateCases, update_swap_in_the_middle_of_a_step) {
  SimulationDef def;
  def.step = StepPolicy::ground_speed;
  Scene s({"........", ".######.", "........"}, def);
  Walker w{1, {0, 1}, {7, 0}};
  w.speed = Fixed::ratio(1, 4);
  s.open({w});
  for (const auto& [tick, terrain] : {std::pair{6, kWall}, std::pair{30, kFloor}})
    ASSERT_TRUE(
        s.sim()
            .submit({static_cast<std::uint64_t>(tick), 0, EditMap{{{{{7, 1}, CellChange::terrain, terrain}}, {}}}})
            .ok());
  std::vector<MoveRecord> steps;
  int quarters = 0;  // of a cell that it has gone
  for (std::uint64_t t = 1; t <= 32; ++t) {
    s.step();
    s.sim().under_way(steps);
    const int whole = static_cast<int>(t / 4) * 4;
    const int now = whole + (steps.empty() ? 0 : static_cast<int>(t - steps[0].start_tick));
    EXPECT_EQ(now - quarters, 1) << "tick " << t;
    quarters = now;
    const auto cells = static_cast<std::int32_t>(t / 4);
    EXPECT_EQ(s.at(t, 1), cells == 0 ? (Cell{0, 1}) : (Cell{cells - 1, 0})) << "tick " << t;
  }
  EXPECT_EQ(s.arrival(1), 32u);
  EXPECT_LE(s.sim().metrics().replans, 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(UpdateCases, goal_there_and_back_under_both_rules) {
  for (const OnGoalChange rule : {OnGoalChange::hold, OnGoalChange::keep_going}) {
    SimulationDef def;
    def.adopt_latency_ticks = 2;
    def.on_goal_change = rule;
    Town t(open_rows(30, 3), def, {}, {29, 1});
    t.aim(2, {0, 1});
    t.aim(4, {29, 1});
    std::vector<std::int32_t> x;
    while (t.sim.tick() < 8) {
      t.sim.step();
      x.push_back(t.sim.agent(*t.sim.find_agent(1))->cell.x);
    }
    const bool holds = rule == OnGoalChange::hold;
    EXPECT_EQ(x, holds ? (std::vector<std::int32_t>{1, 1, 1, 1, 1, 2, 3, 4})
                       : (std::vector<std::int32_t>{1, 2, 3, 2, 1, 2, 3, 4}));
    EXPECT_EQ(t.sim.metrics().field_builds, 2u);
    EXPECT_EQ(t.sim.metrics().cache_hits, 1u);
  }
}

// Bundle 0 is held while 100 follow, another reader takes each.
TEST(PublicationCases, publish_slow_reader) {
  SimulationDef def;
  def.field_cache_bytes = 0;
  Town t(open_rows(64, 64), def, {}, {32, 32}, {63, 63});
  BundleRef held = t.sim.snapshot();
  const Lookup first = held->look_up(t.profile, t.goal, {9, 9});
  EXPECT_EQ(first.cost, 23u * 14u);
  for (std::uint64_t tick = 1; tick <= 100; ++tick) t.edit(tick, {10, 10}, tick % 2 == 1 ? kWall : kFloor);
  BundleRef other;
  while (t.sim.tick() < 101) {
    other = t.sim.snapshot();
    t.sim.step();
    EXPECT_LE(t.sim.metrics().live_bundles, 2u + 2u);
  }
  EXPECT_GE(t.sim.snapshot()->generation(), 101u);
  EXPECT_EQ(held->look_up(t.profile, t.goal, {9, 9}).cost, first.cost);
  EXPECT_EQ(held->look_up(t.profile, t.goal, {9, 9}).step.direction, first.step.direction);
  const std::uint64_t one = t.entry().field->bytes();
  other.reset();
  held.reset();
  t.bundle.reset();
  EXPECT_LE(t.sim.metrics().retired_bytes, one);
}

// A thousand toggles, a field of its own for each; four readers only ever see one of the two sums.
TEST(PublicationCases, publish_reader_against_writer) {
  Town t({"....#....", "....#....", ".........", "....#....", "....#...."}, {}, {}, {8, 2}, {0, 0});
  const Cell door{4, 2, 0};
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> wrong{0}, reads{0};
  std::vector<std::thread> readers;
  readers.reserve(4);
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&] {
      while (!over) {
        const BundleRef bundle = t.sim.store().snapshot();
        const BundleEntry& entry = *bundle->find(t.profile, t.goal);
        const FlowField& field = *entry.field;
        std::uint64_t sum = 0;
        for (std::uint32_t p = 0; p < field.shape().padded_cells(); ++p)
          if (const Cost cost = field.cost_to_goal({p}); cost != kInfiniteCost) sum += cost;
        const bool shut = field.code(field.shape().index(door)) > FlowField::kGoalCode;
        const bool shut_now = bundle->graph(t.profile).footing(door) != Footing::open;
        wrong += sum != (shut ? 444u : 1928u);
        wrong += (entry.freshness == Freshness::current) != (shut == shut_now);
        ++reads;
      }
    });
  for (std::uint64_t tick = 1; tick <= 1000 || reads < 100; ++tick) {
    if (tick % 2 == 0) t.edit(t.sim.tick() + 1, door, tick % 4 == 0 ? kFloor : kWall);
    t.sim.step();
  }
  over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace drover::test
