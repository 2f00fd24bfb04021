// SPDX-License-Identifier: MIT
// Pointer walks over the wait-for graph.
#include "crowd/wait_graph.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {
namespace {

constexpr std::uint32_t kPatienceTicks = 4, kLongestYieldTicks = 60;

// Lower priority yields first; who did so in vain gives the turn to the next.
bool yields_before(const Agents& agents, std::uint32_t a, std::uint32_t b) noexcept {
  if (agents.yields[a] != agents.yields[b]) return agents.yields[a] < agents.yields[b];
  if (agents.priority_class[a] != agents.priority_class[b]) return agents.priority_class[a] < agents.priority_class[b];
  if (agents.age[a] != agents.age[b]) return agents.age[a] < agents.age[b];
  return agents.key[a] > agents.key[b];
}

// Cells in the way of `other`, less those after the best step: above 0 it makes room, 0 it can at least move,
// below 0 it cannot.
int room_made(const Agents& agents, std::uint32_t agent, std::uint32_t other, const PairRead& read,
              const Reservations& reservations, const GridShape& shape) {
  const std::uint32_t here = agents.cell[agent];
  const int now = reservations.shared_cells(agent, here, other, agents.wanted[other]);
  int best = -1;
  for (unsigned legal = read.graph->moves()[here]; legal; legal &= legal - 1) {
    const std::uint32_t there = here + shape.step(static_cast<Direction>(std::countr_zero(legal)));
    best = std::max(best, now - reservations.shared_cells(agent, there, other, agents.wanted[other]));
  }
  return best;
}

}  // namespace

bool WaitGraph::in_graph(const Agents& agents, std::uint32_t agent) const noexcept {
  return agents.state[agent] == AgentState::waiting && agents.age[agent] >= kPatienceTicks &&
         agents.yield_ticks[agent] == 0 && agents.by[agent] != kNobody && agents.wanted[agent] != kNobody;
}

std::uint32_t WaitGraph::resolve(Agents& agents, const std::vector<std::uint32_t>& active,
                                 const std::vector<PairRead>& pairs, const Reservations& reservations,
                                 const GridShape& shape) {
  std::uint32_t yielding = 0;
  visit_.assign(agents.size(), 0);
  walk_ = 0;
  for (const std::uint32_t start : active) {
    if (!in_graph(agents, start) || visit_[start] != 0) continue;
    ++walk_;
    std::uint32_t next = start;
    while (in_graph(agents, next) && visit_[next] == 0) {
      visit_[next] = walk_;
      next = agents.by[next];
    }
    if (in_graph(agents, next) && visit_[next] == walk_ && yield_one(agents, next, pairs, reservations, shape))
      ++yielding;
  }
  return yielding;
}

bool WaitGraph::yield_one(Agents& agents, std::uint32_t start, const std::vector<PairRead>& pairs,
                          const Reservations& reservations, const GridShape& shape) const {
  std::uint32_t who = kNobody, waits_for_who = kNobody;
  bool makes_room = false;
  std::uint32_t before = start;
  do {
    const std::uint32_t member = agents.by[before];
    const int room = room_made(agents, member, before, pairs[agents.pair[member]], reservations, shape);
    const bool better =
        who == kNobody || (room > 0) > makes_room || ((room > 0) == makes_room && yields_before(agents, member, who));
    if (room >= 0 && better) {
      who = member;
      waits_for_who = before;
      makes_room = room > 0;
    }
    before = member;
  } while (before != start);
  if (who == kNobody) return false;
  ++agents.yields[who];
  agents.yield_to[who] = waits_for_who;
  agents.yield_cell[who] = agents.wanted[waits_for_who];
  // Longer the longer it has stood, so that a cycle that closes again and again does not keep its beat.
  const std::uint32_t ticks =
      2 * static_cast<std::uint32_t>(reservations.table().body(agents.body[who]).footprint) + 4 + agents.age[who] / 16;
  agents.yield_ticks[who] = static_cast<std::uint8_t>(std::min(ticks, kLongestYieldTicks));
  return true;
}

}  // namespace drover::crowd
