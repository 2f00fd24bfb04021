// SPDX-License-Identifier: MIT
// Mixing a profile's movement rules; comparing what factions know.
#include "nav/profile_digest.hpp"

#include "base/digest.hpp"

#include <algorithm>

namespace drover::nav {

std::uint64_t profile_digest(const MovementProfile& profile) noexcept {
  base::SumDigest rules;
  for (const TerrainRule& rule : profile.terrain) {
    const std::uint64_t cost = rule.cost ? std::uint64_t{*rule.cost} + 1 : 0;
    const std::uint64_t passable = rule.passable ? (*rule.passable ? 2 : 1) : 0;
    rules.add(rule.terrain, cost << 2 | passable);
  }
  base::SumDigest layers;
  for (const std::int32_t layer : profile.layers) layers.add(static_cast<std::uint64_t>(layer), 1);
  base::Digest digest;
  digest.add(static_cast<std::uint64_t>(profile.footprint)).add(static_cast<std::uint64_t>(profile.moves));
  digest.add(static_cast<std::uint64_t>(profile.corner)).add(static_cast<std::uint64_t>(profile.costs));
  return digest.add(rules.value()).add(layers.value()).value();
}

std::uint64_t body_digest(const MovementProfile& profile) noexcept {
  return base::mix(profile_digest(profile), static_cast<std::uint64_t>(profile.radius().raw));
}

std::uint64_t digest_on(const MapView& map, const MovementProfile& profile) noexcept {
  const auto obstacles = map.obstacles();
  const bool none = std::all_of(obstacles.begin(), obstacles.end(), [](const auto& o) { return o == nullptr; });
  return none ? profile_digest(profile) : body_digest(profile);
}

std::uint16_t knowing_alike(const MapView& map, const MovementProfile& profile) noexcept {
  constexpr unsigned kAll = (2u << kMaxFactions) - 1;
  const std::uint8_t* const fog = map.fog_plane();
  if (fog == nullptr) return kAll;
  const GridShape& shape = map.shape();
  const auto& layers = profile.layers;
  const unsigned mine = profile.faction < kMaxFactions ? profile.faction : 0;
  const std::uint8_t has_faction = profile.faction < kMaxFactions ? 1 : 0;
  std::uint8_t others = 0, own = 0;  // who differs on some cell; whether something is hidden from the profile
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    if (!layers.empty() && std::find(layers.begin(), layers.end(), layer) == layers.end()) continue;
    const std::uint32_t first = shape.at(0, 0, layer), last = shape.at(shape.width() - 1, shape.height() - 1, layer);
    for (std::uint32_t i = first; i <= last; ++i) {
      const auto hidden = static_cast<std::uint8_t>(fog[i] >> mine & has_faction);
      others = static_cast<std::uint8_t>(others | (fog[i] ^ (0u - hidden)));
      own |= hidden;
    }
  }
  return static_cast<std::uint16_t>(kAll & ~(unsigned{own} << kMaxFactions | others));
}

}  // namespace drover::nav
