// SPDX-License-Identifier: MIT
// What a scenario takes over from the map file that it names, and what it says instead; the real program.
#include "support/program.hpp"

namespace drover::test {
namespace {

// 6 x 3 cells from -2,4 on: lava (cost 4) at 0,5, a wall at 1,5, a step east only at 2,4. Gate at 3,4; camp at -2,5 and
// -2,6; a box at 2,6.
const std::string kKeep =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<map version="1.8" orientation="orthogonal" width="6" height="3" tilewidth="10" tileheight="10" infinite="1">
 <tileset firstgid="1" name="t" tilewidth="10" tileheight="10" tilecount="4" columns="4">
  <tile id="1"><properties><property name="walkable" type="bool" value="false"/></properties></tile>
  <tile id="2"><properties><property name="terrain" value="lava"/><property name="cost" type="int" value="4"/>
   <property name="letter" value="L"/></properties></tile>
  <tile id="3"><properties><property name="one_way" value="E"/></properties></tile>
 </tileset>
 <layer id="1" name="ground" width="6" height="3"><data encoding="csv"><chunk x="-2" y="4" width="6" height="3">
1,1,1,1,4,1,
1,1,3,2,1,1,
1,1,1,1,1,1
 </chunk></data></layer>
 <objectgroup id="2" name="things">
  <object id="1" name="gate" type="goal" x="30" y="40" width="10" height="10"><properties><property name="on_arrival" value="vanish"/></properties></object>
  <object id="2" name="camp" type="spawn" x="-20" y="50" width="10" height="20">
   <properties><property name="goal" value="gate"/></properties></object>
  <object id="3" name="corner" type="spawn" x="-20" y="40" width="20" height="10"/>
  <object id="4" name="crate" type="obstacle" x="20" y="60" width="10" height="10"/>
 </objectgroup>
</map>
)";

class MapFileScenario : public ::testing::Test {
 protected:
  MapFileScenario() { temp.write("keep.tmx", kKeep); }
  Outcome run(const std::string& rest, const std::vector<std::string>& more = {}) {
    temp.write("s.toml", "[map]\nfile = \"keep.tmx\"\n" + rest);
    std::vector<std::string> arguments{"run", temp / "s.toml", "--out", temp / "out", "--trace", temp / "t", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }
  // Where agents stand at tick 0: "key,x,y;".
  std::string starts() {
    std::istringstream lines(temp.read("t"));
    std::string out, line;
    while (std::getline(lines, line)) {
      if (line.rfind("0,", 0) != 0) continue;
      std::istringstream fields(line.substr(2));
      std::string key, x, y;
      std::getline(fields, key, ',');
      std::getline(fields, x, ',');
      std::getline(fields, y, ',');
      const auto cell = [](const std::string& at) { return std::to_string(static_cast<long>(std::stod(at))); };
      out += key + "," + cell(x) + "," + cell(y) + ";";
    }
    return out;
  }
  std::string cost(const std::string& options) {
    std::istringstream words(options);
    std::vector<std::string> arguments{"path", temp / "s.toml", "--json", "-"};
    for (std::string word; words >> word;) arguments.push_back(word);
    const Outcome outcome = run_drover(temp, arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json_value(outcome.out, "cost");
  }
  TempFolder temp;
};

const std::string kOne = "[[profile]]\nname = \"p\"\n";

TEST_F(MapFileScenario, AMapAndOneProfileAreAScenario) {
  expect_accepted(run(kOne, {"--require-arrival"}));
  EXPECT_EQ(starts(), "1,-2,5;2,-2,6;");
  EXPECT_EQ(json_value(temp.read("out/report.json"), "agents"), "2");
}

TEST_F(MapFileScenario, GroundOneWaysObstaclesAndOriginCount) {
  run(kOne);
  EXPECT_EQ(cost("--from -1,5 --to 0,5"), "40") << "lava";
  EXPECT_EQ(cost("--from 2,4 --to 3,4"), "10");
  EXPECT_EQ(cost("--from 2,4 --to 2,5"), "24") << "it may be left to the east only: 3,4, then back down";
  run("[[terrain]]\nname = \"lava\"\ncost = 7\n" + kOne);
  EXPECT_EQ(cost("--from -1,5 --to 0,5"), "70") << "the scenario's ground keeps its values";
  run(kOne + "[[edge]]\nat = [2, 4]\ndirection = \"E\"\nextra = 3\n");
  EXPECT_EQ(cost("--from 2,4 --to 3,4"), "13") << "what the scenario says of steps comes on top";
  const Outcome crate = run_drover(temp, {"path", temp / "s.toml", "--from", "3,4", "--to", "2,6", "--json", "-"});
  EXPECT_EQ(json_value(crate.out, "status"), "\"goal_blocked\"") << crate.out;
}

TEST_F(MapFileScenario, AnOriginOfItsOwnMovesAllThatStandsOnTheMap) {
  temp.write("s.toml", "");
  temp.write("keep.tmx", kKeep);
  const std::string rest = kOne + "[[agent]]\nat = [100, 200]\nprofile = \"p\"\ngoal = \"gate\"\n";
  temp.write("m.toml", "[map]\nfile = \"keep.tmx\"\norigin = [100, 200]\n" + rest);
  expect_accepted(run_drover(
      temp, {"run", temp / "m.toml", "--out", temp / "out", "--trace", temp / "t", "--quiet", "--require-arrival"}));
  EXPECT_EQ(starts(), "1,100,201;2,100,202;3,100,200;");
  const Outcome crate =
      run_drover(temp, {"path", temp / "m.toml", "--from", "100,200", "--to", "104,202", "--json", "-"});
  EXPECT_EQ(json_value(crate.out, "status"), "\"goal_blocked\"") << crate.out;
}

TEST_F(MapFileScenario, NoOutputReplacesWhatAMapNames) {
  const std::string tiles = "<tileset tilewidth=\"10\" tileheight=\"10\" name=\"t\"/>";
  const std::string map = kKeep.substr(0, kKeep.find(" <tileset")) + " <tileset firstgid=\"1\" source=\"t.tsx\"/>\n" +
                          kKeep.substr(kKeep.find(" <layer"));
  temp.write("u.tmx", map);
  temp.write("t.tsx", tiles);
  temp.write("u.toml", "[map]\nfile = \"u.tmx\"\nheights = \"h\"\n" + kOne);
  temp.write("h", "0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n");
  const auto refused = [&](std::vector<std::string> arguments, const std::string& file) {
    expect_refused(run_drover(temp, arguments), 2, "E_SAME_FILE", file);
  };
  const std::string set = temp / "t.tsx";
  for (const char* in : {"u.tmx", "u.toml"}) {
    refused({"convert", temp / in, temp / "x.txt", "--json", set}, "t.tsx");
    refused({"field", temp / in, "--goal", "3,4", "--dump", set}, "t.tsx");
    refused({"path", temp / in, "--from", "1,4", "--to", "3,4", "--json", set}, "t.tsx");
    refused({"verify", temp / in, "--goal", "3,4", "--json", set}, "t.tsx");
  }
  refused({"run", temp / "u.toml", "--json", set, "--out", temp / "o"}, "t.tsx");
  refused({"run", temp / "u.toml", "--json", temp / "h", "--out", temp / "o"}, "h");
  run_drover(temp, {"run", temp / "u.toml", "--out", temp / "o", "--quiet"});
  for (const char* file : {"t.tsx", "u.tmx", "u.toml", "h"})
    refused({"replay", temp / "o/replay.drv", "--json", temp / file}, file);
  EXPECT_EQ(temp.read("t.tsx"), tiles);
  EXPECT_EQ(temp.read("u.tmx"), map);
}

TEST_F(MapFileScenario, PlacesCanBeNamed) {
  expect_accepted(
      run(kOne +
          "[[group]]\nname = \"camp\"\nprofile = \"p\"\ngoal = \"gate\"\ncount = 1\narea = {spawn = \"corner\"}\n"
          "[[agent]]\nkey = 9\nat = {spawn = \"camp\"}\nprofile = \"p\"\ngoal = \"gate\"\n"));
  const std::string placed = starts();
  EXPECT_TRUE(placed == "1,-2,4;9,-2,5;" || placed == "1,-1,4;9,-2,5;")
      << "the scenario's group counts instead of the map's: " << placed;
  const std::string agent = "[[agent]]\nprofile = \"p\"\ngoal = \"gate\"\nat = ";
  expect_refused(run(kOne + agent + "{spawn = \"cornr\"}\n"), 3, "E_NAME_UNKNOWN", "did you mean corner");
  expect_refused(run(kOne + agent + "{spwn = \"corner\"}\n"), 3, "E_VALUE", "s.toml:8:6: at is a table");
  expect_refused(run(kOne + "[[group]]\nprofile = \"p\"\ngoal = \"gate\"\ncount = 3\narea = {spawn = \"corner\"}\n"), 5,
                 "E_LIMIT_AGENTS", "at most 2");
}

TEST_F(MapFileScenario, AGoalOfTheScenarioCountsInsteadOfTheMaps) {
  expect_accepted(run(kOne + "[[goal]]\nname = \"gate\"\ncells = [[-1, 4]]\non_arrival = \"vanish\"\n"));
  EXPECT_EQ(json_value(temp.read("out/report.json"), "arrived"), "2");
}

TEST_F(MapFileScenario, RefusalsNameThePlaceInTheMapFile) {
  expect_refused(run(kOne + "[[profile]]\nname = \"q\"\n"), 3, "E_PROFILE_UNKNOWN", "keep.tmx:16:");
  expect_refused(run(""), 3, "E_PROFILE_UNKNOWN", "known are none");
  std::string text = kKeep;
  text.replace(text.find("value=\"gate\""), 12, "value=\"gait\"");
  temp.write("keep.tmx", text);
  expect_refused(run(kOne), 3, "E_NAME_UNKNOWN", "keep.tmx:16:");
  text = kKeep;
  text.replace(text.find("x=\"30\" y=\"40\""), 13, "x=\"10\" y=\"50\"");
  temp.write("keep.tmx", text);
  expect_refused(run(kOne), 3, "E_GOAL_BLOCKED", "keep.tmx:15:");
  text = kKeep;
  text.replace(text.find("x=\"-20\" y=\"50\""), 14, "x=\"10\" y=\"50\" ");
  temp.write("keep.tmx", text);
  expect_refused(run(kOne), 3, "E_START_BLOCKED", "keep.tmx:16:");
}

}  // namespace
}  // namespace drover::test
