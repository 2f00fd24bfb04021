// SPDX-License-Identifier: MIT
// Counting sort of the cells by distance.
#include "crowd/rings.hpp"

namespace drover::crowd {

Rings::Rings(const FlowField& steps, std::uint64_t farthest) {
  const GridShape& shape = steps.shape();
  const auto each_cell = [&](auto&& visit) {
    for (std::int32_t layer = 0; layer < shape.layers(); ++layer)
      for (std::int32_t y = 0; y < shape.height(); ++y) {
        const std::uint32_t row = shape.at(0, y, layer);
        for (std::uint32_t i = row; i < row + static_cast<std::uint32_t>(shape.width()); ++i)
          if (const Cost cost = steps.cost_to_goal({i}); cost <= farthest && cost != kInfiniteCost)
            visit(i, static_cast<std::size_t>(cost));
      }
  };
  begins_.assign(1, 0);
  each_cell([&](std::uint32_t, std::size_t ring) {
    if (begins_.size() < ring + 2) begins_.resize(ring + 2, 0);
    ++begins_[ring + 1];
  });
  for (std::size_t ring = 1; ring < begins_.size(); ++ring) begins_[ring] += begins_[ring - 1];
  cells_.resize(begins_.back());
  std::vector<std::uint32_t> next(begins_);
  each_cell([&](std::uint32_t cell, std::size_t ring) { cells_[next[ring]++] = cell; });
}

}  // namespace drover::crowd
