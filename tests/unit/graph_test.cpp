// SPDX-License-Identifier: MIT
// Compiled graphs on maps small enough to work out by hand.
#include "nav/compiled_graph.hpp"
#include "support/grids.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>
#include <drover/graph.hpp>

#include <optional>
#include <string>
#include <vector>

namespace drover {
namespace {

using test::body;
using test::graph_of;
using test::map_of;
using test::set_door;
using test::set_terrain;
using Sizes = std::vector<std::uint64_t>;

// "N E SE", in tie order.
std::string moves(const NavGraph& graph, Cell c) {
  std::string text;
  for (int d = 0; d < kDirections; ++d) {
    const auto direction = static_cast<Direction>(d);
    if (!graph.moves(c).has(direction)) continue;
    if (!text.empty()) text += ' ';
    text += to_string(direction);
  }
  return text;
}

std::string footings(const NavGraph& graph) {
  static constexpr std::string_view kLetters = ".#n?";
  std::string text;
  const GridShape& shape = graph.shape();
  for (int y = 0; y < shape.height(); ++y) {
    for (int x = 0; x < shape.width(); ++x)
      text += kLetters[static_cast<std::size_t>(graph.footing({x + shape.origin().x, y + shape.origin().y, 0}))];
    text += y + 1 < shape.height() ? "/" : "";
  }
  return text;
}

TEST(NavGraph, AnEmptyGraphAnswersThatNothingIsThere) {
  const NavGraph graph;
  EXPECT_TRUE(graph.null());
  EXPECT_EQ(graph.footing({0, 0, 0}), Footing::outside);
  EXPECT_TRUE(graph.moves({0, 0, 0}).empty());
  EXPECT_FALSE(graph.connected({0, 0, 0}, {0, 0, 0}));
  EXPECT_EQ(graph.updated(map_of({"."}).view(), {}).status().code(), StatusCode::handle);
}

TEST(NavGraph, StepsStayOnTheMap) {
  const NavGraph graph = graph_of({"..", ".."});
  EXPECT_EQ(moves(graph, {0, 0, 0}), "E S SE");
  EXPECT_EQ(moves(graph, {1, 1, 0}), "N W NW");
  EXPECT_EQ(moves(graph_of({"..", ".."}, body(1, CornerRule::strict, Moves::four)), {0, 0, 0}), "E S");
  EXPECT_EQ(moves(graph, {2, 0, 0}), "");
  EXPECT_EQ(graph.footing({2, 0, 0}), Footing::outside);
}

TEST(NavGraph, CellsBelowZeroAreCells) {
  GridMapDef def;
  def.width = 2;
  def.height = 2;
  def.origin = {-3, -7, 0};
  const NavGraph graph = graph_of(GridMap::create(def)->view());
  EXPECT_EQ(moves(graph, {-3, -7, 0}), "E S SE");
  EXPECT_EQ(graph.footing({0, 0, 0}), Footing::outside);
}

TEST(NavGraph, AnUnknownCellIsNeitherFreeNorWall) {
  EXPECT_EQ(footings(graph_of({".?", "#."})), ".?/#.");
  EXPECT_EQ(moves(graph_of({".?."}), {0, 0, 0}), "");
  // A body that would cover it has no room; only its own cell says unknown.
  EXPECT_EQ(footings(graph_of({"..?..", "....."}, body(2))), ".n?.n/nnnnn");
}

TEST(NavGraph, ABodyAnchorsAtItsUpperLeftCell) {
  EXPECT_EQ(footings(graph_of({"...", "...", "..."}, body(2))), "..n/..n/nnn");
  EXPECT_EQ(footings(graph_of({"....", "..#.", "...."}, body(2))), ".nnn/.n#n/nnnn");
  EXPECT_EQ(footings(graph_of({"...", "...", "..."}, body(3))), ".nn/nnn/nnn");
}

TEST(NavGraph, ABodyThatDoesNotFitOnTheMapIsRefused) {
  const GridMap map = map_of({"....", "....", "....", "....", "....", "....", "....", "....", "...."});
  const Result<NavGraph> graph = NavGraph::compile(map.view(), body(5));
  EXPECT_EQ(graph.status().code(), StatusCode::footprint);
  EXPECT_NE(graph.status().message().find("4x9"), std::string::npos) << graph.status().message();
  EXPECT_TRUE(NavGraph::compile(map.view(), body(4)).ok());
  EXPECT_EQ(NavGraph::compile(map.view(), body(9)).status().code(), StatusCode::footprint);
}

TEST(NavGraph, ABodyThatFitsNowhereCompiles) {
  const NavGraph graph = graph_of({"..#", "..#", "###"}, body(3));
  EXPECT_EQ(graph.open_cells(), 0u);
  EXPECT_TRUE(graph.component_sizes().empty());
  EXPECT_EQ(graph.compiled().min_factor(), 0u);
  EXPECT_EQ(graph.compiled().max_factor(), 0u);
}

TEST(NavGraph, AClosedDoorBlocksEveryone) {
  GridMap map = map_of({"...", "###"});
  ASSERT_TRUE(map.add_door({"gate", {{1, 0, 0}}}).ok());
  EXPECT_TRUE(graph_of(map.view()).connected({0, 0, 0}, {2, 0, 0}));
  ASSERT_TRUE(map.apply(set_door(0, DoorState::closed)).ok());
  const NavGraph closed = graph_of(map.view());
  EXPECT_FALSE(closed.connected({0, 0, 0}, {2, 0, 0}));
  EXPECT_EQ(closed.footing({1, 0, 0}), Footing::blocked);
}

TEST(NavGraph, AProfileOverridesPassabilityAndCost) {
  const std::vector<std::string> rows{".#SW"};
  EXPECT_EQ(footings(graph_of(rows)), ".#.#");
  MovementProfile boat;
  boat.terrain = {{4, 3u, true}, {kFloor, std::nullopt, false}, {3, 0u, std::nullopt}};
  const NavGraph graph = graph_of(rows, boat);
  EXPECT_EQ(footings(graph), "##..");
  EXPECT_EQ(graph.step_cost({2, 0, 0}, Direction::east), Cost{30});
  EXPECT_EQ(graph.step_cost({3, 0, 0}, Direction::west), Cost{0});
  EXPECT_EQ(graph.step_cost({3, 0, 0}, Direction::east), std::nullopt);

  // Even one that walks through walls stays on the map.
  MovementProfile ghost;
  ghost.terrain = {{kWall, std::nullopt, true}};
  EXPECT_EQ(moves(graph_of({"##", "##"}, ghost), {1, 1, 0}), "N W NW");
}

TEST(NavGraph, StepsCostTheirBaseTimesTheCellThatIsEntered) {
  GridMap map = map_of({"...", "..."});
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}).ok());
  MovementProfile profile;
  profile.terrain = {{kFloor, 100u, std::nullopt}};  // weights replace it
  const NavGraph graph = graph_of(map.view(), profile);
  EXPECT_EQ(graph.step_cost({0, 0, 0}, Direction::east), Cost{20});
  EXPECT_EQ(graph.step_cost({0, 0, 0}, Direction::south_east), Cost{70});
  EXPECT_EQ(graph.step_cost({1, 1, 0}, Direction::north_west), Cost{14});
  profile.costs = CostBase::octile;
  EXPECT_EQ(graph_of(map.view(), profile).step_cost({0, 0, 0}, Direction::south_east), Cost{5 * 1393});
}

TEST(NavGraph, LayersAreApartAndAProfileMayBeKeptOffSome) {
  GridMapDef def;
  def.width = 3;
  def.height = 2;
  def.layers = 2;
  const GridMap map = *GridMap::create(def);
  EXPECT_EQ(graph_of(map.view()).component_sizes(), (Sizes{6, 6}));
  MovementProfile upstairs;
  upstairs.layers = {1};
  const NavGraph graph = graph_of(map.view(), upstairs);
  EXPECT_EQ(graph.component_sizes(), (Sizes{6}));
  EXPECT_EQ(graph.footing({0, 0, 0}), Footing::blocked);
  EXPECT_EQ(graph.footing({0, 0, 1}), Footing::open);
}

TEST(NavGraph, ComponentsFollowTheCornerRule) {
  const std::vector<std::string> rows{".#.", "#.#", ".#."};
  EXPECT_EQ(graph_of(rows).component_sizes(), (Sizes{1, 1, 1, 1, 1}));
  EXPECT_EQ(graph_of(rows, body(1, CornerRule::one_free)).component_sizes(), (Sizes{1, 1, 1, 1, 1}));
  EXPECT_EQ(graph_of(rows, body(1, CornerRule::none)).component_sizes(), (Sizes{5}));
  EXPECT_EQ(graph_of(rows, body(1, CornerRule::none, Moves::four)).component_sizes(), (Sizes{1, 1, 1, 1, 1}));
}

TEST(NavGraph, ComponentsAreCountedByTheirFirstCell) {
  // The middle set begins in row 0, column 2; the right arm joins the left one only in row 2.
  const NavGraph graph = graph_of({".#.#.", ".###.", "....."});
  EXPECT_EQ(graph.component_sizes(), (Sizes{9, 1}));
  EXPECT_TRUE(graph.connected({0, 0, 0}, {4, 0, 0}));
  EXPECT_FALSE(graph.connected({0, 0, 0}, {2, 0, 0}));
  EXPECT_FALSE(graph.connected({1, 0, 0}, {1, 0, 0}));
  EXPECT_FALSE(graph.connected({0, 0, 0}, {9, 9, 0}));
}

TEST(NavGraph, FactorsAreAPlaneOnlyWhereTheyDiffer) {
  MovementProfile profile;
  profile.terrain = {{3, 4u, std::nullopt}};
  const NavGraph plain = graph_of({"..#", "..."}, profile);
  EXPECT_EQ(plain.compiled().factors(), nullptr);
  EXPECT_EQ(plain.compiled().uniform_factor(), 1u);
  const NavGraph all_swamp = graph_of({"SS#", "SSS"}, profile);
  EXPECT_EQ(all_swamp.compiled().factors(), nullptr);
  EXPECT_EQ(all_swamp.compiled().uniform_factor(), 4u);
  const NavGraph mixed = graph_of({".S#", "..."}, profile);
  ASSERT_NE(mixed.compiled().factors(), nullptr);
  EXPECT_EQ(mixed.compiled().min_factor(), 1u);
  EXPECT_EQ(mixed.compiled().max_factor(), 4u);
  // Two by two, every placement covers the swamp.
  profile.footprint = 2;
  EXPECT_EQ(graph_of({".S.", "..."}, profile).compiled().factors(), nullptr);
}

TEST(NavGraphUpdate, FactorsComeAndGoWithTheFirstAndLastOtherCell) {
  MovementProfile profile;
  profile.terrain = {{3, 4u, std::nullopt}};
  GridMap map = map_of(std::vector<std::string>(200, std::string(200, '.')));
  NavGraph graph = graph_of(map.view(), profile);
  const std::uint64_t uniform = graph.content_hash();
  const auto edit = [&](Cell c, TerrainId terrain) {
    const EditReport report = *map.apply(set_terrain(c, terrain));
    graph = *graph.updated(map.view(), report.dirty);
    EXPECT_EQ(graph.content_hash(), graph_of(map.view(), profile).content_hash());
  };
  edit({70, 70, 0}, 3);
  ASSERT_NE(graph.compiled().factors(), nullptr);
  EXPECT_EQ(graph.compiled().max_factor(), 4u);
  edit({70, 70, 0}, kFloor);
  EXPECT_EQ(graph.compiled().factors(), nullptr);
  EXPECT_EQ(graph.content_hash(), uniform);
}

TEST(NavGraphUpdate, PlanesThatStayAreShared) {
  GridMap map = map_of(std::vector<std::string>(200, std::string(200, '.')));
  std::vector<std::uint32_t> weights(200 * 200, 1);
  weights[0] = 2;
  ASSERT_TRUE(map.set_weights(0, weights).ok());
  ASSERT_TRUE(map.add_door({"gate", {{50, 50, 0}}}).ok());
  const NavGraph before = graph_of(map.view());

  const EditReport ground = *map.apply(set_terrain({9, 9, 0}, 2));  // as passable as floor, and weights decide the cost
  const NavGraph same = *before.updated(map.view(), ground.dirty);
  EXPECT_EQ(same.compiled().moves(), before.compiled().moves());
  EXPECT_EQ(same.compiled().factors(), before.compiled().factors());
  EXPECT_EQ(same.content_hash(), before.content_hash());

  const EditReport closed = *map.apply(set_door(0, DoorState::closed));
  const NavGraph after = *same.updated(map.view(), closed.dirty);
  EXPECT_NE(after.compiled().moves(), before.compiled().moves());
  EXPECT_NE(after.content_hash(), before.content_hash());
  EXPECT_EQ(before.footing({50, 50, 0}), Footing::open);
  EXPECT_EQ(after.footing({50, 50, 0}), Footing::blocked);
}

TEST(NavGraphUpdate, AnotherMapOrNewWeightsAreCompiledAnew) {
  GridMap map = map_of({"...", "..."});
  const NavGraph graph = graph_of(map.view());
  EXPECT_EQ(graph.updated(map_of({".....", "....."}).view(), {})->open_cells(), 10u);
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>{1, 7, 1, 1, 1, 1}).ok());
  EXPECT_EQ(graph.updated(map.view(), {})->step_cost({0, 0, 0}, Direction::east), Cost{70});
}

TEST(NavGraphHash, AnEditThatIsUndoneGivesTheOldHash) {
  GridMap map = map_of(std::vector<std::string>(100, std::string(300, '.')));
  const NavGraph start = graph_of(map.view(), body(2));
  const EditReport there = *map.apply(set_terrain({64, 50, 0}, kWall));
  const NavGraph walled = *start.updated(map.view(), there.dirty);
  EXPECT_NE(walled.content_hash(), start.content_hash());
  const EditReport back = *map.apply(set_terrain({64, 50, 0}, kFloor));
  EXPECT_EQ(walled.updated(map.view(), back.dirty)->content_hash(), start.content_hash());
}

TEST(NavGraphHash, EqualStepsAndCostsAreOneHashWhateverTheName) {
  const std::vector<std::string> open{"....", "....", "...."};
  MovementProfile other;
  other.name = "other";
  const std::uint64_t hash = graph_of(open).content_hash();
  EXPECT_EQ(graph_of(open, other).content_hash(), hash);
  EXPECT_EQ(graph_of(open, body(1, CornerRule::none)).content_hash(), hash);  // no corner to cut
  other.terrain = {{3, 9u, std::nullopt}};                                    // no swamp here
  EXPECT_EQ(graph_of(open, other).content_hash(), hash);

  other.terrain = {{kFloor, 2u, std::nullopt}};
  EXPECT_NE(graph_of(open, other).content_hash(), hash);
  other.terrain.clear();
  other.costs = CostBase::octile;
  EXPECT_NE(graph_of(open, other).content_hash(), hash);
  EXPECT_NE(graph_of(open, body(1, CornerRule::strict, Moves::four)).content_hash(), hash);
  EXPECT_NE(graph_of(open, body(2)).content_hash(), hash);
  EXPECT_NE(graph_of({"....", "....", "....", "...."}).content_hash(), hash);
}

TEST(NavGraphHash, WeightsThatAgreeAreTheSameAsACostThatAgrees) {
  GridMap map = map_of({"....", "...."});
  MovementProfile profile;
  profile.terrain = {{kFloor, 5u, std::nullopt}};
  const std::uint64_t by_cost = graph_of(map.view(), profile).content_hash();
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>(8, 5)).ok());
  EXPECT_EQ(graph_of(map.view()).content_hash(), by_cost);
}

TEST(NavGraphDirected, AStepCostsItsGroundItsSlopeItsExtraAndItsDoor) {
  GridMapDef def;
  def.width = 3;
  def.height = 1;
  def.slope = {5, 2};
  GridMap map = *GridMap::create(def);
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>{1, 3, 1}).ok());
  ASSERT_TRUE(map.set_heights(0, std::vector<std::int32_t>{0, 4, 1}).ok());
  ASSERT_TRUE(map.apply({{}, {}, {{{{0, 0, 0}, Direction::east}, true, 100}}, {}}).ok());
  ASSERT_TRUE(map.add_door({"door", {{1, 0, 0}}, true, {}, 1000}).ok());
  const NavGraph graph = graph_of(map.view());
  EXPECT_TRUE(graph.directed());
  EXPECT_EQ(graph.step_cost({0, 0, 0}, Direction::east), 10u * 3 + 5 * 4 + 100 + 1000);
  EXPECT_EQ(graph.step_cost({1, 0, 0}, Direction::west), 10u + 2 * 4);
  EXPECT_EQ(graph.step_cost({1, 0, 0}, Direction::east), 10u + 2 * 3);
  EXPECT_EQ(graph.step_cost({2, 0, 0}, Direction::west), 10u * 3 + 5 * 3 + 1000);
}

// A body of 2 x 2 covers the ledge from two places, and stands on the higher of the cells below it.
TEST(NavGraphDirected, WhatHoldsForACellHoldsForTheBodyThatCoversIt) {
  GridMapDef def;
  def.width = 4;
  def.height = 2;
  def.slope = {5, 0};
  GridMap map = *GridMap::create(def);
  ASSERT_TRUE(map.apply({{}, {}, {{{{1, 1, 0}, Direction::east}, false, 0}}, {}}).ok());
  const NavGraph ledge = graph_of(map.view(), body(2));
  EXPECT_FALSE(ledge.moves({0, 0, 0}).has(Direction::east));
  EXPECT_FALSE(ledge.moves({1, 0, 0}).has(Direction::east));
  EXPECT_TRUE(ledge.moves({1, 0, 0}).has(Direction::west));
  ASSERT_TRUE(map.set_heights(0, std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 3, 0}).ok());
  const NavGraph hill = graph_of(map.view(), body(2));
  EXPECT_EQ(hill.step_cost({2, 0, 0}, Direction::west), 10u);
  EXPECT_EQ(graph_of(map.view()).step_cost({1, 1, 0}, Direction::east), std::nullopt);
  ASSERT_TRUE(map.apply({{}, {}, {{{{1, 1, 0}, Direction::east}, true, 0}}, {}}).ok());
  EXPECT_EQ(graph_of(map.view(), body(2)).step_cost({0, 0, 0}, Direction::east), 10u + 5 * 3);
  EXPECT_EQ(graph_of(map.view(), body(2)).step_cost({1, 0, 0}, Direction::east), 10u);
}

TEST(NavGraphDirected, APortalNeedsRoomAtBothEndsAndJoinsComponents) {
  GridMap map = map_of({"..#..", "..#.#"});
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {3, 0, 0}, 7}).ok());
  const NavGraph small = graph_of(map.view()), large = graph_of(map.view(), body(2));
  EXPECT_EQ(small.portal_cost(0), 7u);
  EXPECT_EQ(small.portal_cost(1), std::nullopt);
  EXPECT_TRUE(small.connected({4, 0, 0}, {1, 1, 0}));
  EXPECT_EQ(small.component_sizes(), (std::vector<std::uint64_t>{7}));
  EXPECT_EQ(large.portal_cost(0), std::nullopt);
  EXPECT_FALSE(large.directed());
  const std::uint64_t open = small.content_hash();
  const Result<EditReport> closed = map.apply({{}, {}, {}, {{0, false}}});
  ASSERT_TRUE(closed.ok());
  const Result<NavGraph> after = small.updated(map.view(), closed->dirty);
  EXPECT_FALSE(after->connected({4, 0, 0}, {1, 1, 0}));
  EXPECT_EQ(after->component_sizes(), (std::vector<std::uint64_t>{4, 3}));
  EXPECT_NE(after->content_hash(), open);
  EXPECT_EQ(after->content_hash(), graph_of({"..#..", "..#.#"}).content_hash());
}

TEST(NavGraphHash, CountsWhatLegalStepsCostAndNothingElse) {
  GridMap map = map_of({"..#", "..."});
  const std::uint64_t plain = graph_of(map.view()).content_hash();
  const auto with = [&](Cell from, Direction d, bool allowed, std::uint32_t extra) {
    GridMap other = map_of({"..#", "..."});
    EXPECT_TRUE(other.apply({{}, {}, {{{from, d}, allowed, extra}}, {}}).ok());
    return graph_of(other.view()).content_hash();
  };
  EXPECT_EQ(with({1, 0, 0}, Direction::east, true, 9), plain);   // into the wall
  EXPECT_EQ(with({2, 0, 0}, Direction::west, false, 0), plain);  // out of it
  EXPECT_NE(with({1, 0, 0}, Direction::west, true, 9), plain);
  EXPECT_NE(with({1, 0, 0}, Direction::west, false, 0), plain);
  EXPECT_NE(with({1, 0, 0}, Direction::west, true, 9), with({1, 0, 0}, Direction::west, true, 8));
  EXPECT_NE(with({1, 0, 0}, Direction::west, true, 9), with({1, 0, 0}, Direction::south, true, 9));
}

// Changes only with a note in the changelog: recordings name it.
TEST(NavGraphHash, IsTheSameOnEveryMachine) {
  GridMap map = map_of({".#.", "..?", "..."});
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}).ok());
  EXPECT_EQ(graph_of(map.view()).content_hash(), 11026391564661647588u);
}

// Two walls across the map with a gap of 1.5 about row 4, whose middle is at y = 4.5.
GridMap gap_of_one_and_a_half() {
  GridMap map = map_of(std::vector<std::string>(9, std::string(9, '.')));
  EXPECT_TRUE(map.add_obstacle(test::box(test::quarters(18, 7), test::quarters(2, 8))).ok());   // to y = 3.75
  EXPECT_TRUE(map.add_obstacle(test::box(test::quarters(18, 29), test::quarters(2, 8))).ok());  // from y = 5.25 on
  return map;
}

TEST(NavGraphObstacle, APassageOfOneAndAHalfIsOpenToASmallBodyAndClosedToALargeOne) {
  const GridMap map = gap_of_one_and_a_half();
  const NavGraph small = graph_of(map.view()), large = graph_of(map.view(), body(2));
  EXPECT_TRUE(small.connected({0, 0, 0}, {8, 8, 0}));
  EXPECT_EQ(small.footing({4, 4, 0}), Footing::open);
  EXPECT_EQ(small.footing({4, 3, 0}), Footing::no_room);
  EXPECT_FALSE(large.connected({0, 0, 0}, {7, 7, 0}));
  EXPECT_EQ(large.component_sizes(), (Sizes{24, 24})) << "three columns of eight placements on each side";
}

TEST(NavGraphObstacle, AtExactlyTheRadiusABodyStillFits) {
  GridMap near = map_of({"...", "...", "..."});
  ASSERT_TRUE(near.add_obstacle(test::circle(test::quarters(6, 0), test::quarters(4))).ok());
  const auto middle = [&](Fixed radius) {
    MovementProfile profile;
    profile.body_radius = radius;
    return graph_of(near.view(), profile).footing({1, 1, 0});
  };
  EXPECT_EQ(middle(Fixed::ratio(1, 2)), Footing::open) << "1.5 to the centre of a circle of radius 1";
  ASSERT_TRUE(near.apply({{}, {}, {}, {}, {test::move_to(0, {test::quarters(6), {1}})}}).ok());
  EXPECT_EQ(middle(Fixed::ratio(1, 2)), Footing::no_room) << "nearer by 2^-32";
  EXPECT_EQ(middle(Fixed{Fixed::ratio(1, 2).raw - 1}), Footing::open);
}

TEST(NavGraphObstacle, FreeGroundUnderOneHasNoRoomAndOtherGroundStaysWhatItIs) {
  GridMap map = map_of({".#?.", "...."});
  EXPECT_EQ(footings(graph_of(map.view())), ".#?./....");
  ASSERT_TRUE(map.add_obstacle(test::circle(test::quarters(4, 2), test::quarters(5))).ok());  // reaches to x = 2.25
  const NavGraph graph = graph_of(map.view());
  EXPECT_EQ(footings(graph), "n#?./nn..");
  EXPECT_EQ(graph.open_cells(), 3u);
  EXPECT_EQ(moves(graph, {2, 1, 0}), "E") << "the placement beside the corner is taken";
}

TEST(NavGraphObstacle, AWideBodyIsTestedAtTheMiddleOfItsCells) {
  GridMap map = map_of({"....", "....", "....", "...."});
  ASSERT_TRUE(map.add_obstacle(test::circle(test::quarters(8, 8), test::quarters(1))).ok());
  EXPECT_EQ(graph_of(map.view()).open_cells(), 16u) << "0.71 from every middle, more than 0.25 + 0.35";
  // 0.25 + 0.85 is more than 1 and less than the square root of 2.
  EXPECT_EQ(footings(graph_of(map.view(), body(2))), ".n.n/nnnn/.n.n/nnnn");
}

TEST(NavGraphObstacle, ADiagonalNeedsThePlacementsBesideIt) {
  GridMap map = map_of({"...", "...", "..."});
  ASSERT_TRUE(map.add_obstacle(test::circle(test::quarters(2, 6), test::quarters(1))).ok());  // the middle of 0,1
  EXPECT_EQ(moves(graph_of(map.view()), {0, 0, 0}), "E");
  EXPECT_EQ(moves(graph_of(map.view(), body(1, CornerRule::one_free)), {0, 0, 0}), "E SE");
}

TEST(NavGraphObstacle, OnlyItsLayersAreTaken) {
  GridMapDef def;
  def.width = def.height = def.layers = 2;
  GridMap map = *GridMap::create(def);
  Obstacle lower = test::circle(test::quarters(4, 4), test::quarters(8));
  lower.layer_mask = 1;
  ASSERT_TRUE(map.add_obstacle(lower).ok());
  const NavGraph graph = graph_of(map.view());
  EXPECT_EQ(graph.footing({0, 0, 0}), Footing::no_room);
  EXPECT_EQ(graph.footing({0, 0, 1}), Footing::open);
}

TEST(NavGraphObstacle, SizeOfACellAndCornerDecideWhatAnObstacleTakes) {
  GridMapDef def;
  def.width = 4;
  def.height = 1;
  def.cell_size = test::quarters(8);
  def.corner = test::quarters(400, 0);
  GridMap map = *GridMap::create(def);
  ASSERT_TRUE(map.add_obstacle(test::circle(test::quarters(400 + 20, 4), test::quarters(2))).ok());
  EXPECT_EQ(footings(graph_of(map.view())), "..n.") << "the middle of the third cell lies at 105";
  // The radius of a body is in cells: 0.35 of them are 0.7.
  ASSERT_TRUE(map.apply({{}, {}, {}, {}, {test::move_to(0, test::quarters(400 + 16, 4))}}).ok());
  EXPECT_EQ(footings(graph_of(map.view())), ".nn.") << "one unit from both middles, below 0.5 + 0.7";
}

TEST(NavGraphObstacle, GraphsThatLoseNothingToItAreTheSame) {
  GridMap map = map_of({"...", "...", "..."});
  const std::uint64_t bare = graph_of(map.view()).content_hash();
  ASSERT_TRUE(map.add_obstacle(test::circle(test::quarters(4, 4), test::quarters(1))).ok());  // a corner of four cells
  EXPECT_EQ(graph_of(map.view()).content_hash(), bare);
  EXPECT_NE(graph_of(map.view(), body(2)).content_hash(),
            graph_of(map_of({"...", "...", "..."}).view(), body(2)).content_hash());
}

TEST(NavGraphObstacle, AnUpdateFindsWhatMovedByItself) {
  GridMap map = map_of(std::vector<std::string>(20, std::string(200, '.')));
  ASSERT_TRUE(map.add_obstacle(test::circle(test::quarters(42, 42), test::quarters(6))).ok());
  const NavGraph before = graph_of(map.view());
  const auto after = [&](ObstacleEdit edit) {
    EXPECT_TRUE(map.apply({{}, {}, {}, {}, {std::move(edit)}}).ok());
    return *before.updated(map.view(), {});
  };
  EXPECT_EQ(after(test::move_to(0, test::quarters(442, 22))).footing({110, 5, 0}), Footing::no_room);
  EXPECT_EQ(after(test::take_away(0)).open_cells(), 4000u);
  EXPECT_EQ(after(test::shape_of(0, test::circle(test::quarters(42, 42), test::quarters(6)))).content_hash(),
            before.content_hash());
  // The first one on a map that had none.
  GridMap bare = map_of({"...", "..."});
  const NavGraph empty = graph_of(bare.view());
  ASSERT_TRUE(bare.add_obstacle(test::circle(test::quarters(6, 2), test::quarters(1))).ok());
  EXPECT_EQ(footings(*empty.updated(bare.view(), {})), ".n./...");
}

TEST(NavGraphObstacle, ACellThatOpensUnderOneIsStillTaken) {
  GridMap map = map_of({".#.", "..."});
  ASSERT_TRUE(map.add_obstacle(test::circle(test::quarters(6, 2), test::quarters(1))).ok());
  const NavGraph before = graph_of(map.view());
  EXPECT_EQ(footings(before), ".#./...");
  const Result<EditReport> report = map.apply(set_terrain({1, 0, 0}, kFloor));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(footings(*before.updated(map.view(), report->dirty)), ".n./...");
}

}  // namespace
}  // namespace drover
