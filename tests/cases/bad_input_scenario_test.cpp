// SPDX-License-Identifier: MIT
// Rows of the bad-input list for scenarios and .gate files: the real program, its status, code and place.
#include "support/program.hpp"

namespace drover::test {
namespace {

// A sound scenario in parts; a test replaces one of them.
struct Parts {
  std::string map = "[map]\nrows = [\n\"..........\",\n\"....##....\",\n\"..........\",\n]\n";
  std::string terrain;
  std::string profile = "[[profile]]\nname = \"giant\"\n";
  std::string goal = "[[goal]]\nname = \"gate\"\ncells = [[9, 1]]\n";
  std::string group = "[[group]]\nname = \"g\"\nprofile = \"giant\"\ngoal = \"gate\"\ncells = [[0, 0]]\n";
  std::string rest;

  std::string text() const { return map + terrain + profile + goal + group + rest; }
};

std::string open_rows(int width, int height) {
  std::string rows = "[map]\nrows = [\n";
  for (int y = 0; y < height; ++y) rows += "\"" + std::string(static_cast<std::size_t>(width), '.') + "\",\n";
  return rows + "]\n";
}

// The numbers of the first list after a key, whatever the layout.
std::string json_numbers(const std::string& json, const std::string& key) {
  const std::size_t begin = json.find('[', json.find("\"" + key + "\""));
  std::string numbers;
  for (std::size_t i = begin + 1; begin != std::string::npos && i < json.find(']', begin); ++i) {
    if (json[i] != ' ' && json[i] != '\n') numbers += json[i];
  }
  return numbers;
}

class BadScenario : public ::testing::Test {
 protected:
  Outcome run(const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", temp.write("s.toml", text), "--out", temp / "out", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  }
  Outcome run(const Parts& parts, const std::vector<std::string>& more = {}) { return run(parts.text(), more); }
  void refused(const Parts& parts, int status, const std::string& code, const std::string& place) {
    expect_refused(run(parts), status, code, place);
    EXPECT_FALSE(temp.has("out")) << "nothing is begun";
  }
  std::string report(const std::string& key) { return json_value(temp.read("out/report.json"), key); }
  TempFolder temp;
};

TEST_F(BadScenario, the_sound_one_is_accepted) {
  expect_accepted(run(Parts{}));
  EXPECT_EQ(report("arrived"), "1");
  EXPECT_EQ(report("violations"), "0");
}

TEST_F(BadScenario, cost_negative) {
  Parts p;
  p.terrain = "[[terrain]]\nname = \"mud\"\nletter = \"M\"\ncost = -1\n";
  refused(p, 3, "E_COST_NEGATIVE", "s.toml:10:8");
  Parts q;
  q.profile += "terrain = {swamp = -3}\n";
  refused(q, 3, "E_COST_NEGATIVE", "s.toml:9:20");
}

TEST_F(BadScenario, cost_not_a_number) {
  for (const std::string value : {"nan", "inf", "1e400", "-0", "1.5"}) {
    Parts p;
    p.terrain = "[[terrain]]\nname = \"mud\"\nletter = \"M\"\ncost = " + value + "\n";
    SCOPED_TRACE(value);
    refused(p, 3, "E_NUMBER", "s.toml:10:8");
  }
}

TEST_F(BadScenario, cost_range) {
  Parts p;
  p.terrain = "[[terrain]]\nname = \"mud\"\nletter = \"M\"\ncost = 1048577\n";
  refused(p, 3, "E_COST_RANGE", "s.toml:10:8: cost = 1048577; 0 .. 1048576");
}

TEST_F(BadScenario, cost_zero_and_cost_zero_ring) {
  Parts p;
  p.map = "[map]\nrows = [\"ZZZ.\", \"Z#Z.\", \"ZZZ.\"]\n";
  p.terrain = "[[terrain]]\nname = \"ice\"\nletter = \"Z\"\ncost = 0\n";
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[3, 2]]\non_arrival = \"vanish\"\n";
  p.group =
      "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\ncells = [[0, 0], [1, 0], [2, 0], [0, 1], [2, 1], [0, 2], [1, "
      "2], [2, 2]]\n";
  expect_accepted(run(p, {"--require-arrival"}));
  EXPECT_EQ(report("arrived"), "8");
}

TEST_F(BadScenario, key_unknown) {
  Parts p;
  p.map += "hieghts = \"x\"\n";
  const Outcome outcome = run(p);
  expect_refused(outcome, 3, "E_KEY_UNKNOWN", "s.toml:7:1");
  EXPECT_NE(outcome.err.find("did you mean heights?"), std::string::npos);
  Parts q;
  q.rest = "[polcy]\nstep = \"unit\"\n";
  refused(q, 3, "E_KEY_UNKNOWN", "did you mean policy?");
  Parts r;
  r.group += "colour = \"red\"\n";
  refused(r, 3, "E_KEY_UNKNOWN", "known keys are");
}

TEST_F(BadScenario, one_way_trap) {
  Parts p;
  p.profile += "moves = 4\n";
  for (const char* y : {"0", "1", "2"}) p.rest += std::string("[[one_way]]\nat = [1, ") + y + "]\nforbid = [\"E\"]\n";
  expect_accepted(run(p));
  EXPECT_EQ(report("arrived"), "0");
  EXPECT_EQ(report("violations"), "0");
  const Outcome field =
      run_drover(temp, {"field", temp / "s.toml", "--directions", temp / "d.txt", "--json", temp / "f.json"});
  expect_accepted(field);
  EXPECT_EQ(json_value(temp.read("f.json"), "unreachable"), "6");
  EXPECT_EQ(json_value(temp.read("f.json"), "engine"), "\"directed\"");
  EXPECT_EQ(temp.read("d.txt").substr(0, 8), "x x E E ");
}

TEST_F(BadScenario, edges_are_checked_where_they_stand) {
  const auto wrong = [&](const std::string& rest, const std::string& code, const std::string& what) {
    Parts p;
    p.rest = rest;
    SCOPED_TRACE(rest);
    refused(p, 3, code, what);
  };
  wrong("[[one_way]]\nat = [10, 0]\nforbid = [\"E\"]\n", "E_EDIT_OUTSIDE", "s.toml:18:6");
  wrong("[[one_way]]\nat = [1, 0]\nforbid = [\"UP\"]\n", "E_VALUE", "s.toml:19:11");
  wrong("[[edge]]\nat = [1, 0]\ndirection = \"E\"\nextra = -6\n", "E_COST_NEGATIVE", "s.toml:20:9");
  wrong("[[edge]]\nat = [1, 0]\ndirection = \"E\"\nextra = 1073741825\n", "E_COST_RANGE", "s.toml:20:9");
  const std::string edge = "[[edge]]\nat = [1, 0]\ndirection = \"E\"\nextra = 6\n";
  wrong(edge + edge, "E_VALUE", "second [[edge]]");
  wrong("[[portal]]\nfrom = [1, 0]\nto = [1, 0, 1]\ncost = 6\n", "E_EDIT_OUTSIDE", "s.toml:19:6");
  wrong("[[portal]]\nfrom = [1, 0]\nto = [1, 1]\n", "E_KEY_MISSING", "cost");
  wrong("[[door]]\nname = \"d\"\nedges = [[0, 0]]\n", "E_VALUE", "[x, y, \"E\"]");
  wrong("[[door]]\nname = \"d\"\nedges = [[0, 9, \"E\"]]\n", "E_EDIT_OUTSIDE", "0,9");
  wrong("[[door]]\nname = \"d\"\ncells = [[5, 0]]\nstate = -5\n", "E_COST_NEGATIVE", "s.toml:20:9");
}

TEST_F(BadScenario, key_of_a_later_version_is_refused_by_name) {
  const auto later = [&](const std::string& map, const std::string& profile, const std::string& rest,
                         const std::string& what) {
    Parts p;
    p.map += map;
    p.profile += profile;
    p.rest = rest;
    SCOPED_TRACE(what);
    const Outcome outcome = run(p);
    expect_refused(outcome, 3, "E_KEY_UNSUPPORTED", what);
    EXPECT_NE(outcome.err.find("not supported yet"), std::string::npos);
  };
  later("", "turn_cost = [1, 2, 3, 4]\n", "", "turn_cost");
  later("", "", "[[chaser]]\nprofile = \"giant\"\n", "chaser");
  later("", "", "[policy]\nguidance = \"priced\"\n", "priced");
  later("", "", "[policy]\nrefusals_before_replan = 9\n", "refusals_before_replan");  // without on_stale = "replan"
  later("", "", "[policy]\nhorizon_ticks = 8\n", "horizon_ticks");
  later("", "", "[policy]\ntime_horizon_ticks = 8\n", "time_horizon_ticks");
}

TEST_F(BadScenario, key_twice_and_broken_toml) {
  Parts p;
  p.map += "rows = []\n";
  refused(p, 3, "E_KEY_TWICE", "s.toml:7:");
  Parts q;
  q.rest = "[map]\n";
  refused(q, 3, "E_KEY_TWICE", "s.toml:17:");
  Parts r;
  r.rest = "[run\nticks = 3\n";
  refused(r, 3, "E_TOML", "s.toml:17:");
  expect_refused(run(std::string("a = \"\xff\"\n")), 3, "E_ENCODING", "s.toml:1:");
}

TEST_F(BadScenario, key_of_too_many_parts) {
  const auto dotted = [](int parts, const std::string& part) {
    std::string key = part;
    for (int i = 1; i < parts; ++i) key += "." + part;
    return key;
  };
  for (const std::string part : {"a", "\"a\"", "'a.\"' "}) {
    Parts p;
    p.rest = dotted(50000, part) + " = 1\n";
    SCOPED_TRACE(part);
    refused(p, 3, "E_TOML", "s.toml:17:");
    p.rest = "[" + dotted(50000, part) + "]\n";
    refused(p, 3, "E_TOML", "s.toml:17:");
    p.rest = "x = {" + dotted(17, part) + " = 1}\n";
    refused(p, 3, "E_TOML", "16 dotted parts");
    p.rest = "[" + dotted(16, part) + "]\n";
    refused(p, 3, "E_KEY_UNKNOWN", "unknown key a");
  }
  // As deep as keys and values nested in each other go.
  Parts deep;
  deep.rest = "x = ";
  for (int i = 0; i < 250; ++i) deep.rest += "{" + dotted(16, "a") + " = ";
  deep.rest += "1" + std::string(250, '}') + "\n";
  refused(deep, 3, "E_KEY_UNKNOWN", "unknown key x");
  // Dots that part no key.
  const std::string dots(50000, '.');
  Parts fine;
  fine.rest = "# " + dots + "\n[policy] # \"" + dots + "\n";
  expect_accepted(run(fine));
  for (const std::string quote : {"\"", "'", "\"\"\"", "'''"}) {
    SCOPED_TRACE(quote);
    fine.profile = "[[profile]]\nname = " + quote + "giant" + quote + "\n";
    fine.goal = "[[goal]]\nname = " + quote + dots + quote + "\ncells = [[9, 1]]\n";
    fine.group = "";
    expect_accepted(run(fine));
  }
}

TEST_F(BadScenario, a_value_behind_a_long_list_is_named_at_its_place) {
  Parts p;
  std::string zeros;
  for (int i = 0; i < 1000000; ++i) zeros += "[0,0],";
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [" + zeros.substr(0, 999999 * 6) + "[0,-0]]\n";
  refused(p, 3, "E_NUMBER", "s.toml:11:" + std::to_string(10 + 999999 * 6 + 3));
  // Every cell is looked at: the last one is refused.
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [" + zeros.substr(0, 999999 * 6) + "[4,1]]\n";
  refused(p, 3, "E_GOAL_BLOCKED", "s.toml:11:" + std::to_string(10 + 999999 * 6));
}

TEST_F(BadScenario, name_twice) {
  Parts p;
  p.profile += p.profile;
  refused(p, 3, "E_NAME_TWICE", "s.toml:10:8");
  Parts q;
  q.goal += q.goal;
  refused(q, 3, "E_NAME_TWICE", "gate");
  Parts r;
  r.rest =
      "[[agent]]\nkey = 1\nat = [5, 0]\nprofile = \"giant\"\ngoal = \"gate\"\n[[agent]]\nkey = 1\nat = [6, 0]\nprofile "
      "= \"giant\"\ngoal = \"gate\"\n";
  refused(r, 3, "E_NAME_TWICE", "key 1");
}

TEST_F(BadScenario, profile_missing) {
  Parts p;
  p.group = "[[group]]\nprofile = \"gaint\"\ngoal = \"gate\"\ncells = [[0, 0]]\n";
  const Outcome outcome = run(p);
  expect_refused(outcome, 3, "E_PROFILE_UNKNOWN", "s.toml:13:11");
  EXPECT_NE(outcome.err.find("known are giant"), std::string::npos) << outcome.err;
  Parts q;
  q.group = "[[group]]\nprofile = \"giant\"\ngoal = \"gaet\"\ncells = [[0, 0]]\n";
  refused(q, 3, "E_NAME_UNKNOWN", "did you mean gate?");
  Parts r;
  r.group = "[[group]]\ngoal = \"gate\"\ncells = [[0, 0]]\n";
  refused(r, 3, "E_KEY_MISSING", "profile");
}

TEST_F(BadScenario, faction_unknown_or_too_many) {
  Parts p;
  p.profile += "faction = \"blue\"\n[[profile]]\nname = \"other\"\nfaction = \"red\"\n";
  p.rest = "[[edit]]\ntick = 0\nfaction = \"blau\"\ncells = [[1, 0, \"?\"]]\n";
  const Outcome outcome = run(p);
  expect_refused(outcome, 3, "E_NAME_UNKNOWN", "s.toml:23:11");
  EXPECT_NE(outcome.err.find("unknown faction blau; did you mean blue? known are all, blue, red"), std::string::npos)
      << outcome.err;
  Parts none;
  none.profile += "faction = \"\"\n";
  refused(none, 3, "E_VALUE", "s.toml:9:11");
  Parts many;
  for (int i = 0; i < 9; ++i)
    many.profile += "[[profile]]\nname = \"p" + std::to_string(i) + "\"\nfaction = \"f" + std::to_string(i) + "\"\n";
  const Outcome ninth = run(many);
  expect_refused(ninth, 5, "E_LIMIT_FACTIONS", "s.toml:35:11");
  EXPECT_NE(ninth.err.find("faction f8 beside 8 others; the limit is 8"), std::string::npos) << ninth.err;
}

TEST_F(BadScenario, goal_or_start_hidden_from_its_faction) {
  const std::string hidden = "[[edit]]\ntick = 0\nfaction = \"blue\"\ncells = [[9, 1, \"?\"]]\n";
  Parts p;
  p.profile += "faction = \"blue\"\n";
  p.rest = hidden;
  const Outcome outcome = run(p);
  expect_refused(outcome, 3, "E_GOAL_UNKNOWN", "s.toml:12:10");
  EXPECT_NE(outcome.err.find("unknown for profile giant"), std::string::npos) << outcome.err;
  Parts q = p;
  q.rest = "[[edit]]\ntick = 0\nfaction = \"blue\"\ncells = [[0, 0, \"?\"]]\n";
  refused(q, 3, "E_START_BLOCKED", "the cell is unknown");
  Parts others;
  others.profile += "[[profile]]\nname = \"other\"\nfaction = \"blue\"\n";
  others.rest = hidden;
  expect_accepted(run(others));
  EXPECT_EQ(report("arrived"), "1");
}

TEST_F(BadScenario, goal_in_wall) {
  Parts p;
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[9, 1], [4, 1]]\n";
  refused(p, 3, "E_GOAL_BLOCKED", "s.toml:11:18: goal gate at 4,1");
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[9, 1], [4, 1], [12, 3], [-1, 0]]\n";
  refused(p, 3, "E_GOAL_BLOCKED",
          "s.toml:11:18: goal gate for profile giant: 4,1 goal_blocked; 12,3 goal_outside; -1,0 goal_outside; the map "
          "is 10x3");
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[4, 1]]\nnearest = true\n";
  expect_accepted(run(p, {"--require-arrival"}));
  const std::string json = temp.read("out/report.json");
  const std::string moved = json.substr(json.find("\"moved_goals\""));
  EXPECT_EQ(json_numbers(moved, "asked"), "4,1");
  EXPECT_EQ(json_numbers(moved, "placed"), "4,0") << "(0,-1) and (-1,0) are as near; the least cell index counts";
  EXPECT_EQ(json_value(json, "goal"), "\"gate\"");
}

TEST_F(BadScenario, goal_outside) {
  for (const std::string cell : {"[12, 3]", "[-1, 0]"}) {
    Parts p;
    p.goal = "[[goal]]\nname = \"gate\"\ncells = [" + cell + "]\n";
    SCOPED_TRACE(cell);
    refused(p, 3, "E_GOAL_OUTSIDE", "the map is 10x3");
  }
}

TEST_F(BadScenario, goal_list_empty) {
  Parts p;
  p.goal = "[[goal]]\nname = \"gate\"\ncells = []\n";
  refused(p, 3, "E_GOAL_NONE", "s.toml:11:9");
  std::string many = "[[goal]]\nname = \"gate\"\ncells = [";
  for (int i = 0; i <= 1000000; ++i) many += "[0,0],";
  p.goal = many + "]\n";
  refused(p, 5, "E_LIMIT_GOALS", "1000001");
  p.goal = "[[goal]]\nname = \"gate\"\ncells = {rect = [0, 0, 2000000000, 2000000000]}\n";
  refused(p, 5, "E_LIMIT_GOALS", "s.toml:11:9");
}

TEST_F(BadScenario, start_outside_or_wall) {
  Parts p;
  p.group = "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\ncells = [[10, 0]]\n";
  refused(p, 3, "E_START_OUTSIDE", "s.toml:15:10: agent 1 starts at 10,0");
  p.group = "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\ncells = [[0, 0], [4, 1]]\n";
  refused(p, 3, "E_START_BLOCKED", "s.toml:15:18: agent 2 starts at 4,1");
  p.group = "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\ncells = [[0, 0], [0, 0]]\n";
  refused(p, 3, "E_START_CONFLICT", "0,0");
}

TEST_F(BadScenario, body_bigger_than_map) {
  Parts p;
  p.map = open_rows(4, 9);
  p.profile += "footprint = 5\n";
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[0, 0]]\n";
  refused(p, 3, "E_FOOTPRINT", "s.toml:");
}

TEST_F(BadScenario, body_fits_nowhere) {
  Parts p;
  p.map = "[map]\nrows = [\"..#..\", \"..#..\", \"##.##\", \"..#..\", \"..#..\"]\n";
  p.profile += "[[profile]]\nname = \"huge\"\nfootprint = 3\n";
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[0, 0]]\n";
  p.group = "";
  const Outcome loads = run(p);
  EXPECT_EQ(loads.status, 0);
  EXPECT_EQ(loads.err.rfind("drover: warning W_NO_ROOM: ", 0), 0u) << loads.err;
  p.group = "[[group]]\nprofile = \"huge\"\ngoal = \"gate\"\ncells = [[0, 0]]\n";
  EXPECT_EQ(run(p).status, 3);
  EXPECT_NE(run(p).err.find("E_GOAL_BLOCKED"), std::string::npos);
  p.goal += "nearest = true\n";
  EXPECT_EQ(run(p).status, 3);
  EXPECT_NE(run(p).err.find("E_START_BLOCKED"), std::string::npos) << run(p).err;
}

TEST_F(BadScenario, body_size_senseless) {
  for (const std::string size : {"footprint = 0", "footprint = -2", "footprint = 9", "footprint = 1000000000",
                                 "radius = \"0\"", "radius = \"0.6\"", "radius = 0.6", "radius = \"-0.1\""}) {
    Parts p;
    p.profile += size + "\n";
    SCOPED_TRACE(size);
    refused(p, 3, "E_FOOTPRINT", "s.toml:9:");
  }
}

TEST_F(BadScenario, speed_senseless) {
  for (const std::string speed : {"0", "1.5", "-1"}) {
    Parts p;
    p.profile += "speed = \"" + speed + "\"\n";
    p.rest = "[policy]\nstep = \"ground_speed\"\n";
    SCOPED_TRACE(speed);
    refused(p, 3, "E_SPEED", "s.toml:9:9");
  }
  Parts p;
  p.profile += "speed = \"0.5\"\n";
  p.rest = "[policy]\nstep = \"unit\"\n";
  const Outcome outcome = run(p);
  expect_refused(outcome, 3, "E_SPEED", "step");
  EXPECT_NE(outcome.err.find("speed"), std::string::npos);
  Parts portal;
  portal.rest = "[[portal]]\nfrom = [0, 0]\nto = [1, 1]\ncost = 5\nticks = 3\n";
  const Outcome lasting = run(portal);
  expect_refused(lasting, 3, "E_SPEED", "step");
  EXPECT_NE(lasting.err.find("ticks"), std::string::npos);
}

TEST_F(BadScenario, goal_cut_off_for_some) {
  Parts p;
  p.map = "[map]\nrows = [\".....#....\", \".....#....\"]\n";
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[0, 0]]\non_arrival = \"vanish\"\n";
  p.group =
      "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\n"
      "cells = [[1, 0], [2, 0], [3, 0], [4, 0], [1, 1], [2, 1], [3, 1], [6, 0], [7, 0], [8, 1]]\n";
  expect_accepted(run(p));
  EXPECT_EQ(report("unreachable"), "3");
  EXPECT_EQ(report("arrived"), "7");
  expect_refused(run(p, {"--require-arrival"}), 1, "E_NOT_ARRIVED", "7 of 10");
}

TEST_F(BadScenario, goal_for_small_only) {
  Parts p;
  p.map = "[map]\nrows = [\".....#....\", \"..........\", \".....#....\"]\n";
  p.profile = "[[profile]]\nname = \"small\"\n[[profile]]\nname = \"big\"\nfootprint = 2\n";
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[8, 1]]\non_arrival = \"vanish\"\n";
  p.group =
      "[[group]]\nprofile = \"small\"\ngoal = \"gate\"\ncells = [[0, 0]]\n[[group]]\nprofile = \"big\"\ngoal = "
      "\"gate\"\ncells = [[2, 1]]\n";
  expect_accepted(run(p));
  EXPECT_EQ(report("arrived"), "1");
  EXPECT_EQ(report("unreachable"), "1");
}

TEST_F(BadScenario, horizon_senseless) {
  Parts p;
  p.rest = "[policy]\nhorizon_ticks = -1\n";
  refused(p, 3, "E_HORIZON", "s.toml:18:17");
  p.rest = "[policy]\nhorizon_ticks = 100000000\n";
  refused(p, 3, "E_HORIZON", "s.toml:18:17");
  p.rest = "[policy]\nhorizon_ticks = 0\n";
  expect_accepted(run(p));
}

TEST_F(BadScenario, tick_rate_senseless) {
  for (const std::string rate : {"0", "nan"}) {
    Parts p;
    p.rest = "[run]\ntick_rate = " + rate + "\n";
    SCOPED_TRACE(rate);
    refused(p, 3, "E_TICK", "s.toml:18:13");
  }
  Parts p;
  p.rest = "[run]\nticks = -1\n";
  refused(p, 3, "E_TICK", "s.toml:18:9");
  p.rest = "[run]\nticks = 0\n";
  expect_accepted(run(p, {"--trace", temp / "t"}));
  EXPECT_EQ(report("ticks"), "0");
  EXPECT_EQ(temp.read("t"), "tick,agent,x,y,layer,state\n0,1,0,0,0,waiting\n");
}

TEST_F(BadScenario, seed_forms) {
  const auto digest = [&](const std::string& seed) {
    Parts p;
    p.group = "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\ncount = 5\n";
    p.rest = "[run]\nseed = " + seed + "\n";
    SCOPED_TRACE(seed);
    expect_accepted(run(p));
    return report("digest");
  };
  const std::string largest = digest("18446744073709551615");
  EXPECT_EQ(largest, digest("0xFFFFFFFFFFFFFFFF"));
  EXPECT_EQ(largest, digest("\"18446744073709551615\""));
  EXPECT_NE(largest, digest("\"1\""));
  for (const std::string seed : {"-1", "18446744073709551616", "abc", "\"abc\"", "\"-1\"", "\"\"", "1.5"}) {
    Parts p;
    p.rest = "[run]\nseed = " + seed + "\n";
    SCOPED_TRACE(seed);
    std::filesystem::remove_all(temp / "out");
    refused(p, 3, "E_SEED", "s.toml:18:8");
    if (seed[0] != '"') expect_refused(run(Parts{}, {"--seed", seed}), 2, "E_SEED", "--seed " + seed);
  }
  expect_accepted(run(Parts{}, {"--seed", "0xFFFFFFFFFFFFFFFF"}));
}

TEST_F(BadScenario, agents_none) {
  Parts p;
  p.group = "";
  expect_accepted(run(p, {"--require-arrival"}));
  EXPECT_EQ(report("agents"), "0");
  EXPECT_EQ(report("makespan_ticks"), "null");
  expect_accepted(run(std::string("[map]\nrows = [\"..\"]\n")));
}

TEST_F(BadScenario, agents_too_many) {
  Parts p;
  p.map = open_rows(1000, 1000);
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[9, 1]]\n";
  p.group = "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\ncount = 10000000\n";
  refused(p, 5, "E_LIMIT_AGENTS", "at most 1000000");
  // 2 x 2 bodies on 4 x 4 cells: nine placements, but never five bodies beside each other.
  p.map = open_rows(4, 4);
  p.profile += "footprint = 2\n";
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[0, 0]]\n";
  p.group = "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\ncount = 5\n";
  refused(p, 3, "E_START_CONFLICT", "count = 5");
}

TEST_F(BadScenario, goal_changes_every_tick) {
  Parts p;
  p.goal += "[[goal]]\nname = \"other\"\ncells = [[0, 2]]\n";
  for (int tick = 1; tick <= 1000; ++tick) {
    for (const std::string goal : {"gate", "other"}) {
      p.rest += "[[retarget]]\ntick = " + std::to_string(tick) + "\ngroup = \"g\"\ngoal = \"" + goal + "\"\n";
    }
  }
  expect_accepted(run(p, {"--trace", temp / "t"}));
  EXPECT_EQ(report("coalesced_goal_changes"), "1000");
  EXPECT_EQ(report("agents"), "1");
  EXPECT_EQ(report("arrived"), "1");
  const std::string trace = temp.read("t");
  EXPECT_NE(trace.find("\n1000,1,0,2,0,arrived\n"), std::string::npos) << "the last goal won: " << trace.substr(0, 500);
}

TEST_F(BadScenario, door_on_an_agent) {
  Parts p;
  p.map = "[map]\nrows = [\"#########\", \".........\", \"#########\"]\n";
  p.goal = "[[goal]]\nname = \"gate\"\ncells = [[8, 1]]\n";
  p.group = "[[group]]\nprofile = \"giant\"\ngoal = \"gate\"\ncells = [[0, 1]]\n";
  p.rest = "[[door]]\nname = \"d\"\ncells = [[3, 1]]\nschedule = [[4, \"close\"]]\n[run]\nticks = 40\n";
  expect_accepted(run(p, {"--trace", temp / "t"}));
  EXPECT_EQ(report("enclosed"), "1");
  EXPECT_EQ(report("violations"), "0");
  EXPECT_NE(temp.read("t").find("\n4,1,3,1,0,enclosed\n"), std::string::npos) << temp.read("t");
}

TEST_F(BadScenario, path_outside) {
  temp.write("secret.map", "type octile\nheight 1\nwidth 3\nmap\n...\n");
  const std::string rest = "[[profile]]\nname = \"p\"\n";
  const auto from = [&](const std::string& file, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", temp.write("deep/s.toml", "[map]\nfile = \"" + file + "\"\n" + rest),
                                       "--out", temp / "out", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  };
  expect_refused(from("../secret.map"), 3, "E_PATH_OUTSIDE", "s.toml:2:8");
  expect_refused(from("x/../../secret.map"), 3, "E_PATH_OUTSIDE", "s.toml:2:8");
  expect_refused(from(temp / "secret.map"), 3, "E_PATH_OUTSIDE", "s.toml:2:8");
  std::filesystem::create_symlink(temp / "secret.map", temp / "deep/link.map");
  expect_refused(from("link.map"), 3, "E_PATH_OUTSIDE", "s.toml:2:8");
  expect_accepted(from("../secret.map", {"--allow-outside"}));
  temp.write("deep/maps/own.map", "type octile\nheight 1\nwidth 3\nmap\n...\n");
  expect_accepted(from("maps/own.map"));
  expect_refused(from("none.map"), 4, "E_OPEN", "none.map");
  // Named from where the scenario lies.
  const std::string here = temp / "deep";
  from("maps/own.map");
  expect_accepted(run_drover(temp, {"run", "s.toml", "--quiet"}, {.folder = here}));
  EXPECT_TRUE(temp.has("deep/out/s/report.json"));
  from("none.map");
  expect_refused(run_drover(temp, {"run", "s.toml", "--quiet"}, {.folder = here}), 4, "E_OPEN", "none.map");
  from("../secret.map");
  expect_refused(run_drover(temp, {"run", "s.toml", "--quiet"}, {.folder = here}), 3, "E_PATH_OUTSIDE", "s.toml:2:8");
}

TEST_F(BadScenario, edits_doors_and_rows_name_their_place) {
  Parts p;
  p.rest = "[[edit]]\ntick = 3\ncells = [[1, 1, \"#\"], [10, 0, \"#\"]]\n";
  refused(p, 3, "E_EDIT_OUTSIDE", "s.toml:19:23");
  p.rest = "[[edit]]\ntick = 3\ncells = [[1, 1, \"Q\"]]\n";
  refused(p, 3, "E_MAP_TILE", "s.toml:19:17");
  p.rest = "[[edit]]\ncells = [[1, 1, \"#\"]]\n";
  refused(p, 3, "E_KEY_MISSING", "tick");
  p.rest = "[[door]]\nname = \"d\"\ncells = [[9, 3]]\n";
  refused(p, 3, "E_EDIT_OUTSIDE", "s.toml:19:10");
  p.rest = "[[door]]\nname = \"d\"\ncells = [[5, 0]]\nschedule = [[4, \"shut\"]]\n";
  refused(p, 3, "E_VALUE", "open or close");
  p.rest = "[[retarget]]\ntick = 3\nagent = 7\ngoal = \"gate\"\n";
  refused(p, 3, "E_NAME_UNKNOWN", "s.toml:19:9: agent 7");
  Parts rows;
  rows.map = "[map]\nrows = [\"....\",\n  \"..x.\"]\n";
  refused(rows, 3, "E_MAP_TILE", "s.toml:3:6");
  rows.map = "[map]\nrows = [\"....\",\n  \"...\"]\n";
  refused(rows, 3, "E_MAP_ROW_LENGTH", "s.toml:3:7");
  rows.map = "[map]\nrows = []\n";
  refused(rows, 3, "E_MAP_EMPTY", "s.toml:2:8");
  rows.map = "[map]\n";
  refused(rows, 3, "E_KEY_MISSING", "exactly one of file, rows, layers");
}

TEST_F(BadScenario, obstacles) {
  Parts p;
  p.rest = "[[obstacle]]\nshape = \"circle\"\ncentre = [\"2.5\", \"0.5\"]\nradius = 0\n";
  refused(p, 3, "E_OBSTACLE", "s.toml:17:1: radius of a circle");
  p.rest = "[[obstacle]]\nshape = \"circle\"\ncentre = [\"9.5\", \"1.5\"]\nradius = 1\n";
  refused(p, 3, "E_GOAL_BLOCKED", "9,1");
  p.rest = "[[obstacle]]\nshape = \"circle\"\ncentre = [\"0.5\", \"0.5\"]\nradius = 1\n";
  refused(p, 3, "E_START_BLOCKED", "0,0");
  const std::string moving =
      "[[obstacle]]\nshape = \"circle\"\nradius = \"0.25\"\npath = [[0, 4, 9], [999999, 5, 9]]\n";
  p.rest = moving;
  refused(p, 3, "E_VALUE", "s.toml:20:8: path of an obstacle without on_stale = \"keep_if_legal\"");
  p.rest = moving + "[policy]\non_stale = \"keep_if_legal\"\n";
  refused(p, 5, "E_LIMIT_OBSTACLES", "999999 ticks");
  p.rest = "[[obstacle]]\nshape = \"circle\"\ncentre = [\"4\", \"0.5\"]\nradius = \"0.25\"\n";
  expect_accepted(run(p));
}

TEST_F(BadScenario, gate_files) {
  const std::string head = "type gate-evac-v1\nconnectivity 4\nheight 2\nwidth 3\nmap\n...\n...\n";
  const auto gate = [&](const std::string& text) {
    return run_drover(temp, {"run", temp.write("g.gate", text), "--out", temp / "out", "--quiet"});
  };
  expect_accepted(gate(head + "gate 1 2,0\nagents 2 0,0 1,1\nbound_queue 2\n"));
  EXPECT_EQ(report("arrived"), "2");
  expect_refused(gate("type gate-evac-v2\n"), 6, "E_VERSION_UNSUPPORTED", "gate-evac-v2");
  expect_refused(gate("type gate-evac-v1\nconnectivity 6\nheight 1\n"), 3, "E_GATE", "g.gate:2:1");
  expect_refused(gate(head + "gate 2 2,0\nagents 1 0,0\n"), 3, "E_GATE", "g.gate:8:6");
  expect_refused(gate(head + "gate 1 2;0\nagents 1 0,0\n"), 3, "E_GATE", "g.gate:8:8");
  expect_refused(gate(head + "gate 1 3,0\nagents 1 0,0\n"), 3, "E_GOAL_OUTSIDE", "g.gate:8:8");
  expect_refused(gate(head + "gate 0\nagents 1 0,0\n"), 3, "E_GOAL_NONE", "g.gate:8:1");
  expect_refused(gate(head + "gate 1 2,0\nagents 1 0,2\n"), 3, "E_START_OUTSIDE", "g.gate:9:10");
  expect_refused(gate(head + "gate 1 2,0\nagents 2 0,0 0,0\n"), 3, "E_START_CONFLICT", "0,0");
  expect_refused(gate(head + "gate 1 2,0\n"), 3, "E_GATE", "ends too early");
  expect_refused(gate("type gate-evac-v1\nconnectivity 4\nheight 2\nwidth 3\nmap\n...\n"), 3, "E_MAP_TRUNCATED",
                 "g.gate:6");
}

}  // namespace
}  // namespace drover::test
