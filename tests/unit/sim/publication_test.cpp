// SPDX-License-Identifier: MIT
// Requests, builds in the background, the cache, and readers that hold on.
#include "property/crowd_world.hpp"
#include "sim/build_queue.hpp"
#include "support/grids.hpp"
#include "support/scene.hpp"
#include "support/threads.hpp"
#include "unit/sim/town.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace drover::test {
namespace {

const std::vector<std::string> kThreeRows = {".......", "...#...", "......."};

TEST(Cache, update_goal_there_and_back) {
  Town still(kThreeRows);
  EXPECT_EQ(still.cost({0, 0}), 64u);
  const FieldRef first = still.entry().field;
  still.aim(5, {0, 1});
  still.aim(10, {6, 1});
  still.run_to(12);
  EXPECT_EQ(still.entry().field, first);
  EXPECT_EQ(still.entry().stamp.goal, 3u) << "a goal that comes back is a new version";
  EXPECT_EQ(still.sim.metrics().field_builds, 2u);
  EXPECT_EQ(still.sim.metrics().cache_hits, 1u);
  EXPECT_EQ(still.adopted, (std::vector<std::uint64_t>{6, 11})) << "a hit is adopted when a build is";

  Town edited(kThreeRows);
  edited.aim(5, {0, 1});
  edited.edit(8, {3, 0}, kWall);
  edited.aim(10, {6, 1});
  edited.run_to(12);
  EXPECT_EQ(edited.cost({0, 0}), 72u);
  EXPECT_EQ(edited.cost({2, 0}), 64u);
  EXPECT_EQ(edited.sim.metrics().cache_hits, 0u);
}

// On at 4, off at 5, on at 6. The first wall's field is never needed at tick 5, and is there at 6.
TEST(Cache, AWallOnOffOnInThreeTicksIsBuiltOnce) {
  Town t(kThreeRows, {}, {}, {6, 1});
  const std::uint64_t open = t.entry().field->digest();
  t.edit(4, {3, 0}, kWall);
  t.edit(5, {3, 0}, kFloor);
  t.edit(6, {3, 0}, kWall);
  const auto freshness = [&](std::uint64_t tick) {
    t.run_to(tick);
    return t.entry().freshness;
  };
  EXPECT_EQ(freshness(4), Freshness::stale);
  EXPECT_EQ(freshness(5), Freshness::current) << "the old field is right again";
  EXPECT_EQ(t.entry().field->digest(), open);
  EXPECT_EQ(freshness(6), Freshness::stale);
  EXPECT_EQ(freshness(7), Freshness::current);
  EXPECT_EQ(t.cost({0, 0}), 72u);
  EXPECT_EQ(t.sim.metrics().field_builds, 2u);
  EXPECT_EQ(t.sim.metrics().cache_hits, 1u);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{7}));
}

TEST(Cache, WithoutRoomEverythingIsBuiltAndNothingElseDiffers) {
  std::vector<Digests> digests[2];
  std::uint64_t builds[2] = {};
  for (const bool cached : {false, true}) {
    SimulationDef def;
    if (!cached) def.field_cache_bytes = 0;
    Town t(kThreeRows, def);
    for (std::uint64_t tick = 4; tick < 40; tick += 3) t.edit(tick, {3, 0}, tick % 2 == 0 ? kWall : kFloor);
    while (t.sim.tick() < 45) digests[cached].push_back(t.sim.step().digests);
    builds[cached] = t.sim.metrics().field_builds;
    EXPECT_EQ(t.sim.metrics().cache_hits, cached ? 11u : 0u);
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(builds[0], 13u);
  EXPECT_EQ(builds[1], 2u);
}

// A rolled-back or a loaded run counts the hits that it counted before.
TEST(Cache, RollbackAndLoadKeepTheCountOfHits) {
  Town t(kThreeRows);
  for (std::uint64_t tick = 4; tick < 40; tick += 3) t.edit(tick, {3, 0}, tick % 2 == 0 ? kWall : kFloor);
  t.run_to(12);
  SimulationSnapshot snapshot;
  ASSERT_TRUE(t.sim.snapshot_into(snapshot).ok());
  std::vector<std::byte> bytes;
  ASSERT_TRUE(t.sim.save(bytes).ok());
  t.run_to(45);
  const Metrics expected = t.sim.metrics();
  EXPECT_EQ(expected.cache_hits, 11u) << "twelve edits, the first of which is new";
  EXPECT_EQ(expected.field_builds, 2u);
  const Digests digests = t.sim.digests();
  ASSERT_TRUE(t.sim.restore(snapshot).ok());
  EXPECT_LT(t.sim.metrics().cache_hits, 11u);
  t.run_to(45);
  Simulation loaded = *Simulation::load(bytes);
  while (loaded.tick() < 45) loaded.step();
  for (const Simulation* sim : {&t.sim, &loaded}) {
    EXPECT_EQ(sim->digests(), digests);
    EXPECT_EQ(sim->metrics().cache_hits, expected.cache_hits);
    EXPECT_EQ(sim->metrics().cache_misses, expected.cache_misses);
    EXPECT_EQ(sim->metrics().field_builds, expected.field_builds);
  }
}

// Another wall every tick from 1 to 9. The build of tick 1 is due at 5, when that of 5 is begun, due at 9, then that of
// 9; 2 to 4 and 6 to 8 count by their net effect.
TEST(Requests, EditsDuringABuildCountByTheirNetEffect) {
  SimulationDef def;
  def.adopt_latency_ticks = 4;
  Town t(open_rows(20, 8), def, {}, {19, 1});
  for (std::int32_t i = 1; i <= 9; ++i) t.edit(static_cast<std::uint64_t>(i), {i + 4, 5}, kWall);
  t.run_to(12);
  EXPECT_EQ(t.entry().freshness, Freshness::stale);
  t.run_to(20);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{5, 9, 13}));
  EXPECT_EQ(t.entry().freshness, Freshness::current);
  EXPECT_EQ(t.sim.metrics().field_builds, 4u);
  EXPECT_EQ(t.sim.metrics().coalesced_requests, 6u);
  EXPECT_EQ(t.sim.metrics().adoption_ticks, 12u);
}

// The newest content is never late: due when it was asked for + latency, however the one before it stands.
TEST(Requests, TheLastEditIsAdoptedAfterItsOwnLatency) {
  SimulationDef def;
  def.adopt_latency_ticks = 4;
  Town t(open_rows(20, 8), def, {}, {19, 1});
  t.edit(3, {9, 5}, kWall);
  t.edit(5, {9, 6}, kWall);
  t.run_to(15);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{7, 9}));
  EXPECT_EQ(t.sim.metrics().coalesced_requests, 0u);
}

TEST(Requests, AGoalThatMovesThereAndBackInOneTickIsNoNewVersion) {
  Town t(kThreeRows);
  t.aim(5, {0, 1});
  t.aim(5, {2, 2});
  t.aim(5, {6, 1});
  t.run_to(8);
  EXPECT_TRUE(t.adopted.empty());
  EXPECT_EQ(t.sim.metrics().field_builds, 1u);
  EXPECT_EQ(t.sim.agent(*t.sim.find_agent(1))->arrival_tick, 8u - 2u);
  t.aim(20, {0, 1});
  t.aim(20, {2, 2});
  t.run_to(22);
  EXPECT_EQ(t.entry().stamp.goal, 2u) << "two changes, one version";
  EXPECT_EQ(t.sim.metrics().field_builds, 2u);
}

// Two rooms, the goal in the left one.
TEST(Staleness, AnEditInAnotherRoomLeavesAFieldFresh) {
  Town t({"...#...", "...#...", "...#..."}, {}, {}, {0, 2}, {0, 0});
  const FieldRef field = t.entry().field;
  t.edit(1, {5, 1}, kWall);
  t.run_to(1);
  EXPECT_EQ(t.entry().freshness, Freshness::current);
  EXPECT_EQ(t.entry().field, field);
  EXPECT_EQ(t.sim.metrics().kept_fields, 1u);
  const auto state = [&](Cell cell) { return t.sim.snapshot()->look_up(t.profile, t.goal, cell).state; };
  EXPECT_EQ(state({5, 1}), CellState::blocked) << "of today's map";
  EXPECT_EQ(state({4, 1}), CellState::unreachable);
  EXPECT_EQ(t.cost({2, 2}), 20u);
  EXPECT_EQ(t.sim.snapshot()->look_up(field, t.profile, {2, 2}).state, CellState::stale) << "by hand nothing is proved";
  t.edit(2, {3, 1}, kFloor);
  t.run_to(2);
  EXPECT_EQ(t.entry().freshness, Freshness::stale) << "a door into its room";
  t.run_to(3);
  EXPECT_EQ(state({4, 1}), CellState::reachable);
  t.edit(4, {3, 1}, kWall);
  t.run_to(4);
  EXPECT_EQ(t.entry().freshness, Freshness::stale);
  EXPECT_EQ(t.sim.metrics().kept_fields, 1u);
}

TEST(Staleness, AnotherLayerIsAnotherRoomUnlessAPortalLeadsFromThere) {
  for (const bool linked : {false, true}) {
    GridMap map = layers_of({{"....", "...."}, {"....", "...."}});
    if (linked) {
      ASSERT_TRUE(map.add_portal({{0, 0, 1}, {0, 0, 0}, 10, true}).ok());
    }
    Simulation sim = *Simulation::create(std::move(map));
    const ProfileId p = *sim.add_profile({});
    const GoalId g = *sim.add_goal({at({3, 1}), OnArrival::stay});
    ASSERT_TRUE(sim.add_agent({1, {0, 0}, p, g, {}, 0, 0}).ok());
    ASSERT_TRUE(sim.start().ok());
    ASSERT_TRUE(sim.submit({1, 0, EditMap{set_terrain({2, 1, 1}, kWall)}}).ok());
    sim.step();
    EXPECT_EQ(sim.snapshot()->find(p, g)->freshness, linked ? Freshness::stale : Freshness::current);
  }
}

/// Walls down the middle, no portals: two rooms until somebody opens one.
void make_rooms(World& w) {
  const std::size_t middle = w.rows[0].size() / 2;
  for (std::string& row : w.rows) row[middle] = '#';
  w.portals.clear();
  std::erase_if(w.edits, [](const Command& c) {
    const auto* edit = std::get_if<EditMap>(&c.change);
    return edit != nullptr && !edit->edit.portals.empty();
  });
}

void expect_answers_of(const NavBundle& bundle, const BundleEntry& e, const FieldRef& built) {
  const NavGraph& graph = bundle.graph(e.profile);
  const NavBundle fresh(1, bundle.map(), {{e.profile, graph}}, {{e.profile, e.goal, Freshness::current, built, {}, 0}});
  const GridShape& shape = graph.shape();
  for (std::int32_t l = 0; l < shape.layers(); ++l)
    for (std::int32_t y = 0; y < shape.height(); ++y)
      for (std::int32_t x = 0; x < shape.width(); ++x) {
        const Cell cell{x, y, l};
        const Lookup a = bundle.look_up(e.profile, e.goal, cell), b = fresh.look_up(e.profile, e.goal, cell);
        ASSERT_EQ(a.state, b.state);
        ASSERT_EQ(a.cost, b.cost);
        if (a.state != CellState::reachable) continue;
        ASSERT_EQ(a.step.kind, b.step.kind);
        ASSERT_EQ(a.step.direction, b.step.direction);
        ASSERT_EQ(a.step.portal, b.step.portal);
        const CellIndex i = shape.index(cell);
        ASSERT_EQ(e.field->optimal_directions(i).bits, built->optimal_directions(i).bits);
      }
}

// Whatever a bundle calls current answers as a field built on its graph.
TEST(Staleness, WhatIsCurrentAnswersLikeAFieldBuiltAnew) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    World w = random_world(seed);
    std::erase_if(w.edits, [](const Command& c) { return std::holds_alternative<SetGoal>(c.change); });
    if (seed % 2 == 0) make_rooms(w);
    w.def.adopt_latency_ticks = static_cast<std::uint32_t>(seed % 5);
    w.def.refresh_latency_ticks = static_cast<std::uint32_t>(seed % 7);
    Simulation sim = make_simulation(w);
    if (!sim.start().ok()) continue;
    FieldBuilder builder;
    for (std::uint64_t kept = 0; sim.tick() < 45;) {
      sim.step();
      if (sim.metrics().kept_fields == kept) continue;
      kept = sim.metrics().kept_fields;
      const BundleRef bundle = sim.snapshot();
      for (const BundleEntry& e : bundle->entries()) {
        if (e.freshness != Freshness::current || e.proved_hash == 0) continue;
        ++compared;
        const Result<FieldRef> built = builder.build(bundle->graph(e.profile), w.goals[e.goal.index].where);
        ASSERT_TRUE(built.ok()) << "world " << seed;
        expect_answers_of(*bundle, e, *built);
        if (HasFatalFailure()) FAIL() << "world " << seed << " tick " << sim.tick();
      }
    }
  }
  EXPECT_GT(compared, 100u);
}

/// What a run shows of itself.
struct Shown {
  std::vector<Digests> digests;
  std::vector<std::byte> bytes;
  std::uint64_t overruns = 0;
  friend bool operator==(const Shown& a, const Shown& b) { return a.digests == b.digests && a.bytes == b.bytes; }
};

Shown course(const World& w, const Host& host, const std::function<void()>& between = {}) {
  Simulation sim = make_simulation(w, host);
  Shown shown;
  if (!sim.start().ok()) return shown;
  for (int t = 0; t < 60; ++t) {
    shown.digests.push_back(sim.step().digests);
    if (between) between();
  }
  EXPECT_TRUE(sim.save(shown.bytes).ok());
  shown.overruns = sim.metrics().tick_overruns;
  return shown;
}

TEST(Background, RunsGiveTheBytesOfASerialRun) {
  std::uint64_t started = 0, ran = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    World w = random_world(seed);
    w.def.adopt_latency_ticks = static_cast<std::uint32_t>(seed % 6);
    w.def.refresh_latency_ticks = static_cast<std::uint32_t>(seed % 11);
    const Shown serial = course(w, {});
    ran += !serial.digests.empty();
    EXPECT_EQ(serial.overruns, 0u);
    BackgroundTasks tasks(static_cast<std::uint32_t>(1 + seed % 4));
    const Shown background = course(w, tasks.host());
    ASSERT_TRUE(background == serial) << "world " << seed;
    started += tasks.started();
    BackgroundTasks late(static_cast<std::uint32_t>(1 + seed % 3), BackgroundTasks::Start::held);
    ASSERT_TRUE(course(w, late.host()) == serial) << "world " << seed << ", nothing is ever built in time";
  }
  EXPECT_GT(ran, 30u);
  EXPECT_GT(started, 60u);
}

TEST(Background, ABuildThatIsNotThereMakesItsTickWaitAndIsCounted) {
  SimulationDef def;
  def.adopt_latency_ticks = 3;
  BackgroundTasks held(1, BackgroundTasks::Start::held);
  Town t(kThreeRows, def, held.host());
  t.edit(2, {3, 0}, kWall);
  t.run_to(4);
  EXPECT_EQ(held.started(), 1u);
  EXPECT_EQ(t.sim.metrics().tick_overruns, 0u);
  t.run_to(8);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{5}));
  EXPECT_EQ(t.sim.metrics().tick_overruns, 1u);
  held.release();
  t.edit(9, {3, 2}, kWall);
  t.run_to(9);
  std::vector<std::byte> bytes;
  ASSERT_TRUE(t.sim.save(bytes).ok());  // waits for it
  t.run_to(13);
  EXPECT_EQ(t.adopted, (std::vector<std::uint64_t>{5, 12}));
  EXPECT_EQ(t.sim.metrics().tick_overruns, 1u);
}

// Back to before a build was asked for, while it runs or waits; and away with the simulation in the middle of it.
TEST(Background, RollbackAndTeardownInTheMiddleOfABuild) {
  for (int round = 0; round < 200; ++round) {
    BackgroundTasks tasks(1, round % 3 == 0 ? BackgroundTasks::Start::held : BackgroundTasks::Start::at_once);
    SimulationDef def;
    def.adopt_latency_ticks = 5;
    Town t(open_rows(64, 64), def, tasks.host());
    SimulationSnapshot before, during;
    ASSERT_TRUE(t.sim.snapshot_into(before).ok());
    t.edit(1, {5, 5}, kWall);
    t.run_to(2);
    ASSERT_TRUE(t.sim.snapshot_into(during).ok());
    ASSERT_TRUE(t.sim.restore(before).ok());
    t.edit(1, {5, 6}, kWall);
    t.run_to(3);
    if (round % 2 == 0) continue;
    t.run_to(8);
    EXPECT_EQ(t.sim.snapshot()->find(t.profile, t.goal)->freshness, Freshness::current);
    ASSERT_TRUE(t.sim.restore(during).ok());
    t.run_to(8);
    EXPECT_EQ(t.cost({5, 5}), kInfiniteCost);
    EXPECT_EQ(t.cost({5, 6}), 60u) << "round the wall, whose corner may not be cut";
  }
}

/// Keeps the one task that is started, and looks which builds are done whenever one takes memory.
struct Watch {
  std::vector<sim::BuildRef> builds;
  std::vector<std::string> seen;
  void (*task)(void*) = nullptr;
  void* argument = nullptr;

  Host host() {
    Host h;
    h.tasks.context = h.allocator.context = this;
    h.tasks.start = [](void* context, void (*work)(void*), void* with) {
      auto* const self = static_cast<Watch*>(context);
      self->task = work;
      self->argument = with;
    };
    h.allocator.allocate = [](void* context, std::size_t bytes, std::size_t alignment) {
      static_cast<Watch*>(context)->look();
      return ::operator new (bytes, std::align_val_t{alignment});
    };
    h.allocator.deallocate = [](void*, void* block, std::size_t, std::size_t alignment) {
      ::operator delete (block, std::align_val_t{alignment});
    };
    return h;
  }
  void look() {
    std::string done;
    for (const sim::BuildRef& b : builds) done += b->field != nullptr ? 'x' : '.';
    if (seen.empty() || seen.back() != done) seen.push_back(done);
  }
};

TEST(Background, WhatMostAgentsWaitForIsBuiltFirstThenWhatWasAskedForFirst) {
  Watch watch;
  sim::BuildQueue queue(watch.host());
  for (const int width : {16, 32, 64}) {
    watch.builds.push_back(std::make_shared<sim::Build>());
    watch.builds.back()->graph = graph_of(open_rows(width, width));
    watch.builds.back()->goal = at({0, 0});
    queue.add(watch.builds.back());
  }
  queue.prefer(watch.builds[0], 5);
  queue.prefer(watch.builds[1], 7);
  queue.prefer(watch.builds[2], 5);
  EXPECT_EQ(watch.task, nullptr);
  queue.launch(0);
  ASSERT_NE(watch.task, nullptr);
  watch.task(watch.argument);
  watch.look();
  EXPECT_EQ(watch.seen, (std::vector<std::string>{"...", ".x.", "xx.", "xxx"}));
  for (const sim::BuildRef& b : watch.builds) EXPECT_TRUE(queue.finish(b)) << "in time";
}

// Six wait, two of them due a tick before the others: shares of ceil(2 / 2), ceil(4 / 3), then the rest of each.
TEST(Spread, WithoutABackgroundEveryTickHasItsShare) {
  sim::BuildQueue queue{Host{}};
  std::vector<sim::BuildRef> builds;
  const NavGraph graph = graph_of(open_rows(8, 8));
  for (const std::uint64_t due : {13u, 12u, 13u, 12u, 13u, 13u}) {
    builds.push_back(std::make_shared<sim::Build>());
    builds.back()->graph = graph;
    builds.back()->goal = at({0, 0});
    builds.back()->due = due;
    queue.add(builds.back());
  }
  queue.prefer(builds[4], 1);
  const auto launched = [&](std::uint64_t tick) {
    queue.launch(tick);
    std::string done;
    for (const sim::BuildRef& b : builds) done += b->field != nullptr ? 'x' : '.';
    return done;
  };
  EXPECT_EQ(launched(10), "xx..x.") << "an agent waits for the fifth";
  EXPECT_EQ(launched(11), "xxxxx.");
  EXPECT_TRUE(queue.any_waiting());
  EXPECT_EQ(launched(12), "xxxxxx");
  EXPECT_FALSE(queue.any_waiting());
}

struct Lines {
  std::vector<std::string> text;
  Host host() {
    Host h;
    h.log = {this,
             [](void* context, LogLevel, const char* line) { static_cast<Lines*>(context)->text.emplace_back(line); }};
    return h;
  }
};

// Two bundles are held for good. 1,300 ticks, a toggle in each: the world keeps those, the one before, and its own.
TEST(Readers, WhoStallsCostsWhatItHoldsAndIsNamed) {
  Lines lines;
  Town t(kThreeRows, {}, lines.host());
  const BundleRef first = t.sim.snapshot();
  for (std::uint64_t tick = 1; tick <= 1300; ++tick) t.edit(tick, {3, 0}, tick % 2 == 1 ? kWall : kFloor);
  t.run_to(10);
  const BundleRef second = t.sim.snapshot();
  std::uint64_t most = 0;
  while (t.sim.tick() < 1300) {
    t.sim.step();
    most = std::max(most, t.sim.metrics().live_bundles);
  }
  EXPECT_EQ(most, 3u);
  EXPECT_EQ(t.sim.metrics().oldest_reader_ticks, 1299u);
  ASSERT_EQ(lines.text.size(), 2u) << "each once";
  EXPECT_EQ(lines.text[0], "a reader has held a bundle that was replaced at tick 1 for 1200 ticks; its memory is kept");
  EXPECT_EQ(first->look_up(t.profile, t.goal, {0, 0}).cost, 64u);
}

TEST(Readers, RetiredBytesAreThoseOfFieldsThatOnlyReadersHold) {
  SimulationDef def;
  def.field_cache_bytes = 0;
  Town t(kThreeRows, def);
  const std::uint64_t one = t.entry().field->bytes();
  t.bundle.reset();
  EXPECT_EQ(t.sim.metrics().retired_bytes, 0u);
  BundleRef held = t.sim.snapshot();
  t.edit(1, {3, 0}, kWall);
  t.run_to(3);
  EXPECT_EQ(t.sim.metrics().retired_bytes, one);
  EXPECT_EQ(t.sim.metrics().live_bundles, 2u);
  held.reset();
  EXPECT_EQ(t.sim.metrics().retired_bytes, 0u);
  EXPECT_EQ(t.sim.metrics().live_bundles, 1u);
}

}  // namespace
}  // namespace drover::test
