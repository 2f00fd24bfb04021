// SPDX-License-Identifier: MIT
// Crowds that leave by a plan: asked for and adopted at fixed ticks, saved, rolled back, dropped, and left alone where
// it does not apply.
#include "support/data.hpp"
#include "support/gate_runs.hpp"
#include "support/scene.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace drover::test {
namespace {

constexpr auto kForest = GuidancePolicy::forest;

SimulationDef planned(BodyRule bodies = BodyRule::cells) {
  SimulationDef def;
  def.bodies = bodies;
  def.guidance = kForest;
  return def;
}

// Two gate cells below a hall of 10 x 4, and 16 agents at its left side.
GateInstance two_cells() {
  GateInstance out;
  out.rows = {"..........", "..........", "..........", "..........", "#.######.#"};
  out.gates = {{1, 4}, {8, 4}};
  for (std::int32_t y = 0; y < 4; ++y)
    for (std::int32_t x = 0; x < 4; ++x) out.starts.push_back({x, y});
  return out;
}

std::vector<std::uint64_t> digests(Simulation& sim) {
  std::vector<std::uint64_t> all;
  while (!sim.finished() && all.size() < 5000) all.push_back(sim.step().digests.all);
  EXPECT_TRUE(sim.finished());
  return all;
}

// Twenty before one cell: it takes one in every tick from tick 2 on.
TEST(GateThroughput, gate_one_cell_rate) {
  GateInstance instance;
  instance.rows = {"########", "#......#", "#......#", "#......#", "#......#", "####.###"};
  instance.gates = {{4, 5}};
  for (std::int32_t y = 1; y <= 4; ++y)
    for (const std::int32_t x : {1, 2, 3, 5, 6}) instance.starts.push_back({x, y});
  Simulation sim = GateScene(instance).simulation(kForest);
  EXPECT_EQ(sim.step().arrived, 0u);
  for (std::uint64_t tick = 2; tick <= 21; ++tick) EXPECT_EQ(sim.step().arrived, 1u) << "tick " << tick;
  EXPECT_TRUE(sim.finished());
}

TEST(GateThroughput, gate_two_cells_share_the_load) {
  const GateInstance instance = two_cells();
  const GateScene scene(instance);
  Simulation sim = scene.simulation(kForest);
  std::size_t left = 0, right = 0;
  std::vector<std::uint64_t> out;
  std::uint64_t arrived = 0;
  while (!sim.finished()) {
    arrived += sim.step().arrived;
    out.push_back(arrived);
    for (const Simulation::Entry& gone : sim.left()) ++(gone.cell == Cell{1, 4, 0} ? left : right);
  }
  EXPECT_EQ(out, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 7, 9, 11, 13, 15, 16})) << "the optimum";
  EXPECT_GT(left, 0u);
  EXPECT_GT(right, 0u);
  EXPECT_GT(scene.guided(GuidancePolicy::plain).ticks, 11u);
}

TEST(GatePlan, ReadersSeeItBesideTheField) {
  const GateInstance instance = two_cells();
  Simulation sim = GateScene(instance).simulation(kForest);
  const BundleRef bundle = sim.snapshot();
  ASSERT_EQ(bundle->entries().size(), 1u);
  const BundleEntry& entry = bundle->entries()[0];
  ASSERT_NE(entry.plan, nullptr);
  ASSERT_NE(entry.field, nullptr);
  EXPECT_EQ(entry.plan->finish_tick, 11u);
  EXPECT_EQ(entry.plan->sum_of_arrivals, 106u);
  EXPECT_TRUE(entry.plan->optimal);
  EXPECT_FALSE(entry.plan->at({0, 4}).has_value()) << "a wall";
  EXPECT_FALSE(entry.plan->at({-1, 0}).has_value());
  const std::optional<GateStep> gate = entry.plan->at({1, 4});
  ASSERT_TRUE(gate);
  EXPECT_EQ(gate->depth, 0u);
  EXPECT_FALSE(gate->direction);
  for (Cell at : instance.starts) {
    std::optional<GateStep> here = entry.plan->at(at);
    ASSERT_TRUE(here);
    const Cell end = here->gate;
    while (here->direction) {
      const auto d = static_cast<std::size_t>(*here->direction);
      at = {at.x + kDx[d], at.y + kDy[d], 0};
      const std::uint32_t depth = here->depth;
      here = entry.plan->at(at);
      ASSERT_TRUE(here);
      EXPECT_EQ(here->depth + 1, depth);
    }
    EXPECT_EQ(at, end);
  }
}

TEST(GatePlan, OneStepAfterAnotherWhereBodiesAreDiscs) {
  GateInstance instance = gate_instance(4, 3);
  GateRules rules;
  rules.bodies = BodyRule::discs;
  const GateScene scene(instance, rules);
  const GateRun run = scene.guided(kForest), plain = scene.guided(GuidancePolicy::plain);
  EXPECT_EQ(run.violations, 0u);
  EXPECT_FALSE(run.broken);
  EXPECT_FALSE(run.stuck);
  EXPECT_LE(run.ticks, plain.ticks);
}

// Forests only, refreshed: corner rules and bodies that the exact plan does not know.
TEST(GatePlan, RefreshedForestsKeepTheirPromisesAndAreNeverSlowerThanThePlainField) {
  std::uint64_t led = 0, faster = 0;
  for (std::uint64_t n = 0; n < (long_run() ? 200u : 12u); ++n) {
    SCOPED_TRACE(n);
    const GateInstance instance = gate_instance(static_cast<int>(2 + n % 7), 5000 + n);
    GateRules rules;
    rules.bodies = BodyRule::discs;
    rules.following = n % 4 == 0 ? Following::forbidden : Following::allowed;
    const GateScene scene(instance, rules);
    const GateRun run = scene.guided(kForest), plain = scene.guided(GuidancePolicy::plain);
    EXPECT_EQ(run.violations, 0u);
    EXPECT_FALSE(run.broken);
    EXPECT_FALSE(run.stuck);
    EXPECT_LE(run.ticks, plain.ticks);
    led += run.promised != 0 ? 1u : 0u;
    faster += run.ticks < plain.ticks ? 1u : 0u;
  }
  std::cout << led << " led by a plan, " << faster << " faster than the plain field\n";
  EXPECT_GT(led, 0u);
  EXPECT_GT(faster, 0u);
}

TEST(GatePlan, AnyNumberOfThreadsGivesTheSameDigests) {
  GateRules discs;
  discs.bodies = BodyRule::discs;
  for (const GateRules& rules : {GateRules{}, discs}) {
    const GateInstance instance = gate_instance(3, 77);
    const GateScene scene(instance, rules);
    Simulation alone = scene.simulation(kForest);
    const std::vector<std::uint64_t> expected = digests(alone);
    EXPECT_GT(alone.metrics().planned_ticks, 0u);
    for (const std::uint32_t workers : {2u, 8u}) {
      BackgroundTasks tasks(workers);
      Simulation sim = scene.simulation(kForest, tasks.host());
      EXPECT_EQ(digests(sim), expected);
    }
  }
}

TEST(GatePlan, SavedAndRolledBackTicksGoOnAsBefore) {
  GateRules discs;
  discs.bodies = BodyRule::discs;
  for (const GateRules& rules : {GateRules{}, discs}) {
    const GateInstance instance = gate_instance(3, 78);
    const GateScene scene(instance, rules);
    Simulation sim = scene.simulation(kForest);
    const std::vector<std::uint64_t> expected = digests(sim);
    Simulation again = scene.simulation(kForest);
    for (std::size_t t = 0; t < expected.size(); ++t) {
      if (t % 9 > 1) {
        ASSERT_EQ(again.step().digests.all, expected[t]);
        continue;
      }
      std::vector<std::byte> bytes, twice;
      ASSERT_TRUE(again.save(bytes).ok());
      Result<Simulation> loaded = Simulation::load(bytes);
      ASSERT_TRUE(loaded.ok()) << loaded.status().message() << " at tick " << t;
      ASSERT_TRUE(loaded->save(twice).ok());
      EXPECT_EQ(bytes, twice);
      EXPECT_EQ(loaded->metrics().planned_finish, again.metrics().planned_finish);
      for (std::size_t later = t; later < std::min(t + 6, expected.size()); ++later)
        ASSERT_EQ(loaded->step().digests.all, expected[later]) << "loaded at " << t << ", tick " << later + 1;
      SimulationSnapshot snapshot;
      ASSERT_TRUE(again.snapshot_into(snapshot).ok());
      for (std::size_t later = t; later < std::min(t + 6, expected.size()); ++later)
        ASSERT_EQ(again.step().digests.all, expected[later]);
      ASSERT_TRUE(again.restore(snapshot).ok());
      ASSERT_EQ(again.step().digests.all, expected[t]);
    }
  }
}

// Until the next plan the field leads.
TEST(GatePlan, AWallThatChangesDropsIt) {
  const GateInstance instance = two_cells();
  Simulation sim = GateScene(instance).simulation(kForest);
  for (int t = 0; t < 2; ++t) sim.step();
  EXPECT_EQ(sim.metrics().planned_ticks, 2u);
  ASSERT_TRUE(sim.edit(set_terrain({9, 0}, kWall)).ok());
  sim.step();
  EXPECT_EQ(sim.metrics().planned_ticks, 2u);
  EXPECT_EQ(sim.snapshot()->entries()[0].plan, nullptr);
  digests(sim);
  EXPECT_EQ(sim.metrics().plan_adoptions, 2u);
  EXPECT_GT(sim.metrics().planned_ticks, 6u);
}

// Asked for at the end of tick 1, in force `latency` ticks later, whenever it was done.
TEST(GatePlan, ALaterPlanIsInForceAfterItsLatency) {
  for (const std::uint32_t latency : {0u, 1u, 3u}) {
    SimulationDef def = planned();
    def.adopt_latency_ticks = latency;
    Scene s(std::vector<std::string>(6, std::string(20, '.')), def);
    std::vector<Walker> walkers;
    for (std::int32_t i = 0; i < 20; ++i)
      walkers.push_back({static_cast<std::uint64_t>(i + 1), {i % 5, i / 5}, {19, 3}, true, 1});
    s.moves(Moves::four).open(walkers);
    EXPECT_EQ(s.sim().metrics().plans, 0u);
    s.step();
    EXPECT_EQ(s.sim().metrics().plans, 1u);
    for (std::uint32_t t = 1; t < latency; ++t) s.step();
    EXPECT_EQ(s.sim().metrics().plan_adoptions, 0u);
    s.step();
    EXPECT_EQ(s.sim().metrics().plan_adoptions, 1u);
    EXPECT_EQ(s.sim().metrics().planned_ticks, 1u);
    while (!s.sim().finished()) s.step();
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

// New agents void the promise, never the rules; the next plan leads them too.
TEST(GatePlan, AgentsThatComeLaterAreTakenIn) {
  Scene s(std::vector<std::string>(12, std::string(20, '.')), planned());
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 60; ++i)
    walkers.push_back(
        {static_cast<std::uint64_t>(i + 1), {i % 6, i / 6}, {19, 6}, true, static_cast<std::uint64_t>(i % 3) * 10});
  s.open(walkers);
  while (!s.sim().finished() && s.sim().tick() < 500) s.step();
  EXPECT_TRUE(s.sim().finished());
  EXPECT_EQ(s.arrivals(), 60u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  EXPECT_GT(s.sim().metrics().planned_ticks, s.sim().tick() / 2);
}

TEST(GatePlan, OthersAreLedByTheirFields) {
  const std::vector<std::string> hall(8, std::string(16, '.'));
  const auto plans = [&](std::vector<Walker> walkers) {
    Scene s(hall, planned());
    s.open(walkers);
    for (int t = 0; t < 60; ++t) s.step();
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
    return s.sim().metrics().plans;
  };
  EXPECT_GT(plans({{1, {0, 0}, {15, 7}, true}}), 0u);
  EXPECT_EQ(plans({{1, {0, 0}, {15, 7}, false}}), 0u) << "stays at the goal";
  EXPECT_EQ(plans({{1, {0, 0}, {14, 6}, true, 0, 2}}), 0u) << "a body of 2 x 2";
  // Of two crowds the one that is left alone in the end may have a plan.
  Scene s(hall, planned());
  s.open({{1, {0, 0}, {15, 7}, true}, {2, {0, 7}, {15, 0}, true}});
  s.step();
  EXPECT_EQ(s.sim().metrics().plans, 0u);
}

}  // namespace
}  // namespace drover::test
