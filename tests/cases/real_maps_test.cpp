// SPDX-License-Identifier: MIT
// Crowds on published maps: everyone in the largest region comes to a goal that swallows him, whatever the number of
// threads.
#include "base/counter_rng.hpp"
#include "nav/compiled_graph.hpp"
#include "support/data.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/io.hpp>
#include <drover/simulation.hpp>
#include <drover/verify.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace drover::test {
namespace {

struct Crossing {
  std::uint64_t arrived = 0, violations = 0, ticks = 0, digest = 0;
};

// Open cells of the largest component, in random order.
std::vector<Cell> largest_region(const NavGraph& graph, std::uint64_t seed) {
  const std::vector<std::uint64_t> sizes = graph.component_sizes();
  const auto largest = static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  const GridShape& shape = graph.shape();
  std::vector<Cell> cells;
  for (std::int32_t y = 0; y < shape.height(); ++y)
    for (std::int32_t x = 0; x < shape.width(); ++x) {
      if (graph.footing({x, y}) != Footing::open) continue;
      const CellIndex index = shape.index({x, y});
      if (graph.compiled().component(index) == largest) cells.push_back({x, y});
    }
  const base::CounterRng rng(seed, 3);
  for (std::size_t i = 0; i + 1 < cells.size(); ++i)
    std::swap(cells[i], cells[i + rng.uniform(i, static_cast<std::uint32_t>(cells.size() - i))]);
  return cells;
}

Crossing cross(const std::filesystem::path& file, std::size_t agents, std::size_t goals, const Host& host) {
  const std::string text = *io::read_text_file(file.string(), io::kMapFile);
  GridMap map = *io::make_map(*io::parse_map(text, file.string()));
  const std::vector<Cell> cells = largest_region(*NavGraph::compile(map.view(), {}), 11);
  Simulation sim = *Simulation::create(std::move(map), {}, host);
  const ProfileId walker = *sim.add_profile({});
  SimulationGoal goal;
  goal.on_arrival = OnArrival::vanish;
  for (std::size_t i = 0; i < goals; ++i) goal.where.cells.push_back({cells[i], 0});
  const GoalId exit = *sim.add_goal(goal);
  for (std::size_t i = 0; i < agents; ++i) {
    const Result<AgentId> id = sim.add_agent({i + 1, cells[goals + i], walker, exit, {}, 0, 0});
    EXPECT_TRUE(id.ok()) << id.status().message();
  }
  EXPECT_TRUE(sim.start().ok());
  Validator validator(sim.map(), sim.profiles(), {});
  const auto take = [&] {
    for (const Simulation::Entry& e : sim.entered()) validator.enter(e.key, e.profile.index, e.cell);
    for (const Simulation::Entry& e : sim.left()) validator.leave(e.key);
  };
  take();
  while (!sim.finished() && sim.tick() < 5000) {
    sim.step();
    validator.tick(sim.tick(), sim.moves());
    take();
  }
  return {sim.state_counts()[static_cast<std::size_t>(AgentState::arrived)], validator.violations(), sim.tick(),
          sim.digests().all};
}

struct MapCase {
  const char* file;
  std::size_t agents, goals;
};

class RealMaps : public testing::TestWithParam<MapCase> {};

TEST_P(RealMaps, EveryoneArrivesAndTheDigestIsTheSameOnAnyThreads) {
  const MapCase& c = GetParam();
  const std::filesystem::path file = data_root() / "movingai" / "maps" / c.file;
  DROVER_REQUIRE_DATA(std::filesystem::path("movingai") / "maps" / c.file);
  const Crossing serial = cross(file, c.agents, c.goals, {});
  EXPECT_EQ(serial.arrived, c.agents);
  EXPECT_EQ(serial.violations, 0u);
  for (const std::uint32_t workers : {2u, 8u}) {
    ThreadTasks threads(workers);
    const Crossing parallel = cross(file, c.agents, c.goals, threads.host());
    EXPECT_EQ(parallel.digest, serial.digest) << workers << " threads";
    EXPECT_EQ(parallel.ticks, serial.ticks);
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, RealMaps,
                         testing::Values(MapCase{"dao/den312d.map", 500, 1}, MapCase{"dao/arena.map", 500, 1},
                                         MapCase{"dao/brc202d.map", 500, 1},
                                         MapCase{"cities/Berlin_0_512.map", 5000, 16}));

}  // namespace
}  // namespace drover::test
