// SPDX-License-Identifier: MIT
// Bakes against distances in numbers that never overflow, and edits against baking from nothing.
#include "property/obstacle_world.hpp"

#include "oracle/obstacle_distance.hpp"
#include "support/data.hpp"

#include <array>
#include <bit>
#include <string>

namespace drover::test {
namespace {

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

const char* name_of(ObstacleKind kind) {
  constexpr const char* kNames[] = {"circle", "capsule", "box", "polygon"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string describe(const Obstacle& o) {
  std::string out = name_of(o.kind);
  const auto add = [&](const char* name, Position p) {
    out += std::string(" ") + name + " " + std::to_string(p.x.raw) + "," + std::to_string(p.y.raw);
  };
  add("centre", o.centre);
  add("half", o.half);
  out +=
      " axis " + std::to_string(o.axis.x) + "," + std::to_string(o.axis.y) + " radius " + std::to_string(o.radius.raw);
  for (const Position& p : o.points) add("point", p);
  for (const auto& hole : o.holes) {
    out += " hole";
    for (const Position& p : hole) add("", p);
  }
  return out;
}

int compare(const BakeWorld& world, const Obstacle& obstacle, int column, int row) {
  return oracle::compare_distance(
      obstacle, oracle::body_middle(world.corner, world.cell_size, world.footprint, column, row), world.radius);
}

Cell cell_at(const BakeWorld& world, int column, int row, int layer) {
  return {world.shape.origin().x + column, world.shape.origin().y + row, layer};
}

TEST(ObstacleProperty, EveryAnchorIsJudgedAsByExactDistances) {
  std::array<std::uint64_t, 4> equal{}, near{}, far{};
  for (int i = 0; i < rounds(4000); ++i) {
    Draw draw(static_cast<std::uint64_t>(i) + 5);
    const BakeWorld world = BakeWorld::draw(draw, 24);
    const Obstacle obstacle = world.obstacle(draw);
    ObstacleBake bake = world.bake();
    std::vector<CellIndex> changed;
    ASSERT_TRUE(bake.add(obstacle, changed).ok());
    const auto kind = static_cast<std::size_t>(obstacle.kind);
    for (int y = 0; y < world.shape.height(); ++y) {
      for (int x = 0; x < world.shape.width(); ++x) {
        const int side = compare(world, obstacle, x, y);
        ++(side < 0 ? near : side == 0 ? equal : far)[kind];
        for (int layer = 0; layer < world.shape.layers(); ++layer) {
          const bool expected = side < 0 && obstacle.on_layer(layer);
          ASSERT_EQ(bake.blocked(world.shape.index(cell_at(world, x, y, layer))), expected)
              << "round " << i << ", column " << x << ", row " << y << ": " << describe(obstacle);
        }
      }
    }
  }
  for (std::size_t kind = 0; kind < 4; ++kind) {
    const char* name = name_of(static_cast<ObstacleKind>(kind));
    EXPECT_GT(equal[kind], 100u) << name;
    EXPECT_GT(near[kind], 1000u) << name;
    EXPECT_GT(far[kind], 1000u) << name;
  }
}

TEST(ObstacleProperty, APointIsJudgedAsByExactDistances) {
  std::array<std::uint64_t, 4> equal{};
  for (int i = 0; i < rounds(40000); ++i) {
    Draw draw(static_cast<std::uint64_t>(i) + 1000003);
    const BakeWorld world = BakeWorld::draw(draw, 24);
    const Obstacle obstacle = world.obstacle(draw);
    const Position p = world.place(draw);
    const int side =
        oracle::compare_distance(obstacle, {oracle::Big(p.x.raw) * 2, oracle::Big(p.y.raw) * 2}, world.radius);
    equal[static_cast<std::size_t>(obstacle.kind)] += side == 0 ? 1 : 0;
    ASSERT_EQ(overlaps_circle(obstacle, p, world.radius), side < 0) << "round " << i << ": " << describe(obstacle);
  }
  for (std::size_t kind = 0; kind < 4; ++kind) {
    EXPECT_GT(equal[kind], 10u) << name_of(static_cast<ObstacleKind>(kind));
  }
}

Fixed raw_within(Draw& draw, int bits) {
  return {static_cast<std::int64_t>(draw.next() % (std::uint64_t{2} << bits)) - (std::int64_t{1} << bits)};
}
Position raw_place(Draw& draw, int bits) { return {raw_within(draw, bits), raw_within(draw, bits)}; }

// Of up to 2^46 units of Fixed: the largest there may be.
Obstacle large_obstacle(Draw& draw) {
  Obstacle o;
  o.kind = static_cast<ObstacleKind>(draw.below(4));
  const int bits = 20 + draw.below(27);
  const auto length = [&](int b) {
    return Fixed{1 + static_cast<std::int64_t>(draw.next() % (std::uint64_t{1} << b))};
  };
  switch (o.kind) {
    case ObstacleKind::circle:
      o.radius = length(bits);
      break;
    case ObstacleKind::capsule:
      o.points = {raw_place(draw, bits), raw_place(draw, bits)};
      if (draw.percent(50)) o.points[1].y.raw = o.points[0].y.raw + draw.below(3) - 1;
      if (draw.percent(50)) o.radius = length(bits);
      break;
    case ObstacleKind::box:
      o.half = {length(bits), length(draw.percent(50) ? bits : 3)};
      o.axis = {draw.below(32769) - 16384, 1 + draw.below(draw.percent(50) ? 3 : 16384)};
      break;
    case ObstacleKind::polygon:
      for (int i = 0; i < 5; ++i) o.points.push_back(raw_place(draw, bits));
      if (draw.percent(50)) o.points[3].y.raw = o.points[2].y.raw + draw.below(3) - 1;
      break;
  }
  return o;
}

// Two neighbours on the grid of Fixed, the first in the shape or near it, the second not.
std::array<Position, 2> rim_of(const Obstacle& o, Fixed radius, Draw& draw) {
  Position in = o.points.empty() ? Position{} : o.points[0], out = raw_place(draw, 48);
  out.x.raw += (std::int64_t{1} << 50);
  const auto apart = [&] { return std::max(std::abs(in.x.raw - out.x.raw), std::abs(in.y.raw - out.y.raw)) > 1; };
  while (apart()) {
    const Position middle{{(in.x.raw + out.x.raw) / 2}, {(in.y.raw + out.y.raw) / 2}};
    const oracle::Place2 at{oracle::Big(middle.x.raw) * 2, oracle::Big(middle.y.raw) * 2};
    (oracle::compare_distance(o, at, radius) < 0 ? in : out) = middle;
  }
  return {in, out};
}

// Where the small numbers of the estimates are coarsest: cells down to one unit of Fixed, bodies too.
TEST(ObstacleProperty, RimsOfTheLargestShapesAreExactToTheLastUnit) {
  std::uint64_t near = 0, far = 0;
  for (int i = 0; i < rounds(4000); ++i) {
    Draw draw(static_cast<std::uint64_t>(i) + 600);
    BakeWorld world;
    world.shape = *GridShape::create(9, 9);
    world.cell_size = {1 + static_cast<std::int64_t>(draw.next() % (std::uint64_t{1} << draw.below(48)))};
    world.radius = {1 + static_cast<std::int64_t>(draw.next() % (std::uint64_t{1} << draw.below(46)))};
    const Obstacle o = large_obstacle(draw);
    ASSERT_TRUE(o.validate().ok()) << o.validate().message();
    const Position rim = rim_of(o, world.radius, draw)[draw.percent(50) ? 0 : 1];
    world.corner = {{rim.x.raw - 4 * world.cell_size.raw}, {rim.y.raw - 4 * world.cell_size.raw}};
    ObstacleBake bake = world.bake();
    std::vector<CellIndex> changed;
    ASSERT_TRUE(bake.add(o, changed).ok());
    for (int y = 0; y < 9; ++y) {
      for (int x = 0; x < 9; ++x) {
        const bool expected = compare(world, o, x, y) < 0;
        ++(expected ? near : far);
        ASSERT_EQ(bake.blocked(world.shape.index({x, y, 0})), expected)
            << "round " << i << ", column " << x << ", row " << y << ": " << describe(o);
      }
    }
  }
  EXPECT_GT(near, 20000u);
  EXPECT_GT(far, 20000u);
}

// Whether the middle of this anchor lies in the shape's box grown by the body: half lengths along both axes of a box
// reach no further than their sum.
bool in_grown_box(const BakeWorld& world, const Obstacle& o, Cell cell) {
  if (o.centre.x.raw > INT64_MAX / 2) return false;  // off every map
  Position low = o.centre, high = o.centre;
  const auto with = [&](Position p) {
    low = {std::min(low.x, o.centre.x + p.x), std::min(low.y, o.centre.y + p.y)};
    high = {std::max(high.x, o.centre.x + p.x), std::max(high.y, o.centre.y + p.y)};
  };
  if (!o.points.empty()) low = high = {o.centre.x + o.points[0].x, o.centre.y + o.points[0].y};
  for (const Position& p : o.points) with(p);
  for (const auto& hole : o.holes) {
    for (const Position& p : hole) with(p);
  }
  const std::int64_t grow = (o.radius + world.radius + o.half.x + o.half.y).raw;
  const std::int64_t x =
      2 * world.corner.x.raw + (2 * (cell.x - world.shape.origin().x) + world.footprint) * world.cell_size.raw;
  const std::int64_t y =
      2 * world.corner.y.raw + (2 * (cell.y - world.shape.origin().y) + world.footprint) * world.cell_size.raw;
  return o.on_layer(cell.layer) && x >= 2 * (low.x.raw - grow) && x <= 2 * (high.x.raw + grow) &&
         y >= 2 * (low.y.raw - grow) && y <= 2 * (high.y.raw + grow);
}

/// A bake that is edited, and the shapes that it should hold.
struct Edited {
  BakeWorld world;
  ObstacleBake bake;
  std::vector<Obstacle> shapes;
  std::uint64_t adds = 0, removes = 0, moves = 0, changes = 0;

  explicit Edited(const BakeWorld& w) : world(w), bake(w.bake()) {}

  void edit(Draw& draw) {
    const std::vector<std::uint64_t> before(bake.words().begin(), bake.words().end());
    std::vector<CellIndex> changed{CellIndex{7}};  // what was there stays
    std::vector<Obstacle> touched;
    const std::size_t which = shapes.empty() ? 0 : draw.next() % shapes.size();
    if (shapes.empty() || (shapes.size() < 12 && draw.percent(40))) {
      touched = {world.obstacle(draw)};
      ASSERT_TRUE(bake.add(touched[0], changed).ok());
      shapes.push_back(touched[0]);
      ++adds;
    } else if (draw.percent(40)) {
      touched = {shapes[which]};
      ASSERT_TRUE(bake.remove(touched[0], changed).ok());
      shapes.erase(shapes.begin() + static_cast<std::ptrdiff_t>(which));
      ++removes;
    } else {
      touched = {shapes[which], draw.percent(30) ? world.obstacle(draw) : moved(draw, shapes[which])};
      ASSERT_TRUE(bake.move(touched[0], touched[1], changed).ok());
      shapes[which] = touched[1];
      ++moves;
    }
    check(before, changed, touched);
  }
  Obstacle moved(Draw& draw, Obstacle shape) const {
    const Position by = world.offset(draw, 6);
    if (shape.centre.x.raw < INT64_MAX / 2) shape.centre = {shape.centre.x + by.x, shape.centre.y + by.y};
    return shape;
  }

  void check(const std::vector<std::uint64_t>& before, const std::vector<CellIndex>& changed,
             const std::vector<Obstacle>& touched) {
    ObstacleBake fresh = world.bake();
    std::vector<CellIndex> ignored;
    for (const Obstacle& shape : shapes) ASSERT_TRUE(fresh.add(shape, ignored).ok());
    ASSERT_TRUE(std::ranges::equal(bake.words(), fresh.words()));
    ASSERT_EQ(bake.blocked_cells(), fresh.blocked_cells());
    std::vector<CellIndex> expected{CellIndex{7}};
    for (std::size_t w = 0; w < before.size(); ++w) {
      for (std::uint64_t rest = before[w] ^ bake.words()[w]; rest != 0; rest &= rest - 1) {
        expected.push_back({static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(rest))});
      }
    }
    ASSERT_EQ(changed, expected);
    for (std::size_t i = 1; i < changed.size(); ++i) {
      const Cell cell = world.shape.cell(changed[i]);
      ASSERT_TRUE(std::ranges::any_of(touched, [&](const Obstacle& o) { return in_grown_box(world, o, cell); }))
          << cell.x << "," << cell.y << "," << cell.layer << " by " << describe(touched[0]);
    }
    changes += changed.size() - 1;
  }

  // The shapes together, cell by cell, from the distances.
  void check_by_oracle() const {
    std::uint64_t blocked = 0;
    for (int y = 0; y < world.shape.height(); ++y) {
      for (int x = 0; x < world.shape.width(); ++x) {
        std::uint64_t layers = 0;
        for (const Obstacle& o : shapes) layers |= compare(world, o, x, y) < 0 ? o.layer_mask : 0;
        for (int layer = 0; layer < world.shape.layers(); ++layer) {
          const bool expected = (layers >> layer & 1) != 0;
          ASSERT_EQ(bake.blocked(world.shape.index(cell_at(world, x, y, layer))), expected);
          blocked += expected ? 1 : 0;
        }
      }
    }
    ASSERT_EQ(bake.blocked_cells(), blocked);
  }
};

TEST(ObstacleProperty, TenThousandEditsEqualBakingFromNothing) {
  std::uint64_t edits = 0, adds = 0, removes = 0, moves = 0, changes = 0;
  for (int i = 0; i < rounds(100); ++i) {
    Draw draw(static_cast<std::uint64_t>(i) + 31);
    Edited edited(BakeWorld::draw(draw, i % 10 == 0 ? 150 : 40));
    for (int k = 0; k < 100; ++k, ++edits) {
      edited.edit(draw);
      if (HasFatalFailure()) FAIL() << "world " << i << ", edit " << k;
    }
    if (i % 10 != 0) edited.check_by_oracle();
    if (HasFatalFailure()) FAIL() << "world " << i;
    adds += edited.adds, removes += edited.removes, moves += edited.moves, changes += edited.changes;
  }
  EXPECT_GE(edits, 10000u);
  EXPECT_GT(adds, 1500u);
  EXPECT_GT(removes, 1500u);
  EXPECT_GT(moves, 1500u);
  EXPECT_GT(changes, 100000u);
}

}  // namespace
}  // namespace drover::test
