// SPDX-License-Identifier: MIT
// Random maps around the sizes of tiles.
#pragma once
#include <drover/field.hpp>

#include <gtest/gtest.h>

#include "property/field_world.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace drover::test {

enum class Kind { open, walls, noise, maze, rooms };

struct TileCase {
  int width = 64, height = 64, layers = 1;
  Kind kind = Kind::open;
  std::uint32_t least_weight = 1, most_weight = 1;
  int one_way_percent = 0, portals = 0;
  int goals = 1;
  std::uint64_t most_offset = 0;
  MovementProfile profile;
  std::uint64_t seed = 1;
};

inline bool wall_at(const TileCase& c, int x, int y, Draw& draw) {
  switch (c.kind) {
    case Kind::open:
      return false;
    case Kind::walls:
      return draw.percent(20);
    case Kind::noise:
      return draw.percent(38);
    case Kind::maze:  // walls on even lines with gaps: long ways that wind
      return (x % 2 == 0 && (y % 2 == 0 || draw.percent(55))) || (y % 2 == 0 && draw.percent(55));
    case Kind::rooms:  // closed every 33 cells but for few doors; some tiles cannot be reached
      return (x % 33 == 32 || y % 33 == 32) && !draw.percent(3);
  }
  return false;
}

inline GridMap make_map(const TileCase& c) {
  Draw draw(c.seed);
  GridMapDef def;
  def.width = c.width;
  def.height = c.height;
  def.layers = c.layers;
  GridMap map = std::move(GridMap::create(def)).value();
  MapEdit edit;
  std::vector<std::uint32_t> weights(static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height));
  for (int layer = 0; layer < c.layers; ++layer) {
    for (int y = 0; y < c.height; ++y) {
      for (int x = 0; x < c.width; ++x) {
        const auto span = static_cast<int>(c.most_weight - c.least_weight + 1);
        weights[static_cast<std::size_t>(y * c.width + x)] =
            c.least_weight + static_cast<std::uint32_t>(draw.below(span));
        if (wall_at(c, x, y, draw)) edit.cells.push_back({{x, y, layer}, CellChange::terrain, kWall});
        if (c.one_way_percent > 0 && draw.percent(c.one_way_percent)) {
          edit.steps.push_back({{{x, y, layer}, static_cast<Direction>(draw.below(8))}, false, 0});
        }
      }
    }
    if (c.most_weight > 1) {
      EXPECT_TRUE(map.set_weights(layer, weights).ok());
    }
  }
  const auto anywhere = [&] { return Cell{draw.below(c.width), draw.below(c.height), draw.below(c.layers)}; };
  for (int i = 0; i < c.portals; ++i) {
    EXPECT_TRUE(map.add_portal({anywhere(), anywhere(), static_cast<std::uint32_t>(1 + draw.below(60))}).ok());
  }
  EXPECT_TRUE(map.apply(edit).ok());
  return map;
}

// Corners of tiles among them, where a value is in two sides at once.
inline GoalDef make_goals(const TileCase& c) {
  Draw draw(c.seed + 77);
  GoalDef goal;
  goal.placement = GoalPlacement::nearest;
  for (int i = 0; i < c.goals; ++i) {
    const int corners[] = {0, 31, 32, 63, 64, 95};
    const int x = i % 2 == 0 ? corners[draw.below(6)] : draw.below(c.width);
    const int y = i % 2 == 0 ? corners[draw.below(6)] : draw.below(c.height);
    const auto offset = c.most_offset == 0 ? 0 : draw.next() % (c.most_offset + 1);
    goal.cells.push_back({{std::min(x, c.width - 1), std::min(y, c.height - 1), draw.below(c.layers)}, offset});
  }
  return goal;
}

inline TileCase draw_case(std::uint64_t seed) {
  Draw draw(seed ^ 0x711e);
  TileCase c;
  c.seed = seed;
  constexpr int kSizes[] = {1, 2, 29, 30, 31, 32, 33, 60, 61, 63, 64, 65, 95, 96, 97, 127, 128, 129};
  constexpr int kCount = static_cast<int>(std::size(kSizes));
  c.width = kSizes[draw.below(kCount)];
  c.height = kSizes[draw.below(kCount)];
  c.layers = draw.percent(15) ? 2 : 1;
  c.kind = static_cast<Kind>(draw.below(5));
  switch (draw.below(6)) {
    case 0:
      c.most_weight = 8;
      break;
    case 1:
      c.most_weight = 255;
      break;
    case 2:
      c.least_weight = 250, c.most_weight = 255;
      break;
    default:
      break;
  }
  c.profile.moves = draw.percent(40) ? Moves::four : Moves::eight;
  c.profile.corner = static_cast<CornerRule>(draw.below(3));
  c.profile.costs = static_cast<CostBase>(draw.below(3));
  c.profile.footprint = draw.percent(80) ? 1 : std::min({1 + draw.below(3), c.width, c.height});
  c.goals = draw.percent(50) ? 1 : 1 + draw.below(9);
  if (draw.percent(40)) c.most_offset = draw.percent(50) ? 500 : 200000;
  return c;
}

}  // namespace drover::test
