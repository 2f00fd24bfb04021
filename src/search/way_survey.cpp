// SPDX-License-Identifier: MIT
// Sets of runs around the rows of a question; trees of ways where steps are forbidden.
#include "search/way_survey.hpp"

#include <algorithm>
#include <bit>

namespace drover::search {

namespace {

/// Puts the bits back whatever happens in between.
class Closing {
 public:
  Closing(nav::Word* plane, std::span<const std::uint32_t> cells) noexcept : plane_(plane), cells_(cells) { flip(); }
  ~Closing() { flip(); }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;

 private:
  void flip() noexcept {
    for (const std::uint32_t cell : cells_) plane_[cell / 64] ^= nav::Word{1} << cell % 64;
  }
  nav::Word* plane_;
  std::span<const std::uint32_t> cells_;
};

}  // namespace

bool WaySurvey::prepare(const NavGraph& graph, std::span<const CellIndex> goals, std::span<const CellIndex> places,
                        const Allocator& allocator) {
  const nav::CompiledGraph& g = graph.compiled();
  const std::uint32_t cells = g.shape().padded_cells();
  if (graph_.null() || &graph_.compiled() != &g) {
    clear();
    if (fits_.size() != cells / 64) fits_ = base::Plane<Word>::uninitialised(allocator, cells / 64);
    if (!fits_.valid()) return false;
    std::copy_n(g.fits(), fits_.size(), fits_.data());
    forbidden_steps_ = g.moves() != g.reverse_moves();
    sets_.make(fits_.data(), g.shape(), g.components().adjacency());
    nodes_.resize(std::max<std::size_t>(nodes_.size(), 2 * std::size_t{sets_.runs()}));
    portals_.clear();
  }
  const auto spot = [&](std::uint32_t cell) {
    Spot made{cell, open(cell), sets_.row_of(cell)};
    if (made.stands) made.run = sets_.run_at(cell);
    return made;
  };
  goals_.clear();
  for (const CellIndex cell : goals) goals_.push_back(spot(cell.value));
  places_.clear();
  for (const CellIndex cell : places) places_.push_back(spot(cell.value));
  if (portals_.empty()) {
    for (const nav::Portal& portal : g.portals().all()) portals_.push_back({spot(portal.from), spot(portal.to)});
  }
  graph_ = graph;
  closed_.clear();
  if (forbidden_steps_ && !make_trees(allocator)) return false;
  decide(sets_.rows(), sets_.rows() - 1);
  for (std::vector<Spot>* spots : {&goals_, &places_}) {
    for (Spot& s : *spots) s.has_way = s.keeps_way;
  }
  return true;
}

bool WaySurvey::make_trees(const Allocator& allocator) {
  std::vector<std::uint32_t> roots;
  const auto cells_of = [&](const std::vector<Spot>& spots) -> const std::vector<std::uint32_t>& {
    roots.clear();
    for (const Spot& spot : spots) roots.push_back(spot.cell);
    return roots;
  };
  return to_goals_.make(ground(), cells_of(goals_), Way::forward, allocator) &&
         from_places_.make(ground(), cells_of(places_), Way::backward, allocator);
}

// Placements that cover one of the cells and are open.
void WaySurvey::collect(std::span<const CellIndex> cells) {
  const GridShape& shape = graph_.shape();
  const int k = graph_.compiled().profile().footprint;
  closed_.clear();
  for (const CellIndex covered : cells) {
    const Cell c = shape.cell(covered);
    const std::int32_t left = std::min(k - 1, c.x - shape.origin().x), up = std::min(k - 1, c.y - shape.origin().y);
    for (std::int32_t dy = 0; dy <= up; ++dy) {
      for (std::int32_t dx = 0; dx <= left; ++dx) {
        const std::uint32_t anchor =
            covered.value - static_cast<std::uint32_t>(dy) * shape.stride() - static_cast<std::uint32_t>(dx);
        if (open(anchor)) closed_.push_back(anchor);
      }
    }
  }
  std::sort(closed_.begin(), closed_.end());
  closed_.erase(std::unique(closed_.begin(), closed_.end()), closed_.end());
}

void WaySurvey::ask(std::span<const CellIndex> cells) {
  collect(cells);
  if (closed_.empty()) {
    for (Spot& goal : goals_) goal.keeps_way = goal.has_way;
    for (Spot& place : places_) place.keeps_way = place.has_way;
    return;
  }
  const Closing closing(fits_.data(), closed_);
  decide(sets_.row_of(closed_.front()), sets_.row_of(closed_.back()));
}

void WaySurvey::decide(std::uint32_t first_row, std::uint32_t last_row) {
  if (forbidden_steps_) {
    to_goals_.close(ground(), closed_);
    from_places_.close(ground(), closed_);
    for (Spot& place : places_) place.keeps_way = to_goals_.keeps_way(ground(), place.cell);
    for (Spot& goal : goals_) goal.keeps_way = from_places_.keeps_way(ground(), goal.cell);
  } else {
    join_rows(first_row, last_row);
    for (const Spot& goal : goals_)
      if (open(goal.cell)) marks(goal, first_row, last_row) |= kReachesGoal;
    for (const Spot& place : places_)
      if (open(place.cell)) marks(place, first_row, last_row) |= kReached;
    if (!portals_.empty()) spread_by_portals(first_row, last_row);
    for (Spot& place : places_)
      place.keeps_way = open(place.cell) && (marks(place, first_row, last_row) & kReachesGoal) != 0;
    for (Spot& goal : goals_) goal.keeps_way = open(goal.cell) && (marks(goal, first_row, last_row) & kReached) != 0;
  }
  if (!places_.empty()) return;
  for (Spot& goal : goals_) goal.keeps_way = open(goal.cell) && entered(goal.cell);
}

std::uint32_t WaySurvey::root(std::uint32_t node) noexcept {
  if (nodes_[node].question != question_) nodes_[node] = {question_, node, 0};
  while (nodes_[node].parent != node) node = nodes_[node].parent = nodes_[nodes_[node].parent].parent;
  return node;
}

void WaySurvey::join(std::uint32_t a, std::uint32_t b) noexcept {
  a = root(a), b = root(b);
  nodes_[std::max(a, b)].parent = std::min(a, b);
}

std::uint32_t WaySurvey::node(std::uint32_t cell, std::uint32_t row, std::uint32_t run, std::uint32_t first_row,
                              std::uint32_t last_row) const noexcept {
  if (row < first_row) return sets_.above(run, first_row);
  if (row > last_row) return sets_.runs() + sets_.below(run, last_row);
  const auto first = middle_.begin() + middle_rows_[row - first_row],
             last = middle_.begin() + middle_rows_[row - first_row + 1];
  const auto after =
      std::upper_bound(first, last, cell, [](std::uint32_t c, const nav::Run& r) { return c < r.begin; });
  return 2 * sets_.runs() + static_cast<std::uint32_t>(after - middle_.begin()) - 1;
}

void WaySurvey::join_rows(std::uint32_t first_row, std::uint32_t last_row) {
  middle_.clear();
  middle_rows_.clear();
  for (std::uint32_t row = first_row; row <= last_row; ++row) {
    middle_rows_.push_back(static_cast<std::uint32_t>(middle_.size()));
    nav::append_runs(fits_.data(), sets_.first_word(row), sets_.first_word(row + 1), middle_);
  }
  middle_rows_.push_back(static_cast<std::uint32_t>(middle_.size()));
  const std::uint32_t runs = sets_.runs(), middle = 2 * runs;
  if (nodes_.size() < middle + middle_.size()) nodes_.resize(middle + middle_.size());
  if (++question_ == 0) {
    std::fill(nodes_.begin(), nodes_.end(), Node{});
    question_ = 1;
  }
  if (first_row > last_row) return;

  const auto row_runs = [&](std::uint32_t i) {
    return std::span(middle_).subspan(middle_rows_[i], middle_rows_[i + 1] - middle_rows_[i]);
  };
  const auto number = [](std::size_t i) { return static_cast<std::uint32_t>(i); };
  const std::uint32_t last = last_row - first_row;
  nav::for_each_touch(sets_.row(first_row - 1), row_runs(0), sets_.stride(), sets_.reach(), [&](auto i, auto j) {
    join(sets_.above(sets_.first_run(first_row - 1) + number(i), first_row), middle + number(j));
  });
  for (std::uint32_t row = 1; row <= last; ++row) {
    nav::for_each_touch(row_runs(row - 1), row_runs(row), sets_.stride(), sets_.reach(), [&](auto i, auto j) {
      join(middle + middle_rows_[row - 1] + number(i), middle + middle_rows_[row] + number(j));
    });
  }
  nav::for_each_touch(row_runs(last), sets_.row(last_row + 1), sets_.stride(), sets_.reach(), [&](auto i, auto j) {
    join(middle + middle_rows_[last] + number(i),
         runs + sets_.below(sets_.first_run(last_row + 1) + number(j), last_row));
  });
}

void WaySurvey::spread_by_portals(std::uint32_t first_row, std::uint32_t last_row) noexcept {
  for (PortalEnds& portal : portals_) {
    const auto set_of = [&](const Spot& s) { return root(node(s.cell, s.row, s.run, first_row, last_row)); };
    const bool usable = open(portal.from.cell) && open(portal.to.cell);
    portal.from_node = usable ? set_of(portal.from) : 0;
    portal.to_node = usable ? set_of(portal.to) : 0;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const PortalEnds& portal : portals_) {
      if (portal.from_node == portal.to_node) continue;
      Node &from = nodes_[portal.from_node], &to = nodes_[portal.to_node];
      const auto from_marks = static_cast<std::uint8_t>(from.marks | (to.marks & kReachesGoal)),
                 to_marks = static_cast<std::uint8_t>(to.marks | (from.marks & kReached));
      changed = changed || from_marks != from.marks || to_marks != to.marks;
      from.marks = from_marks;
      to.marks = to_marks;
    }
  }
}

bool WaySurvey::entered(std::uint32_t goal) const noexcept {
  const nav::CompiledGraph& g = graph_.compiled();
  for (unsigned left = g.reverse_moves()[goal]; left != 0; left &= left - 1) {
    if (ground().legal(goal, std::countr_zero(left))) return true;
  }
  const auto portals = g.portals().entering(goal);
  return std::any_of(portals.begin(), portals.end(),
                     [&](const nav::Portal& portal) { return portal.from != goal && open(portal.from); });
}

}  // namespace drover::search
