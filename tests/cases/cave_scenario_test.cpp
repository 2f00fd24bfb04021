// SPDX-License-Identifier: MIT
// `cave` of [map] and [[spawn]]: what they mean, what is refused and where, and that runs and recordings hold them.
#include "support/data.hpp"
#include "support/program.hpp"

#include <drover/cave.hpp>
#include <drover/io.hpp>
#include <drover/search.hpp>

#include <algorithm>

namespace drover::test {
namespace {

const std::string kProfile = "[[profile]]\nname = \"p\"\n";

io::Scenario parsed(const std::string& text, const io::ScenarioOptions& options = {}) {
  Result<io::Scenario> scenario = io::parse_scenario(text, "s.toml", options);
  EXPECT_TRUE(scenario.ok()) << scenario.status().message();
  return scenario.ok() ? *std::move(scenario) : io::Scenario{};
}

std::string cave_map(const std::string& options) { return "[map]\ncave = {" + options + "}\n"; }

void expect_cells(const io::Scenario& scenario, const CaveDef& def) {
  const Cave cave = *generate_cave(def);
  ASSERT_EQ(scenario.map.width, cave.width());
  ASSERT_EQ(scenario.map.height, cave.height());
  std::size_t at = 0;
  for (std::int32_t y = 0; y < cave.height(); ++y)
    for (std::int32_t x = 0; x < cave.width(); ++x, ++at)
      ASSERT_EQ(scenario.map.cells[at] == kWall, cave.wall({x + cave.origin().x, y + cave.origin().y}))
          << x << "," << y;
}

TEST(CaveScenario, TheKeysAreTheOptionsOfTheCommand) {
  expect_cells(parsed(cave_map("") + kProfile), {});
  CaveDef def;
  def.width = 70;
  def.height = 33;
  def.seed = 0xFFFFFFFFFFFFFFFF;
  def.walls_percent = 42;
  def.generations = 4;
  def.rule = *CaveRule::parse("B678/S345678");
  def.connect = CaveConnect::tunnels;
  def.tunnel_width = 2;
  def.min_room = 12;
  def.min_pillar = 3;
  expect_cells(parsed(cave_map("size = [70, 33], seed = \"18446744073709551615\", walls = 42, generations = 4, rule = "
                               "\"B678/S345678\", connect = \"tunnels\", tunnel_width = 2, min_room = 12, min_pillar = "
                               "3, mode = \"refined\"") +
                      kProfile),
               def);
  def = {};
  def.mode = CaveMode::classic;
  def.passes = 2;
  expect_cells(parsed(cave_map("mode = \"classic\", passes = 2") + kProfile), def);
}

TEST(CaveScenario, AWindowOfTheEndlessCaveBeginsAtTheOrigin) {
  CaveDef def;
  def.border = CaveBorder::none;
  def.origin = {-20, 7};
  const io::Scenario scenario = parsed(cave_map("border = \"none\"") + "origin = [-20, 7]\n" + kProfile);
  EXPECT_EQ(scenario.origin, def.origin);
  expect_cells(scenario, def);
}

TEST(CaveScenario, AStartMapIsAnInput) {
  const TempFolder temp;
  temp.write("start.txt", "#####\n#...#\n#...#\n#####\n");
  const std::string text = cave_map("start = \"start.txt\", generations = 0") + kProfile;
  const Result<io::Scenario> scenario = io::load_scenario(temp.write("s.toml", text));
  ASSERT_TRUE(scenario.ok()) << scenario.status().message();
  EXPECT_EQ(std::count(scenario->map.cells.begin(), scenario->map.cells.end(), kFloor), 6);
  ASSERT_EQ(scenario->inputs.size(), 1u);
  EXPECT_EQ(scenario->inputs[0], temp / "start.txt");
}

TEST(CaveScenario, WhatIsWrongIsRefusedWhereItStands) {
  const auto refused = [](const std::string& text, const std::string& place, StatusCode code) {
    const Result<io::Scenario> scenario = io::parse_scenario(text + kProfile, "s.toml");
    ASSERT_FALSE(scenario.ok()) << text;
    EXPECT_EQ(scenario.status().code(), code) << scenario.status().message();
    EXPECT_EQ(scenario.status().message().rfind("s.toml:" + place, 0), 0u) << scenario.status().message();
    EXPECT_NE(scenario.status().message().find("; "), std::string::npos) << scenario.status().message();
  };
  const auto cave = [&](const std::string& options, const std::string& place, StatusCode code) {
    refused(cave_map(options), place, code);
  };
  cave("walls = 101", "2:17", StatusCode::cave_range);
  cave("walls = -1", "2:17", StatusCode::cave_range);
  cave("walls = 4.5", "2:17", StatusCode::number);
  cave("generations = 1000000000", "2:23", StatusCode::cave_range);
  cave("size = [0, 5]", "2:17", StatusCode::cave_range);
  cave("size = 50", "2:16", StatusCode::value);
  cave("size = [1, 2, 3]", "2:16", StatusCode::value);
  cave("size = [65536, 65536]", "2:8", StatusCode::limit_cells);
  cave("size = [4294967295, 2]", "2:8", StatusCode::limit_cells);
  cave("mode = \"soft\"", "2:16", StatusCode::value);
  cave("rule = \"B9/S1\"", "2:16", StatusCode::cave_range);
  cave("seed = -1", "2:16", StatusCode::seed);
  cave("conect = \"none\"", "2:9", StatusCode::key_unknown);
  cave("passes = 1", "2:18", StatusCode::value);
  cave("mode = \"classic\", rule = \"B1/S1\"", "2:34", StatusCode::value);
  cave("start = \"none.txt\", walls = 4", "2:37", StatusCode::value);
  cave("border = \"none\", min_room = 4", "2:8", StatusCode::cave_range);
  cave("walls = 100, connect = \"tunnels\"", "2:8", StatusCode::cave_empty);
  refused("[map]\ncave = 5\n", "2:8", StatusCode::value);
  refused("[map]\nrows = [\"..\"]\ncave = {}\n", "1:1", StatusCode::value);
  EXPECT_EQ(exit_status(StatusCode::cave_range), 3);  // in a file
}

const std::string kRooms =
    "[map]\nrows = [\n\"###########\",\n\"#.....#...#\",\n\"#.....#...#\",\n\"#.....#...#\",\n\"###.#######\",\n"
    "\"###.......#\",\n\"###.......#\",\n\"###########\",\n]\n" +
    kProfile;

TEST(CaveScenario, SpawnsAreDrawnBySeedAndNamedByOthers) {
  const std::string text = kRooms +
                           "[[spawn]]\nname = \"player\"\nsize = 3\nregion_of = [1, 1]\n"
                           "[[spawn]]\nname = \"stairs\"\nregion_of = \"player\"\nmin_path = 3\nmax_path = 12\n"
                           "[[spawn]]\nname = \"enemy\"\ncount = 2\nspacing = 1\nregion_of = {spawn = "
                           "\"player\"}\nout_of_sight_of = \"player\"\n"
                           "[[goal]]\nname = \"down\"\ncells = {spawn = \"stairs\"}\non_arrival = \"vanish\"\n"
                           "[[group]]\nprofile = \"p\"\ngoal = \"down\"\ncells = {spawn = \"enemy\"}\n"
                           "[[group]]\nprofile = \"p\"\ngoal = \"down\"\ncount = 4\narea = {spawn = \"player\"}\n"
                           "start_tick = 1\n"
                           "[[agent]]\nprofile = \"p\"\ngoal = \"down\"\nat = {spawn = \"player\"}\nstart_tick = 2\n";
  bool other = false;
  std::optional<Cell> first;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    io::ScenarioOptions options;
    options.seed = seed;
    const io::Scenario scenario = parsed(text, options);
    ASSERT_EQ(scenario.agents.size(), 7u);
    const Cell enemy = scenario.agents[0].at, second = scenario.agents[1].at, player = scenario.agents[6].at,
               stairs = scenario.goals[0].goal.where.cells[0].cell;
    if (!first) first = player;
    other = other || player != *first;
    const GridMap map = *io::make_map(scenario);
    for (std::int32_t i = 0; i < 9; ++i)
      ASSERT_NE(map.view().terrain(map.shape().index({player.x + i % 3, player.y + i / 3, 0})), kWall);
    ASSERT_FALSE(player.x >= 7 && player.y <= 3);
    const NavGraph graph = *NavGraph::compile(map.view(), {});
    const Path way = *find_path(graph, player, stairs);
    ASSERT_EQ(way.status, PathStatus::found);
    ASSERT_TRUE(way.steps.size() >= 3 && way.steps.size() <= 12);
    ASSERT_TRUE(std::abs(enemy.x - second.x) >= 2 || std::abs(enemy.y - second.y) >= 2);
    ASSERT_TRUE(enemy.y >= 5 && second.y >= 5);  // the room of the player is in sight
    for (int i = 2; i < 6; ++i) {
      const Cell at = scenario.agents[static_cast<std::size_t>(i)].at;
      ASSERT_TRUE(at.x >= player.x && at.x < player.x + 3 && at.y >= player.y && at.y < player.y + 3);
    }
  }
  EXPECT_TRUE(first && other);
}

TEST(CaveScenario, SpawnsThatCannotBeAreRefusedWhereTheyStand) {
  const auto refused = [](const std::string& rest, const std::string& place, StatusCode code) {
    const Result<io::Scenario> scenario = io::parse_scenario(kRooms + rest, "s.toml");
    ASSERT_FALSE(scenario.ok()) << rest;
    EXPECT_EQ(scenario.status().code(), code) << scenario.status().message();
    EXPECT_EQ(scenario.status().message().rfind("s.toml:" + place, 0), 0u) << scenario.status().message();
    EXPECT_NE(scenario.status().message().find("; "), std::string::npos) << scenario.status().message();
  };
  const std::string a = "[[spawn]]\nname = \"a\"\n";
  refused(a + "size = 6\n", "14:1: spawn 'a' of 6 x 6 fits nowhere", StatusCode::spawn_none);
  refused(a + "[[spawn]]\nname = \"b\"\ncount = 100\n", "16:1: spawn 'b' of 1 x 1", StatusCode::spawn_none);
  refused(a + "size = 9\n", "16:8", StatusCode::value);
  refused(a + "count = 0\n", "16:9", StatusCode::value);
  refused(a + "spacing = -1\n", "16:11", StatusCode::value);
  refused(a + "min_path = 3\n", "16:12", StatusCode::key_missing);
  refused(a + "region_of = [1, 1]\nmin_path = 3\nmax_path = 2\n", "18:12", StatusCode::value);
  refused(a + "region_of = [99, 1]\n", "16:13", StatusCode::edit_outside);
  refused(a + "region_of = \"a\"\n", "16:13", StatusCode::name_unknown);
  refused(a + "region_of = 5\n", "16:13", StatusCode::value);
  refused(a + a, "17:8", StatusCode::name_twice);
  refused(a + "near = [1, 1]\n", "16:1", StatusCode::key_unknown);
  refused("[[spawn]]\nsize = 2\n", "14:1", StatusCode::key_missing);
  refused(a + "[[goal]]\nname = \"g\"\ncells = {spawn = \"b\"}\n", "18:18", StatusCode::name_unknown);
}

TEST(CaveScenario, SpawnsHeedWhatStandsOnTheMapAtTickZero) {
  const std::string text = "[map]\nrows = [\".....\"]\n" + kProfile +
                           "[[edit]]\ntick = 0\ncells = [[0, 0, \"#\"], [1, 0, \"#\"]]\n"
                           "[[door]]\nname = \"d\"\ncells = [[3, 0]]\nstate = \"closed\"\n"
                           "[[spawn]]\nname = \"a\"\ncount = 2\n"
                           "[[goal]]\nname = \"g\"\ncells = {spawn = \"a\"}\noffsets = [0, 3]\n";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    io::ScenarioOptions options;
    options.seed = seed;
    const io::Scenario scenario = parsed(text, options);
    ASSERT_EQ(scenario.goals[0].goal.where.cells.size(), 2u);
    EXPECT_EQ(scenario.goals[0].goal.where.cells[1].offset, 3u);
    for (const GoalCell& cell : scenario.goals[0].goal.where.cells) EXPECT_TRUE(cell.cell.x == 2 || cell.cell.x == 4);
  }
}

TEST(CaveScenario, RunsAndRecordingsHoldTheCave) {
  const TempFolder temp;
  const std::string scenario = (repo_root() / "examples/cave_escape.toml").string();
  expect_accepted(run_drover(temp, {"run", scenario, "--out", temp / "out", "--quiet", "--require-arrival"}));
  const std::string report = temp.read("out/report.json");
  EXPECT_EQ(json_value(report, "agents"), "36");
  EXPECT_EQ(json_value(report, "arrived"), "36");
  EXPECT_EQ(json_value(report, "violations"), "0");
  expect_accepted(run_drover(temp, {"replay", temp / "out/replay.drv", "--verify", "--quiet", "--json", temp / "j"}));
  EXPECT_EQ(json_value(temp.read("j"), "equal"), "true");
  EXPECT_EQ(json_value(temp.read("j"), "digest"), json_value(report, "digest"));
  expect_accepted(run_drover(temp, {"run", scenario, "--out", temp / "other", "--quiet", "--seed", "2"}));
  EXPECT_NE(json_value(temp.read("other/report.json"), "digest"), json_value(report, "digest"));
}

// Another cave under the same name is another scenario.
TEST(CaveScenario, AReplayOfAnotherCaveIsRefused) {
  const TempFolder temp;
  const auto text = [](int seed) {
    return cave_map("size = [30, 20], seed = " + std::to_string(seed)) + kProfile +
           "[[spawn]]\nname = \"a\"\ncount = 2\n[[goal]]\nname = \"g\"\ncells = {spawn = \"a\"}\n"
           "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncount = 3\n[run]\nticks = 20\n";
  };
  const std::string scenario = temp.write("s.toml", text(1));
  expect_accepted(run_drover(temp, {"run", scenario, "--out", temp / "out", "--quiet"}));
  expect_accepted(run_drover(temp, {"replay", temp / "out/replay.drv", "--verify", "--quiet"}));
  temp.write("s.toml", text(2));
  expect_refused(run_drover(temp, {"replay", temp / "out/replay.drv", "--quiet"}), 3, "E_REPLAY_MISMATCH", "s.toml");
}

}  // namespace
}  // namespace drover::test
