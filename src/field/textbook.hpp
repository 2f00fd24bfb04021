// SPDX-License-Identifier: MIT
// The oracle among the engines: Dijkstra's algorithm as in a textbook, from the map and the profile alone.
#pragma once
#include <drover/field.hpp>

#include <utility>
#include <vector>

namespace drover::field {

/// One entry a cell of the map, layer by layer, row by row, without padding. Costs in the profile's units.
struct TextbookField {
  std::vector<Cost> costs;
  std::vector<std::uint8_t> codes;  // as FlowField::code
  std::vector<std::uint8_t> ties;
  std::vector<std::pair<CellIndex, PortalStep>> portals;  // optimal ones, ascending by (cell, number)
  std::uint64_t reached = 0;
  Cost last_cost = 0;
  std::uint64_t pops = 0;
};

/// Precondition: every goal cell carries the body; no cell twice.
TextbookField textbook(const MapView& map, const MovementProfile& profile, const std::vector<GoalCell>& goals);

}  // namespace drover::field
