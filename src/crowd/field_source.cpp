// SPDX-License-Identifier: MIT
// Ranking the steps that are not optimal.
#include "crowd/field_source.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace drover::crowd {
namespace {

// Of Seen::order, a candidate.
constexpr int kOrderBits = 4;
constexpr std::uint32_t kOrderDirection = 7, kOrderUsed = 8;

}  // namespace

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

FieldSource::FieldSource(Agents& agents, const std::vector<PairRead>& pairs, const GridShape& shape) noexcept
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

// Who waits asks again every tick: the order of all legal steps is kept while the agent stands where it is.
CandidateList FieldSource::rank(std::uint32_t agent, std::uint8_t directions) const noexcept {
  Seen& seen = agents_.seen[agent];
  const PairRead& read = pairs_[agents_.pair[agent]];
  if (seen.epoch != read.epoch || seen.cell != agents_.cell[agent])
    seen = {read.epoch, agents_.cell[agent], 0, 0, read.field->optimal_directions(CellIndex{agents_.cell[agent]}).bits,
            false};
  if (!seen.ranked) rank_all(agent, seen);
  CandidateList list;
  for (std::uint32_t rest = seen.order; rest != 0; rest >>= kOrderBits) {
    const unsigned d = rest & kOrderDirection;
    if ((directions >> d & 1) == 0) continue;
    list.items[static_cast<std::size_t>(list.count++)] = {static_cast<std::uint8_t>(d), (seen.levels >> 2 * d & 1) != 0,
                                                          (seen.levels >> (2 * d + 1) & 1) != 0};
  }
  return list;
}

void FieldSource::rank_all(std::uint32_t agent, Seen& seen) const noexcept {
  const PairRead& read = pairs_[agents_.pair[agent]];
  const std::uint32_t here = agents_.cell[agent];
  const Cost own = read.field->cost_to_goal(CellIndex{here});
  const StepCosts base = read.graph->base();
  std::array<std::pair<Cost, unsigned>, kDirections> found;
  std::size_t count = 0;
  seen.levels = 0;
  for (unsigned rest = read.graph->moves()[here]; rest; rest &= rest - 1) {
    const auto d = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t there = here + steps_[d];
    const Cost next = read.field->cost_to_goal(CellIndex{there});
    if (next == kInfiniteCost) continue;
    Cost through = next + Cost{d >= 4 ? base.diagonal : base.straight} * read.graph->factor(there);
    if (read.graph->directed()) through += read.graph->surcharge(here, static_cast<int>(d));
    seen.levels =
        static_cast<std::uint16_t>(seen.levels | (next > own ? 1u << 2 * d : 0u) | (next == own ? 2u << 2 * d : 0u));
    std::size_t i = count++;
    for (; i > 0 && found[i - 1].first > through; --i) found[i] = found[i - 1];
    found[i] = {through, d};
  }
  seen.order = 0;
  while (count > 0) seen.order = seen.order << kOrderBits | kOrderUsed | found[--count].second;
  seen.ranked = true;
}

}  // namespace drover::crowd
