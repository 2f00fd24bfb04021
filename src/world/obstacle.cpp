// SPDX-License-Identifier: MIT
// What makes a shape valid, and whether a circle overlaps it.
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "world/shape_test.hpp"

#include <algorithm>

namespace drover {

namespace {

constexpr Fixed kLargest = Fixed::from_int(kMaxObstacleExtent);

Status refused(std::string_view what) { return {StatusCode::obstacle, std::string(what)}; }

Status too_large(std::string_view what) {
  return {StatusCode::obstacle, base::concat(what, "; expected at most ", kMaxObstacleExtent, " world units")};
}

bool too_far(Position p) {
  const Fixed least{-kLargest.raw};
  return p.x > kLargest || p.y > kLargest || p.x < least || p.y < least;
}

Status check_ring(const std::vector<Position>& ring, std::string_view what) {
  if (ring.size() < 3) {
    return {StatusCode::obstacle, base::concat(what, " of ", ring.size(), " points; expected at least 3")};
  }
  if (std::any_of(ring.begin(), ring.end(), too_far)) return too_large("a point of a polygon");
  return {};
}

// A key of another kind is a mistake of the writer, and would make equal shapes differ.
Status check_strangers(const Obstacle& o) {
  const bool box = o.kind == ObstacleKind::box, polygon = o.kind == ObstacleKind::polygon;
  if (o.radius.raw != 0 && (box || polygon)) return refused("a radius; only circles and capsules have one");
  if (!(o.half == Position{}) && !box) return refused("half; only boxes have it");
  if (!(o.axis == Axis{}) && !box) return refused("an axis; only boxes have one");
  if (!o.points.empty() && (box || o.kind == ObstacleKind::circle)) {
    return refused("points; only capsules and polygons have them");
  }
  if (!o.holes.empty() && !polygon) return refused("holes; only polygons have them");
  return {};
}

Status check_circle(const Obstacle& o) {
  if (o.radius.raw <= 0) return refused("radius of a circle; expected above 0");
  return o.radius > kLargest ? too_large("radius") : Status();
}

Status check_capsule(const Obstacle& o) {
  if (o.points.size() != 2) {
    return {StatusCode::obstacle, base::concat("a capsule of ", o.points.size(), " points; expected its two ends")};
  }
  if (o.radius.raw < 0) return refused("radius of a capsule; expected 0 or more");
  if (o.radius > kLargest) return too_large("radius");
  return too_far(o.points[0]) || too_far(o.points[1]) ? too_large("an end of a capsule") : Status();
}

Status check_box(const Obstacle& o) {
  if (o.half.x.raw <= 0 || o.half.y.raw <= 0) return refused("half of a box; expected both above 0");
  if (o.half.x > kLargest || o.half.y > kLargest) return too_large("half of a box");
  if (o.axis.x == 0 && o.axis.y == 0) return refused("axis 0,0; expected a direction");
  const auto too_long = [](std::int32_t part) { return part > kMaxObstacleExtent || part < -kMaxObstacleExtent; };
  if (!too_long(o.axis.x) && !too_long(o.axis.y)) return {};
  return {StatusCode::obstacle,
          base::concat("axis ", o.axis.x, ",", o.axis.y, "; expected parts within +-", kMaxObstacleExtent)};
}

Status check_polygon(const Obstacle& o) {
  std::size_t points = o.points.size();
  for (const std::vector<Position>& hole : o.holes) points += hole.size();
  if (points > kMaxObstaclePoints) {
    return {StatusCode::limit_obstacles,
            base::concat("a polygon of ", points, " points, holes included; at most ", kMaxObstaclePoints)};
  }
  if (Status status = check_ring(o.points, "a polygon"); !status.ok()) return status;
  for (const std::vector<Position>& hole : o.holes) {
    if (Status status = check_ring(hole, "a hole"); !status.ok()) return status;
  }
  return {};
}

}  // namespace

Status Obstacle::validate() const {
  return base::no_throw([&]() -> Status {
    if (Status status = check_strangers(*this); !status.ok()) return status;
    switch (kind) {
      case ObstacleKind::circle:
        return check_circle(*this);
      case ObstacleKind::capsule:
        return check_capsule(*this);
      case ObstacleKind::box:
        return check_box(*this);
      case ObstacleKind::polygon:
        return check_polygon(*this);
    }
    return refused("a kind that does not exist");
  });
}

bool overlaps_circle(const Obstacle& obstacle, Position p, Fixed radius) noexcept {
  if (radius.raw <= 0) return false;
  const world::Bounds bounds = world::bounds_of(obstacle, world::halves(radius));
  const base::Int128 x = (base::Int128{p.x.raw} - obstacle.centre.x.raw) * 2,
                     y = (base::Int128{p.y.raw} - obstacle.centre.y.raw) * 2;
  if (x < bounds.low.x || x > bounds.high.x || y < bounds.low.y || y > bounds.high.y) return false;
  return world::overlaps(obstacle, {static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)}, world::halves(radius));
}

}  // namespace drover
