// SPDX-License-Identifier: MIT
// Areas as goals, each cell by itself.
#include <drover/verify.hpp>

#include "verify/body.hpp"

#include <algorithm>
#include <cstdlib>

namespace drover {
namespace {

class Area {
 public:
  Area(const MapView& map, const MovementProfile& profile, Cell of) : ground_(map), body_(profile, ground_), of_(of) {}

  bool stands(std::int64_t dx, std::int64_t dy) const { return body_.fits(ground_, at(dx, dy)); }

  // Cell by cell between the ends, those of whose open squares some corners lie on either side of the line: a corner is
  // half of |dx| + |dy| off the centre, measured across the line.
  bool clear(std::int64_t dx, std::int64_t dy) const {
    const std::int64_t wide = std::abs(dx), high = std::abs(dy), right = dx < 0 ? -1 : 1, down = dy < 0 ? -1 : 1;
    for (std::int64_t i = 0; i <= wide; ++i) {
      const std::int64_t first = wide == 0 ? 0 : std::max<std::int64_t>(0, (2 * high * i - wide - high) / (2 * wide));
      for (std::int64_t j = first; j <= high && 2 * (wide * j - high * i) < wide + high; ++j) {
        if (2 * (high * i - wide * j) >= wide + high || i + j == 0 || i + j == wide + high) continue;
        if (!body_.enters(ground_, at(i * right, j * down))) return false;
      }
    }
    return true;
  }

 private:
  verify::Placement at(std::int64_t dx, std::int64_t dy) const {
    verify::Placement p = ground_.placement(of_);
    p.column += static_cast<std::uint32_t>(dx);
    p.row += static_cast<std::uint32_t>(dy);
    return p;
  }

  verify::Ground ground_;
  verify::Body body_;
  Cell of_;
};

}  // namespace

std::vector<Cell> area_targets(const MapView& map, const MovementProfile& profile, Cell of, std::uint32_t radius,
                               AreaRule rule) {
  std::vector<Cell> cells;
  const GridShape& shape = map.shape();
  if (!shape.contains(of)) return cells;
  const Area area(map, profile, of);
  const Cell first = shape.origin();
  const std::int64_t r = radius;
  for (std::int64_t dy = std::max(-r, std::int64_t{first.y} - of.y); dy <= r; ++dy) {
    if (of.y + dy >= std::int64_t{first.y} + shape.height()) break;
    for (std::int64_t dx = std::max(-r, std::int64_t{first.x} - of.x); dx <= r; ++dx) {
      if (of.x + dx >= std::int64_t{first.x} + shape.width()) break;
      if (dx * dx + dy * dy > r * r || !area.stands(dx, dy)) continue;
      if (rule == AreaRule::in_sight && !area.clear(dx, dy)) continue;
      cells.push_back({static_cast<std::int32_t>(of.x + dx), static_cast<std::int32_t>(of.y + dy), of.layer});
    }
  }
  return cells;
}

}  // namespace drover
