// SPDX-License-Identifier: MIT
// Scans of 63 cells, jump points, buckets.
#include "search/jump_points.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace drover::search {
namespace {

using nav::Word;

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
constexpr Direction kN = Direction::north, kE = Direction::east, kS = Direction::south, kW = Direction::west,
                    kNE = Direction::north_east, kSE = Direction::south_east, kSW = Direction::south_west,
                    kNW = Direction::north_west;

constexpr std::uint8_t bit_of(Direction d) noexcept { return static_cast<std::uint8_t>(1u << static_cast<int>(d)); }

// 64 cells from a bit on, the first in the lowest bit.
Word load(const Word* words, std::uint64_t bit) noexcept {
  const std::uint64_t word = bit / 64, shift = bit % 64;
  return shift == 0 ? words[word] : words[word] >> shift | words[word + 1] << (64 - shift);
}

// Steps from `from` upwards to the first jump point (where a line beside opens again behind a wall) or to the goal; 0:
// a wall comes first. Neighbouring lines are `stride` bits away.
std::uint64_t scan_up(const Word* words, std::uint64_t from, std::uint64_t stride, std::uint64_t goal) noexcept {
  for (std::uint64_t at = from;; at += 63) {
    const Word wall = ~load(words, at), a = ~load(words, at - stride), b = ~load(words, at + stride);
    const Word stop = (wall | (a << 1 & ~a) | (b << 1 & ~b)) & ~Word{1};
    const auto k = static_cast<std::uint64_t>(std::countr_zero(stop));  // 64: nothing
    const bool walled = stop != 0 && (wall >> k & 1) != 0;
    if (goal > from && goal >= at && goal < at + k + (stop != 0 && !walled ? 1 : 0)) return goal - from;
    if (stop != 0) return walled ? 0 : at + k - from;
  }
}

std::uint64_t scan_down(const Word* words, std::uint64_t from, std::uint64_t stride, std::uint64_t goal) noexcept {
  for (std::uint64_t at = from;; at -= 63) {  // the highest bit of a window
    const Word wall = ~load(words, at - 63), a = ~load(words, at - stride - 63), b = ~load(words, at + stride - 63);
    const Word stop = (wall | (a >> 1 & ~a) | (b >> 1 & ~b)) & ~(Word{1} << 63);
    const auto k = static_cast<std::uint64_t>(std::countl_zero(stop));
    const bool walled = stop != 0 && (wall << k >> 63) != 0;
    if (goal < from && goal <= at && goal + k + (stop != 0 && !walled ? 1 : 0) > at) return from - goal;
    if (stop != 0) return walled ? 0 : from - at + k;
  }
}

}  // namespace

bool JumpPoints::is_valid(const nav::CompiledGraph& graph) noexcept {
  const StepCosts base = graph.base();
  return graph.profile().moves == Moves::eight && graph.profile().corner == CornerRule::strict && !graph.directed() &&
         graph.factors() == nullptr && graph.min_factor() > 0 && base.straight < base.diagonal &&
         base.diagonal < 2 * base.straight;
}

bool JumpPoints::prepare(const nav::CompiledGraph& graph, const Allocator& allocator) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < kKept; ++i) {
    if (kept_[i].is_of(graph) || (kept_[i].is_before(graph) && !kept_[place].is_of(graph))) {
      place = i;
      if (kept_[i].is_of(graph)) break;
    } else if (!kept_[place].is_of(graph) && !kept_[place].is_before(graph) && used_[i] < used_[place]) {
      place = i;
    }
  }
  used_[place] = ++uses_;
  if (!kept_[place].follow(graph, allocator)) return false;
  columns_ = &kept_[place];
  graph_ = &graph;
  rows_ = graph.fits();
  shape_ = graph.shape();
  straight_ = graph.base().straight;
  diagonal_ = graph.base().diagonal;
  if (nodes_.size() < shape_.padded_cells()) {
    nodes_ = {};
    nodes_ = base::Plane<Node>::filled(allocator, shape_.padded_cells(), Node{});
    if (!nodes_.valid()) return false;
    mark_ = 0;
  }
  if (++mark_ == 0) {
    std::fill(nodes_.begin(), nodes_.end(), Node{});
    mark_ = 1;
  }
  return true;
}

std::uint64_t JumpPoints::estimate(std::int32_t x, std::int32_t y) const noexcept {
  const auto dx = static_cast<std::uint64_t>(std::abs(x - to_x_)), dy = static_cast<std::uint64_t>(std::abs(y - to_y_));
  return straight_ * std::max(dx, dy) + (diagonal_ - straight_) * std::min(dx, dy);
}

void JumpPoints::put(std::uint64_t f, std::uint32_t cell) {
  const std::uint64_t bucket = std::max(f / straight_, bucket_) - first_bucket_;
  if (bucket >= buckets_.size()) buckets_.resize(static_cast<std::size_t>(2 * bucket + 64));
  buckets_[static_cast<std::size_t>(bucket)].push_back(cell);
  last_bucket_ = std::max(last_bucket_, bucket + first_bucket_);
}

// Arrivals at the same cost from several sides share the cell's directions.
void JumpPoints::reach(std::uint32_t from, const Spot& spot, std::uint8_t directions) {
  Node& node = nodes_[spot.cell];
  if (node.mark != mark_ || spot.units < node.units()) {
    node.mark = mark_;
    node.parent = from;
    node.set(spot.units, directions, 0);
    put(spot.units + estimate(spot.x, spot.y), spot.cell);
  } else if (spot.units == node.units()) {
    const auto fresh = static_cast<std::uint8_t>(directions & ~(node.waiting() | node.tried()));
    if (fresh == 0) return;
    const bool idle = node.waiting() == 0;
    node.set(spot.units, static_cast<std::uint8_t>(node.waiting() | fresh), node.tried());
    if (idle) put(spot.units + estimate(spot.x, spot.y), spot.cell);
  }
}

// On after a straight arrival; and where the cell diagonally behind is closed, to that side and slanting ahead.
template <Direction K>
std::uint8_t JumpPoints::successors(std::uint32_t cell) const noexcept {
  constexpr int kIndex = static_cast<int>(K);
  constexpr auto kLeft = static_cast<Direction>((kIndex + 3) & 3), kRight = static_cast<Direction>((kIndex + 1) & 3);
  constexpr Direction kSlantLeft = K == kN   ? kNW
                                   : K == kE ? kNE
                                   : K == kS ? kSE
                                             : kSW,
                      kSlantRight = K == kN   ? kNE
                                    : K == kE ? kSE
                                    : K == kS ? kSW
                                              : kNW;
  std::uint8_t out = bit_of(K);
  const std::uint32_t behind = cell - shape_.step(K);
  if (!fits(behind + shape_.step(kLeft))) out = static_cast<std::uint8_t>(out | bit_of(kLeft) | bit_of(kSlantLeft));
  if (!fits(behind + shape_.step(kRight))) out = static_cast<std::uint8_t>(out | bit_of(kRight) | bit_of(kSlantRight));
  return out & graph_->moves()[cell];
}

template <Direction K>
void JumpPoints::go_straight(std::uint32_t from, const Spot& spot) {
  constexpr bool kHorizontal = K == kE || K == kW, kUp = K == kE || K == kS;
  std::uint64_t steps;
  if constexpr (kHorizontal) {
    const std::uint64_t goal = spot.y == to_y_ ? to_ : kUp ? 0 : kNowhere;
    steps = kUp ? scan_up(rows_, spot.cell, shape_.stride(), goal) : scan_down(rows_, spot.cell, shape_.stride(), goal);
  } else {
    const std::uint64_t at = columns_->at(spot.x, spot.y, layer_);
    const std::uint64_t goal = spot.x == to_x_ ? columns_->at(to_x_, to_y_, layer_) : kUp ? 0 : kNowhere;
    steps = kUp ? scan_up(columns_->words(), at, columns_->stride(), goal)
                : scan_down(columns_->words(), at, columns_->stride(), goal);
  }
  if (steps == 0) return;
  const auto n = static_cast<std::int32_t>(steps);
  const Spot there{spot.cell + static_cast<std::uint32_t>(n) * shape_.step(K), spot.x + n * kDx[static_cast<int>(K)],
                   spot.y + n * kDy[static_cast<int>(K)], spot.units + steps * straight_};
  reach(from, there, successors<K>(there.cell));
}

template <Direction K, Direction Vertical, Direction Horizontal>
void JumpPoints::go_slanted(std::uint32_t from, Spot spot) {
  while ((graph_->moves()[spot.cell] & bit_of(K)) != 0) {
    spot.cell += shape_.step(K);
    spot.x += kDx[static_cast<int>(K)];
    spot.y += kDy[static_cast<int>(K)];
    spot.units += diagonal_;
    if (spot.cell == to_) return reach(from, spot, 0);
    go_straight<Horizontal>(from, spot);
    go_straight<Vertical>(from, spot);
  }
}

void JumpPoints::expand(std::uint32_t cell, std::uint8_t directions) {
  const Cell at = shape_.cell(CellIndex{cell});
  const Spot spot{cell, at.x - shape_.origin().x, at.y - shape_.origin().y, nodes_[cell].units()};
  if ((directions & bit_of(kN)) != 0) go_straight<kN>(cell, spot);
  if ((directions & bit_of(kE)) != 0) go_straight<kE>(cell, spot);
  if ((directions & bit_of(kS)) != 0) go_straight<kS>(cell, spot);
  if ((directions & bit_of(kW)) != 0) go_straight<kW>(cell, spot);
  if ((directions & bit_of(kNE)) != 0) go_slanted<kNE, kN, kE>(cell, spot);
  if ((directions & bit_of(kSE)) != 0) go_slanted<kSE, kS, kE>(cell, spot);
  if ((directions & bit_of(kSW)) != 0) go_slanted<kSW, kS, kW>(cell, spot);
  if ((directions & bit_of(kNW)) != 0) go_slanted<kNW, kN, kW>(cell, spot);
}

JumpPoints::Outcome JumpPoints::run(const nav::CompiledGraph& graph, CellIndex from, CellIndex to, std::uint64_t budget,
                                    const Allocator& allocator) {
  if (!prepare(graph, allocator)) return Outcome::out_of_memory;
  from_ = from.value;
  to_ = to.value;
  expanded_ = 0;
  const Cell goal = shape_.cell(to), start = shape_.cell(from);
  to_x_ = goal.x - shape_.origin().x;
  to_y_ = goal.y - shape_.origin().y;
  layer_ = goal.layer;
  for (std::vector<std::uint32_t>& bucket : buckets_) bucket.clear();
  const Spot spot{from_, start.x - shape_.origin().x, start.y - shape_.origin().y, 0};
  first_bucket_ = bucket_ = last_bucket_ = estimate(spot.x, spot.y) / straight_;
  reach(from_, spot, graph.moves()[from_]);
  // What is found cheaper later lies in this bucket or behind it, so it costs no less than the bucket's F.
  const Node& end = nodes_[to_];
  for (; bucket_ <= last_bucket_ && !(end.mark == mark_ && end.units() <= bucket_ * straight_); ++bucket_) {
    for (;;) {
      std::vector<std::uint32_t>& bucket = buckets_[static_cast<std::size_t>(bucket_ - first_bucket_)];
      if (bucket.empty()) break;
      const std::uint32_t cell = bucket.back();
      bucket.pop_back();
      Node& node = nodes_[cell];
      const std::uint8_t directions = node.waiting();
      if (cell == to_ || directions == 0) continue;
      if (expanded_ == budget) return Outcome::budget_exceeded;
      ++expanded_;
      node.set(node.units(), 0, static_cast<std::uint8_t>(node.tried() | directions));
      expand(cell, directions);
    }
  }
  return Outcome::found;
}

Cost JumpPoints::cost() const noexcept { return nodes_[to_].units() * graph_->min_factor(); }

const std::vector<CellIndex>& JumpPoints::points() {
  points_.clear();
  for (std::uint32_t cell = to_;; cell = nodes_[cell].parent) {
    points_.push_back(CellIndex{cell});
    if (cell == from_) return points_;
  }
}

}  // namespace drover::search
