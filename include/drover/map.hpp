// SPDX-License-Identifier: MIT
// The map: terrain, unknown cells, doors, obstacles; edited in batches, read through immutable views.
#pragma once
#include <drover/geometry.hpp>
#include <drover/host.hpp>
#include <drover/obstacle.hpp>
#include <drover/status.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace drover {

using TerrainId = std::uint8_t;

/// A side whose members know the same cells, by its number in the order of add_faction. `kEveryone`: no side, all of
/// them.
using FactionId = std::uint8_t;
inline constexpr FactionId kEveryone = 255;
inline constexpr std::size_t kMaxFactions = 8;

inline constexpr std::uint32_t kMaxCellCost = std::uint32_t{1} << 20;
/// Largest extra of a step, price of a door, cost of a portal, and cost of the steepest step.
inline constexpr std::uint32_t kMaxEdgeCost = std::uint32_t{1} << 30;
inline constexpr std::uint32_t kMaxPortalTicks = 100000;

/// A kind of ground. `cost` is the factor on a step that enters it (0 .. kMaxCellCost); profiles may override both.
struct TerrainClass {
  std::string name;
  char letter = '.';
  std::uint32_t cost = 1;
  bool passable = true;
};

/// The classes every map knows, by index: floor '.', wall '#', ground 'G', swamp 'S', water 'W', trees 'T', out '@',
/// border 'O'. floor, ground and swamp are passable at cost 1.
inline constexpr TerrainId kFloor = 0, kWall = 1;
std::vector<TerrainClass> standard_terrain();

/// A step of the grid, one way: from a cell to its neighbour.
struct GridStep {
  Cell from;
  Direction direction = Direction::north;
  friend constexpr bool operator==(const GridStep&, const GridStep&) noexcept = default;
};

/// A named set of cells, of steps, or of both, that close together. While a door is closed its cells are blocked for
/// everyone and its steps do not exist; the terrain below is kept. While it is open, each of its steps and each step
/// into one of its cells costs `cost` more.
struct DoorDef {
  std::string name;
  std::vector<Cell> cells;
  bool open = true;
  std::vector<GridStep> steps = {};
  std::uint32_t cost = 0;  // 0 .. kMaxEdgeCost; 0 while closed
};

/// An edge from one cell to any other, also of another layer; one way. Its number, in the order of add_portal, is its
/// place among equal ways. `cost` is the whole cost of the step, 0 .. kMaxEdgeCost. A k x k body goes from anchor to
/// anchor. The step lasts `ticks` (at most kMaxPortalTicks), or 0: as long as a straight one.
struct PortalDef {
  Cell from, to;
  std::uint32_t cost = 0;
  bool open = true;
  std::uint32_t ticks = 0;
  friend bool operator==(const PortalDef&, const PortalDef&) noexcept = default;
};

/// Cost of a step by the height it climbs and by the height it descends, for each unit.
struct SlopeCost {
  std::uint32_t up = 0, down = 0;
  friend constexpr bool operator==(const SlopeCost&, const SlopeCost&) noexcept = default;
};

struct GridMapDef {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t layers = 1;
  Cell origin = {};                                        // world cell in the upper-left corner; its layer is ignored
  std::vector<TerrainClass> terrain = standard_terrain();  // at most 255
  SlopeCost slope = {};                                    // counts where heights are set
  Fixed cell_size = Fixed::from_int(1);                    // world units a cell, above 0
  std::optional<Position> corner = {};  // of the upper-left cell, in world units; default origin x cell_size
};

enum class CellChange : std::uint8_t { terrain, unknown, known };

/// One cell of a batch. `terrain` sets the class and makes the cell known; `unknown` hides it (its terrain is kept for
/// later); `known` reveals it as it is. To everyone, or to one faction: then the others know of it what they knew. What
/// nobody knows and one faction is shown stays hidden from each of the others, but not from profiles without a faction.
struct CellEdit {
  Cell cell;
  CellChange change = CellChange::terrain;
  TerrainId terrain = kFloor;
  FactionId faction = kEveryone;
};

enum class DoorState : std::uint8_t { open, closed };

struct DoorEdit {
  std::uint32_t door = 0;  // index in the order of add_door
  DoorState state = DoorState::open;
  std::uint32_t cost = 0;  // of an open door
};

/// What holds of one step beside the ground: forbidden (a one-way), or dearer by `extra` (0 .. kMaxEdgeCost). The
/// defaults undo both.
struct StepEdit {
  GridStep step;
  bool allowed = true;
  std::uint32_t extra = 0;
};

struct PortalEdit {
  std::uint32_t portal = 0;  // index in the order of add_portal
  bool open = true;
};

enum class ObstacleChange : std::uint8_t { move, shape, remove };

/// `move`: its centre comes to `centre`; an obstacle that is gone stays gone. `shape`: it is this one from now on, also
/// where it was gone. `remove`: it is gone; its index is kept.
struct ObstacleEdit {
  std::uint32_t obstacle = 0;  // index in the order of add_obstacle
  ObstacleChange change = ObstacleChange::move;
  Position centre = {};
  std::shared_ptr<const Obstacle> shape = {};  // not null for `shape`
};

/// A batch: all applied or none. Of several edits of one cell, door, step or portal the last counts; edits of a cell
/// for one faction, and those of an obstacle, come on top of those before them.
struct MapEdit {
  std::vector<CellEdit> cells;
  std::vector<DoorEdit> doors;
  std::vector<StepEdit> steps = {};
  std::vector<PortalEdit> portals = {};
  std::vector<ObstacleEdit> obstacles = {};

  bool empty() const noexcept {
    return cells.empty() && doors.empty() && steps.empty() && portals.empty() && obstacles.empty();
  }
  /// `later` after this, as one batch.
  void append(const MapEdit& later);
};

/// What a batch changed in the end. `dirty` holds every cell whose passability, cost or knowledge (anybody's) changed
/// or whose steps did, and where portals that changed begin; ascending, each once. What obstacles take or give up is
/// not among them: which placements those are depends on the body, so NavGraph::updated finds them in the two views.
struct EditReport {
  bool changed = false;
  std::uint64_t map_version = 0;      // + 1 if any cell, step or portal changed
  std::uint64_t overlay_version = 0;  // + 1 if any door or obstacle changed
  std::vector<CellIndex> dirty;
};

/// A step with a rule of its own, by index. Doors count: a step of a closed one is not allowed, and prices of open ones
/// are part of `extra`.
struct StepRule {
  CellIndex from;
  Direction direction = Direction::north;
  bool allowed = true;
  std::uint32_t extra = 0;
  friend bool operator==(const StepRule&, const StepRule&) noexcept = default;
};

/// An immutable state of a map. Cheap to copy, safe to read from any thread, alive as long as anyone holds it.
class MapView {
 public:
  MapView() = default;
  const GridShape& shape() const noexcept;
  std::span<const TerrainClass> terrain_classes() const noexcept;
  TerrainId terrain(CellIndex i) const noexcept { return terrain_[i.value]; }
  /// To everyone.
  bool unknown(CellIndex i) const noexcept { return (flags_[i.value] & kUnknownFlag) != 0; }
  /// To everyone, or to this faction at least; `kEveryone`: as above.
  bool unknown(CellIndex i, FactionId faction) const noexcept {
    return unknown(i) || (faction < kMaxFactions && (hidden_from(i) >> faction & 1) != 0);
  }
  /// Bit f: known to some, but not to faction f.
  std::uint8_t hidden_from(CellIndex i) const noexcept { return fog_ == nullptr ? std::uint8_t{0} : fog_[i.value]; }
  bool door_closed(CellIndex i) const noexcept { return (flags_[i.value] & kClosedFlag) != 0; }
  /// Entering cost factor of this cell where the map carries weights, which then replace the terrain's cost.
  bool has_weights() const noexcept { return weights_ != nullptr; }
  std::uint32_t weight(CellIndex i) const noexcept { return weights_[i.value]; }
  std::uint64_t map_version() const noexcept;
  std::uint64_t overlay_version() const noexcept;
  /// Digest of everything that can be read here but the versions: equal content, equal digest, on every machine.
  std::uint64_t content_digest() const noexcept;
  /// Names, by number.
  std::span<const std::string> factions() const noexcept;
  std::span<const DoorDef> doors() const noexcept;
  /// Every step that is forbidden or dearer than its ground, ascending by (cell, direction), each once.
  std::span<const StepRule> step_rules() const noexcept;
  /// The same without doors: what edits have set.
  std::span<const StepRule> edited_step_rules() const noexcept;
  std::span<const PortalDef> portals() const noexcept;
  /// Where the world's units meet cells.
  const WorldFrame& frame() const noexcept;
  /// By index; null for one that is gone. Views share the shapes that did not change between them.
  std::span<const std::shared_ptr<const Obstacle>> obstacles() const noexcept;
  /// Heights, where the map carries them: a step costs slope() for what it climbs or descends.
  bool has_heights() const noexcept { return heights_ != nullptr; }
  std::int32_t height(CellIndex i) const noexcept { return heights_[i.value]; }
  SlopeCost slope() const noexcept;

  static constexpr std::uint8_t kUnknownFlag = 1, kClosedFlag = 2;
  /// Padded planes of shape().padded_cells() bytes; the border holds kWall.
  const TerrainId* terrain_plane() const noexcept { return terrain_; }
  const std::uint8_t* flag_plane() const noexcept { return flags_; }
  /// Of hidden_from(); null while no cell was hidden from one faction only.
  const std::uint8_t* fog_plane() const noexcept { return fog_; }
  const std::uint32_t* weight_plane() const noexcept { return weights_; }
  const std::int32_t* height_plane() const noexcept { return heights_; }

 private:
  friend class GridMap;
  struct State;
  std::shared_ptr<const State> state_;
  const TerrainId* terrain_ = nullptr;
  const std::uint8_t* flags_ = nullptr;
  const std::uint8_t* fog_ = nullptr;
  const std::uint32_t* weights_ = nullptr;
  const std::int32_t* heights_ = nullptr;
};

/// The editable map. One writer; readers take a view(). Editing writes to another plane only while a view of it is
/// held elsewhere.
class GridMap {
 public:
  /// All floor. Refuses sizes below 1x1x1 and above the limit before taking memory.
  static Result<GridMap> create(const GridMapDef& def, const Host& host = {});
  /// One layer from rows of letters of the standard terrain and '?' (unknown); row 0 on top. Refuses uneven rows and
  /// other letters.
  static Result<GridMap> from_rows(std::span<const std::string_view> rows, const Host& host = {});

  GridMap(GridMap&&) noexcept;
  GridMap& operator=(GridMap&&) noexcept;
  ~GridMap();

  /// A side with knowledge of its own, which so far is everyone's. Refuses an empty name, one that is there, and a
  /// ninth faction (`limit_factions`). Number for MovementProfile and CellEdit.
  Result<FactionId> add_faction(const std::string& name);
  /// Cells must lie on the map, be known or not, and belong to no other door; steps must begin on the map and belong to
  /// no other door. Index of the door, for DoorEdit.
  /// A door with steps or a price costs O(step rules).
  Result<std::uint32_t> add_door(const DoorDef& door);
  /// The same as one by one, all or none: linear in their number, whatever they are. Index of the first.
  Result<std::uint32_t> add_doors(std::span<const DoorDef> doors);
  /// Both ends must lie on the map. Number of the portal, for PortalEdit and Step.
  Result<std::uint32_t> add_portal(const PortalDef& portal);
  /// A valid shape, at most kMaxObstacles in all, gone ones included (`limit_obstacles`); it may lie off the map. Index
  /// of the obstacle, for ObstacleEdit.
  Result<std::uint32_t> add_obstacle(const Obstacle& obstacle);
  /// Terrain of one layer, row by row, each a class of the map; the size as of weights. What is known of cells stays.
  Status set_terrain(std::int32_t layer, std::span<const TerrainId> terrain);
  /// Entering cost factors of one layer, row by row, 0 .. kMaxCellCost. `weights.size()` must be width x height.
  Status set_weights(std::int32_t layer, std::span<const std::uint32_t> weights);
  /// Heights of one layer, row by row. The steepest step that they allow may cost kMaxEdgeCost.
  Status set_heights(std::int32_t layer, std::span<const std::int32_t> heights);
  /// All or nothing; O(batch), or O(all step rules), O(doors) or O(obstacles) where one of them changes. While views
  /// hold a plane, another is written: at the same cost where the memory of an old one waits, of which at most two of a
  /// kind do, else as a copy of the whole.
  Result<EditReport> apply(const MapEdit& edit);
  MapView view() const noexcept;
  /// Back to a state that this map had when `view` was taken. Shares its planes; later edits copy them.
  void restore(const MapView& view) noexcept;
  /// The numbers that versions go on from, for a map that was saved and is read again.
  Status set_versions(std::uint64_t map_version, std::uint64_t overlay_version);
  const GridShape& shape() const noexcept;

 private:
  struct Writable;
  GridMap() = default;
  std::shared_ptr<MapView::State> state_;
  Host host_;
};

}  // namespace drover
