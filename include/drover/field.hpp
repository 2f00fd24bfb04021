// SPDX-License-Identifier: MIT
// One shared answer to "which way is the goal?" for every agent of one profile.
#pragma once
#include <drover/geometry.hpp>
#include <drover/graph.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace drover {

/// State of a cell in a field. `unreachable` means no legal way exists; it never means far. `no_room`: free, but the
/// body does not fit. `stale` and `not_ready` are answers of a bundle: the field is of another generation, or not there
/// yet.
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
};

enum class GoalPlacement : std::uint8_t { exact, nearest };

/// One or many cells to walk to. `nearest` moves a bad cell to the closest one where the body fits (least dx^2 + dy^2,
/// then index).
struct GoalDef {
  std::vector<GoalCell> cells;
  GoalPlacement placement = GoalPlacement::exact;
};
inline constexpr std::size_t kMaxGoalCells = 1000000;

/// Where one goal cell ended up. `status`: ok, goal_blocked, goal_unknown or goal_outside (as asked); `placed` where it
/// counts.
struct PlacedGoal {
  Cell asked;
  StatusCode status = StatusCode::ok;
  Cell placed;
};

enum class FieldEngine : std::uint8_t {
  automatic,
  textbook,       // binary-heap Dijkstra that shares no code with the others: the oracle
  breadth_first,  // uniform cost, 4 moves or equal steps
  two_cursor,     // uniform cost, straight and diagonal
  buckets,        // weights and free steps: circular buckets of events
  heap,           // any costs, however uneven
  directed,       // steps that differ by direction, portals; the one for graphs that are directed()
};
const char* to_string(FieldEngine e) noexcept;

struct FieldOptions {
  FieldEngine engine = FieldEngine::automatic;
};

/// How a field came about. Times are the caller's business; the library has no clock.
struct BuildReport {
  FieldEngine engine = FieldEngine::automatic;
  const char* reason = "";        // why this engine
  std::uint64_t reachable = 0;    // goal cells too
  std::uint64_t unreachable = 0;  // cells where the body fits, without a way
  std::uint64_t unknown = 0;
  Cost max_cost = 0;
  int cost_bits = 32;             // stored width
  std::uint64_t activations = 0;  // queue events
  std::vector<PlacedGoal> goals;
};

/// Costs and directions from every cell of a map to the nearest of one or more goals.
///
/// Immutable once built, so any number of threads may read it. Shared: it lives as long as a FieldRef does. Storage is
/// a table of pages (one page load per look-up) of 6 bytes a cell, 10 where totals need 64 bits. Built in time linear
/// in the reachable cells (uniform costs) or linear plus the largest cost (weights).
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
  /// Every optimal portal that leads closer, by number. O(log of all of them).
  std::span<const PortalStep> optimal_portals(CellIndex cell) const noexcept;
  /// A hint that this cell will be asked for soon; changes nothing.
  void fetch_ahead(CellIndex cell) const noexcept {
    __builtin_prefetch(ties_[cell.value >> kPageBits] + (cell.value & kPageMask));
  }
  /// Index in GoalDef::cells of the goal where the directions from each cell end, ~0 where none. Padded. O(cells), not
  /// kept.
  std::vector<std::uint32_t> goal_indices() const;
  /// Digest of costs, directions and tie sets: equal on every machine and for every engine.
  std::uint64_t digest() const noexcept;
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::span<const PlacedGoal> goals() const noexcept { return goals_; }

  /// Page geometry, and the raw codes that hot loops read: 0 .. 7 a direction, kPortalCode where the first optimal step
  /// is a portal, else one of the states below.
  static constexpr std::uint32_t kPageBits = 12, kPageMask = (1u << kPageBits) - 1;
  static constexpr std::uint8_t kPortalCode = 8;
  static constexpr std::uint8_t kGoalCode = 16, kUnreachableCode = 17, kBlockedCode = 18, kNoRoomCode = 19,
                                kUnknownCode = 20, kOutsideCode = 21;
  std::uint8_t code(CellIndex cell) const noexcept { return codes_[cell.value >> kPageBits][cell.value & kPageMask]; }

 protected:
  FlowField() = default;
  static CellState state_of(std::uint8_t code) noexcept {
    return code < kGoalCode ? CellState::reachable
                            : static_cast<CellState>(code == kGoalCode ? 0 : code - kUnreachableCode + 2);
  }
  const std::uint8_t* const* codes_ = nullptr;
  const std::uint8_t* const* ties_ = nullptr;
  const std::uint32_t* const* costs32_ = nullptr;  // in units of scale_; exactly one of the two widths is there
  const std::uint64_t* const* costs64_ = nullptr;
  Cost scale_ = 1;
  GridShape shape_;
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

/// Builds fields; keeps scratch memory and a bounded pool of field buffers between builds. One thread at a time; the
/// fields it made outlive it. Errors: goal_none, limit_goals, goal_blocked / goal_unknown / goal_outside (the message
/// names every bad goal in the order given, and only those), out_of_memory.
class FieldBuilder {
 public:
  explicit FieldBuilder(const Host& host = {});
  ~FieldBuilder();
  FieldBuilder(FieldBuilder&&) noexcept;
  FieldBuilder& operator=(FieldBuilder&&) noexcept;

  Result<FieldRef> build(const NavGraph& graph, const GoalDef& goal, const FieldOptions& options = {},
                         BuildReport* report = nullptr);
  /// Bytes in buffers that returned to the pool and wait to be used again.
  std::uint64_t pooled_bytes() const noexcept;
  /// Bytes in buffers of fields that are still held anywhere.
  std::uint64_t live_bytes() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace drover
