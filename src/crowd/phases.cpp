// SPDX-License-Identifier: MIT
// The way of one body as seen from another, line by line.
#include "crowd/phases.hpp"

#include "base/wide.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace drover::crowd {
namespace {

using base::multiply;
using base::UInt128;

struct Vec {
  std::int64_t x = 0, y = 0;
};

Vec step_of(const Phase& phase) noexcept {
  return phase.moves() ? Vec{2 * kDx[phase.move], 2 * kDy[phase.move]} : Vec{};
}

std::uint32_t left_of(const Phase& phase) noexcept { return phase.moves() ? phase.ticks - phase.elapsed : 0; }

// Everything in half cells times the product of both durations, which is below 2^34: places are below 2^40, the way of
// a tick below 2^20.
struct Scene {
  Vec offset, way_a, way_b;  // offset of the middles where both steps began; the ways of whole steps
  Phase a, b;
  std::int64_t scale = 1;

  Vec at(std::uint32_t tick) const noexcept {
    const std::int64_t done_a = std::min(a.elapsed + tick, a.ticks), done_b = std::min(b.elapsed + tick, b.ticks);
    const std::int64_t part_a = done_a * b.ticks, part_b = done_b * a.ticks;
    return {scale * offset.x + way_b.x * part_b - way_a.x * part_a,
            scale * offset.y + way_b.y * part_b - way_a.y * part_a};
  }
};

std::int64_t dot(Vec a, Vec b) noexcept { return a.x * b.x + a.y * b.y; }
std::int64_t cross(Vec a, Vec b) noexcept { return a.x * b.y - a.y * b.x; }

// radii: r1 + r2 in half cells times the scale, with 31 fraction bits.
bool clear_of(Vec point, UInt128 radii) noexcept {
  const base::Int128 x = point.x, y = point.y;
  return multiply(static_cast<UInt128>(x * x + y * y), UInt128{1} << 62) >= multiply(radii, radii);
}

// From `from` by `way` a tick, for so many ticks.
bool clear_along(Vec from, Vec way, std::int64_t ticks, UInt128 radii) noexcept {
  const std::int64_t along = -dot(from, way), speed2 = dot(way, way);
  if (along <= 0) return clear_of(from, radii);
  if (along >= ticks * speed2) return clear_of({from.x + ticks * way.x, from.y + ticks * way.y}, radii);
  const UInt128 across = UInt128{static_cast<std::uint64_t>(std::abs(cross(from, way)))} << 31;
  return multiply(across, across) >= multiply(radii, radii * static_cast<std::uint64_t>(speed2));
}

// Most neighbours stay a body's width apart along an axis.
bool clear_by_an_axis(const std::array<Vec, 3>& corners, UInt128 radii) noexcept {
  const auto far = [radii](std::int64_t a, std::int64_t b, std::int64_t c) {
    const std::int64_t least = std::min({a, b, c}), most = std::max({a, b, c});
    if (least <= 0 && most >= 0) return false;
    return UInt128{static_cast<std::uint64_t>(least > 0 ? least : -most)} << 31 >= radii;
  };
  return far(corners[0].x, corners[1].x, corners[2].x) || far(corners[0].y, corners[1].y, corners[2].y);
}

bool discs_apart(const Scene& s, Fixed sum_of_radii) noexcept {
  const std::uint32_t left_a = left_of(s.a), left_b = left_of(s.b);
  const std::uint32_t first = std::min(left_a, left_b), last = std::max(left_a, left_b);
  const std::array<Vec, 3> corners{s.at(0), s.at(first), s.at(last)};
  const UInt128 radii = UInt128{static_cast<std::uint64_t>(sum_of_radii.raw)} * static_cast<std::uint64_t>(s.scale);
  if (clear_by_an_axis(corners, radii)) return true;
  const auto way = [&](bool a, bool b) -> Vec {
    const std::int64_t of_a = a ? s.b.ticks : 0, of_b = b ? s.a.ticks : 0;
    return {s.way_b.x * of_b - s.way_a.x * of_a, s.way_b.y * of_b - s.way_a.y * of_a};
  };
  return clear_along(corners[0], way(true, true), first, radii) &&
         clear_along(corners[1], way(left_a == last, left_b == last), last - first, radii);
}

bool share_cells(const Body& a, const Body& b, std::int64_t dx, std::int64_t dy) noexcept {
  return dx < a.footprint && dx > -b.footprint && dy < a.footprint && dy > -b.footprint;
}

}  // namespace

bool stay_apart(BodyRule rule, const Body& a, Phase phase_a, const Body& b, Phase phase_b, int dx, int dy) noexcept {
  if (!phase_a.moves()) phase_a = {};
  if (!phase_b.moves()) phase_b = {};
  Scene s;
  s.offset = {2 * dx + b.footprint - a.footprint, 2 * dy + b.footprint - a.footprint};
  s.way_a = step_of(phase_a);
  s.way_b = step_of(phase_b);
  s.a = phase_a;
  s.b = phase_b;
  s.scale = std::int64_t{phase_a.ticks} * phase_b.ticks;
  if (rule == BodyRule::discs) return discs_apart(s, a.radius + b.radius);
  if (!phase_a.moves() || !phase_b.moves()) return true;
  const bool exchange = share_cells(a, b, dx - s.way_a.x / 2, dy - s.way_a.y / 2) &&
                        share_cells(a, b, dx + s.way_b.x / 2, dy + s.way_b.y / 2);
  const bool crossing = 2 * s.offset.x + s.way_b.x - s.way_a.x == 0 && 2 * s.offset.y + s.way_b.y - s.way_a.y == 0;
  return !exchange && !crossing;
}

}  // namespace drover::crowd
