// SPDX-License-Identifier: MIT
// The map: terrain, unknown cells, doors; edited in batches, read through immutable views.
#pragma once
#include <drover/geometry.hpp>
#include <drover/host.hpp>
#include <drover/status.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace drover {

using TerrainId = std::uint8_t;

inline constexpr std::uint32_t kMaxCellCost = std::uint32_t{1} << 20;

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

/// A named set of cells that close together. While a door is closed its cells are blocked for everyone; the terrain
/// below is kept.
struct DoorDef {
  std::string name;
  std::vector<Cell> cells;
  bool open = true;
};

struct GridMapDef {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t layers = 1;
  Cell origin = {};                                        // world cell in the upper-left corner; its layer is ignored
  std::vector<TerrainClass> terrain = standard_terrain();  // at most 255
};

enum class CellChange : std::uint8_t { terrain, unknown };

/// One cell of a batch. `terrain` sets the class and makes the cell known; `unknown` hides it (its terrain is kept for
/// later).
struct CellEdit {
  Cell cell;
  CellChange change = CellChange::terrain;
  TerrainId terrain = kFloor;
};

enum class DoorState : std::uint8_t { open, closed };

struct DoorEdit {
  std::uint32_t door = 0;  // index in the order of add_door
  DoorState state = DoorState::open;
};

/// A batch: all applied or none. Of several edits of one cell or door the last counts.
struct MapEdit {
  std::vector<CellEdit> cells;
  std::vector<DoorEdit> doors;
};

/// What a batch changed in the end. `dirty` holds every cell whose passability, cost or knowledge changed, ascending,
/// each once.
struct EditReport {
  bool changed = false;
  std::uint64_t map_version = 0;      // + 1 if any cell changed
  std::uint64_t overlay_version = 0;  // + 1 if any door changed
  std::vector<CellIndex> dirty;
};

/// An immutable state of a map. Cheap to copy, safe to read from any thread, alive as long as anyone holds it.
class MapView {
 public:
  MapView() = default;
  const GridShape& shape() const noexcept;
  std::span<const TerrainClass> terrain_classes() const noexcept;
  TerrainId terrain(CellIndex i) const noexcept { return terrain_[i.value]; }
  bool unknown(CellIndex i) const noexcept { return (flags_[i.value] & kUnknownFlag) != 0; }
  bool door_closed(CellIndex i) const noexcept { return (flags_[i.value] & kClosedFlag) != 0; }
  /// Entering cost factor of this cell where the map carries weights, which then replace the terrain's cost.
  bool has_weights() const noexcept { return weights_ != nullptr; }
  std::uint32_t weight(CellIndex i) const noexcept { return weights_[i.value]; }
  std::uint64_t map_version() const noexcept;
  std::uint64_t overlay_version() const noexcept;
  /// Digest of everything that can be read here but the versions: equal content, equal digest, on every machine.
  std::uint64_t content_digest() const noexcept;
  std::span<const DoorDef> doors() const noexcept;

  static constexpr std::uint8_t kUnknownFlag = 1, kClosedFlag = 2;
  /// Padded planes of shape().padded_cells() bytes; the border holds kWall.
  const TerrainId* terrain_plane() const noexcept { return terrain_; }
  const std::uint8_t* flag_plane() const noexcept { return flags_; }
  const std::uint32_t* weight_plane() const noexcept { return weights_; }

 private:
  friend class GridMap;
  struct State;
  std::shared_ptr<const State> state_;
  const TerrainId* terrain_ = nullptr;
  const std::uint8_t* flags_ = nullptr;
  const std::uint32_t* weights_ = nullptr;
};

/// The editable map. One writer; readers take a view(). Editing copies a plane only while a view of it is held
/// elsewhere.
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

  /// Cells must lie on the map, be known or not, and belong to no other door. Index of the door, for DoorEdit.
  Result<std::uint32_t> add_door(const DoorDef& door);
  /// Entering cost factors of one layer, row by row, 0 .. kMaxCellCost. `weights.size()` must be width x height.
  Status set_weights(std::int32_t layer, std::span<const std::uint32_t> weights);
  /// All or nothing; O(batch), plus one copy of a plane that a view still holds.
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
