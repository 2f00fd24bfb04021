// SPDX-License-Identifier: MIT
// A* (Hart, Nilsson, Raphael 1968) with a consistent estimate: a closed cell has its final cost.
#include "search/astar.hpp"

#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>

namespace drover::search {
namespace {

std::uint64_t gap(std::int32_t a, std::int32_t b) noexcept {
  const std::int64_t difference = std::int64_t{a} - b;
  return static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
}

}  // namespace

Estimate::Estimate(const nav::CompiledGraph& graph, Heuristic heuristic) noexcept
    : straight_(graph.base().straight), diagonal_(graph.base().diagonal), factor_(graph.min_factor()) {
  if (graph.profile().moves == Moves::four || heuristic == Heuristic::manhattan_may_be_dearer)
    diagonal_ = 2 * straight_;
  const GridShape& shape = graph.shape();
  for (const nav::Portal& portal : graph.portals().all()) {
    if (portal.cost < units(shape.cell({portal.from}), shape.cell({portal.to})) * factor_) factor_ = 0;
  }
  if (factor_ == 0) straight_ = diagonal_ = 0;
}

std::uint64_t Estimate::units(Cell a, Cell b) const noexcept { return units(gap(a.x, b.x), gap(a.y, b.y)); }

std::uint64_t Estimate::units(std::uint64_t dx, std::uint64_t dy) const noexcept {
  const std::uint64_t both = std::min(dx, dy);
  return straight_ * (dx + dy - 2 * both) + diagonal_ * both;
}

bool AStar::prepare(std::uint32_t cells, const Allocator& allocator) noexcept {
  if (nodes_.size() < cells) {
    nodes_ = {};
    nodes_ = base::Plane<Node>::filled(allocator, cells, Node{});
    if (!nodes_.valid()) return false;
    mark_ = 0;
  }
  mark_ += 2;
  if (mark_ == 0) {
    std::fill(nodes_.begin(), nodes_.end(), Node{});
    mark_ = 2;
  }
  cell_bits_ = static_cast<int>(std::bit_width(cells));
  open_.clear();
  expanded_ = 0;
  return true;
}

// A target is the end once nothing in the queue can be cheaper than it with its offset.
bool AStar::settles(const Entry& entry, std::uint32_t cell, const Targets& to) noexcept {
  if (const Target* target = to.find(cell)) {
    const Cost total = nodes_[cell].cost + (target->offset - to.least_offset());
    if (total < best_) {
      best_ = total;
      end_ = cell;
    }
  }
  return entry.f() >= best_;
}

AStar::Outcome AStar::run(const nav::CompiledGraph& graph, CellIndex from, const Targets& to,
                          const PathOptions& options, const Allocator& allocator) noexcept {
  if (!prepare(graph.shape().padded_cells(), allocator) || !open_.make_room(allocator, 1)) {
    return Outcome::out_of_memory;
  }
  const Estimate estimate(graph, options.heuristic);
  targets_ = to;
  best_ = kInfiniteCost;
  reach(from.value, 0, 0, graph.shape().cell(from), estimate);
  while (!open_.empty()) {
    const Entry entry = open_.top();
    const std::uint32_t cell = entry.cell(cell_bits_);
    if (settles(entry, cell, to)) return Outcome::found;
    open_.pop();
    if (nodes_[cell].mark != mark_) continue;  // an entry from before its cost was lowered
    if (expanded_ == options.budget) return Outcome::budget_exceeded;
    nodes_[cell].mark = mark_ + 1;
    ++expanded_;
    const auto portals = graph.portals().leaving(cell);
    if (!open_.make_room(allocator, kDirections + portals.size())) return Outcome::out_of_memory;
    expand(graph, cell, portals, estimate);
  }
  return best_ != kInfiniteCost ? Outcome::found : Outcome::unreachable;
}

void AStar::expand(const nav::CompiledGraph& graph, std::uint32_t cell, std::span<const nav::Portal> portals,
                   const Estimate& estimate) noexcept {
  const GridShape& shape = graph.shape();
  const Cell here = shape.cell({cell});
  const std::uint64_t cost = nodes_[cell].cost;
  for (unsigned left = graph.moves()[cell]; left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    const std::uint32_t next = cell + shape.step(static_cast<Direction>(k));
    const std::uint64_t base = k < 4 ? graph.base().straight : graph.base().diagonal;
    reach(next, cost + base * graph.factor(next) + graph.surcharge(cell, k), static_cast<Way>(k),
          {here.x + kDx[k], here.y + kDy[k], here.layer}, estimate);
  }
  for (const nav::Portal& portal : portals) {
    const auto place = static_cast<Way>(&portal - graph.portals().all().data());
    reach(portal.to, cost + portal.cost, kPortal + place, shape.cell({portal.to}), estimate);
  }
}

void AStar::reach(std::uint32_t cell, std::uint64_t cost, Way way, Cell at, const Estimate& estimate) noexcept {
  Node& node = nodes_[cell];
  if (node.mark == mark_ + 1 || (node.mark == mark_ && node.cost <= cost)) return;
  node = {cost, mark_, way};
  const std::uint64_t rest = estimate.units(at, targets_);
  open_.push({cost + rest * estimate.factor(), rest, cell, cell_bits_});
}

}  // namespace drover::search
