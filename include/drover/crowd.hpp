// SPDX-License-Identifier: MIT
// Agents: how they are described, the state each is always in, and the reasons they give.
#pragma once
#include <drover/bundle.hpp>
#include <drover/geometry.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace drover {

/// One agent. `key` is unique in the simulation: order and digests use it, never the order of insertion.
struct AgentDef {
  std::uint64_t key = 0;
  Cell at;  // anchor: the upper-left cell of its body
  ProfileId profile;
  GoalId goal;
  std::vector<GoalId> via;  // goals to visit first, in order
  std::uint64_t start_tick =
      0;  // it stands there at the end of this tick if its cells are free then, else as soon as they are
  std::int32_t priority_class = 0;  // higher goes first
};

/// The eight states; every agent is in exactly one.
enum class AgentState : std::uint8_t {
  not_started,  // before its start tick, or its start cells are held
  moving,       // took a step in this tick, or is in the middle of one
  waiting,      // would step, but may not yet
  stopped,      // its policy holds it: no field, or one of an older map or goal
  unreachable,  // no way to its goal on this map
  no_space,     // in a cycle that no plan resolves
  enclosed,     // a closed cell or an obstacle under it, or no legal step at all
  arrived
};
const char* to_string(AgentState s) noexcept;

/// Why an agent is in its state.
enum class Reason : std::uint8_t {
  none,           // moving
  start_later,    // its start tick is not there yet
  start_held,     // its start cells are held by `by`
  reserved_by,    // the cells it wants are held or claimed by `by`
  goal_occupied,  // its goal cell is held for good by `by`
  gave_way,       // a step was free but an agent of higher priority (`by`) needs it, or bodies would touch on the way
  stale,          // its field is of an older map
  not_ready,      // its field is not built yet
  goal_changed,   // its goal moved; the new field is on its way
  unreachable,    // no legal way exists
  unknown,        // it stands on an unknown cell
  enclosed,       // a closed cell or an obstacle under it, or no legal step at all
  no_space,       // a cycle that no plan resolves
  profile_mismatch,
  arrived,
  search_budget,  // it has no way of its own yet: the cells that searches may try in a tick were not enough
  illegal,        // of a refused teleport or push: no room for its body there, or not a legal step, or in one already
};
inline constexpr int kReasons = 17;
const char* to_string(Reason r) noexcept;

/// Reservation refusals by kind. A pair of steps whose bodies would meet is `following` when one enters what the other
/// leaves.
enum class Conflict : std::uint8_t { vertex, edge_swap, following, diagonal_cross, footprint, horizon };
inline constexpr int kConflicts = 6;
const char* to_string(Conflict c) noexcept;

enum class AgentEventKind : std::uint8_t {
  started,
  arrived,
  passed_via,
  blocked,
  resumed,
  stopped,
  retargeted,
  removed,
  teleported,
  pushed,
  refused  // a teleport or push: reason and `by` say why, `cell` is where it would have led
};
const char* to_string(AgentEventKind k) noexcept;

/// Something that happened to an agent in a tick. Ordered by (key, kind) within the tick.
struct AgentEvent {
  std::uint64_t tick = 0;
  std::uint64_t key = 0;
  AgentEventKind kind = AgentEventKind::started;
  AgentState state = AgentState::not_started;
  Reason reason = Reason::none;
  std::uint64_t by = 0;  // key of the other agent, 0 if none
  Cell cell;
};

/// What can be read of one agent between two ticks.
struct AgentView {
  std::uint64_t key = 0;
  Cell cell;
  AgentState state = AgentState::not_started;
  Reason reason = Reason::none;
  std::uint64_t by = 0;            // key of the agent the reason names, 0 if none
  std::uint64_t age_ticks = 0;     // ticks since its cost to goal last fell below its own minimum
  std::uint64_t arrival_tick = 0;  // of an arrived agent
  ProfileId profile;
  GoalId goal;  // the one it walks to now
};

/// One link of a `why` chain.
struct WhyLink {
  std::uint64_t key = 0;
  AgentState state = AgentState::not_started;
  Reason reason = Reason::none;
  std::uint64_t by = 0;
  Cell cell;    // where the agent stands
  Cell wanted;  // the cell it would enter, where there is one
  std::uint64_t age_ticks = 0;
};

/// "agent 41 waits 12 ticks: cell (18,7) held by agent 17, which waits: goal cell (20,7) occupied".
std::string to_text(const std::vector<WhyLink>& chain);

}  // namespace drover
