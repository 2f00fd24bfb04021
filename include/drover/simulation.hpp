// SPDX-License-Identifier: MIT
// The simulation: one call is one tick; everything that changes it goes through one queue.
#pragma once
#include <drover/bundle.hpp>
#include <drover/crowd.hpp>
#include <drover/field.hpp>
#include <drover/host.hpp>
#include <drover/map.hpp>
#include <drover/profile.hpp>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace drover {

/// What an agent does whose field is of an older map: stand still; walk on in the old direction while that step is
/// legal now; or search a way of its own, also while its field is not built yet or its goal moved, and walk it until
/// the field is there: at once (own_search), or like `hold` until it made no progress for refusals_before_replan ticks
/// (replan). A map that differs only in costs makes no field old: it leads on until the new one is in.
enum class OnStale : std::uint8_t { hold, keep_if_legal, own_search, replan };
/// What agents do whose goal moved, until the field of the new one is in: stand still, or walk on to the old place.
enum class OnGoalChange : std::uint8_t { hold, keep_going };
enum class OnArrival : std::uint8_t { stay, vanish };

/// Counts up whenever the same input may give other digests than before; CHANGELOG.md has a line for each.
inline constexpr std::uint64_t kBehaviour = 5;

/// Rules of a run.
struct SimulationDef {
  BodyRule bodies = BodyRule::discs;
  Following following = Following::allowed;
  StepPolicy step = StepPolicy::unit;  // plans of `forest` are for unit steps, and made for no others
  OnStale on_stale = OnStale::hold;
  OnGoalChange on_goal_change = OnGoalChange::hold;
  std::uint32_t adopt_latency_ticks = 1;  // a build requested at tick t is in force from tick t + latency on
  /// The same for a field that takes the place of one which leads to where the goal is: less than the latency of a new
  /// field counts as that. More ticks spread the work after an edit over all of them.
  std::uint32_t refresh_latency_ticks = 0;
  /// Cells whose steps own searches may try in a tick, all of them together; granted by class, age, key. Who needs more
  /// than that alone holds until its field, its goal or the map is another, and is then served last.
  std::uint64_t search_budget_cells = 20000;
  std::uint32_t refusals_before_replan = 8;  // of `replan`: ticks without progress before a search; 1 .. 1000000
  GuidancePolicy guidance = GuidancePolicy::plain;
  std::uint32_t guidance_ticks = 4;  // plans are asked for at most so often
  /// Of fields that no pair uses now but that may be wanted again, counted at 6 bytes a cell. No digest depends on it.
  std::uint64_t field_cache_bytes = FieldCache::kDefaultBytes;
  std::uint64_t seed = 1;
  Status validate() const;
};

struct ProfileOptions {
  std::optional<std::uint32_t> adopt_latency_ticks;  // default: the simulation's
};

struct SimulationGoal {
  GoalDef where;
  OnArrival on_arrival = OnArrival::stay;
};

struct RemoveAgent {
  AgentId agent;
};
struct Retarget {
  AgentId agent;
  GoalId goal;
};
/// Puts an agent elsewhere before the steps of the tick; from there it walks on as if it had just come, to the same
/// goal. Refused, with an event, where its body has no room or somebody stands.
struct Teleport {
  AgentId agent;
  Cell to;
};
/// One step from outside, before anybody else's of the tick (a knock-back). Refused, with an event, where the step is
/// not legal, somebody stands there, or bodies would touch on the way.
struct Push {
  AgentId agent;
  Direction direction = Direction::north;
};
struct SetGoal {
  GoalId goal;
  GoalDef where;
};
struct EditMap {
  MapEdit edit;
};
struct AddAgent {
  AgentId agent;
  AgentDef def;
};

/// A change, in force from the step of its tick on (a past tick: the next step). Order within a tick: (key, sequence);
/// the queue numbers sequence itself. Edits come first, teleports after those who come and go. Of several retargets,
/// teleports or pushes of one agent in a tick the last counts.
struct Command {
  std::uint64_t tick = 0;
  std::uint64_t key = 0;
  std::variant<EditMap, SetGoal, AddAgent, RemoveAgent, Retarget, Teleport, Push> change;
};

struct AddedProfile {
  MovementProfile profile;
  ProfileOptions options;
};
/// Something a host gave to a simulation that had started. Given again in order, at the same ticks, to the same state:
/// the same run.
using Input = std::variant<Command, SimulationGoal, AddedProfile>;

/// Counters since the start. `plans`: asked for by `forest` guidance; `plan_adoptions` of them came into force;
/// `planned_ticks`: ticks in which the crowd walked by a plan; `planned_finish`: of the plan in force, the tick of the
/// last arrival (0: none). `field_builds` counts repairs too; `field_repairs`: how many of them were repairs since
/// this simulation was made or loaded. `fallbacks`: own searches of agents without a way; `replans`: of those whose own
/// way broke or led past them; `queue_wait_ticks`: ticks that agents waited for the search budget.
/// `deadlocks`: cycles that were named because no plan resolves them (no_space); `joint_plans`: jams that were left by
/// one plan for everybody in them. `cache_hits`: fields that were wanted again; `adoption_ticks`: from request to
/// adoption, all adoptions together; `coalesced_requests`: wishes for a field that a later one overtook before it was
/// begun; `kept_fields`: those that an edit was proved not to concern. `tick_overruns` (ticks that waited for a build
/// in the background), `withheld_bundles` (generations that were kept from readers when Simulation::kMostBundles were
/// held), `live_bundles`, `retired_bytes` (fields that only readers of replaced bundles still hold) and
/// `oldest_reader_ticks` (since the oldest bundle still held was replaced) are the host's: equal runs may differ in
/// them.
struct Metrics {
  std::uint64_t field_builds = 0, field_repairs = 0, field_bytes = 0, retired_bytes = 0;
  std::uint64_t direction_lookups = 0, sweep_refusals = 0;
  std::array<std::uint64_t, kConflicts> refusals{};
  std::uint64_t waits = 0, fallbacks = 0, replans = 0, queue_wait_ticks = 0, tick_overruns = 0;
  std::uint64_t stale_stops = 0, kept_old_direction = 0, steps_aside = 0, pushes = 0, rotations = 0, yields = 0,
                coalesced_goal_changes = 0;
  std::uint64_t map_versions = 0, adoptions = 0, agent_steps = 0;
  std::uint64_t adoption_ticks = 0, coalesced_requests = 0, kept_fields = 0, cache_hits = 0, cache_misses = 0,
                cache_bytes = 0;
  std::uint64_t live_bundles = 0, oldest_reader_ticks = 0, withheld_bundles = 0;
  std::uint64_t plans = 0, plan_adoptions = 0, planned_ticks = 0, planned_finish = 0;
  std::uint64_t deadlocks = 0, joint_plans = 0;
};

/// Agents by state; the eight sum to all agents ever added and not removed.
using StateCounts = std::array<std::uint64_t, 8>;

/// All agents on the map by the reason they give, and those that wait, are stopped or enclosed for longest.
struct WaitSurvey {
  std::array<std::uint64_t, kReasons> by_reason{};
  std::vector<AgentView> longest;  // greatest age first, then by key; none of age 0
};

/// Who would lose every way. Ascending.
struct WouldBlock {
  std::vector<GoalId> goals;
  std::vector<std::uint64_t> agents;  // keys
};

/// 64-bit digests of the state after a tick: equal for equal input on any thread count, compiler and machine.
struct Digests {
  std::uint64_t agents = 0, reservations = 0, world = 0, fields = 0, all = 0;
  friend bool operator==(const Digests&, const Digests&) noexcept = default;
};

/// An adoption of this tick, for the record.
struct Adoption {
  std::uint64_t requested_tick = 0, tick = 0;
  ProfileId profile;
  GoalId goal;
  std::uint64_t field_version = 0;
};

struct StepReport {
  std::uint64_t tick = 0;
  std::uint64_t moved = 0;    // agents that changed their cell: where their steps were over
  std::uint64_t arrived = 0;  // in this tick
  Digests digests;
};

/// The state of a simulation between two ticks, in memory of its own: taking another snapshot into the same object
/// reuses it and allocates nothing once it has grown (the set of agents and of pending commands being the same). Pins
/// the map, the graphs and the fields of its tick, so a restore never builds. At most 64 bytes an agent beside them,
/// and 40 for each in the middle of a step.
class SimulationSnapshot {
 public:
  SimulationSnapshot();
  SimulationSnapshot(SimulationSnapshot&&) noexcept;
  SimulationSnapshot& operator=(SimulationSnapshot&&) noexcept;
  ~SimulationSnapshot();
  std::uint64_t tick() const noexcept;
  /// Of agents; the pinned bundle counts in its own bytes.
  std::size_t bytes() const noexcept;

 private:
  friend class Simulation;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A crowd on a map. One thread calls it; snapshots of its NavStore may be read from any thread. Spans returned are
/// valid until the next non-const call. Queries are const and leave no trace. A tick costs O(agents), plus the builds
/// it requests.
class Simulation {
 public:
  static Result<Simulation> create(GridMap map, const SimulationDef& def = {}, const Host& host = {});
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// Set-up and run time alike. Before start() goals get their fields at tick 0, later ones after the latency.
  Result<ProfileId> add_profile(const MovementProfile& profile, const ProfileOptions& options = {});
  Result<GoalId> add_goal(const SimulationGoal& goal);
  /// Checks key, profile, goals and place, and queues the agent for its start tick. Errors: start_outside,
  /// start_blocked, profile_unknown, handle, argument (key taken), limit_agents.
  Result<AgentId> add_agent(const AgentDef& agent);
  /// Checks what can be checked now and queues the change for max(tick, the next step). A teleport or push for the
  /// next step is judged at once if no other change waits for that step. Errors of those: start_outside,
  /// start_blocked, start_conflict, and argument if the agent is not on the map.
  Status submit(const Command& command);
  /// Shorthands for a command that is in force from the next step on. Step t is the call after which tick() == t.
  Status remove_agent(AgentId agent) { return submit({tick(), 0, RemoveAgent{agent}}); }
  Status retarget(AgentId agent, GoalId goal) { return submit({tick(), 0, Retarget{agent, goal}}); }
  Status teleport(AgentId agent, Cell to) { return submit({tick(), 0, Teleport{agent, to}}); }
  Status push(AgentId agent, Direction direction) { return submit({tick(), 0, Push{agent, direction}}); }
  Status set_goal(GoalId goal, const GoalDef& where) { return submit({tick(), 0, SetGoal{goal, where}}); }
  Status edit(const MapEdit& edit) { return submit({tick(), 0, EditMap{edit}}); }

  /// Tick 0: fields of the goals given so far, agents of start tick 0 on their cells. step() calls it if nobody did.
  /// A goal that is bad for a profile whose agents want it is an error here: goal_blocked, goal_unknown, goal_outside.
  Status start();
  /// Exactly one tick. Order: commands, adoption of due builds, one snapshot, intents, arbitration, commit, events,
  /// digests.
  StepReport step();
  /// Ticks done.
  std::uint64_t tick() const noexcept;
  /// Saves and brings back the state after a tick (rollback). Steps after a restore give the digests they gave before,
  /// given the same commands: what was given since the snapshot is gone and has to be given again, and handles of
  /// agents added since are nobody's until the same agents are added again in the same order. Events, moves
  /// and entries are empty until the next step. Errors: argument (not started; a snapshot of another simulation),
  /// out_of_memory (a snapshot is then empty; a simulation has to be
  /// restored again before its next step). O(agents).
  Status snapshot_into(SimulationSnapshot& snapshot) const;
  Status restore(const SimulationSnapshot& snapshot);
  /// The state after a tick as bytes, appended to `out`: versioned, checksummed, equal on every machine; docs/formats/
  /// snapshot.md. Load makes a simulation that goes on from there: same commands, same digests. Fields of today's map
  /// are built again, those of older maps are in the bytes. Handles of profiles, goals and agents stay what they are.
  /// Errors: argument (not started), snapshot (damaged, or not a state), version_unsupported, out_of_memory. O(cells +
  /// agents), and the builds.
  Status save(std::vector<std::byte>& out) const;
  static Result<Simulation> load(std::span<const std::byte> bytes, const Host& host = {});
  /// True when every agent is arrived, unreachable, no_space or stopped and nothing is due any more. An agent that
  /// waits for ever (its goal is full, another never moves out of its way) keeps it false: bound the ticks of such
  /// runs.
  bool finished() const noexcept;

  std::size_t agent_count() const noexcept;
  Result<AgentView> agent(AgentId id) const;
  Result<AgentId> find_agent(std::uint64_t key) const;
  /// Every agent ever added and not removed, by ascending key.
  void agents(std::vector<AgentView>& out) const;
  /// Chain of reasons that begins with this agent.
  Result<std::vector<WhyLink>> why(AgentId id) const;
  StateCounts state_counts() const noexcept;
  /// Counts everyone, lists up to `longest`. One pass over the agents on the map.
  void survey_waits(std::size_t longest, WaitSurvey& out) const;

  /// Who would lose every way if these cells closed now, as BlockTester answers it: asked for everyone on the map or
  /// due to start, by its own profile, to the goal it walks to now, where that is placed now. A goal is lost if some
  /// agent has a way to it now and none would. Publishes nothing and counts nothing; keeps tables for the next question
  /// on the same graphs. Errors: position, out_of_memory.
  Result<WouldBlock> would_block(std::span<const Cell> cells) const;

  /// What was given between the last step and the one before, in order.
  std::span<const Input> inputs() const noexcept;
  /// How many have been given since the last step: the first so many that inputs() will tell of the next.
  std::size_t inputs_waiting() const noexcept;
  /// Gives what inputs() told of another run. An agent gets the handle it had there.
  Status give(const Input& input);
  /// The commands that came into force in the last step, in their order.
  std::span<const Command> commands() const noexcept;
  std::span<const AgentEvent> events() const noexcept;
  /// Steps that began in the last tick, ascending by key. Jumps of teleports (ticks = 0) are among them, before a step
  /// of the same agent.
  std::span<const MoveRecord> moves() const noexcept;
  /// The steps in short: for everyone on the map, ascending by key, 0 who stood in the last step, else one more than
  /// the direction of its step, or kPortalStep. Zeros after a restore.
  static constexpr std::uint8_t kPortalStep = kDirections + 1;
  void steps(std::vector<std::uint8_t>& out) const;
  /// Steps that are not over yet, ascending by key. Until they are, their agents count as standing where they began,
  /// and hold both places. None under StepPolicy::unit.
  void under_way(std::vector<MoveRecord>& out) const;
  std::span<const Adoption> adoptions() const noexcept;
  /// Agents that took their place, or left the map (vanished, removed), at the end of the last tick.
  struct Entry {
    std::uint64_t key;
    ProfileId profile;
    Cell cell;
  };
  std::span<const Entry> entered() const noexcept;
  std::span<const Entry> left() const noexcept;
  /// The first of left(): those who were removed, whose cells were free before the steps of the tick.
  std::span<const Entry> removed() const noexcept;
  /// Everyone who is on the map, ascending by key.
  void on_map(std::vector<Entry>& out) const;

  const SimulationDef& def() const noexcept;
  /// What readers may hold at once besides the simulation's own: the one on offer counts too. While so many are held,
  /// snapshot() stays the one on offer, however far the simulation has gone; a run is the same either way.
  static constexpr std::size_t kMostBundles = 256;
  BundleRef snapshot() const;
  const NavStore& store() const noexcept;
  const MapView& map() const noexcept;
  Metrics metrics() const noexcept;
  Digests digests() const noexcept;
  std::span<const MovementProfile> profiles() const noexcept;

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace drover
