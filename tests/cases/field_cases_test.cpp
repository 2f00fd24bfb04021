// SPDX-License-Identifier: MIT
// Cases from users about fields: one test a case, its input block beside it in data/.
#include "cases/field_claims.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

namespace drover::test {
namespace {

FieldRef build(const NavGraph& graph, Cell goal, FieldEngine engine = FieldEngine::automatic,
               BuildReport* report = nullptr) {
  FieldBuilder builder;
  Result<FieldRef> field = builder.build(graph, GoalDef{{{goal, 0}}, GoalPlacement::exact}, {engine}, report);
  EXPECT_TRUE(field.ok()) << field.status().message();
  return field ? *std::move(field) : nullptr;
}

NavGraph graph_of(const FieldCase& c) { return std::move(NavGraph::compile(c.map->view(), c.profile)).value(); }

TEST(FieldCases, field_seed_map) { run_case("field_seed_map"); }
TEST(FieldCases, field_no_45_degree_drift) { run_case("field_no_45_degree_drift"); }
TEST(FieldCases, field_goal_walled_in) { run_case("field_goal_walled_in"); }
TEST(FieldCases, field_leaves_its_own_tile) { run_case("field_leaves_its_own_tile"); }
TEST(FieldCases, field_formula_64) { run_case("field_formula_64"); }

TEST(FieldCases, directed_forward_cost_backwards) { run_case("directed_forward_cost_backwards"); }
TEST(FieldCases, directed_ledge) { run_case("directed_ledge"); }
TEST(FieldCases, directed_trap) { run_case("directed_trap"); }
TEST(FieldCases, directed_portals_between_layers) { run_case("directed_portals_between_layers"); }
TEST(FieldCases, directed_slope) { run_case("directed_slope"); }

// n x n rows of corridors: the way from 0,0 to the last row is as long as the reachable cells are many.
Cost serpentine_cost(std::int64_t n, CostBase costs, int* bits) {
  const toml::table table{{"serpentine", n}, {"moves", 4}};
  FieldCase c(table);
  c.profile.costs = costs;
  BuildReport report;
  const auto last = static_cast<std::int32_t>(n - 1);
  const FieldRef field = build(graph_of(c), {(n - 1) % 4 == 2 ? 0 : last, last, 0}, FieldEngine::automatic, &report);
  *bits = report.cost_bits;
  return field->cost_to_goal(field->shape().index({0, 0, 0}));
}

TEST(FieldCases, field_long_costs_do_not_wrap) {
  run_case("field_long_costs_do_not_wrap");
  int bits = 0;
  EXPECT_EQ(serpentine_cost(1023, CostBase::uniform, &bits), 524286u);
  EXPECT_EQ(bits, 32);
  if (!long_run()) return;
  EXPECT_EQ(serpentine_cost(4095, CostBase::uniform, &bits), 8388606u);
  EXPECT_EQ(serpentine_cost(4095, CostBase::octile, &bits), 8262776910u);
}

// One way in, one cell wide: every open cell lies on it, so 1393 x cells is passed only with 64 bits.
TEST(FieldCases, field_long_costs_do_not_wrap_in_64_bits) {
  const toml::table table{{"corridor", 4000}, {"moves", 4}, {"weight_all", 1048576}, {"costs", "octile"}};
  const FieldCase c(table);
  BuildReport report;
  // Offset 1 leaves no common divisor, so nothing shrinks the numbers.
  FieldBuilder builder;
  const GoalDef goal{{{{0, 0, 0}, 1}}, GoalPlacement::exact};
  const Result<FieldRef> field = builder.build(graph_of(c), goal, {}, &report);
  ASSERT_TRUE(field.ok());
  EXPECT_EQ(report.cost_bits, 64);
  EXPECT_EQ((*field)->cost_to_goal((*field)->shape().index({3999, 0, 0})), 1 + Cost{3999} * 985 * 1048576);
}

// Runs its tasks last to first.
void backwards(void*, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
  for (std::uint32_t i = count; i-- > 0;) task(argument, i);
}

TEST(FieldCases, field_tie_table) {
  run_case("field_tie_table");
  // The same bytes however the host runs the tasks, and after another field was built with the same memory.
  const toml::table table = checks_of("field_tie_table")[0];
  const FieldCase c(table);
  const NavGraph graph = graph_of(c);
  const std::uint64_t want = build(graph, {2, 2, 0})->digest();
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
    Host host;
    host.tasks = {nullptr, workers, backwards};
    FieldBuilder builder(host);
    ASSERT_TRUE(builder.build(graph, GoalDef{{{{4, 0, 0}, 0}}, GoalPlacement::exact}).ok());
    const Result<FieldRef> field = builder.build(graph, c.goal);
    ASSERT_TRUE(field.ok());
    EXPECT_EQ((*field)->digest(), want) << workers;
  }
}

TEST(CostCases, cost_sight_never_beats_terrain) { run_case("cost_sight_never_beats_terrain"); }
TEST(CostCases, cost_smaller_neighbour_trap) { run_case("cost_smaller_neighbour_trap"); }
TEST(CostCases, cost_zero_steps_end) { run_case("cost_zero_steps_end"); }

TEST(CornerCases, corner_squeeze_ox) { run_case("corner_squeeze_ox"); }
TEST(CornerCases, corner_one_side) { run_case("corner_one_side"); }

// All 16 patterns of the block ab/cd, four rotations, three rules.
TEST(CornerCases, corner_truth_table) {
  run_case("corner_truth_table");
  struct Turn {
    int a, b, c, d;  // places in the rows, read row by row
    Direction step;
  };
  constexpr Turn kTurns[] = {{0, 1, 2, 3, Direction::south_east},
                             {1, 3, 0, 2, Direction::south_west},
                             {3, 2, 1, 0, Direction::north_west},
                             {2, 0, 3, 1, Direction::north_east}};
  int rows_checked = 0;
  for (const Turn& turn : kTurns) {
    for (unsigned pattern = 0; pattern < 16; ++pattern) {
      const auto free = [pattern](int letter) { return (pattern >> letter & 1) != 0; };
      std::string cells(4, '#');
      const int places[4] = {turn.a, turn.b, turn.c, turn.d};
      for (int i = 0; i < 4; ++i) {
        if (free(i)) cells[static_cast<std::size_t>(places[i])] = '.';
      }
      const std::string_view rows[] = {std::string_view(cells).substr(0, 2), std::string_view(cells).substr(2)};
      const GridMap map = std::move(GridMap::from_rows(rows)).value();
      for (const CornerRule rule : {CornerRule::strict, CornerRule::one_free, CornerRule::none}) {
        const bool sides =
            rule == CornerRule::none || (rule == CornerRule::strict ? free(1) && free(2) : free(1) || free(2));
        MovementProfile profile;
        profile.corner = rule;
        const NavGraph graph = std::move(NavGraph::compile(map.view(), profile)).value();
        EXPECT_EQ(graph.moves({turn.a % 2, turn.a / 2, 0}).has(turn.step), free(0) && free(3) && sides)
            << cells << " rule " << static_cast<int>(rule);
        ++rows_checked;
      }
    }
  }
  EXPECT_EQ(rows_checked, 192);
}

struct Published {
  std::string text;
  struct Query {
    Cell from, to;
    double length = 0;
  };
  std::vector<std::string> rows;
  std::vector<Query> queries;
};

Published read_published(const std::filesystem::path& map, const std::filesystem::path& scen) {
  Published out;
  std::ifstream map_file(map), scen_file(scen);
  std::string line;
  while (std::getline(map_file, line) && line.substr(0, 3) != "map") continue;
  while (std::getline(map_file, line)) {
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) out.rows.push_back(line);
  }
  std::getline(scen_file, line);
  while (std::getline(scen_file, line)) {
    std::istringstream words(line);
    std::string bucket, name;
    int width = 0, height = 0;
    Published::Query q;
    if (words >> bucket >> name >> width >> height >> q.from.x >> q.from.y >> q.to.x >> q.to.y >> q.length) {
      out.queries.push_back(q);
    }
  }
  return out;
}

// Published optimal lengths: the strict rule meets all of them, the looser ones are too short on most.
TEST(CornerCases, corner_known_map) {
  const char* const map = "movingai/maps/dao/den312d.map";
  const char* const scen = "movingai/scens/dao/den312d.map.scen";
  DROVER_REQUIRE_DATA(map);
  DROVER_REQUIRE_DATA(scen);
  const Published published = read_published(data_root() / map, data_root() / scen);
  const std::vector<std::string_view> rows(published.rows.begin(), published.rows.end());
  const GridMap grid = std::move(GridMap::from_rows(rows)).value();
  ASSERT_GT(published.queries.size(), 100u);
  for (const CornerRule rule : {CornerRule::strict, CornerRule::one_free, CornerRule::none}) {
    MovementProfile profile;
    profile.corner = rule;
    profile.costs = CostBase::octile;
    const NavGraph graph = std::move(NavGraph::compile(grid.view(), profile)).value();
    FieldBuilder builder;
    std::size_t wrong = 0, too_long = 0;
    for (const Published::Query& q : published.queries) {
      const Result<FieldRef> field = builder.build(graph, GoalDef{{{q.to, 0}}, GoalPlacement::exact});
      ASSERT_TRUE(field.ok()) << field.status().message();
      const Cost cost = (*field)->cost_to_goal((*field)->shape().index(q.from));
      ASSERT_NE(cost, kInfiniteCost);
      const double error = static_cast<double>(cost) / 985 - q.length;
      if (std::abs(error) <= std::max(0.01, 2e-5 * q.length)) continue;
      ++wrong;
      too_long += error > 0 ? 1 : 0;
    }
    EXPECT_EQ(too_long, 0u);
    if (rule == CornerRule::strict)
      EXPECT_EQ(wrong, 0u);
    else
      EXPECT_GT(wrong, published.queries.size() / 2);
  }
}

TEST(GoalCases, goal_in_a_wall_is_named) {
  run_case("goal_in_a_wall_is_named");
  const std::vector<toml::table> checks = checks_of("goal_in_a_wall_is_named");
  const FieldCase c(checks[0]);
  FieldBuilder builder;
  const Result<FieldRef> field = builder.build(graph_of(c), c.goal);
  ASSERT_FALSE(field.ok());
  EXPECT_EQ(field.status().code(), StatusCode::goal_blocked);
  EXPECT_NE(field.status().message().find("5,2"), std::string::npos);
}

TEST(GoalCases, goal_two_sources_and_offset) {
  run_case("goal_two_sources_and_offset");
  const std::vector<toml::table> checks = checks_of("goal_two_sources_and_offset");
  const FieldCase c(checks[2]);
  FieldBuilder builder;
  const Result<FieldRef> field = builder.build(graph_of(c), c.goal);
  ASSERT_TRUE(field.ok());
  EXPECT_EQ((*field)->state((*field)->shape().index({8, 0, 0})), CellState::goal);
}

TEST(GoalCases, goal_on_another_island) { run_case("goal_on_another_island"); }

TEST(GoalCases, goal_bad_ones_are_named) {
  const std::vector<toml::table> checks = checks_of("goal_bad_ones_are_named");
  const FieldCase c(checks[0]);
  FieldBuilder builder;
  const Result<FieldRef> field = builder.build(graph_of(c), c.goal);
  ASSERT_FALSE(field.ok());
  EXPECT_EQ(field.status().code(), StatusCode::goal_blocked);
  const std::string& text = field.status().message();
  EXPECT_EQ(text.substr(0, text.find("; the map")),
            "1,1 goal_blocked; 3,1 goal_unknown; 9,9 goal_outside; -1,0 goal_outside");
}

TEST(FootprintCases, footprint_gap_of_one) { run_case("footprint_gap_of_one"); }
TEST(FootprintCases, footprint_two_gates) { run_case("footprint_two_gates"); }
TEST(FootprintCases, footprint_pays_for_the_dearest_cell) { run_case("footprint_pays_for_the_dearest_cell"); }

// Cells that the open square of a k x k body overlaps while it moves by (dx, dy): at the start, half way and at the
// end, which sees every cell, since overlaps begin and end only on whole steps.
bool sweep_is_free(const std::vector<std::string>& rows, int k, int x, int y, int dx, int dy) {
  const int height = static_cast<int>(rows.size()), width = static_cast<int>(rows[0].size());
  for (int half = 0; half <= 2; ++half) {
    const int left = 2 * x + half * dx, top = 2 * y + half * dy;
    for (int cy = -1; cy <= height; ++cy) {
      for (int cx = -1; cx <= width; ++cx) {
        const bool overlaps = 2 * cx < left + 2 * k && 2 * cx + 2 > left && 2 * cy < top + 2 * k && 2 * cy + 2 > top;
        if (!overlaps) continue;
        const bool inside = cx >= 0 && cy >= 0 && cx < width && cy < height;
        if (!inside || rows[static_cast<std::size_t>(cy)][static_cast<std::size_t>(cx)] != '.') return false;
      }
    }
  }
  return true;
}

TEST(FootprintCases, footprint_l_corner) {
  run_case("footprint_l_corner");
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  const auto draw = [&state](int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(n));
  };
  FieldBuilder builder;
  int directions = 0;
  for (int round = 0; round < (long_run() ? 10000 : 1500); ++round) {
    const int k = 1 + draw(4), width = k + 2 + draw(8), height = k + 2 + draw(8), walls = draw(25);
    std::vector<std::string> rows(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), '.'));
    for (std::string& row : rows) {
      for (char& c : row) c = draw(100) < walls ? '#' : '.';
    }
    const std::vector<std::string_view> views(rows.begin(), rows.end());
    const GridMap map = std::move(GridMap::from_rows(views)).value();
    MovementProfile profile;
    profile.footprint = k;
    const NavGraph graph = std::move(NavGraph::compile(map.view(), profile)).value();
    const GoalDef goal{{{{draw(width), draw(height), 0}, 0}}, GoalPlacement::nearest};
    const Result<FieldRef> field = builder.build(graph, goal);
    if (!field) {
      EXPECT_EQ(graph.open_cells(), 0u);  // a body that fits nowhere has no goal
      EXPECT_EQ(field.status().code(), StatusCode::goal_blocked);
      continue;
    }
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const Step step = (*field)->step(map.shape().index({x, y, 0}));
        if (step.kind != Step::Kind::move) continue;
        const int d = static_cast<int>(step.direction);
        ASSERT_TRUE(sweep_is_free(rows, k, x, y, kDx[d], kDy[d])) << "round " << round << " at " << x << "," << y;
        ++directions;
      }
    }
  }
  EXPECT_GT(directions, 10000);
}

// Costs before and after the edits of these cases; what happens between is told by crowd_cases_test.
TEST(UpdateCases, update_door_timeline) {
  run_case("update_door_timeline", {"goal_of_big", "doors", "profiles", "adopt_latency_ticks"});
}
TEST(UpdateCases, update_only_door_closes) { run_case("update_only_door_closes"); }
TEST(UpdateCases, update_goal_there_and_back) { run_case("update_goal_there_and_back"); }
TEST(UpdateCases, update_repair_equals_rebuild_builds) { run_case("update_repair_equals_rebuild"); }

TEST(UnknownCases, unknown_is_not_free) { run_case("unknown_is_not_free", {"path"}); }
TEST(UnknownCases, unknown_at_a_corner) { run_case("unknown_at_a_corner"); }

}  // namespace
}  // namespace drover::test
