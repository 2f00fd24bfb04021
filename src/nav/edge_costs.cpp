// SPDX-License-Identifier: MIT
// Heights of placements, the steepest step, and the hash of what is dearer.
#include "nav/edge_costs.hpp"

#include "base/digest.hpp"

#include <algorithm>
#include <bit>

namespace drover::nav {

EdgeCosts EdgeCosts::of(const MapView& map, int footprint, const Allocator& allocator) {
  EdgeCosts costs;
  costs.rules_ = EdgeTable::of(map, footprint);
  if (!map.has_heights() || map.slope() == SlopeCost{}) return costs;
  costs.slope_ = map.slope();
  for (int k = 0; k < kDirections; ++k) costs.offsets_[k] = map.shape().step(static_cast<Direction>(k));
  costs.heights_ = map.height_plane();
  costs.valid_ = footprint == 1 || costs.raise(map, footprint, allocator);
  if (costs.valid_) costs.find_steepest(map.shape(), footprint);
  return costs;
}

EdgeCosts EdgeCosts::with_rules_of(const MapView& map, int footprint) const {
  EdgeCosts costs = *this;
  costs.rules_ = EdgeTable::of(map, footprint);
  return costs;
}

// Highest cell below each placement that lies on the map.
bool EdgeCosts::raise(const MapView& map, int footprint, const Allocator& allocator) {
  const GridShape& shape = map.shape();
  auto plane = base::Plane<std::int32_t>::filled(allocator, shape.padded_cells(), 0);
  if (!plane.valid()) return false;
  const std::int32_t* ground = map.height_plane();
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row + footprint <= shape.height(); ++row) {
      for (std::int32_t x = 0; x + footprint <= shape.width(); ++x) {
        const std::uint32_t anchor = shape.at(x, row, layer);
        std::int32_t highest = ground[anchor];
        for (int dy = 0; dy < footprint; ++dy) {
          const std::int32_t* first = ground + shape.at(x, row + dy, layer);
          highest = std::max(highest, *std::max_element(first, first + footprint));
        }
        plane[anchor] = highest;
      }
    }
  }
  body_heights_ = std::make_shared<const base::Plane<std::int32_t>>(std::move(plane));
  heights_ = body_heights_->data();
  return true;
}

// Over all neighbours on the map, walls too: it must not change when a wall does.
void EdgeCosts::find_steepest(const GridShape& shape, int footprint) noexcept {
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row + footprint <= shape.height(); ++row) {
      for (std::int32_t x = 0; x + footprint <= shape.width(); ++x) {
        const auto look = [&](std::int32_t to_x, std::int32_t to_row) {
          if (to_x < 0 || to_x + footprint > shape.width() || to_row + footprint > shape.height()) return;
          const std::int32_t here = heights_[shape.at(x, row, layer)], there = heights_[shape.at(to_x, to_row, layer)];
          steepest_ = std::max({steepest_, slope_of(here, there), slope_of(there, here)});
        };
        look(x + 1, row);
        for (int dx = -1; dx <= 1; ++dx) look(x + dx, row + 1);
      }
    }
  }
}

std::uint64_t EdgeCosts::hash(std::uint32_t w, const StepWords& steps) const noexcept {
  if (heights_ == nullptr && (rules_ == nullptr || !rules_->dearer(w))) return 0;
  std::uint64_t sum = 0;
  for (int k = 0; k < kDirections; ++k) {
    for (Word left = steps[static_cast<std::size_t>(k)]; left != 0; left &= left - 1) {
      const std::uint32_t from = w * kWordCells + static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint64_t cost = surcharge(from, k);
      if (cost != 0) sum += base::mix(std::uint64_t{from} * kDirections + static_cast<std::uint64_t>(k), cost);
    }
  }
  return sum;
}

}  // namespace drover::nav
