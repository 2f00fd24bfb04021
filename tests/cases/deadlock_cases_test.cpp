// SPDX-License-Identifier: MIT
// Cases from users' reports about agents that stand nose to nose, by the id of the report.
#include "oracle/joint_oracle.hpp"
#include "support/grids.hpp"
#include "support/scene.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <algorithm>
#include <cstdlib>

namespace drover::test {
namespace {

std::uint64_t count(Scene& s, AgentState state) { return s.sim().state_counts()[static_cast<std::size_t>(state)]; }

TEST(Deadlock, deadlock_corridor_without_a_bay) {
  for (const BodyRule bodies : {BodyRule::discs, BodyRule::cells}) {
    SimulationDef def;
    def.bodies = bodies;
    Scene s({"........."}, def);
    s.moves(Moves::four).open({{1, {0, 0}, {8, 0}}, {2, {8, 0}, {0, 0}}});
    std::size_t said = 0;
    for (std::uint64_t t = 1; t <= 100 && !s.sim().finished(); ++t) {
      s.step();
      for (const AgentEvent& e : s.sim().events()) said += e.state == AgentState::no_space ? 1u : 0u;
    }
    EXPECT_TRUE(s.sim().finished());
    EXPECT_LE(s.sim().tick(), 14u) << "they meet at tick 4";
    EXPECT_EQ(count(s, AgentState::no_space), 2u);
    EXPECT_EQ(said, 2u) << "each once";
    EXPECT_EQ(s.sim().metrics().deadlocks, 1u);
    EXPECT_EQ(s.agent(1).by, 2u);
    EXPECT_EQ(s.agent(2).by, 1u);
    const Cell one = s.agent(1).cell, two = s.agent(2).cell;
    for (int t = 0; t < 50; ++t) {
      s.step();
      EXPECT_TRUE(s.sim().moves().empty());
    }
    EXPECT_EQ(s.agent(1).cell, one);
    EXPECT_EQ(s.agent(2).cell, two);
    EXPECT_EQ(s.sim().metrics().deadlocks, 1u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

// How often an agent that was on its way along the passage (row 1) begins to go away from its goal.
int turns_back(const Scene& s, std::uint64_t ticks, std::uint64_t key, int goal_x) {
  int turns = 0;
  bool away = false;
  const auto left = [&](std::uint64_t t) {
    return std::abs(s.at(t, key)->x - goal_x) + (s.at(t, key)->y == 1 ? 0 : 1);
  };
  for (std::uint64_t t = 1; t <= ticks; ++t) {
    if (left(t) == left(t - 1)) continue;
    if (left(t) > left(t - 1) && !away) ++turns;
    away = left(t) > left(t - 1);
  }
  return turns;
}

TEST(Deadlock, deadlock_corridor_with_one_bay) {
  struct Bay {
    std::vector<std::string> rows;
    std::uint64_t optimum, late;
  };
  for (const Bay& bay : {Bay{{"####.####", "........."}, 10, 4}, Bay{{"##.######", "........."}, 13, 8}}) {
    Scene s(bay.rows);
    s.moves(Moves::four).open({{1, {0, 1}, {8, 1}}, {2, {8, 1}, {0, 1}}});
    s.run(60);
    EXPECT_EQ(s.arrivals(), 2u);
    EXPECT_LE(std::max(s.arrival(1), s.arrival(2)), bay.optimum + bay.late);
    EXPECT_LE(turns_back(s, s.sim().tick(), 1, 8), 1);
    EXPECT_LE(turns_back(s, s.sim().tick(), 2, 0), 1);
    EXPECT_EQ(s.sim().metrics().deadlocks, 0u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
    oracle::JointWorld world{bay.rows, false, true, true, false, 35, {{0, 1, 8, 1}, {8, 1, 0, 1}}};
    EXPECT_EQ(oracle::joint_optimum(world, 1000000), static_cast<int>(bay.optimum));
  }
}

TEST(Deadlock, deadlock_ring_rotates) {
  for (const Following following : {Following::allowed, Following::forbidden}) {
    SimulationDef def;
    def.following = following;
    Scene s({"..", ".."}, def);
    s.moves(Moves::four).open({{1, {0, 0}, {1, 0}}, {2, {1, 0}, {1, 1}}, {3, {1, 1}, {0, 1}}, {4, {0, 1}, {0, 0}}});
    s.run(20);
    if (following == Following::allowed) {
      EXPECT_EQ(s.sim().tick(), 1u);
      EXPECT_EQ(s.arrivals(), 4u);
      EXPECT_EQ(s.sim().metrics().rotations, 1u);
    } else {
      EXPECT_LE(s.sim().tick(), 10u);
      EXPECT_EQ(count(s, AgentState::no_space), 4u);
      EXPECT_EQ(s.sim().metrics().deadlocks, 1u);
    }
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

// Space appears: a door beside them opens, or one of them is taken away.
TEST(Deadlock, NoSpaceEndsAsSoonAsThereIsSpace) {
  for (const bool door_opens : {true, false}) {
    SimulationDef def;
    def.adopt_latency_ticks = 0;
    Scene s({".........", "####.####"}, def);
    s.moves(Moves::four);
    const std::uint32_t door = s.door("bay", {{4, 1}});
    ASSERT_TRUE(s.map().apply(set_door(door, DoorState::closed)).ok());
    s.open({{1, {0, 0}, {8, 0}}, {2, {8, 0}, {0, 0}}});
    for (int t = 0; t < 20; ++t) s.step();
    ASSERT_EQ(count(s, AgentState::no_space), 2u);
    if (door_opens) {
      ASSERT_TRUE(s.sim().edit(set_door(door, DoorState::open)).ok());
    } else {
      ASSERT_TRUE(s.sim().remove_agent(s.id(2)).ok());
    }
    s.step();
    EXPECT_EQ(count(s, AgentState::no_space), 0u);
    for (int t = 0; t < 40; ++t) s.step();
    EXPECT_EQ(s.arrivals(), door_opens ? 2u : 1u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

// Who has arrived in a passage with a bay makes way and comes back.
TEST(Deadlock, WhoHasArrivedStepsAsideAndReturns) {
  Scene s({"###.###", "......."});
  s.moves(Moves::four).open({{1, {3, 1}, {3, 1}}, {2, {0, 1}, {6, 1}}});
  s.run(40);
  EXPECT_EQ(s.arrivals(), 2u);
  EXPECT_EQ(s.agent(1).cell, (Cell{3, 1}));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// The same jam saved in its middle, as bytes and as a snapshot, goes on as it would have.
TEST(Deadlock, JamsAreStates) {
  for (const std::vector<std::string>& rows :
       {std::vector<std::string>{"##.######", "........."}, std::vector<std::string>{"#########", "........."}}) {
    Scene s(rows);
    s.moves(Moves::four).open({{1, {0, 1}, {8, 1}}, {2, {8, 1}, {0, 1}}});
    std::vector<std::vector<std::byte>> states;
    std::vector<Digests> digests;
    for (int t = 0; t < 30; ++t) {
      states.emplace_back();
      ASSERT_TRUE(s.sim().save(states.back()).ok());
      digests.push_back(s.step().digests);
    }
    for (std::size_t from = 0; from < states.size(); ++from) {
      Result<Simulation> loaded = Simulation::load(states[from]);
      ASSERT_TRUE(loaded.ok()) << loaded.status().message();
      for (std::size_t t = from; t < 30; ++t) ASSERT_EQ(loaded->step().digests, digests[t]) << from << " " << t;
    }
    Simulation again = *Simulation::load(states[0]);
    for (std::size_t from = 0; from + 8 < states.size(); ++from) {
      SimulationSnapshot snapshot;
      ASSERT_TRUE(again.snapshot_into(snapshot).ok());
      for (std::size_t t = from; t < from + 8; ++t) ASSERT_EQ(again.step().digests, digests[t]) << from << " " << t;
      ASSERT_TRUE(again.restore(snapshot).ok());
      ASSERT_EQ(again.step().digests, digests[from]);
    }
  }
}

}  // namespace
}  // namespace drover::test
