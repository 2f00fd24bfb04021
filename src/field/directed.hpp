// SPDX-License-Identifier: MIT
// Fields of directed graphs: reverse propagation with forward costs, over any steps and portals.
#pragma once
#include "field/directions.hpp"
#include "field/progress.hpp"
#include "field/rings.hpp"

#include <drover/field.hpp>

#include <vector>

namespace drover::field {

struct Scratch;

/// Any graph. Needs plan.graph; fills plan.hops where it is given.
template <class T>
void directed(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept;

/// As count_hops, against the direction of optimal edges.
template <class T>
bool count_directed_hops(const Plan<T>& plan, Ring<std::uint32_t>& queue, const Allocator& allocator) noexcept;

/// As write_directions, for plans of the directed engine. `costs`: plan.costs, or TileCosts.
template <class T, class Costs>
void write_directed_steps(const Plan<T>& plan, const Costs& costs, const GridShape& shape,
                          const DirectionPlanes& planes, Bands bands, const Tasks& tasks) noexcept;

/// Optimal portals, ascending by (cell, number).
struct PortalTies {
  std::vector<std::uint32_t> cells;
  std::vector<PortalStep> steps;
};
/// `goals`, ascending, have none.
template <class T, class Costs>
PortalTies portal_ties(const Plan<T>& plan, const Costs& costs, std::span<const std::uint32_t> goals);

}  // namespace drover::field
