// SPDX-License-Identifier: MIT
// How a body moves: its size, its steps, what it may enter, what that costs; the record of a step. Shared with the
// validator.
#pragma once
#include <drover/geometry.hpp>
#include <drover/map.hpp>

#include <optional>
#include <string>
#include <vector>

namespace drover {

enum class Moves : std::uint8_t { four = 4, eight = 8 };

/// Which diagonals a body may take: `strict` needs both orthogonal placements free, `one_free` at least one, `none`
/// neither.
enum class CornerRule : std::uint8_t { strict, one_free, none };

/// Units of cost: uniform 1/1, tens 10/14, octile 985/1393 (ratio within 3e-7 of the square root of 2).
enum class CostBase : std::uint8_t { uniform, tens, octile };

struct StepCosts {
  std::uint32_t straight = 10;
  std::uint32_t diagonal = 14;
};
constexpr StepCosts step_costs(CostBase base) noexcept {
  switch (base) {
    case CostBase::uniform:
      return {1, 1};
    case CostBase::tens:
      return {10, 14};
    case CostBase::octile:
      return {985, 1393};
  }
  return {};
}

inline constexpr int kMaxFootprint = 8;

/// What one profile makes of a terrain class. Unset fields keep the class's own.
struct TerrainRule {
  TerrainId terrain = kFloor;
  std::optional<std::uint32_t> cost;
  std::optional<bool> passable;
};

/// Of the disc of a k x k body that names none, in cells.
constexpr Fixed default_radius(int footprint) noexcept { return Fixed::ratio(footprint, 2) - Fixed::ratio(15, 100); }

/// The slowest body, in cells a tick: no step lasts longer than kMaxStepTicks.
inline constexpr Fixed kMinSpeed{std::int64_t{1} << 16};
inline constexpr std::uint32_t kMaxStepTicks = std::uint32_t{1} << 17;

/// A k x k body anchored at its upper-left cell. Between ticks it is a disc of `body_radius` about the middle of its
/// cells. A step costs its base times the dearest factor among the cells it then covers, and no speed changes that.
struct MovementProfile {
  std::string name = "default";
  int footprint = 1;                 // 1 .. kMaxFootprint cells a side
  std::optional<Fixed> body_radius;  // default footprint / 2 - 0.15; above 0, at most footprint / 2
  Moves moves = Moves::eight;
  CornerRule corner = CornerRule::strict;
  CostBase costs = CostBase::tens;
  std::vector<TerrainRule> terrain;  // at most one a class
  std::vector<std::int32_t> layers;  // empty: all
  FactionId faction = kEveryone;     // whose knowledge counts; kEveryone: only what nobody knows is unknown
  Fixed speed = Fixed::from_int(1);  // cells a tick along a straight, kMinSpeed .. 1; 1 under StepPolicy::unit

  Fixed radius() const noexcept { return body_radius ? *body_radius : default_radius(footprint); }
  /// Size, radius, speed; terrain rules and faction among those that a map has.
  Status validate(std::size_t terrain_classes, std::size_t factions = 0) const;
};

inline constexpr std::uint32_t kNoPortal = ~std::uint32_t{0};

/// One committed step: `agent` leaves `from` in the tick after `start_tick` and stands on `to` at the end of
/// `start_tick + ticks`. Under StepPolicy::unit ticks = 1 and remainder = 0; else the exact end of the step lies
/// `remainder` parts of a tick, less half a tick, after that (StepPolicy). Agents without a record stay where they are.
/// A step of the grid moves linearly; one through a portal stands at both ends until it is over.
/// ticks = 0: a jump that was ordered from outside; at start_tick it is on `to` already.
struct MoveRecord {
  std::uint64_t agent = 0;  // key
  Cell from, to;
  std::uint64_t start_tick = 0;
  std::uint32_t ticks = 1;
  std::uint64_t remainder = 0;
  std::uint32_t portal = kNoPortal;  // number of the one it leads through
};

/// What may happen between whole ticks. `discs`: bodies are discs that move linearly and never overlap. `cells`:
/// footprints on whole ticks, no exchange of places, no crossing diagonals.
enum class BodyRule : std::uint8_t { discs, cells };
enum class Following : std::uint8_t { allowed, forbidden };

/// How long steps last. `unit`: one tick each. `ground_speed`: the way over the profile's speed, where a straight step
/// is 985 long and a diagonal one 1393, whatever they cost; rounded to whole ticks, and what that gives or takes is
/// carried into the next step if it begins at once, so any number of steps in a row last what they should to half a
/// tick. A portal is as long as a straight step, or lasts the ticks that it says. With speed = s / 2^k cells a tick, s
/// odd or k = 0, a tick has 985 s parts and a step of length l takes l 2^k of them.
enum class StepPolicy : std::uint8_t { unit, ground_speed };
inline constexpr std::uint32_t kStraightLength = 985, kDiagonalLength = 1393;

}  // namespace drover
