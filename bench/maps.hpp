// SPDX-License-Identifier: MIT
// Maps for measurements, the same on every machine: functions of kind, size and seed.
#pragma once
#include <drover/map.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::bench {

/// `open`; `cave`: 45 % fill and 4 smoothing passes; `maze`: depth first, corridors one wide; `noise`: 40 % walls;
/// `terrain`: open with weights 1 .. 8; `cavew`: a cave with such weights; `walls10`: 10 % walls.
enum class MapKind : std::uint8_t { open, cave, maze, noise, terrain, cavew, walls10 };
std::optional<MapKind> map_kind(std::string_view name);
std::string_view map_name(MapKind kind);

/// A plain grid; all free cells are connected by straight steps.
struct BenchMap {
  std::int32_t width = 0, height = 0;
  std::vector<std::uint8_t> wall;
  std::vector<std::uint32_t> weights;  // empty: all 1
  std::uint64_t free_cells = 0;

  std::size_t at(std::int32_t x, std::int32_t y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
  /// The free cell with the least distance to a point, then the least index.
  Cell nearest_free(std::int32_t x, std::int32_t y) const;
};

BenchMap make_bench_map(MapKind kind, std::int32_t size, std::uint64_t seed);
/// From a map that was read: impassable and unknown cells are walls; only the largest region stays free.
BenchMap bench_map_of(const MapView& view);
Result<GridMap> to_grid_map(const BenchMap& map);

}  // namespace drover::bench
