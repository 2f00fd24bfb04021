// SPDX-License-Identifier: MIT
// Shapes of a scene: which are refused, what equal distance means, and how a bake is kept.
#include <gtest/gtest.h>
#include <drover/obstacle.hpp>

#include "support/allowed_allocations.hpp"
#include "support/counting_allocator.hpp"
#include "support/shapes.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace drover {
namespace {

using test::box;

Fixed fixed(std::string_view text) { return *Fixed::parse(text); }
Position at(std::string_view x, std::string_view y) { return {fixed(x), fixed(y)}; }

Obstacle circle(std::string_view x, std::string_view y, std::string_view radius) {
  Obstacle o;
  o.centre = at(x, y);
  o.radius = fixed(radius);
  return o;
}

Obstacle capsule(Position from, Position to, std::string_view radius) {
  Obstacle o;
  o.kind = ObstacleKind::capsule;
  o.points = {from, to};
  o.radius = fixed(radius);
  return o;
}

Obstacle polygon(std::vector<Position> points, std::vector<std::vector<Position>> holes = {}) {
  Obstacle o;
  o.kind = ObstacleKind::polygon;
  o.points = std::move(points);
  o.holes = std::move(holes);
  return o;
}

std::vector<Position> square_ring(std::string_view low, std::string_view high) {
  return {at(low, low), at(high, low), at(high, high), at(low, high)};
}

void expect_refused(const Obstacle& o, std::string_view words, StatusCode code = StatusCode::obstacle) {
  const Status status = o.validate();
  EXPECT_EQ(status.code(), code) << words;
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
}

TEST(ObstacleValidate, RangesOfEachKindAreRefusedByName) {
  expect_refused(circle("0", "0", "0"), "radius of a circle");
  expect_refused(circle("0", "0", "-1"), "radius of a circle");
  expect_refused(circle("0", "0", "16384.0000001"), "at most 16384");
  EXPECT_TRUE(circle("0", "0", "16384").validate().ok());
  expect_refused(capsule(at("0", "0"), at("1", "0"), "-0.5"), "0 or more");
  EXPECT_TRUE(capsule(at("0", "0"), at("0", "0"), "0").validate().ok());
  expect_refused(capsule(at("0", "0"), at("16385", "0"), "1"), "an end of a capsule");
  Obstacle one_end = capsule(at("0", "0"), at("1", "0"), "1");
  one_end.points.pop_back();
  expect_refused(one_end, "its two ends");
  expect_refused(box(at("0", "0"), at("0", "1")), "half of a box");
  expect_refused(box(at("0", "0"), at("1", "16385")), "at most 16384");
  expect_refused(box(at("0", "0"), at("1", "1"), {0, 0}), "axis 0,0");
  expect_refused(box(at("0", "0"), at("1", "1"), {1, -16385}), "axis 1,-16385");
  EXPECT_TRUE(box(at("0", "0"), at("16384", "16384"), {-16384, 16384}).validate().ok());
  expect_refused(polygon({at("0", "0"), at("1", "0")}), "at least 3");
  expect_refused(polygon(square_ring("0", "4"), {{at("1", "1")}}), "a hole of 1 points");
  expect_refused(polygon({at("0", "0"), at("1", "0"), at("0", "-16385")}), "a point of a polygon");
}

TEST(ObstacleValidate, KeysOfAnotherKindAreRefused) {
  Obstacle o = circle("0", "0", "1");
  o.half = at("1", "1");
  expect_refused(o, "only boxes");
  o = circle("0", "0", "1");
  o.points = {at("1", "1")};
  expect_refused(o, "only capsules and polygons");
  o = box(at("0", "0"), at("1", "1"));
  o.radius = fixed("1");
  expect_refused(o, "only circles and capsules");
  o = capsule(at("0", "0"), at("1", "0"), "1");
  o.axis = {0, 1};
  expect_refused(o, "only boxes");
  o.axis = {};
  o.holes.emplace_back();
  expect_refused(o, "only polygons");
}

TEST(ObstacleValidate, CornersAreCountedWithThoseOfHoles) {
  Obstacle o = polygon(std::vector<Position>(4096, at("1", "1")));
  EXPECT_TRUE(o.validate().ok());
  o.holes = {square_ring("0", "1")};
  expect_refused(o, "4100 points", StatusCode::limit_obstacles);
}

TEST(OverlapsCircle, EqualDistanceDoesNotOverlap) {
  const Fixed half = fixed("0.5");
  const auto touches = [](const Obstacle& o, Position p, Fixed radius) {
    EXPECT_FALSE(overlaps_circle(o, p, radius));
    EXPECT_TRUE(overlaps_circle(o, p, radius + Fixed{1}));
  };
  touches(circle("2", "3", "1"), at("3.5", "3"), half);
  touches(circle("0", "0", "4.5"), at("3", "4"), half);
  touches(box(at("0", "0"), at("2", "1")), at("5", "5"), fixed("5"));  // a corner, 3-4-5
  touches(box(at("0", "0"), at("5", "10"), {3, 4}), at("6", "8"), fixed("5"));
  touches(capsule(at("0", "0"), at("3", "4"), "1"), at("-4", "3"), fixed("4"));
  touches(polygon(square_ring("-1", "1"), {}), at("4", "5"), fixed("5"));
}

TEST(OverlapsCircle, InsideIsDistanceNought) {
  const Fixed unit{1};
  EXPECT_TRUE(overlaps_circle(box(at("0", "0"), at("3", "2"), {1, 1}), at("1", "1"), unit));
  EXPECT_TRUE(overlaps_circle(polygon(square_ring("0", "4")), at("0", "2"), unit));  // on its rim
  const Obstacle ring = polygon(square_ring("0", "4"), {square_ring("1", "3")});
  EXPECT_TRUE(overlaps_circle(ring, at("0.5", "2"), unit));
  EXPECT_FALSE(overlaps_circle(ring, at("2", "2"), fixed("1")));
  EXPECT_TRUE(overlaps_circle(ring, at("2", "2"), fixed("1.001")));
  EXPECT_FALSE(overlaps_circle(ring, at("0.5", "2"), Fixed{}));
}

TEST(OverlapsCircle, ACapsuleWithBothEndsInOnePlaceIsACircle) {
  const Obstacle round = circle("1", "1", "2");
  Obstacle dot = capsule(at("0", "0"), at("0", "0"), "2");
  dot.centre = round.centre;
  for (const char* x : {"3.4", "3.5", "3.6", "-1.5", "-1.4999999"}) {
    EXPECT_EQ(overlaps_circle(dot, at(x, "1"), fixed("0.5")), overlaps_circle(round, at(x, "1"), fixed("0.5"))) << x;
  }
}

TEST(OverlapsCircle, LargestShapesAtTheEndsOfTheNumbersAreExact) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                         kLeast = std::numeric_limits<std::int64_t>::min();
  const Fixed reach = fixed("16384");
  Obstacle o = circle("0", "0", "16384");
  for (const std::int64_t end : {kMost, kLeast}) {
    o.centre = {{end}, {end}};
    EXPECT_TRUE(overlaps_circle(o, o.centre, Fixed{1}));
    EXPECT_FALSE(overlaps_circle(o, {{0}, {0}}, reach));
    EXPECT_FALSE(overlaps_circle(o, {{~end}, {~end}}, reach));
    const std::int64_t towards = end == kMost ? -1 : 1;
    const Position rim{{end + towards * 2 * reach.raw}, {end}};
    EXPECT_FALSE(overlaps_circle(o, rim, reach));
    EXPECT_TRUE(overlaps_circle(o, {{rim.x.raw - towards}, rim.y}, reach));
  }
  // Its corner is at sqrt(2) x 16384 along x: 23170.475005..., by 24 digits of sqrt(2).
  const Obstacle turned = box(at("0", "0"), {reach, reach}, {16384, 16384});
  const Fixed before = fixed("39554.47500592064112"), beyond = fixed("39554.47500592111112");
  EXPECT_TRUE(overlaps_circle(turned, {before, {}}, reach));
  EXPECT_FALSE(overlaps_circle(turned, {beyond, {}}, reach));
}

struct Baked {
  GridShape shape;
  ObstacleBake bake;
  std::vector<CellIndex> changed = {};

  explicit Baked(const GridShape& s, std::string_view radius = "0.5", int footprint = 1, const Host& host = {})
      : shape(s), bake(std::move(ObstacleBake::create(s, WorldFrame(s), fixed(radius), footprint, host)).value()) {}

  std::vector<std::string> rows(int layer = 0) const {
    std::vector<std::string> out;
    for (int y = 0; y < shape.height(); ++y) {
      out.emplace_back();
      for (int x = 0; x < shape.width(); ++x) out.back() += bake.blocked(shape.index({x, y, layer})) ? '#' : '.';
    }
    return out;
  }
};

using Rows = std::vector<std::string>;

TEST(ObstacleBake, RefusesBodiesThatAreNone) {
  const GridShape shape = *GridShape::create(4, 4);
  const WorldFrame frame(shape);
  EXPECT_EQ(ObstacleBake::create(shape, frame, Fixed{}).status().code(), StatusCode::obstacle);
  EXPECT_EQ(ObstacleBake::create(shape, frame, fixed("16384.5")).status().code(), StatusCode::obstacle);
  EXPECT_EQ(ObstacleBake::create(shape, frame, fixed("1"), 0).status().code(), StatusCode::footprint);
  EXPECT_EQ(ObstacleBake::create(shape, frame, fixed("1"), 9).status().code(), StatusCode::footprint);
}

TEST(ObstacleBake, ABodyOfSeveralCellsIsTestedAtItsMiddle) {
  Baked two(*GridShape::create(6, 4), "0.9", 2);
  ASSERT_TRUE(two.bake.add(circle("3", "2", "0.2"), two.changed).ok());
  // Middles are at whole numbers: 3,2 alone is nearer than 1.1 but for its four neighbours at distance 1.
  EXPECT_EQ(two.rows(), (Rows{"..#...", ".###..", "..#...", "......"}));
}

TEST(ObstacleBake, CountsShapesSoThatRemovingOneOfTwoFreesOnlyItsOwn) {
  Baked b(*GridShape::create(8, 3));
  ASSERT_TRUE(b.bake.add(circle("2.5", "1.5", "1"), b.changed).ok());
  EXPECT_EQ(b.rows(), (Rows{".###....", ".###....", ".###...."}));
  b.changed.clear();
  ASSERT_TRUE(b.bake.add(circle("4.5", "1.5", "1"), b.changed).ok());
  EXPECT_EQ(b.rows(), (Rows{".#####..", ".#####..", ".#####.."}));
  EXPECT_EQ(b.changed.size(), 6u);
  b.changed.clear();
  ASSERT_TRUE(b.bake.remove(circle("2.5", "1.5", "1"), b.changed).ok());
  EXPECT_EQ(b.rows(), (Rows{"...###..", "...###..", "...###.."}));
  const auto index = [&](int x, int y) { return b.shape.index({x, y, 0}); };
  EXPECT_EQ(b.changed,
            (std::vector<CellIndex>{index(1, 0), index(2, 0), index(1, 1), index(2, 1), index(1, 2), index(2, 2)}));
  EXPECT_EQ(b.bake.blocked_cells(), 9u);
}

TEST(ObstacleBake, AMoveListsOnlyWhatDiffersInTheEnd) {
  Baked b(*GridShape::create(8, 3));
  ASSERT_TRUE(b.bake.add(circle("2.5", "1.5", "1"), b.changed).ok());
  b.changed.clear();
  ASSERT_TRUE(b.bake.move(circle("2.5", "1.5", "1"), circle("3.5", "1.5", "1"), b.changed).ok());
  const auto index = [&](int x, int y) { return b.shape.index({x, y, 0}); };
  EXPECT_EQ(b.changed,
            (std::vector<CellIndex>{index(1, 0), index(4, 0), index(1, 1), index(4, 1), index(1, 2), index(4, 2)}));
  b.changed.clear();
  ASSERT_TRUE(b.bake.move(circle("3.5", "1.5", "1"), circle("3.5", "1.5", "1"), b.changed).ok());
  EXPECT_TRUE(b.changed.empty());
}

TEST(ObstacleBake, LayersOfTheMaskAloneAreTouched) {
  Baked b(*GridShape::create(3, 3, 3));
  Obstacle o = circle("1.5", "1.5", "0.25");
  o.layer_mask = 0b101;
  ASSERT_TRUE(b.bake.add(o, b.changed).ok());
  EXPECT_EQ(b.bake.blocked_cells(), 2u);
  EXPECT_EQ(b.rows(1), (Rows{"...", "...", "..."}));
  Obstacle other = o;
  other.layer_mask = 0b011;
  b.changed.clear();
  ASSERT_TRUE(b.bake.move(o, other, b.changed).ok());
  EXPECT_EQ(b.changed, (std::vector<CellIndex>{b.shape.index({1, 1, 1}), b.shape.index({1, 1, 2})}));
}

TEST(ObstacleBake, ARefusedShapeChangesNothing) {
  Baked b(*GridShape::create(4, 4));
  EXPECT_EQ(b.bake.add(circle("1", "1", "0"), b.changed).code(), StatusCode::obstacle);
  EXPECT_EQ(b.bake.remove(circle("1", "1", "1"), b.changed).code(), StatusCode::argument);
  ASSERT_TRUE(b.bake.add(circle("1", "1", "1"), b.changed).ok());
  b.changed.clear();
  EXPECT_EQ(b.bake.move(circle("1", "1", "1"), circle("1", "1", "0"), b.changed).code(), StatusCode::obstacle);
  EXPECT_TRUE(b.changed.empty());
}

TEST(ObstacleBake, CountsHoldForAsManyShapesAsThereMayBe) {
  Baked b(*GridShape::create(3, 1));
  const Obstacle o = circle("0.5", "0.5", "0.25"), moved = circle("1.5", "0.5", "0.25"),
                 both = circle("1", "0.5", "0.25");
  for (std::size_t i = 0; i < kMaxObstacles; ++i) ASSERT_TRUE(b.bake.add(o, b.changed).ok());
  EXPECT_EQ(b.bake.add(o, b.changed).code(), StatusCode::limit_obstacles);
  ASSERT_TRUE(b.bake.move(o, both, b.changed).ok());
  EXPECT_EQ(b.rows(), (Rows{"##."}));
  ASSERT_TRUE(b.bake.move(both, moved, b.changed).ok());
  for (std::size_t i = 1; i < kMaxObstacles; ++i) {
    EXPECT_EQ(b.rows(), (Rows{"##."}));
    ASSERT_TRUE(b.bake.remove(o, b.changed).ok());
  }
  EXPECT_EQ(b.rows(), (Rows{".#."}));
}

TEST(ObstacleBake, ACopyGoesItsOwnWay) {
  Baked b(*GridShape::create(3, 3));
  ASSERT_TRUE(b.bake.add(circle("1.5", "1.5", "0.25"), b.changed).ok());
  Baked other(b.shape);
  other.bake = *b.bake.copy();
  ASSERT_TRUE(other.bake.remove(circle("1.5", "1.5", "0.25"), b.changed).ok());
  EXPECT_EQ(other.bake.blocked_cells(), 0u);
  EXPECT_EQ(b.rows(), (Rows{"...", ".#.", "..."}));
}

TEST(ObstacleBake, ABakeThatWasMovedFromRefuses) {
  Baked b(*GridShape::create(3, 3));
  const ObstacleBake taken = std::move(b.bake);
  const Obstacle o = circle("1.5", "1.5", "1");
  EXPECT_EQ(b.bake.add(o, b.changed).code(), StatusCode::argument);      // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(b.bake.remove(o, b.changed).code(), StatusCode::argument);   // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(b.bake.move(o, o, b.changed).code(), StatusCode::argument);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(b.bake.copy().status().code(), StatusCode::argument);        // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(taken.blocked_cells(), 0u);
}

TEST(ObstacleBake, WithoutMemoryNothingHasChanged) {
  const Obstacle first = polygon(square_ring("1", "5"), {square_ring("2", "4")}),
                 second = box(at("4", "4"), at("2", "1"), {1, 2});
  std::size_t failures = 0;
  for (int call = 0; call < 3; ++call) {
    for (std::size_t allowed = 0;; ++allowed) {
      Baked b(*GridShape::create(8, 8));
      ASSERT_TRUE(b.bake.add(first, b.changed).ok());
      const Rows before = b.rows();
      std::vector<CellIndex> changed;
      allowance = allowed;
      const Status status = call == 0   ? b.bake.add(second, changed)
                            : call == 1 ? b.bake.remove(first, changed)
                                        : b.bake.move(first, second, changed);
      allowance = ~std::size_t{0};
      if (status.ok()) {
        EXPECT_FALSE(changed.empty());
        break;
      }
      ASSERT_EQ(status.code(), StatusCode::out_of_memory);
      EXPECT_EQ(b.rows(), before);
      EXPECT_TRUE(changed.empty());
      ++failures;
      ASSERT_TRUE(call == 0 ? b.bake.add(second, changed).ok() : b.bake.move(first, second, changed).ok());
    }
  }
  EXPECT_GT(failures, 3u);
}

TEST(ObstacleBake, PlanesComeFromTheHost) {
  test::CountingAllocator memory;
  {
    const Baked b(*GridShape::create(100, 100), "0.5", 1, memory.host());
    EXPECT_EQ(memory.calls(), 2u);
    for (std::uint64_t call = 0; call < 2; ++call) {
      memory.fail_at(call);
      EXPECT_EQ(b.bake.copy().status().code(), StatusCode::out_of_memory);
      memory.fail_at(call);
      EXPECT_EQ(ObstacleBake::create(b.shape, WorldFrame(b.shape), fixed("1"), 1, memory.host()).status().code(),
                StatusCode::out_of_memory);
    }
  }
  EXPECT_EQ(memory.bytes_out(), 0u);
}

}  // namespace
}  // namespace drover
