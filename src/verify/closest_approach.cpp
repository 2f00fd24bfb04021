// SPDX-License-Identifier: MIT
// The least value of a quadratic over one tick, as a fraction of small integers.
#include "verify/closest_approach.hpp"

#include "base/int128.hpp"

namespace drover::verify {

SquaredDistance closest_approach(RelativeMotion m) noexcept {
  const std::int64_t x = m.x, y = m.y, dx = m.dx, dy = m.dy;
  // |p + t v|^2 has its bottom at t = -(p . v) / |v|^2 and there the value (p x v)^2 / |v|^2.
  const std::int64_t along = x * dx + y * dy;
  const std::int64_t speed = dx * dx + dy * dy;
  if (along >= 0) return {x * x + y * y, 1};
  if (-along >= speed) return {(x + dx) * (x + dx) + (y + dy) * (y + dy), 1};
  const std::int64_t across = x * dy - y * dx;
  return {across * across, speed};
}

// A half cell is 2^31 of Fixed's units. numerator <= 800^2 < 2^20 and sum <= 2^35 leave both sides below 2^82.
bool apart(SquaredDistance least, Fixed sum_of_radii) noexcept {
  const base::Int128 sum = sum_of_radii.raw;
  return (static_cast<base::Int128>(least.numerator) << 62) >= sum * sum * least.denominator;
}

}  // namespace drover::verify
