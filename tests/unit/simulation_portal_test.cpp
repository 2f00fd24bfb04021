// SPDX-License-Identifier: MIT
// Agents and portals: who passes, who waits, what a body at two places holds.
#include "support/scene.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace drover::test {
namespace {

// Two floors of one corridor; up at 3, and down at 0 where it is asked for.
Scene two_floors(SimulationDef def = {}) {
  Scene s(layers_of({{"...."}, {"...."}}), def);
  s.moves(Moves::four);
  EXPECT_TRUE(s.map().add_portal({{3, 0, 0}, {3, 0, 1}, 10}).ok());
  return s;
}

SimulationDef cells_only() {
  SimulationDef def;
  def.bodies = BodyRule::cells;
  return def;
}

TEST(Portals, OneAgentCrossesFloorsAndArrives) {
  Scene s = two_floors();
  s.open({{1, {1, 0, 0}, {1, 0, 1}}});
  s.run(20);
  EXPECT_EQ(s.at(2, 1), (Cell{3, 0, 0}));
  EXPECT_EQ(s.at(3, 1), (Cell{3, 0, 1}));
  EXPECT_EQ(s.arrival(1), 5u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Portals, TheRecordNamesThePortal) {
  Scene s = two_floors();
  s.open({{1, {3, 0, 0}, {1, 0, 1}}});
  s.step();
  ASSERT_EQ(s.sim().moves().size(), 1u);
  EXPECT_EQ(s.sim().moves()[0].portal, 0u);
  EXPECT_EQ(s.sim().moves()[0].to, (Cell{3, 0, 1}));
  std::vector<std::uint8_t> steps;
  s.sim().steps(steps);
  EXPECT_EQ(steps, std::vector<std::uint8_t>{Simulation::kPortalStep});
}

// The body in front stands at both ends while it passes, so the one behind waits a tick.
TEST(Portals, DiscsPassOneByOneEverySecondTick) {
  Scene s = two_floors();
  s.open({{1, {3, 0, 0}, {0, 0, 1}, true}, {2, {2, 0, 0}, {0, 0, 1}, true}, {3, {1, 0, 0}, {0, 0, 1}, true}});
  s.run(20);
  EXPECT_EQ(s.at(1, 1), (Cell{3, 0, 1}));
  EXPECT_EQ(s.at(1, 2), (Cell{2, 0, 0}));
  EXPECT_EQ(s.at(2, 2), (Cell{3, 0, 0}));
  EXPECT_EQ(s.arrival(1), 4u);
  EXPECT_EQ(s.arrival(2), 6u);
  EXPECT_EQ(s.arrival(3), 8u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Portals, CellsFollowEachOtherThrough) {
  Scene s = two_floors(cells_only());
  s.open({{1, {3, 0, 0}, {0, 0, 1}, true}, {2, {2, 0, 0}, {0, 0, 1}, true}, {3, {1, 0, 0}, {0, 0, 1}, true}});
  s.run(20);
  EXPECT_EQ(s.arrival(1), 4u);
  EXPECT_EQ(s.arrival(2), 5u);
  EXPECT_EQ(s.arrival(3), 6u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// A queue walks over the far end without a gap. Who wants to arrive there keeps it free as soon as it may.
TEST(Portals, NobodyWaitsForEverAtAFarEndThatOthersCross) {
  Scene s(layers_of({{"........................"}, {"###########.############"}}));
  s.moves(Moves::four);
  EXPECT_TRUE(s.map().add_portal({{11, 0, 1}, {11, 0, 0}, 10}).ok());
  std::vector<Walker> walkers = {{100, {11, 0, 1}, {23, 0, 0}, true}};
  for (std::int32_t x = 0; x < 11; ++x) walkers.push_back({static_cast<std::uint64_t>(x + 1), {x, 0}, {23, 0}, true});
  s.open(walkers);
  s.run(60);
  EXPECT_LE(s.arrival(100), 16u);
  EXPECT_EQ(s.arrivals(), 12u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Portals, TwoThatWouldChangePlacesWait) {
  for (const BodyRule bodies : {BodyRule::discs, BodyRule::cells}) {
    SimulationDef def;
    def.bodies = bodies;
    Scene s(layers_of({{"."}, {"."}}), def);
    EXPECT_TRUE(s.map().add_portal({{0, 0, 0}, {0, 0, 1}, 10}).ok());
    EXPECT_TRUE(s.map().add_portal({{0, 0, 1}, {0, 0, 0}, 10}).ok());
    s.open({{1, {0, 0, 0}, {0, 0, 1}}, {2, {0, 0, 1}, {0, 0, 0}}});
    s.step();
    EXPECT_EQ(s.at(1, 1), (Cell{0, 0, 0}));
    EXPECT_EQ(s.at(1, 2), (Cell{0, 0, 1}));
    EXPECT_EQ(s.agent(1).by, 2u);
    EXPECT_EQ(s.agent(2).by, 1u);
    EXPECT_GT(s.refusals(Conflict::edge_swap) + s.refusals(Conflict::vertex), 0u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

TEST(Portals, WhoStandsAtTheFarEndIsPushedAsideWhereCellsCount) {
  Scene s = two_floors(cells_only());
  EXPECT_TRUE(s.map().add_portal({{3, 0, 1}, {3, 0, 0}, 10}).ok());
  s.open({{1, {3, 0, 0}, {0, 0, 1}}, {2, {3, 0, 1}, {0, 0, 0}}});
  s.step();
  EXPECT_EQ(s.at(1, 1), (Cell{3, 0, 1}));
  EXPECT_EQ(s.at(1, 2), (Cell{2, 0, 1}));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Portals, OneThatClosesStopsWhoIsOnTheWay) {
  Scene s = two_floors();
  s.open({{1, {0, 0, 0}, {1, 0, 1}}});
  ASSERT_TRUE(s.sim().submit({3, 0, EditMap{{{}, {}, {}, {{0, false}}}}}).ok());
  ASSERT_TRUE(s.sim().submit({20, 0, EditMap{{{}, {}, {}, {{0, true}}}}}).ok());
  for (int t = 0; t < 10; ++t) s.step();
  EXPECT_EQ(s.at(10, 1), (Cell{2, 0, 0}));
  EXPECT_EQ(s.agent(1).state, AgentState::unreachable);
  s.run(40);
  EXPECT_EQ(s.arrival(1), 24u);  // its field is in force again at tick 21
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Portals, ACellWithNoOtherWayOutIsNotEnclosed) {
  Scene s(layers_of({{".#."}, {"..."}}));
  EXPECT_TRUE(s.map().add_portal({{0, 0, 0}, {0, 0, 1}, 10}).ok());
  s.open({{1, {0, 0, 0}, {2, 0, 1}}, {2, {2, 0, 0}, {0, 0, 1}}});
  EXPECT_EQ(s.agent(1).state, AgentState::waiting);
  EXPECT_EQ(s.agent(2).state, AgentState::enclosed);
  s.run(10);
  EXPECT_EQ(s.arrival(1), 3u);
}

TEST(Portals, AGoalAtTheFarEndSwallows) {
  Scene s = two_floors();
  s.open({{1, {3, 0, 0}, {3, 0, 1}, true}, {2, {2, 0, 0}, {3, 0, 1}, true}});
  s.run(10);
  EXPECT_EQ(s.arrival(1), 1u);
  EXPECT_EQ(s.arrival(2), 3u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// Bodies of 2 x 2 from anchor to anchor; a small one may not stand on any cell of the far end.
TEST(Portals, WideBodiesNeedEveryCellAtBothEnds) {
  Scene s(layers_of({{"....", "...."}, {"....", "...."}}));
  EXPECT_TRUE(s.map().add_portal({{2, 0, 0}, {1, 0, 1}, 10}).ok());
  s.open({{1, {1, 0, 0}, {0, 0, 1}, true, 0, 2}, {2, {2, 1, 1}, {2, 1, 1}}});
  s.run(20);
  EXPECT_EQ(s.at(19, 1), (Cell{2, 0, 0}));
  EXPECT_EQ(s.agent(1).by, 2u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

}  // namespace
}  // namespace drover::test
