// SPDX-License-Identifier: MIT
// Searches on maps small enough to work out by hand: ends, ties, portals, budgets, memory.
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"

#include <drover/search.hpp>

namespace drover::test {
namespace {

Path path_on(const NavGraph& graph, Cell from, Cell to, const PathOptions& options = {}) {
  Result<Path> path = find_path(graph, from, to, options);
  EXPECT_TRUE(path.ok()) << path.status().message();
  return path ? *std::move(path) : Path{};
}

TEST(Search, EndsThatCannotBeStoodOnHaveWordsOfTheirOwn) {
  const NavGraph graph = graph_of({"..#.?", "....?"});
  EXPECT_EQ(path_on(graph, {2, 0}, {0, 0}).status, PathStatus::start_blocked);
  EXPECT_EQ(path_on(graph, {2, 0}, {2, 0}).status, PathStatus::start_blocked);
  EXPECT_EQ(path_on(graph, {2, 0}, {4, 0}).status, PathStatus::start_blocked);
  EXPECT_EQ(path_on(graph, {0, 0}, {2, 0}).status, PathStatus::goal_blocked);
  EXPECT_EQ(path_on(graph, {4, 0}, {2, 0}).status, PathStatus::start_unknown);
  EXPECT_EQ(path_on(graph, {0, 0}, {4, 0}).status, PathStatus::goal_unknown);
  EXPECT_EQ(path_on(graph, {0, 0}, {3, 0}).status, PathStatus::found);
}

TEST(Search, FreeGroundWithoutRoomForTheBodyIsBlocked) {
  const NavGraph graph = graph_of({"...", "..."}, body(2));
  EXPECT_EQ(path_on(graph, {0, 0}, {1, 0}).cost, 10u);
  EXPECT_EQ(path_on(graph, {0, 1}, {1, 0}).status, PathStatus::start_blocked);
  EXPECT_EQ(path_on(graph, {0, 0}, {2, 0}).status, PathStatus::goal_blocked);
}

TEST(Search, CallsThatMakeNoSenseAreRefusedByName) {
  const NavGraph graph = graph_of({"..."});
  EXPECT_EQ(find_path(graph, {3, 0}, {0, 0}).status().code(), StatusCode::position);
  EXPECT_EQ(find_path(graph, {0, 0}, {0, -1}).status().message(),
            "the goal 0,-1,0 is outside; the map has 3x1x1 cells");
  EXPECT_EQ(find_path({}, {0, 0}, {0, 0}).status().code(), StatusCode::argument);
  PathFinder finder;
  PathFinder taken = std::move(finder);
  Path path;
  EXPECT_EQ(finder.find(graph, {0, 0}, {2, 0}, path).code(), StatusCode::argument);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(taken.find(graph, {0, 0}, {2, 0}, path).ok());
  EXPECT_EQ(path.cost, 20u);
}

TEST(Search, AFailedSearchLeavesNothingOfTheOneBefore) {
  const NavGraph graph = graph_of({"..#."});
  PathFinder finder;
  Path path;
  ASSERT_TRUE(finder.find(graph, {0, 0}, {1, 0}, path).ok());
  EXPECT_EQ(path.steps.size(), 1u);
  ASSERT_TRUE(finder.find(graph, {0, 0}, {3, 0}, path).ok());
  EXPECT_EQ(path.status, PathStatus::unreachable);
  EXPECT_EQ(path.cost, kInfiniteCost);
  EXPECT_TRUE(path.cells.empty() && path.steps.empty());
  EXPECT_EQ(path.expanded, 0u);
}

// Two ways round the wall cost 40 each. 0,0 and 0,2 both have F 40 and H 30: the smaller index goes first.
TEST(Search, EqualWaysAreDecidedByTheSmallerCell) {
  MovementProfile profile;
  profile.moves = Moves::four;
  const NavGraph graph = graph_of({"...", ".#.", "..."}, profile);
  const Path path = path_on(graph, {0, 1}, {2, 1});
  EXPECT_EQ(path.cells, (std::vector<Cell>{{0, 1}, {0, 0}, {1, 0}, {2, 0}, {2, 1}}));
  EXPECT_EQ(path.cost, 40u);
}

TEST(Search, AnEmptyPlaneIsCrossedWithoutLookingAside) {
  const NavGraph graph = graph_of(std::vector<std::string>(50, std::string(50, '.')));
  PathOptions astar;
  astar.algorithm = PathAlgorithm::astar;
  EXPECT_EQ(path_on(graph, {0, 0}, {49, 49}, astar).expanded, 49u);
  EXPECT_EQ(path_on(graph, {0, 0}, {49, 0}, astar).expanded, 49u);
  EXPECT_EQ(path_on(graph, {0, 0}, {49, 49}).expanded, 1u);  // by jump points
  MovementProfile dear;
  dear.terrain = {{kFloor, 7, true}};
  const NavGraph swamp = graph_of(std::vector<std::string>(50, std::string(50, '.')), dear);
  EXPECT_EQ(path_on(swamp, {0, 0}, {49, 49}, astar).expanded, 49u);  // the estimate knows the least factor
}

TEST(Search, TheBudgetIsExact) {
  const NavGraph graph = graph_of({"......"});
  PathOptions options;
  options.algorithm = PathAlgorithm::astar;
  options.budget = 5;
  EXPECT_EQ(path_on(graph, {0, 0}, {5, 0}, options).status, PathStatus::found);
  options.budget = 4;
  const Path path = path_on(graph, {0, 0}, {5, 0}, options);
  EXPECT_EQ(path.status, PathStatus::budget_exceeded);
  EXPECT_EQ(path.expanded, 4u);
  EXPECT_TRUE(path.cells.empty());
  options.budget = 0;
  EXPECT_EQ(path_on(graph, {3, 0}, {3, 0}, options).status, PathStatus::found);
}

GridMap two_floors(std::uint32_t cost, Cell from, Cell to) {
  GridMapDef def;
  def.width = 20;
  def.height = 2;
  def.layers = 2;
  GridMap map = *GridMap::create(def);
  EXPECT_TRUE(map.add_portal({from, to, cost, true}).ok());
  return map;
}

// Stairs that cost nothing but stay where they are leave the estimate as it is.
TEST(Search, StairsOnTheSpotKeepTheEstimate) {
  const Path path = path_on(graph_of(two_floors(0, {10, 0, 0}, {10, 0, 1}).view()), {0, 0, 0}, {19, 0, 1});
  EXPECT_EQ(path.cost, 190u);
  EXPECT_EQ(path.portals, 1u);
  EXPECT_EQ(path.steps.size(), 20u);
  EXPECT_EQ(path.steps[10].kind, Step::Kind::portal);
  EXPECT_EQ(path.expanded, 29u);  // the row of the lower floor, and half the row of the upper one
}

// A step back to a portal that leads to the far end for 5: 29 in all, where the distance alone would say 180.
TEST(Search, ACheapShortcutIsNotMissed) {
  const Path path = path_on(graph_of(two_floors(5, {0, 1, 0}, {19, 1, 0}).view()), {1, 0, 0}, {19, 0, 0});
  EXPECT_EQ(path.cost, 14u + 5u + 10u);
  EXPECT_EQ(path.portals, 1u);
}

TEST(Search, PortalsLeadOneWay) {
  const NavGraph graph = graph_of(two_floors(5, {0, 0, 0}, {0, 0, 1}).view());
  EXPECT_EQ(path_on(graph, {0, 0, 0}, {0, 0, 1}).cost, 5u);
  const Path back = path_on(graph, {0, 0, 1}, {0, 0, 0});
  EXPECT_EQ(back.status, PathStatus::unreachable);
  EXPECT_EQ(back.expanded, 40u);  // one component: only a search can tell
}

// Free ground round a dear start: 10 for the first step out, then nothing.
TEST(Search, FreeGroundIsCrossedForNothing) {
  GridMap map = map_of({".....", ".....", "....."});
  std::vector<std::uint32_t> weights(15, 0);
  weights[7] = 9;  // 2,1
  ASSERT_TRUE(map.set_weights(0, weights).ok());
  const NavGraph graph = graph_of(map.view());
  EXPECT_EQ(path_on(graph, {0, 1}, {4, 1}).cost, 0u);
  EXPECT_EQ(path_on(graph, {0, 1}, {2, 1}).cost, 90u);
}

TEST(Search, ManhattanForEightMovesIsCheaperToRunAndMayBeDearerToWalk) {
  Draws draws(5);
  PathOptions options;
  options.heuristic = Heuristic::manhattan_may_be_dearer;
  int dearer = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<std::string> rows = draws.rows(20, 20, 25);
    rows[0][0] = rows[19][19] = '.';
    const NavGraph graph = graph_of(rows);
    const Path best = path_on(graph, {0, 0}, {19, 19}), quick = path_on(graph, {0, 0}, {19, 19}, options);
    ASSERT_EQ(best.status, quick.status);
    if (best.status != PathStatus::found) continue;
    EXPECT_GE(quick.cost, best.cost);
    Cost sum = 0;
    for (std::size_t s = 0; s < quick.steps.size(); ++s)
      sum += graph.step_cost(quick.cells[s], quick.steps[s].direction).value();
    EXPECT_EQ(sum, quick.cost);
    dearer += quick.cost > best.cost ? 1 : 0;
  }
  EXPECT_GT(dearer, 0);
}

TEST(Search, OnceGrownASearchTakesNoMemory) {
  CountingAllocator memory;
  const std::vector<std::string> rows(64, std::string(64, '.'));
  const NavGraph graph = graph_of(rows), small = graph_of({"...", "..."});
  PathFinder finder(memory.host());
  Path path;
  ASSERT_TRUE(finder.find(small, {0, 0}, {2, 1}, path).ok());
  ASSERT_TRUE(finder.find(graph, {0, 0}, {63, 40}, path).ok());
  const std::uint64_t calls = memory.calls();
  EXPECT_GT(calls, 0u);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(finder.find(graph, {i, 0}, {40, 63 - i}, path).ok());
    EXPECT_EQ(path.status, PathStatus::found);
    ASSERT_TRUE(finder.find(small, {0, 0}, {2, 1}, path).ok());
    EXPECT_EQ(path.cost, 24u);
  }
  EXPECT_EQ(memory.calls(), calls);
}

TEST(Search, RefusedMemoryIsSaidAndTheFinderStaysUsable) {
  const NavGraph graph = graph_of(std::vector<std::string>(64, std::string(64, '.')));
  for (std::uint64_t call = 0;; ++call) {
    CountingAllocator memory;
    PathFinder finder(memory.host());
    memory.fail_at(call);
    Path path;
    const Status status = finder.find(graph, {0, 0}, {63, 40}, path);
    if (status.ok()) {
      EXPECT_GE(call, 2u);  // nodes and heap
      break;
    }
    EXPECT_EQ(status.code(), StatusCode::out_of_memory);
    EXPECT_TRUE(path.cells.empty());
    ASSERT_TRUE(finder.find(graph, {0, 0}, {63, 40}, path).ok());
    EXPECT_EQ(path.cost, 40u * 14 + 23u * 10);
  }
}

}  // namespace
}  // namespace drover::test
