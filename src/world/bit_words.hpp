// SPDX-License-Identifier: MIT
// Runs of bits in words of 64, low bit first.
#pragma once
#include <algorithm>
#include <cstdint>

namespace drover::world {

inline constexpr int kWordBits = 64;

/// Calls visit(word, mask) for the bits begin .. end - 1 of the plane.
template <class Visit>
void each_word(std::uint32_t begin, std::uint32_t end, Visit visit) {
  for (std::uint32_t at = begin; at < end;) {
    const std::uint32_t word = at / kWordBits, stop = std::min(end, (word + 1) * kWordBits);
    const std::uint64_t ones = ~std::uint64_t{0};
    visit(word, (ones >> (kWordBits - (stop - at))) << at % kWordBits);
    at = stop;
  }
}

}  // namespace drover::world
