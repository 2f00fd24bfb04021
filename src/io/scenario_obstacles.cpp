// SPDX-License-Identifier: MIT
// [[obstacle]] of a scenario, obstacles of the map that it names, and the ways of those that move.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/int128.hpp"
#include "io/scenario_reader.hpp"

namespace drover::io {

namespace {

using base::Int128;

// Steps of all paths together: each is an edit that is held until its tick.
constexpr std::uint64_t kMostPathTicks = std::uint64_t{1} << 17;

Position position_of(const Document& document, const toml::node& node, std::string_view what) {
  const toml::array& numbers = array_of(document, node, what);
  if (numbers.size() != 2)
    refuse(StatusCode::value, document.place(node),
           fmt::format("{} has {} numbers; [x, y] is expected", what, numbers.size()));
  return {decimal_of(document, numbers[0], what, StatusCode::value),
          decimal_of(document, numbers[1], what, StatusCode::value)};
}

std::vector<Position> ring_of(const Document& document, const toml::node& node, std::string_view what) {
  std::vector<Position> ring;
  for (const toml::node& point : array_of(document, node, what)) ring.push_back(position_of(document, point, what));
  return ring;
}

Axis axis_of(const Document& document, const toml::node& node) {
  const toml::array& numbers = array_of(document, node, "axis");
  if (numbers.size() != 2)
    refuse(StatusCode::value, document.place(node),
           fmt::format("axis has {} numbers; [dx, dy] is expected", numbers.size()));
  const auto part = [&](std::size_t i) {
    return static_cast<std::int32_t>(integer_of(
        document, numbers[i], {"a part of the axis", -kMaxObstacleExtent, kMaxObstacleExtent, StatusCode::obstacle}));
  };
  return {part(0), part(1)};
}

Obstacle shape_of(const Document& document, const Section& section) {
  Obstacle shape;
  shape.kind = static_cast<ObstacleKind>(
      choice_of(document, section.need("shape"), "shape", {"circle", "capsule", "box", "polygon"}));
  if (const toml::node* node = section.find("radius"))
    shape.radius = decimal_of(document, *node, "radius", StatusCode::value);
  if (const toml::node* node = section.find("half")) shape.half = position_of(document, *node, "half");
  if (const toml::node* node = section.find("axis")) shape.axis = axis_of(document, *node);
  if (const toml::node* node = section.find("points")) shape.points = ring_of(document, *node, "points");
  if (const toml::node* node = section.find("holes")) {
    for (const toml::node& hole : array_of(document, *node, "holes"))
      shape.holes.push_back(ring_of(document, hole, "a hole"));
  }
  if (const toml::node* node = section.find("layer_mask"))
    shape.layer_mask = static_cast<std::uint64_t>(integer_of(document, *node, {"layer_mask", 0}));
  return shape;
}

std::vector<NamedObstacle::Stop> path_of(const Document& document, const toml::node& node) {
  std::vector<NamedObstacle::Stop> path;
  for (const toml::node& item : array_of(document, node, "path")) {
    const toml::array& values = array_of(document, item, "a stop of the path");
    if (values.size() != 3)
      refuse(StatusCode::value, document.place(item),
             fmt::format("a stop of {} numbers; [tick, x, y] is expected", values.size()));
    NamedObstacle::Stop stop;
    stop.tick = static_cast<std::uint64_t>(integer_of(document, values[0], {"tick", 0, kMostTicks, StatusCode::tick}));
    if (!path.empty() && stop.tick <= path.back().tick)
      refuse(
          StatusCode::tick, document.place(item),
          fmt::format("a stop at tick {} after one at tick {}; later ticks are expected", stop.tick, path.back().tick));
    stop.at = {decimal_of(document, values[1], "x", StatusCode::value),
               decimal_of(document, values[2], "y", StatusCode::value)};
    path.push_back(stop);
  }
  if (path.empty())
    refuse(StatusCode::value, document.place(node), "a path without stops; [[tick, x, y], ...] is expected");
  return path;
}

NamedObstacle obstacle_of(const ScenarioReader& reader, const Section& section) {
  const Document& document = reader.document;
  NamedObstacle made;
  made.spot = section.spot();
  made.name = section.text_or("name", "");
  made.shape = shape_of(document, section);
  const toml::node *centre = section.find("centre"), *path = section.find("path");
  if (path != nullptr) {
    if (centre != nullptr)
      refuse(StatusCode::value, document.place(*centre), "centre beside path; one of them is expected");
    check_path_policy(reader, document.place(*path));
    made.path = path_of(document, *path);
  } else if (centre != nullptr) {
    made.shape.centre = position_of(document, *centre, "centre");
  } else if (made.shape.kind == ObstacleKind::circle || made.shape.kind == ObstacleKind::box) {
    section.need("centre");
  }
  return made;
}

Fixed times(Fixed length, Fixed unit) {
  const Int128 product = Int128{length.raw} * unit.raw;
  constexpr Int128 kHalf = Int128{1} << (Fixed::kFractionBits - 1);
  const Int128 rounded =
      product < 0 ? -((kHalf - product) >> Fixed::kFractionBits) : (product + kHalf) >> Fixed::kFractionBits;
  return {static_cast<std::int64_t>(std::clamp<Int128>(rounded, INT64_MIN, INT64_MAX))};
}

void scale(NamedObstacle& obstacle, Fixed unit) {
  const auto grow = [&](Position& p) { p = {times(p.x, unit), times(p.y, unit)}; };
  Obstacle& shape = obstacle.shape;
  grow(shape.centre);
  shape.radius = times(shape.radius, unit);
  grow(shape.half);
  for (Position& point : shape.points) grow(point);
  for (std::vector<Position>& hole : shape.holes) {
    for (Position& point : hole) grow(point);
  }
  for (NamedObstacle::Stop& stop : obstacle.path) grow(stop.at);
}

// `done` of `all` parts of the way, rounded half away from zero.
Fixed between(Fixed from, Fixed to, std::uint64_t done, std::uint64_t all) {
  const Int128 way = (Int128{to.raw} - from.raw) * static_cast<Int128>(done), parts = static_cast<Int128>(all);
  const Int128 rounded = way < 0 ? -((-2 * way + parts) / (2 * parts)) : (2 * way + parts) / (2 * parts);
  return {static_cast<std::int64_t>(from.raw + rounded)};
}

// Calls visit(tick, centre) for every tick in which the obstacle moves.
template <class Visit>
void each_step(const std::vector<NamedObstacle::Stop>& path, Visit visit) {
  Position at = path.front().at;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const NamedObstacle::Stop &from = path[i - 1], &to = path[i];
    if (from.at == to.at) continue;
    for (std::uint64_t tick = from.tick + 1; tick <= to.tick; ++tick) {
      const std::uint64_t done = tick - from.tick, all = to.tick - from.tick;
      const Position next{between(from.at.x, to.at.x, done, all), between(from.at.y, to.at.y, done, all)};
      if (next == at) continue;
      at = next;
      visit(tick, at);
    }
  }
}

void check_paths(const ScenarioReader& reader) {
  std::uint64_t ticks = 0;
  for (const NamedObstacle& obstacle : reader.out.obstacles) {
    for (std::size_t i = 1; i < obstacle.path.size(); ++i) {
      if (obstacle.path[i].at != obstacle.path[i - 1].at) ticks += obstacle.path[i].tick - obstacle.path[i - 1].tick;
    }
    if (ticks <= kMostPathTicks) continue;
    refuse(StatusCode::limit_obstacles, reader.out.place(obstacle.spot),
           fmt::format("obstacles that move in {} ticks, up to this one; at most {} in all", ticks, kMostPathTicks));
  }
}

}  // namespace

void check_path_policy(const ScenarioReader& reader, const Place& place) {
  if (reader.out.policy.on_stale == OnStale::keep_if_legal) return;
  refuse(StatusCode::value, place,
         "path of an obstacle without on_stale = \"keep_if_legal\" in [policy]; both are expected, or neither");
}

void add_obstacles(ScenarioReader& reader, std::vector<NamedObstacle> obstacles, const std::string& file, Fixed unit) {
  for (NamedObstacle& obstacle : obstacles) {
    const Place place{file, obstacle.spot.line, obstacle.spot.column};
    if (unit != Fixed::from_int(1)) scale(obstacle, unit);
    if (!obstacle.path.empty()) obstacle.shape.centre = obstacle.path.front().at;
    if (const Status status = obstacle.shape.validate(); !status.ok())
      refuse(status.code(), place,
             obstacle.name.empty() ? status.message()
                                   : fmt::format("obstacle {}: {}", printable(obstacle.name), status.message()));
    if (reader.out.obstacles.size() == kMaxObstacles)
      refuse(StatusCode::limit_obstacles, place,
             fmt::format("more than {} obstacles; that is the limit", kMaxObstacles));
    reader.out.obstacles.push_back(std::move(obstacle));
  }
}

void read_obstacles(ScenarioReader& reader) {
  std::map<std::string, std::uint32_t, std::less<>> names;
  for (const toml::table* table : reader.tables("obstacle")) {
    const Section section(
        reader.document, *table, "[[obstacle]]",
        {"name", "shape", "centre", "radius", "half", "axis", "points", "holes", "layer_mask", "path"});
    NamedObstacle obstacle = obstacle_of(reader, section);
    if (!obstacle.name.empty()) reader.add_name(names, obstacle.name, 0, section);
    add_obstacles(reader, {std::move(obstacle)}, reader.document.file(), Fixed::from_int(1));
  }
}

void read_paths(ScenarioReader& reader) {
  check_paths(reader);
  std::map<std::uint64_t, ScenarioEdit> steps;  // by tick
  for (std::uint32_t i = 0; i < reader.out.obstacles.size(); ++i) {
    const NamedObstacle& obstacle = reader.out.obstacles[i];
    if (obstacle.path.empty()) continue;
    each_step(obstacle.path, [&](std::uint64_t tick, Position at) {
      ScenarioEdit& edit = steps.try_emplace(tick, ScenarioEdit{tick, {}, obstacle.spot}).first->second;
      edit.edit.obstacles.push_back({i, ObstacleChange::move, at});
    });
  }
  std::vector<ScenarioEdit>& edits = reader.out.edits;
  for (auto& [tick, edit] : steps) edits.push_back(std::move(edit));
  std::stable_sort(edits.begin(), edits.end(),
                   [](const ScenarioEdit& a, const ScenarioEdit& b) { return a.tick < b.tick; });
}

}  // namespace drover::io
