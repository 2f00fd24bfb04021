// SPDX-License-Identifier: MIT
// A tick of a crowd that leaves by a plan.
#include "sim/impl.hpp"

#include <algorithm>

namespace drover {

// One kind of single cells on its last leg to a goal where it vanishes. GateCrowd asks for the rest.
bool Simulation::Impl::may_be_planned() const noexcept {
  if (def.guidance != GuidancePolicy::forest || def.step != StepPolicy::unit || placed.empty() || !own_ways.empty())
    return false;
  const std::uint32_t first = placed.front();
  return profile_defs[records[first].profile].footprint == 1 &&
         guidance.goals()[guidance.pairs()[agents.pair[first]].goal].def.on_arrival == OnArrival::vanish &&
         std::all_of(placed.begin(), placed.end(),
                     [&](std::uint32_t agent) { return journeys.next_via[agent] == records[agent].via.size(); });
}

void Simulation::Impl::ask_for_plan() {
  if (!may_be_planned()) return;
  gate_crowd.ask(guidance, own_search, reservations.table(), def, agents, placed, tick);
}

// By the plan where everyone on the map would step and nobody is ordered about; the others' rules are for all the rest.
bool Simulation::Impl::follow_plan() {
  if (active.size() != placed.size() || !pushes.empty() || !may_be_planned()) return false;
  if (!gate_crowd.decide(guidance, agents, reservations, active, tick)) return false;
  for (const std::uint32_t agent : active) {
    agents.went_up[agent] = 0;
    if (agents.move[agent] != crowd::kStay) continue;
    const bool kept_free = agents.by[agent] == crowd::kNobody;
    agents.reason[agent] = kept_free ? Reason::gave_way : Reason::reserved_by;
    ++metrics.refusals[static_cast<std::size_t>(Conflict::vertex)];
  }
  return true;
}

}  // namespace drover
