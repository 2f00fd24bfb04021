// SPDX-License-Identifier: MIT
// Obstacles of a map: what an edit of one changes, what it leaves alone; where the world's units meet cells.
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"
#include "support/map_bytes.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>
#include <drover/map.hpp>

#include <limits>
#include <vector>

namespace drover {
namespace {

using test::box;
using test::circle;
using test::map_of;
using test::move_to;
using test::quarters;
using test::shape_of;
using test::take_away;

Obstacle ball(std::int32_t x, std::int32_t y) { return circle(quarters(4 * x, 4 * y), quarters(4)); }

MapEdit batch(std::vector<ObstacleEdit> obstacles) { return {{}, {}, {}, {}, std::move(obstacles)}; }

EditReport done(Result<EditReport> report) {
  EXPECT_TRUE(report.ok()) << report.status().message();
  return report.ok() ? *std::move(report) : EditReport{};
}

TEST(MapObstacle, AMapHasNoneUntilOneIsAdded) {
  GridMap map = map_of({"...", "..."});
  EXPECT_TRUE(map.view().obstacles().empty());
  EXPECT_EQ(*map.add_obstacle(ball(1, 1)), 0u);
  EXPECT_EQ(*map.add_obstacle(ball(2, 1)), 1u);
  const auto held = map.view().obstacles();
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(*held[1], ball(2, 1));
  EXPECT_EQ(map.view().overlay_version(), 2u);
  EXPECT_EQ(map.view().map_version(), 0u);
}

TEST(MapObstacle, ShapesAreChecked) {
  GridMap map = map_of({"..."});
  EXPECT_EQ(map.add_obstacle(circle({}, {})).status().code(), StatusCode::obstacle);
  EXPECT_EQ(map.add_obstacle(box({}, quarters(4, 4), {0, 0})).status().code(), StatusCode::obstacle);
  EXPECT_TRUE(map.view().obstacles().empty());
  EXPECT_TRUE(map.add_obstacle(ball(-5000, 70)).ok()) << "it may lie anywhere";
}

TEST(MapObstacle, AMoveIsAStepOfTheOverlayAndOtherShapesAreShared) {
  GridMap map = map_of({"...", "..."});
  ASSERT_TRUE(map.add_obstacle(ball(0, 0)).ok() && map.add_obstacle(ball(1, 1)).ok());
  const MapView before = map.view();
  const EditReport report = done(map.apply(batch({move_to(1, quarters(9, 2))})));
  EXPECT_TRUE(report.changed);
  EXPECT_EQ(report.map_version, before.map_version());
  EXPECT_EQ(report.overlay_version, before.overlay_version() + 1);
  EXPECT_TRUE(report.dirty.empty()) << "which cells it takes depends on the body";
  EXPECT_EQ(*before.obstacles()[1], ball(1, 1)) << "a view never changes";
  EXPECT_EQ(map.view().obstacles()[1]->centre, quarters(9, 2));
  EXPECT_EQ(map.view().obstacles()[0].get(), before.obstacles()[0].get());
  EXPECT_EQ(map.view().terrain_plane(), before.terrain_plane());
}

TEST(MapObstacle, EditsOfOneComeOnTopOfEachOther) {
  GridMap map = map_of({"..."});
  ASSERT_TRUE(map.add_obstacle(ball(0, 0)).ok());
  const Obstacle wide = box({}, quarters(8, 2));
  done(map.apply(batch({shape_of(0, wide), move_to(0, quarters(3, 3)), move_to(0, quarters(5, 5))})));
  Obstacle expected = wide;
  expected.centre = quarters(5, 5);
  EXPECT_EQ(*map.view().obstacles()[0], expected);
  done(map.apply(batch({take_away(0), move_to(0, quarters(1, 1))})));
  EXPECT_EQ(map.view().obstacles()[0], nullptr) << "what is gone does not come back by moving";
  done(map.apply(batch({move_to(0, {}), shape_of(0, ball(2, 0))})));
  EXPECT_EQ(*map.view().obstacles()[0], ball(2, 0));
}

TEST(MapObstacle, AnEditWithoutNetEffectChangesNothing) {
  GridMap map = map_of({"..."});
  ASSERT_TRUE(map.add_obstacle(ball(0, 0)).ok());
  const MapView before = map.view();
  const EditReport report = done(map.apply(batch({move_to(0, quarters(7, 7)), shape_of(0, ball(0, 0))})));
  EXPECT_FALSE(report.changed);
  EXPECT_EQ(report.overlay_version, before.overlay_version());
  EXPECT_EQ(map.view().obstacles().data(), before.obstacles().data());
}

TEST(MapObstacle, ABatchIsAppliedWholeOrNotAtAll) {
  GridMap map = map_of({"..."});
  ASSERT_TRUE(map.add_obstacle(ball(0, 0)).ok());
  const std::uint64_t before = map.view().content_digest();
  const auto code = [&](ObstacleEdit bad) {
    MapEdit edit = batch({move_to(0, quarters(7, 7)), bad});
    edit.cells = {{{0, 0, 0}, CellChange::terrain, kWall}};
    return map.apply(edit).status().code();
  };
  EXPECT_EQ(code(move_to(1, {})), StatusCode::handle);
  EXPECT_EQ(code(shape_of(0, circle({}, {}))), StatusCode::obstacle);
  EXPECT_EQ(code({0, ObstacleChange::shape}), StatusCode::edit);
  EXPECT_EQ(code({0, static_cast<ObstacleChange>(3)}), StatusCode::edit);
  EXPECT_EQ(map.view().content_digest(), before);
  MapEdit wrong_cell = batch({move_to(0, quarters(7, 7))});
  wrong_cell.cells = {{{9, 9, 0}, CellChange::terrain, kWall}};
  EXPECT_EQ(map.apply(wrong_cell).status().code(), StatusCode::edit_outside);
  EXPECT_EQ(map.view().content_digest(), before);
}

TEST(MapObstacle, TheDigestSpeaksOfEveryFieldAndForgetsWhatIsUndone) {
  GridMap map = map_of({"..."});
  const std::uint64_t bare = map.view().content_digest();
  ASSERT_TRUE(map.add_obstacle(ball(0, 0)).ok());
  std::vector<std::uint64_t> seen{bare, map.view().content_digest()};
  const auto expect_new = [&](const Obstacle& shape) {
    done(map.apply(batch({shape_of(0, shape)})));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), map.view().content_digest()), 0);
    seen.push_back(map.view().content_digest());
  };
  Obstacle o = ball(0, 0);
  o.centre.y.raw = 1;
  expect_new(o);
  o.layer_mask = 1;
  expect_new(o);
  o.radius.raw += 1;
  expect_new(o);
  expect_new(box({}, quarters(4, 8)));
  expect_new(box({}, quarters(8, 4)));
  expect_new(box({}, quarters(8, 4), {1, 1}));
  Obstacle polygon;
  polygon.kind = ObstacleKind::polygon;
  polygon.points = {quarters(0, 0), quarters(8, 0), quarters(0, 8)};
  expect_new(polygon);
  polygon.holes = {{quarters(1, 1), quarters(2, 1), quarters(1, 2)}};
  expect_new(polygon);
  done(map.apply(batch({take_away(0)})));
  EXPECT_EQ(std::count(seen.begin(), seen.end(), map.view().content_digest()), 0) << "a number without a shape";
  done(map.apply(batch({shape_of(0, ball(0, 0))})));
  EXPECT_EQ(map.view().content_digest(), seen[1]);
}

TEST(MapObstacle, WithoutMemoryNothingHasChanged) {
  test::CountingAllocator allocator;
  GridMap map = map_of({"...", "..."}, allocator.host());
  ASSERT_TRUE(map.add_obstacle(ball(0, 0)).ok());
  const MapView before = map.view();
  MapEdit edit = batch({move_to(0, quarters(7, 7))});
  edit.cells = {{{0, 0, 0}, CellChange::terrain, kWall}};
  allocator.fail_at(0);
  EXPECT_EQ(map.apply(edit).status().code(), StatusCode::out_of_memory);
  EXPECT_EQ(map.view().content_digest(), before.content_digest());
  EXPECT_EQ(map.view().obstacles().data(), before.obstacles().data());
}

TEST(MapObstacle, BytesKeepShapesNumbersAndFrame) {
  GridMapDef def;
  def.width = def.height = 5;
  def.layers = 2;
  def.origin = {-3, 4, 0};
  def.cell_size = quarters(3);
  def.corner = quarters(-1, 50);
  GridMap map = *GridMap::create(def);
  Obstacle polygon;
  polygon.kind = ObstacleKind::polygon;
  polygon.centre = {{-7}, {INT64_MAX}};
  polygon.points = {quarters(0, 0), quarters(-8, 0), quarters(0, 8)};
  polygon.holes = {{quarters(1, 1), quarters(2, 1), quarters(1, 2)}};
  polygon.layer_mask = 2;
  for (const Obstacle& shape : {ball(1, 1), ball(2, 2), polygon}) ASSERT_TRUE(map.add_obstacle(shape).ok());
  done(map.apply(batch({take_away(1)})));
  const GridMap again = test::through_bytes(map.view());
  EXPECT_EQ(again.view().content_digest(), map.view().content_digest());
  EXPECT_EQ(again.view().frame(), map.view().frame());
  EXPECT_EQ(again.view().overlay_version(), 4u);
  ASSERT_EQ(again.view().obstacles().size(), 3u);
  EXPECT_EQ(*again.view().obstacles()[0], ball(1, 1));
  EXPECT_EQ(again.view().obstacles()[1], nullptr);
  EXPECT_EQ(*again.view().obstacles()[2], polygon);
}

TEST(MapFrame, ByDefaultTheCornerIsTheOriginTimesTheSizeOfACell) {
  GridMapDef def;
  def.width = def.height = 4;
  def.origin = {-3, 5, 0};
  const GridMap plain = *GridMap::create(def);
  EXPECT_EQ(plain.view().frame(), WorldFrame(plain.shape()));
  def.cell_size = quarters(10);
  const GridMap large = *GridMap::create(def);
  EXPECT_EQ(large.view().frame().corner(), quarters(-30, 50));
  EXPECT_EQ(large.view().frame().centre({-3, 5, 0}), quarters(-25, 55));
  def.corner = quarters(1, 2);
  EXPECT_EQ(GridMap::create(def)->view().frame().corner(), quarters(1, 2));
}

TEST(MapFrame, ItCountsInTheDigestWhereItIsNotTheUsualOne) {
  GridMapDef def;
  def.width = def.height = 4;
  def.origin = {2, 1, 0};
  const auto digest = [&] { return GridMap::create(def)->view().content_digest(); };
  const std::uint64_t usual = digest();
  def.corner = quarters(8, 4);
  EXPECT_EQ(digest(), usual) << "the usual one, said";
  def.corner = quarters(8, 5);
  const std::uint64_t moved = digest();
  EXPECT_NE(moved, usual);
  def.corner.reset();
  def.cell_size = quarters(5);
  EXPECT_NE(digest(), usual);
  EXPECT_NE(digest(), moved);
}

TEST(MapFrame, SizesAndPlacesThatCannotBeAreRefused) {
  GridMapDef def;
  def.width = 8;
  def.height = 2;
  const auto code = [&] { return GridMap::create(def).status().code(); };
  def.cell_size = {};
  EXPECT_EQ(code(), StatusCode::value);
  def.cell_size = {-1};
  EXPECT_EQ(code(), StatusCode::value);
  def.cell_size = {1};
  EXPECT_EQ(code(), StatusCode::ok);
  def.cell_size = Fixed::from_int(std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(code(), StatusCode::value) << "eight cells of this size";
  def.cell_size = quarters(8);
  def.origin = {1 << 30, 0, 0};
  EXPECT_EQ(code(), StatusCode::value) << "2^30 x 2";
  def.corner = Position{};
  EXPECT_EQ(code(), StatusCode::ok);
}

TEST(MapFrame, LengthsAreRoundedOnceHalfAwayFromZero) {
  GridMapDef def;
  def.width = def.height = 1;
  def.cell_size = {3};  // of 2^-32
  const WorldFrame tiny = GridMap::create(def)->view().frame();
  EXPECT_EQ(tiny.length(Fixed::ratio(1, 2)).raw, 2) << "1.5";
  EXPECT_EQ(tiny.length(Fixed::ratio(1, 4)).raw, 1) << "0.75";
  EXPECT_EQ(tiny.length(Fixed::ratio(1, 8)).raw, 0) << "0.375";
  def.cell_size = Fixed::from_int(1 << 30);
  EXPECT_EQ(GridMap::create(def)->view().frame().length(Fixed::from_int(4)).raw, INT64_MAX) << "too long for a number";
}

}  // namespace
}  // namespace drover
