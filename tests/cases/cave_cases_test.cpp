// SPDX-License-Identifier: MIT
// Cases from users about caves and spawning: one test a case, its input block beside it in data/.
#include "cases/case_reader.hpp"
#include "support/cave_oracle.hpp"
#include "support/grids.hpp"

#include <drover/cave.hpp>
#include <drover/search.hpp>

#include <map>

namespace drover::test {
namespace {

toml::table block(const std::string& id) { return checks_of(id).front(); }

CaveRows rows_of(const Cave& cave) {
  CaveRows rows(static_cast<std::size_t>(cave.height()), std::string(static_cast<std::size_t>(cave.width()), '.'));
  for (std::int32_t y = 0; y < cave.height(); ++y)
    for (std::int32_t x = 0; x < cave.width(); ++x)
      if (cave.wall({x + cave.origin().x, y + cave.origin().y}))
        rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = '#';
  return rows;
}

CaveDef from(const GridMap& map) {
  CaveDef def;
  def.start = map.view();
  return def;
}

Cave made(const CaveDef& def) {
  Result<Cave> cave = generate_cave(def);
  EXPECT_TRUE(cave.ok()) << cave.status().message();
  return *std::move(cave);
}

Spawn only(const Result<std::vector<Spawn>>& spawns) {
  EXPECT_TRUE(spawns.ok()) << spawns.status().message();
  EXPECT_EQ(spawns->size(), 1u);
  return spawns->front();
}

TEST(CaveCases, cave_classic_pass) {
  const toml::table input = block("cave_classic_pass");
  const CaveRows rows = strings(*input["rows"].as_array()), expected = strings(*input["classic"].as_array());
  const GridMap map = map_of(rows);
  CaveDef def = from(map);
  def.mode = CaveMode::classic;
  def.passes = static_cast<std::int32_t>(input["passes"].value<std::int64_t>().value());
  EXPECT_EQ(rows_of(made(def)), expected);
  EXPECT_NE(cave_generation(rows, 0x1E0, 0x1F0), expected);  // the same pass on a copy
}

TEST(CaveCases, cave_all_wall_and_all_floor) {
  const toml::table input = block("cave_all_wall_and_all_floor");
  for (const toml::node& node : *input["classic_floor"].as_array()) {
    const toml::array& entry = *node.as_array();
    CaveDef def;
    def.mode = CaveMode::classic;
    def.width = number(entry[0]);
    def.height = number(entry[1]);
    def.walls_percent = static_cast<std::int32_t>(number(entry[2]));
    SCOPED_TRACE(std::to_string(def.width) + " x " + std::to_string(def.height));
    const Cave cave = made(def);
    EXPECT_EQ(cave.floor_cells(), static_cast<std::uint64_t>(number(entry[3])));
    EXPECT_EQ(cave.regions() == 0, cave.floor_cells() == 0);
    if (cave.floor_cells() != 0) continue;
    def.promise.min_floor_percent = 1;
    const Result<Cave> none = generate_cave(def);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.status().code(), StatusCode::cave_empty) << none.status().message();
  }
  CaveDef def;
  def.walls_percent = 100;
  def.connect = CaveConnect::tunnels;
  EXPECT_EQ(generate_cave(def).status().code(), StatusCode::cave_empty);
}

TEST(CaveCases, cave_refined_generation) {
  for (const toml::table& check : checks_of("cave_refined_generation")) {
    const GridMap map = map_of(strings(*check["rows"].as_array()));
    CaveDef def = from(map);
    def.rule = *CaveRule::parse(check["rule"].value<std::string>().value());
    def.generations = static_cast<std::int32_t>(check["generations"].value<std::int64_t>().value());
    def.connect = CaveConnect::none;
    EXPECT_EQ(rows_of(made(def)), strings(*check["generation"].as_array()));
  }
}

TEST(CaveCases, cave_two_rooms) {
  const toml::table input = block("cave_two_rooms");
  const CaveRows rows = strings(*input["rows"].as_array());
  const GridMap map = map_of(rows);
  CaveDef def = from(map);
  def.generations = 0;
  def.connect = CaveConnect::none;
  EXPECT_EQ(made(def).regions(), 2u);
  def.connect = CaveConnect::largest;
  EXPECT_EQ(made(def).floor_cells(), 12u);
  EXPECT_EQ(made(def).regions(), 1u);
  def.connect = CaveConnect::tunnels;
  const Cave joined = made(def);
  EXPECT_EQ(joined.regions(), 1u);
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[y].size(); ++x)
      EXPECT_TRUE(rows[y][x] == '#' || !joined.wall({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)}));
  const NavGraph graph = graph_of(joined.to_map()->view());
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SpawnDef player, stairs;
    player.name = "player";
    player.size = 2;
    const Spawn at = only(place_spawns(joined.to_map()->view(), {}, std::vector{player}, seed));
    stairs.name = "stairs";
    stairs.size = 2;
    stairs.region_of = at.cell;
    const Spawn down = only(place_spawns(joined.to_map()->view(), {}, std::vector{stairs}, seed));
    EXPECT_EQ(find_path(graph, at.cell, down.cell)->status, PathStatus::found);
  }
}

TEST(CaveCases, cave_two_rooms_ten_thousand_seeds) {
  const std::uint64_t seeds = 10000;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    CaveDef def;
    def.seed = seed;
    def.walls_percent = 40 + static_cast<std::int32_t>(seed % 11);
    def.connect = CaveConnect::tunnels;
    const Cave cave = made(def);
    ASSERT_EQ(cave.regions(), 1u) << "seed " << seed;
    ASSERT_EQ(cave_groups(rows_of(cave), '.', false).size(), 1u) << "seed " << seed;
  }
}

std::uint64_t squares(const CaveRows& rows, std::int64_t side) {
  std::uint64_t count = 0;
  for (int y = 0; y < static_cast<int>(rows.size()); ++y)
    for (int x = 0; x < static_cast<int>(rows[0].size()); ++x) {
      bool free = true;
      for (int dy = 0; dy < side; ++dy)
        for (int dx = 0; dx < side; ++dx) free = free && !cave_wall(rows, x + dx, y + dy);
      count += free ? 1 : 0;
    }
  return count;
}

TEST(CaveCases, cave_spawn_exactly_k_places) {
  for (const toml::table& check : checks_of("cave_spawn_exactly_k_places")) {
    const CaveRows rows = strings(*check["rows"].as_array());
    const GridMap map = map_of(rows);
    for (const toml::node& node : *check["windows"].as_array()) {
      const std::int64_t side = number((*node.as_array())[0]), count = number((*node.as_array())[1]);
      ASSERT_EQ(squares(rows, side), static_cast<std::uint64_t>(count));
      SpawnDef def;
      def.name = "player";
      def.size = static_cast<std::int32_t>(side);
      if (count == 0) {
        const auto none = place_spawns(map.view(), {}, std::vector{def}, 1);
        ASSERT_EQ(none.status().code(), StatusCode::spawn_none);
        EXPECT_EQ(none.status().message(),
                  "'player' of " + std::to_string(side) + " x " + std::to_string(side) + " fits nowhere");
        continue;
      }
      std::map<std::pair<int, int>, int> hits;
      for (std::uint64_t seed = 0; seed < 10000; ++seed) {
        const Cell at = only(place_spawns(map.view(), {}, std::vector{def}, seed)).cell;
        ++hits[{at.x, at.y}];
      }
      EXPECT_EQ(hits.size(), static_cast<std::size_t>(count));
      double chi_square = 0;
      const double expected = 10000.0 / static_cast<double>(count);
      for (const auto& [at, n] : hits) chi_square += (n - expected) * (n - expected) / expected;
      // 0.001 points of the distribution for the counts of windows that occur.
      const std::map<std::int64_t, double> limits{{1, 0},      {2, 10.83},  {4, 16.27},
                                                  {25, 51.18}, {36, 66.62}, {44, 77.42}};
      EXPECT_LE(chi_square, limits.at(count)) << side << " x " << side;
      if (side == 6 && count == 1) {
        EXPECT_EQ(hits.begin()->first, std::make_pair(1, 1));
      }
    }
  }
}

TEST(CaveCases, cave_spawn_in_the_players_region) {
  const toml::table input = block("cave_spawn_in_the_players_region");
  const CaveRows rows = strings(*input["rows"].as_array());
  const GridMap map = map_of(rows);
  EXPECT_EQ(cave_groups(rows, '.', false), (std::vector<int>{30, 9}));
  MovementProfile two;
  two.footprint = 2;
  const NavGraph graph = graph_of(map.view(), two);
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    SpawnDef enemy;
    enemy.name = "enemy";
    enemy.size = 2;
    enemy.region_of = Cell{1, 1};
    enemy.min_steps = seed % 2 == 0 ? 0 : 8;
    enemy.count = seed % 2 == 0 ? 2 : 1;
    const auto spawns = place_spawns(map.view(), {}, std::vector{enemy}, seed);
    if (!spawns.ok()) {  // no two of 2 x 2 fit where the first lies in the middle
      ASSERT_EQ(spawns.status().code(), StatusCode::spawn_none);
      continue;
    }
    for (const Spawn& s : *spawns) {
      for (int d = 0; d < 4; ++d) ASSERT_FALSE(cave_wall(rows, s.cell.x + d % 2, s.cell.y + d / 2));
      ASSERT_FALSE(s.cell.x >= 7 && s.cell.y <= 3) << "seed " << seed;
      const Path way = *find_path(graph, {1, 1}, s.cell);
      ASSERT_EQ(way.status, PathStatus::found);
      ASSERT_GE(way.steps.size(), enemy.min_steps);
    }
    if (spawns->size() == 2) {
      const Cell a = (*spawns)[0].cell, b = (*spawns)[1].cell;
      ASSERT_TRUE(std::abs(a.x - b.x) >= 2 || std::abs(a.y - b.y) >= 2);
    }
  }
}

}  // namespace
}  // namespace drover::test
