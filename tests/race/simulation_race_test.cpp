// SPDX-License-Identifier: MIT
// Readers on other threads while a simulation runs, edits and rolls back. Meant for ThreadSanitizer.
#include "support/formula_64.hpp"
#include "support/grids.hpp"
#include "support/scene.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <type_traits>
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
  def.on_stale = OnStale::own_search;  // the simulation's thread searches while the others read
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

/// 10,000 questions of one thread in one tick: directions and costs of published bundles; every 250th is a field for a
/// goal that has none, built with a builder of the thread's own.
std::uint64_t ask(const Simulation& sim, FieldBuilder& builder, Draws& draws) {
  std::uint64_t answers = 0;
  BundleRef bundle;
  for (int i = 0; i < 10000; ++i) {
    if (i % 50 == 0) bundle = sim.store().snapshot();
    const BundleEntry& entry = bundle->entries()[0];
    const auto cell = [&] { return Cell{draws.between(-1, 64), draws.between(-1, 64)}; };
    if (i % 250 == 0) {
      const Result<FieldRef> field =
          builder.build(bundle->graph(entry.profile), {{{cell(), 0}}, GoalPlacement::nearest});
      answers += field.ok() && bundle->look_up(*field, entry.profile, cell()).state != CellState::not_ready;
    } else if (i % 2 == 0) {
      answers += bundle->look_up(entry.profile, entry.goal, cell()).state != CellState::not_ready;
    } else {
      const Lookup found = bundle->look_up(entry.field, entry.profile, cell());
      answers +=
          (found.cost == kInfiniteCost) == (found.state != CellState::reachable && found.state != CellState::goal);
    }
  }
  return answers;
}

/// Everything that the simulation's own thread may ask between two ticks.
void ask_between_ticks(const Simulation& sim, std::vector<AgentView>& views, WaitSurvey& survey) {
  sim.agents(views);
  for (const AgentView& view : views) {
    const Result<AgentId> id = sim.find_agent(view.key);
    ASSERT_TRUE(id.ok() && sim.agent(*id).ok() && sim.why(*id).ok());
  }
  sim.survey_waits(10, survey);
  EXPECT_EQ(sim.digests(), sim.digests());
}

struct Course {
  std::vector<Digests> digests;
  std::vector<Metrics> metrics;
};

Course course(bool asked) {
  static_assert(std::has_unique_object_representations_v<Metrics>);
  ThreadTasks threads(2);
  GridMap map = map_of(formula_64());
  const std::vector<Cell> starts = far_cells_of_formula_64(map.view());
  Simulation sim = *Simulation::create(std::move(map), {}, threads.host());
  const ProfileId profile = *sim.add_profile({});
  const GoalId goal = *sim.add_goal({{{{{63, 63}, 0}}, GoalPlacement::exact}, OnArrival::vanish});
  for (std::size_t i = 0; i < starts.size(); ++i)
    EXPECT_TRUE(sim.add_agent({i + 1, starts[i], profile, goal, {}, 0, 0}).ok());
  for (const std::uint64_t tick : {20u, 40u, 60u})
    EXPECT_TRUE(sim.submit({tick, 0, EditMap{set_terrain({62, 62}, tick == 40 ? kFloor : kWall)}}).ok());
  EXPECT_TRUE(sim.start().ok());
  FieldBuilder builders[2];
  Draws draws[2] = {Draws(1), Draws(2)};
  std::vector<AgentView> views;
  WaitSurvey survey;
  Course result;
  for (int tick = 0; tick < 120; ++tick) {
    std::vector<std::thread> readers;
    std::atomic<std::uint64_t> answers{0};
    for (std::size_t i = 0; asked && i < 2; ++i)
      readers.emplace_back([&, i] { answers += ask(sim, builders[i], draws[i]); });
    sim.step();
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(answers, asked ? 20000u : 0u);
    if (asked) ask_between_ticks(sim, views, survey);
    result.digests.push_back(sim.digests());
    result.metrics.push_back(sim.metrics());
  }
  return result;
}

TEST(SimulationRace, determinism_queries_leave_no_trace) {
  const Course alone = course(false), asked = course(true);
  EXPECT_EQ(alone.digests, asked.digests);
  for (std::size_t t = 0; t < alone.metrics.size(); ++t)
    ASSERT_EQ(std::memcmp(&alone.metrics[t], &asked.metrics[t], sizeof(Metrics)), 0) << "tick " << t + 1;
  // The wall of tick 60 is that of tick 20, and without it the map is the first one.
  EXPECT_EQ(alone.metrics.back().field_builds, 2u);
  EXPECT_EQ(alone.metrics.back().cache_hits, 2u);
}

}  // namespace
}  // namespace drover::test
