// SPDX-License-Identifier: MIT
// The cellular automaton: a random start, generations on a copy, the classic pass in place.
#pragma once
#include "cave/bit_grid.hpp"
#include "cave/kernels.hpp"

#include <cstdint>

namespace drover::cave {

/// Cell (0, 0) of the grid is cell (x, y) of the endless random map. All may throw std::bad_alloc.
void fill_random(BitGrid& grid, const Fill& fill, std::int32_t x, std::int32_t y);

/// Generations on a copy. What lies outside is wall.
class Generations {
 public:
  explicit Generations(const BitGrid& grid) : next_(grid.width(), grid.height()) {}
  /// One generation of `grid`, which has the size of the one given at first.
  void step(BitGrid& grid, const Rule& rule);

 private:
  BitGrid next_;
};

/// One pass in place, row by row from the north, each from west to east; outside is wall: a wall stays with 4 wall
/// neighbours, floor becomes wall with 5. A cell sees new cells to the north and west. With T the other eight cells and
/// itself but for its west, new = T >= 5 or (T >= 4 and new west): the carry chain of an addition, 64 cells each.
void pass_in_place(BitGrid& grid);

}  // namespace drover::cave
