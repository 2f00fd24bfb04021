// SPDX-License-Identifier: MIT
// The end of a tick: events, counts, digests.
#include "base/digest.hpp"
#include "sim/digest_chain.hpp"
#include "sim/impl.hpp"

#include <algorithm>

namespace drover {

void Simulation::Impl::event(std::uint32_t agent, AgentEventKind kind) {
  const std::uint32_t by = agents.by[agent];
  events.push_back({tick, agents.key[agent], kind, agents.state[agent], agents.reason[agent],
                    by == crowd::kNobody ? 0 : agents.key[by], agents.at[agent]});
}

// Who stands on the goal cell that this agent wants is there for good.
bool Simulation::Impl::wants_held_goal(std::uint32_t agent) const noexcept {
  const std::uint32_t by = agents.by[agent];
  if (by == crowd::kNobody || agents.state[by] != AgentState::arrived) return false;
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  return read.field && read.field->code(CellIndex{agents.wanted[agent]}) == FlowField::kGoalCode;
}

void Simulation::Impl::note_change(std::uint32_t agent) {
  journeys.shown[agent] = agents.state[agent];
  switch (agents.state[agent]) {
    case AgentState::moving:
      return event(agent, AgentEventKind::resumed);
    case AgentState::waiting:
      return event(agent, AgentEventKind::blocked);
    case AgentState::arrived:
      return event(agent, AgentEventKind::arrived);
    default:
      return event(agent, AgentEventKind::stopped);
  }
}

// One pass over the agents as they stand: events, counts, and the sum of their digests.
std::uint64_t Simulation::Impl::close_books() {
  counts = {};
  std::uint64_t sum = 0;
  const bool any_own_way_left = !own_ways.empty(), timed = reservations.strides().timed();
  for (const std::uint32_t agent : placed) {
    const AgentState now = agents.state[agent];
    if (now == AgentState::waiting && wants_held_goal(agent)) agents.reason[agent] = Reason::goal_occupied;
    if (now != journeys.shown[agent]) note_change(agent);
    ++counts[static_cast<std::size_t>(now)];
    sum += digest_of(agent);
    if (timed) sum += base::mix(agents.key[agent] ^ base::kGolden, stride_digest(agent));
    if (!any_own_way_left) continue;
    if (const crowd::OwnWay* way = own_ways.find(agent))
      sum += base::mix(agents.key[agent] + base::kGolden, way->digest());
  }
  counts[static_cast<std::size_t>(AgentState::arrived)] += vanished;
  counts[static_cast<std::size_t>(AgentState::not_started)] += starting.size();
  const auto before = [](const AgentEvent& a, const AgentEvent& b) { return a.key < b.key; };
  // A stable sort takes memory; most ticks need none.
  if (!std::is_sorted(events.begin(), events.end(), before)) std::stable_sort(events.begin(), events.end(), before);
  return sum;
}

std::uint64_t Simulation::Impl::digest_of(std::uint32_t agent) const noexcept {
  const Cell at = agents.at[agent];
  const std::uint64_t where = std::uint64_t{static_cast<std::uint32_t>(at.x)} << 32 | static_cast<std::uint32_t>(at.y);
  const std::uint64_t how =
      std::uint64_t{agents.age[agent]} << 32 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(at.layer)) << 16 |
      static_cast<std::uint64_t>(agents.state[agent]) << 8 | static_cast<std::uint64_t>(agents.reason[agent]);
  const std::uint64_t next = std::uint64_t{journeys.goal[agent]} << 32 | std::uint64_t{journeys.next_via[agent]} << 16 |
                             static_cast<std::uint64_t>(agents.came_by[agent]) << 8 |
                             static_cast<std::uint64_t>(agents.yields[agent] & 127) << 1 | agents.went_up[agent];
  return base::mix(agents.key[agent], where, how, next ^ agents.best_cost[agent] * base::kGolden);
}

void Simulation::Impl::finish_tick(StepReport& report) {
  const std::uint64_t arrived_before = counts[static_cast<std::size_t>(AgentState::arrived)];
  const std::uint64_t sum = close_books();
  const std::uint64_t arrived_now = counts[static_cast<std::size_t>(AgentState::arrived)];
  report.arrived = arrived_now - std::min(arrived_now, arrived_before);
  report.moved = movers.size();
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (moves[i].ticks == 0 &&
        (i + 1 == moves.size() || moves[i + 1].agent != moves[i].agent || moves[i + 1].ticks > 1))
      ++report.moved;
  digests = digest(sum);
  report.digests = digests;
  check_invariants();
}

// What it carries into a step that begins now, and the step that it is in.
std::uint64_t Simulation::Impl::stride_digest(std::uint32_t agent) const noexcept {
  const crowd::Stride& stride = reservations.strides().of(agent);
  if (stride.ticks == 0 || stride.end() < tick) return 0;
  if (stride.end() == tick &&
      stride.remainder == crowd::half_a_tick(guidance.profiles()[records[agent].profile].def.speed))
    return 0;
  const std::uint64_t time = std::uint64_t{stride.ticks} << 32 | (stride.end() - tick);
  const std::uint64_t way = stride.end() == tick ? crowd::kStay
                            : agents.move[agent] == crowd::kPortal
                                ? crowd::kPortal + std::uint64_t{agents.portal[agent]}
                                : agents.move[agent];
  return base::mix(base::mix(time, stride.remainder), way);
}

// Sums over agents, so that neither the order of insertion nor of visiting counts; `all` is a chain over the ticks.
Digests Simulation::Impl::digest(std::uint64_t placed_sum) const {
  Digests now;
  now.agents = vanished_digest + plans_digest + placed_sum;
  for (const std::uint32_t agent : starting)
    now.agents += base::mix(agents.key[agent], records[agent].start_tick) +
                  base::mix(agents.key[agent] + base::kGolden,
                            std::uint64_t{journeys.goal[agent]} << 32 | journeys.next_via[agent]);
  for (const MoveRecord& move : moves) {
    if (move.ticks == 0) {
      const std::uint64_t to =
          std::uint64_t{static_cast<std::uint32_t>(move.to.x)} << 32 | static_cast<std::uint32_t>(move.to.y);
      now.reservations +=
          base::mix(move.agent + base::kGolden, base::mix(to, static_cast<std::uint64_t>(move.to.layer)));
      continue;
    }
    const std::int32_t step = (move.to.x - move.from.x + 1) * 3 + (move.to.y - move.from.y + 1);
    const std::uint64_t how =
        move.portal == kNoPortal ? static_cast<std::uint64_t>(step) : 9 + std::uint64_t{move.portal};
    now.reservations += base::mix(move.agent * base::kGolden + how);
    if (reservations.strides().timed())
      now.reservations += base::mix(move.agent + base::kGolden, base::mix(move.ticks, move.remainder));
  }
  now.world = guidance.world_digest();
  now.fields = guidance.fields_digest() + gate_crowd.digest();
  if (!deadlocks.groups.empty()) now.agents += deadlocks.digest(agents);
  now.all = sim::chained(digests.all, tick, now);
  return now;
}

}  // namespace drover
