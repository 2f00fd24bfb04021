// SPDX-License-Identifier: MIT
// Shapes of a scene, each key checked where it stands.
#include "io/shapes_json.hpp"

#include "io/json_reader.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace drover::io {

namespace {

using Words = std::vector<std::string_view>;

std::string_view name_of(JsonKind kind) {
  constexpr std::string_view kNames[] = {"null", "a boolean", "a number", "a string", "a list", "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

void expect(const JsonValue& value, JsonKind kind, std::string_view what) {
  if (value.is(kind)) return;
  refuse(StatusCode::value, value.place(),
         base::concat(what, " is ", name_of(value.kind()), "; ", name_of(kind), " is expected"));
}

void check_keys(const JsonValue& object, std::string_view what, const Words& known) {
  for (const JsonValue member : object.items()) {
    if (std::find(known.begin(), known.end(), member.key()) != known.end()) continue;
    const auto meant = nearest_word(member.key(), known);
    refuse(StatusCode::key_unknown, member.key_place(),
           base::concat(
               "unknown key ", printable(member.key()), " in ", what, "; ",
               meant ? base::concat("did you mean ", *meant, "?") : base::concat("known keys are ", joined(known))));
  }
}

JsonValue need(const JsonValue& object, std::string_view key, std::string_view what) {
  const std::optional<JsonValue> value = object.find(key);
  if (!value)
    refuse(StatusCode::key_missing, object.place(), base::concat(what, " has no ", key, "; that key is needed"));
  return *value;
}

// "0.5", or 0.5 as it is written.
Fixed decimal_of(const JsonValue& value, std::string_view what) {
  if (!value.is(JsonKind::number)) expect(value, JsonKind::string, what);
  const Result<Fixed> number = Fixed::parse(value.text());
  if (!number) refuse(number.status().code(), value.place(), base::concat(what, ": ", number.status().message()));
  return *number;
}

// A list of exactly two.
std::pair<JsonValue, JsonValue> two_of(const JsonValue& value, std::string_view what) {
  expect(value, JsonKind::array, what);
  std::vector<JsonValue> both;
  std::size_t count = 0;
  for (const JsonValue item : value.items()) {
    if (count++ < 2) both.push_back(item);
  }
  if (count != 2) {
    refuse(StatusCode::value, value.place(), base::concat(what, " has ", count, " values; two are expected"));
  }
  return {both[0], both[1]};
}

Position position_of(const JsonValue& value, std::string_view what) {
  const auto [x, y] = two_of(value, what);
  return {decimal_of(x, what), decimal_of(y, what)};
}

std::vector<Position> positions_of(const JsonValue& value, std::string_view what) {
  expect(value, JsonKind::array, what);
  std::vector<Position> points;
  for (const JsonValue item : value.items()) points.push_back(position_of(item, "a point"));
  return points;
}

std::int32_t axis_part(const JsonValue& value) {
  const ParsedInteger number = parse_integer(value.text());
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (!value.is(JsonKind::number) || number.kind != NumberKind::number || number.value > kMost ||
      number.value < -kMost) {
    refuse(StatusCode::obstacle, value.place(),
           base::concat("axis: \"", printable(value.text()), "\"; whole numbers within +-", kMaxObstacleExtent,
                        " are expected"));
  }
  return static_cast<std::int32_t>(number.value);
}

std::uint64_t mask_of(const JsonValue& value) {
  const auto mask = parse_seed(value.text());
  if ((value.is(JsonKind::number) || value.is(JsonKind::string)) && mask) return *mask;
  refuse(StatusCode::value, value.place(),
         base::concat("layer_mask: \"", printable(value.text()), "\"; 0 .. 18446744073709551615 is expected"));
}

ObstacleKind kind_of(const JsonValue& value) {
  expect(value, JsonKind::string, "shape");
  const Words kinds{"circle", "capsule", "box", "polygon"};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (value.text() == kinds[i]) return static_cast<ObstacleKind>(i);
  }
  refuse(StatusCode::value, value.place(),
         base::concat("shape \"", printable(value.text()), "\"; ", joined(kinds, " or "), " is expected"));
}

NamedObstacle shape_of(const JsonValue& value) {
  expect(value, JsonKind::object, "a shape");
  check_keys(value, "a shape", {"shape", "centre", "radius", "half", "axis", "points", "holes", "layer_mask", "name"});
  NamedObstacle out;
  Obstacle& o = out.shape;
  o.kind = kind_of(need(value, "shape", "a shape"));
  const bool circle = o.kind == ObstacleKind::circle, box = o.kind == ObstacleKind::box;
  if (circle || box) need(value, "centre", "a circle or box");
  if (circle) need(value, "radius", "a circle");
  if (box) need(value, "half", "a box");
  if (!circle && !box) need(value, "points", "a capsule or polygon");
  for (const JsonValue member : value.items()) {
    const std::string_view key = member.key();
    if (key == "centre") o.centre = position_of(member, key);
    if (key == "radius") o.radius = decimal_of(member, key);
    if (key == "half") o.half = position_of(member, key);
    if (key == "axis") {
      const auto [x, y] = two_of(member, key);
      o.axis = {axis_part(x), axis_part(y)};
    }
    if (key == "points") o.points = positions_of(member, key);
    if (key == "holes") {
      expect(member, JsonKind::array, key);
      for (const JsonValue hole : member.items()) o.holes.push_back(positions_of(hole, "a hole"));
    }
    if (key == "layer_mask") o.layer_mask = mask_of(member);
    if (key == "name") {
      expect(member, JsonKind::string, key);
      out.name = member.text();
    }
  }
  const Place place = value.place();
  out.spot = {place.line, place.column};
  if (const Status status = o.validate(); !status.ok()) throw Refusal{error_at(status.code(), place, status.message())};
  return out;
}

}  // namespace

Result<std::vector<NamedObstacle>> parse_shapes(std::string_view text, const std::string& file) {
  return guarded("the shapes", [&] {
    const JsonText json(text, file);
    const JsonValue root = json.root();
    expect(root, JsonKind::object, "the file");
    check_keys(root, "the file", {"shapes"});
    const JsonValue list = need(root, "shapes", "the file");
    expect(list, JsonKind::array, "shapes");
    std::vector<NamedObstacle> shapes;
    for (const JsonValue value : list.items()) {
      if (shapes.size() == kMaxObstacles) {
        refuse(StatusCode::limit_obstacles, value.place(),
               base::concat("one shape more; at most ", kMaxObstacles, " are expected"));
      }
      shapes.push_back(shape_of(value));
    }
    return shapes;
  });
}

}  // namespace drover::io
