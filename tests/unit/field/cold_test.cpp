// SPDX-License-Identifier: MIT
// Fields that are put away and turned back.
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "field/tile_kernels.hpp"
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"

namespace drover::test {
namespace {

GridMap rooms(std::int32_t size) {
  GridMap map = std::move(GridMap::create({.width = size, .height = size})).value();
  MapEdit edit;
  for (std::int32_t i = 0; i < size; ++i)
    if (i % 19 != 3) edit.cells.push_back({{size / 2, i, 0}, CellChange::terrain, kWall});
  for (std::int32_t i = 2; i < 5; ++i)  // a closed corner
    for (const Cell c : {Cell{i, 4, 0}, Cell{4, i, 0}}) edit.cells.push_back({c, CellChange::terrain, kWall});
  EXPECT_TRUE(map.apply(edit).ok());
  return map;
}

class Cold : public testing::Test {
 protected:
  void SetUp() override {
    if (field::tile_kernels(field::simd_in_use()) == nullptr) GTEST_SKIP() << "no fields of 16 bits here";
  }
};

TEST_F(Cold, TakesTwoBytesACellAndGivesEveryAnswerAgain) {
  const GridMap map = rooms(200);
  const NavGraph graph = graph_of(map.view());
  FieldBuilder builder;
  FieldRef field = *builder.build(graph, {{{{3, 190, 0}, 30}, {{150, 2, 0}, 0}}}, {FieldEngine::automatic, true});
  const ColdFieldRef cold = *builder.cool(field);
  EXPECT_LE(cold->bytes(), 200u * 200 * 2 + 7 * 7 * 4);
  EXPECT_EQ(cold->graph_hash(), graph.content_hash());
  const FieldRef warm = *builder.warm(cold, graph);
  EXPECT_EQ(warm->digest(), field->digest());
  EXPECT_EQ(warm->goal_indices(), field->goal_indices());
  for (std::uint32_t p = 0; p < field->shape().padded_cells(); ++p) {
    const CellIndex i{p};
    ASSERT_EQ(warm->cost_to_goal(i), field->cost_to_goal(i));
    ASSERT_EQ(warm->state(i), field->state(i));
    ASSERT_EQ(warm->steps_to_goal(i), field->steps_to_goal(i));
  }
  field.reset();  // the cold one stands by itself
  EXPECT_EQ((*builder.warm(cold, graph))->digest(), warm->digest());
}

TEST_F(Cold, AWarmFieldIsRepairedLikeAnyOther) {
  GridMap map = rooms(120);
  const NavGraph before = graph_of(map.view());
  const GoalDef goal{{{{60, 3, 0}, 0}}, GoalPlacement::nearest};
  FieldBuilder builder;
  const FieldRef warm = *builder.warm(*builder.cool(*builder.build(before, goal)), before);
  const Result<EditReport> edited = map.apply(set_terrain({100, 100, 0}, kWall));
  const NavGraph after = *before.updated(map.view(), edited->dirty);
  BuildReport report;
  const FieldRef repaired = *builder.repair(warm, before, after, goal, {}, &report);
  EXPECT_TRUE(report.repaired) << report.not_repaired;
  EXPECT_EQ(repaired->digest(), (*FieldBuilder().build(after, goal))->digest());
  EXPECT_EQ((*builder.warm(*builder.cool(repaired), after))->digest(), repaired->digest());
}

TEST_F(Cold, PortalsAndOneWaysComeBack) {
  GridMap map = rooms(100);
  ASSERT_TRUE(map.add_portal({{3, 3, 0}, {90, 90, 0}, 20}).ok());
  const NavGraph graph = graph_of(map.view());
  FieldBuilder builder;
  const FieldRef field = *builder.build(graph, {{{{95, 95, 0}, 0}}}, {FieldEngine::sweep});
  const FieldRef warm = *builder.warm(*builder.cool(field), graph);
  EXPECT_EQ(warm->digest(), field->digest());
  EXPECT_EQ(warm->code(warm->shape().index({3, 3, 0})), FlowField::kPortalCode);
}

TEST_F(Cold, RefusesWhatItCannotGiveBack) {
  const GridMap map = rooms(64);
  const NavGraph graph = graph_of(map.view());
  FieldBuilder builder;
  const GoalDef goal{{{{9, 9, 0}, 0}}};
  const Result<ColdFieldRef> wide = builder.cool(*builder.build(graph, goal, {FieldEngine::queue}));
  EXPECT_EQ(wide.status().code(), StatusCode::argument);
  EXPECT_NE(wide.status().message().find("more than 16 bits"), std::string::npos);
  EXPECT_EQ(builder.cool(nullptr).status().code(), StatusCode::argument);
  EXPECT_EQ(builder.warm(nullptr, graph).status().code(), StatusCode::argument);
  const ColdFieldRef cold = *builder.cool(*builder.build(graph, goal));
  EXPECT_EQ(builder.warm(cold, graph_of(rooms(65).view())).status().code(), StatusCode::argument);
  EXPECT_EQ(builder.warm(cold, NavGraph()).status().code(), StatusCode::argument);
}

TEST_F(Cold, WithoutMemoryNothingIsLost) {
  CountingAllocator memory;
  {
    const NavGraph graph = graph_of(rooms(64).view());
    FieldBuilder builder(memory.host());
    const FieldRef field = *builder.build(graph, {{{{9, 9, 0}, 0}}});
    memory.fail_at(0);
    EXPECT_EQ(builder.cool(field).status().code(), StatusCode::out_of_memory);
    memory.fail_never();
    const ColdFieldRef cold = *builder.cool(field);
    memory.fail_at(0);
    EXPECT_EQ(builder.warm(cold, graph).status().code(), StatusCode::out_of_memory);
    memory.fail_never();
    EXPECT_EQ((*builder.warm(cold, graph))->digest(), field->digest());
  }
  EXPECT_EQ(memory.bytes_out(), 0u);
}

}  // namespace
}  // namespace drover::test
