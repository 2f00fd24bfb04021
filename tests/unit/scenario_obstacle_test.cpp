// SPDX-License-Identifier: MIT
// [[obstacle]] of scenarios: shapes, their places in the world, and what a path becomes.
#include "support/shapes.hpp"

#include <gtest/gtest.h>
#include <drover/io.hpp>

#include <string>
#include <vector>

namespace drover::io {
namespace {

using test::quarters;

constexpr const char* kMap = R"([map]
rows = [
  "............",
  "............",
  "............",
]
)";
constexpr const char* kPolicy = "[policy]\non_stale = \"keep_if_legal\"\n";

Result<Scenario> parse(const std::string& text) { return parse_scenario(text, "s.toml"); }

Scenario parsed(const std::string& text) {
  Result<Scenario> scenario = parse(text);
  EXPECT_TRUE(scenario.ok()) << scenario.status().message();
  return scenario.ok() ? *std::move(scenario) : Scenario{};
}

std::string obstacle(const std::string& keys) { return "[[obstacle]]\n" + keys + "\n"; }

// Ticks and places of an obstacle's steps.
std::vector<std::pair<std::uint64_t, Position>> steps_of(const Scenario& scenario, std::uint32_t index) {
  std::vector<std::pair<std::uint64_t, Position>> steps;
  for (const ScenarioEdit& edit : scenario.edits) {
    for (const ObstacleEdit& e : edit.edit.obstacles)
      if (e.obstacle == index) steps.emplace_back(edit.tick, e.centre);
  }
  return steps;
}

TEST(ScenarioObstacle, EveryShapeIsReadAsWritten) {
  const Scenario s = parsed(std::string(kMap) + obstacle(R"(name = "well"
shape = "circle"
centre = ["2.5", 1.5]
radius = "0.75"
layer_mask = 1)") + obstacle(R"(shape = "capsule"
points = [[1, 1], ["3.5", 1]]
radius = "0.25")") + obstacle(R"(shape = "box"
centre = [5, 1]
half = [1, "0.5"]
axis = [3, -4])") + obstacle(R"(shape = "polygon"
centre = [8, 0]
points = [[0, 0], [2, 0], [2, 2], [0, 2]]
holes = [[["0.5", "0.5"], [1, "0.5"], [1, 1]]])"));
  ASSERT_EQ(s.obstacles.size(), 4u);
  EXPECT_EQ(s.obstacles[0].name, "well");
  EXPECT_EQ(s.obstacles[0].spot.line, 7u);
  Obstacle well = test::circle(quarters(10, 6), quarters(3));
  well.layer_mask = 1;
  EXPECT_EQ(s.obstacles[0].shape, well);
  Obstacle capsule;
  capsule.kind = ObstacleKind::capsule;
  capsule.points = {quarters(4, 4), quarters(14, 4)};
  capsule.radius = quarters(1);
  EXPECT_EQ(s.obstacles[1].shape, capsule);
  EXPECT_EQ(s.obstacles[2].shape, test::box(quarters(20, 4), quarters(4, 2), {3, -4}));
  Obstacle polygon;
  polygon.kind = ObstacleKind::polygon;
  polygon.centre = quarters(32, 0);
  polygon.points = {quarters(0, 0), quarters(8, 0), quarters(8, 8), quarters(0, 8)};
  polygon.holes = {{quarters(2, 2), quarters(4, 2), quarters(4, 4)}};
  EXPECT_EQ(s.obstacles[3].shape, polygon);
  EXPECT_TRUE(s.edits.empty());
  const Result<GridMap> map = make_map(s);
  ASSERT_TRUE(map.ok()) << map.status().message();
  ASSERT_EQ(map->view().obstacles().size(), 4u);
  EXPECT_EQ(*map->view().obstacles()[3], polygon);
}

TEST(ScenarioObstacle, TheCornerOfTheMapIsItsOriginTimesTheSizeOfACell) {
  std::string text(kMap);
  text.insert(6, "origin = [10, -2]\ncell_size = \"0.5\"\n");
  const Result<GridMap> map =
      make_map(parsed(text + obstacle("shape = \"circle\"\ncentre = [\"5.25\", \"-0.75\"]\nradius = \"0.25\"")));
  ASSERT_TRUE(map.ok());
  const NavGraph graph = *NavGraph::compile(map->view(), {});
  EXPECT_EQ(graph.footing({10, -2, 0}), Footing::no_room) << "its middle lies at 5.25, -0.75";
  EXPECT_EQ(graph.footing({11, -2, 0}), Footing::open) << "0.5 away, more than 0.25 + 0.35 x 0.5";
}

TEST(ScenarioObstacle, APathIsOneStepATickRoundedOnce) {
  const Scenario s = parsed(std::string(kMap) + kPolicy + obstacle(R"(shape = "circle"
radius = "0.5"
path = [[2, 1, 1], [5, 2, 1], [8, 2, 1], [10, 2, "0.5"]])"));
  EXPECT_EQ(s.obstacles[0].shape.centre, quarters(4, 4)) << "before its first stop it stands there";
  const auto third = [](std::int64_t n) { return Position{{(std::int64_t{1} << 32) + n}, quarters(4)}; };
  const std::vector<std::pair<std::uint64_t, Position>> expected{{3, third(1431655765)},  // 2^32 / 3 = 1431655765.33
                                                                 {4, third(2863311531)},  // 2863311530.67
                                                                 {5, quarters(8, 4)},  // and nothing from tick 5 to 8
                                                                 {9, quarters(8, 3)},
                                                                 {10, quarters(8, 2)}};
  EXPECT_EQ(steps_of(s, 0), expected);
}

TEST(ScenarioObstacle, StepsBackwardsAreRoundedAwayFromZeroToo) {
  const Scenario s = parsed(std::string(kMap) + kPolicy + obstacle(R"(shape = "circle"
radius = "0.5"
path = [[0, 1, 1], [2, "0.9999999997671694", 1]])"));
  // One unit of 2^-32 back in two ticks: half a unit is a whole one.
  const std::vector<std::pair<std::uint64_t, Position>> expected{{1, {{(std::int64_t{1} << 32) - 1}, quarters(4)}}};
  EXPECT_EQ(steps_of(s, 0), expected);
}

TEST(ScenarioObstacle, StepsOfSeveralInOneTickAreOneEditBehindTheOthers) {
  const Scenario s = parsed(std::string(kMap) + kPolicy + "[[edit]]\ntick = 2\ncells = [[0, 0, \"#\"]]\n" +
                            obstacle("shape = \"circle\"\nradius = 1\npath = [[0, 1, 1], [3, 4, 1]]") +
                            obstacle("shape = \"circle\"\nradius = 1\npath = [[1, 9, 1], [3, 9, 3]]"));
  ASSERT_EQ(s.edits.size(), 4u);
  EXPECT_EQ(s.edits[0].tick, 1u);
  EXPECT_EQ(s.edits[0].edit.obstacles.size(), 1u);
  EXPECT_EQ(s.edits[1].edit.cells.size(), 1u);
  EXPECT_EQ(s.edits[2].tick, 2u);
  EXPECT_EQ(s.edits[2].edit.obstacles.size(), 2u);
}

TEST(ScenarioObstacle, ALateAgentMayStartUnderOneThatMoves) {
  const auto text = [](const std::string& place, int start) {
    return std::string(kMap) + kPolicy + "[[profile]]\nname = \"p\"\n[[goal]]\nname = \"g\"\ncells = [[11, 1]]\n" +
           "[[agent]]\nat = [2, 1]\nprofile = \"p\"\ngoal = \"g\"\nstart_tick = " + std::to_string(start) + "\n" +
           obstacle("shape = \"circle\"\nradius = 1\n" + place);
  };
  const std::string moves = "path = [[0, \"2.5\", \"1.5\"], [9, \"2.5\", -5]]", stands = "centre = [\"2.5\", \"1.5\"]";
  EXPECT_TRUE(parse(text(moves, 5)).ok()) << parse(text(moves, 5)).status().message();
  EXPECT_EQ(parse(text(moves, 0)).status().code(), StatusCode::start_blocked);
  EXPECT_EQ(parse(text(stands, 5)).status().code(), StatusCode::start_blocked);
}

TEST(ScenarioObstacle, GoalsAndStartsUnderOneAreRefusedForBodiesThatDoNotFit) {
  const auto code = [](const std::string& radius, const std::string& centre) {
    return parse(std::string(kMap) + "[[profile]]\nname = \"p\"\nbody_radius = \"" + radius +
                 "\"\n[[goal]]\nname = \"g\"\ncells = [[9, 1]]\n" +
                 "[[agent]]\nat = [2, 1]\nprofile = \"p\"\ngoal = \"g\"\n" +
                 obstacle("shape = \"circle\"\nradius = \"0.25\"\ncentre = " + centre))
        .status()
        .code();
  };
  // 0.5 from the middle of a cell.
  EXPECT_EQ(code("0.35", "[\"9.5\", 2]"), StatusCode::goal_blocked);
  EXPECT_EQ(code("0.25", "[\"9.5\", 2]"), StatusCode::ok);
  EXPECT_EQ(code("0.35", "[\"2.5\", 2]"), StatusCode::start_blocked);
  EXPECT_EQ(code("0.25", "[\"2.5\", 2]"), StatusCode::ok);
}

TEST(ScenarioObstacle, NobodyIsSpawnedUnderOne) {
  const Scenario s =
      parsed(std::string(kMap) + "[[profile]]\nname = \"p\"\n[[goal]]\nname = \"g\"\ncells = [[11, 1]]\n" +
             "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncount = 24\n" +
             obstacle("shape = \"box\"\ncentre = [2, 2]\nhalf = [2, 2]"));
  EXPECT_EQ(s.agents.size(), 24u) << "36 cells, 12 of them taken";
  for (const ScenarioAgent& a : s.agents) EXPECT_GT(a.at.x, 3);
}

TEST(ScenarioObstacle, WhatCannotBeIsRefusedByNameAndPlace) {
  const auto refused = [](const std::string& keys, StatusCode code, const std::string& says) {
    const Status status = parse(std::string(kMap) + obstacle(keys)).status();
    EXPECT_EQ(status.code(), code) << keys << ": " << status.message();
    EXPECT_NE(status.message().find(says), std::string::npos) << status.message();
    EXPECT_EQ(status.message().rfind("s.toml:", 0), 0u) << status.message();
  };
  refused("centre = [1, 1]\nradius = 1", StatusCode::key_missing, "shape");
  refused("shape = \"ball\"\ncentre = [1, 1]\nradius = 1", StatusCode::value, "circle or capsule or box or polygon");
  refused("shape = \"circle\"\nradius = 1", StatusCode::key_missing, "centre");
  refused("shape = \"circle\"\ncentre = [1, 1]", StatusCode::obstacle, "radius");
  refused("name = \"x\"\nshape = \"circle\"\ncentre = [1, 1]\nradius = -1", StatusCode::obstacle, "obstacle x");
  refused("shape = \"circle\"\ncentre = [1, 1, 0]\nradius = 1", StatusCode::value, "[x, y] is expected");
  refused("shape = \"circle\"\ncentre = [1, \"a\"]\nradius = 1", StatusCode::number, "\"a\"");
  refused("shape = \"circle\"\ncentre = [1, 1]\nradius = 1\npoints = [[0, 0]]", StatusCode::obstacle, "points");
  refused("shape = \"circle\"\ncentre = [1, 1]\nradius = 20000", StatusCode::obstacle, "16384");
  refused("shape = \"box\"\ncentre = [1, 1]\nhalf = [1, 1]\naxis = [0, 0]", StatusCode::obstacle, "axis");
  refused("shape = \"box\"\ncentre = [1, 1]\nhalf = [1, 1]\naxis = [1, 20000]", StatusCode::obstacle, "16384");
  refused("shape = \"box\"\ncentre = [1, 1]\nhalf = 1", StatusCode::value, "half");
  refused("shape = \"polygon\"\npoints = [[0, 0], [1, 1]]", StatusCode::obstacle, "3");
  refused("shape = \"polygon\"\npoints = [[0, 0], [1, 1], [0, 1]]\nholes = [[[0, 0]]]", StatusCode::obstacle, "hole");
  refused("shape = \"circle\"\ncentre = [1, 1]\nradius = 1\nlayer_mask = -1", StatusCode::value, "layer_mask");
  refused("shape = \"circle\"\ncentre = [1, 1]\nradius = 1\ncolour = \"red\"", StatusCode::key_unknown, "colour");
  std::string points = "shape = \"polygon\"\npoints = [";
  for (int i = 0; i < 4097; ++i) points += "[" + std::to_string(i % 7) + ", " + std::to_string(i % 5) + "], ";
  refused(points + "]", StatusCode::limit_obstacles, "4096");
}

TEST(ScenarioObstacle, PathsAreCheckedToo) {
  const auto refused = [](const std::string& policy, const std::string& path, StatusCode code,
                          const std::string& says) {
    const Status status =
        parse(std::string(kMap) + policy + obstacle("shape = \"circle\"\nradius = 1\n" + path)).status();
    EXPECT_EQ(status.code(), code) << path << ": " << status.message();
    EXPECT_NE(status.message().find(says), std::string::npos) << status.message();
  };
  const std::string two = "path = [[0, 1, 1], [5, 2, 1]]";
  for (const char* other : {"", "[policy]\non_stale = \"hold\"\n", "[policy]\non_stale = \"own_search\"\n"}) {
    refused(other, two, StatusCode::value, "path of an obstacle");
    refused(other, two, StatusCode::value, "on_stale = \"keep_if_legal\"");
  }
  refused(kPolicy, "centre = [1, 1]\n" + two, StatusCode::value, "centre beside path");
  refused(kPolicy, "path = []", StatusCode::value, "without stops");
  refused(kPolicy, "path = [[0, 1]]", StatusCode::value, "[tick, x, y] is expected");
  refused(kPolicy, "path = [[5, 1, 1], [5, 2, 1]]", StatusCode::tick, "tick 5 after one at tick 5");
  refused(kPolicy, "path = [[-1, 1, 1]]", StatusCode::tick, "tick");
  refused(kPolicy, "path = [[0, 1, 1], [131073, 2, 1]]", StatusCode::limit_obstacles, "131073 ticks");
  EXPECT_TRUE(parse(std::string(kMap) + kPolicy +
                    obstacle("shape = \"circle\"\nradius = 1\npath = [[0, 1, 1], [1000000, 1, 1], [1000005, 2, 1]]"))
                  .ok())
      << "standing costs nothing";
}

TEST(ScenarioObstacle, NamesAreGivenOnce) {
  const std::string one = obstacle("name = \"x\"\nshape = \"circle\"\ncentre = [1, 1]\nradius = 1");
  EXPECT_EQ(parse(kMap + one + one).status().code(), StatusCode::name_twice);
}

}  // namespace
}  // namespace drover::io
