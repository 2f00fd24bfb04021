// SPDX-License-Identifier: MIT
// Builds in pieces, of cells that someone waits for, and of many fields at once give the bytes of one build.
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "field/simd.hpp"
#include "field/tile_kernels.hpp"
#include "nav/compiled_graph.hpp"
#include "property/repair_world.hpp"
#include "property/tile_world.hpp"

#include "support/counting_allocator.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace drover::test {
namespace {

constexpr std::array kEngines{FieldEngine::automatic, FieldEngine::textbook, FieldEngine::breadth_first,
                              FieldEngine::bitboards, FieldEngine::buckets,  FieldEngine::two_cursor,
                              FieldEngine::heap,      FieldEngine::directed, FieldEngine::sweep,
                              FieldEngine::queue};
constexpr std::array kLevels{field::Simd::scalar, field::Simd::sse4, field::Simd::avx2, field::Simd::avx512};

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

struct Counts {
  std::uint64_t settled = 0, waiting = 0, pieces = 0;
};

bool same_answers(const FlowField& a, const FlowField& b, CellIndex i) {
  const auto same_portals = [&] {
    const auto x = a.optimal_portals(i), y = b.optimal_portals(i);
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  return a.code(i) == b.code(i) && a.state(i) == b.state(i) && a.cost_to_goal(i) == b.cost_to_goal(i) &&
         a.optimal_directions(i) == b.optimal_directions(i) && a.steps_to_goal(i) == b.steps_to_goal(i) &&
         same_portals();
}

bool says_not_ready(const FlowField& field, CellIndex i) {
  return field.state(i) == CellState::not_ready && field.cost_to_goal(i) == kInfiniteCost &&
         field.optimal_directions(i).empty() && field.step(i).kind == Step::Kind::none && !field.steps_to_goal(i) &&
         field.optimal_portals(i).empty();
}

/// One field whole, and the same in pieces.
class Slices {
 public:
  Slices(FieldBuilder& builder, const NavGraph& graph, const GoalDef& goal, const FieldOptions& options,
         std::uint64_t seed, std::string name)
      : graph_(graph), draw_(seed), name_(std::move(name)) {
    whole_ = std::move(builder.build(graph, goal, options, &whole_report_)).value();
    Result<FieldBuild> started = builder.start(graph, goal, options);
    EXPECT_TRUE(started.ok()) << name_;
    build_.emplace(std::move(*started));
  }

  bool done() const { return build_->done(); }

  void go_on(Counts& counts) {
    ++counts.pieces;
    if (draw_.percent(25)) {
      settle();
    } else {
      const std::uint64_t events = draw_.percent(50) ? 1 + draw_.below(4) : 1 + draw_.below(400);
      const Result<bool> done = build_->advance(events);
      ASSERT_TRUE(done.ok()) << name_;
      ASSERT_EQ(*done, build_->done()) << name_;
    }
    if (draw_.percent(40)) check_part(counts);
  }

  void check_part(Counts& counts) {
    const Result<FieldRef> part = build_->part();
    ASSERT_TRUE(part.ok()) << name_;
    EXPECT_FALSE((*part)->whole());
    for (std::uint32_t i = 0; i < graph_.shape().padded_cells(); ++i) {
      const bool settled = build_->settled({i}), open = graph_.compiled().footing({i}) == Footing::open;
      if (open) ++(settled ? counts.settled : counts.waiting);
      const bool ready = settled || (!open && !says_not_ready(**part, {i}));
      ASSERT_TRUE(ready ? same_answers(**part, *whole_, {i}) : says_not_ready(**part, {i}))
          << name_ << " cell " << i << (settled ? " settled: code " : " waits: code ") << int{(*part)->code({i})}
          << " not " << int{whole_->code({i})} << ", cost " << (*part)->cost_to_goal({i}) << " not "
          << whole_->cost_to_goal({i}) << ", ties " << int{(*part)->optimal_directions({i}).bits} << " not "
          << int{whole_->optimal_directions({i}).bits};
    }
  }

  void check_whole() {
    BuildReport report;
    const Result<FieldRef> field = build_->finish(&report);
    ASSERT_TRUE(field.ok()) << name_;
    EXPECT_TRUE((*field)->whole());
    EXPECT_EQ((*field)->digest(), whole_->digest()) << name_;
    for (std::uint32_t i = 0; i < graph_.shape().padded_cells(); ++i)
      ASSERT_TRUE(same_answers(**field, *whole_, {i}))
          << name_ << " cell " << i << ": code " << int{(*field)->code({i})} << " not " << int{whole_->code({i})}
          << ", cost " << (*field)->cost_to_goal({i}) << " not " << whole_->cost_to_goal({i}) << ", ties "
          << int{(*field)->optimal_directions({i}).bits} << " not " << int{whole_->optimal_directions({i}).bits} << " "
          << to_string(report.engine);
    EXPECT_EQ((*field)->goal_indices(), whole_->goal_indices()) << name_;
    EXPECT_EQ(report.engine, whole_report_.engine) << name_;
    EXPECT_STREQ(report.reason, whole_report_.reason);
    EXPECT_EQ(report.reachable, whole_report_.reachable) << name_;
    EXPECT_EQ(report.unreachable, whole_report_.unreachable) << name_;
    EXPECT_EQ(report.max_cost, whole_report_.max_cost) << name_;
    EXPECT_EQ(report.activations, whole_report_.activations) << name_;
    ASSERT_EQ(report.goals.size(), whole_report_.goals.size());
    for (std::size_t i = 0; i < report.goals.size(); ++i)
      EXPECT_EQ(report.goals[i].rank, whole_report_.goals[i].rank) << name_;
    EXPECT_EQ(build_->advance(1).status().code(), StatusCode::argument);
    EXPECT_FALSE(build_->settled({0}));
  }

 private:
  void settle() {
    std::vector<CellIndex> cells;
    for (std::uint32_t i = draw_.below(6); i > 0; --i) cells.push_back({draw_.below(graph_.shape().padded_cells())});
    const Cost margin = draw_.percent(50) ? 0 : draw_.below(200);
    ASSERT_TRUE(build_->settle(cells, margin).ok()) << name_;
    Cost within = 0;
    bool any = false;
    for (const CellIndex cell : cells) {
      ASSERT_TRUE(build_->settled(cell)) << name_;
      const Cost cost = whole_->cost_to_goal(cell);
      if (cost == kInfiniteCost) continue;
      within = std::max(within, cost + margin);
      any = true;
    }
    for (std::uint32_t i = 0; any && i < graph_.shape().padded_cells(); ++i) {
      if (whole_->cost_to_goal({i}) <= within) {
        ASSERT_TRUE(build_->settled({i})) << name_;
      }
    }
  }

  NavGraph graph_;
  Draws draw_;
  std::string name_;
  FieldRef whole_;
  BuildReport whole_report_;
  std::optional<FieldBuild> build_;
};

TEST(SliceProperty, PiecesOfEveryEngineGiveTheBytesOfOneBuild) {
  Counts counts;
  for (int i = 0; i < rounds(60); ++i) {
    RepairWorld world(static_cast<std::uint64_t>(i) + 1, i % 4 == 0 ? 70 : 20);
    FieldBuilder builder;
    if (!builder.build(world.graph(), world.goal()).ok()) {
      EXPECT_FALSE(builder.start(world.graph(), world.goal()).ok());
      continue;
    }
    for (const FieldEngine engine : kEngines) {
      FieldOptions options = world.options();
      options.engine = engine;
      const std::string name = "seed " + std::to_string(i + 1) + " " + to_string(engine);
      Slices slices(builder, world.graph(), world.goal(), options, static_cast<std::uint64_t>(i), name);
      for (int piece = 0; piece < 40 && !slices.done() && !testing::Test::HasFatalFailure(); ++piece)
        slices.go_on(counts);
      if (testing::Test::HasFatalFailure()) return;
      slices.check_whole();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(counts.waiting, 10000u);
  EXPECT_GT(counts.settled, 10000u);
}

TEST(SliceProperty, AroundTheSizesOfTilesForEveryInstructionSet) {
  Counts counts;
  for (int i = 0; i < rounds(60); ++i) {
    const TileCase c = draw_case(static_cast<std::uint64_t>(i) + 5000);
    const GridMap map = make_map(c);
    const Result<NavGraph> graph = NavGraph::compile(map.view(), c.profile);
    ASSERT_TRUE(graph.ok());
    const GoalDef goal = make_goals(c);
    FieldBuilder builder;
    if (!builder.build(*graph, goal).ok()) continue;  // no room for a goal
    for (const field::Simd level : kLevels) {
      field::limit_simd(level);
      for (const FieldEngine engine : {FieldEngine::sweep, FieldEngine::bitboards, FieldEngine::automatic}) {
        const std::string name = "seed " + std::to_string(c.seed) + " " + to_string(engine) + " level " +
                                 std::to_string(static_cast<int>(level));
        Slices slices(builder, *graph, goal, {engine}, c.seed, name);
        for (int piece = 0; piece < 30 && !slices.done() && !testing::Test::HasFatalFailure(); ++piece)
          slices.go_on(counts);
        if (!testing::Test::HasFatalFailure()) slices.check_whole();
        if (testing::Test::HasFatalFailure()) break;
      }
    }
    field::limit_simd(field::Simd::avx512);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(counts.waiting, 10000u);
  EXPECT_GT(counts.settled, 10000u);
}

TEST(SliceProperty, BuildsOfOneBuilderGoOnInTurnsWhileItBuildsAndRepairs) {
  for (int i = 0; i < rounds(20); ++i) {
    RepairWorld world(static_cast<std::uint64_t>(i) + 900, 40);
    FieldBuilder builder;
    Result<FieldRef> old = builder.build(world.graph(), world.goal(), world.options());
    if (!old.ok()) continue;
    std::vector<Slices> slices;
    for (std::uint64_t n = 0; n < 3; ++n)
      slices.emplace_back(builder, world.graph(), world.goal(), world.options(), n, "seed " + std::to_string(i + 900));
    const NavGraph before = world.graph();
    const GoalDef goal = world.goal();
    Counts counts;
    for (int turn = 0; turn < 6; ++turn) {
      for (Slices& one : slices) one.go_on(counts);
      world.edit();
      static_cast<void>(builder.repair(*old, before, world.graph(), goal, world.options()));
      if (testing::Test::HasFatalFailure()) return;
    }
    for (Slices& one : slices) one.check_whole();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(SliceProperty, ManyFieldsAreThoseBuiltOneByOneForAnyNumberOfTasks) {
  std::vector<FieldRequest> requests;
  for (std::uint64_t i = 0; i < 24; ++i) {
    const RepairWorld world(i + 300, 60);
    requests.push_back({world.graph(), world.goal(), world.options()});
  }
  requests.push_back({NavGraph(), requests[0].goal, {}});
  requests.push_back({requests[0].graph, GoalDef{}, {}});
  FieldBuilder alone;
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
    ThreadTasks tasks(workers);
    FieldBuilder builder(tasks.host());
    for (int again = 0; again < 2; ++again) {
      const auto fields = builder.build_all(requests);
      ASSERT_TRUE(fields.ok());
      ASSERT_EQ(fields->size(), requests.size());
      for (std::size_t i = 0; i < requests.size(); ++i) {
        BuildReport report;
        const Result<FieldRef> want = alone.build(requests[i].graph, requests[i].goal, requests[i].options, &report);
        const BuiltField& got = (*fields)[i];
        ASSERT_EQ(got.status.code(), want.ok() ? StatusCode::ok : want.status().code()) << i;
        ASSERT_EQ(got.status.message(), want.ok() ? "" : want.status().message()) << i;
        ASSERT_EQ(got.field != nullptr, want.ok()) << i;
        if (!want.ok()) continue;
        EXPECT_EQ(got.field->digest(), (*want)->digest()) << i;
        EXPECT_EQ(got.report.engine, report.engine) << i;
        EXPECT_EQ(got.report.activations, report.activations) << i;
        EXPECT_EQ(got.report.goals.size(), report.goals.size()) << i;
      }
    }
  }
}

// Every request in turn is refused, to a piece or to a part; the next build gives the same field as ever.
TEST(SliceMemory, RunningOutEndsABuildAndLeavesItsBuilder) {
  TileCase c;
  c.kind = Kind::walls;
  c.width = c.height = 70;
  c.most_weight = 9;
  const GridMap map = make_map(c);
  const NavGraph graph = std::move(NavGraph::compile(map.view(), c.profile)).value();
  const GoalDef goal = make_goals(c);
  int refused = 0;
  for (const FieldEngine engine :
       {FieldEngine::sweep, FieldEngine::buckets, FieldEngine::heap, FieldEngine::directed}) {
    CountingAllocator allocator;
    {
      FieldBuilder builder(allocator.host());
      const std::uint64_t want = (*FieldBuilder().build(graph, goal, {engine}))->digest();
      for (std::uint64_t at = 0;; ++at) {
        allocator.fail_at(at);
        FieldBuild build = std::move(builder.start(graph, goal, {engine})).value();
        const std::uint64_t before = allocator.calls();
        bool out = false;
        while (!out && !build.done()) {
          const Result<bool> done = build.advance(200);
          const Result<FieldRef> part = build.part();
          out = !done.ok();
          if (out) {
            EXPECT_EQ(done.status().code(), StatusCode::out_of_memory);
            EXPECT_FALSE(part.ok());
            EXPECT_FALSE(build.finish().ok());
          } else if (!part.ok()) {
            EXPECT_EQ(part.status().code(), StatusCode::out_of_memory);
            ++refused;
          }
        }
        refused += out ? 1 : 0;
        if (!out) {
          EXPECT_EQ((*build.finish())->digest(), want);
        }
        if (allocator.calls() - before <= at) break;
      }
      allocator.fail_never();
      EXPECT_EQ((*builder.build(graph, goal, {engine}))->digest(), want);
      EXPECT_EQ(builder.live_bytes(), 0u);
    }
    EXPECT_EQ(allocator.bytes_out(), 0u);
  }
  EXPECT_GT(refused, 12);
}

TEST(Slice, AgentsInAYardWithoutAGoalDoNotKeepABuildGoing) {
  std::vector<std::string> rows(200, std::string(200, '.'));
  for (std::size_t i = 0; i < 7; ++i) rows[0][i] = rows[6][i] = rows[i][0] = rows[i][6] = '#';
  const NavGraph graph = graph_of(rows);
  FieldBuilder builder;
  GoalDef goal;
  goal.cells = {{{150, 150, 0}, 0}};
  FieldBuild build = std::move(builder.start(graph, goal)).value();
  const CellIndex yard = graph.shape().index({3, 3, 0}), near = graph.shape().index({149, 150, 0}),
                  far = graph.shape().index({20, 20, 0}), wall = graph.shape().index({0, 0, 0});
  EXPECT_FALSE(build.settled(near));
  EXPECT_FALSE(build.settled(yard));
  EXPECT_FALSE(build.settled(wall));
  const CellIndex asked[] = {yard, near, wall};
  ASSERT_TRUE(build.settle(asked, 0).ok());
  EXPECT_TRUE(build.settled(yard));
  EXPECT_TRUE(build.settled(near));
  EXPECT_TRUE(build.settled(wall));
  EXPECT_FALSE(build.settled(far));
  EXPECT_FALSE(build.done());
  const FieldRef part = std::move(build.part()).value();
  EXPECT_EQ(part->state(yard), CellState::unreachable);
  EXPECT_EQ(part->cost_to_goal(near), 10u);
  EXPECT_EQ(part->state(far), CellState::not_ready);
  EXPECT_EQ(part->state(wall), CellState::blocked);
  // A part is no field to repair from.
  BuildReport report;
  ASSERT_TRUE(builder.repair(part, graph, graph, goal, {}, &report).ok());
  EXPECT_FALSE(report.repaired);
  EXPECT_STREQ(report.not_repaired, "the old field is a part of one");
  const CellIndex nowhere{graph.shape().padded_cells()};
  EXPECT_EQ(build.settle({&nowhere, 1}).code(), StatusCode::argument);
}

// Values that do not fit a tile are found out at a pause already: nothing wrong is ever called settled.
TEST(Slice, WhatDoesNotFitATileIsNotSettledByIt) {
  if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no vectors here";
  int handed_over = 0;
  Counts counts;
  for (int i = 0; i < rounds(40); ++i) {
    TileCase c;
    c.seed = static_cast<std::uint64_t>(i);
    c.kind = i % 2 == 0 ? Kind::maze : Kind::noise;
    c.width = c.height = 97;
    c.least_weight = 100, c.most_weight = 140;
    c.goals = 1 + i % 5;
    c.most_offset = i % 3 == 0 ? 300000 : 0;
    c.profile.corner = CornerRule::none;
    const GridMap map = make_map(c);
    const NavGraph graph = std::move(NavGraph::compile(map.view(), c.profile)).value();
    FieldBuilder builder;
    BuildReport report;
    if (!builder.build(graph, make_goals(c), {FieldEngine::sweep}, &report).ok()) continue;
    handed_over += report.engine != FieldEngine::sweep ? 1 : 0;
    Slices slices(builder, graph, make_goals(c), {FieldEngine::sweep}, c.seed, "seed " + std::to_string(i));
    while (!slices.done() && !testing::Test::HasFatalFailure()) slices.go_on(counts);
    if (!testing::Test::HasFatalFailure()) slices.check_whole();
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(handed_over, 5);
}

}  // namespace
}  // namespace drover::test
