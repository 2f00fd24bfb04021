// SPDX-License-Identifier: MIT
// A cave as the cells of a map, and its regions for pictures.
#pragma once
#include <drover/cave.hpp>
#include <drover/io.hpp>

#include <cstdint>
#include <vector>

namespace drover::io {

/// Floor and wall of standard_terrain(). May throw std::bad_alloc.
MapCells cave_cells(const Cave& cave);

/// One number a padded cell of the cave's map, as PictureDef::regions: 0 for walls, 1 for the region with the most
/// cells, then the others by size and first cell. Cells belong together over their sides.
std::vector<std::uint32_t> cave_regions(const Cave& cave, const GridShape& shape);

}  // namespace drover::io
