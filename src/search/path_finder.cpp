// SPDX-License-Identifier: MIT
// PathFinder: which ends are refused, and the way from start to goal read back from the search.
#include <drover/search.hpp>

#include "base/no_throw.hpp"
#include "nav/compiled_graph.hpp"
#include "search/astar.hpp"

#include <algorithm>

namespace drover {
namespace {

void reset(Path& path) noexcept {
  path.status = PathStatus::unreachable;
  path.cost = kInfiniteCost;
  path.cells.clear();
  path.steps.clear();
  path.diagonals = path.portals = path.expanded = 0;
}

Status outside(const char* which, Cell c, const GridShape& shape) {
  return {StatusCode::position,
          base::concat("the ", which, " ", c.x, ",", c.y, ",", c.layer, " is outside; the map has ", shape.width(), "x",
                       shape.height(), "x", shape.layers(), " cells")};
}

void read_back(const nav::CompiledGraph& graph, const search::AStar& search, std::uint32_t from, std::uint32_t at,
               Path& path) {
  const GridShape& shape = graph.shape();
  path.cost = search.cost(at);
  path.cells.push_back(shape.cell({at}));
  while (at != from) {
    const search::Way way = search.way(at);
    Step step;
    if (way < search::kPortal) {
      step = {Step::Kind::move, static_cast<Direction>(way), 0};
      at -= shape.step(step.direction);
      if (is_diagonal(step.direction)) ++path.diagonals;
    } else {
      const nav::Portal& portal = graph.portals().all()[way - search::kPortal];
      step = {Step::Kind::portal, Direction::north, portal.number};
      at = portal.from;
      ++path.portals;
    }
    path.steps.push_back(step);
    path.cells.push_back(shape.cell({at}));
  }
  std::reverse(path.cells.begin(), path.cells.end());
  std::reverse(path.steps.begin(), path.steps.end());
  path.status = PathStatus::found;
}

}  // namespace

const char* to_string(PathStatus s) noexcept {
  switch (s) {
    case PathStatus::found:
      return "found";
    case PathStatus::unreachable:
      return "unreachable";
    case PathStatus::start_blocked:
      return "start_blocked";
    case PathStatus::goal_blocked:
      return "goal_blocked";
    case PathStatus::start_unknown:
      return "start_unknown";
    case PathStatus::goal_unknown:
      return "goal_unknown";
    case PathStatus::budget_exceeded:
      return "budget_exceeded";
  }
  return "?";
}

struct PathFinder::Impl {
  Host host;
  search::AStar search;

  explicit Impl(const Host& h) : host(h) {}

  Status find(const NavGraph& graph, Cell from, Cell to, Path& path, const PathOptions& options) {
    const Footing start = graph.footing(from), goal = graph.footing(to);
    if (start == Footing::outside) return outside("start", from, graph.shape());
    if (goal == Footing::outside) return outside("goal", to, graph.shape());
    const bool stands = start == Footing::open && goal == Footing::open;
    if (!stands) {
      const bool unknown = (start == Footing::open ? goal : start) == Footing::unknown;
      path.status = start != Footing::open ? (unknown ? PathStatus::start_unknown : PathStatus::start_blocked)
                                           : (unknown ? PathStatus::goal_unknown : PathStatus::goal_blocked);
      return {};
    }
    if (!graph.connected(from, to)) return {};
    const nav::CompiledGraph& compiled = graph.compiled();
    const CellIndex first = graph.shape().index(from), last = graph.shape().index(to);
    const search::Target target{last.value, 0};
    const search::AStar::Outcome outcome =
        search.run(compiled, first, {compiled.shape(), std::span(&target, 1)}, options, host.allocator);
    if (outcome == search::AStar::Outcome::out_of_memory) return base::out_of_memory();
    path.expanded = search.expanded();
    if (outcome == search::AStar::Outcome::budget_exceeded) path.status = PathStatus::budget_exceeded;
    if (outcome == search::AStar::Outcome::found) read_back(compiled, search, first.value, last.value, path);
    return {};
  }
};

PathFinder::PathFinder(const Host& host) : impl_(std::make_unique<Impl>(host)) {}
PathFinder::~PathFinder() = default;
PathFinder::PathFinder(PathFinder&&) noexcept = default;
PathFinder& PathFinder::operator=(PathFinder&&) noexcept = default;

Status PathFinder::find(const NavGraph& graph, Cell from, Cell to, Path& path, const PathOptions& options) {
  reset(path);
  if (impl_ == nullptr) return {StatusCode::argument, "this finder was moved from"};
  if (graph.null()) return {StatusCode::argument, "a null graph; expected one that was compiled"};
  Status status = base::no_throw([&] { return impl_->find(graph, from, to, path, options); });
  if (!status.ok()) reset(path);
  return status;
}

Result<Path> find_path(const NavGraph& graph, Cell from, Cell to, const PathOptions& options) {
  return base::no_throw([&]() -> Result<Path> {
    PathFinder finder;
    Path path;
    Status status = finder.find(graph, from, to, path, options);
    if (!status.ok()) return status;
    return path;
  });
}

}  // namespace drover
