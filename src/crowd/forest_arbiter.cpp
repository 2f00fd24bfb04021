// SPDX-License-Identifier: MIT
// All agents of one depth claim, then the winners move; so their order within a depth does not matter.
#include "crowd/forest_arbiter.hpp"

#include <algorithm>

namespace drover::crowd {

ForestArbiter::ForestArbiter(const GridShape& shape) : places_(shape.padded_cells()) {
  for (int d = 0; d < kDirections; ++d) steps_[static_cast<std::size_t>(d)] = shape.step(static_cast<Direction>(d));
}

void ForestArbiter::adopt(std::shared_ptr<const Forest> forest) {
  forest_ = std::move(forest);
  finish_.assign(forest_->finish().begin(), forest_->finish().end());
  sorted_ = false;
}

void ForestArbiter::add(const Agents& agents, std::uint32_t agent) {
  const std::uint32_t cell = agents.cell[agent];
  order_.push_back({cell, agent});
  places_[cell].holder = agent;
  sorted_ = false;
}

void ForestArbiter::clear() noexcept {
  for (const Entry& e : order_) places_[e.cell].holder = kNobody;
  order_.clear();
}

bool ForestArbiter::has_exactly(const Agents& agents, const std::vector<std::uint32_t>& undecided) const noexcept {
  return order_.size() == undecided.size() && std::all_of(order_.begin(), order_.end(), [&](const Entry& e) {
           return agents.cell[e.agent] == e.cell && agents.move[e.agent] == kUndecided;
         });
}

void ForestArbiter::cells(std::vector<std::uint32_t>& out) const {
  out.clear();
  for (const Entry& e : order_) out.push_back(e.cell);
}

void ForestArbiter::sort() {
  const ForestCell* cells = forest_->cells();
  std::uint32_t deepest = 0;
  for (const Entry& e : order_) deepest = std::max(deepest, cells[e.cell].depth);
  counts_.assign(std::size_t{deepest} + 2, 0);
  for (const Entry& e : order_) ++counts_[cells[e.cell].depth + 1];
  for (std::size_t d = 1; d < counts_.size(); ++d) counts_[d] += counts_[d - 1];
  stay_.resize(order_.size());
  for (const Entry& e : order_) stay_[counts_[cells[e.cell].depth]++] = e;
  order_.swap(stay_);
  stay_.clear();
  sorted_ = true;
}

bool ForestArbiter::precedes(const Agents& agents, std::uint32_t a, std::uint32_t b) const noexcept {
  if (agents.priority_class[a] != agents.priority_class[b]) return agents.priority_class[a] > agents.priority_class[b];
  if (agents.age[a] != agents.age[b]) return agents.age[a] > agents.age[b];
  return agents.key[a] < agents.key[b];
}

void ForestArbiter::claim(const Agents& agents, std::size_t begin, std::size_t end) {
  const ForestCell* cells = forest_->cells();
  for (std::size_t i = begin; i < end; ++i) {
    const Entry& e = order_[i];
    Place& target = places_[e.cell + steps_[cells[e.cell].step]];
    if (target.holder != kNobody) continue;
    if (target.claim == kNobody || precedes(agents, e.agent, target.claim)) target.claim = e.agent;
  }
}

void ForestArbiter::walk(Agents& agents, const Entry& e, std::uint8_t step) {
  const std::uint32_t to = e.cell + steps_[step];
  agents.move[e.agent] = step;
  if (forest_->rules().spacing == 1)
    places_[e.cell].holder = kNobody;
  else
    left_.push_back(e.cell);
  if (forest_->at(to).depth == 0) {
    arrived_.push_back(e.agent);
  } else {
    places_[to].holder = e.agent;
    order_[kept_++] = {to, e.agent};
  }
}

// A free cell one step nearer in a tree that will be done earlier: then that tree is still done no later than this one.
std::uint8_t ForestArbiter::faster(const Entry& e) const noexcept {
  const ForestCell* cells = forest_->cells();
  const ForestCell& own = cells[e.cell];
  if (own.tree == kNoTree || forest_->rules().spacing != 1) return kStay;
  for (std::uint8_t step = 0; step < 4; ++step) {
    const std::uint32_t to = e.cell + steps_[step];
    const ForestCell& there = cells[to];
    if (there.tree == kNoTree || there.tree == own.tree || there.depth + 1 != own.depth || there.depth == 0) continue;
    if (places_[to].holder != kNobody || finish_[there.tree] >= finish_[own.tree]) continue;
    if (((forest_->graph().moves()[e.cell] >> step) & 1) == 0 || !forest_->rules().follows(step, there.step)) continue;
    if (may_leave_by(e.cell, step)) return step;
  }
  return kStay;
}

// Whoever comes behind along the tree may follow this step too.
bool ForestArbiter::may_leave_by(std::uint32_t cell, std::uint8_t step) const noexcept {
  for (int d = 0; d < kDirections; ++d) {
    const auto behind = static_cast<std::uint8_t>(opposite(static_cast<Direction>(d)));
    if (forest_->at(cell + steps_[static_cast<std::size_t>(d)]).step == behind &&
        !forest_->rules().follows(behind, step))
      return false;
  }
  return true;
}

// Those that move have the depth of those that stayed before them, so the order stays sorted.
void ForestArbiter::move(Agents& agents, std::size_t begin, std::size_t end) {
  const ForestCell* cells = forest_->cells();
  stay_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const Entry& e = order_[i];
    const std::uint32_t to = e.cell + steps_[cells[e.cell].step];
    const Place& target = places_[to];
    if (target.claim == e.agent) continue;
    agents.wanted[e.agent] = to;
    agents.by[e.agent] = target.claim != kNobody ? target.claim : target.holder;
    stay_.push_back(e);
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Entry e = order_[i];
    const std::uint8_t step = cells[e.cell].step;
    Place& target = places_[e.cell + steps_[step]];
    if (target.claim != e.agent) continue;
    target.claim = kNobody;
    walk(agents, e, step);
  }
  change_trees(agents);
  for (const Entry& e : stay_) {
    agents.move[e.agent] = kStay;
    order_[kept_++] = e;
  }
}

// Of those that stay.
void ForestArbiter::change_trees(Agents& agents) {
  change_.clear();
  std::size_t stay = 0;
  for (const Entry& e : stay_) {
    if (faster(e) != kStay)
      change_.push_back(e);
    else
      stay_[stay++] = e;
  }
  stay_.resize(stay);
  if (change_.size() > 1)
    std::sort(change_.begin(), change_.end(),
              [&](const Entry& a, const Entry& b) { return precedes(agents, a.agent, b.agent); });
  for (const Entry& e : change_) {
    const std::uint8_t step = faster(e);
    if (step == kStay) {
      stay_.push_back(e);
      continue;
    }
    ++finish_[forest_->at(e.cell + steps_[step]).tree];
    walk(agents, e, step);
  }
}

std::span<const std::uint32_t> ForestArbiter::decide(Agents& agents) {
  constexpr std::size_t kAhead = 12;
  if (!sorted_) sort();
  arrived_.clear();
  left_.clear();
  kept_ = 0;
  const ForestCell* cells = forest_->cells();
  for (std::size_t begin = 0; begin < order_.size();) {
    const std::uint32_t depth = cells[order_[begin].cell].depth;
    std::size_t end = begin;
    for (; end < order_.size() && cells[order_[end].cell].depth == depth; ++end) {
      if (end + kAhead >= order_.size()) continue;
      const Entry& ahead = order_[end + kAhead];
      __builtin_prefetch(&cells[ahead.cell]);
      __builtin_prefetch(&places_[ahead.cell], 1);
      __builtin_prefetch(&agents.cell[ahead.agent], 1);
      __builtin_prefetch(&agents.age[ahead.agent], 1);
    }
    claim(agents, begin, end);
    move(agents, begin, end);
    begin = end;
  }
  order_.resize(kept_);
  for (const std::uint32_t cell : left_) places_[cell].holder = kNobody;
  return arrived_;
}

}  // namespace drover::crowd
