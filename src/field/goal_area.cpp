// SPDX-License-Identifier: MIT
// Discs, and what of them can be seen from their centre: exact shadow casting with integer directions.
#include "field/goal_area.hpp"

#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <iterator>

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
        if (!holds(x, y) || (!seen_.empty() && !seen_[box(x, y)])) continue;
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
    for (int quarter = 0; quarter < 4; ++quarter) scan(quarter);
  }

 private:
  // A direction, and all directions strictly between two; angles grow from the first axis of a quarter to the second.
  struct Ray {
    std::int32_t x = 0, y = 0;
  };
  struct Shadow {
    Ray from, to;
  };
  static bool before(Ray a, Ray b) noexcept { return a.x * b.y > a.y * b.x; }

  bool holds(std::int32_t x, std::int32_t y) const noexcept { return x * x + y * y <= radius_ * radius_; }
  bool on_map(std::int32_t x, std::int32_t y) const noexcept {
    return column_ + x >= 0 && column_ + x < shape_.width() && row_ + y >= 0 && row_ + y < shape_.height();
  }
  std::uint32_t cell(std::int32_t x, std::int32_t y) const noexcept { return shape_.at(column_ + x, row_ + y, layer_); }
  std::size_t box(std::int32_t x, std::int32_t y) const noexcept {
    const std::int32_t row = y + radius_, column = x + radius_;
    return static_cast<std::size_t>(row) * (2 * static_cast<std::size_t>(radius_) + 1) +
           static_cast<std::size_t>(column);
  }

  // A line that crosses several cells comes to them in the order of |dx| + |dy|, so what hides a cell lies on an
  // earlier diagonal.
  void scan(int quarter) {
    shadows_.clear();
    for (std::int32_t m = 1; m * m <= 2 * radius_ * radius_ && m <= shape_.width() + shape_.height(); ++m) {
      scan_diagonal(quarter, m);
      if (shadows_.size() == 1 && before(shadows_[0].from, {1, 0}) && !before(shadows_[0].to, {0, 1})) return;
    }
  }

  void scan_diagonal(int quarter, std::int32_t m) {
    fresh_.clear();
    auto shadow = shadows_.begin();
    for (std::int32_t y = std::max(0, m - radius_); y <= std::min(m, radius_); ++y) {
      const std::int32_t x = m - y;
      const Ray turned = quarter == 0 ? Ray{x, y} : quarter == 1 ? Ray{-y, x} : quarter == 2 ? Ray{-x, -y} : Ray{y, -x};
      if (!holds(x, y) || !on_map(turned.x, turned.y)) continue;
      const Footing footing = graph_.footing({cell(turned.x, turned.y)});
      if (footing == Footing::blocked || footing == Footing::unknown) {
        fresh_.push_back(shadow_of(x, y));
      } else if (x > 0) {  // the second axis belongs to the next quarter
        while (shadow != shadows_.end() && !before({x, y}, shadow->to)) ++shadow;
        if (shadow != shadows_.end() && before(shadow->from, {x, y})) continue;
        seen_[box(turned.x, turned.y)] = true;
        reach_ = std::max({reach_, x, y});
      }
    }
    if (!fresh_.empty()) add_fresh();
  }

  // Between the corners of the open square of a cell. One on an axis reaches beyond the quarter, where it ends does not
  // matter.
  static Shadow shadow_of(std::int32_t x, std::int32_t y) noexcept {
    return {y == 0 ? Ray{3, -1} : Ray{2 * x + 1, 2 * y - 1}, x == 0 ? Ray{-1, 3} : Ray{2 * x - 1, 2 * y + 1}};
  }

  // Shadows that only touch stay apart: between them a line passes.
  void add_fresh() {
    merged_.clear();
    std::merge(shadows_.begin(), shadows_.end(), fresh_.begin(), fresh_.end(), std::back_inserter(merged_),
               [](const Shadow& a, const Shadow& b) { return before(a.from, b.from); });
    shadows_.clear();
    for (const Shadow& s : merged_) {
      if (shadows_.empty() || !before(s.from, shadows_.back().to))
        shadows_.push_back(s);
      else if (before(shadows_.back().to, s.to))
        shadows_.back().to = s.to;
    }
  }

  const nav::CompiledGraph& graph_;
  const GridShape& shape_;
  const std::int32_t column_, row_, layer_, radius_;
  std::int32_t reach_;                            // of what is looked at in the end, along each axis
  std::vector<bool> seen_;                        // of the square around the disc; empty: all
  std::vector<Shadow> shadows_, fresh_, merged_;  // ascending; shadows_ disjoint
};

}  // namespace

std::vector<std::uint32_t> cells_of(const nav::CompiledGraph& graph, const GoalArea& area) {
  Disc disc(graph, area);
  if (area.rule == GoalArea::Rule::in_sight) disc.look();
  return disc.cells();
}

}  // namespace drover::field
