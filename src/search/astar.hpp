// SPDX-License-Identifier: MIT
// A* over padded cells: costs and the way back, in memory that stays.
#pragma once
#include "base/quad_heap.hpp"

#include <drover/search.hpp>

#include <cstdint>
#include <span>

namespace drover::nav {
struct Portal;
}

namespace drover::search {

/// A lower bound of the cost between two cells of any layers, 0 where portals are cheaper than it allows. No step
/// lowers it by more than the step's cost. Made in O(portals).
class Estimate {
 public:
  Estimate(const nav::CompiledGraph& graph, Heuristic heuristic) noexcept;
  std::uint64_t operator()(Cell a, Cell b) const noexcept;

 private:
  std::uint64_t straight_ = 0, diagonal_ = 0;  // 0: no estimate
};

/// What led to a cell: a direction, or kPortal + place in PortalLists::all().
using Way = std::uint32_t;
inline constexpr Way kPortal = kDirections;

/// One search at a time. After `found` the way back can be read until the next one.
class AStar {
 public:
  enum class Outcome : std::uint8_t { found, unreachable, budget_exceeded, out_of_memory };

  /// Precondition: the body can stand on both cells.
  Outcome run(const nav::CompiledGraph& graph, CellIndex from, CellIndex to, const PathOptions& options,
              const Allocator& allocator) noexcept;
  Cost cost(std::uint32_t cell) const noexcept { return nodes_[cell].cost; }
  Way way(std::uint32_t cell) const noexcept { return nodes_[cell].way; }
  std::uint64_t expanded() const noexcept { return expanded_; }

 private:
  struct Node {
    std::uint64_t cost;
    std::uint32_t mark;  // the search that reached it; the next odd number once it is closed
    Way way;
  };
  /// The order of contract 8.1: F, H, cell.
  struct Entry {
    std::uint64_t f, h;
    std::uint32_t cell;
    friend bool operator<(const Entry& a, const Entry& b) noexcept {
      if (a.f != b.f) return a.f < b.f;
      return a.h != b.h ? a.h < b.h : a.cell < b.cell;
    }
  };

  bool prepare(std::uint32_t cells, const Allocator& allocator) noexcept;
  void expand(const nav::CompiledGraph& graph, std::uint32_t cell, std::span<const nav::Portal> portals,
              const Estimate& estimate) noexcept;
  void reach(std::uint32_t cell, std::uint64_t cost, Way way, Cell at, const Estimate& estimate) noexcept;

  base::Plane<Node> nodes_;
  base::QuadHeap<Entry> open_;
  Cell goal_;
  std::uint32_t mark_ = 0;
  std::uint64_t expanded_ = 0;
};

}  // namespace drover::search
