// SPDX-License-Identifier: MIT
// Which field every (profile, goal) has, what was asked for, and when it comes into force.
#pragma once
#include "base/bytes.hpp"
#include "crowd/field_source.hpp"

#include <drover/bundle.hpp>
#include <drover/simulation.hpp>

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

/// A finished build that waits for its tick. No field: the goal was bad on that map, so nobody can reach it.
struct Pending {
  std::uint64_t requested = 0, due = 0;
  std::uint64_t graph_hash = 0, steps_hash = 0, goal_version = 0;
  Stamp stamp;
  FieldRef field;
  NavGraph graph;              // of the field
  bool out_of_memory = false;  // to be asked for again
};

/// Everyone of one profile who walks to one goal.
struct Pair {
  std::uint32_t profile = 0, goal = 0;
  bool built = false;
  std::uint64_t graph_hash = 0, steps_hash = 0, goal_version = 0;
  Stamp stamp;
  FieldRef field;
  NavGraph graph;                // of the field; null for a field that was read and is of an older map
  std::uint64_t digest = 0;      // of the field
  std::vector<Pending> pending;  // ascending by due tick
};

struct StoredField;

/// Everything of a Guidance that a snapshot keeps. Copying shares the map's planes, the graphs and the fields.
struct GuidanceState {
  MapView view;
  BundleRef bundle;
  bool changed = true;  // since the last publication
  std::uint64_t builds = 0, adopted = 0, coalesced_goals = 0;
  std::uint64_t repairs = 0;  // of the builds; a host's count, not part of what is saved
  std::vector<std::uint64_t> goal_changed_tick;
  MapEdit deferred;
  std::vector<Profile> profiles;
  std::vector<Goal> goals;
  std::vector<Pair> pairs;
};

/// The map, the graphs and the fields of a simulation. Builds run where they are asked for and are adopted at requested
/// + latency. Used from the simulation's thread only; what others read goes through the NavStore.
class Guidance {
 public:
  Guidance(GridMap map, const Host& host);

  Result<std::uint32_t> add_profile(const MovementProfile& profile, std::uint32_t latency_ticks);
  std::uint32_t add_goal(const SimulationGoal& goal);
  /// Finds or makes the pair; its field is asked for at once.
  std::uint32_t pair(std::uint32_t profile, std::uint32_t goal, std::uint64_t tick);

  /// Builds what is missing and adopts it now. The first bad goal is the answer.
  Status start();
  /// Out of memory: kept, and tried again with the next tick.
  void edit(MapEdit edit, std::uint64_t tick);
  /// False if nothing changed.
  bool set_goal(std::uint32_t goal, const GoalDef& where, std::uint64_t tick);
  void adopt_due(std::uint64_t tick);
  /// Publishes a new generation if anything changed since the last, and reads it.
  void publish();
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
  void count(Metrics& metrics) const noexcept;
  static ProfileId profile_id(std::uint32_t index) noexcept { return {index, 1}; }
  static GoalId goal_id(std::uint32_t index) noexcept { return {index, 1}; }

 private:
  bool is_current(const Pair& pair) const noexcept;
  bool can_build(const Pair& pair, std::uint64_t graph_hash, std::uint64_t goal_version) const noexcept;
  bool may_have(const Pair& pair, std::uint64_t graph_hash, std::uint64_t goal_version,
                const StoredField& field) const noexcept;
  Status read_rules(base::ByteReader& in);
  Status read_fields(base::ByteReader& in, std::vector<StoredField>& fields) const;
  Status build_fields(std::vector<StoredField>& fields);
  void catch_up(std::uint64_t tick);
  void refresh_reads() noexcept;
  void request(Pair& pair, std::uint64_t tick);
  Status build(const Pair& pair, Pending& out);
  Result<FieldRef> build_or_repair(const Pair& pair);
  const FieldRef* shared_field(const Pair& pair) const noexcept;
  void adopt(Pair& pair, Pending&& ready, std::uint64_t tick);
  Stamp stamp_now(const Pair& pair) const noexcept;

  GridMap map_;
  Host host_;
  FieldBuilder builder_;
  NavStore store_;
  bool started_ = false;
  std::uint64_t generation_ = 0;
  GuidanceState state_;
  std::vector<crowd::PairRead> reads_;
  std::vector<Adoption> adoptions_;
};

}  // namespace drover::sim
