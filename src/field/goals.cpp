// SPDX-License-Identifier: MIT
// Goal lists: what is wrong with each cell, and where `nearest` moves it.
#include "field/goals.hpp"

#include "base/int128.hpp"
#include "base/text.hpp"
#include "field/goal_area.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>
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

// Where goals may be: where the body fits and, if that is asked for, what can be reached from one cell.
class Places {
 public:
  Places(const nav::CompiledGraph& graph, const std::optional<Cell>& from) : graph_(graph) {
    if (!from) return;
    from_ = graph.shape().index(*from);
    if (valid() && graph.directed()) walk();
  }

  bool valid() const noexcept { return !from_ || (from_->valid() && graph_.footing(*from_) == Footing::open); }
  const nav::CompiledGraph& graph() const noexcept { return graph_; }
  bool has(CellIndex cell) const noexcept {
    if (!cell.valid() || graph_.footing(cell) != Footing::open) return false;
    return !from_ || (graph_.directed() ? bool{reached_[cell.value]} : graph_.component(cell) == component());
  }

 private:
  std::uint32_t component() const noexcept { return graph_.component(*from_); }

  void walk() {
    reached_.resize(graph_.shape().padded_cells());
    std::vector<std::uint32_t> open;
    const auto reach = [&](std::uint32_t cell) {
      if (reached_[cell]) return;
      reached_[cell] = true;
      open.push_back(cell);
    };
    reach(from_->value);
    while (!open.empty()) {
      const std::uint32_t p = open.back();
      open.pop_back();
      for (unsigned left = graph_.moves()[p]; left != 0; left &= left - 1)
        reach(p + graph_.shape().step(static_cast<Direction>(std::countr_zero(left))));
      for (const nav::Portal& portal : graph_.portals().leaving(p)) reach(portal.to);
    }
  }

  const nav::CompiledGraph& graph_;
  std::optional<CellIndex> from_;
  std::vector<bool> reached_;  // directed graphs only
};

// The place of the goal's layer with the least (dx^2 + dy^2, index). Square rings outwards, until no ring can
// hold a closer one; rings are cut to the map, so a goal far outside costs no more than one inside.
class NearestSearch {
 public:
  NearestSearch(const Places& places, Cell from) : places_(places), shape_(places.graph().shape()), layer_(from.layer) {
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
    if (!places_.has(cell)) return;
    const base::UInt128 distance = square(x - column_) + square(y - row_);
    if (best_.valid() && (distance > best_distance_ || (distance == best_distance_ && best_ < cell))) return;
    best_ = cell;
    best_distance_ = distance;
  }

  const Places& places_;
  const GridShape& shape_;
  std::int32_t layer_;
  std::int64_t column_ = 0, row_ = 0;  // of the goal, counted from the corner
  CellIndex best_;
  base::UInt128 best_distance_ = 0;
};

std::string name_of(Cell cell, const GridShape& shape) { return base::cell_text(cell, shape.layers()); }

std::string size_of(const GridShape& shape) {
  std::string text = std::to_string(shape.width()) + "x" + std::to_string(shape.height());
  if (shape.layers() > 1) text += "x" + std::to_string(shape.layers());
  if (shape.origin().x != 0 || shape.origin().y != 0) {
    text += " from " + std::to_string(shape.origin().x) + "," + std::to_string(shape.origin().y);
  }
  return text;
}

PlacedGoal place_one(const Places& places, Cell asked, GoalPlacement placement) {
  const GridShape& shape = places.graph().shape();
  const CellIndex cell = shape.index(asked);
  PlacedGoal goal{asked, judge(cell.valid() ? places.graph().footing(cell) : Footing::outside), asked};
  if (goal.status == StatusCode::ok && !places.has(cell)) goal.status = StatusCode::goal_blocked;
  const bool layer_exists = asked.layer >= 0 && asked.layer < shape.layers();
  if (goal.status == StatusCode::ok || placement == GoalPlacement::exact || !layer_exists) return goal;
  if (const CellIndex nearest = NearestSearch(places, asked).run(); nearest.valid()) goal.placed = shape.cell(nearest);
  return goal;
}

std::string name_of(const GoalArea& area, const GridShape& shape) {
  const std::string of = name_of(area.of, shape), radius = std::to_string(area.radius);
  return area.rule == GoalArea::Rule::within ? "within " + radius + " of " + of
                                             : "in sight of " + of + " within " + radius;
}

Status name_bad_goals(const PlacedGoals& goals, const GoalDef& def, const Places& places) {
  const GridShape& shape = places.graph().shape();
  std::string message;
  StatusCode first = StatusCode::ok;
  bool outside = false;
  for (const PlacedGoal& goal : goals.placed) {
    if (goal.status == StatusCode::ok || places.has(shape.index(goal.placed))) continue;
    if (first == StatusCode::ok)
      first = goal.status;
    else
      message += "; ";
    message += (def.area ? name_of(*def.area, shape) : name_of(goal.asked, shape)) + " " + word_of(goal.status);
    outside = outside || goal.status == StatusCode::goal_outside;
  }
  if (first == StatusCode::ok) return {};
  if (outside) message += "; the map is " + size_of(shape);
  return {first, std::move(message)};
}

// As a list: every cell of the area, or its centre where there is none.
GoalDef list_of(const Places& places, const GoalArea& area, PlacedGoals& goals, GoalPlacement placement) {
  GoalDef list;
  const GridShape& shape = places.graph().shape();
  if (shape.contains(area.of)) {
    for (const std::uint32_t cell : cells_of(places.graph(), area)) {
      if (places.has({cell})) list.cells.push_back({shape.cell({cell}), 0});
    }
  }
  for (const GoalCell& cell : list.cells) goals.placed.push_back({cell.cell, StatusCode::ok, cell.cell});
  if (!list.cells.empty()) return list;
  list.cells.push_back({area.of, 0});
  PlacedGoal centre = place_one(places, area.of, placement);
  if (centre.status == StatusCode::goal_unknown) centre.status = StatusCode::goal_blocked;  // said of all its cells
  goals.placed.push_back(centre);
  return list;
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
    if (!goals.cells.empty() && goals.cells.back() == cell[i]) {
      goals.placed[i].rank = GoalRank::duplicate;
      continue;
    }
    goals.cells.push_back(cell[i]);
    goals.owners.push_back(i);
    goals.offsets.push_back(def.cells[i].offset);
    goals.sources.push_back({def.cells[i].offset, cell[i]});
  }
  std::stable_sort(goals.sources.begin(), goals.sources.end(),
                   [](const Source& a, const Source& b) { return a.cost < b.cost; });
}

}  // namespace

Status check_goal(const GoalDef& goal) {
  if (goal.area && !goal.cells.empty())
    return {StatusCode::argument, "a goal has cells beside an area; one of them is expected"};
  if (goal.nearest_from && goal.placement != GoalPlacement::nearest)
    return {StatusCode::argument, "nearest_from without nearest; both or none are expected"};
  if (goal.area && goal.area->radius > kMaxGoalRadius)
    return {StatusCode::limit_goals, base::concat("radius ", goal.area->radius, "; at most ", kMaxGoalRadius)};
  if (!goal.area && goal.cells.empty()) return {StatusCode::goal_none, "the goal has no cells; expected at least one"};
  if (goal.cells.size() > kMaxGoalCells)
    return {StatusCode::limit_goals,
            base::concat(goal.cells.size(), " goal cells; at most ", kMaxGoalCells, " are allowed")};
  for (const auto& [cell, offset] : goal.cells) {
    if (offset > kMaxGoalOffset)
      return {StatusCode::cost_range,
              base::concat("goal ", base::cell_text(cell), ": offset ", offset, "; at most ", kMaxGoalOffset)};
  }
  return {};
}

PlacedGoals place_goals(const NavGraph& graph, const GoalDef& goal) {
  PlacedGoals goals;
  goals.status = check_goal(goal);
  if (!goals.status.ok()) return goals;
  const Places places(graph.compiled(), goal.nearest_from);
  if (!places.valid()) {
    goals.status = {StatusCode::argument,
                    "nearest_from " + name_of(*goal.nearest_from, graph.shape()) + ": the body cannot stand there"};
    return goals;
  }
  GoalDef of_area;
  if (goal.area) of_area = list_of(places, *goal.area, goals, goal.placement);
  for (const GoalCell& cell : goal.cells) goals.placed.push_back(place_one(places, cell.cell, goal.placement));
  goals.status = name_bad_goals(goals, goal, places);
  if (!goals.status.ok()) return goals;
  resolve(goals, goal.area ? of_area : goal, graph.shape());
  return goals;
}

}  // namespace drover::field
