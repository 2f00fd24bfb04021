// SPDX-License-Identifier: MIT
// Directions, decimals, the padded layout, and positions to cells.
#include <gtest/gtest.h>
#include <drover/geometry.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace drover {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << 32;
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();

Fixed fixed(std::string_view text) {
  const Result<Fixed> value = Fixed::parse(text);
  EXPECT_TRUE(value.ok()) << text;
  return value.ok() ? *value : Fixed{};
}
StatusCode parse_code(std::string_view text) { return Fixed::parse(text).status().code(); }

TEST(Direction, OppositesCancel) {
  for (int d = 0; d < kDirections; ++d) {
    const auto there = static_cast<Direction>(d);
    const int back = static_cast<int>(opposite(there));
    EXPECT_EQ(kDx[d] + kDx[back], 0) << to_string(there);
    EXPECT_EQ(kDy[d] + kDy[back], 0) << to_string(there);
    EXPECT_EQ(is_diagonal(there), kDx[d] != 0 && kDy[d] != 0);
  }
}

TEST(Direction, NamesFollowTheTieOrder) {
  const char* names[] = {"N", "E", "S", "W", "NE", "SE", "SW", "NW"};
  for (int d = 0; d < kDirections; ++d) EXPECT_STREQ(to_string(static_cast<Direction>(d)), names[d]);
  EXPECT_EQ(DirectionSet{0b0100'0010}.first(), Direction::east);
  EXPECT_EQ(DirectionSet{0b0100'0010}.size(), 2);
}

TEST(Fixed, DecimalsAreRoundedOnceHalfAwayFromZero) {
  EXPECT_EQ(fixed("3").raw, 3 * kOne);
  EXPECT_EQ(fixed("-7.25").raw, -29 * kOne / 4);
  EXPECT_EQ(fixed("0.5").raw, kOne / 2);
  EXPECT_EQ(fixed("-0.0").raw, 0);
  EXPECT_EQ(fixed("007.10").raw, fixed("7.1").raw);
  // 2^-33 lies half-way between 0 and 1 unit; a last digit less rounds down, one more or none rounds up.
  EXPECT_EQ(fixed("0.000000000116415321826934814453125").raw, 1);
  EXPECT_EQ(fixed("-0.000000000116415321826934814453125").raw, -1);
  EXPECT_EQ(fixed("0.000000000116415321826934814453124").raw, 0);
  EXPECT_EQ(fixed("0.0000000001164153218269348144531249999999999999999999999999").raw, 0);
  EXPECT_EQ(fixed("0.0000000001164153218269348144531250000000000000000000000001").raw, 1);
  EXPECT_EQ(fixed("0.1").raw, 429496730);  // 429496729.6
  EXPECT_EQ(fixed("0.99999999999").raw, kOne);
}

TEST(Fixed, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(fixed("2147483647.99999999976716935634613037109375").raw, kMax64);
  EXPECT_EQ(fixed("-2147483648").raw, kMin64);
  for (const char* text : {"2147483648", "-2147483648.0000000003", "2147483647.9999999999", "99999999999999999999",
                           "340282366920938463463374607431768211457"})
    EXPECT_EQ(parse_code(text), StatusCode::number) << text;
}

TEST(Fixed, WhatIsNoPlainDecimalIsRefused) {
  for (const char* text : {"", "-", "+1", ".5", "5.", "-.5", "1e3", "1.2.3", " 1", "1 ", "0x10", "nan", "inf", "1,5",
                           "--1", "1.-5", "1.5x"})
    EXPECT_EQ(parse_code(text), StatusCode::number) << '"' << text << '"';
  const std::string long_text(100000, 'x');
  EXPECT_LT(Fixed::parse(long_text).status().message().size(), 200u);
}

TEST(Fixed, FloorGoesDownBelowZeroToo) {
  EXPECT_EQ(fixed("-0.5").floor(), -1);
  EXPECT_EQ(fixed("-1").floor(), -1);
  EXPECT_EQ(fixed("2.999").floor(), 2);
}

TEST(GridShape, IndexAndCellAreInverseAndOrdered) {
  const GridShape shape = *GridShape::create(70, 3, 2, {-5, 9, 0});
  std::uint32_t last = 0;
  for (int layer = 0; layer < 2; ++layer)
    for (int y = 9; y < 12; ++y)
      for (int x = -5; x < 65; ++x) {
        const Cell c{x, y, layer};
        const CellIndex i = shape.index(c);
        ASSERT_TRUE(i.valid());
        EXPECT_GT(i.value, last);
        EXPECT_EQ(shape.cell(i), c);
        last = i.value;
      }
  EXPECT_EQ(shape.cell_count(), 420u);
}

TEST(GridShape, CellsOutsideHaveNoIndex) {
  const GridShape shape = *GridShape::create(4, 3, 2, {-2, -1, 0});
  constexpr std::int32_t kLow = std::numeric_limits<std::int32_t>::min(),
                         kHigh = std::numeric_limits<std::int32_t>::max();
  for (const Cell c : {Cell{-3, 0, 0}, Cell{2, 0, 0}, Cell{0, -2, 0}, Cell{0, 2, 0}, Cell{0, 0, 2}, Cell{0, 0, -1},
                       Cell{kLow, 0, 0}, Cell{kHigh, 0, 0}, Cell{0, kLow, 0}, Cell{0, kHigh, 0}, Cell{0, 0, kLow}})
    EXPECT_FALSE(shape.index(c).valid()) << c.x << "," << c.y << "," << c.layer;
  EXPECT_TRUE(shape.index({-2, -1, 1}).valid());
  EXPECT_TRUE(shape.index({1, 1, 0}).valid());
}

TEST(GridShape, EveryNeighbourOfEveryCellIsInStorageAndNoCellOfTheMapByChance) {
  for (const int width : {1, 62, 63, 64, 65, 127, 128}) {
    const GridShape shape = *GridShape::create(width, 2, 2);
    EXPECT_EQ(shape.stride() % 64, 0u);
    EXPECT_GT(shape.stride(), static_cast<std::uint32_t>(width));
    EXPECT_EQ(shape.padded_cells() % 64, 0u);
    for (int layer = 0; layer < 2; ++layer)
      for (int y = 0; y < 2; ++y)
        for (int x = 0; x < width; ++x)
          for (int d = 0; d < kDirections; ++d) {
            const std::uint32_t there = shape.index({x, y, layer}).value + shape.step(static_cast<Direction>(d));
            const Cell neighbour{x + kDx[d], y + kDy[d], layer};
            ASSERT_LT(there, shape.padded_cells());
            EXPECT_EQ(there, shape.at(neighbour.x, neighbour.y, layer));
            const bool on_map = shape.contains(neighbour);
            for (int other_layer = 0; other_layer < 2; ++other_layer)
              for (int row = 0; row < 2 && !on_map; ++row) {
                const std::uint32_t first = shape.at(0, row, other_layer);
                EXPECT_FALSE(there >= first && there < first + static_cast<std::uint32_t>(width));
              }
          }
  }
}

TEST(GridShape, WholeWordsAroundEveryRowAreInStorage) {
  const GridShape shape = *GridShape::create(5, 3, 2);
  EXPECT_GE(shape.at(0, -1, 0), GridShape::kFront);
  EXPECT_EQ(shape.at(0, 0, 0) % 64, 0u);
  EXPECT_GE(shape.padded_cells(), shape.at(0, 3, 1) + shape.stride() + 64);
}

TEST(GridShape, SizesBelowOneAreRefused) {
  for (const auto& [w, h, l] : {std::tuple{0, 4, 1}, {4, 0, 1}, {-1, 3, 1}, {3, -1, 1}, {3, 3, 0}, {3, 3, -2}}) {
    const Result<GridShape> shape = GridShape::create(w, h, l);
    EXPECT_EQ(shape.status().code(), StatusCode::map_size);
    EXPECT_NE(shape.status().message().find("at least 1x1"), std::string::npos) << shape.status().message();
  }
  EXPECT_EQ(GridShape::create(kMin64, kMin64).status().code(), StatusCode::map_size);
  EXPECT_TRUE(GridShape::create(1, 1).ok());
}

TEST(GridShape, CellsAreCountedIn64Bits) {
  for (const auto& [w, h, l] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>{65537, 65537, 1},
                                {kMax64, kMax64, kMax64},
                                {kMax64, 1, 1},
                                {1, kMax64, 1},
                                {1, 1, kMax64},
                                {kMax64, 2, 1},
                                {std::int64_t{1} << 32, std::int64_t{1} << 32, 1},
                                {16385, 16384, 1},
                                {16384, 16384, 2}})
    EXPECT_EQ(GridShape::create(w, h, l).status().code(), StatusCode::limit_cells) << w << "x" << h << "x" << l;
  const Result<GridShape> largest = GridShape::create(16384, 16384);
  ASSERT_TRUE(largest.ok());
  EXPECT_EQ(largest->cell_count(), kMaxCells);
}

// A column of single cells takes a stride of 64 each: 2^28 of them do not fit into 2^32 stored cells.
TEST(GridShape, PaddingCountsToo) {
  EXPECT_EQ(GridShape::create(1, std::int64_t{1} << 28).status().code(), StatusCode::limit_cells);
  EXPECT_TRUE(GridShape::create(1, 1 << 20).ok());
  EXPECT_EQ(GridShape::create(1, 1, 1 << 27).status().code(), StatusCode::limit_cells);
}

TEST(GridShape, CoordinatesStayIn32Bits) {
  constexpr std::int32_t kLast = std::numeric_limits<std::int32_t>::max();
  EXPECT_TRUE(GridShape::create(3, 1, 1, {kLast - 2, 0, 0}).ok());
  EXPECT_EQ(GridShape::create(4, 1, 1, {kLast - 2, 0, 0}).status().code(), StatusCode::argument);
  EXPECT_EQ(GridShape::create(1, 4, 1, {0, kLast - 2, 0}).status().code(), StatusCode::argument);
  EXPECT_TRUE(GridShape::create(3, 3, 1, {std::numeric_limits<std::int32_t>::min(), 0, 0}).ok());
}

TEST(WorldFrame, TheFarthestPositionsAreOutsideAndNothingOverflows) {
  const GridShape shape = *GridShape::create(8, 8);
  const WorldFrame frame = *WorldFrame::create(shape, {{kMax64}, {kMin64}}, {1});
  EXPECT_FALSE(frame.locate({{kMin64}, {kMax64}}).inside);
  EXPECT_TRUE(frame.locate({{kMax64}, {kMin64 + 7}}).inside);
  EXPECT_FALSE(frame.locate({{kMax64}, {kMin64 + 8}}).inside);
}

TEST(WorldFrame, LayersOutsideAreOutside) {
  const WorldFrame frame(*GridShape::create(2, 2, 2));
  const Position p{fixed("0.5"), fixed("1.5")};
  EXPECT_EQ(frame.locate(p, 1).cell, (Cell{0, 1, 1}));
  EXPECT_FALSE(frame.locate(p, 2).inside);
  EXPECT_FALSE(frame.locate(p, -1).inside);
}

TEST(WorldFrame, CellSizeIsAboveZero) {
  const GridShape shape = *GridShape::create(2, 2);
  EXPECT_EQ(WorldFrame::create(shape, {}, fixed("0")).status().code(), StatusCode::value);
  EXPECT_EQ(WorldFrame::create(shape, {}, fixed("-1")).status().code(), StatusCode::value);
}

TEST(WorldFrame, TheCentreOfABodyIsInTheMiddleOfItsCells) {
  const GridShape shape = *GridShape::create(20, 12, 1, {-10, -4, 0});
  const WorldFrame frame = *WorldFrame::create(shape, {fixed("-7.25"), fixed("-3")}, fixed("0.5"));
  EXPECT_EQ(frame.centre({-10, -4, 0}), (Position{fixed("-7"), fixed("-2.75")}));
  EXPECT_EQ(frame.centre({-10, -4, 0}, 2), (Position{fixed("-6.75"), fixed("-2.5")}));
  EXPECT_EQ(WorldFrame(shape).centre({-10, -4, 0}, 3), (Position{fixed("-8.5"), fixed("-2.5")}));
  // Half of three units of the fixed-point grid is rounded down.
  const WorldFrame fine = *WorldFrame::create(shape, {{-5}, {0}}, {3});
  EXPECT_EQ(fine.centre({-10, -4, 0}), (Position{{-4}, {1}}));
}

TEST(WorldFrame, EveryCentreLiesInItsCell) {
  const GridShape shape = *GridShape::create(7, 5, 1, {-3, -2, 0});
  for (const WorldFrame& frame :
       {WorldFrame(shape), *WorldFrame::create(shape, {fixed("-0.3"), fixed("12.7")}, fixed("0.37"))})
    for (int y = -2; y < 3; ++y)
      for (int x = -3; x < 4; ++x) EXPECT_EQ(frame.locate(frame.centre({x, y, 0})).cell, (Cell{x, y, 0}));
}

}  // namespace
}  // namespace drover
