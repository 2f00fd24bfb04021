// SPDX-License-Identifier: MIT
// Costs by settling whole tiles with vector code, in the order in which waves come to them.
#pragma once
#include "base/memory.hpp"
#include "base/quad_heap.hpp"
#include "field/directions.hpp"
#include "field/progress.hpp"
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
  base::Plane<std::uint16_t> sides;
  base::Plane<TileHead> heads;
  base::Plane<Ground> grounds;  // kept for the next build on the same graph
  std::uint64_t grounds_of = 0;
  base::Plane<std::uint64_t> keys;
  base::Plane<Written> written;
  base::QuadHeap<TileEvent> active;
  std::uint64_t reached_tiles = 0, passes = 0;
};

/// Dearest step, in units, that 16 bits serve: a tile must be crossed within its range.
inline constexpr std::uint64_t kMaxTileStep = 2040;

/// What a sweep writes: costs of every cell of the map, reached or not, and bases.
struct SweptPlanes {
  std::uint16_t* costs = nullptr;
  std::uint32_t* bases = nullptr;
  DirectionPlanes directions;  // ties null: left to write_directed_steps; goals are marked afterwards
};

/// Needs nothing in the planes before but "outside" around the map, which stays. Returns why nothing of use is there;
/// null: all is well, so far or to the end.
const char* tile_sweep(const Plan<std::uint32_t>& plan, const GridShape& shape, const SweptPlanes& planes,
                       Patience patience, TileScratch& scratch, const Host& host, Progress& progress) noexcept;

/// How many tiles there are in each direction; in a row of them they are counted from the left.
struct TileCounts {
  std::uint32_t down = 0, across = 0;
};
inline TileCounts tiles_of(const GridShape& shape) noexcept {
  return {(static_cast<std::uint32_t>(shape.height()) + kTileSide - 1) / kTileSide,
          (static_cast<std::uint32_t>(shape.width()) + kTileSide - 1) / kTileSide};
}
/// Of a sweep that has begun: what a cell's cost is so far; kEndless: nothing came there.
std::uint64_t swept_cost(const GridShape& shape, const TileScratch& scratch, const std::uint16_t* costs,
                         std::uint32_t cell) noexcept;

}  // namespace drover::field
