// SPDX-License-Identifier: MIT
// Rows of bits: edges, runs, erosion and dilation by squares.
#include "cave/bit_grid.hpp"

#include "cave/kernels.hpp"

#include <algorithm>
#include <utility>

namespace drover::cave {

void BitGrid::set_outside(bool wall) noexcept {
  const Word all = wall ? ~Word{0} : 0, mask = last_mask();
  std::fill_n(words_of_rows_.begin(), stride_, all);
  std::fill_n(words_of_rows_.end() - static_cast<std::ptrdiff_t>(stride_), stride_, all);
  for (std::int32_t y = 0; y < height_; ++y) {
    Word* const r = row(y);
    r[-1] = all;
    r[words_] = all;
    r[words_ - 1] = (r[words_ - 1] & mask) | (all & ~mask);
  }
}

void BitGrid::set_border(bool wall) noexcept {
  set_run(row(0), 0, width_, wall);
  set_run(row(height_ - 1), 0, width_, wall);
  for (std::int32_t y = 1; y < height_ - 1; ++y) {
    set(0, y, wall);
    set(width_ - 1, y, wall);
  }
}

void BitGrid::swap(BitGrid& other) noexcept {
  std::swap(width_, other.width_);
  std::swap(height_, other.height_);
  std::swap(words_, other.words_);
  std::swap(stride_, other.stride_);
  words_of_rows_.swap(other.words_of_rows_);
}

void set_run(Word* row, std::int32_t begin, std::int32_t end, bool wall) noexcept {
  while (begin < end) {
    const std::int32_t word = begin / kWordBits, stop = std::min(end, (word + 1) * kWordBits);
    const Word mask = ~Word{0} >> (kWordBits - (stop - begin)) << begin % kWordBits;
    row[word] = wall ? row[word] | mask : row[word] & ~mask;
    begin = stop;
  }
}

namespace {

// Bit x of the result: bits x .. x + k - 1 of the row are all set. Doubles what is known: O(log k) passes.
void and_to_the_right(Word* row, std::int32_t words, int k) noexcept {
  for (int known = 1; known < k;) {
    const int by = std::min(known, k - known);
    for (std::int32_t i = 0; i < words; ++i) row[i] &= row[i] >> by | row[i + 1] << (kWordBits - by);
    known += by;
  }
}

// Bit x: any of bits x - k + 1 .. x is set.
void or_from_the_left(Word* row, std::int32_t words, int k) noexcept {
  for (int known = 1; known < k;) {
    const int by = std::min(known, k - known);
    for (std::int32_t i = words - 1; i >= 0; --i) row[i] |= row[i] << by | row[i - 1] >> (kWordBits - by);
    known += by;
  }
}

}  // namespace

BitGrid room_for(const BitGrid& walls, int k) {
  BitGrid room(walls.width(), walls.height());
  const std::int32_t words = walls.words();
  for (std::int32_t y = 0; y < walls.height(); ++y) {
    std::transform(walls.row(y), walls.row(y) + words, room.row(y), [](Word w) { return ~w; });
    room.row(y)[words - 1] &= walls.last_mask();
    and_to_the_right(room.row(y), words, k);
  }
  for (int known = 1; known < k;) {
    const int by = std::min(known, k - known);
    for (std::int32_t y = 0; y < walls.height(); ++y)
      for (std::int32_t i = 0; i < words; ++i) room.row(y)[i] &= y + by < walls.height() ? room.row(y + by)[i] : 0;
    known += by;
  }
  return room;
}

BitGrid floor_under(const BitGrid& room, int k) {
  BitGrid covered = room;
  const std::int32_t words = room.words();
  for (int known = 1; known < k;) {
    const int by = std::min(known, k - known);
    for (std::int32_t y = room.height() - 1; y >= by; --y)
      for (std::int32_t i = 0; i < words; ++i) covered.row(y)[i] |= covered.row(y - by)[i];
    known += by;
  }
  for (std::int32_t y = 0; y < room.height(); ++y) {
    or_from_the_left(covered.row(y), words, k);
    std::transform(covered.row(y), covered.row(y) + words, covered.row(y), [](Word w) { return ~w; });
  }
  return covered;
}

BitGrid cut(const BitGrid& grid, std::int32_t at, std::int32_t width, std::int32_t height) {
  BitGrid part(width, height);
  const std::int32_t word = at / kWordBits, shift = at % kWordBits;
  for (std::int32_t y = 0; y < height; ++y) {
    const Word* const from = grid.row(y + at) + word;
    for (std::int32_t i = 0; i < part.words(); ++i)
      part.row(y)[i] = shift == 0 ? from[i] : from[i] >> shift | from[i + 1] << (kWordBits - shift);
  }
  return part;
}

std::uint64_t count_bits(const BitGrid& grid) noexcept { return kernels().runs.count_bits(grid); }

}  // namespace drover::cave
