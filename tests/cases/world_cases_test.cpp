// SPDX-License-Identifier: MIT
// Rows of the users' cases that maps and graphs answer alone.
#include "nav/compiled_graph.hpp"
#include "support/counting_allocator.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"

#include <gtest/gtest.h>
#include <drover/graph.hpp>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace drover {
namespace {

using test::body;
using test::graph_of;
using test::map_of;
using test::set_terrain;
using Sizes = std::vector<std::uint64_t>;

// All 16 patterns of the block ab/cd, turned four times, under three rules: the step a -> d.
TEST(Corner, corner_truth_table) {
  // Places of a, b, d, c in a 2 x 2 block, clockwise from its upper-left cell; a turn starts one place further.
  static constexpr std::array<Cell, 4> kRing{Cell{0, 0, 0}, Cell{1, 0, 0}, Cell{1, 1, 0}, Cell{0, 1, 0}};
  static constexpr std::array<Direction, 4> kStep{Direction::south_east, Direction::south_west, Direction::north_west,
                                                  Direction::north_east};
  int rows = 0;
  for (unsigned pattern = 0; pattern < 16; ++pattern) {
    const bool a = pattern & 1, b = pattern & 2, c = pattern & 4, d = pattern & 8;
    for (std::size_t turn = 0; turn < 4; ++turn) {
      std::vector<std::string> block{"..", ".."};
      const std::array<bool, 4> free{a, b, d, c};
      for (std::size_t i = 0; i < 4; ++i) {
        const Cell place = kRing[(i + turn) % 4];
        block[static_cast<std::size_t>(place.y)][static_cast<std::size_t>(place.x)] = free[i] ? '.' : '#';
      }
      const std::array<bool, 3> allowed{b && c, b || c, true};
      for (const CornerRule rule : {CornerRule::strict, CornerRule::one_free, CornerRule::none}) {
        const NavGraph graph = graph_of(block, body(1, rule));
        EXPECT_EQ(graph.moves(kRing[turn]).has(kStep[turn]), a && d && allowed[static_cast<std::size_t>(rule)])
            << block[0] << "/" << block[1] << " rule " << static_cast<int>(rule);
        ++rows;
      }
    }
  }
  EXPECT_EQ(rows, 192);
}

TEST(Unknown, unknown_at_a_corner) {
  const std::vector<std::string> rows{".?", ".."};
  const NavGraph strict = graph_of(rows);
  EXPECT_EQ(strict.footing({1, 0, 0}), Footing::unknown);
  EXPECT_FALSE(strict.moves({0, 0, 0}).has(Direction::south_east));
  EXPECT_TRUE(strict.moves({0, 0, 0}).has(Direction::south));
  EXPECT_TRUE(graph_of(rows, body(1, CornerRule::one_free)).moves({0, 0, 0}).has(Direction::south_east));
}

TEST(Goals, goal_on_another_island_has_its_own_component) {
  const NavGraph graph = graph_of({"....#....", "....#....", "....#....", "....#...."});
  EXPECT_EQ(graph.component_sizes(), (Sizes{16, 16}));
  EXPECT_FALSE(graph.connected({0, 0, 0}, {7, 1, 0}));
  EXPECT_TRUE(graph.connected({5, 1, 0}, {7, 1, 0}));
}

TEST(Updates, update_bridge_labels) {
  GridMap map = map_of({"......", "##.###", "......"});
  NavGraph graph = graph_of(map.view());
  EXPECT_EQ(graph.component_sizes(), (Sizes{13}));
  const std::uint64_t hash = graph.content_hash();
  const auto set_bridge = [&](TerrainId terrain) {
    const EditReport report = *map.apply(set_terrain({2, 1, 0}, terrain));
    graph = *graph.updated(map.view(), report.dirty);
  };
  set_bridge(kWall);
  EXPECT_EQ(graph.component_sizes(), (Sizes{6, 6}));
  EXPECT_FALSE(graph.connected({0, 0, 0}, {5, 2, 0}));
  set_bridge(kFloor);
  EXPECT_EQ(graph.component_sizes(), (Sizes{13}));
  EXPECT_TRUE(graph.connected({0, 0, 0}, {5, 2, 0}));
  EXPECT_EQ(graph.content_hash(), hash);
}

TEST(Cave, cave_two_rooms_components) {
  GridMap map =
      map_of({"############", "#....#######", "#....#######", "#....####..#", "#########..#", "############"});
  EXPECT_EQ(graph_of(map.view()).component_sizes(), (Sizes{12, 4}));
  MapEdit tunnel;
  for (int x = 5; x <= 8; ++x) tunnel.cells.push_back({{x, 3, 0}, CellChange::terrain, kFloor});
  ASSERT_TRUE(map.apply(tunnel).ok());
  EXPECT_EQ(graph_of(map.view()).component_sizes(), (Sizes{20}));
}

TEST(Chase, chase_goes_to_the_last_seen_cell_components_behind_the_door) {
  GridMap map = map_of({"..........", "..........", "#####.####", "..........", ".........."});
  EXPECT_EQ(graph_of(map.view()).component_sizes(), (Sizes{41}));
  ASSERT_TRUE(map.apply(set_terrain({5, 2, 0}, kWall)).ok());
  EXPECT_EQ(graph_of(map.view()).component_sizes(), (Sizes{20, 20}));
}

TEST(Footprint, footprint_gap_of_one_footings) {
  const std::vector<std::string> rows{"#####", "..#..", ".....", "..#..", "#####"};
  EXPECT_TRUE(graph_of(rows, body(1, CornerRule::strict, Moves::four)).connected({0, 2, 0}, {4, 2, 0}));
  const NavGraph big = graph_of(rows, body(2));
  EXPECT_EQ(big.component_sizes(), (Sizes{2, 2}));
  EXPECT_FALSE(big.connected({0, 2, 0}, {3, 2, 0}));
  EXPECT_TRUE(big.connected({3, 1, 0}, {3, 2, 0}));
  EXPECT_EQ(big.footing({2, 2, 0}), Footing::no_room);
  EXPECT_EQ(big.footing({2, 1, 0}), Footing::blocked);
}

TEST(Footprint, footprint_two_gates_footings) {
  const std::vector<std::string> rows{"....#....", ".........", "....#....", "....#....", ".........",
                                      ".........", "....#....", "....#....", "....#...."};
  EXPECT_TRUE(graph_of(rows).connected({0, 1, 0}, {8, 1, 0}));
  const NavGraph two = graph_of(rows, body(2));
  EXPECT_EQ(two.component_sizes(), (Sizes{50}));
  EXPECT_EQ(two.footing({3, 1, 0}), Footing::no_room);
  EXPECT_EQ(two.footing({0, 8, 0}), Footing::no_room);
  const NavGraph three = graph_of(rows, body(3));
  EXPECT_FALSE(three.connected({0, 1, 0}, {6, 1, 0}));
  EXPECT_TRUE(three.connected({5, 1, 0}, {6, 6, 0}));
}

TEST(Footprint, footprint_l_corner_footings) {
  const std::vector<std::string> rows{"..#####", "..#####", "..#####", ".......", "......."};
  const NavGraph two = graph_of(rows, body(2));
  EXPECT_TRUE(two.connected({0, 0, 0}, {5, 3, 0}));
  EXPECT_EQ(two.moves({0, 2, 0}).bits, 0b101);  // N and S: nothing cuts the corner
  EXPECT_EQ(graph_of(rows, body(3)).open_cells(), 0u);
}

TEST(Footprint, footprint_pays_for_the_dearest_cell_factors) {
  GridMap map = map_of({".......", ".......", ".......", ".......", "......."});
  std::vector<std::uint32_t> weights(35, 1);
  weights[1 * 7 + 2] = weights[2 * 7 + 3] = 7;
  ASSERT_TRUE(map.set_weights(0, weights).ok());
  const NavGraph two = graph_of(map.view(), body(2));
  const auto factor = [&](int x, int y) { return two.compiled().factor(map.shape().index({x, y, 0}).value); };
  // Anchors from which a 2 x 2 body touches 2,1 or 3,2.
  const std::vector<std::string> dear{".77....", ".777...", "..77...", ".......", "......."};
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x)
      EXPECT_EQ(factor(x, y), dear[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '7' ? 7u : 1u)
          << x << "," << y;
  EXPECT_EQ(two.step_cost({0, 1, 0}, Direction::south_east), Cost{14});
  EXPECT_EQ(two.step_cost({0, 1, 0}, Direction::east), Cost{70});
  EXPECT_EQ(two.footing({6, 1, 0}), Footing::no_room);
}

TEST(Footprint, footprint_field_is_never_borrowed_hashes) {
  const std::vector<std::string> rows{"....#....", ".........", "....#....", "....#....", ".........",
                                      ".........", "....#....", "....#....", "....#...."};
  MovementProfile small_again, dearer;
  small_again.name = "small_again";
  dearer.terrain = {{kFloor, 2u, std::nullopt}};
  const std::uint64_t small = graph_of(rows).content_hash();
  EXPECT_EQ(graph_of(rows, small_again).content_hash(), small);
  EXPECT_NE(graph_of(rows, body(2)).content_hash(), small);
  EXPECT_NE(graph_of(rows, dearer).content_hash(), small);
}

TEST(Limits, limit_is_said_before_memory_is_taken) {
  struct Size {
    std::int64_t width, height;
    const char* text;
  };
  test::CountingAllocator memory;
  for (const Size& size : {Size{65536, 65536, "65536x65536"}, Size{4294967295, 2, "4294967295x2"},
                           Size{1, 4294967296, "1x4294967296"}, Size{2147483648, 2147483648, "2147483648x2147483648"},
                           Size{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max(),
                                "9223372036854775807x9223372036854775807"}}) {
    const Result<GridMap> map = GridMap::create({.width = size.width, .height = size.height}, memory.host());
    EXPECT_EQ(map.status().code(), StatusCode::limit_cells);
    EXPECT_EQ(exit_status(map.status().code()), 5);
    EXPECT_NE(map.status().message().find(size.text), std::string::npos) << map.status().message();
    EXPECT_NE(map.status().message().find("268435456"), std::string::npos) << map.status().message();
  }
  EXPECT_EQ(memory.calls(), 0u);
  ASSERT_TRUE(GridShape::create(16384, 16384).ok());
  if (!test::long_run()) return;  // 0.5 GB
  GridMap largest = *GridMap::create({.width = 16384, .height = 16384});
  const Cell last{16383, 16383, 0};
  const EditReport report = *largest.apply(set_terrain(last, kWall));
  EXPECT_EQ(report.dirty, std::vector<CellIndex>{largest.shape().index(last)});
  EXPECT_EQ(largest.view().terrain(report.dirty[0]), kWall);
}

struct Located {
  const char *x, *y;
  std::optional<Cell> cell;
};

void expect_cells(const WorldFrame& frame, const std::vector<Located>& positions) {
  for (const Located& p : positions) {
    const WorldFrame::Located located = frame.locate({*Fixed::parse(p.x), *Fixed::parse(p.y)});
    EXPECT_EQ(located.inside, p.cell.has_value()) << p.x << ", " << p.y;
    if (p.cell && located.inside) {
      EXPECT_EQ(located.cell, *p.cell) << p.x << ", " << p.y;
    }
  }
}

TEST(Limits, limit_frame_floors_below_zero) {
  const auto cell = [](int x, int y) { return std::optional<Cell>(Cell{x, y, 0}); };
  constexpr auto kOutside = std::nullopt;
  const auto frame = [](const char* x, const char* y, const char* cell_size, GridShape shape) {
    return *WorldFrame::create(shape, {*Fixed::parse(x), *Fixed::parse(y)}, *Fixed::parse(cell_size));
  };
  expect_cells(frame("-7.25", "-3", "0.5", *GridShape::create(20, 12, 1, {-10, -4, 0})),
               {{"-7.25", "-3", cell(-10, -4)},
                {"-6.75", "-3", cell(-9, -4)},
                {"-6.7500001", "-2.5000001", cell(-10, -4)},
                {"2.75", "0", kOutside},
                {"2.7499999", "2.9999999", cell(9, 7)},
                {"-7.2500001", "0", kOutside},
                {"0", "3", kOutside},
                {"0", "-0.0", cell(4, 2)}});
  const GridShape eight = *GridShape::create(8, 8, 1, {-4, -4, 0});
  expect_cells(frame("0", "0", "1", eight), {{"0", "0", cell(-4, -4)},
                                             {"0.5", "7.999999", cell(-4, 3)},
                                             {"-0.000001", "1", kOutside},
                                             {"8", "8", kOutside},
                                             {"7.999999", "0", cell(3, -4)}});
  const std::vector<Located> around_zero{{"-1", "-1", cell(-1, -1)},     {"-0.5", "0.5", cell(-1, 0)},
                                         {"0.5", "-0.5", cell(0, -1)},   {"-0.0", "0", cell(0, 0)},
                                         {"1", "1", cell(1, 1)},         {"4", "0", kOutside},
                                         {"-4", "3.999999", cell(-4, 3)}};
  expect_cells(frame("-4", "-4", "1", eight), around_zero);
  expect_cells(WorldFrame(eight), around_zero);  // the frame a map has by itself
}

}  // namespace
}  // namespace drover
