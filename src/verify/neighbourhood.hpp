// SPDX-License-Identifier: MIT
// Pairs of steps that may not run at once, and where to look for the other one.
#pragma once
#include <drover/geometry.hpp>
#include <drover/verify.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "verify/body.hpp"

namespace drover::verify {

/// What an agent does in a tick: stays, takes a step in direction `motion - 1`, is moved in a way that is no step, or
/// passes a portal.
using Motion = std::uint8_t;
inline constexpr Motion kStays = 0, kJumps = kDirections + 1, kPasses = kDirections + 2;

inline constexpr bool is_step(Motion m) noexcept { return m != kStays && m < kJumps; }
inline constexpr int dx_of(Motion m) noexcept { return is_step(m) ? kDx[m - 1] : 0; }
inline constexpr int dy_of(Motion m) noexcept { return is_step(m) ? kDy[m - 1] : 0; }
/// kJumps for what is not one step to a neighbour.
Motion motion_of(Displacement way) noexcept;

/// Two bodies in one tick, the second seen from the first.
struct Encounter {
  int first_footprint = 1, second_footprint = 1;
  int x = 0, y = 0;  // from the first anchor to the second when the tick begins
  Motion first = kStays, second = kStays;
};

/// True if the bodies collide between two whole ticks on which their footprints are apart. Footprints that overlap on a
/// whole tick are another rule's matter and answer false here. `sum_of_radii` is not read under BodyRule::cells.
bool collide(const Encounter& e, BodyRule rule, Fixed sum_of_radii) noexcept;

/// For every size of body and every step: the anchors where another body could stand and collide. Found by asking
/// `collide` about all of them, with the largest radius of each size.
class Neighbourhood {
 public:
  struct Place {
    std::ptrdiff_t offset = 0;  // from anchor to anchor in padded storage
    std::uint16_t motions = 0;  // bit m: the other one's motion m could collide
  };
  Neighbourhood() = default;
  Neighbourhood(std::span<const Body> bodies, BodyRule rule, std::uint32_t stride);

  /// Farthest place along an axis. Two steps and radii of half a body leave no collision from size + 2 on.
  int reach() const noexcept { return reach_; }
  std::span<const Place> around(int footprint, Motion motion) const noexcept {
    return places_[static_cast<std::size_t>(footprint)][motion];
  }

 private:
  int reach_ = 0;
  std::array<std::array<std::vector<Place>, kJumps + 1>, kMaxFootprint + 1> places_;  // none for kStays and kJumps
};

}  // namespace drover::verify
