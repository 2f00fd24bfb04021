// SPDX-License-Identifier: MIT
// Where in the random numbers each 64 cells of the endless map find theirs.
#pragma once
#include "cave/kernels.hpp"

#include <array>
#include <cstdint>

namespace drover::cave {

/// Each block of the counter gives two planes of 64 bits.
inline constexpr std::uint32_t kPlanePairs = 16;
/// Keeps these draws apart from those for anything else with the same seed.
inline constexpr std::uint32_t kFillDomain = 0x43415645;  // "CAVE"

constexpr std::array<std::uint32_t, 4> fill_counter(const Fill& fill, std::uint32_t word_x, std::uint32_t y,
                                                    std::uint32_t pair) noexcept {
  return {word_x, y, kFillDomain, fill.attempt << 4 | pair};
}

constexpr std::array<std::uint32_t, 2> fill_key(const Fill& fill) noexcept {
  return {static_cast<std::uint32_t>(fill.seed), static_cast<std::uint32_t>(fill.seed >> 32)};
}

}  // namespace drover::cave
