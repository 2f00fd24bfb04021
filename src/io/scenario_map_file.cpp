// SPDX-License-Identifier: MIT
// What a scenario takes over from the map file that it names.
#include <fmt/format.h>

#include <algorithm>

#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

std::int32_t moved(std::int32_t at, std::int32_t from, std::int32_t to) {
  // Modulo 2^32: what leaves the world is off the map, and is refused as such.
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(to) -
                                   static_cast<std::uint32_t>(from));
}

Position moved(Position at, Cell from, Cell to) {
  const auto move = [](Fixed& value, std::int32_t from_cell, std::int32_t to_cell) {
    const std::uint64_t cells = static_cast<std::uint64_t>(std::int64_t{to_cell} - from_cell);
    value.raw = static_cast<std::int64_t>(static_cast<std::uint64_t>(value.raw) + (cells << Fixed::kFractionBits));
  };
  move(at.x, from.x, to.x);
  move(at.y, from.y, to.y);
  return at;
}

// All that stands on the map goes with it.
void move_to(MapFile& map, Cell origin) {
  const auto move = [&](Cell& cell) {
    cell.x = moved(cell.x, map.origin.x, origin.x);
    cell.y = moved(cell.y, map.origin.y, origin.y);
  };
  for (StepEdit& step : map.steps) move(step.step.from);
  for (MapGoal& goal : map.goals) std::for_each(goal.cells.begin(), goal.cells.end(), move);
  for (MapSpawn& spawn : map.spawns) std::for_each(spawn.cells.begin(), spawn.cells.end(), move);
  for (NamedObstacle& obstacle : map.obstacles) {
    obstacle.shape.centre = moved(obstacle.shape.centre, map.origin, origin);
    for (NamedObstacle::Stop& stop : obstacle.path) stop.at = moved(stop.at, map.origin, origin);
  }
  map.origin = origin;
}

void take_terrain(ScenarioReader& reader, const MapFile& map) {
  Alphabet& alphabet = reader.out.alphabet;
  for (std::size_t i = reader.out.terrain.size(); i < map.terrain.size(); ++i) {
    reader.terrain.emplace(map.terrain[i].name, static_cast<std::uint32_t>(i));
    std::int16_t& meaning = alphabet.meaning[static_cast<unsigned char>(map.terrain[i].letter)];
    if (map.terrain[i].letter != '\0' && meaning == Alphabet::kNone) meaning = static_cast<std::int16_t>(i);
  }
  reader.out.terrain = map.terrain;
}

Spot in_map(Spot spot) { return {spot.line, spot.column, true}; }

// Refuses what stands twice in the map file itself.
void once(const ScenarioReader& reader, std::map<std::string, std::uint32_t, std::less<>>& mine,
          const std::string& name, Spot spot, std::string_view what) {
  if (mine.emplace(name, 0).second) return;
  refuse(StatusCode::name_twice, reader.out.place(in_map(spot)),
         fmt::format("{} {} stands here a second time; names are expected once", what, printable(name)));
}

std::string known(const std::map<std::string, std::uint32_t, std::less<>>& names) {
  std::string list;
  for (const auto& [name, index] : names) list += (list.empty() ? "" : ", ") + printable(name);
  return list.empty() ? "none" : list;
}

std::uint32_t profile_of(const ScenarioReader& reader, const MapSpawn& spawn) {
  if (spawn.profile.empty() && reader.profiles.size() == 1) return 0;
  const auto found = reader.profiles.find(spawn.profile);
  if (found != reader.profiles.end()) return found->second;
  const std::string what = spawn.profile.empty() ? "names no profile" : "unknown profile " + printable(spawn.profile);
  refuse(StatusCode::profile_unknown, reader.out.place(in_map(spawn.spot)),
         fmt::format("spawn {}: {}; known are {}", printable(spawn.name), what, known(reader.profiles)));
}

ScenarioGroup group_of(const ScenarioReader& reader, const MapSpawn& spawn) {
  ScenarioGroup group;
  group.spot = group.count_spot = in_map(spawn.spot);
  group.name = spawn.name;
  group.profile = profile_of(reader, spawn);
  const auto goal = reader.goals.find(spawn.goal);
  if (goal == reader.goals.end()) {
    refuse(StatusCode::name_unknown, reader.out.place(group.spot),
           fmt::format("spawn {}: unknown goal {}; known are {}", printable(spawn.name), printable(spawn.goal),
                       known(reader.goals)));
  }
  group.goal = goal->second;
  if (spawn.cells.empty()) {
    refuse(StatusCode::start_outside, reader.out.place(group.spot),
           fmt::format("spawn {} holds no cell; an object that holds the middle of a cell is expected",
                       printable(spawn.name)));
  }
  group.count = spawn.count.value_or(spawn.cells.size());
  if (spawn.count) {
    group.area = runs_of(spawn.cells);
  } else {
    group.cells = spawn.cells;
    group.spots.assign(spawn.cells.size(), group.spot);
  }
  return group;
}

}  // namespace

std::vector<CellRect> runs_of(const std::vector<Cell>& cells) {
  std::vector<CellRect> runs;
  for (const Cell cell : cells) {
    if (!runs.empty() && runs.back().corner.y == cell.y && runs.back().corner.layer == cell.layer &&
        runs.back().corner.x + runs.back().width == cell.x) {
      ++runs.back().width;
    } else {
      runs.push_back({cell, 1, 1});
    }
  }
  return runs;
}

void read_map_file(ScenarioReader& reader, const toml::node& node, const toml::node* origin) {
  const std::string name = string_of(reader.document, node, "file");
  const std::string path = scenario_path(reader, node, name);
  MapFile map =
      or_refuse(load_map_file(path, {reader.out.alphabet, reader.out.terrain, reader.legend, reader.options.paths}));
  reader.out.map_file = path;
  reader.out.inputs = map.parts;
  reader.out.inputs.push_back(path);
  take_terrain(reader, map);
  if (origin != nullptr) move_to(map, reader.out.origin);
  reader.out.origin = map.origin;
  reader.out.map = std::move(map.cells);
  for (const Warning& warning : map.warnings) reader.out.warnings.push_back(warning);
  reader.map_file = std::move(map);
}

void take_goals(ScenarioReader& reader) {
  std::map<std::string, std::uint32_t, std::less<>> mine;
  for (const MapGoal& from : reader.map_file.goals) {
    if (from.name.empty())
      refuse(StatusCode::value, reader.out.place(in_map(from.spot)), "a goal without a name; a name is expected");
    once(reader, mine, from.name, from.spot, "goal");
    const auto index = static_cast<std::uint32_t>(reader.out.goals.size());
    if (!reader.goals.emplace(from.name, index).second) continue;
    ScenarioGoal goal;
    goal.name = from.name;
    goal.spot = in_map(from.spot);
    if (from.cells.empty() || from.cells.size() > kMaxGoalCells) {
      refuse(from.cells.empty() ? StatusCode::goal_none : StatusCode::limit_goals, reader.out.place(goal.spot),
             fmt::format("goal {} holds {} cells; 1 .. {} is expected", printable(from.name), from.cells.size(),
                         kMaxGoalCells));
    }
    for (const Cell cell : from.cells) goal.goal.where.cells.push_back({cell, 0});
    goal.spots.assign(from.cells.size(), goal.spot);
    goal.goal.on_arrival = from.on_arrival;
    goal.goal.where.placement = from.nearest ? GoalPlacement::nearest : reader.options.goals;
    reader.out.goals.push_back(std::move(goal));
  }
}

void take_groups(ScenarioReader& reader) {
  std::map<std::string, std::uint32_t, std::less<>> mine;
  for (const MapSpawn& spawn : reader.map_file.spawns) {
    const auto index = static_cast<std::uint32_t>(reader.out.groups.size());
    if (!spawn.name.empty()) once(reader, mine, spawn.name, spawn.spot, "spawn");
    if (spawn.goal.empty()) continue;
    if (!spawn.name.empty() && !reader.groups.emplace(spawn.name, index).second) continue;
    reader.out.groups.push_back(group_of(reader, spawn));
  }
}

void take_obstacles(ScenarioReader& reader) {
  for (NamedObstacle& obstacle : reader.map_file.obstacles) {
    obstacle.spot = in_map(obstacle.spot);
    if (!obstacle.path.empty()) check_path_policy(reader, reader.out.place(obstacle.spot));
  }
  add_obstacles(reader, std::move(reader.map_file.obstacles), reader.out.map_file, reader.out.cell_size);
}

}  // namespace drover::io
