// SPDX-License-Identifier: MIT
// What is left to do when tiles are settled: bases, cells that nothing reached, ties.
#pragma once
#include "field/directions.hpp"
#include "field/plan.hpp"
#include "field/tile_kernels.hpp"

#include <drover/geometry.hpp>

namespace drover::field {

/// Completes the costs of `map` and writes the base of every line.
void complete_swept(const TileMap& map, std::uint32_t bands, std::uint32_t* bases) noexcept;

/// After complete_swept; a band is a row of tiles. `ties` null: steps differ by direction, and are left to
/// write_directed_steps. `written`: one entry for each row of tiles.
void write_swept(const Plan<std::uint32_t>& plan, const TileMap& map, const TileKernels& kernels, Bands bands,
                 const std::uint32_t* bases, std::uint8_t* ties, const Tasks& tasks, Written* written) noexcept;

/// Ties of all cells, where steps differ by direction nowhere. `grounds`: of all tiles, null where they are not known.
void write_tile_ties(const Plan<std::uint32_t>& plan, const TileCosts& costs, const TileKernels& kernels,
                     const Ground* grounds, std::uint8_t* ties, const Tasks& tasks) noexcept;

}  // namespace drover::field
