// SPDX-License-Identifier: MIT
// The cells from where a field leads to a goal are closed: every step into one of them begins at one of them. So if no
// step that came, went or changed its price leads into one, costs, directions and ties stay what they were.
#include "sim/still_right.hpp"

#include "field/goals.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>

namespace drover::sim {
namespace {

bool leads(const FlowField& field, std::uint32_t cell) noexcept {
  return field.code(CellIndex{cell}) <= FlowField::kGoalCode;
}

// Neither it nor a neighbour leads, whatever steps there are; so an edit beside a way is never kept from its field.
// Portals of `before` from a cell outside lead outside: the cells that lead are closed.
bool stays_outside(const FlowField& field, const nav::CompiledGraph& after, std::uint32_t cell) noexcept {
  if (leads(field, cell)) return false;
  for (int d = 0; d < kDirections; ++d)
    if (leads(field, cell + after.shape().step(static_cast<Direction>(d)))) return false;
  const auto portals = after.portals().leaving(cell);
  return std::none_of(portals.begin(), portals.end(), [&](const nav::Portal& p) { return leads(field, p.to); });
}

bool same_places(std::span<const PlacedGoal> a, const std::vector<PlacedGoal>& b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const PlacedGoal& x, const PlacedGoal& y) {
    return x.asked == y.asked && x.status == y.status && x.placed == y.placed;
  });
}

}  // namespace

bool still_right(const FlowField& field, std::span<const std::uint32_t> changed, const NavGraph& after,
                 const GoalDef& goal) {
  const auto outside = [&](std::uint32_t cell) { return stays_outside(field, after.compiled(), cell); };
  if (!std::all_of(changed.begin(), changed.end(), outside)) return false;
  const field::PlacedGoals placed = field::place_goals(after, goal);
  return placed.status.ok() && same_places(field.goals(), placed.placed);
}

bool same_ways(const FlowField& a, const FlowField& b) noexcept {
  if (a.shape() != b.shape()) return false;
  const auto same_portals = [&](CellIndex cell) {
    const auto x = a.optimal_portals(cell), y = b.optimal_portals(cell);
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  for (std::uint32_t i = 0; i < a.shape().padded_cells(); ++i) {
    const CellIndex cell{i};
    if (leads(a, i) != leads(b, i)) return false;
    if (!leads(a, i)) continue;
    if (a.code(cell) != b.code(cell) || a.cost_to_goal(cell) != b.cost_to_goal(cell) ||
        a.optimal_directions(cell).bits != b.optimal_directions(cell).bits || !same_portals(cell))
      return false;
  }
  return true;
}

}  // namespace drover::sim
