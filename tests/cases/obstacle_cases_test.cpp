// SPDX-License-Identifier: MIT
// Rows of the users' cases about obstacles of a scene.
#include <gtest/gtest.h>
#include <drover/obstacle.hpp>

#include "cases/case_reader.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace drover::test {
namespace {

Fixed fixed(const toml::table& table, const char* key) {
  return *Fixed::parse(table[key].value<std::string>().value());
}

Position at(const toml::table& table, const char* x, const char* y) { return {fixed(table, x), fixed(table, y)}; }

Obstacle shape_of(const toml::table& table) {
  const std::string type = table["type"].value<std::string>().value();
  Obstacle shape;
  if (type == "circle") {
    shape.centre = at(table, "x", "y");
    shape.radius = fixed(table, "radius");
  } else if (type == "capsule") {
    shape.kind = ObstacleKind::capsule;
    shape.points = {at(table, "x0", "y0"), at(table, "x1", "y1")};
    shape.radius = fixed(table, "radius");
  } else if (type == "box") {
    shape.kind = ObstacleKind::box;
    const Position low = at(table, "x0", "y0"), high = at(table, "x1", "y1");
    shape.centre = {{(low.x.raw + high.x.raw) / 2}, {(low.y.raw + high.y.raw) / 2}};
    shape.half = {high.x - shape.centre.x, high.y - shape.centre.y};
  } else {
    shape.kind = ObstacleKind::polygon;
    for (const toml::node& node : *table["points"].as_array()) {
      const std::vector<std::string> point = strings(*node.as_array());
      shape.points.push_back({*Fixed::parse(point[0]), *Fixed::parse(point[1])});
    }
  }
  return shape;
}

struct BakeCase {
  GridShape shape;
  ObstacleBake bake;
  std::vector<Obstacle> obstacles;
  Fixed radius;

  static BakeCase of(const toml::table& table) {
    const toml::array &size = *table["size"].as_array(), &corner = *table["corner_at"].as_array();
    const GridShape shape = *GridShape::create(number(size[0]), number(size[1]));
    const auto whole = [](std::int64_t n) { return Fixed::from_int(static_cast<std::int32_t>(n)); };
    const WorldFrame frame = *WorldFrame::create(shape, {whole(number(corner[0])), whole(number(corner[1]))},
                                                 whole(table["cell_size"].value<std::int64_t>().value()));
    const Fixed radius = fixed(table, "r");
    BakeCase made{shape, std::move(ObstacleBake::create(shape, frame, radius)).value(), {}, radius};
    for (const toml::node& node : *table["shapes"].as_array()) made.obstacles.push_back(shape_of(*node.as_table()));
    return made;
  }
  std::vector<std::string> rows() const {
    std::vector<std::string> out;
    for (int y = 0; y < shape.height(); ++y) {
      out.emplace_back();
      for (int x = 0; x < shape.width(); ++x) out.back() += bake.blocked(shape.index({x, y, 0})) ? '#' : '.';
    }
    return out;
  }
};

TEST(Footprint, footprint_bake_equality) {
  int checks = 0;
  for (const toml::table& table : checks_of("footprint_bake_equality")) {
    BakeCase given = BakeCase::of(table);
    std::vector<CellIndex> changed;
    for (const Obstacle& obstacle : given.obstacles) ASSERT_TRUE(given.bake.add(obstacle, changed).ok());
    EXPECT_EQ(given.rows(), strings(*table["baked"].as_array()));
    EXPECT_EQ(changed.size(), given.bake.blocked_cells());
    ++checks;
  }
  EXPECT_EQ(checks, 5);
}

TEST(Footprint, footprint_bake_equality_removal) {
  const std::vector<toml::table> checks = checks_of("footprint_bake_equality");
  const Obstacle capsule = BakeCase::of(checks[3]).obstacles[0];
  BakeCase alone = BakeCase::of(checks[4]), both = BakeCase::of(checks[4]);
  const Obstacle& polygon = alone.obstacles[0];
  std::vector<CellIndex> ignored, touched;
  ASSERT_TRUE(alone.bake.add(polygon, ignored).ok());
  ASSERT_TRUE(both.bake.add(capsule, ignored).ok());
  ASSERT_TRUE(both.bake.add(polygon, ignored).ok());
  ASSERT_TRUE(both.bake.remove(capsule, touched).ok());
  EXPECT_EQ(both.rows(), alone.rows());
  EXPECT_TRUE(std::ranges::equal(both.bake.words(), alone.bake.words()));
  // The capsule's box grown by r: 0.5 - 0.3 - 0.5 .. 4.5 + 0.3 + 0.5 both ways, so columns and rows 0 .. 4.
  EXPECT_FALSE(touched.empty());
  for (const CellIndex i : touched) {
    const Cell cell = both.shape.cell(i);
    EXPECT_TRUE(cell.x <= 4 && cell.y <= 4) << cell.x << "," << cell.y;
  }
}

}  // namespace
}  // namespace drover::test
