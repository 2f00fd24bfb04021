// SPDX-License-Identifier: MIT
// Pixels by majority, nearest cost and busiest cell; marks as paths of short round strokes, a few bytes an agent.
#include "io/report_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "io/outline.hpp"

#include "io/png_chunks.hpp"

namespace drover::io {

namespace {

constexpr std::size_t kMostAgents = 600, kMostTargets = 64, kMostDoorCells = 4000, kMostPortals = 400,
                      kMostObstaclePoints = 20000;

// Ground: gap, wall, trees, water, floor, slow, unknown, shut door, hidden from some faction.
enum Ground : std::uint8_t { gap, wall, trees, water, floor, slow, unknown, shut, fogged };
constexpr std::size_t kGrounds = 9;
const std::vector<std::uint32_t> kGroundColours = {0x00000000, 0x16181eff, 0x1a3026ff, 0x1c3454ff, 0xced2d8ff,
                                                   0x96ac8cff, 0x56466cff, 0x6e3414ff, 0xa79cb8ff};
// Viridis, far to near, and inferno without its dark end, seldom to often.
constexpr std::array<std::uint32_t, 9> kNear = {0x482070, 0x423e85, 0x355f8d, 0x26828e, 0x1f9e89,
                                                0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};
constexpr std::array<std::uint32_t, 7> kBusy = {0x57106e, 0x88226a, 0xba3655, 0xe35933, 0xf98c0a, 0xf9c932, 0xfcffa4};
constexpr std::size_t kLevels = 48;
constexpr std::uint8_t kCutOff = kLevels + 1;  // and the next one, in a chequered pattern

template <std::size_t N>
std::uint32_t ramp(const std::array<std::uint32_t, N>& anchors, double t) {
  const double at = std::clamp(t, 0.0, 1.0) * static_cast<double>(N - 1);
  const std::size_t i = std::min<std::size_t>(static_cast<std::size_t>(at), N - 2);
  std::uint32_t out = 0;
  for (const int shift : {16, 8, 0}) {
    const double a = (anchors[i] >> shift) & 255, b = (anchors[i + 1] >> shift) & 255;
    out = out << 8 | static_cast<std::uint32_t>(std::lround(a + (b - a) * (at - static_cast<double>(i))));
  }
  return out;
}

// Index 0 is nothing, 1 .. kLevels the ramp.
template <std::size_t N>
std::vector<std::uint32_t> palette(const std::array<std::uint32_t, N>& anchors, double least_opacity) {
  std::vector<std::uint32_t> out{0};
  for (std::size_t i = 0; i < kLevels; ++i) {
    const double t = static_cast<double>(i) / (kLevels - 1);
    const auto opacity = static_cast<std::uint32_t>(std::lround(255 * (least_opacity + (1 - least_opacity) * t)));
    out.push_back(ramp(anchors, t) << 8 | opacity);
  }
  return out;
}

class MapDrawing {
 public:
  MapDrawing(const MapView& map, const PictureDef& def) : map_(map), def_(def), shape_(map.shape()) {
    const std::int64_t longest =
        std::max<std::int64_t>(shape_.width(), shape_.height() * std::int64_t{shape_.layers()});
    out_.cells_a_pixel = (longest + kMapPixels - 1) / kMapPixels;
    layer_pixels_ = (shape_.height() + skip() - 1) / skip();
    out_.width = (shape_.width() + skip() - 1) / skip();
    out_.height = layer_pixels_ * shape_.layers() + shape_.layers() - 1;
    out_.cells_wide = out_.width * skip();
    out_.cells_high = out_.height * skip();
  }

  MapPictures draw() {
    out_.ground = layer(kGroundColours, [&](const Block& block) { return ground(block); });
    if (def_.field != nullptr) draw_field();
    if (!def_.visits.empty()) draw_traffic();
    obstacles();
    doors();
    portals();
    goals();
    agents();  // last, so that who stands on a goal is seen
    return std::move(out_);
  }

 private:
  struct Block {
    std::vector<CellIndex> cells;
    bool odd = false;
  };
  std::int64_t skip() const { return out_.cells_a_pixel; }

  template <class Colour>
  std::string layer(const std::vector<std::uint32_t>& colours, Colour colour) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(out_.width * out_.height));
    Block block;
    for (std::int32_t l = 0; l < shape_.layers(); ++l) {
      for (std::int64_t y = 0; y < layer_pixels_; ++y) {
        const std::int64_t row = l * (layer_pixels_ + 1) + y;
        for (std::int64_t x = 0; x < out_.width; ++x) {
          fill(block, x, y, l);
          pixels[static_cast<std::size_t>(row * out_.width + x)] = colour(block);
        }
      }
    }
    return indexed_png(
        {static_cast<std::uint32_t>(out_.width), static_cast<std::uint32_t>(out_.height), colours, {}, 9},
        pixels.data(), 8);
  }

  void fill(Block& block, std::int64_t x, std::int64_t y, std::int32_t layer) const {
    block.cells.clear();
    block.odd = ((x + y) & 1) != 0;
    for (std::int64_t j = y * skip(); j < std::min<std::int64_t>((y + 1) * skip(), shape_.height()); ++j) {
      for (std::int64_t i = x * skip(); i < std::min<std::int64_t>((x + 1) * skip(), shape_.width()); ++i)
        block.cells.push_back({shape_.at(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), layer)});
    }
  }

  Ground ground_of(CellIndex i) const {
    if (map_.unknown(i)) return unknown;
    if (map_.door_closed(i)) return shut;
    if (map_.hidden_from(i) != 0) return fogged;
    const TerrainClass& kind = map_.terrain_classes()[map_.terrain(i)];
    if (kind.name == "trees") return trees;
    if (kind.name == "water") return water;
    if (!kind.passable) return wall;
    return kind.name == "swamp" || kind.cost > 1 ? slow : floor;
  }
  // What most cells are; what comes first of equals, so that walls one cell thick do not vanish.
  std::uint8_t ground(const Block& block) const {
    std::array<std::size_t, kGrounds> counts{};
    for (const CellIndex i : block.cells) ++counts[ground_of(i)];
    return static_cast<std::uint8_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }

  void draw_field() {
    const FlowField& field = *def_.field;
    const auto counts = [&](CellIndex i) {
      const CellState state = field.state(i);
      return state == CellState::reachable || state == CellState::goal;
    };
    each_cell([&](CellIndex i) {
      if (counts(i)) out_.most_cost = std::max<std::uint64_t>(out_.most_cost, field.cost_to_goal(i));
    });
    std::vector<std::uint32_t> colours = palette(kNear, 1);
    // Bands of equal cost show the shape of the field.
    for (std::size_t i = 1; i <= kLevels; i += 2)
      colours[i] = ramp(kNear, static_cast<double>(i) / kLevels - 0.05) << 8 | 255;
    colours.push_back(0x8c8c8cff);
    colours.push_back(0x5a5a5aff);
    out_.field = layer(colours, [&](const Block& block) -> std::uint8_t {
      Cost nearest = kInfiniteCost;
      std::size_t cut_off = 0;
      for (const CellIndex i : block.cells) {
        if (counts(i)) nearest = std::min(nearest, field.cost_to_goal(i));
        if (field.state(i) == CellState::unreachable) ++cut_off;
      }
      if (nearest != kInfiniteCost && 2 * cut_off < block.cells.size() + 1)
        return level(1 - static_cast<double>(nearest) / static_cast<double>(std::max<Cost>(out_.most_cost, 1)));
      if (cut_off > 0) return static_cast<std::uint8_t>(kCutOff + (block.odd ? 1 : 0));
      return 0;
    });
  }

  void draw_traffic() {
    each_cell([&](CellIndex i) { out_.most_visits = std::max<std::uint64_t>(out_.most_visits, def_.visits[i.value]); });
    const double most = std::log1p(static_cast<double>(std::max<std::uint64_t>(out_.most_visits, 1)));
    out_.traffic = layer(palette(kBusy, 0.55), [&](const Block& block) -> std::uint8_t {
      std::uint32_t visits = 0;
      for (const CellIndex i : block.cells) visits = std::max(visits, def_.visits[i.value]);
      return visits == 0 ? std::uint8_t{0} : level(std::log1p(static_cast<double>(visits)) / most);
    });
  }

  static std::uint8_t level(double t) {
    return static_cast<std::uint8_t>(1 + std::lround(std::clamp(t, 0.0, 1.0) * (kLevels - 1)));
  }

  template <class Visit>
  void each_cell(Visit visit) const {
    for (std::int32_t l = 0; l < shape_.layers(); ++l) {
      for (std::int32_t y = 0; y < shape_.height(); ++y) {
        for (std::int32_t x = 0; x < shape_.width(); ++x) visit(CellIndex{shape_.at(x, y, l)});
      }
    }
  }

  double left(Cell c) const { return static_cast<double>(std::int64_t{c.x} - shape_.origin().x); }
  double top_of(std::int32_t l) const { return static_cast<double>(l * (layer_pixels_ + 1) * skip()); }
  double top(Cell c) const {
    return static_cast<double>(std::int64_t{c.y} - shape_.origin().y + c.layer * (layer_pixels_ + 1) * skip());
  }
  // Marks keep a size that can be seen on large maps.
  double unit() const { return std::max(1.0, static_cast<double>(std::max(out_.cells_wide, out_.cells_high)) / 110); }
  void path(std::string_view css_class, double thickness, const std::string& d) {
    if (!d.empty())
      out_.marks += fmt::format("<path class=\"{}\" stroke-width=\"{:.2f}\" d=\"{}\"/>", css_class, thickness, d);
  }
  // A stroke without length: the line's cap is the mark.
  std::string point(Cell c, int footprint) const {
    return fmt::format("M{} {}h0", left(c) + footprint * 0.5, top(c) + footprint * 0.5);
  }

  // Where they are on this map: those that move, at its time. Those off it are cut by the picture's edge.
  void obstacles() {
    std::string d;
    std::size_t points = 0;
    for (const std::shared_ptr<const Obstacle>& shape : map_.obstacles()) {
      if (shape == nullptr) continue;
      const DrawnRings rings = outline(*shape, map_.frame());
      for (std::int32_t l = 0; l < shape_.layers(); ++l) {
        if (!shape->on_layer(l)) continue;
        for (const std::vector<DrawnPoint>& ring : rings) {
          points += ring.size();
          if (points > kMostObstaclePoints) break;
          char next = 'M';
          for (const DrawnPoint p : ring)
            d += fmt::format("{}{:.2f} {:.2f}", std::exchange(next, 'L'), p.x, p.y + top_of(l));
          d += 'z';
        }
      }
    }
    path("obstacle", 0.1, d);
  }

  void doors() {
    std::string open_doors, shut_doors;
    std::size_t cells = 0;
    for (const DoorDef& door : map_.doors()) {
      for (const Cell c : door.cells) {
        if (++cells > kMostDoorCells) break;
        std::string& d = door.open ? open_doors : shut_doors;
        d += fmt::format("M{} {}h1v1h-1z", left(c), top(c));
        if (!door.open) d += fmt::format("m0 0l1 1m-1 0l1 -1");
      }
    }
    path("door", 0.16 * unit(), open_doors + shut_doors);
  }

  // From end to end, with a head where it leads to.
  void portals() {
    std::string d, ends;
    const std::size_t count = std::min(map_.portals().size(), kMostPortals);
    for (const PortalDef& portal : map_.portals().first(count)) {
      if (!portal.open) continue;
      const double x = left(portal.from) + 0.5, y = top(portal.from) + 0.5;
      const double across = left(portal.to) + 0.5 - x, down = top(portal.to) + 0.5 - y;
      const double head = 0.4 * unit() / std::max(std::hypot(across, down), 1e-6);
      const double back_x = across * head, back_y = down * head;
      ends += point(portal.from, 1);
      d += fmt::format("M{:.1f} {:.1f}l{:.2f} {:.2f}m{:.2f} {:.2f}l{:.2f} {:.2f}l{:.2f} {:.2f}", x, y, across, down,
                       -back_x - back_y, back_x - back_y, back_x + back_y, back_y - back_x, -back_x + back_y,
                       -back_y - back_x);
    }
    path("portal", 0.1 * unit(), d);
    path("portal", 0.4 * unit(), ends);
  }

  void agents() {
    if (def_.agents.empty() || def_.agents.size() > kMostAgents || unit() > 3) return;
    out_.agents_shown = true;
    struct Marks {
      std::string starts, arrived, others;
    };
    std::map<int, Marks> by_size;
    for (const PictureAgent& agent : def_.agents) {
      Marks& marks = by_size[agent.footprint];
      marks.starts += point(agent.start, agent.footprint);
      if (agent.there) (agent.arrived ? marks.arrived : marks.others) += point(agent.end, agent.footprint);
    }
    for (const auto& [footprint, marks] : by_size) {
      path("start", 0.66 * footprint, marks.starts);
      path("start hole", 0.40 * footprint, marks.starts);
      path("end edge", 0.86 * footprint, marks.arrived);
      path("end", 0.68 * footprint, marks.arrived);
      path("left edge", 0.76 * footprint, marks.others);
      path("left", 0.58 * footprint, marks.others);
    }
  }

  void goals() {
    std::string d;
    for (const Cell c : def_.goals) d += point(c, 1);
    const double size = def_.goals.size() <= kMostTargets ? unit() : 1;
    path("goal edge", 1.04 * size, d);
    path("goal", 0.84 * size, d);
    path("goal edge", 0.56 * size, d);
    path("goal", 0.30 * size, d);
  }

  const MapView& map_;
  const PictureDef& def_;
  const GridShape& shape_;
  std::int64_t layer_pixels_ = 0;
  MapPictures out_;
};

}  // namespace

MapPictures draw_map(const MapView& map, const PictureDef& def) { return MapDrawing(map, def).draw(); }

}  // namespace drover::io
