// SPDX-License-Identifier: MIT
// Objects as shapes in cells, and the cells whose centres a shape holds.
#include <fmt/format.h>

#include <algorithm>

#include "base/int128.hpp"
#include "io/tiled_map.hpp"

namespace drover::io::tiled {

namespace {

using base::Int128;

constexpr Fixed kHalf{std::int64_t{1} << 31};
constexpr std::int64_t kCell = std::int64_t{1} << Fixed::kFractionBits;

Position sum(Position a, Position b) { return {a.x + b.x, a.y + b.y}; }

// Turns before cells are taken where pixels are not square: a turned rectangle is none there.
class Placer {
 public:
  Placer(const Source& source, const Element& object, TileSize tile, Position offset)
      : source_(source), object_(object), tile_(tile) {
    at_ = sum({cells_or_0(source, object, "x", tile.width), cells_or_0(source, object, "y", tile.height)}, offset);
    const Attribute* rotation = object.find("rotation");
    if (rotation == nullptr) return;
    const Result<Rotation> read = rotation_of(rotation->value);
    if (!read)
      source.refuse(read.status().code(), rotation->at,
                    fmt::format("rotation {}; degrees are expected", read.status().message()));
    rotation_ = *read;
    if (!rotation_.turn.none() && tile.width != tile.height) tile_ = {1, 1}, shrink_ = tile;
  }

  /// What shapes of an axis may be: not where turning and shrinking do not commute.
  bool straight() const { return shrink_.width == shrink_.height; }
  Position at() const { return at_; }
  Axis axis() const { return rotation_.axis; }
  TileSize tile() const { return tile_; }
  Position half() const {
    return {cells_or_0(source_, object_, "width", 2 * tile_.width),
            cells_or_0(source_, object_, "height", 2 * tile_.height)};
  }
  Position local(Position p) const {
    const Position turned = rotation_.turn.turned(p);
    return {divided(turned.x, shrink_.width), divided(turned.y, shrink_.height)};
  }

 private:
  const Source& source_;
  const Element& object_;
  TileSize tile_, shrink_;
  Position at_;
  Rotation rotation_;
};

std::vector<Position> placed(const std::vector<Position>& corners, const Placer& placer) {
  std::vector<Position> out;
  out.reserve(corners.size());
  for (const Position corner : corners) out.push_back(placer.local(corner));
  return out;
}

Obstacle ellipse(const Placer& placer) {
  Obstacle shape;
  const Position half = placer.half();
  if (placer.straight() && half.x == half.y) {
    shape.kind = ObstacleKind::circle;
    shape.centre = sum(placer.at(), turned_to(placer.axis(), half));
    shape.radius = half.x;
    return shape;
  }
  shape.kind = ObstacleKind::polygon;
  shape.centre = sum(placer.at(), placer.local(half));
  for (int i = 0; i < kEllipseCorners; ++i) shape.points.push_back(placer.local(ellipse_corner(half, i)));
  return shape;
}

Obstacle rectangle(const Placer& placer) {
  Obstacle shape;
  const Position half = placer.half();
  if (placer.straight()) {
    shape.kind = ObstacleKind::box;
    shape.centre = sum(placer.at(), turned_to(placer.axis(), half));
    shape.half = half;
    shape.axis = placer.axis();
    return shape;
  }
  shape.kind = ObstacleKind::polygon;
  shape.centre = sum(placer.at(), placer.local(half));
  const Fixed x{-half.x.raw}, y{-half.y.raw};
  shape.points = placed({{x, y}, {half.x, y}, half, {x, half.y}}, placer);
  return shape;
}

// Columns of a row are inside between an odd crossing and the next: x of the first centre at or right of the edge.
class Rows {
 public:
  Rows(std::int64_t first, std::int64_t count) : first_(first), crossings_(static_cast<std::size_t>(count)) {}

  void add_edge(Position a, Position b) {
    if (a.y == b.y) return;
    if (a.y > b.y) std::swap(a, b);
    // Rows whose centre is at a.y or below it and above b.y.
    const std::int64_t from = std::max(first_centre(a.y.raw), first_),
                       last = first_ + static_cast<std::int64_t>(crossings_.size());
    const std::int64_t to = std::min(first_centre(b.y.raw), last);
    const Int128 height = Int128{b.y.raw} - a.y.raw, width = Int128{b.x.raw} - a.x.raw;
    for (std::int64_t y = from; y < to; ++y) {
      const Int128 down = Int128{y} * kCell + kHalf.raw - a.y.raw;
      const Int128 right = (Int128{a.x.raw} - kHalf.raw) * height + down * width;
      crossings_[static_cast<std::size_t>(y - first_)].push_back(
          static_cast<std::int64_t>(-base::floor_div(-right, height * kCell)));
    }
  }
  template <class Take>
  void each_run(Take take) {
    for (std::size_t i = 0; i < crossings_.size(); ++i) {
      std::vector<std::int64_t>& xs = crossings_[i];
      std::sort(xs.begin(), xs.end());
      for (std::size_t k = 0; k + 1 < xs.size(); k += 2) take(first_ + static_cast<std::int64_t>(i), xs[k], xs[k + 1]);
    }
  }
  static std::int64_t first_centre(std::int64_t raw) { return -((kHalf.raw - raw) >> Fixed::kFractionBits); }

 private:
  std::int64_t first_;
  std::vector<std::vector<std::int64_t>> crossings_;
};

// Rows of a circle within the map, narrowed from both sides.
template <class Take>
void each_run(const Obstacle& circle, const MapFile& map, Take take) {
  const Int128 square = Int128{circle.radius.raw} * circle.radius.raw;
  const auto range = [&](Fixed centre, std::int64_t origin, std::int64_t size) {
    return std::pair(std::max(Rows::first_centre(centre.raw - circle.radius.raw), origin),
                     std::min(Rows::first_centre(centre.raw + circle.radius.raw) + 1, origin + size));
  };
  const auto [first, last] = range(circle.centre.y, map.origin.y, map.cells.height);
  for (std::int64_t y = first; y < last; ++y) {
    const Int128 dy = Int128{y} * kCell + kHalf.raw - circle.centre.y.raw;
    const auto holds = [&](std::int64_t x) {
      const Int128 dx = Int128{x} * kCell + kHalf.raw - circle.centre.x.raw;
      return dx * dx + dy * dy <= square;
    };
    auto [from, to] = range(circle.centre.x, map.origin.x, map.cells.width);
    while (from < to && !holds(from)) ++from;
    while (from < to && !holds(to - 1)) --to;
    take(y, from, to);
  }
}

std::vector<std::vector<Position>> rings_of(const Obstacle& shape) {
  std::vector<std::vector<Position>> rings;
  if (shape.kind == ObstacleKind::box) {
    const Fixed x{-shape.half.x.raw}, y{-shape.half.y.raw};
    rings.push_back({{x, y}, {shape.half.x, y}, shape.half, {x, shape.half.y}});
    for (Position& corner : rings[0]) corner = turned_to(shape.axis, corner);
  } else {
    rings = shape.holes;
    rings.push_back(shape.points);
  }
  for (std::vector<Position>& ring : rings) {
    for (Position& corner : ring) corner = sum(corner, shape.centre);
  }
  return rings;
}

std::vector<Position> corners_of(const Source& source, const Property& text, TileSize tile) {
  std::vector<Position> corners;
  for (const Word& word : split_words(text.value)) {
    const std::size_t comma = std::min(word.text.find(','), word.text.size());
    const Result<Fixed> x = divided(word.text.substr(0, comma), tile.width);
    const Result<Fixed> y = divided(word.text.substr(std::min(comma + 1, word.text.size())), tile.height);
    if (!x || !y)
      source.refuse(
          StatusCode::number, text.at,
          fmt::format("corner \"{}\"; two numbers such as 16,-8.5 are expected", printable(word.text.substr(0, 40))));
    if (corners.size() == kMaxObstaclePoints)
      source.refuse(StatusCode::limit_obstacles, text.at,
                    fmt::format("a shape of more than {} corners; that is the limit", kMaxObstaclePoints));
    corners.push_back({*x, *y});
  }
  return corners;
}

}  // namespace

Obstacle shape_of(const Source& source, const Element& object, TileSize tile, Position offset) {
  const Placer placer(source, object, tile, offset);
  if (object.child("ellipse") != nullptr) return ellipse(placer);
  const Element* line = object.child("polyline");
  const Element* corners = line != nullptr ? line : object.child("polygon");
  if (corners == nullptr) return rectangle(placer);
  Obstacle shape;
  shape.kind = line != nullptr ? ObstacleKind::capsule : ObstacleKind::polygon;
  shape.centre = placer.at();
  shape.points = placed(corners_of(source, {corners->value("points"), corners->at}, placer.tile()), placer);
  const std::optional<Property> holes = line == nullptr ? property(object, "holes") : std::nullopt;
  for (const Word& ring : holes ? split_at(holes->value, ';') : std::vector<Word>())
    shape.holes.push_back(placed(corners_of(source, {ring.text, holes->at}, placer.tile()), placer));
  return shape;
}

bool add_cells(const Obstacle& shape, const MapFile& map, std::int32_t layer, std::vector<Cell>& out) {
  const std::int64_t left = map.origin.x, top = map.origin.y, right = left + map.cells.width,
                     bottom = top + map.cells.height;
  bool fits = true;
  const auto take = [&](std::int64_t y, std::int64_t from, std::int64_t to) {
    from = std::max(from, left);
    to = std::min(to, right);
    fits = fits && (to <= from || out.size() + static_cast<std::size_t>(to - from) <= kMostPlaceCells);
    for (std::int64_t x = from; fits && x < to; ++x)
      out.push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), layer});
  };
  if (shape.kind == ObstacleKind::circle) {
    each_run(shape, map, take);
    return fits;
  }
  const std::vector<std::vector<Position>> rings = rings_of(shape);
  std::int64_t first = bottom, last = top, corners = 0;
  for (const std::vector<Position>& ring : rings) {
    corners += static_cast<std::int64_t>(ring.size());
    for (const Position corner : ring) {
      first = std::min(first, std::max(Rows::first_centre(corner.y.raw), top));
      last = std::max(last, std::min(Rows::first_centre(corner.y.raw), bottom));
    }
  }
  if (first >= last) return true;
  if ((last - first) * corners > kMostCrossings) return false;
  Rows rows(first, last - first);
  for (const std::vector<Position>& ring : rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) rows.add_edge(ring[i], ring[(i + 1) % ring.size()]);
  }
  rows.each_run(take);
  return fits;
}

}  // namespace drover::io::tiled
