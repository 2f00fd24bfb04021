// SPDX-License-Identifier: MIT
// One tick: commands, adoption, one snapshot, intents, arbitration, commit, events, digests.
#include "base/digest.hpp"
#include "base/tasks.hpp"
#include "sim/impl.hpp"

#include <algorithm>

namespace drover {
namespace {

// Agents a task of the propose loop; small enough to share 5,000 agents, large enough to pay for a hand-over.
constexpr std::uint64_t kGrain = 2048;
constexpr std::uint64_t kAhead = 16;

}  // namespace

StepReport Simulation::Impl::step() {
  events.clear();
  moves.clear();
  entered.clear();
  left.clear();
  taken.swap(given);
  given.clear();
  ++tick;
  StepReport report;
  report.tick = tick;
  guidance.begin_commands();
  run_commands();
  guidance.adopt_due(tick);
  gate_crowd.adopt_due(guidance, agents, placed, tick);
  guidance.publish(tick);  // everything below sees one generation
  if (guidance.in_background()) launch_builds();
  propose();
  arbitrate();
  commit();
  enter_waiting();
  lift_vanished();
  find_jams();
  ask_for_plan();
  launch_builds();
  finish_tick(report);
  return report;
}

// Those that most agents wait for are begun first.
void Simulation::Impl::launch_builds() {
  if (!guidance.any_to_launch()) return;
  std::vector<std::uint32_t> agents_by_pair(guidance.pairs().size());
  for (const std::uint32_t agent : placed) ++agents_by_pair[agents.pair[agent]];
  guidance.launch(agents_by_pair);
}

void Simulation::Impl::propose() {
  crowd::Strides& strides = reservations.strides();
  const bool timed = strides.timed();
  strides.set_portals(guidance.map().portals());
  counted.assign((placed.size() + kGrain - 1) / kGrain, Metrics{});
  base::parallel_for(host.tasks, placed.size(), kGrain, [&](std::uint64_t begin, std::uint64_t end) {
    Metrics& own = counted[begin / kGrain];
    for (std::uint64_t i = begin; i < end; ++i) {
      if (timed && strides.under_way(placed[i])) continue;
      propose_one(placed[i], own);
    }
  });
  for (const Metrics& own : counted) {
    metrics.direction_lookups += own.direction_lookups;
    metrics.sweep_refusals += own.sweep_refusals;
    metrics.stale_stops += own.stale_stops;
    metrics.kept_old_direction += own.kept_old_direction;
  }
  if (def.on_stale == OnStale::own_search || def.on_stale == OnStale::replan) find_own_ways();
  if (!deadlocks.groups.empty()) hold_jams();
  active.clear();
  for (const std::uint32_t agent : placed)
    if (agents.move[agent] == crowd::kUndecided) active.push_back(agent);
}

void Simulation::Impl::fetch_ahead(std::uint32_t agent) const noexcept {
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  if (read.field) read.field->fetch_ahead(CellIndex{agents.cell[agent]});
}

// Of the agent's cell, from a field that is there. Most agents' was read when they came to it (see commit()).
std::uint8_t Simulation::Impl::look(std::uint32_t agent, const crowd::PairRead& read) noexcept {
  crowd::Seen& seen = agents.seen[agent];
  const std::uint32_t cell = agents.cell[agent];
  if (seen.epoch != read.epoch || seen.cell != cell)
    seen = {read.epoch, cell, 0, 0, read.field->optimal_directions(CellIndex{cell}).bits, false};
  return seen.ties;
}

void Simulation::Impl::stand(std::uint32_t agent, AgentState state, Reason reason) noexcept {
  agents.state[agent] = state;
  agents.reason[agent] = reason;
}

// Nobody looks from where he arrived but here: what he saw then holds for the epoch.
bool Simulation::Impl::still_arrived(std::uint32_t agent, const crowd::PairRead& read) noexcept {
  if (read.freshness != Freshness::current || read.goal_moved || !read.field) return true;
  const crowd::Seen& seen = agents.seen[agent];
  if (seen.epoch == read.epoch && seen.cell == agents.cell[agent]) return true;
  if (read.field->code(CellIndex{agents.cell[agent]}) != FlowField::kGoalCode) return false;
  look(agent, read);
  return true;
}

// Reads the snapshot and this agent, writes this agent: any order, any thread.
void Simulation::Impl::propose_one(std::uint32_t agent, Metrics& own) noexcept {
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  const CellIndex cell{agents.cell[agent]};
  agents.move[agent] = crowd::kStay;
  agents.at_portal[agent] = agents.wish[agent] = agents.excused[agent] = agents.pushed_off[agent] = 0;
  agents.by[agent] = agents.wanted[agent] = crowd::kNobody;
  if (agents.state[agent] == AgentState::arrived) {
    if (still_arrived(agent, read)) return;
    agents.state[agent] = AgentState::waiting;  // its goal went elsewhere
  }
  // Directions of a field of this very graph are legal steps by construction: one look-up is all most agents need.
  if (read.plain) {
    agents.wish[agent] = look(agent, read);
    if (agents.wish[agent] != 0) {
      ++own.direction_lookups;
      return intend(agent);
    }
  }
  const std::uint8_t legal = read.graph->moves()[cell.value];
  const Footing footing = read.graph->footing(cell);
  if (footing == Footing::unknown) return stand(agent, AgentState::stopped, Reason::unknown);
  if (footing != Footing::open) return stand(agent, AgentState::enclosed, Reason::enclosed);
  if (read.freshness == Freshness::not_ready) return stand(agent, AgentState::stopped, Reason::not_ready);
  if (read.goal_moved && def.on_goal_change == OnGoalChange::hold)
    return stand(agent, AgentState::stopped, Reason::goal_changed);
  const bool stale = read.freshness == Freshness::stale;
  if (stale && def.on_stale != OnStale::keep_if_legal) {
    if (def.on_stale == OnStale::hold) ++own.stale_stops;
    return stand(agent, AgentState::stopped, Reason::stale);
  }
  ++own.direction_lookups;
  const std::uint8_t code = read.field ? read.field->code(cell) : FlowField::kUnreachableCode;
  if (code == FlowField::kGoalCode) {
    if (read.goal_moved) return stand(agent, AgentState::stopped, Reason::goal_changed);
    return stand(agent, AgentState::arrived, Reason::arrived);  // commit() completes it
  }
  if (legal == 0 && read.graph->portals().leaving(cell.value).empty())
    return stand(agent, AgentState::enclosed, Reason::enclosed);
  if (code >= FlowField::kGoalCode)
    return stale ? stand(agent, AgentState::stopped, Reason::stale)
                 : stand(agent, AgentState::unreachable, Reason::unreachable);
  const std::uint8_t optimal = read.field->optimal_directions(cell).bits;
  const auto wish = static_cast<std::uint8_t>(optimal & legal);
  std::uint32_t first = 0;
  const bool portal = wish == 0 && read.portal(cell.value, first).has_value();
  if (wish != optimal || (optimal == 0 && !portal)) ++own.sweep_refusals;
  if (stale) {
    if (wish == 0 && !portal) {
      ++own.stale_stops;
      return stand(agent, AgentState::stopped, Reason::stale);
    }
    ++own.kept_old_direction;
  }
  agents.wish[agent] = wish;
  agents.at_portal[agent] = portal ? 1 : 0;
  intend(agent);
}

void Simulation::Impl::intend(std::uint32_t agent) noexcept {
  agents.move[agent] = crowd::kUndecided;
  if (agents.yield_ticks[agent] != 0) {
    const std::uint32_t other = agents.yield_to[agent];
    --agents.yield_ticks[agent];
    // Others are read as they stood before this tick: their cells do not change while agents propose.
    if (agents.cell[other] == agents.yield_cell[agent]) agents.yield_ticks[agent] = 0;
  }
  stand(agent, AgentState::waiting, Reason::none);
}

void Simulation::Impl::arbitrate() {
  push_all();
  if (!deadlocks.groups.empty()) walk_plans();
  const bool planned = deadlocks.groups.empty() && follow_plan();
  if (!planned) arbiter.run(priority.sort(agents, active), source);
  movers.clear();
  for (const std::uint32_t agent : active) {
    if (agents.move[agent] == crowd::kStay) {
      ++metrics.waits;
      if (!planned) note_stuck(agent);
      continue;
    }
    movers.push_back(agent);
    if (!planned && agents.age[agent] != 0) note_stuck(agent);
    agents.by[agent] = agents.wanted[agent] = crowd::kNobody;
    stand(agent, AgentState::moving, Reason::none);
  }
  if (!planned && (reservations.strides().timed() || !reservations.table().simple()))
    metrics.yields += wait_graph.resolve(agents, active, guidance.reads(), reservations, guidance.shape());
}

// The step of an agent that begins now or is not over.
MoveRecord Simulation::Impl::step_of(std::uint32_t agent) const {
  const crowd::Strides& strides = reservations.strides();
  const Cell from = agents.at[agent];
  const std::uint8_t d = agents.move[agent];
  MoveRecord record{agents.key[agent], from, {}, tick - 1};
  if (strides.timed()) {
    const crowd::Stride& stride = strides.of(agent);
    record.start_tick = stride.start;
    record.ticks = stride.ticks;
    record.remainder = stride.remainder;
  }
  if (d == crowd::kPortal) {
    record.to = guidance.shape().cell(CellIndex{agents.other_end[agent]});
    record.portal = agents.portal[agent];
  } else {
    record.to = {from.x + kDx[d], from.y + kDy[d], from.layer};
  }
  return record;
}

// Steps begin, and those that end with this tick are carried out: they are the movers then.
void Simulation::Impl::begin_strides() {
  crowd::Strides& strides = reservations.strides();
  for (const std::uint32_t agent : movers) {
    strides.begin(agent, reservations.granted_time(agent));
    // A step of several ticks is compared with the field of its last one.
    if (strides.of(agent).ticks > 1) agents.wish[agent] = 0;
  }
}

void Simulation::Impl::end_strides() {
  crowd::Strides& strides = reservations.strides();
  if (!strides.timed()) return;
  movers.clear();
  for (const std::uint32_t agent : placed)
    if (strides.under_way(agent) && strides.of(agent).end() == tick) movers.push_back(agent);
}

void Simulation::Impl::commit() {
  if (reservations.strides().timed()) begin_strides();
  moves.reserve(moves.size() + movers.size());
  for (const std::uint32_t agent : movers) moves.push_back(step_of(agent));
  // Jumps were first.
  if (moves.size() != movers.size())
    std::stable_sort(moves.begin(), moves.end(),
                     [](const MoveRecord& a, const MoveRecord& b) { return a.agent < b.agent; });
  metrics.agent_steps += movers.size();
  end_strides();
  reservations.commit(movers);
  reservations.strides().set_now(tick);
  // What the next tick asks for first is read now, one after the other, while the rest waits in the caches.
  for (std::size_t i = 0; i < movers.size(); ++i) {
    if (i + kAhead < movers.size()) fetch_ahead(movers[i + kAhead]);
    const crowd::PairRead& read = guidance.reads()[agents.pair[movers[i]]];
    if (read.field) look(movers[i], read);
  }
  bool gone = false;
  any_own_way = !own_ways.empty();
  for (const std::uint32_t agent : placed) {
    if (agents.state[agent] == AgentState::arrived && journeys.shown[agent] == AgentState::arrived) continue;
    account(agent);
    gone = (!reservations.strides().under_way(agent) && reach_goal(agent)) || gone;
  }
  if (gone) std::erase_if(placed, [this](std::uint32_t agent) { return journeys.on_map[agent] == 0; });
}

// Age: ticks since the cost last fell below the agent's own minimum. Costs of a new field start a new minimum, not a
// new age. An optimal step from the best cell is a new best without looking (unless steps can be free).
void Simulation::Impl::account(std::uint32_t agent) {
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  const auto version = static_cast<std::uint32_t>(read.field_version);
  ++agents.age[agent];
  if (reservations.strides().under_way(agent)) return;
  if (any_own_way)
    if (crowd::OwnWay* way = own_ways.find(agent)) return account_own(agent, *way);
  if (journeys.field_version[agent] != version) {
    journeys.field_version[agent] = version;
    agents.best_cost[agent] = crowd::kAtBest;
  }
  if (agents.state[agent] != AgentState::moving || !read.field) return;
  const bool at_best = agents.best_cost[agent] == crowd::kAtBest;
  const bool closer = ((agents.wish[agent] >> agents.move[agent]) & 1) && read.graph->min_factor() > 0;
  if (!(at_best && closer)) {
    const Cost cost = read.field->cost_to_goal(CellIndex{agents.cell[agent]});
    const std::uint32_t before =
        agents.move[agent] == crowd::kPortal
            ? agents.other_end[agent]
            : agents.cell[agent] - guidance.shape().step(static_cast<Direction>(agents.came_by[agent]));
    if (at_best) agents.best_cost[agent] = read.field->cost_to_goal(CellIndex{before});
    if (cost >= agents.best_cost[agent]) return;
    agents.best_cost[agent] = crowd::kAtBest;
  }
  agents.age[agent] = agents.yields[agent] = 0;
}

bool Simulation::Impl::stands_on_goal(std::uint32_t agent) {
  const CellIndex cell{agents.cell[agent]};
  if (any_own_way && own_ways.find(agent) != nullptr)
    return own_search.spots(guidance, agents.pair[agent]).holds(cell.value);
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  return !read.goal_moved && read.field && look(agent, read) == 0 && read.field->code(cell) == FlowField::kGoalCode;
}

// True if the agent is gone from the map.
bool Simulation::Impl::reach_goal(std::uint32_t agent) {
  AgentRecord& record = records[agent];
  const bool here = agents.state[agent] == AgentState::arrived ||
                    (agents.state[agent] == AgentState::moving && stands_on_goal(agent));
  if (!here) return false;
  own_ways.drop(agent);
  if (journeys.next_via[agent] < record.via.size()) {
    stand(agent, AgentState::moving, Reason::none);
    event(agent, AgentEventKind::passed_via);
    ++journeys.next_via[agent];
    set_pair(agent, next_goal(agent), tick);
    return false;
  }
  stand(agent, AgentState::arrived, Reason::arrived);
  agents.age[agent] = 0;
  journeys.arrival_tick[agent] = tick;
  if (guidance.goals()[journeys.goal[agent]].def.on_arrival == OnArrival::stay) return false;
  event(agent, AgentEventKind::arrived);
  journeys.shown[agent] = AgentState::arrived;
  journeys.on_map[agent] = 0;
  agents.yields[agent] = agents.yield_ticks[agent] = 0;
  vanishing.push_back(agent);
  left.push_back({agents.key[agent], sim::Guidance::profile_id(record.profile), agents.at[agent]});
  ++vanished;
  vanished_digest += base::mix(agents.key[agent], tick);
  return true;
}

// At the end of the tick, in order of class, start tick, key.
void Simulation::Impl::enter_waiting() {
  if (starting.empty()) return;
  std::vector<std::uint32_t> came;
  for (const std::uint32_t agent : starting) {
    if (records[agent].start_tick > tick) continue;
    if (enter(agent)) came.push_back(agent);
  }
  if (came.empty()) return;
  std::erase_if(starting, [this](std::uint32_t agent) {
    return journeys.on_map[agent] != 0 || agents.state[agent] == AgentState::arrived;
  });
  std::erase_if(came, [this](std::uint32_t agent) { return journeys.on_map[agent] == 0; });
  const auto by_key = [this](std::uint32_t a, std::uint32_t b) { return agents.key[a] < agents.key[b]; };
  std::sort(came.begin(), came.end(), by_key);
  const auto middle = static_cast<std::ptrdiff_t>(placed.size());
  placed.insert(placed.end(), came.begin(), came.end());
  std::inplace_merge(placed.begin(), placed.begin() + middle, placed.end(), by_key);
}

// Who vanishes still fills its goal cell at the end of its last tick.
void Simulation::Impl::lift_vanished() {
  for (const std::uint32_t agent : vanishing) reservations.lift(agent);
  vanishing.clear();
}

bool Simulation::Impl::enter(std::uint32_t agent) {
  const std::uint32_t holder = reservations.objector(agent, agents.cell[agent]);
  const Footing footing =
      guidance.profiles()[records[agent].profile].graph.compiled().footing(CellIndex{agents.cell[agent]});
  if (holder != crowd::kNobody || footing != Footing::open) {
    stand(agent, AgentState::not_started, Reason::start_held);
    agents.by[agent] = holder;
    agents.wanted[agent] = agents.cell[agent];
    return false;
  }
  AgentRecord& record = records[agent];
  journeys.on_map[agent] = 1;
  reservations.place(agent);
  entered.push_back({agents.key[agent], sim::Guidance::profile_id(record.profile), agents.at[agent]});
  Metrics ignored;
  propose_one(agent, ignored);
  agents.move[agent] = crowd::kStay;
  journeys.shown[agent] = agents.state[agent] == AgentState::arrived ? AgentState::waiting : agents.state[agent];
  event(agent, AgentEventKind::started);
  account(agent);
  agents.age[agent] = 0;
  reach_goal(agent);
  return true;
}

void Simulation::Impl::set_pair(std::uint32_t agent, std::uint32_t goal, std::uint64_t requested) {
  own_ways.drop(agent);
  deadlocks.forget(agent);
  agents.pair[agent] = guidance.pair(records[agent].profile, goal, requested);
  journeys.field_version[agent] = 0;
  ways_version = ++ways_changes;
}

}  // namespace drover
