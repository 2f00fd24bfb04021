// SPDX-License-Identifier: MIT
// Every invariant of a tick, broken on purpose, is reported with who and where.
#include "sim/invariants.hpp"

#include "support/grids.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace drover::sim {
namespace {

// Agents 10, 11, 12 in row 0 of an 8 x 4 map, and 20 with a body of 2 x 2 at (4,1).
struct World {
  World() : reservations(agents, shape, BodyRule::discs, Following::allowed) {
    const std::uint8_t small = reservations.table().add({1, MovementProfile{}.radius()});
    const std::uint8_t large = reservations.table().add({2, Fixed::ratio(85, 100)});
    add(10, {0, 0}, small);
    add(11, {1, 0}, small);
    add(12, {2, 0}, small);
    add(20, {4, 1}, large);
    reservations.place_all(placed);
  }
  void add(std::uint64_t key, Cell at, std::uint8_t body) {
    const std::uint32_t slot = agents.append();
    agents.key[slot] = key;
    agents.at[slot] = at;
    agents.cell[slot] = shape.index(at).value;
    agents.body[slot] = body;
    placed.push_back(slot);
    on_map.push_back(1);
  }
  std::string places() const { return invariants().places(placed, 0, placed.size()); }
  std::string cells() const { return invariants().cells(0, shape.padded_cells()); }
  Invariants invariants() const { return {agents, reservations, shape, on_map}; }

  GridShape shape = *GridShape::create(8, 4);
  crowd::Agents agents;
  crowd::Reservations reservations;
  std::vector<std::uint32_t> placed;
  std::vector<std::uint8_t> on_map;
};

TEST(Invariants, AWholeWorldHasNothingToSay) {
  const World w;
  EXPECT_EQ(w.places(), "");
  EXPECT_EQ(w.cells(), "");
}

TEST(Invariants, AnAgentThatHoldsNothing) {
  World w;
  w.reservations.lift(1);
  EXPECT_EQ(w.places(), "agent 11 at 1,0: cell 1,0 is held by nobody");
  EXPECT_EQ(w.cells(), "") << "no holder is wrong";
}

TEST(Invariants, TwoAgentsInOneCell) {
  World w;
  w.agents.cell[1] = w.agents.cell[2];
  w.agents.at[1] = w.agents.at[2];
  EXPECT_EQ(w.places(), "agent 11 at 2,0: cell 2,0 is held by agent 12");
  EXPECT_EQ(w.cells(), "cell 1,0 is held by agent 11 at 2,0") << "which stands elsewhere";
}

TEST(Invariants, ALargeBodyThatLacksOneOfItsCells) {
  World w;
  w.add(21, {5, 2}, w.agents.body[0]);
  w.reservations.place(4);
  EXPECT_EQ(w.places(), "agent 20 at 4,1: cell 5,2 is held by agent 21");
  w.on_map[4] = 0;
  EXPECT_EQ(w.cells(), "cell 5,2 is held by agent 21 at 5,2, which is not on the map");
}

TEST(Invariants, ALargeBodyThatHoldsMoreThanItsCells) {
  World w;
  const std::uint32_t before = w.agents.cell[3];
  w.agents.cell[3] += 1;
  w.agents.at[3].x += 1;
  w.reservations.place(3);
  EXPECT_EQ(w.places(), "");
  EXPECT_EQ(w.cells(), "cell 4,1 is held by agent 20 at 5,1");
  w.agents.cell[3] = before;
  EXPECT_EQ(w.places(), "agent 20 at 5,1 is not on the map, or not in cell 4,1");
}

TEST(Invariants, AStepThatWasGrantedAndNeverDone) {
  World w;
  for (const std::uint32_t agent : w.placed) w.agents.move[agent] = crowd::kUndecided;
  ASSERT_TRUE(w.reservations.reserve(2, static_cast<std::uint8_t>(Direction::east)).granted);
  EXPECT_EQ(w.cells(), "cell 3,0 is still being entered by agent 12 at 2,0");
  ASSERT_TRUE(w.reservations.reserve(1, static_cast<std::uint8_t>(Direction::east)).granted);
  EXPECT_EQ(w.places(), "agent 12 at 2,0: cell 2,0 is still being entered by agent 11");
  w.reservations.release(1);
  w.reservations.release(2);
  EXPECT_EQ(w.cells() + w.places(), "");
}

TEST(Invariants, AgentsOutOfOrder) {
  World w;
  std::swap(w.placed[1], w.placed[2]);
  EXPECT_EQ(w.places(), "agent 11 at 1,0 comes after agent 12; ascending keys are expected");
  EXPECT_EQ(w.invariants().places(w.placed, 2, 3), w.places()) << "also where a piece begins between them";
}

TEST(Invariants, AStepThatTheGraphDoesNotHave) {
  World w;
  const GridMap map = test::map_of({"...#....", "........", "........", "........"});
  const NavGraph graph = *NavGraph::compile(map.view(), MovementProfile{});
  w.agents.at[2] = {3, 1};
  w.agents.cell[2] = w.shape.index({3, 1}).value;
  w.agents.came_by[2] = static_cast<std::uint8_t>(Direction::east);
  EXPECT_EQ(w.invariants().step(2, graph.compiled()), "");
  w.agents.came_by[2] = static_cast<std::uint8_t>(Direction::south);
  EXPECT_EQ(w.invariants().step(2, graph.compiled()), "agent 12 at 3,1 came from 3,0, a step its body may not take");
  w.agents.came_by[2] = static_cast<std::uint8_t>(Direction::south_east);
  EXPECT_EQ(w.invariants().step(2, graph.compiled()), "agent 12 at 3,1 came from 2,0, a step its body may not take")
      << "it cut the corner of the wall";
  w.agents.came_by[2] = crowd::kStay;
  EXPECT_EQ(w.invariants().step(2, graph.compiled()), "agent 12 at 3,1 moved without a direction");
}

TEST(Invariants, StatesThatDoNotSumToTheAgents) {
  const StateCounts counts{1, 2, 3, 0, 0, 0, 0, 4};
  EXPECT_EQ(Invariants::counts(counts, 10), "");
  EXPECT_EQ(Invariants::counts(counts, 11), "the eight states sum to 10; there are 11 agents");
}

TEST(Invariants, AFieldThatCameTooEarly) {
  std::vector<Profile> profiles(2);
  profiles[1].latency_ticks = 3;
  std::vector<Adoption> adoptions{{5, 6, {0, 1}, {0, 1}, 1}, {5, 8, {1, 1}, {4, 1}, 1}};
  EXPECT_EQ(Invariants::adoptions(adoptions, profiles), "");
  adoptions[1].tick = 7;
  EXPECT_EQ(Invariants::adoptions(adoptions, profiles),
            "the field of profile 1 to goal 4, asked for at tick 5, came into force at tick 7; not before tick 8 is "
            "expected");
}

TEST(Invariants, PiecesOfTicksInARowCoverEverythingOnce) {
  for (const std::uint64_t count : {0u, 1u, 7u, 8u, 9u, 1000u}) {
    std::uint64_t next = 0;
    for (std::uint64_t tick = 16; tick < 24; ++tick) {
      const Piece piece = piece_of(count, 8, tick);
      EXPECT_EQ(piece.begin, next);
      next = piece.end;
    }
    EXPECT_EQ(next, count);
  }
}

// A host that loses one task of the second tick on: the agents in it keep the step of the tick before, which others
// rely on and nobody takes.
struct LosesTasks {
  std::uint64_t loops = 0;
  static void run(void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
    auto& self = *static_cast<LosesTasks*>(context);
    const bool loses = ++self.loops > 1;
    for (std::uint32_t i = 0; i < count; ++i)
      if (!loses || i != 1) task(argument, i);
  }
  static void failed(void*, const char*, int, const char* condition) {
    std::fprintf(stderr, "told: %s\n", condition);
    std::exit(70);
  }
};

TEST(InvariantsDeathTest, TheHostIsToldOfABrokenTickByTickAgentAndCell) {
  LosesTasks tasks;
  Host host;
  host.tasks = {&tasks, 1, LosesTasks::run};
  host.on_assert = {nullptr, LosesTasks::failed};
  Simulation s = *Simulation::create(test::map_of(std::vector<std::string>(60, std::string(120, '.'))), {}, host);
  SimulationGoal gate;
  gate.where.cells = {{{119, 25}, 0}};
  gate.on_arrival = OnArrival::vanish;
  const ProfileId walker = *s.add_profile({});
  const GoalId goal = *s.add_goal(gate);
  for (std::int32_t i = 0; i < 5000; ++i)
    ASSERT_TRUE(s.add_agent({static_cast<std::uint64_t>(i + 1), {i % 100, i / 100}, walker, goal, {}, 0, 0}).ok());
  ASSERT_TRUE(s.start().ok());
  tasks.loops = 0;
  EXPECT_EXIT(for (int t = 0; t < 12; ++t) s.step(), testing::ExitedWithCode(70),
              "told: tick [0-9]+: agent [0-9]+ at [0-9]+,[0-9]+: cell [0-9]+,[0-9]+ is held by agent [0-9]+");
}

}  // namespace
}  // namespace drover::sim
