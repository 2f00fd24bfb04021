// SPDX-License-Identifier: MIT
// Random crowds on random maps under the validator: nobody overlaps, everyone has a state, the bytes never depend on
// threads or on the order of insertion.
#include "crowd_world.hpp"
#include "support/data.hpp"
#include "support/scene.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>
#include <drover/verify.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace drover::test {
namespace {

struct Outcome {
  std::vector<Digests> digests;
  std::uint64_t violations = 0;
  std::string first;
  StateCounts counts{};
  std::size_t agents = 0;
  std::uint64_t jumps = 0, pushes = 0, refused = 0;
};

// Teleports and pushes of anybody to anywhere, some of them for later.
void order_about(Simulation& sim, const World& w, Draw& draw) {
  std::vector<AgentView> agents;
  sim.agents(agents);
  for (std::uint32_t n = draw.below(4); n > 0 && !agents.empty(); --n) {
    const AgentId who = *sim.find_agent(agents[draw.below(static_cast<std::uint32_t>(agents.size()))].key);
    const Cell to{static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows[0].size()))),
                  static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows.size())))};
    const std::uint64_t tick = sim.tick() + draw.below(4);
    const Command order = draw.chance(50) ? Command{tick, draw.below(3), Teleport{who, to}}
                                          : Command{tick, 0, Push{who, static_cast<Direction>(draw.below(8))}};
    static_cast<void>(sim.submit(order).ok());
    if (draw.chance(3)) static_cast<void>(sim.remove_agent(who).ok());
  }
}

enum class Orders { none, some };

Outcome run(const World& w, std::uint64_t ticks, const Host& host, bool reversed, Orders orders = Orders::none) {
  Simulation sim = *Simulation::create(map_of(w), w.def, host);
  std::size_t bodies = 0;
  for (const MovementProfile& p : w.profiles) bodies += sim.add_profile(p).ok();
  EXPECT_EQ(bodies, w.profiles.size());
  for (const SimulationGoal& g : w.goals) EXPECT_TRUE(sim.add_goal(g).ok());
  std::vector<AgentDef> agents = w.agents;
  if (reversed) std::reverse(agents.begin(), agents.end());
  Outcome out;
  for (const AgentDef& a : agents) out.agents += sim.add_agent(a).ok();
  for (const Command& c : w.edits) EXPECT_TRUE(sim.submit(c).ok());
  if (!sim.start().ok()) return out;  // a profile that fits on no goal cell at all
  Validator validator(sim.map(), sim.profiles(), {w.def.bodies, w.def.following});
  const auto take = [&] {
    for (const Simulation::Entry& e : sim.entered()) validator.enter(e.key, e.profile.index, e.cell);
    for (const Simulation::Entry& e : sim.left().subspan(sim.removed().size())) validator.leave(e.key);
  };
  take();
  const auto versions = [&] { return std::pair(sim.map().map_version(), sim.map().overlay_version()); };
  auto seen = versions();
  Draw draw(w.agents.size() + w.rows.size());
  for (std::uint64_t t = 0; t < ticks; ++t) {
    if (orders == Orders::some) order_about(sim, w, draw);
    const StepReport report = sim.step();
    for (const AgentEvent& e : sim.events()) {
      out.jumps += e.kind == AgentEventKind::teleported;
      out.pushes += e.kind == AgentEventKind::pushed;
      out.refused += e.kind == AgentEventKind::refused;
    }
    if (versions() != seen) validator.set_map(sim.map());
    seen = versions();
    tell_of_orders(sim, validator);
    validator.tick(report.tick, sim.moves());
    take();
    out.digests.push_back(report.digests);
    std::uint64_t sum = 0;
    for (const std::uint64_t n : sim.state_counts()) sum += n;
    EXPECT_EQ(sum, sim.agent_count());
  }
  out.violations = validator.violations();
  if (!validator.first().empty()) {
    const Violation& v = validator.first().front();
    out.first = "tick " + std::to_string(v.tick) + " " + to_string(v.kind) + " " + std::to_string(v.agent) + " " +
                std::to_string(v.other);
  }
  out.counts = sim.state_counts();
  return out;
}

TEST(CrowdProperty, NoRandomCrowdEverBreaksARule) {
  const std::uint64_t worlds = long_run() ? 20000 : 400;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    const Outcome out = run(random_world(seed), 60, {}, false);
    ASSERT_EQ(out.violations, 0u) << "seed " << seed << ": " << out.first;
  }
}

TEST(CrowdProperty, OrdersFromOutsideBreakNoRuleEither) {
  const std::uint64_t worlds = long_run() ? 10000 : 250;
  std::uint64_t jumps = 0, pushes = 0, refused = 0;
  for (std::uint64_t seed = 20001; seed <= 20000 + worlds; ++seed) {
    const World w = random_world(seed);
    const Outcome out = run(w, 60, {}, false, Orders::some);
    ASSERT_EQ(out.violations, 0u) << "seed " << seed << ": " << out.first;
    jumps += out.jumps;
    pushes += out.pushes;
    refused += out.refused;
    if (seed % 10 != 0) continue;
    ThreadTasks threads(3);
    EXPECT_EQ(run(w, 60, threads.host(), true, Orders::some).digests, out.digests) << "seed " << seed;
  }
  EXPECT_GT(jumps, worlds * 2);
  EXPECT_GT(pushes, worlds * 2);
  EXPECT_GT(refused, worlds * 2);
}

TEST(CrowdProperty, SameDigestsForAnyThreadsAndAnyOrderOfInsertion) {
  for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
    const World w = random_world(seed);
    const Outcome serial = run(w, 40, {}, false);
    for (const std::uint32_t workers : {2u, 3u, 8u}) {
      ThreadTasks threads(workers);
      EXPECT_EQ(run(w, 40, threads.host(), false).digests, serial.digests)
          << "seed " << seed << ", " << workers << " threads";
    }
    EXPECT_EQ(run(w, 40, {}, true).digests, serial.digests) << "seed " << seed << ", reversed";
  }
}

// Eight ticks, back, and the same eight again.
TEST(CrowdProperty, AnyTickAgainFromASnapshotGivesTheSameDigests) {
  const std::uint64_t worlds = long_run() ? 3000 : 150;
  for (std::uint64_t seed = 5000; seed < 5000 + worlds; ++seed) {
    const World w = random_world(seed);
    Simulation sim = *Simulation::create(map_of(w), w.def);
    for (const MovementProfile& p : w.profiles) ASSERT_TRUE(sim.add_profile(p).ok());
    for (const SimulationGoal& g : w.goals) ASSERT_TRUE(sim.add_goal(g).ok());
    for (const AgentDef& a : w.agents) static_cast<void>(sim.add_agent(a).ok());
    for (const Command& c : w.edits) ASSERT_TRUE(sim.submit(c).ok());
    if (!sim.start().ok()) continue;
    SimulationSnapshot snapshot;
    for (int round = 0; round < 6; ++round) {
      ASSERT_TRUE(sim.snapshot_into(snapshot).ok());
      std::vector<Digests> first, second;
      for (int t = 0; t < 8; ++t) first.push_back(sim.step().digests);
      ASSERT_TRUE(sim.restore(snapshot).ok());
      for (int t = 0; t < 8; ++t) second.push_back(sim.step().digests);
      ASSERT_EQ(first, second) << "seed " << seed << ", from tick " << snapshot.tick();
    }
  }
}

// Large enough for several tasks a tick.
TEST(CrowdProperty, SameDigestsForAnyThreadsInALargeCrowd) {
  World w;
  Draw draw(5);
  for (int y = 0; y < 128; ++y) {
    w.rows.emplace_back();
    for (int x = 0; x < 128; ++x) w.rows.back() += draw.chance(10) ? '#' : '.';
  }
  w.profiles.resize(1);
  w.goals.resize(1);
  w.goals[0].where = {{{{0, 64}, 0}, {{127, 64}, 0}}, GoalPlacement::nearest};
  w.goals[0].on_arrival = OnArrival::vanish;
  for (std::int32_t i = 0; i < 128 * 128; i += 2)
    w.agents.push_back({static_cast<std::uint64_t>(i + 1), {i % 128, i / 128}, {0, 1}, {0, 1}, {}, 0, 0});
  const Outcome serial = run(w, 40, {}, false);
  EXPECT_GT(serial.agents, 6000u);
  EXPECT_EQ(serial.violations, 0u) << serial.first;
  for (const std::uint32_t workers : {2u, 3u, 8u}) {
    ThreadTasks threads(workers);
    EXPECT_EQ(run(w, 40, threads.host(), workers == 3).digests, serial.digests) << workers << " threads";
  }
}

// One goal that swallows everyone: whoever can get there gets there. Bodies of one cell in any density and without
// exception; wide ones, loosely packed, can still lock where they meet in a narrow place, but seldom.
TEST(CrowdProperty, WhoeverHasAWayToAVanishingGoalArrives) {
  const std::uint64_t worlds = long_run() ? 3000 : 200;
  std::uint64_t wide_worlds = 0, locked = 0;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    World w = random_world(seed);
    w.edits.clear();
    w.rules = {};
    w.goals.resize(1);
    w.goals[0].on_arrival = OnArrival::vanish;
    w.profiles.resize(1);
    const auto k = static_cast<std::size_t>(w.profiles[0].footprint);
    const std::size_t area = w.rows.size() * w.rows[0].size();
    if (k > 1) w.agents.resize(std::min(w.agents.size(), area / (k * k * kWideRoom)));
    for (AgentDef& a : w.agents) a.goal = {0, 1}, a.profile = {0, 1}, a.via.clear();
    const Outcome out = run(w, 800, {}, false);
    ASSERT_EQ(out.violations, 0u) << "seed " << seed << ": " << out.first;
    if (out.digests.empty()) continue;
    const auto in = [&](AgentState s) { return out.counts[static_cast<std::size_t>(s)]; };
    if (in(AgentState::unreachable) > 0) continue;  // who has no way may stand in others' way
    const bool finished = in(AgentState::waiting) + in(AgentState::moving) == 0;
    wide_worlds += k > 1;
    locked += k > 1 && !finished;
    if (k == 1) {
      EXPECT_TRUE(finished) << "seed " << seed << ": agents " << out.agents;
    }
  }
  EXPECT_LE(locked * 50, wide_worlds);
  EXPECT_GE(wide_worlds * 10, worlds);
}

}  // namespace
}  // namespace drover::test
