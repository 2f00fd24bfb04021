// SPDX-License-Identifier: MIT
// One mutex, one planner, one plan at a time.
#include "sim/plan_queue.hpp"

#include "base/bytes.hpp"
#include "base/no_throw.hpp"
#include "world/map_bytes.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace drover::sim {
// Two agents whose diagonals would cross can go straight, and an agent may enter what another one leaves.
bool is_exact_ground(const Plan& plan) noexcept {
  const nav::CompiledGraph& graph = plan.graph.compiled();
  return !graph.directed() && plan.queue_rules.spacing == 1 && plan.queue_rules.directions == 0xFF &&
         (graph.profile().corner == CornerRule::strict || graph.profile().moves == Moves::four) &&
         std::all_of(plan.queue_rules.may_follow.begin(), plan.queue_rules.may_follow.begin() + kDirections,
                     [&](const std::uint8_t& leaders) {
                       const auto own = static_cast<std::uint8_t>(&leaders - plan.queue_rules.may_follow.data());
                       // Nobody follows who comes towards it.
                       return (leaders | 1u << static_cast<unsigned>(opposite(static_cast<Direction>(own)))) == 0xFF;
                     });
}

std::shared_ptr<const crowd::EvacuationPlan> exact_plan(const Plan& plan, const std::vector<std::uint32_t>& cells) {
  std::vector<CellIndex> starts;
  starts.reserve(cells.size());
  for (const std::uint32_t cell : cells) starts.push_back({cell});
  std::optional<crowd::EvacuationPlan> exact =
      crowd::earliest_arrival_plan(plan.graph, plan.gates, starts, kExactLimits);
  return exact ? std::make_shared<const crowd::EvacuationPlan>(*std::move(exact)) : nullptr;
}

bool plain_is_faster(const Plan& plan) {
  const std::uint64_t finish = plan.forest->forecast().finish;
  if (plan.agents.empty() || plan.agents.size() > kMostCompared / finish) return false;
  base::ByteWriter bytes{std::vector<std::byte>{}};
  world::write_map(bytes, plan.graph.compiled().map());
  base::ByteReader in(bytes.bytes());
  Result<GridMap> map = world::read_map(in, {});
  if (!map) return false;
  SimulationDef rules = plan.rules;
  rules.guidance = GuidancePolicy::plain;
  Result<Simulation> sim = Simulation::create(*std::move(map), rules);
  if (!sim || !sim->add_profile(plan.graph.compiled().profile()).ok() || !sim->add_goal(plan.goal).ok()) return false;
  for (const AgentDef& agent : plan.agents)
    if (!sim->add_agent(agent).ok()) return false;
  if (!sim->start().ok()) return false;
  while (sim->tick() + 1 < finish) {
    sim->step();
    if (sim->state_counts()[static_cast<std::size_t>(AgentState::arrived)] == plan.agents.size()) return true;
  }
  return false;
}

/// Outlives the queue for as long as a background task of it has not begun or ended.
struct PlanQueue::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  PlanRef waiting;
  bool busy = false;  // somebody uses the planner
  bool closed = false;

  std::optional<crowd::ForestPlanner> planner;  // used by whoever set busy
  std::uint64_t steps_hash = 0;                 // of its graph

  void plan(Plan& plan);
  void run(Plan& plan) noexcept;
};

void PlanQueue::Shared::plan(Plan& plan) {
  const std::uint64_t hash = plan.graph.compiled().steps_hash();
  if (!planner || steps_hash != hash || planner->ground().gates != plan.gates) {
    const auto held = std::make_shared<const NavGraph>(plan.graph);
    planner.emplace(crowd::ForestGround({held, &held->compiled()}, plan.gates, plan.queue_rules));
    steps_hash = hash;
  }
  for (const std::uint32_t cell : plan.cells)
    if (planner->distance(cell) == crowd::kNobody || planner->distance(cell) == 0) return;
  plan.forest = planner->plan(plan.cells, plan.kept.get());
  if (plan.forest->left_out() != 0 || (plan.gates.size() == 1 && plan.queue_rules.spacing == 1)) return;
  if (plan.exact && is_exact_ground(plan)) plan.schedule = exact_plan(plan, plan.cells);
  plan.plain_is_faster = plan.schedule == nullptr && plain_is_faster(plan);
}

void PlanQueue::Shared::run(Plan& plan) noexcept {
  DROVER_TRY { this->plan(plan); }
  DROVER_CATCH_BAD_ALLOC {
    plan.forest = nullptr;
    plan.schedule = nullptr;
    planner.reset();
  }
  plan.kept = nullptr;
}

PlanQueue::PlanQueue(const Host& host) : host_(host), shared_(std::make_shared<Shared>()) {}

PlanQueue::~PlanQueue() {
  std::unique_lock lock(shared_->mutex);
  shared_->closed = true;
  shared_->waiting = nullptr;
  shared_->changed.wait(lock, [this] { return !shared_->busy; });
  shared_->planner.reset();
}

void PlanQueue::launch(const PlanRef& plan) {
  if (!in_background()) return;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->waiting = plan;
  }
  auto* const argument = new (std::nothrow) std::shared_ptr<Shared>(shared_);
  if (argument != nullptr) host_.tasks.start(host_.tasks.context, &PlanQueue::work, argument);
}

void PlanQueue::work(void* argument) {
  const std::unique_ptr<std::shared_ptr<Shared>> held(static_cast<std::shared_ptr<Shared>*>(argument));
  Shared& shared = **held;
  std::unique_lock lock(shared.mutex);
  shared.changed.wait(lock, [&] { return !shared.busy || shared.closed; });
  PlanRef plan = std::exchange(shared.waiting, nullptr);
  if (plan == nullptr || shared.closed) return;
  shared.busy = true;
  lock.unlock();
  shared.run(*plan);
  lock.lock();
  plan->done = true;
  plan.reset();  // before the queue may be gone, and the host's memory with it
  shared.busy = false;
  shared.changed.notify_all();
}

bool PlanQueue::finish(const PlanRef& plan) {
  std::unique_lock lock(shared_->mutex);
  if (plan->done) return true;
  if (shared_->waiting == plan) shared_->waiting = nullptr;
  shared_->changed.wait(lock, [&] { return plan->done || !shared_->busy; });
  if (plan->done) return false;
  shared_->busy = true;
  lock.unlock();
  shared_->run(*plan);
  lock.lock();
  plan->done = true;
  shared_->busy = false;
  lock.unlock();
  shared_->changed.notify_all();
  return false;
}

}  // namespace drover::sim
