// SPDX-License-Identifier: MIT
// How a body moves: its size, its steps, what it may enter and what that costs. Plain definitions, shared with the validator.
#pragma once
#include <drover/geometry.hpp>
#include <drover/map.hpp>

#include <optional>
#include <string>
#include <vector>

namespace drover {

enum class Moves : std::uint8_t { four = 4, eight = 8 };

/// Which diagonals a body may take: `strict` needs both orthogonal placements free, `one_free` at least one, `none` neither.
enum class CornerRule : std::uint8_t { strict, one_free, none };

/// Units of cost: uniform 1/1, tens 10/14, octile 985/1393 (ratio within 3e-7 of the square root of 2).
enum class CostBase : std::uint8_t { uniform, tens, octile };

struct StepCosts {
  std::uint32_t straight = 10;
  std::uint32_t diagonal = 14;
};
constexpr StepCosts step_costs(CostBase base) noexcept {
  switch (base) {
    case CostBase::uniform: return {1, 1};
    case CostBase::tens: return {10, 14};
    case CostBase::octile: return {985, 1393};
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

/// A k x k body anchored at its upper-left cell. Between ticks it is a disc of `body_radius` about the middle of its cells.
/// A step costs its base times the dearest factor among the cells it then covers.
struct MovementProfile {
  std::string name = "default";
  int footprint = 1;                   // 1 .. kMaxFootprint cells a side
  std::optional<Fixed> body_radius;    // default footprint / 2 - 0.15; above 0, at most footprint / 2
  Moves moves = Moves::eight;
  CornerRule corner = CornerRule::strict;
  CostBase costs = CostBase::tens;
  std::vector<TerrainRule> terrain;    // at most one a class
  std::vector<std::int32_t> layers;    // empty: all

  Fixed radius() const noexcept {
    return body_radius ? *body_radius : Fixed::ratio(footprint, 2) - Fixed::ratio(15, 100);
  }
  /// Size, radius, terrain rules in range of `terrain_classes`.
  Status validate(std::size_t terrain_classes) const;
};

}  // namespace drover
