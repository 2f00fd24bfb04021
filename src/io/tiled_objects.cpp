// SPDX-License-Identifier: MIT
// Objects of the classes goal, spawn and obstacle.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "io/tiled_map.hpp"

namespace drover::io::tiled {

namespace {

std::string text_property(const Element& owner, std::string_view name) {
  const std::optional<Property> found = property(owner, name);
  return found ? std::string(found->value) : std::string();
}

class ObjectReader {
 public:
  ObjectReader(const Source& source, const Element& map, MapFile& out)
      : source_(source), tile_(tile_size(source, map)), out_(out) {}

  void read(const PlacedLayer& group) {
    group_ = &group;
    for (const Element& object : group.element->children) {
      if (object.tag != "object") continue;
      if (object.find("template") != nullptr)
        refuse(object, "a template; an object of its own is expected (Tiled: Detach)");
      const std::string_view kind = object.find("class") != nullptr ? object.value("class") : object.value("type");
      if (kind == "goal") {
        read_goal(object);
      } else if (kind == "spawn") {
        read_spawn(object);
      } else if (kind == "obstacle") {
        read_obstacle(object);
      } else if (const auto meant = kind.empty() ? std::nullopt : nearest_word(kind, {"goal", "spawn", "obstacle"})) {
        const std::string message = fmt::format("object {} of class {} means nothing here; did you mean {}",
                                                printable(object.value("id")), printable(kind), *meant);
        out_.warnings.push_back({"W_CLASS", error_at(StatusCode::ok, source_.place(object.at), message).message()});
      }
    }
  }

  void finish() {
    for (MapGoal& goal : out_.goals) in_order(goal.cells);
    for (MapSpawn& spawn : out_.spawns) in_order(spawn.cells);
  }

 private:
  [[noreturn]] void refuse(const Element& object, std::string_view what, StatusCode code = StatusCode::tiled) const {
    source_.refuse(code, object.at, fmt::format("object {} is {}", printable(object.value("id")), what));
  }

  static void in_order(std::vector<Cell>& cells) {
    const auto key = [](Cell c) { return std::tuple(c.layer, c.y, c.x); };
    std::sort(cells.begin(), cells.end(), [&](Cell a, Cell b) { return key(a) < key(b); });
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  }

  void read_goal(const Element& object) {
    const std::string name(object.value("name"));
    if (name.empty()) refuse(object, "a goal without a name; a name is expected");
    const auto [found, first] = goals_.emplace(name, out_.goals.size());
    if (first) out_.goals.push_back({name, {}, OnArrival::stay, false, source_.spot(object.at)});
    MapGoal& goal = out_.goals[found->second];
    if (const auto word = property(object, "on_arrival")) {
      if (word->value != "stay" && word->value != "vanish") {
        source_.refuse(
            StatusCode::value, word->at,
            fmt::format("on_arrival is \"{}\"; stay or vanish is expected", printable(word->value.substr(0, 40))));
      }
      goal.on_arrival = word->value == "vanish" ? OnArrival::vanish : OnArrival::stay;
    }
    if (const auto nearest = bool_property(source_, object, "nearest")) goal.nearest = *nearest;
    add_place(object, goal.cells);
  }

  void read_spawn(const Element& object) {
    const std::string name(object.value("name"));
    const std::string goal = text_property(object, "goal"), profile = text_property(object, "profile");
    if (name.empty() && goal.empty()) refuse(object, "a spawn without a name or a goal; one of them is expected");
    const auto [found, first] =
        name.empty() ? std::pair(spawns_.end(), true) : spawns_.emplace(name, out_.spawns.size());
    if (first) out_.spawns.push_back({name, {}, {}, {}, {}, source_.spot(object.at)});
    MapSpawn& spawn = name.empty() ? out_.spawns.back() : out_.spawns[found->second];
    // Objects of one name are one place; of settings given on several of them the last counts.
    if (!goal.empty()) spawn.goal = goal;
    if (!profile.empty()) spawn.profile = profile;
    if (const auto count = integer_property(source_, object, "count", std::uint64_t{1} << 31, StatusCode::value))
      spawn.count = count;
    add_place(object, spawn.cells);
  }

  void add_place(const Element& object, std::vector<Cell>& cells) {
    const std::int32_t layer = group_->layer.value_or(0);
    if (layer >= out_.cells.layers)
      refuse(object,
             fmt::format("on layer {}; a layer that tiles are on is expected, there are {}", layer, out_.cells.layers),
             StatusCode::value);
    refuse_what_has_no_area(object);
    if (object.child("polyline") != nullptr) refuse(object, "a line; a shape with an area, or a point, is expected");
    const Obstacle shape = shape_of(source_, object, tile_, group_->offset);
    const bool point =
        object.child("point") != nullptr ||
        (shape.kind == ObstacleKind::box && shape.half == Position{} && object.child("polygon") == nullptr);
    if (point) {
      const std::int64_t x = shape.centre.x.floor(), y = shape.centre.y.floor();
      if (x >= out_.origin.x && y >= out_.origin.y && x < out_.origin.x + out_.cells.width &&
          y < out_.origin.y + out_.cells.height)
        cells.push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), layer});
      return;
    }
    if (shape.kind == ObstacleKind::polygon && shape.points.size() < 3)
      refuse(object, fmt::format("a polygon of {} points; at least 3 are expected", shape.points.size()));
    if (!add_cells(shape, out_, layer, room_, cells)) {
      refuse(object,
             fmt::format("too large a place; {} cells are the limit, {} rows times corners, and four times as many for "
                         "all places",
                         kMostPlaceCells, kMostCrossings),
             StatusCode::limit_goals);
    }
  }

  void refuse_what_has_no_area(const Element& object) const {
    if (object.child("text") != nullptr) refuse(object, "a text; a shape is expected");
    if (object.find("gid") != nullptr) refuse(object, "a tile; a shape is expected");
  }

  void read_obstacle(const Element& object) {
    refuse_what_has_no_area(object);
    if (object.child("point") != nullptr) refuse(object, "a point; an obstacle has an area");
    const bool sized = object.child("polygon") == nullptr && object.child("polyline") == nullptr;
    if (sized &&
        (cells_or_0(source_, object, "width", 1).raw <= 0 || cells_or_0(source_, object, "height", 1).raw <= 0))
      refuse(object, "no shape: its width or height is not above 0", StatusCode::obstacle);
    NamedObstacle out;
    out.name = object.value("name");
    out.spot = source_.spot(object.at);
    out.shape = shape_of(source_, object, tile_, group_->offset);
    const std::optional<Property> radius = property(object, "radius");
    if (out.shape.kind == ObstacleKind::capsule) {
      if (!radius || out.shape.points.size() != 2)
        refuse(object, "a line; an area is expected, or a line of two points with the property radius");
      out.shape.radius = decimal(*radius, radius->value);
    }
    if (group_->layer) out.shape.layer_mask = std::uint64_t{1} << std::min(*group_->layer, 63);
    if (const auto mask = property(object, "layer_mask")) {
      const std::optional<std::uint64_t> bits = parse_seed(mask->value);
      if (!bits)
        source_.refuse(StatusCode::value, mask->at,
                       "layer_mask is no set of bits; a number such as 5 or 0x5 is expected");
      out.shape.layer_mask = *bits;
    }
    if (const auto path = property(object, "path")) read_path(*path, out);
    if (const Status status = out.shape.validate(); !status.ok())
      refuse(object, fmt::format("no shape: {}", status.message()), status.code());
    if (out_.obstacles.size() == kMaxObstacles)
      refuse(object, fmt::format("one too many; {} obstacles are the limit", kMaxObstacles),
             StatusCode::limit_obstacles);
    out_.obstacles.push_back(std::move(out));
  }

  Fixed decimal(const Property& from, std::string_view text) const {
    const Result<Fixed> number = divided(trimmed(text), 1);
    if (!number)
      source_.refuse(number.status().code(), from.at,
                     fmt::format("{}; a decimal is expected", number.status().message()));
    return *number;
  }

  void read_path(const Property& path, NamedObstacle& out) const {
    for (const Word& stop : split_at(path.value, ';')) {
      const std::vector<Word> parts = split_at(stop.text, ',');
      const ParsedInteger tick = parse_integer(trimmed(parts[0].text));
      if (parts.size() != 3 || tick.kind != NumberKind::number || tick.negative ||
          (!out.path.empty() && out.path.back().tick >= static_cast<std::uint64_t>(tick.value))) {
        source_.refuse(StatusCode::value, path.at,
                       fmt::format("path has \"{}\"; tick,x,y;tick,x,y with ticks that grow is expected",
                                   printable(stop.text.substr(0, 40))));
      }
      out.path.push_back(
          {static_cast<std::uint64_t>(tick.value), {decimal(path, parts[1].text), decimal(path, parts[2].text)}});
    }
  }

  const Source& source_;
  TileSize tile_;
  MapFile& out_;
  const PlacedLayer* group_ = nullptr;
  std::map<std::string, std::size_t> goals_, spawns_;
  PlaceRoom room_;
};

}  // namespace

void read_objects(const Source& source, const Element& map, MapFile& out) {
  ObjectReader reader(source, map, out);
  for (const PlacedLayer& group : placed_layers(source, map, "objectgroup")) reader.read(group);
  reader.finish();
}

}  // namespace drover::io::tiled
