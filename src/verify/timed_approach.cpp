// SPDX-License-Identifier: MIT
// The least value of a quadratic over one tick whose coefficients are fractions of two durations.
#include "verify/timed_approach.hpp"

#include "base/wide.hpp"

namespace drover::verify {

namespace {

using base::Int128;
using base::magnitude;
using base::multiply;
using base::UInt128;

}  // namespace

// Half cells in parts of 1 / (t1 t2): |p| <= 2^42, |v| <= 2^20. The bottom of |p + s v|^2, 0 <= s <= 1, lies at an end
// or at (p x v)^2 / |v|^2. Compared with (2 r)^2, r having 32 fraction bits.
bool too_near(int x, int y, const Course& first, const Course& second, Fixed sum_of_radii) noexcept {
  const std::int64_t t1 = first.ticks, t2 = second.ticks;
  const Int128 px = Int128{x} * t1 * t2 + Int128{2} * (second.dx * t1 * second.done - first.dx * t2 * first.done);
  const Int128 py = Int128{y} * t1 * t2 + Int128{2} * (second.dy * t1 * second.done - first.dy * t2 * first.done);
  const Int128 vx = 2 * (second.dx * t1 - first.dx * t2), vy = 2 * (second.dy * t1 - first.dy * t2);
  const UInt128 limit = static_cast<UInt128>(Int128{sum_of_radii.raw} * t1 * t2);  // of 2^31 |p|
  const auto nearer = [limit](Int128 qx, Int128 qy) {
    return multiply(magnitude(qx * qx + qy * qy), UInt128{1} << 62) < multiply(limit, limit);
  };
  const Int128 along = px * vx + py * vy, speed = vx * vx + vy * vy;
  if (along >= 0) return nearer(px, py);
  if (-along >= speed) return nearer(px + vx, py + vy);
  const UInt128 across = magnitude(px * vy - py * vx) << 31;
  return multiply(across, across) < multiply(limit, limit * static_cast<UInt128>(speed));
}

}  // namespace drover::verify
