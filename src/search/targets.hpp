// SPDX-License-Identifier: MIT
// Where a search may end: one goal cell, or many with offsets.
#pragma once
#include <drover/geometry.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace drover::search {

struct Target {
  std::uint32_t cell = 0;  // padded
  Cost offset = 0;
};

/// Goal cells and the box around them, which is what distances are estimated to: O(1) however many there are. The
/// targets must outlive it.
class Targets {
 public:
  Targets() = default;
  /// `all` ascends by cell and is not empty.
  Targets(const GridShape& shape, std::span<const Target> all) noexcept : all_(all), least_offset_(all[0].offset) {
    least_ = most_ = shape.cell({all[0].cell});
    for (const Target& target : all) {
      const Cell c = shape.cell({target.cell});
      least_ = {std::min(least_.x, c.x), std::min(least_.y, c.y), 0};
      most_ = {std::max(most_.x, c.x), std::max(most_.y, c.y), 0};
      least_offset_ = std::min(least_offset_, target.offset);
    }
  }

  std::span<const Target> all() const noexcept { return all_; }
  /// Null where the cell is none of them. O(log targets).
  const Target* find(std::uint32_t cell) const noexcept {
    const auto at = std::lower_bound(all_.begin(), all_.end(), cell,
                                     [](const Target& target, std::uint32_t c) { return target.cell < c; });
    return at != all_.end() && at->cell == cell ? &*at : nullptr;
  }
  Cost least_offset() const noexcept { return least_offset_; }
  /// Columns and rows from a cell to the box.
  std::uint64_t columns(std::int32_t x) const noexcept { return gap(x, least_.x, most_.x); }
  std::uint64_t rows(std::int32_t y) const noexcept { return gap(y, least_.y, most_.y); }

 private:
  static std::uint64_t gap(std::int64_t at, std::int64_t least, std::int64_t most) noexcept {
    return static_cast<std::uint64_t>(std::max({least - at, at - most, std::int64_t{0}}));
  }

  std::span<const Target> all_;
  Cell least_, most_;
  Cost least_offset_ = 0;
};

}  // namespace drover::search
