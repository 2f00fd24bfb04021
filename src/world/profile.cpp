// SPDX-License-Identifier: MIT
// What makes a profile valid.
#include "base/no_throw.hpp"
#include "base/text.hpp"

#include <drover/profile.hpp>

#include <array>
#include <string>

namespace drover {

Status MovementProfile::validate(std::size_t terrain_classes, std::size_t factions) const {
  return base::no_throw([&]() -> Status {
    const auto of_profile = [&] { return base::concat("profile \"", name, "\": "); };
    if (footprint < 1 || footprint > kMaxFootprint) {
      return {StatusCode::footprint,
              base::concat(of_profile(), "footprint ", footprint, "; expected 1 .. ", kMaxFootprint, " cells a side")};
    }
    if (radius().raw <= 0 || radius() > Fixed::ratio(footprint, 2)) {
      return {StatusCode::footprint, base::concat(of_profile(), "body radius; expected above 0 and at most ", footprint,
                                                  "/2, half the footprint")};
    }
    if (speed < kMinSpeed || speed > Fixed::from_int(1)) {
      return {StatusCode::speed, base::concat(of_profile(), "speed; expected 1/65536 .. 1 cells a tick")};
    }
    if (faction != kEveryone && faction >= factions) {
      return {StatusCode::argument,
              base::concat(of_profile(), "faction ", faction, "; the map has ", factions, " factions")};
    }
    std::array<bool, 256> seen{};
    for (const TerrainRule& rule : terrain) {
      const std::string which = base::concat("terrain class ", rule.terrain);
      if (rule.terrain >= terrain_classes) {
        return {StatusCode::argument, base::concat(of_profile(), which, "; the map has ", terrain_classes, " classes")};
      }
      if (seen[rule.terrain])
        return {StatusCode::argument, base::concat(of_profile(), which, " twice; expected at most once")};
      seen[rule.terrain] = true;
      if (rule.cost && *rule.cost > kMaxCellCost) {
        return {StatusCode::cost_range,
                base::concat(of_profile(), "cost ", *rule.cost, " of ", which, "; expected 0 .. ", kMaxCellCost)};
      }
    }
    return {};
  });
}

}  // namespace drover
