// SPDX-License-Identifier: MIT
// How near two bodies come in one tick of steps that last several; exact.
#pragma once
#include <drover/geometry.hpp>

#include <cstdint>

namespace drover::verify {

/// A straight way of `dx`, `dy` cells in so many ticks (1 .. 2^17), of which some were over when the tick begins.
struct Course {
  int dx = 0, dy = 0;
  std::uint32_t ticks = 1, done = 0;
};

/// True if two centres come nearer than `sum_of_radii` cells within the tick. `x`, `y`: half cells from the first to
/// the second where their ways began, at most 100.
bool too_near(int x, int y, const Course& first, const Course& second, Fixed sum_of_radii) noexcept;

}  // namespace drover::verify
