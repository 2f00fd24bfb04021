// SPDX-License-Identifier: MIT
// PathFinder: which ends are refused, and the way from start to goal read back from the search.
#include <drover/search.hpp>

#include "base/no_throw.hpp"
#include "nav/compiled_graph.hpp"
#include "search/astar.hpp"
#include "search/jump_points.hpp"

#include <algorithm>

namespace drover {
namespace {

constexpr Direction kEight[] = {Direction::north,      Direction::east,       Direction::south,
                                Direction::west,       Direction::north_east, Direction::south_east,
                                Direction::south_west, Direction::north_west};

void reset(Path& path) noexcept {
  path.status = PathStatus::unreachable;
  path.cost = kInfiniteCost;
  path.cells.clear();
  path.steps.clear();
  path.diagonals = path.portals = path.expanded = 0;
  path.algorithm = PathAlgorithm::astar;
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

// Cell by cell between jump points: slanted first, then straight.
void read_back(const GridShape& shape, search::JumpPoints& search, Path& path) {
  path.cost = search.cost();
  const std::vector<CellIndex>& points = search.points();
  Cell at = shape.cell(points.back());
  path.cells.push_back(at);
  for (std::size_t i = points.size() - 1; i-- > 0;) {
    const Cell to = shape.cell(points[i]);
    while (at != to) {
      const int dx = (to.x > at.x) - (to.x < at.x), dy = (to.y > at.y) - (to.y < at.y);
      const auto it = std::find_if(std::begin(kEight), std::end(kEight), [&](Direction d) {
        return kDx[static_cast<int>(d)] == dx && kDy[static_cast<int>(d)] == dy;
      });
      path.steps.push_back({Step::Kind::move, *it, 0});
      if (is_diagonal(*it)) ++path.diagonals;
      at.x += dx;
      at.y += dy;
      path.cells.push_back(at);
    }
  }
  path.status = PathStatus::found;
}

}  // namespace

const char* to_string(PathAlgorithm a) noexcept {
  switch (a) {
    case PathAlgorithm::automatic:
      return "auto";
    case PathAlgorithm::astar:
      return "astar";
    case PathAlgorithm::jump_points:
      return "jps";
  }
  return "?";
}

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
  search::JumpPoints jumps;

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
    const nav::CompiledGraph& compiled = graph.compiled();
    const bool may_jump = options.heuristic == Heuristic::admissible && search::JumpPoints::is_valid(compiled);
    if (options.algorithm == PathAlgorithm::jump_points && !may_jump)
      return {StatusCode::argument,
              "jump points are not valid here; eight moves, strict corners, diagonals dearer than one straight step "
              "and cheaper than two, one "
              "price everywhere, no one-ways or portals, and the admissible heuristic are expected"};
    const bool jump = may_jump && options.algorithm != PathAlgorithm::astar;
    if (jump) path.algorithm = PathAlgorithm::jump_points;
    if (!graph.connected(from, to)) return {};
    const CellIndex first = graph.shape().index(from), last = graph.shape().index(to);
    return jump ? by_jump_points(compiled, first, last, path, options) : by_astar(compiled, first, last, path, options);
  }

  Status by_jump_points(const nav::CompiledGraph& graph, CellIndex from, CellIndex to, Path& path,
                        const PathOptions& options) {
    const search::JumpPoints::Outcome outcome = jumps.run(graph, from, to, options.budget, host.allocator);
    if (outcome == search::JumpPoints::Outcome::out_of_memory) return base::out_of_memory();
    path.expanded = jumps.expanded();
    if (outcome == search::JumpPoints::Outcome::budget_exceeded) path.status = PathStatus::budget_exceeded;
    if (outcome == search::JumpPoints::Outcome::found) read_back(graph.shape(), jumps, path);
    return {};
  }

  Status by_astar(const nav::CompiledGraph& graph, CellIndex from, CellIndex to, Path& path,
                  const PathOptions& options) {
    const search::Target target{to.value, 0};
    const search::AStar::Outcome outcome =
        search.run(graph, from, {graph.shape(), std::span(&target, 1)}, options, host.allocator);
    if (outcome == search::AStar::Outcome::out_of_memory) return base::out_of_memory();
    path.expanded = search.expanded();
    if (outcome == search::AStar::Outcome::budget_exceeded) path.status = PathStatus::budget_exceeded;
    if (outcome == search::AStar::Outcome::found) read_back(graph, search, from.value, to.value, path);
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
