// SPDX-License-Identifier: MIT
// Costs by wave fronts of bits: four moves at one cost, 8 x 8 cells a word.
#pragma once
#include "base/memory.hpp"
#include "field/board_kernels.hpp"
#include "field/progress.hpp"

#include <cstdint>

namespace drover::field {

struct BoardScratch {
  base::Plane<Board> boards;
  base::Plane<std::uint16_t> waves;
  base::Plane<std::uint32_t> lists;  // two, each as long as there are boards
  Fronts fronts;
};

/// Precondition: every source costs a multiple of a step more than the first. Writes the cost of every cell of the map
/// at the end; needs nothing in the plane before. Returns why nothing of use is there; null: all is well, so far or to
/// the end.
const char* bitboards(const Plan<std::uint32_t>& plan, Patience patience, BoardScratch& scratch,
                      const Allocator& allocator, Progress& progress) noexcept;
/// Writes the costs of a pause; what no wave came to has none.
void write_waves(const Plan<std::uint32_t>& plan, BoardScratch& scratch) noexcept;
/// The cost of one cell in a pause; kEndless where no wave came.
std::uint64_t wave_cost(const Plan<std::uint32_t>& plan, const BoardScratch& scratch, std::uint32_t cell) noexcept;

}  // namespace drover::field
