// SPDX-License-Identifier: MIT
// Jump point search with block scanning (Harabor and Grastien, AAAI 2011 and ICAPS 2014), for corners that are never
// cut.
#pragma once
#include "search/column_bits.hpp"

#include <drover/search.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace drover::search {

/// Costs are those of A*: where nothing but the kind of a step decides what it costs, most cells on a shortest way are
/// passed without a look, 63 at a time. Needs no preparation but the bits of columns, which follow edits.
///
/// The queue has a bucket for every straight step's worth of F, last in first out; a cell is opened again when it turns
/// out cheaper, and the search ends when no bucket below the goal's cost is left. Deterministic.
class JumpPoints {
 public:
  enum class Outcome : std::uint8_t { found, budget_exceeded, out_of_memory };

  /// Eight moves, strict corners, one price, diagonals dearer than straight steps and cheaper than two, no portals or
  /// one-ways.
  static bool is_valid(const nav::CompiledGraph& graph) noexcept;

  /// Precondition: is_valid(), both ends stand, and are connected. May throw std::bad_alloc.
  Outcome run(const nav::CompiledGraph& graph, CellIndex from, CellIndex to, std::uint64_t budget,
              const Allocator& allocator);
  std::uint64_t expanded() const noexcept { return expanded_; }
  /// Of the way that was found.
  Cost cost() const noexcept;
  /// Its jump points from the goal back to the start; between two of them diagonal steps come first, then straight
  /// ones.
  const std::vector<CellIndex>& points();

 private:
  // Cost in the low bits, then directions that wait, and those that were tried at this cost.
  struct Node {
    std::uint64_t cost = 0;
    std::uint32_t mark = 0, parent = 0;
    static constexpr int kWaitingBit = 48, kTriedBit = 56;
    static constexpr std::uint64_t kCostMask = (std::uint64_t{1} << kWaitingBit) - 1;
    std::uint64_t units() const noexcept { return cost & kCostMask; }
    std::uint8_t waiting() const noexcept { return static_cast<std::uint8_t>(cost >> kWaitingBit); }
    std::uint8_t tried() const noexcept { return static_cast<std::uint8_t>(cost >> kTriedBit); }
    void set(std::uint64_t units, std::uint8_t waiting, std::uint8_t tried) noexcept {
      cost = units | std::uint64_t{waiting} << kWaitingBit | std::uint64_t{tried} << kTriedBit;
    }
  };
  struct Spot {
    std::uint32_t cell;
    std::int32_t x, y;
    std::uint64_t units;
  };

  bool prepare(const nav::CompiledGraph& graph, const Allocator& allocator);
  void expand(std::uint32_t cell, std::uint8_t directions);
  void reach(std::uint32_t from, const Spot& spot, std::uint8_t directions);
  void put(std::uint64_t f, std::uint32_t cell);
  template <Direction K>
  void go_straight(std::uint32_t from, const Spot& spot);
  template <Direction K, Direction Vertical, Direction Horizontal>
  void go_slanted(std::uint32_t from, Spot spot);
  template <Direction K>
  std::uint8_t successors(std::uint32_t cell) const noexcept;
  std::uint64_t estimate(std::int32_t x, std::int32_t y) const noexcept;
  bool fits(std::uint32_t cell) const noexcept { return (rows_[cell / 64] >> cell % 64 & 1) != 0; }

  static constexpr std::size_t kKept = 4;  // graphs whose columns are remembered
  std::array<ColumnBits, kKept> kept_;
  std::array<std::uint64_t, kKept> used_{};
  std::uint64_t uses_ = 0;

  base::Plane<Node> nodes_;
  std::uint32_t mark_ = 0;
  std::vector<std::vector<std::uint32_t>> buckets_;
  std::uint64_t first_bucket_ = 0, bucket_ = 0, last_bucket_ = 0;
  std::vector<CellIndex> points_;

  // Of the search that runs.
  const nav::CompiledGraph* graph_ = nullptr;
  const ColumnBits* columns_ = nullptr;
  const nav::Word* rows_ = nullptr;
  GridShape shape_;
  std::uint64_t straight_ = 0, diagonal_ = 0, expanded_ = 0;
  std::uint32_t from_ = 0, to_ = 0;
  std::int32_t to_x_ = 0, to_y_ = 0, layer_ = 0;
};

}  // namespace drover::search
