// SPDX-License-Identifier: MIT
// would_block on drawn maps: who loses every way, and who does not.
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"

#include <drover/search.hpp>

namespace drover::test {
namespace {

using Indices = std::vector<std::uint32_t>;

LostWays ask(const NavGraph& graph, const std::vector<Cell>& goals, const std::vector<Cell>& places,
             const std::vector<Cell>& cells) {
  BlockTester tester;
  LostWays lost;
  Status status = tester.prepare(graph, goals, places);
  EXPECT_TRUE(status.ok()) << status.message();
  status = tester.would_block(cells, lost);
  EXPECT_TRUE(status.ok()) << status.message();
  return lost;
}

const std::vector<std::string> kBridge{"....#....",  //
                                       "....#....",  //
                                       ".........",  //
                                       "....#....",  //
                                       "....#...."};

TEST(WouldBlock, ABridgeCutsOffWhoIsBeyondIt) {
  const NavGraph graph = graph_of(kBridge);
  const LostWays lost = ask(graph, {{8, 4}}, {{0, 0}, {7, 0}, {1, 2}}, {{4, 2}});
  EXPECT_EQ(lost.places, (Indices{0, 2}));
  EXPECT_TRUE(lost.goals.empty());  // the one at 7,0 still comes
  EXPECT_EQ(lost.places_left, 1u);
  EXPECT_EQ(lost.goals_left, 1u);
  EXPECT_EQ(ask(graph, {{8, 4}}, {{0, 0}}, {{4, 2}}).goals, (Indices{0}));
  EXPECT_TRUE(ask(graph, {{8, 4}}, {{0, 0}}, {{2, 2}}).places.empty());
  // Its one straight access: under `strict` nobody steps onto it past a corner, under `none` everyone does.
  EXPECT_EQ(ask(graph, {{8, 4}}, {{0, 0}}, {{3, 2}}).places, (Indices{0}));
  EXPECT_TRUE(ask(graph_of(kBridge, body(1, CornerRule::none)), {{8, 4}}, {{0, 0}}, {{3, 2}}).places.empty());
}

TEST(WouldBlock, AGapTwoWideNeedsBothCells) {
  std::vector<std::string> rows = kBridge;
  rows[3][4] = '.';
  const NavGraph graph = graph_of(rows);
  EXPECT_TRUE(ask(graph, {{8, 4}}, {{0, 0}}, {{4, 2}}).places.empty());
  EXPECT_TRUE(ask(graph, {{8, 4}}, {{0, 0}}, {{4, 3}}).places.empty());
  EXPECT_EQ(ask(graph, {{8, 4}}, {{0, 0}}, {{4, 2}, {4, 3}}).places, (Indices{0}));
  EXPECT_EQ(ask(graph, {{8, 4}}, {{0, 0}}, {{4, 3}, {0, 4}, {5, 2}}).places,
            (Indices{0}));  // no diagonal past a corner
  EXPECT_EQ(ask(graph_of(rows, body(2)), {{7, 3}}, {{0, 0}}, {{4, 2}}).places, (Indices{0}));  // too narrow for 2 x 2
}

TEST(WouldBlock, TheCornerRuleDecidesADiagonalSqueeze) {
  const std::vector<std::string> rows{"..#",  //
                                      "#..",  //
                                      "##."};
  const auto lost = [&](CornerRule corner, const std::vector<Cell>& cells, Moves moves = Moves::eight) {
    return ask(graph_of(rows, body(1, corner, moves)), {{2, 2}}, {{0, 0}}, cells).places;
  };
  EXPECT_EQ(lost(CornerRule::strict, {{1, 0}}), (Indices{0}));
  EXPECT_EQ(lost(CornerRule::one_free, {{1, 0}}), (Indices{0}));
  EXPECT_EQ(lost(CornerRule::none, {{1, 0}}), Indices{});  // straight through between two walls
  EXPECT_EQ(lost(CornerRule::none, {{1, 0}}, Moves::four), (Indices{0}));
  EXPECT_EQ(lost(CornerRule::none, {{1, 1}}), Indices{});
  EXPECT_EQ(lost(CornerRule::none, {{2, 1}}), Indices{});
  EXPECT_EQ(lost(CornerRule::none, {{1, 1}, {2, 1}}), (Indices{0}));
}

TEST(WouldBlock, WhoeversOwnCellClosesLosesItsWay) {
  const NavGraph graph = graph_of({"......"});
  LostWays lost = ask(graph, {{0, 0}, {5, 0}}, {{2, 0}, {3, 0}}, {{0, 0}, {3, 0}});
  EXPECT_EQ(lost.goals, (Indices{0, 1}));  // nobody is left who could come to the one on the right
  EXPECT_EQ(lost.places, (Indices{0, 1}));
  lost = ask(graph, {{0, 0}, {5, 0}}, {{2, 0}, {3, 0}}, {{0, 0}});
  EXPECT_EQ(lost.goals, (Indices{0}));
  EXPECT_TRUE(lost.places.empty());
}

TEST(WouldBlock, NobodyLosesWhatItDoesNotHave) {
  const NavGraph graph = graph_of({"..#..", "..#.?"});
  EXPECT_TRUE(ask(graph, {{4, 0}}, {{0, 0}, {2, 0}}, {{0, 0}, {1, 0}}).places.empty());  // shut in before
  const LostWays lost = ask(graph, {{4, 0}, {2, 0}, {4, 1}}, {{0, 0}}, {{3, 0}, {3, 1}, {2, 1}});
  EXPECT_TRUE(lost.places.empty() && lost.goals.empty());
}

TEST(WouldBlock, WithoutPlacesAGoalIsLostWhenNoOtherCellReachesIt) {
  const NavGraph graph = graph_of({"....", "...."});
  EXPECT_EQ(ask(graph, {{0, 0}}, {}, {{1, 0}, {0, 1}}).goals, (Indices{0}));
  EXPECT_EQ(ask(graph, {{0, 0}}, {}, {{1, 0}}).goals, Indices{});
  EXPECT_EQ(ask(graph, {{0, 0}}, {}, {{0, 0}}).goals, (Indices{0}));
  EXPECT_EQ(ask(graph_of({".#."}), {{0, 0}}, {}, {{0, 0}}).goals, Indices{});  // nobody ever came
}

TEST(WouldBlock, AOneWayIsNoWayBack) {
  GridMap map = map_of({".....", "####.", "....."});
  MapEdit edit;
  edit.steps.push_back({{{4, 1, 0}, Direction::north}, false});
  ASSERT_TRUE(map.apply(edit).ok());
  const NavGraph graph = graph_of(map.view());
  // From above to below leads the ledge at 4,1; from below nothing leads up.
  EXPECT_EQ(ask(graph, {{0, 2}}, {{0, 0}, {4, 2}}, {{4, 1}}).places, (Indices{0}));
  EXPECT_TRUE(ask(graph, {{0, 0}}, {{0, 2}}, {{4, 1}}).places.empty());
  EXPECT_EQ(ask(graph, {{0, 0}}, {{0, 2}, {3, 0}}, {{1, 0}}).places, (Indices{1}));
}

TEST(WouldBlock, APortalLeadsOneWayAndClosesWithEitherEnd) {
  GridMap map = map_of({"...#...", "...#..."});
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {6, 1, 0}, 3}).ok());
  const NavGraph graph = graph_of(map.view());
  EXPECT_EQ(ask(graph, {{4, 0}}, {{2, 0}}, {{0, 0}}).places, (Indices{0}));
  EXPECT_EQ(ask(graph, {{4, 0}}, {{2, 0}}, {{6, 1}}).places, (Indices{0}));
  EXPECT_EQ(ask(graph, {{4, 0}}, {{2, 0}}, {{0, 1}, {1, 0}}).goals, (Indices{0}));  // the way to its near end
  EXPECT_TRUE(ask(graph, {{4, 0}}, {{2, 0}}, {{0, 1}}).places.empty());
  EXPECT_TRUE(ask(graph, {{2, 0}}, {{4, 0}}, {{6, 1}}).places.empty());  // it never led that way
}

TEST(WouldBlock, LayersMeetOnlyInPortals) {
  GridMapDef def;
  def.width = def.height = 3;
  def.layers = 2;
  GridMap map = *GridMap::create(def);
  ASSERT_TRUE(map.add_portal({{2, 2, 0}, {0, 0, 1}}).ok());
  const NavGraph graph = graph_of(map.view());
  EXPECT_EQ(ask(graph, {{2, 2, 1}}, {{0, 0, 0}}, {{0, 0, 1}}).places, (Indices{0}));
  EXPECT_EQ(ask(graph, {{2, 2, 1}}, {{0, 0, 0}}, {{0, 1, 1}, {1, 0, 1}}).places, (Indices{0}));
  EXPECT_TRUE(ask(graph, {{2, 2, 1}}, {{0, 0, 0}}, {{0, 1, 1}, {0, 1, 0}}).places.empty());
}

TEST(WouldBlock, CallsThatMakeNoSenseAreRefusedByName) {
  const NavGraph graph = graph_of({"..."});
  BlockTester tester;
  LostWays lost{{1}, {2}, 3, 4};
  const std::vector<Cell> inside{{0, 0}}, outside{{0, 0}, {3, 0}};
  EXPECT_EQ(tester.would_block(inside, lost).code(), StatusCode::argument);
  EXPECT_TRUE(lost.goals.empty() && lost.places.empty());
  EXPECT_EQ(tester.prepare({}, inside, inside).code(), StatusCode::argument);
  EXPECT_EQ(tester.prepare(graph, outside, inside).message(), "the goal 3,0,0 is outside; the map has 3x1x1 cells");
  EXPECT_EQ(tester.prepare(graph, inside, outside).message(), "the place 3,0,0 is outside; the map has 3x1x1 cells");
  EXPECT_EQ(tester.would_block(inside, lost).code(), StatusCode::argument);
  ASSERT_TRUE(tester.prepare(graph, inside, inside).ok());
  EXPECT_EQ(tester.would_block(outside, lost).code(), StatusCode::position);
  EXPECT_TRUE(tester.would_block({}, lost).ok());
  EXPECT_EQ(lost.goals_left + lost.places_left, 2u);
  BlockTester taken = std::move(tester);
  EXPECT_EQ(tester.would_block(inside, lost).code(), StatusCode::argument);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(tester.prepare(graph, inside, inside).code(), StatusCode::argument);
  EXPECT_TRUE(taken.would_block(inside, lost).ok());
  EXPECT_EQ(lost.goals, (Indices{0}));
}

TEST(WouldBlock, WithoutMemoryNothingIsPrepared) {
  const NavGraph graph = graph_of(kBridge);
  const std::vector<Cell> goal{{8, 4}}, place{{0, 0}}, bridge{{4, 2}};
  CountingAllocator memory;
  {
    BlockTester tester(memory.host());
    LostWays lost;
    memory.fail_at(0);
    EXPECT_EQ(tester.prepare(graph, goal, place).code(), StatusCode::out_of_memory);
    EXPECT_EQ(tester.would_block(bridge, lost).code(), StatusCode::argument);
    ASSERT_TRUE(tester.prepare(graph, goal, place).ok());
    ASSERT_TRUE(tester.would_block(bridge, lost).ok());
    EXPECT_EQ(lost.places, (Indices{0}));
  }
  EXPECT_EQ(memory.bytes_out(), 0u);
}

}  // namespace
}  // namespace drover::test
