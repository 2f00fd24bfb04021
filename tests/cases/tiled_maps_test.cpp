// SPDX-License-Identifier: MIT
// Five maps made in Tiled: what they mean, and that Tiled's own exports of them mean the same.
#include "io/map_formats.hpp"
#include "support/data.hpp"
#include "support/map_files.hpp"
#include "support/program.hpp"

#include <algorithm>

namespace drover::test {
namespace {

using Rows = std::vector<std::string>;

std::filesystem::path maps() { return repo_root() / "tests/cases/maps"; }

io::MapFile read(const Result<io::MapFile>& result) {
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result ? *result : io::MapFile{};
}
io::MapFile made(const std::string& name) { return read(io::load_map_file((maps() / (name + ".tmx")).string())); }

// Letters of the classes; 'r' for those that have none.
Rows drawn(const io::MapFile& map, std::int32_t layer = 0) {
  Rows rows;
  auto cell = map.cells.cells.begin() + layer * map.cells.width * map.cells.height;
  for (std::int64_t y = 0; y < map.cells.height; ++y) {
    rows.emplace_back();
    for (std::int64_t x = 0; x < map.cells.width; ++x, ++cell) {
      const char letter = *cell == io::MapCells::kUnknown ? '?' : map.terrain[*cell].letter;
      rows.back() += letter == '\0' ? 'r' : letter;
    }
  }
  return rows;
}

std::vector<Cell> rect(std::int32_t x, std::int32_t y, std::int32_t width, std::int32_t height) {
  std::vector<Cell> cells;
  for (std::int32_t i = 0; i < width * height; ++i) cells.push_back({x + i % width, y + i / width, 0});
  return cells;
}

Fixed cells(const char* decimal) { return *Fixed::parse(decimal); }
Position at(const char* x, const char* y) { return {cells(x), cells(y)}; }

TEST(TiledMaps, WallsOverGroundOnAFiniteMapInCsv) {
  const io::MapFile map = made("courtyard");
  EXPECT_EQ(drawn(map), (Rows{"##############",  //
                              "#............#",  //
                              "#..####..##..#",  //
                              "#..#.........#",  //
                              "#..#..####...#",  //
                              "#.....#..#...#",  //
                              "#..####..#...#",  //
                              "#............#",  //
                              "##############"}));
  ASSERT_EQ(map.goals.size(), 1u);
  EXPECT_EQ(map.goals[0].name, "gate");
  EXPECT_EQ(map.goals[0].on_arrival, OnArrival::vanish);
  EXPECT_EQ(map.goals[0].cells, rect(12, 3, 1, 3));
  ASSERT_EQ(map.spawns.size(), 1u);
  EXPECT_EQ(map.spawns[0].goal, "gate");
  EXPECT_EQ(map.spawns[0].count, 6u);
  EXPECT_EQ(map.spawns[0].cells, rect(1, 1, 2, 7));
}

TEST(TiledMaps, AnInfiniteMapIsTheBoxOfItsTilesAndKeepsNegativeCoordinates) {
  const io::MapFile map = made("islands");
  EXPECT_EQ(map.origin, (Cell{-12, -6, 0}));
  EXPECT_EQ(drawn(map), (Rows{"......###########.....",  //
                              ".#....###########.....",  //
                              "......................",  //
                              "...#..###########.....",  //
                              "......###########....."}));
  EXPECT_EQ(map.spawns.at(0).cells, rect(-12, -6, 3, 5));
  EXPECT_EQ(map.goals.at(0).cells, rect(8, -5, 2, 3));
}

TEST(TiledMaps, TerrainCostsLayersAboveAndWhatIsUnknown) {
  const io::MapFile map = made("marsh");
  EXPECT_EQ(drawn(map), (Rows{".#..............",  //
                              "..SSSSSSSSSS....",  //
                              "..SSSSSSS##S....",  //
                              "rrrrrrrSSSSS....",  //
                              "..SSSSrSWWSS....",  //
                              "..SSSSrrrrrrrrrr",  //
                              "..LLLSSSSSSS....",  //
                              "..............??"}));
  ASSERT_EQ(map.terrain.size(), 10u);
  EXPECT_EQ(map.terrain[3].name, "swamp");
  EXPECT_EQ(map.terrain[3].cost, 4u);
  EXPECT_FALSE(map.terrain[4].passable) << "water by the class of its tile";
  EXPECT_EQ(map.terrain[8].name, "cost 2");
  EXPECT_EQ(map.terrain[8].cost, 2u);
  EXPECT_EQ(map.terrain[9].name, "lava");
  EXPECT_EQ(map.terrain[9].cost, 9u);
  EXPECT_EQ(map.goals.at(0).cells, (std::vector<Cell>{{15, 5, 0}}));
  EXPECT_TRUE(map.obstacles.empty()) << "objects of other classes mean nothing";
}

TEST(TiledMaps, ATurnedOneWayTileTurnsItsDirections) {
  const io::MapFile map = made("ring");
  const auto allowed = [&](Cell cell) {
    std::string text;
    for (int d = 0; d < kDirections; ++d) {
      const auto is = [&](const StepEdit& step) {
        return step.step == GridStep{cell, static_cast<Direction>(d)} && !step.allowed;
      };
      if (std::none_of(map.steps.begin(), map.steps.end(), is))
        text += std::string(to_string(static_cast<Direction>(d))) + ' ';
    }
    return text;
  };
  EXPECT_EQ(map.steps.size(), 16u * 5);
  EXPECT_EQ(allowed({4, 1}), "E NE SE ");
  EXPECT_EQ(allowed({7, 3}), "S SE SW ") << "turned by 90 degrees";
  EXPECT_EQ(allowed({4, 5}), "W SW NW ") << "mirrored";
  EXPECT_EQ(allowed({1, 3}), "N NE NW ") << "turned by 270 degrees";
  EXPECT_EQ(allowed({1, 1}), "N E S W NE SE SW NW ");
}

TEST(TiledMaps, ObjectsBecomePlacesAndShapesOnTheirLayers) {
  const io::MapFile map = made("scene");
  EXPECT_EQ(map.cells.layers, 2);
  EXPECT_TRUE(map.goals.at(0).nearest);
  EXPECT_EQ(map.spawns.at(1).cells, (std::vector<Cell>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}))
      << "centres on the rim are out";
  EXPECT_EQ(map.spawns.at(2).cells, rect(15, 9, 2, 2));
  ASSERT_EQ(map.obstacles.size(), 9u);
  const auto shape = [&](std::size_t i) { return map.obstacles[i].shape; };
  // The group is moved by half a tile.
  EXPECT_EQ(shape(0), (Obstacle{ObstacleKind::box, at("5.5", "1.75"), {}, at("1", "0.75"), {1, 0}, {}, {}}));
  EXPECT_EQ(shape(1).axis, (Axis{3, 4})) << "53.1301 degrees";
  EXPECT_EQ(shape(1).centre, at("9.7", "3.1")) << "half 1, 0.5 turned to 3,4 is 0.2, 1.1";
  EXPECT_EQ(shape(2), (Obstacle{ObstacleKind::circle, at("7.25", "5"), cells("0.75"), {}, {}, {}, {}}));
  EXPECT_EQ(shape(3).kind, ObstacleKind::polygon);
  ASSERT_EQ(shape(3).points.size(), 32u);
  EXPECT_EQ(shape(3).centre, at("10.5", "9"));
  EXPECT_EQ(shape(3).points[0], at("2", "0"));
  EXPECT_EQ(shape(3).points[8], at("0", "1"));
  EXPECT_EQ(shape(4).points, (std::vector{at("-0.5", "-0.5"), at("1.5", "0"), at("-0.5", "1.25")}));
  EXPECT_EQ(shape(4).centre, at("13", "3.5"));
  EXPECT_EQ(shape(5),
            (Obstacle{ObstacleKind::capsule, at("3.5", "8"), cells("0.25"), {}, {}, {at("0", "0"), at("2", "1")}, {}}));
  EXPECT_EQ(shape(6).centre, at("14.5", "1.5"));
  ASSERT_EQ(map.obstacles[6].path.size(), 2u);
  EXPECT_EQ(map.obstacles[6].path[1].tick, 20u);
  EXPECT_EQ(map.obstacles[6].path[1].at, at("14.5", "6.5"));
  EXPECT_EQ(shape(7), (Obstacle{ObstacleKind::box, at("12", "10.5"), {}, at("0.5", "0.5"), {0, 1}, {}, {}, 3}));
  EXPECT_EQ(shape(8).layer_mask, 2u) << "on layer 1 with its group";
}

// --- Tiled itself

bool tiled_there() { return std::system("command -v tiled >/dev/null 2>&1") == 0; }

std::string exported(const TempFolder& temp, const std::string& format, const std::string& from,
                     const std::string& to) {
  const std::string home = temp / "home";
  std::filesystem::create_directories(home);
  std::filesystem::permissions(home, std::filesystem::perms::owner_all);
  const std::string command = "cd '" + temp.path().string() + "' && QT_QPA_PLATFORM=offscreen HOME='" + home +
                              "' XDG_RUNTIME_DIR='" + home + "' timeout 60 tiled --export-map " + format + " " + from +
                              " " + to + " >tiled.log 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << temp.read("tiled.log");
  return temp.read(to);
}

#define DROVER_REQUIRE_TILED() \
  if (!tiled_there()) GTEST_SKIP() << "tiled not installed"

TEST(TiledMaps, WhatTiledExportsMeansTheSame) {
  DROVER_REQUIRE_TILED();
  for (const std::string name : {"courtyard", "islands", "marsh", "ring", "scene"}) {
    const TempFolder temp;
    std::filesystem::copy(maps(), temp.path());
    const std::string json = exported(temp, "json", name + ".tmx", "a.json");
    EXPECT_EQ(in_words(read(io::parse_tmj(json, temp / "a.json"))), in_words(made(name))) << name;
    const std::string tmx = exported(temp, "tmx", "a.json", "b.tmx");
    EXPECT_EQ(in_words(read(io::parse_tmx(tmx, temp / "b.tmx"))), in_words(made(name))) << name;
  }
}

TEST(TiledMaps, WhatIsWrittenHereTiledReadsAndExportsUnchanged) {
  DROVER_REQUIRE_TILED();
  for (const std::string name : {"courtyard", "islands", "marsh", "ring", "scene"}) {
    io::MapFile map = made(name);
    // Tiled writes six digits: corners that need more are not for it.
    map.obstacles.erase(std::remove_if(map.obstacles.begin(), map.obstacles.end(),
                                       [](const auto& o) { return o.shape.points.size() == 32; }),
                        map.obstacles.end());
    std::vector<io::Warning> lost;
    const TempFolder temp;
    temp.write("a.tmx", io::tmx_text(map, lost));
    temp.write("a.tmj", io::tmj_text(map, lost));
    const std::string from_tmx = exported(temp, "json", "a.tmx", "b.json"),
                      from_tmj = exported(temp, "json", "a.tmj", "c.json");
    EXPECT_EQ(in_words(read(io::parse_tmj(from_tmx, temp / "b.json"))), in_words(map)) << name;
    EXPECT_EQ(in_words(read(io::parse_tmj(from_tmj, temp / "c.json"))), in_words(map)) << name;
  }
}

// --- and the program

TEST(TiledMaps, RunUnchanged) {
  for (const std::string name : {"courtyard", "islands", "marsh", "ring", "scene"}) {
    const TempFolder temp;
    const Outcome run =
        run_drover(temp, {"run", (maps() / (name + ".toml")).string(), "--require-arrival", "--out", temp / "out"});
    EXPECT_EQ(run.status, 0) << name << ": " << run.err;
  }
}

}  // namespace
}  // namespace drover::test
