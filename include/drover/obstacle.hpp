// SPDX-License-Identifier: MIT
// Shapes of a physics scene, and the cells that they take from a body.
#pragma once
#include <drover/geometry.hpp>
#include <drover/host.hpp>
#include <drover/status.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace drover {

enum class ObstacleKind : std::uint8_t { circle, capsule, box, polygon };

/// Largest extent of a shape about its centre, in world units, and of each part of an axis.
inline constexpr std::int32_t kMaxObstacleExtent = 1 << 14;
/// Corners of one shape, holes included; shapes of one map.
inline constexpr std::size_t kMaxObstaclePoints = 4096;
inline constexpr std::size_t kMaxObstacles = 65535;

/// A direction given by whole numbers: the rotation of a box without an angle.
struct Axis {
  std::int32_t x = 1, y = 0;
  friend constexpr bool operator==(Axis, Axis) noexcept = default;
};

/// A closed shape in world units, exact in 32.32 fixed point. Moving it changes `centre` alone: points count from
/// there.
struct Obstacle {
  ObstacleKind kind = ObstacleKind::circle;
  Position centre;
  Fixed radius;                  // circle: above 0; capsule: of its ends and sides, 0 or more
  Position half;                 // box: half its length along the axis, half its width across it; both above 0
  Axis axis;                     // box: not 0,0
  std::vector<Position> points;  // capsule: its two ends; polygon: its outline, at least 3, either way round
  std::vector<std::vector<Position>> holes;      // polygon: what an odd number of rings surrounds is solid
  std::uint64_t layer_mask = ~std::uint64_t{0};  // bit n: layer n; layers from 63 on share the last bit

  /// Fields of its kind within their ranges, the others as above (`obstacle`); points within their number
  /// (`limit_obstacles`).
  Status validate() const;
  bool on_layer(std::int32_t layer) const noexcept { return (layer_mask >> (layer < 63 ? layer : 63) & 1) != 0; }
  friend bool operator==(const Obstacle&, const Obstacle&) noexcept = default;
};

/// True if the distance from `p` to the shape is below `radius`, exactly: at equal distance it does not overlap.
/// Inside the shape the distance is 0. O(points), whatever the layer. Preconditions: the shape validates, `radius` is
/// at most kMaxObstacleExtent.
bool overlaps_circle(const Obstacle& obstacle, Position p, Fixed radius) noexcept;

/// The cells that obstacles take from one body: an anchor is blocked while overlaps_circle(shape, middle of the k x k
/// cells, radius) holds for at least one of them; the middle is exact, to half a unit of Fixed. Anchors whose body
/// would leave the map are judged like all others, and the ground is not asked. Once baked, nothing asks the scene.
///
/// A value that owns its planes (2 bytes and 1 bit a cell). One writer; const members may be called from any thread.
/// add, remove and move touch the shape's own box grown by the radius; the result equals baking what is left from
/// nothing.
class ObstacleBake {
 public:
  /// `radius` in world units, above 0 and at most kMaxObstacleExtent (`obstacle`). Takes the memory for all cells of
  /// the shape.
  static Result<ObstacleBake> create(const GridShape& shape, const WorldFrame& frame, Fixed radius, int footprint = 1,
                                     const Host& host = {});
  ObstacleBake(ObstacleBake&&) noexcept;
  ObstacleBake& operator=(ObstacleBake&&) noexcept;
  ~ObstacleBake();
  Result<ObstacleBake> copy() const;

  /// Anchors that became blocked or free are appended to `changed`, ascending by index within the call, each once.
  /// Refuses a shape that does not validate, and one more than kMaxObstacles; without memory nothing has changed.
  Status add(const Obstacle& obstacle, std::vector<CellIndex>& changed);
  /// Precondition: added before, equal in every field, and not removed since.
  Status remove(const Obstacle& obstacle, std::vector<CellIndex>& changed);
  /// One shape in another place or form; only what differs in the end is listed.
  Status move(const Obstacle& from, const Obstacle& to, std::vector<CellIndex>& changed);

  bool blocked(CellIndex anchor) const noexcept;
  /// One bit a padded cell of the shape, 64 a word, low bit first; the border is 0.
  std::span<const std::uint64_t> words() const noexcept;
  std::uint64_t blocked_cells() const noexcept;

 private:
  struct State;
  explicit ObstacleBake(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace drover
