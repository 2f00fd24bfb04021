// SPDX-License-Identifier: MIT
// Files in and out: maps, weights, edits, scenarios and gate instances, each refused by name, line and column.
#pragma once
#include <drover/obstacle.hpp>
#include <drover/simulation.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::io {

/// Where something stands in a file; lines and columns count from 1, 0 where there is none.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The same within a file that is known. Of a scenario's things some stand in the map file that it names.
struct Spot {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool in_map_file = false;
};

/// Bytes that cannot be printed become \x00 escapes; UTF-8 text passes. One line, whatever went in.
std::string printable(std::string_view bytes);
/// A status whose message is "file:line:column: message".
Status error_at(StatusCode code, const Place& place, std::string_view message);

/// Something odd that does not stop the load: "W_NO_ROOM" and "file:line:column: ...".
struct Warning {
  std::string name;
  std::string message;
};

/// Files that a file names: below its folder, or anywhere.
enum class PathRule : std::uint8_t { below_scenario, anywhere };

struct FileLimits {
  std::uint64_t file_bytes;
  std::uint64_t line_bytes;  // without the line end
};
inline constexpr FileLimits kMapFile{std::uint64_t{1} << 30, std::uint64_t{1} << 20};
inline constexpr FileLimits kWeightsFile{std::uint64_t{1} << 31, std::uint64_t{1} << 23};
inline constexpr FileLimits kTiledFile{std::uint64_t{1} << 30, std::uint64_t{1} << 30};
inline constexpr FileLimits kPngFile{std::uint64_t{1} << 30, std::uint64_t{1} << 30};
inline constexpr FileLimits kScenFile{std::uint64_t{1} << 28, std::uint64_t{1} << 16};
inline constexpr FileLimits kScenarioFile{std::uint64_t{1} << 26, std::uint64_t{1} << 25};
inline constexpr FileLimits kGateFile{std::uint64_t{1} << 28, std::uint64_t{1} << 26};

/// The whole of a regular file as UTF-8 text without its byte order mark. Never reads past the limits; a line that is
/// too long is refused before it is stored. Errors: cannot_open, not_a_file, limit_file, limit_line, encoding,
/// out_of_memory.
Result<std::string> read_text_file(const std::string& path, FileLimits limits);

/// What each letter of a map means: a terrain class, unknown, or nothing.
struct Alphabet {
  static constexpr std::int16_t kNone = -1, kUnknown = 255;
  std::array<std::int16_t, 256> meaning;

  /// The letters of standard_terrain() and '?'.
  static Alphabet standard();
  /// The letters of these classes and '?'.
  static Alphabet of(const std::vector<TerrainClass>& classes);
  /// ". # ? G S W T @ O", for messages.
  std::string letters() const;
};

/// A map as read: one byte a cell, a terrain class or kUnknown, row by row, layer by layer.
struct MapCells {
  static constexpr std::uint8_t kUnknown = 255;
  std::int64_t width = 0, height = 0, layers = 1;
  std::vector<std::uint8_t> cells;
  std::vector<std::int32_t> heights = {};  // one a cell, or none
  SlopeCost slope = {};
};

/// A MovingAI map if the text begins with a header, else plain rows with `layer N` lines between layers.
/// docs/formats/map.md.
Result<MapCells> parse_map(std::string_view text, const std::string& file,
                           const Alphabet& alphabet = Alphabet::standard());

/// A place that a map file names: an object of class `goal`. Its cells are those whose centres it holds; a point holds
/// the cell it lies in.
struct MapGoal {
  std::string name;
  std::vector<Cell> cells;
  OnArrival on_arrival = OnArrival::stay;
  bool nearest = false;
  Spot spot;
};

/// An object of class `spawn`: a place that scenarios may name, and with a goal a group of agents.
struct MapSpawn {
  std::string name, profile, goal;  // empty profile: the only one there is; empty goal: only a place
  std::vector<Cell> cells;
  std::optional<std::uint64_t> count;  // else one for each cell
  Spot spot;
};

/// A shape with its name and, if it moves, where its centre is at these ticks; between them it moves linearly.
struct NamedObstacle {
  struct Stop {
    std::uint64_t tick = 0;
    Position at;
  };
  std::string name;
  Obstacle shape;
  std::vector<Stop> path;  // ascending by tick; empty: it stands
  Spot spot;
};

/// Everything that a map file may say. Formats that hold less leave the rest as it is here.
struct MapFile {
  std::string file;
  std::vector<std::string> parts;  // other files that it was read from: external tilesets
  MapCells cells;
  Cell origin;                                             // world cell in the upper-left corner
  std::vector<TerrainClass> terrain = standard_terrain();  // what `cells` speak of
  std::vector<StepEdit> steps;                             // one-ways, one a step
  std::vector<MapGoal> goals;
  std::vector<MapSpawn> spawns;
  std::vector<NamedObstacle> obstacles;  // in cells: one world unit a cell
  std::vector<Warning> warnings;
};

/// "#rrggbb" or "palette 3" of a picture.
struct Legend {
  std::map<std::string, std::int16_t> colors;  // to a class, or Alphabet::kUnknown
};

struct MapFileOptions {
  Alphabet alphabet = Alphabet::standard();                // of text
  std::vector<TerrainClass> terrain = standard_terrain();  // that alphabet and legend name, and Tiled maps add to
  std::optional<Legend> legend;  // of pictures; else the one that the picture carries, else the standard one
  PathRule paths = PathRule::below_scenario;  // of external tilesets: below the map's folder, or anywhere
};
/// Reads a map by the ending of its name: .map .txt .png .tmx .tmj. docs/formats/map.md and tiled.md.
Result<MapFile> load_map_file(const std::string& path, const MapFileOptions& options = {});

/// A warning (W_LOST) for each kind of thing that the format cannot hold.
struct SavedMap {
  std::vector<Warning> warnings;
};
/// Writes a map by the ending of the name; the file is there whole or not at all. Errors: write, format.
Result<SavedMap> save_map_file(const std::string& path, const MapFile& map, const MapFileOptions& options = {});

/// The map in memory. `terrain` are the classes that the cells name; the corner is at origin x cell_size.
Result<GridMap> make_map(const MapCells& cells, const std::vector<TerrainClass>& terrain = standard_terrain(),
                         Cell origin = {}, const Host& host = {}, Fixed cell_size = Fixed::from_int(1));
/// The same with its one-ways and obstacles.
Result<GridMap> make_map(const MapFile& file, const Host& host = {});
/// Bytes that a map of this shape takes, its graph and one field included; what E_NOMEM names.
std::uint64_t map_bytes(std::int64_t width, std::int64_t height, std::int64_t layers);

/// True if there is free ground but no place on it is large enough for the body: W_NO_ROOM.
bool fits_nowhere(const NavGraph& graph);

/// Entering cost factors, one row a line, `layer N` lines between layers: row by row, layer by layer.
Result<std::vector<std::uint32_t>> parse_weights(std::string_view text, const std::string& file,
                                                 const GridShape& shape);
/// Heights in the same form: whole numbers, also negative ones, of 32 bits.
Result<std::vector<std::int32_t>> parse_heights(std::string_view text, const std::string& file, const GridShape& shape);
/// Lines `x,y,char` or `x,y,layer,char`; blank lines are skipped.
Result<std::vector<CellEdit>> parse_edits(std::string_view text, const std::string& file, const GridShape& shape,
                                          const Alphabet& alphabet = Alphabet::standard());

/// One query of a MovingAI .scen file. `optimum` is the length of the shortest way in straight steps; 0 with different
/// ends: there is none.
struct ScenQuery {
  Cell from, to;
  Fixed optimum;
  std::uint32_t line = 0;
};
/// Every query, in file order. Cells count from the upper-left one of the first layer; `shape` is the map they are for.
/// Errors: scen, number, scen_position, version_unsupported. docs/formats/scen.md.
Result<std::vector<ScenQuery>> parse_scen(std::string_view text, const std::string& file, const GridShape& shape);

// ---- Scenarios
// -------------------------------------------------------------------------------------------------------------

struct ScenarioProfile {
  MovementProfile profile;  // has the name
  std::optional<std::uint32_t> adopt_latency_ticks;
  Spot spot;
};

struct ScenarioGoal {
  std::string name;
  SimulationGoal goal;
  std::vector<Spot> spots;  // one a cell, or that of the area
  Spot spot;
};

struct ScenarioAgent {
  std::uint64_t key = 0;
  Cell at;
  std::uint32_t profile = 0;  // index into Scenario::profiles
  std::uint32_t goal = 0;     // index into Scenario::goals
  std::vector<std::uint32_t> via;
  std::uint64_t start_tick = 0;
  std::int32_t priority_class = 0;
  std::uint32_t group = ~std::uint32_t{0};  // index into Scenario::groups, ~0 for an [[agent]]
  Spot spot;
};

struct CellRect {
  Cell corner;
  std::int64_t width = 1, height = 1;
};

/// A [[group]] as written. load_scenario and parse_scenario have turned its agents into Scenario::agents.
struct ScenarioGroup {
  std::string name;
  std::uint32_t profile = 0, goal = 0;
  std::vector<std::uint32_t> via;
  std::uint64_t start_tick = 0;
  std::int32_t priority_class = 0;
  std::uint64_t count = 0;
  std::vector<Cell> cells;     // one agent each, or empty: spawned
  std::vector<Spot> spots;     // of the cells
  std::vector<CellRect> area;  // where whole bodies are spawned; empty: anywhere
  std::optional<std::uint64_t> first_key;
  Spot spot, count_spot;
};

struct ScenarioDoor {
  DoorDef door;
  Spot spot;
};

struct ScenarioPortal {
  PortalDef portal;
  Spot spot;
};

/// A change of the map at a tick; tick 0 is part of the map that the run starts with.
struct ScenarioEdit {
  std::uint64_t tick = 0;
  MapEdit edit;
  Spot spot;
};

struct ScenarioRetarget {
  std::uint64_t tick = 0;
  std::optional<std::uint32_t> group;  // else the agent
  std::uint64_t agent = 0;             // key
  std::uint32_t goal = 0;
  Spot spot;
};

/// What a .gate file says about its own optimum, for tests and reports.
struct GateFacts {
  std::optional<std::uint64_t> bound_queue, bound_ring, optimal_makespan, optimal_sum_of_arrivals;
};

/// Everything that a scenario or .gate file says, resolved and checked: agents have keys and cells, edits are in tick
/// order. Plain data, independent of running it.
struct Scenario {
  std::string name;  // the file's name without its ending
  std::string file;
  std::uint64_t digest = 0;         // of the file's text
  std::string map_file;             // as it was opened; empty where the map stands in the scenario
  std::vector<std::string> inputs;  // every file it was read from besides its own: map, tilesets, heights
  MapCells map;
  Cell origin;
  Fixed cell_size = Fixed::from_int(1);
  std::vector<TerrainClass> terrain;
  Alphabet alphabet;
  std::vector<ScenarioDoor> doors;
  std::vector<StepEdit> steps;           // of [[one_way]] and [[edge]], one a step
  std::vector<ScenarioPortal> portals;   // in file order
  std::vector<NamedObstacle> obstacles;  // those of the map file first; in world units, where they are at tick 0
  std::vector<std::string> factions;     // in the order in which profiles name them
  std::vector<ScenarioProfile> profiles;
  std::vector<ScenarioGoal> goals;
  std::vector<ScenarioGroup> groups;
  std::vector<ScenarioAgent> agents;  // ascending by key
  std::vector<ScenarioEdit> edits;    // ascending by tick; steps of obstacles that move are among them
  std::vector<ScenarioRetarget> retargets;
  SimulationDef policy;
  std::uint64_t ticks = 10000;
  std::uint32_t tick_rate = 20;
  std::optional<GateFacts> gate;
  std::vector<Warning> warnings;

  Place place(Spot spot) const { return {spot.in_map_file ? map_file : file, spot.line, spot.column}; }
};

struct ScenarioOptions {
  PathRule paths = PathRule::below_scenario;
  std::optional<std::uint64_t> seed;           // instead of the scenario's
  GoalPlacement goals = GoalPlacement::exact;  // `nearest`: as if every goal said nearest = true
};

/// Reads a .toml scenario or a .gate instance (told by its first line), and the map it names.
Result<Scenario> load_scenario(const std::string& path, const ScenarioOptions& options = {});
/// The same from memory; `file` names it in messages, its folder is where maps are looked for.
Result<Scenario> parse_scenario(std::string_view text, const std::string& file, const ScenarioOptions& options = {});
Result<Scenario> parse_gate(std::string_view text, const std::string& file, const ScenarioOptions& options = {});

/// The map as it is at the end of tick 0; factions, doors, steps, portals and obstacles added.
Result<GridMap> make_map(const Scenario& scenario, const Host& host = {});

/// A scenario ready to run, with the handles of what it names (same order as in the scenario).
struct Instance {
  Simulation simulation;
  std::vector<ProfileId> profiles;
  std::vector<GoalId> goals;
  std::vector<AgentId> agents;
};
/// All agents added, all edits and retargets queued; not started.
Result<Instance> instantiate(const Scenario& scenario, const Host& host = {});

}  // namespace drover::io
