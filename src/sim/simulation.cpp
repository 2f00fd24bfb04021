// SPDX-License-Identifier: MIT
// The public face: checks, start, questions.
#include <drover/simulation.hpp>

#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "sim/impl.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace drover {

Status SimulationDef::validate() const {
  if (guidance_ticks == 0 || guidance_ticks > 1000000) return {StatusCode::value, "guidance_ticks is 1 .. 1000000"};
  if (adopt_latency_ticks > 1000000) return {StatusCode::value, "adopt_latency_ticks is at most 1000000"};
  if (refresh_latency_ticks > 1000000) return {StatusCode::value, "refresh_latency_ticks is at most 1000000"};
  if (refusals_before_replan == 0 || refusals_before_replan > 1000000)
    return {StatusCode::value, "refusals_before_replan is 1 .. 1000000"};
  return {};
}

Simulation::Simulation(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Result<Simulation> Simulation::create(GridMap map, const SimulationDef& def, const Host& host) {
  if (Status status = def.validate(); !status.ok()) return status;
  if (def.step == StepPolicy::unit) {
    for (const PortalDef& portal : map.view().portals())
      if (portal.ticks > 1)
        return Status{StatusCode::speed,
                      base::concat("ticks ", portal.ticks, " of a portal; steps of a unit run last 1")};
  }
  return base::no_throw(
      [&]() -> Result<Simulation> { return Simulation(std::make_unique<Impl>(std::move(map), def, host)); });
}

Result<ProfileId> Simulation::add_profile(const MovementProfile& profile, const ProfileOptions& options) {
  return base::no_throw([&]() -> Result<ProfileId> {
    Impl& s = *impl_;
    MovementProfile own = profile;  // it may stand in profiles()
    if (s.def.step == StepPolicy::unit && own.speed != Fixed::from_int(1))
      return Status{StatusCode::speed, base::concat("profile \"", own.name, "\": speed other than 1 in a unit run")};
    if (s.reservations.table().size() >= 255) return Status{StatusCode::value, "at most 255 bodies"};
    s.profile_defs.reserve(s.profile_defs.size() + 1);
    const Result<std::uint32_t> index =
        s.guidance.add_profile(own, options.adopt_latency_ticks.value_or(s.def.adopt_latency_ticks));
    if (!index) return index.status();
    s.guidance.profile(*index).body = s.reservations.table().add({own.footprint, own.radius(), own.speed});
    s.remember(AddedProfile{own, options});
    s.profile_defs.push_back(std::move(own));
    return sim::Guidance::profile_id(*index);
  });
}

Result<GoalId> Simulation::add_goal(const SimulationGoal& goal) {
  return base::no_throw([&]() -> Result<GoalId> {
    if (Status status = impl_->check_goal(goal.where); !status.ok()) return status;
    const GoalId id = sim::Guidance::goal_id(impl_->guidance.add_goal(goal));
    impl_->remember(goal);
    return id;
  });
}

Result<AgentId> Simulation::add_agent(const AgentDef& agent) {
  return base::no_throw([&] { return impl_->add_agent(agent); });
}

Status Simulation::submit(const Command& command) {
  return base::no_throw([&] {
    Status status = impl_->check(command);
    if (status.ok()) {
      Command queued = command;
      queued.tick = std::max(queued.tick, impl_->tick);
      Input input = queued;
      impl_->make_room_for_input();
      impl_->queue.push(std::move(queued));
      impl_->remember(std::move(input));
    }
    return status;
  });
}

void Simulation::Impl::make_room_for_input() {
  if (given.size() == given.capacity()) given.reserve(given.size() * 2 + 8);
}

// What is given before the start is part of the state at tick 0.
void Simulation::Impl::remember(Input input) {
  if (started) given.push_back(std::move(input));
}

Status Simulation::give(const Input& input) {
  if (const auto* profile = std::get_if<AddedProfile>(&input))
    return add_profile(profile->profile, profile->options).status();
  if (const auto* goal = std::get_if<SimulationGoal>(&input)) return add_goal(*goal).status();
  const auto& command = std::get<Command>(input);
  const auto* add = std::get_if<AddAgent>(&command.change);
  return add != nullptr ? add_agent(add->def).status() : submit(command);
}

Status Simulation::Impl::start() {
  if (started) return {};
  run_commands();
  if (Status status = guidance.start(); !status.ok()) return status;
  started = true;
  enter_waiting();
  lift_vanished();
  ask_for_plan();
  gate_crowd.adopt_due(guidance, agents, placed, 0);
  guidance.publish(0);
  StepReport ignored;
  finish_tick(ignored);
  in_force.clear();
  return {};
}

Status Simulation::start() {
  return base::no_throw([&] { return impl_->start(); });
}

StepReport Simulation::step() {
  if (!impl_->started && !impl_->start().ok()) return {};
  return impl_->step();
}

const SimulationDef& Simulation::def() const noexcept { return impl_->def; }
std::uint64_t Simulation::tick() const noexcept { return impl_->tick; }
bool Simulation::finished() const noexcept { return impl_->finished(); }

bool Simulation::Impl::finished() const noexcept {
  if (!started || !queue.empty() || guidance.anything_pending() || !starting.empty()) return false;
  const auto in = [this](AgentState s) { return counts[static_cast<std::size_t>(s)]; };
  return in(AgentState::moving) + in(AgentState::waiting) + in(AgentState::enclosed) == 0;
}

std::size_t Simulation::agent_count() const noexcept { return impl_->records.size() - impl_->free_slots.size(); }

AgentView Simulation::Impl::view(std::uint32_t agent) const {
  const AgentRecord& record = records[agent];
  AgentView v;
  v.key = agents.key[agent];
  v.cell = agents.at[agent];
  v.state = agents.state[agent];
  v.reason = agents.reason[agent];
  v.by = agents.by[agent] == crowd::kNobody ? 0 : agents.key[agents.by[agent]];
  v.age_ticks = agents.age[agent];
  v.arrival_tick = journeys.arrival_tick[agent];
  v.profile = sim::Guidance::profile_id(record.profile);
  v.goal = sim::Guidance::goal_id(next_goal(agent));
  return v;
}

Result<AgentView> Simulation::agent(AgentId id) const {
  if (!impl_->valid(id)) return Status{StatusCode::handle, "no such agent"};
  return impl_->view(id.index);
}

Result<AgentId> Simulation::find_agent(std::uint64_t key) const {
  const auto found = impl_->slot_of_key.find(key);
  if (found == impl_->slot_of_key.end()) return Status{StatusCode::handle, "no agent with key " + std::to_string(key)};
  return AgentId{found->second, impl_->records[found->second].generation};
}

void Simulation::agents(std::vector<AgentView>& out) const {
  out.clear();
  out.reserve(agent_count());
  for (std::uint32_t i = 0; i < impl_->records.size(); ++i)
    if (impl_->records[i].used) out.push_back(impl_->view(i));
  std::sort(out.begin(), out.end(), [](const AgentView& a, const AgentView& b) { return a.key < b.key; });
}

WhyLink Simulation::Impl::link(std::uint32_t agent) const {
  WhyLink l;
  l.key = agents.key[agent];
  l.state = agents.state[agent];
  l.reason = agents.reason[agent];
  l.by = agents.by[agent] == crowd::kNobody ? 0 : agents.key[agents.by[agent]];
  l.cell = agents.at[agent];
  if (agents.wanted[agent] != crowd::kNobody) l.wanted = guidance.shape().cell(CellIndex{agents.wanted[agent]});
  l.age_ticks = agents.age[agent];
  return l;
}

// Ends at an agent that moves or has arrived (a full goal names it already), at a reason that names nobody, or where
// the chain closes.
std::vector<WhyLink> Simulation::Impl::why(std::uint32_t agent) const {
  std::vector<WhyLink> chain;
  std::vector<std::uint32_t> seen;
  for (std::uint32_t next = agent; next != crowd::kNobody; next = agents.by[next]) {
    const bool first = chain.empty(), arrived = agents.state[next] == AgentState::arrived;
    if (!first && (agents.state[next] == AgentState::moving || std::find(seen.begin(), seen.end(), next) != seen.end()))
      break;
    if (!first && arrived && chain.back().reason == Reason::goal_occupied) break;
    seen.push_back(next);
    chain.push_back(link(next));
    if (arrived) break;
  }
  return chain;
}

Result<std::vector<WhyLink>> Simulation::why(AgentId id) const {
  return base::no_throw([&]() -> Result<std::vector<WhyLink>> {
    if (!impl_->valid(id)) return Status{StatusCode::handle, "no such agent"};
    return impl_->why(id.index);
  });
}

void Simulation::survey_waits(std::size_t longest, WaitSurvey& out) const {
  const crowd::Agents& agents = impl_->agents;
  out.by_reason = {};
  out.longest.clear();
  std::vector<std::uint32_t> top;
  top.reserve(longest + 1);
  const auto waits = [&](AgentState s) {
    return s == AgentState::waiting || s == AgentState::stopped || s == AgentState::enclosed;
  };
  std::uint32_t least = longest == 0 ? ~std::uint32_t{0} : 0;
  for (const std::uint32_t agent : impl_->placed) {
    ++out.by_reason[static_cast<std::size_t>(agents.reason[agent])];
    // Ages first: most agents have just come nearer.
    if (agents.age[agent] <= least || !waits(agents.state[agent])) continue;
    // Keys ascend, so equal ages stay in order of key.
    const auto place = std::upper_bound(
        top.begin(), top.end(), agent, [&](std::uint32_t a, std::uint32_t b) { return agents.age[a] > agents.age[b]; });
    top.insert(place, agent);
    if (top.size() > longest) top.pop_back();
    if (top.size() == longest) least = agents.age[top.back()];
  }
  for (const std::uint32_t agent : top) out.longest.push_back(impl_->view(agent));
}

StateCounts Simulation::state_counts() const noexcept { return impl_->counts; }
std::span<const Input> Simulation::inputs() const noexcept { return impl_->taken; }
std::size_t Simulation::inputs_waiting() const noexcept { return impl_->given.size(); }
std::span<const Command> Simulation::commands() const noexcept { return impl_->in_force; }
std::span<const AgentEvent> Simulation::events() const noexcept { return impl_->events; }
std::span<const MoveRecord> Simulation::moves() const noexcept { return impl_->moves; }
std::span<const Adoption> Simulation::adoptions() const noexcept { return impl_->guidance.adoptions(); }
std::span<const Simulation::Entry> Simulation::entered() const noexcept { return impl_->entered; }
std::span<const Simulation::Entry> Simulation::left() const noexcept { return impl_->left; }
std::span<const Simulation::Entry> Simulation::removed() const noexcept {
  return std::span(impl_->left).first(impl_->removed);
}

void Simulation::on_map(std::vector<Entry>& out) const {
  out.clear();
  out.reserve(impl_->placed.size());
  for (const std::uint32_t agent : impl_->placed)
    out.push_back(
        {impl_->agents.key[agent], sim::Guidance::profile_id(impl_->records[agent].profile), impl_->agents.at[agent]});
}

void Simulation::steps(std::vector<std::uint8_t>& out) const {
  const std::vector<std::uint32_t>& placed = impl_->placed;
  const std::uint8_t* const move = impl_->agents.move.data();
  static constexpr std::array<std::uint8_t, crowd::kPortal + 1> kSteps{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, kPortalStep};
  out.resize(placed.size());
  for (std::size_t i = 0; i < placed.size(); ++i) out[i] = kSteps[move[placed[i]]];
  if (!impl_->reservations.strides().timed()) return;
  // Not of those whose step began before.
  auto began = impl_->moves.begin();
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const std::uint64_t key = impl_->agents.key[placed[i]];
    while (began != impl_->moves.end() && (began->agent < key || began->ticks == 0)) ++began;
    if (began == impl_->moves.end() || began->agent != key) out[i] = 0;
  }
}

void Simulation::under_way(std::vector<MoveRecord>& out) const {
  out.clear();
  for (const std::uint32_t agent : impl_->placed)
    if (impl_->reservations.strides().under_way(agent)) out.push_back(impl_->step_of(agent));
}

BundleRef Simulation::snapshot() const { return impl_->guidance.store().snapshot(); }
const NavStore& Simulation::store() const noexcept { return impl_->guidance.store(); }
const MapView& Simulation::map() const noexcept { return impl_->guidance.map(); }
Digests Simulation::digests() const noexcept { return impl_->digests; }
std::span<const MovementProfile> Simulation::profiles() const noexcept { return impl_->profile_defs; }

Metrics Simulation::metrics() const noexcept {
  Metrics m = impl_->metrics;
  const crowd::ArbiterCounters& c = impl_->arbiter.counters();
  m.refusals = c.refusals;
  m.pushes = c.pushes;
  m.rotations = c.rotations;
  m.steps_aside = c.steps_aside;
  impl_->guidance.count(m);
  impl_->gate_crowd.count(m);
  return m;
}

}  // namespace drover
