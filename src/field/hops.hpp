// SPDX-License-Identifier: MIT
// Fewest steps of an optimal way, once costs are known; needed where steps may be free.
#pragma once
#include "field/plan.hpp"
#include "field/rings.hpp"

namespace drover::field {

/// Fills plan.hops: 0 at goals that nothing undercuts, elsewhere one more than the least of the optimal next cells. A
/// breadth-first search over the steps that explain costs exactly. False without memory.
template <class T>
bool count_hops(const Plan<T>& plan, Ring<std::uint32_t>& queue, const Allocator& allocator) noexcept;

}  // namespace drover::field
