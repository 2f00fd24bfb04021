// SPDX-License-Identifier: MIT
// The baseline of bench field: Dijkstra with std::priority_queue on the plain grid, costs only.
#pragma once
#include "maps.hpp"

namespace drover::bench {

inline constexpr std::uint32_t kFar = ~std::uint32_t{0};

/// Costs 10 and 14 times the weight of the entered cell; a diagonal needs both orthogonal cells free. `costs` is
/// resized.
void heap_field(const BenchMap& map, Cell goal, int moves, std::vector<std::uint32_t>& costs);

}  // namespace drover::bench
