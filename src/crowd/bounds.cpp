// SPDX-License-Identifier: MIT
// Queue bound; ring bound by a bipartite matching for each ring.
#include "crowd/bounds.hpp"

#include "crowd/rings.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {

namespace {

void sort_latest_first(std::vector<EarliestArrival>& agents) {
  std::sort(agents.begin(), agents.end(),
            [](const EarliestArrival& a, const EarliestArrival& b) { return a.tick > b.tick; });
}

// Of the agents at `ring` steps or more, latest first.
std::uint64_t last_through(std::span<const EarliestArrival> agents, std::uint64_t ring, std::uint64_t slots) {
  std::uint64_t bound = 0, queued = 0;
  for (const EarliestArrival& a : agents) {
    if (a.steps < ring) continue;
    queued += a.queues ? 1 : 0;
    bound = std::max(bound, a.tick + (queued == 0 ? 0 : (queued + slots - 1) / slots - 1));
  }
  return bound;
}

// Cells of one ring to cells of the next nearer one, by shortest augmenting paths.
class RingMatching {
 public:
  RingMatching(const NavGraph& graph, const FlowField& steps)
      : moves_(graph.compiled().moves()), steps_(steps), shape_(graph.shape()), nodes_(shape_.padded_cells()) {}

  // Size of the maximum matching, or `enough` if it is not smaller.
  std::uint64_t size(std::span<const std::uint32_t> ring, Cost distance, std::uint64_t enough) {
    std::uint64_t matched = 0;
    ++search_;
    for (const std::uint32_t cell : ring) {
      if (matched == enough) break;
      if (!augment(cell, distance - 1)) continue;
      ++matched;
      ++search_;  // a failed search's cells stay seen until then: they lead nowhere
    }
    return matched;
  }

 private:
  struct Node {
    std::uint32_t outer_mate = Rings::kNone, inner_mate = Rings::kNone;
    std::uint32_t from = Rings::kNone;  // outer cell that the search came from
    std::uint32_t seen = 0;
  };

  bool augment(std::uint32_t root, Cost inner) {
    queue_.assign(1, root);
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::uint32_t outer = queue_[head];
      for (std::uint8_t left = moves_[outer]; left != 0; left &= static_cast<std::uint8_t>(left - 1)) {
        const std::uint32_t next = outer + shape_.step(static_cast<Direction>(std::countr_zero(left)));
        Node& node = nodes_[next];
        if (node.seen == search_ || steps_.cost_to_goal({next}) != inner) continue;
        node.seen = search_;
        node.from = outer;
        if (node.outer_mate == Rings::kNone) return flip(next, root);
        queue_.push_back(node.outer_mate);
      }
    }
    return false;
  }
  bool flip(std::uint32_t inner, std::uint32_t root) {
    for (;;) {
      const std::uint32_t outer = nodes_[inner].from;
      const std::uint32_t given_up = nodes_[outer].inner_mate;
      nodes_[inner].outer_mate = outer;
      nodes_[outer].inner_mate = inner;
      if (outer == root) return true;
      inner = given_up;
    }
  }

  const std::uint8_t* moves_;
  const FlowField& steps_;
  const GridShape& shape_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> queue_;
  std::uint32_t search_ = 0;
};

}  // namespace

std::uint64_t queue_bound(std::vector<EarliestArrival> agents, std::uint64_t goal_cells) {
  sort_latest_first(agents);
  return last_through(agents, 0, goal_cells);
}

std::vector<NarrowRing> narrow_rings(const NavGraph& graph, const FlowField& steps, std::uint64_t goal_cells,
                                     std::uint64_t farthest) {
  const Rings rings(steps, farthest);
  RingMatching matching(graph, steps);
  std::vector<NarrowRing> narrow;
  std::uint64_t least = goal_cells;
  for (std::size_t ring = 1; ring < rings.count() && least > 1; ++ring) {
    const std::uint64_t capacity = matching.size(rings.ring(ring), ring, least);
    if (capacity == least) continue;
    least = capacity;
    narrow.push_back({ring, capacity});
  }
  return narrow;
}

std::uint64_t ring_bound(std::vector<EarliestArrival> agents, std::uint64_t goal_cells,
                         std::span<const NarrowRing> rings) {
  sort_latest_first(agents);
  std::uint64_t bound = last_through(agents, 0, goal_cells);
  for (const NarrowRing& ring : rings) bound = std::max(bound, last_through(agents, ring.steps, ring.capacity));
  return bound;
}

}  // namespace drover::crowd
