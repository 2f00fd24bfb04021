// SPDX-License-Identifier: MIT
// How near two centres come while both move linearly for one tick; exact.
#pragma once
#include <drover/geometry.hpp>

#include <cstdint>

namespace drover::verify {

/// The second centre seen from the first, in half cells: where it is when the tick begins, and how far it goes until
/// the end. |x|, |y| <= 100 and |dx|, |dy| <= 4 keep every product within its type.
struct RelativeMotion {
  int x = 0, y = 0;
  int dx = 0, dy = 0;
};

/// numerator / denominator square half cells; denominator 1 .. 32.
struct SquaredDistance {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

/// Least squared distance over the whole tick, both ends included.
SquaredDistance closest_approach(RelativeMotion m) noexcept;

/// True if it is not below the square of `sum_of_radii` cells (0 .. kMaxFootprint): touching is apart.
bool apart(SquaredDistance least, Fixed sum_of_radii) noexcept;

}  // namespace drover::verify
