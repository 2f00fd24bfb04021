// SPDX-License-Identifier: MIT
// The map as the checks read it.
#pragma once
#include <drover/map.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

#include "verify/prefetch.hpp"
#include "world/obstacle_index.hpp"

namespace drover::verify {

/// An anchor counted from the corner of the map. Cells left of or above it wrap round to numbers beyond every map.
struct Placement {
  std::uint32_t column = 0, row = 0, layer = 0;
  friend bool operator==(const Placement&, const Placement&) noexcept = default;
};

/// A view with what every check reads at hand.
class Ground {
 public:
  Ground() = default;
  explicit Ground(const MapView& view) { adopt(view); }
  /// Obstacles that did not change are kept as they are.
  void adopt(const MapView& view) {
    obstacles_.adopt(view);
    view_ = view;
    shape_ = view.shape();
    terrain_ = view.terrain_plane();
    flags_ = view.flag_plane();
    fog_ = view.fog_plane();
  }

  const GridShape& shape() const noexcept { return shape_; }
  std::span<const TerrainClass> terrain_classes() const noexcept { return view_.terrain_classes(); }
  std::size_t factions() const noexcept { return view_.factions().size(); }
  TerrainId terrain(std::uint32_t index) const noexcept { return terrain_[index]; }
  /// Known to this faction and under no closed door.
  bool clear(std::uint32_t index, FactionId faction) const noexcept {
    if ((flags_[index] & (MapView::kUnknownFlag | MapView::kClosedFlag)) != 0) return false;
    return fog_ == nullptr || faction >= kMaxFactions || (fog_[index] & 1u << faction) == 0;
  }
  const WorldFrame& frame() const noexcept { return view_.frame(); }
  /// An obstacle overlaps the disc of this radius, in world units, about the middle of a k x k body. Precondition:
  /// holds(at, 1).
  bool obstructed(Placement at, int footprint, Fixed reach) const noexcept {
    return !obstacles_.empty() &&
           obstacles_.takes(static_cast<std::int32_t>(at.column), static_cast<std::int32_t>(at.row),
                            static_cast<std::int32_t>(at.layer), footprint, reach);
  }
  std::span<const PortalDef> portals() const noexcept { return view_.portals(); }
  bool has_step_rules() const noexcept { return !view_.step_rules().empty(); }
  /// A one-way or a closed door forbids the step of this cell. O(log rules).
  bool forbids(std::uint32_t index, Direction d) const noexcept {
    const auto rules = view_.step_rules();
    const auto before = [](const StepRule& rule, const StepRule& step) {
      return rule.from != step.from ? rule.from < step.from : rule.direction < step.direction;
    };
    const auto found = std::lower_bound(rules.begin(), rules.end(), StepRule{{index}, d, true, 0}, before);
    return found != rules.end() && found->from.value == index && found->direction == d && !found->allowed;
  }
  /// Every cell of a k x k body is on the map.
  bool holds(Placement at, int footprint) const noexcept {
    const auto size = static_cast<std::uint32_t>(footprint);
    const auto width = static_cast<std::uint32_t>(shape_.width());
    const auto height = static_cast<std::uint32_t>(shape_.height());
    return at.column < width && width - at.column >= size && at.row < height && height - at.row >= size &&
           at.layer < static_cast<std::uint32_t>(shape_.layers());
  }
  /// Precondition: holds(at, 1).
  std::uint32_t index(Placement at) const noexcept {
    return shape_.at(static_cast<std::int32_t>(at.column), static_cast<std::int32_t>(at.row),
                     static_cast<std::int32_t>(at.layer));
  }
  Placement placement(Cell c) const noexcept {
    const Cell origin = shape_.origin();
    return {static_cast<std::uint32_t>(c.x) - static_cast<std::uint32_t>(origin.x),
            static_cast<std::uint32_t>(c.y) - static_cast<std::uint32_t>(origin.y),
            static_cast<std::uint32_t>(c.layer)};
  }
  Cell cell(Placement p) const noexcept {
    const Cell origin = shape_.origin();
    return {static_cast<std::int32_t>(p.column + static_cast<std::uint32_t>(origin.x)),
            static_cast<std::int32_t>(p.row + static_cast<std::uint32_t>(origin.y)),
            static_cast<std::int32_t>(p.layer)};
  }
  void prefetch(std::uint32_t index) const noexcept {
    verify::prefetch(terrain_ + index);
    verify::prefetch(flags_ + index);
  }

 private:
  MapView view_;  // keeps the planes alive
  GridShape shape_;
  const TerrainId* terrain_ = nullptr;
  const std::uint8_t* flags_ = nullptr;
  const std::uint8_t* fog_ = nullptr;
  world::ObstacleIndex obstacles_;
};

}  // namespace drover::verify
