// SPDX-License-Identifier: MIT
// Connected parts of a grid of bits, by the runs of its rows.
#pragma once
#include "cave/bit_grid.hpp"

#include <cstdint>
#include <vector>

namespace drover::cave {

/// Which cells that touch belong together. `sides`: over edges; a body of four moves, or of eight that cuts no corner,
/// goes nowhere else. `corners`: over corners too.
enum class Touch : std::uint8_t { sides, corners };

/// Parts of the set (or clear) cells of a grid, in the order of their first cells. O(words + runs), nearly; 0.2 ns a
/// cell of a cave.
class Regions {
 public:
  Regions(const BitGrid& grid, bool set, Touch touch);

  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(cells_.size()); }
  std::uint64_t cells(std::uint32_t region) const noexcept { return cells_[region]; }
  /// The one with the most cells, the first of those; kNone where there is none.
  std::uint32_t largest() const noexcept;
  /// By row, then by column.
  const std::vector<Run>& runs() const noexcept { return runs_; }
  std::uint32_t region_of_run(std::size_t run) const noexcept { return region_[run]; }
  /// Of a cell, or kNone. O(log runs).
  std::uint32_t region_at(std::int32_t x, std::int32_t y) const noexcept;

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  void join_over_corners() noexcept;
  void number();

  std::vector<Run> runs_;
  std::vector<std::size_t> first_of_row_;  // and one more
  std::vector<std::uint32_t> region_;      // a run each; while joining, its parent
  std::vector<std::uint64_t> cells_;
};

}  // namespace drover::cave
