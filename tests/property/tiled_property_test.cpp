// SPDX-License-Identifier: MIT
// Random map files survive both syntaxes of Tiled, and what one syntax was read from.
#include "io/map_formats.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"
#include "support/map_files.hpp"

#include <algorithm>
#include <numeric>

namespace drover::test {
namespace {

Fixed number(Draws& draws, std::int32_t most) {
  return {Fixed::from_int(draws.between(-most, most)).raw + static_cast<std::int64_t>(draws.below(1u << 31)) * 2 +
          draws.below(2)};
}
Fixed above_0(Draws& draws, std::int32_t most) {
  return {Fixed::from_int(draws.between(0, most)).raw + static_cast<std::int64_t>(draws.below(1u << 31)) * 2 + 1};
}
Position place(Draws& draws, std::int32_t most) { return {number(draws, most), number(draws, most)}; }
std::vector<Position> corners(Draws& draws, std::size_t count) {
  std::vector<Position> points;
  while (points.size() < count) points.push_back(place(draws, 40));
  return points;
}

Axis axis(Draws& draws) {
  static constexpr std::int32_t kMost[] = {1, 5, 200, 1 << 14};
  const std::int32_t most = kMost[draws.below(4)];
  Axis a{draws.between(-most, most), draws.between(-most, most)};
  if (a == Axis{0, 0}) a = {1, 0};
  const std::int32_t common = std::gcd(a.x, a.y);
  return {a.x / common, a.y / common};
}

Obstacle shape(Draws& draws) {
  Obstacle o;
  o.kind = static_cast<ObstacleKind>(draws.below(4));
  o.centre = place(draws, 300);
  if (draws.percent(30)) o.layer_mask = std::uint64_t{1} << draws.below(64) | draws.below(1000);
  switch (o.kind) {
    case ObstacleKind::circle:
      o.radius = above_0(draws, 20);
      break;
    case ObstacleKind::capsule:
      o.radius = draws.percent(10) ? Fixed{} : above_0(draws, 20);
      o.points = corners(draws, 2);
      break;
    case ObstacleKind::box:
      o.half = {above_0(draws, 60), above_0(draws, 60)};
      o.axis = axis(draws);
      break;
    case ObstacleKind::polygon:
      o.points = corners(draws, 3 + draws.below(6));
      while (draws.percent(30)) o.holes.push_back(corners(draws, 3));
      break;
  }
  return o;
}

// Ascending and each once, as every reader gives them.
std::vector<Cell> some_cells(Draws& draws, const io::MapFile& map) {
  std::vector<Cell> cells;
  const std::uint32_t chance = draws.below(100);
  for (std::int32_t layer = 0; layer < map.cells.layers; ++layer) {
    for (std::int32_t y = 0; y < map.cells.height; ++y) {
      for (std::int32_t x = 0; x < map.cells.width; ++x) {
        if (draws.percent(chance)) cells.push_back({map.origin.x + x, map.origin.y + y, layer});
      }
    }
  }
  if (cells.empty()) cells.push_back({map.origin.x, map.origin.y, 0});
  return cells;
}

void add_objects(Draws& draws, io::MapFile& map) {
  for (std::uint32_t i = draws.below(4); i > 0; --i) {
    map.goals.push_back({"goal " + std::to_string(i) + "<&\">",
                         some_cells(draws, map),
                         draws.percent(50) ? OnArrival::vanish : OnArrival::stay,
                         draws.percent(30),
                         {}});
  }
  for (std::uint32_t i = draws.below(4); i > 0; --i) {
    io::MapSpawn spawn;
    spawn.name = "spawn \\ " + std::to_string(i);
    if (draws.percent(50))
      spawn.profile =
          "gr\xC3\xB6\xC3\x9F"
          "er";
    if (draws.percent(50)) spawn.goal = "goal";
    if (draws.percent(50)) spawn.count = draws.below(1000);
    spawn.cells = some_cells(draws, map);
    map.spawns.push_back(spawn);
  }
  for (std::uint32_t i = draws.below(8); i > 0; --i) {
    io::NamedObstacle obstacle{draws.percent(50) ? "rock" : "", shape(draws), {}, {}};
    std::uint64_t tick = 0;
    while (draws.percent(40)) obstacle.path.push_back({tick += 1 + draws.below(9), place(draws, 100)});
    ASSERT_TRUE(obstacle.shape.validate().ok()) << obstacle.shape.validate().message();
    map.obstacles.push_back(obstacle);
  }
}

io::MapFile random_map(Draws& draws) {
  io::MapFile map;
  map.cells = {draws.between(1, 12), draws.between(1, 12), draws.between(1, 3), {}};
  if (draws.percent(50)) map.origin = {draws.between(-200000000, 100000), draws.between(-9, 9), 0};
  if (draws.percent(50)) map.terrain[3].cost = 7;
  for (std::uint32_t i = draws.below(5); i > 0; --i)
    map.terrain.push_back(
        {"kind " + std::to_string(i), static_cast<char>('a' + i), draws.below(kMaxCellCost + 1), draws.percent(70)});
  for (std::int64_t i = 0; i < map.cells.width * map.cells.height * map.cells.layers; ++i) {
    const auto what = static_cast<std::uint8_t>(draws.below(static_cast<std::uint32_t>(map.terrain.size() + 1)));
    map.cells.cells.push_back(what == map.terrain.size() ? io::MapCells::kUnknown : what);
  }
  for (std::int32_t layer = 0; layer < map.cells.layers; ++layer) {
    for (std::int32_t y = 0; y < map.cells.height; ++y) {
      for (std::int32_t x = 0; x < map.cells.width; ++x) {
        const std::uint32_t forbidden = draws.percent(20) ? draws.below(256) : 0;
        for (int d = 0; d < kDirections; ++d) {
          if ((forbidden >> d & 1) != 0)
            map.steps.push_back({{{map.origin.x + x, map.origin.y + y, layer}, static_cast<Direction>(d)}, false, 0});
        }
      }
    }
  }
  add_objects(draws, map);
  return map;
}

io::MapFile read(Result<io::MapFile> result) {
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result ? *result : io::MapFile{};
}

TEST(TiledProperty, WhatIsWrittenIsReadBackInBothSyntaxesAndAcross) {
  const std::uint64_t rounds = long_run() ? 20000 : 500;
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    Draws draws(seed);
    const io::MapFile map = random_map(draws);
    std::vector<io::Warning> lost;
    const std::string tmx = io::tmx_text(map, lost), tmj = io::tmj_text(map, lost);
    ASSERT_TRUE(lost.empty()) << lost[0].message;
    const io::MapFile from_tmx = read(io::parse_tmx(tmx, "a.tmx")), from_tmj = read(io::parse_tmj(tmj, "a.tmj"));
    ASSERT_EQ(in_words(from_tmx), in_words(map)) << "seed " << seed;
    ASSERT_EQ(in_words(from_tmj), in_words(map)) << "seed " << seed;
    ASSERT_EQ(io::tmx_text(from_tmj, lost), tmx) << "seed " << seed;
    ASSERT_EQ(io::tmj_text(from_tmx, lost), tmj) << "seed " << seed;
  }
}

TEST(TiledProperty, EveryCutIsRefusedOrReadNeverWorse) {
  Draws draws(7);
  const io::MapFile map = random_map(draws);
  std::vector<io::Warning> lost;
  const std::string tmx = io::tmx_text(map, lost), tmj = io::tmj_text(map, lost);
  for (std::size_t size = 0; size + 3 < tmx.size(); size += 7) {
    const Result<io::MapFile> cut = io::parse_tmx(tmx.substr(0, size), "a.tmx");
    EXPECT_FALSE(cut.ok()) << size;
    EXPECT_NE(cut.status().message().find("a.tmx"), std::string::npos);
  }
  for (std::size_t size = 0; size + 3 < tmj.size(); size += 7)
    EXPECT_FALSE(io::parse_tmj(tmj.substr(0, size), "a.tmj").ok()) << size;
}

}  // namespace
}  // namespace drover::test
