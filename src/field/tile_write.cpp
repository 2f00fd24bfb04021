// SPDX-License-Identifier: MIT
// Bases and ties of settled tiles, row by row across the map: tile by tile every row would be a page of its own.
#include "field/tile_write.hpp"

#include "base/tasks.hpp"

#include <algorithm>

namespace drover::field {
namespace {

// Of one row of tiles.
void complete_band(const TileMap& map, std::uint32_t first_tile, std::uint32_t* bases) noexcept {
  const std::uint32_t line = tile_corner(map, first_tile) / kTileSide, lines_a_row = map.stride / kTileSide;
  for (std::uint32_t x = 0; x < map.across; ++x) {
    const TileHead& head = map.heads[first_tile + x];
    if (!head.filled) fill_tile(map, first_tile + x);
    bases[line + x] = static_cast<std::uint32_t>(head.base);
  }
  for (std::uint32_t row = 1; row < tile_height(map, first_tile); ++row)
    std::copy_n(bases + line, map.across, bases + line + row * lines_a_row);
}

}  // namespace

void complete_swept(const TileMap& map, std::uint32_t bands, std::uint32_t* bases) noexcept {
  for (std::uint32_t band = 0; band < bands; ++band) complete_band(map, band * map.across, bases);
}

void write_swept(const Plan<std::uint32_t>& plan, const TileMap& map, const TileKernels& kernels, Bands bands,
                 const std::uint32_t* bases, std::uint8_t* ties, const Tasks& tasks, Written* written) noexcept {
  base::parallel_for(tasks, bands.to - bands.from, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t band = bands.from + begin; band < bands.from + end; ++band) {
      const auto first_tile = static_cast<std::uint32_t>(band) * map.across;
      TiePart part{map.costs, bases, map.moves, map.factors, nullptr, ties};
      part.stride = map.stride;
      part.height = tile_height(map, first_tile);
      part.straight = map.straight;
      part.diagonal = map.diagonal;
      part.max_step = plan.max_step;
      part.eight = map.eight;
      written[band] = {};
      for (std::uint32_t x = 0; x < map.width; x += kTiePart) {
        part.grounds = map.grounds + first_tile + x / kTileSide;
        part.first = tile_corner(map, first_tile) + x;
        part.width = std::min(kTiePart, map.width - x);
        ties != nullptr ? kernels.write_ties(part, written[band]) : kernels.measure(part, written[band]);
      }
    }
  });
}

}  // namespace drover::field
