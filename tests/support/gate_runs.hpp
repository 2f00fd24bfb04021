// SPDX-License-Identifier: MIT
// Runs of a gate instance: along planned forests, and with the plain field; both under the validator.
#pragma once
#include "crowd/evacuation_flow.hpp"
#include "crowd/forest_arbiter.hpp"
#include "crowd/forest_planner.hpp"
#include "support/carry_out.hpp"
#include "support/gate_instances.hpp"
#include "support/grids.hpp"

#include <drover/simulation.hpp>
#include <drover/verify.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace drover::test {

struct GateRules {
  BodyRule bodies = BodyRule::cells;
  Following following = Following::allowed;
  std::optional<Fixed> radius;
};

struct GateRun {
  std::uint64_t ticks = 0, sum = 0, violations = 0, digest = 14695981039346656037u;
  std::uint64_t promised = 0;  // by the first plan
  bool broken = false;         // a later tick than promised, or a plan that promised less than the one before
  bool stuck = false;
};

inline MovementProfile gate_profile(const GateInstance& instance, const GateRules& rules) {
  MovementProfile profile = body(1, CornerRule::strict, instance.moves);
  profile.costs = CostBase::uniform;
  profile.name = "agent";
  profile.body_radius = rules.radius;
  return profile;
}

class GateScene {
 public:
  explicit GateScene(const GateInstance& instance, const GateRules& rules = {})
      : instance_(instance),
        rules_(rules),
        profile_(gate_profile(instance, rules)),
        map_(map_of(instance.rows)),
        graph_(graph_of(map_.view(), profile_)) {}

  std::uint32_t padded(Cell c) const { return graph_.shape().index(c).value; }
  const NavGraph& graph() const { return graph_; }

  crowd::EvacuationOptimum optimum() const {
    GoalDef goal;
    for (const Cell c : instance_.gates) goal.cells.push_back({c, 0});
    const FieldRef steps = *FieldBuilder().build(graph_, goal);
    std::vector<CellIndex> starts;
    for (const Cell c : instance_.starts) starts.push_back(graph_.shape().index(c));
    return *crowd::earliest_arrival_flow(graph_, *steps, starts, {std::uint64_t{1} << 28, std::uint64_t{1} << 40});
  }

  crowd::ForestGround ground() const {
    crowd::PairTable table(rules_.bodies);
    const std::uint8_t body = table.add({1, profile_.radius()});
    std::vector<std::uint32_t> gates;
    for (const Cell c : instance_.gates) gates.push_back(padded(c));
    return {{std::shared_ptr<const void>(), &graph_.compiled()},
            std::move(gates),
            crowd::ForestRules::of(table, body, rules_.following)};
  }

  /// A plan every `every` ticks. `keys_down`: smaller keys to the agents that come later.
  GateRun forest(std::uint64_t every, bool keys_down = false, const crowd::ForestLimits& limits = {}) const;
  Simulation simulation(GuidancePolicy guidance, const Host& host = {}) const;
  /// A whole run of it.
  GateRun guided(GuidancePolicy guidance) const;

 private:
  const GateInstance& instance_;
  GateRules rules_;
  MovementProfile profile_;
  GridMap map_;
  NavGraph graph_;
};

inline GateRun GateScene::forest(std::uint64_t every, bool keys_down, const crowd::ForestLimits& limits) const {
  GateRun run;
  crowd::ForestPlanner planner(ground(), limits);
  crowd::ForestArbiter arbiter(graph_.shape());
  Validator validator(map_.view(), std::vector<MovementProfile>{profile_}, {rules_.bodies, rules_.following});
  crowd::Agents agents;
  const std::size_t count = instance_.starts.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t a = agents.append();
    agents.key[a] = keys_down ? count - i : i + 1;
    agents.at[a] = instance_.starts[i];
    agents.cell[a] = padded(instance_.starts[i]);
    validator.enter(agents.key[a], 0, agents.at[a]);
    arbiter.add(agents, a);
  }
  std::vector<std::uint32_t> cells;
  std::vector<MoveRecord> moves;
  std::uint64_t promise = ~std::uint64_t{0}, idle = 0;
  while (arbiter.size() > 0 && !run.stuck) {
    if (run.ticks % every == 0) {
      arbiter.cells(cells);
      std::sort(cells.begin(), cells.end());
      arbiter.adopt(planner.plan(cells, arbiter.forest()));
      const std::uint64_t finish = run.ticks + arbiter.forest()->forecast().finish;
      if (arbiter.forest()->left_out() != 0 || finish > promise) run.broken = true;
      promise = std::min(promise, finish);
      if (run.ticks == 0) run.promised = finish;
    }
    const std::span<const std::uint32_t> arrived = arbiter.decide(agents);
    carry_out(agents, graph_.shape());
    ++run.ticks;
    moves.clear();
    for (std::uint32_t a = 0; a < count; ++a) {
      if (agents.cell[a] == padded(agents.at[a])) continue;
      const Cell to = graph_.shape().cell(CellIndex{agents.cell[a]});
      moves.push_back({agents.key[a], agents.at[a], to, run.ticks - 1, 1, 0, kNoPortal});
      agents.at[a] = to;
      run.digest = (run.digest ^ (std::uint64_t{agents.cell[a]} << 20 | a)) * 1099511628211u;
    }
    validator.tick(run.ticks, moves);
    for (const std::uint32_t a : arrived) {
      run.sum += run.ticks;
      validator.leave(agents.key[a]);
    }
    idle = moves.empty() ? idle + 1 : 0;
    run.stuck = idle > 3;
  }
  if (run.ticks > promise) run.broken = true;
  run.violations = validator.violations();
  return run;
}

inline Simulation GateScene::simulation(GuidancePolicy guidance, const Host& host) const {
  SimulationDef def;
  def.bodies = rules_.bodies;
  def.following = rules_.following;
  def.guidance = guidance;
  Simulation sim = *Simulation::create(map_of(instance_.rows), def, host);
  const ProfileId profile = *sim.add_profile(profile_);
  SimulationGoal goal;
  goal.on_arrival = OnArrival::vanish;
  for (const Cell c : instance_.gates) goal.where.cells.push_back({c, 0});
  const GoalId gate = *sim.add_goal(goal);
  for (std::size_t i = 0; i < instance_.starts.size(); ++i) {
    AgentDef agent;
    agent.key = i + 1;
    agent.at = instance_.starts[i];
    agent.profile = profile;
    agent.goal = gate;
    EXPECT_TRUE(sim.add_agent(agent).ok());
  }
  EXPECT_TRUE(sim.start().ok());
  return sim;
}

inline GateRun GateScene::guided(GuidancePolicy guidance) const {
  GateRun run;
  Simulation sim = simulation(guidance);
  Validator validator(map_.view(), std::vector<MovementProfile>{profile_}, {rules_.bodies, rules_.following});
  for (std::size_t i = 0; i < instance_.starts.size(); ++i) validator.enter(i + 1, 0, instance_.starts[i]);
  run.promised = sim.metrics().planned_finish;
  std::uint64_t promise = run.promised;
  while (!sim.finished() && run.ticks < 20 * (instance_.starts.size() + 1000)) {
    run.sum += sim.step().arrived * (run.ticks + 1);
    ++run.ticks;
    validator.tick(run.ticks, std::vector<MoveRecord>(sim.moves().begin(), sim.moves().end()));
    for (const Simulation::Entry& gone : sim.left()) validator.leave(gone.key);
    if (sim.metrics().planned_finish > promise) run.broken = true;
    promise = sim.metrics().planned_finish;
    run.digest = sim.digests().all;
  }
  run.violations = validator.violations();
  run.stuck = !sim.finished();
  if (promise != 0 && run.ticks > promise) run.broken = true;  // 0: the plain field leads
  return run;
}

}  // namespace drover::test
