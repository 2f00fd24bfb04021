// SPDX-License-Identifier: MIT
// What the host lends: memory that runs out at any call, threads, a say in failed checks.
#include "base/check.hpp"
#include "support/counting_allocator.hpp"
#include "support/grids.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/graph.hpp>
#include <drover/host.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

// Counts down to the one allocation of the standard library that fails; below zero none does.
thread_local long g_allocations_left = -1;

void* counted(std::size_t bytes) {
  if (g_allocations_left == 0) {
    g_allocations_left = -1;
    throw std::bad_alloc();
  }
  if (g_allocations_left > 0) --g_allocations_left;
  if (void* block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
  throw std::bad_alloc();
}

}  // namespace

// Not inline: g++ takes free() on memory of an operator new that it has not looked into for a mistake.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes); }
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace drover {
namespace {

using test::CountingAllocator;

MapEdit large_edit() {
  MapEdit edit;
  for (int i = 0; i < 20; ++i) edit.cells.push_back({{i, i % 3, 0}, CellChange::terrain, kWall});
  edit.cells.push_back({{3, 3, 0}, CellChange::unknown, kFloor});
  edit.doors.push_back({0, DoorState::closed});
  return edit;
}

GridMap map_with_door(const Host& host = {}) {
  GridMap map = test::map_of(std::vector<std::string>(20, std::string(100, '.')), host);
  EXPECT_TRUE(map.add_door({"a gate with a name that does not fit into a short string", {{50, 10, 0}}}).ok());
  return map;
}

// Calls `change` on fresh maps with the N-th allocation failing, for every N; the map must be as before until it
// succeeds.
void for_every_failing_call(const std::function<Status(GridMap&)>& change,
                            const std::function<void(CountingAllocator&, long)>& arm) {
  CountingAllocator memory;
  long calls = 0;
  for (bool done = false; !done; ++calls) {
    ASSERT_LT(calls, 500);
    GridMap map = map_with_door(memory.host());
    const MapView held = map.view();
    const std::uint64_t digest = held.content_digest();
    arm(memory, calls);
    const Status status = change(map);
    memory.fail_never();
    g_allocations_left = -1;
    done = status.ok();
    if (!done) {
      EXPECT_EQ(status.code(), StatusCode::out_of_memory);
    }
    const MapView after = map.view();
    EXPECT_EQ(after.content_digest() != digest, done) << "call " << calls;
    EXPECT_EQ(after.map_version() + after.overlay_version() != held.map_version() + held.overlay_version(), done);
    EXPECT_EQ(after.has_weights() || after.doors().size() > 1 || !after.doors()[0].open, done);
  }
  EXPECT_GT(calls, 1);
  EXPECT_EQ(memory.bytes_out(), 0u);
}

void fail_plane(CountingAllocator& memory, long call) { memory.fail_at(static_cast<std::uint64_t>(call)); }
void fail_standard(CountingAllocator&, long call) { g_allocations_left = call; }

const std::function<Status(GridMap&)> kChanges[] = {
    [](GridMap& map) {
      const MapEdit edit = large_edit();
      return map.apply(edit).status();
    },
    [](GridMap& map) { return map.set_weights(0, std::vector<std::uint32_t>(2000, 3)); },
    [](GridMap& map) {
      return map.add_door({"", {{1, 1, 0}, {2, 1, 0}}, false}).status();
    },
};

TEST(HostAllocator, AMapIsUnchangedWhenThereIsNoMemoryAtAnyCall) {
  for (const auto& change : kChanges) for_every_failing_call(change, fail_plane);
}

TEST(HostAllocator, MakingAMapOrGraphAnswersOutOfMemoryAtAnyCall) {
  CountingAllocator memory;
  const GridMap map = map_with_door();
  for (const int footprint : {1, 2}) {
    std::uint64_t calls = 0;
    for (bool done = false; !done; ++calls) {
      memory.fail_at(calls);
      const Result<NavGraph> graph = NavGraph::compile(map.view(), test::body(footprint), memory.host());
      done = graph.ok();
      EXPECT_EQ(graph.status().code(), done ? StatusCode::ok : StatusCode::out_of_memory);
    }
    EXPECT_GE(calls, 5u);
  }
  for (std::uint64_t call = 0; call < 2; ++call) {
    memory.fail_at(call);
    const Result<GridMap> refused = GridMap::create({.width = 100, .height = 100}, memory.host());
    EXPECT_EQ(refused.status().code(), StatusCode::out_of_memory);
    EXPECT_NE(refused.status().message().find("bytes"), std::string::npos) << refused.status().message();
  }
  EXPECT_EQ(memory.bytes_out(), 0u);
}

// Its one gap closes and the map is in two; what the labels would say is not known without memory, and is once there is
// some.
TEST(HostAllocator, WithoutMemoryForLabelsAWayMayExist) {
  std::vector<std::string> rows(20, std::string(50, '.') + '#' + std::string(49, '.'));
  rows[10][50] = '.';
  GridMap map = test::map_of(rows);
  const NavGraph whole = test::graph_of(map.view());
  const Result<EditReport> report = map.apply(test::set_terrain({50, 10, 0}, kWall));
  ASSERT_TRUE(report.ok());
  long calls = 0;
  for (bool done = false; !done; ++calls) {
    ASSERT_LT(calls, 50);
    const Result<NavGraph> cut = whole.updated(map.view(), report->dirty);
    g_allocations_left = calls;
    const bool maybe = cut->connected({0, 0, 0}, {99, 0, 0});
    done = g_allocations_left >= 0;
    g_allocations_left = calls;
    const bool no_sizes = cut->component_sizes().empty();
    g_allocations_left = -1;
    EXPECT_EQ(maybe, !done) << calls;
    EXPECT_TRUE(cut->connected({0, 0, 0}, {49, 0, 0}));
    EXPECT_FALSE(cut->connected({0, 0, 0}, {99, 0, 0}));
    EXPECT_FALSE(cut->connected({0, 0, 0}, {50, 0, 0}));
    EXPECT_EQ(no_sizes, calls == 0 || !done) << calls;
    EXPECT_EQ(cut->component_sizes(), (std::vector<std::uint64_t>{1000, 980}));
  }
  EXPECT_GT(calls, 3);
}

TEST(HostAllocator, AGraphIsUnchangedWhenAnUpdateRunsOutOfMemory) {
  CountingAllocator memory;
  GridMap map = map_with_door();
  std::vector<std::uint32_t> weights(2000, 3);
  weights[7] = 4;
  ASSERT_TRUE(map.set_weights(0, weights).ok());
  for (const int footprint : {1, 2}) {
    memory.fail_never();
    const NavGraph before = test::graph_of(map.view(), test::body(footprint), memory.host());
    const EditReport report = *map.apply(test::set_terrain({60 + footprint, 9, 0}, kWall));
    std::uint64_t calls = 0;
    for (bool done = false; !done; ++calls) {
      ASSERT_LT(calls, 50u);
      memory.fail_at(calls);
      const Result<NavGraph> after = before.updated(map.view(), report.dirty);
      done = after.ok();
      EXPECT_EQ(after.status().code(), done ? StatusCode::ok : StatusCode::out_of_memory);
      EXPECT_EQ(before.footing({60 + footprint, 9, 0}), Footing::open);
    }
    EXPECT_GE(calls, 3u);
  }
  EXPECT_EQ(memory.bytes_out(), 0u);
}

TEST(HostAllocator, AFailedOperatorNewNeverLeavesTheLibraryNorChangesTheMap) {
  for (std::size_t i = 0; i < 3; ++i) {
    // The weights of the second change are taken here, outside the call.
    const std::vector<std::uint32_t> weights(2000, 3);
    const MapEdit edit = large_edit();
    const DoorDef door{"", {{1, 1, 0}, {2, 1, 0}}, false};
    for_every_failing_call(
        [&](GridMap& map) {
          if (i == 0) return map.apply(edit).status();
          return i == 1 ? map.set_weights(0, weights) : map.add_door(door).status();
        },
        fail_standard);
  }
}

TEST(HostAllocator, AFailedOperatorNewDuringCompilationIsOutOfMemory) {
  GridMap map = map_with_door();
  MovementProfile profile = test::body(2);
  profile.layers = {0};
  const NavGraph before = test::graph_of(map.view(), profile);
  const EditReport report = *map.apply(test::set_terrain({60, 9, 0}, kWall));
  const MapView view = map.view();
  for (const bool update : {false, true}) {
    long calls = 0;
    for (bool done = false; !done; ++calls) {
      ASSERT_LT(calls, 500);
      g_allocations_left = calls;
      const Result<NavGraph> graph = update ? before.updated(view, report.dirty) : NavGraph::compile(view, profile);
      g_allocations_left = -1;
      done = graph.ok();
      EXPECT_EQ(graph.status().code(), done ? StatusCode::ok : StatusCode::out_of_memory);
    }
    EXPECT_GT(calls, 3);
  }
}

TEST(HostAllocator, ARefusalThatFindsNoMemoryForItsSentenceIsStillARefusal) {
  for (long left = 0; left < 2; ++left) {
    g_allocations_left = left;
    const Result<GridShape> shape = GridShape::create(65537, 65537);
    g_allocations_left = left;
    const Result<Fixed> number = Fixed::parse("not a decimal number at all");
    g_allocations_left = -1;
    EXPECT_EQ(shape.status().code(), StatusCode::out_of_memory);
    EXPECT_EQ(number.status().code(), StatusCode::out_of_memory);
  }
}

TEST(HostTasks, AreUsedAndDoNotChangeTheResult) {
  test::Draws draw(11);
  const GridMap map = test::map_of(draw.rows(500, 700, 30));
  const std::uint64_t serial = test::graph_of(map.view(), test::body(2)).content_hash();

  std::uint32_t pieces = 0;
  Host counting;
  counting.tasks = {&pieces, 4,
                    [](void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
                      *static_cast<std::uint32_t*>(context) += count;
                      for (std::uint32_t i = count; i-- > 0;) task(argument, i);  // backwards: the order is the host's
                    }};
  EXPECT_EQ(test::graph_of(map.view(), test::body(2), counting).content_hash(), serial);
  EXPECT_GT(pieces, 3u);
  for (const std::uint32_t workers : {2u, 8u}) {
    test::ThreadTasks tasks(workers);
    EXPECT_EQ(test::graph_of(map.view(), test::body(2), tasks.host()).content_hash(), serial);
  }
}

void say(void*, const char* file, int line, const char* condition) {
  std::fprintf(stderr, "host: %s:%d: %s\n", file, line, condition);
}

TEST(HostAssertDeathTest, TheHandlerHearsTheConditionBeforeTheProgramEnds) {
  Host host;
  host.on_assert.failed = say;
  EXPECT_DEATH(DROVER_CHECK(&host, 1 + 1 == 3), "host: .*host_test.cpp:[0-9]+: 1 \\+ 1 == 3");
  EXPECT_DEATH(DROVER_CHECK(nullptr, false), "");
  DROVER_CHECK(&host, 1 + 1 == 2);
}

}  // namespace
}  // namespace drover
