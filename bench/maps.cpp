// SPDX-License-Identifier: MIT
// Generators; random numbers are a pure function of the cell, so a map has no history.
#include "maps.hpp"

#include <algorithm>

#include "base/counter_rng.hpp"

namespace drover::bench {

namespace {

constexpr std::string_view kNames[] = {"open", "cave", "maze", "noise", "terrain", "cavew", "walls10"};
// Domains of random numbers.
constexpr std::uint32_t kFill = 0x4D01, kMazeWay = 0x4D02, kWeights = 0x4D03;

using Walls = std::vector<std::uint8_t>;

void random_walls(BenchMap& map, std::uint32_t percent, std::uint64_t seed) {
  const base::CounterRng rng(seed, kFill);
  for (std::int32_t y = 0; y < map.height; ++y) {
    for (std::int32_t x = 0; x < map.width; ++x) map.wall[map.at(x, y)] = rng.uniform_cell(x, y, 100) < percent ? 1 : 0;
  }
}

// A cell becomes a wall with 5 or more walls among itself and its neighbours; outside counts as wall.
void smooth(BenchMap& map) {
  const Walls before = map.wall;
  for (std::int32_t y = 0; y < map.height; ++y) {
    for (std::int32_t x = 0; x < map.width; ++x) {
      int walls = 0;
      for (std::int32_t dy = -1; dy <= 1; ++dy) {
        for (std::int32_t dx = -1; dx <= 1; ++dx) {
          const bool inside = x + dx >= 0 && y + dy >= 0 && x + dx < map.width && y + dy < map.height;
          walls += !inside || before[map.at(x + dx, y + dy)] != 0 ? 1 : 0;
        }
      }
      map.wall[map.at(x, y)] = walls >= 5 ? 1 : 0;
    }
  }
}

// Rooms at odd coordinates, walls between them; depth first with its own stack.
void carve_maze(BenchMap& map, std::uint64_t seed) {
  const base::CounterRng rng(seed, kMazeWay);
  std::fill(map.wall.begin(), map.wall.end(), std::uint8_t{1});
  struct Room {
    std::int32_t x, y;
  };
  std::vector<Room> stack{{1, 1}};
  map.wall[map.at(1, 1)] = 0;
  std::uint64_t draws = 0;
  while (!stack.empty()) {
    const Room room = stack.back();
    int ways[4], count = 0;
    for (int d = 0; d < 4; ++d) {
      const std::int32_t x = room.x + 2 * kDx[d], y = room.y + 2 * kDy[d];
      if (x > 0 && y > 0 && x < map.width - 1 && y < map.height - 1 && map.wall[map.at(x, y)] != 0) ways[count++] = d;
    }
    if (count == 0) {
      stack.pop_back();
      continue;
    }
    const int d = ways[rng.uniform(draws++, static_cast<std::uint32_t>(count))];
    map.wall[map.at(room.x + kDx[d], room.y + kDy[d])] = 0;
    map.wall[map.at(room.x + 2 * kDx[d], room.y + 2 * kDy[d])] = 0;
    stack.push_back({room.x + 2 * kDx[d], room.y + 2 * kDy[d]});
  }
}

void keep_largest_region(BenchMap& map) {
  std::vector<std::uint32_t> label(map.wall.size(), 0);
  std::vector<std::pair<std::int32_t, std::int32_t>> stack;
  std::uint32_t next = 0, largest = 0;
  for (std::int32_t y = 0; y < map.height; ++y) {
    for (std::int32_t x = 0; x < map.width; ++x) {
      if (map.wall[map.at(x, y)] != 0 || label[map.at(x, y)] != 0) continue;
      ++next;
      std::uint64_t cells = 0;
      label[map.at(x, y)] = next;
      stack.emplace_back(x, y);
      while (!stack.empty()) {
        const auto [cx, cy] = stack.back();
        stack.pop_back();
        ++cells;
        for (int d = 0; d < 4; ++d) {
          const std::int32_t nx = cx + kDx[d], ny = cy + kDy[d];
          if (nx < 0 || ny < 0 || nx >= map.width || ny >= map.height) continue;
          if (map.wall[map.at(nx, ny)] != 0 || label[map.at(nx, ny)] != 0) continue;
          label[map.at(nx, ny)] = next;
          stack.emplace_back(nx, ny);
        }
      }
      if (cells > map.free_cells) {
        map.free_cells = cells;
        largest = next;
      }
    }
  }
  for (std::size_t i = 0; i < label.size(); ++i) map.wall[i] = label[i] == largest && largest != 0 ? 0 : 1;
}

}  // namespace

std::optional<MapKind> map_kind(std::string_view name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<MapKind>(found - std::begin(kNames));
}

std::string_view map_name(MapKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Cell BenchMap::nearest_free(std::int32_t x, std::int32_t y) const {
  Cell best;
  std::int64_t least = INT64_MAX;
  for (std::int32_t cy = 0; cy < height; ++cy) {
    for (std::int32_t cx = 0; cx < width; ++cx) {
      const std::int64_t dx = cx - x, dy = cy - y, distance = dx * dx + dy * dy;
      if (distance >= least || wall[at(cx, cy)] != 0) continue;
      least = distance;
      best = {cx, cy, 0};
    }
  }
  return best;
}

BenchMap make_bench_map(MapKind kind, std::int32_t size, std::uint64_t seed) {
  BenchMap map;
  map.width = map.height = size;
  map.wall.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0);
  if (kind == MapKind::cave || kind == MapKind::cavew) {
    random_walls(map, 45, seed);
    for (int pass = 0; pass < 4; ++pass) smooth(map);
  }
  if (kind == MapKind::maze) carve_maze(map, seed);
  if (kind == MapKind::noise) random_walls(map, 40, seed);
  if (kind == MapKind::walls10) random_walls(map, 10, seed);
  if (kind == MapKind::terrain || kind == MapKind::cavew) {
    const base::CounterRng rng(seed, kWeights);
    map.weights.resize(map.wall.size());
    for (std::int32_t y = 0; y < size; ++y) {
      for (std::int32_t x = 0; x < size; ++x) map.weights[map.at(x, y)] = 1 + rng.uniform_cell(x, y, 8);
    }
  }
  keep_largest_region(map);
  return map;
}

BenchMap bench_map_of(const MapView& view) {
  const GridShape& shape = view.shape();
  BenchMap map;
  map.width = shape.width();
  map.height = shape.height();
  map.wall.resize(static_cast<std::size_t>(map.width) * static_cast<std::size_t>(map.height));
  for (std::int32_t y = 0; y < map.height; ++y) {
    for (std::int32_t x = 0; x < map.width; ++x) {
      const CellIndex i{shape.at(x, y, 0)};
      map.wall[map.at(x, y)] = view.unknown(i) || !view.terrain_classes()[view.terrain(i)].passable ? 1 : 0;
    }
  }
  keep_largest_region(map);
  return map;
}

Result<GridMap> to_grid_map(const BenchMap& map) {
  std::string letters(map.wall.size(), '.');
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (map.wall[i] != 0) letters[i] = '#';
  }
  std::vector<std::string_view> rows;
  rows.reserve(static_cast<std::size_t>(map.height));
  for (std::int32_t y = 0; y < map.height; ++y)
    rows.emplace_back(letters.data() + map.at(0, y), static_cast<std::size_t>(map.width));
  Result<GridMap> made = GridMap::from_rows(rows);
  if (!made || map.weights.empty()) return made;
  if (const Status status = made->set_weights(0, map.weights); !status.ok()) return status;
  return made;
}

}  // namespace drover::bench
