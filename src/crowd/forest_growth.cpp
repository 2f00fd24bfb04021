// SPDX-License-Identifier: MIT
// Fronts in a heap; the keys of a front never fall, so only its top is looked at.
#include "crowd/forest_growth.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {

void ForestGrowth::begin(ForestDraft& draft, By by, std::span<const std::uint64_t> prices,
                         const std::vector<ForestCell>* lanes, const std::uint8_t* occupied, std::uint64_t agents, std::uint64_t latest) {
  draft.clear(ground_);
  draft_ = &draft;
  lanes_ = lanes;
  occupied_ = occupied;
  unclaimed_ = agents;
  latest_ = latest;
  by_ = by;
  heap_.clear();
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    Front& front = fronts_[i];
    const std::uint32_t gate = ground_.gates[i];
    front.cells.assign(1, gate);
    front.head = 0;
    front.left = ground_.in(gate);
    front.closed = false;
    front.price = prices.empty() ? 0 : prices[i];
    front.slot = by == By::exit_slots ? 1 + front.price : 1;
    heap_.push_back(static_cast<std::uint16_t>(i));
    if (find_next(front, static_cast<std::uint16_t>(i))) front.key = key(front);
  }
  for (std::size_t i = heap_.size(); i-- > 0;) sift_down(i);
}

// The next neighbour that this front may claim.
bool ForestGrowth::find_next(Front& front, std::uint16_t tree) {
  const ForestCell* cells = draft_->cells.data();
  while (front.head < front.cells.size()) {
    const std::uint32_t head = front.cells[front.head];
    for (; front.left != 0; front.left &= static_cast<std::uint8_t>(front.left - 1)) {
      ++visits_;
      const auto d = static_cast<std::uint8_t>(std::countr_zero(front.left));
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
  }
  return false;
}

std::uint64_t ForestGrowth::key(const Front& front) const noexcept {
  const std::uint64_t depth = std::uint64_t{draft_->cells[front.cells[front.head]].depth} + 1;
  const std::uint64_t level = by_ == By::exit_slots ? std::max(depth, front.slot) : depth + front.price;
  return level << 32 | depth;
}

void ForestGrowth::claim(Front& front, std::uint16_t tree) {
  ForestDraft& draft = *draft_;
  const std::uint32_t head = front.cells[front.head], cell = head + ground_.steps[front.direction];
  const std::uint32_t depth = draft.cells[head].depth + 1;
  front.left &= static_cast<std::uint8_t>(front.left - 1);
  draft.cells[cell] = {depth, tree,
                       static_cast<std::uint8_t>(opposite(static_cast<Direction>(front.direction)))};
  front.cells.push_back(cell);
  if (occupied_[cell] == 0) return;
  const std::uint64_t start = by_ == By::exit_slots ? front.price : 0;
  const std::uint64_t exit = std::max<std::uint64_t>(depth + start, front.slot);
  front.slot = exit + ground_.rules.spacing;
  --unclaimed_;
  if (exit - start > latest_) heap_.clear();
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

std::optional<std::uint16_t> ForestGrowth::advance(ForestBudget& budget) {
  std::optional<std::uint16_t> shut;
  while (unclaimed_ > 0 && !heap_.empty() && !shut && visits_ < budget.left()) {
    const std::uint16_t tree = heap_.front();
    Front& front = fronts_[tree];
    if (!find_next(front, tree)) {
      front.closed = true;
      heap_.front() = heap_.back();
      heap_.pop_back();
      shut = tree;
    } else if (const std::uint64_t now = key(front); now != front.key) {
      front.key = now;
    } else {
      claim(front, tree);
    }
    if (!heap_.empty()) sift_down(0);
  }
  budget.spend(visits_);
  visits_ = 0;
  return shut;
}

}  // namespace drover::crowd
