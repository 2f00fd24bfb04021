// SPDX-License-Identifier: MIT
// Runs of neighbouring rows are merged side by side; union by the smaller number, paths halved.
#include "cave/regions.hpp"

#include <algorithm>
#include <bit>

namespace drover::cave {

Regions::Regions(const BitGrid& grid, bool set, Touch touch) {
  list_runs(grid, set);
  join_rows(touch);
  number();
}

void Regions::list_runs(const BitGrid& grid, bool set) {
  const Word flip = set ? 0 : ~Word{0};
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    first_of_row_.push_back(runs_.size());
    const Word* const row = grid.row(y);
    Word before = 0;
    std::int32_t begin = -1;
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Word cells = (row[i] ^ flip) & (i + 1 == grid.words() ? grid.last_mask() : ~Word{0});
      for (Word ends = cells ^ (cells << 1 | before); ends != 0; ends &= ends - 1) {
        const std::int32_t x = i * kWordBits + std::countr_zero(ends);
        if (begin < 0) {
          begin = x;
        } else {
          runs_.push_back({y, begin, x});
          begin = -1;
        }
      }
      before = cells >> (kWordBits - 1);
    }
    if (begin >= 0) runs_.push_back({y, begin, grid.width()});
  }
  first_of_row_.push_back(runs_.size());
}

std::uint32_t Regions::find(std::uint32_t run) noexcept {
  while (region_[run] != run) run = region_[run] = region_[region_[run]];
  return run;
}

void Regions::join_rows(Touch touch) {
  const std::int32_t reach = touch == Touch::corners ? 1 : 0;
  region_.resize(runs_.size());
  for (std::size_t i = 0; i < runs_.size(); ++i) region_[i] = static_cast<std::uint32_t>(i);
  for (std::size_t y = 1; y + 1 < first_of_row_.size(); ++y) {
    std::size_t above = first_of_row_[y - 1];
    for (std::size_t i = first_of_row_[y]; i < first_of_row_[y + 1]; ++i) {
      while (above < first_of_row_[y] && runs_[above].end + reach <= runs_[i].begin) ++above;
      // The last one may reach over the next run too.
      for (std::size_t a = above; a < first_of_row_[y] && runs_[a].begin < runs_[i].end + reach; ++a) {
        const std::uint32_t p = find(static_cast<std::uint32_t>(a)), q = find(static_cast<std::uint32_t>(i));
        region_[std::max(p, q)] = std::min(p, q);
      }
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
