// SPDX-License-Identifier: MIT
// Draws maps: ground, field, traffic, obstacles, doors, portals, agents, goals, in this order. Colours stay apart for
// colour-blind eyes.
#include "io/picture.hpp"

#include <algorithm>
#include <cmath>

#include "io/canvas.hpp"

namespace drover::io {

namespace {

constexpr Rgb kWall{22, 24, 30}, kTrees{26, 48, 38}, kWater{28, 52, 84}, kNoRoom{66, 70, 80}, kFrame{12, 13, 17};
constexpr Rgb kFloorColour{206, 210, 216}, kSwamp{150, 172, 140}, kUnreachable{150, 150, 150}, kUnknown{86, 70, 104},
    kUnknownDot{150, 132, 172}, kFog{112, 92, 146};
constexpr Rgb kDoor{230, 159, 0}, kDoorShut{110, 52, 20}, kWhite{255, 255, 255}, kInk{10, 10, 14};
constexpr Rgb kPortal{214, 134, 180}, kObstacle{62, 42, 32}, kObstacleEdge{208, 170, 136};
constexpr std::size_t kMostPortals = 400;
constexpr Rgb kStart{86, 180, 233}, kArrived{255, 255, 255}, kNotArrived{0, 190, 150};

// Far to near: viridis where the field is all there is, slate below traffic. Traffic, least to most: inferno.
constexpr Rgb kViridis[] = {{72, 32, 112},  {66, 62, 133},  {53, 95, 141},  {38, 130, 142}, {31, 158, 137},
                            {53, 183, 121}, {110, 206, 88}, {181, 222, 43}, {253, 231, 37}};
constexpr Rgb kSlate[] = {{44, 54, 70}, {62, 76, 96}, {86, 102, 124}, {122, 138, 160}};
constexpr Rgb kInferno[] = {{87, 16, 110},  {136, 34, 106}, {186, 54, 85},  {227, 89, 51},
                            {249, 140, 10}, {249, 201, 50}, {252, 255, 164}};
// Of regions; the first, which is the largest, stays quiet.
constexpr Rgb kRegions[] = {{206, 210, 216}, {230, 178, 92}, {118, 180, 214}, {120, 190, 150},
                            {222, 150, 186}, {214, 124, 84}, {104, 140, 196}, {226, 218, 130}};

template <std::size_t N>
Rgb ramp(const Rgb (&anchors)[N], double t) {
  const double at = std::clamp(t, 0.0, 1.0) * (N - 1);
  const auto i = std::min<std::size_t>(static_cast<std::size_t>(at), N - 2);
  return mixed(anchors[i], anchors[i + 1], at - static_cast<double>(i));
}

class Picture {
 public:
  Picture(const MapView& map, const PictureDef& def)
      : map_(map),
        def_(def),
        shape_(map.shape()),
        scale_(choose_scale(shape_)),
        skip_(choose_skip(shape_)),
        canvas_(size(shape_.width()), size_y(), kFrame) {}

  Status write(const std::string& path) {
    ground();
    traffic();
    obstacles();
    doors();
    portals();
    arrows();
    agents();
    goals();
    return write_png(path, canvas_.width(), canvas_.height(), [&](std::uint32_t y, std::span<Rgb> row) {
      std::copy_n(canvas_.row(y), row.size(), row.begin());
    });
  }

 private:
  static constexpr std::int64_t kMargin = 6;
  static constexpr std::int32_t kMostPixels = 8192;

  static std::int32_t longest(const GridShape& shape) {
    return std::max(shape.width(), shape.height() * shape.layers());
  }
  static std::int64_t choose_scale(const GridShape& shape) { return std::clamp(1280 / longest(shape), 1, 32); }
  // Cells a pixel, on maps that are larger than a picture should be.
  static std::int64_t choose_skip(const GridShape& shape) { return (longest(shape) + kMostPixels - 1) / kMostPixels; }
  std::uint32_t size(std::int32_t cells) const {
    return static_cast<std::uint32_t>((cells + skip_ - 1) / skip_ * scale_ + 2 * kMargin);
  }
  std::int64_t layer_height() const { return (shape_.height() + skip_ - 1) / skip_ * scale_ + kMargin; }
  std::uint32_t size_y() const { return static_cast<std::uint32_t>(layer_height() * shape_.layers() + kMargin); }

  std::int64_t left(std::int32_t column) const { return kMargin + column / skip_ * scale_; }
  std::int64_t top(std::int32_t row, std::int32_t layer) const {
    return kMargin + layer * layer_height() + row / skip_ * scale_;
  }
  struct Point {
    double x, y;
  };
  Point centre(Cell c, int footprint) const {
    const double half = static_cast<double>(footprint * scale_) / 2;
    return {static_cast<double>(left(c.x - shape_.origin().x)) + half,
            static_cast<double>(top(c.y - shape_.origin().y, c.layer)) + half};
  }
  bool plain_field() const { return def_.visits.empty() && def_.agents.empty(); }

  template <class Visit>
  void each_cell(Visit visit) {
    for (std::int32_t layer = 0; layer < shape_.layers(); ++layer) {
      for (std::int32_t row = 0; row < shape_.height(); row += static_cast<std::int32_t>(skip_)) {
        for (std::int32_t x = 0; x < shape_.width(); x += static_cast<std::int32_t>(skip_)) {
          visit(CellIndex{shape_.at(x, row, layer)}, left(x), top(row, layer));
        }
      }
    }
  }

  Rgb blocked_colour(CellIndex i) const {
    const TerrainClass& kind = map_.terrain_classes()[map_.terrain(i)];
    if (kind.name == "trees") return kTrees;
    return kind.name == "water" ? kWater : kWall;
  }

  Rgb free_colour(CellIndex i) const {
    const TerrainClass& kind = map_.terrain_classes()[map_.terrain(i)];
    if (!kind.passable) return blocked_colour(i);
    if (!def_.regions.empty() && def_.regions[i.value] > 0)
      return kRegions[(def_.regions[i.value] - 1) % std::size(kRegions)];
    return kind.name == "swamp" || kind.cost > 1 ? kSwamp : kFloorColour;
  }

  Rgb field_colour(CellIndex i, double most) const {
    const double near = 1 - static_cast<double>(def_.field->cost_to_goal(i)) / most;
    const Rgb colour = plain_field() ? ramp(kViridis, near) : ramp(kSlate, near);
    // Bands of equal cost show the shape of the field.
    return static_cast<std::int64_t>(near * 32) % 2 == 0 ? colour : mixed(colour, kInk, 0.07);
  }

  void pattern(std::int64_t x, std::int64_t y, Rgb base, Rgb mark, bool dots) {
    canvas_.fill(x, y, scale_, scale_, base);
    for (std::int64_t j = 0; j < scale_; ++j) {
      for (std::int64_t i = 0; i < scale_; ++i) {
        const bool on = dots ? (x + i) % 4 == 0 && (y + j) % 4 == 0 : (x + i + y + j) % 6 < 2;
        if (on) canvas_.blend(x + i, y + j, mark, 0.6);
      }
    }
  }

  void ground() {
    double most = 1;
    if (def_.field != nullptr) {
      each_cell([&](CellIndex i, std::int64_t, std::int64_t) {
        const CellState state = def_.field->state(i);
        if (state == CellState::reachable || state == CellState::goal)
          most = std::max(most, static_cast<double>(def_.field->cost_to_goal(i)));
      });
    }
    each_cell([&](CellIndex i, std::int64_t x, std::int64_t y) {
      if (map_.unknown(i)) return pattern(x, y, kUnknown, kUnknownDot, true);
      if (def_.field == nullptr) return canvas_.fill(x, y, scale_, scale_, free_colour(i));
      switch (def_.field->state(i)) {
        case CellState::goal:
        case CellState::reachable:
          canvas_.fill(x, y, scale_, scale_, field_colour(i, most));
          break;
        case CellState::no_room:
          canvas_.fill(x, y, scale_, scale_, kNoRoom);
          break;
        case CellState::blocked:
          canvas_.fill(x, y, scale_, scale_, map_.door_closed(i) ? kDoorShut : blocked_colour(i));
          break;
        case CellState::unknown:  // to the field's faction alone: what others know shines through
          pattern(x, y, mixed(free_colour(i), kFog, 0.35), kFog, false);
          break;
        default:
          pattern(x, y, kUnreachable, kInk, false);
      }
      if (scale_ >= 12) {
        canvas_.fill(x, y, scale_, 1, kInk, 0.12);
        canvas_.fill(x, y + 1, 1, scale_ - 1, kInk, 0.12);
      }
    });
  }

  void traffic() {
    if (def_.visits.empty()) return;
    const double most =
        std::log1p(static_cast<double>(std::max(1u, *std::max_element(def_.visits.begin(), def_.visits.end()))));
    each_cell([&](CellIndex i, std::int64_t x, std::int64_t y) {
      if (def_.visits[i.value] == 0) return;
      const double heat = std::log1p(static_cast<double>(def_.visits[i.value])) / most;
      canvas_.fill(x, y, scale_, scale_, ramp(kInferno, heat), 0.5 + 0.45 * heat);
    });
  }

  // Where they are on this map: those that move, at its time.
  void obstacles() {
    for (const std::shared_ptr<const Obstacle>& shape : map_.obstacles()) {
      if (shape == nullptr) continue;
      const DrawnRings cells = outline(*shape, map_.frame());
      const double pixels = static_cast<double>(scale_) / static_cast<double>(skip_);
      for (std::int32_t layer = 0; layer < shape_.layers(); ++layer) {
        if (!shape->on_layer(layer)) continue;
        const std::int64_t y = top(0, layer);
        DrawnRings rings = cells;
        double high = 1e9, low = -1e9;
        for (std::vector<DrawnPoint>& ring : rings) {
          for (DrawnPoint& p : ring) {
            p = {static_cast<double>(kMargin) + p.x * pixels, static_cast<double>(y) + p.y * pixels};
            high = std::min(high, p.y);
            low = std::max(low, p.y);
          }
        }
        const auto row = [&](double at) {
          const auto most = static_cast<double>(y + layer_height() - kMargin);
          return static_cast<std::int64_t>(std::clamp(at, static_cast<double>(y), most));
        };
        canvas_.solid(rings, row(high), row(low + 1), kObstacle, 0.95);
        for (const std::vector<DrawnPoint>& ring : rings) edge(ring);
      }
    }
  }

  void edge(const std::vector<DrawnPoint>& ring) {
    for (std::size_t i = 0; scale_ >= 4 && i < ring.size(); ++i) {
      const DrawnPoint a = ring[i], b = ring[(i + 1) % ring.size()];
      canvas_.line(a.x, a.y, b.x, b.y, 1.2, kObstacleEdge);
    }
  }

  void doors() {
    for (const DoorDef& door : map_.doors()) {
      for (const Cell c : door.cells) {
        const std::int64_t x = left(c.x - shape_.origin().x), y = top(c.y - shape_.origin().y, c.layer);
        const std::int64_t edge = std::max<std::int64_t>(1, scale_ / 8);
        if (!door.open) {
          for (std::int64_t at = edge; at < scale_; at += 3 * edge) canvas_.fill(x + at, y, edge, scale_, kDoor);
        }
        canvas_.fill(x, y, scale_, edge, kDoor);
        canvas_.fill(x, y + scale_ - edge, scale_, edge, kDoor);
        canvas_.fill(x, y, edge, scale_, kDoor);
        canvas_.fill(x + scale_ - edge, y, edge, scale_, kDoor);
      }
    }
  }

  // From end to end, with a head where it leads to.
  void portals() {
    const std::size_t count = std::min(map_.portals().size(), kMostPortals);
    for (const PortalDef& portal : map_.portals().first(count)) {
      if (!portal.open) continue;
      const Point from = centre(portal.from, 1), to = centre(portal.to, 1);
      const double length = std::max(std::hypot(to.x - from.x, to.y - from.y), 1e-6);
      const double dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
      const double head = std::max(static_cast<double>(scale_) * 0.35, 3.0), thick = std::max(head / 6, 1.2);
      canvas_.ring(from.x, from.y, 0, head * 0.5, kPortal);
      canvas_.line(from.x, from.y, to.x, to.y, thick, kPortal, 0.7);
      for (const double side : {-1.0, 1.0})
        canvas_.line(to.x, to.y, to.x - (dx + side * dy) * head, to.y - (dy - side * dx) * head, thick * 1.5, kPortal);
    }
  }

  void arrows() {
    if (def_.field == nullptr || !plain_field() || scale_ < 14) return;
    each_cell([&](CellIndex i, std::int64_t left_edge, std::int64_t top_edge) {
      const Step step = def_.field->step(i);
      if (step.kind != Step::Kind::move) return;
      const int d = static_cast<int>(step.direction);
      const double length = static_cast<double>(scale_) * 0.30, shorten = is_diagonal(step.direction) ? 0.7071 : 1.0;
      const double dx = kDx[d] * shorten, dy = kDy[d] * shorten, half = static_cast<double>(scale_) / 2;
      const double cx = static_cast<double>(left_edge) + half, cy = static_cast<double>(top_edge) + half;
      const double tip_x = cx + dx * length, tip_y = cy + dy * length, head = length * 0.75;
      canvas_.line(cx - dx * length, cy - dy * length, tip_x, tip_y, 1.4, kInk, 0.75);
      canvas_.line(tip_x, tip_y, tip_x + (-dx - dy) * 0.7071 * head, tip_y + (-dy + dx) * 0.7071 * head, 1.4, kInk,
                   0.75);
      canvas_.line(tip_x, tip_y, tip_x + (-dx + dy) * 0.7071 * head, tip_y + (-dy - dx) * 0.7071 * head, 1.4, kInk,
                   0.75);
    });
  }

  void agents() {
    const double cell = static_cast<double>(scale_);
    for (const PictureAgent& agent : def_.agents) {
      const Point at = centre(agent.start, agent.footprint);
      const double radius = cell * agent.footprint * 0.30;
      if (scale_ >= 4) {
        canvas_.ring(at.x, at.y, radius - std::max(0.8, cell * 0.07), radius, kStart, 0.9);
      } else {
        canvas_.fill(static_cast<std::int64_t>(at.x - cell / 2), static_cast<std::int64_t>(at.y - cell / 2), scale_,
                     scale_, kStart, 0.8);
      }
    }
    for (const PictureAgent& agent : def_.agents) {
      if (!agent.there) continue;
      const Point at = centre(agent.end, agent.footprint);
      const Rgb colour = agent.arrived ? kArrived : kNotArrived;
      const double radius = std::max(cell * (agent.footprint * 0.5 - 0.12), 0.6);
      if (scale_ >= 4) canvas_.ring(at.x, at.y, 0, radius + std::max(0.7, cell * 0.06), kInk);
      canvas_.ring(at.x, at.y, 0, radius, colour);
    }
  }

  void goals() {
    std::vector<Cell> cells(def_.goals.begin(), def_.goals.end());
    if (cells.empty() && def_.field != nullptr) {
      for (const PlacedGoal& goal : def_.field->goals()) cells.push_back(goal.placed);
    }
    // A crowd of targets would hide the map: many goals are marked cell by cell.
    const bool targets = cells.size() <= 64;
    for (const Cell c : cells) {
      if (!shape_.contains(c)) continue;
      const Point at = centre(c, 1);
      const double radius =
          targets ? std::max(static_cast<double>(scale_) * 0.46, 5.0) : static_cast<double>(scale_) * 0.3;
      canvas_.ring(at.x, at.y, 0, radius, kInk, targets ? 0.35 : 1);
      canvas_.ring(at.x, at.y, radius * 0.62, radius, kWhite);
      canvas_.ring(at.x, at.y, radius, radius + 1, kInk, 0.9);
      if (targets) canvas_.ring(at.x, at.y, 0, radius * 0.3, kWhite);
    }
  }

  const MapView& map_;
  const PictureDef& def_;
  GridShape shape_;
  std::int64_t scale_, skip_;
  Canvas canvas_;
};

}  // namespace

Status write_picture(const std::string& path, const MapView& map, const PictureDef& def) {
  return Picture(map, def).write(path);
}

}  // namespace drover::io
