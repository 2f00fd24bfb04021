// SPDX-License-Identifier: MIT
// Ways of all cells to some roots over directed steps, and which of them outlive the closing of cells.
#pragma once
#include "base/memory.hpp"
#include "nav/compiled_graph.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace drover::search {

/// Which way steps are taken.
enum class Way : std::uint8_t { forward, backward };

/// A graph of which some placements are closed: `fits` says what is still open.
struct ClosedGround {
  const nav::CompiledGraph& graph;
  const nav::Word* fits;

  bool open(std::uint32_t cell) const noexcept { return (fits[cell / 64] >> cell % 64 & 1) != 0; }
  /// The step between `cell` and its neighbour in direction k, either way: is it still legal where it was?
  bool legal(std::uint32_t cell, int k) const noexcept;
  /// Calls visit(cell there, direction from here or kPortalWay) for every step from here, or to here, that is left.
  template <class Visit>
  void for_each_step(std::uint32_t cell, Way way, Visit&& visit) const;

  static constexpr int kPortalWay = kDirections;
};

/// One shortest way by steps for every cell that has one, as a forest. Subtrees are intervals of a numbering, so the
/// cells whose way is broken are the intervals of the closed cells and of the steps past their corners. Some of these
/// have other ways: a short search from those that are asked for finds most, else one pass over the broken ones tells
/// of all. O(cells) to make.
class WayTree {
 public:
  /// `toward`: how the steps of a way to a root are taken. False: no memory.
  bool make(const ClosedGround& ground, std::span<const std::uint32_t> roots, Way toward, const Allocator& allocator);
  /// Until the next call these are closed; `ground` knows it already.
  void close(const ClosedGround& ground, std::span<const std::uint32_t> closed);
  bool keeps_way(const ClosedGround& ground, std::uint32_t cell);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0}, kBudget = 1024;
  using Interval = std::pair<std::uint32_t, std::uint32_t>;  // of numbers: first, one after the last

  void number();
  bool broken(std::uint32_t cell) const noexcept;
  void next_mark() noexcept;
  std::optional<bool> search(const ClosedGround& ground, std::uint32_t from);
  void recover(const ClosedGround& ground);

  struct Node {
    std::uint32_t parent = kNone, first = kNone, size = 0;  // kNone: no way
    std::int32_t way = 0;                                   // direction from the parent, or kPortalWay
  };
  Way toward_ = Way::forward;
  base::Plane<Node> nodes_;
  base::Plane<std::uint32_t> marks_;  // of the last search or recovery that came by
  std::uint32_t mark_ = 0;
  std::uint32_t budget_ = 0;  // cells that searches of this question may still look at
  std::vector<std::uint32_t> wave_, by_number_;
  std::vector<Interval> broken_;  // ascending, apart
  bool recovered_ = false;
};

}  // namespace drover::search
