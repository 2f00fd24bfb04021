// SPDX-License-Identifier: MIT
// Any bytes as a scene of shapes: they are refused, or what is baked is what the exact distances say.
#include <drover/obstacle.hpp>

#include "io/shapes_json.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using namespace drover;

constexpr std::size_t kMostShapes = 8, kMostPoints = 64;

std::size_t points_of(const Obstacle& shape) {
  std::size_t points = shape.points.size();
  for (const std::vector<Position>& hole : shape.holes) points += hole.size();
  return points;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto shapes = io::parse_shapes({reinterpret_cast<const char*>(data), size}, "s.json");
  if (!shapes || shapes->size() > kMostShapes) return 0;
  const GridShape grid = *GridShape::create(24, 16, 2, {-8, -8, 0});
  const WorldFrame frame(grid);
  const Fixed radius = Fixed::ratio(1, 2);
  ObstacleBake bake = *ObstacleBake::create(grid, frame, radius);
  std::vector<CellIndex> changed;
  for (const io::NamedObstacle& shape : *shapes) {
    if (points_of(shape.shape) > kMostPoints) return 0;
    if (!bake.add(shape.shape, changed).ok()) std::abort();
  }
  for (int layer = 0; layer < grid.layers(); ++layer) {
    for (int y = -8; y < 8; ++y) {
      for (int x = -8; x < 16; ++x) {
        const Cell cell{x, y, layer};
        bool blocked = false;
        for (const io::NamedObstacle& shape : *shapes) {
          blocked =
              blocked || (shape.shape.on_layer(layer) && overlaps_circle(shape.shape, frame.centre(cell), radius));
        }
        if (bake.blocked(grid.index(cell)) != blocked) std::abort();
      }
    }
  }
  for (const io::NamedObstacle& shape : *shapes) {
    if (!bake.remove(shape.shape, changed).ok()) std::abort();
  }
  if (bake.blocked_cells() != 0) std::abort();
  return 0;
}
