// SPDX-License-Identifier: MIT
// Granting steps: cells first, then the bodies on their way.
#include "crowd/reservations.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace drover::crowd {
namespace {

// Agents ahead whose cells are asked for; the occupancy of a large map does not fit the caches.
constexpr std::size_t kAhead = 8;

// Two bodies three cells apart along an axis stay apart along it, whatever one step of each does: discs lie within
// their cells.
constexpr int kTimedReach = 2;

int step_x(std::uint8_t move) { return move < kDirections ? kDx[move] : 0; }
int step_y(std::uint8_t move) { return move < kDirections ? kDy[move] : 0; }

}  // namespace

Reservations::Reservations(Agents& agents, const GridShape& shape, BodyRule bodies, Following following,
                           StepPolicy steps)
    : agents_(agents),
      shape_(shape),
      following_(following),
      table_(bodies),
      strides_(steps),
      cells_(shape.padded_cells()) {
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
  if (at_a.layer != at_b.layer) return 0;
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
  if (strides_.timed()) return reserve_timed(agent, direction);
  return table_.simple() ? reserve_single(agent, direction) : reserve_wide(agent, direction);
}

// One-cell bodies of at most 1/(2 sqrt 2): only who leaves the target, who enters the own cell, and a crossing diagonal
// of the same 2 x 2 block can come too close (enumerated by PairTable::measure).
ReserveResult Reservations::reserve_single(std::uint32_t agent, std::uint8_t direction) noexcept {
  const std::uint32_t here = agents_.cell[agent], there = here + steps_[direction];
  Holders& target = cells_[there];
  if (target.entering != kNobody && target.entering != agent) return {false, Conflict::vertex, target.entering};
  const std::uint32_t leader = target.leaving;
  if (leader != kNobody) {
    const std::uint8_t move = agents_.move[leader];
    if (move == kStay) return {false, Conflict::vertex, leader};
    if (following_ == Following::forbidden) return {false, Conflict::following, leader};
    if (move == kPortal) {
      if (discs()) return {false, Conflict::following, leader};
      if (exchange(agent, there, leader)) return {false, Conflict::edge_swap, leader};
    } else if (move != kUndecided && !table_.clear(agents_.body[agent], agents_.body[leader], kDx[direction],
                                                   kDy[direction], direction, move)) {
      return {false, classify(agent, direction, leader, move), leader};
    }
  }
  const std::uint32_t pusher = cells_[here].entering;
  if (pusher != kNobody) {
    const std::uint8_t move = agents_.move[pusher];
    if (move < kDirections &&
        !table_.clear(agents_.body[agent], agents_.body[pusher], -kDx[move], -kDy[move], direction, move))
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
  each_cell(there, footprint(agent), [&](std::uint32_t cell) { cells_[cell].entering = agent; });
  agents_.move[agent] = direction;
  return {true, Conflict::vertex, kNobody};
}

ReserveResult Reservations::check_cells(std::uint32_t agent, std::uint32_t target) const noexcept {
  const int k = footprint(agent);
  std::uint32_t row = target;
  for (int y = 0; y < k; ++y, row += shape_.stride())
    for (int x = 0; x < k; ++x) {
      const Holders& h = cells_[row + static_cast<std::uint32_t>(x)];
      if (h.entering != kNobody && h.entering != agent) return {false, cells_conflict(agent, h.entering), h.entering};
      if (h.leaving == kNobody || h.leaving == agent) continue;
      if (agents_.move[h.leaving] == kStay) return {false, cells_conflict(agent, h.leaving), h.leaving};
      if (following_ == Following::forbidden || (discs() && agents_.move[h.leaving] == kPortal))
        return {false, Conflict::following, h.leaving};
    }
  return {true, Conflict::vertex, kNobody};
}

// Every body on the cells where another one can matter to this agent at `anchor`, row by row; until one is refused.
template <class Find>
ReserveResult Reservations::each_near(std::uint32_t agent, std::uint32_t anchor, Find&& find) const {
  const int reach = strides_.timed() ? kTimedReach : table_.reach(agents_.body[agent]),
            side = footprint(agent) + 2 * reach;
  const Cell at = anchor == agents_.cell[agent] ? agents_.at[agent] : shape_.cell(CellIndex{anchor});
  const int first_x = std::max(at.x - reach, shape_.origin().x),
            last_x = std::min(at.x - reach + side, shape_.origin().x + shape_.width());
  const int first_y = std::max(at.y - reach, shape_.origin().y),
            last_y = std::min(at.y - reach + side, shape_.origin().y + shape_.height());
  for (int y = first_y; y < last_y; ++y) {
    const std::uint32_t row =
        anchor + static_cast<std::uint32_t>(static_cast<std::int64_t>(y - at.y) * shape_.stride());
    std::uint32_t last = kNobody;
    for (int x = first_x; x < last_x; ++x) {
      const Holders& h = cells_[row + static_cast<std::uint32_t>(x - at.x)];
      if (h.entering != kNobody && portal_steps_ != 0 && h.entering != agent && agents_.move[h.entering] == kPortal)
        if (const ReserveResult result = find(h.entering, agents_.other_end[h.entering]); !result.granted)
          return result;
      if (h.leaving == kNobody || h.leaving == agent || h.leaving == last) continue;
      last = h.leaving;
      if (const ReserveResult result = find(last, agents_.cell[last]); !result.granted) return result;
    }
  }
  return {true, Conflict::vertex, kNobody};
}

// Everyone near must stay apart on the way: decided agents by their step; undecided ones as if they stayed, unless this
// very step pushes them (then they are checked when they decide).
ReserveResult Reservations::check_neighbours(std::uint32_t agent, std::uint8_t direction) const noexcept {
  const Cell at = agents_.at[agent];
  return each_near(agent, agents_.cell[agent], [&](std::uint32_t other, std::uint32_t where) -> ReserveResult {
    std::uint8_t move = agents_.move[other];
    if (move == kPortal && !discs())
      return {!exchange(agent, agents_.cell[agent] + steps_[direction], other), Conflict::edge_swap, other};
    if (move == kUndecided && enters(agent, direction, other)) return {true, Conflict::vertex, kNobody};
    if (move == kUndecided || move == kPortal) move = kStay;
    const bool arrives = where != agents_.cell[other];
    const Cell there = arrives ? shape_.cell(CellIndex{where}) : agents_.at[other];
    if (table_.clear(agents_.body[agent], agents_.body[other], there.x - at.x, there.y - at.y, direction, move))
      return {true, Conflict::vertex, kNobody};
    return {false, arrives ? Conflict::footprint : classify(agent, direction, other, move), other};
  });
}

ReserveResult Reservations::reserve_portal(std::uint32_t agent, PortalStep portal) noexcept {
  const std::uint32_t there = portal.to.value;
  ReserveResult result = check_far_end(agent, there);
  if (result.granted && strides_.timed()) result = check_order(agent, there, passage_ticks(agent, portal));
  if (!result.granted) {
    if (discs() && result.conflict == Conflict::following) keep_free(agent, there);
    return result;
  }
  result = check_near_end(agent, portal);
  if (result.granted && discs() && !table_.simple()) result = check_standing_at(agent, there);
  if (!result.granted) return result;
  each_cell(there, footprint(agent), [&](std::uint32_t cell) { cells_[cell].entering = agent; });
  agents_.move[agent] = kPortal;
  agents_.portal[agent] = portal.portal;
  agents_.other_end[agent] = there;
  ++portal_steps_;
  return result;
}

std::uint32_t Reservations::at_portal(std::uint32_t agent, std::uint32_t anchor) const noexcept {
  std::uint32_t found = kNobody;
  each_cell(anchor, footprint(agent), [&](std::uint32_t cell) {
    const std::uint32_t other = cells_[cell].leaving;
    if (other != kNobody && other != agent && agents_.at_portal[other] && agents_.move[other] == kUndecided)
      found = other;
  });
  return found;
}

void Reservations::keep_free(std::uint32_t agent, std::uint32_t anchor) {
  kept_free_.push_back({agent, anchor});
  each_cell(anchor, footprint(agent), [&](std::uint32_t cell) {
    if (cells_[cell].entering == kNobody) cells_[cell].entering = agent;
  });
}

// --- steps of several ticks

ReserveResult Reservations::reserve_timed(std::uint32_t agent, std::uint8_t direction) noexcept {
  const std::uint32_t there = agents_.cell[agent] + steps_[direction];
  ReserveResult result = check_cells(agent, there);
  if (!result.granted) return result;
  const std::uint32_t length = direction >= 4 ? kDiagonalLength : kStraightLength;
  const std::uint32_t ticks = strides_.step(agent, speed(agent), length).ticks;
  result = check_order(agent, there, ticks);
  if (result.granted) result = check_neighbours_timed(agent, direction, ticks);
  if (!result.granted) return result;
  each_cell(there, footprint(agent), [&](std::uint32_t cell) { cells_[cell].entering = agent; });
  agents_.move[agent] = direction;
  return result;
}

// Whoever leaves these cells is gone when the agent arrives; of those who have not decided: can be.
ReserveResult Reservations::check_order(std::uint32_t agent, std::uint32_t anchor, std::uint32_t ticks) const noexcept {
  ReserveResult result{true, Conflict::vertex, kNobody};
  each_cell(anchor, footprint(agent), [&](std::uint32_t cell) {
    const std::uint32_t leader = cells_[cell].leaving;
    if (!result.granted || leader == kNobody || leader == agent) return;
    if ((steps(leader) ? ticks_left(leader) : quickest(leader)) > ticks)
      result = {false, Conflict::following, leader, true};
  });
  return result;
}

// As check_neighbours(), over the phases; and whoever enters the cells that the agent leaves must not be there first.
ReserveResult Reservations::check_neighbours_timed(std::uint32_t agent, std::uint8_t direction,
                                                   std::uint32_t ticks) const noexcept {
  const std::uint32_t here = agents_.cell[agent];
  const Cell at = agents_.at[agent];
  const Phase own{direction, 0, ticks};
  return each_near(agent, here, [&](std::uint32_t other, std::uint32_t where) -> ReserveResult {
    const std::uint8_t move = agents_.move[other];
    if (move == kUndecided && enters(agent, direction, other)) return {true, Conflict::vertex, kNobody};
    if (steps(other) && ticks_left(other) < ticks && shared_cells(other, target(other), agent, here) > 0)
      return {false, Conflict::following, other};
    if (move == kPortal && !discs())
      return {!exchange(agent, here + steps_[direction], other), Conflict::edge_swap, other};
    const Cell there = shape_.cell(CellIndex{where});
    if (clear(agent, own, other, phase(other), there.x - at.x, there.y - at.y))
      return {true, Conflict::vertex, kNobody};
    const bool arrives = where != agents_.cell[other];
    return {false, arrives ? Conflict::footprint : classify(agent, direction, other, move), other};
  });
}

// Steps that begin together and last equally long meet where steps of one tick do.
bool Reservations::clear(std::uint32_t a, Phase phase_a, std::uint32_t b, Phase phase_b, int dx,
                         int dy) const noexcept {
  const bool whole = (!phase_a.moves() || phase_a.elapsed == 0) && (!phase_b.moves() || phase_b.elapsed == 0);
  const bool together = !phase_a.moves() || !phase_b.moves() || phase_a.ticks == phase_b.ticks;
  if (discs() && whole && together)
    return table_.clear(agents_.body[a], agents_.body[b], dx, dy, phase_a.move, phase_b.move);
  return stay_apart(table_.rule(), table_.body(agents_.body[a]), phase_a, table_.body(agents_.body[b]), phase_b, dx,
                    dy);
}

// Bodies in a portal stand at both ends, undecided ones where they are.
Phase Reservations::phase(std::uint32_t agent) const noexcept {
  if (agents_.move[agent] >= kDirections) return {};
  if (!strides_.under_way(agent)) return {agents_.move[agent], 0, granted_time(agent).ticks};
  const Stride& stride = strides_.of(agent);
  return {agents_.move[agent], static_cast<std::uint32_t>(strides_.now() - stride.start), stride.ticks};
}

StepTime Reservations::granted_time(std::uint32_t agent) const noexcept {
  const std::uint8_t move = agents_.move[agent];
  if (move == kPortal) return strides_.passage(agent, speed(agent), agents_.portal[agent]);
  return strides_.step(agent, speed(agent), move >= 4 ? kDiagonalLength : kStraightLength);
}

std::uint32_t Reservations::ticks_left(std::uint32_t agent) const noexcept {
  if (!strides_.under_way(agent)) return granted_time(agent).ticks;
  return static_cast<std::uint32_t>(strides_.of(agent).end() - strides_.now());
}

std::uint32_t Reservations::quickest(std::uint32_t agent) const noexcept {
  return strides_.step(agent, speed(agent), kStraightLength).ticks;
}

std::uint32_t Reservations::objector(std::uint32_t agent, std::uint32_t anchor) const noexcept {
  std::uint32_t found = any_holder(anchor, agents_.body[agent], agent);
  if (found != kNobody || !strides_.timed()) return found;
  each_cell(anchor, footprint(agent), [&](std::uint32_t cell) {
    const std::uint32_t other = cells_[cell].entering;
    if (other != kNobody && other != agent) found = other;
  });
  if (found != kNobody || !discs()) return found;
  const Cell at = shape_.cell(CellIndex{anchor});
  const ReserveResult result = each_near(agent, anchor, [&](std::uint32_t other, std::uint32_t) -> ReserveResult {
    const Cell from = agents_.at[other];
    const bool passes = strides_.under_way(other) && agents_.move[other] < kDirections &&
                        !clear(agent, Phase{}, other, phase(other), from.x - at.x, from.y - at.y);
    return {!passes, Conflict::footprint, other};
  });
  return result.granted ? kNobody : result.by;
}

void Reservations::place_step(std::uint32_t agent) noexcept {
  each_cell(target(agent), footprint(agent), [&](std::uint32_t cell) { cells_[cell].entering = agent; });
  if (agents_.move[agent] == kPortal) ++portal_steps_;
}

void Reservations::lift_step(std::uint32_t agent) noexcept {
  if (!strides_.under_way(agent)) return;
  release(agent);
  agents_.move[agent] = kStay;
  strides_.forget(agent);
}

// --- portals

// Who stays there outweighs who may leave.
ReserveResult Reservations::check_far_end(std::uint32_t agent, std::uint32_t there) const noexcept {
  ReserveResult result{true, Conflict::vertex, kNobody};
  const auto refuse = [&](Conflict conflict, std::uint32_t by) {
    if (result.granted || result.conflict == Conflict::following) result = {false, conflict, by};
  };
  each_cell(there, footprint(agent), [&](std::uint32_t cell) {
    const Holders& h = cells_[cell];
    if (h.entering != kNobody && h.entering != agent) refuse(cells_conflict(agent, h.entering), h.entering);
    if (h.leaving == kNobody || h.leaving == agent) return;
    if (agents_.move[h.leaving] == kStay)
      refuse(cells_conflict(agent, h.leaving), h.leaving);
    else if (steps(h.leaving) && exchange(agent, there, h.leaving))
      refuse(Conflict::edge_swap, h.leaving);
    else if (result.granted && (discs() || following_ == Following::forbidden))
      refuse(Conflict::following, h.leaving);
  });
  return result;
}

ReserveResult Reservations::check_near_end(std::uint32_t agent, PortalStep portal) const noexcept {
  const std::uint32_t there = portal.to.value;
  ReserveResult result{true, Conflict::vertex, kNobody};
  each_cell(agents_.cell[agent], footprint(agent), [&](std::uint32_t cell) {
    const std::uint32_t pusher = cells_[cell].entering;
    if (!result.granted || pusher == kNobody || pusher == agent || !steps(pusher)) return;
    if (exchange(agent, there, pusher))
      result = {false, Conflict::edge_swap, pusher};
    else if (discs() || (strides_.timed() && ticks_left(pusher) < passage_ticks(agent, portal)))
      result = {false, Conflict::following, pusher};
  });
  return result;
}

// A body that stands there for the whole tick, against those whose step is decided.
ReserveResult Reservations::check_standing_at(std::uint32_t agent, std::uint32_t there) const noexcept {
  const Cell at = shape_.cell(CellIndex{there});
  return each_near(agent, there, [&](std::uint32_t other, std::uint32_t where) -> ReserveResult {
    const std::uint8_t move = agents_.move[other];
    if (move >= kDirections) return {true, Conflict::vertex, kNobody};
    const Cell from = shape_.cell(CellIndex{where});
    if (strides_.timed())
      return {clear(agent, Phase{}, other, phase(other), from.x - at.x, from.y - at.y), Conflict::footprint, other};
    return {table_.clear(agents_.body[agent], agents_.body[other], from.x - at.x, from.y - at.y, kStay, move),
            Conflict::footprint, other};
  });
}

// Each enters cells that the other leaves.
bool Reservations::exchange(std::uint32_t a, std::uint32_t target_a, std::uint32_t b) const noexcept {
  return shared_cells(a, target_a, b, agents_.cell[b]) > 0 && shared_cells(b, target(b), a, agents_.cell[a]) > 0;
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
  each_cell(target(agent), footprint(agent), [&](std::uint32_t cell) {
    if (cells_[cell].entering == agent) cells_[cell].entering = kNobody;
  });
  if (agents_.move[agent] == kPortal) --portal_steps_;
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

// Whoever was overtaken by the one that enters its cell finds it there, and lets it stand.
void Reservations::commit_singles(const std::vector<std::uint32_t>& movers) noexcept {
  for (std::size_t i = 0; i < movers.size(); ++i) {
    if (i + kAhead < movers.size()) {
      const std::uint32_t next = movers[i + kAhead];
      __builtin_prefetch(&cells_[agents_.cell[next]], 1);
      __builtin_prefetch(&cells_[agents_.cell[next] + steps_[agents_.move[next]]], 1);
    }
    const std::uint32_t agent = movers[i], here = agents_.cell[agent];
    const std::uint8_t move = agents_.move[agent];
    const std::uint32_t there = here + steps_[move];
    if (cells_[here].leaving == agent) cells_[here].leaving = kNobody;
    agents_.came_by[agent] = move;
    agents_.cell[agent] = there;
    agents_.at[agent].x += kDx[move];
    agents_.at[agent].y += kDy[move];
    cells_[there] = {agent, kNobody};
  }
}

void Reservations::commit(const std::vector<std::uint32_t>& movers) noexcept {
  if (table_.simple() && portal_steps_ == 0 && kept_free_.empty()) return commit_singles(movers);
  lift_all(movers);
  for (std::size_t i = 0; i < movers.size(); ++i) {
    if (i + kAhead < movers.size()) __builtin_prefetch(&cells_[target(movers[i + kAhead])], 1);
    const std::uint32_t agent = movers[i];
    const std::uint8_t move = agents_.move[agent];
    if (move == kPortal) {
      --portal_steps_;
      std::swap(agents_.cell[agent], agents_.other_end[agent]);
      agents_.at[agent] = shape_.cell(CellIndex{agents_.cell[agent]});
      agents_.came_by[agent] = kStay;
    } else {
      agents_.came_by[agent] = move;
      agents_.cell[agent] += steps_[move];
      agents_.at[agent].x += kDx[move];
      agents_.at[agent].y += kDy[move];
    }
    each_cell(agents_.cell[agent], footprint(agent), [&](std::uint32_t cell) { cells_[cell] = {agent, kNobody}; });
  }
  for (const Kept& kept : kept_free_)
    each_cell(kept.anchor, footprint(kept.agent), [&](std::uint32_t cell) {
      if (cells_[cell].entering == kept.agent) cells_[cell].entering = kNobody;
    });
  kept_free_.clear();
}

}  // namespace drover::crowd
