// SPDX-License-Identifier: MIT
// Nearest points as fractions; for rotated boxes numbers x + y sqrt(n), whose signs are decided by school algebra.
#include "oracle/obstacle_distance.hpp"

#include <algorithm>
#include <vector>

namespace drover::oracle {
namespace {

struct Vector {
  Big x, y;
};
Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y}; }
Big dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y; }
Vector twice(Position p) { return {Big(p.x.raw) * 2, Big(p.y.raw) * 2}; }
int sign_of_difference(const Big& a, const Big& b) { return (a - b).sign(); }

int compare_segment(const Vector& p, const Vector& a, const Vector& b, const Big& radius) {
  const Vector along = b - a;
  const Big length2 = dot(along, along);
  if (length2.sign() == 0) return sign_of_difference(dot(p - a, p - a), radius * radius);
  // The nearest point is a + along x t / length2.
  Big t = dot(p - a, along);
  if (t.sign() < 0) t = 0;
  if (length2 < t) t = length2;
  const Vector way{(p.x - a.x) * length2 - along.x * t, (p.y - a.y) * length2 - along.y * t};
  return sign_of_difference(dot(way, way), radius * radius * length2 * length2);
}

// x + y sqrt(n)
struct Surd {
  Big x, y, n;
  int sign() const {
    const int of_x = x.sign(), of_y = y.sign();
    if (of_x == of_y || of_y == 0) return of_x;
    if (of_x == 0) return of_y;
    // Opposite signs: the larger square wins.
    return of_x * sign_of_difference(x * x, y * y * n);
  }
};
Surd squared(const Surd& s) { return {s.x * s.x + s.y * s.y * s.n, Big(2) * s.x * s.y, s.n}; }

int compare_box(const Vector& p, const Obstacle& box, const Big& radius) {
  const Big ax = box.axis.x, ay = box.axis.y, n = ax * ax + ay * ay;
  const auto beyond = [&](Big part, const Big& half) {
    if (part.sign() < 0) part = -part;
    const Surd excess{part, -half, n};  // times sqrt(n)
    return excess.sign() > 0 ? squared(excess) : Surd{0, 0, n};
  };
  const Vector half = twice(box.half);
  const Surd u = beyond(p.x * ax + p.y * ay, half.x), v = beyond(p.y * ax - p.x * ay, half.y);
  return Surd{u.x + v.x - radius * radius * n, u.y + v.y, n}.sign();
}

std::vector<std::vector<Position>> rings_of(const Obstacle& polygon) {
  std::vector<std::vector<Position>> rings{polygon.points};
  rings.insert(rings.end(), polygon.holes.begin(), polygon.holes.end());
  return rings;
}

// Edges that a ray down from p crosses; columns are half-open.
bool inside(const Vector& p, const Obstacle& polygon) {
  int crossings = 0;
  for (const std::vector<Position>& ring : rings_of(polygon)) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      Vector left = twice(ring[i]), right = twice(ring[(i + 1) % ring.size()]);
      if (right.x < left.x) std::swap(left, right);
      if (p.x < left.x || !(p.x < right.x)) continue;
      const Big width = right.x - left.x;
      const Big below = left.y * width + (p.x - left.x) * (right.y - left.y) - p.y * width;
      crossings += below.sign() > 0 ? 1 : 0;
    }
  }
  return crossings % 2 != 0;
}

}  // namespace

Place2 body_middle(Position corner, Fixed cell_size, int footprint, long long column, long long row) {
  const Big size = cell_size.raw;
  return {Big(corner.x.raw) * 2 + Big(2 * column + footprint) * size,
          Big(corner.y.raw) * 2 + Big(2 * row + footprint) * size};
}

int compare_distance(const Obstacle& shape, const Place2& at, Fixed radius) {
  const Vector centre = twice(shape.centre), p{at.x - centre.x, at.y - centre.y};
  const Big r = Big(radius.raw) * 2, reach = r + Big(shape.radius.raw) * 2;
  switch (shape.kind) {
    case ObstacleKind::circle:
      return sign_of_difference(dot(p, p), reach * reach);
    case ObstacleKind::capsule:
      return compare_segment(p, twice(shape.points[0]), twice(shape.points[1]), reach);
    case ObstacleKind::box:
      return compare_box(p, shape, r);
    case ObstacleKind::polygon:
      break;
  }
  if (inside(p, shape)) return sign_of_difference(0, r);
  int least = 1;
  for (const std::vector<Position>& ring : rings_of(shape)) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      least = std::min(least, compare_segment(p, twice(ring[i]), twice(ring[(i + 1) % ring.size()]), r));
    }
  }
  return least;
}

}  // namespace drover::oracle
