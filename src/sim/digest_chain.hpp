// SPDX-License-Identifier: MIT
// How digests of ticks hang together.
#pragma once
#include "base/digest.hpp"

#include <drover/simulation.hpp>

namespace drover::sim {

/// Digests::all of a tick: of its four parts, and through `before`, the value of the tick before, of the whole run.
inline std::uint64_t chained(std::uint64_t before, std::uint64_t tick, const Digests& d) noexcept {
  base::Digest chain;
  chain.add(before).add(tick).add(d.agents).add(d.reservations).add(d.world).add(d.fields);
  return chain.value();
}

}  // namespace drover::sim
