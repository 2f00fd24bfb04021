// SPDX-License-Identifier: MIT
// What tells a field of an older map from a field of another profile: movement rules as one number, and who knows the
// same.
#pragma once
#include <drover/profile.hpp>

#include <cstdint>

namespace drover::nav {

/// Footprint, moves, corner rule, cost base, terrain rules, layers; the name does not matter to a field. The faction
/// does by what it knows of the map only: see below. The radius does where there are obstacles: see `body_digest`.
std::uint64_t profile_digest(const MovementProfile& profile) noexcept;
/// The same with the radius.
std::uint64_t body_digest(const MovementProfile& profile) noexcept;
/// The one of the two that a field of this map has.
std::uint64_t digest_on(const MapView& map, const MovementProfile& profile) noexcept;

/// Bit f: on the profile's layers faction f knows the same cells as the profile's own; bit kMaxFactions: so do profiles
/// without a faction. O(cells), O(1) without fog.
std::uint16_t knowing_alike(const MapView& map, const MovementProfile& profile) noexcept;

}  // namespace drover::nav
