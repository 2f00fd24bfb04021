// SPDX-License-Identifier: MIT
// The simulation's calls: set-up, commands, policies, queries.
#include "support/counting_allocator.hpp"
#include "support/scene.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <drover/simulation.hpp>

#include <string>

namespace drover::test {
namespace {

MapEdit wall_at(Cell c) {
  MapEdit edit;
  edit.cells = {{c, CellChange::terrain, kWall}};
  return edit;
}
MapEdit floor_at(Cell c) {
  MapEdit edit;
  edit.cells = {{c, CellChange::terrain, kFloor}};
  return edit;
}
GoalDef place(Cell c) {
  GoalDef goal;
  goal.cells = {{c, 0}};
  return goal;
}
Simulation on(std::vector<std::string_view> rows, const SimulationDef& def = {}) {
  return *Simulation::create(*GridMap::from_rows(rows), def);
}

TEST(SimulationSetUp, BadAgentsAreNamed) {
  Simulation sim = on({"..#"});
  const ProfileId p = *sim.add_profile({});
  const GoalId g = *sim.add_goal({place({0, 0}), OnArrival::stay});
  EXPECT_EQ(sim.add_agent({1, {3, 0}, p, g, {}, 0, 0}).status().code(), StatusCode::start_outside);
  EXPECT_EQ(sim.add_agent({1, {2, 0}, p, g, {}, 0, 0}).status().code(), StatusCode::start_blocked);
  EXPECT_EQ(sim.add_agent({1, {1, 0}, {7, 1}, g, {}, 0, 0}).status().code(), StatusCode::profile_unknown);
  EXPECT_EQ(sim.add_agent({1, {1, 0}, p, {7, 1}, {}, 0, 0}).status().code(), StatusCode::handle);
  EXPECT_EQ(sim.add_agent({1, {1, 0}, p, GoalId{}, {}, 0, 0}).status().code(), StatusCode::handle);
  ASSERT_TRUE(sim.add_agent({1, {1, 0}, p, g, {}, 0, 0}).ok());
  EXPECT_EQ(sim.add_agent({1, {0, 0}, p, g, {}, 0, 0}).status().code(), StatusCode::argument);
  EXPECT_EQ(sim.agent_count(), 1u);
}

TEST(SimulationSetUp, ABadGoalIsTheAnswerOfStart) {
  Simulation sim = on({"..#"});
  const ProfileId p = *sim.add_profile({});
  const GoalId g = *sim.add_goal({place({2, 0}), OnArrival::stay});
  ASSERT_TRUE(sim.add_agent({1, {0, 0}, p, g, {}, 0, 0}).ok());
  const Status status = sim.start();
  EXPECT_EQ(status.code(), StatusCode::goal_blocked);
  EXPECT_NE(status.message().find("2,0"), std::string::npos) << status.message();
  EXPECT_EQ(sim.add_goal({place({9, 9}), OnArrival::stay}).status().code(), StatusCode::goal_outside);
  EXPECT_EQ(sim.add_goal({{}, OnArrival::stay}).status().code(), StatusCode::goal_none);
}

TEST(SimulationSetUp, ProfilesWithEqualStepsShareOneField) {
  Simulation sim = on({"....", "...."});
  MovementProfile again;
  again.name = "again";
  MovementProfile dear;
  dear.terrain = {{kFloor, 3u, std::nullopt}};
  const ProfileId a = *sim.add_profile({}), b = *sim.add_profile(again), c = *sim.add_profile(dear);
  const GoalId g = *sim.add_goal({place({3, 0}), OnArrival::stay});
  std::uint64_t key = 0;
  for (const ProfileId p : {a, b, c})
    ASSERT_TRUE(sim.add_agent({++key, {static_cast<std::int32_t>(key), 1}, p, g, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.start().ok());
  const BundleRef bundle = sim.snapshot();
  EXPECT_EQ(bundle->find(a, g)->field, bundle->find(b, g)->field);
  EXPECT_NE(bundle->find(a, g)->field, bundle->find(c, g)->field);
  EXPECT_EQ(sim.metrics().field_builds, 2u);
  EXPECT_EQ(bundle->look_up(bundle->find(a, g)->field, c, {0, 0}).state, CellState::profile_mismatch);
}

// Edits tell two profiles apart and make them one again; so do their fields, as objects.
TEST(SimulationSetUp, FieldsAreSharedExactlyWhileGraphsAreEqual) {
  Simulation sim = on({"......", "......"});
  MovementProfile dry;
  dry.name = "dry";
  dry.terrain = {{3, std::nullopt, false}};  // swamp, of which there is none yet
  const ProfileId a = *sim.add_profile({}), b = *sim.add_profile(dry);
  const GoalId g = *sim.add_goal({place({5, 0}), OnArrival::stay});
  for (const std::uint64_t key : {1u, 2u})
    ASSERT_TRUE(sim.add_agent({key, {0, static_cast<std::int32_t>(key - 1)}, key == 1 ? a : b, g, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.start().ok());
  MapEdit swamp;
  swamp.cells = {{{3, 0, 0}, CellChange::terrain, 3}};
  ASSERT_TRUE(sim.submit({2, 0, EditMap{swamp}}).ok());
  ASSERT_TRUE(sim.submit({5, 0, EditMap{floor_at({3, 0})}}).ok());
  const auto field_of = [&](ProfileId p) { return sim.snapshot()->find(p, g)->field; };
  const auto hash_of = [&](ProfileId p) { return sim.snapshot()->graph(p).content_hash(); };
  std::string shared;
  for (std::uint64_t tick = 0; tick <= 7; ++tick) {
    if (tick > 0) sim.step();
    const bool equal = hash_of(a) == hash_of(b), same = field_of(a) == field_of(b);
    shared += same ? 's' : equal ? '.' : 'd';
    if (!equal) {
      EXPECT_EQ(sim.snapshot()->look_up(field_of(a), b, {0, 0}).state, CellState::profile_mismatch) << tick;
    }
  }
  // Fields come in one tick after the edits of ticks 2 and 5. Swamp costs what floor costs: only the second graph
  // changes, and finds the field of the first again.
  EXPECT_EQ(shared, "sssdd.ss");
  EXPECT_EQ(sim.metrics().field_builds, 2u);
}

TEST(SimulationSetUp, BadAreasAreNamed) {
  Simulation sim = on({"..#"});
  const auto area = [](Cell of, std::uint32_t radius) {
    SimulationGoal goal;
    goal.where.area = GoalArea{GoalArea::Rule::in_sight, of, radius};
    return goal;
  };
  EXPECT_EQ(sim.add_goal(area({3, 0}, 2)).status().code(), StatusCode::goal_outside);
  EXPECT_EQ(sim.add_goal(area({0, 0}, kMaxGoalRadius + 1)).status().code(), StatusCode::limit_goals);
  const ProfileId p = *sim.add_profile({});
  const GoalId g = *sim.add_goal(area({2, 0}, 0));
  ASSERT_TRUE(sim.add_agent({1, {0, 0}, p, g, {}, 0, 0}).ok());
  const Status status = sim.start();
  EXPECT_EQ(status.code(), StatusCode::goal_blocked);
  EXPECT_EQ(status.message(), "in sight of 2,0 within 0 goal_blocked");
}

// 4 .. 7 of the upper row are in sight of 7,0; a wall at 6,0 leaves 7,0, 7,1 and, past its corner, 6,1.
TEST(SimulationEdits, AnAreaFollowsTheMap) {
  Simulation sim = on({"........", "........"});
  SimulationGoal goal;
  goal.where.area = GoalArea{GoalArea::Rule::in_sight, {7, 0, 0}, 3};
  const ProfileId p = *sim.add_profile({});
  const GoalId g = *sim.add_goal(goal);
  const AgentId agent = *sim.add_agent({1, {0, 0}, p, g, {}, 0, 0});
  ASSERT_TRUE(sim.start().ok());
  ASSERT_TRUE(sim.submit({6, 0, EditMap{wall_at({6, 0})}}).ok());
  for (int i = 0; i < 5; ++i) sim.step();
  EXPECT_EQ(sim.agent(agent)->cell, (Cell{4, 0, 0}));
  EXPECT_EQ(sim.agent(agent)->arrival_tick, 4u);
  for (int i = 0; i < 7; ++i) sim.step();
  EXPECT_EQ(sim.agent(agent)->cell, (Cell{6, 1, 0}));
  EXPECT_EQ(sim.agent(agent)->state, AgentState::arrived);
  EXPECT_EQ(sim.snapshot()->find(p, g)->field->goals().size(), 3u);
  // The same area again is no change, another radius is.
  ASSERT_TRUE(sim.set_goal(g, goal.where).ok());
  sim.step();
  EXPECT_EQ(sim.metrics().field_builds, 2u);
  goal.where.area->radius = 4;
  ASSERT_TRUE(sim.set_goal(g, goal.where).ok());
  sim.step();
  EXPECT_EQ(sim.metrics().field_builds, 3u);
}

// A wall an edit, at the rim, where next to nothing lies behind it; then a new goal, which is built.
TEST(SimulationCommands, FieldsFollowEditsByRepair) {
  SimulationDef def;
  def.adopt_latency_ticks = 2;
  Simulation sim = *Simulation::create(*GridMap::create({.width = 70, .height = 70}), def);
  const ProfileId p = *sim.add_profile({});
  const GoalId g = *sim.add_goal({place({35, 35}), OnArrival::stay});
  ASSERT_TRUE(sim.add_agent({1, {0, 0}, p, g, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.start().ok());
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(sim.submit({sim.tick(), 0, EditMap{wall_at({3 + 9 * i, 69})}}).ok());
    sim.step();
  }
  for (int i = 0; i < 3; ++i) sim.step();
  EXPECT_EQ(sim.metrics().field_builds, 7u);
  EXPECT_EQ(sim.metrics().field_repairs, 6u);
  const BundleRef bundle = sim.snapshot();
  ASSERT_EQ(bundle->find(p, g)->freshness, Freshness::current);
  const FieldRef built = *FieldBuilder().build(bundle->graph(p), place({35, 35}));
  EXPECT_EQ(bundle->find(p, g)->field->digest(), built->digest());
  ASSERT_TRUE(sim.set_goal(g, place({1, 1})).ok());
  sim.step();
  EXPECT_EQ(sim.metrics().field_builds, 8u);
  EXPECT_EQ(sim.metrics().field_repairs, 6u);
}

TEST(SimulationCommands, ARemovedAgentFreesItsCellsAndItsHandleIsDead) {
  Scene s({"......"});
  s.open({{1, {2, 0}, {2, 0}}, {2, {0, 0}, {5, 0}}});
  const AgentId first = s.id(1);
  for (int t = 0; t < 5; ++t) s.step();
  EXPECT_EQ(s.agent(2).cell, (Cell{1, 0, 0}));
  EXPECT_EQ(s.agent(2).by, 1u);
  ASSERT_TRUE(s.sim().remove_agent(first).ok());
  s.run(10);
  EXPECT_EQ(s.arrival(2), 9u);
  EXPECT_EQ(s.sim().agent(first).status().code(), StatusCode::handle);
  EXPECT_EQ(s.sim().remove_agent(first).code(), StatusCode::handle);
  EXPECT_EQ(s.sim().agent_count(), 1u);
  EXPECT_FALSE(s.sim().find_agent(1).ok());
}

TEST(SimulationCommands, ASlotThatIsUsedAgainHasANewGeneration) {
  Scene s({"......"});
  s.open({{1, {0, 0}, {5, 0}}});
  const AgentId old = s.id(1);
  ASSERT_TRUE(s.sim().remove_agent(old).ok());
  s.step();
  const AgentId fresh = s.add({2, {3, 0}, {5, 0}});
  EXPECT_EQ(fresh.index, old.index);
  EXPECT_NE(fresh.generation, old.generation);
  s.run(10);
  EXPECT_EQ(s.agent(2).state, AgentState::arrived);
  EXPECT_EQ(s.sim().agent(old).status().code(), StatusCode::handle);
}

TEST(SimulationCommands, ARetargetedAgentWaitsForItsFieldThenTurns) {
  SimulationDef def;
  def.adopt_latency_ticks = 2;
  Scene s({"........."}, def);
  s.open({{1, {4, 0}, {8, 0}}, {2, {0, 0}, {0, 0}}});
  s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{5, 0, 0}));
  const GoalId left = *s.sim().add_goal({place({3, 0}), OnArrival::stay});
  ASSERT_TRUE(s.sim().retarget(s.id(1), left).ok());
  s.step();  // tick 2: asked at tick 1, due at tick 3
  EXPECT_EQ(s.agent(1).reason, Reason::not_ready);
  s.step();
  EXPECT_EQ(s.at(3, 1), (Cell{4, 0, 0}));
  s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(s.agent(1).cell, (Cell{3, 0, 0}));
}

TEST(SimulationCommands, AnArrivedAgentThatIsRetargetedSetsOffAgain) {
  Scene s({"....."});
  s.open({{1, {0, 0}, {2, 0}}, {2, {4, 0}, {4, 0}}});
  s.run(5);
  ASSERT_EQ(s.agent(1).state, AgentState::arrived);
  ASSERT_TRUE(s.sim().retarget(s.id(1), *s.sim().add_goal({place({0, 0}), OnArrival::stay})).ok());
  for (int t = 0; t < 6; ++t) s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{0, 0, 0}));
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
}

TEST(SimulationCommands, ViaGoalsAreVisitedInOrder) {
  Simulation sim = on({"......."});
  const ProfileId p = *sim.add_profile({});
  const GoalId a = *sim.add_goal({place({5, 0}), OnArrival::vanish}),
               b = *sim.add_goal({place({1, 0}), OnArrival::stay}),
               end = *sim.add_goal({place({6, 0}), OnArrival::vanish});
  const AgentId walker = *sim.add_agent({1, {3, 0}, p, end, {a, b}, 0, 0});
  std::vector<std::int32_t> xs;
  std::size_t passed = 0;
  for (int t = 0; t < 11; ++t) {
    sim.step();
    xs.push_back(sim.agent(walker)->cell.x);
    for (const AgentEvent& e : sim.events()) passed += e.kind == AgentEventKind::passed_via;
  }
  EXPECT_EQ(xs, (std::vector<std::int32_t>{4, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(passed, 2u);
  EXPECT_EQ(sim.agent(walker)->state, AgentState::arrived);
  EXPECT_TRUE(sim.finished());
}

TEST(SimulationCommands, OfSeveralGoalChangesInATickTheLastCounts) {
  SimulationDef def;
  def.on_goal_change = OnGoalChange::keep_going;
  Scene s({"..........."}, def);
  s.open({{1, {5, 0}, {10, 0}}});
  ASSERT_TRUE(s.sim().set_goal(s.goal("10,0"), place({9, 0})).ok());
  ASSERT_TRUE(s.sim().set_goal(s.goal("10,0"), place({4, 0})).ok());
  s.step();
  EXPECT_EQ(s.sim().metrics().coalesced_goal_changes, 1u);
  s.run(5);
  EXPECT_EQ(s.agent(1).cell, (Cell{4, 0, 0}));
}

TEST(SimulationCommands, CommandsThatMakeNoSenseAreRefusedWhenTheyAreGiven) {
  Scene s({"...."});
  s.open({{1, {0, 0}, {3, 0}}});
  EXPECT_EQ(s.sim().edit(wall_at({4, 0})).code(), StatusCode::edit_outside);
  EXPECT_EQ(s.sim().set_goal(s.goal("3,0"), {}).code(), StatusCode::goal_none);
  EXPECT_EQ(s.sim().set_goal({9, 1}, place({0, 0})).code(), StatusCode::handle);
  EXPECT_EQ(s.sim().submit({0, 0, EditMap{{{}, {{3, DoorState::closed}}}}}).code(), StatusCode::handle);
  EXPECT_EQ(s.sim().submit({0, 0, AddAgent{}}).code(), StatusCode::argument);
  EXPECT_EQ(s.sim().retarget({}, s.goal("3,0")).code(), StatusCode::handle);
}

TEST(SimulationCommands, EditsOfStepsDoorsAndPortalsAreCheckedWhenTheyAreGiven) {
  Simulation sim = on({"..."});
  const auto code = [&](const MapEdit& edit) { return sim.submit({0, 0, EditMap{edit}}).code(); };
  EXPECT_EQ(code({{}, {}, {{{{3, 0, 0}, Direction::east}, false, 0}}, {}}), StatusCode::edit_outside);
  EXPECT_EQ(code({{}, {}, {{{{0, 0, 0}, Direction::east}, true, kMaxEdgeCost + 1}}, {}}), StatusCode::cost_range);
  EXPECT_EQ(code({{}, {}, {}, {{0, true}}}), StatusCode::handle);
  EXPECT_EQ(code({{}, {{0, DoorState::open, 5}}, {}, {}}), StatusCode::handle);
  EXPECT_EQ(code({{}, {}, {{{{0, 0, 0}, Direction::east}, false, 0}}, {}}), StatusCode::ok);
}

// A ledge between 1,0 and 0,0 that is open eastwards only: there in one step, back by the lower row.
TEST(SimulationDirected, AgentsTakeTheWayRoundALedgeAndTheDoorOfASingleStep) {
  Scene scene({"...", "..."});
  scene.moves(Moves::four);
  ASSERT_TRUE(scene.map().apply({{}, {}, {{{{1, 0, 0}, Direction::west}, false, 0}}, {}}).ok());
  ASSERT_TRUE(scene.map().add_door({"flap", {}, true, {{{1, 0, 0}, Direction::south}}}).ok());
  scene.open({{1, {1, 0}, {0, 0}}});
  ASSERT_TRUE(scene.sim().submit({2, 0, EditMap{{{}, {{0, DoorState::closed}}, {}, {}}}}).ok());
  scene.run(30);
  // South, then the flap shuts behind it and the field is old for a tick, west, north.
  EXPECT_EQ(scene.arrival(1), 4u);
  EXPECT_EQ(scene.violations(), 0u) << scene.first_violation();

  Scene shut({"...", "..."});
  shut.moves(Moves::four);
  ASSERT_TRUE(shut.map().apply({{}, {}, {{{{1, 0, 0}, Direction::west}, false, 0}}, {}}).ok());
  ASSERT_TRUE(shut.map().add_door({"flap", {}, false, {{{1, 0, 0}, Direction::south}}}).ok());
  shut.open({{1, {1, 0}, {0, 0}}});
  shut.run(30);
  EXPECT_EQ(shut.arrival(1), 5u);  // east, south, west, west, north
  EXPECT_EQ(shut.violations(), 0u) << shut.first_violation();
}

TEST(SimulationPolicies, GoalChangeHoldStandsUntilTheNewFieldIsIn) {
  for (const bool hold : {true, false}) {
    SimulationDef def;
    def.on_goal_change = hold ? OnGoalChange::hold : OnGoalChange::keep_going;
    def.adopt_latency_ticks = 3;
    Scene s({"..........."}, def);
    s.open({{1, {5, 0}, {10, 0}}});
    ASSERT_TRUE(s.sim().submit({1, 0, SetGoal{s.goal("10,0"), place({0, 0})}}).ok());
    for (int t = 1; t <= 3; ++t) s.step();
    EXPECT_EQ(s.agent(1).cell.x, hold ? 5 : 8);
    if (hold) {
      EXPECT_EQ(s.agent(1).reason, Reason::goal_changed);
    }
    s.step();
    EXPECT_EQ(s.agent(1).cell.x, hold ? 4 : 7);
  }
}

TEST(SimulationPolicies, UnderAnEditEveryTickHoldStandsAndKeepIfLegalWalks) {
  for (const bool hold : {true, false}) {
    SimulationDef def;
    def.on_stale = hold ? OnStale::hold : OnStale::keep_if_legal;
    Scene s({"..........", ".........."}, def);
    s.open({{1, {0, 0}, {9, 0}}});
    for (std::uint64_t t = 1; t <= 9; ++t) {
      ASSERT_TRUE(s.sim().submit({t, 0, EditMap{wall_at({static_cast<std::int32_t>(t), 1})}}).ok());
      s.step();
    }
    if (hold) {
      EXPECT_EQ(s.agent(1).cell.x, 0);
      EXPECT_EQ(s.sim().metrics().stale_stops, 9u);
    } else {
      EXPECT_EQ(s.agent(1).cell.x, 9);
      EXPECT_GE(s.sim().metrics().kept_old_direction, 8u);
    }
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

TEST(SimulationPolicies, KeepIfLegalNeverTakesAStepThatIsIllegalNow) {
  SimulationDef def;
  def.on_stale = OnStale::keep_if_legal;
  def.adopt_latency_ticks = 5;
  Scene s({".....", "....."}, def);
  s.moves(Moves::four).open({{1, {0, 0}, {4, 0}}});
  ASSERT_TRUE(s.sim().submit({2, 0, EditMap{wall_at({2, 0})}}).ok());
  for (std::uint64_t t = 1; t <= 6; ++t) s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{1, 0, 0}));
  EXPECT_EQ(s.agent(1).reason, Reason::stale);
  EXPECT_GE(s.sim().metrics().sweep_refusals, 1u);
  s.run(10);
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(SimulationEdits, AnEditAndItsUndoInOneTickMakeNothingStale) {
  Scene s({"....", "...."});
  s.open({{1, {0, 0}, {3, 0}}});
  const std::uint64_t version = s.sim().map().map_version();
  ASSERT_TRUE(s.sim().edit(wall_at({2, 0})).ok());
  ASSERT_TRUE(s.sim().edit(floor_at({2, 0})).ok());
  s.step();
  EXPECT_EQ(s.sim().map().map_version(), version);
  EXPECT_EQ(s.sim().metrics().field_builds, 1u);
  EXPECT_EQ(s.agent(1).cell.x, 1);
}

TEST(SimulationEdits, ADoorThatOpensAgainMakesTheOldFieldRightAtOnce) {
  SimulationDef def;
  def.adopt_latency_ticks = 4;
  Scene s({"......"}, def);
  const std::uint32_t door = s.door("d", {{3, 0}});
  s.open({{1, {0, 0}, {5, 0}}});
  ASSERT_TRUE(s.sim().submit({2, 0, EditMap{{{}, {{door, DoorState::closed}}}}}).ok());
  ASSERT_TRUE(s.sim().submit({4, 0, EditMap{{{}, {{door, DoorState::open}}}}}).ok());
  for (std::uint64_t t = 1; t <= 7; ++t) s.step();
  EXPECT_EQ(s.at(3, 1), (Cell{1, 0, 0}));  // ticks 2 and 3: stale
  EXPECT_EQ(s.at(4, 1), (Cell{2, 0, 0}));
  EXPECT_EQ(s.at(7, 1), (Cell{5, 0, 0}));  // the closed door's field, due at tick 6, never came in
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
}

TEST(SimulationEdits, AWallOnTheGoalMakesItUnreachableUntilItIsGone) {
  Scene s({"....."});
  s.open({{1, {0, 0}, {4, 0}}});
  ASSERT_TRUE(s.sim().submit({2, 0, EditMap{wall_at({4, 0})}}).ok());
  ASSERT_TRUE(s.sim().submit({6, 0, EditMap{floor_at({4, 0})}}).ok());
  for (std::uint64_t t = 1; t <= 5; ++t) s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::unreachable);
  EXPECT_EQ(s.sim().snapshot()->look_up(s.any_profile(), s.goal("4,0"), {0, 0}).state, CellState::unreachable);
  s.run(20);
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
}

TEST(SimulationPriority, AHigherClassGoesFirst) {
  Scene s({"...", "#.#"});
  s.moves(Moves::four).open({{1, {0, 0}, {1, 1}, true}, {2, {2, 0}, {1, 1}, true, 0, 1, {}, 5}});
  s.run(10);
  EXPECT_EQ(s.arrival(2), 2u);
  EXPECT_EQ(s.arrival(1), 3u);
}

TEST(SimulationStart, AgentsEnterWhenTheirCellIsFree) {
  Scene s({"....."});
  s.open({{1, {0, 0}, {4, 0}, true}, {2, {0, 0}, {4, 0}, true}, {3, {0, 0}, {4, 0}, true, 3}});
  EXPECT_EQ(s.agent(2).state, AgentState::not_started);
  EXPECT_EQ(s.agent(2).reason, Reason::start_held);
  EXPECT_EQ(s.agent(2).by, 1u);
  EXPECT_EQ(s.agent(3).reason, Reason::start_later);
  s.step();
  EXPECT_EQ(s.at(1, 2), (Cell{0, 0, 0}));
  EXPECT_FALSE(s.sim().finished());
  s.run(20);
  EXPECT_EQ(s.arrival(1), 4u);
  EXPECT_EQ(s.arrival(2), 5u);
  EXPECT_EQ(s.arrival(3), 7u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(SimulationEvents, ComeInOrderOfKeysWithTheirReasons) {
  Scene s({"...."});
  s.open({{7, {3, 0}, {3, 0}}, {5, {1, 0}, {3, 0}}});
  const auto started = s.sim().events();
  ASSERT_GE(started.size(), 2u);
  EXPECT_EQ(started.front().key, 5u);
  EXPECT_EQ(started.front().kind, AgentEventKind::started);
  s.step();
  s.step();
  const auto blocked = s.sim().events();
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_EQ(blocked[0].key, 5u);
  EXPECT_EQ(blocked[0].kind, AgentEventKind::blocked);
  EXPECT_EQ(blocked[0].reason, Reason::goal_occupied);
  EXPECT_EQ(blocked[0].by, 7u);
}

// Whatever allocation fails: nothing is lost, nobody breaks a rule, and the run ends where it ends with enough memory.
TEST(SimulationMemory, RunningOutInTheMiddleLosesNothing) {
  const auto run = [](CountingAllocator& memory, std::uint64_t fail_at, std::uint64_t& calls) {
    Scene s({".......", ".......", "......."}, {}, memory.host());
    const std::uint32_t door = s.door("d", {{3, 0}, {3, 1}});
    s.open({{1, {0, 2}, {6, 2}}, {2, {0, 0}, {5, 0}, true, 0, 2, {}, 0}});
    const std::uint64_t before = memory.calls();
    memory.fail_at(fail_at);
    EXPECT_TRUE(s.sim().submit({2, 0, EditMap{{{}, {{door, DoorState::closed}}}}}).ok());
    EXPECT_TRUE(s.sim().submit({8, 0, EditMap{{{}, {{door, DoorState::open}}}}}).ok());
    EXPECT_TRUE(s.sim().submit({3, 0, EditMap{wall_at({5, 2})}}).ok());
    for (int t = 0; t < 30; ++t) s.step();
    memory.fail_never();
    calls = memory.calls() - before;
    EXPECT_EQ(s.violations(), 0u) << s.first_violation() << ", call " << fail_at;
    EXPECT_EQ(s.sim().map().terrain(s.sim().map().shape().index({5, 2})), kWall) << "call " << fail_at;
    EXPECT_EQ(s.agent(1).state, AgentState::arrived) << "call " << fail_at;
  };
  CountingAllocator enough;
  std::uint64_t calls = 0;
  run(enough, ~std::uint64_t{0} / 2, calls);
  ASSERT_GE(calls, 4u);
  for (std::uint64_t i = 0; i < calls; ++i) {
    CountingAllocator memory;
    std::uint64_t ignored = 0;
    run(memory, i, ignored);
    EXPECT_EQ(memory.bytes_out(), 0u);
  }
}

TEST(SimulationFinish, NobodyAtAllIsFinishedAtOnce) {
  Scene s({"...."});
  s.open({});
  EXPECT_TRUE(s.sim().finished());
  EXPECT_EQ(s.step().moved, 0u);
}

TEST(SimulationMoves, AreRecordsOfOneTick) {
  Scene s({"...", "..."});
  s.open({{4, {0, 0}, {2, 1}}});
  s.step();
  ASSERT_EQ(s.sim().moves().size(), 1u);
  const MoveRecord& m = s.sim().moves()[0];
  EXPECT_EQ(m.agent, 4u);
  EXPECT_EQ(m.from, (Cell{0, 0, 0}));
  EXPECT_EQ(m.start_tick, 0u);
  EXPECT_EQ(m.ticks, 1u);
}

// What an agent was added with shows in the tick in which it is added, before it shows in any step.
TEST(Digest, CoversViaGoalsAndClass) {
  std::vector<std::uint64_t> digests;
  for (int kind = 0; kind < 4; ++kind) {
    const std::vector<std::string> rows = open_rows(12, 4);
    const std::vector<std::string_view> views(rows.begin(), rows.end());
    Simulation sim = *Simulation::create(*GridMap::from_rows(views));
    const ProfileId profile = *sim.add_profile({});
    const GoalId far = *sim.add_goal({{{{{11, 1}, 0}}, GoalPlacement::exact}, OnArrival::stay});
    const GoalId by = *sim.add_goal({{{{{8, 1}, 0}}, GoalPlacement::exact}, OnArrival::stay});
    AgentDef agent{7, {0, 1}, profile, far, {}, 0, 0};
    if (kind == 1) agent.via = {by};
    if (kind == 2) agent.priority_class = 3;
    if (kind == 3) agent.via = {by, by};
    ASSERT_TRUE(sim.add_agent(agent).ok());
    ASSERT_TRUE(sim.start().ok());
    digests.push_back(sim.step().digests.agents);
  }
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::unique(digests.begin(), digests.end()), digests.end());
}

// A bridge at 4,1 that a 2 x 2 body cannot use.
TEST(SimulationWouldBlock, NamesAgentsByKeyAndGoalsThatNobodyCouldReach) {
  Simulation sim = on({"....#....",  //
                       ".........",  //
                       "....#....",  //
                       "....#...."});
  MovementProfile large;
  large.footprint = 2;
  const ProfileId small_body = *sim.add_profile({}), large_body = *sim.add_profile(large);
  const GoalId right = *sim.add_goal({place({7, 2}), OnArrival::stay}),
               corner = *sim.add_goal({place({0, 0}), OnArrival::stay}),
               nobodys = *sim.add_goal({place({3, 3}), OnArrival::stay});
  ASSERT_TRUE(sim.add_agent({30, {0, 3}, small_body, right, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.add_agent({10, {2, 0}, small_body, right, {}, 5, 0}).ok());  // due to start
  ASSERT_TRUE(sim.add_agent({20, {7, 0}, small_body, right, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.add_agent({40, {2, 2}, large_body, corner, {right}, 0, 0}).ok());  // no way to its via goal now
  ASSERT_TRUE(sim.add_agent({50, {1, 2}, small_body, corner, {}, 9, 0}).ok());
  using Keys = std::vector<std::uint64_t>;
  const auto ask = [&](const std::vector<Cell>& cells) {
    const Result<WouldBlock> answer = sim.would_block(cells);
    EXPECT_TRUE(answer.ok()) << answer.status().message();
    return *answer;
  };
  for (const bool started : {false, true}) {
    ASSERT_TRUE(!started || sim.start().ok());
    EXPECT_EQ(ask({{4, 1}}).agents, (Keys{10, 30})) << started;
    EXPECT_TRUE(ask({{4, 1}}).goals.empty());  // 20 still comes
    EXPECT_EQ(ask({{4, 1}, {7, 0}}).goals, (std::vector<GoalId>{right}));
    EXPECT_EQ(ask({{7, 2}}).agents, (Keys{10, 20, 30}));
    EXPECT_EQ(ask({{0, 1}, {1, 0}}).goals, (std::vector<GoalId>{corner}));
    EXPECT_TRUE(ask({{3, 3}}).goals.empty()) << nobodys.index;
    EXPECT_TRUE(ask({}).agents.empty());
    EXPECT_EQ(sim.would_block(std::vector<Cell>{{9, 0}}).status().code(), StatusCode::position);
  }
}

TEST(SimulationWouldBlock, LeavesNoTrace) {
  Digests digests[2];
  for (const bool asked : {false, true}) {
    Simulation sim = on({"....#....", ".........", "....#...."});
    const ProfileId p = *sim.add_profile({});
    const GoalId goal = *sim.add_goal({place({8, 2}), OnArrival::vanish});
    for (std::uint64_t key = 1; key <= 6; ++key) {
      const auto n = static_cast<std::int32_t>(key - 1);
      ASSERT_TRUE(sim.add_agent({key, {n % 3, n / 3, 0}, p, goal, {}, 0, 0}).ok());
    }
    ASSERT_TRUE(sim.start().ok());
    for (int i = 0; i < 8; ++i) {
      const BundleRef before = sim.snapshot();
      const Metrics metrics = sim.metrics();
      for (int x = 0; asked && x < 9; ++x) ASSERT_TRUE(sim.would_block(std::vector<Cell>{{x, 1}}).ok());
      EXPECT_EQ(sim.snapshot(), before);
      EXPECT_EQ(sim.metrics().field_builds, metrics.field_builds);
      EXPECT_EQ(sim.inputs_waiting(), 0u);
      digests[asked ? 1 : 0] = sim.step().digests;
    }
  }
  EXPECT_EQ(digests[0], digests[1]);
}

// Edits come and go between the questions; who has vanished is asked for no more.
TEST(SimulationWouldBlock, FollowsTheMapAndTheAgents) {
  Simulation sim = on({"....#....", "........."});
  const ProfileId p = *sim.add_profile({});
  const GoalId goal = *sim.add_goal({place({8, 0}), OnArrival::vanish});
  ASSERT_TRUE(sim.add_agent({1, {0, 0}, p, goal, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.start().ok());
  const std::vector<Cell> bridge{{4, 1}};
  EXPECT_EQ(sim.would_block(bridge)->agents.size(), 1u);
  ASSERT_TRUE(sim.edit(floor_at({4, 0})).ok());
  sim.step();
  EXPECT_TRUE(sim.would_block(bridge)->agents.empty());
  ASSERT_TRUE(sim.edit(wall_at({4, 0})).ok());
  sim.step();
  EXPECT_EQ(sim.would_block(bridge)->agents.size(), 1u);
  while (!sim.finished()) sim.step();
  EXPECT_TRUE(sim.would_block(bridge)->agents.empty());
}

}  // namespace
}  // namespace drover::test
