// SPDX-License-Identifier: MIT
// What a Simulation owns.
#pragma once
#include "base/bytes.hpp"
#include "crowd/agents.hpp"
#include "crowd/arbiter.hpp"
#include "crowd/own_ways.hpp"
#include "crowd/priority.hpp"
#include "crowd/reservations.hpp"
#include "crowd/wait_graph.hpp"
#include "sim/command_queue.hpp"
#include "sim/deadlocks.hpp"
#include "sim/gate_crowd.hpp"
#include "sim/guidance.hpp"
#include "sim/own_search.hpp"

#include <drover/search.hpp>
#include <drover/simulation.hpp>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace drover {

/// Who an agent is: changes only when agents come and go. One entry a slot, beside crowd::Agents.
struct AgentRecord {
  std::uint32_t generation = 1;
  bool used = false;
  std::uint32_t profile = 0;
  std::vector<std::uint32_t> via;
  std::uint64_t start_tick = 0;
};

/// Where it is going: one array a property, so that a snapshot copies them whole.
struct Journeys {
  std::vector<std::uint32_t> goal;      // the last one
  std::vector<std::uint16_t> next_via;  // index in AgentRecord::via
  std::vector<std::uint64_t> arrival_tick;
  std::vector<std::uint32_t> field_version;  // whose costs best_cost is in
  std::vector<std::uint8_t> on_map;
  std::vector<AgentState> shown;  // the state its last event told of

  void resize(std::size_t slots);
  void clear(std::size_t slot) noexcept;
};

namespace sim {

/// Why a teleport or push is refused; none: it is not.
struct Objection {
  Reason reason = Reason::none;
  std::uint32_t by = crowd::kNobody;
};
struct PushOrder {
  std::uint32_t agent;
  Direction direction;
};

}  // namespace sim

struct Roster;

/// Version of nothing: never equal to one that counted up.
inline constexpr std::uint64_t kNoVersion = ~std::uint64_t{0};

struct Simulation::Impl {
  Impl(GridMap map, const SimulationDef& settings, const Host& hooks);

  // Set-up and commands.
  Result<AgentId> add_agent(const AgentDef& a);
  Status check_agent(const AgentDef& a) const;
  Status check(const Command& command) const;
  Status check_edit(const MapEdit& edit) const;
  Status check_goal(const GoalDef& where) const;
  void run_commands();
  // Teleports and pushes.
  Status check_order(const Teleport& order, std::uint64_t when) const;
  Status check_order(const Push& order, std::uint64_t when) const;
  Status check_order(AgentId agent, Cell to, std::optional<Direction> push, std::uint64_t when) const;
  sim::Objection objection_to(std::uint32_t agent, Cell to, std::optional<Direction> push) const;
  void run_orders();
  void refuse(std::uint32_t agent, Cell to, const sim::Objection& objection);
  void teleport(std::uint32_t agent, Cell to);
  void push_all();
  void reserve_push(const sim::PushOrder& push, Cell to);
  bool starts_before(std::uint32_t a, std::uint32_t b) const noexcept;
  std::uint64_t plan_digest(std::uint32_t agent) const noexcept;
  void apply(const AddAgent& add, std::uint64_t requested);
  void apply(const RemoveAgent& remove);
  void settle_roster(bool came, bool went);
  void apply(const Retarget& change, std::uint64_t requested);
  bool valid(AgentId id) const noexcept {
    return id.index < records.size() && records[id.index].used && records[id.index].generation == id.generation;
  }

  // The tick.
  Status start();
  StepReport step();
  void launch_builds();
  void propose();
  void propose_one(std::uint32_t agent, Metrics& own) noexcept;
  void intend(std::uint32_t agent) noexcept;
  void fetch_ahead(std::uint32_t agent) const noexcept;
  std::uint8_t look(std::uint32_t agent, const crowd::PairRead& read) noexcept;
  bool still_arrived(std::uint32_t agent, const crowd::PairRead& read) noexcept;
  void stand(std::uint32_t agent, AgentState state, Reason reason) noexcept;
  // Ways of agents' own.
  bool needs_own_way(std::uint32_t agent) const noexcept;
  std::uint32_t patience() const noexcept;
  void hold(std::uint32_t agent) noexcept;
  void find_own_ways();
  bool follow(std::uint32_t agent);
  void search(std::uint32_t agent, std::uint64_t& budget);
  void search_better(std::uint32_t agent, std::uint64_t& budget);
  void aim(std::uint32_t agent, const crowd::OwnWay& way) noexcept;
  void walk(std::uint32_t agent, const crowd::OwnWay& way) noexcept;
  void stand_without_way(std::uint32_t agent, crowd::OwnWay::Kind kind) noexcept;
  void account_own(std::uint32_t agent, crowd::OwnWay& way) noexcept;
  bool stands_on_goal(std::uint32_t agent);

  // Crowds that leave by a plan.
  bool may_be_planned() const noexcept;
  void ask_for_plan();
  bool follow_plan();

  // Jams.
  void note_stuck(std::uint32_t agent);
  void find_jams();
  std::uint32_t waits_for(std::uint32_t agent) const noexcept;
  bool in_passage(const std::vector<std::uint32_t>& members) const noexcept;
  bool walk_chain(std::uint32_t start, std::vector<std::uint32_t>& chain, std::uint64_t& work);
  bool meets_head_on(std::uint32_t agent, std::vector<std::uint32_t>& members) const;
  bool goal_is_taken(std::uint32_t agent) const noexcept;
  bool steps_in_one_tick(std::uint32_t agent) const noexcept;
  bool may_be_moved(std::uint32_t agent) const noexcept;
  bool goes_before(std::uint32_t a, std::uint32_t b) const noexcept;
  bool deadlocks_hold_plan(std::uint32_t agent) const noexcept;
  void flood_jam(const std::vector<std::uint32_t>& members);
  void gather_jam(const std::vector<std::uint32_t>& members);
  void describe(std::uint32_t agent, bool member, crowd::JointProblem::Agent& out);
  bool describe_jam(const std::vector<std::uint32_t>& members);
  void resolve_jam(const std::vector<std::uint32_t>& members, bool cycle, std::uint64_t& work);
  void hold_in_cycle(const std::vector<std::uint32_t>& members, std::size_t i) noexcept;
  void hold_jams();
  void walk_plans();
  bool walk_plan(sim::JamGroup& group);
  bool may_walk(std::uint32_t agent, std::uint8_t move) const noexcept;

  void arbitrate();
  void commit();
  MoveRecord step_of(std::uint32_t agent) const;
  void begin_strides();
  void end_strides();
  void account(std::uint32_t agent);
  bool reach_goal(std::uint32_t agent);
  void enter_waiting();
  void lift_vanished();
  bool enter(std::uint32_t agent);
  void finish_tick(StepReport& report);
  void check_invariants() const;
  bool wants_held_goal(std::uint32_t agent) const noexcept;
  void note_change(std::uint32_t agent);
  std::uint64_t close_books();
  std::uint64_t digest_of(std::uint32_t agent) const noexcept;
  void set_pair(std::uint32_t agent, std::uint32_t goal, std::uint64_t requested);
  void event(std::uint32_t agent, AgentEventKind kind);
  std::uint64_t stride_digest(std::uint32_t agent) const noexcept;
  Digests digest(std::uint64_t placed_sum) const;

  // Bytes.
  class AgentColumns;
  void write(base::ByteWriter& out) const;
  Status read(base::ByteReader& in);
  bool readable(const Command& command) const;
  bool fits(const AddAgent& add) const noexcept;
  void write_jams(base::ByteWriter& out) const;
  void read_jams(base::ByteReader& in);
  void make_room_for_input();
  void remember(Input input);

  // Rollback.
  void save(SimulationSnapshot::Impl& to) const;
  void load(const SimulationSnapshot::Impl& from);
  void load_roster(const Roster& roster);
  void load_bodies(const SimulationSnapshot::Impl& from);
  void load_strides(const SimulationSnapshot::Impl& from);
  const std::byte* load_places(const std::byte* in);  // answers where they end

  // Questions.
  AgentView view(std::uint32_t agent) const;
  std::vector<WhyLink> why(std::uint32_t agent) const;
  Result<WouldBlock> would_block(std::span<const Cell> cells) const;
  WhyLink link(std::uint32_t agent) const;
  bool finished() const noexcept;

  const std::uint64_t identity;  // no two simulations of a process have the same
  SimulationDef def;
  Host host;
  sim::Guidance guidance;
  crowd::Agents agents;
  std::vector<AgentRecord> records;
  // Number of the set of records, keys, classes and bodies; changes count on across restores, so no number comes twice.
  std::uint64_t roster_version = 0, roster_changes = 0;
  // The same for where agents are going: pairs, goals, next vias.
  std::uint64_t ways_version = 0, ways_changes = 0;
  mutable std::shared_ptr<const Roster> frozen_roster;  // of the last snapshot
  Journeys journeys;
  std::uint32_t next_goal(std::uint32_t agent) const noexcept {
    const std::vector<std::uint32_t>& via = records[agent].via;
    return journeys.next_via[agent] < via.size() ? via[journeys.next_via[agent]] : journeys.goal[agent];
  }
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_key;  // looked up only
  std::vector<std::uint32_t> free_slots;
  crowd::Reservations reservations;
  crowd::Arbiter arbiter;
  crowd::OwnWays own_ways;
  sim::OwnSearch own_search;
  crowd::GuidedSource source;
  crowd::PriorityOrder priority;
  crowd::WaitGraph wait_graph;
  sim::Deadlocks deadlocks;
  sim::CommandQueue queue;
  sim::GateCrowd gate_crowd;

  mutable std::vector<BlockTester> block_testers;  // by profile; no part of the state

  bool started = false;
  std::uint64_t tick = 0;
  std::vector<std::uint32_t> placed;               // on the map, ascending by key
  std::vector<std::uint32_t> starting;             // not yet, in the order in which they may enter
  std::vector<std::uint32_t> active;               // this tick, ascending by key
  std::vector<std::uint32_t> movers;               // this tick, ascending by key
  std::vector<std::uint32_t> vanishing;            // this tick
  std::vector<std::uint32_t> searchers, doubters;  // this tick, ascending by key
  std::vector<std::uint32_t> last_searchers;       // in order of priority
  std::vector<sim::PushOrder> pushes;              // this tick
  bool any_own_way = true;                         // this tick
  StateCounts counts{};
  std::uint64_t vanished = 0;
  std::uint64_t vanished_digest = 0;
  std::uint64_t plans_digest = 0;  // sum of plan_digest() over everyone who was added

  std::vector<Input> given, taken;  // since the last step; between that and the one before
  std::vector<Command> in_force;    // in the last step
  std::vector<AgentEvent> events;
  std::vector<MoveRecord> moves;
  std::vector<Simulation::Entry> entered, left;
  std::size_t removed = 0;       // the first of left
  std::vector<Metrics> counted;  // one a piece of the parallel loop
  std::vector<MovementProfile> profile_defs;
  Metrics metrics;
  Digests digests;
};

}  // namespace drover
