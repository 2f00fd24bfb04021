// SPDX-License-Identifier: MIT
// The parts of a scenario file, read in the order in which they need each other.
#pragma once
#include "io/toml_reader.hpp"

namespace drover::io {

/// A place that tables name by {spawn = "NAME"}: of [[spawn]], or of the map file.
struct NamedPlace {
  std::vector<Cell> anchors;  // where bodies stand: the upper-left cell of each square; each cell of the map file's
  std::vector<Cell> cells;    // all that it covers
};

/// What the parts share while a scenario is read. Names are looked up, never iterated.
struct ScenarioReader {
  const Document& document;
  const ScenarioOptions& options;
  Scenario& out;
  std::map<std::string, std::uint32_t, std::less<>> terrain, profiles, goals, groups, factions;
  std::optional<Legend> legend = {};  // of [map], if it names colours
  MapFile map_file = {};              // what the file of [map] says beside its cells, moved to the origin
  std::vector<NamedPlace> places = {};
  std::map<std::string, std::uint32_t, std::less<>> place_names = {};  // to places

  /// The tables of `[[name]]`, in file order.
  std::vector<const toml::table*> tables(std::string_view name) const;
  /// Remembers a name, refusing one that is there already.
  void add_name(std::map<std::string, std::uint32_t, std::less<>>& names, const std::string& name, std::uint32_t index,
                const Section& section) const;
  /// What [policy] says of steps, which comes later.
  bool ground_speed() const;
  /// Index of a name, or a refusal that lists the known ones.
  std::uint32_t index_of(const std::map<std::string, std::uint32_t, std::less<>>& names, const toml::node& node,
                         std::string_view what, StatusCode code) const;
};

/// A faction by name; "all", or no key: kEveryone.
FactionId faction_of(const ScenarioReader& reader, const Section& section);
/// Refuses a cell outside the map with `edit_outside`.
void need_on_map(const ScenarioReader& reader, Cell cell, Spot spot, std::string_view what);
/// [[x, y, "E"], ...]: steps that begin on the map.
std::vector<GridStep> steps_of(const ScenarioReader& reader, const toml::node& node);
/// `cells = {spawn = "NAME"}` and the like, once read_spawns() is done: a place with at least one cell, or null where
/// the value is no such table.
const NamedPlace* spawn_of(const ScenarioReader& reader, const toml::node& node);
/// The first cell of a place that is named at `node`.
Cell first_cell(const ScenarioReader& reader, const NamedPlace& place, const toml::node& node);
/// Runs of cells in one row: far fewer than the cells of an area.
std::vector<CellRect> runs_of(const std::vector<Cell>& cells);
/// The path of a file that a scenario names; refuses what leaves its folder.
std::string scenario_path(const ScenarioReader& reader, const toml::node& node, const std::string& name);

void read_terrain(ScenarioReader& reader);
void read_map(ScenarioReader& reader);
/// Reads the file of [map]; cells, terrain and origin are taken, the rest waits in reader.map_file.
void read_map_file(ScenarioReader& reader, const toml::node& node, const toml::node* origin);
/// Makes the cave of [map], at its origin.
void read_cave(ScenarioReader& reader, const toml::node& node);
/// Places of the map file, and [[spawn]] drawn on the map as it is at tick 0, by the rules of the first profile and the
/// seed of [run]. Needs all that the map is made of.
void read_spawns(ScenarioReader& reader);
/// Goals of the map file, unless the scenario has one of that name.
void take_goals(ScenarioReader& reader);
/// Groups of its spawns that have a goal, unless the scenario has a group of that name.
void take_groups(ScenarioReader& reader);
/// Its obstacles, before those of the scenario.
void take_obstacles(ScenarioReader& reader);
/// Heights and slope of [map], once its size is known.
void read_heights(ScenarioReader& reader, const Section& map);
void read_profiles(ScenarioReader& reader);
void read_goals(ScenarioReader& reader);
void read_groups(ScenarioReader& reader);
void read_agents(ScenarioReader& reader);
void read_doors(ScenarioReader& reader);
void read_edges(ScenarioReader& reader);
void read_edits(ScenarioReader& reader);
/// Refuses a path unless agents go on by old fields: with any other policy everyone would stand still while it moves.
void check_path_policy(const ScenarioReader& reader, const Place& place);
/// Needs [policy].
void read_obstacles(ScenarioReader& reader);
/// Turns the paths of obstacles into edits, one a tick, behind the other edits of that tick.
void read_paths(ScenarioReader& reader);
/// Adds obstacles of the scenario (unit 1) or of the map that it names (in cells, unit = cell_size, spots in `file`),
/// in this order. Refuses shapes that do not validate, and too many.
void add_obstacles(ScenarioReader& reader, std::vector<NamedObstacle> obstacles, const std::string& file, Fixed unit);
void read_retargets(ScenarioReader& reader);
void read_policy(ScenarioReader& reader);
void read_run(ScenarioReader& reader);

/// Gives groups their keys and cells, checks goals and starts against the map. Used by scenarios and .gate files alike.
void place_agents(Scenario& scenario);

inline constexpr std::int64_t kMostTicks = std::int64_t{1} << 40;

}  // namespace drover::io
