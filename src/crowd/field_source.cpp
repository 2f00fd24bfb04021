// SPDX-License-Identifier: MIT
// Ranking the steps that are not optimal.
#include "crowd/field_source.hpp"

#include <bit>

namespace drover::crowd {

FieldSource::FieldSource(const Agents& agents, const std::vector<PairRead>& pairs, const GridShape& shape) noexcept
    : agents_(agents), pairs_(pairs) {
  for (int d = 0; d < kDirections; ++d) steps_[static_cast<std::size_t>(d)] = shape.step(static_cast<Direction>(d));
}

std::uint8_t FieldSource::beyond_wish(std::uint32_t agent) const noexcept {
  const std::uint8_t legal = pairs_[agents_.pair[agent]].graph->moves()[agents_.cell[agent]];
  return static_cast<std::uint8_t>(legal & ~agents_.wish[agent]);
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
