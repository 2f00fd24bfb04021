// SPDX-License-Identifier: MIT
// What the tile sweep asks of vector code: settle one tile, hand improvements on, find the ties of rows.
#pragma once
#include "field/field_data.hpp"
#include "field/simd.hpp"

#include <cstddef>
#include <cstdint>

namespace drover::field {

inline constexpr std::uint32_t kTileSide = FlowFieldData::kLineCells;
inline constexpr std::uint32_t kTileCells = kTileSide * kTileSide;

/// Sides in the order of straight directions.
enum TileSide : std::uint8_t { north_side, east_side, south_side, west_side };

/// Values of a tile are 16 bits above its base; this one says "not reached". One step more still fits 16 bits, so that
/// sums need no saturation, and a sum is never below kFarValue where a cell was not reached. Cells that are not open
/// hold what the field says of them, which is above; so do lanes outside of the map.
inline constexpr std::uint16_t kFarValue = FlowFieldData::kNone<std::uint16_t>;

/// What is known of the cells of a tile. `clear`: none lacks a step within the tile; `open`: nor one that leaves it.
enum class Ground : std::uint8_t { not_looked_at, mixed, clear, open };

struct TileHead {
  std::uint64_t base = 0;  // a multiple of FlowFieldData::kBaseStep
  /// Lines with changes that their neighbours within the tile have not seen.
  std::uint32_t pending_rows = 0, pending_columns = 0;
  std::uint8_t pushed = 0;  // sides that a neighbour lowered, bit = TileSide
  bool based = false;       // base is chosen, something was put in
  bool filled = false;      // cells hold values; else all are far but for the sides
  bool certain = false;     // looked at since its last change: no value came near the end of the range
};

/// All that kernels read and write.
struct TileMap {
  std::uint32_t across = 0, down = 0;                                                 // tiles of a layer
  std::uint32_t width = 0, height = 0, stride = 0, layer_stride = 0, first_cell = 0;  // of the padded planes
  const std::uint8_t* moves = nullptr;
  const std::uint8_t* reverse = nullptr;  // moves itself unless steps are forbidden
  const std::uint32_t* factors = nullptr;
  std::uint16_t straight = 1, diagonal = 1;
  std::uint32_t slack = 0;  // how far below its first value a tile's base lies at least
  bool eight = false;
  bool directed = false;
  const std::uint8_t* footings = nullptr;
  std::uint16_t* costs = nullptr;  // padded plane of the field; not set in tiles that are not filled
  std::uint16_t* sides = nullptr;  // four lines a tile, kFarValue at most and never above what `costs` says
  TileHead* heads = nullptr;
  Ground* grounds = nullptr;
};

struct Wake {
  std::uint32_t tile = 0;
  std::uint64_t key = 0;  // least value that came in
};

struct Visited {
  std::uint32_t wakes = 0;   // neighbours that it lowered
  std::uint32_t passes = 0;  // over its rows or columns
};

/// Of cells of the map.
struct Written {
  std::uint64_t reached = 0;
  std::uint32_t last_cost = 0;
  std::uint16_t most_above = 0;  // above the base of its tile
};

/// Rows whose ties are asked for; the part begins at a line and is kTiePart cells wide at most.
struct TiePart {
  const std::uint16_t* costs = nullptr;
  const std::uint32_t* bases = nullptr;
  const std::uint8_t* moves = nullptr;
  const std::uint32_t* factors = nullptr;
  const Ground* grounds = nullptr;  // of the tiles of these rows; null: not known
  std::uint8_t* ties = nullptr;
  std::uint32_t first = 0, stride = 0, width = 0, height = 0;
  std::uint16_t straight = 1, diagonal = 1;
  std::uint64_t max_step = 1;
  bool eight = false;
};
inline constexpr std::uint32_t kTiePart = 1024;

struct TileKernels {
  /// Settles the tile against its sides and lowers those of its neighbours, at most eight.
  Visited (*visit)(const TileMap& map, std::uint32_t tile, Wake* wakes);
  /// Ties of settled cells where steps differ by direction nowhere; adds what the rows hold to `written`.
  void (*write_ties)(const TiePart& part, Written& written);
  /// The second half of it alone.
  void (*measure)(const TiePart& part, Written& written);
};

/// Null where this program or this machine has no vectors for them.
const TileKernels* tile_kernels(Simd level) noexcept;

/// Index in the padded planes of the tile's upper-left cell.
inline std::uint32_t tile_corner(const TileMap& map, std::uint32_t tile) noexcept {
  const std::uint32_t row = tile / map.across, layer = row / map.down;
  return map.first_cell + layer * map.layer_stride + row % map.down * kTileSide * map.stride +
         tile % map.across * kTileSide;
}

/// Its rows that lie in the map.
inline std::uint32_t tile_height(const TileMap& map, std::uint32_t tile) noexcept {
  const std::uint32_t left = map.height - tile / map.across % map.down * kTileSide;
  return left < kTileSide ? left : kTileSide;
}

/// Base of a tile whose least value is `first`.
inline std::uint64_t base_below(const TileMap& map, std::uint64_t first) noexcept {
  const std::uint64_t below = first > map.slack ? first - map.slack : 0;
  return below / FlowFieldData::kBaseStep * FlowFieldData::kBaseStep;
}

/// Nothing is reached there yet.
void fill_tile(const TileMap& map, std::uint32_t tile) noexcept;

/// Lowers the base of a tile; values that no longer fit become the largest one.
void lower_base(const TileMap& map, std::uint32_t tile, std::uint64_t base) noexcept;

}  // namespace drover::field
