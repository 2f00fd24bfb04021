// SPDX-License-Identifier: MIT
// Rules of standing and stepping, read from the map cell by cell.
#include "verify/body.hpp"

#include <algorithm>
#include <cstddef>

namespace drover::verify {

Body::Body(const MovementProfile& profile, const Ground& ground)
    : footprint_(profile.footprint),
      moves_(profile.moves),
      corner_(profile.corner),
      faction_(profile.faction),
      layers_(profile.layers) {
  if (footprint_ < 1 || footprint_ > kMaxFootprint) return;
  radius_ = profile.radius();
  reach_ = world::reach_of(ground.frame(), profile);
  if (faction_ != kEveryone && faction_ >= ground.factions()) return;
  sound_ = radius_ > Fixed{} && radius_ <= Fixed::ratio(footprint_, 2);
  const auto classes = ground.terrain_classes();
  for (std::size_t i = 0; i < classes.size() && i < passable_.size(); ++i) passable_[i] = classes[i].passable;
  for (const TerrainRule& rule : profile.terrain) {
    if (rule.passable && rule.terrain < classes.size()) passable_[rule.terrain] = *rule.passable;
  }
  std::sort(layers_.begin(), layers_.end());
}

bool Body::fits(const Ground& ground, Placement at) const noexcept {
  if (!ground.holds(at, footprint_)) return false;
  const auto layer = static_cast<std::int32_t>(at.layer);
  if (!layers_.empty() && !std::binary_search(layers_.begin(), layers_.end(), layer)) return false;
  std::uint32_t row = ground.index(at);
  for (int y = 0; y < footprint_; ++y, row += ground.shape().stride()) {
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(footprint_); ++x) {
      if (!passable_[ground.terrain(row + x)] || !ground.clear(row + x, faction_)) return false;
    }
  }
  return !ground.obstructed(at, footprint_, reach_);
}

bool Body::enters(const Ground& ground, Placement at) const noexcept {
  const std::uint32_t index = ground.index(at);
  return passable_[ground.terrain(index)] && ground.clear(index, faction_);
}

bool Body::may_step(Displacement way) const noexcept {
  const auto columns = way.dx < 0 ? -way.dx : way.dx;
  const auto rows = way.dy < 0 ? -way.dy : way.dy;
  if (!way.same_layer || columns > 1 || rows > 1 || columns + rows == 0) return false;
  return columns + rows == 1 || moves_ == Moves::eight;
}

bool Body::may_leave(const Ground& ground, Placement from, Displacement way) const noexcept {
  if (!ground.has_step_rules()) return true;
  for (int k = 0; k < kDirections; ++k) {
    if (kDx[k] != way.dx || kDy[k] != way.dy) continue;
    std::uint32_t row = ground.index(from);
    for (int y = 0; y < footprint_; ++y, row += ground.shape().stride()) {
      for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(footprint_); ++x) {
        if (ground.forbids(row + x, static_cast<Direction>(k))) return false;
      }
    }
  }
  return true;
}

bool Body::may_cut(const Ground& ground, Placement from, Placement to) const noexcept {
  if (corner_ == CornerRule::none) return true;
  const bool beside = fits(ground, {to.column, from.row, from.layer});
  const bool above = fits(ground, {from.column, to.row, from.layer});
  return corner_ == CornerRule::strict ? beside && above : beside || above;
}

}  // namespace drover::verify
