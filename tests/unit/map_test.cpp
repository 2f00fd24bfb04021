// SPDX-License-Identifier: MIT
// Maps: loading, batches, views that stay as they are, doors, weights, digests.
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"
#include "support/map_bytes.hpp"

#include <gtest/gtest.h>
#include <drover/map.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace drover {
namespace {

using test::hide;
using test::map_of;
using test::set_door;
using test::set_terrain;
using Rows = std::vector<std::string_view>;

StatusCode rows_code(const Rows& rows) { return GridMap::from_rows(rows).status().code(); }
CellIndex at(const GridMap& map, int x, int y) { return map.shape().index({x, y, 0}); }
EditReport done(Result<EditReport> report) {
  EXPECT_TRUE(report.ok()) << report.status().message();
  return report.ok() ? *std::move(report) : EditReport{};
}

TEST(GridMap, LettersAreTheStandardTerrain) {
  const GridMap map = map_of({".#GS", "WT@O", "?..."});
  const MapView view = map.view();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(view.terrain(at(map, i % 4, i / 4)), i);
  EXPECT_TRUE(view.unknown(at(map, 0, 2)));
  EXPECT_FALSE(view.unknown(at(map, 1, 2)));
  std::string passable;
  for (const TerrainClass& c : view.terrain_classes()) passable += c.passable ? c.letter : '-';
  EXPECT_EQ(passable, ".-GS----");
}

TEST(GridMap, RowsAreChecked) {
  EXPECT_EQ(rows_code({}), StatusCode::map_empty);
  EXPECT_EQ(rows_code({""}), StatusCode::map_size);
  EXPECT_EQ(rows_code({"...", ".."}), StatusCode::map_row_length);
  const Result<GridMap> tile = GridMap::from_rows(Rows{"...", "..x"});
  EXPECT_EQ(tile.status().code(), StatusCode::map_tile);
  EXPECT_NE(tile.status().message().find("row 1, column 2"), std::string::npos) << tile.status().message();
}

TEST(GridMap, TheBorderIsWall) {
  const GridMap map = map_of({"..", ".."});
  const TerrainId* terrain = map.view().terrain_plane();
  for (int y = -1; y <= 2; ++y)
    for (int x = -1; x <= 2; ++x)
      EXPECT_EQ(terrain[map.shape().at(x, y, 0)], x < 0 || y < 0 || x > 1 || y > 1 ? kWall : kFloor);
}

TEST(GridMap, DefinitionsAreChecked) {
  const auto code = [](auto&& change) {
    GridMapDef def;
    def.width = def.height = 4;
    change(def);
    return GridMap::create(def).status().code();
  };
  EXPECT_EQ(code([](GridMapDef&) {}), StatusCode::ok);
  EXPECT_EQ(code([](GridMapDef& d) { d.width = 0; }), StatusCode::map_size);
  EXPECT_EQ(code([](GridMapDef& d) { d.terrain.resize(1); }), StatusCode::argument);
  EXPECT_EQ(code([](GridMapDef& d) { d.terrain.resize(256); }), StatusCode::argument);
  EXPECT_EQ(code([](GridMapDef& d) { d.terrain[0].cost = kMaxCellCost + 1; }), StatusCode::cost_range);
}

TEST(GridMapEdit, AViewNeverChanges) {
  GridMap map = map_of({"...", "..."});
  const MapView before = map.view();
  const EditReport report = done(map.apply(set_terrain({1, 0, 0}, kWall)));
  EXPECT_TRUE(report.changed);
  EXPECT_EQ(before.terrain(at(map, 1, 0)), kFloor);
  EXPECT_EQ(map.view().terrain(at(map, 1, 0)), kWall);
  EXPECT_EQ(before.map_version(), 0u);
  EXPECT_EQ(map.view().map_version(), 1u);
}

TEST(GridMapEdit, OnlyAPlaneThatAViewHoldsIsCopied) {
  test::CountingAllocator memory;
  GridMap map = map_of({"....", "...."}, memory.host());
  const std::uint64_t made = memory.calls();
  done(map.apply(set_terrain({1, 0, 0}, kWall)));
  done(map.apply(hide({2, 0, 0})));
  EXPECT_EQ(memory.calls(), made);

  MapView held = map.view();
  done(map.apply(set_terrain({1, 1, 0}, kWall)));
  EXPECT_EQ(memory.calls(), made + 1);  // terrain; the flags stay shared
  EXPECT_NE(map.view().terrain_plane(), held.terrain_plane());
  EXPECT_EQ(map.view().flag_plane(), held.flag_plane());
  done(map.apply(set_terrain({0, 1, 0}, kWall)));
  EXPECT_EQ(memory.calls(), made + 1);
  done(map.apply(hide({3, 0, 0})));
  EXPECT_EQ(memory.calls(), made + 2);
  EXPECT_FALSE(held.unknown(at(map, 3, 0)));

  held = {};
  done(map.apply(hide({3, 1, 0})));
  EXPECT_EQ(memory.calls(), made + 2);
}

TEST(GridMapEdit, AViewOutlivesItsMap) {
  test::CountingAllocator memory;
  {
    MapView view;
    {
      const GridMap map = map_of({".#"}, memory.host());
      view = map.view();
    }
    EXPECT_EQ(view.terrain(view.shape().index({1, 0, 0})), kWall);
  }
  EXPECT_EQ(memory.bytes_out(), 0u);
}

TEST(GridMapEdit, DirtyCellsAreAscendingAndEachOnce) {
  GridMap map = map_of({"....", "...."});
  MapEdit edit;
  for (const Cell c : {Cell{3, 1, 0}, Cell{0, 0, 0}, Cell{3, 1, 0}, Cell{2, 0, 0}})
    edit.cells.push_back({c, CellChange::terrain, kWall});
  const EditReport report = done(map.apply(edit));
  EXPECT_EQ(report.dirty, (std::vector<CellIndex>{at(map, 0, 0), at(map, 2, 0), at(map, 3, 1)}));
  EXPECT_EQ(report.map_version, 1u);
  EXPECT_EQ(report.overlay_version, 0u);
}

TEST(GridMapEdit, WhatChangesNothingMakesNoVersion) {
  GridMap map = map_of({".#", ".?"});
  const MapView held = map.view();
  for (const MapEdit& edit :
       {MapEdit{}, set_terrain({1, 0, 0}, kWall), hide({1, 1, 0}),
        MapEdit{{{{0, 0, 0}, CellChange::terrain, kWall}, {{0, 0, 0}, CellChange::terrain, kFloor}}, {}}}) {
    const EditReport report = done(map.apply(edit));
    EXPECT_FALSE(report.changed);
    EXPECT_EQ(report.map_version, 0u);
    EXPECT_TRUE(report.dirty.empty());
  }
  EXPECT_EQ(map.view().terrain_plane(), held.terrain_plane());
}

TEST(GridMapEdit, OfSeveralEditsOfACellTheLastCounts) {
  GridMap map = map_of({".."});
  const Cell c{0, 0, 0};
  done(map.apply({{{c, CellChange::terrain, kWall}, {c, CellChange::unknown, kFloor}}, {}}));
  EXPECT_TRUE(map.view().unknown(at(map, 0, 0)));
  EXPECT_EQ(map.view().terrain(at(map, 0, 0)), kFloor);
  done(map.apply({{{c, CellChange::unknown, kFloor}, {c, CellChange::terrain, 3}}, {}}));
  EXPECT_FALSE(map.view().unknown(at(map, 0, 0)));
  EXPECT_EQ(map.view().terrain(at(map, 0, 0)), 3);
}

TEST(GridMapEdit, ABatchWithOneBadEditIsNotAppliedAtAll) {
  GridMap map = map_of({"...", "...", "..."});
  ASSERT_TRUE(map.add_door({"gate", {{1, 1, 0}}}).ok());
  const std::uint64_t digest = map.view().content_digest();
  const std::uint64_t overlay = map.view().overlay_version();

  MapEdit outside = set_terrain({0, 0, 0}, kWall);
  outside.cells.push_back({{9, 9, 0}, CellChange::terrain, kWall});
  const Result<EditReport> refused = map.apply(outside);
  EXPECT_EQ(refused.status().code(), StatusCode::edit_outside);
  EXPECT_NE(refused.status().message().find("9,9"), std::string::npos);
  EXPECT_NE(refused.status().message().find("3x3"), std::string::npos);

  MapEdit bad_class = set_terrain({0, 0, 0}, kWall);
  bad_class.cells.push_back({{1, 0, 0}, CellChange::terrain, 8});
  EXPECT_EQ(map.apply(bad_class).status().code(), StatusCode::edit);

  MapEdit bad_door = set_terrain({0, 0, 0}, kWall);
  bad_door.doors = {{0, DoorState::closed}, {1, DoorState::closed}};
  EXPECT_EQ(map.apply(bad_door).status().code(), StatusCode::handle);

  EXPECT_EQ(map.view().content_digest(), digest);
  EXPECT_EQ(map.view().map_version(), 0u);
  EXPECT_EQ(map.view().overlay_version(), overlay);
}

TEST(GridMapDoor, ClosesItsCellsAndKeepsTheTerrainBelow) {
  GridMap map = map_of({"..S", "..."});
  const std::uint32_t door = *map.add_door({"gate", {{2, 0, 0}, {1, 0, 0}}});
  EXPECT_EQ(door, 0u);
  const std::uint64_t open_version = map.view().overlay_version();
  const EditReport closed = done(map.apply(set_door(door, DoorState::closed)));
  EXPECT_EQ(closed.dirty, (std::vector<CellIndex>{at(map, 1, 0), at(map, 2, 0)}));
  EXPECT_EQ(closed.overlay_version, open_version + 1);
  EXPECT_EQ(closed.map_version, 0u);
  EXPECT_TRUE(map.view().door_closed(at(map, 2, 0)));
  EXPECT_EQ(map.view().terrain(at(map, 2, 0)), 3);
  EXPECT_FALSE(map.view().doors()[0].open);
  EXPECT_FALSE(done(map.apply(set_door(door, DoorState::closed))).changed);

  const EditReport both = done(map.apply({{{{2, 0, 0}, CellChange::terrain, kFloor}}, {{door, DoorState::open}}}));
  EXPECT_EQ(both.map_version, 1u);
  EXPECT_EQ(both.overlay_version, open_version + 2);
  EXPECT_EQ(both.dirty.size(), 2u);
  EXPECT_FALSE(map.view().door_closed(at(map, 1, 0)));
}

TEST(GridMapDoor, OfSeveralEditsOfADoorTheLastCounts) {
  GridMap map = map_of({"..."});
  ASSERT_TRUE(map.add_door({"gate", {{1, 0, 0}}}).ok());
  EXPECT_FALSE(done(map.apply({{}, {{0, DoorState::closed}, {0, DoorState::open}}})).changed);
  EXPECT_TRUE(done(map.apply({{}, {{0, DoorState::open}, {0, DoorState::closed}}})).changed);
}

TEST(GridMapDoor, ADoorThatStartsClosedIsClosed) {
  GridMap map = map_of({"..."});
  ASSERT_TRUE(map.add_door({"gate", {{1, 0, 0}}, false}).ok());
  EXPECT_TRUE(map.view().door_closed(at(map, 1, 0)));
  EXPECT_FALSE(map.view().door_closed(at(map, 0, 0)));
}

TEST(GridMapDoor, CellsBelongToOneDoorOfTheMap) {
  GridMap map = map_of({"....", "...."});
  const MapView held = map.view();
  ASSERT_TRUE(map.add_door({"gate", {{1, 0, 0}}}).ok());
  EXPECT_EQ(map.add_door({"other", {{2, 0, 0}, {1, 0, 0}}}).status().code(), StatusCode::argument);
  EXPECT_EQ(map.add_door({"far", {{4, 0, 0}}}).status().code(), StatusCode::edit_outside);
  EXPECT_EQ(map.add_door({"gate", {{3, 0, 0}}}).status().code(), StatusCode::name_twice);
  EXPECT_EQ(map.view().doors().size(), 1u);
  EXPECT_EQ(*map.add_door({"second", {{2, 0, 0}}}), 1u);
  EXPECT_TRUE(held.doors().empty());
}

TEST(GridMapWeights, ReplaceTheCostOfOneLayer) {
  GridMapDef def;
  def.width = 3;
  def.height = 2;
  def.layers = 2;
  GridMap map = *GridMap::create(def);
  EXPECT_FALSE(map.view().has_weights());
  const std::vector<std::uint32_t> weights{0, 1, 2, 3, 4, kMaxCellCost};
  ASSERT_TRUE(map.set_weights(1, weights).ok());
  const MapView view = map.view();
  ASSERT_TRUE(view.has_weights());
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(view.weight(view.shape().index({i % 3, i / 3, 1})), weights[static_cast<std::size_t>(i)]);
    EXPECT_EQ(view.weight(view.shape().index({i % 3, i / 3, 0})), 1u);
  }
  EXPECT_EQ(view.map_version(), 1u);
  ASSERT_TRUE(map.set_weights(1, weights).ok());
  EXPECT_EQ(map.view().map_version(), 1u);
  ASSERT_TRUE(map.set_weights(0, weights).ok());
  EXPECT_EQ(view.weight(view.shape().index({0, 0, 0})), 1u);
}

TEST(GridMapWeights, AreChecked) {
  GridMap map = map_of({"...", "..."});
  const auto code = [&](std::int32_t layer, std::vector<std::uint32_t> weights) {
    return map.set_weights(layer, weights).code();
  };
  EXPECT_EQ(code(0, {1, 1, 1, 1, 1}), StatusCode::weights_size);
  EXPECT_EQ(code(0, {1, 1, 1, 1, kMaxCellCost + 1, 1}), StatusCode::cost_range);
  EXPECT_EQ(code(1, {1, 1, 1, 1, 1, 1}), StatusCode::argument);
  EXPECT_EQ(code(-1, {1, 1, 1, 1, 1, 1}), StatusCode::argument);
  EXPECT_FALSE(map.view().has_weights());
}

TEST(GridMapDigest, UndoingAnEditGivesTheOldDigest) {
  GridMap map = map_of({"..S", "?.."});
  ASSERT_TRUE(map.add_door({"gate", {{1, 1, 0}}}).ok());
  const std::uint64_t start = map.view().content_digest();
  for (const auto& [there, back] : {std::pair{set_terrain({0, 0, 0}, kWall), set_terrain({0, 0, 0}, kFloor)},
                                    std::pair{set_terrain({2, 0, 0}, kFloor), set_terrain({2, 0, 0}, 3)},
                                    std::pair{set_terrain({0, 1, 0}, kFloor), hide({0, 1, 0})},
                                    std::pair{set_door(0, DoorState::closed), set_door(0, DoorState::open)}}) {
    done(map.apply(there));
    EXPECT_NE(map.view().content_digest(), start);
    done(map.apply(back));
    EXPECT_EQ(map.view().content_digest(), start);
  }
  EXPECT_EQ(map.view().map_version(), 6u);
}

TEST(GridMapDigest, EqualContentByAnotherWayIsEqual) {
  const GridMap drawn = map_of({".#.", "..?"});
  GridMapDef def;
  def.width = 3;
  def.height = 2;
  GridMap edited = *GridMap::create(def);
  done(edited.apply(hide({2, 1, 0})));
  done(edited.apply(set_terrain({1, 0, 0}, kWall)));
  EXPECT_EQ(drawn.view().content_digest(), edited.view().content_digest());

  GridMap a = map_of({"..."}), b = map_of({"..."});
  ASSERT_TRUE(a.set_weights(0, std::vector<std::uint32_t>{9, 9, 9}).ok());
  ASSERT_TRUE(a.set_weights(0, std::vector<std::uint32_t>{1, 2, 1}).ok());
  ASSERT_TRUE(b.set_weights(0, std::vector<std::uint32_t>{1, 2, 1}).ok());
  EXPECT_EQ(a.view().content_digest(), b.view().content_digest());
}

TEST(GridMapDigest, EveryKindOfContentCounts) {
  const std::uint64_t plain = map_of({"...", "..."}).view().content_digest();
  EXPECT_NE(map_of({".....", "....."}).view().content_digest(), plain);
  EXPECT_NE(map_of({"..", "..", ".."}).view().content_digest(), plain);

  GridMap weighted = map_of({"...", "..."});
  ASSERT_TRUE(weighted.set_weights(0, std::vector<std::uint32_t>(6, 1)).ok());
  EXPECT_NE(weighted.view().content_digest(), plain);

  GridMap door = map_of({"...", "..."});
  ASSERT_TRUE(door.add_door({"gate", {{0, 0, 0}}}).ok());
  EXPECT_NE(door.view().content_digest(), plain);

  GridMapDef def;
  def.width = 3;
  def.height = 2;
  def.origin = {1, 0, 0};
  EXPECT_NE(GridMap::create(def)->view().content_digest(), plain);
  def.origin = {};
  EXPECT_EQ(GridMap::create(def)->view().content_digest(), plain);
  def.terrain[2].cost = 5;
  EXPECT_NE(GridMap::create(def)->view().content_digest(), plain);
}

MapEdit set_step(Cell from, Direction d, bool allowed, std::uint32_t extra = 0) {
  return {{}, {}, {{{from, d}, allowed, extra}}, {}};
}

TEST(MapSteps, ARuleIsSetWholeAndTheDefaultsUndoIt) {
  GridMap map = map_of({"...", "..."});
  const std::uint64_t plain = map.view().content_digest();
  const EditReport report = done(map.apply(set_step({1, 0, 0}, Direction::west, false, 7)));
  EXPECT_EQ(report.dirty, std::vector<CellIndex>{at(map, 1, 0)});
  EXPECT_EQ(report.map_version, 1u);
  EXPECT_EQ(report.overlay_version, 0u);
  ASSERT_EQ(map.view().step_rules().size(), 1u);
  EXPECT_EQ(map.view().step_rules()[0], (StepRule{at(map, 1, 0), Direction::west, false, 7}));
  EXPECT_NE(map.view().content_digest(), plain);
  EXPECT_FALSE(done(map.apply(set_step({1, 0, 0}, Direction::west, false, 7))).changed);

  done(map.apply(set_step({1, 0, 0}, Direction::west, true, 9)));
  EXPECT_EQ(map.view().step_rules()[0], (StepRule{at(map, 1, 0), Direction::west, true, 9}));
  EXPECT_TRUE(done(map.apply(set_step({1, 0, 0}, Direction::west, true))).changed);
  EXPECT_TRUE(map.view().step_rules().empty());
  EXPECT_EQ(map.view().content_digest(), plain);
}

TEST(MapSteps, TheLastEditOfAStepCountsAndRulesAscend) {
  GridMap map = map_of({"...", "..."});
  MapEdit edit = set_step({2, 1, 0}, Direction::north, false);
  edit.steps.push_back({{{0, 0, 0}, Direction::west}, true, 3});  // off the map: harmless
  edit.steps.push_back({{{2, 1, 0}, Direction::north}, true, 5});
  edit.steps.push_back({{{0, 0, 0}, Direction::north}, false, 0});
  done(map.apply(edit));
  const auto rules = map.view().step_rules();
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0], (StepRule{at(map, 0, 0), Direction::north, false, 0}));
  EXPECT_EQ(rules[1], (StepRule{at(map, 0, 0), Direction::west, true, 3}));
  EXPECT_EQ(rules[2], (StepRule{at(map, 2, 1), Direction::north, true, 5}));
}

TEST(MapSteps, ABadOneStopsTheWholeBatch) {
  GridMap map = map_of({"..."});
  MapEdit edit = set_step({3, 0, 0}, Direction::west, false);
  edit.cells.push_back({{0, 0, 0}, CellChange::terrain, kWall});
  EXPECT_EQ(map.apply(edit).status().code(), StatusCode::edit_outside);
  EXPECT_EQ(map.apply(set_step({0, 0, 0}, Direction::east, true, kMaxEdgeCost + 1)).status().code(),
            StatusCode::cost_range);
  EXPECT_EQ(map.apply({{}, {}, {}, {{0, true}}}).status().code(), StatusCode::handle);
  EXPECT_EQ(map.view().map_version(), 0u);
  EXPECT_EQ(map.view().terrain(at(map, 0, 0)), kFloor);
}

TEST(MapDoors, StepsOfAClosedDoorAreForbiddenAndOpenOnesMayHaveAPrice) {
  GridMap map = map_of({"...", "..."});
  done(map.apply(set_step({0, 0, 0}, Direction::east, true, 4)));
  DoorDef def{"gate", {}, true, {{{0, 0, 0}, Direction::east}, {{1, 0, 0}, Direction::west}}, 0};
  ASSERT_TRUE(map.add_door(def).ok());
  EXPECT_EQ(map.view().step_rules().size(), 1u);

  const EditReport closed = done(map.apply(set_door(0, DoorState::closed)));
  EXPECT_EQ(closed.dirty, (std::vector<CellIndex>{at(map, 0, 0), at(map, 1, 0)}));
  EXPECT_EQ(closed.overlay_version, 2u);
  EXPECT_EQ(closed.map_version, 1u);
  EXPECT_EQ(map.view().step_rules()[0], (StepRule{at(map, 0, 0), Direction::east, false, 4}));
  EXPECT_EQ(map.view().step_rules()[1], (StepRule{at(map, 1, 0), Direction::west, false, 0}));

  const EditReport priced = done(map.apply({{}, {{0, DoorState::open, 20}}}));
  EXPECT_EQ(priced.dirty.size(), 2u);
  EXPECT_EQ(map.view().step_rules()[0], (StepRule{at(map, 0, 0), Direction::east, true, 24}));
  EXPECT_EQ(map.view().step_rules()[1], (StepRule{at(map, 1, 0), Direction::west, true, 20}));
  EXPECT_FALSE(done(map.apply({{}, {{0, DoorState::open, 20}}})).changed);
}

TEST(MapDoors, APriceOfCellsIsPaidByEveryStepIntoThem) {
  GridMap map = map_of({"...", "..."});
  ASSERT_TRUE(map.add_door({"gate", {{0, 0, 0}, {0, 0, 0}}, true, {}, 6}).ok());  // a cell twice is one cell
  const auto rules = map.view().step_rules();
  ASSERT_EQ(rules.size(), 3u);  // from 1,0 0,1 and 1,1; other neighbours are not there
  EXPECT_EQ(rules[0], (StepRule{at(map, 1, 0), Direction::west, true, 6}));
  EXPECT_EQ(rules[1], (StepRule{at(map, 0, 1), Direction::north, true, 6}));
  EXPECT_EQ(rules[2], (StepRule{at(map, 1, 1), Direction::north_west, true, 6}));
  done(map.apply(set_door(0, DoorState::closed)));
  EXPECT_TRUE(map.view().step_rules().empty());
  EXPECT_EQ(map.view().doors()[0].cost, 0u);
}

TEST(MapDoors, AStepHasAtMostOneDoor) {
  GridMap map = map_of({"..."});
  const GridStep east{{0, 0, 0}, Direction::east};
  ASSERT_TRUE(map.add_door({"a", {}, true, {east}}).ok());
  EXPECT_EQ(map.add_door({"b", {}, true, {east}}).status().code(), StatusCode::argument);
  EXPECT_EQ(map.add_door({"b", {}, true, {{{1, 0, 0}, Direction::east}, {{1, 0, 0}, Direction::east}}}).status().code(),
            StatusCode::argument);
  EXPECT_EQ(map.add_door({"b", {}, true, {{{9, 0, 0}, Direction::east}}}).status().code(), StatusCode::edit_outside);
  EXPECT_EQ(map.add_door({"b", {{0, 0, 0}}, true, {}, kMaxEdgeCost + 1}).status().code(), StatusCode::cost_range);
  EXPECT_EQ(map.view().doors().size(), 1u);
}

TEST(MapDoors, ABatchIsTheSameAsOneByOneAndAllOrNone) {
  const GridStep east{{1, 0, 0}, Direction::east};
  const std::vector<DoorDef> doors{
      {"a", {{0, 0, 0}}, true, {}, 3}, {"b", {{2, 0, 0}}, false, {east}}, {"", {}, true, {}}};
  GridMap batch = map_of({"....", "...."}), single = map_of({"....", "...."});
  for (const DoorDef& door : doors) ASSERT_TRUE(single.add_door(door).ok());
  std::vector<DoorDef> bad = doors;
  bad.push_back({"c", {{0, 0, 0}}});  // the cell is that of the first
  const std::uint64_t before = batch.view().content_digest();
  EXPECT_EQ(batch.add_doors(bad).status().code(), StatusCode::argument);
  bad.back() = {"a", {{3, 0, 0}}};
  EXPECT_EQ(batch.add_doors(bad).status().code(), StatusCode::name_twice);
  EXPECT_EQ(batch.view().content_digest(), before);
  EXPECT_EQ(batch.view().overlay_version(), 0u);

  EXPECT_EQ(*batch.add_doors({}), 0u);
  EXPECT_EQ(*batch.add_doors(doors), 0u);  // what was refused holds no name, cell or step
  EXPECT_EQ(batch.view().content_digest(), single.view().content_digest());
  EXPECT_EQ(batch.view().overlay_version(), single.view().overlay_version());
  EXPECT_TRUE(std::ranges::equal(batch.view().step_rules(), single.view().step_rules()));
  EXPECT_EQ(*batch.add_doors(std::vector<DoorDef>{{"d", {{3, 1, 0}}}}), 3u);
}

TEST(MapDoors, ListsThatAViewHoldsStayAsTheyAre) {
  GridMap map = map_of({"....", "...."});
  ASSERT_TRUE(map.add_door({"a", {{0, 0, 0}}}).ok());
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {1, 0, 0}, 5}).ok());
  const MapView held = map.view();
  ASSERT_TRUE(map.add_door({"b", {{1, 0, 0}}}).ok());
  ASSERT_TRUE(map.add_portal({{2, 0, 0}, {1, 0, 0}, 5}).ok());
  EXPECT_EQ(held.doors().size(), 1u);
  EXPECT_EQ(held.portals().size(), 1u);
  map.restore(held);
  ASSERT_TRUE(map.add_door({"b", {{1, 0, 0}}}).ok()) << "taken by a door that this state has not";
  EXPECT_EQ(map.add_door({"c", {{0, 0, 0}}}).status().code(), StatusCode::argument);
}

TEST(MapPortals, AreNumberedInOrderAndOpenAndClose) {
  GridMap map = map_of({"..."});
  const std::uint64_t plain = map.view().content_digest();
  EXPECT_EQ(*map.add_portal({{0, 0, 0}, {2, 0, 0}, 25}), 0u);
  EXPECT_EQ(*map.add_portal({{1, 0, 0}, {0, 0, 0}, 5, false}), 1u);
  EXPECT_NE(map.view().content_digest(), plain);
  EXPECT_EQ(map.view().map_version(), 2u);
  EXPECT_EQ(map.add_portal({{0, 0, 0}, {3, 0, 0}, 1}).status().code(), StatusCode::edit_outside);
  EXPECT_EQ(map.add_portal({{0, 0, 0}, {1, 0, 0}, kMaxEdgeCost + 1}).status().code(), StatusCode::cost_range);

  const MapView before = map.view();
  const std::uint64_t digest = before.content_digest();
  const EditReport report = done(map.apply({{}, {}, {}, {{0, false}, {1, false}}}));
  EXPECT_EQ(report.dirty, std::vector<CellIndex>{at(map, 0, 0)});
  EXPECT_EQ(report.map_version, 3u);
  EXPECT_FALSE(map.view().portals()[0].open);
  EXPECT_TRUE(before.portals()[0].open);
  done(map.apply({{}, {}, {}, {{0, false}, {0, true}}}));  // the last counts
  EXPECT_EQ(map.view().content_digest(), digest);
}

TEST(MapHeights, AreSetByLayerAndBounded) {
  GridMapDef def;
  def.width = 2;
  def.height = 1;
  def.layers = 2;
  def.slope = {3, 0};
  GridMap map = *GridMap::create(def);
  EXPECT_FALSE(map.view().has_heights());
  const std::uint64_t plain = map.view().content_digest();
  ASSERT_TRUE(map.set_heights(1, std::vector<std::int32_t>{-5, 4}).ok());
  EXPECT_EQ(map.view().height(map.shape().index({0, 0, 1})), -5);
  EXPECT_EQ(map.view().height(map.shape().index({0, 0, 0})), 0);
  EXPECT_EQ(map.view().slope(), (SlopeCost{3, 0}));
  EXPECT_NE(map.view().content_digest(), plain);
  EXPECT_EQ(map.view().map_version(), 1u);
  EXPECT_EQ(map.set_heights(2, std::vector<std::int32_t>{0, 0}).code(), StatusCode::argument);
  EXPECT_EQ(map.set_heights(0, std::vector<std::int32_t>{0}).code(), StatusCode::weights_size);
  const auto most = static_cast<std::int32_t>(kMaxEdgeCost / 3);
  EXPECT_TRUE(map.set_heights(0, std::vector<std::int32_t>{0, most}).ok());
  EXPECT_EQ(map.set_heights(0, std::vector<std::int32_t>{-1, most}).code(), StatusCode::cost_range);
}

// Everything that makes a map directed comes back from bytes, and no shorter bytes are taken for it.
TEST(MapBytes, KeepRulesDoorsPricesPortalsAndHeights) {
  GridMapDef def;
  def.width = 3;
  def.height = 2;
  def.origin = {-1, 4, 0};
  def.slope = {3, 2};
  GridMap map = *GridMap::create(def);
  ASSERT_TRUE(map.set_heights(0, std::vector<std::int32_t>{0, -7, 2000000, 1, 0, 5}).ok());
  MapEdit edit = set_step({0, 4, 0}, Direction::south_west, false, 12);
  edit.cells.push_back({{1, 4, 0}, CellChange::terrain, kWall});
  done(map.apply(edit));
  ASSERT_TRUE(map.add_door({"gate", {{1, 5, 0}}, true, {{{0, 4, 0}, Direction::south_west}}, 40}).ok());
  ASSERT_TRUE(map.add_door({"shut", {}, false, {{{0, 5, 0}, Direction::east}}}).ok());
  ASSERT_TRUE(map.add_portal({{-1, 4, 0}, {1, 5, 0}, 25, false}).ok());
  const MapView one = map.view(), other = test::through_bytes(one).view();
  EXPECT_TRUE(std::ranges::equal(other.step_rules(), one.step_rules()));
  EXPECT_TRUE(std::ranges::equal(other.edited_step_rules(), one.edited_step_rules()));
  EXPECT_TRUE(std::ranges::equal(other.portals(), one.portals()));
  EXPECT_EQ(other.slope(), one.slope());
  EXPECT_EQ(other.height(at(map, 1, 4)), 2000000);
}

TEST(MapBytes, KeepEveryKindOfEdit) {
  MapEdit edit = set_step({3, -4, 1}, Direction::north_west, true, kMaxEdgeCost);
  edit.cells.push_back({{1, 2, 0}, CellChange::unknown, kFloor});
  edit.doors.push_back({7, DoorState::open, 99});
  edit.portals.push_back({300, false});
  base::ByteWriter out;
  world::write_edit(out, edit);
  base::ByteReader in(out.bytes());
  const MapEdit read = world::read_edit(in);
  ASSERT_TRUE(in.ok() && in.left() == 0);
  ASSERT_EQ(read.steps.size(), 1u);
  EXPECT_EQ(read.steps[0].step, (GridStep{{3, -4, 1}, Direction::north_west}));
  EXPECT_TRUE(read.steps[0].allowed);
  EXPECT_EQ(read.steps[0].extra, kMaxEdgeCost);
  ASSERT_EQ(read.doors.size(), 1u);
  EXPECT_EQ(read.doors[0].cost, 99u);
  ASSERT_EQ(read.portals.size(), 1u);
  EXPECT_EQ(read.portals[0].portal, 300u);
  EXPECT_FALSE(read.portals[0].open);
  EXPECT_EQ(read.cells.size(), 1u);
}

// Changes only with a note in the changelog: saved maps and recordings name it.
TEST(GridMapDigest, IsTheSameOnEveryMachine) {
  EXPECT_EQ(map_of({".#.", "..?"}).view().content_digest(), 13298433168650835126u);
}

TEST(GridMap, AMapThatWasMovedFromRefusesEdits) {
  GridMap a = map_of({".."});
  const GridMap b = std::move(a);
  EXPECT_EQ(b.shape().width(), 2);
  EXPECT_EQ(a.apply({}).status().code(), StatusCode::argument);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(a.add_door({"d", {}}).status().code(), StatusCode::argument);
  EXPECT_EQ(a.set_weights(0, {}).code(), StatusCode::argument);
  EXPECT_EQ(a.view().shape().cell_count(), 0u);
}

TEST(MapView, AnEmptyViewAnswers) {
  const MapView view;
  EXPECT_EQ(view.shape().cell_count(), 0u);
  EXPECT_TRUE(view.terrain_classes().empty());
  EXPECT_TRUE(view.doors().empty());
  EXPECT_FALSE(view.has_weights());
  EXPECT_FALSE(view.has_heights());
  EXPECT_TRUE(view.step_rules().empty());
  EXPECT_TRUE(view.portals().empty());
}

}  // namespace
}  // namespace drover
