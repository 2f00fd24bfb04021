// SPDX-License-Identifier: MIT
// Tie sets and directions from finished costs.
#pragma once
#include "field/plan.hpp"

#include <drover/geometry.hpp>
#include <drover/host.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace drover::field {

/// Bands of rows, counted through all layers.
struct Bands {
  std::uint32_t from = 0, to = 0;
};

struct DirectionPlanes {
  const std::uint8_t* footings = nullptr;
  std::uint8_t* ties = nullptr;
};

/// Ties: legal steps whose cost explains the cell's exactly (of free ones those with fewer hops ahead). Goals are
/// marked afterwards, by mark_goals. Cells that are not open get what they are in the place of a cost. Writes the cells
/// of the map only.
template <class T>
void write_directions(const Plan<T>& plan, const GridShape& shape, const DirectionPlanes& planes, Bands bands,
                      const Tasks& tasks) noexcept;

/// Of write_directions: each layer begins with a band of its own.
inline constexpr std::int32_t kBandRows = 64;
inline std::uint32_t bands_a_layer(const GridShape& shape) noexcept {
  return static_cast<std::uint32_t>((shape.height() + kBandRows - 1) / kBandRows);
}
struct BandRows {
  std::int32_t layer = 0, first = 0, count = 0;
};
inline BandRows band_rows(const GridShape& shape, std::uint64_t band) noexcept {
  const std::uint32_t each = bands_a_layer(shape);
  const auto first = static_cast<std::int32_t>(band % each) * kBandRows;
  return {static_cast<std::int32_t>(band / each), first, std::min(kBandRows, shape.height() - first)};
}

/// Goals lead nowhere, also where a way to another one is cheaper than their offset.
void mark_goals(std::span<const std::uint32_t> cells, const DirectionPlanes& planes) noexcept;

}  // namespace drover::field
