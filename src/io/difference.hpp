// SPDX-License-Identifier: MIT
// Where two states that should be equal part: the first subsystem, agent or cell, with both values.
#pragma once
#include <drover/simulation.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace drover::io {

/// What can be compared of one tick. Shares the map and the fields; the rest are copies, so the simulation may go on.
struct TickState {
  std::uint64_t tick = 0;
  Digests digests;
  std::vector<AgentView> agents;  // ascending by key
  std::vector<MoveRecord> moves;  // of this tick, ascending by key
  BundleRef bundle;
};
void read_state(const Simulation& simulation, TickState& out);

/// Nothing, a number, a word, or a cell.
using DifferenceValue = std::variant<std::monostate, std::uint64_t, std::string, Cell>;

/// One value that differs. `subsystem` is world, agents, fields or reservations; `all` where only what came before can
/// differ. `agent`, `cell`, `profile` and `goal` say whose value it is, where one could be named.
struct Difference {
  std::uint64_t tick = 0;
  std::string_view subsystem;
  std::optional<std::uint64_t> agent;  // key
  std::optional<Cell> cell;
  std::optional<ProfileId> profile;
  std::optional<GoalId> goal;
  std::string_view field;
  DifferenceValue a, b;
};

/// The first difference in the order world, agents, fields, reservations: of the world the first cell (terrain,
/// unknown, door), of the agents the first key (cell, state, goal, reason, by, age, arrival_tick), of the fields the
/// first (goal, profile). Agents are compared in full, also in what no digest covers. O(agents), plus the map where its
/// content differs.
std::optional<Difference> first_difference(const TickState& a, const TickState& b);

/// "tick 7: agents differ: agent 12 cell 3,4, again 3,5"; `other` stands before the second value.
std::string to_text(const Difference& difference, std::string_view other = "again");
/// {"tick":7,"subsystem":"agents","agent":12,"field":"cell","a":[3,4],"b":[3,5]}, without a line end.
std::string to_json(const Difference& difference);

}  // namespace drover::io
