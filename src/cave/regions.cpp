// SPDX-License-Identifier: MIT
// Runs of neighbouring rows are merged side by side, then numbered.
#include "cave/regions.hpp"

#include "cave/kernels.hpp"
#include "cave/run_trees.hpp"

#include <algorithm>

namespace drover::cave {

Regions::Regions(const BitGrid& grid, bool set, Touch touch) {
  const RunKernels& kernel = kernels().runs;
  first_of_row_.resize(static_cast<std::size_t>(grid.height()) + 1);
  kernel.count(grid, set, first_of_row_.data());
  runs_.resize(first_of_row_.back() + kRoomBehindRuns);
  kernel.list(grid, set, runs_.data());
  runs_.resize(first_of_row_.back());
  region_.resize(runs_.size());
  for (std::size_t i = 0; i < runs_.size(); ++i) region_[i] = static_cast<std::uint32_t>(i);
  if (touch == Touch::sides)
    kernel.join_over_sides(grid, set, first_of_row_.data(), region_.data());
  else
    join_over_corners();
  number();
}

void Regions::join_over_corners() noexcept {
  for (std::size_t y = 1; y + 1 < first_of_row_.size(); ++y) {
    std::size_t above = first_of_row_[y - 1];
    for (std::size_t i = first_of_row_[y]; i < first_of_row_[y + 1]; ++i) {
      while (above < first_of_row_[y] && runs_[above].end < runs_[i].begin) ++above;
      // The last one may reach over the next run too.
      for (std::size_t a = above; a < first_of_row_[y] && runs_[a].begin <= runs_[i].end; ++a)
        join_trees(region_.data(), static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(i));
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
