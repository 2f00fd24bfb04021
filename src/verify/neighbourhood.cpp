// SPDX-License-Identifier: MIT
// Collisions between whole ticks.
#include "verify/neighbourhood.hpp"

#include <algorithm>

#include "verify/closest_approach.hpp"

namespace drover::verify {

namespace {

bool footprints_apart(int first, int second, int x, int y) noexcept {
  return x >= first || x <= -second || y >= first || y <= -second;
}

}  // namespace

Motion motion_of(Displacement way) noexcept {
  for (Motion m = 1; m < kJumps; ++m) {
    if (way.same_layer && way.dx == dx_of(m) && way.dy == dy_of(m)) return m;
  }
  return kJumps;
}

bool collide(const Encounter& e, BodyRule rule, Fixed sum_of_radii) noexcept {
  const int dx = dx_of(e.second) - dx_of(e.first);
  const int dy = dy_of(e.second) - dy_of(e.first);
  if (!footprints_apart(e.first_footprint, e.second_footprint, e.x, e.y) ||
      !footprints_apart(e.first_footprint, e.second_footprint, e.x + dx, e.y + dy)) {
    return false;
  }
  // Each enters cells that the other leaves: an exchange, whatever the sizes.
  const auto meet = [&e](int x, int y) { return !footprints_apart(e.first_footprint, e.second_footprint, x, y); };
  const bool exchange =
      meet(e.x - dx_of(e.first), e.y - dy_of(e.first)) && meet(e.x + dx_of(e.second), e.y + dy_of(e.second));
  if (rule == BodyRule::cells && exchange) return true;
  const int centre = e.second_footprint - e.first_footprint;
  const SquaredDistance least = closest_approach({2 * e.x + centre, 2 * e.y + centre, 2 * dx, 2 * dy});
  return rule == BodyRule::cells ? least.numerator == 0 : !apart(least, sum_of_radii);
}

Neighbourhood::Neighbourhood(std::span<const Body> bodies, BodyRule rule, std::uint32_t stride) {
  std::array<Fixed, kMaxFootprint + 1> largest{};  // 0: no body of this size
  for (const Body& b : bodies) {
    if (!b.sound()) continue;
    Fixed& radius = largest[static_cast<std::size_t>(b.footprint())];
    radius = std::max(radius, b.radius());
    reach_ = std::max(reach_, b.footprint() + 1);
  }
  const auto colliding = [&](int size, Motion motion, int x, int y) {
    std::uint16_t motions = 0;
    for (int other = 1; other <= kMaxFootprint; ++other) {
      const Fixed radius = largest[static_cast<std::size_t>(other)];
      if (radius == Fixed{}) continue;
      for (Motion m = kStays; m < kJumps; ++m) {
        const bool hit =
            collide({size, other, x, y, motion, m}, rule, largest[static_cast<std::size_t>(size)] + radius);
        motions = static_cast<std::uint16_t>(motions | (hit ? 1u << m : 0u));
      }
    }
    return motions;
  };
  for (int size = 1; size <= kMaxFootprint; ++size) {
    if (largest[static_cast<std::size_t>(size)] == Fixed{}) continue;
    for (Motion motion = 1; motion < kJumps; ++motion) {
      std::vector<Place>& places = places_[static_cast<std::size_t>(size)][motion];
      for (int y = -reach_; y <= reach_; ++y) {
        for (int x = -reach_; x <= reach_; ++x) {
          const std::uint16_t motions = colliding(size, motion, x, y);
          if (motions != 0) places.push_back({static_cast<std::ptrdiff_t>(stride) * y + x, motions});
        }
      }
    }
  }
}

}  // namespace drover::verify
