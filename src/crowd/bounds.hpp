// SPDX-License-Identifier: MIT
// Lower bounds of the makespan that are cheap enough for a running crowd: the queue bound and the ring bound.
#pragma once
#include <drover/field.hpp>
#include <drover/graph.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace drover::crowd {

/// One agent as the bounds see it.
struct EarliestArrival {
  std::uint64_t tick = 0;   // its start tick plus its steps: it cannot arrive before
  std::uint64_t steps = 0;  // from where it starts to the nearest goal cell
  bool queues = true;       // it vanishes, so it takes a slot of a goal cell
};

/// The cells at `steps` steps from the goal let at most `capacity` agents a tick come nearer.
struct NarrowRing {
  std::uint64_t steps = 0, capacity = 0;
  friend bool operator==(const NarrowRing&, const NarrowRing&) = default;
};

/// No plan is done before: of n queueing agents that arrive at tick t or later, the last arrives at
/// t + ceil(n / goal_cells) - 1 at the earliest. O(n log n). Precondition: goal_cells > 0.
std::uint64_t queue_bound(std::vector<EarliestArrival> agents, std::uint64_t goal_cells);

/// Rings that are narrower than the goal and than every ring before them, nearest first, up to `farthest` steps. The
/// capacity of a ring is the maximum matching of its cells to those of the next nearer one.
///
/// `steps` is a field of uniform costs without offsets on `graph`. Valid for bodies that need a placement each,
/// whatever their size. A matching stops at the capacity of the rings before it, so this costs O(cells) and little
/// more.
std::vector<NarrowRing> narrow_rings(const NavGraph& graph, const FlowField& steps, std::uint64_t goal_cells,
                                     std::uint64_t farthest);

/// The queue bound, also of the agents at and behind each narrow ring with its capacity. Never below queue_bound(), and
/// equal to passing counts of agents from ring to ring tick by tick. Takes the narrow rings of one field as often as
/// the agents move on: O(n log n + n * rings).
std::uint64_t ring_bound(std::vector<EarliestArrival> agents, std::uint64_t goal_cells,
                         std::span<const NarrowRing> rings);

}  // namespace drover::crowd
