// SPDX-License-Identifier: MIT
// Mixing a profile's movement rules.
#include "nav/profile_digest.hpp"

#include "base/digest.hpp"

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

}  // namespace drover::nav
