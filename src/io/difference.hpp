// SPDX-License-Identifier: MIT
// Where two states that should be equal part: the first subsystem, agent or cell, with both values.
#pragma once
#include <drover/recording.hpp>

#include <optional>
#include <span>
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
/// unknown, hidden_from, door), of the agents the first key (cell, state, goal, reason, by, age, arrival_tick), of the
/// fields the first (goal, profile). Agents are compared in full, also in what no digest covers. O(agents), plus the
/// map where its content differs.
std::optional<Difference> first_difference(const TickState& a, const TickState& b);
/// The first agent that ends a tick elsewhere, by the steps of two runs from one state; false if none does.
bool steps_part(Difference& out, std::span<const MoveRecord> a, std::span<const MoveRecord> b);
/// The first subsystem whose digests differ, in the same order.
Difference digests_part(std::uint64_t tick, const Digests& a, const Digests& b);

}  // namespace drover::io
