// SPDX-License-Identifier: MIT
// Runs from edges: ends are estimated outward in 64 bits, then moved inward while the exact distance says so.
#include "world/shape_runs.hpp"

#include "world/bit_words.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace drover::world {

using base::floor_div;
using base::Int128;

namespace {

int bits_of(std::int64_t n) noexcept { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))); }

// The columns (or rows) whose offsets from a shape's centre lie within `low` .. `high`.
struct Lines {
  std::int32_t first = 0, end = 0;
  std::int64_t start = 0, step = 1;
  std::uint64_t inverse = 0;  // 2^64 / step, rounded down; a single line has step 1 and the largest number

  std::int64_t at(std::int32_t line) const noexcept { return start + (line - first) * step; }
  // First line at or after `place`, at most `end`; at times one too early.
  std::int32_t early(std::int64_t place) const noexcept { return place <= start ? first : clamped(place, inverse); }
  // The same, at times one too late.
  std::int32_t late(std::int64_t place) const noexcept {
    return place <= start ? first : clamped(place, inverse == ~std::uint64_t{0} ? inverse : inverse + 1);
  }

 private:
  std::int32_t clamped(std::int64_t place, std::uint64_t factor) const noexcept {
    const auto before = static_cast<std::uint64_t>(place - start - 1);  // below 2^52: off by less than 2^-11
    const auto lines = static_cast<std::int64_t>(base::UInt128{before} * factor >> 64) + 1;
    return static_cast<std::int32_t>(std::min<std::int64_t>(end, first + lines));
  }
};

Lines lines_within(std::int64_t low, std::int64_t high, Int128 first_middle, Int128 step, std::int32_t count) noexcept {
  const Int128 first = std::max(Int128{0}, -floor_div(first_middle - low, step));
  const Int128 end = std::min(Int128{count}, floor_div(high - first_middle, step) + 1);
  if (first >= end) return {};
  Lines lines{static_cast<std::int32_t>(first), static_cast<std::int32_t>(end),
              static_cast<std::int64_t>(first_middle + first * step), 1};
  // Two lines or more: a step is no longer than the box is wide.
  if (end - first > 1) lines.step = static_cast<std::int64_t>(step);
  lines.inverse = ~std::uint64_t{0} / static_cast<std::uint64_t>(lines.step);
  return lines;
}

// Twice the place of the first body's middle, seen from the shape.
Int128 first_middle(Fixed corner, Fixed centre, const AnchorGrid& grid) noexcept {
  return (Int128{corner.raw} - centre.raw) * 2 + Int128{grid.cell_size.raw} * grid.footprint;
}

// Newton's steps from a tangent of the root, which is nowhere below it and off by 7 % at most: three of them leave less
// than one.
std::int64_t floor_root(std::int64_t n) noexcept {
  if (n <= 0) return 0;
  const int shift = (62 - bits_of(n)) / 2;
  const std::int64_t scaled = n << 2 * shift;   // 2^60 .. 2^62
  constexpr std::int64_t kTangent = 759400000;  // 0.7072 x 2^30; the slope is 182 / 512
  std::int64_t root = kTangent + ((scaled >> 30) * 182 >> 9);
  for (int i = 0; i < 3; ++i) root = (root + scaled / root) / 2;
  while (root * root > scaled) --root;
  return root >> shift;
}

// root / 2^shift is the root of n > 0 but for a part in 2^30, rounded down.
struct Root {
  std::int64_t root = 0;
  int shift = 0;
  explicit Root(std::int64_t n) noexcept {
    shift = (62 - bits_of(n)) / 2;
    root = floor_root(n << 2 * shift);
  }
};

std::int64_t floor_div64(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

// What rounding may move a point by, at most: 1 each for itself and for an end of an edge, both ways. Corners of a box
// are off by 6 more.
constexpr std::int64_t kSlack = 3, kBoxSlack = 12;

struct Interval {
  std::int64_t low = INT64_MAX, high = INT64_MIN;
};

void set_scaled(Edge& edge, Offset a, Offset b, std::int64_t radius) noexcept {
  if (a.y > b.y) std::swap(a, b);
  edge.ax = a.x, edge.ay = a.y, edge.bx = b.x, edge.by = b.y;
  edge.radius = radius;
  const std::int64_t ex = b.x - a.x, ey = b.y - a.y;
  if (ey == 0) return;
  const Root length(ex * ex + ey * ey);
  edge.aside = (radius * (length.root + 1) >> length.shift) + 1;
  edge.turn = static_cast<std::int64_t>(floor_div((Int128{radius} * ex) << length.shift, length.root));
  edge.steep = std::abs(ex) < 2 * ey;
  if (!edge.steep) return;
  edge.slope = (ex * (std::int64_t{1} << 31)) / ey;  // below 2^32
  edge.half_width = edge.aside / ey + 2;             // with what the slope is off by
}

// Between the two lines beside an edge.
Interval steep_row(const Edge& e, std::int64_t y) noexcept {
  const std::int64_t x = e.ax + ((y - e.ay) * e.slope >> 31);
  return {x - e.half_width, x + e.half_width};
}
Interval flat_row(const Edge& e, std::int64_t y) noexcept {
  const std::int64_t ey = e.by - e.ay, along = (y - e.ay) * (e.bx - e.ax);
  return {e.ax + floor_div64(along - e.aside, ey), e.ax - floor_div64(-along - e.aside, ey)};
}

// Holds every x whose distance from the edge is at most its radius in this row. Left and right sides are the disc
// about a, then a line parallel to the edge, then the disc about b. The line lies nowhere inside the discs, so near
// the two turns, which are off by less than 2, it is taken.
Interval row_of(const Edge& e, std::int64_t y) noexcept {
  if (y < e.ay - e.radius || y > e.by + e.radius) return {};
  const auto disc = [&](std::int64_t centre) { return floor_root(e.radius * e.radius - (y - centre) * (y - centre)); };
  const std::int64_t left = std::min(e.ax, e.bx) - e.radius, right = std::max(e.ax, e.bx) + e.radius;
  if (e.ay == e.by) {
    const std::int64_t width = disc(e.ay);
    return {left + e.radius - width, right - e.radius + width};
  }
  const Interval line = e.steep ? steep_row(e, y) : flat_row(e, y);
  Interval row;
  if (y < e.ay + e.turn - 2) {
    row.low = e.ax - disc(e.ay);
  } else if (y > e.by + e.turn + 2) {
    row.low = e.bx - disc(e.by);
  } else {
    row.low = std::max(left, line.low);
  }
  if (y < e.ay - e.turn - 2) {
    row.high = e.ax + disc(e.ay);
  } else if (y > e.by - e.turn + 2) {
    row.high = e.bx + disc(e.by);
  } else {
    row.high = std::min(right, line.high);
  }
  return row;
}

}  // namespace

/// A shape as one call sees it.
struct RunFinder::Shape {
  const Obstacle& obstacle;
  std::int64_t reach;  // of a body about an edge
  std::int64_t body;
  Lines rows, columns;
  int shift;  // of the small numbers

  Offset scaled(Offset p) const noexcept { return {p.x >> shift, p.y >> shift}; }
  Offset at(std::int32_t column, std::int32_t row) const noexcept { return {columns.at(column), rows.at(row)}; }

  // The columns of an interval, its ends moved inward to those that `blocked` says.
  template <class Blocked>
  Span tightened(const Interval& interval, Blocked blocked) const noexcept {
    if (interval.low > interval.high) return {0, 0};
    const std::int64_t one = 1;
    Span span{columns.early(interval.low * (one << shift)), columns.late((interval.high + 1) * (one << shift))};
    while (span.begin < span.end && !blocked(span.begin)) ++span.begin;
    while (span.begin < span.end && !blocked(span.end - 1)) --span.end;
    return span;
  }

  Edge edge(Offset from, Offset to) const noexcept {
    Edge made;
    made.from = from, made.to = to;
    made.first_row = rows.early(std::min(from.y, to.y) - reach);
    made.end_row = rows.late(std::max(from.y, to.y) + reach);
    set_scaled(made, scaled(from), scaled(to), (reach >> shift) + kSlack);
    // A crossing is off by less than 3 + 3 x 2 for the ends and the row, 1 for the slope, and what early() leaves.
    made.crossing_is_sure = made.steep && (reach >> shift) > 16 + (columns.step >> shift >> 10);
    return made;
  }

  // First column that does not lie left of where an edge crosses a row; the edge does cross it.
  std::int32_t crossing(const Edge& e, std::int32_t row) const noexcept {
    const std::int64_t ey = e.by - e.ay, y = rows.at(row) >> shift;
    const std::int64_t x = e.steep   ? e.ax + ((y - e.ay) * e.slope >> 31)
                           : ey == 0 ? e.ax
                                     : e.ax + (y - e.ay) * (e.bx - e.ax) / ey;
    const auto left_of = [&](std::int32_t column) {
      return (cross(e.to - e.from, at(column, row) - e.from) < 0) == (e.to.y < e.from.y);
    };
    std::int32_t column = columns.early(x * (std::int64_t{1} << shift));
    // Columns that are taken for the wrong side are nearer to the edge than a body is wide: the band covers them.
    if (e.crossing_is_sure) return column;
    while (column > columns.first && !left_of(column - 1)) --column;
    while (column < columns.end && left_of(column)) ++column;
    return column;
  }
};

void RunFinder::find(const Obstacle& obstacle, const AnchorGrid& grid, std::vector<Run>& runs) {
  runs.clear();
  edges_.clear();
  const std::int64_t body = halves(grid.radius);
  const Bounds bounds = bounds_of(obstacle, body);
  const Int128 step = Int128{grid.cell_size.raw} * 2;
  const std::int64_t extent =
      std::max({std::abs(bounds.low.x), std::abs(bounds.low.y), std::abs(bounds.high.x), std::abs(bounds.high.y)});
  const Shape shape{
      obstacle,
      body + halves(obstacle.radius),
      body,
      lines_within(bounds.low.y, bounds.high.y, first_middle(grid.corner.y, obstacle.centre.y, grid), step,
                   grid.height),
      lines_within(bounds.low.x, bounds.high.x, first_middle(grid.corner.x, obstacle.centre.x, grid), step, grid.width),
      std::max(0, bits_of(extent) - 29)};
  if (shape.rows.first == shape.rows.end || shape.columns.first == shape.columns.end) return;
  switch (obstacle.kind) {
    case ObstacleKind::circle:
      edges_.push_back(shape.edge({}, {}));
      break;
    case ObstacleKind::capsule:
      edges_.push_back(shape.edge(halves(obstacle.points[0]), halves(obstacle.points[1])));
      break;
    case ObstacleKind::box:
      add_box_edges(shape);
      break;
    case ObstacleKind::polygon:
      return find_polygon(shape, runs);
  }
  find_convex(shape, runs);
}

// Corners are irrational: they are rounded, and the discs made larger by more than that.
void RunFinder::add_box_edges(const Shape& shape) {
  const Offset half = shape.scaled(halves(shape.obstacle.half));
  const Axis axis = shape.obstacle.axis;
  const Root length(std::int64_t{axis.x} * axis.x + std::int64_t{axis.y} * axis.y);
  const auto part = [&](std::int64_t side, std::int64_t n) {
    return side * (n * (std::int64_t{1} << length.shift)) / length.root;
  };
  const Offset along{part(half.x, axis.x), part(half.x, axis.y)}, across{part(half.y, -axis.y), part(half.y, axis.x)};
  const Offset corners[4] = {along + across, along - across, Offset{} - along - across, across - along};
  for (std::size_t i = 0; i < 4; ++i) {
    Edge edge;
    set_scaled(edge, corners[i], corners[(i + 1) % 4], (shape.body >> shape.shift) + kSlack + kBoxSlack);
    edges_.push_back(edge);
  }
}

void RunFinder::find_convex(const Shape& shape, std::vector<Run>& runs) {
  for (std::int32_t row = shape.rows.first; row < shape.rows.end; ++row) {
    const std::int64_t y = shape.rows.at(row);
    Interval all;
    for (const Edge& edge : edges_) {
      const Interval one = row_of(edge, y >> shape.shift);
      all.low = std::min(all.low, one.low);
      all.high = std::max(all.high, one.high);
    }
    const Span span = shape.tightened(
        all, [&](std::int32_t column) { return overlaps(shape.obstacle, shape.at(column, row), shape.body); });
    if (span.begin < span.end) runs.push_back({row, span.begin, span.end});
  }
}

// Interior by crossings, and a band along every edge. On a ring either answer of the crossings will do: the band
// covers it.
void RunFinder::find_polygon(const Shape& shape, std::vector<Run>& runs) {
  each_edge(shape.obstacle, [&](Offset from, Offset to) { edges_.push_back(shape.edge(from, to)); });
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.first_row < b.first_row; });
  active_.clear();
  const auto columns = static_cast<std::size_t>(shape.columns.end - shape.columns.first);
  band_.assign(columns / kWordBits + 1, 0);
  crossings_.assign(columns / kWordBits + 1, 0);
  std::size_t next = 0;
  for (std::int32_t row = shape.rows.first; row < shape.rows.end; ++row) {
    std::erase_if(active_, [&](std::uint32_t i) { return edges_[i].end_row <= row; });
    for (; next < edges_.size() && edges_[next].first_row <= row; ++next) {
      if (edges_[next].end_row > row) active_.push_back(static_cast<std::uint32_t>(next));
    }
    mark_row(shape, row);
    take_row(shape, row, runs);
  }
}

// A bit a column: what the bands cover, and which columns are the first right of an odd number of edges.
void RunFinder::mark_row(const Shape& shape, std::int32_t row) {
  const std::int64_t y = shape.rows.at(row);
  const std::int32_t first = shape.columns.first;
  for (const std::uint32_t i : active_) {
    const Edge& edge = edges_[i];
    const Span span = shape.tightened(row_of(edge, y >> shape.shift), [&](std::int32_t column) {
      return near_segment({shape.columns.at(column), y}, edge.from, edge.to, shape.reach);
    });
    each_word(static_cast<std::uint32_t>(span.begin - first), static_cast<std::uint32_t>(span.end - first),
              [&](std::uint32_t word, std::uint64_t mask) { band_[word] |= mask; });
    if ((edge.from.y > y) == (edge.to.y > y)) continue;
    const auto column = static_cast<std::uint32_t>(shape.crossing(edge, row) - first);
    crossings_[column / kWordBits] ^= std::uint64_t{1} << column % kWordBits;
  }
}

// Turns the marks into runs and takes them away.
void RunFinder::take_row(const Shape& shape, std::int32_t row, std::vector<Run>& runs) {
  std::uint64_t inside = 0;  // all ones after an odd number of crossings
  for (std::size_t word = 0; word < band_.size(); ++word) {
    std::uint64_t bits = std::exchange(crossings_[word], 0);
    for (int shift = 1; shift < kWordBits; shift *= 2) bits ^= bits << shift;
    bits ^= inside;
    inside = std::uint64_t{0} - (bits >> (kWordBits - 1));
    bits |= std::exchange(band_[word], 0);
    const std::int32_t column = shape.columns.first + static_cast<std::int32_t>(word) * kWordBits;
    while (bits != 0) {
      const int begin = std::countr_zero(bits), size = std::countr_one(bits >> begin);
      if (!runs.empty() && runs.back().row == row && runs.back().end == column + begin) {
        runs.back().end += size;
      } else {
        runs.push_back({row, column + begin, column + begin + size});
      }
      if (begin + size == kWordBits) break;
      bits &= ~std::uint64_t{0} << (begin + size);
    }
  }
}

}  // namespace drover::world
