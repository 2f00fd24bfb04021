// SPDX-License-Identifier: MIT
// Drawn and random maps, and their graphs, for tests below the crowd.
#pragma once
#include "base/counter_rng.hpp"

#include <gtest/gtest.h>
#include <drover/graph.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace drover::test {

inline GridMap map_of(const std::vector<std::string>& rows, const Host& host = {}) {
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  Result<GridMap> map = GridMap::from_rows(views, host);
  EXPECT_TRUE(map.ok()) << map.status().message();
  return *std::move(map);
}

inline NavGraph graph_of(const MapView& map, const MovementProfile& profile = {}, const Host& host = {}) {
  Result<NavGraph> graph = NavGraph::compile(map, profile, host);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return *std::move(graph);
}

inline NavGraph graph_of(const std::vector<std::string>& rows, const MovementProfile& profile = {}) {
  return graph_of(map_of(rows).view(), profile);
}

inline MovementProfile body(int footprint, CornerRule corner = CornerRule::strict, Moves moves = Moves::eight) {
  MovementProfile profile;
  profile.footprint = footprint;
  profile.corner = corner;
  profile.moves = moves;
  return profile;
}

inline MapEdit set_terrain(Cell cell, TerrainId terrain) { return {{{cell, CellChange::terrain, terrain}}, {}}; }
inline MapEdit hide(Cell cell) { return {{{cell, CellChange::unknown, kFloor}}, {}}; }
inline MapEdit set_door(std::uint32_t door, DoorState state) { return {{}, {{door, state}}}; }

/// Draws in order from one seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : rng_(seed, 0x7e57) {}
  /// 0 .. bound - 1.
  std::uint32_t below(std::uint32_t bound) { return rng_.uniform(next_++, bound); }
  bool percent(std::uint32_t chance) { return below(100) < chance; }
  std::int32_t between(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(below(static_cast<std::uint32_t>(high - low + 1)));
  }
  /// Walls at `walls` percent, other letters now and then.
  std::vector<std::string> rows(int width, int height, std::uint32_t walls) {
    static constexpr std::string_view kOthers = "GSW?";
    std::vector<std::string> result(static_cast<std::size_t>(height),
                                    std::string(static_cast<std::size_t>(width), '.'));
    for (std::string& row : result)
      for (char& c : row) {
        if (percent(walls)) {
          c = '#';
        } else if (percent(10)) {
          c = kOthers[below(4)];
        }
      }
    return result;
  }

 private:
  base::CounterRng rng_;
  std::uint64_t next_ = 0;
};

}  // namespace drover::test
