// SPDX-License-Identifier: MIT
// on_stale = replan: stand like hold, and search a way of one's own only after so many ticks without progress.
#include "support/grids.hpp"
#include "support/scene.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <string>
#include <vector>

namespace drover::test {
namespace {

SimulationDef replan(std::uint32_t refusals, std::uint32_t latency_ticks) {
  SimulationDef def;
  def.on_stale = OnStale::replan;
  def.refusals_before_replan = refusals;
  def.adopt_latency_ticks = latency_ticks;
  return def;
}

Command edit_at(std::uint64_t tick, Cell cell, TerrainId terrain) {
  return {tick, 0, EditMap{set_terrain(cell, terrain)}};
}

// The field is old from tick 3 on: it stands for ticks 3 .. 5, then walks the six cells that are left by a way of its
// own; a field that is there sooner is waited for.
TEST(Replan, StandsSoManyTicksThenSearches) {
  for (const std::uint32_t latency : {50u, 3u, 4u}) {
    Scene s({".........", "........."}, replan(3, latency));
    s.open({{1, {0, 0}, {8, 0}}});
    ASSERT_TRUE(s.sim().submit(edit_at(3, {0, 1}, kWall)).ok());
    for (std::uint64_t t = 1; t <= 12; ++t) {
      s.step();
      const bool stands = t >= 3 && t <= 5;
      EXPECT_EQ(s.at(t, 1)->x, t < 3    ? static_cast<int>(t)
                               : stands ? 2
                                        : std::min(static_cast<int>(t) - 3, 8))
          << "latency " << latency << " tick " << t;
      if (stands) {
        EXPECT_EQ(s.agent(1).state, AgentState::stopped);
        EXPECT_EQ(s.agent(1).reason, Reason::stale);
      }
    }
    EXPECT_EQ(s.arrival(1), 11u);
    EXPECT_EQ(s.sim().metrics().stale_stops, 3u);
    EXPECT_EQ(s.sim().metrics().fallbacks, latency == 3 ? 0u : 1u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

// Ticks that it waited in a queue count too: what is counted is time without progress.
TEST(Replan, CountsTicksWithoutProgress) {
  Scene s({"....", ".###"}, replan(5, 50));
  s.open({{1, {1, 0}, {1, 0}}, {2, {0, 0}, {3, 0}}});
  for (int t = 0; t < 4; ++t) s.step();
  EXPECT_EQ(s.agent(2).age_ticks, 4u);
  ASSERT_TRUE(s.sim().submit(edit_at(5, {1, 1}, kFloor)).ok());
  s.step();
  EXPECT_EQ(s.agent(2).reason, Reason::stale);
  s.step();
  EXPECT_NE(s.agent(2).reason, Reason::stale);
  EXPECT_EQ(s.sim().metrics().fallbacks, 1u);
}

// An edit every tick: hold stands still for ever, replan goes on in spite of it, by one search each.
TEST(Replan, ArrivesUnderAnEditEveryTick) {
  Scene s({"....................", "###################.", "...................."}, replan(4, 3));
  s.open({{1, {0, 0}, {19, 0}}, {2, {1, 0}, {19, 0}, true}});
  for (std::uint64_t t = 1; t <= 60; ++t)
    ASSERT_TRUE(s.sim().submit(edit_at(t, {static_cast<int>(t) % 19, 2}, t / 19 % 2 ? kFloor : kWall)).ok());
  for (int t = 0; t < 60; ++t) s.step();
  EXPECT_EQ(s.arrivals(), 2u);
  EXPECT_EQ(s.sim().metrics().fallbacks, 2u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// Its way is cut: it stands again for as long before it looks for another, so nobody searches oftener than that.
TEST(Replan, StandsAgainWhenItsWayBreaks) {
  Scene s({"........", ".######.", "........"}, replan(6, 50));
  s.open({{1, {0, 0}, {7, 0}}});
  ASSERT_TRUE(s.sim().submit(edit_at(1, {3, 1}, kFloor)).ok());
  ASSERT_TRUE(s.sim().submit(edit_at(9, {5, 0}, kWall)).ok());
  for (int t = 0; t < 6; ++t) EXPECT_EQ(s.step().moved, 0u);
  for (int t = 7; t <= 8; ++t) EXPECT_EQ(s.step().moved, 1u);
  for (int t = 9; t <= 14; ++t) EXPECT_EQ(s.step().moved, 0u) << "tick " << t;
  s.run(40);
  EXPECT_EQ(s.arrivals(), 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// Without a budget it stays, and says why.
TEST(Replan, WithoutABudgetItStays) {
  SimulationDef def = replan(2, 50);
  def.search_budget_cells = 0;
  Scene s({"........", "........"}, def);
  s.open({{1, {0, 0}, {7, 0}}});
  ASSERT_TRUE(s.sim().submit(edit_at(3, {0, 1}, kWall)).ok());
  for (int t = 0; t < 10; ++t) s.step();
  EXPECT_EQ(s.agent(1).reason, Reason::search_budget);
  EXPECT_EQ(s.agent(1).cell.x, 2);
  EXPECT_EQ(s.sim().metrics().fallbacks, 1u);  // tried once: it needs more than the whole budget
}

TEST(Replan, TheBoundIsAtLeastOne) {
  SimulationDef def = replan(0, 1);
  EXPECT_EQ(def.validate().code(), StatusCode::value);
  def.refusals_before_replan = 1000001;
  EXPECT_EQ(def.validate().code(), StatusCode::value);
}

}  // namespace
}  // namespace drover::test
