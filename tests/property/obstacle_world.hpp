// SPDX-License-Identifier: MIT
// Random maps with frames, and random shapes on and off them.
#pragma once
#include <gtest/gtest.h>
#include <drover/obstacle.hpp>

#include "property/field_world.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace drover::test {

/// A map, its frame and a body. Coordinates are multiples of 1/4 unless `odd`.
struct BakeWorld {
  GridShape shape;
  Position corner;
  Fixed cell_size, radius;
  int footprint = 1;
  bool odd = false;

  static BakeWorld draw(Draw& draw, int most_cells) {
    BakeWorld w;
    const int layers = draw.percent(30) ? 1 + draw.below(3) : 1;
    w.shape = *GridShape::create(1 + draw.below(most_cells), 1 + draw.below(most_cells), layers,
                                 {draw.below(9) - 4, draw.below(9) - 4, 0});
    w.odd = draw.percent(30);
    w.corner = {quarters(draw.below(81) - 40), quarters(draw.below(81) - 40)};
    constexpr std::int64_t kOne = std::int64_t{1} << 32;
    const std::int64_t sizes[] = {kOne, kOne / 2, kOne / 3, kOne * 3 / 4, kOne * 2, kOne / 7 + 1};
    w.cell_size = {w.odd ? sizes[draw.below(6)] : sizes[draw.below(2)]};
    w.radius = quarters(1 + draw.below(8));
    if (w.odd) w.radius.raw = 1 + static_cast<std::int64_t>(draw.next() % static_cast<std::uint64_t>(2 * kOne));
    w.footprint = 1 + draw.below(4);
    return w;
  }
  static Fixed quarters(int n) { return Fixed::ratio(n, 4); }

  ObstacleBake bake() const {
    return std::move(ObstacleBake::create(shape, *WorldFrame::create(shape, corner, cell_size), radius, footprint))
        .value();
  }

  Fixed length(Draw& draw, int least, int most) const {
    Fixed out = quarters(least + draw.below(most - least + 1));
    if (odd) out.raw += draw.below(7) - 3;
    return out;
  }
  Position offset(Draw& draw, int most) const { return {length(draw, -most, most), length(draw, -most, most)}; }
  std::vector<Position> ring(Draw& draw, int most) const {
    std::vector<Position> points(static_cast<std::size_t>(3 + draw.below(6)));
    for (Position& p : points) p = offset(draw, most);
    return points;
  }
  Position place(Draw& draw) const {
    if (draw.percent(2)) return {{INT64_MAX - draw.below(5)}, {INT64_MIN + draw.below(5)}};
    const auto along = [&](Fixed start, std::int32_t cells) {
      const std::int64_t quarter = std::int64_t{1} << 30, span = cells * cell_size.raw / quarter + 16;
      return Fixed{start.raw +
                   (static_cast<std::int64_t>(draw.next() % static_cast<std::uint64_t>(span)) - 8) * quarter};
    };
    return {along(corner.x, shape.width()), along(corner.y, shape.height())};
  }

  Obstacle obstacle(Draw& draw) const {
    Obstacle o;
    o.kind = static_cast<ObstacleKind>(draw.below(4));
    o.centre = place(draw);
    if (draw.percent(40)) o.layer_mask = draw.next();
    switch (o.kind) {
      case ObstacleKind::circle:
        o.radius = length(draw, 1, 20);
        break;
      case ObstacleKind::capsule:
        o.radius = draw.percent(20) ? Fixed{} : length(draw, 1, 8);
        o.points = {offset(draw, 24), offset(draw, 24)};
        if (draw.percent(10)) o.points[1] = o.points[0];
        if (draw.percent(20)) o.points[1].y = o.points[0].y;
        break;
      case ObstacleKind::box: {
        o.half = {length(draw, 1, 16), length(draw, 1, 16)};
        // Whole lengths among them, so that corners fall on quarters too.
        constexpr Axis kAxes[] = {{1, 0}, {3, 4}, {-4, 3}, {0, -5}, {5, 12}, {1, 1}, {-16384, 1}};
        o.axis = draw.percent(70) ? kAxes[draw.below(7)] : Axis{1 + draw.below(50), draw.below(99) - 49};
        break;
      }
      case ObstacleKind::polygon:
        o.points = ring(draw, 20);
        while (draw.percent(30)) o.holes.push_back(ring(draw, 10));
        break;
    }
    return o;
  }
};

}  // namespace drover::test
