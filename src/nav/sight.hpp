// SPDX-License-Identifier: MIT
// What can be seen from the centre of a cell: exact shadow casting with integer directions.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace drover::nav {

/// Where the eye is on its layer: so many cells of the map on each side of it.
struct EyeBounds {
  std::int32_t left = 0, right = 0, up = 0, down = 0;
};

/// Cells are named relative to the eye. A cell that is not opaque is seen if the line from centre to centre crosses the
/// inside of no opaque cell, so two such cells see each other or neither does; an opaque one if a line reaches any part
/// of its inside. A line that touches a corner is clear. Directions are compared as integer vectors: no rounding, and
/// all eight turned and mirrored views are the same view.
///
/// O(cells of the disc). Scratch memory is kept between calls; allocations may throw std::bad_alloc.
class SightScan {
 public:
  /// Calls opaque(x, y) for cells on the map with x^2 + y^2 <= radius^2, and seen(x, y, opaque) for those that are
  /// seen, opaque ones up to twice. The eye itself is not asked.
  template <class Opaque, class Seen>
  void run(const EyeBounds& bounds, std::int32_t radius, Opaque&& opaque, Seen&& seen) {
    constexpr Turn kTurns[] = {{1, 0, 0, 1}, {0, -1, 1, 0}, {-1, 0, 0, -1}, {0, 1, -1, 0}};
    for (const Turn& turn : kTurns) scan(bounds, radius, turn, opaque, seen);
  }

 private:
  // A direction, and all directions strictly between two; angles grow from the first axis of a quarter to the second.
  struct Ray {
    std::int32_t x = 0, y = 0;
  };
  struct Shadow {
    Ray from, to;
  };
  // From a quarter of the view to the map.
  struct Turn {
    std::int32_t xx, xy, yx, yy;
    Ray operator()(std::int32_t x, std::int32_t y) const noexcept { return {xx * x + xy * y, yx * x + yy * y}; }
  };
  static bool before(Ray a, Ray b) noexcept { return a.x * b.y > a.y * b.x; }

  // A line that crosses several cells comes to them in the order of |dx| + |dy|, so what hides a cell lies on an
  // earlier diagonal.
  template <class Opaque, class Seen>
  void scan(const EyeBounds& bounds, std::int32_t radius, const Turn& turn, Opaque& opaque, Seen& seen) {
    shadows_.clear();
    const std::int32_t farthest = std::max(bounds.left, bounds.right) + std::max(bounds.up, bounds.down);
    for (std::int32_t m = 1; m * m <= 2 * radius * radius && m <= farthest; ++m) {
      scan_diagonal(bounds, radius, turn, m, opaque, seen);
      if (shadows_.size() == 1 && before(shadows_[0].from, {1, 0}) && !before(shadows_[0].to, {0, 1})) return;
    }
  }

  template <class Opaque, class Seen>
  void scan_diagonal(const EyeBounds& bounds, std::int32_t radius, const Turn& turn, std::int32_t m, Opaque& opaque,
                     Seen& seen) {
    fresh_.clear();
    auto shadow = shadows_.begin();
    for (std::int32_t y = std::max(0, m - radius); y <= std::min(m, radius); ++y) {
      const std::int32_t x = m - y;
      if (x * x + y * y > radius * radius) continue;
      const Ray at = turn(x, y);
      if (at.x < -bounds.left || at.x > bounds.right || at.y < -bounds.up || at.y > bounds.down) continue;
      while (shadow != shadows_.end() && !before({x, y}, shadow->to)) ++shadow;
      const bool dark = shadow != shadows_.end() && before(shadow->from, {x, y});
      if (dark && covers(*shadow, shadow_of(x, y))) continue;
      if (opaque(at.x, at.y)) {
        fresh_.push_back(shadow_of(x, y));
        seen(at.x, at.y, true);
      } else if (x > 0 && !dark) {  // the second axis belongs to the next quarter
        seen(at.x, at.y, false);
      }
    }
    if (!fresh_.empty()) add_fresh();
  }

  static bool covers(const Shadow& shadow, const Shadow& part) noexcept {
    return !before(part.from, shadow.from) && !before(shadow.to, part.to);
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

  std::vector<Shadow> shadows_, fresh_, merged_;  // ascending; shadows_ disjoint
};

}  // namespace drover::nav
