// SPDX-License-Identifier: MIT
// Which agent covers which cell; remembers also those that should not share one.
#pragma once
#include <drover/geometry.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "verify/prefetch.hpp"

namespace drover::verify {

inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// One entry a padded cell, and a margin so that `holder(index + offset)` may look `reach` rows and columns beyond any
/// cell.
class Occupancy {
 public:
  Occupancy() = default;
  Occupancy(const GridShape& shape, int reach);

  /// Slot of an agent on the cell, kNobody if there is none. A legal run never has more than one.
  std::uint32_t holder(std::uint32_t index, std::ptrdiff_t offset = 0) const noexcept {
    return ~plane_[static_cast<std::size_t>(margin_ + static_cast<std::ptrdiff_t>(index) + offset)];
  }
  void prefetch(std::uint32_t index, std::ptrdiff_t offset = 0) const noexcept {
    verify::prefetch(plane_.data() + (margin_ + static_cast<std::ptrdiff_t>(index) + offset));
  }

  /// Answers the holder the cell had before.
  std::uint32_t take(std::uint32_t index, std::uint32_t slot);
  void release(std::uint32_t index, std::uint32_t slot);

 private:
  std::uint32_t& entry(std::uint32_t index) noexcept { return plane_[static_cast<std::size_t>(margin_) + index]; }

  std::vector<std::uint32_t> plane_;  // ~slot, so that fresh zeroed memory is empty
  std::ptrdiff_t margin_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> further_;  // (cell, slot) of second and later holders
};

}  // namespace drover::verify
