// SPDX-License-Identifier: MIT
// Runs of neighbouring rows are merged side by side; union by the smaller number, paths halved.
#include "cave/regions.hpp"

#include <algorithm>
#include <bit>

namespace drover::cave {

namespace {

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
constexpr Word begins_of(Word cells, Word before) noexcept { return cells & ~(cells << 1 | before); }

// visit(bit, number) for each bit. Four at a time without asking how many there are, which nobody can predict: `visit`
// must be harmless for bits that are not there, and `number` stays below the count rounded up to four.
template <class Visit>
inline void each_bit_and_some(Word bits, Visit&& visit) {
  const int count = std::popcount(bits);
  for (int first = 0; first < count; first += 4)
    for (int i = first; i < first + 4; ++i) {
      visit(std::countr_zero(bits), i);
      bits &= bits - 1;
    }
}

}  // namespace

Regions::Regions(const BitGrid& grid, bool set, Touch touch) {
  list_runs(grid, set);
  region_.resize(runs_.size());
  for (std::size_t i = 0; i < runs_.size(); ++i) region_[i] = static_cast<std::uint32_t>(i);
  if (touch == Touch::sides)
    join_over_sides(grid, set);
  else
    join_over_corners();
  number();
}

// Begins and ends are listed apart: the n-th begin and the n-th end are one run.
void Regions::list_runs(const BitGrid& grid, bool set) {
  first_of_row_.resize(static_cast<std::size_t>(grid.height()) + 1);
  std::size_t count = 0;
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    const RowCells row(grid, y, set);
    Word before = 0;
    first_of_row_[static_cast<std::size_t>(y)] = count;
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Word cells = row.at(i);
      count += static_cast<std::size_t>(std::popcount(begins_of(cells, before)));
      before = cells >> (kWordBits - 1);
    }
  }
  first_of_row_.back() = count;
  constexpr std::size_t kRoom = 4;  // for bits that are not there
  runs_.resize(count + kRoom);
  Run *begin = runs_.data(), *end = runs_.data();
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    const RowCells row(grid, y, set);
    Word before = 0;
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Word cells = row.at(i), begins = begins_of(cells, before), ends = begins_of(~cells, before ^ 1);
      const std::int32_t x = i * kWordBits;
      each_bit_and_some(begins, [&](int bit, int n) {
        begin[n].y = y;
        begin[n].begin = x + bit;
      });
      each_bit_and_some(ends, [&](int bit, int n) { end[n].end = x + bit; });
      begin += std::popcount(begins);
      end += std::popcount(ends);
      before = cells >> (kWordBits - 1);
    }
    // One that reaches the edge, whose end may be that of a whole word.
    if (end != begin) (end++)->end = grid.width();
  }
  runs_.resize(count);
}

std::uint32_t Regions::find(std::uint32_t run) noexcept {
  while (region_[run] != run) run = region_[run] = region_[region_[run]];
  return run;
}

void Regions::join(std::uint32_t above, std::uint32_t below) noexcept {
  if (region_[below] == below && above < below) {
    region_[below] = region_[above];
    return;
  }
  const std::uint32_t p = find(above), q = find(below);
  region_[std::max(p, q)] = std::min(p, q);
}

// Where cells of both rows begin to lie above each other, the runs they belong to are counted by their begins.
void Regions::join_over_sides(const BitGrid& grid, bool set) {
  for (std::int32_t y = 1; y < grid.height(); ++y) {
    const RowCells above(grid, y - 1, set), here(grid, y, set);
    Word above_before = 0, here_before = 0, both_before = 0;
    // Number of the run that the last begin so far is of.
    auto run_above = static_cast<std::uint32_t>(first_of_row_[static_cast<std::size_t>(y) - 1]) - 1;
    auto run_here = static_cast<std::uint32_t>(first_of_row_[static_cast<std::size_t>(y)]) - 1;
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Word up = above.at(i), mid = here.at(i), both = up & mid;
      const Word up_begins = begins_of(up, above_before), mid_begins = begins_of(mid, here_before);
      for (Word meet = begins_of(both, both_before); meet != 0; meet &= meet - 1) {
        const Word so_far = meet ^ (meet - 1);
        join(run_above + static_cast<std::uint32_t>(std::popcount(up_begins & so_far)),
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

void Regions::join_over_corners() {
  for (std::size_t y = 1; y + 1 < first_of_row_.size(); ++y) {
    std::size_t above = first_of_row_[y - 1];
    for (std::size_t i = first_of_row_[y]; i < first_of_row_[y + 1]; ++i) {
      while (above < first_of_row_[y] && runs_[above].end < runs_[i].begin) ++above;
      // The last one may reach over the next run too.
      for (std::size_t a = above; a < first_of_row_[y] && runs_[a].begin <= runs_[i].end; ++a)
        join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(i));
    }
  }
}

// Parents have smaller numbers, so one pass in order finds each region's number before it is asked for.
void Regions::number() {
  for (std::uint32_t i = 0; i < runs_.size(); ++i) {
    if (region_[i] == i) {
      region_[i] = count();
      cells_.push_back(0);
    } else {
      region_[i] = region_[region_[i]];
    }
    cells_[region_[i]] += static_cast<std::uint64_t>(runs_[i].end - runs_[i].begin);
  }
}

std::uint32_t Regions::largest() const noexcept {
  if (cells_.empty()) return kNone;
  return static_cast<std::uint32_t>(std::max_element(cells_.begin(), cells_.end()) - cells_.begin());
}

std::uint32_t Regions::region_at(std::int32_t x, std::int32_t y) const noexcept {
  const auto row = static_cast<std::size_t>(y);
  const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(first_of_row_[row]),
             end = runs_.begin() + static_cast<std::ptrdiff_t>(first_of_row_[row + 1]);
  const auto after =
      std::upper_bound(begin, end, x, [](std::int32_t column, const Run& run) { return column < run.end; });
  return after != end && after->begin <= x ? region_[static_cast<std::size_t>(after - runs_.begin())] : kNone;
}

}  // namespace drover::cave
