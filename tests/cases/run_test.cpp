// SPDX-License-Identifier: MIT
// Whole runs of the real program: examples, gate instances, published maps; the same digests on 1, 2 and 8 threads.
#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "support/data.hpp"
#include "support/program.hpp"

namespace drover::test {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

class Run : public ::testing::Test {
 protected:
  // Report of a run that must go through without violations and give one digest on every number of threads.
  std::string report_of(const std::string& scenario, const std::vector<std::string>& more = {}) {
    std::string first;
    for (const std::string threads : {"1", "2", "8"}) {
      std::vector<std::string> arguments{"run", scenario, "--out", temp / "out", "--quiet", "--threads", threads};
      arguments.insert(arguments.end(), more.begin(), more.end());
      expect_accepted(run_drover(temp, arguments));
      const std::string report = temp.read("out/report.json");
      EXPECT_EQ(json_value(report, "violations"), "0") << scenario;
      EXPECT_EQ(json_value(report, "threads"), threads);
      if (first.empty()) first = report;
      EXPECT_EQ(json_value(report, "digest"), json_value(first, "digest"))
          << scenario << " on " << threads << " threads";
    }
    return first;
  }

  // All that have a way arrive.
  static void expect_arrivals(const std::string& report) {
    const auto number = [&](const char* key) { return std::stoull(json_value(report, key)); };
    EXPECT_EQ(number("arrived") + number("unreachable"), number("agents"));
    EXPECT_NE(json_value(report, "makespan_ticks"), "null");
    EXPECT_GE(number("makespan_ticks"), number("queue")) << "a lower bound";
  }
  TempFolder temp;
};

TEST_F(Run, castle_gate) {
  const std::string report = report_of((repo_root() / "examples/castle_gate.toml").string(), {"--require-arrival"});
  expect_arrivals(report);
  EXPECT_EQ(json_value(report, "agents"), "70");
}

TEST_F(Run, fog) {
  const std::string report = report_of((repo_root() / "examples/fog.toml").string(), {"--require-arrival"});
  expect_arrivals(report);
  EXPECT_EQ(json_value(report, "unreachable"), "0");
  EXPECT_EQ(json_value(report, "field_builds"), "4") << "blue, red, crow, and blue again";
}

// Twelve doors toggle every few ticks until tick 240: everyone arrives, and the report shows what was built for it.
TEST_F(Run, door_storm) {
  const std::string report = report_of((repo_root() / "examples/door_storm.toml").string(), {"--require-arrival"});
  expect_arrivals(report);
  EXPECT_EQ(json_value(report, "unreachable"), "0");
  const auto number = [&](const char* key) { return std::stoull(json_value(report, key)); };
  EXPECT_GT(number("coalesced_requests"), 0u);
  EXPECT_GT(number("kept_old_direction"), 0u);
  EXPECT_EQ(number("live_bundles"), 1u);
  EXPECT_EQ(number("retired_bytes"), 0u);
  EXPECT_EQ(number("adoptions"), number("field_builds") + number("cache_hits")) << "one profile, one goal";
}

// Two hundred through a gate of three cells: out as early as the bound allows, all on a plan that was kept to the tick.
TEST_F(Run, gate_200) {
  const std::string report = report_of((repo_root() / "examples/gate_200.toml").string(), {"--require-arrival"});
  expect_arrivals(report);
  EXPECT_EQ(json_value(report, "agents"), "200");
  EXPECT_EQ(json_value(report, "guidance"), "\"forest\"");
  for (const char* const key : {"makespan_ticks", "ring", "planned_ticks", "planned_finish"})
    EXPECT_EQ(json_value(report, key), "70") << key;
}

// Portals down and up, a ledge, a slope: everyone arrives, both floors are drawn, and the recording replays.
TEST_F(Run, two_floors) {
  const std::string scenario = (repo_root() / "examples/two_floors.toml").string();
  const std::string report = report_of(scenario, {"--require-arrival", "--moves", temp / "moves.csv"});
  expect_arrivals(report);
  EXPECT_EQ(json_value(report, "agents"), "98");
  const std::string moves = temp.read("moves.csv");
  const auto count = [&](std::string_view text) {
    std::size_t n = 0;
    for (std::size_t at = moves.find(text); at != std::string::npos; at = moves.find(text, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count(R"("20,5,0","20,5,1")"), 8u) << "each porter takes the lift";
  EXPECT_EQ(count(R"("25,1,1","25,1,0")") + count(R"("25,9,1","25,9,0")") + count(R"("1,8,1","1,8,0")"), 60u)
      << "each visitor takes some stairs";
  expect_accepted(run_drover(temp, {"replay", temp / "out/replay.drv", "--verify"}));
}

// Obstacles askew, and one that moves: everyone arrives, each step of it is a version of the map, the recording
// replays.
// The page at the head of the example: who starts last and walks fastest is not last, six take the ferry for eight
// ticks each, and boys walk straight on in a tick a cell.
TEST_F(Run, mixed_speeds) {
  const std::string report = report_of((repo_root() / "examples/mixed_speeds.toml").string(),
                                       {"--require-arrival", "--trace", temp / "t", "--moves", temp / "m"});
  expect_arrivals(report);
  EXPECT_EQ(json_value(report, "arrived"), "46");
  std::map<int, int> arrivals;
  std::istringstream trace(temp.read("t")), moves(temp.read("m"));
  std::string line;
  const auto numbers = [&line] {
    std::vector<int> all;
    std::string digits;
    for (const char c : line + ",") {
      if (c >= '0' && c <= '9') digits += c;
      if (c != ',' && c != '"') continue;
      if (!digits.empty()) all.push_back(std::stoi(digits));
      digits.clear();
    }
    return all;
  };
  while (std::getline(trace, line)) {
    if (line.find("arrived") != std::string::npos) arrivals[numbers()[1]] = numbers()[0];
  }
  const auto last_of = [&](int first, int end) {
    int last = 0;
    for (int key = first; key < end; ++key) last = std::max(last, arrivals.at(key));
    return last;
  };
  EXPECT_LT(last_of(201, 213), last_of(101, 131));
  EXPECT_LT(last_of(101, 131), last_of(1, 3));
  EXPECT_LE(last_of(1, 3), 160);
  int ferry = 0;
  while (std::getline(moves, line)) {
    const std::vector<int> m = numbers();  // agent, x, y, to x, to y, start, ticks
    if (m.size() != 7) continue;
    if (m[1] == 17 && m[3] == 28) {
      ++ferry;
      EXPECT_EQ(m[6], 8) << line;
    } else if (m[0] > 200 && (m[1] == m[3] || m[2] == m[4])) {
      EXPECT_EQ(m[6], 1) << line;
    }
  }
  EXPECT_EQ(ferry, 6);
}

TEST_F(Run, moving_cart) {
  const std::string scenario = (repo_root() / "examples/moving_cart.toml").string();
  const std::string report = report_of(scenario, {"--require-arrival"});
  expect_arrivals(report);
  EXPECT_EQ(json_value(report, "agents"), "412");
  EXPECT_EQ(json_value(report, "map_versions"), "146") << "walls, five obstacles, 140 steps of the cart";
  expect_accepted(run_drover(temp, {"replay", temp / "out/replay.drv", "--verify"}));
}

TEST_F(Run, the_page_stands_beside_the_report_and_says_the_same) {
  const std::string scenario = (repo_root() / "examples/castle_gate.toml").string();
  const Outcome outcome = run_drover(temp, {"run", scenario, "--out", temp / "out"});
  expect_accepted(outcome);
  const std::string page = temp.read("out/report.html"), report = temp.read("out/report.json");
  EXPECT_NE(outcome.out.find("report: " + temp / "out/report.html\n"), std::string::npos) << outcome.out;
  const std::string digest = json_value(report, "digest");
  EXPECT_NE(page.find("<code>" + digest.substr(1, digest.size() - 2) + "</code>"), std::string::npos) << digest;
  EXPECT_NE(page.find("70 of 70 agents arrived in " + json_value(report, "ticks") + " ticks"), std::string::npos);
  EXPECT_NE(page.find("data:image/png;base64,"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST_F(Run, a_page_that_cannot_be_written_is_an_error) {
  std::filesystem::create_directories(temp / "out/report.html/taken");
  const std::string scenario = (repo_root() / "examples/seed_5x5.toml").string();
  expect_refused(run_drover(temp, {"run", scenario, "--out", temp / "out", "--quiet"}), 4, "E_WRITE", "report.html");
}

TEST_F(Run, horde) {
  const std::string report = report_of((repo_root() / "examples/horde.toml").string(), {"--require-arrival"});
  expect_arrivals(report);
  EXPECT_EQ(json_value(report, "agents"), "2000");
}

TEST_F(Run, paranoid_runs_of_every_example_are_equal_and_give_the_digest_of_a_plain_run) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(repo_root() / "examples")) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const std::string scenario = entry.path().string();
    expect_accepted(run_drover(temp, {"run", scenario, "--out", temp / "plain", "--quiet"}));
    expect_accepted(run_drover(temp, {"run", scenario, "--out", temp / "twice", "--quiet", "--paranoid", "--events",
                                      temp / "e", "--threads", "2"}));
    const std::string plain = temp.read("plain/report.json"), twice = temp.read("twice/report.json");
    for (const char* key : {"digest", "ticks", "moves", "agent_steps"})
      EXPECT_EQ(json_value(twice, key), json_value(plain, key)) << scenario;
    const std::string events = temp.read("e");
    EXPECT_EQ(std::to_string(count_of(events, ",\"digest\":") - 1), json_value(plain, "ticks"))
        << "one pass is told of";
  }
  EXPECT_GE(files, 3u);
}

TEST_F(Run, seed_map_with_all_its_costs) {
  const std::string scenario = (repo_root() / "examples/seed_5x5.toml").string();
  expect_arrivals(report_of(scenario, {"--require-arrival"}));
  const auto costs = [&](const std::string& profile) {
    const Outcome outcome =
        run_drover(temp, {"field", scenario, "--profile", profile, "--goal", "middle", "--dump", "-", "--quiet"});
    expect_accepted(outcome);
    return outcome.out;
  };
  EXPECT_EQ(costs("streets"), "4 3 2 # 4\n3 # 1 # 3\n2 1 0 1 2\n# 2 # # 3\n4 3 4 5 4\n");
  EXPECT_EQ(costs("roads"), "40 30 20 # 40\n30 # 10 # 30\n20 10 0 10 20\n# 20 # # 30\n40 30 40 50 40\n");
  EXPECT_EQ(costs("shortcuts"), "34 24 20 # 34\n24 # 10 # 24\n20 10 0 10 20\n# 14 # # 24\n28 24 28 38 34\n");
}

// The number after a key of a .gate file.
std::string gate_line(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("\n" + key + " ");
  if (at == std::string::npos) return "none";
  const std::size_t begin = at + key.size() + 2;
  return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

TEST_F(Run, every_gate_instance_arrives_and_its_bounds_are_the_published_ones) {
  DROVER_REQUIRE_DATA("mapf/gate");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_root() / "mapf/gate")) {
    if (entry.path().extension() != ".gate") continue;
    ++files;
    SCOPED_TRACE(entry.path().filename().string());
    const std::string report = report_of(entry.path().string(), {"--require-arrival", "--exact-bound"});
    expect_arrivals(report);
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(json_value(report, "queue"), gate_line(text, "bound_queue"));
    EXPECT_EQ(json_value(report, "ring"), gate_line(text, "bound_ring"));
    EXPECT_EQ(json_value(report, "exact"), gate_line(text, "optimal_makespan"));
    EXPECT_EQ(json_value(report, "exact_sum_of_arrivals"), gate_line(text, "optimal_sum_of_arrivals"));
    EXPECT_EQ(json_value(report, "makespan_ticks"), gate_line(text, "optimal_makespan")) << "the default guidance";
    EXPECT_GE(std::stoull(json_value(report, "sum_of_arrivals")),
              std::stoull(gate_line(text, "optimal_sum_of_arrivals")));
  }
  EXPECT_GT(files, 10u);
}

class Published : public Run {
 protected:
  void crowd(const std::string& map, int agents, const std::string& goal) {
    const std::string file = (data_root() / map).string();
    const std::string scenario = temp.write(
        "s.toml",
        "[map]\nfile = \"" + file + "\"\n[[profile]]\nname = \"walker\"\n[[goal]]\nname = \"gate\"\ncells = " + goal +
            "\nnearest = true\non_arrival = \"vanish\"\n[[group]]\nprofile = \"walker\"\ngoal = \"gate\"\ncount = " +
            std::to_string(agents) + "\n[run]\nticks = 20000\n");
    const std::string report = report_of(scenario, {"--allow-outside"});
    expect_arrivals(report);
    EXPECT_EQ(json_value(report, "agents"), std::to_string(agents));
    EXPECT_GT(std::stoull(json_value(report, "arrived")), static_cast<std::uint64_t>(agents) * 9 / 10)
        << "the goal lies in the main region";
  }
};

TEST_F(Published, den312d_with_500_agents) {
  DROVER_REQUIRE_DATA("movingai/maps/dao/den312d.map");
  crowd("movingai/maps/dao/den312d.map", 500, "[[30, 40]]");
}

TEST_F(Published, arena_with_500_agents) {
  DROVER_REQUIRE_DATA("movingai/maps/dao/arena.map");
  crowd("movingai/maps/dao/arena.map", 500, "[[25, 25]]");
}

TEST_F(Published, brc202d_with_500_agents) {
  DROVER_REQUIRE_DATA("movingai/maps/dao/brc202d.map");
  crowd("movingai/maps/dao/brc202d.map", 500, "[[250, 250]]");
}

TEST_F(Published, berlin_with_5000_agents_and_16_goal_cells) {
  DROVER_REQUIRE_DATA("movingai/maps/cities/Berlin_0_512.map");
  crowd("movingai/maps/cities/Berlin_0_512.map", 5000, "{rect = [250, 250, 4, 4]}");
}

TEST_F(Published, crlf_maps_are_read_like_any_other) {
  DROVER_REQUIRE_DATA("movingai/maps/cities/Paris_1_512.map");
  std::ifstream file(data_root() / "movingai/maps/cities/Paris_1_512.map", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string other;
  for (const char c : text) {
    if (c == '\r') continue;
    other += c == '\n' && text.find('\r') == std::string::npos ? std::string("\r\n") : std::string(1, c);
  }
  const auto digest = [&](const std::string& contents) {
    const Outcome outcome =
        run_drover(temp, {"field", temp.write("m.map", contents), "--goal", "250,250", "--nearest", "--json", "-"});
    expect_accepted(outcome);
    return json_value(outcome.out, "map_digest") + json_value(outcome.out, "digest");
  };
  EXPECT_EQ(digest(text), digest(other));
}

TEST_F(Run, trace_events_and_moves_tell_one_story) {
  const std::string scenario =
      temp.write("s.toml",
                 "[map]\nrows = [\"......\"]\n[[profile]]\nname = \"p\"\nmoves = 4\n[[goal]]\nname = \"g\"\ncells = "
                 "[[5, 0]]\non_arrival = \"vanish\"\n"
                 "[[agent]]\nkey = 7\nat = [3, 0]\nprofile = \"p\"\ngoal = \"g\"\n[[agent]]\nkey = 9\nat = [0, "
                 "0]\nprofile = \"p\"\ngoal = \"g\"\nstart_tick = 1\n");
  expect_accepted(run_drover(temp, {"run", scenario, "--out", temp / "out", "--quiet", "--trace", temp / "t",
                                    "--events", temp / "e", "--moves", temp / "m"}));
  EXPECT_EQ(temp.read("t"),
            "tick,agent,x,y,layer,state\n0,7,3,0,0,waiting\n1,7,4,0,0,moving\n1,9,0,0,0,waiting\n2,7,5,0,0,arrived\n2,"
            "9,1,0,0,moving\n"
            "3,9,2,0,0,moving\n4,9,3,0,0,moving\n5,9,4,0,0,moving\n6,9,5,0,0,arrived\n");
  EXPECT_EQ(temp.read("m"),
            "agent,from,to,start_tick,ticks\n7,\"3,0\",\"4,0\",0,1\n7,\"4,0\",\"5,0\",1,1\n9,\"0,0\",\"1,0\",1,1\n9,"
            "\"1,0\",\"2,0\",2,1\n"
            "9,\"2,0\",\"3,0\",3,1\n9,\"3,0\",\"4,0\",4,1\n9,\"4,0\",\"5,0\",5,1\n");
  const std::string events = temp.read("e"), report = temp.read("out/report.json");
  EXPECT_NE(events.find(R"({"tick":2,"agent":7,"event":"arrived")"), std::string::npos) << events;
  EXPECT_NE(events.find("{\"tick\":6,\"digest\":" + json_value(report, "digest") + "}"), std::string::npos) << events;
  EXPECT_EQ(json_value(report, "makespan_ticks"), "6");
  EXPECT_EQ(json_value(report, "sum_of_arrivals"), "8");
  EXPECT_EQ(json_value(report, "queue"), "6");
  EXPECT_EQ(json_value(report, "moves"), "7");
}

TEST_F(Run, the_summary_begins_by_saying_that_nobody_arrived_and_why) {
  const auto first_line = [&](const std::string& goal, const std::string& ticks) {
    const std::string scenario =
        temp.write("s.toml",
                   "[map]\nrows = [\"....#..\", \"....#..\"]\n[[profile]]\nname = \"p\"\n[[goal]]\nname = \"g\"\n"
                   "cells = [" +
                       goal + "]\n[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncells = [[0, 0], [1, 0], [6, 1]]\n");
    const Outcome outcome = run_drover(temp, {"run", scenario, "--out", temp / "out", "--ticks", ticks});
    expect_accepted(outcome);
    return outcome.out.substr(0, outcome.out.find('\n'));
  };
  // Two of three stand on the side of the wall where the goal is not.
  EXPECT_EQ(first_line("[5, 0]", "0"), "s: NONE of 3 agents arrived in 0 ticks; most frequent: unreachable (2)");
  EXPECT_EQ(first_line("[3, 1]", "1"), "s: NONE of 3 agents arrived in 1 ticks; most frequent: moving (2)");
  EXPECT_EQ(first_line("[5, 0]", "9").rfind("s: 1 of 3 agents arrived in 1 ticks", 0), 0u);
}

TEST_F(Run, the_rollback_bench_gives_equal_digests_every_round) {
  const Outcome outcome =
      run_drover(temp, {"bench", "rollback", "--agents", "400", "--size", "48", "--runs", "5", "--json", "-"});
  expect_accepted(outcome);
  EXPECT_EQ(json_value(outcome.out, "equal"), "true") << outcome.out;
  EXPECT_LE(std::stod(json_value(outcome.out, "bytes_per_agent")), 64);
  for (const char* key : {"snapshot_us", "restore_us", "resim8_ms", "ns_per_unit", "baseline_ns_per_unit", "ratio"})
    EXPECT_GT(std::stod(json_value(outcome.out, key)), 0) << key;
}

TEST_F(Run, the_seed_decides_where_groups_spawn_and_nothing_else_does) {
  const std::string scenario = (repo_root() / "examples/castle_gate.toml").string();
  const auto start = [&](const std::string& seed) {
    expect_accepted(run_drover(temp, {"run", scenario, "--out", temp / "out", "--quiet", "--ticks", "0", "--seed", seed,
                                      "--trace", temp / "t"}));
    return temp.read("t");
  };
  const std::string first = start("1");
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 71);
  EXPECT_EQ(start("1"), first);
  EXPECT_NE(start("2"), first);
}

}  // namespace
}  // namespace drover::test
