// SPDX-License-Identifier: MIT
// A simulation of one agent and one goal, edited by hand.
#pragma once
#include "support/grids.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <string>
#include <vector>

namespace drover::test {

inline GoalDef at(Cell cell) { return {{{cell, 0}}, GoalPlacement::exact}; }

/// One agent, one goal, edits by hand.
struct Town {
  explicit Town(const std::vector<std::string>& rows, SimulationDef def = {}, const Host& host = {},
                Cell goal_cell = {6, 1}, Cell start = {0, 1})
      : sim(*Simulation::create(map_of(rows, host), def, host)),
        profile(*sim.add_profile({})),
        goal(*sim.add_goal({at(goal_cell), OnArrival::stay})) {
    EXPECT_TRUE(sim.add_agent({1, start, profile, goal, {}, 0, 0}).ok());
    EXPECT_TRUE(sim.start().ok());
  }
  void edit(std::uint64_t tick, Cell cell, TerrainId terrain) {
    EXPECT_TRUE(sim.submit({tick, 0, EditMap{set_terrain(cell, terrain)}}).ok());
  }
  void aim(std::uint64_t tick, Cell cell) { EXPECT_TRUE(sim.submit({tick, 0, SetGoal{goal, at(cell)}}).ok()); }
  void run_to(std::uint64_t tick) {
    while (sim.tick() < tick) {
      sim.step();
      for (const Adoption& a : sim.adoptions()) adopted.push_back(a.tick);
    }
  }
  const BundleEntry& entry() const { return *(bundle = sim.snapshot())->find(profile, goal); }
  Cost cost(Cell cell) const { return sim.snapshot()->look_up(profile, goal, cell).cost; }

  Simulation sim;
  ProfileId profile;
  GoalId goal;
  mutable BundleRef bundle;
  std::vector<std::uint64_t> adopted;
};

}  // namespace drover::test
