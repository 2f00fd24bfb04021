// SPDX-License-Identifier: MIT
// Runs of rows by their begins and ends, 64 cells a step: included once for each instruction
// set, within its namespace, because counting bits is one instruction on some and a call on others. No include guard:
// each inclusion counts.

/// The cells of one kind in a row, word by word: nothing before and behind it.
class RowCells {
 public:
  RowCells(const BitGrid& grid, std::int32_t y, bool set)
      : row_(grid.row(y)), last_(grid.words() - 1), mask_(grid.last_mask()), flip_(set ? 0 : ~Word{0}) {}
  Word at(std::int32_t i) const noexcept { return (row_[i] ^ flip_) & (i == last_ ? mask_ : ~Word{0}); }

 private:
  const Word* row_;
  std::int32_t last_;
  Word mask_, flip_;
};

// Cells whose western neighbour is none of them; `before`: the last cell of the word to the west.
inline Word begins_of(Word cells, Word before) noexcept { return cells & ~(cells << 1 | before); }

inline std::uint64_t bits_in(const BitGrid& grid) {
  std::uint64_t count = 0;
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    const RowCells row(grid, y, true);
    for (std::int32_t i = 0; i < grid.words(); ++i) count += static_cast<std::uint64_t>(std::popcount(row.at(i)));
  }
  return count;
}

inline void count_runs(const BitGrid& grid, bool set, std::size_t* first_of_row) {
  std::size_t count = 0;
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    const RowCells row(grid, y, set);
    Word before = 0;
    first_of_row[y] = count;
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Word cells = row.at(i);
      count += static_cast<std::size_t>(std::popcount(begins_of(cells, before)));
      before = cells >> (kWordBits - 1);
    }
  }
  first_of_row[grid.height()] = count;
}

// Begins and ends are listed apart: the n-th begin and the n-th end are one run. Four at a time, because nobody can
// predict how many a word has; what is written too much is written again by the words behind.
inline void list_runs(const BitGrid& grid, bool set, Run* out) {
  static_assert(kRoomBehindRuns >= 4);
  Run *begin = out, *end = out;
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    const RowCells row(grid, y, set);
    Word before = 0;
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Word cells = row.at(i);
      Word begins = begins_of(cells, before), ends = begins_of(~cells, before ^ 1);
      const std::int32_t x = i * kWordBits;
      Run *const next_begin = begin + std::popcount(begins), *const next_end = end + std::popcount(ends);
      for (; begin < next_begin; begin += 4)
        for (int n = 0; n < 4; ++n, begins &= begins - 1) {
          begin[n].y = y;
          begin[n].begin = x + std::countr_zero(begins);
        }
      for (; end < next_end; end += 4)
        for (int n = 0; n < 4; ++n, ends &= ends - 1) end[n].end = x + std::countr_zero(ends);
      begin = next_begin;
      end = next_end;
      before = cells >> (kWordBits - 1);
    }
    // One that reaches the edge of the grid, where that is the edge of a word.
    if (end != begin) (end++)->end = grid.width();
  }
}

// Where cells of both rows begin to lie above each other, the runs that they belong to are told by counting begins.
inline void join_over_sides(const BitGrid& grid, bool set, const std::size_t* first_of_row, std::uint32_t* parent) {
  for (std::int32_t y = 1; y < grid.height(); ++y) {
    const RowCells above(grid, y - 1, set), here(grid, y, set);
    Word above_before = 0, here_before = 0, both_before = 0;
    auto run_above = static_cast<std::uint32_t>(first_of_row[y - 1]) - 1;  // which the last begin so far is of
    auto run_here = static_cast<std::uint32_t>(first_of_row[y]) - 1;
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Word up = above.at(i), mid = here.at(i), both = up & mid;
      const Word up_begins = begins_of(up, above_before), mid_begins = begins_of(mid, here_before);
      for (Word meet = begins_of(both, both_before); meet != 0; meet &= meet - 1) {
        const Word so_far = meet ^ (meet - 1);
        join_trees(parent, run_above + static_cast<std::uint32_t>(std::popcount(up_begins & so_far)),
                   run_here + static_cast<std::uint32_t>(std::popcount(mid_begins & so_far)));
      }
      run_above += static_cast<std::uint32_t>(std::popcount(up_begins));
      run_here += static_cast<std::uint32_t>(std::popcount(mid_begins));
      above_before = up >> (kWordBits - 1);
      here_before = mid >> (kWordBits - 1);
      both_before = both >> (kWordBits - 1);
    }
  }
}
