// SPDX-License-Identifier: MIT
// Paths pulled straight.
#include "base/no_throw.hpp"
#include "nav/compiled_graph.hpp"

#include <drover/search.hpp>

#include <algorithm>
#include <cstdlib>

namespace drover {
namespace {

// Cells of a path that one line takes the place of, at most.
constexpr std::size_t kMostJoined = 512;

class Smoother {
 public:
  Smoother(const nav::CompiledGraph& graph, const Path& path)
      : graph_(graph), path_(path), free_lines_(!graph.directed()) {}

  /// The farthest cell that a line from `from` reaches in one go, looking no farther than the first that it does not.
  std::size_t farthest(std::size_t from) const {
    const std::size_t last = path_.cells.size() - 1;
    if (is_portal(from)) return from + 1;
    std::uint32_t cheapest = factor(from + 1);
    std::size_t to = from + 1;
    while (to < last && to - from < kMostJoined && !is_portal(to)) {
      cheapest = std::min(cheapest, factor(to + 1));
      if (!goes_on(from, to) && !(free_lines_ && clear(path_.cells[from], path_.cells[to + 1], cheapest))) break;
      ++to;
    }
    return to;
  }

 private:
  bool is_portal(std::size_t step) const { return path_.steps[step].kind == Step::Kind::portal; }
  std::uint32_t factor(std::size_t i) const { return graph_.factor(graph_.shape().index(path_.cells[i]).value); }
  // All steps from `from` to behind `to` are the same.
  bool goes_on(std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i)
      if (path_.steps[i].direction != path_.steps[to].direction) return false;
    return true;
  }

  // Placements within less than a cell of the line, along both axes: the body is swept over no other cells than theirs.
  bool clear(Cell a, Cell b, std::uint32_t cheapest) const {
    const std::int64_t dx = std::int64_t{b.x} - a.x, dy = std::int64_t{b.y} - a.y;
    const bool steep = std::abs(dy) > std::abs(dx);
    const std::int64_t length = steep ? std::abs(dy) : std::abs(dx), rise = steep ? std::abs(dx) : std::abs(dy);
    const std::int64_t sx = dx < 0 ? -1 : 1, sy = dy < 0 ? -1 : 1, stride = graph_.shape().stride();
    const std::int64_t along = steep ? sy * stride : sx, across = steep ? sx : sy * stride;
    const std::int64_t start = graph_.shape().index(a).value;
    for (std::int64_t i = 0; i <= length; ++i) {
      const std::int64_t low = std::max<std::int64_t>(0, i - 1) * rise, high = std::min(length, i + 1) * rise;
      for (std::int64_t j = std::max<std::int64_t>(0, low / length - 1); (j - 1) * length < high; ++j) {
        if (low >= (j + 1) * length) continue;
        const auto cell = static_cast<std::uint32_t>(start + i * along + j * across);
        if (graph_.footing({cell}) != Footing::open) return false;
        if ((i != 0 || j != 0) && graph_.factor(cell) > cheapest) return false;
      }
    }
    return true;
  }

  const nav::CompiledGraph& graph_;
  const Path& path_;
  const bool free_lines_;
};

}  // namespace

Status smooth_path(const NavGraph& graph, const Path& path, std::vector<Cell>& waypoints) {
  waypoints.clear();
  if (graph.null()) return {StatusCode::argument, "a null graph; expected one that was compiled"};
  for (const Cell c : path.cells)
    if (!graph.shape().contains(c))
      return {StatusCode::position, base::concat("the path's cell ", c.x, ",", c.y, ",", c.layer,
                                                 " is not on the map; a path of this graph is expected")};
  if (path.cells.empty()) return {};
  if (path.steps.size() + 1 != path.cells.size())
    return {StatusCode::argument, "a path with as many steps as cells lie between its ends is expected"};
  Status status = base::no_throw([&] {
    const Smoother smoother(graph.compiled(), path);
    waypoints.push_back(path.cells.front());
    for (std::size_t at = 0; at + 1 < path.cells.size();) {
      at = smoother.farthest(at);
      waypoints.push_back(path.cells[at]);
    }
    return Status();
  });
  if (!status.ok()) waypoints.clear();
  return status;
}

}  // namespace drover
