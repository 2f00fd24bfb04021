// SPDX-License-Identifier: MIT
// Priority inheritance with an explicit stack and an undo log.
#include "crowd/arbiter.hpp"

#include <bit>

namespace drover::crowd {
namespace {

// As many as an agent has neighbours that might push it: bounds the work of a tick.
constexpr std::uint8_t kMaxExcuses = 8;

}  // namespace
Arbiter::Arbiter(Agents& agents, Reservations& reservations, const GridShape& shape) noexcept
    : agents_(agents), reservations_(reservations) {
  for (int d = 0; d < kDirections; ++d) steps_[static_cast<std::size_t>(d)] = shape.step(static_cast<Direction>(d));
}

void Arbiter::run(const std::vector<std::uint32_t>& order, const CandidateSource& source) {
  source_ = &source;
  portals_ = source.has_portals();
  passing_ = portals_ && reservations_.table().rule() == BodyRule::discs;
  constexpr std::size_t kAhead = 8;
  const bool simple = reservations_.table().simple() && !reservations_.strides().timed();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kAhead < order.size()) reservations_.fetch_ahead(agents_.cell[order[i + kAhead]]);
    const std::uint32_t agent = order[i];
    if (agents_.move[agent] != kUndecided || (simple && take_free_step(agent))) continue;
    decide(agent);
  }
}

// Most agents of a loose crowd end here: an optimal cell that nobody holds or claims.
bool Arbiter::take_free_step(std::uint32_t agent) {
  if (agents_.went_up[agent] || agents_.yield_ticks[agent] != 0) return false;
  const std::uint32_t here = agents_.cell[agent];
  for (unsigned wish = agents_.wish[agent]; wish; wish &= wish - 1) {
    const auto d = static_cast<std::uint8_t>(std::countr_zero(wish));
    const std::uint32_t there = here + steps_[d];
    if (reservations_.reserve_free(agent, here, d)) return true;
    if (reservations_.holder(there) != kNobody || reservations_.entering(there) != kNobody) continue;
    if (reservations_.reserve(agent, d).granted) return true;
  }
  return false;
}

void Arbiter::open(std::uint32_t agent, std::uint32_t pusher) {
  Frame frame;
  frame.agent = agent;
  frame.pusher = pusher;
  frame.log_mark = static_cast<std::uint32_t>(log_.size());
  frame.one_crowd = stack_.empty() || (stack_.back().one_crowd && agents_.pair[agent] == agents_.pair[pusher] &&
                                       agents_.priority_class[agent] == agents_.priority_class[pusher]);
  if (agents_.yield_ticks[agent] != 0) {
    if (list_retreat(frame)) {
      stack_.push_back(frame);
      return;
    }
    agents_.yield_ticks[agent] = 0;
    frame.extended = false;
  }
  // Free cells first, then those whose holder would have to be pushed; back to where a step aside came from only at
  // last.
  const std::uint32_t here = agents_.cell[agent];
  const std::uint8_t wish = agents_.wish[agent];
  unsigned held = 0, back = 0;
  for (unsigned rest = wish; rest; rest &= rest - 1) {
    const auto d = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t there = here + steps_[d];
    if (agents_.went_up[agent] && leads_back(agent, d))
      back |= 1u << d;
    else if (reservations_.any_holder(there, agents_.body[agent], agent) != kNobody)
      held |= 1u << d;
    else
      frame.candidates[frame.count++] = static_cast<std::uint8_t>(d);
  }
  for (; held; held &= held - 1) frame.candidates[frame.count++] = static_cast<std::uint8_t>(std::countr_zero(held));
  for (; back; back &= back - 1) frame.candidates[frame.count++] = static_cast<std::uint8_t>(std::countr_zero(back));
  frame.optimal = frame.count;
  stack_.push_back(frame);
}

// Steps that leave more room where the other wants to stand, free ones first; nothing once all of it is free. Who
// yields may push its own crowd back. False where it cannot get out of the way.
bool Arbiter::list_retreat(Frame& frame) const {
  frame.extended = true;
  frame.one_crowd = false;
  const std::uint32_t agent = frame.agent, here = agents_.cell[agent];
  int in_the_way = reservations_.shared_cells(agent, here, agents_.yield_to[agent], agents_.yield_cell[agent]);
  if (in_the_way == 0) return true;
  CandidateList list = source_->rank(agent, source_->beyond_wish(agent));
  for (unsigned wish = agents_.wish[agent]; wish; wish &= wish - 1)
    list.items[static_cast<std::size_t>(list.count++)].direction = static_cast<std::uint8_t>(std::countr_zero(wish));
  std::array<int, kDirections> shared{};
  for (int i = 0; i < list.count; ++i) {
    const std::uint8_t direction = list.items[static_cast<std::size_t>(i)].direction;
    const std::uint32_t there = here + steps_[direction];
    int left = reservations_.shared_cells(agent, there, agents_.yield_to[agent], agents_.yield_cell[agent]);
    if (left > in_the_way) continue;
    if (reservations_.any_holder(there, agents_.body[agent], agent) != kNobody)
      left = 2 * left + 1;
    else
      left *= 2;
    std::size_t at = frame.count++;
    for (; at > 0 && shared[at - 1] > left; --at) {
      shared[at] = shared[at - 1];
      frame.candidates[at] = frame.candidates[at - 1];
    }
    shared[at] = left;
    frame.candidates[at] = direction;
  }
  return frame.count > 0;
}

bool Arbiter::leads_back(std::uint32_t agent, unsigned direction) const noexcept {
  const std::uint8_t came_by = agents_.came_by[agent];
  return came_by != kStay && opposite(static_cast<Direction>(came_by)) == static_cast<Direction>(direction);
}

bool Arbiter::stands(std::uint32_t agent) const noexcept {
  return agents_.state[agent] != AgentState::moving && agents_.state[agent] != AgentState::waiting;
}

std::uint8_t Arbiter::free_of(std::uint32_t agent, std::uint8_t directions) const noexcept {
  std::uint8_t free = 0;
  for (unsigned rest = directions; rest; rest &= rest - 1) {
    const auto d = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t there = agents_.cell[agent] + steps_[d];
    if (reservations_.entering(there) == kNobody &&
        reservations_.any_holder(there, agents_.body[agent], agent) == kNobody)
      free = static_cast<std::uint8_t>(free | 1u << d);
  }
  return free;
}

// What is left when no optimal step was granted. Unpushed: closer by a detour, or aside (not uphill twice in a row)
// where somebody stands in the way for good. Pushed: any step; uphill only for the sake of another crowd, since in a
// queue to one goal pushing the man in front backwards helps nobody.
void Arbiter::extend(Frame& frame) {
  frame.extended = true;
  const std::uint32_t agent = frame.agent;
  const bool pushed = frame.pusher != kNobody;
  std::uint8_t directions = source_->beyond_wish(agent);
  if (!pushed) directions = free_of(agent, directions);
  if (directions == 0) return;
  const CandidateList list = source_->rank(agent, directions);
  const bool aside = !pushed && frame.optimal > 0 && frame.only_standing;
  for (int i = 0; i < list.count; ++i) {
    const Candidate& c = list.items[static_cast<std::size_t>(i)];
    if (pushed) {
      if (c.uphill && frame.one_crowd) continue;
    } else {
      if ((c.uphill || c.level) && (!aside || leads_back(agent, c.direction))) continue;
      if (c.uphill && agents_.went_up[agent]) continue;
    }
    if (c.uphill || c.level) frame.not_closer = static_cast<std::uint8_t>(frame.not_closer | 1u << c.direction);
    frame.candidates[frame.count++] = c.direction;
  }
}

void Arbiter::refused(Frame& frame, const ReserveResult& result) {
  ++counters_.refusals[static_cast<std::size_t>(result.conflict)];
  if (frame.next > frame.optimal) return;
  if (result.late && frame.pusher == kNobody && frame.slow == kNobody) {
    frame.slow = result.by;
    frame.slow_cell = frame.target;
  }
  if (!stands(result.by) ||
      (agents_.state[result.by] == AgentState::arrived && agents_.pair[result.by] == agents_.pair[frame.agent]))
    frame.only_standing = false;
  // A pusher counts only until somebody else is found in the way: without it the step might do.
  const bool noted = agents_.wanted[frame.agent] != kNobody;
  if (noted && (!agents_.pushed_off[frame.agent] || result.by == frame.pusher)) return;
  agents_.pushed_off[frame.agent] = result.by == frame.pusher;
  agents_.wanted[frame.agent] = frame.target;
  agents_.by[frame.agent] = result.by;
  const bool held = result.conflict == Conflict::vertex || agents_.move[result.by] >= kStay;
  agents_.reason[frame.agent] = held ? Reason::reserved_by : Reason::gave_way;
}

// Whoever is in the way and would step through a portal does it first: once it is pushed it cannot any more.
void Arbiter::let_pass(std::uint32_t agent, std::uint32_t target) {
  for (;;) {
    const std::uint32_t other = reservations_.at_portal(agent, target);
    if (other == kNobody) return;
    agents_.at_portal[other] = 0;
    std::uint32_t next = 0;
    while (const std::optional<PortalStep> portal = source_->portal(other, next)) {
      if (!reservations_.reserve_portal(other, *portal).granted) continue;
      agents_.went_up[other] = 0;
      break;
    }
  }
}

// Optimal directions, optimal portals, other directions. Nothing: no step is left.
std::optional<ReserveResult> Arbiter::reserve_next(Frame& frame) {
  if (frame.next == frame.count && !frame.extended) {
    // Nobody passes a portal with somebody behind; it had its chance in let_pass().
    const bool may_pass = portals_ && !(passing_ && frame.pusher != kNobody);
    const std::optional<PortalStep> portal = may_pass ? source_->portal(frame.agent, frame.next_portal) : std::nullopt;
    if (portal) {
      frame.target = portal->to.value;
      return reservations_.reserve_portal(frame.agent, *portal);
    }
    extend(frame);
  }
  if (frame.next == frame.count) return {};
  const std::uint8_t direction = frame.candidates[frame.next++];
  frame.target = agents_.cell[frame.agent] + steps_[direction];
  if (passing_) let_pass(frame.agent, frame.target);
  return reservations_.reserve(frame.agent, direction);
}

bool Arbiter::try_next(Frame& frame) {
  while (const std::optional<ReserveResult> result = reserve_next(frame)) {
    if (result->granted) {
      log_.push_back(frame.agent);
      return true;
    }
    refused(frame, *result);
    const bool on_the_way = result->conflict != Conflict::vertex && result->conflict != Conflict::edge_swap;
    if (result->by != frame.pusher || frame.pusher == kNobody || !on_the_way) continue;
    frame.crowded = true;
    // Of one crowd the one in front goes first, by its own best step.
    if (frame.one_crowd && frame.next <= frame.optimal && agents_.excused[frame.agent] < kMaxExcuses) return false;
  }
  return false;
}

void Arbiter::take_back(Frame& frame) {
  while (log_.size() > frame.log_mark) {
    reservations_.release(log_.back());
    log_.pop_back();
  }
  frame.claimed = false;
}

void Arbiter::succeed(const Frame& frame) {
  const std::uint8_t direction = agents_.move[frame.agent];
  const std::uint32_t left_by = reservations_.holder(frame.target);
  if (stack_.size() >= 3 && left_by == stack_.front().agent) ++counters_.rotations;
  const bool aside = frame.pusher == kNobody && ((frame.not_closer >> direction) & 1);
  agents_.went_up[frame.agent] = aside;
  if (aside) ++counters_.steps_aside;
}

// Nobody arrives before the one in front has left. So who cannot be followed at once goes first, as if it were pushed,
// while the agent stands; its cells are then kept for the agent.
bool Arbiter::let_ahead(std::uint32_t slow, std::uint32_t agent) {
  if (agents_.move[slow] != kUndecided) return false;
  agents_.move[agent] = kStay;
  ++counters_.pushes;
  open(slow, agent);
  return true;
}

void Arbiter::decide(std::uint32_t agent) {
  log_.clear();
  open(agent, kNobody);
  bool failed = false;  // the frame that was popped last
  std::uint32_t loser = kNobody;
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    if (frame.claimed) {
      const std::uint32_t who = failed ? kNobody : reservations_.next_to_push(frame.agent);
      if (who != kNobody) {
        ++counters_.pushes;
        open(who, frame.agent);
        continue;
      }
      if (!failed && reservations_.intact(frame.agent)) {
        succeed(frame);
        stack_.pop_back();
        continue;
      }
      take_back(frame);
      if (failed) refused(frame, {false, Conflict::vertex, loser});
      failed = false;
    }
    if (!frame.asked && try_next(frame)) {
      frame.claimed = true;
      continue;
    }
    if (!frame.asked && frame.slow != kNobody) {
      frame.asked = true;
      if (let_ahead(frame.slow, frame.agent)) continue;
    }
    if (frame.asked && agents_.move[frame.slow] != kStay) reservations_.keep_free(frame.agent, frame.slow_cell);
    // Who was only crowded by the pusher decides again in its own turn.
    const bool yields = frame.pusher != kNobody && agents_.yield_ticks[frame.agent] != 0;
    const bool again = (frame.crowded || yields) && agents_.excused[frame.agent] < kMaxExcuses;
    if (again) ++agents_.excused[frame.agent];
    agents_.move[frame.agent] = again ? kUndecided : kStay;
    failed = true;
    loser = frame.agent;
    stack_.pop_back();
  }
}

}  // namespace drover::crowd
