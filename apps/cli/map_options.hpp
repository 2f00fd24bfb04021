// SPDX-License-Identifier: MIT
// The map rules that `field`, `path` and `verify` share: MAP may be a map or a scenario.
#pragma once
#include <drover/field.hpp>
#include <drover/graph.hpp>

#include "app.hpp"

namespace drover::cli {

/// As typed; empty means not given.
struct MapOptions {
  std::string map, moves, corner, costs, weights, terrain_cost, footprint, profile, goal, legend;
  bool allow_outside = false;
  bool takes_goal = false;                     // --goal is there, and a map without it is refused
  GoalPlacement goals = GoalPlacement::exact;  // of a scenario; `nearest`: bad ones will be moved
};
void add_map_options(CLI::App& command, MapOptions& options);
void add_legend_option(CLI::App& command, MapOptions& options);
/// Refuses a legend that is wrong by itself, or stands beside a scenario.
void check_legend(const MapOptions& options);
void add_goal_option(CLI::App& command, MapOptions& options);

/// A map with the rules to move on it.
struct LoadedMap {
  GridMap map;
  MovementProfile profile;
  io::Alphabet alphabet;
  std::vector<GoalDef> named_goal;  // at most one: the goal of a scenario
  std::vector<std::string> inputs;  // files that MAP names
  struct Agent {
    std::uint64_t key;
    Cell at;
  };
  std::vector<Agent> agents;  // of the scenario: with this profile and this goal, or with any if the goal is cells
};
enum class GoalRule : std::uint8_t { needed, optional };
/// Refuses values that are wrong by themselves before it opens any file.
LoadedMap load_map(const MapOptions& options, GoalRule goal = GoalRule::needed);

/// True for the endings of scenarios.
bool is_scenario(const std::string& path);
/// As these options want it; warnings are printed.
io::MapFile load_map_file(const MapOptions& options);
io::Scenario load_scenario(const MapOptions& options);
/// Options override what a profile says. `classes` are the map's.
void apply_map_rules(const MapOptions& options, const std::vector<TerrainClass>& classes, MovementProfile& profile);
void load_weights(const MapOptions& options, GridMap& map);
/// A profile or goal of a scenario by its name; refuses with the names there are.
const io::ScenarioProfile& named_profile(const io::Scenario& scenario, const std::string& name);
const io::ScenarioGoal& named_goal(const io::Scenario& scenario, const std::string& name);

/// Refuses with the place of the map and the memory that it needs; warns where the body fits nowhere.
NavGraph compile_graph(const LoadedMap& loaded, const MapOptions& options, const Host& host);
/// What E_NOMEM names.
std::string memory_need(const LoadedMap& loaded);

/// "3,4", "3,4,1", "3,4@25", several with ';'.
std::vector<GoalCell> parse_goal_cells(const std::string& text);

/// Blocked where no cell can stand.
std::string cell_json(Cell cell, std::int64_t layers);

}  // namespace drover::cli
