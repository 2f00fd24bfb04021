// SPDX-License-Identifier: MIT
// Distances compared by their squares: no root is ever taken.
#include "world/shape_test.hpp"

#include "base/wide.hpp"

#include <algorithm>

namespace drover::world {

using base::Int128;
using base::magnitude;
using base::multiply;
using base::UInt128;

bool near_segment(Offset p, Offset from, Offset to, std::int64_t radius) noexcept {
  const Offset along = to - from, off = p - from;  // parts below 2^49 and 2^50
  const Int128 at = dot(off, along), length = dot(along, along);
  const Int128 reach = square(radius);
  if (at <= 0) return dot(off, off) < reach;
  if (at >= length) return dot(p - to, p - to) < reach;
  const UInt128 aside = magnitude(cross(off, along));  // below 2^100: its square takes 200 bits
  return multiply(aside, aside) < multiply(static_cast<UInt128>(reach), static_cast<UInt128>(length));
}

// With s = |axis|, u and v the parts of p along and across it times s: beyond a side the distance is (v - h s) / s,
// beyond a corner its square is ((u - hx s)^2 + (v - hy s)^2) / s^2. Both comparisons are squared until no s is left.
bool near_box(Offset p, Offset half, Axis axis, std::int64_t radius) noexcept {
  const Int128 distance = dot(p, p);
  if (distance >= square(half.x + half.y + radius)) return false;  // so |p| < 3 x 2^47
  const Offset a{axis.x, axis.y};
  const Int128 s2 = dot(a, a);                                 // at most 2^29
  const Int128 u = static_cast<Int128>(magnitude(dot(p, a)));  // below 3 x 2^61.5: its square is below 2^127
  const Int128 v = static_cast<Int128>(magnitude(cross(a, p)));
  const auto within = [&](Int128 part, std::int64_t side) { return part * part < square(side) * s2; };
  const auto at_most = [&](Int128 part, std::int64_t side) { return part * part <= square(side) * s2; };
  if (at_most(u, half.x)) return within(v, half.y + radius);
  if (at_most(v, half.y)) return within(u, half.x + radius);
  // s^2 (p^2 + hx^2 + hy^2 - r^2) < 2 s (hx u + hy v), because u^2 + v^2 = s^2 p^2.
  const Int128 left = distance + square(half.x) + square(half.y) - square(radius);  // below 2^98
  const Int128 right = half.x * u + half.y * v;                                     // below 2^112
  if (left < 0) return true;
  return multiply(static_cast<UInt128>(left * s2), static_cast<UInt128>(left)) <
         multiply(static_cast<UInt128>(2 * right), static_cast<UInt128>(2 * right));
}

bool inside_rings(Offset p, const Obstacle& polygon) noexcept {
  bool inside = false;
  each_edge(polygon, [&](Offset from, Offset to) {
    if ((from.y > p.y) == (to.y > p.y)) return;
    // The crossing with the row of p is right of p.
    inside ^= (cross(to - from, p - from) < 0) == (to.y < from.y);
  });
  return inside;
}

Bounds bounds_of(const Obstacle& obstacle, std::int64_t radius) noexcept {
  Bounds bounds;
  std::int64_t grow = radius;
  if (obstacle.kind == ObstacleKind::box) {
    grow += halves(obstacle.half.x) + halves(obstacle.half.y);
  } else {
    grow += halves(obstacle.radius);
  }
  const auto hold = [&](Offset point) {
    bounds.low = {std::min(bounds.low.x, point.x), std::min(bounds.low.y, point.y)};
    bounds.high = {std::max(bounds.high.x, point.x), std::max(bounds.high.y, point.y)};
  };
  if (!obstacle.points.empty()) bounds.low = bounds.high = halves(obstacle.points.front());
  for (const Position& point : obstacle.points) hold(halves(point));
  for (const std::vector<Position>& hole : obstacle.holes) {
    for (const Position& point : hole) hold(halves(point));
  }
  return {bounds.low - Offset{grow, grow}, bounds.high + Offset{grow, grow}};
}

bool overlaps(const Obstacle& obstacle, Offset p, std::int64_t radius) noexcept {
  switch (obstacle.kind) {
    case ObstacleKind::circle:
      return dot(p, p) < square(halves(obstacle.radius) + radius);
    case ObstacleKind::capsule:
      return near_segment(p, halves(obstacle.points[0]), halves(obstacle.points[1]), halves(obstacle.radius) + radius);
    case ObstacleKind::box:
      return near_box(p, halves(obstacle.half), obstacle.axis, radius);
    case ObstacleKind::polygon:
      break;
  }
  bool near = inside_rings(p, obstacle);
  each_edge(obstacle, [&](Offset from, Offset to) { near = near || near_segment(p, from, to, radius); });
  return near;
}

}  // namespace drover::world
