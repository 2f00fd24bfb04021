// SPDX-License-Identifier: MIT
// Steps to the goals by uniform fields on the most open map of the run.
#include "io/run_bound.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "io/text.hpp"

namespace drover::io {

namespace {

bool passable_for(const Scenario& scenario, const MovementProfile& profile, TerrainId terrain) {
  bool passable = scenario.terrain[terrain].passable;
  for (const TerrainRule& rule : profile.terrain) {
    if (rule.terrain == terrain) passable = rule.passable.value_or(passable);
  }
  return passable;
}

// The map with every door open that is ever open and every edit done that opens a cell.
GridMap most_open_map(const Scenario& scenario, const MovementProfile& profile) {
  Result<GridMap> map = make_map(scenario);
  if (!map) throw Refusal{map.status()};
  MapEdit all;
  for (std::uint32_t i = 0; i < scenario.doors.size(); ++i) {
    if (scenario.doors[i].door.open) all.doors.push_back({i, DoorState::open});
  }
  for (const ScenarioEdit& edit : scenario.edits) {
    for (const DoorEdit& door : edit.edit.doors) {
      if (door.state == DoorState::open) all.doors.push_back(door);
    }
    for (const CellEdit& cell : edit.edit.cells) {
      if (cell.change == CellChange::terrain && passable_for(scenario, profile, cell.terrain))
        all.cells.push_back(cell);
    }
  }
  if (const Result<EditReport> done = map->apply(all); !done) throw Refusal{done.status()};
  return std::move(*map);
}

MovementProfile steps_only(const Scenario& scenario, MovementProfile profile) {
  profile.costs = CostBase::uniform;
  for (std::size_t id = 0; id < scenario.terrain.size(); ++id) {
    const auto terrain = static_cast<TerrainId>(id);
    const bool passable = passable_for(scenario, profile, terrain);
    std::erase_if(profile.terrain, [&](const TerrainRule& rule) { return rule.terrain == terrain; });
    profile.terrain.push_back({terrain, 1, passable});
  }
  return profile;
}

struct Arrival {
  std::uint64_t earliest = 0;
  bool queues = false;  // takes a slot of its goal's cells
};

std::uint64_t bound_of(std::vector<Arrival> arrivals, std::uint64_t slots) {
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return a.earliest > b.earliest; });
  std::uint64_t bound = 0, queued = 0;
  for (const Arrival& a : arrivals) {
    queued += a.queues ? 1 : 0;
    bound = std::max(bound, a.earliest + (queued == 0 ? 0 : (queued + slots - 1) / slots - 1));
  }
  return bound;
}

}  // namespace

Result<std::optional<std::uint64_t>> queue_bound(const Scenario& scenario) {
  return guarded(map_need(scenario.map.width, scenario.map.height, scenario.map.layers),
                 [&]() -> std::optional<std::uint64_t> {
                   std::set<std::uint64_t> retargeted;
                   std::map<std::uint32_t, std::set<std::uint32_t>> profiles_of_goal;
                   for (const ScenarioAgent& agent : scenario.agents) {
                     profiles_of_goal[agent.goal].insert(agent.profile);
                     for (const ScenarioRetarget& r : scenario.retargets) {
                       if (r.group ? agent.group == *r.group : agent.key == r.agent) retargeted.insert(agent.key);
                     }
                   }
                   std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const ScenarioAgent*>> by_pair;
                   for (const ScenarioAgent& agent : scenario.agents) {
                     if (retargeted.count(agent.key) == 0)
                       by_pair[{agent.profile, agent.via.empty() ? agent.goal : agent.via.front()}].push_back(&agent);
                   }
                   std::optional<std::uint64_t> best;
                   std::optional<std::uint32_t> compiled;
                   NavGraph graph;
                   FieldBuilder builder;
                   std::map<std::uint32_t, std::vector<Arrival>> arrivals;  // by goal
                   for (const auto& [pair, agents] : by_pair) {
                     if (compiled != pair.first) {
                       const MovementProfile& profile = scenario.profiles[pair.first].profile;
                       Result<NavGraph> made =
                           NavGraph::compile(most_open_map(scenario, profile).view(), steps_only(scenario, profile));
                       if (!made) throw Refusal{made.status()};
                       graph = std::move(*made);
                       compiled = pair.first;
                     }
                     const Result<FieldRef> field = builder.build(graph, scenario.goals[pair.second].goal.where);
                     if (!field) continue;
                     for (const ScenarioAgent* agent : agents) {
                       const Cost steps = (*field)->cost_to_goal(graph.shape().index(agent->at));
                       if (steps == kInfiniteCost) continue;
                       const bool queues = agent->via.empty() &&
                                           scenario.goals[agent->goal].goal.on_arrival == OnArrival::vanish &&
                                           profiles_of_goal[agent->goal].size() == 1;
                       arrivals[pair.second].push_back({agent->start_tick + steps, queues});
                     }
                   }
                   for (auto& [goal, list] : arrivals) {
                     std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> cells;
                     for (const GoalCell& g : scenario.goals[goal].goal.where.cells)
                       cells.emplace(g.cell.x, g.cell.y, g.cell.layer);
                     best = std::max(best.value_or(0), bound_of(std::move(list), cells.size()));
                   }
                   return best;
                 });
}

}  // namespace drover::io
