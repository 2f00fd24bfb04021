// SPDX-License-Identifier: MIT
// Random crowds of mixed speeds under the validator: steps last as long as their way, and nobody touches anybody.
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
  std::uint64_t violations = 0, longest = 0, refused_followers = 0;
  std::string first;
  StateCounts counts{};
  std::size_t agents = 0;
};

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
    if (draw.chance(5)) static_cast<void>(sim.remove_agent(who).ok());
    if (draw.chance(5))
      static_cast<void>(sim.retarget(who, {draw.below(static_cast<std::uint32_t>(w.goals.size())), 1}).ok());
  }
}

enum class Orders { none, some };

Outcome run(const World& w, std::uint64_t ticks, const Host& host = {}, Orders orders = Orders::none) {
  Outcome out;
  Simulation sim = make_simulation(w, host);
  if (!sim.start().ok()) return out;
  Validator validator(sim.map(), sim.profiles(), {w.def.bodies, w.def.following, w.def.step});
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
    if (versions() != seen) validator.set_map(sim.map());
    seen = versions();
    tell_of_orders(sim, validator);
    validator.tick(report.tick, sim.moves());
    for (const MoveRecord& m : sim.moves()) out.longest = std::max<std::uint64_t>(out.longest, m.ticks);
    take();
    out.digests.push_back(report.digests);
    if (validator.violations() > 0 || (orders == Orders::none && sim.finished())) break;
  }
  out.violations = validator.violations();
  for (const Violation& v : validator.first().subspan(0, std::min<std::size_t>(1, validator.first().size())))
    out.first = "tick " + std::to_string(v.tick) + " " + to_string(v.kind) + " " + std::to_string(v.agent) + " " +
                std::to_string(v.other) + " at " + std::to_string(v.cell.x) + "," + std::to_string(v.cell.y);
  out.counts = sim.state_counts();
  out.agents = sim.agent_count();
  return out;
}

TEST(DurationsProperty, NoRandomCrowdEverBreaksARule) {
  const std::uint64_t worlds = long_run() ? 20000 : 400;
  std::uint64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    const Outcome out = run(timed_world(seed), 100);
    ASSERT_EQ(out.violations, 0u) << "seed " << seed << ": " << out.first;
    longest = std::max(longest, out.longest);
  }
  EXPECT_EQ(longest, 12u);  // 1.4142 / 0.123 = 11.5
}

TEST(DurationsProperty, OrdersFromOutsideBreakNoRuleEither) {
  const std::uint64_t worlds = long_run() ? 10000 : 250;
  for (std::uint64_t seed = 20001; seed <= 20000 + worlds; ++seed) {
    const Outcome out = run(timed_world(seed), 80, {}, Orders::some);
    ASSERT_EQ(out.violations, 0u) << "seed " << seed << ": " << out.first;
  }
}

TEST(DurationsProperty, SameDigestsForAnyThreads) {
  for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
    const World w = timed_world(seed);
    const Outcome serial = run(w, 60, {}, Orders::some);
    for (const std::uint32_t workers : {2u, 8u}) {
      ThreadTasks threads(workers);
      EXPECT_EQ(run(w, 60, threads.host(), Orders::some).digests, serial.digests)
          << "seed " << seed << ", " << workers << " threads";
    }
  }
}

// Back to the middle of steps, in memory and through bytes.
TEST(DurationsProperty, AnyTickAgainGivesTheSameDigests) {
  const std::uint64_t worlds = long_run() ? 3000 : 150;
  for (std::uint64_t seed = 5000; seed < 5000 + worlds; ++seed) {
    const World w = timed_world(seed);
    Simulation sim = make_simulation(w);
    if (!sim.start().ok()) continue;
    SimulationSnapshot snapshot;
    for (int round = 0; round < 8; ++round) {
      ASSERT_TRUE(sim.snapshot_into(snapshot).ok());
      std::vector<std::byte> bytes, again;
      ASSERT_TRUE(sim.save(bytes).ok());
      std::vector<Digests> first, second, third;
      for (int t = 0; t < 7; ++t) first.push_back(sim.step().digests);
      ASSERT_TRUE(sim.restore(snapshot).ok());
      ASSERT_TRUE(sim.save(again).ok());
      ASSERT_EQ(again, bytes) << "seed " << seed << ", tick " << sim.tick();
      for (int t = 0; t < 7; ++t) second.push_back(sim.step().digests);
      ASSERT_EQ(first, second) << "seed " << seed << ", from tick " << snapshot.tick();
      Result<Simulation> loaded = Simulation::load(bytes);
      ASSERT_TRUE(loaded.ok()) << "seed " << seed << ": " << loaded.status().message();
      for (int t = 0; t < 7; ++t) third.push_back(loaded->step().digests);
      ASSERT_EQ(first, third) << "seed " << seed << ", loaded at tick " << snapshot.tick();
    }
  }
}

// With four moves and full speed every step lasts one tick: the same crowd, step for step.
TEST(DurationsProperty, FullSpeedAlongStraightsIsTheUnitRun) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    World w = random_world(seed);
    w.def.guidance = GuidancePolicy::plain;
    for (MovementProfile& p : w.profiles) p.moves = Moves::four;
    for (PortalDef& p : w.portals) p.ticks = 1;
    // Cycles of simple bodies are looked at only where steps take their time; wide ones always.
    if (!w.profiles.empty()) w.profiles[0].footprint = 2;
    Simulation unit = make_simulation(w);
    w.def.step = StepPolicy::ground_speed;
    Simulation timed = make_simulation(w);
    if (!unit.start().ok() || !timed.start().ok()) continue;
    std::vector<AgentView> a, b;
    for (int t = 0; t < 60; ++t) {
      unit.step();
      timed.step();
      unit.agents(a);
      timed.agents(b);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_TRUE(a[i].cell == b[i].cell && a[i].state == b[i].state) << "seed " << seed << " tick " << t + 1;
    }
  }
}

// One goal that swallows everyone: whoever can get there gets there. Single cells in any density and mixture of speeds,
// without exception; wide bodies, loosely packed, can lock where they meet in a narrow place, but seldom.
TEST(DurationsProperty, WhoeverHasAWayToAVanishingGoalArrives) {
  const std::uint64_t worlds = long_run() ? 3000 : 150;
  std::uint64_t wide_worlds = 0, locked = 0;
  for (std::uint64_t seed = 1; seed <= 2 * worlds; ++seed) {
    World w = timed_world(seed);
    const bool wide = seed % 2 == 0;
    w.edits.clear();
    w.rules = {};
    w.goals.resize(1);
    w.goals[0].on_arrival = OnArrival::vanish;
    if (wide) w.profiles.resize(1);
    for (MovementProfile& p : w.profiles) {
      if (!wide) p.footprint = 1;
      p.corner = w.profiles[0].corner;
      p.moves = w.profiles[0].moves;
    }
    const auto k = static_cast<std::size_t>(w.profiles[0].footprint);
    if (k > 1) w.agents.resize(std::min(w.agents.size(), w.rows.size() * w.rows[0].size() / (k * k * kWideRoom)));
    for (AgentDef& a : w.agents) {
      a.goal = {0, 1};
      a.via.clear();
      if (wide) a.profile = {0, 1};
    }
    const Outcome out = run(w, 6000);
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
  EXPECT_GE(wide_worlds * 8, worlds);
  RecordProperty("wide", static_cast<int>(wide_worlds));
  RecordProperty("locked", static_cast<int>(locked));
}

}  // namespace
}  // namespace drover::test
