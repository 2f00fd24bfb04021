// SPDX-License-Identifier: MIT
// Turning words: 64 x 64 cells at a time, or one word of a row after an edit.
#include "search/column_bits.hpp"

#include "nav/bit_rows.hpp"

#include <algorithm>
#include <array>

namespace drover::search {
namespace {

using nav::Word;

// Halves, quarters .. of the square change places (Warren, Hacker's Delight, 7-3).
void transpose(std::array<Word, 64>& square) noexcept {
  Word mask = 0x00000000FFFFFFFF;
  for (unsigned size = 32; size != 0; size /= 2, mask ^= mask << size) {
    for (unsigned i = 0; i < 64; i = (i + size + 1) & ~size) {
      const Word swapped = (square[i] >> size ^ square[i + size]) & mask;
      square[i] ^= swapped << size;
      square[i + size] ^= swapped;
    }
  }
}

}  // namespace

bool ColumnBits::follow(const nav::CompiledGraph& graph, const Allocator& allocator) noexcept {
  if (is_of(graph)) return true;
  if (is_before(graph)) {
    for (const std::uint32_t word : *graph.words_changed_since(content_hash_)) update(graph, word);
  } else if (!rebuild(graph, allocator)) {
    return false;
  }
  content_hash_ = graph.content_hash();
  return true;
}

bool ColumnBits::rebuild(const nav::CompiledGraph& graph, const Allocator& allocator) noexcept {
  shape_ = graph.shape();
  stride_ = (static_cast<std::uint32_t>(shape_.height()) + 64) / 64 * 64;
  const std::uint64_t bits = at(shape_.width(), 0, shape_.layers() - 1) + stride_ + 2 * std::uint64_t{kFront};
  words_ = {};
  words_ = base::Plane<Word>::filled(allocator, static_cast<std::size_t>(bits / 64), Word{0});
  if (!words_.valid()) return false;
  const std::uint32_t row_words = shape_.stride() / 64;
  std::array<Word, 64> square;
  for (std::int32_t layer = 0; layer < shape_.layers(); ++layer)
    for (std::int32_t x = 0; x < shape_.width(); x += 64)
      for (std::int32_t y = 0; y < shape_.height(); y += 64) {
        const std::int32_t rows = std::min(64, shape_.height() - y), columns = std::min(64, shape_.width() - x);
        square.fill(0);
        const Word* from = graph.fits() + shape_.at(x, y, layer) / 64;
        for (std::int32_t row = 0; row < rows; ++row, from += row_words) square[static_cast<std::size_t>(row)] = *from;
        transpose(square);
        for (std::int32_t column = 0; column < columns; ++column)
          words_.data()[at(x + column, y, layer) / 64] = square[static_cast<std::size_t>(column)];
      }
  return true;
}

void ColumnBits::update(const nav::CompiledGraph& graph, std::uint32_t word) noexcept {
  const Word inside = nav::WordLayout(shape_).place(word).inside;
  if (inside == 0) return;
  const Cell first = shape_.cell(CellIndex{word * 64});
  const Word now = graph.fits()[word];
  std::uint64_t bit = at(first.x - shape_.origin().x, first.y - shape_.origin().y, first.layer);
  const Word mask = Word{1} << bit % 64;
  for (Word left = inside, cell = now; left != 0; left >>= 1, cell >>= 1, bit += stride_) {
    Word& at_word = words_.data()[bit / 64];
    at_word = (cell & 1) != 0 ? at_word | mask : at_word & ~mask;
  }
}

}  // namespace drover::search
