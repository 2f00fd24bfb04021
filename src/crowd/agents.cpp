// SPDX-License-Identifier: MIT
// Growing the agent arrays together.
#include "crowd/agents.hpp"

namespace drover::crowd {

void Agents::resize(std::uint32_t slots) {
  key.resize(slots, 0);
  priority_class.resize(slots, 0);
  body.resize(slots, 0);
  pair.resize(slots, 0);
  cell.resize(slots, 0);
  at.resize(slots);
  came_by.resize(slots, kStay);
  went_up.resize(slots, 0);
  state.resize(slots, AgentState::not_started);
  reason.resize(slots, Reason::start_later);
  by.resize(slots, kNobody);
  wanted.resize(slots, kNobody);
  age.resize(slots, 0);
  best_cost.resize(slots, kAtBest);
  yields.resize(slots, 0);
  yield_ticks.resize(slots, 0);
  yield_to.resize(slots, kNobody);
  yield_cell.resize(slots, kNobody);
  move.resize(slots, kStay);
  excused.resize(slots, 0);
  pushed_off.resize(slots, 0);
  wish.resize(slots, 0);
}

std::uint32_t Agents::append() {
  resize(size() + 1);
  return size() - 1;
}

}  // namespace drover::crowd
