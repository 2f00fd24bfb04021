// SPDX-License-Identifier: MIT
// Cycles of agents that wait for each other, and who of them steps back.
#pragma once
#include "crowd/agents.hpp"
#include "crowd/field_source.hpp"
#include "crowd/reservations.hpp"

#include <cstdint>
#include <vector>

namespace drover::crowd {

/// The wait-for graph of a tick: one edge an agent, from who waits to the one its reason names, so every cycle is found
/// by walking.
///
/// In a cycle that has stood for some ticks the member of lowest priority that has a free step yields: for the next
/// ticks it leaves the cells that its follower in the cycle wants. Wide bodies need this, since they cannot follow each
/// other round a corner.
class WaitGraph {
 public:
  /// After arbitration. Returns the number of agents that begin to yield. O(waiting agents).
  std::uint32_t resolve(Agents& agents, const std::vector<std::uint32_t>& active, const std::vector<PairRead>& pairs,
                        const Reservations& reservations, const GridShape& shape);

 private:
  bool in_graph(const Agents& agents, std::uint32_t agent) const noexcept;
  bool yield_one(Agents& agents, std::uint32_t start, const std::vector<PairRead>& pairs,
                 const Reservations& reservations, const GridShape& shape) const;

  std::vector<std::uint32_t> visit_;  // per slot: number of the walk that saw it
  std::uint32_t walk_ = 0;
};

}  // namespace drover::crowd
