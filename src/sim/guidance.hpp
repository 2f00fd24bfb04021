// SPDX-License-Identifier: MIT
// Which field every (profile, goal) has, what was asked for, and when it comes into force.
#pragma once
#include "base/bytes.hpp"
#include "crowd/field_source.hpp"
#include "nav/graph_changes.hpp"
#include "sim/build_queue.hpp"

#include <drover/bundle.hpp>
#include <drover/simulation.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace drover::sim {

struct Profile {
  MovementProfile def;
  std::uint32_t latency_ticks = 0;
  NavGraph graph;
  std::uint8_t body = 0;
  bool outdated = false;  // memory ran out: the graph is of an older map, nobody walks by it, it is compiled again
};

struct Goal {
  SimulationGoal def;
  std::uint64_t version = 1;
};

/// A build that was asked for and waits for its tick. No field in the end: the goal was bad on that map, so nobody can
/// reach it, or memory ran out.
struct Pending {
  std::uint64_t requested = 0, due = 0;
  std::uint64_t graph_hash = 0, steps_hash = 0, goal_version = 0;
  Stamp stamp;
  BuildRef build;      // also of a field that was there already
  bool fresh = false;  // made for this request
  /// Cells that edits changed since it was asked for; nothing any more where there were too many to tell.
  std::optional<std::vector<std::uint32_t>> changed = std::vector<std::uint32_t>{};
};

/// Everyone of one profile who walks to one goal.
struct Pair {
  std::uint32_t profile = 0, goal = 0;
  bool built = false;
  std::uint64_t graph_hash = 0, steps_hash = 0, goal_version = 0;
  Stamp stamp;
  FieldRef field;
  NavGraph graph;                        // of the field; null for a field that was read and is of an older map
  std::uint64_t digest = 0;              // of the field
  std::shared_ptr<const GatePlan> plan;  // beside it
  std::optional<Pending> pending;
  /// While one is pending: when the newest content was asked for. What came between counts by its net effect.
  std::optional<std::uint64_t> again;
};

struct StoredField;

/// Under what the cache has a field: of the graph that it would be built on now, of the field.
std::uint64_t cache_key(const NavGraph& graph) noexcept;
std::uint64_t cache_key(const FlowField& field) noexcept;

/// Everything of a Guidance that a snapshot keeps. Copying shares the map's planes, the graphs and the fields.
struct GuidanceState {
  MapView view;
  BundleRef bundle;
  bool changed = true;  // since the last publication
  FieldCache cache;
  std::uint64_t builds = 0, adopted = 0, adoption_ticks = 0, coalesced_goals = 0, coalesced_requests = 0, kept = 0;
  std::uint64_t repairs = 0;  // of the builds; a host's count, not part of what is saved
  std::vector<std::uint64_t> goal_changed_tick;
  MapEdit deferred;
  std::vector<Profile> profiles;
  std::vector<Goal> goals;
  std::vector<Pair> pairs;
};

/// The map, the graphs and the fields of a simulation. A pair has at most one build on its way; it is adopted at
/// requested + latency, whenever it was done; a refresh (a field for one that leads to where the goal is) has a latency
/// of its own. Used from the simulation's thread only; what others read goes through the NavStore.
class Guidance {
 public:
  Guidance(GridMap map, const SimulationDef& def, const Host& host);

  Result<std::uint32_t> add_profile(const MovementProfile& profile, std::uint32_t latency_ticks);
  std::uint32_t add_goal(const SimulationGoal& goal);
  /// Until adopt_due() requests are only noted, so that the commands of a tick count by their net effect.
  void begin_commands();
  /// Finds or makes the pair and asks for its field.
  std::uint32_t pair(std::uint32_t profile, std::uint32_t goal, std::uint64_t tick);

  /// Builds what is missing and adopts it now. The first bad goal is the answer.
  Status start();
  /// Out of memory: kept, and tried again with the next tick.
  void edit(MapEdit edit, std::uint64_t tick);
  /// False if nothing changed.
  bool set_goal(std::uint32_t goal, const GoalDef& where, std::uint64_t tick);
  void adopt_due(std::uint64_t tick);
  /// What the pair's crowd walks by from now on; null: by its field.
  void show_plan(std::uint32_t pair, std::shared_ptr<const GatePlan> plan) {
    state_.pairs[pair].plan = std::move(plan);
    state_.changed = true;
  }
  /// Builds wait to be handed to the background, or for their share of a tick.
  bool any_to_launch() const noexcept { return queue_.any_waiting(); }
  bool in_background() const noexcept { return queue_.in_background(); }
  void launch(const std::vector<std::uint32_t>& agents_by_pair);
  /// Publishes a new generation if anything changed since the last, and reads it.
  void publish(std::uint64_t tick);
  const GuidanceState& state() const noexcept { return state_; }
  /// All but the map, which a Guidance is made with. read: into one that was just made.
  void write(base::ByteWriter& out) const;
  Status read(base::ByteReader& in);
  /// Back to a state of this guidance; what readers see is exchanged with it.
  void restore(const GuidanceState& state);

  const MapView& map() const noexcept { return state_.view; }
  const GridShape& shape() const noexcept { return state_.view.shape(); }
  const NavStore& store() const noexcept { return store_; }
  const std::vector<Profile>& profiles() const noexcept { return state_.profiles; }
  Profile& profile(std::uint32_t index) noexcept { return state_.profiles[index]; }
  const std::vector<Goal>& goals() const noexcept { return state_.goals; }
  const std::vector<Pair>& pairs() const noexcept { return state_.pairs; }
  const std::vector<crowd::PairRead>& reads() const noexcept { return reads_; }
  const std::vector<Adoption>& adoptions() const noexcept { return adoptions_; }
  bool anything_pending() const noexcept;
  std::uint64_t world_digest() const noexcept;
  std::uint64_t fields_digest() const noexcept;
  void count(Metrics& metrics) const;
  static ProfileId profile_id(std::uint32_t index) noexcept { return {index, 1}; }
  static GoalId goal_id(std::uint32_t index) noexcept { return {index, 1}; }

 private:
  bool is_current(const Pair& pair) const noexcept;
  void keep(Pair& pair, const NavGraph& before, std::span<const std::uint32_t> changed);
  void keep_adopted(Pair& pair, const Pending& ready);
  void call_current(Pair& pair) noexcept;
  bool is_built_on(const Pair& pair) const noexcept {
    return pair.field != nullptr && pair.field->graph_hash() == pair.graph_hash;
  }
  bool can_build(const Pair& pair, std::uint64_t graph_hash, std::uint64_t goal_version) const noexcept;
  bool may_have(const Pair& pair, std::uint64_t graph_hash, std::uint64_t goal_version,
                const StoredField& field) const noexcept;
  Status read_rules(base::ByteReader& in);
  Status read_fields(base::ByteReader& in, std::vector<StoredField>& fields) const;
  Status build_fields(std::vector<StoredField>& fields);
  Status check_proof(const Pair& pair);
  void catch_up(std::uint64_t tick);
  void refresh_reads();
  void ask(Pair& pair, std::uint64_t tick);
  void ask_noted();
  void request(Pair& pair, std::uint64_t tick);
  Pending make_pending(const Pair& pair, std::uint64_t tick);
  /// Of a build that is asked for now.
  std::uint32_t latency_of(const Pair& pair) const noexcept;
  std::uint32_t refresh_latency(const Profile& profile) const noexcept {
    return std::max(profile.latency_ticks, refresh_latency_ticks_);
  }
  BuildRef shared_build(const Pair& pair) const;
  BuildRef new_build(const Pair& pair) const;
  bool take(Pair& pair, const Pending& ready, std::uint64_t tick);
  void adopt(Pair& pair, const Pending& ready, std::uint64_t tick);
  Stamp stamp_now(const Pair& pair) const noexcept;
  /// What the cache counts for a field, whatever its storage: the same on every host.
  std::uint64_t cached_bytes() const noexcept { return shape().padded_cells() * kCachedCellBytes; }
  void write_cache(base::ByteWriter& out) const;
  bool read_cache(base::ByteReader& in);
  void retire(std::uint64_t tick);
  void offer();

  static constexpr std::uint64_t kCachedCellBytes = 6;
  static constexpr std::size_t kMostChanged = 256;

  /// A bundle that is not the current one and was held by somebody when last looked at.
  struct Retired {
    std::weak_ptr<const NavBundle> bundle;
    std::uint64_t tick = 0;  // of the next one
    bool warned = false;
  };

  GridMap map_;
  Host host_;
  std::uint32_t refresh_latency_ticks_;
  mutable BuildQueue queue_;  // saving waits for builds
  NavStore store_;
  bool started_ = false, noting_ = false;
  std::vector<std::optional<std::uint64_t>> noted_;              // by pair: asked for at this tick
  std::vector<std::pair<std::uint32_t, GoalDef>> goals_before_;  // those changed by commands of this tick
  std::vector<Retired> retired_;                                 // oldest first
  nav::GraphChanges changes_;                                    // scratch of edit()
  std::vector<std::vector<std::uint32_t>> changed_;              // by profile, of the edit at hand
  bool withheld_ = false;                                        // readers are offered an older bundle than ours
  std::uint64_t withheld_bundles_ = 0;
  std::uint64_t overruns_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t generation_ = 0;
  GuidanceState state_;
  std::vector<crowd::PairRead> reads_;
  /// What a pair's epoch stands for.
  struct ReadKey {
    std::uint64_t field_version = 0, graph_hash = 0;
    const FlowField* field = nullptr;
    friend bool operator==(const ReadKey&, const ReadKey&) noexcept = default;
  };
  std::vector<ReadKey> read_keys_;  // by pair
  std::uint64_t epochs_ = 0;
  std::vector<Adoption> adoptions_;
};

}  // namespace drover::sim
