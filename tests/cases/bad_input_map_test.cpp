// SPDX-License-Identifier: MIT
// Rows of the bad-input list for maps, weights, edits and options: the real program, its status, code and place.
#include <sys/stat.h>

#include "support/data.hpp"
#include "support/program.hpp"

namespace drover::test {
namespace {

std::string map_text(const std::string& rows, int height, int width) {
  return "type octile\nheight " + std::to_string(height) + "\nwidth " + std::to_string(width) + "\nmap\n" + rows;
}

class BadMap : public ::testing::Test {
 protected:
  Outcome field(const std::string& text, const std::string& goal = "0,0", const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"field", temp.write("m.map", text), "--goal", goal, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }
  std::string json(const std::string& text, const std::string& key) {
    const Outcome outcome = field(text, "0,0", {"--json", "-"});
    expect_accepted(outcome);
    return json_value(outcome.out, key);
  }
  TempFolder temp;
};

TEST_F(BadMap, map_empty) {
  expect_refused(field(""), 3, "E_MAP_EMPTY", "m.map");
  expect_refused(field("\xEF\xBB\xBF"), 3, "E_MAP_EMPTY", "m.map");
}

TEST_F(BadMap, map_zero_size) {
  expect_refused(field(map_text("", 0, 4)), 3, "E_MAP_SIZE", "at least 1x1");
  expect_refused(field(map_text("", 3, -1)), 3, "E_MAP_SIZE", "at least 1x1");
}

TEST_F(BadMap, map_one_free_cell) {
  expect_accepted(field(map_text(".", 1, 1), "0,0", {"--dump", temp / "d", "--directions", temp / "w"}));
  EXPECT_EQ(temp.read("d"), "0\n");
  EXPECT_EQ(temp.read("w"), "G\n");
}

TEST_F(BadMap, map_one_wall_cell) { expect_refused(field(map_text("#", 1, 1)), 3, "E_GOAL_BLOCKED", "0,0"); }

TEST_F(BadMap, map_header_4g_cells) {
  const Outcome empty = run_drover(temp, {"--version"});
  const Outcome outcome = field(map_text("..........", 65536, 65536));
  expect_refused(outcome, 5, "E_LIMIT_CELLS", "65536x65536");
  EXPECT_LT(outcome.peak_bytes, empty.peak_bytes + (std::uint64_t{8} << 20));
}

TEST_F(BadMap, map_product_wraps) {
  expect_refused(field(map_text("....", 65537, 65537)), 5, "E_LIMIT_CELLS", "65537x65537");
  expect_refused(field("type octile\nheight 99999999999999999999\nwidth 1\nmap\n.\n"), 5, "E_LIMIT_CELLS", ":2:8");
}

TEST_F(BadMap, limit_is_said_before_memory_is_taken) {
  struct Size {
    const char *width, *height;
  };
  for (const Size& size : {Size{"65536", "65536"}, Size{"4294967295", "2"}, Size{"1", "4294967296"},
                           Size{"2147483648", "2147483648"}, Size{"16384", "16385"}}) {
    const std::string asked = std::string(size.width) + "x" + size.height;
    SCOPED_TRACE(asked);
    const std::string header =
        "type octile\nheight " + std::string(size.height) + "\nwidth " + size.width + "\nmap\n....\n";
    const std::string named = temp.write("big.map", header);
    const std::string scenario = temp.write("s.toml", "[map]\nfile = \"big.map\"\n[[profile]]\nname = \"p\"\n");
    for (const Outcome& outcome : {run_drover(temp, {"field", named, "--goal", "0,0"}),
                                   run_drover(temp, {"run", scenario, "--out", temp / "out"})}) {
      expect_refused(outcome, 5, "E_LIMIT_CELLS", asked);
      EXPECT_NE(outcome.err.find("268435456"), std::string::npos) << "the largest allowed: " << outcome.err;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
      EXPECT_LT(outcome.peak_bytes, std::uint64_t{32} << 20);
#endif
    }
    EXPECT_FALSE(temp.has("out"));
  }
  if (!long_run()) return;  // 4 GB
  std::string largest = "type octile\nheight 16384\nwidth 16384\nmap\n";
  for (int y = 0; y < 16384; ++y) largest += std::string(16384, '.') + "\n";
  const Outcome outcome =
      run_drover(temp, {"field", temp.write("largest.map", largest), "--goal", "0,0", "--json", "-"});
  expect_accepted(outcome);
  EXPECT_EQ(json_value(outcome.out, "reachable"), "268435456");
  EXPECT_EQ(json_value(outcome.out, "max_cost"), std::to_string(16383 * 14));
}

TEST_F(BadMap, map_truncated) {
  const Outcome outcome = field(map_text(".....\n.....\n.....\n.....\n.....\n.....\n.....\n", 10, 5));
  expect_refused(outcome, 3, "E_MAP_TRUNCATED", "10");
  EXPECT_NE(outcome.err.find("7 rows"), std::string::npos);
}

TEST_F(BadMap, map_short_row) {
  const Outcome outcome = field(map_text(".....\n.....\n...\n.....\n", 4, 5));
  expect_refused(outcome, 3, "E_MAP_ROW_LENGTH", "m.map:7:4: row has 3 tiles; header says width 5");
  expect_refused(field(map_text(".....\n.......\n", 2, 5)), 3, "E_MAP_ROW_LENGTH", "m.map:6:6: row has 7");
}

TEST_F(BadMap, map_trailing_text) {
  expect_refused(field(map_text(".....\n.....\n.....\n", 2, 5)), 3, "E_MAP_TRAILING", "m.map:7:1");
  expect_accepted(field(map_text(".....\n.....\n\n \n", 2, 5)));
}

TEST_F(BadMap, map_crlf) {
  const std::string unix_text = map_text("..#\n...\n", 2, 3);
  std::string dos_text;
  for (const char c : unix_text) dos_text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(json(unix_text, "map_digest"), json(dos_text, "map_digest"));
}

TEST_F(BadMap, map_bom) {
  const std::string plain = map_text("..#\n...\n", 2, 3);
  EXPECT_EQ(json(plain, "map_digest"), json("\xEF\xBB\xBF" + plain, "map_digest"));
  expect_refused(field("\xEF\xBB\xBF\xEF\xBB\xBF" + plain), 3, "E_MAP_HEADER", ":1:1");  // skipped once
  expect_refused(field(std::string("\xFF\xFEt\0y\0", 6)), 3, "E_ENCODING", "save as UTF-8");
  expect_refused(field("\xFE\xFF"), 3, "E_ENCODING", "save as UTF-8");
}

TEST_F(BadMap, map_tab_in_row) {
  expect_refused(field(map_text(".....\n..\t..\n", 2, 5)), 3, "E_MAP_TILE", "m.map:6:3: tab at column 3");
  expect_refused(field(map_text(std::string("..\0..\n", 6), 1, 5)), 3, "E_MAP_TILE", "'\\x00' at column 3");
  expect_refused(field(map_text("..\xC3\xA4.\n", 1, 5)), 3, "E_MAP_TILE", "\\xc3");
}

TEST_F(BadMap, map_header_order) {
  const std::string rows = "map\n..#\n...\n";
  EXPECT_EQ(json("type octile\nheight 2\nwidth 3\n" + rows, "map_digest"),
            json("width 3\nheight 2\ntype octile\n" + rows, "map_digest"));
}

TEST_F(BadMap, map_header_twice) {
  expect_refused(field("type octile\nheight 1\nwidth 5\nwidth 5\nmap\n.....\n"), 3, "E_MAP_HEADER", "m.map:4:1: width");
  expect_refused(field("type octile\nheight 1\nwidth 5\n.....\n"), 3, "E_MAP_HEADER", "m.map:4:1");
  expect_refused(field("type octile\nheight 1\nmap\n.....\n"), 3, "E_MAP_HEADER", "width is missing");
  expect_refused(field("type octile\nheight one\nwidth 5\nmap\n"), 3, "E_MAP_HEADER", "m.map:2:8");
  expect_refused(field("type octile\nheight 1\nwidth 5\n"), 3, "E_MAP_HEADER", "ends within the header");
}

TEST_F(BadMap, map_other_type) {
  const Outcome outcome = field("type tile\nheight 1\nwidth 1\nmap\n.\n");
  expect_refused(outcome, 6, "E_VERSION_UNSUPPORTED", "tile");
  EXPECT_NE(outcome.err.find("octile"), std::string::npos);
}

TEST_F(BadMap, map_no_last_newline) { expect_accepted(field(map_text("...\n...", 2, 3))); }

TEST_F(BadMap, map_not_a_file) {
  expect_refused(run_drover(temp, {"field", temp.path().string(), "--goal", "0,0"}), 4, "E_NOT_A_FILE", "folder");
  ASSERT_EQ(::mkfifo((temp / "pipe").c_str(), 0600), 0);
  expect_refused(run_drover(temp, {"field", temp / "pipe", "--goal", "0,0"}), 4, "E_NOT_A_FILE", "named pipe");
  expect_refused(run_drover(temp, {"field", "/dev/zero", "--goal", "0,0"}), 4, "E_NOT_A_FILE", "device");
  expect_refused(run_drover(temp, {"field", temp / "none.map", "--goal", "0,0"}), 4, "E_OPEN", "none.map");
}

TEST_F(BadMap, map_line_of_100_mb) {
  const Outcome empty = run_drover(temp, {"--version"});
  temp.write("m.map", "");
  std::filesystem::resize_file(temp / "m.map", 100 << 20);  // zeros, no line end
  const Outcome outcome = run_drover(temp, {"field", temp / "m.map", "--goal", "0,0"});
  expect_refused(outcome, 5, "E_LIMIT_LINE", "m.map:1:");
  EXPECT_LT(outcome.peak_bytes, empty.peak_bytes + (std::uint64_t{8} << 20));
}

TEST_F(BadMap, option_wrong) {
  const std::string map = temp.write("m.map", map_text("...\n...\n", 2, 3));
  const auto wrong = [&](std::vector<std::string> arguments, const std::string& names) {
    expect_refused(run_drover(temp, arguments), 2, "E_USAGE", names);
  };
  const std::vector<std::string> good{"field", map, "--goal", "0,0"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = good;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  wrong(with({"--frobnicate"}), "--frobnicate");
  wrong(with({"--footprnt", "2"}), "did you mean --footprint");
  wrong(with({"--moves", "5"}), "4 or 8");
  wrong(with({"--corner", "maybe"}), "strict or one_free or none");
  wrong(with({"--costs", "cheap"}), "uniform or tens or octile");
  wrong({"field", map, "--goal", "abc"}, "--goal abc");
  wrong({"field", map, "--goal", "1,2;"}, "--goal");
  wrong({"field", map, "--goal", "1,2@-3"}, "--goal");
  wrong(with({"--footprint", "0"}), "1 .. 8");
  wrong(with({"--footprint", "9"}), "1 .. 8");
  wrong(with({"--threads", "x"}), "--threads");
  wrong(with({"--threads", "0"}), "--threads");
  wrong(with({"--terrain-cost", "S=-1"}), "--terrain-cost");
  wrong(with({"--terrain-cost", "%=1"}), "--terrain-cost");
  wrong(with({"--engine", "bitboard"}), "not supported yet");
  wrong(with({"--update", "mend", "--edits", map}), "--update");
  wrong(with({"--update", "repair"}), "--edits");
  wrong(with({"--would-block", "1"}), "--would-block 1;");
  wrong(with({"--would-block", "1,1;"}), "--would-block");
  wrong(with({"--would-block", "1,1@4"}), "--would-block");
  wrong({"field", map}, "--goal");
  wrong({"field"}, "MAP");
  wrong({}, "command");
  wrong({"serve"}, "not supported yet");
  wrong({"fly"}, "fly");
  wrong({"run"}, "SCENARIO");
  wrong(with({"--moves"}), "--moves");
}

TEST_F(BadMap, would_block_names_goals_and_agents) {
  const std::string text = map_text(".....\n.###.\n.....\n", 3, 5);
  const auto answer = [&](const std::string& cells) {
    return field(text, "0,0;4,2", {"--would-block", cells, "--json", "-"}).out;
  };
  EXPECT_NE(answer("1,0;0,1").find("\"would_block\":{\"goals\":[[0,0]],\"agents\":[]}"), std::string::npos);
  EXPECT_NE(answer("1,0").find("\"would_block\":{\"goals\":[],\"agents\":[]}"), std::string::npos);
  EXPECT_EQ(field(text, "0,0", {"--json", "-"}).out.find("would_block"), std::string::npos);

  std::string scene =
      "[map]\nrows = [\"...#...\", \".......\", \"...#...\"]\n[[profile]]\nname = \"small\"\n"
      "[[goal]]\nname = \"keep\"\ncells = [[6, 2]]\n[[goal]]\nname = \"camp\"\ncells = [[0, 0]]\n";
  const auto add = [&](const std::string& key, const std::string& at, const std::string& goal) {
    scene += "[[agent]]\nkey = " + key + "\nat = " + at + "\nprofile = \"small\"\ngoal = \"" + goal + "\"\n";
  };
  add("7", "[1, 2]", "keep");
  add("3", "[0, 1]", "keep");
  add("5", "[5, 0]", "keep");
  add("9", "[2, 0]", "camp");
  const std::string scenario = temp.write("s.toml", scene);
  const auto of = [&](const std::string& goal, const std::string& cells) {
    const Outcome outcome =
        run_drover(temp, {"field", scenario, "--goal", goal, "--would-block", cells, "--json", "-"});
    expect_accepted(outcome);
    return outcome.out;
  };
  EXPECT_NE(of("keep", "3,1").find("\"goals\":[],\"agents\":[3,7]}"), std::string::npos) << of("keep", "3,1");
  EXPECT_NE(of("keep", "3,1;5,0").find("\"goals\":[[6,2]],\"agents\":[3,5,7]}"), std::string::npos);
  EXPECT_NE(of("camp", "3,1").find("\"goals\":[],\"agents\":[]}"), std::string::npos);
  EXPECT_NE(of("6,2", "3,1").find("\"goals\":[],\"agents\":[3,7,9]}"), std::string::npos);
}

TEST_F(BadMap, would_block_outside) {
  const std::string text = map_text("...\n...\n", 2, 3);
  expect_refused(field(text, "0,0", {"--would-block", "1,1;3,0"}), 3, "E_POSITION", "3,0");
  expect_refused(field(text, "0,0", {"--would-block=-1,0"}), 3, "E_POSITION", "-1,0");
  expect_refused(field(text, "0,0", {"--would-block", "1,1,1"}), 3, "E_POSITION", "1,1,1");
}

TEST_F(BadMap, option_values_may_follow_an_equals_sign_and_begin_with_a_minus) {
  const std::string text = map_text("...\n...\n", 2, 3);
  expect_accepted(field(text, "0,0", {"--moves=4"}));
  expect_refused(field(text, "-1,0"), 3, "E_GOAL_OUTSIDE", "-1,0");
  expect_refused(run_drover(temp, {"field", temp / "m.map", "--goal=-1,0"}), 3, "E_GOAL_OUTSIDE", "-1,0");
}

TEST_F(BadMap, weights_wrong) {
  const std::string text = map_text("...\n...\n", 2, 3);
  const auto weights = [&](const std::string& rows) {
    return field(text, "0,0", {"--weights", temp.write("w", rows)});
  };
  expect_accepted(weights("1 2 3\n4 0 1048576\n"));
  expect_refused(weights("1 2 3\n4 -2 6\n"), 3, "E_COST_NEGATIVE", "w:2:3");
  expect_refused(weights("1 nan 3\n4 5 6\n"), 3, "E_NUMBER", "w:1:3");
  expect_refused(weights("1 2 3\n4 5 1.5\n"), 3, "E_NUMBER", "w:2:5");
  expect_refused(weights("1 2 3\n4 5 1048577\n"), 3, "E_COST_RANGE", "w:2:5");
  expect_refused(weights("1 2 3\n4 5\n"), 3, "E_WEIGHTS_SIZE", "w:2:4");
  expect_refused(weights("1 2 3\n4 5 6 7\n"), 3, "E_WEIGHTS_SIZE", "w:2:7");
  expect_refused(weights("1 2 3\n"), 3, "E_WEIGHTS_SIZE", "w:1:1");
  expect_refused(weights("1 2 3\n4 5 6\n7 8 9\n"), 3, "E_WEIGHTS_SIZE", "w:3:1");
}

TEST_F(BadMap, edits_wrong) {
  const std::string text = map_text("...\n...\n...\n", 3, 3);
  for (const char* const update : {"rebuild", "repair"}) {
    const auto edits = [&](const std::string& lines) {
      return field(text, "0,0", {"--edits", temp.write("e", lines), "--update", update, "--dump", temp / update});
    };
    expect_refused(edits("1,1,#\n9,9,#\n"), 3, "E_EDIT_OUTSIDE", "e:2:1");
    expect_refused(edits("1,x,#\n"), 3, "E_EDIT", "e:1:3");
    expect_refused(edits("\n1,1,Q\n"), 3, "E_MAP_TILE", "e:2:5");
    expect_refused(edits("0,0,#\n"), 3, "E_GOAL_BLOCKED", "0,0");
    EXPECT_FALSE(temp.has(update));
    expect_accepted(edits("1,0,#\r\n1,1,#\r\n"));
    EXPECT_EQ(temp.read(update), "0 # 60\n10 # 50\n20 30 40\n");
  }
}

TEST_F(BadMap, body_bigger_than_map_and_body_that_fits_nowhere) {
  expect_refused(field(map_text("....\n....\n....\n", 3, 4), "0,0", {"--footprint", "5"}), 3, "E_FOOTPRINT", "5");
  const Outcome outcome = field(map_text("..#..\n..#..\n##.##\n..#..\n..#..\n", 5, 5), "0,0", {"--footprint", "3"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.err.rfind("drover: warning W_NO_ROOM: ", 0), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find("drover: error E_GOAL_BLOCKED: "), std::string::npos) << outcome.err;
}

TEST_F(BadMap, goals_that_are_bad_are_named_in_order) {
  const Outcome outcome = field(map_text("....\n.#.?\n....\n", 3, 4), "0,0;1,1;3,1;9,9;-1,0");
  EXPECT_EQ(outcome.status, 3);
  std::size_t last = 0;
  for (const std::string part : {"1,1 goal_blocked", "3,1 goal_unknown", "9,9 goal_outside", "-1,0 goal_outside"}) {
    const std::size_t at = outcome.err.find(part);
    ASSERT_NE(at, std::string::npos) << part << " in " << outcome.err;
    EXPECT_GT(at, last);
    last = at;
  }
  EXPECT_EQ(outcome.err.find("0,0 goal"), std::string::npos) << outcome.err;
}

TEST_F(BadMap, goal_in_wall_with_nearest_says_where_it_went) {
  const std::string text = map_text(".......\n.######\n.....##\n.######\n.......\n", 5, 7);
  const Outcome outcome = field(text, "5,2", {"--nearest", "--json", "-", "--dump", temp / "d"});
  expect_accepted(outcome);
  EXPECT_NE(outcome.out.find(R"({"cell":[5,2],"status":"goal_blocked","placed":[4,2],"rank":"counts"})"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(temp.read("d").substr(0, 3), "60 ");
}

}  // namespace
}  // namespace drover::test
