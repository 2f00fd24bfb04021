// SPDX-License-Identifier: MIT
// Cases from users about searches: one test a case, its input block beside it in data/.
#include "cases/case_reader.hpp"

#include <drover/search.hpp>

#include <cmath>

namespace drover::test {
namespace {

NavGraph graph_of(const FieldCase& c) { return std::move(NavGraph::compile(c.map->view(), c.profile)).value(); }

Path path_on(const NavGraph& graph, Cell from, Cell to) {
  Result<Path> path = find_path(graph, from, to);
  EXPECT_TRUE(path.ok()) << path.status().message();
  return path ? *std::move(path) : Path{};
}

std::vector<Cell> smoothed(const NavGraph& graph, const Path& path) {
  std::vector<Cell> ways;
  EXPECT_TRUE(smooth_path(graph, path, ways).ok());
  return ways;
}

Cell cell_of(const toml::node& node) {
  const toml::array& a = *node.as_array();
  return {static_cast<std::int32_t>(number(a[0])), static_cast<std::int32_t>(number(a[1])), 0};
}

// One entry of the list `path`.
void check_path(const toml::table& claim, const NavGraph& graph) {
  const Path path = path_on(graph, cell_of(*claim.get("from")), cell_of(*claim.get("to")));
  EXPECT_EQ(to_string(path.status), claim["status"].value<std::string>().value());
  if (path.status != PathStatus::found) {
    EXPECT_TRUE(path.cells.empty());
    return;
  }
  if (const auto cost = claim["cost"].value<std::int64_t>()) {
    EXPECT_EQ(path.cost, static_cast<Cost>(*cost));
  }
  if (const auto cells = claim["cells"].value<std::int64_t>()) {
    EXPECT_EQ(path.cells.size(), static_cast<std::size_t>(*cells));
  }
  if (const auto length = claim["length"].value<double>()) {
    const auto diagonals = static_cast<double>(path.diagonals);
    EXPECT_NEAR(static_cast<double>(path.steps.size()) - diagonals + std::sqrt(2.0) * diagonals, *length, 5e-7);
  }
}

void run_case(const std::string& id) {
  int claims = 0;
  for (const toml::table& check : checks_of(id)) {
    const toml::array* paths = check["path"].as_array();
    if (paths == nullptr) continue;
    const NavGraph graph = graph_of(FieldCase(check));
    for (const toml::node& claim : *paths) {
      SCOPED_TRACE(id + ", path " + std::to_string(++claims));
      check_path(*claim.as_table(), graph);
    }
  }
  EXPECT_GT(claims, 0);
}

TEST(SearchCases, path_here_and_next_door) {
  run_case("path_here_and_next_door");
  const NavGraph graph = graph_of(FieldCase(checks_of("path_here_and_next_door")[0]));
  EXPECT_EQ(path_on(graph, {2, 1}, {2, 1}).cells, (std::vector<Cell>{{2, 1}}));
  EXPECT_EQ(path_on(graph, {1, 1}, {1, 1}).status, PathStatus::start_blocked);
}

TEST(SearchCases, path_straight_row) {
  run_case("path_straight_row");
  const Path path = path_on(graph_of(FieldCase(checks_of("path_straight_row")[0])), {0, 0}, {7, 0});
  for (const Cell& c : path.cells) EXPECT_EQ(c.y, 0);
  const NavGraph open = graph_of(FieldCase(checks_of("path_straight_row")[0]));
  for (const auto& [from, to] :
       {std::pair{Cell{0, 0}, Cell{7, 0}}, {Cell{0, 0}, Cell{10, 3}}, {Cell{2, 17}, Cell{17, 2}}})
    EXPECT_EQ(smoothed(open, path_on(open, from, to)), (std::vector<Cell>{from, to}));
}

// What the lines keep to is followed cell by cell in property/smoothing_property_test.cpp.
TEST(SearchCases, path_smoothing_keeps_to_the_rules) {
  run_case("path_smoothing_keeps_to_the_rules");
  const NavGraph graph = graph_of(FieldCase(checks_of("path_smoothing_keeps_to_the_rules")[0]));
  EXPECT_EQ(smoothed(graph, path_on(graph, {0, 3}, {9, 3})), (std::vector<Cell>{{0, 3}, {9, 3}}));
  const Path round = path_on(graph, {0, 0}, {9, 3});
  const std::vector<Cell> ways = smoothed(graph, round);
  double length = 0;
  for (std::size_t i = 1; i < ways.size(); ++i)
    length += std::hypot(ways[i].x - ways[i - 1].x, ways[i].y - ways[i - 1].y);
  EXPECT_LT(ways.size(), round.cells.size());
  EXPECT_LE(length, 10.242641);
}

TEST(SearchCases, path_unreachable_says_so_at_once) {
  FieldCase c(checks_of("path_unreachable_says_so_at_once")[0]);
  NavGraph graph = graph_of(c);
  EXPECT_EQ(graph.component_sizes(), (std::vector<std::uint64_t>{89975, 9}));
  constexpr Cell kOut{5, 5}, kIn{200, 200}, kDoor{198, 200};
  const auto refused = [&] {
    for (const auto& [from, to] : {std::pair{kOut, kIn}, std::pair{kIn, kOut}}) {
      const Path path = path_on(graph, from, to);
      EXPECT_EQ(path.status, PathStatus::unreachable);
      EXPECT_EQ(path.expanded, 0u);
      EXPECT_TRUE(path.cells.empty());
    }
  };
  const auto set_door = [&](TerrainId terrain) {
    const Result<EditReport> report = c.map->apply({{{kDoor, CellChange::terrain, terrain}}, {}});
    ASSERT_TRUE(report.ok());
    graph = *graph.updated(c.map->view(), report->dirty);
  };
  refused();
  set_door(kFloor);
  EXPECT_EQ(path_on(graph, kOut, kIn).status, PathStatus::found);
  set_door(kWall);
  refused();
}

// Every free start has the cost that a field to the same goal gives it.
void equals_field(const NavGraph& graph, Cell goal) {
  FieldBuilder builder;
  const FieldRef field = *builder.build(graph, GoalDef{{{goal, 0}}, GoalPlacement::exact});
  PathFinder finder;
  Path path;
  for (std::int32_t y = 0; y < graph.shape().height(); ++y) {
    for (std::int32_t x = 0; x < graph.shape().width(); ++x) {
      if (graph.footing({x, y}) != Footing::open) continue;
      ASSERT_TRUE(finder.find(graph, {x, y}, goal, path).ok());
      EXPECT_EQ(path.cost, field->cost_to_goal(graph.shape().index({x, y}))) << x << "," << y;
    }
  }
}

TEST(SearchCases, path_equals_field) {
  run_case("path_equals_field");
  const std::vector<toml::table> checks = checks_of("path_equals_field");
  for (const toml::table& check : checks) equals_field(graph_of(FieldCase(check)), {23, 23});
  for (const std::uint32_t least : {0u, 5u}) {
    FieldCase c(checks[2]);
    std::vector<std::uint32_t> weights;
    for (std::uint32_t i = 0; i < 24 * 24; ++i) weights.push_back(least + i * 7919 % (10 - least));
    ASSERT_TRUE(c.map->set_weights(0, weights).ok());
    equals_field(graph_of(c), {23, 23});
  }
}

// Jump points give the same cost or are refused; never another cost.
TEST(SearchCases, path_fast_search_falls_back) {
  run_case("path_fast_search_falls_back");
  int refused = 0, equal = 0;
  for (const toml::table& check : checks_of("path_fast_search_falls_back")) {
    const toml::array* paths = check["path"].as_array();
    if (paths == nullptr) continue;
    const NavGraph graph = graph_of(FieldCase(check));
    for (const toml::node& node : *paths) {
      const toml::table& claim = *node.as_table();
      PathOptions options;
      options.algorithm = PathAlgorithm::jump_points;
      const Result<Path> path = find_path(graph, cell_of(*claim.get("from")), cell_of(*claim.get("to")), options);
      if (!path) {
        EXPECT_EQ(path.status().code(), StatusCode::argument);
        ++refused;
        continue;
      }
      EXPECT_EQ(path->cost, static_cast<Cost>(claim["cost"].value<std::int64_t>().value()));
      ++equal;
    }
  }
  EXPECT_EQ(refused, 3);  // four moves, forbidden steps, weights
  EXPECT_EQ(equal, 1);    // a body of 2 x 2
}
TEST(SearchCases, unknown_is_not_free) { run_case("unknown_is_not_free"); }

}  // namespace
}  // namespace drover::test
