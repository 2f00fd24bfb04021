// SPDX-License-Identifier: MIT
// Areas, duplicates, dominated goals and steps through the real program: run, replay, verify, field, and bad input.
#include "support/program.hpp"

#include <algorithm>

namespace drover::test {
namespace {

// A pillar beside the way, behind it no sight; the door at 6,0 hides what is beyond it until tick 8.
std::string scenario(const std::string& goal) {
  return "[map]\nrows = [\n\"..........\",\n\"....#.....\",\n\"..........\",\n\"..........\",\n\"..........\",\n]\n"
         "[[profile]]\nname = \"small\"\n[[profile]]\nname = \"wide\"\nfootprint = 2\n" +
         goal +
         "[[group]]\nprofile = \"small\"\ngoal = \"post\"\ncells = [[0, 0], [0, 2]]\n"
         "[[group]]\nprofile = \"wide\"\ngoal = \"post\"\ncells = [[1, 1]]\n"
         "[[door]]\nname = \"gate\"\ncells = [[6, 0]]\nstate = \"closed\"\nschedule = [[8, \"open\"]]\n";
}

std::string post(const std::string& place) {
  return "[[goal]]\nname = \"post\"\n" + place + "\non_arrival = \"vanish\"\n";
}

class GoalProgram : public ::testing::Test {
 protected:
  Outcome run(const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", temp.write("s.toml", text), "--out", temp / "out", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }
  std::string field(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"field", temp / "s.toml", "--quiet", "--json", "field.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_accepted(run_drover(temp, arguments));
    return temp.read("field.json");
  }
  TempFolder temp;
};

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++n;
  return n;
}

TEST_F(GoalProgram, AreasRunRecordReplayAndVerify) {
  for (const std::string place :
       {"within = {of = [8, 1], radius = 1}", "in_sight = {of = [8, 1], radius = 4}",
        "in_sight = {of = [4, 1], radius = 3}", "within = {of = [4, 1], radius = 0}\nnearest = true"}) {
    SCOPED_TRACE(place);
    expect_accepted(run(scenario(post(place)), {"--require-arrival"}));
    EXPECT_EQ(json_value(temp.read("out/report.json"), "violations"), "0");
    const Outcome replay = run_drover(temp, {"replay", temp / "out/replay.drv", "--verify", "--json", "-"});
    expect_accepted(replay);
    EXPECT_EQ(json_value(replay.out, "equal"), "true");
    const Outcome verify = run_drover(temp, {"verify", temp / "s.toml", "--json", "-"});
    expect_accepted(verify);
    EXPECT_EQ(json_value(verify.out, "wrong"), "0");
    EXPECT_EQ(json_value(verify.out, "fields"), "4");  // two profiles, before and after the door
    EXPECT_EQ(json_value(verify.out, "unplaced"), "0");
  }
}

TEST_F(GoalProgram, NearestMovesGoalsThatAScenarioNames) {
  temp.write("s.toml", scenario(post("cells = [[4, 1]]") + "[[goal]]\nname = \"other\"\ncells = [[0, 0]]\n"));
  const std::vector<std::string> asked{"field", temp / "s.toml", "--profile", "small"};
  expect_refused(run_drover(temp, asked), 3, "E_GOAL_BLOCKED", "goal post at 4,1");
  EXPECT_NE(field({"--profile", "small", "--goal", "post", "--nearest"}).find("\"placed\":[4,0]"), std::string::npos);
  expect_accepted(run_drover(temp, {"verify", temp / "s.toml", "--nearest", "--quiet"}));
  temp.write("s.toml", scenario(post("cells = [[8, 1]]") + "[[goal]]\nname = \"other\"\ncells = [[0, 0]]\n"));
  expect_refused(run_drover(temp, asked), 3, "E_NAME_UNKNOWN", "2 goals; --goal NAME is expected");
}

TEST_F(GoalProgram, FieldDrawsEveryCellOfAnArea) {
  temp.write("s.toml", scenario(post("in_sight = {of = [8, 1], radius = 3}")));
  const std::string json = field({"--profile", "small", "--directions", "d.txt", "--png", "p.png"});
  // 6,0 is a closed door, 5,0 and 5,2 are too far.
  EXPECT_EQ(
      temp.read("d.txt"),
      "E E E E E S # G G G\nE E NE N # G G G G G\nE E E E E N G G G G\nE E E E E E G G G G\nE E E E E NE N N G N\n");
  EXPECT_EQ(count(json, "\"status\":\"ok\""), 17u);
  EXPECT_EQ(count(json, "\"rank\":\"counts\""), 17u);
  EXPECT_TRUE(temp.has("p.png"));
}

TEST_F(GoalProgram, DuplicatesAndDominatedGoalsAreNamed) {
  const Outcome twice = run(scenario(post("cells = [[8, 1], [7, 1], [8, 1], [8, 1]]")));
  EXPECT_EQ(twice.status, 0) << twice.err;
  EXPECT_EQ(twice.err.rfind("drover: warning W_GOAL_TWICE: ", 0), 0u) << twice.err;
  EXPECT_NE(twice.err.find("s.toml:16:26: goal post names 8,1 again (and 1 more)"), std::string::npos) << twice.err;
  temp.write("m.txt", ".........\n");
  const Outcome field =
      run_drover(temp, {"field", "m.txt", "--goal", "0,0;8,0@95;0,0", "--json", "f.json", "--steps", "steps.txt"});
  EXPECT_EQ(field.status, 0) << field.err;
  EXPECT_NE(field.out.find("goal 8,0 is dominated: a way to another goal costs 80 there\n"), std::string::npos);
  EXPECT_NE(field.out.find("goal 0,0 is a duplicate"), std::string::npos) << field.out;
  const std::string json = temp.read("f.json");
  const std::string ranks = json.substr(json.find("\"goals\""));
  const std::size_t counts = ranks.find("\"rank\":\"counts\""), dominated = ranks.find("\"rank\":\"dominated\""),
                    duplicate = ranks.find("\"rank\":\"duplicate\"");
  EXPECT_TRUE(counts < dominated && dominated < duplicate && duplicate != std::string::npos) << ranks;
  EXPECT_EQ(temp.read("steps.txt"), "0+0 1+0 2+0 3+0 4+0 5+0 6+0 7+0 0+0\n");
  EXPECT_EQ(json_value(json, "max_steps"), "7");
  EXPECT_EQ(json_value(json, "max_length"), "7.000000");
}

TEST_F(GoalProgram, StepsAreDumpedLikeCosts) {
  temp.write("m.txt", "...#.\n..#?.\n...##\n");
  expect_accepted(
      run_drover(temp, {"field", "m.txt", "--goal", "0,0", "--quiet", "--steps", "steps.txt", "--json", "f.json"}));
  EXPECT_EQ(temp.read("steps.txt"), "0+0 1+0 2+0 # x\n1+0 0+1 # ? x\n2+0 1+1 2+1 # #\n");
  EXPECT_EQ(json_value(temp.read("f.json"), "max_length"), "3.414214");
  const Outcome without = run_drover(temp, {"field", "m.txt", "--goal", "0,0", "--quiet", "--json", "-"});
  EXPECT_EQ(without.out.find("max_length"), std::string::npos);
}

TEST_F(GoalProgram, NearestFromHeedsOneWays) {
  temp.write("s.toml",
             "[map]\nrows = [\".....\"]\n[[profile]]\nname = \"p\"\n[[one_way]]\nat = [2, 0]\nforbid = [\"E\"]\n");
  std::string json = field({"--goal", "4,0", "--nearest-from", "0,0"});
  EXPECT_NE(json.find("\"cell\":[4,0],\"status\":\"goal_blocked\",\"placed\":[2,0]"), std::string::npos) << json;
  json = field({"--goal", "0,0", "--nearest-from", "4,0"});
  EXPECT_NE(json.find("\"cell\":[0,0],\"status\":\"ok\",\"placed\":[0,0]"), std::string::npos) << json;
  expect_refused(run_drover(temp, {"field", temp / "s.toml", "--goal", "4,0", "--nearest-from", "7,0"}), 3,
                 "E_POSITION", "7,0");
}

TEST_F(GoalProgram, BadAreasAreRefusedWhereTheyStand) {
  const auto refused = [&](const std::string& place, int status, const std::string& code, const std::string& where) {
    SCOPED_TRACE(place);
    expect_refused(run(scenario(post(place))), status, code, where);
    EXPECT_FALSE(temp.has("out")) << "nothing is begun";
  };
  refused("", 3, "E_KEY_MISSING", "s.toml:14:1: [[goal]] has no cells, within or in_sight");
  refused("within = {of = [1, 1], radius = 1}\nin_sight = {of = [1, 1], radius = 1}", 3, "E_VALUE",
          "s.toml:17:12: in_sight beside within");
  refused("cells = [[1, 1]]\nwithin = {of = [1, 1], radius = 1}", 3, "E_VALUE", "s.toml:17:10: within beside cells");
  refused("cells = [[1, 1]]\nin_sight = {of = [1, 1], radius = 1}", 3, "E_VALUE", "in_sight beside cells");
  refused("within = {of = [1, 1], radius = 1}\noffsets = [3]", 3, "E_VALUE", "s.toml:17:11: offsets");
  refused("within = {of = [1, 1], radius = -1}", 3, "E_VALUE", "s.toml:16:33: radius");
  refused("within = {of = [1, 1], radius = 513}", 5, "E_LIMIT_GOALS", "512");
  refused("within = {of = [1, 1], radius = 1.5}", 3, "E_NUMBER", "radius");
  refused("within = {of = [1, 1]}", 3, "E_KEY_MISSING", "radius");
  refused("within = {radius = 1}", 3, "E_KEY_MISSING", "of");
  refused("within = {of = [1, 1], radius = 1, cone = 3}", 3, "E_KEY_UNKNOWN", "cone");
  refused("within = [1, 1]", 3, "E_VALUE", "s.toml:16:10: within is not a table");
  refused("in_sight = {of = [10, 1], radius = 3}", 3, "E_GOAL_OUTSIDE", "in sight of 10,1 within 3 goal_outside");
  refused("in_sight = {of = [1, 1, 1], radius = 3}", 3, "E_GOAL_OUTSIDE", "1,1,1");
  refused("within = {of = [4, 1], radius = 0}", 3, "E_GOAL_BLOCKED", "s.toml:16:10: goal post");
  // The wide body has no room beside the pillar.
  refused("within = {of = [4, 0], radius = 0}", 3, "E_GOAL_BLOCKED", "for profile wide: within 0 of 4,0 goal_blocked");
}

}  // namespace
}  // namespace drover::test
