// SPDX-License-Identifier: MIT
// The engine of BlockTester: who has a way if some placements were closed.
#pragma once
#include "base/memory.hpp"
#include "nav/compiled_graph.hpp"
#include "search/row_sets.hpp"
#include "search/way_tree.hpp"

#include <drover/graph.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace drover::search {

/// A goal or a place, and whether it has a way: now, and if the placements of the last question were closed.
struct Spot {
  std::uint32_t cell = 0;
  bool stands = false;  // the body fits there
  std::uint32_t row = 0, run = 0;
  bool has_way = false, keeps_way = false;
};

/// Precondition of all: every cell is on the map. Where every step leads both ways a question relabels the rows of the
/// closed placements only: the sets above and below them stand ready in RowSets, and portals lead from set to set.
/// With forbidden steps the ways themselves are kept, as
/// trees.
class WaySurvey {
 public:
  /// False: no memory for planes. Tables of the graph that is already there are kept. Afterwards every has_way is set.
  bool prepare(const NavGraph& graph, std::span<const CellIndex> goals, std::span<const CellIndex> places,
               const Allocator& allocator);
  /// Sets keeps_way of every spot as if these cells were closed.
  void ask(std::span<const CellIndex> cells);

  const NavGraph& graph() const noexcept { return graph_; }
  std::span<const Spot> goals() const noexcept { return goals_; }
  std::span<const Spot> places() const noexcept { return places_; }
  void clear() noexcept { graph_ = {}; }

 private:
  using Word = nav::Word;
  /// A set of runs in one question: the sets above (by the run that stands for them), those below, runs in between.
  struct Node {
    std::uint32_t question = 0, parent = 0;
    std::uint8_t marks = 0;
  };
  static constexpr std::uint8_t kReachesGoal = 1, kReached = 2;

  ClosedGround ground() const noexcept { return {graph_.compiled(), fits_.data()}; }
  bool open(std::uint32_t cell) const noexcept { return (fits_[cell / 64] >> cell % 64 & 1) != 0; }
  bool make_trees(const Allocator& allocator);
  void collect(std::span<const CellIndex> cells);
  void decide(std::uint32_t first_row, std::uint32_t last_row);

  void join_rows(std::uint32_t first_row, std::uint32_t last_row);
  void spread_by_portals(std::uint32_t first_row, std::uint32_t last_row) noexcept;
  std::uint32_t root(std::uint32_t node) noexcept;
  void join(std::uint32_t a, std::uint32_t b) noexcept;
  std::uint32_t node(std::uint32_t cell, std::uint32_t row, std::uint32_t run, std::uint32_t first_row,
                     std::uint32_t last_row) const noexcept;
  std::uint8_t& marks(const Spot& spot, std::uint32_t first_row, std::uint32_t last_row) noexcept {
    return nodes_[root(node(spot.cell, spot.row, spot.run, first_row, last_row))].marks;
  }

  bool entered(std::uint32_t goal) const noexcept;

  NavGraph graph_;
  bool forbidden_steps_ = false;
  base::Plane<Word> fits_;  // of the graph, without the placements of the question that is under way
  std::vector<Spot> goals_, places_;
  std::vector<std::uint32_t> closed_;

  RowSets sets_;
  struct PortalEnds {
    Spot from, to;
    std::uint32_t from_node = 0, to_node = 0;
  };
  std::vector<PortalEnds> portals_;
  std::vector<Node> nodes_;
  std::uint32_t question_ = 0;
  std::vector<nav::Run> middle_;            // runs of the rows that are labelled anew
  std::vector<std::uint32_t> middle_rows_;  // where each row begins among them, and the end

  WayTree to_goals_, from_places_;  // used with forbidden steps
};

}  // namespace drover::search
