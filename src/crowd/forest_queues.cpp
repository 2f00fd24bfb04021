// SPDX-License-Identifier: MIT
// Counting agents by tree and depth.
#include "crowd/forest_queues.hpp"

#include <algorithm>

namespace drover::crowd {

std::optional<Forecast> forecast_from(const Forest& forest, std::span<const std::uint32_t> agents,
                                      std::vector<std::uint64_t>& finish) {
  const std::uint64_t spacing = forest.rules().spacing;
  std::vector<std::uint64_t> places;  // tree and depth
  places.reserve(agents.size());
  for (const std::uint32_t agent : agents) {
    const ForestCell& cell = forest.at(agent);
    if (cell.tree == kNoTree) return std::nullopt;
    places.push_back(std::uint64_t{cell.tree} << 32 | cell.depth);
  }
  std::sort(places.begin(), places.end());
  finish.assign(forest.gates().size(), 0);
  Forecast all;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::uint64_t& tick = finish[places[i] >> 32];
    const std::uint64_t depth = places[i] & 0xFFFFFFFF;
    tick = tick == 0 ? depth : std::max(tick + spacing, depth);
    all.sum += tick;
    all.finish = std::max(all.finish, tick);
  }
  return all;
}

void ForestQueues::add(Tree& tree, std::uint32_t depth) {
  if (depth >= tree.at_depth.size()) tree.at_depth.resize(std::size_t{depth} + depth / 2 + 64, 0);
  ++tree.at_depth[depth];
}

Forecast ForestQueues::forecast(const Tree& tree) const noexcept {
  const std::uint64_t spacing = ground_.rules.spacing;
  Forecast f;
  std::uint64_t next = 0;
  for (std::size_t depth = 1; depth < tree.at_depth.size(); ++depth) {
    const std::uint64_t count = tree.at_depth[depth];
    if (count == 0) continue;
    const std::uint64_t first = std::max<std::uint64_t>(next, depth);
    f.sum += count * first + spacing * (count * (count - 1) / 2);
    f.finish = first + spacing * (count - 1);
    next = f.finish + spacing;
  }
  return f;
}

void ForestQueues::tally(ForestDraft& draft, std::span<const std::uint32_t> agents) {
  for (Tree& tree : trees_) std::fill(tree.at_depth.begin(), tree.at_depth.end(), 0);
  draft.left_out = 0;
  for (const std::uint32_t agent : agents) {
    const ForestCell& cell = draft.cells[agent];
    if (cell.tree == kNoTree)
      ++draft.left_out;
    else
      add(trees_[cell.tree], cell.depth);
  }
  draft.forecast = {};
  for (std::size_t g = 0; g < trees_.size(); ++g) {
    const Forecast f = forecast(trees_[g]);
    draft.finish[g] = f.finish;
    trees_[g].sum = f.sum;
    draft.forecast.sum += f.sum;
    draft.forecast.finish = std::max(draft.forecast.finish, f.finish);
  }
}

void ForestQueues::retell(ForestDraft& draft, std::uint16_t a, std::uint16_t b) {
  for (const std::uint16_t g : {a, b}) {
    const Forecast f = forecast(trees_[g]);
    draft.finish[g] = f.finish;
    draft.forecast.sum += f.sum - trees_[g].sum;
    trees_[g].sum = f.sum;
  }
  draft.forecast.finish = *std::max_element(draft.finish.begin(), draft.finish.end());
}

void ForestQueues::move(std::uint16_t from, std::uint32_t depth, std::uint16_t to, std::uint32_t new_depth) {
  --trees_[from].at_depth[depth];
  add(trees_[to], new_depth);
}

}  // namespace drover::crowd
