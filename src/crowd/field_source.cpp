// SPDX-License-Identifier: MIT
// Ranking the steps that are not optimal.
#include "crowd/field_source.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {

std::optional<PortalStep> PairRead::portal(std::uint32_t cell, std::uint32_t& next) const noexcept {
  if (graph->portals().empty()) return {};
  const std::span<const PortalStep> optimal = field->optimal_portals(CellIndex{cell});
  const std::span<const nav::Portal> open = graph->portals().leaving(cell);
  while (next < optimal.size()) {
    const PortalStep& step = optimal[next++];
    const auto is_it = [&](const nav::Portal& p) { return p.number == step.portal; };
    if (std::any_of(open.begin(), open.end(), is_it)) return step;
  }
  return {};
}

FieldSource::FieldSource(const Agents& agents, const std::vector<PairRead>& pairs, const GridShape& shape) noexcept
    : agents_(agents), pairs_(pairs) {
  for (int d = 0; d < kDirections; ++d) steps_[static_cast<std::size_t>(d)] = shape.step(static_cast<Direction>(d));
}

std::uint8_t FieldSource::beyond_wish(std::uint32_t agent) const noexcept {
  const std::uint8_t legal = pairs_[agents_.pair[agent]].graph->moves()[agents_.cell[agent]];
  return static_cast<std::uint8_t>(legal & ~agents_.wish[agent]);
}

bool FieldSource::has_portals() const noexcept {
  return std::any_of(pairs_.begin(), pairs_.end(), [](const PairRead& read) { return !read.graph->portals().empty(); });
}

CandidateList FieldSource::rank(std::uint32_t agent, std::uint8_t directions) const noexcept {
  CandidateList list;
  const PairRead& read = pairs_[agents_.pair[agent]];
  const std::uint32_t here = agents_.cell[agent];
  const Cost own = read.field->cost_to_goal(CellIndex{here});
  const StepCosts base = read.graph->base();
  for (unsigned rest = directions; rest; rest &= rest - 1) {
    const auto d = static_cast<std::uint8_t>(std::countr_zero(rest));
    const std::uint32_t there = here + steps_[d];
    const Cost next = read.field->cost_to_goal(CellIndex{there});
    if (next == kInfiniteCost) continue;
    Cost through = next + Cost{d >= 4 ? base.diagonal : base.straight} * read.graph->factor(there);
    if (read.graph->directed()) through += read.graph->surcharge(here, d);
    int i = list.count++;
    for (; i > 0 && list.items[static_cast<std::size_t>(i - 1)].through > through; --i)
      list.items[static_cast<std::size_t>(i)] = list.items[static_cast<std::size_t>(i - 1)];
    list.items[static_cast<std::size_t>(i)] = {d, next > own, next == own, through};
  }
  return list;
}

}  // namespace drover::crowd
