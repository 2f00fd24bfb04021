// SPDX-License-Identifier: MIT
// Readers on other threads while a simulation runs, edits and rolls back. Meant for ThreadSanitizer.
#include "support/scene.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace drover::test {
namespace {

// A reader never sees a cost and a direction of two generations: from every reachable cell the step leads to a cell
// that is cheaper by exactly the cost of the step on that bundle's own graph.
std::uint64_t contradictions(const NavBundle& bundle) {
  std::uint64_t found = 0;
  for (const BundleEntry& entry : bundle.entries()) {
    if (entry.freshness != Freshness::current || !entry.field) continue;
    const NavGraph& graph = bundle.graph(entry.profile);
    const GridShape& shape = graph.shape();
    for (std::int32_t y = 0; y < shape.height(); ++y)
      for (std::int32_t x = 0; x < shape.width(); ++x) {
        const Lookup here = bundle.look_up(entry.profile, entry.goal, {x, y});
        if (here.state != CellState::reachable) continue;
        const auto d = static_cast<int>(here.step.direction);
        const Lookup next = bundle.look_up(entry.profile, entry.goal, {x + kDx[d], y + kDy[d]});
        const std::optional<Cost> cost = graph.step_cost({x, y}, here.step.direction);
        found += !cost || next.cost + *cost != here.cost;
      }
  }
  return found;
}

TEST(SimulationRace, ReadersSeeWholeGenerationsWhileTheSimulationRunsAndRollsBack) {
  ThreadTasks threads(2);
  SimulationDef def;
  def.adopt_latency_ticks = 1;
  std::vector<std::string> rows(16, std::string(24, '.'));
  for (std::size_t y = 0; y < 16; ++y) rows[y][12] = y == 8 ? '.' : '#';
  rows[15][12] = '.';
  Scene s(rows, def, threads.host());
  const std::uint32_t door = s.door("gate", {{12, 8}});
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 80; ++i)
    walkers.push_back({static_cast<std::uint64_t>(i + 1), {i % 10, i / 10}, {23, 8}, true});
  s.open(walkers);

  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> wrong{0}, looks{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!over) {
        const BundleRef bundle = s.sim().store().snapshot();
        wrong += contradictions(*bundle);
        ++looks;
      }
    });
  SimulationSnapshot snapshot;
  for (int round = 0; round < 40; ++round) {
    ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
    ASSERT_TRUE(s.sim().submit({s.sim().tick() + 1, 0, EditMap{{{}, {{door, DoorState::closed}}}}}).ok());
    for (int t = 0; t < 3; ++t) s.sim().step();
    if (round % 2) {
      ASSERT_TRUE(s.sim().restore(snapshot).ok());
    }
    ASSERT_TRUE(s.sim().submit({s.sim().tick() + 1, 0, EditMap{{{}, {{door, DoorState::open}}}}}).ok());
    for (int t = 0; t < 3; ++t) s.sim().step();
  }
  while (looks < 20) std::this_thread::yield();
  over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace drover::test
