// SPDX-License-Identifier: MIT
// A coarse grid over the anchors, kept up to date shape by shape.
#include "world/obstacle_index.hpp"

#include <algorithm>
#include <utility>

namespace drover::world {

using base::floor_div;
using base::Int128;

namespace {

// Of one axis: the anchors whose bodies, of any size, can overlap a shape that reaches from `low` to `high` (halves,
// seen from `centre`).
std::pair<Int128, Int128> anchors_near(std::int64_t low, std::int64_t high, Fixed centre, Fixed corner,
                                       Fixed cell_size) noexcept {
  const Int128 from_corner = (Int128{centre.raw} - corner.raw) * 2, cell = Int128{cell_size.raw} * 2;
  // No radius is above half of the largest body, whose middle is as far from its anchor.
  return {floor_div(from_corner + low, cell) - kMaxFootprint, floor_div(from_corner + high, cell) + kMaxFootprint};
}

}  // namespace

ObstacleIndex::Tiles ObstacleIndex::tiles_of(const Obstacle& shape, const Bounds& bounds) const noexcept {
  const auto [left, right] =
      anchors_near(bounds.low.x, bounds.high.x, shape.centre.x, frame_.corner().x, frame_.cell_size());
  const auto [top, bottom] =
      anchors_near(bounds.low.y, bounds.high.y, shape.centre.y, frame_.corner().y, frame_.cell_size());
  if (right < 0 || bottom < 0 || left >= shape_.width() || top >= shape_.height()) return {};
  const auto tile = [](Int128 anchor, std::int32_t count) {
    return static_cast<std::int32_t>(std::clamp<Int128>(anchor, 0, count - 1)) / kTileCells;
  };
  return {tile(left, shape_.width()), tile(top, shape_.height()), tile(right, shape_.width()),
          tile(bottom, shape_.height())};
}

template <class Visit>
void ObstacleIndex::each_tile(const Tiles& tiles, Visit visit) {
  for (std::int32_t y = tiles.top; y <= tiles.bottom; ++y) {
    for (std::int32_t x = tiles.left; x <= tiles.right; ++x)
      visit(tiles_[static_cast<std::size_t>(y) * static_cast<std::size_t>(tiles_wide_) + static_cast<std::size_t>(x)]);
  }
}

void ObstacleIndex::put(std::uint32_t index, std::shared_ptr<const Obstacle> shape) {
  Held& held = held_[index];
  held.bounds = bounds_of(*shape, 0);
  held.tiles = tiles_of(*shape, held.bounds);
  held.shape = std::move(shape);
  ++alive_;
  each_tile(held.tiles, [&](std::vector<std::uint32_t>& tile) { tile.push_back(index); });
}

void ObstacleIndex::take_out(std::uint32_t index) {
  Held& held = held_[index];
  each_tile(held.tiles, [&](std::vector<std::uint32_t>& tile) { std::erase(tile, index); });
  held = {};
  --alive_;
}

void ObstacleIndex::adopt(const MapView& map) {
  const auto shapes = map.obstacles();
  if (map.shape() != shape_ || map.frame() != frame_) {
    *this = {};
    shape_ = map.shape();
    frame_ = map.frame();
  }
  if (tiles_.empty() && !shapes.empty()) {
    const auto count = [](std::int32_t cells) { return (cells + kTileCells - 1) / kTileCells; };
    tiles_wide_ = count(shape_.width());
    tiles_.resize(static_cast<std::size_t>(tiles_wide_) * static_cast<std::size_t>(count(shape_.height())));
  }
  held_.resize(std::max(held_.size(), shapes.size()));
  for (std::uint32_t i = 0; i < held_.size(); ++i) {
    const std::shared_ptr<const Obstacle> shape = i < shapes.size() ? shapes[i] : nullptr;
    if (held_[i].shape == shape) continue;
    if (held_[i].shape != nullptr) take_out(i);
    if (shape != nullptr) put(i, shape);
  }
}

bool ObstacleIndex::takes(std::int32_t column, std::int32_t row, std::int32_t layer, int footprint,
                          Fixed reach) const noexcept {
  if (alive_ == 0) return false;
  const std::size_t tile = static_cast<std::size_t>(row / kTileCells) * static_cast<std::size_t>(tiles_wide_) +
                           static_cast<std::size_t>(column / kTileCells);
  const std::int64_t radius = halves(reach);
  // Twice the middle of the body, seen from a shape.
  const auto middle = [&](std::int32_t anchor, Fixed corner, Fixed centre) {
    return (Int128{corner.raw} - centre.raw) * 2 + Int128{frame_.cell_size().raw} * (Int128{anchor} * 2 + footprint);
  };
  return std::any_of(tiles_[tile].begin(), tiles_[tile].end(), [&](std::uint32_t index) {
    const Held& held = held_[index];
    const Int128 x = middle(column, frame_.corner().x, held.shape->centre.x),
                 y = middle(row, frame_.corner().y, held.shape->centre.y);
    const Bounds& b = held.bounds;
    const bool near = x > b.low.x - radius && x < b.high.x + radius && y > b.low.y - radius && y < b.high.y + radius;
    return near && held.shape->on_layer(layer) &&
           overlaps(*held.shape, {static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)}, radius);
  });
}

}  // namespace drover::world
