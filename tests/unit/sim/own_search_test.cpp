// SPDX-License-Identifier: MIT
// Agents that search their own way while their field is not of today's map, within the budget of a tick.
#include "support/count_allocations.hpp"
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"
#include "support/scene.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <string>
#include <vector>

namespace drover::test {
namespace {

MapEdit wall_at(Cell c) { return set_terrain(c, kWall); }
MapEdit floor_at(Cell c) { return set_terrain(c, kFloor); }

SimulationDef own_search(std::uint32_t latency_ticks, std::uint64_t budget = 20000) {
  SimulationDef def;
  def.on_stale = OnStale::own_search;
  def.adopt_latency_ticks = latency_ticks;
  def.search_budget_cells = budget;
  return def;
}

// A new wall in a far row every third tick, and a field that needs three: it is never of today.
TEST(OwnSearch, ArrivesUnderAnEditEveryThirdTickWhereHoldStands) {
  for (const bool hold : {true, false}) {
    SimulationDef def = own_search(3);
    if (hold) def.on_stale = OnStale::hold;
    Scene s({"....................", ".#######............", "....................", "###################.",
             "...................."},
            def);
    s.open({{1, {0, 0}, {8, 0}}, {2, {0, 2}, {9, 2}, true}});
    for (std::int32_t i = 0; i < 20; ++i)
      ASSERT_TRUE(s.sim().submit({static_cast<std::uint64_t>(1 + 3 * i), 0, EditMap{wall_at({i, 4})}}).ok());
    for (int t = 0; t < 60; ++t) s.step();
    EXPECT_EQ(s.arrivals(), hold ? 0u : 2u);
    if (!hold) {
      EXPECT_EQ(s.arrival(1), 8u);
      EXPECT_EQ(s.arrival(2), 9u);
      EXPECT_EQ(s.sim().metrics().fallbacks, 2u);
      EXPECT_EQ(s.sim().metrics().replans, 0u);  // no step of theirs was touched
      EXPECT_EQ(s.sim().metrics().stale_stops, 0u);
    } else {
      EXPECT_GT(s.sim().metrics().stale_stops, 100u);
    }
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

TEST(OwnSearch, GoesRoundAWallThatComesDownOnItsWay) {
  Scene s({"........", ".######.", "........"}, own_search(50));
  s.open({{1, {0, 0}, {7, 0}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{floor_at({3, 1})}}).ok());  // its field is old from now on
  for (int t = 0; t < 3; ++t) s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{3, 0}));
  EXPECT_EQ(s.sim().metrics().fallbacks, 1u);
  ASSERT_TRUE(s.sim().submit({4, 0, EditMap{wall_at({5, 0})}}).ok());
  s.step();
  EXPECT_EQ(s.sim().metrics().replans, 1u);
  EXPECT_EQ(s.agent(1).cell, (Cell{3, 1}));  // down through the gap
  s.run(30);
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(s.arrival(1), 11u);  // 3,1 3,2 4,2 5,2 6,2 7,2 7,1 7,0: corners are not cut
  EXPECT_EQ(s.sim().metrics().replans, 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(OwnSearch, ServesWhileTheFieldIsNotBuiltYet) {
  for (const bool hold : {true, false}) {
    SimulationDef def = own_search(20);
    if (hold) def.on_stale = OnStale::hold;
    Scene s({"........", "........"}, def);
    s.open({{1, {0, 0}, {7, 0}}});
    s.step();
    s.add({2, {7, 1}, {0, 1}});  // a new goal: 20 ticks without a field
    for (int t = 0; t < 12; ++t) s.step();
    EXPECT_EQ(s.agent(2).state, hold ? AgentState::stopped : AgentState::arrived);
    EXPECT_EQ(s.agent(2).reason, hold ? Reason::not_ready : Reason::arrived);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

TEST(OwnSearch, ServesWhileTheGoalMoved) {
  Scene s({"..........."}, own_search(20));
  s.open({{1, {5, 0}, {10, 0}, true}});
  ASSERT_TRUE(s.sim().submit({3, 0, SetGoal{s.goal("10,0v"), {{{{0, 0}, 0}}, GoalPlacement::exact}}}).ok());
  for (int t = 1; t <= 8; ++t) s.step();
  EXPECT_EQ(s.at(2, 1), (Cell{7, 0}));
  EXPECT_EQ(s.at(8, 1), (Cell{1, 0}));
  s.step();
  EXPECT_EQ(s.arrival(1), 9u);
  EXPECT_EQ(s.sim().left().size(), 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(OwnSearch, EndsWhenTheFieldIsOfTodayAgain) {
  Scene s({"....................", "...................."}, own_search(4));
  s.open({{1, {0, 0}, {19, 0}}});
  SimulationSnapshot without, with;
  ASSERT_TRUE(s.sim().snapshot_into(without).ok());
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({10, 1})}}).ok());
  s.step();
  ASSERT_TRUE(s.sim().snapshot_into(with).ok());
  EXPECT_GT(with.bytes(), without.bytes());
  for (int t = 0; t < 4; ++t) s.step();
  EXPECT_EQ(s.sim().adoptions().size(), 1u);
  ASSERT_TRUE(s.sim().snapshot_into(with).ok());
  EXPECT_EQ(with.bytes(), without.bytes());
  s.run(30);
  EXPECT_EQ(s.arrival(1), 19u);
}

// The only way leads through a portal; when it closes under their noses they are told so, and when it opens they go.
TEST(OwnSearch, LeadsThroughPortals) {
  Scene s({".....#.....", ".....#.....", "##########.", "..........."}, own_search(100));
  ASSERT_TRUE(s.map().add_portal({{3, 0}, {7, 1}, 30, true}).ok());
  s.open({{1, {0, 0}, {10, 1}, true}, {2, {0, 1}, {10, 0}, true}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({0, 3})}}).ok());
  for (int t = 0; t < 2; ++t) s.step();
  EXPECT_EQ(s.sim().metrics().fallbacks, 2u);
  EXPECT_EQ(s.agent(1).cell, (Cell{2, 0}));
  MapEdit close, open;
  close.portals = {{0, false}};
  open.portals = {{0, true}};
  ASSERT_TRUE(s.sim().submit({3, 0, EditMap{close}}).ok());
  ASSERT_TRUE(s.sim().submit({5, 0, EditMap{open}}).ok());
  for (int t = 0; t < 2; ++t) s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::unreachable);
  SimulationSnapshot snapshot;
  std::vector<std::byte> bytes;
  std::vector<Digests> first, second, third;
  for (int t = 0; t < 20; ++t) {
    if (t == 1) {
      ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
      ASSERT_TRUE(s.sim().save(bytes).ok());
    }
    const Digests digests = s.step().digests;
    if (t > 0) first.push_back(digests);
  }
  EXPECT_EQ(s.arrivals(), 2u);
  EXPECT_EQ(s.sim().metrics().replans, 4u);  // both, when it closed and when it opened
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  ASSERT_TRUE(s.sim().restore(snapshot).ok());
  Result<Simulation> loaded = Simulation::load(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  for (int t = 1; t < 20; ++t) {
    second.push_back(s.sim().step().digests);
    third.push_back(loaded->step().digests);
  }
  EXPECT_EQ(second, first);
  EXPECT_EQ(third, first);
}

TEST(OwnSearch, ViaGoalsAreVisitedOnTheWay) {
  Scene s({"........", "........"}, own_search(100));
  s.open({{9, {7, 1}, {7, 1}}});
  s.step();
  const GoalId via = *s.sim().add_goal({{{{{3, 0}, 0}}, GoalPlacement::exact}, OnArrival::stay});
  const GoalId last = *s.sim().add_goal({{{{{6, 0}, 0}}, GoalPlacement::exact}, OnArrival::stay});
  ASSERT_TRUE(s.sim().add_agent({1, {0, 0}, s.any_profile(), last, {via}, 0, 0}).ok());
  s.step();  // it is there at the end of this one
  for (int t = 0; t < 6; ++t) s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(s.agent(1).cell, (Cell{6, 0}));
  EXPECT_EQ(s.sim().metrics().fallbacks, 2u);
}

// --- the budget

TEST(OwnSearchBudget, NothingIsNothing) {
  Scene s({"....", "...."}, own_search(30, 0));
  s.open({{1, {0, 0}, {3, 0}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({2, 1})}}).ok());
  for (int t = 0; t < 5; ++t) s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::stopped);
  EXPECT_EQ(s.agent(1).reason, Reason::search_budget);
  EXPECT_EQ(s.agent(1).cell, (Cell{0, 0}));
  EXPECT_EQ(s.sim().metrics().stale_stops, 5u);
  EXPECT_EQ(s.sim().metrics().queue_wait_ticks, 0u);  // there is nothing to wait for
  s.run(60);
  EXPECT_EQ(s.arrival(1), 33u);  // the field of tick 1 is in force at 31
}

TEST(OwnSearchBudget, OfOneCellReachesTheGoalNextDoor) {
  Scene s({"....", "...."}, own_search(30, 1));
  s.open({{1, {2, 0}, {3, 0}}, {2, {0, 1}, {3, 1}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({0, 0})}}).ok());
  s.step();
  EXPECT_EQ(s.arrival(1), 1u);
  EXPECT_EQ(s.agent(2).state, AgentState::waiting);
  EXPECT_EQ(s.agent(2).reason, Reason::search_budget);
  EXPECT_EQ(s.sim().metrics().queue_wait_ticks, 1u);
  s.step();
  EXPECT_EQ(s.agent(2).state, AgentState::stopped);  // a whole tick's budget did not do
  EXPECT_EQ(s.agent(2).reason, Reason::search_budget);
  s.step();
  EXPECT_EQ(s.sim().metrics().queue_wait_ticks, 1u);
  EXPECT_EQ(s.sim().metrics().fallbacks, 2u);
}

// Along a row of its own every agent tries 6 cells. With 6 a tick one agent gets its way in a tick: class, then age,
// then key.
TEST(OwnSearchBudget, IsGrantedByClassThenKey) {
  const std::vector<std::string> rows = {".......", "#######", ".......", "#######", "......."};
  Scene s(rows, own_search(30, 6));
  s.open({{1, {0, 0}, {6, 0}}, {2, {0, 2}, {6, 2}}, {3, {0, 4}, {6, 4}, false, 0, 1, {}, 5}});
  for (const std::int32_t y : {1, 3}) ASSERT_TRUE(s.sim().submit({1, 0, EditMap{floor_at({6, y})}}).ok());
  s.step();
  EXPECT_EQ(s.agent(3).cell.x, 1);
  EXPECT_EQ(s.agent(1).cell.x, 0);
  EXPECT_EQ(s.agent(1).reason, Reason::search_budget);
  s.step();
  EXPECT_EQ(s.agent(1).cell.x, 1);
  EXPECT_EQ(s.agent(2).cell.x, 0);
  s.step();
  EXPECT_EQ(s.agent(2).cell.x, 1);
  EXPECT_EQ(s.sim().metrics().queue_wait_ticks, 3u);
  EXPECT_EQ(s.sim().metrics().fallbacks, 3u);
  s.run(20);
  EXPECT_EQ(s.arrivals(), 3u);
}

// 1 waits longer than 2 has been there, so it goes first, though its key is the larger one.
TEST(OwnSearchBudget, WhoWaitsLongerGoesFirst) {
  Scene s({".......", "#######", ".......", "#######", "......."}, own_search(30, 6));
  s.open({{8, {0, 0}, {6, 0}}, {9, {0, 2}, {6, 2}}, {1, {0, 4}, {6, 4}, false, 2}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{floor_at({6, 1})}}).ok());
  s.step();
  s.step();
  EXPECT_EQ(s.agent(8).cell.x, 2);
  EXPECT_EQ(s.agent(9).cell.x, 1);
  ASSERT_TRUE(s.sim().submit({3, 0, EditMap{wall_at({6, 1})}}).ok());  // undone: the field is right again
  s.step();
  EXPECT_EQ(s.agent(1).cell.x, 1);
  EXPECT_EQ(s.agent(9).cell.x, 2);
  s.run(20);
  EXPECT_EQ(s.arrivals(), 3u);
}

// 2 waits for its turn in front of 1, which has its way: it is pushed on, or a queue would stand before everyone who
// waits.
TEST(OwnSearchBudget, WhoWaitsForItIsPushedOutOfTheWay) {
  Scene s({".......", ".......", "######.", "......."}, own_search(30, 6));
  s.open({{1, {0, 0}, {6, 0}, false, 0, 1, {}, 5}, {2, {1, 0}, {6, 0}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({0, 3})}}).ok());
  s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{1, 0}));
  EXPECT_NE(s.agent(2).cell, (Cell{1, 0}));
  EXPECT_EQ(s.sim().metrics().fallbacks, 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// A search that needs 30 cells never keeps those from theirs that need 6, though it is tried first.
TEST(OwnSearchBudget, WhoNeedsMoreThanAllOfItHoldsAndStarvesNobody) {
  Scene s({std::string(32, '.'), std::string(32, '#'), std::string(32, '.')}, own_search(200, 10));
  s.open({{1, {0, 0}, {31, 0}, false, 0, 1, {}, 5}, {2, {0, 2}, {6, 2}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{floor_at({31, 1})}}).ok());
  s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::stopped);
  EXPECT_EQ(s.agent(2).state, AgentState::waiting);
  s.step();
  EXPECT_EQ(s.agent(2).cell.x, 1);
  for (int t = 0; t < 10; ++t) s.step();
  EXPECT_EQ(s.agent(2).state, AgentState::arrived);
  EXPECT_EQ(s.agent(1).cell.x, 0);
  EXPECT_EQ(s.agent(1).reason, Reason::search_budget);
}

TEST(OwnSearchBudget, StarvesNobodyUnderAnEditEveryTickEither) {
  const std::string row(32, '.'), wall = std::string(31, '#') + '.';
  Scene s({row, wall, row, wall, row}, own_search(200, 10));
  s.open({{1, {0, 0}, {31, 0}, false, 0, 1, {}, 5}, {2, {0, 2}, {6, 2}}});
  for (std::int32_t x = 0; x < 20; ++x)
    ASSERT_TRUE(s.sim().submit({static_cast<std::uint64_t>(x + 1), 0, EditMap{wall_at({x, 4})}}).ok());
  for (int t = 0; t < 20; ++t) s.step();
  EXPECT_EQ(s.agent(2).state, AgentState::arrived);
  EXPECT_EQ(s.agent(1).reason, Reason::search_budget);
}

// --- no way

TEST(OwnSearch, AnotherComponentIsRefusedWithoutLookingAtACell) {
  Scene s({"...#..", "...#.."}, own_search(30, 0));
  s.open({{1, {0, 0}, {5, 0}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({5, 1})}}).ok());
  for (int t = 0; t < 5; ++t) s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::unreachable);
  EXPECT_EQ(s.agent(1).reason, Reason::unreachable);
  EXPECT_EQ(s.sim().metrics().fallbacks, 1u);  // once: nothing changed since
  EXPECT_EQ(s.sim().metrics().queue_wait_ticks, 0u);
}

// Only a search can tell that a ledge leads the wrong way; it is not searched for again on the same map.
TEST(OwnSearch, NoWayIsRememberedUntilTheMapIsAnother) {
  Scene s({"......"}, own_search(30));
  MapEdit ledge;
  ledge.steps = {{{{2, 0}, Direction::east}, false, 0}};
  ASSERT_TRUE(s.map().apply(ledge).ok());
  const std::uint32_t door = s.door("d", {{5, 0}});
  s.open({{1, {0, 0}, {4, 0}}});
  MapEdit close;
  close.doors = {{door, DoorState::closed, 0}};
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{close}}).ok());
  for (int t = 0; t < 5; ++t) s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::unreachable);
  EXPECT_EQ(s.sim().metrics().fallbacks, 1u);
  MapEdit open;
  open.steps = {{{{2, 0}, Direction::east}, true, 0}};
  ASSERT_TRUE(s.sim().submit({6, 0, EditMap{open}}).ok());
  s.step();
  EXPECT_EQ(s.agent(1).cell.x, 1);
  EXPECT_EQ(s.sim().metrics().replans, 1u);
}

TEST(OwnSearch, AGoalThatIsWalledInIsUnreachable) {
  Scene s({".....", "....."}, own_search(30));
  s.open({{1, {0, 0}, {4, 0}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({4, 0})}}).ok());
  s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::unreachable);
}

// --- many

// 1 set out to the right while the left branch of the ring was closed. When it is open again 2 comes, which is nearer
// to the goal by the left. Both ways are legal, and they lead head on: who has waited long searches again.
TEST(OwnSearch, WaysOfDifferentMapsDoNotLockForEver) {
  Scene s({"........", ".######.", "........", "########", "........"}, own_search(1000));
  s.open({{1, {1, 0}, {0, 2}, true}, {2, {5, 0}, {0, 2}, true, 2}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({0, 1})}}).ok());
  MapEdit reopened = floor_at({0, 1});
  reopened.append(wall_at({0, 4}));
  ASSERT_TRUE(s.sim().submit({3, 0, EditMap{reopened}}).ok());
  for (int t = 0; t < 4; ++t) s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{4, 0}));
  EXPECT_EQ(s.agent(2).cell, (Cell{5, 0}));
  for (int t = 0; t < 30; ++t) s.step();
  EXPECT_EQ(s.arrivals(), 2u);
  EXPECT_EQ(s.sim().metrics().replans, 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

Scene crowd(std::uint64_t budget, const Host& host = {}, bool wide = false) {
  std::vector<std::string> rows(24, std::string(40, '.'));
  for (std::size_t y = 2; y < 22; ++y) rows[y][20] = '#';
  Scene s(rows, own_search(1000, budget), host);
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 120; ++i)
    walkers.push_back({static_cast<std::uint64_t>(i + 1), {i % 12, 1 + i / 12 * 2}, {39, 12}, true});
  if (wide)
    for (std::int32_t i = 0; i < 6; ++i)
      walkers.push_back({900u + static_cast<std::uint64_t>(i), {14, 3 * i}, {0, 20}, true, 0, 2});
  s.open(walkers);
  EXPECT_TRUE(s.sim().submit({1, 0, EditMap{floor_at({20, 11})}}).ok());
  EXPECT_TRUE(s.sim().submit({5, 0, EditMap{wall_at({20, 11})}}).ok());
  EXPECT_TRUE(s.sim().submit({20, 0, EditMap{floor_at({20, 7})}}).ok());
  return s;
}

TEST(OwnSearch, ACrowdWithoutAFieldArrivesAndBreaksNoRule) {
  for (const std::uint64_t budget : {2000u, 20000u}) {
    Scene s = crowd(budget, {}, true);
    for (int t = 0; t < 400; ++t) s.step();
    EXPECT_EQ(s.arrivals(), 126u) << budget;
    EXPECT_GT(s.sim().metrics().replans, 0u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

TEST(OwnSearch, SameDigestsOnAnyThreads) {
  const auto digests = [](const Host& host) {
    Scene s = crowd(1500, host);
    std::vector<Digests> out;
    for (int t = 0; t < 60; ++t) out.push_back(s.step().digests);
    return out;
  };
  const std::vector<Digests> serial = digests({});
  for (const std::uint32_t workers : {2u, 3u, 8u}) {
    ThreadTasks threads(workers);
    EXPECT_EQ(digests(threads.host()), serial) << workers << " threads";
  }
}

TEST(OwnSearch, WaysAreBackAfterARollbackAndAfterALoad) {
  Scene s = crowd(1500);
  for (int t = 0; t < 14; ++t) s.step();
  SimulationSnapshot snapshot;
  std::vector<std::byte> bytes, again;
  ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  ASSERT_TRUE(s.sim().save(bytes).ok());
  std::vector<Digests> first, second, third;
  for (int t = 0; t < 30; ++t) first.push_back(s.step().digests);
  ASSERT_TRUE(s.sim().restore(snapshot).ok());
  for (int t = 0; t < 30; ++t) second.push_back(s.sim().step().digests);
  EXPECT_EQ(second, first);
  Result<Simulation> loaded = Simulation::load(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  ASSERT_TRUE(loaded->save(again).ok());
  EXPECT_EQ(again, bytes);
  for (int t = 0; t < 30; ++t) third.push_back(loaded->step().digests);
  EXPECT_EQ(third, first);
}

// A way shows in the digest before the step that it leads to.
TEST(OwnSearch, TheDigestCoversTheWay) {
  std::vector<std::uint64_t> digests;
  for (const std::uint64_t budget : {0u, 20000u}) {
    Scene s({".....", "....."}, own_search(50, budget));
    s.open({{1, {1, 0}, {4, 0}}, {2, {0, 0}, {4, 1}}});
    ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({2, 1})}}).ok());
    digests.push_back(s.step().digests.agents);
  }
  EXPECT_NE(digests[0], digests[1]);
}

TEST(OwnSearch, AnAgentWithoutAWayCostsASnapshotNoByteMore) {
  std::size_t bytes[2] = {};
  for (const bool own : {false, true}) {
    SimulationDef def = own_search(1);
    if (!own) def.on_stale = OnStale::hold;
    Scene s(open_rows(64, 64), def);
    std::vector<Walker> walkers;
    for (std::int32_t i = 0; i < 500; ++i)
      walkers.push_back({static_cast<std::uint64_t>(i + 1), {i % 50, i / 50}, {63, 63}, true});
    s.open(walkers);
    s.step();
    SimulationSnapshot snapshot;
    ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
    bytes[own] = snapshot.bytes();
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_LE(bytes[1], 64u * 500);
}

// Whatever allocation fails: nobody breaks a rule, and everyone arrives in the end.
TEST(OwnSearch, WithoutMemoryAnAgentWaitsAndTriesAgain) {
  const auto run = [](CountingAllocator& memory, std::uint64_t fail_at) {
    Scene s({".......", ".#####.", "......."}, own_search(40), memory.host());
    s.open({{1, {0, 0}, {6, 0}}, {2, {0, 2}, {6, 2}, true, 0, 1, {}, 1}});
    const std::uint64_t before = memory.calls();
    memory.fail_at(fail_at);
    EXPECT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({3, 0})}}).ok());
    for (int t = 0; t < 60; ++t) s.step();
    memory.fail_never();
    EXPECT_EQ(s.arrivals(), 2u) << "call " << fail_at;
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
    return memory.calls() - before;
  };
  CountingAllocator enough;
  const std::uint64_t calls = run(enough, ~std::uint64_t{0} / 2);
  ASSERT_GE(calls, 4u);
  for (std::uint64_t i = 0; i < calls; ++i) {
    CountingAllocator memory;
    run(memory, i);
  }
}

// The same ticks a second time find all memory there that they need.
TEST(OwnSearch, OnceGrownATickTakesNoMemory) {
  Scene s(open_rows(40, 40), own_search(1000, 900));
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 60; ++i)
    walkers.push_back({static_cast<std::uint64_t>(i + 1), {i % 10, i / 10}, {39, 39}});
  s.open(walkers);
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{wall_at({30, 30})}}).ok());
  s.step();
  SimulationSnapshot snapshot;
  ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  std::vector<std::uint64_t> counts;
  for (int round = 0; round < 12; ++round) {
    ASSERT_TRUE(s.sim().restore(snapshot).ok());
    s.sim().step();  // goals are placed once on a map
    const std::uint64_t searched = s.sim().metrics().fallbacks, before = allocations;
    for (int t = 0; t < 20; ++t) s.sim().step();
    counts.push_back(allocations - before);
    EXPECT_GT(s.sim().metrics().fallbacks, searched + 20);
  }
  EXPECT_EQ(counts.back(), 0u);
}

}  // namespace
}  // namespace drover::test
