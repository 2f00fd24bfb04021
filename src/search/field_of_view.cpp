// SPDX-License-Identifier: MIT
// Views into a window of bits, and single lines.
#include "base/no_throw.hpp"
#include "nav/sight.hpp"

#include <drover/search.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace drover {
namespace {

constexpr std::int32_t kMaxCone = 32767;

Status outside(const GridShape& shape, Cell c) {
  return {StatusCode::position, base::concat("the viewer ", c.x, ",", c.y, ",", c.layer, " is outside; the map has ",
                                             shape.width(), "x", shape.height(), "x", shape.layers(), " cells")};
}

bool in_range(std::int32_t v) { return v >= -kMaxCone && v <= kMaxCone; }

Status check(const GridShape& shape, const Viewer& viewer) {
  if (!shape.contains(viewer.at)) return outside(shape, viewer.at);
  if (viewer.radius > kMaxGoalRadius)
    return {StatusCode::argument, base::concat("radius ", viewer.radius, "; 0 .. ", kMaxGoalRadius, " is expected")};
  if (!viewer.cone) return {};
  const SightCone& c = *viewer.cone;
  const bool fits = in_range(c.from_x) && in_range(c.from_y) && in_range(c.to_x) && in_range(c.to_y);
  if (fits && (c.from_x != 0 || c.from_y != 0) && (c.to_x != 0 || c.to_y != 0)) return {};
  return {StatusCode::argument, base::concat("cone from ", c.from_x, ",", c.from_y, " to ", c.to_x, ",", c.to_y,
                                             "; directions other than 0,0 within +-", kMaxCone, " are expected")};
}

// Above 0: b lies clockwise of a, by less than half a turn.
std::int64_t turn(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by) { return ax * by - ay * bx; }

bool holds(const SightCone& cone, std::int32_t x, std::int32_t y) {
  if (x == 0 && y == 0) return true;
  const std::int64_t wide = turn(cone.from_x, cone.from_y, cone.to_x, cone.to_y);
  const std::int64_t after = turn(cone.from_x, cone.from_y, x, y), until = turn(x, y, cone.to_x, cone.to_y);
  const auto along = [&](std::int64_t ux, std::int64_t uy) { return turn(ux, uy, x, y) == 0 && ux * x + uy * y > 0; };
  if (along(cone.from_x, cone.from_y) || along(cone.to_x, cone.to_y)) return true;
  const bool opposite = wide == 0 && std::int64_t{cone.from_x} * cone.to_x + std::int64_t{cone.from_y} * cone.to_y < 0;
  if (opposite) return after > 0;
  if (wide == 0) return false;
  return wide > 0 ? after > 0 && until > 0 : after > 0 || until > 0;
}

class Opacity {
 public:
  Opacity(const MapView& map, std::span<const std::uint8_t> opaque) : map_(map) {
    const std::span<const TerrainClass> classes = map.terrain_classes();
    for (std::size_t i = 0; i < classes.size() && i < std::size(opaque_); ++i)
      opaque_[i] = opaque.empty() ? !classes[i].passable : i < opaque.size() && opaque[i] != 0;
  }
  bool operator()(std::uint32_t cell) const noexcept {
    return opaque_[map_.terrain({cell})] || map_.door_closed({cell});
  }

 private:
  const MapView& map_;
  bool opaque_[256] = {};
};

}  // namespace

struct FieldOfView::Impl {
  nav::SightScan scan;
  // The box around all discs, a bit a cell, rows of whole words.
  Cell first;
  std::int32_t width = 0, height = 0, layers = 0;
  std::uint32_t row_words = 0;
  std::vector<std::uint64_t> seen;

  void forget() noexcept {
    width = height = layers = 0;
    seen.clear();
  }
  void frame(const GridShape& shape, std::span<const Viewer> viewers);
  void look(const MapView& map, const Opacity& is_opaque, const Viewer& viewer);
};

// Positions may lie at the ends of their range: distances are taken from the corner.
void FieldOfView::Impl::frame(const GridShape& shape, std::span<const Viewer> viewers) {
  const Cell corner = shape.origin();
  std::int32_t left = shape.width(), right = 0, top = shape.height(), bottom = 0, low = shape.layers(), high = 0;
  for (const Viewer& v : viewers) {
    const auto r = static_cast<std::int32_t>(v.radius);
    const std::int32_t column = v.at.x - corner.x, row = v.at.y - corner.y;
    left = std::min(left, std::max(0, column - r));
    right = std::max(right, std::min(shape.width() - 1, column + r));
    top = std::min(top, std::max(0, row - r));
    bottom = std::max(bottom, std::min(shape.height() - 1, row + r));
    low = std::min(low, v.at.layer);
    high = std::max(high, v.at.layer);
  }
  first = {corner.x + left, corner.y + top, low};
  width = right - left + 1;
  height = bottom - top + 1;
  layers = high - low + 1;
  row_words = (static_cast<std::uint32_t>(width) + 63) / 64;
  seen.assign(std::size_t{row_words} * static_cast<std::size_t>(height) * static_cast<std::size_t>(layers), 0);
}

void FieldOfView::Impl::look(const MapView& map, const Opacity& is_opaque, const Viewer& viewer) {
  const GridShape& shape = map.shape();
  const std::int32_t column = viewer.at.x - shape.origin().x, row = viewer.at.y - shape.origin().y;
  const std::int32_t x = viewer.at.x - first.x, y = viewer.at.y - first.y + (viewer.at.layer - first.layer) * height;
  const std::uint32_t eye = shape.at(column, row, viewer.at.layer);
  const auto stride = static_cast<std::int32_t>(shape.stride());
  const auto set = [&](std::int32_t dx, std::int32_t dy) {
    const auto bit = static_cast<std::uint32_t>(x + dx);
    seen[static_cast<std::size_t>(y + dy) * row_words + bit / 64] |= std::uint64_t{1} << bit % 64;
  };
  const auto opaque = [&](std::int32_t dx, std::int32_t dy) {
    return is_opaque(eye + static_cast<std::uint32_t>(dx + dy * stride));
  };
  set(0, 0);
  scan.run({column, shape.width() - 1 - column, row, shape.height() - 1 - row},
           static_cast<std::int32_t>(viewer.radius), opaque, [&](std::int32_t dx, std::int32_t dy, bool) {
             if (!viewer.cone || holds(*viewer.cone, dx, dy)) set(dx, dy);
           });
}

FieldOfView::FieldOfView() : impl_(std::make_unique<Impl>()) {}
FieldOfView::~FieldOfView() = default;
FieldOfView::FieldOfView(FieldOfView&&) noexcept = default;
FieldOfView& FieldOfView::operator=(FieldOfView&&) noexcept = default;

Status FieldOfView::look(const MapView& map, std::span<const Viewer> viewers, std::span<const std::uint8_t> opaque) {
  if (impl_ == nullptr) return {StatusCode::argument, "this view was moved from"};
  impl_->forget();
  for (const Viewer& viewer : viewers)
    if (Status status = check(map.shape(), viewer); !status.ok()) return status;
  if (viewers.empty()) return {};
  Status status = base::no_throw([&] {
    impl_->frame(map.shape(), viewers);
    const Opacity is_opaque(map, opaque);
    for (const Viewer& viewer : viewers) impl_->look(map, is_opaque, viewer);
    return Status();
  });
  if (!status.ok()) impl_->forget();
  return status;
}

bool FieldOfView::sees(Cell cell) const noexcept {
  if (impl_ == nullptr) return false;
  const std::int64_t x = std::int64_t{cell.x} - impl_->first.x, y = std::int64_t{cell.y} - impl_->first.y,
                     layer = std::int64_t{cell.layer} - impl_->first.layer;
  if (x < 0 || y < 0 || layer < 0 || x >= impl_->width || y >= impl_->height || layer >= impl_->layers) return false;
  const auto row = static_cast<std::size_t>(layer * impl_->height + y);
  return (impl_->seen[row * impl_->row_words + static_cast<std::size_t>(x) / 64] >> (x % 64) & 1) != 0;
}

std::uint64_t FieldOfView::count() const noexcept {
  std::uint64_t all = 0;
  if (impl_ == nullptr) return all;
  for (const std::uint64_t word : impl_->seen) all += static_cast<std::uint64_t>(std::popcount(word));
  return all;
}

void FieldOfView::cells(std::vector<Cell>& out) const {
  out.clear();
  if (impl_ == nullptr) return;
  const Impl& view = *impl_;
  std::size_t at = 0;
  for (std::int32_t layer = 0; layer < view.layers; ++layer)
    for (std::int32_t y = 0; y < view.height; ++y)
      for (std::uint32_t w = 0; w < view.row_words; ++w)
        for (std::uint64_t word = view.seen[at++]; word != 0; word &= word - 1)
          out.push_back({view.first.x + static_cast<std::int32_t>(64 * w) + std::countr_zero(word), view.first.y + y,
                         view.first.layer + layer});
}

// Cell by cell along the longer axis: those whose inside the line crosses are one or two a column, next to it.
Result<bool> sees(const MapView& map, Cell a, Cell b, std::span<const std::uint8_t> opaque) {
  const GridShape& shape = map.shape();
  for (const Cell c : {a, b})
    if (!shape.contains(c)) return outside(shape, c);
  if (a.layer != b.layer) return false;
  const Opacity is_opaque(map, opaque);
  const std::int64_t dx = std::int64_t{b.x} - a.x, dy = std::int64_t{b.y} - a.y;
  const bool steep = std::abs(dy) > std::abs(dx);
  const std::int64_t length = steep ? std::abs(dy) : std::abs(dx), rise = steep ? std::abs(dx) : std::abs(dy);
  const std::int64_t along = steep ? (dy < 0 ? -1 : 1) : (dx < 0 ? -1 : 1),
                     across = steep ? (dx < 0 ? -1 : 1) : (dy < 0 ? -1 : 1);
  const std::uint32_t eye = shape.index(a).value;
  const auto stride = static_cast<std::int64_t>(shape.stride());
  const auto dark = [&](std::int64_t i, std::int64_t j) {
    if ((i == 0 && j == 0) || (i == length && j == rise)) return false;
    const std::int64_t offset = steep ? along * i * stride + across * j : along * i + across * j * stride;
    return is_opaque(static_cast<std::uint32_t>(eye + offset));
  };
  // In column i the line runs from height (2 i - 1) rise / 2 length to (2 i + 1) rise / 2 length above the first
  // centre; cell j lies between 2 j - 1 and 2 j + 1 halves, its edges not counted.
  for (std::int64_t i = 0; i <= length; ++i) {
    const std::int64_t low = (2 * i - 1) * rise, high = (2 * i + 1) * rise;
    const std::int64_t first = length == 0 ? 0 : std::max<std::int64_t>(0, low / length / 2);
    for (std::int64_t j = first; j <= rise && (2 * j - 1) * length < high; ++j)
      if ((2 * j + 1) * length > low && dark(i, j)) return false;
  }
  return true;
}

}  // namespace drover
