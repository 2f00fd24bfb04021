// SPDX-License-Identifier: MIT
// Maps without memory: at every allocation in turn an edit is refused whole, and is done when it is asked for again.
#include <gtest/gtest.h>
#include <drover/map.hpp>

#include "support/allowed_allocations.hpp"
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace drover::test {
namespace {

constexpr std::int32_t kSide = 24;

/// All that a map shows.
struct Shown {
  std::string cells;
  std::vector<bool> open;
  std::uint64_t content = 0, map_version = 0, overlay_version = 0;
  friend bool operator==(const Shown&, const Shown&) = default;
};

Shown shown(const MapView& map) {
  Shown out;
  for (std::int32_t y = 0; y < kSide; ++y)
    for (std::int32_t x = 0; x < kSide; ++x) {
      const CellIndex i = map.shape().index({x, y, 0});
      out.cells += static_cast<char>(map.terrain(i));
      out.cells += static_cast<char>(map.flag_plane()[i.value]);
    }
  for (const DoorDef& door : map.doors()) out.open.push_back(door.open);
  out.content = map.content_digest();
  out.map_version = map.map_version();
  out.overlay_version = map.overlay_version();
  return out;
}

/// A map whose planes were handed on twice, so that the next edit writes into recycled ones; `held`: a reader has the
/// newest, so that they are not the map's own.
struct Town {
  Town(const Host& host, bool held) : map(*GridMap::create({.width = kSide, .height = kSide}, host)) {
    EXPECT_TRUE(map.add_door({"a", {{3, 3}, {3, 4}}, true}).ok());
    std::optional<MapView> before = map.view();
    for (std::int32_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(map.apply(set_terrain({i, 20}, kWall)).ok());
      EXPECT_TRUE(map.apply(set_door(0, i % 2 == 0 ? DoorState::closed : DoorState::open)).ok());
      before = map.view();
    }
    if (held) reader = before;
  }
  GridMap map;
  std::optional<MapView> reader;
};

MapEdit everything() {
  MapEdit edit = set_door(0, DoorState::closed);
  for (std::int32_t i = 0; i < 6; ++i) edit.cells.push_back({{5 + i, 7}, CellChange::terrain, kWall});
  edit.cells.push_back({{9, 9}, CellChange::unknown, kFloor});
  return edit;
}

struct Change {
  const char* name;
  std::function<Status(GridMap&)> run;
};

std::vector<Change> changes() {
  return {{"apply",
           [](GridMap& map) {
             static const MapEdit kEdit = everything();
             return map.apply(kEdit).status();
           }},
          {"add_doors", [](GridMap& map) {
             static const std::vector<DoorDef> kDoors = {{"b", {{10, 3}, {10, 4}}, false}, {"c", {{12, 3}}, true}};
             return map.add_doors(kDoors).status();
           }}};
}

// Both for the plain allocations and for the planes of the host, one after the other.
TEST(MapMemory, AnEditWithoutMemoryChangesNothingAndSucceedsWhenAskedAgain) {
  for (const Change& change : changes()) {
    for (const bool held : {false, true}) {
      CountingAllocator calm;
      Town plain(calm.host(), held);
      ASSERT_TRUE(change.run(plain.map).ok());
      const Shown expected = shown(plain.map.view());
      std::size_t failures = 0;
      for (const bool planes : {false, true}) {
        for (std::size_t allowed = 0; allowed < 200; ++allowed) {
          CountingAllocator memory;
          Town town(memory.host(), held);
          const Shown before = shown(town.map.view());
          if (planes)
            memory.fail_at(allowed);
          else
            allowance = allowed;
          const Status status = change.run(town.map);
          allowance = ~std::size_t{0};
          memory.fail_never();
          if (status.ok()) {
            EXPECT_EQ(shown(town.map.view()), expected) << change.name;
            break;
          }
          ++failures;
          ASSERT_EQ(status.code(), StatusCode::out_of_memory) << change.name << ", " << allowed << " allowed";
          ASSERT_EQ(shown(town.map.view()), before) << change.name << ", " << allowed << " allowed";
          ASSERT_TRUE(change.run(town.map).ok()) << change.name << ", " << allowed << " allowed";
          ASSERT_EQ(shown(town.map.view()), expected) << change.name << ", " << allowed << " allowed";
          if (held) {
            ASSERT_EQ(shown(*town.reader), before);
          }
        }
      }
      EXPECT_GT(failures, 3u) << change.name;
    }
  }
}

}  // namespace
}  // namespace drover::test
