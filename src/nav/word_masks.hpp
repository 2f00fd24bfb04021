// SPDX-License-Identifier: MIT
// Everything about 64 neighbouring cells at once: where a body fits, which steps are legal, and their bytes.
#pragma once
#include "base/digest.hpp"
#include "nav/bit_rows.hpp"

#include <drover/profile.hpp>

#include <array>
#include <cstdint>

namespace drover::nav {

inline constexpr int kWordCells = 64;

/// Legal steps of 64 placements: one word for each direction.
using StepWords = std::array<Word, kDirections>;

/// Placements of a k x k body by their upper-left cell: erosion of the passable cells.
Word fitting(const Word* passable, std::uint32_t w, std::uint32_t row_words, int footprint) noexcept;

StepWords legal_steps(const Word* fits, std::uint32_t w, std::uint32_t row_words, Moves moves,
                      CornerRule corner) noexcept;

/// Bit `d` of byte `c` = bit c of steps[d].
void expand(const StepWords& steps, std::uint8_t* bytes) noexcept;
/// Byte c = bit c.
void expand_bits(Word bits, std::uint8_t* bytes) noexcept;
/// Footings of 64 anchors. Cells off the map count as blocked.
void expand_footings(Word passable, Word fits, Word unknown, std::uint8_t* bytes) noexcept;

/// What stands in 64 cells, as one number: with what it costs, and without.
struct WordHash {
  std::uint64_t content = 0, steps = 0;
};
/// Give `factors` (0 where the body does not fit) only where two fitting cells differ; null: all have `uniform`.
WordHash word_hash(std::uint32_t w, Word passable, Word fits, Word unknown, const StepWords& steps,
                   const std::uint32_t* factors, std::uint32_t uniform) noexcept;

}  // namespace drover::nav
