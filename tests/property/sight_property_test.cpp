// SPDX-License-Identifier: MIT
// Views beside a plain oracle that tries lines one by one; symmetry; the eight turned and mirrored views; cases of
// users.
#include "support/data.hpp"
#include "support/grids.hpp"

#include <drover/cave.hpp>
#include <drover/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace drover::test {
namespace {

using Rows = std::vector<std::string>;

/// One entry a cell of the map: seen or not.
Rows view_of(const Rows& rows, Cell at, std::uint32_t radius, std::optional<SightCone> cone = {}) {
  const GridMap map = map_of(rows);
  FieldOfView view;
  const Viewer viewer{at, radius, cone};
  EXPECT_TRUE(view.look(map.view(), {&viewer, 1}).ok());
  Rows out(rows.size(), std::string(rows[0].size(), '-'));
  std::vector<Cell> cells;
  view.cells(cells);
  EXPECT_EQ(view.count(), cells.size());
  for (const Cell c : cells) out[static_cast<std::size_t>(c.y)][static_cast<std::size_t>(c.x)] = '*';
  for (std::int32_t y = -1; y <= static_cast<std::int32_t>(rows.size()); ++y)
    for (std::int32_t x = -1; x <= static_cast<std::int32_t>(rows[0].size()); ++x)
      EXPECT_EQ(view.sees({x, y, 0}), std::find(cells.begin(), cells.end(), Cell{x, y, 0}) != cells.end());
  return out;
}

/// Tries lines from the middle of one cell.
class Lines {
 public:
  Lines(const Rows& rows, Cell eye, int radius) : rows_(rows), eye_(eye) {
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x)
        if (x * x + y * y <= radius * radius && on_map(x, y)) disc_.push_back({x, y});
  }

  Rows view() const {
    Rows out(rows_.size(), std::string(rows_[0].size(), '-'));
    for (const Offset c : disc_)
      if ((c.x == 0 && c.y == 0) || (wall(c) ? any_line_to(c) : !hidden(c, c)))
        out[static_cast<std::size_t>(eye_.y + c.y)][static_cast<std::size_t>(eye_.x + c.x)] = '*';
    return out;
  }

 private:
  struct Offset {
    int x = 0, y = 0;
  };

  bool on_map(int x, int y) const {
    return eye_.y + y >= 0 && eye_.y + y < static_cast<int>(rows_.size()) && eye_.x + x >= 0 &&
           eye_.x + x < static_cast<int>(rows_[0].size());
  }
  bool wall(Offset c) const {
    return rows_[static_cast<std::size_t>(eye_.y + c.y)][static_cast<std::size_t>(eye_.x + c.x)] == '#';
  }
  static long cross(Offset a, long x, long y) { return a.x * y - a.y * x; }
  // The ray passes between two corners of the open square, ahead of the eye.
  static bool crosses(Offset ray, Offset c) {
    bool left = false, right = false;
    for (const int dx : {-1, 1})
      for (const int dy : {-1, 1}) {
        const long side = cross(ray, 2 * c.x + dx, 2 * c.y + dy);
        left = left || side < 0;
        right = right || side > 0;
      }
    return left && right && ray.x * c.x + ray.y * c.y > 0;
  }
  // Some wall lies on the ray before that cell.
  bool hidden(Offset ray, Offset target) const {
    const int steps = std::abs(target.x) + std::abs(target.y);
    for (const Offset c : disc_)
      if ((c.x != 0 || c.y != 0) && wall(c) && std::abs(c.x) + std::abs(c.y) < steps && crosses(ray, c)) return true;
    return false;
  }
  // Where a line exists at all there is one through a corner of some wall, or between two that follow each other: all
  // of them are tried through every pair.
  bool any_line_to(Offset target) const {
    std::vector<Offset> corners;
    for (const Offset c : disc_) {
      if (!wall(c) || (std::abs(c.x) + std::abs(c.y) > std::abs(target.x) + std::abs(target.y))) continue;
      for (const int dx : {-1, 1})
        for (const int dy : {-1, 1}) corners.push_back({2 * c.x + dx, 2 * c.y + dy});
    }
    for (std::size_t i = 0; i < corners.size(); ++i) {
      for (std::size_t j = i; j < corners.size(); ++j) {
        const Offset ray{corners[i].x + corners[j].x, corners[i].y + corners[j].y};
        if ((ray.x != 0 || ray.y != 0) && crosses(ray, target) && !hidden(ray, target)) return true;
      }
    }
    return false;
  }

  const Rows& rows_;
  Cell eye_;
  std::vector<Offset> disc_;
};

Rows drawn(std::uint64_t seed, int width, int height, std::uint32_t percent) {
  Draws draws(seed);
  Rows rows(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), '.'));
  for (std::string& row : rows)
    for (char& c : row)
      if (draws.percent(percent)) c = '#';
  return rows;
}

Rows cave(std::uint64_t seed) {
  CaveDef def;
  def.width = def.height = 64;
  def.seed = seed;
  const Result<Cave> made = generate_cave(def);
  EXPECT_TRUE(made.ok()) << made.status().message();
  Rows rows(64, std::string(64, '.'));
  for (std::int32_t y = 0; y < 64; ++y)
    for (std::int32_t x = 0; x < 64; ++x)
      if (made->wall({x, y, 0})) rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = '#';
  return rows;
}

TEST(Sight, EqualsLinesThatAreTriedOneByOne) {
  const std::uint64_t worlds = long_run() ? 4000 : 150;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    Draws draws(seed + 100000);
    const int width = draws.between(1, 13), height = draws.between(1, 13);
    Rows rows = drawn(seed, width, height, 5 + 10 * draws.below(6));
    const Cell eye{draws.between(0, width - 1), draws.between(0, height - 1), 0};
    const int radius = draws.between(0, 7);
    ASSERT_EQ(view_of(rows, eye, static_cast<std::uint32_t>(radius)), Lines(rows, eye, radius).view())
        << "seed " << seed << ", from " << eye.x << "," << eye.y << " radius " << radius;
  }
}

// Pairs that are not opaque: seen in both directions or in neither, and sees() says the same.
std::uint64_t check_pairs(const Rows& rows, std::uint32_t radius) {
  const GridMap map = map_of(rows);
  const auto width = static_cast<std::int32_t>(rows[0].size()), height = static_cast<std::int32_t>(rows.size());
  const auto is_free = [&](Cell c) {
    return rows[static_cast<std::size_t>(c.y)][static_cast<std::size_t>(c.x)] == '.';
  };
  std::vector<Rows> views;
  FieldOfView view;
  for (std::int32_t y = 0; y < height; ++y)
    for (std::int32_t x = 0; x < width; ++x) {
      const Viewer viewer{{x, y, 0}, radius, {}};
      EXPECT_TRUE(view.look(map.view(), {&viewer, 1}).ok());
      Rows& seen = views.emplace_back(rows.size(), std::string(rows[0].size(), '-'));
      std::vector<Cell> cells;
      view.cells(cells);
      for (const Cell c : cells) seen[static_cast<std::size_t>(c.y)][static_cast<std::size_t>(c.x)] = '*';
    }
  const auto sees_cell = [&](Cell a, Cell b) {
    return views[static_cast<std::size_t>(a.y * width + a.x)][static_cast<std::size_t>(b.y)]
                [static_cast<std::size_t>(b.x)] == '*';
  };
  std::uint64_t pairs = 0, wrong = 0;
  for (std::int32_t i = 0; i < width * height; ++i)
    for (std::int32_t j = i + 1; j < width * height; ++j) {
      const Cell a{i % width, i / width, 0}, b{j % width, j / width, 0};
      if (!is_free(a) || !is_free(b)) continue;
      ++pairs;
      wrong += sees_cell(a, b) != sees_cell(b, a) ? 1u : 0u;
      const std::int32_t dx = b.x - a.x, dy = b.y - a.y;
      const bool near = static_cast<std::uint32_t>(dx * dx + dy * dy) <= radius * radius;
      if ((i + j) % 7 == 0 && near) wrong += *sees(map.view(), a, b) != sees_cell(a, b) ? 1u : 0u;
    }
  EXPECT_GT(pairs, 0u);
  return wrong;
}

Rows turned(const Rows& rows) {
  Rows out(rows[0].size(), std::string(rows.size(), '.'));
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[0].size(); ++x) out[x][rows.size() - 1 - y] = rows[y][x];
  return out;
}
Rows mirrored(Rows rows) {
  for (std::string& row : rows) std::reverse(row.begin(), row.end());
  return rows;
}

std::uint64_t wrong_symmetries(const Rows& rows, Cell eye, std::uint32_t radius) {
  std::uint64_t wrong = 0;
  Rows map = rows, view = view_of(rows, eye, radius);
  Cell at = eye;
  for (int i = 0; i < 8; ++i) {
    wrong += view_of(map, at, radius) != view ? 1u : 0u;
    at = {static_cast<std::int32_t>(map.size()) - 1 - at.y, at.x, 0};
    map = turned(map);
    view = turned(view);
    if (i != 3) continue;
    at.x = static_cast<std::int32_t>(map[0].size()) - 1 - at.x;
    map = mirrored(map);
    view = mirrored(view);
  }
  return wrong;
}

TEST(FovCases, fov_pillar_shadow) {
  const Rows rows{"...........", "...........", "...........", "......#....",
                  "...........", "...........", "..........."};
  const Rows view = view_of(rows, {3, 3, 0}, 20);
  for (const Cell c :
       {Cell{0, 0}, Cell{5, 3}, Cell{6, 3}, Cell{3, 0}, Cell{9, 0}, Cell{0, 6}, Cell{10, 6}, Cell{6, 2}, Cell{6, 4}})
    EXPECT_EQ(view[static_cast<std::size_t>(c.y)][static_cast<std::size_t>(c.x)], '*') << c.x << "," << c.y;
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[0].size(); ++x)
      if (x < 7) {
        EXPECT_EQ(view[y][x], '*') << x << "," << y;
      }
  for (std::size_t x = 7; x <= 10; ++x) EXPECT_EQ(view[3][x], '-') << x;
}

TEST(FovCases, fov_pairs_are_symmetric) {
  Rows rows(12, std::string(40, '.'));
  for (std::uint64_t y = 0; y < 12; ++y)
    for (std::uint64_t x = 0; x < 40; ++x)
      if (((x * 73856093) ^ (y * 19349663)) % 100 < 30) rows[y][x] = '#';
  EXPECT_EQ(check_pairs(rows, 40), 0u);
  for (std::int32_t x = 0; x < 40; x += 3) EXPECT_EQ(wrong_symmetries(rows, {x, x % 12, 0}, 40), 0u) << x;
}

TEST(FovCases, fov_pairs_are_symmetric_on_caves) {
  const std::uint64_t caves = long_run() ? 100 : 4;
  for (std::uint64_t seed = 1; seed <= caves; ++seed) {
    const Rows rows = cave(seed);
    EXPECT_EQ(check_pairs(rows, seed % 2 == 0 ? 10 : 40), 0u) << "seed " << seed;
    for (std::int32_t i = 0; i < 10; ++i)
      EXPECT_EQ(
          wrong_symmetries(rows, {6 * i, (seed * 7 + static_cast<std::uint64_t>(i) * 11) % 64 == 0 ? 1 : 5 * i, 0}, 20),
          0u)
          << "seed " << seed;
  }
}

TEST(Sight, WallsAlongACorridorAreSeen) {
  const Rows rows{"##########", "..........", "##########"};
  EXPECT_EQ(view_of(rows, {0, 1, 0}, 20), (Rows{"**********", "**********", "**********"}));
}

TEST(Sight, WhatIsOpaqueIsApartFromWhatIsSolid) {
  GridMapDef def{.width = 7, .height = 1};
  def.terrain = standard_terrain();
  def.terrain.push_back({"glass", 'g', 1, false});
  def.terrain.push_back({"smoke", 's', 1, true});
  const auto glass = static_cast<TerrainId>(def.terrain.size() - 2),
             smoke = static_cast<TerrainId>(def.terrain.size() - 1);
  GridMap map = *GridMap::create(def);
  ASSERT_TRUE(map.apply({{{{2, 0, 0}, CellChange::terrain, glass}, {{4, 0, 0}, CellChange::terrain, smoke}}, {}}).ok());
  const Viewer viewer{{0, 0, 0}, 10, {}};
  FieldOfView view;
  ASSERT_TRUE(view.look(map.view(), {&viewer, 1}).ok());
  EXPECT_EQ(view.count(), 3u);  // glass is not passable, so opaque where nobody says otherwise
  std::vector<std::uint8_t> opaque(def.terrain.size(), 0);
  opaque[kWall] = opaque[smoke] = 1;
  ASSERT_TRUE(view.look(map.view(), {&viewer, 1}, opaque).ok());
  EXPECT_EQ(view.count(), 5u);
  EXPECT_TRUE(*sees(map.view(), {0, 0, 0}, {4, 0, 0}, opaque));
  EXPECT_FALSE(*sees(map.view(), {0, 0, 0}, {5, 0, 0}, opaque));
}

TEST(Sight, ClosedDoorsAreOpaque) {
  GridMap map = map_of({"....."});
  ASSERT_TRUE(map.add_door({"gate", {{2, 0, 0}}}).ok());
  EXPECT_TRUE(*sees(map.view(), {0, 0, 0}, {4, 0, 0}));
  ASSERT_TRUE(map.apply({{}, {{0, DoorState::closed}}}).ok());
  EXPECT_FALSE(*sees(map.view(), {0, 0, 0}, {4, 0, 0}));
}

TEST(Sight, ConesKeepTheirEdges) {
  const Rows open(5, std::string(5, '.'));
  EXPECT_EQ(view_of(open, {2, 2, 0}, 2, SightCone{1, -1, 1, 1}), (Rows{"-----", "---*-", "--***", "---*-", "-----"}));
  EXPECT_EQ(view_of(open, {2, 2, 0}, 2, SightCone{1, 1, 1, -1}), (Rows{"--*--", "-***-", "***--", "-***-", "--*--"}));
  EXPECT_EQ(view_of(open, {2, 2, 0}, 2, SightCone{1, 0, -1, 0}), (Rows{"-----", "-----", "*****", "-***-", "--*--"}));
  EXPECT_EQ(view_of(open, {2, 2, 0}, 2, SightCone{0, 3, 0, 1}), (Rows{"-----", "-----", "--*--", "--*--", "--*--"}));
}

TEST(Sight, ManyViewersSeeTogether) {
  const Rows rows = drawn(7, 30, 20, 25);
  const GridMap map = map_of(rows);
  const std::vector<Viewer> viewers{{{3, 4, 0}, 6, {}}, {{20, 15, 0}, 9, {}}, {{29, 0, 0}, 3, {}}};
  FieldOfView view;
  ASSERT_TRUE(view.look(map.view(), viewers).ok());
  std::vector<Rows> single;
  for (const Viewer& v : viewers) single.push_back(view_of(rows, v.at, v.radius));
  for (std::int32_t y = 0; y < 20; ++y)
    for (std::int32_t x = 0; x < 30; ++x) {
      bool any = false;
      for (const Rows& s : single) any = any || s[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '*';
      EXPECT_EQ(view.sees({x, y, 0}), any) << x << "," << y;
    }
}

TEST(Sight, WrongQuestionsAreAnswered) {
  const GridMap map = map_of({"..", ".."});
  FieldOfView view;
  const auto ask = [&](const Viewer& v) { return view.look(map.view(), {&v, 1}); };
  EXPECT_EQ(ask({{2, 0, 0}, 5, {}}).code(), StatusCode::position);
  EXPECT_EQ(ask({{0, 0, 1}, 5, {}}).code(), StatusCode::position);
  EXPECT_EQ(ask({{0, 0, 0}, kMaxGoalRadius + 1, {}}).code(), StatusCode::argument);
  EXPECT_EQ(ask({{0, 0, 0}, 5, SightCone{0, 0, 1, 0}}).code(), StatusCode::argument);
  EXPECT_EQ(ask({{0, 0, 0}, 5, SightCone{1, 0, 40000, 0}}).code(), StatusCode::argument);
  EXPECT_EQ(view.count(), 0u);
  EXPECT_EQ(sees(map.view(), {0, 0, 0}, {0, 2, 0}).status().code(), StatusCode::position);
  FieldOfView other = std::move(view);
  EXPECT_EQ(ask({{0, 0, 0}, 5, {}}).code(), StatusCode::argument);
  EXPECT_TRUE(other.look(map.view(), {}).ok());
  EXPECT_EQ(other.count(), 0u);
}

}  // namespace
}  // namespace drover::test
