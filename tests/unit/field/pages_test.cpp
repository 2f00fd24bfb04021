// SPDX-License-Identifier: MIT
// Memory of chains of repairs: pages that nobody uses any more are those that the next repair writes to.
#include <drover/field.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/counter_rng.hpp"

namespace drover::test {
namespace {

constexpr std::int32_t kSize = 256;
const GoalDef kGoal{{{{200, 190, 0}, 0}}, GoalPlacement::exact};

class Chain {
 public:
  Chain() : map_(std::move(GridMap::create({.width = kSize, .height = kSize})).value()), graph_(compile()) {
    field = std::move(builder.build(graph_, kGoal)).value();
  }

  /// Puts a wall somewhere, or takes one away.
  FieldRef toggle(Cell cell) {
    const bool wall = map_.view().terrain(map_.view().shape().index(cell)) == kWall;
    EXPECT_TRUE(map_.apply({{{cell, CellChange::terrain, wall ? kFloor : kWall}}, {}}).ok());
    NavGraph before = std::exchange(graph_, compile());
    BuildReport report;
    FieldRef next = std::move(builder.repair(field, before, graph_, kGoal, {}, &report)).value();
    repaired += report.repaired && report.pages_copied > 0 ? 1 : 0;
    return std::exchange(field, std::move(next));
  }
  FieldRef built_anew() { return std::move(FieldBuilder().build(graph_, kGoal)).value(); }

  FieldRef rebuilt() { return std::move(builder.build(graph_, kGoal)).value(); }

  FieldBuilder builder;
  FieldRef field;
  int repaired = 0;

 private:
  NavGraph compile() const { return std::move(NavGraph::compile(map_.view(), MovementProfile{})).value(); }

  GridMap map_;
  NavGraph graph_;
};

Cell cell_of(const base::CounterRng& rng, std::uint64_t i) {
  return {static_cast<std::int32_t>(rng.uniform(2 * i, kSize / 2)),
          static_cast<std::int32_t>(rng.uniform(2 * i + 1, kSize)), 0};
}

TEST(FieldPages, AChainOfRepairsStaysInTheBlockOfItsBuild) {
  Chain chain;
  const std::uint64_t one_field = chain.builder.live_bytes();
  const base::CounterRng rng(7, 0x7067);
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    chain.toggle(cell_of(rng, i));
    most = std::max(most, chain.builder.live_bytes());
  }
  EXPECT_GT(chain.repaired, 300);
  // The table of the repaired field, and the few pages that its first repairs took while the old field was there.
  EXPECT_LT(most, one_field + one_field / 3);
  EXPECT_EQ(chain.field->digest(), chain.built_anew()->digest());
}

TEST(FieldPages, WhatIsHeldIsNotWrittenTo) {
  Chain chain;
  const base::CounterRng rng(8, 0x7067);
  std::vector<std::pair<FieldRef, std::uint64_t>> held;
  for (std::uint64_t i = 0; i < 60; ++i) {
    FieldRef old = chain.toggle(cell_of(rng, i));
    if (i % 3 == 0) held.emplace_back(chain.field, chain.built_anew()->digest());
  }
  for (const auto& [field, digest] : held) {
    // Its own digest is remembered: the cells are read.
    std::uint64_t sum = 0;
    for (std::int32_t y = 0; y < kSize; ++y)
      for (std::int32_t x = 0; x < kSize; ++x) sum += field->cost_to_goal(field->shape().index({x, y, 0}));
    EXPECT_NE(sum, 0u);
    EXPECT_EQ(field->digest(), digest);
  }
}

// Its block no longer has the planes where a build would look for what is outside of the map.
TEST(FieldPages, ABlockThatRepairsTookPagesOfIsLaidOutAnew) {
  Chain chain;
  const base::CounterRng rng(9, 0x7067);
  for (std::uint64_t i = 0; i < 100; ++i) chain.toggle(cell_of(rng, i));
  chain.field = nullptr;
  EXPECT_EQ(chain.builder.live_bytes(), 0u);
  EXPECT_GT(chain.builder.pooled_bytes(), 0u);
  const FieldRef anew = chain.built_anew();
  chain.field = chain.rebuilt();
  EXPECT_EQ(chain.field->digest(), anew->digest());
  for (std::uint32_t i = 0; i < anew->shape().padded_cells(); ++i)
    ASSERT_EQ(chain.field->code(CellIndex{i}), anew->code(CellIndex{i})) << i;
}

}  // namespace
}  // namespace drover::test
