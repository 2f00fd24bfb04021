// SPDX-License-Identifier: MIT
// What caves ask of vector code, on rows of words of 64 cells.
#pragma once
#include "cave/bit_grid.hpp"
#include "field/simd.hpp"

#include <cstdint>

namespace drover::cave {

/// Neighbours (of 8) with which floor becomes wall and wall stays, a bit each.
struct Rule {
  std::uint32_t birth = 0x1E0, survival = 0x1F0;  // B5678/S45678
  friend bool operator==(const Rule&, const Rule&) noexcept = default;
};
inline constexpr Rule kFiveOfNine{};

/// A random cell is wall where its 32 bits are below `threshold`.
struct Fill {
  std::uint64_t seed = 0;
  std::uint32_t attempt = 0;  // below 2^28
  std::uint32_t threshold = 0;
};

/// Behind the array that RunKernels::list writes.
inline constexpr std::size_t kRoomBehindRuns = 4;

/// Runs of set (or clear) cells, row by row from west to east.
struct RunKernels {
  std::uint64_t (*count_bits)(const BitGrid& grid);
  /// Numbers of the first run of each row, and of all runs.
  void (*count)(const BitGrid& grid, bool set, std::size_t* first_of_row);
  void (*list)(const BitGrid& grid, bool set, Run* out);
  /// Joins the trees of runs that touch over a side.
  void (*join_over_sides)(const BitGrid& grid, bool set, const std::size_t* first_of_row, std::uint32_t* parent);
};

/// All read and write whole vectors: up to BitGrid::kVectorWords - 1 words behind each row.
struct Kernels {
  /// Words word_x .. word_x + words - 1 of row y of the endless random map.
  void (*fill)(const Fill& fill, std::int32_t word_x, std::int32_t y, std::int32_t words, Word* out);
  /// The next generation, to a grid of the same size. What lies around `from` is set by then.
  void (*generation)(const BitGrid& from, const Rule& rule, BitGrid& to);
  /// What lies around the grid is set by then.
  void (*pass_in_place)(BitGrid& grid);
  RunKernels runs;
};

/// Rows that are settled from north to south with their sums in registers, a word (or vector) wide: enough to make the
/// two rows looked at twice cheap, few enough that each is still read as one stream.
inline constexpr std::int32_t kRowsAtOnce = 32;

const Kernels& plain_kernels() noexcept;
/// Null where this program or this machine has no vectors for them.
const Kernels* vector_kernels(field::Simd level) noexcept;
/// The best of this machine, unless field::limit_simd() said less. All give the same bits.
const Kernels& kernels() noexcept;

}  // namespace drover::cave
