// SPDX-License-Identifier: MIT
// Rules of standing and stepping, read from the map cell by cell.
#include "verify/body.hpp"

#include <algorithm>
#include <cstddef>

namespace drover::verify {

Body::Body(const MovementProfile& profile, const MapView& map)
    : footprint_(profile.footprint), moves_(profile.moves), corner_(profile.corner), layers_(profile.layers) {
  if (footprint_ < 1 || footprint_ > kMaxFootprint) return;
  radius_ = profile.radius();
  sound_ = radius_ > Fixed{} && radius_ <= Fixed::ratio(footprint_, 2);
  const auto classes = map.terrain_classes();
  for (std::size_t i = 0; i < classes.size() && i < passable_.size(); ++i) passable_[i] = classes[i].passable;
  for (const TerrainRule& rule : profile.terrain) {
    if (rule.passable && rule.terrain < classes.size()) passable_[rule.terrain] = *rule.passable;
  }
  std::sort(layers_.begin(), layers_.end());
}

bool Body::on_map(const MapView& map, Placement at) const noexcept {
  const GridShape& shape = map.shape();
  const auto width = static_cast<std::uint32_t>(shape.width());
  const auto height = static_cast<std::uint32_t>(shape.height());
  const auto size = static_cast<std::uint32_t>(footprint_);
  return at.column < width && width - at.column >= size && at.row < height && height - at.row >= size &&
         at.layer < static_cast<std::uint32_t>(shape.layers());
}

bool Body::fits(const MapView& map, Placement at) const noexcept {
  if (!on_map(map, at)) return false;
  const auto layer = static_cast<std::int32_t>(at.layer);
  if (!layers_.empty() && !std::binary_search(layers_.begin(), layers_.end(), layer)) return false;
  const auto column = static_cast<std::int32_t>(at.column);
  for (int y = 0; y < footprint_; ++y) {
    const std::uint32_t first = map.shape().at(column, static_cast<std::int32_t>(at.row) + y, layer);
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(footprint_); ++x) {
      const CellIndex cell{first + x};
      if (!passable_[map.terrain(cell)] || map.unknown(cell) || map.door_closed(cell)) return false;
    }
  }
  return true;
}

bool Body::may_step(Displacement way) const noexcept {
  const auto columns = way.dx < 0 ? -way.dx : way.dx;
  const auto rows = way.dy < 0 ? -way.dy : way.dy;
  if (!way.same_layer || columns > 1 || rows > 1 || columns + rows == 0) return false;
  return columns + rows == 1 || moves_ == Moves::eight;
}

bool Body::may_cut(const MapView& map, Placement from, Placement to) const noexcept {
  if (corner_ == CornerRule::none) return true;
  const bool beside = fits(map, {to.column, from.row, from.layer});
  const bool above = fits(map, {from.column, to.row, from.layer});
  return corner_ == CornerRule::strict ? beside && above : beside || above;
}

}  // namespace drover::verify
