// SPDX-License-Identifier: MIT
// Steps to the goals by uniform fields on the most open map of the run.
#include "io/run_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "crowd/bounds.hpp"
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

bool map_changes(const Scenario& scenario) {
  return std::any_of(scenario.edits.begin(), scenario.edits.end(), [](const ScenarioEdit& e) { return e.tick > 0; });
}

bool directed(const Scenario& scenario) {
  const auto with_steps = [](const ScenarioDoor& d) { return !d.door.steps.empty(); };
  return !scenario.steps.empty() || std::any_of(scenario.doors.begin(), scenario.doors.end(), with_steps);
}

// What shapes the map, but every step leads both ways and costs its ground: ways are as short or shorter.
Scenario levelled(const Scenario& scenario) {
  Scenario out;
  out.file = scenario.file;
  out.map = scenario.map;
  out.map.heights.clear();
  out.origin = scenario.origin;
  out.cell_size = scenario.cell_size;
  out.terrain = scenario.terrain;
  out.factions = scenario.factions;
  out.doors = scenario.doors;
  out.edits = scenario.edits;
  out.portals = scenario.portals;
  for (ScenarioPortal& portal : out.portals) portal.portal.cost = 1;  // a step
  for (ScenarioDoor& door : out.doors) {
    door.door.steps.clear();
    door.door.cost = 0;
  }
  for (ScenarioEdit& edit : out.edits) {
    for (DoorEdit& door : edit.edit.doors) door.cost = 0;
    edit.edit.obstacles.clear();
  }
  for (const NamedObstacle& obstacle : scenario.obstacles) {
    if (obstacle.path.empty()) out.obstacles.push_back(obstacle);  // others make way
  }
  return out;
}

// The map with every door open that is ever open and every edit done that opens a cell.
GridMap most_open_map(const Scenario& given, const MovementProfile& profile) {
  const Scenario scenario = levelled(given);
  Result<GridMap> map = make_map(scenario);
  if (!map) throw Refusal{map.status()};
  if (!map_changes(scenario)) return std::move(*map);
  MapEdit all;
  for (std::uint32_t i = 0; i < scenario.doors.size(); ++i) {
    if (scenario.doors[i].door.open) all.doors.push_back({i, DoorState::open});
  }
  for (const ScenarioEdit& edit : scenario.edits) {
    for (const DoorEdit& door : edit.edit.doors) {
      if (door.state == DoorState::open) all.doors.push_back(door);
    }
    for (const CellEdit& cell : edit.edit.cells) {
      const bool opens = cell.change == CellChange::terrain && passable_for(scenario, profile, cell.terrain);
      if (opens || cell.change == CellChange::known) all.cells.push_back(cell);
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

// One goal and the agents that walk to it.
struct Crowd {
  std::vector<crowd::EarliestArrival> agents;
  std::vector<crowd::NarrowRing> rings;
  std::uint64_t slots = 1;
  bool has_rings = false;
};

class BoundsOfRun {
 public:
  BoundsOfRun(const Scenario& scenario, ExactBound exact) : scenario_(scenario) {
    for (const ScenarioAgent& agent : scenario.agents) {
      profiles_of_goal_[agent.goal].insert(agent.profile);
      for (const ScenarioRetarget& r : scenario.retargets) {
        if (r.group ? agent.group == *r.group : agent.key == r.agent) retargeted_.insert(agent.key);
      }
    }
    if (exact == ExactBound::skip) return;
    bounds_.exact_note = why_not_exact();
    exact_ = bounds_.exact_note.empty();
  }

  RunBounds all() {
    // By profile first, so that each is compiled once.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const ScenarioAgent*>> by_pair;
    for (const ScenarioAgent& agent : scenario_.agents) {
      if (retargeted_.count(agent.key) == 0)
        by_pair[{agent.profile, agent.via.empty() ? agent.goal : agent.via.front()}].push_back(&agent);
    }
    for (const auto& [pair, agents] : by_pair) add(pair.first, pair.second, agents);
    std::uint64_t ring = 0;
    bool has_rings = false;
    for (const auto& [goal, crowd] : crowds_) {
      bounds_.queue = std::max(bounds_.queue.value_or(0), crowd::queue_bound(crowd.agents, crowd.slots));
      ring = std::max(ring, crowd::ring_bound(crowd.agents, crowd.slots, crowd.rings));
      has_rings = has_rings || crowd.has_rings;
    }
    if (has_rings) bounds_.ring = ring;
    note_arrivals();
    return std::move(bounds_);
  }

 private:
  // Who queues takes the first free slot of its goal. Agents that no crowd counts may be there at once.
  void note_arrivals() {
    std::vector<std::uint64_t> ticks;
    for (auto& [goal, crowd] : crowds_) {
      std::sort(crowd.agents.begin(), crowd.agents.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
      std::vector<std::uint64_t> taken;
      taken.reserve(crowd.agents.size());
      for (const crowd::EarliestArrival& agent : crowd.agents) {
        std::uint64_t tick = agent.tick;
        if (agent.queues) {
          if (taken.size() >= crowd.slots) tick = std::max(tick, taken[taken.size() - crowd.slots] + 1);
          taken.push_back(tick);
        }
        ticks.push_back(tick);
      }
    }
    const std::size_t known = ticks.size() + cut_off_;
    ticks.resize(ticks.size() + scenario_.agents.size() - std::min(known, scenario_.agents.size()), 0);
    std::sort(ticks.begin(), ticks.end());
    auto& most = bounds_.most_arrivals;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      if (most.empty() || most.back().first != ticks[i]) most.emplace_back(ticks[i], i);
      most.back().second = i + 1;
    }
    if (!bounds_.exact) return;
    most.clear();
    const std::vector<std::uint32_t>& optimum = bounds_.exact->evacuated_by_tick;
    for (std::size_t t = 0; t < optimum.size(); ++t) {
      if (optimum[t] > (most.empty() ? 0 : most.back().second)) most.emplace_back(t, optimum[t]);
    }
  }

  bool queues(const ScenarioAgent& agent) const {
    return agent.via.empty() && scenario_.goals[agent.goal].goal.on_arrival == OnArrival::vanish &&
           profiles_of_goal_.at(agent.goal).size() == 1;
  }

  std::string why_not_exact() const {
    const std::vector<ScenarioAgent>& agents = scenario_.agents;
    if (agents.empty()) return "no agents";
    if (map_changes(scenario_)) return "the map changes during the run";
    if (!scenario_.portals.empty()) return "portals";
    if (!retargeted_.empty()) return "agents with a retarget";
    for (const ScenarioAgent& a : agents) {
      if (a.goal != agents[0].goal || !a.via.empty()) return "agents with different goals";
      if (a.profile != agents[0].profile) return "agents of different profiles";
      if (a.start_tick != 0) return "agents that start later than tick 0";
    }
    if (scenario_.goals[agents[0].goal].goal.on_arrival != OnArrival::vanish) return "agents that stay at the goal";
    if (scenario_.profiles[agents[0].profile].profile.footprint != 1) return "bodies of more than one cell";
    return {};
  }

  void add(std::uint32_t profile, std::uint32_t goal, const std::vector<const ScenarioAgent*>& agents) {
    GoalDef where = scenario_.goals[goal].goal.where;
    if (where.placement == GoalPlacement::nearest && map_changes(scenario_)) return;
    for (GoalCell& cell : where.cells) cell.offset = 0;
    compile(profile);
    const Result<FieldRef> field = builder_.build(graph_, where);
    if (!field) return;
    Crowd crowd;
    std::uint64_t farthest = 0;
    bool queueing = false;
    for (const ScenarioAgent* agent : agents) {
      const Cost steps = (*field)->cost_to_goal(graph_.shape().index(agent->at));
      if (steps == kInfiniteCost) {
        ++cut_off_;
        continue;
      }
      crowd.agents.push_back({agent->start_tick + steps, steps, queues(*agent)});
      farthest = std::max(farthest, steps);
      queueing = queueing || queues(*agent);
    }
    if (crowd.agents.empty()) return;
    std::set<std::uint32_t> cells;
    for (const PlacedGoal& placed : (*field)->goals()) cells.insert(graph_.shape().index(placed.placed).value);
    Crowd& all = crowds_[goal];
    all.agents.insert(all.agents.end(), crowd.agents.begin(), crowd.agents.end());
    if (!queueing) return;
    all.slots = cells.size();
    // A portal leads past the cells of a ring.
    all.has_rings = scenario_.profiles[profile].profile.footprint == 1 && scenario_.portals.empty();
    if (all.has_rings) all.rings = crowd::narrow_rings(graph_, **field, all.slots, farthest);
    if (exact_) find_optimum(**field, agents);
  }

  void compile(std::uint32_t profile) {
    if (compiled_ == profile) return;
    const MovementProfile& rules = scenario_.profiles[profile].profile;
    Result<NavGraph> made = NavGraph::compile(most_open_map(scenario_, rules).view(), steps_only(scenario_, rules));
    if (!made) throw Refusal{made.status()};
    graph_ = std::move(*made);
    compiled_ = profile;
  }

  void find_optimum(const FlowField& steps, const std::vector<const ScenarioAgent*>& agents) {
    std::vector<CellIndex> starts;
    starts.reserve(agents.size());
    for (const ScenarioAgent* agent : agents) starts.push_back(graph_.shape().index(agent->at));
    const crowd::FlowLimits limits;
    bounds_.exact = crowd::earliest_arrival_flow(graph_, steps, starts, limits);
    if (!bounds_.exact) {
      bounds_.exact_note = fmt::format("not affordable: more than {} reachable cells x ticks or {} visits",
                                       limits.cell_ticks, limits.visits);
    } else if (directed(scenario_)) {
      bounds_.exact_note = "the optimum where every step leads both ways, a lower bound here";
    } else if (scenario_.policy.following == Following::forbidden) {
      bounds_.exact_note = "the optimum where following is allowed, a lower bound here";
    } else if (scenario_.policy.step == StepPolicy::ground_speed) {
      bounds_.exact_note = "the optimum of steps of one tick, a lower bound here";
    } else if (scenario_.policy.bodies == BodyRule::discs) {
      bounds_.exact_note = "the optimum of bodies as cells, a lower bound for discs";
    }
  }

  const Scenario& scenario_;
  std::set<std::uint64_t> retargeted_;
  std::map<std::uint32_t, std::set<std::uint32_t>> profiles_of_goal_;
  std::map<std::uint32_t, Crowd> crowds_;  // by goal
  std::optional<std::uint32_t> compiled_;
  NavGraph graph_;
  FieldBuilder builder_;
  bool exact_ = false;
  std::size_t cut_off_ = 0;
  RunBounds bounds_;
};

}  // namespace

std::optional<std::uint64_t> RunBounds::best() const {
  std::optional<std::uint64_t> most = std::max(queue, ring);
  if (exact) most = std::max(most, std::optional<std::uint64_t>(exact->makespan()));
  return most;
}

Result<RunBounds> run_bounds(const Scenario& scenario, ExactBound exact) {
  return guarded(map_need(scenario.map.width, scenario.map.height, scenario.map.layers),
                 [&] { return BoundsOfRun(scenario, exact).all(); });
}

}  // namespace drover::io
