// SPDX-License-Identifier: MIT
// Times of steps: whole ticks, with what is left over carried on, so that ground speed is the profile's.
#include "crowd/strides.hpp"

#include "base/int128.hpp"

#include <gtest/gtest.h>
#include <drover/geometry.hpp>

#include <cstdint>
#include <vector>

namespace drover::crowd {
namespace {

constexpr Fixed kOne = Fixed::from_int(1);

std::vector<std::uint32_t> row_of(Fixed speed, std::uint32_t length, int steps) {
  std::vector<std::uint32_t> ticks;
  StepTime time{0, half_a_tick(speed)};
  for (int i = 0; i < steps; ++i) {
    time = step_time(speed, length, time.remainder);
    ticks.push_back(time.ticks);
  }
  return ticks;
}

TEST(Strides, AStraightStepAtFullSpeedIsOneTick) {
  EXPECT_EQ(row_of(kOne, kStraightLength, 5), (std::vector<std::uint32_t>{1, 1, 1, 1, 1}));
}

// 1393 / 985 = 1.4142: 1.41, 2.83, 4.24, 5.66, 7.07, 8.49, 9.90, 11.31, to the nearest.
TEST(Strides, ADiagonalStepAtFullSpeedTakesOneTickOrTwo) {
  EXPECT_EQ(row_of(kOne, kDiagonalLength, 8), (std::vector<std::uint32_t>{1, 2, 1, 2, 1, 1, 2, 1}));
  EXPECT_EQ(step_time(kOne, kDiagonalLength, 492).remainder, 900u);
  EXPECT_EQ(parts_of_tick(kOne), 985u);
}

TEST(Strides, AQuarterOfFullSpeedTakesFourTicks) {
  const Fixed quarter = Fixed::ratio(1, 4);
  EXPECT_EQ(row_of(quarter, kStraightLength, 3), (std::vector<std::uint32_t>{4, 4, 4}));
  EXPECT_EQ(row_of(quarter, kDiagonalLength, 3), (std::vector<std::uint32_t>{6, 5, 6}));  // 5.66, 11.31, 16.97
  EXPECT_EQ(parts_of_tick(quarter), 985u);
}

TEST(Strides, TheSlowestStepIsBelowTheLimit) {
  EXPECT_EQ(step_time(kMinSpeed, kStraightLength, 0).ticks, 65536u);
  EXPECT_LT(step_time(kMinSpeed, kDiagonalLength, parts_of_tick(kMinSpeed) - 1).ticks, kMaxStepTicks);
}

// ticks x 985 x speed + remainder = length x steps + half a tick, in 128 bits and without shortening anything.
TEST(Strides, NoTimeIsEverLostOrGained) {
  for (const char* decimal : {"1", "0.999", "0.7", "0.5", "0.35", "0.333333", "0.25", "0.07", "0.01", "0.0001"}) {
    const Fixed speed = Fixed::parse(decimal).value();
    for (const std::uint32_t length : {kStraightLength, kDiagonalLength}) {
      StepTime time{0, half_a_tick(speed)};
      base::UInt128 gone = 0;
      const std::uint64_t tick = std::uint64_t{985} * static_cast<std::uint64_t>(speed.raw);
      const std::uint64_t unit = tick / parts_of_tick(speed);
      base::UInt128 way = half_a_tick(speed) * unit;
      for (int i = 0; i < 10000; ++i) {
        time = step_time(speed, length, time.remainder);
        way += std::uint64_t{length} << 32;
        gone += static_cast<base::UInt128>(time.ticks) * tick;
        ASSERT_TRUE(gone <= way && way - gone < tick) << decimal << " step " << i;
        ASSERT_TRUE(way - gone == static_cast<base::UInt128>(time.remainder) * unit) << decimal << " step " << i;
      }
    }
  }
}

TEST(Strides, WhoStandsForATickBeginsAnew) {
  Strides strides(StepPolicy::ground_speed);
  strides.resize(1);
  strides.set_now(10);
  strides.begin(0, strides.step(0, kOne, kDiagonalLength));
  EXPECT_TRUE(strides.under_way(0));
  strides.set_now(11);
  EXPECT_FALSE(strides.under_way(0));
  EXPECT_EQ(strides.step(0, kOne, kDiagonalLength).ticks, 2u);
  EXPECT_EQ(strides.step(0, kOne, kDiagonalLength).remainder, 323u);
  strides.set_now(12);
  EXPECT_EQ(strides.step(0, kOne, kDiagonalLength).ticks, 1u);
  EXPECT_EQ(strides.step(0, kOne, kDiagonalLength).remainder, 900u);
}

TEST(Strides, APortalLastsWhatItSaysOrAsLongAsAStraightStep) {
  Strides strides(StepPolicy::ground_speed);
  strides.resize(1);
  const std::vector<PortalDef> portals{{{0, 0}, {5, 5}, 10, true, 0}, {{0, 0}, {5, 5}, 10, true, 7}};
  strides.set_portals(portals);
  EXPECT_EQ(strides.passage(0, Fixed::ratio(1, 2), 0).ticks, 2u);
  EXPECT_EQ(strides.passage(0, Fixed::ratio(1, 2), 1).ticks, 7u);
}

TEST(Strides, UnderUnitStepsNobodyIsEverUnderWay) {
  Strides strides(StepPolicy::unit);
  strides.resize(3);
  EXPECT_FALSE(strides.timed());
  EXPECT_FALSE(strides.under_way(2));
}

}  // namespace
}  // namespace drover::crowd
