// SPDX-License-Identifier: MIT
// A state as bytes: what is loaded goes on as what was saved, and bytes that were tampered with are refused or
// harmless.
#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "crowd_world.hpp"
#include "support/data.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace drover::test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes saved(const Simulation& sim) {
  Bytes bytes;
  const Status status = sim.save(bytes);
  EXPECT_TRUE(status.ok()) << status.message();
  return bytes;
}

// Something a host gives in the middle of a run.
void meddle(Simulation& sim, const World& w, Draw& draw) {
  const auto cell = [&] {
    return Cell{static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows[0].size()))),
                static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows.size())))};
  };
  std::vector<AgentView> agents;
  sim.agents(agents);
  const std::uint64_t later = sim.tick() + draw.below(6);
  switch (draw.below(8)) {
    case 0: {
      MapEdit edit;
      edit.cells = {{cell(), CellChange::terrain, draw.chance(50) ? kWall : kFloor}};
      EXPECT_TRUE(sim.submit({later, draw.below(3), EditMap{edit}}).ok());
      break;
    }
    case 1:
      EXPECT_TRUE(sim.submit({later, 0, SetGoal{{draw.below(3), 1}, w.goals[draw.below(3)].where}}).ok());
      break;
    case 2:
      if (!agents.empty()) {
        const auto who = draw.below(static_cast<std::uint32_t>(agents.size()));
        static_cast<void>(sim.retarget(*sim.find_agent(agents[who].key), {draw.below(3), 1}).ok());
      }
      break;
    case 3:
      if (!agents.empty()) {
        const auto who = draw.below(static_cast<std::uint32_t>(agents.size()));
        static_cast<void>(sim.remove_agent(*sim.find_agent(agents[who].key)).ok());
      }
      break;
    case 4:
      static_cast<void>(sim.add_agent({20000 + sim.tick(), cell(), {0, 1}, {1, 1}, {}, later, 0}).ok());
      break;
    case 5:
    case 6:
      if (!agents.empty()) {
        const AgentId who = *sim.find_agent(agents[draw.below(static_cast<std::uint32_t>(agents.size()))].key);
        const Command order = draw.chance(50) ? Command{later, 0, Teleport{who, cell()}}
                                              : Command{later, 0, Push{who, static_cast<Direction>(draw.below(8))}};
        static_cast<void>(sim.submit(order).ok());
      }
      break;
    default:
      if (sim.tick() % 4 == 0) static_cast<void>(sim.add_goal(w.goals[0]).ok());
      break;
  }
}

TEST(StateBytes, WhatIsLoadedGoesOnAsWhatWasSavedAndSavesTheSameBytes) {
  const std::uint64_t worlds = long_run() ? 4000 : 300;
  ThreadTasks threads(3);
  std::uint64_t ran = 0, stale = 0;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    const World w = seed % 3 == 0 ? timed_world(seed) : random_world(seed);
    Simulation sim = make_simulation(w);
    if (!sim.start().ok()) continue;
    ++ran;
    Draw draw(seed + 1000000);
    const std::uint64_t until = draw.below(40);
    while (sim.tick() < until) {
      meddle(sim, w, draw);
      sim.step();
    }
    meddle(sim, w, draw);  // commands that wait
    for (const BundleEntry& e : sim.snapshot()->entries()) stale += e.freshness == Freshness::stale;
    const Bytes bytes = saved(sim);
    Result<Simulation> loaded = Simulation::load(bytes, seed % 2 == 0 ? threads.host() : Host{});
    ASSERT_TRUE(loaded.ok()) << "world " << seed << ": " << loaded.status().message();
    ASSERT_EQ(saved(*loaded), bytes) << "world " << seed;
    EXPECT_EQ(loaded->state_counts(), sim.state_counts());
    for (int t = 0; t < 12; ++t) {
      const Digests expected = sim.step().digests;
      ASSERT_EQ(loaded->step().digests, expected) << "world " << seed << " tick " << sim.tick();
      Draw one(seed * 100 + static_cast<std::uint64_t>(t)), other(seed * 100 + static_cast<std::uint64_t>(t));
      meddle(sim, w, one);
      meddle(*loaded, w, other);
    }
    ASSERT_EQ(saved(*loaded), saved(sim)) << "world " << seed;
  }
  EXPECT_GT(ran, worlds / 2);
  EXPECT_GT(stale, 0u);
}

TEST(StateBytes, InputsGivenAgainMakeTheSameRun) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const World w = seed % 3 == 0 ? timed_world(seed) : random_world(seed);
    Simulation sim = make_simulation(w);
    if (!sim.start().ok()) continue;
    Simulation again = *Simulation::load(saved(sim));
    Draw draw(seed);
    std::size_t inputs = 0;
    for (int t = 0; t < 40; ++t) {
      meddle(sim, w, draw);
      const Digests expected = sim.step().digests;
      inputs += sim.inputs().size();
      for (const Input& input : sim.inputs()) EXPECT_TRUE(again.give(input).ok());
      ASSERT_EQ(again.step().digests, expected) << "world " << seed << " tick " << sim.tick();
      EXPECT_EQ(again.commands().size(), sim.commands().size());
    }
    EXPECT_GT(inputs, 0u);
    ASSERT_EQ(saved(again), saved(sim));
  }
}

// Bytes of the state with a checksum that fits again.
Bytes sealed(Bytes bytes) {
  bytes.resize(bytes.size() - 8);
  base::ByteWriter sum;
  sum.u64(base::digest_of(bytes));
  bytes.insert(bytes.end(), sum.bytes().begin(), sum.bytes().end());
  return bytes;
}

TEST(StateBytes, DamagedBytesAreRefused) {
  Simulation sim = make_simulation(random_world(7));
  ASSERT_TRUE(sim.start().ok());
  for (int t = 0; t < 9; ++t) sim.step();
  const Bytes bytes = saved(sim);
  for (std::size_t i = 0; i < bytes.size(); i += 1 + i / 64) {
    Bytes flipped = bytes;
    flipped[i] ^= static_cast<std::byte>(1 << i % 8);
    EXPECT_EQ(Simulation::load(flipped).status().code(), StatusCode::snapshot) << "byte " << i;
    EXPECT_EQ(Simulation::load(std::span(bytes).first(i)).status().code(), StatusCode::snapshot) << "cut at " << i;
  }
  Bytes newer = bytes;
  newer[8] = std::byte{6};
  const Status version = Simulation::load(sealed(newer)).status();
  EXPECT_EQ(version.code(), StatusCode::version_unsupported);
  EXPECT_NE(version.message().find("version 6; this library reads version 5"), std::string::npos) << version.message();
}

// Whatever passes the checks is a simulation that runs: no crash, nobody leaves the map, nobody overlaps.
TEST(StateBytes, ForgedBytesAreRefusedOrHarmless) {
  const std::uint64_t rounds = long_run() ? 200000 : 6000;
  std::uint64_t accepted = 0;
  std::vector<Bytes> states;
  for (std::uint64_t seed = 3; seed < 11; ++seed) {
    const World w = seed % 3 == 0 ? timed_world(seed) : random_world(seed);
    Simulation sim = make_simulation(w);
    if (!sim.start().ok()) continue;
    Draw draw(seed);
    for (int t = 0; t < 12; ++t) {
      meddle(sim, w, draw);
      sim.step();
    }
    states.push_back(saved(sim));
  }
  Draw draw(99);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Bytes bytes = states[round % states.size()];
    for (std::uint32_t n = 1 + draw.below(3); n > 0; --n)
      bytes[9 + draw.below(static_cast<std::uint32_t>(bytes.size() - 17))] = static_cast<std::byte>(draw.below(256));
    if (draw.chance(10)) bytes.resize(bytes.size() - 1 - draw.below(static_cast<std::uint32_t>(bytes.size() - 20)));
    Result<Simulation> loaded = Simulation::load(sealed(std::move(bytes)));
    if (!loaded) continue;
    ++accepted;
    for (int t = 0; t < 3; ++t) loaded->step();
    std::vector<AgentView> agents;
    loaded->agents(agents);
    for (const AgentView& a : agents) EXPECT_TRUE(loaded->map().shape().contains(a.cell));
  }
  EXPECT_GT(accepted, 0u);
}

TEST(StateBytes, CommandsForAgentsThatAreGoneWaitOn) {
  Simulation sim = make_simulation(random_world(7));
  ASSERT_TRUE(sim.start().ok());
  std::vector<AgentView> agents;
  sim.agents(agents);
  ASSERT_GE(agents.size(), 3u);
  const AgentId first = *sim.find_agent(agents[0].key), second = *sim.find_agent(agents[1].key);
  ASSERT_TRUE(sim.submit({5, 0, Retarget{first, {1, 1}}}).ok());
  ASSERT_TRUE(sim.submit({6, 0, RemoveAgent{second}}).ok());
  ASSERT_TRUE(sim.remove_agent(first).ok());
  ASSERT_TRUE(sim.remove_agent(second).ok());
  sim.step();
  Result<Simulation> loaded = Simulation::load(saved(sim));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  for (int t = 0; t < 8; ++t) EXPECT_EQ(loaded->step().digests, sim.step().digests);
}

// Two profiles with equal steps share a field until an edit parts them; who it was built for is kept.
TEST(StateBytes, ASharedFieldKeepsTheProfileThatItWasBuiltFor) {
  const std::vector<std::string> rows = {"......", "..W...", "......"};
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  SimulationDef def;
  def.adopt_latency_ticks = 3;
  Simulation sim = *Simulation::create(*GridMap::from_rows(views), def);
  const ProfileId walker = *sim.add_profile({});
  MovementProfile dear;
  dear.name = "dear";
  dear.terrain = {{2, std::uint32_t{5}, std::nullopt}};  // ground, of which there is none yet
  const ProfileId other = *sim.add_profile(dear);
  const GoalId goal = *sim.add_goal({{{{{5, 1}, 0}}, GoalPlacement::exact}, OnArrival::stay});
  ASSERT_TRUE(sim.add_agent({1, {0, 0}, walker, goal, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.add_agent({2, {0, 2}, other, goal, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.start().ok());
  MapEdit edit;
  edit.cells = {{{3, 0}, CellChange::terrain, TerrainId{2}}};
  ASSERT_TRUE(sim.edit(edit).ok());
  for (int t = 0; t < 9; ++t) {
    sim.step();
    Result<Simulation> loaded = Simulation::load(saved(sim));
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ(saved(*loaded), saved(sim)) << "tick " << sim.tick();
    for (std::size_t i = 0; i < sim.snapshot()->entries().size(); ++i)
      EXPECT_EQ(loaded->snapshot()->entries()[i].field->profile_digest(),
                sim.snapshot()->entries()[i].field->profile_digest());
  }
}

TEST(StateBytes, ASharedFieldKeepsTheFactionsThatKnewTheSame) {
  const std::vector<std::string_view> rows = {"......", "......"};
  GridMap map = *GridMap::from_rows(rows);
  for (const char* name : {"blue", "red", "green"}) ASSERT_TRUE(map.add_faction(name).ok());
  Simulation sim = *Simulation::create(std::move(map), {});
  const GoalId goal = *sim.add_goal({{{{{5, 1}, 0}}, GoalPlacement::exact}, OnArrival::stay});
  std::vector<ProfileId> profiles;
  for (const FactionId faction : {FactionId{0}, FactionId{1}}) {
    MovementProfile profile;
    profile.faction = faction;
    profiles.push_back(*sim.add_profile(profile));
    ASSERT_TRUE(sim.add_agent({std::uint64_t{faction} + 1, {0, faction}, profiles.back(), goal, {}, 0, 0}).ok());
  }
  ASSERT_TRUE(sim.start().ok());
  const auto hide = [&](FactionId from) {
    MapEdit edit;
    edit.cells = {{{3, 0}, CellChange::unknown, kFloor, from}};
    ASSERT_TRUE(sim.edit(edit).ok());
    sim.step();
  };
  hide(2);  // nobody here
  hide(1);
  Result<Simulation> loaded = Simulation::load(saved(sim));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(saved(*loaded), saved(sim));
  for (const Simulation* s : {&sim, &*loaded}) {
    const FieldRef first = s->snapshot()->find(profiles[0], goal)->field;
    EXPECT_EQ(s->snapshot()->look_up(first, profiles[0], {0, 0}).state, CellState::reachable);
    EXPECT_EQ(s->snapshot()->look_up(first, profiles[1], {0, 0}).state, CellState::stale) << "it was red's as well";
    EXPECT_EQ(s->map().factions().size(), 3u);
  }
}

TEST(StateBytes, OnlyAStartedSimulationHasAState) {
  Bytes bytes;
  EXPECT_EQ(make_simulation(random_world(1)).save(bytes).code(), StatusCode::argument);
  EXPECT_TRUE(bytes.empty());
}

}  // namespace
}  // namespace drover::test
