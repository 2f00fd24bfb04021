// SPDX-License-Identifier: MIT
// What the step rules of a map mean for one body: forbidden steps by word, extras by placement.
#pragma once
#include "nav/word_masks.hpp"

#include <drover/map.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace drover::nav {

/// Sparse: a number for each word of 64 placements, and blocks for the words that have rules. A k x k body may not do
/// what is forbidden to any cell it covers, and pays the dearest extra among them. Immutable, shared by graphs until
/// the rules change.
class EdgeTable {
 public:
  /// Null where the map has no rules.
  static std::shared_ptr<const EdgeTable> of(const MapView& map, int footprint);

  /// Forbidden steps of one word; all clear for most.
  const StepWords& forbidden(std::uint32_t w) const noexcept { return blocks_[block_of_word_[w]].forbidden; }
  bool any_forbidden() const noexcept { return any_forbidden_; }
  std::uint32_t extra(std::uint32_t cell, int k) const noexcept {
    const Block& block = blocks_[block_of_word_[cell / 64]];
    const std::uint32_t bit = cell % 64;
    if ((block.dearer >> bit & 1) == 0) return 0;
    const int before = std::popcount(block.dearer & ((Word{1} << bit) - 1));
    return extras_[block.first_extra + static_cast<std::uint32_t>(before)][static_cast<std::size_t>(k)];
  }
  bool dearer(std::uint32_t w) const noexcept { return blocks_[block_of_word_[w]].dearer != 0; }
  std::uint32_t max_extra() const noexcept { return max_extra_; }

 private:
  struct Block {
    StepWords forbidden{};
    Word dearer = 0;  // placements with a row of extras
    std::uint32_t first_extra = 0;
  };
  void add(const StepRule& rule);

  std::vector<std::uint32_t> block_of_word_;
  std::vector<Block> blocks_{Block{}};  // the first is that of words without rules
  std::vector<std::array<std::uint32_t, kDirections>> extras_;
  std::uint32_t max_extra_ = 0;
  bool any_forbidden_ = false;
};

}  // namespace drover::nav
