// SPDX-License-Identifier: MIT
// The search visits each cell twice: entering it and leaving it. Ordered as A*: detours are counted, not steps.
#include "crowd/forest_lanes.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {

namespace {

// How a state was reached, beside the direction towards the cell that was left for it.
constexpr std::uint8_t kWithin = 8, kAlongLane = 9, kRoot = 10;

}  // namespace

void ForestLanes::clear() {
  for (const std::uint32_t cell : lane_cells_) reserved_[cell] = ForestCell{};
  lane_cells_.clear();
}

// A single agent needs no lane of its own.
bool ForestLanes::find_unclaimed(const LaneRequest& request) {
  depths_.clear();
  for (const std::uint32_t agent : request.agents)
    if (request.draft->cells[agent].tree == kNoTree) depths_.push_back(request.distance[agent]);
  visits_ += request.agents.size();
  std::sort(depths_.begin(), depths_.end());
  return depths_.size() > 1;
}

void ForestLanes::set_goals(const LaneRequest& request, int level) {
  const bool all = level == request.levels;
  const auto levels = static_cast<std::size_t>(request.levels), n = static_cast<std::size_t>(level);
  least_ = all ? 0 : depths_[std::min(depths_.size() - 1, depths_.size() * (levels - 1 - n) / levels)];
}

bool ForestLanes::is_goal(std::uint32_t cell) const noexcept {
  return request_.occupied[cell] != 0 && request_.distance[cell] >= least_ &&
         request_.draft->cells[cell].tree == kNoTree;
}

// No goal is nearer than this.
std::uint32_t ForestLanes::steps_left(std::uint32_t cell) const noexcept {
  const std::uint32_t distance = request_.distance[cell];
  return distance < least_ ? least_ - distance : 0;
}

void ForestLanes::visit(Visit at, std::uint8_t how, std::uint32_t detour) {
  std::uint8_t& seen = at.leaving ? nodes_[at.cell].left : nodes_[at.cell].entered;
  if (seen != kNone) return;
  seen = how;
  visited_.push_back(at);
  open_[(detour_ + detour) % open_.size()].push_back(at);
}

// True where a goal was entered: it was visited last.
bool ForestLanes::expand(Visit at) {
  const Node& node = nodes_[at.cell];
  if (!at.leaving) {
    if (node.previous == kNone)
      visit({at.cell, true}, kWithin, 0);
    else
      visit({at.cell + ground_.steps[node.previous], true}, kAlongLane, 1);
    return false;
  }
  const std::uint32_t left = steps_left(at.cell);
  for (std::uint8_t in = ground_.in(at.cell), d = 0; in != 0; in &= static_cast<std::uint8_t>(~(1u << d))) {
    d = first_of(in, request_.ties);
    const std::uint32_t next = at.cell + ground_.steps[d];
    const Node& there = nodes_[next];
    if (there.gate || node.next == d) continue;
    const bool goal = is_goal(next);
    if (goal && (there.previous != kNone || there.entered != kNone)) continue;
    visit({next, false}, static_cast<std::uint8_t>(opposite(static_cast<Direction>(d))), 1 + steps_left(next) - left);
    if (goal) return true;
  }
  if (node.previous != kNone) visit({at.cell, false}, kWithin, 0);
  return false;
}

// Follows the search back and sets the new links after all those that are taken back.
void ForestLanes::apply() {
  path_.clear();
  for (Visit at = visited_.back();;) {
    path_.push_back(at);
    const std::uint8_t how = at.leaving ? nodes_[at.cell].left : nodes_[at.cell].entered;
    if (how == kRoot) break;
    if (how == kWithin)
      at.leaving = !at.leaving;
    else if (how == kAlongLane)
      at = {at.cell + ground_.steps[nodes_[at.cell].next], false};
    else
      at = {at.cell + ground_.steps[how], true};
  }
  for (std::size_t i = path_.size() - 1; i > 0; --i) {
    const Visit &a = path_[i], &b = path_[i - 1];
    if (a.cell == b.cell || a.leaving) continue;
    nodes_[b.cell].next = kNone;
    nodes_[a.cell].previous = kNone;
  }
  for (std::size_t i = path_.size() - 1; i > 0; --i) {
    const Visit &a = path_[i], &b = path_[i - 1];
    if (a.cell == b.cell || !a.leaving) continue;
    const std::uint8_t back = nodes_[b.cell].entered;
    nodes_[b.cell].previous = back;
    nodes_[a.cell].next = static_cast<std::uint8_t>(opposite(static_cast<Direction>(back)));
    used_.push_back(b.cell);
  }
}

// The gate cell that got a lane, or kNobody.
std::uint32_t ForestLanes::augment(std::span<const std::uint32_t> roots) {
  visited_.clear();
  detour_ = 0;
  for (const std::uint32_t root : roots) visit({root, true}, kRoot, 0);
  bool found = false;
  for (std::uint32_t empty = 0; !found && empty < open_.size() && visits_ + 4 * visited_.size() < most_visits_;) {
    std::vector<Visit>& open = open_[detour_ % open_.size()];
    if (open.empty()) {
      ++detour_;
      ++empty;
      continue;
    }
    empty = 0;
    const Visit at = open.back();
    open.pop_back();
    found = expand(at);
  }
  for (std::vector<Visit>& open : open_) open.clear();
  visits_ += 4 * visited_.size();
  std::uint32_t root = kNobody;
  if (found) {
    apply();
    root = path_.back().cell;
  }
  for (const Visit& v : visited_) nodes_[v.cell].entered = nodes_[v.cell].left = kNone;
  return root;
}

void ForestLanes::augment_all(std::span<const std::uint8_t> closed, std::uint16_t but) {
  for (;;) {
    roots_.clear();
    for (std::size_t g = 0; g < has_lane_.size(); ++g)
      if (g != but && closed[g] == 0 && has_lane_[g] == 0) roots_.push_back(ground_.gates[g]);
    if (roots_.empty()) return;
    const std::uint32_t root = augment(roots_);
    if (root == kNobody) return;
    for (std::size_t g = 0; g < has_lane_.size(); ++g)
      if (ground_.gates[g] == root) has_lane_[g] = 1;
  }
}

bool ForestLanes::uncross_at(std::uint32_t cell) {
  const std::uint8_t d = nodes_[cell].next;
  if (d == kNone || d < 4) return false;
  static constexpr std::uint8_t kAcross[] = {1, 1, 3, 3}, kAlong[] = {0, 2, 2, 0};
  for (const bool along : {false, true}) {
    const std::uint8_t side = along ? kAlong[d - 4] : kAcross[d - 4], other = along ? kAcross[d - 4] : kAlong[d - 4];
    const auto back = static_cast<std::uint8_t>(along ? d ^ 1 : 11 - d);
    const std::uint32_t t = cell + ground_.steps[side];
    if (nodes_[t].next != back) continue;
    // cell -> e and t -> f become cell -> f and t -> e.
    const std::uint32_t f = cell + ground_.steps[other], e = cell + ground_.steps[d];
    if (((ground_.in(cell) >> other) & 1) == 0 || ((ground_.in(t) >> other) & 1) == 0) continue;
    nodes_[cell].next = nodes_[t].next = other;
    nodes_[f].previous = nodes_[e].previous = static_cast<std::uint8_t>(opposite(static_cast<Direction>(other)));
    return true;
  }
  return false;
}

// Two crossing diagonals become two straight steps; fewer diagonals each time, so it ends.
void ForestLanes::uncross() {
  for (bool again = true; again;) {
    again = false;
    for (const std::uint32_t gate : ground_.gates) again = uncross_at(gate) || again;
    for (const std::uint32_t cell : used_) again = uncross_at(cell) || again;
    visits_ += used_.size();
  }
}

void ForestLanes::reserve() {
  clear();
  for (std::size_t g = 0; g < has_lane_.size(); ++g)
    for (std::uint32_t cell = ground_.gates[g]; nodes_[cell].next != kNone;) {
      cell += ground_.steps[nodes_[cell].next];
      reserved_[cell] = {0, static_cast<std::uint16_t>(g), nodes_[cell].previous};
      lane_cells_.push_back(cell);
    }
}

bool ForestLanes::open(const LaneRequest& request, std::span<const std::uint8_t> closed, ForestBudget& budget) {
  request_ = request;
  most_visits_ = budget.left();
  nodes_.assign(ground_.cells(), Node{});
  reserved_.resize(ground_.cells());
  used_.clear();
  std::fill(has_lane_.begin(), has_lane_.end(), 0);
  for (const std::uint32_t gate : ground_.gates) nodes_[gate].gate = true;
  bool served = request.shut == kNoTree;
  const bool any = find_unclaimed(request);
  for (int level = 0; any && level <= request.levels && visits_ < budget.left(); ++level) {
    set_goals(request, level);
    augment_all(closed, request.shut);
    if (served) continue;
    served = augment({&ground_.gates[request.shut], 1}) != kNobody;
    if (served) has_lane_[request.shut] = 1;
  }
  if (any && served) {
    uncross();
    reserve();
  }
  budget.spend(visits_);
  visits_ = 0;
  return any && served;
}

}  // namespace drover::crowd
