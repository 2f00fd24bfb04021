// SPDX-License-Identifier: MIT
// A* over padded cells: costs and the way back, in memory that stays.
#pragma once
#include "base/int128.hpp"
#include "base/quad_heap.hpp"
#include "search/targets.hpp"

#include <drover/search.hpp>

#include <cstdint>
#include <span>

namespace drover::nav {
struct Portal;
}

namespace drover::search {

/// A lower bound of the cost between two cells of any layers in units of factor(), 0 where portals are cheaper than it
/// allows. No step lowers it by more than the step's cost. Made in O(portals).
class Estimate {
 public:
  Estimate(const nav::CompiledGraph& graph, Heuristic heuristic) noexcept;
  std::uint64_t units(Cell a, Cell b) const noexcept;
  std::uint64_t units(Cell from, const Targets& to) const noexcept {
    return units(to.columns(from.x), to.rows(from.y));
  }
  std::uint64_t factor() const noexcept { return factor_; }

 private:
  std::uint64_t units(std::uint64_t dx, std::uint64_t dy) const noexcept;
  std::uint64_t straight_, diagonal_, factor_;
};

/// A cell that waits, as one number that sorts by F, then H, then cell: comparing takes no branch. F stays below 2^60
/// (2^28 steps of less than 2^32 each); H below 2^68 / (what indices take), for it counts at most 985 units a row and
/// column.
class Entry {
 public:
  Entry() = default;
  Entry(std::uint64_t f, std::uint64_t h, std::uint32_t cell, int cell_bits) noexcept
      : value_(base::UInt128{f} << 68 | base::UInt128{h} << cell_bits | cell) {}

  std::uint32_t cell(int cell_bits) const noexcept {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value_) & ((std::uint64_t{1} << cell_bits) - 1));
  }
  std::uint64_t f() const noexcept { return static_cast<std::uint64_t>(value_ >> 68); }
  friend bool operator<(const Entry& a, const Entry& b) noexcept { return a.value_ < b.value_; }

 private:
  base::UInt128 value_;
};

/// What led to a cell: a direction, or kPortal + place in PortalLists::all().
using Way = std::uint32_t;
inline constexpr Way kPortal = kDirections;

/// One search at a time. After `found` the way back can be read until the next one.
class AStar {
 public:
  enum class Outcome : std::uint8_t { found, unreachable, budget_exceeded, out_of_memory };

  /// To the target that is cheapest with its offset. The way may lead over others, as a field's may. Precondition: the
  /// body can stand on `from` and on the targets.
  Outcome run(const nav::CompiledGraph& graph, CellIndex from, const Targets& to, const PathOptions& options,
              const Allocator& allocator) noexcept;
  /// Cell of the target that was found.
  std::uint32_t end() const noexcept { return end_; }
  Cost cost(std::uint32_t cell) const noexcept { return nodes_[cell].cost; }
  Way way(std::uint32_t cell) const noexcept { return nodes_[cell].way; }
  std::uint64_t expanded() const noexcept { return expanded_; }

 private:
  struct Node {
    std::uint64_t cost;
    std::uint32_t mark;  // the search that reached it; the next odd number once it is closed
    Way way;
  };

  bool prepare(std::uint32_t cells, const Allocator& allocator) noexcept;
  bool settles(const Entry& entry, std::uint32_t cell, const Targets& to) noexcept;
  void expand(const nav::CompiledGraph& graph, std::uint32_t cell, std::span<const nav::Portal> portals,
              const Estimate& estimate) noexcept;
  void reach(std::uint32_t cell, std::uint64_t cost, Way way, Cell at, const Estimate& estimate) noexcept;

  base::Plane<Node> nodes_;
  base::QuadHeap<Entry> open_;
  Targets targets_;
  std::uint32_t end_ = 0;
  Cost best_ = kInfiniteCost;  // through end_, offsets counted from the least one
  std::uint32_t mark_ = 0;
  int cell_bits_ = 32;
  std::uint64_t expanded_ = 0;
};

}  // namespace drover::search
