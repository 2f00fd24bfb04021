// SPDX-License-Identifier: MIT
// Jams: found by walking from who waits to whom it waits for, left by a plan, or named when there is none.
#include "sim/impl.hpp"

#include <algorithm>
#include <bit>

namespace drover {
namespace {

// Ticks without progress before two who meet in a passage are looked at (before they begin to push each other to and
// fro), any cycle, and one whom no chain of waiting explains.
constexpr std::uint32_t kHeadOnTicks = 1, kPatienceTicks = 5, kLongTicks = 16;
// Steps of agents that all searches of a tick may try; a look at the cells around a jam, and from one who waits to the
// next, count as so many. In a crowd where nobody gets on, some are looked at in every tick, and everybody in turn.
constexpr std::uint64_t kWorkPerTick = std::uint64_t{1} << 19, kLookWork = std::uint64_t{1} << 14, kLinkWork = 64;
// Plans longer than that are not of a jam.
constexpr std::size_t kMostTicks = 128;

// At 1, at 5, at every eighth tick for a while, then ever more rarely: a jam that is too large costs little.
constexpr bool due(std::uint32_t age) noexcept {
  return age == kHeadOnTicks || age == kPatienceTicks || (age % 8 == 0 && age <= 64) ||
         (age > 64 && (age & (age - 1)) == 0);
}

}  // namespace

// In arbitrate(), where what everybody does is known.
void Simulation::Impl::note_stuck(std::uint32_t agent) {
  if (due(agents.age[agent] + 1)) deadlocks.stuck.push_back(agent);
}

// Whom it waits for; of one that moves without getting nearer, who stands where it would rather be.
std::uint32_t Simulation::Impl::waits_for(std::uint32_t agent) const noexcept {
  if (agents.state[agent] == AgentState::waiting) return agents.by[agent];
  if (agents.state[agent] != AgentState::moving) return crowd::kNobody;
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  const CellIndex here{agents.cell[agent]};
  if (!read.field || read.freshness != Freshness::current) return crowd::kNobody;
  const unsigned wish = read.field->optimal_directions(here).bits;
  if (wish == 0) return crowd::kNobody;
  return reservations.holder(here.value + guidance.shape().step(static_cast<Direction>(std::countr_zero(wish))));
}

// From who waits to whom it waits for, until somebody is met twice (a cycle: only it is left), stands for reasons of
// his own, or gets on (nobody is left). Where another chain of the tick went, nothing new is found: O(agents) for all.
bool Simulation::Impl::walk_chain(std::uint32_t start, std::vector<std::uint32_t>& chain, std::uint64_t& work) {
  chain.clear();
  const std::uint32_t walk = ++deadlocks.walks;
  for (std::uint32_t at = start; at != crowd::kNobody && journeys.on_map[at] != 0; at = waits_for(at)) {
    if (deadlocks.visit[at] == walk) {
      chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), at));
      return true;
    }
    const bool standing = agents.state[at] == AgentState::arrived || agents.state[at] == AgentState::no_space ||
                          agents.state[at] == AgentState::unreachable;
    if (standing && !chain.empty()) {
      chain.erase(chain.begin(), chain.end() - 1);
      return false;
    }
    const bool gets_on = agents.state[at] == AgentState::moving && agents.age[at] == 0;
    if (gets_on || deadlocks.visit[at] != 0 || work < kLinkWork) break;
    work -= kLinkWork;
    deadlocks.visit[at] = walk;
    chain.push_back(at);
  }
  chain.clear();
  return false;
}

// They wait for each other, and neither can step aside.
bool Simulation::Impl::meets_head_on(std::uint32_t agent, std::vector<std::uint32_t>& members) const {
  members.clear();
  const std::uint32_t other = waits_for(agent);
  if (other == crowd::kNobody || journeys.on_map[other] == 0 || waits_for(other) != agent) return false;
  members.assign({agent, other});
  return in_passage(members);
}

// Nobody can step aside here.
bool Simulation::Impl::in_passage(const std::vector<std::uint32_t>& members) const noexcept {
  return std::all_of(members.begin(), members.end(), [this](std::uint32_t agent) {
    const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
    return std::popcount(read.graph->moves()[agents.cell[agent]]) <= 2;
  });
}

// After the steps of the tick.
void Simulation::Impl::find_jams() {
  if (deadlocks.stuck.empty()) return;
  std::uint64_t work = kWorkPerTick;
  deadlocks.visit.assign(agents.size(), 0);
  deadlocks.walks = 0;
  std::vector<std::uint32_t>& members = deadlocks.chain;
  const std::size_t count = deadlocks.stuck.size(), first = tick % count;
  for (std::size_t i = 0; i < count && work >= kLookWork; ++i) {
    const std::uint32_t agent = deadlocks.stuck[(first + i) % count];
    if (journeys.on_map[agent] == 0 || agents.age[agent] < kHeadOnTicks || deadlocks.holds(agent)) continue;
    const bool early = agents.age[agent] < kPatienceTicks;
    const bool cycle = early ? meets_head_on(agent, members) : walk_chain(agent, members, work);
    if (early && !cycle) continue;
    const bool named = !members.empty();
    if (!named && agents.age[agent] >= kLongTicks) members.push_back(agent);
    const bool held =
        std::any_of(members.begin(), members.end(), [&](std::uint32_t member) { return deadlocks.holds(member); });
    if (members.empty() || held || members.size() > crowd::JointProblem::kMostAgents) continue;
    if (goal_is_taken(members.front())) continue;
    work -= std::min(work, kLookWork);
    if (!describe_jam(members) || (!named && !deadlocks.jam.closed)) continue;
    resolve_jam(members, cycle, work);
  }
  deadlocks.stuck.clear();
}

// Its chain ends at who has the only place it could wait for: nothing to be done.
bool Simulation::Impl::goal_is_taken(std::uint32_t agent) const noexcept {
  const std::uint32_t by = agents.by[agent];
  if (by == crowd::kNobody || agents.state[by] != AgentState::arrived || agents.wanted[agent] == crowd::kNobody)
    return false;
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  return read.field && read.field->code(CellIndex{agents.wanted[agent]}) == FlowField::kGoalCode;
}

void Simulation::Impl::resolve_jam(const std::vector<std::uint32_t>& members, bool cycle, std::uint64_t& work) {
  const sim::Jam& jam = deadlocks.jam;
  using Outcome = crowd::JointSearch::Outcome;
  const Outcome outcome = deadlocks.search.run(jam.problem, work);
  if (outcome == Outcome::plan) {
    const std::vector<std::uint8_t>& plan = deadlocks.search.moves();
    if (plan.empty() || plan.size() > kMostTicks * jam.agents.size()) return;
    std::erase_if(deadlocks.groups, [&](const sim::JamGroup& group) {
      return std::any_of(group.agents.begin(), group.agents.end(), [&](std::uint32_t agent) {
        return std::find(jam.agents.begin(), jam.agents.end(), agent) != jam.agents.end();
      });
    });
    deadlocks.groups.push_back({false, jam.agents, plan, 0});
    ++metrics.joint_plans;
    return;
  }
  if (outcome != Outcome::impossible || !cycle || !jam.closed) return;
  deadlocks.groups.push_back({true, members, {}, jam.proof});
  ++metrics.deadlocks;
  for (std::size_t i = 0; i < members.size(); ++i) hold_in_cycle(members, i);
}

void Simulation::Impl::hold_in_cycle(const std::vector<std::uint32_t>& members, std::size_t i) noexcept {
  const std::uint32_t agent = members[i];
  agents.move[agent] = crowd::kStay;
  agents.by[agent] = members[(i + 1) % members.size()];
  stand(agent, AgentState::no_space, Reason::no_space);
}

// After everybody proposed: a cycle stands as long as its proof does.
void Simulation::Impl::hold_jams() {
  std::erase_if(deadlocks.groups, [this](const sim::JamGroup& group) {
    if (!group.no_space) return false;
    if (!std::all_of(group.agents.begin(), group.agents.end(),
                     [this](std::uint32_t agent) { return agents.move[agent] == crowd::kUndecided; }) ||
        !describe_jam(group.agents) || !deadlocks.jam.closed || deadlocks.jam.proof != group.proof)
      return true;
    for (std::size_t i = 0; i < group.agents.size(); ++i) hold_in_cycle(group.agents, i);
    return false;
  });
}

// Before the others' steps. All of a plan's steps are granted, or it is dropped.
void Simulation::Impl::walk_plans() {
  const std::size_t before = active.size();
  std::erase_if(deadlocks.groups, [this](sim::JamGroup& group) { return !group.no_space && !walk_plan(group); });
  if (active.size() != before)
    std::sort(active.begin(), active.end(),
              [this](std::uint32_t a, std::uint32_t b) { return agents.key[a] < agents.key[b]; });
}

bool Simulation::Impl::may_walk(std::uint32_t agent, std::uint8_t move) const noexcept {
  if (journeys.on_map[agent] == 0) return move == crowd::kStay;
  if (agents.move[agent] != crowd::kUndecided && agents.move[agent] != crowd::kStay) return false;  // pushed
  if (!may_be_moved(agent)) return false;
  return move == crowd::kStay ||
         (guidance.reads()[agents.pair[agent]].graph->moves()[agents.cell[agent]] >> move & 1) != 0;
}

// False: it is over, or somebody is in the way.
bool Simulation::Impl::walk_plan(sim::JamGroup& group) {
  const std::size_t count = group.agents.size();
  if (group.moves.empty()) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (!may_walk(group.agents[i], group.moves[i])) return false;
  std::array<std::uint8_t, crowd::JointProblem::kMostAgents> before{};
  for (std::size_t i = 0; i < count; ++i)
    before[i] =
        std::exchange(agents.move[group.agents[i]], group.moves[i] == crowd::kStay ? crowd::kStay : crowd::kUndecided);
  std::size_t granted = 0;
  bool all = true;
  for (; all && granted < count; ++granted)
    all = group.moves[granted] == crowd::kStay ||
          reservations.reserve(group.agents[granted], group.moves[granted]).granted;
  if (!all) --granted;
  for (std::size_t i = 0; all && i < count; ++i)
    all = group.moves[i] == crowd::kStay ||
          (reservations.intact(group.agents[i]) && reservations.next_to_push(group.agents[i]) == crowd::kNobody);
  if (!all) {
    for (std::size_t i = granted; i-- > 0;)
      if (group.moves[i] != crowd::kStay) reservations.release(group.agents[i]);
    for (std::size_t i = 0; i < count; ++i) agents.move[group.agents[i]] = before[i];
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t agent = group.agents[i];
    if (group.moves[i] == crowd::kStay) {
      if (before[i] == crowd::kUndecided) agents.reason[agent] = Reason::gave_way;
      continue;
    }
    if (before[i] != crowd::kUndecided) active.push_back(agent);
    agents.went_up[agent] = 0;
  }
  group.moves.erase(group.moves.begin(), group.moves.begin() + static_cast<std::ptrdiff_t>(count));
  return true;
}

}  // namespace drover
