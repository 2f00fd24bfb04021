// SPDX-License-Identifier: MIT
// Connected sets of open placements, by union-find over horizontal runs of bit rows.
#pragma once
#include "nav/bit_rows.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace drover::nav {

/// `four`: runs of neighbouring rows join where they overlap. `eight`: also where they touch at a corner.
enum class Adjacency : std::uint8_t { four, eight };

/// Labels of the set bits of one plane. Immutable; valid for the plane it was made from.
class Components {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  using Join = std::pair<std::uint32_t, std::uint32_t>;  // two set bits that belong together whatever lies between

  /// About 1 ns a cell, less where runs are long.
  static Components of(const Word* open, const WordLayout& layout, Adjacency adjacency,
                       std::span<const Join> joins = {});

  /// Label of a set bit, counted from 0 in the order of first cells; kNone for a clear one. O(1).
  std::uint32_t label(const Word* open, std::uint32_t cell) const noexcept {
    const std::uint32_t w = cell / 64, bit = cell % 64;
    if ((open[w] >> bit & 1) == 0) return kNone;
    return run_labels_[run_at(open, w, bit)];
  }
  const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }

 private:
  // Precondition: the bit is set. Runs are numbered in order; a run belongs to the word in which it starts.
  std::uint32_t run_at(const Word* open, std::uint32_t w, std::uint32_t bit) const noexcept {
    const Word starts = open[w] & ~west_of(open, w);
    return runs_before_[w] + static_cast<std::uint32_t>(std::popcount(starts & (~Word{0} >> (63 - bit)))) - 1;
  }

  std::vector<std::uint32_t> runs_before_;  // by word
  std::vector<std::uint32_t> run_labels_;   // by run
  std::vector<std::uint64_t> sizes_;        // by label
};

}  // namespace drover::nav
