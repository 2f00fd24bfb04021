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

/// A plan that reaches the optimum. Agents are interchangeable: whoever is on a cell at a tick takes the step of that
/// cell and tick, and any crowd that is a part of the planned one never conflicts on its way: one agent a cell, no
/// exchange of places, no crossing diagonals; an agent may enter what is vacated in the same tick.
struct EvacuationPlan {
  static constexpr std::uint8_t kStay = 8, kNobodyPasses = 255;

  EvacuationOptimum optimum;
  std::vector<std::uint32_t> number;  // by padded cell; ~0: no way
  std::uint32_t cells = 0;            // numbered ones
  std::vector<std::uint8_t> steps;    // [tick x cells + number]: direction, kStay or kNobodyPasses

  std::uint8_t step(std::uint64_t tick, std::uint32_t padded) const noexcept {
    const std::uint32_t n = number[padded];
    return tick >= optimum.makespan() || n >= cells ? kNobodyPasses : steps[tick * cells + n];
  }
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
/// exchange places or cross exchange their plans instead. `steps` is a field on `graph`, of whose goals
/// alone is read; starts without a way do not count. May throw std::bad_alloc.
std::optional<EvacuationOptimum> earliest_arrival_flow(const NavGraph& graph, const FlowField& steps,
                                                       std::span<const CellIndex> starts,
                                                       const FlowLimits& limits = {});

/// The optimum and a plan for it; `goals`: padded cells, ascending. Besides the above: corners are strict or steps
/// straight, so that two agents whose diagonals would cross can go straight instead.
std::optional<EvacuationPlan> earliest_arrival_plan(const NavGraph& graph, std::span<const std::uint32_t> goals,
                                                    std::span<const CellIndex> starts, const FlowLimits& limits = {});

}  // namespace drover::crowd
