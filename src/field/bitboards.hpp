// SPDX-License-Identifier: MIT
// Costs by wave fronts of bits: four moves at one cost, 8 x 8 cells a word.
#pragma once
#include "base/memory.hpp"
#include "field/board_kernels.hpp"
#include "field/plan.hpp"

#include <cstdint>

namespace drover::field {

struct BoardScratch {
  base::Plane<Board> boards;
  base::Plane<std::uint16_t> waves;
  base::Plane<std::uint32_t> lists;  // two, each as long as there are boards
};

struct BoardOutcome {
  Outcome outcome;
  const char* gave_up = nullptr;  // why nothing of use is there
};

/// Precondition: every source costs a multiple of a step more than the first. Writes the cost of every cell of the map;
/// needs nothing in the plane before.
BoardOutcome bitboards(const Plan<std::uint32_t>& plan, Patience patience, BoardScratch& scratch,
                       const Allocator& allocator) noexcept;

}  // namespace drover::field
