// SPDX-License-Identifier: MIT
// Goal lists: what is wrong with each cell, and where `nearest` moves it.
#include "field/goals.hpp"

#include "base/int128.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <numeric>

namespace drover::field {
namespace {

const char* word_of(StatusCode code) {
  switch (code) {
    case StatusCode::goal_blocked:
      return "goal_blocked";
    case StatusCode::goal_unknown:
      return "goal_unknown";
    case StatusCode::goal_outside:
      return "goal_outside";
    default:
      return "ok";
  }
}

StatusCode judge(Footing footing) {
  switch (footing) {
    case Footing::open:
      return StatusCode::ok;
    case Footing::unknown:
      return StatusCode::goal_unknown;
    case Footing::outside:
      return StatusCode::goal_outside;
    case Footing::blocked:
    case Footing::no_room:
      break;
  }
  return StatusCode::goal_blocked;
}

// The open placement of the goal's layer with the least (dx^2 + dy^2, index). Square rings outwards, until no ring can
// hold a closer one; rings are cut to the map, so a goal far outside costs no more than one inside.
class NearestSearch {
 public:
  NearestSearch(const nav::CompiledGraph& graph, Cell from) : graph_(graph), shape_(graph.shape()), layer_(from.layer) {
    column_ = std::int64_t{from.x} - shape_.origin().x;
    row_ = std::int64_t{from.y} - shape_.origin().y;
  }

  CellIndex run() {
    const std::int64_t right = shape_.width() - 1, bottom = shape_.height() - 1;
    const std::int64_t first = std::max({-column_, column_ - right, -row_, row_ - bottom, std::int64_t{0}});
    const std::int64_t last = std::max({column_, right - column_, row_, bottom - row_});
    for (std::int64_t radius = first; radius <= last; ++radius) {
      if (best_.valid() && square(radius) > best_distance_) break;
      ring(radius);
    }
    return best_;
  }

 private:
  static base::UInt128 square(std::int64_t n) { return static_cast<base::UInt128>(static_cast<base::Int128>(n) * n); }

  void ring(std::int64_t radius) {
    const std::int64_t top = std::max<std::int64_t>(row_ - radius, 0);
    const std::int64_t bottom = std::min<std::int64_t>(row_ + radius, shape_.height() - 1);
    const std::int64_t left = std::max<std::int64_t>(column_ - radius, 0);
    const std::int64_t right = std::min<std::int64_t>(column_ + radius, shape_.width() - 1);
    for (std::int64_t y = top; y <= bottom; ++y) {
      const bool whole_row = y == row_ - radius || y == row_ + radius;
      if (whole_row) {
        for (std::int64_t x = left; x <= right; ++x) look(x, y);
      } else {
        if (left == column_ - radius) look(left, y);
        if (right == column_ + radius) look(right, y);
      }
    }
  }

  void look(std::int64_t x, std::int64_t y) {
    const CellIndex cell{shape_.at(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), layer_)};
    if (graph_.footing(cell) != Footing::open) return;
    const base::UInt128 distance = square(x - column_) + square(y - row_);
    if (best_.valid() && (distance > best_distance_ || (distance == best_distance_ && best_ < cell))) return;
    best_ = cell;
    best_distance_ = distance;
  }

  const nav::CompiledGraph& graph_;
  const GridShape& shape_;
  std::int32_t layer_;
  std::int64_t column_ = 0, row_ = 0;  // of the goal, counted from the corner
  CellIndex best_;
  base::UInt128 best_distance_ = 0;
};

std::string name_of(Cell cell, const GridShape& shape) {
  std::string text = std::to_string(cell.x) + "," + std::to_string(cell.y);
  if (shape.layers() > 1 || cell.layer != 0) text += "," + std::to_string(cell.layer);
  return text;
}

std::string size_of(const GridShape& shape) {
  std::string text = std::to_string(shape.width()) + "x" + std::to_string(shape.height());
  if (shape.layers() > 1) text += "x" + std::to_string(shape.layers());
  if (shape.origin().x != 0 || shape.origin().y != 0) {
    text += " from " + std::to_string(shape.origin().x) + "," + std::to_string(shape.origin().y);
  }
  return text;
}

PlacedGoal place_one(const NavGraph& graph, Cell asked, GoalPlacement placement) {
  PlacedGoal goal{asked, judge(graph.footing(asked)), asked};
  const GridShape& shape = graph.shape();
  const bool layer_exists = asked.layer >= 0 && asked.layer < shape.layers();
  if (goal.status == StatusCode::ok || placement == GoalPlacement::exact || !layer_exists) return goal;
  if (const CellIndex nearest = NearestSearch(graph.compiled(), asked).run(); nearest.valid())
    goal.placed = shape.cell(nearest);
  return goal;
}

Status name_bad_goals(const PlacedGoals& goals, const NavGraph& graph) {
  std::string message;
  StatusCode first = StatusCode::ok;
  bool outside = false;
  for (const PlacedGoal& goal : goals.placed) {
    if (goal.status == StatusCode::ok || graph.footing(goal.placed) == Footing::open) continue;
    if (first == StatusCode::ok)
      first = goal.status;
    else
      message += "; ";
    message += name_of(goal.asked, graph.shape()) + " " + word_of(goal.status);
    outside = outside || goal.status == StatusCode::goal_outside;
  }
  if (first == StatusCode::ok) return {};
  if (outside) message += "; the map is " + size_of(graph.shape());
  return {first, std::move(message)};
}

// Of several goals in one cell the least offset counts, then the first in the list.
void resolve(PlacedGoals& goals, const GoalDef& def, const GridShape& shape) {
  std::vector<std::uint32_t> order(def.cells.size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::uint32_t> cell(order.size());
  for (const std::uint32_t i : order) cell[i] = shape.index(goals.placed[i].placed).value;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (cell[a] != cell[b]) return cell[a] < cell[b];
    if (def.cells[a].offset != def.cells[b].offset) return def.cells[a].offset < def.cells[b].offset;
    return a < b;
  });
  for (const std::uint32_t i : order) {
    if (!goals.cells.empty() && goals.cells.back() == cell[i]) continue;
    goals.cells.push_back(cell[i]);
    goals.owners.push_back(i);
    goals.sources.push_back({def.cells[i].offset, cell[i]});
  }
  std::stable_sort(goals.sources.begin(), goals.sources.end(),
                   [](const Source& a, const Source& b) { return a.cost < b.cost; });
}

}  // namespace

PlacedGoals place_goals(const NavGraph& graph, const GoalDef& goal) {
  PlacedGoals goals;
  if (goal.cells.empty()) {
    goals.status = {StatusCode::goal_none, "the goal has no cells; expected at least one"};
    return goals;
  }
  if (goal.cells.size() > kMaxGoalCells) {
    goals.status = {StatusCode::limit_goals, std::to_string(goal.cells.size()) + " goal cells; at most " +
                                                 std::to_string(kMaxGoalCells) + " are allowed"};
    return goals;
  }
  goals.placed.reserve(goal.cells.size());
  for (const GoalCell& cell : goal.cells) goals.placed.push_back(place_one(graph, cell.cell, goal.placement));
  goals.status = name_bad_goals(goals, graph);
  if (!goals.status.ok()) return goals;
  for (const GoalCell& cell : goal.cells) {
    if (cell.offset <= kMaxGoalOffset) continue;
    goals.status = {StatusCode::cost_range, "goal " + name_of(cell.cell, graph.shape()) + ": offset " +
                                                std::to_string(cell.offset) + "; at most " +
                                                std::to_string(kMaxGoalOffset)};
    return goals;
  }
  resolve(goals, goal, graph.shape());
  return goals;
}

}  // namespace drover::field
