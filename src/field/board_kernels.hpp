// SPDX-License-Identifier: MIT
// What the bitboards ask of vector code: advance wave fronts, 64 cells a word.
#pragma once
#include "field/simd.hpp"

#include <cstddef>
#include <cstdint>

namespace drover::field {

/// Boards are squares of 8 x 8 cells; bit = row * 8 + column.
inline constexpr std::uint32_t kBoardSide = 8, kBoardCells = 64;

struct Board {
  std::uint64_t untouched = 0;     // open, in no front so far
  std::uint64_t front[2] = {};     // this wave's and the next one's, by the wave's lowest bit
  std::uint32_t first_wave = ~0u;  // that came here
  std::uint32_t reserved = 0;
};

/// All that kernels read and write. A row of boards without open cells lies before the map and one after it; the last
/// column of cells is blocked.
struct BoardMap {
  std::uint32_t across = 0, down = 0;  // without the two rows more
  Board* boards = nullptr;
  std::uint16_t* waves = nullptr;       // kBoardCells a board: the wave that reached each cell, above first_wave
  const std::uint64_t* fits = nullptr;  // open cells, a bit each, row by row
};

struct Fronts {
  std::uint32_t* now = nullptr;   // boards with a front, each once
  std::uint32_t* next = nullptr;  // as large
  std::uint32_t count = 0;
  std::uint32_t wave = 0;
  std::uint32_t last = 0;     // wave with a front
  std::uint32_t longest = 0;  // most waves between the first and the last of any board
  std::uint64_t visits = 0, reached = 0;
  std::uint64_t visits_end = ~std::uint64_t{0};
};

/// Rows of cells of one row of boards.
struct BoardRows {
  std::uint32_t first = 0;  // row of boards
  std::uint32_t count = kBoardSide;
};

struct BoardKernels {
  /// Advances the fronts wave by wave, until none is left, `end` is the wave at hand, visits_end is reached, or
  /// `longest` exceeds 16 bits.
  void (*advance)(const BoardMap& map, Fronts& fronts, std::uint32_t end);
  /// Costs of a row of boards, row by row as wide as the boards are; all ones where cells are not open.
  void (*write)(const BoardMap& map, const BoardRows& rows, std::uint32_t first_cost, std::uint32_t step,
                std::uint32_t* costs);
};

/// Null where this program or this machine has no vectors for them.
const BoardKernels* board_kernels(Simd level) noexcept;

}  // namespace drover::field
