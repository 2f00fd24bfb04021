// SPDX-License-Identifier: MIT
// The cells around a jam, who stands there, and where each of them wants to be.
#include "base/digest.hpp"
#include "sim/impl.hpp"

#include <algorithm>
#include <bit>

namespace drover {

using crowd::JointProblem;

namespace sim {

std::uint64_t JamGroup::digest(const crowd::Agents& all) const noexcept {
  base::Digest sum;
  sum.add(no_space ? 1 : 0).add(proof).add(agents.size());
  for (const std::uint32_t agent : agents) sum.add(all.key[agent]);
  for (const std::uint8_t move : moves) sum.add(move);
  return sum.value();
}

bool Deadlocks::holds(std::uint32_t agent) const noexcept {
  return std::any_of(groups.begin(), groups.end(), [&](const JamGroup& group) {
    return std::find(group.agents.begin(), group.agents.end(), agent) != group.agents.end();
  });
}

// Proofs may rest on where anybody stands: they are made again.
void Deadlocks::drop(std::uint32_t agent) {
  std::erase_if(groups, [&](const JamGroup& group) {
    return group.no_space || std::find(group.agents.begin(), group.agents.end(), agent) != group.agents.end();
  });
}

std::uint64_t Deadlocks::digest(const crowd::Agents& all) const noexcept {
  std::uint64_t sum = 0;
  for (const JamGroup& group : groups) sum += group.digest(all);
  return sum;
}

}  // namespace sim

namespace {

// By number in the problem; linear, since there are few.
std::uint8_t number_of(const std::vector<std::uint32_t>& cells, std::uint32_t cell) noexcept {
  const auto found = std::find(cells.begin(), cells.end(), cell);
  return found == cells.end() ? JointProblem::kNoCell : static_cast<std::uint8_t>(found - cells.begin());
}

}  // namespace

// Plans are of steps of one tick.
bool Simulation::Impl::steps_in_one_tick(std::uint32_t agent) const noexcept {
  if (!reservations.strides().timed()) return true;
  const MovementProfile& profile = guidance.profiles()[records[agent].profile].def;
  return profile.speed == Fixed::from_int(1) && profile.moves == Moves::four &&
         !reservations.strides().under_way(agent);
}

// One cell, by a field of today, on its own feet.
bool Simulation::Impl::may_be_moved(std::uint32_t agent) const noexcept {
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  if (!steps_in_one_tick(agent)) return false;
  if (reservations.table().body(agents.body[agent]).footprint != 1 || own_ways.find(agent) != nullptr) return false;
  if (read.freshness != Freshness::current || read.goal_moved || !read.field || !read.same_costs) return false;
  switch (agents.state[agent]) {
    case AgentState::moving:
    case AgentState::waiting:
    case AgentState::arrived:
    case AgentState::no_space:
    case AgentState::unreachable:
      return true;
    default:
      return false;
  }
}

// Breadth first from the members on; what does not fit in leaves the jam open.
void Simulation::Impl::flood_jam(const std::vector<std::uint32_t>& members) {
  sim::Jam& jam = deadlocks.jam;
  jam.cells.clear();
  jam.closed = true;
  for (const std::uint32_t member : members) jam.cells.push_back(agents.cell[member]);
  for (std::size_t i = 0; i < jam.cells.size(); ++i)
    for (const std::uint32_t member : members) {
      const nav::CompiledGraph& graph = *guidance.reads()[agents.pair[member]].graph;
      const std::uint32_t cell = jam.cells[i];
      if (!graph.portals().leaving(cell).empty()) jam.closed = false;
      for (unsigned rest = graph.moves()[cell]; rest; rest &= rest - 1) {
        const std::uint32_t next = cell + guidance.shape().step(static_cast<Direction>(std::countr_zero(rest)));
        if (number_of(jam.cells, next) != JointProblem::kNoCell) continue;
        if (jam.cells.size() == JointProblem::kMostCells)
          jam.closed = false;
        else
          jam.cells.push_back(next);
      }
    }
}

// Members first, then whoever else stands on these cells, the nearest first; who does not fit in or is not to be moved
// is in the way.
void Simulation::Impl::gather_jam(const std::vector<std::uint32_t>& members) {
  flood_jam(members);
  sim::Jam& jam = deadlocks.jam;
  jam.agents = members;
  std::vector<std::uint32_t>& blocked = jam.blocked;
  blocked.clear();
  for (const std::uint32_t cell : jam.cells) {
    const std::uint32_t who = reservations.holder(cell);
    if (who == crowd::kNobody || std::find(members.begin(), members.end(), who) != members.end()) continue;
    if (jam.agents.size() < JointProblem::kMostAgents && may_be_moved(who) && !deadlocks_hold_plan(who)) {
      jam.agents.push_back(who);
      continue;
    }
    jam.closed = false;
    blocked.push_back(cell);
  }
  for (const std::uint32_t cell : blocked) std::erase(jam.cells, cell);
  std::sort(jam.agents.begin(), jam.agents.end(),
            [this](std::uint32_t a, std::uint32_t b) { return goes_before(a, b); });
  // Whatever legal steps they take, the proof stands: where they are is no part of it.
  jam.proof = jam.cells.size();
  for (const std::uint32_t agent : jam.agents) {
    const sim::Pair& pair = guidance.pairs()[agents.pair[agent]];
    base::Digest who;
    who.add(agents.key[agent]).add(next_goal(agent)).add(guidance.goals()[pair.goal].version);
    jam.proof += who.add(guidance.profiles()[pair.profile].graph.content_hash()).value();
  }
}

bool Simulation::Impl::goes_before(std::uint32_t a, std::uint32_t b) const noexcept {
  if (agents.priority_class[a] != agents.priority_class[b]) return agents.priority_class[a] > agents.priority_class[b];
  if (agents.age[a] != agents.age[b]) return agents.age[a] > agents.age[b];
  return agents.key[a] < agents.key[b];
}

bool Simulation::Impl::deadlocks_hold_plan(std::uint32_t agent) const noexcept {
  return std::any_of(deadlocks.groups.begin(), deadlocks.groups.end(), [&](const sim::JamGroup& group) {
    return !group.no_space && std::find(group.agents.begin(), group.agents.end(), agent) != group.agents.end();
  });
}

// In a closed jam everyone wants to its goal; in an open one the members want to be nearer to it than they are, which
// is what lets them pass each other, and the others do not mind.
void Simulation::Impl::describe(std::uint32_t agent, bool member, JointProblem::Agent& out) {
  sim::Jam& jam = deadlocks.jam;
  const crowd::PairRead& read = guidance.reads()[agents.pair[agent]];
  const bool last = journeys.next_via[agent] == records[agent].via.size();
  const bool vanishes = last && guidance.goals()[journeys.goal[agent]].def.on_arrival == OnArrival::vanish;
  const Cost cost = read.field->cost_to_goal(CellIndex{agents.cell[agent]});
  out = {};
  out.body = agents.body[agent];
  out.start = number_of(jam.cells, agents.cell[agent]);
  out.member = member;
  for (std::size_t c = 0; c < jam.cells.size(); ++c) {
    const std::uint32_t cell = jam.cells[c];
    const std::uint64_t bit = std::uint64_t{1} << c;
    out.steps[c].fill(JointProblem::kNoCell);
    for (unsigned rest = read.graph->moves()[cell]; rest; rest &= rest - 1) {
      const auto d = static_cast<unsigned>(std::countr_zero(rest));
      out.steps[c][d] = number_of(jam.cells, cell + guidance.shape().step(static_cast<Direction>(d)));
      if (out.steps[c][d] == JointProblem::kNoCell) jam.closed = false;
    }
    const bool goal = read.field->code(CellIndex{cell}) == FlowField::kGoalCode;
    if (goal) out.content |= bit;
    if (goal && vanishes) out.vanish |= bit;
  }
  const bool on_goal = out.content >> out.start & 1;
  if (!last) jam.closed = false;  // it need not be there when the others are
  if (agents.state[agent] == AgentState::unreachable) {
    out.content = std::uint64_t{1} << out.start;  // who has no way goes back to its place
  } else if (!jam.closed && !on_goal) {
    for (std::size_t c = 0; c < jam.cells.size(); ++c)
      if (!member || read.field->cost_to_goal(CellIndex{jam.cells[c]}) < cost) out.content |= std::uint64_t{1} << c;
  }
}

// False where there is nothing to search for.
bool Simulation::Impl::describe_jam(const std::vector<std::uint32_t>& members) {
  for (const std::uint32_t member : members)
    if (!may_be_moved(member)) return false;
  gather_jam(members);
  sim::Jam& jam = deadlocks.jam;
  JointProblem& problem = jam.problem;
  problem.following = def.following;
  problem.cells.clear();
  for (const std::uint32_t cell : jam.cells) problem.cells.push_back(guidance.shape().cell(CellIndex{cell}));
  problem.agents.resize(jam.agents.size());
  // Twice where the first look finds it open: content depends on that.
  for (bool closed = !jam.closed; closed != jam.closed;) {
    closed = jam.closed;
    for (std::size_t i = 0; i < jam.agents.size(); ++i) {
      const bool member = std::find(members.begin(), members.end(), jam.agents[i]) != members.end();
      describe(jam.agents[i], member, problem.agents[i]);
    }
  }
  return std::all_of(problem.agents.begin(), problem.agents.end(),
                     [](const JointProblem::Agent& agent) { return agent.content != 0; });
}

}  // namespace drover
