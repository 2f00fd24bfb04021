// SPDX-License-Identifier: MIT
// `drover path`: its answers, and the rows of the bad-input list for searches and files of queries.
#include "support/data.hpp"
#include "support/program.hpp"

namespace drover::test {
namespace {

class PathProgram : public ::testing::Test {
 protected:
  Outcome path(const std::vector<std::string>& more, const std::string& map = "") {
    std::vector<std::string> arguments{"path", map.empty() ? temp.write("m.txt", kRows) : map};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }
  std::string json(const std::vector<std::string>& more, const std::string& key) {
    std::vector<std::string> arguments = more;
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = path(arguments);
    expect_accepted(outcome);
    return json_value(outcome.out, key);
  }
  Outcome scen(const std::string& queries, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"--scen", temp.write("q.scen", "version 1\n" + queries), "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return path(arguments);
  }

  static constexpr const char* kRows = "....#....\n....#....\n.........\n....#....\n";
  TempFolder temp;
};

TEST_F(PathProgram, OneSearchIsToldInFull) {
  const Outcome outcome = path({"--from", "3,1", "--to", "5,1", "--json", "-"});
  expect_accepted(outcome);
  EXPECT_EQ(outcome.out.rfind("{\"status\":\"found\",\"cost\":40,\"length\":4.000000,"
                              "\"cells\":[[3,1],[3,2],[4,2],[5,2],[5,1]],\"expanded\":",
                              0),
            0u)
      << outcome.out;
  const Outcome told = path({"--from", "3,1", "--to", "5,1"});
  expect_accepted(told);
  EXPECT_NE(told.out.find("found: cost 40, length 4.000000, 5 cells"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("\n3,1 3,2 4,2 5,2 5,1\n"), std::string::npos) << told.out;
  EXPECT_EQ(json({"--from", "3,1", "--to", "5,1", "--corner", "none"}, "cost"), "28");
  EXPECT_EQ(json({"--from", "3,1", "--to", "5,1", "--costs", "octile", "--corner", "none"}, "cost"), "2786");
  EXPECT_EQ(json({"--from", "0,0", "--to", "0,0"}, "length"), "0.000000");
  EXPECT_EQ(json({"--from", "0,0", "--to", "2,0"}, "algorithm"), "\"jps\"");
  EXPECT_EQ(json({"--from", "0,0", "--to", "2,0", "--algorithm", "astar"}, "algorithm"), "\"astar\"");
  EXPECT_EQ(json({"--from", "0,0", "--to", "2,0", "--corner", "none"}, "algorithm"), "\"astar\"");
  EXPECT_EQ(json({"--from", "0,0", "--to", "2,0", "--smooth"}, "smooth_length"), "2.000000");
}

TEST_F(PathProgram, path_outside) {
  expect_refused(path({"--from", "9,0", "--to", "0,0"}), 3, "E_POSITION",
                 "--from 9,0 is not on the map; 0,0 .. 8,3 is expected");
  expect_refused(path({"--from", "0,0", "--to", "0,-1"}), 3, "E_POSITION", "--to 0,-1");
  expect_refused(path({"--from", "0,0", "--to", "0,0,1"}), 3, "E_POSITION", "--to 0,0,1");
  EXPECT_EQ(json({"--from", "4,0", "--to", "0,0"}, "status"), "\"start_blocked\"");
  EXPECT_EQ(json({"--from", "0,0", "--to", "4,0"}, "status"), "\"goal_blocked\"");
  EXPECT_EQ(json({"--from", "0,0", "--to", "4,0"}, "cost"), "null");
}

TEST_F(PathProgram, UnreachableIsAnAnswer) {
  const std::string map = temp.write("walled.txt", "..#.?\n");
  const Outcome outcome = path({"--from", "0,0", "--to", "3,0", "--json", "-"}, map);
  expect_accepted(outcome);
  EXPECT_EQ(outcome.out.rfind(
                "{\"status\":\"unreachable\",\"cost\":null,\"length\":null,\"cells\":[],\"expanded\":0,\"us\":", 0),
            0u)
      << outcome.out;
  EXPECT_EQ(json_value(path({"--from", "0,0", "--to", "4,0", "--json", "-"}, map).out, "status"), "\"goal_unknown\"");
}

TEST_F(PathProgram, OptionsThatDoNotFitAreNamed) {
  expect_refused(path({"--from", "0,0"}), 2, "E_USAGE", "no --to");
  expect_refused(path({"--to", "0,0"}), 2, "E_USAGE", "no --from");
  expect_refused(path({"--from", "0", "--to", "0,0"}), 2, "E_USAGE", "--from 0");
  expect_refused(path({"--from", "0,0", "--to", "0,0", "--algorithm", "jps", "--moves", "4"}), 3, "E_ARGUMENT",
                 "eight moves");
  expect_refused(path({"--from", "0,0", "--to", "0,0", "--algorithm", "dfs"}), 2, "E_USAGE", "--algorithm dfs");
  expect_refused(path({"--scen", "q.scen", "--smooth"}), 2, "E_USAGE", "--smooth");
  expect_refused(path({"--from", "0,0", "--to", "0,0", "--start-tick", "4"}), 2, "E_USAGE", "--start-tick");
  expect_refused(path({"--from", "0,0", "--scen", "q.scen"}), 2, "E_USAGE", "--scen");
  expect_refused(run_drover(temp, {"path", "--from", "0,0", "--to", "0,0"}), 2, "E_USAGE", "no MAP");
  expect_refused(path({"--scen", temp / "none.scen"}), 4, "E_OPEN", "none.scen");
}

TEST_F(PathProgram, AScenarioIsAMapToo) {
  temp.write("s.toml",
             "[map]\nrows = [\"....\", \"....\"]\norigin = [-1, 5]\n[[edit]]\ntick = 0\ncells = [[0, 5, \"#\"]]\n"
             "[[edit]]\ntick = 9\ncells = [[0, 6, \"#\"]]\n[[profile]]\nname = \"a\"\nmoves = 4\n"
             "[[profile]]\nname = \"b\"\n");
  const Outcome outcome =
      run_drover(temp, {"path", "s.toml", "--profile", "a", "--from", "-1,5", "--to", "1,5", "--json", "-"});
  expect_accepted(outcome);
  EXPECT_EQ(json_value(outcome.out, "cost"), "40") << outcome.out;
  EXPECT_NE(outcome.out.find("[[-1,5],[-1,6],[0,6],[1,6],[1,5]]"), std::string::npos) << outcome.out;
  expect_refused(run_drover(temp, {"path", "s.toml", "--from", "-1,5", "--to", "1,5"}), 3, "E_PROFILE_UNKNOWN",
                 "--profile");
}

// Round the wall is 4 + sqrt 8 long, 4 steps without a wall between.
TEST_F(PathProgram, QueriesAreCountedAndChecked) {
  const Outcome outcome = scen("0\tm.txt\t9\t4\t0\t0\t0\t3\t3\n0\tm.txt\t9\t4\t2\t1\t6\t1\t4.82843\n");
  expect_accepted(outcome);
  EXPECT_EQ(outcome.out.rfind("{\"queries\":2,\"found\":2,\"unreachable\":0,\"wrong\":0,\"max_error\":0.00000", 0), 0u)
      << outcome.out;
  for (const char* key : {"us_total", "us_mean", "us_median", "us_p99", "queries_per_second"})
    EXPECT_NE(json_value(outcome.out, key).find('.'), std::string::npos) << key;
  const Outcome none = scen("");
  expect_accepted(none);
  EXPECT_EQ(json_value(none.out, "queries"), "0");
}

TEST_F(PathProgram, scen_off_the_map) {
  expect_refused(scen("0\tm.txt\t9\t4\t9\t0\t0\t0\t1\n"), 3, "E_SCEN_POSITION", "q.scen:2:");
  expect_refused(scen("0\tm.txt\t9\t4\t0\t0\t1\t1\t1\n0\tm.txt\t9\t4\t0\t0\t-1\t4\t1\n"), 3, "E_SCEN_POSITION",
                 "q.scen:3:");
}

TEST_F(PathProgram, scen_wrong_length) {
  std::string queries;
  for (int i = 0; i < 12; ++i)
    queries += i == 10 ? "0\tm.txt\t9\t4\t0\t0\t0\t3\t3.5\n" : "0\tm.txt\t9\t4\t0\t0\t0\t3\t3\n";
  const Outcome outcome = scen(queries);
  expect_refused(outcome, 1, "E_WRONG", "q.scen:12: from 0,0 to 0,3: length 3.000000; length 3.500000 is stated");
  EXPECT_EQ(json_value(outcome.out, "wrong"), "1");
  EXPECT_EQ(json_value(outcome.out, "max_error"), "0.500000");
}

TEST_F(PathProgram, ReachabilityMustBeAsStated) {
  expect_refused(scen("0\tm.txt\t9\t4\t0\t0\t0\t3\t0\n"), 1, "E_WRONG", "length 3.000000; no way is stated");
  expect_refused(scen("0\tm.txt\t9\t4\t0\t0\t4\t3\t3\n"), 1, "E_WRONG", "goal_blocked; length 3.000000 is stated");
  expect_accepted(scen("0\tm.txt\t9\t4\t0\t0\t4\t3\t0\n0\tm.txt\t9\t4\t1\t1\t1\t1\t0\n"));
}

}  // namespace
}  // namespace drover::test
