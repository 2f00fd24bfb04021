// SPDX-License-Identifier: MIT
// One shared answer to "which way is the goal?" for every agent of one profile.
#pragma once
#include <drover/geometry.hpp>
#include <drover/graph.hpp>

#include <atomic>
#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace drover {

namespace field {
class BuildRun;
}

/// State of a cell in a field. `unreachable` means no legal way exists; it never means far. `no_room`: free, but the
/// body does not fit. `stale` is an answer of a bundle: the field is of another generation. `not_ready`: no field is
/// there yet, or it is a part that was not built so far.
enum class CellState : std::uint8_t {
  goal,
  reachable,
  unreachable,
  blocked,
  no_room,
  unknown,
  outside,
  stale,
  not_ready,
  profile_mismatch
};
const char* to_string(CellState s) noexcept;

/// What to do next, for (cell, heading, tick).
struct Step {
  enum class Kind : std::uint8_t { none, move, portal, wait };
  Kind kind = Kind::none;
  Direction direction = Direction::north;  // of a move
  std::uint32_t portal = 0;                // number of a portal
};

/// A step through a portal: its number and where it ends.
struct PortalStep {
  std::uint32_t portal = 0;
  CellIndex to;
  friend constexpr bool operator==(const PortalStep&, const PortalStep&) noexcept = default;
};

/// The part of an agent's state that turn costs and timetables need beside the cell. Fields over cells alone ignore it.
struct LookupState {
  Direction heading = Direction::north;
  std::uint64_t tick = 0;
};

struct GoalCell {
  Cell cell;
  Cost offset = 0;  // start offset in cost units: this goal counts as that much farther away
  friend bool operator==(const GoalCell&, const GoalCell&) noexcept = default;
};

/// A disc of cells on the layer of `of`: those with dx^2 + dy^2 <= radius^2; `in_sight`: of these the ones with a clear
/// line to `of`, from centre to centre. What is blocked for the profile, a closed door, or unknown is opaque (an
/// obstacle is not), unless it lies at an end; a line that only touches a corner is clear, so a sees b exactly if b
/// sees a. For a k x k body its anchor counts.
struct GoalArea {
  enum class Rule : std::uint8_t { within, in_sight };
  Rule rule = Rule::within;
  Cell of;
  std::uint32_t radius = 0;  // 0 .. kMaxGoalRadius
  friend bool operator==(const GoalArea&, const GoalArea&) noexcept = default;
};
inline constexpr std::uint32_t kMaxGoalRadius = 512;

enum class GoalPlacement : std::uint8_t { exact, nearest };

/// One or many cells to walk to: a list, or in its place an area, of which every build takes the cells where the body
/// fits then. `nearest` moves a bad cell to the closest one of its layer where the body fits (least dx^2 + dy^2, then
/// index), and an area where it fits nowhere to the one closest to its centre; with `nearest_from` only cells count
/// that can be reached from there, and a cell that cannot is bad.
struct GoalDef {
  std::vector<GoalCell> cells;
  GoalPlacement placement = GoalPlacement::exact;
  std::optional<GoalArea> area = std::nullopt;
  std::optional<Cell> nearest_from = std::nullopt;
  friend bool operator==(const GoalDef&, const GoalDef&) noexcept = default;
};
inline constexpr std::size_t kMaxGoalCells = 1000000;

/// Whether a cell of a list counts as it was given. `duplicate`: another entry of the same place does (the least
/// offset, then the first). `dominated`: a way to another goal is cheaper than its offset, so the cost there is that of
/// the way; it still is a goal.
enum class GoalRank : std::uint8_t { counts, duplicate, dominated };
const char* to_string(GoalRank r) noexcept;

/// Where one goal cell ended up. `status`: ok, goal_blocked, goal_unknown or goal_outside (as asked); `placed` where it
/// counts. Of an area there is one for every cell, in the order of indices; one for its centre if it was moved.
struct PlacedGoal {
  Cell asked;
  StatusCode status = StatusCode::ok;
  Cell placed;
  GoalRank rank = GoalRank::counts;
};

enum class FieldEngine : std::uint8_t {
  automatic,
  textbook,       // binary-heap Dijkstra that shares no code with the others: the oracle
  breadth_first,  // uniform cost, 4 moves or equal steps
  two_cursor,     // uniform cost, straight and diagonal
  buckets,        // weights and free steps: circular buckets of events
  heap,           // any costs, however uneven
  directed,       // steps that differ by direction, portals; where they also cost more, the one that applies
  bitboards,      // one cost, four moves: waves of bits, 8 x 8 cells a word
  sweep,          // tiles of 32 x 32 cells in vector registers; leaves a map to one of the others where ways wind
  queue,          // asked for only: the best one that is not the sweep
};
const char* to_string(FieldEngine e) noexcept;

struct FieldOptions {
  FieldEngine engine = FieldEngine::automatic;
  bool steps = false;  // keep steps_to_goal: 12 bytes a cell more
};

/// Steps of a way by kind. In straight steps it is as long as straight + sqrt 2 x diagonal; portals have no length.
struct WaySteps {
  std::uint32_t straight = 0, diagonal = 0, portals = 0;
  constexpr std::uint32_t all() const noexcept { return straight + diagonal + portals; }
  friend constexpr bool operator==(const WaySteps&, const WaySteps&) noexcept = default;
};

/// How a field came about. Times are the caller's business; the library has no clock.
struct BuildReport {
  FieldEngine engine = FieldEngine::automatic;
  const char* reason = "";        // why this engine
  std::uint64_t reachable = 0;    // goal cells too
  std::uint64_t unreachable = 0;  // cells where the body fits, without a way
  std::uint64_t unknown = 0;
  Cost max_cost = 0;
  int cost_bits = 32;             // stored width: 16 above a base per tile, 32 or 64
  std::uint64_t activations = 0;  // queue events, or visits of tiles
  std::vector<PlacedGoal> goals;
  bool repaired = false;           // `engine` is what a build would have taken
  std::uint64_t touched = 0;       // of a repair: cells whose cost was found anew
  std::uint64_t pages_copied = 0;  // of a repair: pages of 4096 cells that it does not share with the old field
  const char* not_repaired = "";   // of repair(): why it was a build after all
};

/// Costs and directions from every cell of a map to the nearest of one or more goals.
///
/// Immutable once built, so any number of threads may read it. Shared: it lives as long as a FieldRef does. Storage is
/// a table of pages (one page load per look-up) of 3.2 bytes a cell where the sweep built it, 5 where a queue did, 9
/// where totals need 64 bits, 4 more where steps may be free. A repaired field shares the pages that it did not change
/// with the one it came from; either may go first. Built in time linear in the reachable cells (uniform costs) or
/// linear plus the largest cost (weights).
class FlowField {
 public:
  virtual ~FlowField();
  FlowField(const FlowField&) = delete;
  FlowField& operator=(const FlowField&) = delete;

  const GridShape& shape() const noexcept { return shape_; }
  /// Hash of the graph this field was built on; a field answers only for a graph with the same hash.
  std::uint64_t graph_hash() const noexcept { return graph_hash_; }
  /// Digest of the profile's movement rules, whatever the map's state and its faction: with served() it tells `stale`
  /// from `profile_mismatch`.
  std::uint64_t profile_digest() const noexcept { return profile_digest_; }
  /// True if this faction (kEveryone: profiles without one) knew the same of the map this was built on as its
  /// profile's.
  bool served(FactionId faction) const noexcept {
    return (served_ >> (faction < kMaxFactions ? faction : kMaxFactions) & 1) != 0;
  }

  CellState state(CellIndex cell) const noexcept { return state_of(code(cell)); }
  /// Least total cost from `cell` to a goal in the profile's units; kInfiniteCost where state is neither reachable nor
  /// goal.
  Cost cost_to_goal(CellIndex cell) const noexcept;
  /// First optimal step in tie order N, E, S, W, NE, SE, SW, NW, then portals by number. Following it from any
  /// reachable cell reaches a goal and visits no cell twice, also across zero-cost edges.
  Step step(CellIndex cell, LookupState state = {}) const noexcept;
  /// Every optimal step of the grid that leads closer, for an agent that must wait on the first. Empty at goals.
  DirectionSet optimal_directions(CellIndex cell) const noexcept {
    return {ties_[cell.value >> kPageBits][cell.value & kPageMask]};
  }
  /// Steps of the way that step() leads; nothing where there is no way, and in a field that was built without them.
  std::optional<WaySteps> steps_to_goal(CellIndex cell) const noexcept;
  bool has_steps() const noexcept { return steps_ != nullptr; }
  /// False for a part of a build that is under way: what is not settled says `not_ready`.
  bool whole() const noexcept { return whole_; }
  /// Every optimal portal that leads closer, by number. O(log of all of them).
  std::span<const PortalStep> optimal_portals(CellIndex cell) const noexcept;
  /// A hint that this cell will be asked for soon; changes nothing.
  void fetch_ahead(CellIndex cell) const noexcept {
    __builtin_prefetch(ties_[cell.value >> kPageBits] + (cell.value & kPageMask));
  }
  /// Index in goals() of the goal where the directions from each cell end, ~0 where none. Padded. O(cells), not kept.
  std::vector<std::uint32_t> goal_indices() const;
  /// Digest of costs, directions and tie sets: equal on every machine and for every engine. O(cells) the first time;
  /// rows are remembered, also by fields repaired from this one.
  std::uint64_t digest() const noexcept;
  /// Pages that other fields share count in each.
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// The cells of GoalDef in its order, or those of its area.
  std::span<const PlacedGoal> goals() const noexcept { return goals_; }

  /// Page geometry, and step and state in one byte: 0 .. 7 a direction, kPortalCode where the first optimal step is a
  /// portal, else one of the states below.
  static constexpr std::uint32_t kPageBits = 12, kPageMask = (1u << kPageBits) - 1;
  static constexpr std::uint8_t kPortalCode = 8;
  static constexpr std::uint8_t kGoalCode = 16, kUnreachableCode = 17, kBlockedCode = 18, kNoRoomCode = 19,
                                kUnknownCode = 20, kOutsideCode = 21, kNotReadyCode = 23;
  std::uint8_t code(CellIndex cell) const noexcept {
    const DirectionSet steps = optimal_directions(cell);
    return steps.empty() ? code_without_steps(cell) : static_cast<std::uint8_t>(std::countr_zero(steps.bits));
  }

 protected:
  FlowField() = default;
  static CellState state_of(std::uint8_t code) noexcept {
    return code < kGoalCode ? CellState::reachable
                            : static_cast<CellState>(code == kGoalCode ? 0 : code - kUnreachableCode + 2);
  }
  std::uint64_t digest_of_row(std::int32_t layer, std::int32_t row) const noexcept;
  std::uint8_t code_without_steps(CellIndex cell) const noexcept;

  /// Stored costs from here on say why there is none: the code is kUnreachableCode and what is above, if it is one.
  template <class T>
  static constexpr T kFirstState = static_cast<T>(sizeof(T) == 2 ? 0xF800 : ~T{0} / 255 * 254);
  /// Cells side by side that share a base: a tile's part of a row.
  static constexpr std::uint32_t kLineBits = 5;

  const std::uint8_t* const* ties_ = nullptr;
  // In units of scale_; exactly one of the three widths is there.
  const std::uint16_t* const* costs16_ = nullptr;  // above the base of the line
  const std::uint32_t* const* bases_ = nullptr;    // with costs16_ only: one a line
  const std::uint32_t* const* costs32_ = nullptr;
  const std::uint64_t* const* costs64_ = nullptr;
  const WaySteps* const* steps_ = nullptr;  // null: not kept
  Cost scale_ = 1;
  bool whole_ = true;
  GridShape shape_;
  std::atomic<std::uint64_t>* row_digests_ = nullptr;  // rows of all layers; 0: not known yet
  std::uint64_t graph_hash_ = 0;
  std::uint64_t profile_digest_ = 0;
  std::uint16_t served_ = 0;  // bit f: faction f; bit kMaxFactions: profiles without one
  std::uint64_t bytes_ = 0;
  std::vector<PlacedGoal> goals_;
  std::vector<std::uint32_t> goal_cells_,
      goal_owners_;                          // each goal cell once, ascending; which entry of the list counts there
  std::vector<std::uint32_t> portal_cells_;  // ascending, one entry for each optimal portal
  std::vector<PortalStep> portal_steps_;     // same order; by number within a cell
};

using FieldRef = std::shared_ptr<const FlowField>;

/// A field put away: its costs without directions, 2 bytes a cell and 4 for each tile of 32 x 32. Immutable; made and
/// turned back by a FieldBuilder.
class ColdField {
 public:
  virtual ~ColdField();
  ColdField(const ColdField&) = delete;
  ColdField& operator=(const ColdField&) = delete;

  std::uint64_t graph_hash() const noexcept { return graph_hash_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 protected:
  ColdField() = default;
  std::uint64_t graph_hash_ = 0, bytes_ = 0;
};
using ColdFieldRef = std::shared_ptr<const ColdField>;

/// A field that comes about in pieces: in slices over the ticks of a game, or as far as someone waits for it and later
/// on. Made by FieldBuilder::start. Moves only; one thread at a time, also beside its builder and others of its builds,
/// which it may outlive. It answers for the graph it was started on; what it says does not depend on the pieces, for
/// there is no clock. A cell is settled once everything that is cheaper is done. Where the sweep leaves the map to
/// another engine it begins anew: cells may be unsettled again, yet what an earlier part said stays true. Errors:
/// out_of_memory, after which all that is left is to destroy it (part() alone may be asked again); argument (finished,
/// moved from, a cell that no map has).
class FieldBuild {
 public:
  explicit FieldBuild(std::unique_ptr<field::BuildRun> run) noexcept;
  ~FieldBuild();
  FieldBuild(FieldBuild&&) noexcept;
  FieldBuild& operator=(FieldBuild&&) noexcept;

  /// Goes on for about `events`: queue events, or visits of tiles, a thousand cells each. True once all is done.
  Result<bool> advance(std::uint64_t events);
  /// Goes on until all these cells are settled, and all that costs at most `margin` more than the dearest of them. What
  /// lies in a component without a goal is settled at once; what has no way for other reasons, when all is done.
  Status settle(std::span<const CellIndex> cells, Cost margin = 0);
  /// True where part() says what the whole field will say; where the body does not fit, only after settle() for it.
  bool settled(CellIndex cell) const noexcept;
  bool done() const noexcept;
  /// A field of what is settled, byte for byte; all other cells say `not_ready`, cost kInfiniteCost and have no ties
  /// (where the body does not fit, and outside of the map, a cell may say so, too). Ranks of goals are those known so
  /// far. O(cells settled so far), but 0.3 ns for each cell of the map where tiles are not swept.
  Result<FieldRef> part();
  /// The whole field, equal byte for byte to that of FieldBuilder::build; the build is over then.
  Result<FieldRef> finish(BuildReport* report = nullptr);

 private:
  std::unique_ptr<field::BuildRun> run_;
};

/// One of many fields that are built side by side.
struct FieldRequest {
  NavGraph graph;
  GoalDef goal;
  FieldOptions options = {};
};
struct BuiltField {
  Status status;   // as of FieldBuilder::build
  FieldRef field;  // null unless status is ok
  BuildReport report;
};

/// Builds fields; keeps scratch memory and a bounded pool of field buffers between builds. One thread at a time; the
/// fields it made outlive it. Errors: goal_none, limit_goals (cells or radius), goal_blocked / goal_unknown /
/// goal_outside (the message names every bad goal in the order given, and only those), cost_range (an offset), argument
/// (an area beside cells; a nearest_from where the body cannot stand), out_of_memory.
class FieldBuilder {
 public:
  explicit FieldBuilder(const Host& host = {});
  ~FieldBuilder();
  FieldBuilder(FieldBuilder&&) noexcept;
  FieldBuilder& operator=(FieldBuilder&&) noexcept;

  Result<FieldRef> build(const NavGraph& graph, const GoalDef& goal, const FieldOptions& options = {},
                         BuildReport* report = nullptr);
  /// The field of `after`, from that of an older state of the same map: equal in every answer to build(after, goal,
  /// options). `old` was built or repaired by this builder on `before`. Time grows with the cells whose answer changes;
  /// past a share of the map, or where costs would be stored in another unit or width, it is a build, and the report
  /// says why. Finding what an edit changed is O(edit) if `after` is before.updated(), else O(cells). The old field
  /// stays as it is; without memory that is all there is.
  Result<FieldRef> repair(const FieldRef& old, const NavGraph& before, const NavGraph& after, const GoalDef& goal,
                          const FieldOptions& options = {}, BuildReport* report = nullptr);
  /// The field without what warm() finds again. Refused (argument) where costs take more than 16 bits: those of queues.
  Result<ColdFieldRef> cool(const FieldRef& field);
  /// The field that was put away, equal in every answer, in one pass over the cells: a fraction of a build. `graph`
  /// must be equal to the one that it was of (argument).
  Result<FieldRef> warm(const ColdFieldRef& cold, const NavGraph& graph);
  /// A build that goes on in pieces. Its errors in goals are those of build(); nothing is built yet.
  Result<FieldBuild> start(const NavGraph& graph, const GoalDef& goal, const FieldOptions& options = {});
  /// All of these side by side on the host's tasks, one task a field: results in the order of requests, bytes the same
  /// for any number of tasks. As much scratch memory as fields are built at one time. Fails as a whole only where there
  /// is no memory for the list itself.
  Result<std::vector<BuiltField>> build_all(std::span<const FieldRequest> requests);
  /// Bytes in buffers that returned to the pool and wait to be used again.
  std::uint64_t pooled_bytes() const noexcept;
  /// Bytes in buffers of fields that are still held anywhere; what several share counts once.
  std::uint64_t live_bytes() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace drover
