// SPDX-License-Identifier: MIT
// Taking and releasing cells.
#include "verify/occupancy.hpp"

namespace drover::verify {

Occupancy::Occupancy(const GridShape& shape, int reach)
    : margin_(static_cast<std::ptrdiff_t>(reach) * (static_cast<std::ptrdiff_t>(shape.stride()) + 1)) {
  plane_.resize(static_cast<std::size_t>(shape.padded_cells()) + 2 * static_cast<std::size_t>(margin_));
}

std::uint32_t Occupancy::take(std::uint32_t index, std::uint32_t slot) {
  std::uint32_t& here = entry(index);
  if (here == 0) {
    here = ~slot;
    return kNobody;
  }
  further_.emplace(index, slot);
  return ~here;
}

void Occupancy::release(std::uint32_t index, std::uint32_t slot) {
  std::uint32_t& here = entry(index);
  if (~here != slot) {
    further_.erase({index, slot});
    return;
  }
  here = 0;
  if (further_.empty()) return;
  if (const auto heir = further_.lower_bound({index, 0}); heir != further_.end() && heir->first == index) {
    here = ~heir->second;
    further_.erase(heir);
  }
}

}  // namespace drover::verify
