// SPDX-License-Identifier: MIT
// What an engine is asked to do: fill one cost plane from its sources outwards.
#pragma once
#include "field/field_data.hpp"

#include <cstdint>
#include <span>

namespace drover::nav {
class CompiledGraph;
}

namespace drover::field {

/// A goal cell with the cost it starts at, in units of the plane.
struct Source {
  std::uint64_t cost = 0;
  std::uint32_t cell = 0;
};

template <class T>
inline constexpr T kNoCost = FlowFieldData::kNone<T>;

/// One integration over a padded map. A step into cell v costs (straight or diagonal) x factors[v].
/// A legal step is legal both ways, and a straight step is legal wherever both of its ends are open. Neither holds for
/// the directed engine, which adds what `graph` adds.
template <class T>
struct Plan {
  const nav::CompiledGraph* graph = nullptr;  // for the directed engine
  const std::uint8_t* moves = nullptr;
  const std::uint32_t* factors = nullptr;  // null: 1 everywhere
  T straight = 1;
  T diagonal = 1;
  std::uint64_t min_step = 1, max_step = 1;  // cheapest and dearest step
  std::uint64_t max_factor = 1;
  bool eight = false;
  std::uint32_t offsets[kDirections] = {};
  std::span<const Source> sources;  // ascending by (cost, cell), no cell twice
  std::size_t cells = 0;            // size of the planes, padding too
  T* costs = nullptr;               // kNoCost everywhere
  std::uint32_t* hops = nullptr;    // null unless steps may be free
};

/// Costs that are stored above bases, read as an engine's plane.
struct TileCosts {
  const std::uint16_t* costs = nullptr;
  const std::uint32_t* bases = nullptr;
  std::uint32_t operator[](std::uint32_t cell) const noexcept {
    const std::uint16_t cost = costs[cell];
    return cost >= FlowFieldData::kNone<std::uint16_t> ? kNoCost<std::uint32_t>
                                                       : bases[cell / FlowFieldData::kLineCells] + cost;
  }
};

/// Of a build that is under way: what is not settled has no cost.
template <class T>
struct SettledCosts {
  const T* costs = nullptr;
  std::uint64_t below = 0;  // costs that are settled
  T operator[](std::uint32_t cell) const noexcept {
    const T cost = costs[cell];
    return cost < kNoCost<T> && cost < below ? cost : kNoCost<T>;
  }
};
/// The same above bases; those of tiles where nothing came are kNoBase.
struct SettledTileCosts {
  static constexpr std::uint32_t kNoBase = ~std::uint32_t{0};
  TileCosts tiles;
  std::uint64_t below = 0;
  std::uint32_t operator[](std::uint32_t cell) const noexcept {
    if (tiles.bases[cell / FlowFieldData::kLineCells] == kNoBase) return kNoCost<std::uint32_t>;
    const std::uint32_t cost = tiles[cell];
    return cost < below ? cost : kNoCost<std::uint32_t>;
  }
};

/// When to give up: where a queue is faster by now, or only where costs do not fit.
enum class Patience : std::uint8_t { while_faster, endless };

struct Outcome {
  std::uint64_t reached = 0;
  std::uint64_t last_cost = 0;
  std::uint64_t events = 0;
  bool out_of_memory = false;
};

}  // namespace drover::field
