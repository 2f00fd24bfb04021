// SPDX-License-Identifier: MIT
// The portals that one body may use, by where they begin and by where they end.
#pragma once
#include "nav/bit_rows.hpp"

#include <drover/map.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace drover::nav {

struct Portal {
  std::uint32_t from = 0, to = 0;  // padded
  std::uint32_t number = 0, cost = 0;
};

/// Open portals with room for the body at both ends. Immutable.
class PortalLists {
 public:
  static PortalLists of(const MapView& map, const Word* fits);

  bool empty() const noexcept { return leaving_.empty(); }
  /// Ascending by (from, number).
  std::span<const Portal> all() const noexcept { return leaving_; }
  /// By number; part of all().
  std::span<const Portal> leaving(std::uint32_t cell) const noexcept {
    const auto [first, last] = std::equal_range(leaving_.begin(), leaving_.end(), Portal{cell, 0, 0, 0},
                                                [](const Portal& a, const Portal& b) { return a.from < b.from; });
    return {first, last};
  }
  /// By number.
  std::span<const Portal> entering(std::uint32_t cell) const noexcept {
    const auto [first, last] = std::equal_range(entering_.begin(), entering_.end(), Portal{0, cell, 0, 0},
                                                [](const Portal& a, const Portal& b) { return a.to < b.to; });
    return {first, last};
  }
  std::uint32_t min_cost() const noexcept { return min_cost_; }
  std::uint32_t max_cost() const noexcept { return max_cost_; }
  /// Sum over portals of a mix of number, ends and cost.
  std::uint64_t hash() const noexcept { return hash_; }
  /// The same without the costs.
  std::uint64_t steps_hash() const noexcept { return steps_hash_; }

 private:
  std::vector<Portal> leaving_, entering_;
  std::uint32_t min_cost_ = ~std::uint32_t{0}, max_cost_ = 0;
  std::uint64_t hash_ = 0, steps_hash_ = 0;
};

}  // namespace drover::nav
