// SPDX-License-Identifier: MIT
// Smoothed paths, followed in small pieces with the body's square.
#include "support/data.hpp"
#include "support/grids.hpp"

#include <drover/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace drover::test {
namespace {

struct Field {
  std::vector<std::string> rows;
  std::vector<std::uint32_t> weights;  // empty: all 1
  int footprint = 1;
};

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// The square of the body at many places of the line, its cells found by rounding: whatever it is inside of must be
// free, and, for a single cell, no dearer than allowed.
std::string fault_of_line(const Field& field, Cell a, Cell b, std::uint32_t dearest) {
  const std::int64_t dx = b.x - a.x, dy = b.y - a.y;
  const std::int64_t pieces = 12 * std::max(std::abs(dx), std::abs(dy));
  for (std::int64_t t = 0; t <= pieces; ++t) {
    const std::int64_t px = a.x * pieces + dx * t, py = a.y * pieces + dy * t;  // of the corner, times pieces
    const std::int64_t k = field.footprint;
    for (std::int64_t y = floor_of(py, pieces); y * pieces < py + k * pieces; ++y)
      for (std::int64_t x = floor_of(px, pieces); x * pieces < px + k * pieces; ++x) {
        const std::string at = std::to_string(x) + "," + std::to_string(y);
        const bool on_map = y >= 0 && x >= 0 && y < static_cast<std::int64_t>(field.rows.size()) &&
                            x < static_cast<std::int64_t>(field.rows[0].size());
        if (!on_map || field.rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '#')
          return "is inside the wall " + at;
        const auto i = static_cast<std::size_t>(y) * field.rows[0].size() + static_cast<std::size_t>(x);
        const bool start = x == a.x && y == a.y;
        if (k == 1 && !start && !field.weights.empty() && field.weights[i] > dearest) return "is dearer at " + at;
      }
  }
  return {};
}

double length(Cell a, Cell b) { return std::hypot(a.x - b.x, a.y - b.y); }

std::string fault_of(const Field& field, const NavGraph& graph, const Path& path, std::uint64_t& joined) {
  std::vector<Cell> ways;
  if (Status status = smooth_path(graph, path, ways); !status.ok()) return std::string(status.message());
  if (ways.empty() || ways.front() != path.cells.front() || ways.back() != path.cells.back()) return "other ends";
  double before = 0, after = 0;
  for (std::size_t i = 1; i < path.cells.size(); ++i) before += length(path.cells[i - 1], path.cells[i]);
  std::size_t at = 0;
  for (std::size_t w = 1; w < ways.size(); ++w) {
    after += length(ways[w - 1], ways[w]);
    std::size_t to = at;
    std::uint32_t cheapest = ~std::uint32_t{0};
    while (to + 1 < path.cells.size() && path.cells[to] != ways[w]) {
      ++to;
      const Cell c = path.cells[to];
      if (!field.weights.empty())
        cheapest = std::min(
            cheapest,
            field.weights[static_cast<std::size_t>(c.y) * field.rows[0].size() + static_cast<std::size_t>(c.x)]);
    }
    if (path.cells[to] != ways[w]) return "a corner that the path does not have";
    bool in_line = true;
    for (std::size_t i = at; i < to; ++i) in_line = in_line && path.steps[i].direction == path.steps[at].direction;
    if (!in_line) {
      ++joined;
      if (std::string text = fault_of_line(field, ways[w - 1], ways[w], cheapest); !text.empty())
        return "line to " + std::to_string(ways[w].x) + "," + std::to_string(ways[w].y) + " " + text;
    }
    at = to;
  }
  if (after > before + 1e-9) return "longer";
  return {};
}

TEST(Smoothing, NothingIsClippedAndNothingDearer) {
  const std::uint64_t worlds = long_run() ? 20000 : 800;
  std::uint64_t joined = 0;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    Draws draws(seed);
    Field field;
    const int width = draws.between(2, 24), height = draws.between(2, 24);
    field.rows.assign(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), '.'));
    const std::uint32_t walls = draws.below(35);
    for (std::string& row : field.rows)
      for (char& c : row)
        if (draws.percent(walls)) c = '#';
    field.footprint = draws.percent(70) ? 1 : draws.between(1, std::min({3, width, height}));
    GridMap map = map_of(field.rows);
    if (draws.percent(40)) {
      for (int i = 0; i < width * height; ++i) field.weights.push_back(1 + draws.below(draws.percent(50) ? 2 : 4));
      ASSERT_TRUE(map.set_weights(0, field.weights).ok());
    }
    const CornerRule corner = draws.percent(60)   ? CornerRule::strict
                              : draws.percent(50) ? CornerRule::one_free
                                                  : CornerRule::none;
    const NavGraph graph =
        graph_of(map.view(), body(field.footprint, corner, draws.percent(70) ? Moves::eight : Moves::four));
    for (int i = 0; i < 4; ++i) {
      const Cell from{draws.between(0, width - 1), draws.between(0, height - 1), 0},
          to{draws.between(0, width - 1), draws.between(0, height - 1), 0};
      const Path path = *find_path(graph, from, to);
      if (path.status != PathStatus::found) continue;
      ASSERT_EQ(fault_of(field, graph, path, joined), "")
          << "seed " << seed << " from " << from.x << "," << from.y << " to " << to.x << "," << to.y;
    }
  }
  EXPECT_GT(joined, worlds / 4);
}

TEST(Smoothing, AnswersWrongPaths) {
  const NavGraph graph = graph_of(std::vector<std::string>{"...", "..."});
  Path path = *find_path(graph, {0, 0}, {2, 1});
  std::vector<Cell> ways{{9, 9, 9}};
  EXPECT_EQ(smooth_path({}, path, ways).code(), StatusCode::argument);
  EXPECT_TRUE(ways.empty());
  path.cells.back() = {3, 0, 0};
  EXPECT_EQ(smooth_path(graph, path, ways).code(), StatusCode::position);
  path.cells.back() = {2, 1, 0};
  path.steps.pop_back();
  EXPECT_EQ(smooth_path(graph, path, ways).code(), StatusCode::argument);
  EXPECT_TRUE(smooth_path(graph, {}, ways).ok());
  EXPECT_TRUE(ways.empty());
  EXPECT_TRUE(smooth_path(graph, *find_path(graph, {1, 1}, {1, 1}), ways).ok());
  EXPECT_EQ(ways, (std::vector<Cell>{{1, 1, 0}}));
}

TEST(Smoothing, PortalsAndOneWaysAreKept) {
  GridMap map = map_of({"......", "######", "......"});
  ASSERT_TRUE(map.add_portal({{2, 0, 0}, {3, 2, 0}, 5}).ok());
  const NavGraph graph = graph_of(map.view());
  const Path path = *find_path(graph, {0, 0}, {5, 2});
  std::vector<Cell> ways;
  ASSERT_TRUE(smooth_path(graph, path, ways).ok());
  EXPECT_EQ(ways, (std::vector<Cell>{{0, 0, 0}, {2, 0, 0}, {3, 2, 0}, {5, 2, 0}}));
}

}  // namespace
}  // namespace drover::test
