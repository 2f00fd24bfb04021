// SPDX-License-Identifier: MIT
// JSON with places, and scenes of shapes in it.
#include <gtest/gtest.h>

#include "io/json_reader.hpp"
#include "io/shapes_json.hpp"

#include <string>
#include <vector>

namespace drover::io {
namespace {

Status status_of(const std::string& text) {
  return guarded("the text", [&] { return JsonText(text, "t.json").root().text().size(); }).status();
}

void expect_json(const std::string& text, StatusCode code, const std::string& place) {
  const Status status = status_of(text);
  EXPECT_EQ(status.code(), code) << text << ": " << status.message();
  EXPECT_EQ(status.message().rfind("t.json:" + place + ": ", 0), 0u) << text << ": " << status.message();
  EXPECT_NE(status.message().find("; "), std::string::npos) << status.message();
  EXPECT_EQ(status.message().find("xception"), std::string::npos) << status.message();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonReader, NumbersAreKeptAsTheyAreWritten) {
  const std::string text =
      R"({"a": [0.1000, -0, 12345678901234567890123, 1e3 ,7], "b\u00e9\n": "x\ty", "c": {"d": null, "e": true}})";
  const JsonText json(text, "t.json");
  const JsonValue root = json.root();
  std::vector<std::string> numbers;
  for (const JsonValue value : root.find("a")->items()) {
    EXPECT_TRUE(value.is(JsonKind::number));
    numbers.emplace_back(value.text());
  }
  EXPECT_EQ(numbers, (std::vector<std::string>{"0.1000", "-0", "12345678901234567890123", "1e3", "7"}));
  EXPECT_EQ(root.find("b\u00e9\n")->text(), "x\ty");
  EXPECT_EQ(root.find("c")->find("d")->kind(), JsonKind::null);
  EXPECT_EQ(root.find("c")->find("e")->text(), "true");
  EXPECT_FALSE(root.find("x"));
  EXPECT_FALSE(root.find("a")->find("x"));
}

TEST(JsonReader, EveryValueKnowsItsPlace) {
  const JsonText json("{\n  \"a\" : [ 1,22 ,\n\"s\"],\"b\":\r\n{}, \"c\": false}", "t.json");
  std::vector<std::string> places;
  const auto add = [&](const Place& p) { places.push_back(std::to_string(p.line) + ":" + std::to_string(p.column)); };
  for (const JsonValue member : json.root().items()) {
    add(member.key_place());
    add(member.place());
    for (const JsonValue item : member.items()) add(item.place());
  }
  EXPECT_EQ(places, (std::vector<std::string>{"2:3", "2:9", "2:11", "2:13", "3:1", "3:6", "4:1", "4:5", "4:10"}));
}

TEST(JsonReader, DepthIsBounded) {
  EXPECT_TRUE(status_of(nested(64)).ok());
  expect_json(nested(65), StatusCode::json_depth, "1:65");
  expect_json(std::string(1000000, '['), StatusCode::json_depth, "1:65");
}

TEST(JsonReader, WhatIsNotJsonIsRefusedWithItsPlace) {
  expect_json("", StatusCode::json, "1:1");
  expect_json("{\"a\":1,\n}", StatusCode::json, "2:1");
  expect_json("[1 2]", StatusCode::json, "1:4");
  expect_json("[1] x", StatusCode::json, "1:5");
  expect_json("[1e999]", StatusCode::json, "1:6");
  expect_json("[\"\xff\"]", StatusCode::json, "1:3");
  expect_json("{\"a\":1,\n \"a\":2}", StatusCode::key_twice, "2:2");
}

Result<std::vector<NamedObstacle>> shapes(const std::string& list) {
  return parse_shapes("{\"shapes\": [" + list + "]}", "s.json");
}

TEST(Shapes, EveryKeyIsReadExactly) {
  const auto read = shapes(
      R"({"shape":"circle","centre":["2.5","-0.1"],"radius":0.1,"name":"pillar","layer_mask":18446744073709551615},
    {"shape":"box","centre":[1,2],"half":["3",0.5],"axis":[-3,4],"layer_mask":"5"},
    {"shape":"capsule","points":[[0,0],["1.5","2"]],"radius":"0.25"},
    {"shape":"polygon","centre":[7,8],"points":[[0,0],[4,0],[0,4]],"holes":[[[1,1],[2,1],[1,2]]]})");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 4u);
  const NamedObstacle& circle = (*read)[0];
  EXPECT_EQ(circle.name, "pillar");
  EXPECT_EQ(circle.spot.line, 1u);
  EXPECT_EQ(circle.spot.column, 13u);
  // 0.1 x 2^32 = 429496729.6: rounded once, not through a double's 0.1.
  EXPECT_EQ(circle.shape.radius.raw, 429496730);
  EXPECT_EQ(circle.shape.centre, (Position{*Fixed::parse("2.5"), *Fixed::parse("-0.1")}));
  EXPECT_EQ(circle.shape.layer_mask, ~std::uint64_t{0});
  const Obstacle& box = (*read)[1].shape;
  EXPECT_EQ(box.kind, ObstacleKind::box);
  EXPECT_EQ(box.axis, (Axis{-3, 4}));
  EXPECT_EQ(box.half, (Position{*Fixed::parse("3"), *Fixed::parse("0.5")}));
  EXPECT_EQ(box.layer_mask, 5u);
  const Obstacle& capsule = (*read)[2].shape;
  EXPECT_EQ(capsule.points, (std::vector<Position>{{}, {*Fixed::parse("1.5"), *Fixed::parse("2")}}));
  EXPECT_EQ(capsule.centre, Position{});
  const Obstacle& polygon = (*read)[3].shape;
  EXPECT_EQ(polygon.points.size(), 3u);
  ASSERT_EQ(polygon.holes.size(), 1u);
  EXPECT_EQ(polygon.holes[0][1], (Position{Fixed::from_int(2), Fixed::from_int(1)}));
  EXPECT_TRUE(shapes("")->empty());
}

void expect_shape(const std::string& list, StatusCode code, const std::string& place, const std::string& words) {
  const Status status = shapes(list).status();
  EXPECT_EQ(status.code(), code) << list << ": " << status.message();
  EXPECT_EQ(status.message().rfind("s.json:" + place + ": ", 0), 0u) << list << ": " << status.message();
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
}

TEST(Shapes, WhatIsWrongIsNamedWithItsPlace) {
  expect_shape(R"({"shape":"circle","centre":[0,0],"radius":0})", StatusCode::obstacle, "1:13", "above 0");
  expect_shape(R"({"shape":"circle","center":[0,0],"radius":1})", StatusCode::key_unknown, "1:31",
               "did you mean centre?");
  expect_shape(R"({"shape":"circle","radius":1})", StatusCode::key_missing, "1:13", "centre");
  expect_shape(R"({"shape":"box","centre":[0,0]})", StatusCode::key_missing, "1:13", "half");
  expect_shape(R"({"shape":"capsule"})", StatusCode::key_missing, "1:13", "points");
  expect_shape(R"({"shape":"blob"})", StatusCode::value, "1:22", "circle or capsule or box or polygon");
  expect_shape(R"({"shape":"circle","centre":[0,0,0],"radius":1})", StatusCode::value, "1:40", "3 values");
  expect_shape(R"({"shape":"circle","centre":[0,"z"],"radius":1})", StatusCode::number, "1:43", "centre");
  expect_shape(R"({"shape":"circle","centre":[0,null],"radius":1})", StatusCode::value, "1:43", "a string");
  expect_shape(R"({"shape":"circle","centre":[0,0],"radius":1e2})", StatusCode::number, "1:55", "1e2");
  expect_shape(R"({"shape":"box","centre":[0,0],"half":[1,1],"axis":[0,0]})", StatusCode::obstacle, "1:13", "0,0");
  expect_shape(R"({"shape":"box","centre":[0,0],"half":[1,1],"axis":[0.5,1]})", StatusCode::obstacle, "1:64", "0.5");
  expect_shape(R"({"shape":"circle","centre":[0,0],"radius":1,"layer_mask":-1})", StatusCode::value, "1:70",
               "layer_mask");
  expect_shape(R"({"shape":"circle","centre":[0,0],"radius":1,"half":[1,1]})", StatusCode::obstacle, "1:13",
               "only boxes");
  expect_shape("7", StatusCode::value, "1:13", "an object");
  const Status list = parse_shapes("[]", "s.json").status();
  EXPECT_EQ(list.code(), StatusCode::value);
  EXPECT_EQ(parse_shapes("{\"shape\":[]}", "s.json").status().code(), StatusCode::key_unknown);
  EXPECT_EQ(parse_shapes("{}", "s.json").status().code(), StatusCode::key_missing);
}

TEST(Shapes, NoMoreThanAMapMayHold) {
  std::string list;
  for (std::size_t i = 0; i < kMaxObstacles; ++i) list += R"({"shape":"circle","centre":[0,0],"radius":1},)";
  EXPECT_EQ(shapes(list.substr(0, list.size() - 1))->size(), kMaxObstacles);
  EXPECT_EQ(shapes(list + R"({"shape":"circle","centre":[0,0],"radius":1})").status().code(),
            StatusCode::limit_obstacles);
}

}  // namespace
}  // namespace drover::io
