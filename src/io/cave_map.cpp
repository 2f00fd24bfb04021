// SPDX-License-Identifier: MIT
// From bits to cells; regions in the order of their sizes.
#include "io/cave_map.hpp"

#include <algorithm>
#include <numeric>

#include "cave/regions.hpp"

namespace drover::io {

MapCells cave_cells(const Cave& cave) {
  MapCells map;
  map.width = cave.width();
  map.height = cave.height();
  map.cells.resize(static_cast<std::size_t>(map.width * map.height));
  auto out = map.cells.begin();
  for (std::int32_t y = 0; y < cave.height(); ++y) {
    const std::span<const std::uint64_t> row = cave.row(y);
    for (std::size_t x = 0; x < static_cast<std::size_t>(cave.width()); ++x, ++out)
      *out = (row[x / 64] >> x % 64 & 1) != 0 ? kWall : kFloor;
  }
  return map;
}

std::vector<std::uint32_t> cave_regions(const Cave& cave, const GridShape& shape) {
  cave::BitGrid walls(cave.width(), cave.height());
  for (std::int32_t y = 0; y < cave.height(); ++y) std::copy_n(cave.row(y).begin(), walls.words(), walls.row(y));
  const cave::Regions regions(walls, false, cave::Touch::sides);
  std::vector<std::uint32_t> order(regions.count()), rank(regions.count());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return regions.cells(a) > regions.cells(b); });
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i + 1;
  std::vector<std::uint32_t> plane(shape.padded_cells());
  for (std::size_t i = 0; i < regions.runs().size(); ++i) {
    const cave::Run& run = regions.runs()[i];
    std::fill_n(plane.begin() + shape.at(run.begin, run.y, 0), run.end - run.begin, rank[regions.region_of_run(i)]);
  }
  return plane;
}

}  // namespace drover::io
