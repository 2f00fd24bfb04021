// SPDX-License-Identifier: MIT
// Reads a cell through every look-up that agents use.
#include "io/field_claims.hpp"

#include <utility>

namespace drover::io {

namespace {

ClaimedState claimed(CellState state) {
  switch (state) {
    case CellState::goal:
      return ClaimedState::goal;
    case CellState::reachable:
      return ClaimedState::reachable;
    case CellState::unreachable:
      return ClaimedState::unreachable;
    case CellState::no_room:
      return ClaimedState::no_room;
    case CellState::unknown:
      return ClaimedState::unknown;
    case CellState::blocked:
      return ClaimedState::blocked;
    case CellState::outside:
    case CellState::stale:
    case CellState::not_ready:
    case CellState::profile_mismatch:
      break;
  }
  return ClaimedState::none;
}

}  // namespace

CellClaim claim_of(const FlowField& field, CellIndex cell) {
  CellClaim claim;
  claim.state = claimed(field.state(cell));
  claim.cost = field.cost_to_goal(cell);
  claim.ties = field.optimal_directions(cell);
  for (const PortalStep& step : field.optimal_portals(cell)) claim.portals.push_back({step.portal, step.to});
  const std::uint8_t code = field.code(cell);
  if (code < FlowField::kPortalCode) claim.step = static_cast<std::uint32_t>(field.step(cell).direction);
  // A portal's code without a portal has no step to look up.
  if (code == FlowField::kPortalCode && !claim.portals.empty())
    claim.step = CellClaim::kPortalStep + field.step(cell).portal;
  return claim;
}

FieldClaims claims_of(const FlowField& field) {
  return {[&field](CellIndex cell) { return claim_of(field, cell); }, [&field] { return field.goal_indices(); }};
}

FieldClaims claims_of(const FlowField& field, std::vector<DumpedCost> costs) {
  FieldClaims claims = claims_of(field);
  claims.at = [&field, costs = std::move(costs)](CellIndex cell) {
    const GridShape& shape = field.shape();
    const Cell at = shape.cell(cell), origin = shape.origin();
    const std::size_t row = static_cast<std::size_t>(at.layer) * static_cast<std::size_t>(shape.height()) +
                            static_cast<std::size_t>(std::int64_t{at.y} - origin.y);
    const DumpedCost& said =
        costs[row * static_cast<std::size_t>(shape.width()) + static_cast<std::size_t>(std::int64_t{at.x} - origin.x)];
    CellClaim claim = claim_of(field, cell);
    claim.cost = said.cost;
    const bool alike = said.state == ClaimedState::reachable
                           ? claim.state == ClaimedState::goal
                           : claim.state == ClaimedState::no_room && said.state == ClaimedState::blocked;
    if (!alike) claim.state = said.state;
    return claim;
  };
  return claims;
}

}  // namespace drover::io
