// SPDX-License-Identifier: MIT
// drover verify as a user runs it: examples, weights, fog, portals, published maps, and what it says of wrong fields.
#include "support/data.hpp"
#include "support/program.hpp"

namespace drover::test {
namespace {

class Verify : public ::testing::Test {
 protected:
  Outcome verify(const std::string& map, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"verify", map});
    return run_drover(temp, more);
  }
  // The figures of a verdict without a wrong cell.
  std::string right(const std::string& map, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--json", "-"});
    const Outcome outcome = verify(map, more);
    expect_accepted(outcome);
    EXPECT_EQ(json_value(outcome.out, "wrong"), "0");
    EXPECT_EQ(json_value(outcome.out, "first"), "null");
    EXPECT_NE(json_value(outcome.out, "us"), "(no us)");
    return outcome.out;
  }
  TempFolder temp;
};

TEST_F(Verify, every_example) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(repo_root() / "examples")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string json = right(entry.path().string());
    EXPECT_GE(std::stoi(json_value(json, "fields")), 1) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3u);
}

TEST_F(Verify, castle_gate_before_and_after_each_move_of_its_door) {
  const std::string castle = (repo_root() / "examples/castle_gate.toml").string();
  const std::string json = right(castle);
  EXPECT_EQ(json_value(json, "cells"), "1196");
  EXPECT_EQ(json_value(json, "sampled"), "false");
  EXPECT_NE(json.find("\"ticks\":[0,4,60]"), std::string::npos) << json;
  EXPECT_EQ(json_value(json, "fields"), "9") << "three pairs in three states";
  EXPECT_EQ(json_value(json, "unplaced"), "3") << "the throne of the small is too near the wall for the large";
  const Outcome outcome = verify(castle, {"--profile", "large", "--goal", "throne_large", "--states", "2"});
  expect_accepted(outcome);
  EXPECT_EQ(outcome.out.rfind("every one of 1,196 cells right in 2 fields\n", 0), 0u) << outcome.out;
  EXPECT_NE(outcome.out.find("2 of 3 states of the map: tick 0 4\n"), std::string::npos) << outcome.out;
}

TEST_F(Verify, swamp_with_costs_and_weights) {
  const std::string map =
      temp.write("swamp.map", "type octile\nheight 4\nwidth 6\nmap\n..SS..\n.SSSS.\n.#SS#.\n......\n");
  right(map, {"--goal", "0,0", "--terrain-cost", "S=7"});
  right(map, {"--goal", "5,3;0,3@12", "--terrain-cost", "S=0", "--corner", "one_free", "--costs", "octile"});
  const std::string weights = temp.write("w", "1 2 3 4 5 6\n0 0 0 0 0 0\n9 1 9 9 1 9\n1 1048576 1 1 1 1\n");
  right(map, {"--goal", "0,0", "--weights", weights, "--moves", "4", "--costs", "uniform"});
  right(map, {"--goal", "0,0", "--weights", weights, "--footprint", "2", "--nearest"});
}

TEST_F(Verify, fog_and_edits_that_lift_it) {
  const std::string fogged = temp.write("fog.toml", R"([map]
rows = ["..??..", "..??..", "......"]
[[profile]]
name = "one"
[[profile]]
name = "two"
footprint = 2
[[goal]]
name = "far"
cells = [[4, 0]]
[[edit]]
tick = 3
cells = [[2, 0, "."], [2, 1, "."], [3, 0, "."], [3, 1, "#"]]
[[edit]]
tick = 9
cells = [[4, 0, "?"]]
)");
  const std::string json = right(fogged);
  EXPECT_EQ(json_value(json, "fields"), "4");
  EXPECT_EQ(json_value(json, "unplaced"), "2") << "at tick 9 the goal is hidden";
  expect_accepted(verify(temp.write("fog.txt", "..?\n??.\n..."), {"--goal", "0,0"}));
}

TEST_F(Verify, each_faction_its_own_fog) {
  const std::string sides = temp.write("sides.toml", R"([map]
rows = ["......", "......"]
[[profile]]
name = "b"
faction = "blue"
[[profile]]
name = "r"
faction = "red"
footprint = 2
[[profile]]
name = "all"
[[goal]]
name = "far"
cells = [[4, 0]]
[[edit]]
tick = 0
faction = "blue"
cells = [[2, 0, "?"], [2, 1, "?"]]
[[edit]]
tick = 3
faction = "red"
cells = [[4, 0, "?"]]
[[edit]]
tick = 5
faction = "blue"
cells = [[2, 0, "#"], [2, 1, "."]]
)");
  const std::string json = right(sides);
  EXPECT_EQ(json_value(json, "fields"), "7");
  EXPECT_EQ(json_value(json, "unplaced"), "2") << "from tick 3 on the goal is hidden from red";
  const std::string blue = temp / "blue.txt", all = temp / "all.txt";
  for (const auto& [profile, file] : {std::pair{"b", blue}, {"all", all}})
    expect_accepted(run_drover(temp, {"field", sides, "--profile", profile, "--goal", "far", "--dump", file}));
  EXPECT_EQ(temp.read("blue.txt"), "x x ? 10 0 10\nx x ? 14 10 14\n");
  EXPECT_EQ(temp.read("all.txt"), "40 30 20 10 0 10\n44 34 24 14 10 14\n");
  const auto status = [&](const std::string& profile) {
    return json_value(
        run_drover(temp, {"path", sides, "--profile", profile, "--from", "0,0", "--to", "2,1", "--json", "-"}).out,
        "status");
  };
  EXPECT_EQ(status("b"), "\"goal_unknown\"");
  EXPECT_EQ(status("all"), "\"found\"");
}

TEST_F(Verify, floors_with_portals_one_ways_slopes_and_priced_doors) {
  temp.write("h", "0 1 2 3\n3 2 1 0\nlayer 1\n5 5 5 5\n0 0 9 9\n");
  const std::string floors = temp.write("floors.toml", R"([map]
layers = [["....", "...."], ["....", "..#."]]
heights = "h"
slope = {up = 4, down = 1}
[[profile]]
name = "p"
[[goal]]
name = "top"
cells = [[3, 1, 1]]
[[one_way]]
at = [1, 0]
forbid = ["E", "SE"]
[[portal]]
from = [3, 0, 0]
to = [0, 0, 1]
cost = 25
[[portal]]
from = [0, 1, 1]
to = [0, 1, 0]
cost = 0
[[door]]
name = "toll"
cells = [[2, 0, 1]]
state = 30
schedule = [[5, "close"], [8, 3]]
)");
  const std::string json = right(floors);
  EXPECT_EQ(json_value(json, "cells"), "16");
  EXPECT_EQ(json_value(json, "fields"), "3");
}

TEST_F(Verify, a_published_map_every_place_a_start) {
  DROVER_REQUIRE_DATA("movingai/maps/dao/den312d.map");
  const std::string json = right((data_root() / "movingai/maps/dao/den312d.map").string(), {"--costs", "octile"});
  EXPECT_EQ(json_value(json, "sampled"), "false");
  EXPECT_EQ(json_value(json, "starts"), "7335") << "2445 places, 3 goals drawn by the command itself";
  EXPECT_NE(json.find("\"drawn_goals\":[["), std::string::npos) << json;
}

TEST_F(Verify, a_large_published_map_by_samples) {
  DROVER_REQUIRE_DATA("movingai/maps/dao/brc202d.map");
  const std::string map = (data_root() / "movingai/maps/dao/brc202d.map").string();
  const std::vector<std::string> options = {"--seed", "7", "--samples", "4"};
  const Outcome one = verify(map, options), again = verify(map, options);
  expect_accepted(one);
  EXPECT_EQ(one.out, again.out);
  EXPECT_EQ(one.out.rfind("every one of 254,930 cells right in 3 fields\n", 0), 0u) << one.out;
  EXPECT_NE(one.out.find("drawn by seed 7: "), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("12 cells drawn by seed 7 had their own"), std::string::npos) << one.out;
  EXPECT_EQ(json_value(right(map, {"--goal", "200,200", "--nearest", "--samples", "1"}), "sampled"), "true");
}

TEST_F(Verify, a_wrong_cost_ends_with_1_and_names_the_cell) {
  const std::string map = temp.write("m.txt", "...\n.#.\n...\n");
  const std::vector<std::string> goal = {"--goal", "0,0"};
  const auto against = [&](const std::string& costs) {
    return verify(map, {"--goal", "0,0", "--against", temp.write("costs", costs), "--json", temp / "json"});
  };
  const std::string costs = "0 10 20\n10 # 30\n20 30 40\n";
  expect_accepted(against(costs));
  expect_refused(against("0 10 20\n10 # 30\n20 30 41\n"), 1, "E_WRONG_FIELD", "cell 2,2: reachable at cost 41");
  EXPECT_EQ(json_value(temp.read("json"), "wrong"), "1");
  EXPECT_NE(temp.read("json").find("\"first\":{\"cell\":[2,2],"), std::string::npos) << temp.read("json");
  expect_refused(against("0 10 20\n10 # x\n20 30 40\n"), 1, "E_WRONG_FIELD", "cell 2,1: unreachable");
  expect_refused(against("0 10 20\n10 5 30\n20 30 40\n"), 1, "E_WRONG_FIELD", "cell 1,1");
  expect_refused(against("0 10 20\n10 # 30\n"), 3, "E_WEIGHTS_SIZE", "costs");
  expect_refused(against("0 10 20\n10 # 30\n20 30 abc\n"), 3, "E_NUMBER", "costs:3:7");
}

TEST_F(Verify, what_it_refuses) {
  const std::string map = temp.write("m.txt", "..\n.#\n");
  expect_refused(verify(""), 2, "E_USAGE", "no MAP");
  expect_refused(verify(map, {"--goal", "1,1"}), 3, "E_GOAL_BLOCKED", "1,1");
  expect_refused(verify(map, {"--goal", "5,1"}), 3, "E_GOAL_OUTSIDE", "5,1");
  expect_refused(verify(map, {"--samples", "0"}), 2, "E_USAGE", "--samples 0");
  expect_refused(verify(map, {"--states", "x"}), 2, "E_USAGE", "--states x");
  expect_refused(verify(map, {"--seed", "-"}), 2, "E_SEED", "--seed -");
  expect_refused(verify(map, {"--footprint", "3"}), 3, "E_FOOTPRINT", "m.txt");
  expect_refused(verify(temp.write("w.txt", "##\n")), 3, "E_GOAL_NONE", "w.txt");
  expect_refused(verify(map, {"--json", map}), 2, "E_SAME_FILE", "m.txt");
  expect_refused(verify((repo_root() / "examples/castle_gate.toml").string(), {"--goal", "thron"}), 3, "E_NAME_UNKNOWN",
                 "throne");
}

}  // namespace
}  // namespace drover::test
