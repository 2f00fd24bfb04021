// SPDX-License-Identifier: MIT
// The sparse part of a map: rules of single steps, as edited and as doors leave them, and portals.
#pragma once
#include <drover/map.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace drover::world {

/// Of one map state; once it is in one, only portals are added, and only while no one else holds it.
struct SparseEdges {
  std::vector<StepRule> own;        // as edited
  std::vector<StepRule> effective;  // doors counted
  std::vector<PortalDef> portals;
};
// Both lists of rules ascend by (cell, direction) and hold no rule that says nothing.

/// Lists of rules ascend by it.
std::uint64_t key_of(CellIndex from, Direction direction) noexcept;

/// "cell 3,4 is not on the map of 5x5"; how cells and sizes are written.
Status outside(const Cell& cell, const GridShape& shape);
std::string to_text(const Cell& cell, const GridShape& shape);
std::string to_text(const GridShape& shape);

bool is_direction(Direction d) noexcept;
Status check_steps(const GridShape& shape, std::span<const StepEdit> edits);
Status check_portals(std::size_t portals, std::span<const PortalEdit> edits);
/// Of a price, an extra or a portal; `what` begins the message.
Status check_edge_cost(std::uint32_t cost, const std::string& what);
/// `own` after a batch that was checked.
std::vector<StepRule> edited_rules(std::span<const StepRule> own, const GridShape& shape,
                                   std::span<const StepEdit> edits);
/// Rules as edited, or as earlier doors leave them, with what these doors add where they are closed or priced.
std::vector<StepRule> with_doors(std::span<const StepRule> before, const GridShape& shape,
                                 std::span<const DoorDef> doors);
/// Cells where two lists differ, ascending, each once.
std::vector<CellIndex> changed_cells(std::span<const StepRule> before, std::span<const StepRule> after);

}  // namespace drover::world
