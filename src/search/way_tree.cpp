// SPDX-License-Identifier: MIT
// A flood that numbers subtrees, and a second one among what closed cells cut off.
#include "search/way_tree.hpp"

#include <algorithm>
#include <bit>

namespace drover::search {

bool ClosedGround::legal(std::uint32_t cell, int k) const noexcept {
  const GridShape& shape = graph.shape();
  if (!open(cell + shape.step(static_cast<Direction>(k)))) return false;
  if (k < 4) return true;
  const int beside = (open(cell + static_cast<std::uint32_t>(kDx[k])) ? 1 : 0) +
                     (open(cell + static_cast<std::uint32_t>(kDy[k]) * shape.stride()) ? 1 : 0);
  const CornerRule corner = graph.profile().corner;
  return beside >= (corner == CornerRule::strict ? 2 : corner == CornerRule::one_free ? 1 : 0);
}

template <class Visit>
void ClosedGround::for_each_step(std::uint32_t cell, Way way, Visit&& visit) const {
  const bool forward = way == Way::forward;
  for (unsigned left = (forward ? graph.moves() : graph.reverse_moves())[cell]; left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    if (legal(cell, k)) visit(cell + graph.shape().step(static_cast<Direction>(k)), k);
  }
  if (graph.portals().empty()) return;
  for (const nav::Portal& portal : forward ? graph.portals().leaving(cell) : graph.portals().entering(cell)) {
    const std::uint32_t there = forward ? portal.to : portal.from;
    if (open(there)) visit(there, kPortalWay);
  }
}

namespace {

Way opposite(Way way) noexcept { return way == Way::forward ? Way::backward : Way::forward; }

}  // namespace

bool WayTree::make(const ClosedGround& ground, std::span<const std::uint32_t> roots, Way toward,
                   const Allocator& allocator) {
  const std::uint32_t cells = ground.graph.shape().padded_cells();
  if (nodes_.size() != cells) {
    marks_ = base::Plane<std::uint32_t>::uninitialised(allocator, cells);
    nodes_ = base::Plane<Node>::uninitialised(allocator, cells);
    if (!marks_.valid() || !nodes_.valid()) {
      nodes_ = {};
      return false;
    }
  }
  toward_ = toward;
  std::fill(nodes_.begin(), nodes_.end(), Node{});
  wave_.clear();
  const auto reach = [&](std::uint32_t cell, std::uint32_t parent, int way) {
    if (nodes_[cell].parent != kNone) return;
    nodes_[cell] = {parent, 0, 1, way};
    wave_.push_back(cell);
  };
  for (const std::uint32_t root : roots)
    if (ground.open(root)) reach(root, root, 0);
  for (std::size_t i = 0; i < wave_.size(); ++i) {
    const std::uint32_t cell = wave_[i];
    ground.for_each_step(cell, opposite(toward), [&](std::uint32_t there, int k) { reach(there, cell, k); });
  }
  number();
  return true;
}

// Parents come before their children in the wave.
void WayTree::number() {
  for (std::size_t i = wave_.size(); i-- > 0;) {
    const Node& node = nodes_[wave_[i]];
    if (node.parent != wave_[i]) nodes_[node.parent].size += node.size;
  }
  by_number_.resize(wave_.size());
  std::uint32_t next = 0;
  base::Plane<std::uint32_t>& free = marks_;  // where the next child begins
  for (const std::uint32_t cell : wave_) {
    Node& node = nodes_[cell];
    std::uint32_t& place = node.parent == cell ? next : free[node.parent];
    node.first = place;
    place += node.size;
    free[cell] = node.first + 1;
    by_number_[node.first] = cell;
  }
  std::fill(marks_.begin(), marks_.end(), 0u);
  mark_ = 0;
  broken_.clear();
}

void WayTree::close(const ClosedGround& ground, std::span<const std::uint32_t> closed) {
  broken_.clear();
  recovered_ = false;
  budget_ = kBudget;
  const auto cut = [&](const Node& node) { broken_.emplace_back(node.first, node.first + node.size); };
  for (const std::uint32_t cell : closed) {
    if (nodes_[cell].parent != kNone) cut(nodes_[cell]);
    // A diagonal step passes the orthogonal neighbours of both its ends.
    for (int d = 0; d < 4; ++d) {
      const Node& beside = nodes_[cell + ground.graph.shape().step(static_cast<Direction>(d))];
      const bool diagonal = beside.parent != kNone && beside.way >= 4 && beside.way < ClosedGround::kPortalWay;
      if (diagonal && !ground.legal(beside.parent, beside.way)) cut(beside);
    }
  }
  // Of two intervals that meet one holds the other.
  std::sort(broken_.begin(), broken_.end(), [](const Interval& a, const Interval& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  std::uint32_t end = 0;
  std::erase_if(broken_, [&](const Interval& interval) {
    if (interval.first < end) return true;
    end = interval.second;
    return false;
  });
}

bool WayTree::broken(std::uint32_t cell) const noexcept {
  const std::uint32_t number = nodes_[cell].first;
  const auto after = std::upper_bound(broken_.begin(), broken_.end(), number,
                                      [](std::uint32_t n, const Interval& interval) { return n < interval.first; });
  return after != broken_.begin() && number < after[-1].second;
}

bool WayTree::keeps_way(const ClosedGround& ground, std::uint32_t cell) {
  if (nodes_[cell].parent == kNone || !ground.open(cell)) return false;
  if (!broken(cell)) return true;
  if (!recovered_) {
    if (const std::optional<bool> found = search(ground, cell)) return *found;
    recover(ground);
  }
  return marks_[cell] == mark_;
}

void WayTree::next_mark() noexcept {
  if (++mark_ != 0) return;
  std::fill(marks_.begin(), marks_.end(), 0u);
  mark_ = 1;
}

// Most broken cells lie beside one whose way is whole. Nothing when the question's budget is spent.
std::optional<bool> WayTree::search(const ClosedGround& ground, std::uint32_t from) {
  next_mark();
  marks_[from] = mark_;
  wave_.assign(1, from);
  bool found = false;
  for (std::size_t i = 0; i < wave_.size() && !found; ++i) {
    if (budget_ == 0) return std::nullopt;
    --budget_;
    ground.for_each_step(wave_[i], toward_, [&](std::uint32_t there, int) {
      if (marks_[there] == mark_ || nodes_[there].parent == kNone) return;
      found = found || !broken(there);
      marks_[there] = mark_;
      wave_.push_back(there);
    });
  }
  return found;
}

// From the broken cells that have a step to one that is not, against the steps.
void WayTree::recover(const ClosedGround& ground) {
  recovered_ = true;
  next_mark();
  wave_.clear();
  const auto reach = [&](std::uint32_t cell) {
    if (marks_[cell] == mark_) return;
    marks_[cell] = mark_;
    wave_.push_back(cell);
  };
  for (const Interval& interval : broken_) {
    for (std::uint32_t n = interval.first; n < interval.second; ++n) {
      const std::uint32_t cell = by_number_[n];
      if (!ground.open(cell)) continue;
      ground.for_each_step(cell, toward_, [&](std::uint32_t there, int) {
        if (nodes_[there].parent != kNone && !broken(there)) reach(cell);
      });
    }
  }
  for (std::size_t i = 0; i < wave_.size(); ++i) {
    ground.for_each_step(wave_[i], opposite(toward_), [&](std::uint32_t there, int) {
      if (nodes_[there].parent != kNone && broken(there)) reach(there);
    });
  }
}

}  // namespace drover::search
