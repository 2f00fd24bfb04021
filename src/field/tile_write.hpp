// SPDX-License-Identifier: MIT
// From settled tiles to the planes of a field, in one pass.
#pragma once
#include "field/directions.hpp"
#include "field/plan.hpp"
#include "field/tile_kernels.hpp"

#include <drover/geometry.hpp>

namespace drover::field {

/// Writes the cost of every cell, kNoCost where none reached it, and where planes are given ties and codes as
/// write_directions has them. `written`: one entry for each row of tiles.
void write_swept(const Plan<std::uint32_t>& plan, const TileMap& map, const TileKernels& kernels,
                 const GridShape& shape, const DirectionPlanes* planes, const Tasks& tasks, Written* written) noexcept;

}  // namespace drover::field
