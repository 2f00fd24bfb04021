// SPDX-License-Identifier: MIT
// Breadth-first search over optimal steps, against their direction.
#include "field/hops.hpp"

#include <bit>

namespace drover::field {

template <class T>
bool count_hops(const Plan<T>& plan, Ring<std::uint32_t>& queue, const Allocator& allocator) noexcept {
  if (!start_hops(plan, queue, allocator)) return false;
  while (queue.live() > 0) {
    if (!queue.make_room(allocator, kDirections)) return false;
    const std::uint32_t p = queue.at(queue.head++);
    const std::uint64_t factor = plan.factors != nullptr ? plan.factors[p] : 1;
    for (unsigned todo = plan.moves[p] & (plan.eight ? 255u : 15u); todo != 0; todo &= todo - 1) {
      const int k = std::countr_zero(todo);
      const std::uint32_t q = p + plan.offsets[k];
      const std::uint64_t step = (k < 4 ? plan.straight : plan.diagonal) * factor;
      if (plan.hops[q] != kUncounted || plan.costs[p] + step != plan.costs[q]) continue;
      plan.hops[q] = plan.hops[p] + 1;
      queue.at(queue.tail++) = q;
    }
  }
  return true;
}

template bool count_hops(const Plan<std::uint32_t>&, Ring<std::uint32_t>&, const Allocator&) noexcept;
template bool count_hops(const Plan<std::uint64_t>&, Ring<std::uint32_t>&, const Allocator&) noexcept;

}  // namespace drover::field
