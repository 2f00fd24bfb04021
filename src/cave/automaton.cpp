// SPDX-License-Identifier: MIT
// Random rows, generations, and the carries of the pass in place.
#include "cave/automaton.hpp"

#include <vector>

namespace drover::cave {
namespace {

constexpr std::int32_t kVectorWords = BitGrid::kVectorWords;

std::size_t room_for_row(const BitGrid& grid) { return static_cast<std::size_t>(grid.words()) + kVectorWords; }

// Rounds down, also below zero.
constexpr std::int32_t word_of(std::int64_t x) noexcept { return static_cast<std::int32_t>(x >> 6); }

}  // namespace

void fill_random(BitGrid& grid, const Fill& fill, std::int32_t x, std::int32_t y) {
  const Kernels& kernel = kernels();
  const unsigned shift = static_cast<unsigned>(x) % kWordBits;
  std::vector<Word> words(room_for_row(grid) + kVectorWords);
  for (std::int32_t row = 0; row < grid.height(); ++row) {
    const auto world_y = static_cast<std::int32_t>(static_cast<std::uint32_t>(y) + static_cast<std::uint32_t>(row));
    kernel.fill(fill, word_of(x), world_y, grid.words() + 1, words.data());
    Word* const out = grid.row(row);
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      out[i] = shift == 0 ? words[at] : words[at] >> shift | words[at + 1] << (kWordBits - shift);
    }
  }
}

void Generations::step(BitGrid& grid, const Rule& rule) {
  grid.set_outside(true);
  kernels().generation(grid, rule, next_);
  grid.swap(next_);
}

void pass_in_place(BitGrid& grid) {
  grid.set_outside(true);
  kernels().pass_in_place(grid);
}

}  // namespace drover::cave
