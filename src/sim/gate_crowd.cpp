// SPDX-License-Identifier: MIT
// Asking, adopting, dropping; one tick along the plan in force.
#include "sim/gate_crowd.hpp"

#include "base/digest.hpp"
#include "crowd/forest_queues.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace drover::sim {
namespace {

/// What readers of a bundle see.
class ShownPlan final : public GatePlan {
 public:
  ShownPlan(const GridShape& shape, std::shared_ptr<const crowd::Forest> forest)
      : shape_(shape), forest_(std::move(forest)) {}

  std::optional<GateStep> at(Cell cell) const noexcept override {
    if (!shape_.contains(cell)) return std::nullopt;
    const crowd::ForestCell& here = forest_->at(shape_.index(cell).value);
    if (here.tree == crowd::kNoTree) return std::nullopt;
    GateStep step;
    step.gate = shape_.cell(CellIndex{forest_->gates()[here.tree]});
    step.depth = here.depth;
    if (here.step < kDirections) step.direction = static_cast<Direction>(here.step);
    return step;
  }

 private:
  GridShape shape_;
  std::shared_ptr<const crowd::Forest> forest_;
};

std::vector<std::uint32_t> cells_of(const crowd::Agents& agents, const std::vector<std::uint32_t>& placed) {
  std::vector<std::uint32_t> cells;
  cells.reserve(placed.size());
  for (const std::uint32_t agent : placed) cells.push_back(agents.cell[agent]);
  std::sort(cells.begin(), cells.end());
  return cells;
}

// What a run along the plain field starts with.
void compare(Plan& plan, const SimulationDef& rules, const SimulationGoal& goal, const crowd::Agents& agents,
             const std::vector<std::uint32_t>& placed) {
  plan.rules = rules;
  plan.goal = goal;
  for (const std::uint32_t agent : placed) {
    AgentDef def;
    def.key = agents.key[agent];
    def.at = agents.at[agent];
    def.profile = Guidance::profile_id(0);
    def.goal = Guidance::goal_id(0);
    def.priority_class = agents.priority_class[agent];
    plan.agents.push_back(std::move(def));
  }
}

}  // namespace

bool GateCrowd::fits(const Guidance& guidance) const noexcept {
  const Pair& pair = guidance.pairs()[state_.pair];
  const Profile& profile = guidance.profiles()[pair.profile];
  return !profile.outdated && guidance.goals()[pair.goal].version == state_.goal_version &&
         (state_.forest == nullptr || profile.graph.compiled().steps_hash() == state_.forest->steps_hash()) &&
         (!state_.pending ||
          profile.graph.compiled().steps_hash() == state_.pending->plan->graph.compiled().steps_hash());
}

void GateCrowd::drop(Guidance& guidance) {
  if (state_.forest != nullptr) guidance.show_plan(state_.pair, nullptr);
  state_.pair = crowd::kNobody;
  state_.forest = nullptr;
  state_.schedule = nullptr;
  state_.plain_leads = false;
  state_.pending.reset();
  state_.finish.clear();
  state_.promised_finish = state_.promised_sum = 0;
}

void GateCrowd::show(Guidance& guidance, std::uint64_t tick) const {
  auto shown = std::make_shared<ShownPlan>(guidance.shape(), state_.forest);
  shown->adopted_tick = tick;
  shown->finish_tick = state_.promised_finish;
  shown->sum_of_arrivals = state_.promised_sum;
  shown->optimal = state_.schedule != nullptr;
  guidance.show_plan(state_.pair, std::move(shown));
}

PlanRef GateCrowd::make(const Guidance& guidance, OwnSearch& search, crowd::PairTable& table, Following following,
                        std::uint32_t pair) const {
  const Profile& profile = guidance.profiles()[guidance.pairs()[pair].profile];
  auto plan = std::make_shared<Plan>();
  for (const search::Target& goal : search.spots(guidance, pair).cells) {
    if (goal.offset != 0) return nullptr;
    plan->gates.push_back(goal.cell);
  }
  if (plan->gates.empty() || plan->gates.size() >= crowd::kNoTree) return nullptr;
  plan->graph = profile.graph;
  plan->queue_rules = crowd::ForestRules::of(table, profile.body, following);
  return plan;
}

bool GateCrowd::ask(Guidance& guidance, OwnSearch& search, crowd::PairTable& table, const SimulationDef& rules,
                    const crowd::Agents& agents, const std::vector<std::uint32_t>& placed, std::uint64_t tick) {
  if (state_.pending || state_.schedule != nullptr || placed.empty()) return false;
  if (state_.plain_leads && agents.pair[placed.front()] == state_.pair) return false;
  if (state_.last_request && *state_.last_request + every_ > tick) return false;
  const std::uint32_t pair = agents.pair[placed.front()];
  const Pair& asked = guidance.pairs()[pair];
  if (asked.field == nullptr || guidance.profiles()[asked.profile].outdated) return false;
  for (const std::uint32_t agent : placed)
    if (agents.pair[agent] != pair || asked.field->state(CellIndex{agents.cell[agent]}) != CellState::reachable)
      return false;
  if (state_.pair != pair) drop(guidance);
  PlanRef plan = make(guidance, search, table, rules.following, pair);
  if (plan == nullptr) return false;
  if (tick == 0) compare(*plan, rules, guidance.goals()[asked.goal].def, agents, placed);
  plan->cells = cells_of(agents, placed);
  plan->kept = state_.forest;
  plan->exact = state_.forest == nullptr;
  state_.pair = pair;
  state_.goal_version = guidance.goals()[asked.goal].version;
  state_.last_request = tick;
  ++state_.plans;
  const std::uint64_t latency = tick == 0 ? 0 : guidance.profiles()[asked.profile].latency_ticks;
  state_.pending = PendingPlan{tick, tick + latency, std::move(plan)};
  queue_.launch(state_.pending->plan);
  return true;
}

void GateCrowd::adopt(Guidance& guidance, const PendingPlan& ready, std::vector<std::uint32_t> cells,
                      std::uint64_t tick) {
  const Plan& plan = *ready.plan;
  if (plan.forest == nullptr || plan.forest->left_out() != 0) return;
  state_.plain_leads = plan.plain_is_faster;
  if (state_.plain_leads) return;
  std::vector<std::uint64_t> finish;
  const std::optional<crowd::Forecast> forecast = crowd::forecast_from(*plan.forest, cells, finish);
  if (!forecast) return;  // somebody has walked off the plan since
  if (state_.forest != nullptr && plan.cells != cells) {
    std::vector<std::uint64_t> ignored;
    const std::optional<crowd::Forecast> old = crowd::forecast_from(*state_.forest, cells, ignored);
    if (old && std::tie(old->finish, old->sum) <= std::tie(forecast->finish, forecast->sum)) return;
  }
  state_.forest = plan.forest;
  state_.finish = std::move(finish);
  // Ticks done so far; the first step along the plan comes next.
  const std::uint64_t done = tick == 0 ? 0 : tick - 1;
  state_.promised_finish = done + forecast->finish;
  state_.promised_sum = forecast->sum + done * cells.size();
  if (plan.schedule != nullptr && plan.cells == cells) {
    state_.promised_finish = done + plan.schedule->optimum.makespan();
    state_.promised_sum = plan.schedule->optimum.sum_of_arrivals() + done * cells.size();
    state_.schedule = std::make_shared<const Schedule>(Schedule{plan.schedule, done, std::move(cells)});
  }
  if (arbiter_) arbiter_->clear();
  ++state_.adopted;
  show(guidance, tick);
}

void GateCrowd::adopt_due(Guidance& guidance, const crowd::Agents& agents, const std::vector<std::uint32_t>& placed,
                          std::uint64_t tick) {
  if (state_.pair == crowd::kNobody) return;
  if (!fits(guidance)) drop(guidance);
  if (!state_.pending || state_.pending->due > tick) return;
  const PendingPlan ready = *std::exchange(state_.pending, std::nullopt);
  if (!queue_.finish(ready.plan) && queue_.in_background()) ++overruns_;
  const bool same =
      std::all_of(placed.begin(), placed.end(), [&](std::uint32_t agent) { return agents.pair[agent] == state_.pair; });
  if (same && !placed.empty()) adopt(guidance, ready, cells_of(agents, placed), tick);
}

// Whoever is on a cell takes the planned step of that cell and tick. Not where somebody is off the plan.
bool GateCrowd::keep_schedule(crowd::Agents& agents, const crowd::Reservations& reservations,
                              const std::vector<std::uint32_t>& active, std::uint64_t tick) const {
  const Schedule& schedule = *state_.schedule;
  const std::uint64_t now = tick - 1 - schedule.from_tick;
  const crowd::EvacuationPlan& plan = *schedule.plan;
  const auto on_plan = [&](std::uint32_t agent) {
    return plan.step(now, agents.cell[agent]) != crowd::EvacuationPlan::kNobodyPasses;
  };
  if (!std::all_of(active.begin(), active.end(), on_plan)) return false;
  for (const std::uint32_t agent : active) agents.move[agent] = plan.step(now, agents.cell[agent]);
  for (const std::uint32_t agent : active) {
    if (agents.move[agent] != crowd::kStay) continue;
    // It waits for the cell that it steps to next, held by somebody or kept for whoever passes before.
    std::uint64_t later = now + 1;
    while (plan.step(later, agents.cell[agent]) == crowd::kStay) ++later;
    const std::uint8_t step = plan.step(later, agents.cell[agent]);
    if (step >= kDirections) continue;
    agents.wanted[agent] = agents.cell[agent] + state_.forest->graph().shape().step(static_cast<Direction>(step));
    agents.by[agent] = reservations.holder(agents.wanted[agent]);
  }
  return true;
}

bool GateCrowd::decide(Guidance& guidance, crowd::Agents& agents, const crowd::Reservations& reservations,
                       const std::vector<std::uint32_t>& active, std::uint64_t tick) {
  if (state_.forest == nullptr || active.empty()) return false;
  for (const std::uint32_t agent : active)
    if (agents.pair[agent] != state_.pair) return false;
  if (state_.schedule != nullptr) {
    if (keep_schedule(agents, reservations, active, tick)) {
      ++state_.led_ticks;
      return true;
    }
    lose_schedule(guidance, agents, active, tick);
  }
  if (!gather(agents, active)) return false;
  arbiter_->decide(agents);
  state_.finish = arbiter_->finish();
  ++state_.led_ticks;
  return true;
}

// Somebody came in, or a tick went another way. The forest still knows a way from everywhere it covers.
void GateCrowd::lose_schedule(Guidance& guidance, const crowd::Agents& agents, const std::vector<std::uint32_t>& active,
                              std::uint64_t tick) {
  state_.schedule = nullptr;
  state_.promised_finish = state_.promised_sum = 0;
  std::vector<std::uint64_t> finish;
  if (const auto forecast = crowd::forecast_from(*state_.forest, cells_of(agents, active), finish)) {
    state_.finish = std::move(finish);
    state_.promised_finish = tick - 1 + forecast->finish;
    state_.promised_sum = forecast->sum + (tick - 1) * active.size();
  }
  show(guidance, tick);
}

// The arbiter's agents are these. False where one is off the plan.
bool GateCrowd::gather(const crowd::Agents& agents, const std::vector<std::uint32_t>& active) {
  if (arbiter_ && arbiter_->forest() == state_.forest.get() && arbiter_->has_exactly(agents, active)) return true;
  for (const std::uint32_t agent : active)
    if (state_.forest->at(agents.cell[agent]).tree == crowd::kNoTree) return false;
  if (!arbiter_) arbiter_.emplace(state_.forest->graph().shape());
  arbiter_->clear();
  arbiter_->adopt(state_.forest);
  arbiter_->restore_finish(state_.finish);
  for (const std::uint32_t agent : active) arbiter_->add(agents, agent);
  return true;
}

void GateCrowd::restore(const GateCrowdState& state) {
  state_ = state;
  if (arbiter_) arbiter_->clear();
}

void GateCrowd::count(Metrics& metrics) const noexcept {
  metrics.plans = state_.plans;
  metrics.plan_adoptions = state_.adopted;
  metrics.planned_ticks = state_.led_ticks;
  metrics.planned_finish = state_.promised_finish;
  metrics.tick_overruns += overruns_;
}

std::uint64_t GateCrowd::digest() const noexcept {
  if (state_.forest == nullptr) return 0;
  base::Digest digest;
  digest.add(state_.pair).add(state_.promised_finish).add(state_.promised_sum).add(state_.schedule != nullptr ? 1 : 0);
  return digest.value();
}

}  // namespace drover::sim
