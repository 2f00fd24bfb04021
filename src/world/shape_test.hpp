// SPDX-License-Identifier: MIT
// Exact distances from points to shapes.
#pragma once
#include "base/int128.hpp"

#include <drover/obstacle.hpp>

#include <cstdint>
#include <vector>

namespace drover::world {

/// Relative to the centre of a shape, in halves of a Fixed, so that the middle of a cell is one. A shape and the bodies
/// that touch it lie within 3 x 2^14 world units, which is below 2^49 here.
struct Offset {
  std::int64_t x = 0, y = 0;
  friend constexpr Offset operator+(Offset a, Offset b) noexcept { return {a.x + b.x, a.y + b.y}; }
  friend constexpr Offset operator-(Offset a, Offset b) noexcept { return {a.x - b.x, a.y - b.y}; }
};
constexpr std::int64_t halves(Fixed f) noexcept { return f.raw * 2; }
constexpr Offset halves(Position p) noexcept { return {p.x.raw * 2, p.y.raw * 2}; }

constexpr base::Int128 square(std::int64_t n) noexcept { return base::Int128{n} * n; }
constexpr base::Int128 dot(Offset a, Offset b) noexcept { return base::Int128{a.x} * b.x + base::Int128{a.y} * b.y; }
constexpr base::Int128 cross(Offset a, Offset b) noexcept { return base::Int128{a.x} * b.y - base::Int128{a.y} * b.x; }

/// Calls visit(from, to) for every edge of a ring, and of all rings of a polygon.
template <class Visit>
void each_edge(const std::vector<Position>& ring, Visit visit) {
  Offset from = halves(ring.back());
  for (const Position& point : ring) {
    const Offset to = halves(point);
    visit(from, to);
    from = to;
  }
}

template <class Visit>
void each_edge(const Obstacle& polygon, Visit visit) {
  each_edge(polygon.points, visit);
  for (const std::vector<Position>& hole : polygon.holes) each_edge(hole, visit);
}

/// Distance from `p` to the segment is below `radius`, which is at most 2^48.
bool near_segment(Offset p, Offset from, Offset to, std::int64_t radius) noexcept;
/// Distance from `p` to the box about 0,0 is below `radius`, at most 2^47.
bool near_box(Offset p, Offset half, Axis axis, std::int64_t radius) noexcept;
/// An odd number of rings surrounds `p`; on a ring either answer is given.
bool inside_rings(Offset p, const Obstacle& polygon) noexcept;

/// Holds the shape and all bodies of this radius that overlap it; sides included.
struct Bounds {
  Offset low, high;
};
Bounds bounds_of(const Obstacle& obstacle, std::int64_t radius) noexcept;

/// overlaps_circle of a point within the bounds. Precondition: the shape is valid, 0 < radius <= 2^47.
bool overlaps(const Obstacle& obstacle, Offset p, std::int64_t radius) noexcept;

}  // namespace drover::world
