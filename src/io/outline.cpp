// SPDX-License-Identifier: MIT
// Rings of circles, capsules, boxes and polygons.
#include "io/outline.hpp"

#include <cmath>
#include <numbers>

namespace drover::io {

namespace {

constexpr int kArc = 24;  // straights of half a circle

double units(Fixed f) { return std::ldexp(static_cast<double>(f.raw), -Fixed::kFractionBits); }
DrawnPoint units(Position p) { return {units(p.x), units(p.y)}; }

// Half a circle around `end`, from `angle` on.
void arc(std::vector<DrawnPoint>& ring, DrawnPoint end, double radius, double angle) {
  for (int i = 0; i <= kArc; ++i) {
    const double at = angle + std::numbers::pi * i / kArc;
    ring.push_back({end.x + radius * std::cos(at), end.y + radius * std::sin(at)});
  }
}

std::vector<DrawnPoint> rounded(DrawnPoint a, DrawnPoint b, double radius) {
  std::vector<DrawnPoint> ring;
  const double across = std::atan2(b.y - a.y, b.x - a.x) - std::numbers::pi / 2;
  arc(ring, b, radius, across);
  arc(ring, a, radius, across + std::numbers::pi);
  return ring;
}

std::vector<DrawnPoint> box(const Obstacle& shape) {
  const DrawnPoint half = units(shape.half);
  const double length = std::hypot(shape.axis.x, shape.axis.y);
  const double x = shape.axis.x / length, y = shape.axis.y / length;
  std::vector<DrawnPoint> ring;
  for (const auto& [along, aside] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
    const double u = along * half.x, v = aside * half.y;
    ring.push_back({u * x - v * y, u * y + v * x});
  }
  return ring;
}

std::vector<DrawnPoint> ring_of(const std::vector<Position>& points) {
  std::vector<DrawnPoint> ring;
  for (const Position p : points) ring.push_back(units(p));
  return ring;
}

DrawnRings about_centre(const Obstacle& shape) {
  switch (shape.kind) {
    case ObstacleKind::circle:
      return {rounded({}, {}, units(shape.radius))};
    case ObstacleKind::capsule:
      return {rounded(units(shape.points[0]), units(shape.points[1]), units(shape.radius))};
    case ObstacleKind::box:
      return {box(shape)};
    case ObstacleKind::polygon:
      break;
  }
  DrawnRings rings{ring_of(shape.points)};
  for (const std::vector<Position>& hole : shape.holes) rings.push_back(ring_of(hole));
  return rings;
}

}  // namespace

DrawnRings outline(const Obstacle& shape, const WorldFrame& frame) {
  DrawnRings rings = about_centre(shape);
  const DrawnPoint centre = units(shape.centre), corner = units(frame.corner());
  const double cell = units(frame.cell_size());
  for (std::vector<DrawnPoint>& ring : rings) {
    for (DrawnPoint& p : ring) p = {(p.x + centre.x - corner.x) / cell, (p.y + centre.y - corner.y) / cell};
  }
  return rings;
}

}  // namespace drover::io
