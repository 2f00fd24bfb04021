// SPDX-License-Identifier: MIT
// Publication under fire: readers against a writer, teardown, doors that toggle all the time. Meant for sanitizers.
#include "support/data.hpp"
#include "support/grids.hpp"
#include "support/scene.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>
#include <drover/verify.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace drover::test {
namespace {

/// Memory that is given back is overwritten first, so that who still reads it sees nonsense.
Allocator poisoning() {
  Allocator a;
  a.allocate = [](void*, std::size_t bytes, std::size_t alignment) {
    return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  };
  a.deallocate = [](void*, void* block, std::size_t bytes, std::size_t alignment) {
    std::memset(block, 0xDE, bytes);
    ::operator delete (block, std::align_val_t{alignment});
  };
  return a;
}

constexpr ProfileId kWalker{1, 1};
constexpr GoalId kGate{1, 1};

/// Bundles whose every cost tells the generation: it is the offset of the goal.
class Writer {
 public:
  Writer()
      : map_(map_of(std::vector<std::string>{"............", ".####.......", "....#..###..", ".##.#..#....",
                                             ".#..#..#.##.", ".#.....#..#.", ".####..##.#.", ".........#.."})) {
    host_.allocator = poisoning();
    graph_ = graph_of(map_.view(), {}, host_);
    builder_ = FieldBuilder(host_);
    plain_ = *builder_.build(graph_, goal(0));
  }
  void publish() {
    ++generation_;
    BundleEntry entry{kWalker, kGate, Freshness::current, *builder_.build(graph_, goal(generation_)), {}, 0};
    entry.stamp.field = generation_;
    store.publish(std::make_shared<const NavBundle>(generation_, map_.view(),
                                                    std::vector<std::pair<ProfileId, NavGraph>>{{kWalker, graph_}},
                                                    std::vector<BundleEntry>{std::move(entry)}));
  }
  /// Cells whose cost is not that of the bundle's generation, or whose direction is not that of the map.
  std::uint64_t mixed(const NavBundle& bundle) const {
    std::uint64_t found = bundle.entries()[0].stamp.field != bundle.generation();
    const FlowField& field = *bundle.entries()[0].field;
    for (std::uint32_t i = 0; i < field.shape().padded_cells(); ++i) {
      const CellIndex cell{i};
      const Cost expected = plain_->cost_to_goal(cell);
      const Cost shown = field.cost_to_goal(cell);
      found += expected == kInfiniteCost ? shown != kInfiniteCost : shown != expected + bundle.generation();
      found += field.code(cell) != plain_->code(cell);
    }
    return found;
  }
  std::uint64_t live_bytes() const { return builder_.live_bytes(); }

  NavStore store;

 private:
  static GoalDef goal(std::uint64_t offset) { return {{{{11, 7}, static_cast<Cost>(offset)}}, GoalPlacement::exact}; }

  Host host_;
  GridMap map_;
  NavGraph graph_;
  FieldBuilder builder_;
  FieldRef plain_;
  std::uint64_t generation_ = 0;
};

// Three readers and one that stalls. Nothing mixed, nothing from before, and in the end two fields are left: the map's
// own and the last.
TEST(PublishStorm, ReadersSeeOneGenerationInEveryCell) {
  const std::uint64_t publications = long_run() ? 1000000 : 100000;
  Writer writer;
  writer.publish();
  const std::uint64_t two_fields = writer.live_bytes();
  BundleRef stalled = writer.store.snapshot();
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> mixed{0}, backwards{0}, looks{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      for (std::uint64_t newest = 0; !over;) {
        const BundleRef bundle = writer.store.snapshot();
        mixed += writer.mixed(*bundle);
        backwards += bundle->generation() < newest;
        newest = bundle->generation();
        ++looks;
      }
    });
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < publications || looks < 100; ++i) {
    writer.publish();
    most = std::max(most, writer.live_bytes());
  }
  over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(mixed, 0u);
  EXPECT_EQ(backwards, 0u);
  EXPECT_EQ(writer.mixed(*stalled), 0u);
  const std::uint64_t one = two_fields / 2;
  EXPECT_LE(most, (1 + 3 + 1 + 2) * one) << "the plain one, one a reader, the stalled one's, and two";
  stalled.reset();
  EXPECT_EQ(writer.live_bytes(), two_fields);
}

/// What publications took, sorted.
struct Latencies {
  std::vector<std::uint64_t> ns;
  template <class Work>
  void measure(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    ns.push_back(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1)));
  }
  double us(std::size_t percent) {
    std::sort(ns.begin(), ns.end());
    return ns.empty() ? 0 : static_cast<double>(ns[(ns.size() - 1) * percent / 100]) / 1000;
  }
};

// A reader stalls: for a minute in the long form, for 2,000 ticks in the short one. Another reads on all the time. What
// is alive is the stalled one's bundle, the other's, the one on offer and the one before; nobody's pace is judged here,
// the long form tells what it was.
TEST(PublishStorm, AReaderThatStallsCostsItsBundleAndNothingElse) {
  using Clock = std::chrono::steady_clock;
  const std::uint64_t ticks = 2000;
  const auto stall = std::chrono::seconds(long_run() ? 60 : 0);
  std::uint64_t warnings = 0;
  Host host;
  host.log = {&warnings, [](void* context, LogLevel level, const char*) {
                *static_cast<std::uint64_t*>(context) += level == LogLevel::warning;
              }};
  Simulation sim = *Simulation::create(map_of(open_rows(48, 48), host), {}, host);
  const ProfileId profile = *sim.add_profile({});
  const GoalId goal = *sim.add_goal({{{{{47, 47}, 0}}, GoalPlacement::exact}, OnArrival::vanish});
  ASSERT_TRUE(sim.add_agent({1, {0, 0}, profile, goal, {}, 0, 0}).ok() && sim.start().ok());
  std::uint64_t most = 0;
  const auto tick = [&](Latencies& out) {
    ASSERT_TRUE(sim.edit(set_terrain({20, 20}, sim.tick() % 2 == 0 ? kWall : kFloor)).ok());
    out.measure([&] { sim.step(); });
    most = std::max(most, sim.metrics().live_bundles);
  };
  std::atomic<bool> over{false};
  std::thread reader([&] {
    while (!over) EXPECT_NE(sim.store().snapshot()->look_up(profile, goal, {0, 0}).state, CellState::profile_mismatch);
  });
  Latencies free, beside;
  for (std::uint64_t i = 0; i < ticks; ++i) tick(free);
  BundleRef held = sim.snapshot();
  const Cost before = held->look_up(profile, goal, {0, 0}).cost;
  const Clock::time_point start = Clock::now();
  for (std::uint64_t i = 0; i < ticks || Clock::now() - start < stall; ++i) tick(beside);
  const std::uint64_t oldest = sim.metrics().oldest_reader_ticks;
  over = true;
  reader.join();
  EXPECT_LE(most, 2u + 2u) << "two readers, and two";
  EXPECT_GE(oldest, ticks - 1);
  EXPECT_GE(warnings, 1u);
  EXPECT_EQ(held->look_up(profile, goal, {0, 0}).cost, before);
  held.reset();
  EXPECT_EQ(sim.metrics().oldest_reader_ticks, 0u);
  if (long_run())
    std::printf(
        "ticks with an edit: free p50 %.1f p99 %.1f us; beside a reader stalled for a minute p50 %.1f p99 %.1f us, "
        "%zu ticks, at most %llu bundles alive\n",
        free.us(50), free.us(99), beside.us(50), beside.us(99), beside.ns.size(),
        static_cast<unsigned long long>(most));
}

// Create, edit, build, query, destroy on four threads over two background threads. A bundle outlives its world.
TEST(PublishStorm, WorldsComeAndGoOnFourThreads) {
  const int rounds = long_run() ? 2500 : 100;  // a thread
  BackgroundTasks background(2);
  Host host = background.host();
  host.allocator = poisoning();
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        BundleRef kept;
        ProfileId profile;
        GoalId goal;
        {
          SimulationDef def;
          def.adopt_latency_ticks = static_cast<std::uint32_t>(round % 4);
          Simulation sim = *Simulation::create(map_of(open_rows(24, 24), host), def, host);
          profile = *sim.add_profile({});
          goal = *sim.add_goal({{{{{23, 23}, 0}}, GoalPlacement::exact}, OnArrival::vanish});
          wrong += !sim.add_agent({1, {0, 0}, profile, goal, {}, 0, 0}).ok() || !sim.start().ok();
          for (std::int32_t i = 0; i < 5; ++i) {
            const Cell cell{static_cast<std::int32_t>(2 + t + static_cast<std::uint64_t>(i)), 5 + round % 13};
            wrong += !sim.edit(set_terrain(cell, kWall)).ok();
            sim.step();
          }
          kept = sim.snapshot();
        }  // some builds have not begun, some are under way
        const BundleEntry& entry = *kept->find(profile, goal);
        const Lookup by_hand = kept->look_up(entry.field, profile, {0, 0});
        wrong += by_hand.state != CellState::reachable && by_hand.state != CellState::stale;
        wrong += entry.field->cost_to_goal(kept->graph(profile).shape().index(Cell{0, 0})) < 23u * 14u;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
}

struct DoorStorm {
  std::int32_t size = 96;
  std::uint64_t agents = 300, ticks = 1500, toggles = 50;  // a tick: 1,000 a second at 20 ticks a second
};

struct Outcome {
  std::vector<std::uint64_t> digests;
  std::uint64_t arrived = 0, violations = 0;
  Metrics metrics;
};

// Walls every 16 columns, each with doors of four cells; everyone walks from the left to the right edge.
Outcome run(const DoorStorm& storm, bool toggling, const Host& host) {
  GridMap map = *GridMap::create({.width = storm.size, .height = storm.size}, host);
  MapEdit walls;
  std::vector<std::uint32_t> doors;
  for (std::int32_t x = 16; x < storm.size - 8; x += 16)
    for (std::int32_t y = 0; y < storm.size; ++y)
      if (y % 12 < 4 || y % 12 > 7) walls.cells.push_back({{x, y}, CellChange::terrain, kWall});
  EXPECT_TRUE(map.apply(walls).ok());
  for (std::int32_t x = 16; x < storm.size - 8; x += 16)
    for (std::int32_t y = 4; y + 4 <= storm.size; y += 12)
      doors.push_back(*map.add_door(
          {std::to_string(x) + "/" + std::to_string(y), {{x, y}, {x, y + 1}, {x, y + 2}, {x, y + 3}}, true}));
  SimulationDef def;
  def.on_stale = OnStale::keep_if_legal;
  def.adopt_latency_ticks = 4;
  Simulation sim = *Simulation::create(std::move(map), def, host);
  const ProfileId profile = *sim.add_profile({});
  GoalDef edge;
  for (std::int32_t y = 0; y < storm.size; ++y) edge.cells.push_back({{storm.size - 1, y}, 0});
  const GoalId goal = *sim.add_goal({edge, OnArrival::vanish});
  for (std::uint64_t i = 0; i < storm.agents; ++i) {
    const auto n = static_cast<std::int32_t>(i);
    EXPECT_TRUE(sim.add_agent({i + 1, {n / storm.size, n % storm.size}, profile, goal, {}, 0, 0}).ok());
  }
  EXPECT_TRUE(sim.start().ok());
  const std::vector<MovementProfile> profiles(sim.profiles().begin(), sim.profiles().end());
  Validator validator(sim.map(), profiles, ValidatorRules{def.bodies, def.following});
  for (const Simulation::Entry& e : sim.entered()) validator.enter(e.key, e.profile.index, e.cell);
  Draws draws(7);
  std::vector<bool> open(doors.size(), true);
  Outcome out;
  while (sim.tick() < storm.ticks && !(sim.finished() && !toggling)) {
    for (std::uint64_t i = 0; toggling && i < storm.toggles; ++i) {
      const std::uint32_t door = draws.below(static_cast<std::uint32_t>(doors.size()));
      open[door] = !open[door];
      EXPECT_TRUE(sim.edit(set_door(doors[door], open[door] ? DoorState::open : DoorState::closed)).ok());
    }
    const StepReport report = sim.step();
    if (toggling) validator.set_map(sim.map());
    validator.tick(report.tick, sim.moves());
    for (const Simulation::Entry& e : sim.left()) validator.leave(e.key);
    out.digests.push_back(report.digests.all);
  }
  out.arrived = sim.state_counts()[static_cast<std::size_t>(AgentState::arrived)];
  out.violations = validator.violations();
  out.metrics = sim.metrics();
  return out;
}

TEST(DoorStorm, EveryStepIsLegalMostArriveAndThreadsDoNotMatter) {
  const DoorStorm storm = long_run() ? DoorStorm{512, 5000, 12000, 50} : DoorStorm{};
  const Outcome calm = run(storm, false, {}), stormy = run(storm, true, {});
  EXPECT_EQ(calm.arrived, storm.agents);
  EXPECT_GE(stormy.arrived * 10, calm.arrived * 8) << stormy.arrived << " of " << calm.arrived;
  EXPECT_EQ(stormy.violations, 0u);
  EXPECT_GT(stormy.metrics.kept_old_direction, 0u);
  // Four ticks to a build: one in four wishes is built, the others are overtaken.
  EXPECT_GT(stormy.metrics.coalesced_requests * 3, stormy.metrics.adoptions * 4);
  RecordProperty("arrived", std::to_string(stormy.arrived));
  for (const std::uint32_t workers : {2u, 8u}) {
    BackgroundTasks tasks(workers);
    const Outcome again = run(storm, true, tasks.host());
    EXPECT_EQ(again.digests, stormy.digests) << workers << " threads";
    EXPECT_EQ(again.violations, 0u);
  }
}

}  // namespace
}  // namespace drover::test
