// SPDX-License-Identifier: MIT
// What makes a profile valid.
#include "base/no_throw.hpp"

#include <drover/profile.hpp>

#include <array>
#include <string>

namespace drover {

Status MovementProfile::validate(std::size_t terrain_classes) const {
  return base::no_throw([&]() -> Status {
    const auto of_profile = [&] { return "profile \"" + name + "\": "; };
    if (footprint < 1 || footprint > kMaxFootprint) {
      return {StatusCode::footprint, of_profile() + "footprint " + std::to_string(footprint) + "; expected 1 .. " +
                                         std::to_string(kMaxFootprint) + " cells a side"};
    }
    if (radius().raw <= 0 || radius() > Fixed::ratio(footprint, 2)) {
      return {StatusCode::footprint, of_profile() + "body radius; expected above 0 and at most " +
                                         std::to_string(footprint) + "/2, half the footprint"};
    }
    std::array<bool, 256> seen{};
    for (const TerrainRule& rule : terrain) {
      const std::string which = "terrain class " + std::to_string(rule.terrain);
      if (rule.terrain >= terrain_classes) {
        return {StatusCode::argument,
                of_profile() + which + "; the map has " + std::to_string(terrain_classes) + " classes"};
      }
      if (seen[rule.terrain]) return {StatusCode::argument, of_profile() + which + " twice; expected at most once"};
      seen[rule.terrain] = true;
      if (rule.cost && *rule.cost > kMaxCellCost) {
        return {StatusCode::cost_range, of_profile() + "cost " + std::to_string(*rule.cost) + " of " + which +
                                            "; expected 0 .. " + std::to_string(kMaxCellCost)};
      }
    }
    return {};
  });
}

}  // namespace drover
