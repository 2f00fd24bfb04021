// SPDX-License-Identifier: MIT
// Growing the agent arrays together.
#include "crowd/agents.hpp"

namespace drover::crowd {

std::uint32_t Agents::append() {
  key.push_back(0);
  priority_class.push_back(0);
  body.push_back(0);
  pair.push_back(0);
  cell.push_back(0);
  at.push_back({});
  came_by.push_back(kStay);
  went_up.push_back(0);
  state.push_back(AgentState::not_started);
  reason.push_back(Reason::start_later);
  by.push_back(kNobody);
  wanted.push_back(kNobody);
  age.push_back(0);
  best_cost.push_back(kAtBest);
  yields.push_back(0);
  yield_ticks.push_back(0);
  yield_to.push_back(kNobody);
  yield_cell.push_back(kNobody);
  move.push_back(kStay);
  excused.push_back(0);
  pushed_off.push_back(0);
  wish.push_back(0);
  return size() - 1;
}

}  // namespace drover::crowd
