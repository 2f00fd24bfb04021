// SPDX-License-Identifier: MIT
// What a profile makes of each terrain class, looked up by the class's number.
#pragma once
#include <drover/profile.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace drover::nav {

/// Passability and cost tables of (terrain classes, profile). A class without an entry is blocked.
struct CellRules {
  std::array<std::uint8_t, 256> passable{};
  std::array<std::uint32_t, 256> cost{};
  std::vector<std::int32_t> layers;  // ascending; empty: all
  FactionId faction = kEveryone;
  bool weights = false;   // costs come from the map's weights
  bool one_cost = false;  // without looking at the map: every passable cell costs `common_cost`
  std::uint32_t common_cost = 1;

  static CellRules of(const MapView& map, const MovementProfile& profile);
  bool allows_layer(std::int32_t layer) const noexcept;
  friend bool operator==(const CellRules&, const CellRules&) = default;
};

}  // namespace drover::nav
