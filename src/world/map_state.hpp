// SPDX-License-Identifier: MIT
// What a map is made of, how its parts are digested, and the right to write to them.
#pragma once
#include "base/digest.hpp"
#include "base/recycled_plane.hpp"
#include "world/map_obstacles.hpp"
#include "world/step_rules.hpp"

#include <drover/map.hpp>

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace drover {

namespace world {

using TerrainPlane = base::RecycledPlane<TerrainId>;
using FlagPlane = base::RecycledPlane<std::uint8_t>;
using WeightPlane = base::RecycledPlane<std::uint32_t>;
using HeightPlane = base::RecycledPlane<std::int32_t>;

// Domains of the content digest: one kind of term never stands for another.
enum class Part : std::uint64_t {
  cell = 1,
  weight,
  door,
  head,
  height,
  slope,
  rule,
  portal,
  faction,
  fog,
  frame,
  obstacle
};

inline std::uint64_t place(Part part, std::uint64_t index) noexcept {
  return static_cast<std::uint64_t>(part) << 56 | index;
}

/// Number of a cell without padding: what digests speak of, whatever the storage.
class CellNumbers {
 public:
  explicit CellNumbers(const GridShape& shape) noexcept : shape_(shape) {}
  std::uint64_t operator()(CellIndex i) const noexcept {
    const Cell c = shape_.cell(i);
    const auto column = static_cast<std::uint64_t>(std::int64_t{c.x} - shape_.origin().x);
    const auto row = static_cast<std::uint64_t>(std::int64_t{c.y} - shape_.origin().y);
    return (static_cast<std::uint64_t>(c.layer) * static_cast<std::uint64_t>(shape_.height()) + row) *
               static_cast<std::uint64_t>(shape_.width()) +
           column;
  }

 private:
  GridShape shape_;
};

/// What doors have taken; only looked up.
struct DoorIndex {
  std::unordered_set<std::string> names;
  std::unordered_set<std::uint64_t> places;  // cells and steps, as map_doors.cpp numbers them
};

}  // namespace world

struct MapView::State {
  GridShape shape;
  std::shared_ptr<const std::vector<TerrainClass>> classes;
  std::shared_ptr<world::TerrainPlane> terrain;
  std::shared_ptr<world::FlagPlane> flags;
  std::shared_ptr<world::FlagPlane> fog;        // bit f: hidden from faction f alone; null: no cell ever was
  std::shared_ptr<world::WeightPlane> weights;  // null: costs come from the terrain
  std::shared_ptr<world::HeightPlane> heights;  // null: the map is flat
  SlopeCost slope;
  std::shared_ptr<const std::vector<std::string>> factions;
  std::shared_ptr<std::vector<DoorDef>> doors;
  std::shared_ptr<world::DoorIndex> door_index;  // of exactly these doors
  std::shared_ptr<const world::SparseEdges> edges;
  WorldFrame frame{GridShape()};
  std::shared_ptr<const world::ObstacleList> obstacles;  // null: none was ever added
  std::uint64_t map_version = 0, overlay_version = 0;
  std::uint64_t content =
      0;  // head_term plus a term for each cell, weight, height, door, rule, portal, faction, fogged cell, obstacle
};

/// Everything that may fail is taken here first; writing to it afterwards cannot fail.
struct GridMap::Writable {
  std::shared_ptr<MapView::State> state;

  static constexpr unsigned kTerrain = 1, kFlags = 2, kWeights = 4, kDoors = 8, kHeights = 16, kFog = 32;

  /// `writes`: of single cells that each of the planes is ready for.
  static Result<Writable> take(const GridMap& map, unsigned parts, std::size_t writes = 0);

  /// A plane with one value a cell of the ground, row by row, layer by layer.
  template <class T>
  struct Ground {
    std::shared_ptr<base::RecycledPlane<T>> MapView::State::*plane;
    unsigned part;       // what to take
    world::Part digest;  // domain of its terms
    T usual;             // what cells have before a plane is there; adds no term
  };
  template <class T>
  static Status set_layer(GridMap& map, const Ground<T>& ground, std::int32_t layer, std::span<const T> values);
};

}  // namespace drover
