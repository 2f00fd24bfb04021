// SPDX-License-Identifier: MIT
// Where two states that should be equal part: the first subsystem, agent or cell, with both values.
#pragma once
#include <drover/recording.hpp>

#include <optional>
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

/// The first difference in the order world, agents, fields, reservations: of the world the first cell (terrain,
/// unknown, door), of the agents the first key (cell, state, goal, reason, by, age, arrival_tick), of the fields the
/// first (goal, profile). Agents are compared in full, also in what no digest covers. O(agents), plus the map where its
/// content differs.
std::optional<Difference> first_difference(const TickState& a, const TickState& b);

}  // namespace drover::io
