// SPDX-License-Identifier: MIT
// Queues of wave fronts, and engines that share them.
#include "field/rings.hpp"

#include <gtest/gtest.h>
#include <drover/field.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace drover {
namespace {

TEST(Stream, IsMaskedAlikeAlsoWhereItsCellsHaveServedAlone) {
  field::Stream stream;
  ASSERT_TRUE(stream.cells.make_room({}, 5000));
  stream.clear();
  ASSERT_TRUE(stream.make_room({}, 10));
  EXPECT_EQ(stream.cells.mask(), 8191u);
  EXPECT_EQ(stream.todo.mask(), stream.cells.mask());
}

// Counting steps over free ground takes the queue of the uniform engines, and more of it than they had.
TEST(FieldBuilder, AWaveOverFreeGroundLeavesRoomForUniformFields) {
  const GridMap map = GridMap::create({200, 200}).value();
  MovementProfile free, plain;
  free.terrain.push_back({kFloor, 0, true});
  std::vector<GoalCell> goals;
  for (std::int32_t i = 0; i < 2000; ++i) goals.push_back({{i % 200, 2 * (i / 200), 0}, 0});
  for (const Moves moves : {Moves::four, Moves::eight}) {
    free.moves = plain.moves = moves;
    const NavGraph one = NavGraph::compile(map.view(), free).value(),
                   two = NavGraph::compile(map.view(), plain).value();
    FieldBuilder used, fresh;
    ASSERT_TRUE(used.build(one, {goals}).ok());
    EXPECT_EQ(used.build(two, {{{{100, 100}, 0}}})->get()->digest(),
              fresh.build(two, {{{{100, 100}, 0}}})->get()->digest());
  }
}

}  // namespace
}  // namespace drover
