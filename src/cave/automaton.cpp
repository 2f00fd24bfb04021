// SPDX-License-Identifier: MIT
// Rows of sums that slide over the grid; carries that run along a row.
#include "cave/automaton.hpp"

#include <algorithm>

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

Generations::Generations(const BitGrid& grid)
    : next_(grid.width(), grid.height()), row_words_(room_for_row(grid)), sums_(6 * row_words_) {}

RowSums Generations::sums_of(std::int32_t y) noexcept {
  Word* const at = sums_.data() + static_cast<std::size_t>((y + 3) % 3) * 2 * row_words_;
  return {at, at + row_words_};
}

void Generations::step(BitGrid& grid, const Rule& rule) {
  const Kernels& kernel = kernels();
  grid.set_outside(true);
  kernel.sum_row(grid.row(-1), grid.words(), sums_of(-1));
  kernel.sum_row(grid.row(0), grid.words(), sums_of(0));
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    kernel.sum_row(grid.row(y + 1), grid.words(), sums_of(y + 1));
    const ThreeSums sums{sums_of(y - 1), sums_of(y), sums_of(y + 1)};
    if (rule == kFiveOfNine)
      kernel.five_of_nine(sums, grid.words(), next_.row(y));
    else
      kernel.by_rule(sums, grid.row(y), rule, grid.words(), next_.row(y));
  }
  grid.swap(next_);
}

void pass_in_place(BitGrid& grid) {
  const Kernels& kernel = kernels();
  std::vector<Word> at_least(2 * room_for_row(grid));
  Word* const four = at_least.data();
  Word* const five = four + room_for_row(grid);
  grid.set_outside(true);
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    Word* const row = grid.row(y);
    kernel.but_west(grid.row(y - 1), row, grid.row(y + 1), grid.words(), four, five);
    Word carry = 1;  // what lies west of the first cell is wall
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Word first = four[i] + five[i], sum = first + carry;
      const Word carries = sum ^ four[i] ^ five[i];  // into each cell; out of the last:
      carry = static_cast<Word>(first < four[i]) | static_cast<Word>(sum < first);
      row[i] = carries >> 1 | carry << (kWordBits - 1);
    }
    row[grid.words() - 1] |= ~grid.last_mask();
  }
}

}  // namespace drover::cave
