// SPDX-License-Identifier: MIT
// Connected sets of all rows above any row, and of all below, from one union-find in each direction that keeps its
// past.
#pragma once
#include "nav/components.hpp"
#include "nav/runs.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace drover::search {

/// Rows count from 0 over the padded rows of all layers. Runs are numbered in the order of rows.
///
/// Partially persistent union-find (Mannila and Ukkonen 1986): links by size, never shortened, each with the row that
/// made it; so the set of a run among the rows above `row` is where the links made before `row` end. O(log runs).
class RowSets {
 public:
  void make(const nav::Word* open, const GridShape& shape, nav::Adjacency adjacency);

  std::uint32_t rows() const noexcept { return static_cast<std::uint32_t>(first_run_.size()) - 1; }
  std::uint32_t runs() const noexcept { return first_run_.back(); }
  std::uint32_t row_of(std::uint32_t cell) const noexcept { return (cell - GridShape::kFront) / stride_; }
  std::uint32_t first_word(std::uint32_t row) const noexcept { return (GridShape::kFront + row * stride_) / 64; }
  std::uint32_t stride() const noexcept { return stride_; }
  std::uint32_t reach() const noexcept { return reach_; }
  std::uint32_t first_run(std::uint32_t row) const noexcept { return first_run_[row]; }
  std::span<const nav::Run> row(std::uint32_t row) const noexcept {
    return std::span(runs_).subspan(first_run_[row], first_run_[row + 1] - first_run_[row]);
  }
  /// Precondition: the cell was open.
  std::uint32_t run_at(std::uint32_t cell) const noexcept;

  /// The run that stands for the set of `run` among rows 0 .. row - 1, where it must lie.
  std::uint32_t above(std::uint32_t run, std::uint32_t row) const noexcept {
    while (up_[run].row < row) run = up_[run].parent;
    return run;
  }
  /// The same among rows row + 1 and on.
  std::uint32_t below(std::uint32_t run, std::uint32_t row) const noexcept {
    while (down_[run].row > row) run = down_[run].parent;
    return run;
  }

 private:
  struct Link {
    std::uint32_t parent, row;  // a row that no question comes after: none
  };
  void link_rows(std::vector<Link>& links, std::uint32_t row, std::uint32_t upper, std::uint32_t lower);

  std::uint32_t stride_ = 64, reach_ = 0;
  std::vector<nav::Run> runs_;
  std::vector<std::uint32_t> first_run_{0};  // by row, and one more
  std::vector<Link> up_, down_;              // by run
  std::vector<std::uint32_t> sizes_;         // while links are made
};

}  // namespace drover::search
