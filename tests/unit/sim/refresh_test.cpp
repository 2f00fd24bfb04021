// SPDX-License-Identifier: MIT
// Fields that take the place of older ones: their own latency, and what is proved of them while they are on their way.
#include "support/scene.hpp"
#include "unit/sim/town.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <optional>
#include <string>
#include <vector>

namespace drover::test {
namespace {

SimulationDef rules(std::uint32_t adopt, std::uint32_t refresh = 0) {
  SimulationDef def;
  def.adopt_latency_ticks = adopt;
  def.refresh_latency_ticks = refresh;
  return def;
}

TEST(Refresh, AFieldForAnOlderOneHasALatencyOfItsOwn) {
  Town t(open_rows(20, 8), rules(1, 6), {}, {19, 1});
  t.edit(3, {9, 5}, kWall);
  t.run_to(8);
  EXPECT_EQ(t.entry().freshness, Freshness::stale);
  t.run_to(12);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{9}));
  t.aim(13, {0, 7});
  t.run_to(16);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{9, 14})) << "another goal is no refresh";
}

// The refresh of tick 3 is due at 9; the order of tick 5 has its field at 6, of the map with the wall.
TEST(Refresh, AnOrderTakesThePlaceOfARefresh) {
  Town t(open_rows(20, 8), rules(1, 6), {}, {19, 1});
  t.edit(3, {9, 5}, kWall);
  t.aim(5, {0, 7});
  t.run_to(20);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{6}));
  EXPECT_EQ(t.cost({9, 5}), kInfiniteCost);
  EXPECT_EQ(t.sim.metrics().coalesced_requests, 1u);
}

// Orders of every tick from 4 on: each is in one tick later, and none starves the others.
TEST(Refresh, OrdersDoNotTakeEachOthersPlace) {
  Town t(open_rows(20, 8), rules(2, 9), {}, {19, 1});
  t.edit(3, {9, 5}, kWall);
  for (std::int32_t i = 0; i < 6; ++i) t.aim(static_cast<std::uint64_t>(i) + 4, {i, 7});
  t.run_to(20);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{6, 8, 10, 11}));
}

TEST(Refresh, LessThanTheLatencyOfANewFieldCountsAsThat) {
  std::vector<Digests> digests[2];
  for (const std::uint32_t refresh : {0u, 3u}) {
    Town t(open_rows(20, 8), rules(3, refresh), {}, {19, 1});
    t.edit(3, {9, 5}, kWall);
    t.aim(8, {0, 7});
    while (t.sim.tick() < 30) digests[refresh == 0 ? 0 : 1].push_back(t.sim.step().digests);
  }
  EXPECT_EQ(digests[0], digests[1]);
}

TEST(Refresh, WhoKeepsWhatIsLegalWalksThroughAllOfIt) {
  SimulationDef def = rules(1, 12);
  def.on_stale = OnStale::keep_if_legal;
  Scene s(open_rows(30, 9), def);
  s.open({{1, {0, 4}, {29, 4}}, {2, {0, 8}, {29, 0}}});
  for (std::int32_t t = 2; t < 30; t += 3)
    ASSERT_TRUE(s.sim().submit({static_cast<std::uint64_t>(t), 0, EditMap{set_terrain({t, (t * 5) % 9}, kWall)}}).ok());
  s.run(60);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(s.agent(2).state, AgentState::arrived);
  EXPECT_GT(s.sim().metrics().kept_old_direction, 20u);
}

// Two rooms, the goal in the left one. A build asked for at 2 is due at 6; the edit of tick 4 is in either room.
const std::vector<std::string> kRooms = {"...#...", "...#...", "...#..."};

Town rooms_with(Cell later) {
  Town t(kRooms, rules(4), {}, {0, 2}, {0, 0});
  t.edit(2, {2, 1}, kWall);
  t.edit(4, later, kWall);
  return t;
}

TEST(ProvedOnItsWay, AnEditElsewhereDoesNotMakeAPendingBuildOld) {
  Town elsewhere = rooms_with({5, 1}), here = rooms_with({1, 0});
  elsewhere.run_to(6);
  EXPECT_EQ(elsewhere.entry().freshness, Freshness::current);
  EXPECT_EQ(elsewhere.sim.snapshot()->look_up(elsewhere.profile, elsewhere.goal, {5, 1}).state, CellState::blocked);
  elsewhere.run_to(20);
  here.run_to(20);
  EXPECT_EQ(elsewhere.adopted, (std::vector<std::uint64_t>{6}));
  EXPECT_EQ(elsewhere.sim.metrics().field_builds, 2u);
  EXPECT_EQ(elsewhere.sim.metrics().kept_fields, 1u);
  EXPECT_EQ(here.adopted, (std::vector<std::uint64_t>{6, 8}));
  EXPECT_EQ(here.sim.metrics().kept_fields, 0u);
}

TEST(ProvedOnItsWay, ARunThatWasSavedInBetweenGoesTheSameWay) {
  Town t = rooms_with({5, 1});
  t.run_to(5);
  std::vector<std::byte> bytes;
  ASSERT_TRUE(t.sim.save(bytes).ok());
  Simulation loaded = *Simulation::load(bytes);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(loaded.step().digests, t.sim.step().digests);
  EXPECT_EQ(loaded.metrics().kept_fields, 1u);
  EXPECT_EQ(loaded.metrics().field_builds, 2u);
}

// 300 cells are too many to remember: built again, as always.
TEST(ProvedOnItsWay, AnEditOfManyCellsIsBuiltForAgain) {
  std::vector<std::string> rows = open_rows(44, 12);
  for (std::string& row : rows) row[3] = '#';
  Town t(rows, rules(4), {}, {0, 2}, {0, 0});
  t.edit(2, {2, 1}, kWall);
  MapEdit many;
  for (std::int32_t i = 0; i < 300; ++i) many.cells.push_back({{10 + i % 30, i / 30, 0}, CellChange::terrain, kWall});
  ASSERT_TRUE(t.sim.submit({4, 0, EditMap{many}}).ok());
  t.run_to(20);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{6, 8}));
}

// One reader holds every bundle there is. The simulation goes on as without him, and newer bundles reach others again
// as soon as he lets go of one.
TEST(BackPressure, ReadersAreBoundedAndTheRunIsTheSame) {
  constexpr std::uint64_t kTicks = 400;
  std::vector<Digests> digests[2];
  for (const bool held : {false, true}) {
    Town t({".......", "...#...", "......."}, rules(1));
    std::vector<BundleRef> all{t.sim.snapshot()};
    for (std::uint64_t tick = 1; tick <= kTicks; ++tick) t.edit(tick, {3, 0}, tick % 2 == 1 ? kWall : kFloor);
    std::uint64_t most = 0;
    while (t.sim.tick() < kTicks) {
      digests[held].push_back(t.sim.step().digests);
      if (held && t.sim.snapshot() != all.back()) all.push_back(t.sim.snapshot());
      most = std::max(most, t.sim.metrics().live_bundles);
    }
    if (!held) {
      EXPECT_EQ(most, 2u);
      EXPECT_EQ(t.sim.metrics().withheld_bundles, 0u);
      continue;
    }
    EXPECT_EQ(all.size(), Simulation::kMostBundles);
    EXPECT_EQ(most, Simulation::kMostBundles + 1) << "and the simulation's own";
    EXPECT_EQ(t.sim.metrics().withheld_bundles, kTicks + 1 - all.size());
    const std::uint64_t shown = all.back()->generation();
    EXPECT_EQ(t.sim.snapshot()->generation(), shown);
    all.front().reset();
    t.sim.step();
    EXPECT_EQ(t.sim.snapshot()->generation(), kTicks + 1) << "all that was withheld is one";
    EXPECT_EQ(t.sim.metrics().live_bundles, Simulation::kMostBundles);
  }
  EXPECT_EQ(digests[0], digests[1]);
}

}  // namespace
}  // namespace drover::test
