// SPDX-License-Identifier: MIT
// Run union-find: one walk over the runs and those one row above.
#include "nav/components.hpp"

#include "nav/runs.hpp"

#include <algorithm>
#include <bit>

namespace drover::nav {

namespace {

// Smaller index is the parent, so a root is the first run of its set. Path halving.
std::uint32_t find(std::vector<std::uint32_t>& parents, std::uint32_t run) noexcept {
  while (parents[run] != run) run = parents[run] = parents[parents[run]];
  return run;
}

// Fills runs_before as well. Every row ends in padding, so no run crosses into the next.
std::vector<Run> runs_of(const Word* open, std::uint32_t words, std::vector<std::uint32_t>& runs_before) {
  std::vector<Run> runs;
  std::size_t edges = 0;  // of all runs: two each
  for (std::uint32_t w = 1; w < words; ++w) {
    runs_before[w] = static_cast<std::uint32_t>((edges + 1) / 2);
    Word changes = open[w] ^ west_of(open, w);
    if (changes == 0) continue;
    if (runs.size() < edges / 2 + 33) runs.resize(2 * runs.size() + 64);
    for (; changes != 0; changes &= changes - 1, ++edges) {
      const std::uint32_t at = w * 64 + static_cast<std::uint32_t>(std::countr_zero(changes));
      Run& run = runs[edges / 2];
      (edges % 2 == 0 ? run.begin : run.end) = at;
    }
  }
  runs.resize(edges / 2);
  return runs;
}

}  // namespace

Components Components::of(const Word* open, const WordLayout& layout, Adjacency adjacency,
                          std::span<const Join> joins) {
  Components result;
  result.runs_before_.assign(layout.words(), 0);
  const std::vector<Run> runs = runs_of(open, layout.words(), result.runs_before_);
  const auto count = static_cast<std::uint32_t>(runs.size());
  const std::uint64_t stride = std::uint64_t{layout.row_words()} * 64, reach = adjacency == Adjacency::eight ? 1 : 0;

  std::vector<std::uint32_t>& parents = result.run_labels_;
  parents.resize(count);
  // `above` trails by one row: both lists are ascending, so one walk finds every pair that touches.
  for (std::uint32_t r = 0, above = 0; r < count; ++r) {
    const Run run = runs[r];
    while (runs[above].end + stride + reach <= run.begin) ++above;
    std::uint32_t root = r;
    for (std::uint32_t a = above; runs[a].begin + stride < run.end + reach; ++a) {
      const std::uint32_t other = find(parents, a);
      if (root == r) {
        root = other;
      } else if (root != other) {
        parents[std::max(root, other)] = std::min(root, other);
        root = std::min(root, other);
      }
    }
    parents[r] = root;
  }
  for (const auto& [a, b] : joins) {
    const std::uint32_t one = find(parents, result.run_at(open, a / 64, a % 64)),
                        other = find(parents, result.run_at(open, b / 64, b % 64));
    parents[std::max(one, other)] = std::min(one, other);
  }

  std::uint32_t labels = 0;
  for (std::uint32_t r = 0; r < count; ++r) parents[r] = parents[r] == r ? labels++ : parents[parents[r]];
  result.sizes_.assign(labels, 0);
  for (std::uint32_t r = 0; r < count; ++r) result.sizes_[parents[r]] += runs[r].end - runs[r].begin;
  return result;
}

}  // namespace drover::nav
