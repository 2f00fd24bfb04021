// SPDX-License-Identifier: MIT
// Fewest steps of an optimal way, once costs are known; needed where steps may be free.
#pragma once
#include "field/plan.hpp"
#include "field/rings.hpp"

#include <algorithm>
#include <cstdint>

namespace drover::field {

/// Fills plan.hops: 0 at goals that nothing undercuts, elsewhere one more than the least of the optimal next cells. A
/// breadth-first search over the steps that explain costs exactly. False without memory.
template <class T>
bool count_hops(const Plan<T>& plan, Ring<std::uint32_t>& queue, const Allocator& allocator) noexcept;

inline constexpr std::uint32_t kUncounted = ~std::uint32_t{0};

/// The beginning of such a search: the goals that count are queued at 0, nothing else is counted. False without memory.
template <class T>
bool start_hops(const Plan<T>& plan, Ring<std::uint32_t>& queue, const Allocator& allocator) noexcept {
  std::fill_n(plan.hops, plan.cells, kUncounted);
  queue.clear();
  if (!queue.make_room(allocator, plan.sources.size())) return false;
  for (const Source& source : plan.sources) {
    if (plan.costs[source.cell] != source.cost) continue;
    plan.hops[source.cell] = 0;
    queue.at(queue.tail++) = source.cell;
  }
  return true;
}

}  // namespace drover::field
