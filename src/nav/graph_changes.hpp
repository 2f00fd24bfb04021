// SPDX-License-Identifier: MIT
// Where two graphs of one shape differ.
#pragma once
#include "nav/compiled_graph.hpp"

#include <cstdint>
#include <vector>

namespace drover::nav {

/// Ascending, none twice.
struct GraphChanges {
  std::vector<std::uint32_t> cells;    // placements whose footing, steps or prices of steps differ
  std::vector<std::uint32_t> entered;  // placements that fit in both and cost something else to enter
  std::vector<std::uint32_t> portals;  // placements where portals differ that leave from there

  void clear() noexcept {
    cells.clear();
    entered.clear();
    portals.clear();
  }
};

/// Looks at the words that the update says it wrote, or at all that the planes do not share: O(cells). Both graphs have
/// the same shape and step costs.
void find_changes(const CompiledGraph& before, const CompiledGraph& after, GraphChanges& out);

}  // namespace drover::nav
