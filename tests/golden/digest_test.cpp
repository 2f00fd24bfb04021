// SPDX-License-Identifier: MIT
// The same bytes on every machine: digests of whole runs, written down. They change only with a line in CHANGELOG.md
// and a new kBehaviour.
#include "support/formula_64.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <string>
#include <vector>

namespace drover::test {
namespace {

constexpr std::uint64_t kDiscs = 0x7922b06b3e2acf92, kCells = 0x29830a2c9da345bb;

std::vector<Digests> run(BodyRule bodies, const Host& host, bool reversed) {
  const std::vector<std::string> rows = formula_64();
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  GridMap map = *GridMap::from_rows(views);
  const std::vector<Cell> starts = far_cells_of_formula_64(map.view());
  SimulationDef def;
  def.bodies = bodies;
  Simulation sim = *Simulation::create(std::move(map), def, host);
  const ProfileId p = *sim.add_profile({});
  const GoalId g = *sim.add_goal({{{{{63, 63}, 0}}, GoalPlacement::exact}, OnArrival::vanish});
  std::vector<std::size_t> order(starts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = reversed ? order.size() - 1 - i : i;
  for (const std::size_t i : order) EXPECT_TRUE(sim.add_agent({i + 1, starts[i], p, g, {}, 0, 0}).ok());
  for (const std::uint64_t tick : {20u, 40u, 60u}) {
    MapEdit edit;
    edit.cells = {{{62, 62}, CellChange::terrain, tick == 40 ? kFloor : kWall}};
    EXPECT_TRUE(sim.submit({tick, 0, EditMap{edit}}).ok());
  }
  std::vector<Digests> digests;
  EXPECT_TRUE(sim.start().ok());
  while (!sim.finished() && sim.tick() < 1000) digests.push_back(sim.step().digests);
  EXPECT_TRUE(sim.finished());
  return digests;
}

TEST(Determinism, determinism_same_digest_for_any_threads) {
  const std::vector<Digests> serial = run(BodyRule::discs, {}, false);
  for (const std::uint32_t workers : {2u, 3u, 8u}) {
    ThreadTasks threads(workers);
    EXPECT_EQ(run(BodyRule::discs, threads.host(), workers == 3), serial) << workers << " threads";
  }
  EXPECT_EQ(run(BodyRule::discs, {}, true), serial);
}

TEST(Determinism, TheDigestsOfTwoRunsAreThese) {
  const Digests discs = run(BodyRule::discs, {}, false).back(), cells = run(BodyRule::cells, {}, false).back();
  EXPECT_EQ(discs.all, kDiscs) << std::hex << discs.all;
  EXPECT_EQ(cells.all, kCells) << std::hex << cells.all;
}

}  // namespace
}  // namespace drover::test
