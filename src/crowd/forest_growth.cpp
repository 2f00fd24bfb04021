// SPDX-License-Identifier: MIT
// Fronts in a heap; the keys of a front never fall, so only its top is looked at.
#include "crowd/forest_growth.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {

void ForestGrowth::begin(ForestDraft& draft, By by, const std::vector<ForestCell>* lanes, const std::uint8_t* occupied,
                         std::uint64_t agents, std::uint64_t latest) {
  draft.clear(ground_);
  draft_ = &draft;
  lanes_ = lanes;
  occupied_ = occupied;
  unclaimed_ = agents;
  latest_ = latest;
  given_up_ = false;
  by_ = by;
  heap_.clear();
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    Front& front = fronts_[i];
    const std::uint32_t gate = ground_.gates[i];
    front.cells.assign(1, gate);
    front.head = 0;
    front.left = ground_.in(gate);
    front.closed = false;
    front.slot = 1;
    heap_.push_back(static_cast<std::uint16_t>(i));
    if (find_next(front, static_cast<std::uint16_t>(i))) front.key = key(front);
  }
  for (std::size_t i = heap_.size(); i-- > 0;) sift_down(i);
}

void ForestGrowth::fetch(std::uint32_t cell) const noexcept {
  const std::uint32_t stride = ground_.steps[static_cast<std::size_t>(Direction::south)];
  for (const std::uint32_t c : {cell - stride, cell, cell + stride}) {
    __builtin_prefetch(&draft_->cells[c], 1);
    if (lanes_ != nullptr) __builtin_prefetch(&(*lanes_)[c]);
  }
  __builtin_prefetch(ground_.graph->reverse_moves() + cell);
}

// The next neighbour that this front may claim.
bool ForestGrowth::find_next(Front& front, std::uint16_t tree) {
  const ForestCell* cells = draft_->cells.data();
  while (front.head < front.cells.size()) {
    const std::uint32_t head = front.cells[front.head];
    for (; front.left != 0; front.left &= static_cast<std::uint8_t>(~(1u << first_of(front.left, ties_)))) {
      const std::uint8_t d = first_of(front.left, ties_);
      const std::uint32_t cell = head + ground_.steps[d];
      if (cells[cell].tree != kNoTree) continue;
      const auto step = static_cast<std::uint8_t>(opposite(static_cast<Direction>(d)));
      if (!ground_.may_follow(step, cells[head].step)) continue;
      if (lanes_ != nullptr) {
        const std::uint16_t owner = (*lanes_)[cell].tree;
        if (owner != kNoTree && owner != tree) continue;
        if (ground_.crosses(lanes_->data(), cell, step)) continue;
      }
      if (ground_.crosses(cells, cell, step)) continue;
      front.direction = d;
      return true;
    }
    if (++front.head < front.cells.size()) front.left = ground_.in(front.cells[front.head]);
    if (front.head + kAhead < front.cells.size()) fetch(front.cells[front.head + kAhead]);
  }
  return false;
}

std::uint64_t ForestGrowth::key(const Front& front) const noexcept {
  const std::uint64_t depth = std::uint64_t{draft_->cells[front.cells[front.head]].depth} + 1;
  const std::uint64_t level = by_ == By::exit_slots ? std::max(depth, front.slot) : depth;
  return level << 32 | depth;
}

void ForestGrowth::claim(Front& front, std::uint16_t tree) {
  ForestDraft& draft = *draft_;
  const std::uint32_t head = front.cells[front.head], cell = head + ground_.steps[front.direction];
  const std::uint32_t depth = draft.cells[head].depth + 1;
  front.left &= static_cast<std::uint8_t>(~(1u << front.direction));
  draft.cells[cell] = {depth, tree, static_cast<std::uint8_t>(opposite(static_cast<Direction>(front.direction)))};
  front.cells.push_back(cell);
  visits_ += kVisitsOfClaim;
  if (occupied_[cell] == 0) return;
  front.slot = std::max<std::uint64_t>(depth, front.slot) + ground_.rules.spacing;
  --unclaimed_;
}

bool ForestGrowth::before(std::uint16_t a, std::uint16_t b) const noexcept {
  return fronts_[a].key != fronts_[b].key ? fronts_[a].key < fronts_[b].key : a < b;
}

void ForestGrowth::sift_down(std::size_t at) {
  for (;;) {
    std::size_t least = at;
    for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child)
      if (before(heap_[child], heap_[least])) least = child;
    if (least == at) return;
    std::swap(heap_[at], heap_[least]);
    at = least;
  }
}

// The top of the heap goes on until another front is before it. True where it is shut in.
bool ForestGrowth::advance_top(std::uint64_t visits) {
  const std::uint16_t tree = heap_.front();
  Front& front = fronts_[tree];
  std::size_t rival = heap_.size() > 1 ? 1 : 0;
  if (heap_.size() > 2 && before(heap_[2], heap_[1])) rival = 2;
  while (find_next(front, tree)) {
    front.key = key(front);
    if ((rival != 0 && before(heap_[rival], tree)) || unclaimed_ == 0 || visits_ >= visits) return false;
    claim(front, tree);
    if (front.slot - 1 > latest_) {
      given_up_ = true;
      return false;
    }
  }
  front.closed = true;
  return true;
}

std::optional<std::uint16_t> ForestGrowth::advance(ForestBudget& budget) {
  std::optional<std::uint16_t> shut;
  while (unclaimed_ > 0 && !heap_.empty() && !shut && !given_up_ && visits_ < budget.left()) {
    if (advance_top(budget.left())) {
      shut = heap_.front();
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    if (!heap_.empty()) sift_down(0);
  }
  budget.spend(visits_);
  visits_ = 0;
  return shut;
}

}  // namespace drover::crowd
