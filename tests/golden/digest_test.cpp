// SPDX-License-Identifier: MIT
// The same bytes on every machine: digests of whole runs, written down. They change only with a line in CHANGELOG.md.
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace drover::test {
namespace {

constexpr std::uint64_t kDiscs = 0xdb7c9292662b2094, kCells = 0xd0304b68b8ab4316;

// A cell is wall when ((x * 73856093) xor (y * 19349663)) mod 100 < 25; six cells in the corners are clear.
std::vector<std::string> formula_64() {
  std::vector<std::string> rows(64, std::string(64, '.'));
  for (std::uint64_t y = 0; y < 64; ++y)
    for (std::uint64_t x = 0; x < 64; ++x)
      if (((x * 73856093) ^ (y * 19349663)) % 100 < 25) rows[y][x] = '#';
  for (const Cell c : {Cell{0, 0}, Cell{1, 0}, Cell{0, 1}, Cell{63, 63}, Cell{62, 63}, Cell{63, 62}})
    rows[static_cast<std::size_t>(c.y)][static_cast<std::size_t>(c.x)] = '.';
  return rows;
}

// The 300 reachable cells with the largest cost, ties by cell index; keys are the positions in that list plus 1.
std::vector<Cell> far_cells(const GridMap& map) {
  const FieldRef field =
      *FieldBuilder().build(*NavGraph::compile(map.view(), {}), {{{{63, 63}, 0}}, GoalPlacement::exact});
  std::vector<std::pair<Cost, Cell>> cells;
  for (std::int32_t y = 0; y < 64; ++y)
    for (std::int32_t x = 0; x < 64; ++x) {
      const CellIndex i = map.shape().index({x, y});
      if (field->state(i) == CellState::reachable) cells.emplace_back(field->cost_to_goal(i), Cell{x, y});
    }
  std::stable_sort(cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Cell> result;
  for (std::size_t i = 0; i < 300; ++i) result.push_back(cells[i].second);
  return result;
}

std::vector<Digests> run(BodyRule bodies, const Host& host, bool reversed) {
  const std::vector<std::string> rows = formula_64();
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  GridMap map = *GridMap::from_rows(views);
  const std::vector<Cell> starts = far_cells(map);
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
