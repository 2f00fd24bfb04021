// SPDX-License-Identifier: MIT
// Readers hold old maps, graphs and fields while their planes and pages are recycled for new ones. Meant for
// ThreadSanitizer.
#include "support/grids.hpp"
#include "support/threads.hpp"

#include <gtest/gtest.h>
#include <drover/field.hpp>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace drover::test {
namespace {

constexpr std::int32_t kWidth = 120, kHeight = 80;

std::uint64_t planes_sum(const MapView& map) {
  std::uint64_t sum = 14695981039346656037u;
  const auto add = [&](std::uint64_t value) { sum = (sum ^ value) * 1099511628211u; };
  for (std::int32_t y = 0; y < kHeight; ++y)
    for (std::int32_t x = 0; x < kWidth; ++x) {
      const CellIndex i = map.shape().index({x, y, 0});
      add(map.terrain(i));
      add(map.flag_plane()[i.value]);
      add(map.hidden_from(i));
      if (map.has_weights()) add(map.weight(i));
    }
  return sum;
}

struct Generation {
  MapView map;
  NavGraph graph;
  FieldRef field;
  std::uint64_t sum = 0;
  std::uint64_t digest = 0;
};

// Planes as they were; from every reachable cell the first step leads to a cell that is cheaper by the step's cost on
// this generation's own graph.
std::uint64_t contradictions(const Generation& g) {
  std::uint64_t found = planes_sum(g.map) != g.sum;
  found += g.field->digest() != g.digest;
  const GridShape& shape = g.graph.shape();
  for (std::int32_t y = 0; y < kHeight; ++y)
    for (std::int32_t x = 0; x < kWidth; ++x) {
      const CellIndex here = shape.index({x, y, 0});
      if (g.field->state(here) != CellState::reachable) continue;
      const Direction d = g.field->step(here).direction;
      const std::optional<Cost> cost = g.graph.step_cost({x, y, 0}, d);
      const CellIndex next{here.value + shape.step(d)};
      found += !cost || g.field->cost_to_goal(next) + *cost != g.field->cost_to_goal(here);
    }
  return found;
}

/// The newest generations, for readers to take from and to hold as long as they like.
class Shelf {
 public:
  void put(Generation g) {
    Generation gone;
    const std::lock_guard lock(mutex_);
    gone = std::exchange(shelf_[next_++ % shelf_.size()], std::move(g));
  }
  Generation take(std::uint32_t i) {
    const std::lock_guard lock(mutex_);
    return shelf_[i % shelf_.size()];
  }

 private:
  std::mutex mutex_;
  std::array<Generation, 3> shelf_;
  std::size_t next_ = 0;
};

class Writer {
 public:
  Writer(const Host& host, Shelf& shelf)
      : shelf_(shelf), builder_(host), map_(map_of(Draws(7).rows(kWidth, kHeight, 20))) {
    EXPECT_TRUE(map_.add_faction("blue").ok());
    EXPECT_TRUE(map_.add_door({"gate", {{20, 20, 0}, {21, 20, 0}}}).ok());
    EXPECT_TRUE(map_.set_weights(0, std::vector<std::uint32_t>(std::size_t{kWidth} * kHeight, 2)).ok());
    goal_.cells = {{{60, 40, 0}, 0}};
    goal_.placement = GoalPlacement::nearest;
    now_.map = map_.view();
    now_.graph = *NavGraph::compile(now_.map, {}, host);
    now_.field = *builder_.build(now_.graph, goal_);
    for (int i = 0; i < 3; ++i) publish();
  }

  void step(Draws& draws) {
    if (draws.percent(5)) return go_back(draws);
    MapEdit edit;
    for (std::uint32_t n = draws.percent(20) ? 6 : 1; n > 0; --n) {
      const Cell c{draws.between(0, kWidth - 1), draws.between(0, kHeight - 1), 0};
      const std::uint32_t kind = draws.below(8);
      if (kind == 0)
        edit.cells.push_back({c, CellChange::unknown, kFloor, draws.percent(50) ? FactionId{0} : kEveryone});
      else if (kind == 1)
        edit.doors.push_back({0, draws.percent(50) ? DoorState::open : DoorState::closed});
      else
        edit.cells.push_back({c, CellChange::terrain, kind < 5 ? kWall : kFloor});
    }
    const Result<EditReport> report = map_.apply(edit);
    ASSERT_TRUE(report.ok());
    Generation after;
    after.map = map_.view();
    after.graph = *now_.graph.updated(after.map, report->dirty);
    BuildReport how;
    after.field = *builder_.repair(now_.field, now_.graph, after.graph, goal_, {}, &how);
    repaired_ += how.repaired;
    now_ = std::move(after);
    publish();
  }
  std::uint64_t repaired() const noexcept { return repaired_; }

 private:
  void publish() {
    now_.sum = planes_sum(now_.map);
    now_.digest = now_.field->digest();
    shelf_.put(now_);
  }
  void go_back(Draws& draws) {
    now_ = shelf_.take(draws.below(3));
    map_.restore(now_.map);
    publish();
  }

  Shelf& shelf_;
  FieldBuilder builder_;
  GridMap map_;
  GoalDef goal_;
  Generation now_;
  std::uint64_t repaired_ = 0;
};

TEST(RecyclingRace, WhatReadersHoldStaysAsItWasWhileItsPlanesAndPagesAreRecycled) {
  ThreadTasks threads(2);
  Shelf shelf;
  Writer writer(threads.host(), shelf);
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> wrong{0}, looks{0};
  std::vector<std::thread> readers;
  for (std::uint64_t i = 0; i < 3; ++i)
    readers.emplace_back([&, i] {
      Draws draws(100 + i);
      std::array<Generation, 4> held;
      for (Generation& g : held) g = shelf.take(0);
      while (!over) {
        Generation& oldest = held[draws.below(4)];
        wrong += contradictions(oldest);
        oldest = shelf.take(draws.below(3));  // the last use of most planes ends here
        ++looks;
      }
    });
  Draws draws(1);
  for (int round = 0; round < 600; ++round) writer.step(draws);
  while (looks < 100) std::this_thread::yield();
  over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(writer.repaired(), 300u);
}

}  // namespace
}  // namespace drover::test
