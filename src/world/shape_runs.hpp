// SPDX-License-Identifier: MIT
// The anchors that one shape blocks, row by row.
#pragma once
#include "world/shape_test.hpp"

#include <cstdint>
#include <vector>

namespace drover::world {

/// Anchors `begin` .. `end` - 1 of a row, counted from the corner of the map.
struct Run {
  std::int32_t row = 0, begin = 0, end = 0;
  friend constexpr bool operator==(const Run&, const Run&) noexcept = default;
};

/// Where the middles of bodies are, for every anchor of a layer.
struct AnchorGrid {
  std::int32_t width = 0, height = 0;
  Position corner;
  Fixed cell_size;
  std::int32_t footprint = 1;
  Fixed radius;  // of a body
};

/// An edge of a shape with a disc drawn along it, also in whole numbers below 2^29 that are easier to divide.
struct Edge {
  Offset from, to;
  std::int32_t first_row = 0, end_row = 0;
  std::int64_t ax = 0, ay = 0, bx = 0, by = 0;  // ay <= by
  std::int64_t radius = 0;                      // rounded up
  std::int64_t aside = 0;                       // radius x length, rounded up
  bool steep = false;                           // slope and half_width are set
  bool crossing_is_sure = false;                // the slope alone tells where a row is crossed
  std::int64_t slope = 0;                       // x a row, times 2^31
  std::int64_t half_width = 0;                  // of a row, rounded up
  std::int64_t turn = 0;                        // row where the left side leaves the disc about a, less ay
};

/// Finds runs; keeps its memory from shape to shape.
class RunFinder {
 public:
  /// `runs` becomes the runs of a valid shape, ascending by (row, begin), with gaps between them. May throw
  /// std::bad_alloc.
  void find(const Obstacle& obstacle, const AnchorGrid& grid, std::vector<Run>& runs);

 private:
  struct Shape;
  void add_box_edges(const Shape& shape);
  void find_convex(const Shape& shape, std::vector<Run>& runs);
  void find_polygon(const Shape& shape, std::vector<Run>& runs);
  void mark_row(const Shape& shape, std::int32_t row);
  void take_row(const Shape& shape, std::int32_t row, std::vector<Run>& runs);

  struct Span {
    std::int32_t begin, end;
  };
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> active_;
  std::vector<std::uint64_t> band_, crossings_;  // of one row, a bit a column
};

}  // namespace drover::world
