// SPDX-License-Identifier: MIT
// Jump points beside A* and the field to the same goal, on maps that are edited in between.
#include "support/data.hpp"
#include "support/grids.hpp"

#include <drover/field.hpp>
#include <drover/search.hpp>

#include <gtest/gtest.h>

namespace drover::test {
namespace {

constexpr PathOptions kJump{.algorithm = PathAlgorithm::jump_points}, kAStar{.algorithm = PathAlgorithm::astar};

// Legal step by step, and its cost adds up.
std::string fault_of(const NavGraph& graph, const Path& path, Cell from, Cell to, StepCosts base) {
  if (path.cells.empty() || path.cells.front() != from || path.cells.back() != to) return "other ends";
  if (path.steps.size() + 1 != path.cells.size()) return "steps and cells do not go together";
  Cost cost = 0;
  std::uint64_t diagonals = 0;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const Cell a = path.cells[i], b = path.cells[i + 1];
    const Direction d = path.steps[i].direction;
    if (path.steps[i].kind != Step::Kind::move || a.x + kDx[static_cast<int>(d)] != b.x ||
        a.y + kDy[static_cast<int>(d)] != b.y || a.layer != b.layer)
      return "a step that does not lead there";
    if (!graph.moves(a).has(d)) return "an illegal step";
    cost += is_diagonal(d) ? base.diagonal : base.straight;
    diagonals += is_diagonal(d) ? 1u : 0u;
  }
  if (cost != path.cost || diagonals != path.diagonals) return "costs that do not add up";
  return {};
}

class JumpWorld {
 public:
  explicit JumpWorld(std::uint64_t seed) : draws(seed) {
    const bool long_rows = draws.percent(30);
    width = draws.between(1, long_rows ? 200 : 24);
    height = draws.between(1, long_rows && draws.percent(50) ? 200 : 24);
    walls = draws.below(45);
    std::vector<std::string> rows(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), '.'));
    for (std::string& row : rows)
      for (char& c : row)
        if (draws.percent(walls)) c = '#';
    map = map_of(rows);
    profile = body(draws.percent(70) ? 1 : draws.between(1, std::min({3, width, height})));
    profile.costs = draws.percent(50) ? CostBase::tens : CostBase::octile;
    graph = graph_of(map.view(), profile);
  }
  /// A few cells the other way round.
  void edit() {
    MapEdit edit;
    for (std::uint32_t i = 1 + draws.below(5); i > 0; --i)
      edit.cells.push_back({cell(), CellChange::terrain, draws.percent(50) ? kWall : kFloor});
    const Result<EditReport> report = map.apply(edit);
    ASSERT_TRUE(report.ok());
    graph = *graph.updated(map.view(), report->dirty);
  }
  Cell cell() { return {draws.between(0, width - 1), draws.between(0, height - 1), 0}; }

  Draws draws;
  int width = 1, height = 1;
  std::uint32_t walls = 0;
  GridMap map = map_of({"."});
  MovementProfile profile;
  NavGraph graph;
};

TEST(JumpPoints, CostWhatFieldsAndAStarSay) {
  const std::uint64_t worlds = long_run() ? 20000 : 500;
  PathFinder jumps, astar;
  FieldBuilder builder;
  Path a, b;
  std::uint64_t found = 0, unreachable = 0;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    JumpWorld w(seed);
    const StepCosts base = w.profile.costs == CostBase::tens ? StepCosts{10, 14} : StepCosts{985, 1393};
    for (int round = 0; round < 4; ++round) {
      if (round > 0) w.edit();
      const Cell goal = w.cell();
      const Result<FieldRef> field = builder.build(w.graph, {{{goal, 0}}, GoalPlacement::exact});
      for (int i = 0; i < 6; ++i) {
        const Cell from = w.cell();
        ASSERT_TRUE(jumps.find(w.graph, from, goal, a, kJump).ok());
        ASSERT_TRUE(astar.find(w.graph, from, goal, b, kAStar).ok());
        const std::string where = "seed " + std::to_string(seed) + " round " + std::to_string(round) + " from " +
                                  std::to_string(from.x) + "," + std::to_string(from.y) + " to " +
                                  std::to_string(goal.x) + "," + std::to_string(goal.y);
        ASSERT_EQ(a.status, b.status) << where;
        ASSERT_EQ(a.cost, b.cost) << where;
        unreachable += a.status == PathStatus::unreachable ? 1u : 0u;
        if (a.status != PathStatus::found) continue;
        ++found;
        ASSERT_EQ(a.algorithm, PathAlgorithm::jump_points);
        ASSERT_EQ(fault_of(w.graph, a, from, goal, base), "") << where;
        ASSERT_TRUE(field.ok());
        ASSERT_EQ(a.cost, (*field)->cost_to_goal(w.graph.shape().index(from))) << where;
      }
    }
  }
  EXPECT_GT(found, worlds);
  EXPECT_GT(unreachable, worlds / 4);
}

// More graphs than are remembered, in turn; each with edits.
TEST(JumpPoints, ManyGraphsInTurn) {
  PathFinder finder;
  std::vector<JumpWorld> worlds;
  for (std::uint64_t seed = 1; seed <= 7; ++seed) worlds.emplace_back(seed * 31);
  Path path;
  for (int round = 0; round < 60; ++round) {
    JumpWorld& w = worlds[static_cast<std::size_t>(round * 5 % 7)];
    if (round % 3 == 0) w.edit();
    const Cell from = w.cell(), to = w.cell();
    ASSERT_TRUE(finder.find(w.graph, from, to, path, kJump).ok());
    const Path other = *find_path(w.graph, from, to, kAStar);
    EXPECT_EQ(path.status, other.status) << round;
    EXPECT_EQ(path.cost, other.cost) << round;
  }
}

TEST(JumpPoints, LayersAreApart) {
  GridMap map = *GridMap::create({.width = 70, .height = 70, .layers = 3});
  MapEdit edit;
  for (std::int32_t y = 0; y < 69; ++y) edit.cells.push_back({{35, y, 1}, CellChange::terrain, kWall});
  ASSERT_TRUE(map.apply(edit).ok());
  const NavGraph graph = graph_of(map.view());
  for (std::int32_t layer = 0; layer < 3; ++layer) {
    const Path path = *find_path(graph, {0, 0, layer}, {69, 0, layer}, kJump),
               other = *find_path(graph, {0, 0, layer}, {69, 0, layer}, kAStar);
    EXPECT_EQ(path.cost, other.cost);
    EXPECT_EQ(path.status, PathStatus::found);
    EXPECT_EQ(path.cost == 690, layer != 1);
  }
}

TEST(JumpPoints, AreRefusedWhereTheyAreNotValidAndLeftToAStar) {
  const GridMap map = map_of({"....", ".#..", "...."});
  const auto refused = [](const NavGraph& graph) {
    const Result<Path> jump = find_path(graph, {0, 0}, {3, 2}, kJump), automatic = find_path(graph, {0, 0}, {3, 2});
    return jump.status().code() == StatusCode::argument && automatic.ok() &&
           automatic->algorithm == PathAlgorithm::astar;
  };
  EXPECT_FALSE(refused(graph_of(map.view())));
  EXPECT_TRUE(refused(graph_of(map.view(), body(1, CornerRule::strict, Moves::four))));
  EXPECT_TRUE(refused(graph_of(map.view(), body(1, CornerRule::one_free))));
  EXPECT_TRUE(refused(graph_of(map.view(), body(1, CornerRule::none))));
  MovementProfile uniform;
  uniform.costs = CostBase::uniform;
  EXPECT_TRUE(refused(graph_of(map.view(), uniform)));
  GridMap weighted = map_of({"....", ".#..", "...."});
  std::vector<std::uint32_t> weights(12, 1);
  weights[3] = 4;
  ASSERT_TRUE(weighted.set_weights(0, weights).ok());
  EXPECT_TRUE(refused(graph_of(weighted.view())));
  GridMap portal = map_of({"....", ".#..", "...."});
  ASSERT_TRUE(portal.add_portal({{0, 0, 0}, {3, 2, 0}, 5}).ok());
  EXPECT_TRUE(refused(graph_of(portal.view())));
  PathOptions manhattan;
  manhattan.heuristic = Heuristic::manhattan_may_be_dearer;
  EXPECT_EQ(find_path(graph_of(map.view()), {0, 0}, {3, 2}, manhattan)->algorithm, PathAlgorithm::astar);
}

TEST(JumpPoints, GiveUpWithinTheBudget) {
  JumpWorld w(3);
  const GridMap map = map_of(std::vector<std::string>{"#.#.....", "........", ".##.###.", ".....#.."});
  const NavGraph graph = graph_of(map.view());
  PathOptions options = kJump;
  const Path all = *find_path(graph, {0, 3}, {7, 3}, options);
  ASSERT_EQ(all.status, PathStatus::found);
  ASSERT_GT(all.expanded, 1u);
  options.budget = all.expanded;
  EXPECT_EQ(find_path(graph, {0, 3}, {7, 3}, options)->status, PathStatus::found);
  options.budget = 1;
  const Path given_up = *find_path(graph, {0, 3}, {7, 3}, options);
  EXPECT_EQ(given_up.status, PathStatus::budget_exceeded);
  EXPECT_TRUE(given_up.cells.empty());
}

}  // namespace
}  // namespace drover::test
