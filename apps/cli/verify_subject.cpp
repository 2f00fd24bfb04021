// SPDX-License-Identifier: MIT
// From a map or scenario to what is judged.
#include "verify_subject.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counter_rng.hpp"

namespace drover::cli {

namespace {

constexpr std::uint32_t kDrawGoals = 0x90a1;  // domain
constexpr std::size_t kDrawn = 3;

VerifySubject load_scenario_subject(const MapOptions& o) {
  const io::Scenario scenario = load_scenario(o);
  VerifySubject subject{must(io::make_map(scenario)), {}, {}, {}, {}, scenario.inputs};
  if (!o.profile.empty()) {
    subject.profiles.push_back(named_profile(scenario, o.profile).profile);
  } else {
    for (const io::ScenarioProfile& p : scenario.profiles) subject.profiles.push_back(p.profile);
  }
  if (subject.profiles.empty()) subject.profiles.emplace_back();
  for (MovementProfile& profile : subject.profiles) apply_map_rules(o, scenario.terrain, profile);
  const bool cells = std::none_of(scenario.goals.begin(), scenario.goals.end(),
                                  [&](const io::ScenarioGoal& g) { return g.name == o.goal; }) &&
                     o.goal.find(',') != std::string::npos;
  if (cells) {
    subject.goals.push_back({o.goal, {parse_goal_cells(o.goal), GoalPlacement::exact}});
  } else if (!o.goal.empty()) {
    subject.goals.push_back({o.goal, named_goal(scenario, o.goal).goal.where});
  } else {
    for (const io::ScenarioGoal& g : scenario.goals) subject.goals.push_back({g.name, g.goal.where});
  }
  for (const io::ScenarioEdit& edit : scenario.edits) {
    if (edit.tick == 0) continue;
    if (subject.changes.empty() || subject.changes.back().first != edit.tick)
      subject.changes.push_back({edit.tick, {}});
    subject.changes.back().second.append(edit.edit);
  }
  load_weights(o, subject.map);
  return subject;
}

std::vector<Cell> places(const VerifySubject& subject, const std::string& file) {
  const GridShape& shape = subject.map.shape();
  const Result<NavGraph> graph = NavGraph::compile(subject.map.view(), subject.profiles.front());
  if (!graph) refuse(io::error_at(graph.status().code(), {file, 0, 0}, graph.status().message()));
  std::vector<Cell> cells;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t y = 0; y < shape.height(); ++y) {
      for (std::int32_t x = 0; x < shape.width(); ++x) {
        const Cell cell{shape.origin().x + x, shape.origin().y + y, layer};
        if (graph->footing(cell) == Footing::open) cells.push_back(cell);
      }
    }
  }
  return cells;
}

void draw_goals(VerifySubject& subject, const std::string& file, std::uint64_t seed) {
  const GridShape& shape = subject.map.shape();
  std::vector<Cell> from = places(subject, file);
  if (from.empty()) {
    refuse(io::error_at(StatusCode::goal_none, {file, 0, 0},
                        "no cell where the body can stand, so no goal could be drawn; at least one is expected"));
  }
  const base::CounterRng rng(seed, kDrawGoals);
  for (std::size_t i = 0; i < std::min(kDrawn, from.size()); ++i) {
    std::swap(from[i], from[i + rng.uniform(i, static_cast<std::uint32_t>(from.size() - i))]);
    subject.drawn.push_back({from[i], 0});
    subject.goals.push_back({io::cell_text(from[i], shape.layers()), {{{from[i], 0}}, GoalPlacement::exact}});
  }
}

}  // namespace

VerifySubject load_subject(const MapOptions& o, std::uint64_t seed) {
  if (o.map.empty()) usage("no MAP; drover verify MAP or SCENARIO is expected");
  if (is_scenario(o.map)) {
    MapOptions rules = o;  // the terrain's letters are not known yet
    rules.terrain_cost.clear();
    MovementProfile checked;
    apply_map_rules(rules, {}, checked);
    check_legend(o);
    VerifySubject subject = load_scenario_subject(o);
    if (subject.goals.empty()) draw_goals(subject, o.map, seed);
    return subject;
  }
  LoadedMap loaded = load_map(o, GoalRule::optional);
  VerifySubject subject{std::move(loaded.map), {loaded.profile}, {}, {}, {}, std::move(loaded.inputs)};
  if (o.goal.empty())
    draw_goals(subject, o.map, seed);
  else
    subject.goals.push_back({o.goal, {parse_goal_cells(o.goal), GoalPlacement::exact}});
  return subject;
}

}  // namespace drover::cli
