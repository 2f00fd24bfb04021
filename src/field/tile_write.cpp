// SPDX-License-Identifier: MIT
// Bases and ties of settled tiles, row by row across the map: tile by tile every row would be a page of its own.
#include "field/tile_write.hpp"

#include "base/tasks.hpp"
#include "nav/compiled_graph.hpp"

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

// Runs one row of tiles, in pieces as wide as kernels take them.
template <class Run>
void each_part(TiePart part, const GridShape& shape, std::uint64_t band, const Ground* grounds, Run&& run) noexcept {
  const std::uint32_t across = tiles_along(shape.width()), down = tiles_along(shape.height());
  const auto row = static_cast<std::int32_t>(band % down * kTileSide);
  const std::uint32_t first = shape.at(0, row, static_cast<std::int32_t>(band / down));
  const auto width = static_cast<std::uint32_t>(shape.width());
  part.height = std::min(kTileSide, static_cast<std::uint32_t>(shape.height() - row));
  for (std::uint32_t x = 0; x < width; x += kTiePart) {
    part.first = first + x;
    part.width = std::min(kTiePart, width - x);
    part.grounds = grounds == nullptr ? nullptr : grounds + band * across + x / kTileSide;
    run(part);
  }
}

TiePart part_of(const Plan<std::uint32_t>& plan, const TileCosts& costs, std::uint32_t stride,
                std::uint8_t* ties) noexcept {
  TiePart part{costs.costs, costs.bases, plan.moves, plan.factors};
  part.ties = ties;
  part.stride = stride;
  part.straight = static_cast<std::uint16_t>(plan.straight);
  part.diagonal = static_cast<std::uint16_t>(plan.diagonal);
  part.max_step = plan.max_step;
  part.eight = plan.eight;
  return part;
}

}  // namespace

void complete_swept(const TileMap& map, std::uint32_t bands, std::uint32_t* bases) noexcept {
  for (std::uint32_t band = 0; band < bands; ++band) complete_band(map, band * map.across, bases);
}

void write_swept(const Plan<std::uint32_t>& plan, const TileMap& map, const TileKernels& kernels, Bands bands,
                 const std::uint32_t* bases, std::uint8_t* ties, const Tasks& tasks, Written* written) noexcept {
  const TiePart whole = part_of(plan, {map.costs, bases}, map.stride, ties);
  const GridShape& shape = plan.graph->shape();
  base::parallel_for(tasks, bands.to - bands.from, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t band = bands.from + begin; band < bands.from + end; ++band) {
      written[band] = {};
      each_part(whole, shape, band, map.grounds, [&](const TiePart& part) {
        ties != nullptr ? kernels.write_ties(part, written[band]) : kernels.measure(part, written[band]);
      });
    }
  });
}

void write_tile_ties(const Plan<std::uint32_t>& plan, const TileCosts& costs, const TileKernels& kernels,
                     const Ground* grounds, std::uint8_t* ties, const Tasks& tasks) noexcept {
  const GridShape& shape = plan.graph->shape();
  const TiePart whole = part_of(plan, costs, shape.stride(), ties);
  const std::uint64_t bands = std::uint64_t{tiles_along(shape.height())} * static_cast<std::uint64_t>(shape.layers());
  base::parallel_for(tasks, bands, 1, [&](std::uint64_t begin, std::uint64_t end) {
    Written unused;
    for (std::uint64_t band = begin; band < end; ++band)
      each_part(whole, shape, band, grounds, [&](const TiePart& part) { kernels.write_ties(part, unused); });
  });
}

}  // namespace drover::field
