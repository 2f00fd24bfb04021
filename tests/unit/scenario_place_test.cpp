// SPDX-License-Identifier: MIT
// Large scenarios: keys, retargets and late starts of tens of thousands are placed like those of a few.
#include <gtest/gtest.h>
#include <drover/io.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace drover::io {
namespace {

constexpr int kSide = 300, kAgents = 50000;

std::string map_rows(char first_cells, int count) {
  std::string rows = "[map]\nrows = [\n";
  for (int y = 0; y < kSide; ++y) {
    rows += '"';
    for (int x = 0; x < kSide; ++x) rows += y * kSide + x < count ? first_cells : '.';
    rows += "\",\n";
  }
  return rows + "]\n[[profile]]\nname = \"p\"\n";
}

std::string cell(int i) { return "[" + std::to_string(i % kSide) + ", " + std::to_string(i / kSide) + "]"; }

std::string goal(int i, int at) {
  return "[[goal]]\nname = \"g" + std::to_string(i) + "\"\ncells = [" + cell(at) + "]\n";
}

std::string agent(int at, const std::string& more) {
  return "[[agent]]\nat = " + cell(at) + "\nprofile = \"p\"\ngoal = \"g0\"\n" + more;
}

Result<Scenario> parse(const std::string& text) { return parse_scenario(text, "s.toml"); }

// Every second key is given, so each agent without one fills a gap of one.
TEST(LargeScenarios, KeysFillTheGapsInFileOrder) {
  std::string text = map_rows('.', 0) + goal(0, 89999);
  for (int i = 0; i < kAgents / 2; ++i) text += agent(i, "key = " + std::to_string(2 * i + 2) + "\n");
  for (int i = kAgents / 2; i < kAgents; ++i) text += agent(i, "");
  const Result<Scenario> scenario = parse(text);
  ASSERT_TRUE(scenario.ok()) << scenario.status().message();
  ASSERT_EQ(scenario->agents.size(), static_cast<std::size_t>(kAgents));
  for (int key = 1; key <= kAgents; ++key) {
    const ScenarioAgent& a = scenario->agents[static_cast<std::size_t>(key - 1)];
    const int at = key % 2 == 0 ? key / 2 - 1 : kAgents / 2 + (key - 1) / 2;
    ASSERT_EQ(a.key, static_cast<std::uint64_t>(key));
    ASSERT_EQ(a.at, (Cell{at % kSide, at / kSide, 0}));
  }
}

// Ranges of groups and single keys that touch, overlap nothing, and leave room that is too small for a whole group.
TEST(LargeScenarios, AGroupTakesTheFirstGapThatHoldsAllOfIt) {
  const auto group = [](int first_at, int count, const std::string& more) {
    std::string cells;
    for (int i = 0; i < count; ++i) cells += cell(first_at + i) + ", ";
    return "[[group]]\nprofile = \"p\"\ngoal = \"g0\"\ncells = [" + cells + "]\n" + more;
  };
  const Result<Scenario> scenario =
      parse(map_rows('.', 0) + goal(0, 89999) + group(0, 3, "first_key = 4\n") + group(10, 4, "") + group(20, 2, "") +
            agent(30, "key = 9\n") + agent(31, "") + agent(32, "key = 7\n"));
  ASSERT_TRUE(scenario.ok()) << scenario.status().message();
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys;
  for (const ScenarioAgent& a : scenario->agents) keys.emplace_back(a.key, a.at.x);
  // 4 .. 6, 7 and 9 are taken; four in a row are free from 10 on, and keys never go back.
  EXPECT_EQ(keys, (std::vector<std::pair<std::uint64_t, std::int32_t>>{{4, 0},
                                                                       {5, 1},
                                                                       {6, 2},
                                                                       {7, 32},
                                                                       {9, 30},
                                                                       {10, 10},
                                                                       {11, 11},
                                                                       {12, 12},
                                                                       {13, 13},
                                                                       {14, 20},
                                                                       {15, 21},
                                                                       {16, 31}}));
}

// The goal that only retargets name is checked for the body of the agent they name.
TEST(LargeScenarios, RetargetsNameGoalsOfTheirAgents) {
  std::string text = map_rows('#', 1) + "[[profile]]\nname = \"wide\"\nfootprint = 2\n" + goal(0, 89999);
  for (int i = 1; i <= 5000; ++i) text += goal(i, kAgents + i);
  for (int i = 1; i <= kAgents; ++i) text += agent(i, "key = " + std::to_string(i) + "\n");
  for (int i = 1; i <= 20000; ++i)
    text +=
        "[[retarget]]\ntick = 3\nagent = " + std::to_string(i) + "\ngoal = \"g" + std::to_string(i % 5000 + 1) + "\"\n";
  EXPECT_TRUE(parse(text).ok()) << parse(text).status().message();
  // g1 lies beside the wall: no 2 x 2 body fits there.
  text = map_rows('#', 1) + "[[profile]]\nname = \"wide\"\nfootprint = 2\n" + goal(0, 89000) + goal(1, 299);
  text += "[[agent]]\nkey = 1\nat = [0, 9]\nprofile = \"wide\"\ngoal = \"g0\"\n" + agent(4000, "key = 2\n");
  EXPECT_TRUE(parse(text + "[[retarget]]\ntick = 3\nagent = 2\ngoal = \"g1\"\n").ok());
  EXPECT_EQ(parse(text + "[[retarget]]\ntick = 3\nagent = 1\ngoal = \"g1\"\n").status().code(),
            StatusCode::goal_blocked);
}

TEST(LargeScenarios, LateAgentsStartWhereDoorsAndEditsMakeRoom) {
  std::string doors = map_rows('.', 0) + goal(0, 89999);
  for (int i = 0; i < 5000; ++i)
    doors += "[[door]]\nname = \"d" + std::to_string(i) + "\"\nstate = \"closed\"\ncells = [" + cell(i) + "]\n";
  std::string agents;
  for (int i = 0; i < 5000; ++i) agents += agent(i, "start_tick = 5\n");
  EXPECT_TRUE(parse(doors + agents).ok()) << parse(doors + agents).status().message();
  EXPECT_EQ(parse(doors + agent(7, "")).status().code(), StatusCode::start_blocked) << "not late";

  std::string edits = map_rows('#', kAgents + 1) + goal(0, 89999) + "[[edit]]\ntick = 3\ncells = [";
  for (int i = kAgents; i-- > 0;)
    edits += "[" + std::to_string(i % kSide) + ", " + std::to_string(i / kSide) + ", \".\"], ";
  edits += "]\n";
  agents.clear();
  for (int i = 0; i < kAgents; ++i) agents += agent(i, "start_tick = 5\n");
  EXPECT_TRUE(parse(edits + agents).ok()) << parse(edits + agents).status().message();
  EXPECT_EQ(parse(edits + agent(kAgents, "start_tick = 5\n")).status().code(), StatusCode::start_blocked)
      << "no edit is there";
}

}  // namespace
}  // namespace drover::io
