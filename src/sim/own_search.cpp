// SPDX-License-Identifier: MIT
// Agents whose field is not of today's map or goal: who walks on its own way, and who gets to search one.
#include "sim/own_search.hpp"

#include "field/goals.hpp"
#include "sim/impl.hpp"

#include <algorithm>

namespace drover {

namespace sim {

bool is_legal(const crowd::OwnWay& way, const nav::CompiledGraph& graph) noexcept {
  std::uint32_t cell = way.at;
  const PortalStep* portal = way.portals.data() + way.next_portal;
  for (std::size_t i = way.next; i < way.steps.size(); ++i) {
    if (way.steps[i] == crowd::OwnWay::kPortalStep) {
      const auto open = graph.portals().leaving(cell);
      const auto is_it = [&](const nav::Portal& p) { return p.number == portal->portal && p.to == portal->to.value; };
      if (std::none_of(open.begin(), open.end(), is_it)) return false;
      cell = portal++->to.value;
      continue;
    }
    if ((graph.moves()[cell] >> way.steps[i] & 1) == 0) return false;
    cell += graph.shape().step(static_cast<Direction>(way.steps[i]));
  }
  return cell == way.end;
}

bool GoalSpots::holds(std::uint32_t cell) const noexcept {
  const auto at = std::lower_bound(cells.begin(), cells.end(), cell,
                                   [](const search::Target& target, std::uint32_t c) { return target.cell < c; });
  return at != cells.end() && at->cell == cell;
}

const GoalSpots& OwnSearch::spots(const Guidance& guidance, std::uint32_t pair) {
  if (spots_.size() < guidance.pairs().size()) spots_.resize(guidance.pairs().size());
  GoalSpots& spots = spots_[pair];
  const Pair& p = guidance.pairs()[pair];
  const NavGraph& graph = guidance.profiles()[p.profile].graph;
  const Goal& goal = guidance.goals()[p.goal];
  if (spots.known && spots.graph_hash == graph.content_hash() && spots.goal_version == goal.version) return spots;
  spots.known = true;
  spots.graph_hash = graph.content_hash();
  spots.goal_version = goal.version;
  spots.cells.clear();
  spots.components.clear();
  const field::PlacedGoals placed = field::place_goals(graph, goal.def.where);
  if (!placed.status.ok()) return spots;
  for (std::size_t i = 0; i < placed.cells.size(); ++i) {
    spots.cells.push_back({placed.cells[i], placed.offsets[i]});
    spots.components.push_back(graph.compiled().component(CellIndex{placed.cells[i]}));
  }
  std::sort(spots.components.begin(), spots.components.end());
  spots.components.erase(std::unique(spots.components.begin(), spots.components.end()), spots.components.end());
  return spots;
}

OwnSearch::Outcome OwnSearch::run(const nav::CompiledGraph& graph, std::uint32_t from, const GoalSpots& to,
                                  std::uint64_t& left, crowd::OwnWay& way) {
  using Found = search::AStar::Outcome;
  const std::uint32_t component = graph.component(CellIndex{from});
  if (!std::binary_search(to.components.begin(), to.components.end(), component)) return Outcome::unreachable;
  PathOptions options;
  options.budget = left;
  const Found found = search_.run(graph, CellIndex{from}, {graph.shape(), to.cells}, options, host_.allocator);
  if (found == Found::out_of_memory) return Outcome::out_of_memory;
  left -= std::min(left, search_.expanded());
  if (found == Found::budget_exceeded) return Outcome::budget_exceeded;
  if (found == Found::unreachable) return Outcome::unreachable;
  way.clear();
  way.end = search_.end();
  for (std::uint32_t at = way.end; at != from;) {
    const search::Way step = search_.way(at);
    way.steps.push_back(static_cast<std::uint8_t>(std::min(step, search::kPortal)));
    if (step < search::kPortal) {
      at -= graph.shape().step(static_cast<Direction>(step));
    } else {
      const nav::Portal& portal = graph.portals().all()[step - search::kPortal];
      way.portals.push_back({portal.number, CellIndex{portal.to}});
      at = portal.from;
    }
  }
  std::reverse(way.steps.begin(), way.steps.end());
  std::reverse(way.portals.begin(), way.portals.end());
  way.hash_rest();
  return Outcome::found;
}

}  // namespace sim

namespace {

// So long an agent waits before it doubts a way that was found on another map: two such ways may lead head on.
constexpr std::uint32_t kDoubtTicks = 4;

}  // namespace

// Without a field of today's map and goal, though it could walk.
bool Simulation::Impl::needs_own_way(std::uint32_t agent) const noexcept {
  if (agents.state[agent] != AgentState::stopped || guidance.profiles()[records[agent].profile].outdated) return false;
  const Reason reason = agents.reason[agent];
  return reason == Reason::stale || reason == Reason::not_ready || reason == Reason::goal_changed;
}

// Ticks without progress after which an agent may search.
std::uint32_t Simulation::Impl::patience() const noexcept {
  return def.on_stale == OnStale::replan ? def.refusals_before_replan : 0;
}

// It stands where its field left it; a way that broke is of no use any more.
void Simulation::Impl::hold(std::uint32_t agent) noexcept {
  own_ways.drop(agent);
  if (agents.reason[agent] == Reason::stale) ++metrics.stale_stops;
}

// After the others have proposed: in order of key those who have a way, then in order of priority those who search.
void Simulation::Impl::find_own_ways() {
  searchers.clear();
  doubters.clear();
  for (const std::uint32_t agent : placed) {
    if (reservations.strides().under_way(agent)) continue;
    if (!needs_own_way(agent))
      own_ways.drop(agent);
    else if (follow(agent))
      continue;
    else if (agents.age[agent] >= patience())
      searchers.push_back(agent);
    else
      hold(agent);
  }
  if (searchers.empty() && doubters.empty()) return;
  // Whoever was too dear once is served last, or under an edit every tick it would take all there is every tick.
  std::uint64_t budget = def.search_budget_cells;
  const std::vector<std::uint32_t>& order = priority.sort(agents, searchers);
  const auto dear = [this](std::uint32_t agent) {
    const crowd::OwnWay* way = own_ways.find(agent);
    return way != nullptr && way->kind == crowd::OwnWay::Kind::too_dear;
  };
  last_searchers.clear();
  for (const std::uint32_t agent : order) {
    if (dear(agent))
      last_searchers.push_back(agent);
    else
      search(agent, budget);
  }
  for (const std::uint32_t agent : last_searchers) search(agent, budget);
  for (const std::uint32_t agent : priority.sort(agents, doubters)) search_better(agent, budget);
}

// True if what is known of its way tells what it does.
bool Simulation::Impl::follow(std::uint32_t agent) {
  const sim::GoalSpots& goals = own_search.spots(guidance, agents.pair[agent]);
  if (goals.holds(agents.cell[agent])) {
    own_ways.drop(agent);
    stand(agent, AgentState::arrived, Reason::arrived);  // commit() completes it
    return true;
  }
  crowd::OwnWay* way = own_ways.find(agent);
  if (way == nullptr || way->at != agents.cell[agent] || way->goal_version != goals.goal_version ||
      (way->kind == crowd::OwnWay::Kind::way && way->finished()))
    return false;
  const bool same_graph = way->searched_hash == goals.graph_hash;
  if (way->kind != crowd::OwnWay::Kind::way) {
    if (same_graph) stand_without_way(agent, way->kind);
    return same_graph;
  }
  if (way->legal_hash != goals.graph_hash) {
    const nav::CompiledGraph& graph = guidance.profiles()[records[agent].profile].graph.compiled();
    if (!goals.holds(way->end) || !sim::is_legal(*way, graph)) return false;
    way->legal_hash = goals.graph_hash;
  }
  walk(agent, *way);
  if (!same_graph && agents.age[agent] >= std::max(kDoubtTicks, patience())) doubters.push_back(agent);
  return true;
}

void Simulation::Impl::aim(std::uint32_t agent, const crowd::OwnWay& way) noexcept {
  const bool portal = way.portal() != nullptr;
  agents.wish[agent] = portal ? std::uint8_t{0} : static_cast<std::uint8_t>(1u << way.steps[way.next]);
  agents.at_portal[agent] = portal ? 1 : 0;
}

void Simulation::Impl::walk(std::uint32_t agent, const crowd::OwnWay& way) noexcept {
  aim(agent, way);
  intend(agent);
}

void Simulation::Impl::stand_without_way(std::uint32_t agent, crowd::OwnWay::Kind kind) noexcept {
  if (kind == crowd::OwnWay::Kind::none) return stand(agent, AgentState::unreachable, Reason::unreachable);
  ++metrics.stale_stops;
  stand(agent, AgentState::stopped, Reason::search_budget);
}

// A search that was begun with less than the whole budget and did not come to an end is made again: its turn comes,
// since who waits grows older.
void Simulation::Impl::search(std::uint32_t agent, std::uint64_t& budget) {
  const bool whole = budget == def.search_budget_cells, again = own_ways.find(agent) != nullptr;
  const sim::GoalSpots& goals = own_search.spots(guidance, agents.pair[agent]);
  const nav::CompiledGraph& graph = guidance.profiles()[records[agent].profile].graph.compiled();
  const std::uint32_t from = agents.cell[agent];
  crowd::OwnWay& way = own_ways.take(agent);
  const sim::OwnSearch::Outcome outcome = own_search.run(graph, from, goals, budget, way);
  using Outcome = sim::OwnSearch::Outcome;
  if (outcome == Outcome::out_of_memory || (outcome == Outcome::budget_exceeded && !whole)) {
    if (!again) own_ways.drop(agent);
    ++metrics.queue_wait_ticks;
    // Where it waits does not matter: others may push it away.
    intend(agent);
    agents.reason[agent] = Reason::search_budget;
    return;
  }
  ++(again ? metrics.replans : metrics.fallbacks);
  way.at = from;
  way.goal_version = goals.goal_version;
  way.searched_hash = way.legal_hash = goals.graph_hash;
  way.kind = outcome == Outcome::found         ? crowd::OwnWay::Kind::way
             : outcome == Outcome::unreachable ? crowd::OwnWay::Kind::none
                                               : crowd::OwnWay::Kind::too_dear;
  if (outcome == Outcome::found) return walk(agent, way);
  way.clear();
  way.hash_rest();
  stand_without_way(agent, way.kind);
}

// With what is left of the budget, once on every map; until it finds another, the old way stands.
void Simulation::Impl::search_better(std::uint32_t agent, std::uint64_t& budget) {
  if (budget == 0) return;
  const sim::GoalSpots& goals = own_search.spots(guidance, agents.pair[agent]);
  const nav::CompiledGraph& graph = guidance.profiles()[records[agent].profile].graph.compiled();
  crowd::OwnWay& way = *own_ways.find(agent);
  way.searched_hash = goals.graph_hash;
  if (own_search.run(graph, agents.cell[agent], goals, budget, way) != sim::OwnSearch::Outcome::found) return;
  ++metrics.replans;
  aim(agent, way);
}

// Progress on an own way is a step along it. Its costs are not the field's, whose minimum begins anew.
void Simulation::Impl::account_own(std::uint32_t agent, crowd::OwnWay& way) noexcept {
  journeys.field_version[agent] = 0;
  agents.best_cost[agent] = crowd::kAtBest;
  if (agents.state[agent] != AgentState::moving || way.kind != crowd::OwnWay::Kind::way || way.finished()) return;
  const PortalStep* portal = way.portal();
  const std::uint32_t next = portal != nullptr
                                 ? portal->to.value
                                 : way.at + guidance.shape().step(static_cast<Direction>(way.steps[way.next]));
  if (agents.cell[agent] != next) return;
  way.advance(next);
  agents.age[agent] = agents.yields[agent] = 0;
}

}  // namespace drover
