// SPDX-License-Identifier: MIT
// The tile sweep gives the bytes of the textbook engine, on maps around the sizes of tiles, for every instruction set.
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "field/simd.hpp"
#include "field/tile_kernels.hpp"
#include "property/field_world.hpp"

#include "support/data.hpp"

#include <string>

namespace drover::test {
namespace {

enum class Kind { open, walls, noise, maze, rooms };

struct TileCase {
  int width = 64, height = 64, layers = 1;
  Kind kind = Kind::open;
  std::uint32_t least_weight = 1, most_weight = 1;
  int one_way_percent = 0, portals = 0;
  int goals = 1;
  std::uint64_t most_offset = 0;
  MovementProfile profile;
  std::uint64_t seed = 1;
};

bool wall_at(const TileCase& c, int x, int y, Draw& draw) {
  switch (c.kind) {
    case Kind::open:
      return false;
    case Kind::walls:
      return draw.percent(20);
    case Kind::noise:
      return draw.percent(38);
    case Kind::maze:  // walls on even lines with gaps: long ways that wind
      return (x % 2 == 0 && (y % 2 == 0 || draw.percent(55))) || (y % 2 == 0 && draw.percent(55));
    case Kind::rooms:  // closed every 33 cells but for few doors; some tiles cannot be reached
      return (x % 33 == 32 || y % 33 == 32) && !draw.percent(3);
  }
  return false;
}

GridMap make_map(const TileCase& c) {
  Draw draw(c.seed);
  GridMapDef def;
  def.width = c.width;
  def.height = c.height;
  def.layers = c.layers;
  GridMap map = std::move(GridMap::create(def)).value();
  MapEdit edit;
  std::vector<std::uint32_t> weights(static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height));
  for (int layer = 0; layer < c.layers; ++layer) {
    for (int y = 0; y < c.height; ++y) {
      for (int x = 0; x < c.width; ++x) {
        const auto span = static_cast<int>(c.most_weight - c.least_weight + 1);
        weights[static_cast<std::size_t>(y * c.width + x)] =
            c.least_weight + static_cast<std::uint32_t>(draw.below(span));
        if (wall_at(c, x, y, draw)) edit.cells.push_back({{x, y, layer}, CellChange::terrain, kWall});
        if (c.one_way_percent > 0 && draw.percent(c.one_way_percent)) {
          edit.steps.push_back({{{x, y, layer}, static_cast<Direction>(draw.below(8))}, false, 0});
        }
      }
    }
    if (c.most_weight > 1) {
      EXPECT_TRUE(map.set_weights(layer, weights).ok());
    }
  }
  const auto anywhere = [&] { return Cell{draw.below(c.width), draw.below(c.height), draw.below(c.layers)}; };
  for (int i = 0; i < c.portals; ++i) {
    EXPECT_TRUE(map.add_portal({anywhere(), anywhere(), static_cast<std::uint32_t>(1 + draw.below(60))}).ok());
  }
  EXPECT_TRUE(map.apply(edit).ok());
  return map;
}

// Corners of tiles among them, where a value is in two sides at once.
GoalDef make_goals(const TileCase& c) {
  Draw draw(c.seed + 77);
  GoalDef goal;
  goal.placement = GoalPlacement::nearest;
  for (int i = 0; i < c.goals; ++i) {
    const int corners[] = {0, 31, 32, 63, 64, 95};
    const int x = i % 2 == 0 ? corners[draw.below(6)] : draw.below(c.width);
    const int y = i % 2 == 0 ? corners[draw.below(6)] : draw.below(c.height);
    const auto offset = c.most_offset == 0 ? 0 : draw.next() % (c.most_offset + 1);
    goal.cells.push_back({{std::min(x, c.width - 1), std::min(y, c.height - 1), draw.below(c.layers)}, offset});
  }
  return goal;
}

struct Tally {
  int swept = 0, handed_over = 0, cold = 0;
};

const field::Simd kLevels[] = {field::Simd::avx512, field::Simd::avx2, field::Simd::sse4, field::Simd::scalar};

// Empty where the sweep, or what it handed over to, equals the textbook engine.
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
    BuildReport report;
    const Result<FieldRef> field = builder.build(*graph, goal, {FieldEngine::sweep}, &report);
    if (!field) return field.status().message();
    tally.swept += report.engine == FieldEngine::sweep ? 1 : 0;
    tally.handed_over += report.engine != FieldEngine::sweep && level != field::Simd::scalar ? 1 : 0;
    if ((*field)->digest() != (*want)->digest())
      fault = std::string(to_string(report.engine)) + " at level " + std::to_string(static_cast<int>(level));
    if (report.cost_bits != 16) continue;
    const Result<FieldRef> warm = builder.warm(*builder.cool(*field), *graph);
    ++tally.cold;
    if (!warm || (*warm)->digest() != (*want)->digest() || (*warm)->goal_indices() != (*field)->goal_indices())
      fault = "put away at level " + std::to_string(static_cast<int>(level));
  }
  field::limit_simd(field::Simd::avx512);
  return fault;
}

std::string name_of(const TileCase& c) {
  return std::to_string(c.width) + " x " + std::to_string(c.height) + " kind " +
         std::to_string(static_cast<int>(c.kind)) + " seed " + std::to_string(c.seed);
}

TileCase draw_case(std::uint64_t seed) {
  Draw draw(seed ^ 0x711e);
  TileCase c;
  c.seed = seed;
  constexpr int kSizes[] = {1, 2, 29, 30, 31, 32, 33, 60, 61, 63, 64, 65, 95, 96, 97, 127, 128, 129};
  constexpr int kCount = static_cast<int>(std::size(kSizes));
  c.width = kSizes[draw.below(kCount)];
  c.height = kSizes[draw.below(kCount)];
  c.layers = draw.percent(15) ? 2 : 1;
  c.kind = static_cast<Kind>(draw.below(5));
  switch (draw.below(6)) {
    case 0:
      c.most_weight = 8;
      break;
    case 1:
      c.most_weight = 255;
      break;
    case 2:
      c.least_weight = 250, c.most_weight = 255;
      break;
    default:
      break;
  }
  c.profile.moves = draw.percent(40) ? Moves::four : Moves::eight;
  c.profile.corner = static_cast<CornerRule>(draw.below(3));
  c.profile.costs = static_cast<CostBase>(draw.below(3));
  c.profile.footprint = draw.percent(80) ? 1 : std::min({1 + draw.below(3), c.width, c.height});
  c.goals = draw.percent(50) ? 1 : 1 + draw.below(9);
  if (draw.percent(40)) c.most_offset = draw.percent(50) ? 500 : 200000;
  return c;
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

// One long corridor, row by row: cells above one another lie far apart in cost, and ways pass every tile again and
// again.
GridMap snake(int size) {
  GridMapDef def;
  def.width = def.height = size;
  GridMap map = std::move(GridMap::create(def)).value();
  MapEdit edit;
  for (int y = 1; y < size; y += 2) {
    const int gap = y % 4 == 1 ? size - 1 : 0;
    for (int x = 0; x < size; ++x) {
      if (x != gap) edit.cells.push_back({{x, y, 0}, CellChange::terrain, kWall});
    }
  }
  EXPECT_TRUE(map.apply(edit).ok());
  return map;
}

std::string engine_and_reason(const GridMap& map, FieldEngine asked, Cost* most) {
  const Result<NavGraph> graph = NavGraph::compile(map.view(), {});
  EXPECT_TRUE(graph.ok());
  FieldBuilder builder;
  GoalDef goal;
  goal.cells.push_back({{0, 0, 0}, 0});
  const FieldRef want = *builder.build(*graph, goal, {FieldEngine::queue});
  BuildReport report;
  const FieldRef field = *builder.build(*graph, goal, {asked}, &report);
  EXPECT_EQ(field->digest(), want->digest());
  *most = report.max_cost;
  return std::string(to_string(report.engine)) + ": " + report.reason;
}

TEST(TileHandOver, CostsWithinOneTileBeyond16BitsGoToAQueue) {
  if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no vectors here";
  Cost most = 0;
  EXPECT_EQ(engine_and_reason(snake(1025), FieldEngine::sweep, &most),
            "two_cursor: costs within one tile exceed 16 bits");
  EXPECT_EQ(most, 10u * (1024u * 513u + 2u * 512u));
}

TEST(TileHandOver, WaysThatWindAreLeftToAQueue) {
  if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no vectors here";
  Cost most = 0;
  EXPECT_EQ(engine_and_reason(snake(257), FieldEngine::automatic, &most), "two_cursor: ways wind too much for tiles");
  EXPECT_EQ(most, 10u * (256u * 129u + 2u * 128u));
}

}  // namespace
}  // namespace drover::test
