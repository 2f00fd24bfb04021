// SPDX-License-Identifier: MIT
// Which two steps may run at once: named angles, and every entry against brute force over rational times.
#include "crowd/pair_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace drover::crowd {
namespace {

enum Move : std::uint8_t { N, E, S, W, NE, SE, SW, NW, stay };

Body body(int footprint, std::int32_t radius_in_hundredths) {
  return {footprint, Fixed::ratio(radius_in_hundredths, 100)};
}

// Two equal one-cell bodies; the second stands at (dx, dy).
bool clear(BodyRule rule, std::int32_t hundredths, int dx, int dy, Move a, Move b) {
  PairTable table(rule);
  const std::uint8_t one = table.add(body(1, hundredths));
  return table.clear(one, one, dx, dy, a, b);
}

TEST(PairTable, FollowingStraightIsAlwaysClear) {
  EXPECT_TRUE(clear(BodyRule::discs, 50, 1, 0, E, E));
  EXPECT_TRUE(clear(BodyRule::discs, 35, 1, 1, SE, SE));
}

TEST(PairTable, FollowingRoundARightAngleComesToSevenTenths) {
  EXPECT_TRUE(clear(BodyRule::discs, 35, 1, 0, E, S));
  EXPECT_FALSE(clear(BodyRule::discs, 36, 1, 0, E, S));
}

TEST(PairTable, FollowingRound135DegreesComesTo0447) {
  EXPECT_FALSE(clear(BodyRule::discs, 35, 1, 0, E, NW));
  EXPECT_FALSE(clear(BodyRule::discs, 23, 1, 0, E, NW));
  EXPECT_TRUE(clear(BodyRule::discs, 22, 1, 0, E, NW));
  EXPECT_TRUE(clear(BodyRule::cells, 35, 1, 0, E, NW));
}

TEST(PairTable, ExchangeAndCrossingAreNeverClear) {
  for (const BodyRule rule : {BodyRule::discs, BodyRule::cells}) {
    EXPECT_FALSE(clear(rule, 10, 1, 0, E, W));
    EXPECT_FALSE(clear(rule, 10, 1, 1, SE, NW));
    EXPECT_FALSE(clear(rule, 10, 1, 0, SE, SW));
  }
}

TEST(PairTable, CellsOfDifferentSizesDoNotExchange) {
  PairTable table(BodyRule::cells);
  const std::uint8_t big = table.add(body(2, 85)), small = table.add(body(1, 35));
  EXPECT_FALSE(table.clear(big, small, 2, 1, SE, NW));
  EXPECT_TRUE(table.clear(big, small, 2, 1, E, E));
}

TEST(PairTable, OnlySmallSingleCellsAreSimple) {
  PairTable table(BodyRule::discs);
  table.add(body(1, 35));
  EXPECT_TRUE(table.simple());
  table.add(body(1, 36));
  EXPECT_FALSE(table.simple());
  PairTable cells(BodyRule::cells);
  cells.add(body(1, 50));
  EXPECT_TRUE(cells.simple());
  cells.add(body(2, 85));
  EXPECT_FALSE(cells.simple());
}

TEST(PairTable, EqualBodiesShareAnIndex) {
  PairTable table(BodyRule::discs);
  EXPECT_EQ(table.add(body(1, 35)), table.add(body(1, 35)));
  EXPECT_NE(table.add(body(1, 35)), table.add(body(1, 30)));
}

// The squared distance is smallest at a time that is a multiple of 1/40 (speeds squared are 1, 2, 4, 5 or 8).
TEST(PairTable, EveryEntryEqualsBruteForceOverTime) {
  const std::int32_t hundredths[] = {22, 35, 85, 130};
  const int footprints[] = {1, 1, 2, 3};
  PairTable table(BodyRule::discs);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(table.add(body(footprints[i], hundredths[i])), i);
  for (std::uint8_t a = 0; a < 4; ++a)
    for (std::uint8_t b = 0; b < 4; ++b)
      for (int dy = -5; dy <= 5; ++dy)
        for (int dx = -5; dx <= 5; ++dx)
          for (int i = 0; i <= kStay; ++i)
            for (int j = 0; j <= kStay; ++j) {
              const int vx = (j < 8 ? kDx[j] : 0) - (i < 8 ? kDx[i] : 0),
                        vy = (j < 8 ? kDy[j] : 0) - (i < 8 ? kDy[i] : 0);
              std::int64_t least = INT64_MAX;
              for (int t = 0; t <= 40; ++t) {  // in eightieths of a cell
                const std::int64_t x = 80 * dx + 40 * (footprints[b] - footprints[a]) + 2 * t * vx;
                const std::int64_t y = 80 * dy + 40 * (footprints[b] - footprints[a]) + 2 * t * vy;
                least = std::min(least, x * x + y * y);
              }
              // 80 r / 100 in eightieths; compare 25 x least with (100 / 20)^2: both sides x 25.
              const std::int64_t radii = 4 * (hundredths[a] + hundredths[b]);
              const bool expected = least * 25 >= radii * radii;
              ASSERT_EQ(table.clear(a, b, dx, dy, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)), expected)
                  << int{a} << " " << int{b} << " at " << dx << "," << dy << " moves " << i << " " << j;
            }
}

}  // namespace
}  // namespace drover::crowd
