// SPDX-License-Identifier: MIT
// Whatever is edited, held, let go and restored: every view says what was so when it was taken.
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"

#include <gtest/gtest.h>
#include <drover/map.hpp>

#include <algorithm>
#include <vector>

namespace drover::test {
namespace {

constexpr std::int32_t kWidth = 96, kHeight = 40;

/// What can be read of each cell.
struct Picture {
  struct Of {
    TerrainId terrain = kFloor;
    bool unknown = false, closed = false;
    std::uint8_t hidden = 0;
    std::uint32_t weight = 1;
    friend bool operator==(const Of&, const Of&) = default;
  };
  std::vector<Of> cells = std::vector<Of>(std::size_t{kWidth} * kHeight);
  Of& at(Cell c) { return cells[static_cast<std::size_t>(c.y) * kWidth + static_cast<std::size_t>(c.x)]; }
  friend bool operator==(const Picture&, const Picture&) = default;
};

Picture seen(const MapView& view) {
  Picture picture;
  for (std::int32_t y = 0; y < kHeight; ++y)
    for (std::int32_t x = 0; x < kWidth; ++x) {
      const CellIndex i = view.shape().index({x, y, 0});
      picture.at({x, y, 0}) = {view.terrain(i), view.unknown(i), view.door_closed(i), view.hidden_from(i),
                               view.has_weights() ? view.weight(i) : 1};
    }
  return picture;
}

struct Held {
  MapView view;
  Picture picture;
};

class Course {
 public:
  explicit Course(std::uint64_t seed) : draws_(seed), map_(make(memory_)) {}

  void run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      act(draws_.below(20));
      if (draws_.percent(30) && held_.size() < 5) held_.push_back({map_.view(), picture_});
      if (draws_.percent(30) && !held_.empty()) held_.erase(held_.begin() + draws_.below(size(held_)));
      for (const Held& held : held_) ASSERT_EQ(seen(held.view), held.picture) << "round " << i;
      ASSERT_EQ(seen(map_.view()), picture_) << "round " << i;
    }
  }

 private:
  static std::uint32_t size(const std::vector<Held>& held) { return static_cast<std::uint32_t>(held.size()); }
  static GridMap make(CountingAllocator& memory) {
    GridMapDef def;
    def.width = kWidth;
    def.height = kHeight;
    GridMap map = *GridMap::create(def, memory.host());
    EXPECT_TRUE(map.add_faction("blue").ok());
    EXPECT_TRUE(map.add_door({"gate", {{7, 7, 0}, {8, 7, 0}, {7, 30, 0}}}).ok());
    return map;
  }

  Cell cell() { return {draws_.between(0, kWidth - 1), draws_.between(0, kHeight - 1), 0}; }
  void apply(const MapEdit& edit, const Picture& after) {
    ASSERT_TRUE(map_.apply(edit).ok());
    picture_ = after;
  }
  void act(std::uint32_t kind) {
    Picture after = picture_;
    MapEdit edit;
    if (kind < 14) {
      // One cell, a few, or more than are remembered one by one.
      const std::uint32_t cells = kind < 10 ? 1 : kind < 13 ? 20 : 400;
      for (std::uint32_t n = 0; n < cells; ++n) {
        const Cell c = cell();
        const auto same = [&](const CellEdit& before) { return before.cell == c; };
        if (std::any_of(edit.cells.begin(), edit.cells.end(), same)) continue;
        const bool hide = draws_.percent(30), one = draws_.percent(30);
        edit.cells.push_back(hide ? CellEdit{c, CellChange::unknown, kFloor, one ? FactionId{0} : kEveryone}
                                  : CellEdit{c, CellChange::terrain, static_cast<TerrainId>(draws_.below(4))});
        Picture::Of& now = after.at(c);
        if (!hide)
          now = {edit.cells.back().terrain, false, now.closed, 0, now.weight};
        else if (!one)
          now.unknown = true, now.hidden = 0;
        else if (!now.unknown)
          now.hidden = 1;
      }
      apply(edit, after);
    } else if (kind < 16) {
      const bool close = kind == 14;
      for (const Cell c : {Cell{7, 7, 0}, Cell{8, 7, 0}, Cell{7, 30, 0}}) after.at(c).closed = close;
      apply({{}, {{0, close ? DoorState::closed : DoorState::open}}}, after);
    } else if (kind == 16) {
      std::vector<std::uint32_t> weights;
      for (Picture::Of& now : after.cells) weights.push_back(now.weight = draws_.percent(90) ? 3 : draws_.below(9));
      ASSERT_TRUE(map_.set_weights(0, weights).ok());
      picture_ = after;
    } else if (!held_.empty()) {
      const Held& back = held_[draws_.below(size(held_))];
      map_.restore(back.view);
      picture_ = back.picture;
    }
  }

  CountingAllocator memory_;
  Draws draws_;
  GridMap map_;
  Picture picture_;
  std::vector<Held> held_;
};

TEST(MapPlanes, EveryViewStaysAsItWas) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) ASSERT_NO_FATAL_FAILURE(Course(seed).run(400)) << "seed " << seed;
}

TEST(MapPlanes, APlaneWrittenInPlaceIsNoLongerWhatOthersCameFrom) {
  GridMapDef def;
  def.width = def.height = 128;
  GridMap map = *GridMap::create(def);
  MapView first = map.view();
  ASSERT_TRUE(map.apply(set_terrain({1, 0, 0}, kWall)).ok());
  MapView second = map.view();
  map.restore(first);
  first = {};
  ASSERT_TRUE(map.apply(set_terrain({2, 0, 0}, kWall)).ok());  // nobody else reads it: in place
  map.restore(second);                                         // and now it waits
  ASSERT_TRUE(map.apply(set_terrain({3, 0, 0}, kWall)).ok());
  const auto is = [&](std::int32_t x) { return map.view().terrain(map.shape().index({x, 0, 0})); };
  EXPECT_EQ(is(1), kWall);
  EXPECT_EQ(is(2), kFloor);
  EXPECT_EQ(is(3), kWall);
}

TEST(MapPlanes, AnEditOfACellTakesNoNewPlaneOnceOneIsSpare) {
  CountingAllocator memory;
  GridMapDef def;
  def.width = def.height = 128;
  GridMap map = *GridMap::create(def, memory.host());
  MapView held = map.view();
  const auto edit = [&](int i) {
    ASSERT_TRUE(map.apply(set_terrain({i, i, 0}, kWall)).ok());
    held = map.view();
  };
  edit(0);
  const std::uint64_t made = memory.calls(), bytes = memory.bytes_out();
  for (int i = 1; i < 100; ++i) edit(i);
  EXPECT_EQ(memory.calls(), made);
  EXPECT_EQ(memory.bytes_out(), bytes);
}

TEST(MapPlanes, AtMostTwoPlanesOfAKindWait) {
  CountingAllocator memory;
  GridMapDef def;
  def.width = def.height = 128;
  GridMap map = *GridMap::create(def, memory.host());
  const std::uint64_t bare = memory.bytes_out(), plane = map.shape().padded_cells();
  {
    std::vector<MapView> held;
    for (int i = 0; i < 10; ++i) {
      held.push_back(map.view());
      ASSERT_TRUE(map.apply(set_terrain({i, 0, 0}, kWall)).ok());
    }
    EXPECT_EQ(memory.bytes_out(), bare + 10 * plane);
  }
  EXPECT_EQ(memory.bytes_out(), bare + 2 * plane);
}

}  // namespace
}  // namespace drover::test
