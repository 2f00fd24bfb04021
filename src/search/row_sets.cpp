// SPDX-License-Identifier: MIT
// Both union-finds, a row at a time.
#include "search/row_sets.hpp"

#include <algorithm>

namespace drover::search {

void RowSets::link_rows(std::vector<Link>& links, std::uint32_t row, std::uint32_t upper, std::uint32_t lower) {
  const auto root = [&](std::uint32_t run) {
    while (links[run].parent != run) run = links[run].parent;
    return run;
  };
  nav::for_each_touch(this->row(upper), this->row(lower), stride_, reach_, [&](std::size_t i, std::size_t j) {
    std::uint32_t a = root(first_run_[upper] + static_cast<std::uint32_t>(i)),
                  b = root(first_run_[lower] + static_cast<std::uint32_t>(j));
    if (a == b) return;
    if (sizes_[a] < sizes_[b]) std::swap(a, b);
    links[b] = {a, row};
    sizes_[a] += sizes_[b];
  });
}

void RowSets::make(const nav::Word* open, const GridShape& shape, nav::Adjacency adjacency) {
  stride_ = shape.stride();
  reach_ = adjacency == nav::Adjacency::eight ? 1 : 0;
  const auto rows = static_cast<std::uint32_t>(shape.layers()) * (static_cast<std::uint32_t>(shape.height()) + 2);
  runs_.clear();
  first_run_.clear();
  for (std::uint32_t r = 0; r < rows; ++r) {
    first_run_.push_back(static_cast<std::uint32_t>(runs_.size()));
    nav::append_runs(open, first_word(r), first_word(r + 1), runs_);
  }
  first_run_.push_back(static_cast<std::uint32_t>(runs_.size()));

  const auto count = static_cast<std::uint32_t>(runs_.size());
  up_.resize(count);
  down_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    up_[i] = {i, ~std::uint32_t{0}};
    down_[i] = {i, 0};
  }
  sizes_.assign(count, 1);
  for (std::uint32_t r = 1; r < rows; ++r) link_rows(up_, r, r - 1, r);
  sizes_.assign(count, 1);
  for (std::uint32_t r = rows - 1; r-- > 0;) link_rows(down_, r, r, r + 1);
}

std::uint32_t RowSets::run_at(std::uint32_t cell) const noexcept {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), cell,
                                      [](std::uint32_t c, const nav::Run& run) { return c < run.begin; });
  return static_cast<std::uint32_t>(after - runs_.begin()) - 1;
}

}  // namespace drover::search
