// SPDX-License-Identifier: MIT
// Discs, and what of them can be seen from their centre.
#include "field/goal_area.hpp"

#include "nav/compiled_graph.hpp"
#include "nav/sight.hpp"

#include <algorithm>
#include <cstdlib>

namespace drover::field {
namespace {

// The disc around a cell, cut to the map.
class Disc {
 public:
  Disc(const nav::CompiledGraph& graph, const GoalArea& area)
      : graph_(graph),
        shape_(graph.shape()),
        column_(area.of.x - shape_.origin().x),
        row_(area.of.y - shape_.origin().y),
        layer_(area.of.layer),
        radius_(static_cast<std::int32_t>(area.radius)),
        reach_(radius_) {}

  std::vector<std::uint32_t> cells() const {
    std::vector<std::uint32_t> cells;
    for (std::int32_t y = std::max(-reach_, -row_); y <= std::min(reach_, shape_.height() - 1 - row_); ++y) {
      for (std::int32_t x = std::max(-reach_, -column_); x <= std::min(reach_, shape_.width() - 1 - column_); ++x) {
        if (x * x + y * y > radius_ * radius_ || (!seen_.empty() && !seen_[box(x, y)])) continue;
        if (graph_.footing({cell(x, y)}) == Footing::open) cells.push_back(cell(x, y));
      }
    }
    return cells;
  }

  /// Leaves only what is seen from the middle.
  void look() {
    seen_.resize(box(radius_, radius_) + 1);
    seen_[box(0, 0)] = true;
    reach_ = 0;
    const auto opaque = [&](std::int32_t x, std::int32_t y) {
      const Footing footing = graph_.footing({cell(x, y)});
      return footing == Footing::blocked || footing == Footing::unknown;
    };
    const auto seen = [&](std::int32_t x, std::int32_t y, bool is_opaque) {
      if (is_opaque) return;
      seen_[box(x, y)] = true;
      reach_ = std::max({reach_, std::abs(x), std::abs(y)});
    };
    nav::SightScan().run({column_, shape_.width() - 1 - column_, row_, shape_.height() - 1 - row_}, radius_, opaque,
                         seen);
  }

 private:
  std::uint32_t cell(std::int32_t x, std::int32_t y) const noexcept { return shape_.at(column_ + x, row_ + y, layer_); }
  std::size_t box(std::int32_t x, std::int32_t y) const noexcept {
    const std::int32_t row = y + radius_, column = x + radius_;
    return static_cast<std::size_t>(row) * (2 * static_cast<std::size_t>(radius_) + 1) +
           static_cast<std::size_t>(column);
  }

  const nav::CompiledGraph& graph_;
  const GridShape& shape_;
  const std::int32_t column_, row_, layer_, radius_;
  std::int32_t reach_;      // of what is looked at in the end, along each axis
  std::vector<bool> seen_;  // of the square around the disc; empty: all
};

}  // namespace

std::vector<std::uint32_t> cells_of(const nav::CompiledGraph& graph, const GoalArea& area) {
  Disc disc(graph, area);
  if (area.rule == GoalArea::Rule::in_sight) disc.look();
  return disc.cells();
}

}  // namespace drover::field
