// SPDX-License-Identifier: MIT
// The independent judges: one replays every move of a run, one works out every cell of a field; both from the map
// alone.
#pragma once
#include <drover/geometry.hpp>
#include <drover/map.hpp>
#include <drover/profile.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace drover {

struct ValidatorRules {
  BodyRule bodies = BodyRule::discs;
  Following following = Following::allowed;
  StepPolicy step = StepPolicy::unit;
};

enum class ViolationKind : std::uint8_t {
  unexplained,
  illegal_step,
  wall,
  corner,
  overlap,
  swept_overlap,
  followed,
  duplicate_record
};
const char* to_string(ViolationKind k) noexcept;

struct Violation {
  std::uint64_t tick = 0;
  ViolationKind kind = ViolationKind::unexplained;
  std::uint64_t agent = 0, other = 0;  // keys; other 0 if none
  Cell cell;
};

/// Checks a run tick by tick: no two footprints overlap at any time, no wall or obstacle is touched, no move is
/// unexplained. Shares no code with the arbiter, and asks obstacles shape by shape instead of what was baked. A body
/// that passes a portal stands at both ends until it is through; under StepPolicy::ground_speed every step has to last
/// what its length and the profile's speed say, counted from a stand where its agent came. One thread. O(movers x
/// footprint) a tick, exact integer arithmetic. A record is believed even if it broke a rule, so one fault is counted
/// once. Out of memory, or given a map of another shape, it stops checking and counts one `unexplained` of agent 0: a
/// run that was not checked never looks clean.
class Validator {
 public:
  Validator(const MapView& map, std::span<const MovementProfile> profiles, ValidatorRules rules);
  ~Validator();
  Validator(Validator&&) noexcept;
  Validator& operator=(Validator&&) noexcept;

  /// The map from the next tick on.
  void set_map(const MapView& map);
  /// An agent takes its place at the end of the current tick: call leave of that tick first. `profile` is an index into
  /// the profiles.
  void enter(std::uint64_t agent, std::uint32_t profile, Cell at);
  /// It is gone from the end of the current tick on.
  void leave(std::uint64_t agent);
  /// A jump that was ordered from outside for the coming tick: it explains one record of this agent to that cell with
  /// ticks = 0. An order that was not carried out lapses with the tick.
  void order(std::uint64_t agent, Cell to);
  /// All moves that begin in one tick, jumps before steps. Call enter and leave of that tick after it (of agents that
  /// were removed before the steps: leave before it).
  void tick(std::uint64_t tick, std::span<const MoveRecord> moves);

  std::uint64_t moves() const noexcept;
  std::uint64_t violations() const noexcept;
  /// The first ones, at most 100.
  std::span<const Violation> first() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// `none`: an answer that no cell of a map may have.
enum class ClaimedState : std::uint8_t { goal, reachable, unreachable, blocked, no_room, unknown, none };
const char* to_string(ClaimedState s) noexcept;

/// A portal among the optimal steps of a cell.
struct PortalClaim {
  std::uint32_t portal = 0;
  CellIndex to;
  friend bool operator==(const PortalClaim&, const PortalClaim&) = default;
};

/// What a field says of one cell, in words that know no field. `cost` where the state is goal or reachable, `step`,
/// `ties` and `portals` where it is reachable.
struct CellClaim {
  static constexpr std::uint32_t kNoStep = ~std::uint32_t{0}, kPortalStep = kDirections;
  ClaimedState state = ClaimedState::unreachable;
  Cost cost = kInfiniteCost;
  std::uint32_t step = kNoStep;  // 0 .. 7 a direction, kPortalStep + n the portal n
  DirectionSet ties;
  std::vector<PortalClaim> portals;  // every optimal one, by number
  friend bool operator==(const CellClaim&, const CellClaim&) = default;
};

/// A goal cell as it counts: where the body stands when it has arrived.
struct FieldTarget {
  Cell cell;
  Cost offset = 0;
};

/// The field to be judged. `goal_of` (may be empty) answers the index of the target where the directions of each cell
/// end, padded; it is asked only if every cell is right, so that it never walks in a circle.
struct FieldClaims {
  std::function<CellClaim(CellIndex)> at;
  std::function<std::vector<std::uint32_t>()> goal_of;
};

/// On at most `all_starts` cells every cell is the start of a Dijkstra of its own. On larger maps one Dijkstra against
/// the steps reaches all, and `samples` cells, drawn by `seed`, are starts besides (0: as many as take about as long).
struct OracleOptions {
  std::uint64_t all_starts = 4096;
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  /// Called now and then; false stops the work.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress = {};
};

enum class ClaimFault : std::uint8_t {
  cell,  // `found` is not `expected`
  walk,  // following the optimal steps comes back here, or is longer than there are cells
  goal   // its directions end at another goal
};

struct WrongCell {
  Cell cell;
  ClaimFault fault = ClaimFault::cell;
  CellClaim found, expected;
  std::uint32_t found_goal = 0, expected_goal = 0;  // of a wrong goal
};

struct FieldVerdict {
  std::uint64_t cells = 0;   // that were compared
  std::uint64_t starts = 0;  // that had a Dijkstra of their own
  std::uint64_t wrong = 0;
  bool sampled = false;  // not every place to stand was a start
  bool stopped = false;  // by `progress`; the rest was not looked at
  std::optional<WrongCell> first;
};

/// Judges a field of `map` for `profile` and `targets`: works out every legal step and cost from the map, sharing no
/// code with graphs and fields, and from them state, cost, first step and all optimal steps of every cell. Then follows
/// the optimal steps, in the worst order, to a goal. O(cells^2) up to all_starts, else O((1 + samples) x cells log
/// cells). Errors: argument (an unsound profile, no targets, a target where the body cannot stand), out_of_memory.
Result<FieldVerdict> verify_field(const MapView& map, const MovementProfile& profile,
                                  std::span<const FieldTarget> targets, const FieldClaims& claims,
                                  const OracleOptions& options = {});

/// Where goal cells count by contracts 3.7, one for each asked: itself where the body can stand; else, with `nearest`,
/// the place of its layer with the least (dx^2 + dy^2, index); else nothing.
enum class TargetPlacement : std::uint8_t { exact, nearest };
std::vector<std::optional<Cell>> place_targets(const MapView& map, const MovementProfile& profile,
                                               std::span<const Cell> asked, TargetPlacement placement);

/// Cells of an area by contracts 3.7, in the order y, x: where the body can stand on the layer of `of`, with dx^2 +
/// dy^2
/// <= radius^2; `in_sight`: with no opaque cell between whose inside the line from centre to centre crosses. Opaque is
/// what the profile may not enter, a closed door, and what is unknown; no obstacle is. None where `of` is off the map.
/// O(radius^3).
enum class AreaRule : std::uint8_t { within, in_sight };
std::vector<Cell> area_targets(const MapView& map, const MovementProfile& profile, Cell of, std::uint32_t radius,
                               AreaRule rule);

}  // namespace drover
