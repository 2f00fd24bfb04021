// SPDX-License-Identifier: MIT
// The tile sweep and the bitboards give the bytes of the textbook engine, on maps around the sizes of tiles, for every
// instruction set.
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "field/simd.hpp"
#include "field/tile_kernels.hpp"
#include "property/tile_world.hpp"

#include "support/data.hpp"

#include <string>

namespace drover::test {
namespace {

struct Tally {
  int swept = 0, handed_over = 0, boarded = 0, cold = 0;
};

std::uint64_t reached(const FlowField& field) {
  std::uint64_t cells = 0;
  for (std::uint32_t p = 0; p < field.shape().padded_cells(); ++p)
    cells += field.cost_to_goal({p}) != kInfiniteCost ? 1u : 0u;
  return cells;
}

const field::Simd kLevels[] = {field::Simd::avx512, field::Simd::avx2, field::Simd::sse4, field::Simd::scalar};

// Empty where the sweep, the bitboards, or what they handed over to, equal the textbook engine.
std::string fault_of(const TileCase& c, Tally& tally) {
  const GridMap map = make_map(c);
  const Result<NavGraph> graph = NavGraph::compile(map.view(), c.profile);
  if (!graph) return graph.status().message();
  FieldBuilder builder;
  const GoalDef goal = make_goals(c);
  const Result<FieldRef> want = builder.build(*graph, goal, {FieldEngine::textbook});
  if (!want) return {};  // no room for a goal
  std::string fault;
  for (const field::Simd level : kLevels) {
    field::limit_simd(level);
    for (const FieldEngine asked : {FieldEngine::sweep, FieldEngine::bitboards}) {
      BuildReport report;
      const Result<FieldRef> field = builder.build(*graph, goal, {asked}, &report);
      if (!field) return field.status().message();
      tally.swept += asked == FieldEngine::sweep && report.engine == asked ? 1 : 0;
      tally.handed_over +=
          asked == FieldEngine::sweep && report.engine != asked && level != field::Simd::scalar ? 1 : 0;
      tally.boarded += report.engine == FieldEngine::bitboards ? 1 : 0;
      if ((*field)->digest() != (*want)->digest())
        fault = std::string(to_string(report.engine)) + " at level " + std::to_string(static_cast<int>(level));
      if (report.reachable != reached(**want)) fault += " reachable";
      if (report.cost_bits != 16) continue;
      const Result<FieldRef> warm = builder.warm(*builder.cool(*field), *graph);
      ++tally.cold;
      if (!warm || (*warm)->digest() != (*want)->digest() || (*warm)->goal_indices() != (*field)->goal_indices())
        fault = "put away at level " + std::to_string(static_cast<int>(level));
    }
  }
  field::limit_simd(field::Simd::avx512);
  return fault;
}

std::string name_of(const TileCase& c) {
  return std::to_string(c.width) + " x " + std::to_string(c.height) + " kind " +
         std::to_string(static_cast<int>(c.kind)) + " seed " + std::to_string(c.seed);
}

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

TEST(TileProperty, TheSweepEqualsTheTextbookEngineAroundTheSizesOfTiles) {
  Tally tally;
  for (int i = 0; i < rounds(400); ++i) {
    const TileCase c = draw_case(static_cast<std::uint64_t>(i));
    ASSERT_EQ(fault_of(c, tally), "") << name_of(c);
  }
  if (field::tile_kernels(field::simd_in_use()) == nullptr) return;
  EXPECT_GT(tally.swept, 200);
  EXPECT_GT(tally.cold, 200);
  EXPECT_GT(tally.handed_over, 20);  // values of one tile too far apart
  EXPECT_GT(tally.boarded, 100);
}

TEST(TileProperty, LinesOfOneCell) {
  Tally tally;
  for (const int length : {1, 31, 32, 33, 64, 65, 400}) {
    for (const Moves moves : {Moves::four, Moves::eight}) {
      TileCase c;
      c.profile.moves = moves;
      c.goals = 2;
      c.width = length, c.height = 1;
      ASSERT_EQ(fault_of(c, tally), "") << name_of(c);
      c.width = 1, c.height = length;
      ASSERT_EQ(fault_of(c, tally), "") << name_of(c);
    }
  }
}

TEST(TileProperty, OneWaysAndPortalsNeedNoEngineOfTheirOwn) {
  Tally tally;
  for (int i = 0; i < rounds(200); ++i) {
    TileCase c = draw_case(50000u + static_cast<std::uint64_t>(i));
    c.one_way_percent = i % 3 == 0 ? 0 : 1 + i % 40;
    c.portals = i % 3 == 1 ? 0 : 1 + i % 20;
    ASSERT_EQ(fault_of(c, tally), "") << name_of(c);
  }
  if (field::tile_kernels(field::simd_in_use()) == nullptr) return;
  EXPECT_GT(tally.swept, 50);
  EXPECT_GT(tally.cold, 50);
}

// A goal that undercuts what came before: the base of its tile, and of those after it, has to go down.
TEST(TileProperty, LaterGoalsMayBeFarBelowEarlierWaves) {
  Tally tally;
  for (int i = 0; i < rounds(60); ++i) {
    TileCase c = draw_case(90000u + static_cast<std::uint64_t>(i));
    c.width = c.height = 128;
    c.kind = i % 2 == 0 ? Kind::open : Kind::walls;
    c.goals = 12;
    c.most_offset = 20000;
    ASSERT_EQ(fault_of(c, tally), "") << name_of(c);
  }
}

// One long corridor of `rows` rows of cells, row by row: cells above one another lie far apart in cost, and ways pass
// every tile again and again.
GridMap snake(int size, int rows) {
  GridMapDef def;
  def.width = def.height = size;
  GridMap map = std::move(GridMap::create(def)).value();
  MapEdit edit;
  for (int y = rows; y < size; y += rows + 1) {
    const int gap = y / (rows + 1) % 2 == 0 ? size - 1 : 0;
    for (int x = 0; x < size; ++x) {
      if (x != gap) edit.cells.push_back({{x, y, 0}, CellChange::terrain, kWall});
    }
  }
  EXPECT_TRUE(map.apply(edit).ok());
  return map;
}

std::string engine_and_reason(const GridMap& map, Moves moves, FieldEngine asked, Cost* most) {
  MovementProfile profile;
  profile.moves = moves;
  const Result<NavGraph> graph = NavGraph::compile(map.view(), profile);
  EXPECT_TRUE(graph.ok());
  FieldBuilder builder;
  GoalDef goal;
  goal.cells.push_back({{0, 0, 0}, 0});
  const FieldRef want = *builder.build(*graph, goal, {FieldEngine::heap});
  BuildReport report;
  const FieldRef field = *builder.build(*graph, goal, {asked}, &report);
  EXPECT_EQ(field->digest(), want->digest());
  *most = report.max_cost;
  return std::string(to_string(report.engine)) + ": " + report.reason;
}

TEST(TileHandOver, CostsWithinOneTileBeyond16BitsGoToAQueue) {
  if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no vectors here";
  Cost most = 0;
  EXPECT_EQ(engine_and_reason(snake(1025, 1), Moves::eight, FieldEngine::sweep, &most),
            "breadth_first: costs within one tile exceed 16 bits");
  EXPECT_EQ(most, 10u * (1024u * 513u + 2u * 512u));
}

TEST(TileHandOver, WavesWithinOneBoardBeyond16BitsGoToAQueue) {
  if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no vectors here";
  // Down the first column, then back to the top beside it.
  GridMap map = snake(1025, 1);
  MapEdit edit;
  for (int y = 0; y < 1025; ++y) {
    edit.cells.push_back({{0, y, 0}, CellChange::terrain, kFloor});
    if (y % 4 == 3) edit.cells.push_back({{2, y, 0}, CellChange::terrain, kFloor});
    if (y < 1024) edit.cells.push_back({{1, y, 0}, CellChange::terrain, kWall});
  }
  ASSERT_TRUE(map.apply(edit).ok());
  Cost most = 0;
  EXPECT_EQ(engine_and_reason(map, Moves::four, FieldEngine::bitboards, &most),
            "breadth_first: waves within one board exceed 16 bits");
  // 1024 down, 2 to the right and 2 up; 1022 to the right or left in each of 512 rows, 2 up after each but the last.
  EXPECT_EQ(most, 10u * (1024u + 2u + 2u + 512u * 1022u + 511u * 2u));
}

TEST(TileHandOver, CorridorsAreLeftToAQueueAtOnce) {
  if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no vectors here";
  Cost most = 0;
  for (const Moves moves : {Moves::four, Moves::eight}) {
    EXPECT_EQ(engine_and_reason(snake(257, 1), moves, FieldEngine::automatic, &most),
              "breadth_first: corridors, few open squares");
    EXPECT_EQ(most, 10u * (256u * 129u + 2u * 128u));
  }
}

// Random walls: many open squares, short rows.
TEST(TileHandOver, ScatteredWallsAreLeftToBitboardsOrAQueueAtOnce) {
  if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no vectors here";
  TileCase c;
  c.width = c.height = 200;
  c.kind = Kind::noise;
  MapEdit edit;
  edit.cells.push_back({{0, 0, 0}, CellChange::terrain, kFloor});
  GridMap map = make_map(c);
  ASSERT_TRUE(map.apply(edit).ok());
  Cost most = 0;
  const field::Simd best = field::simd_in_use();
  for (const field::Simd level : {field::Simd::sse4, field::Simd::avx2, field::Simd::avx512}) {
    field::limit_simd(level);
    if (field::simd_in_use() != level) continue;
    EXPECT_EQ(engine_and_reason(map, Moves::four, FieldEngine::automatic, &most),
              level == field::Simd::avx512 ? "bitboards: walls are scattered" : "breadth_first: walls are scattered");
  }
  field::limit_simd(best);
  EXPECT_EQ(engine_and_reason(map, Moves::eight, FieldEngine::automatic, &most), "two_cursor: walls are scattered");
}

TEST(TileHandOver, WaysThatWindAreLeftToAQueue) {
  if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no vectors here";
  Cost most = 0;
  EXPECT_EQ(engine_and_reason(snake(513, 2), Moves::eight, FieldEngine::automatic, &most),
            "two_cursor: ways wind too much for tiles");
}

}  // namespace
}  // namespace drover::test
