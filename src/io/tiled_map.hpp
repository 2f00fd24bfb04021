// SPDX-License-Identifier: MIT
// From a Tiled tree to a map file: what stands on which layer, how tiles are merged, what objects become.
#pragma once
#include "io/tiled_geometry.hpp"
#include "io/tiled_model.hpp"
#include "io/tiled_tiles.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace drover::io::tiled {

/// A tile layer or object group with what the groups around it add.
struct PlacedLayer {
  const Element* element = nullptr;
  Position offset;  // in cells
  std::optional<std::int32_t> layer;
};
/// From bottom to top, without those that are to be ignored. `tag`: layer or objectgroup.
std::vector<PlacedLayer> placed_layers(const Source& source, const Element& map, std::string_view tag);
/// "layer "walls"".
std::string layer_name(const Element& layer);

/// Size, origin, cells and one-ways.
void read_cells(const Source& source, const Element& map, const Tiles& tiles, MapFile& out);
/// Goals, spawns and obstacles. Precondition: the cells are read.
void read_objects(const Source& source, const Element& map, MapFile& out);

/// Pixels of a tile.
struct TileSize {
  std::int64_t width = 1, height = 1;
};
TileSize tile_size(const Source& source, const Element& map);
/// An attribute in pixels, in cells of that many pixels; 0 where it is missing.
Fixed cells_or_0(const Source& source, const Element& element, std::string_view name, std::int64_t pixels);

/// The shape of an object in cells. Precondition: it has an area, or two corners and the property `radius`.
Obstacle shape_of(const Source& source, const Element& object, TileSize tile, Position offset);
/// Cells of one goal or spawn; rows times corners of a shape whose cells are wanted.
inline constexpr std::size_t kMostPlaceCells = std::size_t{1} << 24;
inline constexpr std::int64_t kMostCrossings = std::int64_t{1} << 24;
/// Cells of one layer of the map whose centres the shape holds, ascending: boxes and polygons without their right and
/// lower edges, circles with their rim. False beyond the limits.
bool add_cells(const Obstacle& shape, const MapFile& map, std::int32_t layer, std::vector<Cell>& out);

}  // namespace drover::io::tiled
