// SPDX-License-Identifier: MIT
// Fields of directed graphs: reverse propagation with forward costs, over any steps and portals.
#pragma once
#include "field/directions.hpp"
#include "field/plan.hpp"

#include <drover/field.hpp>

#include <vector>

namespace drover::field {

struct Scratch;

/// Any graph. Needs plan.graph; fills plan.hops where it is given.
template <class T>
Outcome directed(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator) noexcept;

/// As write_directions, for plans of the directed engine.
template <class T>
void write_directed_steps(const Plan<T>& plan, const GridShape& shape, const DirectionPlanes& planes,
                          const Tasks& tasks) noexcept;

/// Optimal portals, ascending by (cell, number).
struct PortalTies {
  std::vector<std::uint32_t> cells;
  std::vector<PortalStep> steps;
};
/// Call after mark_goals: goals have none. Gives cells without another optimal step the code of a portal.
template <class T>
PortalTies write_portal_ties(const Plan<T>& plan, const DirectionPlanes& planes);

}  // namespace drover::field
