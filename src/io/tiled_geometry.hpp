// SPDX-License-Identifier: MIT
// Pixels, degrees and corners of Tiled objects in whole numbers.
#pragma once
#include <drover/obstacle.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::io::tiled {

/// A decimal, with an exponent or without, divided by a whole number above 0 and rounded once. Refuses other texts, and
/// results beyond 2^28, with `number`.
Result<Fixed> divided(std::string_view decimal, std::int64_t divisor);
/// The same for a number that was read before.
Fixed divided(Fixed number, std::int64_t divisor) noexcept;
/// `number` times `factor` as a decimal, exactly.
std::string decimal_text(Fixed number, std::int64_t factor = 1);

/// A rotation, clockwise where y grows down.
struct Turn {
  std::int64_t sine = 0, cosine = std::int64_t{1} << 60;  // times 2^60

  bool none() const noexcept { return sine == 0 && cosine > 0; }
  Position turned(Position p) const noexcept;
};
/// `degrees` as it was written: six digits are taken for a number that was rounded to them, as Tiled does, so that
/// 53.1301 is the axis 3,4. The axis has parts of at most 2^14 without a common factor.
struct Rotation {
  Turn turn;
  Axis axis;
};
Result<Rotation> rotation_of(std::string_view degrees);
/// Degrees from -180 to 180 with ten decimals: rotation_of gives back an axis without a common factor.
std::string degrees_text(Axis axis);
/// `p` turned from 1,0 to the axis, rounded.
Position turned_to(Axis axis, Position p) noexcept;
/// Corner `i` of 32 on the ellipse with these half axes.
Position ellipse_corner(Position half, int i) noexcept;
inline constexpr int kEllipseCorners = 32;

}  // namespace drover::io::tiled
