// SPDX-License-Identifier: MIT
// Regions, room for bodies and tunnels against floods of single cells.
#include "cave/regions.hpp"

#include "cave/tunnels.hpp"
#include "support/cave_oracle.hpp"
#include "support/grids.hpp"

#include <algorithm>

namespace drover::cave {
namespace {

using test::CaveRows;
using test::Draws;

CaveRows random_rows(Draws& draws, int widest) {
  CaveRows rows(1 + draws.below(30), std::string(1 + draws.below(static_cast<std::uint32_t>(widest)), '.'));
  const std::uint32_t percent = 30 + draws.below(50);
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

TEST(Regions, AreTheGroupsOfCellsThatTouch) {
  Draws draws(3);
  for (int i = 0; i < 3000; ++i) {
    const CaveRows rows = random_rows(draws, 150);
    const bool corners = draws.percent(50), walls = draws.percent(50);
    const Regions regions(grid_of(rows), walls, corners ? Touch::corners : Touch::sides);
    const std::vector<int> expected = test::cave_groups(rows, walls ? '#' : '.', corners);
    ASSERT_EQ(regions.count(), expected.size()) << i;
    for (std::uint32_t r = 0; r < regions.count(); ++r)
      ASSERT_EQ(regions.cells(r), static_cast<std::uint64_t>(expected[r]));
    if (expected.empty())
      ASSERT_EQ(regions.largest(), Regions::kNone);
    else
      ASSERT_EQ(regions.largest(), std::max_element(expected.begin(), expected.end()) - expected.begin());
  }
}

TEST(Regions, RoomForABodyAndWhatItCovers) {
  Draws draws(4);
  for (int i = 0; i < 2000; ++i) {
    const CaveRows rows = random_rows(draws, 140);
    const int k = 1 + static_cast<int>(draws.below(8));
    const BitGrid walls = grid_of(rows), room = room_for(walls, k), floor = floor_under(room, k);
    CaveRows covered(rows.size(), std::string(rows[0].size(), '#'));
    for (int y = 0; y < walls.height(); ++y)
      for (int x = 0; x < walls.width(); ++x) {
        bool fits = true;
        for (int dy = 0; dy < k; ++dy)
          for (int dx = 0; dx < k; ++dx) fits = fits && !test::cave_wall(rows, x + dx, y + dy);
        ASSERT_EQ(room.wall(x, y), fits) << i << ": " << x << "," << y << " for " << k;
        for (int dy = 0; fits && dy < k; ++dy)
          for (int dx = 0; dx < k; ++dx)
            covered[static_cast<std::size_t>(y + dy)][static_cast<std::size_t>(x + dx)] = '.';
      }
    for (int y = 0; y < walls.height(); ++y)
      for (int x = 0; x < walls.width(); ++x) ASSERT_EQ(floor.wall(x, y), test::cave_wall(covered, x, y));
  }
}

TEST(Tunnels, JoinAllRegionsAndKeepFloorAndBorder) {
  Draws draws(5);
  int dug = 0;
  for (int i = 0; i < 3000; ++i) {
    CaveRows rows = random_rows(draws, 100);
    test::lock_border(rows);
    TunnelRules rules;
    rules.footprint = 1 + static_cast<int>(draws.below(3));
    rules.width = rules.footprint + static_cast<std::int32_t>(draws.below(2));
    const BitGrid before = grid_of(rows);
    BitGrid walls = before;
    const std::uint32_t regions = Regions(room_for(walls, rules.footprint), true, rules.touch).count();
    const bool joined = dig_tunnels(walls, rules);
    const bool space = std::min(walls.width(), walls.height()) >= rules.width + 2;
    ASSERT_EQ(joined, regions == 1 || (regions > 1 && space)) << i << ": " << regions << " regions";
    for (int y = 0; y < walls.height(); ++y)
      for (int x = 0; x < walls.width(); ++x) {
        const bool border = x == 0 || y == 0 || x + 1 == walls.width() || y + 1 == walls.height();
        ASSERT_TRUE(before.wall(x, y) || !walls.wall(x, y));
        ASSERT_TRUE(!border || walls.wall(x, y));
      }
    if (!joined) continue;
    ++dug;
    ASSERT_EQ(Regions(room_for(walls, rules.footprint), true, rules.touch).count(), 1u) << i;
  }
  EXPECT_GT(dug, 1000);
}

TEST(Tunnels, TheShortestOneIsDug) {
  BitGrid walls = grid_of(
      {"############", "#...########", "############", "############", "#..#########", "######.#####", "############"});
  ASSERT_TRUE(dig_tunnels(walls, {}));
  // Two cells between the two rooms above; three between the lower room and the single cell.
  EXPECT_EQ(count_bits(walls), 7u * 12 - 6 - 2 - 4);
}

}  // namespace
}  // namespace drover::cave
