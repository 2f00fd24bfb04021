// SPDX-License-Identifier: MIT
// The public calls: definitions, promises, rooms and pillars, windows of an endless cave, spawns, hashes.
#include <drover/cave.hpp>

#include "support/cave_oracle.hpp"
#include "support/grids.hpp"

namespace drover {
namespace {

using test::CaveRows;
using test::map_of;

CaveRows rows_of(const Cave& cave) {
  CaveRows rows(static_cast<std::size_t>(cave.height()), std::string(static_cast<std::size_t>(cave.width()), '.'));
  for (std::int32_t y = 0; y < cave.height(); ++y)
    for (std::int32_t x = 0; x < cave.width(); ++x)
      if (cave.wall({cave.origin().x + x, cave.origin().y + y}))
        rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = '#';
  return rows;
}

Cave made(const CaveDef& def) {
  Result<Cave> cave = generate_cave(def);
  EXPECT_TRUE(cave.ok()) << cave.status().message();
  return *std::move(cave);
}

StatusCode code_of(const CaveDef& def) { return generate_cave(def).status().code(); }

TEST(CaveRule, IsReadAndWritten) {
  EXPECT_EQ(CaveRule::parse("B5678/S45678")->text(), "B5678/S45678");
  EXPECT_EQ(*CaveRule::parse("B678/S345678"), (CaveRule{0x1C0, 0x1F8}));
  EXPECT_EQ(CaveRule::parse("B/S012")->text(), "B/S012");
  for (const char* bad : {"", "B", "/", "B5", "B5/", "S5/B5", "B9/S", "B55/S1", "B5/S1x", "b5/s1", "B5/S1/S2"})
    EXPECT_EQ(CaveRule::parse(bad).status().code(), StatusCode::cave_range) << bad;
}

TEST(CaveDef, RangesAreNamed) {
  const auto message = [](CaveDef def) { return def.validate().message(); };
  CaveDef def;
  def.walls_percent = 101;
  EXPECT_EQ(message(def), "walls percent 101; expected 0 .. 100");
  def = {};
  def.generations = 1000000000;
  EXPECT_EQ(message(def), "generations 1000000000; expected 0 .. 1000");
  def = {};
  def.width = 0;
  EXPECT_EQ(message(def), "width 0; expected 1 .. 65536");
  def = {};
  def.profile.footprint = 3;
  def.connect = CaveConnect::tunnels;
  EXPECT_EQ(message(def), "tunnel width 1; expected 3 .. 8");
  def = {};
  def.border = CaveBorder::none;
  def.min_room = 5;
  EXPECT_EQ(code_of(def), StatusCode::cave_range);
  def.min_room = 0;
  EXPECT_EQ(def.connecting(), CaveConnect::none);
  def.origin = {INT32_MAX - 10, 0};
  EXPECT_EQ(code_of(def), StatusCode::cave_range);
  def = {};
  def.width = def.height = kMaxCaveSide;
  EXPECT_EQ(message(def), "a cave of 65536x65536; at most 65536 cells a side and 268435456 in all are possible");
  for (const auto& [width, height] : {std::pair<std::int64_t, std::int64_t>{4294967295, 2},
                                      {1, std::int64_t{1} << 32},
                                      {INT64_MAX, INT64_MAX},
                                      {-5, INT64_MAX}}) {
    def.width = width;
    def.height = height;
    EXPECT_EQ(code_of(def), StatusCode::limit_cells) << width << " x " << height;
  }
  def.width = def.height = INT64_MIN;
  EXPECT_EQ(code_of(def), StatusCode::cave_range);
}

TEST(Cave, FloorIsAPromiseToo) {
  CaveDef def;
  def.walls_percent = 100;
  EXPECT_EQ(made(def).floor_cells(), 0u);
  def.promise.floor = true;
  EXPECT_EQ(generate_cave(def).status().message(),
            "no floor where the body fits, after 16 random starts; more floor is expected");
}

TEST(Cave, TwoByTwoIsAllWall) {
  CaveDef def;
  def.width = def.height = 2;
  const Cave cave = made(def);
  EXPECT_EQ(cave.floor_cells(), 0u);
  EXPECT_EQ(cave.regions(), 0u);
  EXPECT_EQ(rows_of(cave), (CaveRows{"##", "##"}));
}

TEST(Cave, ClassicBeginsWithAnOpenMiddleRow) {
  CaveDef def;
  def.width = 9;
  def.height = 7;
  def.walls_percent = 100;
  def.mode = CaveMode::classic;
  def.passes = 0;
  EXPECT_EQ(rows_of(made(def))[3], "#.......#");
  EXPECT_EQ(made(def).floor_cells(), 7u);
}

TEST(Cave, SmallRoomsAreFilledAndSmallPillarsRemoved) {
  const GridMap map = map_of({"##########", "#....##.##", "#.#..##.##", "#...######", "#.....####", "#..##.####",
                              "#..##.####", "#.....####", "##########"});
  CaveDef def;
  def.start = map.view();
  def.generations = 0;
  def.connect = CaveConnect::none;
  EXPECT_EQ(made(def).regions(), 2u);
  def.min_room = 3;
  EXPECT_EQ(made(def).regions(), 1u);
  def.min_pillar = 2;
  EXPECT_FALSE(made(def).wall({2, 2}));
  EXPECT_TRUE(made(def).wall({3, 5}));
  def.min_pillar = 5;
  EXPECT_FALSE(made(def).wall({3, 5}));
  EXPECT_TRUE(made(def).wall({6, 3}));
}

TEST(Cave, ConnectionIsJudgedByTheBodyThatMustGetThrough) {
  // Two halls, joined by a passage of one cell.
  const GridMap map =
      map_of({"###########", "#...#######", "#...#.....#", "#.........#", "#...#.....#", "###########"});
  CaveDef def;
  def.start = map.view();
  def.generations = 0;
  def.connect = CaveConnect::none;
  EXPECT_EQ(made(def).regions(), 1u);
  def.profile.footprint = 2;
  EXPECT_EQ(made(def).regions(), 2u);
  def.connect = CaveConnect::largest;
  EXPECT_EQ(made(def).regions(), 1u);
  EXPECT_TRUE(made(def).wall({4, 3}));  // no such body covers it
  def.connect = CaveConnect::tunnels;
  def.tunnel_width = 2;
  EXPECT_EQ(made(def).regions(), 1u);
  EXPECT_EQ(made(def).floor_cells(), 28u + 1);
}

TEST(Cave, ARegionOverACornerCountsWhereBodiesCutCorners) {
  const GridMap map = map_of({"####", "#.##", "##.#", "####"});
  CaveDef def;
  def.start = map.view();
  def.generations = 0;
  def.connect = CaveConnect::none;
  EXPECT_EQ(made(def).regions(), 2u);
  def.profile.corner = CornerRule::none;
  EXPECT_EQ(made(def).regions(), 1u);
}

TEST(Cave, PromisesHoldOrAreNamed) {
  CaveDef def;
  def.promise.min_floor_percent = 45;
  const Cave kept = made(def);
  EXPECT_GE(kept.floor_cells() * 100, 2500u * 45);
  def.promise.min_floor_percent = 99;
  const Status broken = generate_cave(def).status();
  EXPECT_EQ(broken.code(), StatusCode::cave_promise);
  EXPECT_NE(broken.message().find("of 2500 cells are floor; promised are 99 percent, after 16 random starts"),
            std::string::npos)
      << broken.message();
  def = {};
  def.promise.start = Cell{5, 5};
  def.promise.goal = Cell{44, 44};
  def.promise.min_steps = 45;
  const Cave way = made(def);
  EXPECT_FALSE(way.wall({5, 5}));
  EXPECT_FALSE(way.wall({44, 44}));
  EXPECT_GE(way.attempts(), 1u);
}

TEST(Cave, WindowsOfAnEndlessCaveMeetWithoutASeam) {
  CaveDef whole;
  whole.border = CaveBorder::none;
  whole.width = 200;
  whole.height = 150;
  whole.origin = {-90, -70};
  whole.seed = 7;
  const Cave one = made(whole);
  for (const Cell corner : {Cell{-90, -70}, Cell{10, -70}, Cell{-90, 5}, Cell{10, 5}}) {
    CaveDef part = whole;
    part.width = 100;
    part.height = 75;
    part.origin = corner;
    const Cave quarter = made(part);
    for (std::int32_t y = corner.y; y < corner.y + 75; ++y)
      for (std::int32_t x = corner.x; x < corner.x + 100; ++x)
        ASSERT_EQ(quarter.wall({x, y}), one.wall({x, y})) << x << "," << y;
  }
}

TEST(Cave, TheMapHasTheSameCells) {
  CaveDef def;
  def.origin = {-5, 9};
  const Cave cave = made(def);
  const GridMap map = *cave.to_map();
  for (std::int32_t y = 9; y < 59; ++y)
    for (std::int32_t x = -5; x < 45; ++x)
      ASSERT_EQ(map.view().terrain(map.shape().index({x, y})), cave.wall({x, y}) ? kWall : kFloor);
}

SpawnDef named(const char* name, std::int32_t size, std::uint32_t count = 1) {
  SpawnDef def;
  def.name = name;
  def.size = size;
  def.count = count;
  return def;
}

TEST(Spawns, KeepTheirSpacing) {
  const GridMap map = map_of(CaveRows(20, std::string(20, '.')));
  SpawnDef def = named("enemy", 2, 4);
  def.spacing = 3;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto spawns = place_spawns(map.view(), {}, std::vector{def}, seed);
    ASSERT_TRUE(spawns.ok()) << spawns.status().message();
    for (const Spawn& a : *spawns)
      for (const Spawn& b : *spawns)
        ASSERT_TRUE(a == b || std::abs(a.cell.x - b.cell.x) >= 5 || std::abs(a.cell.y - b.cell.y) >= 5);
  }
}

TEST(Spawns, AllThatFitAreFound) {
  const GridMap map = map_of(CaveRows(3, std::string(3, '.')));
  EXPECT_EQ(place_spawns(map.view(), {}, std::vector{named("a", 1, 9)}, 1)->size(), 9u);
  const Status none = place_spawns(map.view(), {}, std::vector{named("a", 1, 4), named("b", 1, 6)}, 1).status();
  EXPECT_EQ(none.code(), StatusCode::spawn_none);
  EXPECT_EQ(none.message(), "'b' of 1 x 1 has no place left beside those; 5 of 6 were put");
}

TEST(Spawns, OutOfSight) {
  const GridMap map = map_of({".......", "...#...", "......."});
  SpawnDef def = named("ambush", 1);
  def.out_of_sight_of = Cell{1, 1};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Cell at = place_spawns(map.view(), {}, std::vector{def}, seed)->front().cell;
    EXPECT_GT(at.x, 3) << at.x << "," << at.y;  // behind the pillar
  }
  const GridMap open = map_of(CaveRows(4, std::string(4, '.')));
  EXPECT_EQ(place_spawns(open.view(), {}, std::vector{def}, 1).status().message(),
            "'ambush' of 1 x 1 is always in sight of 1,1: none of 16 free squares");
}

// A body of two has no room beside the player, who stands in a passage one cell wide; its way there counts.
TEST(Spawns, AreTiedToTheRegionOfALargestBodyThatStandsThere) {
  const GridMap map =
      map_of({"#########", "#...#...#", "#.....#.#", "#...#...#", "#########", "#...#...#", "#########"});
  SpawnDef enemy = named("enemy", 2);
  enemy.region_of = Cell{4, 2};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Cell at = place_spawns(map.view(), {}, std::vector{enemy}, seed)->front().cell;
    EXPECT_TRUE(at.x <= 2 && at.y <= 2) << at.x << "," << at.y;
  }
  enemy.region_of = Cell{4, 1};  // a wall
  EXPECT_EQ(place_spawns(map.view(), {}, std::vector{enemy}, 1).status().message(),
            "'enemy' of 2 x 2 is at no allowed distance from 4,1: none of 4 free squares");
}

TEST(Spawns, MayNameOnesBeforeThem) {
  const GridMap map = map_of({"....#....", "....#....", "....#...."});
  std::vector<SpawnDef> defs{named("player", 2), named("stairs", 1)};
  defs[1].region_of = SpawnPlace(0u);
  defs[1].min_steps = 2;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<Spawn> spawns = *place_spawns(map.view(), {}, defs, seed);
    ASSERT_EQ(spawns.size(), 2u);
    EXPECT_EQ(spawns[0].cell.x < 4, spawns[1].cell.x < 4);
    EXPECT_GE(std::max(std::abs(spawns[0].cell.x - spawns[1].cell.x), std::abs(spawns[0].cell.y - spawns[1].cell.y)),
              2);
  }
  defs[0].region_of = SpawnPlace(1u);  // one behind it
  EXPECT_EQ(place_spawns(map.view(), {}, defs, 1).status().code(), StatusCode::argument);
  defs[0].region_of.reset();
  defs[0].count = 0;  // one that is nowhere
  EXPECT_EQ(place_spawns(map.view(), {}, defs, 1).status().code(), StatusCode::argument);
}

TEST(Spawns, WhatCannotBeIsRefused) {
  const GridMap map = map_of({"..."});
  SpawnDef def = named("x", 9);
  EXPECT_EQ(place_spawns(map.view(), {}, std::vector{def}, 1).status().code(), StatusCode::argument);
  def = named("x", 1);
  def.min_steps = 2;
  EXPECT_EQ(place_spawns(map.view(), {}, std::vector{def}, 1).status().code(), StatusCode::argument);
  def.region_of = Cell{3, 0};
  EXPECT_EQ(place_spawns(map.view(), {}, std::vector{def}, 1).status().code(), StatusCode::position);
  def = named("wide", 2);
  EXPECT_EQ(place_spawns(map.view(), {}, std::vector{def}, 1).status().code(), StatusCode::spawn_none);
}

}  // namespace
}  // namespace drover
