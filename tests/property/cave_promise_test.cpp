// SPDX-License-Identifier: MIT
// Caves that promise something: a search a cell at a time finds every promise kept, or the call failed by name. Chunks
// made by many threads are one map.
#include "field/simd.hpp"
#include "support/cave_oracle.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"
#include "support/threads.hpp"

#include <drover/cave.hpp>

#include <optional>

namespace drover::test {
namespace {

CaveRows rows_of(const Cave& cave) {
  CaveRows rows(static_cast<std::size_t>(cave.height()), std::string(static_cast<std::size_t>(cave.width()), '.'));
  for (std::int32_t y = 0; y < cave.height(); ++y)
    for (std::int32_t x = 0; x < cave.width(); ++x)
      if (cave.wall({x, y})) rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = '#';
  return rows;
}

// Steps of the shortest way of a k x k body with eight moves that cuts no corner; nothing where there is none.
std::optional<std::uint64_t> steps_between(const CaveRows& rows, int k, Cell from, Cell to) {
  const auto room = [&](int x, int y) {
    for (int i = 0; i < k * k; ++i)
      if (cave_wall(rows, x + i % k, y + i / k)) return false;
    return true;
  };
  if (!room(from.x, from.y) || !room(to.x, to.y)) return std::nullopt;
  std::vector<std::vector<std::int64_t>> steps(rows.size(), std::vector<std::int64_t>(rows[0].size(), -1));
  std::deque<Cell> queue{from};
  const auto at = [&](int x, int y) -> std::int64_t& {
    return steps[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
  };
  at(from.x, from.y) = 0;
  for (; !queue.empty(); queue.pop_front()) {
    const Cell here = queue.front();
    if (here == to) return static_cast<std::uint64_t>(at(here.x, here.y));
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int x = here.x + dx, y = here.y + dy;
        if (!room(x, y) || at(x, y) >= 0) continue;
        if (dx != 0 && dy != 0 && !(room(x, here.y) && room(here.x, y))) continue;
        at(x, y) = at(here.x, here.y) + 1;
        queue.push_back({x, y});
      }
  }
  return std::nullopt;
}

CaveDef promising(std::uint64_t seed, Draws& draws) {
  CaveDef def;
  def.width = 30 + draws.below(40);
  def.height = 30 + draws.below(20);
  def.seed = seed;
  def.walls_percent = 40 + static_cast<std::int32_t>(draws.below(11));
  def.mode = draws.percent(25) ? CaveMode::classic : CaveMode::refined;
  def.profile.footprint = draws.percent(70) ? 1 : 2;
  def.tunnel_width = def.profile.footprint;
  def.connect = draws.percent(60) ? CaveConnect::tunnels : CaveConnect::largest;
  if (draws.percent(50)) def.promise.min_floor_percent = static_cast<std::int32_t>(draws.below(60));
  const auto cell = [&] {
    return Cell{draws.between(1, static_cast<std::int32_t>(def.width) - 3),
                draws.between(1, static_cast<std::int32_t>(def.height) - 3)};
  };
  if (draws.percent(60)) def.promise.start = cell();
  if (draws.percent(60)) def.promise.goal = cell();
  if (def.promise.start && def.promise.goal) def.promise.min_steps = draws.below(40);
  return def;
}

TEST(CavePromise, IsKeptOrRefusedByName) {
  const std::uint64_t seeds = long_run() ? 10000 : 400;
  Draws draws(21);
  std::uint64_t kept = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    const CaveDef def = promising(seed, draws);
    const CavePromise& promise = def.promise;
    const Result<Cave> cave = generate_cave(def);
    if (!cave.ok()) {
      ASSERT_TRUE(cave.status().code() == StatusCode::cave_promise || cave.status().code() == StatusCode::cave_empty)
          << cave.status().message();
      ASSERT_NE(cave.status().message().find("after 16 random starts"), std::string::npos) << cave.status().message();
      ++refused;
      continue;
    }
    ++kept;
    ASSERT_LE(cave->attempts(), kCaveAttempts);
    const CaveRows rows = rows_of(*cave);
    const int k = def.profile.footprint;
    if (k == 1) {
      ASSERT_LE(cave_groups(rows, '.', false).size(), 1u);
    }
    if (def.connect == CaveConnect::tunnels) {
      ASSERT_EQ(cave->regions(), 1u);
    }
    const std::uint64_t cells = static_cast<std::uint64_t>(def.width * def.height);
    ASSERT_GE(cave->floor_cells() * 100, cells * static_cast<std::uint64_t>(promise.min_floor_percent));
    for (const auto& end : {promise.start, promise.goal})
      if (end) {
        ASSERT_TRUE(steps_between(rows, k, *end, *end));
      }
    if (!promise.start || !promise.goal) continue;
    const auto steps = steps_between(rows, k, *promise.start, *promise.goal);
    ASSERT_TRUE(steps);
    ASSERT_GE(*steps, promise.min_steps);
  }
  EXPECT_GT(kept, seeds / 4);
  EXPECT_GT(refused, seeds / 100);
}

struct Chunks {
  static constexpr std::int32_t kAcross = 6, kDown = 5, kWidth = 37, kHeight = 29;
  CaveDef def;
  Cell corner;
  std::vector<std::optional<Cave>> made = std::vector<std::optional<Cave>>(kAcross * kDown);

  static void make(void* argument, std::uint32_t index) {
    auto* const self = static_cast<Chunks*>(argument);
    CaveDef def = self->def;
    // Later chunks first: the order must not matter.
    const auto i = kAcross * kDown - 1 - static_cast<std::int32_t>(index);
    def.width = kWidth;
    def.height = kHeight;
    def.origin = {self->corner.x + i % kAcross * kWidth, self->corner.y + i / kAcross * kHeight};
    Result<Cave> cave = generate_cave(def);
    if (cave.ok()) self->made[static_cast<std::size_t>(i)] = *cave;
  }
};

TEST(CaveChunks, OnTasksAreOneBigMap) {
  ThreadTasks threads(3);
  const Host host = threads.host();
  Draws draws(22);
  for (int round = 0; round < (long_run() ? 200 : 20); ++round) {
    Chunks chunks;
    chunks.def.border = CaveBorder::none;
    chunks.def.seed = draws.below(1u << 30);
    chunks.def.generations = static_cast<std::int32_t>(draws.below(8));
    if (draws.percent(50)) chunks.def.rule = {draws.below(512), draws.below(512)};
    chunks.corner = {draws.between(-1000, 1000), draws.between(-1000, 1000)};
    if (round == 0) chunks.corner = {-64, -64};
    host.tasks.run(host.tasks.context, Chunks::kAcross * Chunks::kDown, &Chunks::make, &chunks);
    CaveDef whole = chunks.def;
    whole.width = Chunks::kAcross * Chunks::kWidth;
    whole.height = Chunks::kDown * Chunks::kHeight;
    whole.origin = chunks.corner;
    const Cave one = *generate_cave(whole);
    for (const std::optional<Cave>& chunk : chunks.made) {
      ASSERT_TRUE(chunk);
      for (std::int32_t i = 0; i < Chunks::kWidth * Chunks::kHeight; ++i) {
        const Cell at{chunk->origin().x + i % Chunks::kWidth, chunk->origin().y + i / Chunks::kWidth};
        ASSERT_EQ(chunk->wall(at), one.wall(at)) << at.x << "," << at.y << " in round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace drover::test
