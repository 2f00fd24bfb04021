// SPDX-License-Identifier: MIT
// Teleports and pushes: what is ordered from outside, and what is refused.
#include "base/text.hpp"
#include "sim/impl.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace drover {
namespace {

using base::cell_text;

Cell beside(Cell c, Direction d) noexcept {
  const auto k = static_cast<std::size_t>(d);
  return {c.x + kDx[k], c.y + kDy[k], c.layer};
}

}  // namespace

// The place as it is now: before anybody steps, only standing bodies and steps that are not over hold cells.
sim::Objection Simulation::Impl::objection_to(std::uint32_t agent, Cell to, std::optional<Direction> push) const {
  if (journeys.on_map[agent] == 0) return {agents.reason[agent], agents.by[agent]};
  const sim::Profile& profile = guidance.profiles()[records[agent].profile];
  const CellIndex cell = guidance.shape().index(to);
  if (profile.outdated) return {Reason::not_ready, crowd::kNobody};
  if (!cell.valid()) return {Reason::illegal, crowd::kNobody};
  const nav::CompiledGraph& graph = profile.graph.compiled();
  const Footing footing = graph.footing(cell);
  if (footing != Footing::open)
    return {footing == Footing::unknown ? Reason::unknown : Reason::illegal, crowd::kNobody};
  if (push && (graph.moves()[agents.cell[agent]] >> static_cast<unsigned>(*push) & 1) == 0)
    return {Reason::illegal, crowd::kNobody};
  if (push && reservations.strides().under_way(agent)) return {Reason::illegal, crowd::kNobody};
  const std::uint32_t holder =
      push ? reservations.any_holder(cell.value, agents.body[agent], agent) : reservations.objector(agent, cell.value);
  if (holder != crowd::kNobody) return {Reason::reserved_by, holder};
  return {};
}

Status Simulation::Impl::check_order(const Teleport& order, std::uint64_t when) const {
  return check_order(order.agent, order.to, std::nullopt, when);
}

Status Simulation::Impl::check_order(const Push& order, std::uint64_t when) const {
  if (static_cast<unsigned>(order.direction) >= kDirections) return {StatusCode::argument, "no such direction"};
  const Cell from = valid(order.agent) ? agents.at[order.agent.index] : Cell{};
  return check_order(order.agent, beside(from, order.direction), order.direction, when);
}

// What other changes of that step may still turn is judged when it comes into force.
Status Simulation::Impl::check_order(AgentId agent, Cell to, std::optional<Direction> push, std::uint64_t when) const {
  if (!valid(agent)) return {StatusCode::handle, "no such agent"};
  const std::string who = "agent " + std::to_string(agents.key[agent.index]);
  const bool decided = when <= tick + 1 && !queue.waits(tick + 1);
  if (!guidance.shape().contains(to) && (!push || decided))
    return {StatusCode::start_outside, base::concat(who, ": ", cell_text(to), " is outside the map of ",
                                                    guidance.shape().width(), "x", guidance.shape().height())};
  if (!decided) return {};
  const sim::Objection objection = objection_to(agent.index, to, push);
  if (objection.reason == Reason::none) return {};
  if (journeys.on_map[agent.index] == 0) return {StatusCode::argument, who + " is not on the map"};
  if (objection.by != crowd::kNobody)
    return {StatusCode::start_conflict,
            base::concat(who, ": ", cell_text(to), " is held by agent ", agents.key[objection.by])};
  return {StatusCode::start_blocked,
          base::concat(who, push ? ": no legal step to " : ": no room for its body at ", cell_text(to))};
}

void Simulation::Impl::refuse(std::uint32_t agent, Cell to, const sim::Objection& objection) {
  event(agent, AgentEventKind::refused);
  AgentEvent& e = events.back();
  e.reason = objection.reason;
  e.by = objection.by == crowd::kNobody ? 0 : agents.key[objection.by];
  e.cell = to;
}

// After edits and after those who come and go. Of several orders of one kind for an agent the last counts.
void Simulation::Impl::run_orders() {
  pushes.clear();
  std::unordered_map<std::uint32_t, const Command*> last_jump, last_push;  // looked up only
  for (const Command& command : in_force) {
    if (const auto* jump = std::get_if<Teleport>(&command.change)) last_jump[jump->agent.index] = &command;
    if (const auto* push = std::get_if<Push>(&command.change)) last_push[push->agent.index] = &command;
  }
  for (const Command& command : in_force) {
    const auto* jump = std::get_if<Teleport>(&command.change);
    if (jump != nullptr && valid(jump->agent) && last_jump[jump->agent.index] == &command)
      teleport(jump->agent.index, jump->to);
    const auto* push = std::get_if<Push>(&command.change);
    if (push != nullptr && valid(push->agent) && last_push[push->agent.index] == &command)
      pushes.push_back({push->agent.index, push->direction});
  }
  // Nobody is on the map before the first tick.
  if (!started) push_all();
}

void Simulation::Impl::teleport(std::uint32_t agent, Cell to) {
  if (const sim::Objection objection = objection_to(agent, to, std::nullopt); objection.reason != Reason::none)
    return refuse(agent, to, objection);
  moves.push_back({agents.key[agent], agents.at[agent], to, tick - 1, 0, 0});
  reservations.lift_step(agent);
  reservations.lift(agent);
  agents.at[agent] = to;
  agents.cell[agent] = guidance.shape().index(to).value;
  reservations.place(agent);
  agents.came_by[agent] = crowd::kStay;
  agents.went_up[agent] = 0;
  agents.age[agent] = agents.yields[agent] = agents.yield_ticks[agent] = 0;
  agents.best_cost[agent] = crowd::kAtBest;
  own_ways.drop(agent);
  deadlocks.forget(agent);
  if (agents.state[agent] == AgentState::arrived) journeys.shown[agent] = AgentState::waiting;
  agents.by[agent] = crowd::kNobody;
  stand(agent, AgentState::waiting, Reason::none);
  event(agent, AgentEventKind::teleported);
}

// Before arbitration, in the order of the commands: who is pushed has decided when the others begin.
void Simulation::Impl::push_all() {
  const std::size_t before = active.size();
  for (const sim::PushOrder& push : pushes) {
    const Cell to = beside(agents.at[push.agent], push.direction);
    const sim::Objection objection = objection_to(push.agent, to, push.direction);
    if (objection.reason == Reason::none)
      reserve_push(push, to);
    else
      refuse(push.agent, to, objection);
  }
  if (active.size() != before)
    std::sort(active.begin(), active.end(),
              [this](std::uint32_t a, std::uint32_t b) { return agents.key[a] < agents.key[b]; });
}

void Simulation::Impl::reserve_push(const sim::PushOrder& push, Cell to) {
  const std::uint32_t agent = push.agent;
  const std::uint8_t before = std::exchange(agents.move[agent], crowd::kUndecided);
  const crowd::ReserveResult result = reservations.reserve(agent, static_cast<std::uint8_t>(push.direction));
  if (!result.granted) {
    agents.move[agent] = before;
    const bool held = result.conflict == Conflict::vertex || result.conflict == Conflict::footprint;
    return refuse(agent, to, {held ? Reason::reserved_by : Reason::gave_way, result.by});
  }
  if (before != crowd::kUndecided) active.push_back(agent);
  agents.went_up[agent] = 0;
  agents.by[agent] = crowd::kNobody;
  stand(agent, AgentState::moving, Reason::none);
  event(agent, AgentEventKind::pushed);
  events.back().cell = to;
}

}  // namespace drover
