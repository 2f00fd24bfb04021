// SPDX-License-Identifier: MIT
// What a profile allows on a map: where its body fits and which steps it may take.
#pragma once
#include <drover/profile.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "verify/ground.hpp"

namespace drover::verify {

/// The way from one placement to another; the first must lie on the map.
struct Displacement {
  std::int64_t dx = 0, dy = 0;
  bool same_layer = true;
};

inline Displacement between(Placement from, Placement to) noexcept {
  return {static_cast<std::int32_t>(to.column - from.column), static_cast<std::int32_t>(to.row - from.row),
          from.layer == to.layer};
}

/// The rules of one MovementProfile, written out from contracts 1.4, 1.5 and 2.4.
class Body {
 public:
  Body(const MovementProfile& profile, const Ground& ground);

  /// Size, radius and faction are within their ranges.
  bool sound() const noexcept { return sound_; }
  int footprint() const noexcept { return footprint_; }
  Fixed radius() const noexcept { return radius_; }

  bool passes(TerrainId terrain) const noexcept { return passable_[terrain]; }
  /// Every cell it would cover is on the map, on an allowed layer, known to its faction, passable and under no closed
  /// door, and no obstacle overlaps the disc about their middle.
  bool fits(const Ground& ground, Placement at) const noexcept;
  /// Ground that it may enter, were it a point. Precondition: on the map.
  bool enters(const Ground& ground, Placement at) const noexcept;
  /// To a neighbour, in one of the profile's directions.
  bool may_step(Displacement way) const noexcept;
  /// No cell it covers is forbidden to go that way. Precondition: a step from a placement on the map.
  bool may_leave(const Ground& ground, Placement from, Displacement way) const noexcept;
  /// The corner rule. Precondition: a diagonal step between placements on the map.
  bool may_cut(const Ground& ground, Placement from, Placement to) const noexcept;

 private:
  int footprint_ = 1;
  bool sound_ = false;
  Moves moves_ = Moves::eight;
  CornerRule corner_ = CornerRule::strict;
  FactionId faction_ = kEveryone;
  Fixed radius_, reach_;  // in cells, in world units
  std::array<bool, 256> passable_{};
  std::vector<std::int32_t> layers_;  // ascending; empty: all
};

}  // namespace drover::verify
