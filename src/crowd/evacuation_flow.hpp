// SPDX-License-Identifier: MIT
// How fast a crowd can leave at best: the earliest-arrival flow of the time-expanded network.
#pragma once
#include <drover/field.hpp>
#include <drover/graph.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace drover::crowd {

/// No plan has more agents out at the end of any tick, and one plan reaches all of these at once.
struct EvacuationOptimum {
  std::vector<std::uint32_t> evacuated_by_tick;  // from tick 0 to the makespan

  std::uint64_t makespan() const noexcept { return evacuated_by_tick.size() - 1; }
  std::uint64_t sum_of_arrivals() const noexcept;
};

/// What a computation may take before it gives up.
struct FlowLimits {
  std::uint64_t cell_ticks = std::uint64_t{1} << 23;  // reachable cells x (makespan + 1), 6 bytes each
  std::uint64_t visits = std::uint64_t{1} << 25;      // of a cell at a tick by a search
};

/// The optimum for agents that start at `starts` at tick 0, all different, and vanish when they enter a goal cell.
/// Nothing where it does not fit the limits.
///
/// The rules: one agent a cell and tick, an agent may enter a cell that is vacated in the same tick, no exchange of
/// places, no crossing diagonals; a goal cell takes an agent a tick. Agents with one goal are interchangeable, so this
/// is a maximum flow with a node for each cell and tick (Ford and Fulkerson 1958, Gale 1959); two agents that would
/// exchange places or cross exchange their plans instead. `steps` is a field of uniform costs without offsets on
/// `graph`; starts without a way do not count. May throw std::bad_alloc.
std::optional<EvacuationOptimum> earliest_arrival_flow(const NavGraph& graph, const FlowField& steps,
                                                       std::span<const CellIndex> starts,
                                                       const FlowLimits& limits = {});

}  // namespace drover::crowd
