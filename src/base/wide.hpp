// SPDX-License-Identifier: MIT
// Products of 128-bit numbers, for comparisons by squares.
#pragma once
#include "base/int128.hpp"

#include <compare>
#include <cstdint>

namespace drover::base {

struct UInt256 {
  UInt128 high = 0, low = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 that <=> compares with for a pointer.
  friend constexpr auto operator<=>(const UInt256&, const UInt256&) noexcept = default;
};

constexpr UInt256 multiply(UInt128 a, UInt128 b) noexcept {
  constexpr UInt128 kLow = ~std::uint64_t{0};
  const UInt128 low = (a & kLow) * (b & kLow), cross = (a >> 64) * (b & kLow), other = (a & kLow) * (b >> 64);
  const UInt128 middle = (low >> 64) + (cross & kLow) + (other & kLow);
  return {(a >> 64) * (b >> 64) + (cross >> 64) + (other >> 64) + (middle >> 64), middle << 64 | (low & kLow)};
}

constexpr UInt128 magnitude(Int128 n) noexcept { return n < 0 ? -static_cast<UInt128>(n) : static_cast<UInt128>(n); }

}  // namespace drover::base
