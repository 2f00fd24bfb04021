// SPDX-License-Identifier: MIT
// Growing and clearing the agent arrays together.
#include "crowd/agents.hpp"

#include <type_traits>

namespace drover::crowd {

// Every column with the value of a new agent.
template <class Visit>
void Agents::each_column(Visit&& visit) {
  visit(key, 0);
  visit(priority_class, 0);
  visit(body, 0);
  visit(pair, 0);
  visit(cell, 0);
  visit(at, Cell{});
  visit(came_by, kStay);
  visit(went_up, 0);
  visit(state, AgentState::not_started);
  visit(reason, Reason::start_later);
  visit(by, kNobody);
  visit(wanted, kNobody);
  visit(age, 0);
  visit(best_cost, kAtBest);
  visit(yields, 0);
  visit(yield_ticks, 0);
  visit(yield_to, kNobody);
  visit(yield_cell, kNobody);
  visit(seen, Seen{});
  visit(move, kStay);
  visit(portal, kNoPortal);
  visit(other_end, kNobody);
  visit(excused, 0);
  visit(pushed_off, 0);
  visit(wish, 0);
  visit(at_portal, 0);
}

void Agents::resize(std::uint32_t slots) {
  each_column([slots](auto& column, auto value) {
    column.resize(slots, static_cast<typename std::decay_t<decltype(column)>::value_type>(value));
  });
}

std::uint32_t Agents::append() {
  resize(size() + 1);
  return size() - 1;
}

void Agents::clear(std::uint32_t slot) noexcept {
  each_column([slot](auto& column, auto value) {
    column[slot] = static_cast<typename std::decay_t<decltype(column)>::value_type>(value);
  });
}

}  // namespace drover::crowd
