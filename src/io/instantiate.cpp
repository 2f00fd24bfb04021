// SPDX-License-Identifier: MIT
// From plain data to a map and a simulation.
#include <fmt/format.h>

#include "io/text.hpp"

namespace drover::io {

namespace {

template <class T>
T must_at(Result<T> result, const Scenario& scenario, Spot spot) {
  if (!result) throw Refusal{error_at(result.status().code(), scenario.place(spot), result.status().message())};
  return std::move(*result);
}

void must_at(const Status& status, const Scenario& scenario, Spot spot) {
  if (!status.ok()) throw Refusal{error_at(status.code(), scenario.place(spot), status.message())};
}

// A batch that is refused is added half by half, down to the door that it is refused for.
void add_doors(GridMap& map, std::span<const DoorDef> doors, std::span<const ScenarioDoor> origins,
               const Scenario& scenario) {
  const Result<std::uint32_t> added = map.add_doors(doors);
  if (added.ok()) return;
  if (doors.size() == 1) must_at(added.status(), scenario, origins.front().spot);
  const std::size_t half = doors.size() / 2;
  add_doors(map, doors.first(half), origins.first(half), scenario);
  add_doors(map, doors.subspan(half), origins.subspan(half), scenario);
}

std::string need_of(const Scenario& scenario) {
  return fmt::format("{}, and there are {} agents",
                     map_need(scenario.map.width, scenario.map.height, scenario.map.layers), scenario.agents.size());
}

}  // namespace

Result<GridMap> make_map(const Scenario& scenario, const Host& host) {
  return guarded(need_of(scenario), [&] {
    GridMap map = or_refuse(make_map(scenario.map, scenario.terrain, scenario.origin, host, scenario.cell_size));
    for (const std::string& faction : scenario.factions) or_refuse(map.add_faction(faction));
    std::vector<DoorDef> doors;
    for (const ScenarioDoor& door : scenario.doors) doors.push_back(door.door);
    add_doors(map, doors, scenario.doors, scenario);
    or_refuse(map.apply({{}, {}, scenario.steps, {}}));
    for (const ScenarioPortal& portal : scenario.portals) must_at(map.add_portal(portal.portal), scenario, portal.spot);
    for (const NamedObstacle& obstacle : scenario.obstacles) or_refuse(map.add_obstacle(obstacle.shape));
    for (const ScenarioEdit& edit : scenario.edits) {
      if (edit.tick == 0) must_at(map.apply(edit.edit), scenario, edit.spot);
    }
    return map;
  });
}

Result<Instance> instantiate(const Scenario& scenario, const Host& host) {
  return guarded(need_of(scenario), [&] {
    Instance out{or_refuse(Simulation::create(or_refuse(make_map(scenario, host)), scenario.policy, host)), {}, {}, {}};
    Simulation& simulation = out.simulation;
    for (const ScenarioProfile& p : scenario.profiles) {
      out.profiles.push_back(must_at(simulation.add_profile(p.profile, {p.adopt_latency_ticks}), scenario, p.spot));
    }
    for (const ScenarioGoal& goal : scenario.goals)
      out.goals.push_back(must_at(simulation.add_goal(goal.goal), scenario, goal.spot));
    out.agents.reserve(scenario.agents.size());
    for (const ScenarioAgent& agent : scenario.agents) {
      AgentDef def;
      def.key = agent.key;
      def.at = agent.at;
      def.profile = out.profiles[agent.profile];
      def.goal = out.goals[agent.goal];
      for (const std::uint32_t via : agent.via) def.via.push_back(out.goals[via]);
      def.start_tick = agent.start_tick;
      def.priority_class = agent.priority_class;
      out.agents.push_back(must_at(simulation.add_agent(def), scenario, agent.spot));
    }
    for (const ScenarioEdit& edit : scenario.edits) {
      if (edit.tick > 0) must_at(simulation.submit({edit.tick, 0, EditMap{edit.edit}}), scenario, edit.spot);
    }
    for (const ScenarioRetarget& r : scenario.retargets) {
      for (std::size_t i = 0; i < scenario.agents.size(); ++i) {
        const ScenarioAgent& agent = scenario.agents[i];
        if (r.group ? agent.group != *r.group : agent.key != r.agent) continue;
        must_at(simulation.submit({r.tick, 0, Retarget{out.agents[i], out.goals[r.goal]}}), scenario, r.spot);
      }
    }
    return out;
  });
}

}  // namespace drover::io
