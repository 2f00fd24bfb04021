// SPDX-License-Identifier: MIT
// Costs by settling whole tiles with vector code, in the order in which waves come to them.
#pragma once
#include "base/memory.hpp"
#include "base/quad_heap.hpp"
#include "field/directions.hpp"
#include "field/plan.hpp"
#include "field/tile_kernels.hpp"
#include "field/tile_write.hpp"

#include <drover/geometry.hpp>

#include <cstdint>

namespace drover::field {

/// An active tile and the least value that came in since its last visit.
struct TileEvent {
  std::uint64_t key = 0;
  std::uint32_t tile = 0;
  friend bool operator<(const TileEvent& a, const TileEvent& b) noexcept {
    return a.key != b.key ? a.key < b.key : a.tile < b.tile;
  }
};

struct TileScratch {
  base::Plane<std::uint16_t> cells, sides;
  base::Plane<TileHead> heads;
  base::Plane<std::uint64_t> keys;
  base::Plane<Written> written;
  base::QuadHeap<TileEvent> active;
};

/// Dearest step, in units, that 16 bits serve: a tile must be crossed within its range.
inline constexpr std::uint64_t kMaxTileStep = 2040;

struct TileOutcome {
  Outcome outcome;
  const char* gave_up = nullptr;  // why nothing of use is there
};

/// Writes the cost of every cell of the map, reached or not, and where planes are given its ties and code (goals are
/// marked afterwards); needs nothing in the planes before.
TileOutcome tile_sweep(const Plan<std::uint32_t>& plan, const GridShape& shape, const DirectionPlanes* planes,
                       Patience patience, TileScratch& scratch, const Host& host) noexcept;

}  // namespace drover::field
