// SPDX-License-Identifier: MIT
// Words of 64 cells against one cell at a time, for every instruction set of this machine.
#include "cave/automaton.hpp"

#include "support/cave_oracle.hpp"
#include "support/grids.hpp"

#include <bit>

namespace drover::cave {
namespace {

using test::CaveRows;
using test::Draws;

const field::Simd kLevels[] = {field::Simd::scalar, field::Simd::sse4, field::Simd::avx2, field::Simd::avx512};

class Automaton : public testing::TestWithParam<field::Simd> {
 protected:
  void SetUp() override { field::limit_simd(GetParam()); }
  void TearDown() override { field::limit_simd(field::Simd::avx512); }
};

CaveRows random_rows(Draws& draws, int width, int height, std::uint32_t percent) {
  CaveRows rows(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), '.'));
  for (std::string& row : rows)
    for (char& c : row)
      if (draws.percent(percent)) c = '#';
  return rows;
}

BitGrid grid_of(const CaveRows& rows) {
  BitGrid grid(static_cast<std::int32_t>(rows[0].size()), static_cast<std::int32_t>(rows.size()));
  for (std::int32_t y = 0; y < grid.height(); ++y)
    for (std::int32_t x = 0; x < grid.width(); ++x) grid.set(x, y, test::cave_wall(rows, x, y));
  return grid;
}

CaveRows rows_of(const BitGrid& grid) {
  CaveRows rows(static_cast<std::size_t>(grid.height()), std::string(static_cast<std::size_t>(grid.width()), '.'));
  for (std::int32_t y = 0; y < grid.height(); ++y)
    for (std::int32_t x = 0; x < grid.width(); ++x)
      if (grid.wall(x, y)) rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = '#';
  return rows;
}

CaveRows draw_rows(Draws& draws) {
  const int width = draws.percent(20) ? static_cast<int>(1 + draws.below(700)) : static_cast<int>(1 + draws.below(150));
  return random_rows(draws, width, static_cast<int>(1 + draws.below(40)), 20 + draws.below(60));
}

TEST_P(Automaton, ThePassInPlaceIsTheOneOfTheOriginal) {
  Draws draws(1);
  for (int i = 0; i < 1000; ++i) {
    CaveRows rows = draw_rows(draws);
    BitGrid grid = grid_of(rows);
    for (int pass = 0; pass < 2; ++pass) {
      pass_in_place(grid);
      test::classic_pass(rows);
      ASSERT_EQ(rows_of(grid), rows) << "map " << i << ", pass " << pass;
    }
  }
}

TEST_P(Automaton, AnyRuleOnACopy) {
  Draws draws(2);
  for (int i = 0; i < 1000; ++i) {
    CaveRows rows = draw_rows(draws);
    BitGrid grid = grid_of(rows);
    const Rule rule = draws.percent(50) ? kFiveOfNine : Rule{draws.below(512), draws.below(512)};
    Generations generations(grid);
    for (int k = 0; k < 3; ++k) {
      generations.step(grid, rule);
      rows = test::cave_generation(rows, rule.birth, rule.survival);
      ASSERT_EQ(rows_of(grid), rows) << "map " << i << ", generation " << k << ", rule " << rule.birth << "/"
                                     << rule.survival;
    }
  }
}

TEST_P(Automaton, RandomCellsAreThoseOfThePlainKernel) {
  for (const std::uint32_t threshold : {1u, 1u << 31, 0x73333333u, 0xFFFFFFFFu}) {
    const Fill fill{0x123456789ABCDEF, 3, threshold};
    std::vector<Word> plain(100), found(100 + BitGrid::kVectorWords);
    plain_kernels().fill(fill, -7, -3, 100, plain.data());
    kernels().fill(fill, -7, -3, 100, found.data());
    found.resize(100);
    EXPECT_EQ(found, plain);
  }
}

TEST_P(Automaton, AWindowOfTheRandomMapIsTheSameWhereverItBegins) {
  const Fill fill{7, 0, 0x73333333u};
  BitGrid whole(300, 20);
  fill_random(whole, fill, -150, -10);
  for (const std::int32_t x : {-150, -64, -63, -1, 0, 5, 64}) {
    BitGrid part(80, 7);
    fill_random(part, fill, x, -2);
    for (std::int32_t row = 0; row < part.height(); ++row)
      for (std::int32_t column = 0; column < part.width(); ++column)
        ASSERT_EQ(part.wall(column, row), whole.wall(column + x + 150, row + 8)) << x << ": " << column << "," << row;
  }
}

TEST(AutomatonFill, TheShareOfWallsIsTheOneAskedFor) {
  BitGrid grid(2000, 500);
  fill_random(grid, {1, 0, static_cast<std::uint32_t>((45ull << 32) / 100)}, 0, 0);
  std::int64_t walls = 0;
  for (std::int32_t y = 0; y < grid.height(); ++y)
    for (std::int32_t x = 0; x < grid.width(); ++x) walls += grid.wall(x, y) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(walls), 450000.0, 4 * 497.5);  // four standard deviations
}

INSTANTIATE_TEST_SUITE_P(Levels, Automaton, testing::ValuesIn(kLevels),
                         [](const auto& i) { return "level" + std::to_string(static_cast<int>(i.param)); });

}  // namespace
}  // namespace drover::cave
