// SPDX-License-Identifier: MIT
// What a host does to a run: teleports, pushes, prices, and changes for later ticks.
#include "support/grids.hpp"
#include "support/scene.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace drover::test {
namespace {

MapEdit wall_at(Cell c) { return set_terrain(c, kWall); }
MapEdit door_to(std::uint32_t door, DoorState state, std::uint32_t cost = 0) {
  MapEdit edit;
  edit.doors = {{door, state, cost}};
  return edit;
}

/// The event of this kind in the last tick.
const AgentEvent* event_of(const Simulation& sim, AgentEventKind kind, std::uint64_t key) {
  const auto events = sim.events();
  const auto found =
      std::find_if(events.begin(), events.end(), [&](const AgentEvent& e) { return e.kind == kind && e.key == key; });
  return found == events.end() ? nullptr : &*found;
}

void expect_refused(const Simulation& sim, std::uint64_t key, Reason reason, std::uint64_t by, Cell cell) {
  const AgentEvent* e = event_of(sim, AgentEventKind::refused, key);
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->reason, reason) << to_string(e->reason);
  EXPECT_EQ(e->by, by);
  EXPECT_EQ(e->cell, cell);
}

// --- teleports

TEST(Teleport, TakesPlaceBeforeTheStepsAndTheAgentWalksOn) {
  Scene s({".........."});
  s.open({{1, {0, 0}, {9, 0}}});
  for (int t = 0; t < 3; ++t) s.step();
  ASSERT_TRUE(s.sim().teleport(s.id(1), {1, 0}).ok());
  EXPECT_EQ(s.step().moved, 1u);
  EXPECT_EQ(s.agent(1).cell, (Cell{2, 0}));
  const auto moves = s.sim().moves();
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_EQ(moves[0].from, (Cell{3, 0}));
  EXPECT_EQ(moves[0].to, (Cell{1, 0}));
  EXPECT_EQ(moves[0].ticks, 0u);
  EXPECT_EQ(moves[1].from, (Cell{1, 0}));
  EXPECT_EQ(moves[1].ticks, 1u);
  const AgentEvent* e = event_of(s.sim(), AgentEventKind::teleported, 1);
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->cell, (Cell{1, 0}));
  s.run(20);
  EXPECT_EQ(s.arrival(1), 11u);  // 4, and 7 from 2,0 to 9,0
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Teleport, OntoItsGoalItArrivesInThatTick) {
  for (const bool vanish : {false, true}) {
    Scene s({".........."});
    s.open({{1, {0, 0}, {9, 0}, vanish}});
    s.step();
    ASSERT_TRUE(s.sim().teleport(s.id(1), {9, 0}).ok());
    EXPECT_EQ(s.step().arrived, 1u);
    EXPECT_EQ(s.arrival(1), 2u);
    EXPECT_EQ(s.sim().left().size(), vanish ? 1u : 0u);
    s.step();
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

TEST(Teleport, OffItsGoalItWalksBackAndArrivesAgain) {
  Scene s({".........."});
  s.open({{1, {7, 0}, {9, 0}}});
  s.run(5);
  EXPECT_EQ(s.arrival(1), 2u);
  ASSERT_TRUE(s.sim().teleport(s.id(1), {6, 0}).ok());
  s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::moving);
  EXPECT_EQ(s.arrivals(), 0u);
  s.run(9);
  EXPECT_EQ(s.arrival(1), 5u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// A held field keeps agents where they are; one that is put elsewhere has not arrived there.
TEST(Teleport, OffItsGoalUnderAnOldFieldItHasNotArrived) {
  SimulationDef def;
  def.adopt_latency_ticks = 5;
  Scene s({"......", "......"}, def);
  s.open({{1, {5, 0}, {5, 0}}});
  ASSERT_TRUE(s.sim().edit(wall_at({3, 1})).ok());
  ASSERT_TRUE(s.sim().teleport(s.id(1), {0, 0}).ok());
  s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::stopped);
  EXPECT_EQ(s.agent(1).reason, Reason::stale);
  s.run(20);
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
}

TEST(Teleport, WhereNobodyCanStandIsRefusedAtOnce) {
  Scene s({"....#.....", "....?....."});
  s.open({{1, {0, 0}, {9, 0}}, {2, {6, 0}, {6, 0}}, {3, {9, 1}, {9, 1}, false, 50}});
  const auto code = [&](std::uint64_t key, Cell to) { return s.sim().teleport(s.id(key), to).code(); };
  EXPECT_EQ(code(1, {4, 0}), StatusCode::start_blocked);
  EXPECT_EQ(code(1, {4, 1}), StatusCode::start_blocked);
  EXPECT_EQ(code(1, {10, 0}), StatusCode::start_outside);
  EXPECT_EQ(code(1, {0, 0, 1}), StatusCode::start_outside);
  const Status held = s.sim().teleport(s.id(1), {6, 0});
  EXPECT_EQ(held.code(), StatusCode::start_conflict);
  EXPECT_NE(held.message().find("held by agent 2"), std::string::npos) << held.message();
  EXPECT_EQ(code(3, {8, 1}), StatusCode::argument);  // it is not there yet
  EXPECT_EQ(s.sim().teleport({77, 1}, {1, 0}).code(), StatusCode::handle);
  EXPECT_EQ(code(1, {0, 0}), StatusCode::ok);  // its own place
  s.step();
  EXPECT_EQ(event_of(s.sim(), AgentEventKind::refused, 1), nullptr);
}

TEST(Teleport, AWideBodyNeedsAllItsCells) {
  Scene s({"......", "......", "....#.", "......"});
  s.open({{1, {0, 0}, {0, 0}, false, 0, 2}, {2, {5, 0}, {5, 0}}});
  EXPECT_EQ(s.sim().teleport(s.id(1), {3, 1}).code(), StatusCode::start_blocked);
  EXPECT_EQ(s.sim().teleport(s.id(1), {4, 0}).code(), StatusCode::start_conflict);
  EXPECT_EQ(s.sim().teleport(s.id(1), {5, 0}).code(), StatusCode::start_blocked);
  ASSERT_TRUE(s.sim().teleport(s.id(1), {1, 1}).ok());  // over a part of itself
  s.step();
  const auto moves = s.sim().moves();
  ASSERT_FALSE(moves.empty());
  EXPECT_EQ(moves[0].to, (Cell{1, 1}));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Teleport, ThatTurnsOutWrongWhenItComesIntoForceIsAnEventAndNothingElse) {
  Scene s({".........."});
  s.open({{1, {0, 0}, {9, 0}}, {2, {5, 0}, {5, 0}}});
  const std::uint64_t now = s.sim().tick();
  ASSERT_TRUE(s.sim().submit({now + 2, 0, EditMap{wall_at({7, 0})}}).ok());
  ASSERT_TRUE(s.sim().submit({now + 2, 0, Teleport{s.id(1), {7, 0}}}).ok());
  ASSERT_TRUE(s.sim().submit({now + 3, 0, Teleport{s.id(1), {5, 0}}}).ok());
  s.step();
  const Cell before = s.agent(1).cell;
  s.step();
  expect_refused(s.sim(), 1, Reason::illegal, 0, {7, 0});
  EXPECT_LE(std::abs(s.agent(1).cell.x - before.x), 1);
  s.step();
  expect_refused(s.sim(), 1, Reason::reserved_by, 2, {5, 0});
  for (const MoveRecord& m : s.sim().moves()) EXPECT_EQ(m.ticks, 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// The first gives its place up, the second takes it: in the order of the commands, whatever the keys.
TEST(Teleport, OfSeveralTheFirstMakesRoomForTheSecond) {
  for (const std::uint64_t first : {1u, 2u}) {
    const std::uint64_t second = 3 - first;
    Scene s({"....", "...."});
    s.open({{first, {0, 0}, {0, 0}}, {second, {3, 0}, {3, 0}}});
    ASSERT_TRUE(s.sim().teleport(s.id(first), {1, 1}).ok());
    ASSERT_TRUE(s.sim().teleport(s.id(second), {0, 0}).ok());  // may become free: judged later
    s.step();
    EXPECT_NE(event_of(s.sim(), AgentEventKind::teleported, first), nullptr);
    EXPECT_NE(event_of(s.sim(), AgentEventKind::teleported, second), nullptr);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

TEST(Teleport, OfSeveralForOneAgentTheLastCounts) {
  Scene s({"........"});
  s.open({{1, {0, 0}, {0, 0}}});
  ASSERT_TRUE(s.sim().teleport(s.id(1), {3, 0}).ok());
  ASSERT_TRUE(s.sim().teleport(s.id(1), {6, 0}).ok());
  s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{5, 0}));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Teleport, OfAnAgentThatIsRemovedInTheSameTickIsNothing) {
  Scene s({"........"});
  s.open({{1, {0, 0}, {7, 0}}});
  ASSERT_TRUE(s.sim().teleport(s.id(1), {3, 0}).ok());
  ASSERT_TRUE(s.sim().remove_agent(s.id(1)).ok());
  s.step();
  EXPECT_TRUE(s.sim().moves().empty());
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// --- pushes

TEST(Push, IsOneStepBeforeAnybodyElses) {
  Scene s({".........."});
  s.open({{1, {0, 0}, {9, 0}}});
  for (int t = 0; t < 3; ++t) s.step();
  ASSERT_TRUE(s.sim().push(s.id(1), Direction::west).ok());
  s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{2, 0}));
  EXPECT_EQ(s.agent(1).state, AgentState::moving);
  ASSERT_EQ(s.sim().moves().size(), 1u);
  EXPECT_EQ(s.sim().moves()[0].ticks, 1u);
  ASSERT_NE(event_of(s.sim(), AgentEventKind::pushed, 1), nullptr);
  s.run(20);
  EXPECT_EQ(s.arrival(1), 11u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Push, MovesThoseWhoStandForReasonsOfTheirOwn) {
  SimulationDef def;
  def.adopt_latency_ticks = 4;
  Scene s({"......", "......"}, def);
  s.open({{1, {5, 0}, {5, 0}}, {2, {0, 0}, {4, 0}}});
  ASSERT_TRUE(s.sim().edit(wall_at({3, 1})).ok());
  s.step();
  EXPECT_EQ(s.agent(2).reason, Reason::stale);
  ASSERT_TRUE(s.sim().push(s.id(1), Direction::south).ok());  // arrived
  ASSERT_TRUE(s.sim().push(s.id(2), Direction::south).ok());  // stopped
  s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{5, 1}));
  EXPECT_EQ(s.agent(2).cell, (Cell{0, 1}));
  s.run(20);
  EXPECT_EQ(s.agent(1).cell, (Cell{5, 0}));
  EXPECT_EQ(s.arrivals(), 2u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Push, WithoutAFieldIsAStepAllTheSame) {
  SimulationDef def;
  def.adopt_latency_ticks = 9;
  Scene s({"....", "...."}, def);
  s.open({{1, {0, 0}, {3, 0}}});
  s.step();
  s.add({2, {3, 1}, {0, 1}});
  s.step();
  s.step();
  ASSERT_EQ(s.agent(2).reason, Reason::not_ready);
  ASSERT_TRUE(s.sim().push(s.id(2), Direction::west).ok());
  s.step();
  EXPECT_EQ(s.agent(2).cell, (Cell{2, 1}));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Push, AgainstWallsRulesAndBodiesIsRefused) {
  Scene s({"..#.", "....", "...."});
  MapEdit rule;
  rule.steps = {{{{1, 1}, Direction::south}, false, 0}};
  ASSERT_TRUE(s.map().apply(rule).ok());
  s.open({{1, {1, 1}, {1, 1}}, {2, {0, 1}, {0, 1}}});
  const auto code = [&](Direction d) { return s.sim().push(s.id(1), d).code(); };
  EXPECT_EQ(code(Direction::north_east), StatusCode::start_blocked);  // the wall
  EXPECT_EQ(code(Direction::south), StatusCode::start_blocked);       // the one-way
  EXPECT_EQ(code(Direction::west), StatusCode::start_conflict);
  EXPECT_EQ(s.sim().push(s.id(1), static_cast<Direction>(8)).code(), StatusCode::argument);
  EXPECT_EQ(s.sim().push({9, 9}, Direction::east).code(), StatusCode::handle);
  ASSERT_TRUE(s.sim().push(s.id(2), Direction::north).ok());
  EXPECT_EQ(code(Direction::west), StatusCode::ok);  // something waits already: judged when it comes into force
  EXPECT_EQ(s.sim().push(s.id(2), Direction::west).code(), StatusCode::ok);
  s.step();
  expect_refused(s.sim(), 1, Reason::reserved_by, 2, {0, 1});
  expect_refused(s.sim(), 2, Reason::illegal, 0, {-1, 1});
  EXPECT_TRUE(s.sim().moves().empty());
}

// 2 would step to 2,0, where 1 is pushed: it has to wait for it.
TEST(Push, GoesFirst) {
  Scene s({".....", "#####"});
  s.open({{1, {3, 0}, {3, 0}}, {2, {1, 0}, {2, 0}, false, 0, 1, {}, 9}});
  ASSERT_TRUE(s.sim().push(s.id(1), Direction::west).ok());
  s.step();
  EXPECT_EQ(s.agent(1).cell, (Cell{2, 0}));
  EXPECT_EQ(s.agent(2).cell, (Cell{1, 0}));
  EXPECT_EQ(s.agent(2).by, 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Push, ThatWouldTouchABodyOnTheWayIsRefused) {
  Scene s({"....", "....", "....", "...."});
  s.open({{1, {0, 0}, {0, 0}, false, 0, 2, Fixed::ratio(1, 1)}, {2, {2, 0}, {2, 0}, false, 0, 1, Fixed::ratio(1, 2)}});
  s.step();
  ASSERT_TRUE(s.sim().push(s.id(2), Direction::south).ok());
  ASSERT_TRUE(s.sim().push(s.id(1), Direction::south_east).ok());
  s.step();
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  EXPECT_NE(event_of(s.sim(), AgentEventKind::pushed, 2), nullptr);
  EXPECT_NE(event_of(s.sim(), AgentEventKind::refused, 1), nullptr);
}

// --- prices

// The door's row is the short way, 80 units; round it are 120. Dearer by 90 from tick 2 on, which is in force at 7:
// nobody stops in between, and from then on the other way is taken.
TEST(Price, OfADoorSupersedesTheFieldAndStopsNobody) {
  SimulationDef def;
  def.adopt_latency_ticks = 5;
  Scene s({".........", ".#.#####.", "........."}, def);
  const std::uint32_t door = s.door("gate", {{6, 0}});
  s.moves(Moves::four).open({{1, {0, 0}, {8, 0}, true}, {2, {0, 2}, {8, 0}, true}});
  ASSERT_TRUE(s.sim().submit({2, 0, EditMap{door_to(door, DoorState::open, 90)}}).ok());
  for (int t = 1; t <= 6; ++t) {
    s.step();
    for (const std::uint64_t key : {1u, 2u}) {
      EXPECT_EQ(s.agent(key).state, AgentState::moving) << "tick " << t;
      EXPECT_NE(s.agent(key).reason, Reason::stale);
    }
  }
  EXPECT_EQ(s.sim().metrics().stale_stops, 0u);
  EXPECT_EQ(s.sim().adoptions().size(), 0u);
  s.step();
  EXPECT_EQ(s.sim().adoptions().size(), 1u);
  EXPECT_EQ(s.sim().snapshot()->look_up(s.any_profile(), s.goal("8,0v"), {5, 0}).cost, 120u);  // through the door
  EXPECT_EQ(s.sim().snapshot()->look_up(s.any_profile(), s.goal("8,0v"), {0, 0}).cost, 120u);  // round it
  s.run(40);
  EXPECT_EQ(s.arrivals(), 2u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Price, OfGroundOrASingleStepStopsNobodyEither) {
  for (const bool ground : {true, false}) {
    SimulationDef def;
    def.adopt_latency_ticks = 4;
    Scene s({"......", "......"}, def);
    s.open({{1, {0, 0}, {5, 0}}});
    MapEdit edit;
    if (ground)
      edit = set_terrain({3, 0}, TerrainId{2});
    else
      edit.steps = {{{{2, 0}, Direction::east}, true, 30}};
    ASSERT_TRUE(s.sim().submit({2, 0, EditMap{edit}}).ok());
    s.run(20);
    EXPECT_EQ(s.arrival(1), 5u);
    EXPECT_EQ(s.sim().metrics().stale_stops, 0u);
  }
}

// Nobody may read costs of one map beside another: to those who ask, the field is old until the new one is in.
TEST(Price, OldPricesAreNeverGivenOutAsNewOnes) {
  SimulationDef def;
  def.adopt_latency_ticks = 3;
  Scene s({"......"}, def);
  const std::uint32_t door = s.door("gate", {{3, 0}});
  s.open({{1, {0, 0}, {5, 0}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{door_to(door, DoorState::open, 7)}}).ok());
  const auto look = [&] { return s.sim().snapshot()->look_up(s.any_profile(), s.goal("5,0"), {0, 0}); };
  s.step();
  EXPECT_EQ(look().state, CellState::stale);
  for (int t = 0; t < 3; ++t) s.step();
  EXPECT_EQ(look().cost, 57u);
}

TEST(Price, ADoorThatClosesStillStops) {
  SimulationDef def;
  def.adopt_latency_ticks = 3;
  Scene s({"......", "......"}, def);
  const std::uint32_t door = s.door("gate", {{4, 0}});
  s.open({{1, {0, 0}, {5, 0}}});
  ASSERT_TRUE(s.sim().submit({1, 0, EditMap{door_to(door, DoorState::open, 7)}}).ok());
  ASSERT_TRUE(s.sim().submit({2, 0, EditMap{door_to(door, DoorState::closed)}}).ok());
  s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::moving);
  s.step();
  EXPECT_EQ(s.agent(1).reason, Reason::stale);
  s.run(20);
  EXPECT_EQ(s.arrivals(), 1u);
}

// A state that is saved while a price is on its way goes on as the run does.
TEST(Price, OnItsWayIsPartOfTheState) {
  SimulationDef def;
  def.adopt_latency_ticks = 6;
  Scene s({"........", ".######.", "........"}, def);
  const std::uint32_t door = s.door("gate", {{4, 0}});
  s.open({{1, {0, 0}, {7, 0}}, {2, {0, 2}, {7, 0}}});
  ASSERT_TRUE(s.sim().submit({2, 0, EditMap{door_to(door, DoorState::open, 500)}}).ok());
  for (int t = 0; t < 4; ++t) s.step();
  std::vector<std::byte> bytes, again;
  ASSERT_TRUE(s.sim().save(bytes).ok());
  Result<Simulation> loaded = Simulation::load(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  ASSERT_TRUE(loaded->save(again).ok());
  EXPECT_EQ(again, bytes);
  for (int t = 0; t < 12; ++t) EXPECT_EQ(loaded->step().digests, s.step().digests);
}

// --- for later

// Every kind of change, given for tick 4: nothing of it shows at the end of tick 3, all of it at the end of tick 4.
TEST(Scheduled, EveryKindOfChangeComesInWithTheStepOfItsTick) {
  SimulationDef def;
  def.adopt_latency_ticks = 0;
  Scene s({"............", "............", "............"}, def);
  const std::uint32_t closing = s.door("closing", {{11, 2}}), priced = s.door("priced", {{10, 2}});
  s.open({{1, {0, 0}, {0, 0}}, {2, {3, 0}, {3, 0}}, {3, {6, 0}, {6, 0}}, {4, {9, 0}, {9, 0}}, {5, {0, 2}, {0, 2}}});
  MapEdit edit = wall_at({5, 1});
  edit.doors = {{closing, DoorState::closed, 0}, {priced, DoorState::open, 12}};
  edit.steps = {{{{8, 2}, Direction::north}, false, 0}};
  ASSERT_TRUE(s.sim().submit({4, 0, EditMap{edit}}).ok());
  ASSERT_TRUE(s.sim().submit({4, 0, RemoveAgent{s.id(1)}}).ok());
  ASSERT_TRUE(s.sim().submit({4, 0, Retarget{s.id(2), s.goal("0,0")}}).ok());
  ASSERT_TRUE(s.sim().submit({4, 0, Teleport{s.id(3), {7, 2}}}).ok());
  ASSERT_TRUE(s.sim().submit({4, 0, Push{s.id(4), Direction::east}}).ok());
  ASSERT_TRUE(s.sim().submit({4, 0, SetGoal{s.goal("0,2"), {{{{4, 2}, 0}}, GoalPlacement::exact}}}).ok());
  s.add({6, {6, 2}, {6, 2}, false, 4});
  for (int t = 1; t <= 3; ++t) EXPECT_EQ(s.step().moved, 0u) << "tick " << t;
  EXPECT_EQ(s.sim().map().map_version(), 0u);
  EXPECT_EQ(s.sim().agent_count(), 6u);
  EXPECT_EQ(s.agent(6).state, AgentState::not_started);
  s.step();
  const MapView& map = s.sim().map();
  EXPECT_EQ(map.terrain(map.shape().index({5, 1})), kWall);
  EXPECT_FALSE(map.doors()[closing].open);
  EXPECT_EQ(map.doors()[priced].cost, 12u);
  EXPECT_EQ(map.step_rules().size(), 1u + 5u);  // the one-way, and the price of the five steps into the door
  EXPECT_FALSE(s.sim().find_agent(1).ok());
  EXPECT_EQ(s.agent(2).cell, (Cell{2, 0}));
  EXPECT_LE(std::abs(s.agent(3).cell.x - 7), 1);
  EXPECT_EQ(s.agent(4).cell, (Cell{10, 0}));
  EXPECT_EQ(s.agent(5).cell, (Cell{1, 2}));
  EXPECT_EQ(s.agent(6).cell, (Cell{6, 2}));
  EXPECT_EQ(s.sim().commands().size(), 6u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// Its cells are free before the steps of the tick, and the judge knows it.
TEST(Removed, MakesRoomInTheSameTick) {
  Scene s({"....."});
  s.open({{1, {2, 0}, {2, 0}}, {2, {0, 0}, {4, 0}}});
  s.step();
  s.step();
  EXPECT_EQ(s.agent(2).cell, (Cell{1, 0}));
  ASSERT_TRUE(s.sim().remove_agent(s.id(1)).ok());
  s.step();
  EXPECT_EQ(s.agent(2).cell, (Cell{2, 0}));
  EXPECT_EQ(s.sim().removed().size(), 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// --- rollback and bytes

TEST(Orders, AreDoneAgainAfterARollbackAndAfterALoad) {
  Scene s({"..........", "..........", ".........."});
  s.open({{1, {0, 0}, {9, 0}}, {2, {0, 1}, {9, 1}}, {3, {0, 2}, {9, 2}, true}});
  s.step();
  ASSERT_TRUE(s.sim().submit({4, 0, Teleport{s.id(1), {8, 2}}}).ok());
  ASSERT_TRUE(s.sim().submit({4, 0, Push{s.id(2), Direction::north}}).ok());
  ASSERT_TRUE(s.sim().submit({5, 0, Teleport{s.id(3), {9, 2}}}).ok());
  SimulationSnapshot snapshot;
  std::vector<std::byte> bytes;
  ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  ASSERT_TRUE(s.sim().save(bytes).ok());
  std::vector<Digests> first, second, third;
  for (int t = 0; t < 8; ++t) first.push_back(s.step().digests);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  ASSERT_TRUE(s.sim().restore(snapshot).ok());
  for (int t = 0; t < 8; ++t) second.push_back(s.sim().step().digests);
  EXPECT_EQ(second, first);
  Result<Simulation> loaded = Simulation::load(bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  for (int t = 0; t < 8; ++t) third.push_back(loaded->step().digests);
  EXPECT_EQ(third, first);
}

TEST(Orders, ShowInTheDigestOfTheirTick) {
  std::vector<Digests> digests;
  for (int kind = 0; kind < 3; ++kind) {
    Scene s({"....", "...."});
    s.open({{1, {0, 0}, {0, 0}}});
    // Both end where the agent began: the jump is followed by a step back.
    if (kind != 0) {
      ASSERT_TRUE(s.sim().teleport(s.id(1), {1, kind - 1}).ok());
    }
    digests.push_back(s.step().digests);
    EXPECT_EQ(s.agent(1).cell, (Cell{0, 0}));
  }
  for (int kind : {1, 2}) EXPECT_NE(digests[0].reservations, digests[static_cast<std::size_t>(kind)].reservations);
  EXPECT_NE(digests[1].reservations, digests[2].reservations);
}

}  // namespace
}  // namespace drover::test
