// SPDX-License-Identifier: MIT
// Horizontal runs of set bits, and which of two neighbouring rows touch.
#pragma once
#include "nav/bit_rows.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace drover::nav {

/// Padded indices: first cell, first cell after.
struct Run {
  std::uint32_t begin, end;
};

/// Of the words [first, last) of a plane, which are whole rows. Every row ends in padding, so no run crosses into the
/// next.
inline void append_runs(const Word* open, std::uint32_t first, std::uint32_t last, std::vector<Run>& runs) {
  for (std::uint32_t w = first; w < last; ++w) {
    for (Word changes = open[w] ^ west_of(open, w); changes != 0; changes &= changes - 1) {
      const int bit = std::countr_zero(changes);
      const std::uint32_t at = w * 64 + static_cast<std::uint32_t>(bit);
      if ((open[w] >> bit & 1) != 0) {
        runs.push_back({at, at});
      } else {
        runs.back().end = at;
      }
    }
  }
}

/// Calls touch(i, j) for each run i of a row and j of the row below that overlap, or with `reach` 1 touch at a corner.
template <class Touch>
void for_each_touch(std::span<const Run> above, std::span<const Run> below, std::uint64_t stride, std::uint64_t reach,
                    Touch&& touch) {
  std::size_t first = 0;
  for (std::size_t j = 0; j < below.size(); ++j) {
    while (first < above.size() && above[first].end + stride + reach <= below[j].begin) ++first;
    for (std::size_t i = first; i < above.size() && above[i].begin + stride < below[j].end + reach; ++i) touch(i, j);
  }
}

}  // namespace drover::nav
