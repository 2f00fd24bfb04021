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

/// West + centre + east of each cell of a row, as two bit planes.
struct RowSums {
  Word* ones = nullptr;
  Word* twos = nullptr;
};

/// Sums of the rows above, at and below.
struct ThreeSums {
  RowSums up, mid, down;
};

/// Reads and writes whole vectors: up to BitGrid::kVectorWords - 1 words behind each row.
struct Kernels {
  /// Words word_x .. word_x + words - 1 of row y of the endless random map.
  void (*fill)(const Fill& fill, std::int32_t word_x, std::int32_t y, std::int32_t words, Word* out);
  void (*sum_row)(const Word* row, std::int32_t words, const RowSums& out);
  /// Next generation of a row by B5678/S45678: at least five walls of nine cells.
  void (*five_of_nine)(const ThreeSums& sums, std::int32_t words, Word* out);
  void (*by_rule)(const ThreeSums& sums, const Word* centre, const Rule& rule, std::int32_t words, Word* out);
  /// Of the eight cells other than the one to the west: at least 4, at least 5 walls.
  void (*but_west)(const Word* up, const Word* mid, const Word* down, std::int32_t words, Word* at_least_4,
                   Word* at_least_5);
};

const Kernels& plain_kernels() noexcept;
/// Null where this program or this machine has no vectors for them.
const Kernels* vector_kernels(field::Simd level) noexcept;
/// The best of this machine, unless field::limit_simd() said less. All give the same bits.
const Kernels& kernels() noexcept;

}  // namespace drover::cave
