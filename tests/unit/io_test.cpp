// SPDX-License-Identifier: MIT
// drover::io from memory: what parsers accept, where they point, what a scenario becomes.
#include <drover/io.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include "io/field_text.hpp"
#include "io/output.hpp"
#include "io/picture.hpp"
#include "io/text.hpp"
#include "support/temp_folder.hpp"

namespace drover::io {
namespace {

const std::string kHead = "[[profile]]\nname = \"p\"\n[[goal]]\nname = \"g\"\ncells = [[0, 0]]\n";

Scenario scenario_of(const std::string& text) {
  Result<Scenario> scenario = parse_scenario(text, "s.toml");
  EXPECT_TRUE(scenario.ok()) << scenario.status().message();
  return scenario ? *std::move(scenario) : Scenario{};
}

TEST(Printable, OneLineOfText) {
  EXPECT_EQ(printable("plain, h\xC3\xA4user"), "plain, h\xC3\xA4user");
  EXPECT_EQ(printable("a\nb\t\x7F"), "a\\x0ab\\x09\\x7f");
  EXPECT_EQ(printable("\xC3"), "\\xc3");                    // cut off
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");           // C1 control: also begins a colour code
  EXPECT_EQ(printable("\xE2\x80\xAE"), "\\xe2\\x80\\xae");  // turns the writing direction
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // half a surrogate pair
}

TEST(Numbers, WholeAndNothingElse) {
  EXPECT_EQ(parse_integer("-12").value, -12);
  for (const char* bad : {"", "-", "+1", "1.5", "0x10", " 1", "1 ", "nan", "1e3"}) {
    EXPECT_EQ(parse_integer(bad).kind, NumberKind::malformed) << bad;
  }
  EXPECT_EQ(parse_integer("9223372036854775808").kind, NumberKind::overflow);
  EXPECT_EQ(parse_seed("0xFFFFFFFFFFFFFFFF"), ~std::uint64_t{0});
  EXPECT_EQ(parse_seed("18446744073709551615"), ~std::uint64_t{0});
  for (const char* bad : {"", "-1", "18446744073709551616", "0x", "0x10000000000000000", "abc", "1 "}) {
    EXPECT_FALSE(parse_seed(bad)) << bad;
  }
}

TEST(Words, TheNearestKeyIsTheOneThatWasMeant) {
  const std::vector<std::string_view> keys{"heights", "rows", "file", "legend"};
  EXPECT_EQ(nearest_word("hieghts", keys), "heights");
  EXPECT_EQ(nearest_word("flie", keys), "file");
  EXPECT_FALSE(nearest_word("colour", keys));
}

TEST(Maps, PlainRowsMayHaveLayers) {
  const Result<MapCells> map = parse_map("layer 0\n..\n.#\nlayer 1\n?.\nSW\n", "m.txt");
  ASSERT_TRUE(map.ok()) << map.status().message();
  EXPECT_EQ(map->width, 2);
  EXPECT_EQ(map->height, 2);
  EXPECT_EQ(map->layers, 2);
  EXPECT_EQ(map->cells, (std::vector<std::uint8_t>{0, 0, 0, 1, MapCells::kUnknown, 0, 3, 4}));
  const Result<MapCells> uneven = parse_map("..\n..\nlayer 1\n..\n", "m.txt");
  EXPECT_EQ(uneven.status().code(), StatusCode::map_truncated);
  EXPECT_EQ(parse_map("..\nlayer 2\n..\n", "m.txt").status().code(), StatusCode::map_header);
  EXPECT_EQ(parse_map("..\n...\n", "m.txt").status().code(), StatusCode::map_row_length);
  // A first row of no tiles has a width: 0.
  EXPECT_EQ(parse_map("\r\n@", "m.txt").status().code(), StatusCode::map_row_length);
  EXPECT_EQ(parse_map("layer 0\n\n..\n", "m.txt").status().code(), StatusCode::map_row_length);
}

TEST(Maps, AMovingAiHeaderIsSeenWhateverTheNameOfTheFile) {
  const Result<MapCells> map = parse_map("type octile\nheight 1\nwidth 2\nmap\n.T\n", "m.txt");
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->cells, (std::vector<std::uint8_t>{0, 5}));
  EXPECT_EQ(parse_map("..\n..\n", "m.map").status().code(), StatusCode::map_header);
}

TEST(Maps, limit_is_said_before_memory_is_taken) {
  const auto asked = [](const std::string& width, const std::string& height) {
    return parse_map("type octile\nheight " + height + "\nwidth " + width + "\nmap\n.\n", "m.map").status();
  };
  for (const auto& [width, height] : {std::pair{"65536", "65536"},
                                      {"4294967295", "2"},
                                      {"1", "4294967296"},
                                      {"2147483648", "2147483648"},
                                      {"9223372036854775807", "9223372036854775807"},
                                      {"16384", "16385"}}) {
    const Status status = asked(width, height);
    EXPECT_EQ(status.code(), StatusCode::limit_cells) << status.message();
    EXPECT_EQ(exit_status(status.code()), 5);
    EXPECT_NE(status.message().find(std::string(width) + "x" + height), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("268435456"), std::string::npos) << status.message();
  }
  // The largest is a size; one row of it is not enough.
  EXPECT_EQ(asked("16384", "16384").code(), StatusCode::map_row_length);
  EXPECT_EQ(asked("268435456", "1").code(), StatusCode::map_row_length);
  // As many cells, but each row takes 64 in storage: the limit that is named is the one that is passed.
  EXPECT_EQ(asked("1", "268435456").code(), StatusCode::limit_cells);
  EXPECT_NE(asked("1", "268435456").message().find("at most 4294967295 stored cells"), std::string::npos);
}

TEST(Maps, EveryPrefixAndEveryFlippedByteIsAnsweredWithoutHarm) {
  const std::string text = "type octile\r\nheight 3\r\nwidth 4\r\nmap\r\n....\r\n.@T.\r\nSWGO\r\n";
  for (std::size_t n = 0; n < text.size(); ++n) {
    (void)parse_map(text.substr(0, n), "m.map");
    for (const int bit : {0, 5, 7}) {
      std::string flipped = text;
      flipped[n] = static_cast<char>(flipped[n] ^ (1 << bit));
      const Result<MapCells> map = parse_map(flipped, "m.map");
      if (map) {
        EXPECT_EQ(map->cells.size(), static_cast<std::size_t>(map->width * map->height * map->layers));
      } else {
        EXPECT_EQ(map.status().message().find('\n'), std::string::npos);
      }
    }
  }
}

TEST(Scenarios, EveryPrefixIsAnsweredWithoutHarm) {
  const std::string text =
      "[map]\nrows = [\"...\", \".#.\"]\n" + kHead +
      "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncount = 2\narea = {rect = [0, 0, 3, 1]}\n[run]\nseed = 0x7\n";
  ASSERT_TRUE(parse_scenario(text, "s.toml").ok());
  for (std::size_t n = 0; n < text.size(); ++n) {
    const Result<Scenario> scenario = parse_scenario(text.substr(0, n), "s.toml");
    if (scenario) continue;
    EXPECT_NE(scenario.status().message().find("s.toml"), std::string::npos) << n;
  }
}

TEST(Scenarios, OriginMakesCellsNegative) {
  const Scenario s = scenario_of(
      "[map]\nrows = [\"..\", \"#.\"]\norigin = [-5, -7]\n[[profile]]\nname = \"p\"\n[[goal]]\nname = \"g\"\n"
      "cells = [[-4, -6]]\n[[agent]]\nat = [-5, -7]\nprofile = \"p\"\ngoal = \"g\"\n");
  const Result<GridMap> map = make_map(s);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->view().terrain(map->shape().index({-5, -6, 0})), kWall);
  EXPECT_EQ(s.agents.at(0).at, (Cell{-5, -7, 0}));
}

TEST(Scenarios, TerrainLettersLegendAndRules) {
  const Scenario s = scenario_of(
      "[map]\nrows = [\".SMx?\"]\nlegend = {x = \"lava\"}\n"
      "[[terrain]]\nname = \"swamp\"\ncost = 4\n[[terrain]]\nname = \"mud\"\nletter = \"M\"\ncost = 2\n"
      "[[terrain]]\nname = \"lava\"\npassable = false\n"
      "[[profile]]\nname = \"p\"\nterrain = {mud = 9, swamp = \"blocked\", lava = \"passable\"}\n");
  const Result<GridMap> map = make_map(s);
  ASSERT_TRUE(map.ok());
  const MapView view = map->view();
  const auto kind = [&](int x) { return view.terrain_classes()[view.terrain(view.shape().index({x, 0, 0}))]; };
  EXPECT_EQ(kind(1).cost, 4u);
  EXPECT_EQ(kind(2).name, "mud");
  EXPECT_EQ(kind(2).cost, 2u);
  EXPECT_FALSE(kind(3).passable);
  EXPECT_TRUE(view.unknown(view.shape().index({4, 0, 0})));
  const Result<NavGraph> graph = NavGraph::compile(view, s.profiles.at(0).profile);
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->footing({1, 0, 0}), Footing::blocked);
  EXPECT_EQ(graph->footing({3, 0, 0}), Footing::open);
  EXPECT_EQ(graph->step_cost({3, 0, 0}, Direction::west), Cost{90});
}

TEST(Scenarios, KeysGivenFirstThenWhatIsFree) {
  const Scenario s = scenario_of("[map]\nrows = [\"..........\"]\n" + kHead +
                                 "[[agent]]\nkey = 3\nat = [9, 0]\nprofile = \"p\"\ngoal = \"g\"\n"
                                 "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncells = [[1, 0], [2, 0]]\n"
                                 "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncells = [[3, 0], [4, 0]]\n"
                                 "[[group]]\nprofile = \"p\"\ngoal = \"g\"\nfirst_key = 6\ncells = [[5, 0]]\n"
                                 "[[agent]]\nat = [8, 0]\nprofile = \"p\"\ngoal = \"g\"\n");
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys;
  for (const ScenarioAgent& a : s.agents) keys.emplace_back(a.key, a.at.x);
  EXPECT_EQ(keys, (std::vector<std::pair<std::uint64_t, std::int32_t>>{
                      {1, 1}, {2, 2}, {3, 9}, {4, 3}, {5, 4}, {6, 5}, {7, 8}}));
}

TEST(Spawning, FillsAnAreaToTheLastCellAndNeverTwice) {
  const Scenario s = scenario_of("[map]\nrows = [\"......\", \"..##..\", \"......\"]\n" + kHead +
                                 "[[agent]]\nat = [5, 0]\nprofile = \"p\"\ngoal = \"g\"\n"
                                 "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncount = 15\n");
  std::set<std::pair<int, int>> cells;
  for (const ScenarioAgent& a : s.agents) cells.emplace(a.at.x, a.at.y);
  EXPECT_EQ(cells.size(), 16u);
  EXPECT_EQ(cells.count({2, 1}), 0u);
}

TEST(Spawning, WholeBodiesStayInTheAreaAndApart) {
  const Scenario s = scenario_of(
      "[map]\nrows = [\"..........\", \"..........\", \"..........\", \"..........\"]\n"
      "[[profile]]\nname = \"big\"\nfootprint = 2\n[[goal]]\nname = \"g\"\ncells = [[0, 0]]\n"
      "[[group]]\nprofile = \"big\"\ngoal = \"g\"\ncount = 3\narea = {rect = [3, 1, 6, 3]}\n");
  std::set<std::pair<int, int>> covered;
  for (const ScenarioAgent& a : s.agents) {
    for (int dy = 0; dy < 2; ++dy) {
      for (int dx = 0; dx < 2; ++dx) {
        EXPECT_TRUE(covered.emplace(a.at.x + dx, a.at.y + dy).second);
        EXPECT_TRUE(a.at.x + dx >= 3 && a.at.x + dx < 9 && a.at.y + dy >= 1 && a.at.y + dy < 4);
      }
    }
  }
  EXPECT_EQ(covered.size(), 12u);
}

TEST(Spawning, EveryPlacementIsDrawnAboutAsOften) {
  // 1 agent, 4 cells, 400 seeds: 100 each; five standard deviations are 43.
  int count[4] = {};
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    ScenarioOptions options;
    options.seed = seed;
    const Result<Scenario> s = parse_scenario(
        "[map]\nrows = [\"....\"]\n" + kHead + "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncount = 1\n", "s", options);
    ASSERT_TRUE(s.ok());
    ++count[s->agents.at(0).at.x];
  }
  for (const int n : count) EXPECT_NEAR(n, 100, 43);
}

TEST(Spawning, GroupsThatComeLaterMayStartOnTheSameCells) {
  const Scenario s = scenario_of("[map]\nrows = [\"...\"]\n" + kHead +
                                 "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncount = 3\n"
                                 "[[group]]\nprofile = \"p\"\ngoal = \"g\"\ncount = 3\nstart_tick = 5\n");
  EXPECT_EQ(s.agents.size(), 6u);
}

TEST(Scenarios, DoorsAndEditsOfTickZeroAreInTheMap) {
  const Scenario s = scenario_of(
      "[map]\nrows = [\"......\"]\n[[profile]]\nname = \"p\"\n"
      "[[door]]\nname = \"a\"\ncells = [[1, 0]]\nstate = \"closed\"\n"
      "[[door]]\nname = \"b\"\ncells = [[2, 0]]\nschedule = [[0, \"close\"], [7, \"open\"]]\n"
      "[[edit]]\ntick = 0\ncells = [[3, 0, \"#\"]]\n[[edit]]\ntick = 5\ncells = [[4, 0, \"#\"]]\n");
  const Result<GridMap> map = make_map(s);
  ASSERT_TRUE(map.ok());
  const auto at = [&](int x) { return map->shape().index({x, 0, 0}); };
  EXPECT_TRUE(map->view().door_closed(at(1)));
  EXPECT_TRUE(map->view().door_closed(at(2)));
  EXPECT_EQ(map->view().terrain(at(3)), kWall);
  EXPECT_EQ(map->view().terrain(at(4)), kFloor);
  std::vector<std::uint64_t> ticks;
  for (const ScenarioEdit& e : s.edits) ticks.push_back(e.tick);
  EXPECT_EQ(ticks, (std::vector<std::uint64_t>{0, 0, 5, 7}));
}

TEST(Scenarios, StepsPortalsAndPricedDoorsAreInTheMap) {
  const Scenario s = scenario_of(
      "[map]\nlayers = [[\"...\"], [\"...\"]]\norigin = [-1, 0]\n[[profile]]\nname = \"p\"\n"
      "[[one_way]]\nat = [0, 0]\nforbid = [\"W\", \"E\"]\n"
      "[[edge]]\nat = [0, 0]\ndirection = \"E\"\nextra = 7\n[[edge]]\nat = [1, 0, 1]\ndirection = \"SW\"\nextra = 8\n"
      "[[portal]]\nfrom = [-1, 0]\nto = [1, 0, 1]\ncost = 25\n"
      "[[door]]\nname = \"d\"\nedges = [[-1, 0, \"E\"], [0, 0, 1, \"W\"]]\nstate = 4\n"
      "schedule = [[0, \"close\"], [9, 30]]\n");
  const Result<GridMap> map = make_map(s);
  ASSERT_TRUE(map.ok()) << map.status().message();
  const auto at = [&](int x, int layer) { return map->shape().index({x, 0, layer}); };
  const auto rules = map->view().step_rules();
  ASSERT_EQ(rules.size(), 5u);
  EXPECT_EQ(rules[0], (StepRule{at(-1, 0), Direction::east, false, 0}));
  EXPECT_EQ(rules[1], (StepRule{at(0, 0), Direction::east, false, 7}));
  EXPECT_EQ(rules[2], (StepRule{at(0, 0), Direction::west, false, 0}));
  EXPECT_EQ(rules[3], (StepRule{at(0, 1), Direction::west, false, 0}));
  EXPECT_EQ(rules[4], (StepRule{at(1, 1), Direction::south_west, true, 8}));
  ASSERT_EQ(map->view().portals().size(), 1u);
  EXPECT_EQ(map->view().portals()[0], (PortalDef{{-1, 0, 0}, {1, 0, 1}, 25, true}));
  EXPECT_EQ(s.edits.at(1).edit.doors.at(0).cost, 30u);
  const Result<Instance> instance = instantiate(s);
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  EXPECT_EQ(instance->simulation.map().portals().size(), 1u);
}

TEST(Scenarios, FactionsAreThereAsSoonAsAProfileNamesThem) {
  const Scenario s = scenario_of(
      "[map]\nrows = [\"...?\"]\n"
      "[[edit]]\ntick = 0\nfaction = \"red\"\ncells = [[1, 0, \"?\"], [3, 0, \"#\"]]\n"
      "[[edit]]\ntick = 4\nfaction = \"all\"\ncells = [[1, 0, \".\"]]\n"
      "[[edit]]\ntick = 5\nfaction = \"blue\"\ncells = [[1, 0, \".\"]]\n"
      "[[profile]]\nname = \"a\"\nfaction = \"red\"\n[[profile]]\nname = \"b\"\nfaction = \"blue\"\n"
      "[[profile]]\nname = \"c\"\nfaction = \"red\"\n[[profile]]\nname = \"d\"\nfaction = \"all\"\n"
      "[[profile]]\nname = \"e\"\n");
  EXPECT_EQ(s.factions, (std::vector<std::string>{"red", "blue"}));
  std::vector<FactionId> of_profiles;
  for (const ScenarioProfile& p : s.profiles) of_profiles.push_back(p.profile.faction);
  EXPECT_EQ(of_profiles, (std::vector<FactionId>{0, 1, 0, kEveryone, kEveryone}));
  ASSERT_EQ(s.edits.size(), 3u);
  EXPECT_EQ(s.edits[1].edit.cells[0].faction, kEveryone);
  EXPECT_EQ(s.edits[2].edit.cells[0].faction, 1);
  const Result<GridMap> map = make_map(s);
  ASSERT_TRUE(map.ok()) << map.status().message();
  const MapView view = map->view();
  const auto at = [&](int x) { return map->shape().index({x, 0, 0}); };
  EXPECT_EQ(view.hidden_from(at(1)), 1) << "from red";
  EXPECT_EQ(view.hidden_from(at(3)), 2) << "shown to red: from blue";
  EXPECT_FALSE(view.unknown(at(3)));
  EXPECT_EQ(view.terrain(at(3)), kWall) << "and it is a wall for everyone";
  const Result<Instance> instance = instantiate(s);
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  EXPECT_EQ(instance->simulation.map().factions().size(), 2u);
}

TEST(Scenarios, OwnSearchAndItsBudgetAreAPolicy) {
  const std::string map = "[map]\nrows = [\"...\"]\n";
  EXPECT_EQ(scenario_of(map).policy.on_stale, OnStale::hold);
  EXPECT_EQ(scenario_of(map).policy.search_budget_cells, 20000u);
  const Scenario s = scenario_of(map + "[policy]\non_stale = \"own_search\"\nsearch_budget_cells = 0\n");
  EXPECT_EQ(s.policy.on_stale, OnStale::own_search);
  EXPECT_EQ(s.policy.search_budget_cells, 0u);
  EXPECT_EQ(scenario_of(map + "[policy]\non_stale = \"replan\"\n").policy.refusals_before_replan, 8u);
  const Scenario r = scenario_of(map + "[policy]\nrefusals_before_replan = 3\non_stale = \"replan\"\n");
  EXPECT_EQ(r.policy.on_stale, OnStale::replan);
  EXPECT_EQ(r.policy.refusals_before_replan, 3u);
}

// Open, dearer by 30 from tick 3 on, closed from tick 9 on: under `hold` nobody stops for the price.
TEST(Scenarios, APricedScheduleStopsNobodyAndADoorThatClosesDoes) {
  const Scenario s = scenario_of(
      "[map]\nrows = [\"....................\", \"....................\"]\n[[profile]]\nname = \"p\"\n"
      "[[goal]]\nname = \"g\"\ncells = [[19, 0]]\n[[agent]]\nat = [0, 0]\nprofile = \"p\"\ngoal = \"g\"\n"
      "[[door]]\nname = \"d\"\ncells = [[15, 0]]\nschedule = [[3, 30], [9, \"close\"]]\n"
      "[policy]\nadopt_latency_ticks = 4\nrefresh_latency_ticks = 4\n");
  Result<Instance> instance = instantiate(s);
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  EXPECT_EQ(s.policy.refresh_latency_ticks, 4u);
  Simulation& sim = instance->simulation;
  ASSERT_TRUE(sim.start().ok());
  const auto agent = [&] { return *sim.agent(instance->agents[0]); };
  while (sim.tick() < 8) {
    sim.step();
    EXPECT_EQ(agent().state, AgentState::moving) << "tick " << sim.tick();
  }
  EXPECT_EQ(agent().cell.x, 8);
  EXPECT_EQ(sim.map().doors()[0].cost, 30u);
  while (sim.tick() < 12) {
    sim.step();
    EXPECT_EQ(agent().reason, Reason::stale) << "tick " << sim.tick();
  }
  while (!sim.finished() && sim.tick() < 50) sim.step();
  EXPECT_EQ(agent().state, AgentState::arrived);
}

TEST(Scenarios, HeightsStandInAFileBesideIt) {
  const test::TempFolder temp;
  const auto scenario = [&](const std::string& heights, const std::string& slope = "{up = 3, down = 1}") {
    temp.write("h.txt", heights);
    const std::string text = "[map]\nlayers = [[\"..\"], [\"..\"]]\nheights = \"h.txt\"\nslope = " + slope + "\n";
    return load_scenario(temp.write("s.toml", text + "[[profile]]\nname = \"p\"\n"));
  };
  const Result<Scenario> s = scenario("0 5\nlayer 1\n-2 0\n");
  ASSERT_TRUE(s.ok()) << s.status().message();
  const Result<GridMap> map = make_map(*s);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->view().slope(), (SlopeCost{3, 1}));
  EXPECT_EQ(map->view().height(map->shape().index({1, 0, 0})), 5);
  EXPECT_EQ(map->view().height(map->shape().index({0, 0, 1})), -2);
  EXPECT_EQ(scenario("0 5\n-2\n").status().code(), StatusCode::weights_size);
  EXPECT_EQ(scenario("0 5\n-2 x\n").status().code(), StatusCode::number);
  EXPECT_EQ(scenario("0 5\n0 3000000000\n").status().code(), StatusCode::number);
  const Status steep = scenario("0 1000000000\n0 0\n").status();
  EXPECT_EQ(steep.code(), StatusCode::cost_range);
  EXPECT_NE(steep.message().find("s.toml:3:11"), std::string::npos) << steep.message();
  EXPECT_EQ(scenario("0 5\n-2 0\n", "{up = -1}").status().code(), StatusCode::cost_negative);
  EXPECT_EQ(scenario("0 5\n-2 0\n", "{left = 1}").status().code(), StatusCode::key_unknown);
}

TEST(Scenarios, InstantiateRunsWhatWasWritten) {
  const Scenario s = scenario_of(
      "[map]\nrows = [\".....\"]\n[[profile]]\nname = \"p\"\n[[goal]]\nname = \"end\"\ncells = [[4, 0]]\n"
      "[[goal]]\nname = \"start\"\ncells = [[0, 0]]\n[[group]]\nname = \"all\"\nprofile = \"p\"\ngoal = \"end\"\ncells "
      "= [[0, 0]]\n"
      "[[retarget]]\ntick = 6\ngroup = \"all\"\ngoal = \"start\"\n");
  Result<Instance> instance = instantiate(s);
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  Simulation& simulation = instance->simulation;
  ASSERT_TRUE(simulation.start().ok());
  while (!simulation.finished() && simulation.tick() < 100) simulation.step();
  const Result<AgentView> agent = simulation.agent(instance->agents.at(0));
  ASSERT_TRUE(agent.ok());
  EXPECT_EQ(agent->cell, (Cell{0, 0, 0}));
  EXPECT_EQ(agent->state, AgentState::arrived);
  EXPECT_GE(agent->arrival_tick, 10u);  // 4 steps there, at tick 6 or later 4 back
}

TEST(FieldText, LayersStandApart) {
  const Result<MapCells> cells = parse_map("..\nlayer 1\n#?\n", "m.txt");
  ASSERT_TRUE(cells.ok());
  const Result<GridMap> map = make_map(*cells);
  ASSERT_TRUE(map.ok());
  const Result<NavGraph> graph = NavGraph::compile(map->view(), {});
  ASSERT_TRUE(graph.ok());
  const Result<FieldRef> field = FieldBuilder().build(*graph, {{{{1, 0, 0}, 0}}, GoalPlacement::exact});
  ASSERT_TRUE(field.ok());
  EXPECT_EQ(costs_text(**field), "10 0\nlayer 1\n# ?\n");
  EXPECT_EQ(directions_text(**field), "E G\nlayer 1\n# ?\n");
  EXPECT_EQ(ties_text(**field), "02 00\nlayer 1\n00 00\n");
  EXPECT_EQ(goal_indices_text(**field), "0 0\nlayer 1\n# ?\n");
}

TEST(FieldText, PortalsAreP) {
  GridMapDef def;
  def.width = 3;
  def.height = 1;
  def.layers = 2;
  GridMap map = *GridMap::create(def);
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {2, 0, 1}, 10}).ok());
  ASSERT_TRUE(map.add_portal({{0, 0, 1}, {2, 0, 1}, 20}).ok());
  const Result<NavGraph> graph = NavGraph::compile(map.view(), {});
  ASSERT_TRUE(graph.ok());
  const Result<FieldRef> field = FieldBuilder().build(*graph, {{{{2, 0, 1}, 0}}, GoalPlacement::exact});
  ASSERT_TRUE(field.ok());
  EXPECT_EQ(costs_text(**field), "10 20 30\nlayer 1\n20 10 0\n");
  EXPECT_EQ(directions_text(**field), "P W W\nlayer 1\nE E G\n");
  EXPECT_EQ(ties_text(**field), "00p 08 08\nlayer 1\n02p 02 00\n");
}

TEST(Files, LimitsAndMarks) {
  const test::TempFolder temp;
  EXPECT_EQ(*read_text_file(temp.write("a", "\xEF\xBB\xBFtext"), kMapFile), "text");
  EXPECT_EQ(read_text_file(temp.write("b", "0123456789"), {9, 100}).status().code(), StatusCode::limit_file);
  EXPECT_EQ(read_text_file(temp.write("c", "01234\n567890\n"), {100, 5}).status().code(), StatusCode::limit_line);
  EXPECT_TRUE(read_text_file(temp.write("d", "01234\r\n56789\r\n"), {100, 5}).ok());
  EXPECT_EQ(read_text_file(temp / "none", kMapFile).status().code(), StatusCode::cannot_open);
}

TEST(Files, AppearWholeOrNotAtAll) {
  const test::TempFolder temp;
  temp.write("out", "old");
  {
    Result<OutputFile> file = OutputFile::create(temp / "out");
    ASSERT_TRUE(file.ok());
    file->write("new");
    EXPECT_EQ(temp.read("out"), "old");
  }
  EXPECT_EQ(temp.read("out"), "old") << "dropped without commit";
  ASSERT_TRUE(write_file(temp / "out", std::string(200000, 'x')).ok());
  EXPECT_EQ(temp.read("out"), std::string(200000, 'x'));
  std::filesystem::create_symlink(temp / "out", temp / "link");
  ASSERT_TRUE(write_file(temp / "link", "through").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(temp / "link"));
  EXPECT_EQ(temp.read("out"), "through");
  EXPECT_EQ(write_file("/dev/full", "x").code(), StatusCode::write);
  EXPECT_EQ(write_file(temp / "no/such", "x").code(), StatusCode::write);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(temp.path()), {}), 2) << "no temporary files are left";
}

std::atomic<int> interrupts{0};

// A pipe takes 64 KiB; its reader begins when the writer has been interrupted a few times.
TEST(Files, write_refused_InterruptedAndShortWritesAreContinued) {
  const test::TempFolder temp;
  const std::string pipe = temp / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string sent, got;
  for (int i = 0; i < 300000; ++i) sent += std::to_string(i) + " ";
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  ::pthread_sigmask(SIG_BLOCK, &alarm, nullptr);  // the reader's
  std::thread reader([&] {
    const int fd = ::open(pipe.c_str(), O_RDONLY);
    while (interrupts < 5) ::usleep(1000);
    char piece[777];
    for (ssize_t n = 0; (n = ::read(fd, piece, sizeof piece)) > 0;) got.append(piece, static_cast<std::size_t>(n));
    ::close(fd);
  });
  Result<OutputFile> file = OutputFile::create(pipe);
  ASSERT_TRUE(file.ok()) << file.status().message();
  struct sigaction count {};
  count.sa_handler = [](int) { ++interrupts; };  // no SA_RESTART: write() answers EINTR
  ::sigaction(SIGALRM, &count, nullptr);
  ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
  const itimerval often{{0, 500}, {0, 500}}, never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  file->write(sent);
  const Status done = file->commit();
  ::setitimer(ITIMER_REAL, &never, nullptr);
  reader.join();
  EXPECT_TRUE(done.ok()) << done.message();
  EXPECT_TRUE(got == sent) << got.size() << " of " << sent.size();
}

TEST(Pictures, SmallMapsAreScaledUp) {
  const test::TempFolder temp;
  const Result<MapCells> cells = parse_map("..#\n?..\n", "m.txt");
  const Result<GridMap> map = make_map(*cells);
  ASSERT_TRUE(map.ok());
  const Result<NavGraph> graph = NavGraph::compile(map->view(), {});
  const Result<FieldRef> field = FieldBuilder().build(*graph, {{{{0, 0, 0}, 0}}, GoalPlacement::exact});
  ASSERT_TRUE(field.ok());
  PictureDef def;
  def.field = field->get();
  ASSERT_TRUE(write_picture(temp / "p.png", map->view(), def).ok());
  const std::string png = temp.read("p.png");
  ASSERT_GT(png.size(), 24u);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const auto number = [&](std::size_t at) {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(png[at + i]);
    return n;
  };
  EXPECT_EQ(number(16), 3u * 32 + 12);
  EXPECT_EQ(number(20), 2u * 32 + 12);
}

// Their pixels lie a trillion pictures away; only those of the picture may be looked at.
TEST(Pictures, ObstaclesMayReachOrLieFarBeyondTheMap) {
  const test::TempFolder temp;
  GridMapDef def;
  def.width = 10;
  def.height = 3;
  def.cell_size = *Fixed::parse("0.000000001");
  GridMap map = *GridMap::create(def);
  Obstacle circle;
  circle.radius = *Fixed::parse("16000");
  ASSERT_TRUE(map.add_obstacle(circle).ok());
  circle.centre = {*Fixed::parse("1000000000"), *Fixed::parse("-1000000000")};
  ASSERT_TRUE(map.add_obstacle(circle).ok());
  EXPECT_TRUE(write_picture(temp / "p.png", map.view(), {}).ok());
}

}  // namespace
}  // namespace drover::io
