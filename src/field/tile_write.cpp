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

// One row of tiles, as wide as kernels take it.
struct Bands {
  const GridShape& shape;
  TiePart part;
  const Ground* grounds;
  std::uint32_t across = tiles_along(shape.width()), down = tiles_along(shape.height());

  std::uint32_t count() const noexcept { return down * static_cast<std::uint32_t>(shape.layers()); }
  template <class Run>
  void each_part(std::uint64_t band, Run&& run) const noexcept {
    TiePart one = part;
    const auto row = static_cast<std::int32_t>(band % down * kTileSide);
    const std::uint32_t first = shape.at(0, row, static_cast<std::int32_t>(band / down));
    const auto width = static_cast<std::uint32_t>(shape.width());
    one.height = std::min(kTileSide, static_cast<std::uint32_t>(shape.height() - row));
    for (std::uint32_t x = 0; x < width; x += kTiePart) {
      one.first = first + x;
      one.width = std::min(kTiePart, width - x);
      one.grounds = grounds == nullptr ? nullptr : grounds + band * across + x / kTileSide;
      run(one);
    }
  }
};

TiePart part_of(const Plan<std::uint32_t>& plan, const TileCosts& costs, const GridShape& shape,
                std::uint8_t* ties) noexcept {
  TiePart part{costs.costs, costs.bases, plan.moves, plan.factors, nullptr, ties};
  part.stride = shape.stride();
  part.straight = static_cast<std::uint16_t>(plan.straight);
  part.diagonal = static_cast<std::uint16_t>(plan.diagonal);
  part.max_step = plan.max_step;
  part.eight = plan.eight;
  return part;
}

}  // namespace

void write_swept(const Plan<std::uint32_t>& plan, const TileMap& map, const TileKernels& kernels,
                 const GridShape& shape, std::uint32_t* bases, std::uint8_t* ties, const Tasks& tasks,
                 Written* written) noexcept {
  const Bands bands{shape, part_of(plan, {map.costs, bases}, shape, ties), map.grounds};
  for (std::uint32_t band = 0; band < bands.count(); ++band) complete_band(map, band * map.across, bases);
  base::parallel_for(tasks, bands.count(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t band = begin; band < end; ++band) {
      written[band] = {};
      bands.each_part(band, [&](const TiePart& part) {
        ties != nullptr ? kernels.write_ties(part, written[band]) : kernels.measure(part, written[band]);
      });
    }
  });
}

void write_tile_ties(const Plan<std::uint32_t>& plan, const TileCosts& costs, const TileKernels& kernels,
                     const GridShape& shape, const Ground* grounds, std::uint8_t* ties, const Tasks& tasks) noexcept {
  const Bands bands{shape, part_of(plan, costs, shape, ties), grounds};
  base::parallel_for(tasks, bands.count(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    Written unused;
    for (std::uint64_t band = begin; band < end; ++band)
      bands.each_part(band, [&](const TiePart& part) { kernels.write_ties(part, unused); });
  });
}

}  // namespace drover::field
