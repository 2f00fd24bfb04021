// SPDX-License-Identifier: MIT
// Granting steps: cells first, then the bodies on their way.
#include "crowd/reservations.hpp"

#include <algorithm>
#include <cstdlib>

namespace drover::crowd {
namespace {

// Agents ahead whose cells are asked for; the occupancy of a large map does not fit the caches.
constexpr std::size_t kAhead = 8;

int step_x(std::uint8_t move) { return move < kDirections ? kDx[move] : 0; }
int step_y(std::uint8_t move) { return move < kDirections ? kDy[move] : 0; }

}  // namespace

Reservations::Reservations(Agents& agents, const GridShape& shape, BodyRule bodies, Following following)
    : agents_(agents), shape_(shape), following_(following), table_(bodies), cells_(shape.padded_cells()) {
  for (int d = 0; d < kDirections; ++d) steps_[d] = shape.step(static_cast<Direction>(d));
  steps_[kStay] = 0;
}

std::uint32_t Reservations::any_holder(std::uint32_t cell, std::uint8_t body, std::uint32_t self) const noexcept {
  const int k = table_.body(body).footprint;
  for (int y = 0; y < k; ++y, cell += shape_.stride())
    for (int x = 0; x < k; ++x) {
      const std::uint32_t who = cells_[cell + static_cast<std::uint32_t>(x)].leaving;
      if (who != kNobody && who != self) return who;
    }
  return kNobody;
}

bool Reservations::is_free(std::uint32_t cell, std::uint8_t body) const noexcept {
  return any_holder(cell, body, kNobody) == kNobody;
}

int Reservations::shared_cells(std::uint32_t a, std::uint32_t cell_a, std::uint32_t b,
                               std::uint32_t cell_b) const noexcept {
  const Cell at_a = shape_.cell(CellIndex{cell_a}), at_b = shape_.cell(CellIndex{cell_b});
  const int width = std::min(at_a.x + footprint(a), at_b.x + footprint(b)) - std::max(at_a.x, at_b.x);
  const int height = std::min(at_a.y + footprint(a), at_b.y + footprint(b)) - std::max(at_a.y, at_b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

void Reservations::place(std::uint32_t agent) noexcept {
  const int k = footprint(agent);
  std::uint32_t row = agents_.cell[agent];
  for (int y = 0; y < k; ++y, row += shape_.stride())
    for (int x = 0; x < k; ++x) cells_[row + static_cast<std::uint32_t>(x)].leaving = agent;
}

void Reservations::lift(std::uint32_t agent) noexcept {
  const int k = footprint(agent);
  std::uint32_t row = agents_.cell[agent];
  for (int y = 0; y < k; ++y, row += shape_.stride())
    for (int x = 0; x < k; ++x) {
      Holders& h = cells_[row + static_cast<std::uint32_t>(x)];
      if (h.leaving == agent) h.leaving = kNobody;
    }
}

void Reservations::place_all(const std::vector<std::uint32_t>& agents) noexcept {
  const bool one_cell = table_.simple();
  for (std::size_t i = 0; i < agents.size(); ++i) {
    if (i + kAhead < agents.size()) __builtin_prefetch(&cells_[agents_.cell[agents[i + kAhead]]], 1);
    if (one_cell)
      cells_[agents_.cell[agents[i]]].leaving = agents[i];
    else
      place(agents[i]);
  }
}

void Reservations::lift_all(const std::vector<std::uint32_t>& agents) noexcept {
  const bool one_cell = table_.simple();
  for (std::size_t i = 0; i < agents.size(); ++i) {
    if (i + kAhead < agents.size()) __builtin_prefetch(&cells_[agents_.cell[agents[i + kAhead]]], 1);
    if (one_cell)
      cells_[agents_.cell[agents[i]]].leaving = kNobody;
    else
      lift(agents[i]);
  }
}

ReserveResult Reservations::reserve(std::uint32_t agent, std::uint8_t direction) noexcept {
  return table_.simple() ? reserve_single(agent, direction) : reserve_wide(agent, direction);
}

// One-cell bodies of at most 1/(2 sqrt 2): only who leaves the target, who enters the own cell, and a crossing diagonal
// of the same 2 x 2 block can come too close (enumerated by PairTable::measure).
ReserveResult Reservations::reserve_single(std::uint32_t agent, std::uint8_t direction) noexcept {
  const std::uint32_t here = agents_.cell[agent], there = here + steps_[direction];
  Holders& target = cells_[there];
  if (target.entering != kNobody) return {false, Conflict::vertex, target.entering};
  const std::uint32_t leader = target.leaving;
  if (leader != kNobody) {
    const std::uint8_t move = agents_.move[leader];
    if (move == kStay) return {false, Conflict::vertex, leader};
    if (following_ == Following::forbidden) return {false, Conflict::following, leader};
    if (move != kUndecided &&
        !table_.clear(agents_.body[agent], agents_.body[leader], kDx[direction], kDy[direction], direction, move))
      return {false, classify(agent, direction, leader, move), leader};
  }
  const std::uint32_t pusher = cells_[here].entering;
  if (pusher != kNobody) {
    const std::uint8_t move = agents_.move[pusher];
    if (!table_.clear(agents_.body[agent], agents_.body[pusher], -kDx[move], -kDy[move], direction, move))
      return {false, classify(agent, direction, pusher, move), pusher};
  }
  if (direction >= 4) {
    const std::uint32_t side = here + static_cast<std::uint32_t>(kDx[direction]),
                        other = there - static_cast<std::uint32_t>(kDx[direction]);
    const std::uint32_t a = cells_[side].leaving, b = cells_[other].leaving;
    if (a != kNobody && agents_.move[a] < kDirections && side + steps_[agents_.move[a]] == other)
      return {false, Conflict::diagonal_cross, a};
    if (b != kNobody && agents_.move[b] < kDirections && other + steps_[agents_.move[b]] == side)
      return {false, Conflict::diagonal_cross, b};
  }
  target.entering = agent;
  agents_.move[agent] = direction;
  return {true, Conflict::vertex, kNobody};
}

ReserveResult Reservations::reserve_wide(std::uint32_t agent, std::uint8_t direction) noexcept {
  const std::uint32_t there = agents_.cell[agent] + steps_[direction];
  ReserveResult refused = check_cells(agent, there);
  if (!refused.granted) return refused;
  refused = check_neighbours(agent, direction);
  if (!refused.granted) return refused;
  const int k = footprint(agent);
  std::uint32_t row = there;
  for (int y = 0; y < k; ++y, row += shape_.stride())
    for (int x = 0; x < k; ++x) cells_[row + static_cast<std::uint32_t>(x)].entering = agent;
  agents_.move[agent] = direction;
  return {true, Conflict::vertex, kNobody};
}

ReserveResult Reservations::check_cells(std::uint32_t agent, std::uint32_t target) const noexcept {
  const int k = footprint(agent);
  std::uint32_t row = target;
  for (int y = 0; y < k; ++y, row += shape_.stride())
    for (int x = 0; x < k; ++x) {
      const Holders& h = cells_[row + static_cast<std::uint32_t>(x)];
      if (h.entering != kNobody)
        return {false, k == 1 && footprint(h.entering) == 1 ? Conflict::vertex : Conflict::footprint, h.entering};
      if (h.leaving == kNobody || h.leaving == agent) continue;
      if (agents_.move[h.leaving] == kStay)
        return {false, k == 1 && footprint(h.leaving) == 1 ? Conflict::vertex : Conflict::footprint, h.leaving};
      if (following_ == Following::forbidden) return {false, Conflict::following, h.leaving};
    }
  return {true, Conflict::vertex, kNobody};
}

// Everyone near must stay apart on the way: decided agents by their step; undecided ones as if they stayed, unless this
// very step pushes them (then they are checked when they decide).
ReserveResult Reservations::check_neighbours(std::uint32_t agent, std::uint8_t direction) const noexcept {
  const int reach = table_.reach(agents_.body[agent]), side = footprint(agent) + 2 * reach;
  const Cell at = agents_.at[agent];
  const int first_x = std::max(at.x - reach, shape_.origin().x),
            last_x = std::min(at.x - reach + side, shape_.origin().x + shape_.width());
  const int first_y = std::max(at.y - reach, shape_.origin().y),
            last_y = std::min(at.y - reach + side, shape_.origin().y + shape_.height());
  for (int y = first_y; y < last_y; ++y) {
    const std::uint32_t row =
        agents_.cell[agent] + static_cast<std::uint32_t>(static_cast<std::int64_t>(y - at.y) * shape_.stride());
    std::uint32_t last = kNobody;
    for (int x = first_x; x < last_x; ++x) {
      const std::uint32_t other = cells_[row + static_cast<std::uint32_t>(x - at.x)].leaving;
      if (other == kNobody || other == agent || other == last) continue;
      last = other;
      std::uint8_t move = agents_.move[other];
      if (move == kUndecided) {
        if (enters(agent, direction, other)) continue;
        move = kStay;
      }
      if (!table_.clear(agents_.body[agent], agents_.body[other], agents_.at[other].x - at.x,
                        agents_.at[other].y - at.y, direction, move))
        return {false, classify(agent, direction, other, move), other};
    }
  }
  return {true, Conflict::vertex, kNobody};
}

// a's cells after its step meet b's cells before b's.
bool Reservations::enters(std::uint32_t a, std::uint8_t move_a, std::uint32_t b) const noexcept {
  const int dx = agents_.at[b].x - agents_.at[a].x - step_x(move_a),
            dy = agents_.at[b].y - agents_.at[a].y - step_y(move_a);
  return dx < footprint(a) && dx > -footprint(b) && dy < footprint(a) && dy > -footprint(b);
}

Conflict Reservations::classify(std::uint32_t a, std::uint8_t move_a, std::uint32_t b,
                                std::uint8_t move_b) const noexcept {
  const bool a_enters = enters(a, move_a, b), b_enters = enters(b, move_b, a);
  if (a_enters && b_enters) return Conflict::edge_swap;
  if (a_enters || b_enters) return Conflict::following;
  const bool diagonals = move_a >= 4 && move_a < kDirections && move_b >= 4 && move_b < kDirections;
  return diagonals ? Conflict::diagonal_cross : Conflict::footprint;
}

void Reservations::release(std::uint32_t agent) noexcept {
  const int k = footprint(agent);
  std::uint32_t row = target(agent);
  for (int y = 0; y < k; ++y, row += shape_.stride())
    for (int x = 0; x < k; ++x) {
      Holders& h = cells_[row + static_cast<std::uint32_t>(x)];
      if (h.entering == agent) h.entering = kNobody;
    }
  agents_.move[agent] = kUndecided;
}

std::uint32_t Reservations::next_to_push(std::uint32_t agent) const noexcept {
  const int k = footprint(agent);
  std::uint32_t row = target(agent);
  for (int y = 0; y < k; ++y, row += shape_.stride())
    for (int x = 0; x < k; ++x) {
      const std::uint32_t who = cells_[row + static_cast<std::uint32_t>(x)].leaving;
      if (who != kNobody && agents_.move[who] == kUndecided) return who;
    }
  return kNobody;
}

bool Reservations::intact(std::uint32_t agent) const noexcept {
  const int k = footprint(agent);
  std::uint32_t row = target(agent);
  for (int y = 0; y < k; ++y, row += shape_.stride())
    for (int x = 0; x < k; ++x) {
      const Holders& h = cells_[row + static_cast<std::uint32_t>(x)];
      if (h.entering != agent) return false;
      if (h.leaving != kNobody && h.leaving != agent && agents_.move[h.leaving] == kStay) return false;
    }
  return true;
}

void Reservations::commit(const std::vector<std::uint32_t>& movers) noexcept {
  lift_all(movers);
  for (std::size_t i = 0; i < movers.size(); ++i) {
    if (i + kAhead < movers.size()) __builtin_prefetch(&cells_[target(movers[i + kAhead])], 1);
    const std::uint32_t agent = movers[i];
    const std::uint8_t move = agents_.move[agent];
    agents_.came_by[agent] = move;
    agents_.cell[agent] += steps_[move];
    agents_.at[agent].x += kDx[move];
    agents_.at[agent].y += kDy[move];
    const int k = footprint(agent);
    std::uint32_t row = agents_.cell[agent];
    for (int y = 0; y < k; ++y, row += shape_.stride())
      for (int x = 0; x < k; ++x) cells_[row + static_cast<std::uint32_t>(x)] = {agent, kNobody};
  }
}

}  // namespace drover::crowd
