// SPDX-License-Identifier: MIT
// What readers see: one immutable generation of map and fields, exchanged as a whole.
#pragma once
#include <drover/field.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace drover {

/// Handle of something a Simulation owns. Zero (default) is null. Never reused: a removed object's slot gets a new
/// generation.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;

  constexpr bool null() const noexcept { return generation == 0; }
  friend constexpr bool operator==(Id, Id) noexcept = default;
};

using AgentId = Id<struct AgentTag>;
using GoalId = Id<struct GoalTag>;
using ProfileId = Id<struct ProfileTag>;

/// The versions that belong together in one generation.
struct Stamp {
  std::uint64_t map = 0, overlay = 0, profile = 0, cost = 0, goal = 0, field = 0;
  friend bool operator==(const Stamp&, const Stamp&) noexcept = default;
};

/// `current`: answers for this bundle's map. `stale`: of an older graph or goal. `not_ready`: none was built yet.
enum class Freshness : std::uint8_t { current, stale, not_ready };

/// What leads crowds. `plain`: the field of least cost. `forest`: a crowd of single cells that is alone on the map and
/// vanishes at its goal walks along a GatePlan instead, so that all are out early; everyone else walks by the field.
enum class GuidancePolicy : std::uint8_t { plain, forest };
const char* to_string(GuidancePolicy policy) noexcept;

/// One cell of a GatePlan.
struct GateStep {
  Cell gate;                           // where the way ends
  std::uint32_t depth = 0;             // steps to it
  std::optional<Direction> direction;  // nothing on gate cells
};

/// The plan of a crowd, beside its plain field: one tree of ways a gate cell. Its cost is steps, whatever the field
/// charges for them, and its ways are not the cheapest. Promises hold while nobody else enters and no wall changes.
class GatePlan {
 public:
  virtual ~GatePlan() = default;
  /// Nothing off the plan. Any thread.
  virtual std::optional<GateStep> at(Cell cell) const noexcept = 0;

  std::uint64_t adopted_tick = 0;
  std::uint64_t finish_tick = 0;      // nobody arrives later
  std::uint64_t sum_of_arrivals = 0;  // of all ticks of arrival, as planned
  bool optimal = false;  // no plan has anybody out earlier; the steps of a tick may then differ from the trees
};

/// The field of one (profile, goal) in a bundle. A stale field is still carried, so that old handles and
/// `keep_if_legal` can read it.
struct BundleEntry {
  ProfileId profile;
  GoalId goal;
  Freshness freshness = Freshness::not_ready;
  FieldRef field;
  Stamp stamp;
  /// Hash of a later graph on which its ways are proved to be the same (an edit on another layer, in another room); 0:
  /// none. What the field says of cells without a way may be of the older map: look_up() asks the graph there.
  std::uint64_t proved_hash = 0;
  /// What the crowd of this pair walks by while it is alone; null: by the field.
  std::shared_ptr<const GatePlan> plan = nullptr;
};

/// One answer. `step` and `cost` mean something only where state is reachable or goal.
struct Lookup {
  CellState state = CellState::not_ready;
  Step step;
  Cost cost = kInfiniteCost;
};

/// One generation: map, the graph of every profile, the fields of every (profile, goal). Immutable; any thread may read
/// it. Lives as long as anyone holds a BundleRef.
class NavBundle {
 public:
  NavBundle(std::uint64_t generation, MapView map, std::vector<std::pair<ProfileId, NavGraph>> graphs,
            std::vector<BundleEntry> entries);

  std::uint64_t generation() const noexcept { return generation_; }
  const MapView& map() const noexcept { return map_; }
  /// Null graph for an unknown profile.
  const NavGraph& graph(ProfileId profile) const noexcept;
  /// Null where nothing is known of this pair. O(log entries).
  const BundleEntry* find(ProfileId profile, GoalId goal) const noexcept;
  std::span<const BundleEntry> entries() const noexcept { return entries_; }
  /// The one way to ask: never answers from a field of another profile or generation.
  Lookup look_up(ProfileId profile, GoalId goal, Cell cell, LookupState state = {}) const noexcept;
  /// Asks a field by hand: `profile_mismatch` if it was built on other steps or costs than `profile` has here, `stale`
  /// if it was built on an older state of the map for this profile or one of equal rules whose faction knew the same.
  Lookup look_up(const FieldRef& field, ProfileId profile, Cell cell, LookupState state = {}) const noexcept;

 private:
  std::uint64_t generation_;
  MapView map_;
  std::vector<std::pair<ProfileId, NavGraph>> graphs_;
  std::vector<BundleEntry> entries_;  // ascending by (goal, profile)
};

using BundleRef = std::shared_ptr<const NavBundle>;

/// Fields by what they are of: the content hash of a graph and a goal, whatever their versions were, so a wall or a
/// goal that comes back finds its field again. Bounded in bytes; the least recently used by (tick, key) goes out. Its
/// owner alone asks and puts, from one thread; peek() leaves no trace. Copies share until one of them changes: O(1).
class FieldCache {
 public:
  static constexpr std::uint64_t kDefaultBytes = std::uint64_t{64} << 20;
  static constexpr std::size_t kMaxEntries = 1024;
  struct Entry {
    std::uint64_t graph_hash = 0, goal_digest = 0;  // the key; entries are in its order
    std::shared_ptr<const GoalDef> goal;
    std::uint64_t used_tick = 0;
    std::uint64_t bytes = 0;  // it counts for so many
    FieldRef field;           // null: known by name only, after it was saved and loaded
  };

  explicit FieldCache(std::uint64_t max_bytes = kDefaultBytes);

  /// Counts a hit, which is a use, or a miss (null). Valid until the next call that is not const.
  const Entry* ask(std::uint64_t graph_hash, const GoalDef& goal, std::uint64_t tick);
  const Entry* peek(std::uint64_t graph_hash, const GoalDef& goal) const noexcept;
  /// A use; of an entry that is there only a null field is replaced. What counts for more than the bound stays outside.
  void put(std::uint64_t graph_hash, const GoalDef& goal, FieldRef field, std::uint64_t bytes, std::uint64_t tick);

  std::span<const Entry> entries() const noexcept { return *entries_; }
  std::uint64_t max_bytes() const noexcept { return max_bytes_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::uint64_t hits() const noexcept { return hits_; }
  std::uint64_t misses() const noexcept { return misses_; }
  std::uint64_t evictions() const noexcept { return evictions_; }
  /// Counters as they were saved.
  void count_from(std::uint64_t hits, std::uint64_t misses, std::uint64_t evictions) noexcept;

 private:
  std::vector<Entry>& own();
  std::size_t place_of(std::uint64_t graph_hash, std::uint64_t goal_digest, const GoalDef& goal) const noexcept;
  void make_room(std::uint64_t bytes);

  std::shared_ptr<std::vector<Entry>> entries_;
  std::uint64_t max_bytes_, bytes_ = 0, hits_ = 0, misses_ = 0, evictions_ = 0;
};

/// The root: one mutex around one shared pointer. snapshot() from any thread (about 60 ns); publish() from one writer,
/// never waits for readers. Take one snapshot per tick and read everything from it.
class NavStore {
 public:
  BundleRef snapshot() const;
  void publish(BundleRef next);

 private:
  mutable std::mutex mutex_;
  BundleRef current_;
};

}  // namespace drover
