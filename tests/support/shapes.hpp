// SPDX-License-Identifier: MIT
// Shapes on and about a map, and edits of those that are on it.
#pragma once
#include <drover/map.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace drover::test {

inline Fixed quarters(std::int32_t n) { return Fixed::ratio(n, 4); }
inline Position quarters(std::int32_t x, std::int32_t y) { return {quarters(x), quarters(y)}; }

inline Obstacle circle(Position centre, Fixed radius) {
  Obstacle o;
  o.centre = centre;
  o.radius = radius;
  return o;
}
inline Obstacle box(Position centre, Position half, Axis axis = {}) {
  Obstacle o;
  o.kind = ObstacleKind::box;
  o.centre = centre;
  o.half = half;
  o.axis = axis;
  return o;
}
inline ObstacleEdit move_to(std::uint32_t obstacle, Position centre) {
  return {obstacle, ObstacleChange::move, centre};
}
inline ObstacleEdit shape_of(std::uint32_t obstacle, const Obstacle& shape) {
  return {obstacle, ObstacleChange::shape, {}, std::make_shared<const Obstacle>(shape)};
}
inline ObstacleEdit take_away(std::uint32_t obstacle) { return {obstacle, ObstacleChange::remove}; }

/// Draws multiples of a quarter, so that distances are often equal to a radius. Works with every class that has
/// below(bound).
template <class Draw>
class ShapeDraws {
 public:
  ShapeDraws(Draw& draw, const GridShape& shape, const WorldFrame& frame) : draw_(draw), shape_(shape), frame_(frame) {}

  std::int32_t between(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(draw_.below(static_cast<std::uint32_t>(high - low + 1)));
  }
  Position offset(std::int32_t most) { return quarters(between(-most, most), between(-most, most)); }
  /// On the map, or up to two units off it.
  Position place() {
    const auto along = [&](Fixed corner, std::int32_t cells) {
      const auto span = static_cast<std::int32_t>(cells * frame_.cell_size().raw >> 30);  // in quarters
      return corner + quarters(between(-8, span + 8));
    };
    return {along(frame_.corner().x, shape_.width()), along(frame_.corner().y, shape_.height())};
  }
  Obstacle shape() {
    Obstacle o;
    o.kind = static_cast<ObstacleKind>(draw_.below(4));
    o.centre = place();
    if (shape_.layers() > 1 && draw_.below(2) == 0) o.layer_mask = 1u << draw_.below(2);
    const auto ring = [&](std::int32_t most) {
      std::vector<Position> points(static_cast<std::size_t>(between(3, 7)));
      for (Position& p : points) p = offset(most);
      return points;
    };
    switch (o.kind) {
      case ObstacleKind::circle:
        o.radius = quarters(between(1, 10));
        break;
      case ObstacleKind::capsule:
        o.radius = quarters(between(0, 6));
        o.points = {offset(12), offset(12)};
        break;
      case ObstacleKind::box: {
        constexpr Axis kAxes[] = {{1, 0}, {3, 4}, {-4, 3}, {0, -5}, {1, 1}, {7, 2}};
        o.half = quarters(between(1, 12), between(1, 6));
        o.axis = kAxes[draw_.below(6)];
        break;
      }
      case ObstacleKind::polygon:
        o.points = ring(12);
        if (draw_.below(3) == 0) o.holes.push_back(ring(6));
        break;
    }
    return o;
  }
  /// Mostly moves, a little or far.
  ObstacleEdit edit(const MapView& map) {
    const std::uint32_t i = draw_.below(static_cast<std::uint32_t>(map.obstacles().size()));
    const std::uint32_t what = draw_.below(10);
    if (what == 0) return take_away(i);
    if (what == 1) return shape_of(i, shape());
    const Obstacle* const held = map.obstacles()[i].get();
    if (what < 4 || held == nullptr) return move_to(i, place());
    const Position by = offset(6);
    return move_to(i, {held->centre.x + by.x, held->centre.y + by.y});
  }

 private:
  Draw& draw_;
  GridShape shape_;
  WorldFrame frame_;
};

}  // namespace drover::test
