// SPDX-License-Identifier: MIT
// Costs, ties and codes of settled tiles, row by row across the map: tile by tile every row would be a page of its own.
#include "field/tile_write.hpp"

#include "base/tasks.hpp"
#include "field/direction_rows.hpp"

#include <algorithm>

namespace drover::field {
namespace {

constexpr std::int32_t kStripTiles = kStrip / static_cast<std::int32_t>(kTileSide);

// Part of a row of tiles, as wide as a strip.
struct Part {
  const Plan<std::uint32_t>* plan;
  const TileMap* map;
  const TileKernels* kernels;
  const DirectionPlanes* planes;  // null: costs only
  std::uint32_t first_tile;       // upper-left tile of the layer
  std::uint32_t first_cell;       // upper-left cell of the part
  std::int32_t row, height;       // rows of the layer
  std::int32_t column, width;
  Written* written;
};

// Low bits of the costs of one cell; any value outside of the map, where no move leads.
template <class Lane>
Lane lane_at(const Part& part, std::int32_t row, std::int32_t column) {
  const TileMap& map = *part.map;
  if (column < 0 || column >= static_cast<std::int32_t>(map.width)) return 0;
  const auto x = static_cast<std::uint32_t>(column), y = static_cast<std::uint32_t>(row);
  const std::uint32_t tile = part.first_tile + y / kTileSide * map.across + x / kTileSide;
  const TileHead& head = map.heads[tile];
  const std::uint16_t value = map.cells[std::size_t{tile} * kTileCells + y % kTileSide * kTileSide + x % kTileSide];
  return head.filled && value != kFarValue ? static_cast<Lane>(head.base + value) : static_cast<Lane>(~Lane{0});
}

// Costs of one row into the plane (or into nothing, for the rows around the part) and into lanes.
template <class Lane, bool Eight>
DROVER_INLINE void enter_tiles(const Part& part, std::int32_t row, EnterRow<Lane>& out) {
  const TileMap& map = *part.map;
  const std::int32_t lanes = part.width + 2;
  if (row < 0 || row >= static_cast<std::int32_t>(map.height)) {
    std::fill_n(out.straight, lanes, Lane{0});
    if (Eight) std::fill_n(out.diagonal, lanes, Lane{0});
    return;
  }
  const bool own = row >= part.row && row < part.row + part.height;
  const auto y = static_cast<std::uint32_t>(row);
  const std::uint32_t tile =
      part.first_tile + y / kTileSide * map.across + static_cast<std::uint32_t>(part.column) / kTileSide;
  const std::uint32_t first = part.first_cell + static_cast<std::uint32_t>(row - part.row) * map.stride;
  alignas(64) std::uint32_t nowhere[kStrip];
  std::uint16_t low[kStrip];
  Written nothing;
  const auto tiles = (static_cast<std::uint32_t>(part.width) + kTileSide - 1) / kTileSide;
  part.kernels->write_line(map, tile, tiles, y % kTileSide, own ? part.plan->costs + first : nowhere, low,
                           own ? *part.written : nothing);
  for (std::int32_t x = 0; x < part.width; ++x) out.cost[1 + x] = static_cast<Lane>(low[x]);
  out.cost[0] = lane_at<Lane>(part, row, part.column - 1);
  out.cost[part.width + 1] = lane_at<Lane>(part, row, part.column + part.width);
  add_steps<std::uint32_t, Lane, Eight>(*part.plan, first, lanes, out);
}

template <class Lane, bool Eight>
DROVER_INLINE void part_body(const Part& part) {
  EnterRow<Lane> rows[3];
  EnterRow<Lane>*above = &rows[0], *level = &rows[1], *below = &rows[2];
  enter_tiles<Lane, Eight>(part, part.row - 1, *above);
  enter_tiles<Lane, Eight>(part, part.row, *level);
  for (std::int32_t i = 0; i < part.height; ++i) {
    const std::uint32_t at = part.first_cell + static_cast<std::uint32_t>(i) * part.map->stride;
    enter_tiles<Lane, Eight>(part, part.row + i + 1, *below);
    if (part.planes != nullptr) {
      std::uint8_t* const ties = part.planes->ties + at;
      ties_of_row<Lane, Eight>(*above, *level, *below, part.map->moves + at, ties, part.width);
      codes_of_row(ties, part.planes->footings + at, part.planes->codes + at, part.width);
    }
    EnterRow<Lane>* const spent = above;
    above = level;
    level = below;
    below = spent;
  }
}

template <class Lane, bool Eight>
void part_plain(const Part& part) noexcept {
  part_body<Lane, Eight>(part);
}
#if DROVER_HAS_AVX2_CLONE
template <class Lane, bool Eight>
__attribute__((target("avx2"))) void part_avx2(const Part& part) noexcept {
  part_body<Lane, Eight>(part);
}
#endif

template <class Lane>
void write_part_in(const Part& part) noexcept {
#if DROVER_HAS_AVX2_CLONE
  if (simd_in_use() >= Simd::avx2) return part.map->eight ? part_avx2<Lane, true>(part) : part_avx2<Lane, false>(part);
#endif
  return part.map->eight ? part_plain<Lane, true>(part) : part_plain<Lane, false>(part);
}

}  // namespace

void write_swept(const Plan<std::uint32_t>& plan, const TileMap& map, const TileKernels& kernels,
                 const GridShape& shape, const DirectionPlanes* planes, const Tasks& tasks, Written* written) noexcept {
  const std::uint64_t bands = std::uint64_t{map.down} * static_cast<std::uint64_t>(shape.layers());
  base::parallel_for(tasks, bands, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t band = begin; band < end; ++band) {
      const auto layer = static_cast<std::int32_t>(band / map.down);
      const auto row = static_cast<std::int32_t>(band % map.down * kTileSide);
      written[band] = {};
      for (std::int32_t x = 0; x < shape.width(); x += kStripTiles * static_cast<std::int32_t>(kTileSide)) {
        const Part part{&plan,
                        &map,
                        &kernels,
                        planes,
                        static_cast<std::uint32_t>(layer) * map.down * map.across,
                        shape.at(x, row, layer),
                        row,
                        std::min(static_cast<std::int32_t>(kTileSide), shape.height() - row),
                        x,
                        std::min(kStrip, shape.width() - x),
                        written + band};
        2 * plan.max_step < 0x100 ? write_part_in<std::uint8_t>(part) : write_part_in<std::uint16_t>(part);
      }
    }
  });
}

}  // namespace drover::field
