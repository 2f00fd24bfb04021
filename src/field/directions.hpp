// SPDX-License-Identifier: MIT
// Tie sets and directions from finished costs.
#pragma once
#include "field/plan.hpp"

#include <drover/geometry.hpp>
#include <drover/host.hpp>

#include <cstdint>
#include <span>

namespace drover::field {

struct DirectionPlanes {
  const std::uint8_t* footings = nullptr;
  std::uint8_t* ties = nullptr;
};

/// Ties: legal steps whose cost explains the cell's exactly (of free ones those with fewer hops ahead). Goals are
/// marked afterwards, by mark_goals. Cells that are not open get what they are in the place of a cost. Writes the cells
/// of the map only.
template <class T>
void write_directions(const Plan<T>& plan, const GridShape& shape, const DirectionPlanes& planes,
                      const Tasks& tasks) noexcept;

/// Goals lead nowhere, also where a way to another one is cheaper than their offset.
void mark_goals(std::span<const std::uint32_t> cells, const DirectionPlanes& planes) noexcept;

}  // namespace drover::field
