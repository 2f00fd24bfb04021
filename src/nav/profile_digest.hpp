// SPDX-License-Identifier: MIT
// A profile's movement rules as one number: tells a field of an older map from a field of another profile.
#pragma once
#include <drover/profile.hpp>

#include <cstdint>

namespace drover::nav {

/// Footprint, moves, corner rule, cost base, terrain rules, layers; name and radius do not matter to a field.
std::uint64_t profile_digest(const MovementProfile& profile) noexcept;

}  // namespace drover::nav
