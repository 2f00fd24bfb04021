// SPDX-License-Identifier: MIT
// 128-bit integers for products and quotients that 64 bits cannot hold.
#pragma once

namespace drover::base {

// NOLINTBEGIN(modernize-use-using): __extension__ does not go with using, and -Wpedantic asks for it.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
// NOLINTEND(modernize-use-using)

/// Floor also below zero. Precondition: divisor above 0.
constexpr Int128 floor_div(Int128 dividend, Int128 divisor) noexcept {
  const Int128 quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

}  // namespace drover::base
