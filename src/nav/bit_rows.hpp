// SPDX-License-Identifier: MIT
// Bit planes in the padded layout: word w holds cells 64 w .. 64 w + 63, so a row is a whole number of words.
#pragma once
#include <drover/geometry.hpp>

#include <cstdint>

namespace drover::nav {

using Word = std::uint64_t;

/// Where the words of a shape lie. Padding never holds a set bit, so neighbours are plain shifts across word ends:
/// the column before the first of a row is the padding of the row above.
class WordLayout {
 public:
  explicit WordLayout(const GridShape& shape) noexcept
      : shape_(shape),
        row_words_(shape.stride() / 64),
        used_words_((static_cast<std::uint32_t>(shape.width()) + 63) / 64),
        last_mask_(~Word{0} >> ((64 - static_cast<std::uint32_t>(shape.width()) % 64) % 64)) {}

  /// Distance between a word and the one below it.
  std::uint32_t row_words() const noexcept { return row_words_; }
  std::uint32_t words() const noexcept { return shape_.padded_cells() / 64; }
  /// Rows of all layers, without padding.
  std::uint64_t rows() const noexcept {
    return static_cast<std::uint64_t>(shape_.layers()) * static_cast<std::uint64_t>(shape_.height());
  }

  /// Words of the map in row `row` (0 .. rows() - 1): `first` and the ones after it.
  struct Row {
    std::uint32_t first, count;
    std::int32_t layer;
  };
  Row row(std::uint64_t row) const noexcept {
    const auto height = static_cast<std::uint64_t>(shape_.height());
    const auto layer = static_cast<std::int32_t>(row / height);
    return {shape_.at(0, static_cast<std::int32_t>(row % height), layer) / 64, used_words_, layer};
  }

  /// Which of a word's cells are on the map, and their layer.
  struct Place {
    Word inside = 0;
    std::int32_t layer = 0;
  };
  Place place(std::uint32_t word) const noexcept {
    const std::uint32_t layer_words = (static_cast<std::uint32_t>(shape_.height()) + 2) * row_words_;
    constexpr std::uint32_t kFrontWords = GridShape::kFront / 64;
    if (word < kFrontWords) return {};
    const std::uint32_t layer = (word - kFrontWords) / layer_words, in_layer = (word - kFrontWords) % layer_words;
    const std::uint32_t row = in_layer / row_words_, column = in_layer % row_words_;
    const bool on_map = layer < static_cast<std::uint32_t>(shape_.layers()) && row >= 1 &&
                        row <= static_cast<std::uint32_t>(shape_.height()) && column < used_words_;
    if (!on_map) return {};
    return {column + 1 == used_words_ ? last_mask_ : ~Word{0}, static_cast<std::int32_t>(layer)};
  }
  Word inside(std::uint32_t column) const noexcept { return column + 1 == used_words_ ? last_mask_ : ~Word{0}; }

 private:
  GridShape shape_;
  std::uint32_t row_words_, used_words_;
  Word last_mask_;
};

/// The plane moved by one column: bit x of the result is the cell at x + 1 (east) or x - 1 (west).
inline Word east_of(const Word* plane, std::uint32_t w) noexcept { return plane[w] >> 1 | plane[w + 1] << 63; }
inline Word west_of(const Word* plane, std::uint32_t w) noexcept { return plane[w] << 1 | plane[w - 1] >> 63; }

}  // namespace drover::nav
