// SPDX-License-Identifier: MIT
// Walls and floor, a bit a cell.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace drover::cave {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

/// Cells begin .. end - 1 of row y, all of one kind.
struct Run {
  std::int32_t y = 0, begin = 0, end = 0;
};

/// A rectangle of cells, 1 = wall, 64 a word, low bit first. A row and a column of guard words lie around it, and room
/// behind each row for a whole vector, so kernels neither ask for edges nor for the last words.
class BitGrid {
 public:
  /// All floor. May throw std::bad_alloc.
  BitGrid(std::int32_t width, std::int32_t height)
      : width_(width),
        height_(height),
        words_((width + kWordBits - 1) / kWordBits),
        stride_(((static_cast<std::size_t>(words_) + kVectorWords - 1) / kVectorWords + 2) * kVectorWords),
        words_of_rows_(stride_ * (static_cast<std::size_t>(height) + 2), 0) {}

  std::int32_t width() const noexcept { return width_; }
  std::int32_t height() const noexcept { return height_; }
  /// Of a row.
  std::int32_t words() const noexcept { return words_; }
  /// Words from a row to the next.
  std::ptrdiff_t stride() const noexcept { return static_cast<std::ptrdiff_t>(stride_); }
  /// Rows -1 .. height().
  Word* row(std::int32_t y) noexcept { return words_of_rows_.data() + first(y); }
  const Word* row(std::int32_t y) const noexcept { return words_of_rows_.data() + first(y); }
  bool wall(std::int32_t x, std::int32_t y) const noexcept { return (row(y)[x / kWordBits] >> x % kWordBits & 1) != 0; }
  void set(std::int32_t x, std::int32_t y, bool wall) noexcept {
    const Word bit = Word{1} << x % kWordBits;
    Word& word = row(y)[x / kWordBits];
    word = wall ? word | bit : word & ~bit;
  }
  /// Cells of the last word of a row that are on the grid.
  Word last_mask() const noexcept { return ~Word{0} >> (kWordBits - 1 - (width_ - 1) % kWordBits); }
  /// What all cells around the rectangle are.
  void set_outside(bool wall) noexcept;
  void set_border(bool wall) noexcept;
  void swap(BitGrid& other) noexcept;

  static constexpr std::size_t kVectorWords = 8;

 private:
  std::size_t first(std::int32_t y) const noexcept { return stride_ * static_cast<std::size_t>(y + 1) + kVectorWords; }

  std::int32_t width_, height_, words_;
  std::size_t stride_;
  std::vector<Word> words_of_rows_;
};

/// Sets or clears the cells begin .. end - 1 of a row.
void set_run(Word* row, std::int32_t begin, std::int32_t end, bool wall) noexcept;

/// Cells where a k x k body fits, by its upper-left cell: 1 = room. May throw std::bad_alloc.
BitGrid room_for(const BitGrid& walls, int k);
/// The cells that such bodies cover, as floor (0) in a grid of walls. The inverse of room_for() but for floor that no
/// body covers.
BitGrid floor_under(const BitGrid& room, int k);

/// The part that begins at (at, at). May throw std::bad_alloc.
BitGrid cut(const BitGrid& grid, std::int32_t at, std::int32_t width, std::int32_t height);

std::uint64_t count_bits(const BitGrid& grid) noexcept;

}  // namespace drover::cave
