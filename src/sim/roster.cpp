// SPDX-License-Identifier: MIT
// Agents that come and go, and the commands that change a run.
#include "base/digest.hpp"
#include "base/text.hpp"
#include "field/goals.hpp"
#include "sim/impl.hpp"
#include "world/map_obstacles.hpp"
#include "world/step_rules.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <unordered_map>
#include <utility>

namespace drover {
namespace {

using base::cell_text;

constexpr std::size_t kMaxVia = 65535;

// Addresses come again, these do not. Decides nothing but whose a snapshot is.
std::uint64_t next_identity() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::string size_text(const GridShape& shape) {
  return std::to_string(shape.width()) + "x" + std::to_string(shape.height());
}

}  // namespace

void Journeys::resize(std::size_t slots) {
  goal.resize(slots, 0);
  next_via.resize(slots, 0);
  arrival_tick.resize(slots, 0);
  field_version.resize(slots, 0);
  on_map.resize(slots, 0);
  shown.resize(slots, AgentState::not_started);
}

void Journeys::clear(std::size_t slot) noexcept {
  goal[slot] = 0;
  next_via[slot] = 0;
  arrival_tick[slot] = 0;
  field_version[slot] = 0;
  on_map[slot] = 0;
  shown[slot] = AgentState::not_started;
}

Simulation::Impl::Impl(GridMap map, const SimulationDef& settings, const Host& hooks)
    : identity(next_identity()),
      def(settings),
      host(hooks),
      guidance(std::move(map), settings, hooks),
      reservations(agents, guidance.shape(), settings.bodies, settings.following, settings.step),
      arbiter(agents, reservations, guidance.shape()),
      own_search(hooks),
      source(agents, guidance.reads(), guidance.shape(), own_ways),
      deadlocks(reservations.table()),
      gate_crowd(hooks, settings.guidance_ticks) {}

Status Simulation::Impl::check_agent(const AgentDef& a) const {
  const std::string who = "agent " + std::to_string(a.key);
  if (slot_of_key.contains(a.key)) return {StatusCode::argument, who + ": its key is taken; keys are unique"};
  if (a.profile.generation != 1 || a.profile.index >= guidance.profiles().size())
    return {StatusCode::profile_unknown, who + ": no such profile"};
  const auto known = [this](GoalId g) { return g.generation == 1 && g.index < guidance.goals().size(); };
  if (!known(a.goal) || !std::all_of(a.via.begin(), a.via.end(), known))
    return {StatusCode::handle, who + ": no such goal"};
  const CellIndex cell = guidance.shape().index(a.at);
  if (!cell.valid())
    return {StatusCode::start_outside,
            who + ": start " + cell_text(a.at) + " is outside the map of " + size_text(guidance.shape())};
  // Doors and edits before the start tick may open the place; what never fits is refused now.
  if (a.start_tick <= tick && guidance.profiles()[a.profile.index].graph.compiled().footing(cell) != Footing::open)
    return {StatusCode::start_blocked, who + ": no room for its body at start " + cell_text(a.at)};
  if (a.via.size() > kMaxVia)
    return {StatusCode::value, base::concat(who, ": ", a.via.size(), " via goals; at most ", kMaxVia)};
  if (records.size() - free_slots.size() >= crowd::kNobody - 1u)
    return {StatusCode::limit_agents, "more agents than 2^32 - 2"};
  return {};
}

Result<AgentId> Simulation::Impl::add_agent(const AgentDef& a) {
  if (Status status = check_agent(a); !status.ok()) return status;
  std::uint32_t slot;
  if (free_slots.empty()) {
    slot = agents.append();
    records.emplace_back();
    journeys.resize(records.size());
  } else {
    slot = free_slots.back();
    free_slots.pop_back();
    agents.clear(slot);
    journeys.clear(slot);
  }
  reservations.strides().resize(agents.size());
  reservations.strides().forget(slot);
  AgentRecord& record = records[slot];
  const std::uint32_t generation = record.generation;
  record = AgentRecord{};
  record.generation = generation;
  record.used = true;
  agents.key[slot] = a.key;
  agents.cell[slot] = guidance.shape().index(a.at).value;
  agents.at[slot] = a.at;
  stand(slot, AgentState::not_started, Reason::start_later);
  slot_of_key.emplace(a.key, slot);
  roster_version = ++roster_changes;
  ways_version = ++ways_changes;
  const AgentId id{slot, generation};
  queue.push({tick, 0, AddAgent{id, a}});
  remember(Command{tick, 0, AddAgent{id, a}});
  return id;
}

// Order in which agents that wait for their place may enter.
bool Simulation::Impl::starts_before(std::uint32_t a, std::uint32_t b) const noexcept {
  if (agents.priority_class[a] != agents.priority_class[b]) return agents.priority_class[a] > agents.priority_class[b];
  if (records[a].start_tick != records[b].start_tick) return records[a].start_tick < records[b].start_tick;
  return agents.key[a] < agents.key[b];
}

// What an agent was added with and keeps, wherever it stands.
std::uint64_t Simulation::Impl::plan_digest(std::uint32_t agent) const noexcept {
  const AgentRecord& record = records[agent];
  base::Digest digest;
  digest.add(agents.key[agent]).add(record.profile).add(static_cast<std::uint32_t>(agents.priority_class[agent]));
  for (const std::uint32_t via : record.via) digest.add(via);
  return digest.value();
}

void Simulation::Impl::apply(const AddAgent& add, std::uint64_t requested) {
  if (!valid(add.agent)) return;  // removed again before it came into force
  const std::uint32_t slot = add.agent.index;
  AgentRecord& record = records[slot];
  record.profile = add.def.profile.index;
  journeys.goal[slot] = add.def.goal.index;
  roster_version = ++roster_changes;
  for (const GoalId via : add.def.via) record.via.push_back(via.index);
  record.start_tick = std::max(add.def.start_tick, tick);
  agents.priority_class[slot] = add.def.priority_class;
  agents.body[slot] = guidance.profiles()[record.profile].body;
  for (const std::uint32_t via : record.via) guidance.pair(record.profile, via, requested);
  guidance.pair(record.profile, journeys.goal[slot], requested);
  set_pair(slot, next_goal(slot), requested);
  plans_digest += plan_digest(slot);
  starting.push_back(slot);
}

void Simulation::Impl::apply(const RemoveAgent& remove) {
  if (!valid(remove.agent)) return;
  const std::uint32_t slot = remove.agent.index;
  AgentRecord& record = records[slot];
  event(slot, AgentEventKind::removed);
  own_ways.drop(slot);
  deadlocks.forget(slot);
  plans_digest -= plan_digest(slot);
  if (journeys.on_map[slot]) {
    reservations.lift_step(slot);
    reservations.lift(slot);
    left.push_back({agents.key[slot], sim::Guidance::profile_id(record.profile), agents.at[slot]});
  } else if (agents.state[slot] == AgentState::arrived) {
    --vanished;
    vanished_digest -= base::mix(agents.key[slot], journeys.arrival_tick[slot]);
  }
  slot_of_key.erase(agents.key[slot]);
  record.used = false;
  journeys.on_map[slot] = 0;
  ++record.generation;
  roster_version = ++roster_changes;
  free_slots.push_back(slot);
}

void Simulation::Impl::apply(const Retarget& change, std::uint64_t requested) {
  if (!valid(change.agent)) return;
  const std::uint32_t slot = change.agent.index;
  AgentRecord& record = records[slot];
  if (!journeys.on_map[slot] && agents.state[slot] == AgentState::arrived) return;  // gone
  journeys.next_via[slot] = static_cast<std::uint16_t>(record.via.size());
  journeys.goal[slot] = change.goal.index;
  set_pair(slot, change.goal.index, requested);
  if (agents.state[slot] == AgentState::arrived) {
    agents.state[slot] = AgentState::waiting;
    journeys.shown[slot] = AgentState::waiting;
  }
  event(slot, AgentEventKind::retargeted);
}

// Once for all who came and went in a tick.
void Simulation::Impl::settle_roster(bool came, bool went) {
  if (went) {
    std::erase_if(starting, [this](std::uint32_t agent) { return !records[agent].used; });
    std::erase_if(placed, [this](std::uint32_t agent) { return journeys.on_map[agent] == 0; });
    for (const std::uint32_t agent : placed) {
      if (agents.by[agent] != crowd::kNobody && !records[agents.by[agent]].used) agents.by[agent] = crowd::kNobody;
      if (agents.yield_ticks[agent] != 0 && !records[agents.yield_to[agent]].used) agents.yield_ticks[agent] = 0;
    }
  }
  const auto before = [this](std::uint32_t a, std::uint32_t b) { return starts_before(a, b); };
  if (came && !std::is_sorted(starting.begin(), starting.end(), before))
    std::sort(starting.begin(), starting.end(), before);
}

// Edits of a tick count by their net effect, as one batch, before everything else.
void Simulation::Impl::run_commands() {
  in_force.clear();
  while (const Command* command = queue.pop(tick)) in_force.push_back(*command);
  MapEdit batch;
  std::uint64_t requested = 0;
  for (const Command& command : in_force) {
    if (const auto* change = std::get_if<EditMap>(&command.change)) {
      batch.append(change->edit);
      requested = std::max(requested, command.tick);
    }
  }
  if (!batch.empty()) guidance.edit(std::move(batch), requested);
  // Of several goals that an agent is given in one tick the last counts.
  std::unordered_map<std::uint32_t, const Command*> last;  // looked up only
  for (const Command& command : in_force)
    if (const auto* retarget = std::get_if<Retarget>(&command.change)) last[retarget->agent.index] = &command;
  bool came = false, went = false;
  for (const Command& command : in_force) {
    if (const auto* add = std::get_if<AddAgent>(&command.change)) {
      apply(*add, command.tick);
      came = true;
    }
    if (const auto* remove = std::get_if<RemoveAgent>(&command.change)) {
      apply(*remove);
      went = true;
    }
    if (const auto* retarget = std::get_if<Retarget>(&command.change)) {
      const bool last_one = last[retarget->agent.index] == &command;
      if (last_one) apply(*retarget, command.tick);
      metrics.coalesced_goal_changes += last_one ? 0 : 1;
    }
    if (const auto* goal = std::get_if<SetGoal>(&command.change))
      guidance.set_goal(goal->goal.index, goal->where, command.tick);
  }
  removed = left.size();
  settle_roster(came, went);
  run_orders();
}

Status Simulation::Impl::check_edit(const MapEdit& edit) const {
  for (const CellEdit& e : edit.cells) {
    if (!guidance.shape().contains(e.cell))
      return {StatusCode::edit_outside,
              "edit of " + cell_text(e.cell) + " is outside the map of " + size_text(guidance.shape())};
    if (e.terrain >= guidance.map().terrain_classes().size())
      return {StatusCode::edit, "edit of " + cell_text(e.cell) + " names terrain " + std::to_string(e.terrain) +
                                    ", which the map does not have"};
    if (e.faction != kEveryone && e.faction >= guidance.map().factions().size())
      return {StatusCode::edit, "edit of " + cell_text(e.cell) + " names faction " + std::to_string(e.faction) +
                                    ", which the map does not have"};
  }
  for (const DoorEdit& e : edit.doors) {
    const std::string door = "door " + std::to_string(e.door);
    if (e.door >= guidance.map().doors().size()) return {StatusCode::handle, "no " + door};
    if (Status status = world::check_edge_cost(e.cost, "cost of " + door + ": "); !status.ok()) return status;
  }
  if (Status status = world::check_steps(guidance.shape(), edit.steps); !status.ok()) return status;
  if (Status status = world::check_obstacles(guidance.map().obstacles().size(), edit.obstacles); !status.ok())
    return status;
  return world::check_portals(guidance.map().portals().size(), edit.portals);
}

Status Simulation::Impl::check_goal(const GoalDef& where) const {
  if (Status status = field::check_goal(where); !status.ok()) return status;
  std::string bad;
  const auto look = [&](Cell c) {
    if (!guidance.shape().contains(c)) bad += (bad.empty() ? "" : "; ") + cell_text(c) + " goal_outside";
  };
  for (const GoalCell& c : where.cells) look(c.cell);
  if (where.area) look(where.area->of);
  if (!bad.empty() && where.placement == GoalPlacement::exact)
    return {StatusCode::goal_outside, bad + "; the map is " + size_text(guidance.shape())};
  return {};
}

Status Simulation::Impl::check(const Command& command) const {
  const auto known = [this](GoalId g) { return g.generation == 1 && g.index < guidance.goals().size(); };
  if (const auto* edit = std::get_if<EditMap>(&command.change)) return check_edit(edit->edit);
  if (std::holds_alternative<AddAgent>(command.change)) return {StatusCode::argument, "agents are added by add_agent"};
  if (const auto* remove = std::get_if<RemoveAgent>(&command.change))
    return valid(remove->agent) ? Status{} : Status{StatusCode::handle, "no such agent"};
  if (const auto* retarget = std::get_if<Retarget>(&command.change)) {
    if (!valid(retarget->agent)) return {StatusCode::handle, "no such agent"};
    return known(retarget->goal) ? Status{} : Status{StatusCode::handle, "no such goal"};
  }
  if (const auto* jump = std::get_if<Teleport>(&command.change)) return check_order(*jump, command.tick);
  if (const auto* push = std::get_if<Push>(&command.change)) return check_order(*push, command.tick);
  const auto& goal = std::get<SetGoal>(command.change);
  if (!known(goal.goal)) return {StatusCode::handle, "no such goal"};
  return check_goal(goal.where);
}

}  // namespace drover
