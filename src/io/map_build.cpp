// SPDX-License-Identifier: MIT
// From cells as read to a GridMap.
#include <fmt/format.h>

#include "io/text.hpp"

namespace drover::io {

namespace {

// Edits go in by the piece: a batch of every cell of a large map would outweigh the map.
constexpr std::size_t kBatch = std::size_t{1} << 20;

Status apply(GridMap& map, MapEdit& edit) {
  if (edit.cells.empty()) return {};
  Result<EditReport> report = map.apply(edit);
  edit.cells.clear();
  return report ? Status{} : report.status();
}

}  // namespace

std::uint64_t map_bytes(std::int64_t width, std::int64_t height, std::int64_t layers) {
  // Terrain and flags; masks and footings of a graph; cost, direction, ties of a field; queues.
  constexpr std::uint64_t kBytesPerCell = 2 + 2 + 6 + 2;
  const auto padded = (static_cast<std::uint64_t>(width) + 1 + 63) / 64 * 64 * (static_cast<std::uint64_t>(height) + 2);
  return padded * static_cast<std::uint64_t>(layers) * kBytesPerCell;
}

Result<GridMap> make_map(const MapCells& cells, const std::vector<TerrainClass>& terrain, Cell origin, const Host& host,
                         Fixed cell_size) {
  return guarded(map_need(cells.width, cells.height, cells.layers), [&] {
    GridMapDef def;
    def.width = cells.width;
    def.height = cells.height;
    def.layers = cells.layers;
    def.origin = origin;
    def.terrain = terrain;
    def.slope = cells.slope;
    def.cell_size = cell_size;
    Result<GridMap> map = GridMap::create(def, host);
    if (!map) throw Refusal{map.status()};
    MapEdit edit;
    std::size_t at = 0;
    for (std::int32_t layer = 0; layer < cells.layers; ++layer) {
      for (std::int32_t y = 0; y < cells.height; ++y) {
        for (std::int32_t x = 0; x < cells.width; ++x, ++at) {
          const std::uint8_t what = cells.cells[at];
          if (what == kFloor) continue;
          const CellChange change = what == MapCells::kUnknown ? CellChange::unknown : CellChange::terrain;
          edit.cells.push_back(
              {{origin.x + x, origin.y + y, layer}, change, change == CellChange::unknown ? kFloor : what});
        }
        if (edit.cells.size() < kBatch) continue;
        if (const Status status = apply(*map, edit); !status.ok()) throw Refusal{status};
      }
    }
    if (const Status status = apply(*map, edit); !status.ok()) throw Refusal{status};
    const auto layer_cells = static_cast<std::size_t>(cells.width * cells.height);
    for (std::int32_t layer = 0; !cells.heights.empty() && layer < cells.layers; ++layer) {
      const std::int32_t* first = cells.heights.data() + static_cast<std::size_t>(layer) * layer_cells;
      if (const Status status = map->set_heights(layer, {first, layer_cells}); !status.ok()) throw Refusal{status};
    }
    return std::move(*map);
  });
}

Result<GridMap> make_map(const MapFile& file, const Host& host) {
  return guarded(map_need(file.cells.width, file.cells.height, file.cells.layers), [&] {
    GridMap map = or_refuse(make_map(file.cells, file.terrain, file.origin, host));
    or_refuse(map.apply({{}, {}, file.steps, {}}));
    for (const NamedObstacle& obstacle : file.obstacles) {
      if (const Status status = map.add_obstacle(obstacle.shape).status(); !status.ok())
        refuse(status.code(), {file.file, obstacle.spot.line, obstacle.spot.column}, status.message());
    }
    return map;
  });
}

bool fits_nowhere(const NavGraph& graph) {
  if (graph.open_cells() > 0) return false;
  const GridShape& shape = graph.shape();
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t y = 0; y < shape.height(); ++y) {
      for (std::int32_t x = 0; x < shape.width(); ++x) {
        if (graph.footing({shape.origin().x + x, shape.origin().y + y, layer}) == Footing::no_room) return true;
      }
    }
  }
  return false;
}

}  // namespace drover::io
