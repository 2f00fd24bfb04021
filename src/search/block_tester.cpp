// SPDX-License-Identifier: MIT
// BlockTester: cells of the map on the outside, placements on the inside.
#include <drover/search.hpp>

#include "base/no_throw.hpp"
#include "search/way_survey.hpp"

#include <vector>

namespace drover {

struct BlockTester::Impl {
  Host host;
  search::WaySurvey ways;
  std::vector<CellIndex> goals, places, cells;

  explicit Impl(const Host& h) : host(h) {}

  static Status indices(const GridShape& shape, const char* what, std::span<const Cell> from,
                        std::vector<CellIndex>& to) {
    to.clear();
    for (const Cell c : from) {
      to.push_back(shape.index(c));
      if (to.back().valid()) continue;
      return {StatusCode::position,
              base::concat("the ", what, " ", c.x, ",", c.y, ",", c.layer, " is outside; the map has ", shape.width(),
                           "x", shape.height(), "x", shape.layers(), " cells")};
    }
    return {};
  }

  Status prepare(const NavGraph& graph, std::span<const Cell> goal_cells, std::span<const Cell> place_cells) {
    if (Status status = indices(graph.shape(), "goal", goal_cells, goals); !status.ok()) return status;
    if (Status status = indices(graph.shape(), "place", place_cells, places); !status.ok()) return status;
    return ways.prepare(graph, goals, places, host.allocator) ? Status() : base::out_of_memory();
  }

  Status would_block(std::span<const Cell> closed, LostWays& lost) {
    if (Status status = indices(ways.graph().shape(), "cell", closed, cells); !status.ok()) return status;
    ways.ask(cells);
    const auto list = [](std::span<const search::Spot> spots, std::vector<std::uint32_t>& out, std::uint32_t& left) {
      for (std::size_t i = 0; i < spots.size(); ++i) {
        if (spots[i].has_way && !spots[i].keeps_way) out.push_back(static_cast<std::uint32_t>(i));
        left += spots[i].keeps_way ? 1u : 0u;
      }
    };
    list(ways.goals(), lost.goals, lost.goals_left);
    list(ways.places(), lost.places, lost.places_left);
    return {};
  }
};

BlockTester::BlockTester(const Host& host) : impl_(std::make_unique<Impl>(host)) {}
BlockTester::~BlockTester() = default;
BlockTester::BlockTester(BlockTester&&) noexcept = default;
BlockTester& BlockTester::operator=(BlockTester&&) noexcept = default;

Status BlockTester::prepare(const NavGraph& graph, std::span<const Cell> goals, std::span<const Cell> places) {
  if (impl_ == nullptr) return {StatusCode::argument, "this tester was moved from"};
  if (graph.null()) return {StatusCode::argument, "a null graph; expected one that was compiled"};
  Status status = base::no_throw([&] { return impl_->prepare(graph, goals, places); });
  if (!status.ok()) impl_->ways.clear();
  return status;
}

Status BlockTester::would_block(std::span<const Cell> cells, LostWays& lost) {
  const auto reset = [&] {
    lost.goals.clear();
    lost.places.clear();
    lost.goals_left = lost.places_left = 0;
  };
  reset();
  if (impl_ == nullptr || impl_->ways.graph().null())
    return {StatusCode::argument, "nothing was prepared; expected a graph, goals and places"};
  Status status = base::no_throw([&] { return impl_->would_block(cells, lost); });
  if (!status.ok()) reset();
  return status;
}

}  // namespace drover
