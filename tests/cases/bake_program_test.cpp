// SPDX-License-Identifier: MIT
// `drover bake`: its answers and its refusals.
#include "support/data.hpp"
#include "support/program.hpp"

namespace drover::test {
namespace {

class BakeProgram : public ::testing::Test {
 protected:
  Outcome bake(const std::vector<std::string>& more, const std::string& scene = kScene) {
    std::vector<std::string> arguments{"bake", temp.write("s.json", scene)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }

  static constexpr const char* kScene =
      R"({"shapes": [{"shape": "circle", "centre": ["2.5", "2.5"], "radius": "0.51"}]})";
  TempFolder temp;
};

TEST_F(BakeProgram, CellsAreCountedAndWritten) {
  const Outcome outcome = bake({"--size", "6x5", "--radius", "0.5", "-o", temp / "m.txt", "--json", "-"});
  expect_accepted(outcome);
  EXPECT_EQ(json_value(outcome.out, "blocked"), "5");
  EXPECT_EQ(json_value(outcome.out, "width"), "6");
  EXPECT_EQ(json_value(outcome.out, "shapes"), "1");
  EXPECT_EQ(temp.read("m.txt"), "......\n..#...\n.###..\n..#...\n......\n");
  const Outcome again = bake({"--size", "6x5", "--radius", "0.5", "-o", temp / "m.map"});
  expect_accepted(again);
  const std::string digest = json_value(outcome.out, "digest");
  EXPECT_NE(again.out.find("5 blocked"), std::string::npos) << again.out;
  EXPECT_NE(again.out.find(digest.substr(1, 16)), std::string::npos) << again.out;
  EXPECT_EQ(temp.read("m.map").rfind("type octile\nheight 5\nwidth 6\nmap\n......\n..#...\n", 0), 0u);
  // The digest is that of the map as others read it.
  const Outcome field = run_drover(temp, {"field", temp / "m.map", "--goal", "0,0", "--json", "-"});
  EXPECT_EQ(json_value(field.out, "map_digest"), digest);
}

TEST_F(BakeProgram, RadiusCellSizeAndFootprintSayWhatIsTested) {
  const auto blocked = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--size", "6x5", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_value(bake(arguments).out, "blocked");
  };
  EXPECT_EQ(blocked({}), "1");                    // 0.51 + 0.35 is below 1
  EXPECT_EQ(blocked({"--radius", "0.49"}), "1");  // equal to 1: not blocked
  EXPECT_EQ(blocked({"--radius", "0.4901"}), "5");
  EXPECT_EQ(blocked({"--cell-size", "0.5"}), "2");  // middles 2.25,2.25 and 2.75,2.25; below them the map ends
  EXPECT_EQ(blocked({"--footprint", "2"}), "4");    // middles 2,2 3,2 2,3 3,3 at 0.71, the next at 1.58; 0.51 + 0.85
  EXPECT_EQ(blocked({"--footprint", "2", "--radius", "1"}), "4");
}

TEST_F(BakeProgram, WhatIsWrongIsRefusedByName) {
  expect_refused(bake({}), 2, "E_USAGE", "--size");
  expect_refused(bake({"--size", "6"}), 2, "E_USAGE", "--size 6");
  expect_refused(bake({"--size", "6x-5"}), 2, "E_USAGE", "--size 6x-5");
  expect_refused(bake({"--size", "6x5x4"}), 2, "E_USAGE", "--size 6x5x4");
  expect_refused(bake({"--size", "0x5"}), 3, "E_MAP_SIZE", "0x5");
  expect_refused(bake({"--size", "100000x100000"}), 5, "E_LIMIT_CELLS", "100000x100000");
  expect_refused(bake({"--size", "6x5", "--radius", "0.51"}), 2, "E_USAGE", "--radius 0.51");
  expect_refused(bake({"--size", "6x5", "--radius", "0"}), 2, "E_USAGE", "--radius 0");
  expect_refused(bake({"--size", "6x5", "--cell-size", "x"}), 2, "E_USAGE", "--cell-size x");
  expect_refused(bake({"--size", "6x5", "--footprint", "9"}), 2, "E_USAGE", "--footprint 9");
  expect_refused(bake({"--size", "6x5", "--footprint", "6"}), 3, "E_FOOTPRINT", "6 on a map of 6x5");
  expect_refused(bake({"--size", "6x5", "-o", temp / "m.bmp"}), 2, "E_FORMAT", "m.bmp");
  expect_refused(bake({"--size", "6x5", "--json", temp / "s.json"}), 2, "E_SAME_FILE", "s.json");
  expect_refused(run_drover(temp, {"bake", temp / "none.json", "--size", "6x5"}), 4, "E_OPEN", "none.json");
}

TEST_F(BakeProgram, BadScenesAreRefusedWithTheirPlace) {
  const auto refused = [&](const std::string& scene, const std::string& code, const std::string& place,
                           int status = 3) {
    expect_refused(bake({"--size", "6x5"}, scene), status, code, "s.json:" + place);
  };
  refused("{\"shapes\":[\n{\"shape\":]}", "E_JSON", "2:10");
  refused(std::string(70, '['), "E_JSON_DEPTH", "1:65");
  refused(R"({"shapes":[{"shape":"circle","centre":[1,1],"radius":0}]})", "E_OBSTACLE", "1:12");
  refused(R"({"shapes":[{"shape":"circle","centre":[1,1],"radius":17000}]})", "E_OBSTACLE", "1:12");
  refused(R"({"shapes":[{"shape":"circle","center":[1,1],"radius":1}]})", "E_KEY_UNKNOWN", "1:30");
  refused("{\"shapes\":[{\"shape\":\"caf\xe9\"}]}", "E_JSON", "1:26");
  std::string corners = R"({"shapes":[{"shape":"polygon","points":[)";
  for (int i = 0; i < 4097; ++i) corners += i == 0 ? "[0,0]" : ",[1,1]";
  refused(corners + "]}]}", "E_LIMIT_OBSTACLES", "1:12", 5);
}

}  // namespace
}  // namespace drover::test
