// SPDX-License-Identifier: MIT
// The shapes of a map state, and its frame.
#pragma once
#include <drover/map.hpp>

#include <memory>
#include <span>
#include <vector>

namespace drover::world {

/// By index; null for one that is gone. Never changed once it is in a map state.
using ObstacleList = std::vector<std::shared_ptr<const Obstacle>>;

/// The frame that a definition asks for. Refuses a cell size that is not above 0, and a map that leaves the range of
/// positions (`value`).
Result<WorldFrame> frame_of(const GridShape& shape, const GridMapDef& def);

/// What can be said of a batch without knowing where the obstacles are: indices, enumerators, new shapes.
Status check_obstacles(std::size_t obstacles, std::span<const ObstacleEdit> edits);

/// `list` null: as before. `term`: what is added to the content digest.
struct EditedObstacles {
  std::shared_ptr<const ObstacleList> list;
  std::uint64_t term = 0;
};
/// `before` null: there are none. Shapes that stay keep their pointers, also where an edit says them again.
Result<EditedObstacles> edited_obstacles(const ObstacleList* before, std::span<const ObstacleEdit> edits);

}  // namespace drover::world
