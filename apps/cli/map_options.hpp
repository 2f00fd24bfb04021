// SPDX-License-Identifier: MIT
// The map rules that `field` (and later path, verify) share: MAP may be a map or a scenario.
#pragma once
#include "app.hpp"

namespace drover::cli {

/// As typed; empty means not given.
struct MapOptions {
  std::string map, moves, corner, costs, weights, terrain_cost, footprint, profile, goal;
  bool allow_outside = false;
};
void add_map_options(CLI::App& command, MapOptions& options);

/// A map with the rules to move on it.
struct LoadedMap {
  GridMap map;
  MovementProfile profile;
  io::Alphabet alphabet;
  std::vector<GoalDef> named_goal;  // at most one: the goal of a scenario
  std::string map_file;             // that the scenario names
};
/// Refuses values that are wrong by themselves before it opens any file.
LoadedMap load_map(const MapOptions& options);

/// "3,4", "3,4,1", "3,4@25", several with ';'.
std::vector<GoalCell> parse_goal_cells(const std::string& text);

/// Blocked where no cell can stand.
std::string cell_json(Cell cell, std::int64_t layers);

}  // namespace drover::cli
