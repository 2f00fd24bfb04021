// SPDX-License-Identifier: MIT
// Whether the shapes of a map take a placement, asked of the shapes one by one: what bakes are checked against.
#pragma once
#include "world/shape_test.hpp"

#include <drover/profile.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace drover::world {

/// Radius of a body in world units: never so small that its disc is a point.
inline Fixed reach_of(const WorldFrame& frame, const MovementProfile& profile) noexcept {
  const Fixed reach = frame.length(profile.radius());
  return reach.raw > 0 ? reach : Fixed{1};
}

/// Shapes by the square of kTileCells x kTileCells cells near which they lie. Shares nothing with ObstacleBake but the
/// question of one shape and one circle.
class ObstacleIndex {
 public:
  /// Takes over the obstacles of this map; those that it had already cost a comparison. Throws std::bad_alloc.
  void adopt(const MapView& map);
  bool empty() const noexcept { return alive_ == 0; }
  /// Precondition: the anchor is on the map, given by its column and row.
  bool takes(std::int32_t column, std::int32_t row, std::int32_t layer, int footprint, Fixed reach) const noexcept;

 private:
  static constexpr std::int32_t kTileCells = 16;
  struct Tiles {
    std::int32_t left = 0, top = 0, right = -1, bottom = -1;  // both ends included; empty where right < left
  };
  struct Held {
    std::shared_ptr<const Obstacle> shape;
    Bounds bounds;  // of the shape alone
    Tiles tiles;
  };
  Tiles tiles_of(const Obstacle& shape, const Bounds& bounds) const noexcept;
  template <class Visit>
  void each_tile(const Tiles& tiles, Visit visit);
  void put(std::uint32_t index, std::shared_ptr<const Obstacle> shape);
  void take_out(std::uint32_t index);

  GridShape shape_;
  WorldFrame frame_{GridShape()};
  std::int32_t tiles_wide_ = 0;
  std::size_t alive_ = 0;
  std::vector<Held> held_;  // by number of the obstacle
  std::vector<std::vector<std::uint32_t>> tiles_;
};

}  // namespace drover::world
