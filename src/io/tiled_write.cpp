// SPDX-License-Identifier: MIT
// Writing: a map as a Tiled tree with its tileset inside, of which both syntaxes are printed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "io/html.hpp"
#include "io/map_formats.hpp"
#include "io/png_chunks.hpp"
#include "io/png_legend.hpp"
#include "io/tiled_geometry.hpp"
#include "io/tiled_model.hpp"

namespace drover::io {

namespace {

using tiled::decimal_text;
using tiled::Element;
using tiled::ValueKind;

constexpr std::int64_t kTile = 32;  // pixels

std::string pixels(Fixed cells) { return decimal_text(cells, kTile); }

void set_number(Element& element, std::string name, std::int64_t number) {
  element.set(std::move(name), std::to_string(number), ValueKind::number);
}

void set_pixels(Element& element, std::string name, Fixed cells) {
  element.set(std::move(name), pixels(cells), ValueKind::number);
}

void add_property(Element& owner, std::string name, std::string value, ValueKind kind = ValueKind::text) {
  if (owner.child("properties") == nullptr) owner.children.insert(owner.children.begin(), {"properties"});
  Element& entry = owner.children.front().add("property").set("name", std::move(name));
  if (kind == ValueKind::number) entry.set("type", "int");
  if (kind == ValueKind::boolean) entry.set("type", "bool");
  entry.set("value", std::move(value), kind);
}

void add_flag(Element& owner, std::string name, bool value) {
  add_property(owner, std::move(name), value ? "true" : "false", ValueKind::boolean);
}

std::string one_way_text(std::uint8_t forbidden) {
  std::string text;
  for (int d = 0; d < kDirections; ++d) {
    if ((forbidden >> d & 1) == 0)
      text += fmt::format("{}{}", text.empty() ? "" : ",", to_string(static_cast<Direction>(d)));
  }
  return text.empty() ? "none" : text;
}

// Rectangles that cover ascending cells of one layer: runs of a row, joined downward where they are alike.
std::vector<CellRect> rects_of(const std::vector<Cell>& cells) {
  std::vector<CellRect> rects;
  std::map<std::pair<std::int32_t, std::int64_t>, std::size_t> above;
  for (std::size_t i = 0; i < cells.size();) {
    std::size_t end = i + 1;
    while (end < cells.size() && cells[end].y == cells[i].y && cells[end].layer == cells[i].layer &&
           cells[end].x == cells[end - 1].x + 1)
      ++end;
    const auto width = static_cast<std::int64_t>(end - i);
    const auto [found, fresh] = above.emplace(std::pair(cells[i].x, width), rects.size());
    const bool joins = !fresh && rects[found->second].corner.layer == cells[i].layer &&
                       rects[found->second].corner.y + rects[found->second].height == cells[i].y;
    if (joins) {
      ++rects[found->second].height;
    } else {
      found->second = rects.size();
      rects.push_back({cells[i], width, 1});
    }
    i = end;
  }
  return rects;
}

class Writer {
 public:
  enum class Pictures : std::uint8_t { none, inside };

  Writer(const MapFile& map, Pictures pictures)
      : map_(map), pictures_(pictures), colors_(terrain_colors(map.terrain)) {}

  Element tree() {
    const bool infinite = map_.origin.x != 0 || map_.origin.y != 0;
    Element root{"map"};
    root.set("version", "1.8").set("orientation", "orthogonal").set("renderorder", "right-down");
    set_number(root, "width", map_.cells.width);
    set_number(root, "height", map_.cells.height);
    set_number(root, "tilewidth", kTile);
    set_number(root, "tileheight", kTile);
    root.set("infinite", infinite ? "true" : "false", ValueKind::toggle);
    std::vector<Element> layers;
    const std::vector<std::uint8_t> forbidden = forbidden_steps();
    layers.reserve(static_cast<std::size_t>(map_.cells.layers));
    for (std::int32_t layer = 0; layer < map_.cells.layers; ++layer)
      layers.push_back(cells(layer, forbidden, infinite));
    root.children.push_back(tileset());
    for (Element& layer : layers) root.children.push_back(std::move(layer));
    for (const MapGoal& goal : map_.goals) add_goal(root, goal);
    for (const MapSpawn& spawn : map_.spawns) add_spawn(root, spawn);
    for (const NamedObstacle& obstacle : map_.obstacles) add_obstacle(root, obstacle);
    set_number(root, "nextlayerid", next_layer_);
    set_number(root, "nextobjectid", next_object_);
    return root;
  }

 private:
  std::vector<std::uint8_t> forbidden_steps() const {
    std::vector<std::uint8_t> forbidden;
    const auto width = static_cast<std::uint64_t>(map_.cells.width),
               height = static_cast<std::uint64_t>(map_.cells.height);
    for (const StepEdit& step : map_.steps) {
      const auto x = static_cast<std::uint64_t>(std::int64_t{step.step.from.x} - map_.origin.x),
                 y = static_cast<std::uint64_t>(std::int64_t{step.step.from.y} - map_.origin.y),
                 layer = static_cast<std::uint64_t>(step.step.from.layer);
      if (x >= width || y >= height || layer >= static_cast<std::uint64_t>(map_.cells.layers)) continue;
      forbidden.resize(map_.cells.cells.size());
      std::uint8_t& bits = forbidden[(layer * height + y) * width + x];
      const auto bit = static_cast<std::uint8_t>(1u << static_cast<int>(step.step.direction));
      bits = static_cast<std::uint8_t>(step.allowed ? bits & ~bit : bits | bit);
    }
    return forbidden;
  }

  // Every class has a tile, then `unknown`, then the one-ways in the order of the cells.
  std::uint32_t gid_of(std::uint8_t terrain, std::uint8_t forbidden) {
    const auto classes = static_cast<std::uint32_t>(map_.terrain.size());
    if (forbidden == 0) return 1 + (terrain == MapCells::kUnknown ? classes : terrain);
    const auto [found, fresh] =
        one_ways_.emplace(std::pair(terrain, forbidden), static_cast<std::uint32_t>(order_.size()));
    if (fresh) order_.push_back(found->first);
    return 1 + classes + 1 + found->second;
  }

  Element cells(std::int32_t layer, const std::vector<std::uint8_t>& forbidden, bool infinite) {
    Element out{"layer"};
    set_number(out, "id", next_layer_++);
    out.set("name", fmt::format("cells {}", layer));
    set_number(out, "width", map_.cells.width);
    set_number(out, "height", map_.cells.height);
    if (layer > 0) add_property(out, "layer", std::to_string(layer), ValueKind::number);
    Element& data = out.add("data").set("encoding", "csv");
    Element* target = &data;
    if (infinite) {
      target = &data.add("chunk");
      set_number(*target, "x", map_.origin.x);
      set_number(*target, "y", map_.origin.y);
      set_number(*target, "width", map_.cells.width);
      set_number(*target, "height", map_.cells.height);
    }
    const auto count = static_cast<std::size_t>(map_.cells.width * map_.cells.height),
               first = count * static_cast<std::size_t>(layer);
    target->row = static_cast<std::size_t>(map_.cells.width);
    target->gids.reserve(count);
    for (std::size_t i = first; i < first + count; ++i)
      target->gids.push_back(gid_of(map_.cells.cells[i], forbidden.empty() ? std::uint8_t{0} : forbidden[i]));
    return out;
  }

  Element tileset() const {
    Element out{"tileset"};
    set_number(out, "firstgid", 1);
    out.set("name", "drover");
    set_number(out, "tilewidth", kTile);
    set_number(out, "tileheight", kTile);
    set_number(out, "tilecount", static_cast<std::int64_t>(map_.terrain.size() + 1 + order_.size()));
    set_number(out, "columns", 0);
    std::int64_t id = 0;
    for (; id < static_cast<std::int64_t>(map_.terrain.size()); ++id)
      out.children.push_back(tile(id, static_cast<std::uint8_t>(id), 0));
    out.children.push_back(tile(id++, MapCells::kUnknown, 0));
    for (const auto& [terrain, forbidden] : order_) out.children.push_back(tile(id++, terrain, forbidden));
    return out;
  }

  Element tile(std::int64_t id, std::uint8_t terrain, std::uint8_t forbidden) const {
    Element out{"tile"};
    set_number(out, "id", id);
    if (terrain == MapCells::kUnknown) {
      add_property(out, "terrain", "unknown");
    } else {
      const TerrainClass& kind = map_.terrain[terrain];
      add_property(out, "terrain", kind.name);
      add_property(out, "cost", std::to_string(kind.cost), ValueKind::number);
      add_flag(out, "walkable", kind.passable);
      if (kind.letter != '\0') add_property(out, "letter", std::string(1, kind.letter));
    }
    if (forbidden != 0) add_property(out, "one_way", one_way_text(forbidden));
    if (pictures_ == Pictures::inside) {
      Element& image = out.add("image").set("format", "png");
      set_number(image, "width", kTile);
      set_number(image, "height", kTile);
      image.add("data").set("encoding", "base64").text = base64(picture(colors_[terrain], forbidden));
    }
    return out;
  }

  // A square of the terrain's colour, with dark marks at the sides that a one-way may be left by.
  static std::string picture(std::uint32_t rgb, std::uint8_t forbidden) {
    constexpr std::uint32_t kSide = kTile, kMark = 8, kMiddle = (kSide - kMark) / 2, kDark = 0x202020FF;
    std::vector<std::uint8_t> pixels(kSide * kSide);
    for (int d = 0; forbidden != 0 && d < kDirections; ++d) {
      if ((forbidden >> d & 1) != 0) continue;
      const auto left = static_cast<std::uint32_t>(kDx[d] + 1) * kMiddle,
                 top = static_cast<std::uint32_t>(kDy[d] + 1) * kMiddle;
      for (std::uint32_t i = 0; i < kMark * kMark; ++i) pixels[(top + i / kMark) * kSide + left + i % kMark] = 1;
    }
    return indexed_png({kSide, kSide, {rgb << 8 | 0xFF, kDark}, {}, 9}, pixels.data(), 1);
  }

  // The last group, if it is of this name and layer: objects stay in their order.
  Element& group(Element& root, std::string_view name, std::int32_t layer) {
    if (root.children.back().tag != "objectgroup" || group_ != std::pair(std::string(name), layer)) {
      Element& fresh = root.add("objectgroup");
      set_number(fresh, "id", next_layer_++);
      fresh.set("name", layer > 0 ? fmt::format("{} {}", name, layer) : std::string(name));
      if (layer > 0) add_property(fresh, "layer", std::to_string(layer), ValueKind::number);
      group_ = {std::string(name), layer};
    }
    return root.children.back();
  }

  Element& object(Element& in, const std::string& name, std::string_view kind, Position at) {
    Element& out = in.add("object");
    set_number(out, "id", next_object_++);
    out.set("name", name).set("type", std::string(kind));
    set_pixels(out, "x", at.x);
    set_pixels(out, "y", at.y);
    return out;
  }

  static void set_size(Element& object, Fixed half_width, Fixed half_height, std::string rotation = "0") {
    object.set("width", decimal_text(half_width, 2 * kTile), ValueKind::number);
    object.set("height", decimal_text(half_height, 2 * kTile), ValueKind::number);
    if (rotation != "0") object.set("rotation", std::move(rotation), ValueKind::number);
  }

  // The settings stand on the first object of a place.
  template <class Settings>
  void add_place(Element& root, std::string_view group_name, std::string_view kind, const std::string& name,
                 const std::vector<Cell>& cells, Settings add_settings) {
    bool first = true;
    for (const CellRect& rect : rects_of(cells)) {
      const bool point = rect.width == 1 && rect.height == 1;
      const Fixed half = Fixed::ratio(1, 2);
      Position at{Fixed::from_int(rect.corner.x), Fixed::from_int(rect.corner.y)};
      if (point) at = {at.x + half, at.y + half};
      Element& out = object(group(root, group_name, rect.corner.layer), name, kind, at);
      if (point) {
        out.add("point");
      } else {
        set_size(out, {rect.width * half.raw}, {rect.height * half.raw});
      }
      if (first) add_settings(out);
      first = false;
    }
  }

  void add_goal(Element& root, const MapGoal& goal) {
    add_place(root, "goals", "goal", goal.name, goal.cells, [&](Element& out) {
      if (goal.on_arrival == OnArrival::vanish) add_property(out, "on_arrival", "vanish");
      if (goal.nearest) add_flag(out, "nearest", true);
    });
  }

  void add_spawn(Element& root, const MapSpawn& spawn) {
    add_place(root, "spawns", "spawn", spawn.name, spawn.cells, [&](Element& out) {
      if (spawn.count) add_property(out, "count", std::to_string(*spawn.count), ValueKind::number);
      if (!spawn.profile.empty()) add_property(out, "profile", spawn.profile);
      if (!spawn.goal.empty()) add_property(out, "goal", spawn.goal);
    });
  }

  void add_obstacle(Element& root, const NamedObstacle& obstacle) {
    const Obstacle& shape = obstacle.shape;
    Element& in = group(root, "obstacles", 0);
    const bool box = shape.kind == ObstacleKind::box, circle = shape.kind == ObstacleKind::circle;
    const Position half = circle ? Position{shape.radius, shape.radius} : shape.half;
    const Position corner = box ? tiled::turned_to(lowest_terms(shape.axis), half) : circle ? half : Position{};
    Element& out = object(in, obstacle.name, "obstacle", {shape.centre.x - corner.x, shape.centre.y - corner.y});
    if (box) set_size(out, half.x, half.y, tiled::degrees_text(shape.axis));
    if (circle) {
      set_size(out, half.x, half.y);
      out.add("ellipse");
    }
    if (!box && !circle) {
      const bool line = shape.kind == ObstacleKind::capsule;
      out.add(line ? "polyline" : "polygon").set("points", corners_text(shape.points));
      if (line) add_property(out, "radius", decimal_text(shape.radius));
    }
    std::string holes, path;
    for (const std::vector<Position>& hole : shape.holes) holes += (holes.empty() ? "" : ";") + corners_text(hole);
    for (const NamedObstacle::Stop& stop : obstacle.path) {
      path += fmt::format("{}{},{},{}", path.empty() ? "" : ";", stop.tick, decimal_text(stop.at.x),
                          decimal_text(stop.at.y));
    }
    if (!holes.empty()) add_property(out, "holes", std::move(holes));
    if (!path.empty()) add_property(out, "path", std::move(path));
    if (shape.layer_mask != ~std::uint64_t{0}) add_property(out, "layer_mask", fmt::format("0x{:x}", shape.layer_mask));
  }

  static Axis lowest_terms(Axis axis) {
    const std::int32_t common = std::gcd(axis.x, axis.y);
    return common == 0 ? axis : Axis{axis.x / common, axis.y / common};
  }

  static std::string corners_text(const std::vector<Position>& corners) {
    std::string text;
    for (const Position corner : corners)
      text += fmt::format("{}{},{}", text.empty() ? "" : " ", pixels(corner.x), pixels(corner.y));
    return text;
  }

  const MapFile& map_;
  Pictures pictures_;
  std::array<std::uint32_t, 256> colors_;
  std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint32_t> one_ways_;
  std::vector<std::pair<std::uint8_t, std::uint8_t>> order_;
  std::pair<std::string, std::int32_t> group_;
  std::int64_t next_layer_ = 1, next_object_ = 1;
};

constexpr FormatHolds kHolds{true, true, true};

}  // namespace

std::string tmx_text(const MapFile& map, std::vector<Warning>& lost) {
  add_lost(map, ".tmx", kHolds, lost);
  return tiled::xml_text(Writer(map, Writer::Pictures::inside).tree());
}

// JSON has no place for pictures: Tiled shows its tiles as crosses.
std::string tmj_text(const MapFile& map, std::vector<Warning>& lost) {
  add_lost(map, ".tmj", kHolds, lost);
  return tiled::json_text(Writer(map, Writer::Pictures::none).tree());
}

}  // namespace drover::io
