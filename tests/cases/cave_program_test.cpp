// SPDX-License-Identifier: MIT
// `drover cave`: its answers and its refusals.
#include "cases/case_reader.hpp"
#include "support/data.hpp"
#include "support/program.hpp"

#include <drover/status.hpp>

#include <set>

namespace drover::test {
namespace {

std::string text_of(const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) text += row + '\n';
  return text;
}

class CaveProgram : public ::testing::Test {
 protected:
  Outcome cave(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"cave"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }
  std::string json(std::vector<std::string> more) {
    more.insert(more.end(), {"--json", "-"});
    const Outcome outcome = cave(more);
    expect_accepted(outcome);
    return outcome.out;
  }
  void expect_range(const std::vector<std::string>& more, const std::string& place) {
    expect_refused(cave(more), 2, "E_CAVE_RANGE", place);
  }

  TempFolder temp;
};

TEST_F(CaveProgram, DefaultsAreThoseThatAreWritten) {
  const std::string plain = json({});
  for (const char* key : {"hash", "floor", "walls", "regions", "attempts", "spawns", "us"})
    EXPECT_NE(plain.find("\"" + std::string(key) + "\":"), std::string::npos) << key;
  EXPECT_EQ(json_value(plain, "width"), "50");
  EXPECT_EQ(json_value(plain, "regions"), "1");
  const auto hash = [&](const std::vector<std::string>& more) { return json_value(json(more), "hash"); };
  const std::string expected = json_value(plain, "hash");
  EXPECT_EQ(hash({"--size",         "50x50",
                  "--seed",         "1",
                  "--walls",        "45",
                  "--mode",         "refined",
                  "--rule",         "B5678/S45678",
                  "--generations",  "5",
                  "--connect",      "largest",
                  "--min-room",     "0",
                  "--min-pillar",   "0",
                  "--border",       "wall",
                  "--origin",       "0,0",
                  "--tunnel-width", "1"}),
            expected);
  EXPECT_NE(hash({"--seed", "2"}), expected);
  EXPECT_EQ(hash({"--threads", "2"}), expected);
  EXPECT_EQ(hash({"--mode", "classic"}), hash({"--mode", "classic", "--passes", "1", "--connect", "none"}));
  EXPECT_NE(hash({"--mode", "classic"}), hash({"--mode", "classic", "--passes", "2"}));
}

TEST_F(CaveProgram, TheMapIsWrittenInEveryFormat) {
  const Outcome bare = cave({"--size", "40x20"});
  expect_accepted(bare);
  EXPECT_EQ(bare.out.size(), 41u * 20u);  // rows and nothing else
  const Outcome rows = cave({"--size", "40x20", "-o", "-", "--spawn", "player:2"});
  EXPECT_EQ(rows.out, bare.out);
  for (const std::string ending : {"map", "txt", "png", "tmx", "tmj"}) {
    const Outcome written = cave({"--size", "40x20", "-o", temp / ("c." + ending), "--spawn", "player:2"});
    expect_accepted(written);
    EXPECT_NE(written.out.find("player of 2 x 2 at "), std::string::npos) << written.out;
    EXPECT_EQ(run_drover(temp, {"convert", temp / ("c." + ending), temp / "again.txt"}).status, 0);
    EXPECT_EQ(temp.read("again.txt"), bare.out) << ending;
  }
  EXPECT_NE(temp.read("c.tmx").find("player"), std::string::npos);
  expect_accepted(cave({"--size", "40x20", "--png", temp / "picture.png", "--spawn", "player:2,enemy:1x3"}));
  EXPECT_EQ(temp.read("picture.png").substr(1, 3), "PNG");
  EXPECT_EQ(cave({"--quiet"}).out, "");
}

TEST_F(CaveProgram, MarksAreThoseOfTheOriginal) {
  const std::string answer =
      json({"--mode", "classic", "--spawn", "player:3,stairs:2,enemy:1x2", "--marks", temp / "m"});
  const std::string marks = temp.read("m");
  ASSERT_EQ(marks.size(), 51u * 50u);
  EXPECT_EQ(marks.find_first_not_of("0145\n"), std::string::npos);
  EXPECT_EQ(std::count(marks.begin(), marks.end(), '4'), 1);
  EXPECT_EQ(std::count(marks.begin(), marks.end(), '5'), 1);
  const auto x = std::stoul(json_value(answer, "x")), y = std::stoul(json_value(answer, "y"));
  EXPECT_EQ(marks[y * 51 + x], '5');
}

TEST_F(CaveProgram, classic_pass_of_a_known_map) {
  const toml::table input = checks_of("cave_classic_pass").front();
  const std::string start = temp.write("start.txt", text_of(strings(*input["rows"].as_array())));
  const Outcome outcome = cave({"--mode", "classic", "--start", start});
  expect_accepted(outcome);
  EXPECT_EQ(outcome.out, text_of(strings(*input["classic"].as_array())));
}

TEST_F(CaveProgram, generations_of_a_known_map) {
  for (const toml::table& check : checks_of("cave_refined_generation")) {
    const std::string start = temp.write("start.txt", text_of(strings(*check["rows"].as_array())));
    const Outcome outcome =
        cave({"--start", start, "--rule", check["rule"].value<std::string>().value(), "--generations",
              std::to_string(check["generations"].value<std::int64_t>().value()), "--connect", "none", "-o", "-"});
    expect_accepted(outcome);
    EXPECT_EQ(outcome.out, text_of(strings(*check["generation"].as_array())));
  }
}

TEST_F(CaveProgram, two_rooms) {
  const toml::table input = checks_of("cave_two_rooms").front();
  const std::string start = temp.write("start.txt", text_of(strings(*input["rows"].as_array())));
  const auto with = [&](const std::string& connect, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"--start", start, "--generations", "0", "--connect", connect};
    all.insert(all.end(), more.begin(), more.end());
    return json(all);
  };
  EXPECT_EQ(json_value(with("none"), "regions"), "2");
  EXPECT_EQ(json_value(with("none"), "floor"), "16");
  EXPECT_EQ(json_value(with("largest"), "regions"), "1");
  EXPECT_EQ(json_value(with("largest"), "floor"), "12");
  EXPECT_EQ(json_value(with("tunnels"), "regions"), "1");
  EXPECT_GE(std::stoi(json_value(with("tunnels"), "floor")), 17);
  // Both into one room, which can only be the larger one: whatever was drawn first.
  for (int seed = 0; seed < 30; ++seed) {
    const std::string both = with("none", {"--spawn", "player:2,stairs:2", "--seed", std::to_string(seed)});
    EXPECT_EQ(both.find("\"x\":9"), std::string::npos) << both;
  }
}

TEST_F(CaveProgram, spawns_are_named_and_counted) {
  const std::string answer = json({"--spawn", "player:6,stairs:2,enemy:2x5"});
  std::size_t enemies = 0, at = 0;
  while ((at = answer.find("\"enemy\"", at + 1)) != std::string::npos) ++enemies;
  EXPECT_EQ(enemies, 5u);
  const toml::table only = checks_of("cave_spawn_exactly_k_places").front();
  const std::string start = temp.write("start.txt", text_of(strings(*only["rows"].as_array())));
  for (int seed = 0; seed < 20; ++seed) {
    const std::string one = json({"--start", start, "--generations", "0", "--connect", "none", "--spawn", "player:6",
                                  "--seed", std::to_string(seed)});
    EXPECT_EQ(json_value(one, "x") + json_value(one, "y"), "11");
  }
}

TEST_F(CaveProgram, windows_of_the_endless_cave_meet) {
  const auto window = [&](const std::string& size, const std::string& origin) {
    const Outcome outcome = cave({"--border", "none", "--size", size, "--origin", origin, "--seed", "77", "-o", "-"});
    expect_accepted(outcome);
    std::vector<std::string> rows;
    for (std::size_t at = 0; at < outcome.out.size(); at = outcome.out.find('\n', at) + 1)
      rows.push_back(outcome.out.substr(at, outcome.out.find('\n', at) - at));
    return rows;
  };
  const auto whole = window("70x30", "-35,-15"), west = window("40x30", "-35,-15"), east = window("30x30", "5,-15");
  for (std::size_t y = 0; y < whole.size(); ++y) EXPECT_EQ(west[y] + east[y], whole[y]) << y;
}

TEST_F(CaveProgram, cave_parameters) {
  expect_range({"--walls", "-1"}, "0 .. 100");
  expect_range({"--walls=101"}, "0 .. 100");
  expect_range({"--walls", "4.5"}, "0 .. 100");
  expect_range({"--generations", "1000000000"}, "0 .. 1000");
  expect_range({"--mode", "classic", "--passes", "1001"}, "0 .. 1000");
  expect_range({"--origin", "1"}, "--origin 1");
  expect_range({"--origin", "1,2,0"}, "--origin 1,2,0");
  expect_range({"--border", "soft"}, "wall or none");
  expect_range({"--mode", "soft"}, "refined or classic");
  expect_range({"--connect", "some"}, "none or largest or tunnels");
  expect_range({"--rule", "B9/S1"}, "B9/S1");
  expect_range({"--tunnel-width", "9"}, "1 .. 8");
  expect_range({"--size", "50"}, "--size 50");
  expect_range({"--size", "0x5"}, "1 .. 65536");
  expect_range({"--size", "5x-5"}, "1 .. 65536");
  expect_range({"--spawn", "player"}, "player");
  expect_range({"--spawn", "player:0"}, "1 .. 8");
  expect_range({"--spawn", "player:2x0"}, "1 .. ");
  for (const char* more : {"--min-room=5", "--min-pillar=5", "--connect=largest", "--spawn=a:1", "--mode=classic"})
    expect_range({"--border", "none", more}, "endless");
  expect_refused(cave({"--seed", "x"}), 2, "E_SEED", "--seed x");
  expect_refused(cave({"--start", temp.write("s.txt", "..\n"), "--size", "2x1"}), 2, "E_USAGE", "--size");
  expect_refused(cave({"--mode", "classic", "--rule", "B1/S1"}), 2, "E_USAGE", "--rule");
  expect_refused(cave({"--passes", "1"}), 2, "E_USAGE", "--passes");
  expect_refused(cave({"-o", temp / "m.bmp"}), 2, "E_FORMAT", "m.bmp");
  expect_refused(cave({"--start", temp / "s.txt", "-o", temp / "s.txt"}), 2, "E_SAME_FILE", "s.txt");
  expect_refused(cave({"-o", "-", "--json", "-"}), 2, "E_USAGE", "--out");
  expect_refused(cave({"--start", temp / "none.txt"}), 4, "E_OPEN", "none.txt");
  expect_refused(cave({"--cells", "5"}), 2, "E_USAGE", "--cells");
  expect_refused(cave({"--threads", "x"}), 2, "E_USAGE", "--threads x");
  const std::string small = json({"--size", "2x2"});
  EXPECT_EQ(json_value(small, "floor"), "0");
  EXPECT_EQ(json_value(small, "walls"), "4");
}

TEST_F(CaveProgram, cave_without_floor) {
  const auto empty = [&](const std::vector<std::string>& more) {
    expect_refused(cave(more), 1, "E_CAVE_EMPTY", "no floor");
    EXPECT_FALSE(temp.has("m.map"));
  };
  empty({"--walls", "100", "--mode", "refined", "--connect", "tunnels", "-o", temp / "m.map"});
  empty({"--walls", "100", "--mode", "classic", "--spawn", "player:1", "-o", temp / "m.map"});
  empty({"--walls", "100", "--connect", "largest"});
  empty({"--size", "2x2", "--spawn", "player:1"});
  EXPECT_EQ(json_value(json({"--walls", "100", "--mode", "classic"}), "floor"), "0");
  EXPECT_EQ(json_value(json({"--walls", "100"}), "regions"), "0");
}

TEST_F(CaveProgram, spawn_finds_nothing) {
  const std::string start = temp.write("start.txt", "#######\n#.....#\n#.....#\n#######\n");
  const Outcome outcome = cave({"--start", start, "--generations", "0", "--spawn", "player:6", "-o", temp / "m.map"});
  expect_refused(outcome, 1, "E_SPAWN_NONE", "'player' of 6 x 6");
  EXPECT_FALSE(temp.has("m.map"));
  expect_refused(cave({"--start", start, "--generations", "0", "--spawn", "player:2,enemy:2x5"}), 1, "E_SPAWN_NONE",
                 "'enemy' of 2 x 2");
}

TEST_F(CaveProgram, bench_answers_are_equal) {
  const Outcome outcome =
      run_drover(temp, {"bench", "cave", "--size", "150", "--generations", "3", "--runs", "5", "--json", "-"});
  expect_accepted(outcome);
  EXPECT_EQ(json_value(outcome.out, "name"), "\"cave\"");
  EXPECT_EQ(json_value(outcome.out, "unit"), "\"cell\"");
  EXPECT_EQ(json_value(outcome.out, "equal"), "true");
}

// Sanitizers have memory of their own.
void expect_small([[maybe_unused]] const Outcome& outcome) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(outcome.peak_bytes, 32u << 20);
#endif
}

TEST_F(CaveProgram, limit_is_said_before_memory_is_taken) {
  const toml::table input = checks_of("limit_is_said_before_memory_is_taken").front();
  for (const toml::node& node : *input["sizes"].as_array()) {
    const toml::array& sides = *node.as_array();
    const std::string size = std::to_string(sides[0].value<std::int64_t>().value()) + "x" +
                             std::to_string(sides[1].value<std::int64_t>().value());
    const Outcome outcome = cave({"--size", size});
    expect_refused(outcome, 5, "E_LIMIT_CELLS", size);
    EXPECT_NE(outcome.err.find("268435456"), std::string::npos) << outcome.err;
    expect_small(outcome);
    const Outcome map = run_drover(
        temp, {"field",
               temp.write("m.map", "type octile\nheight " + std::to_string(sides[1].value<std::int64_t>().value()) +
                                       "\nwidth " + std::to_string(sides[0].value<std::int64_t>().value()) + "\nmap\n"),
               "--goal", "0,0"});
    expect_refused(map, 5, "E_LIMIT_CELLS", size);
    expect_small(map);
  }
  expect_refused(cave({"--size", "99999999999999999999x1"}), 5, "E_LIMIT_CELLS", "268435456");
  if (!long_run()) return;
  EXPECT_EQ(json_value(json({"--size", "65536x4096"}), "width"), "65536");
}

}  // namespace
}  // namespace drover::test
