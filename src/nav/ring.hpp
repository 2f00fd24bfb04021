// SPDX-License-Identifier: MIT
// The eight cells around one placement: whether they hold together without it.
#pragma once
#include "nav/components.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace drover::nav {

/// Round from north by east; even places are the orthogonal neighbours. Bit i of a ring: the neighbour there is open.
inline constexpr std::array<int, 8> kRingX{0, 1, 1, 1, 0, -1, -1, -1}, kRingY{-1, -1, 0, 1, 1, 1, 0, -1};
inline constexpr unsigned kOrthogonal = 0x55;

/// Cells of the ring that touch its centre.
constexpr unsigned touching(Adjacency adjacency) noexcept { return adjacency == Adjacency::four ? kOrthogonal : 0xff; }

/// True if those of `ring` that touch the centre are joined by `ring` alone, or there are none.
constexpr bool holds_together(unsigned ring, Adjacency adjacency) noexcept {
  // Orthogonal neighbours meet across a closed corner.
  if (adjacency == Adjacency::eight) ring |= ~kOrthogonal & 0xff & (ring << 1 | ring >> 7) & (ring >> 1 | ring << 7);
  if (ring == 0xff) return true;
  unsigned groups = 0;
  // From a closed place on, so that no group is cut in two.
  const int first = std::countr_one(ring);
  bool counted = false;
  for (int i = 1; i <= 8; ++i) {
    const unsigned bit = 1u << ((first + i) % 8);
    if ((ring & bit) == 0) {
      counted = false;
    } else if (!counted && (bit & touching(adjacency)) != 0) {
      counted = true;
      ++groups;
    }
  }
  return groups <= 1;
}

/// `open(cell)` for the eight padded indices around `cell`.
template <class Open>
unsigned ring_around(std::uint32_t cell, std::uint32_t stride, Open&& open) noexcept {
  unsigned ring = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint32_t there =
        cell + static_cast<std::uint32_t>(kRingY[i]) * stride + static_cast<std::uint32_t>(kRingX[i]);
    ring |= (open(there) ? 1u : 0u) << i;
  }
  return ring;
}

}  // namespace drover::nav
