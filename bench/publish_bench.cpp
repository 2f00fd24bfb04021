// SPDX-License-Identifier: MIT
// Readers on threads of their own, one writer.
#include "publish_bench.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <drover/bundle.hpp>

#include "base/digest.hpp"
#include "maps.hpp"

namespace drover::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr ProfileId kWalker{1, 1};
constexpr GoalId kGate{1, 1};
constexpr std::uint64_t kLookups = 200;  // of a tick

std::uint64_t since(Clock::time_point start) {
  return static_cast<std::uint64_t>((Clock::now() - start) / std::chrono::nanoseconds(1));
}

/// The map with a wall beside the goal and without it: two graphs, two fields.
struct States {
  std::array<MapView, 2> maps;
  std::array<NavGraph, 2> graphs;
  std::array<FieldRef, 2> fields;
  Cell wall;

  BundleRef bundle(std::uint64_t generation, std::size_t which) const {
    return std::make_shared<const NavBundle>(
        generation, maps[which], std::vector<std::pair<ProfileId, NavGraph>>{{kWalker, graphs[which]}},
        std::vector<BundleEntry>{{kWalker, kGate, Freshness::current, fields[which], {}, 0}});
  }
};

Result<States> make_states(const PublishDef& def, const Host& host) {
  const BenchMap plan = make_bench_map(MapKind::walls10, def.size, def.seed);
  Result<GridMap> map = to_grid_map(plan);
  if (!map) return map.status();
  const Cell goal = plan.nearest_free(def.size / 2, def.size / 2);
  States out;
  out.wall = plan.nearest_free(def.size / 4, def.size / 4);
  FieldBuilder builder(host);
  for (std::size_t i = 0; i < 2; ++i) {
    if (i == 1) {
      const Result<EditReport> edit = map->apply({{{out.wall, CellChange::terrain, kWall}}, {}});
      if (!edit) return edit.status();
    }
    out.maps[i] = map->view();
    Result<NavGraph> graph = NavGraph::compile(out.maps[i], {}, host);
    if (!graph) return graph.status();
    out.graphs[i] = *std::move(graph);
    Result<FieldRef> field = builder.build(out.graphs[i], {{{goal, 0}}, GoalPlacement::exact});
    if (!field) return field.status();
    out.fields[i] = *std::move(field);
  }
  return out;
}

/// Readers that look up random cells until told to stop: read(random) answers whether the answer was whole.
class Readers {
 public:
  template <class Read>
  Readers(std::uint32_t count, Read read) {
    for (std::uint32_t i = 0; i < count; ++i)
      threads_.emplace_back([this, read, i] {
        std::uint64_t own = 0, torn = 0, random = base::mix(i + 1);
        const Clock::time_point start = Clock::now();
        while (!over_.load(std::memory_order_relaxed)) {
          torn += read(random);
          own += kLookups;
        }
        const std::uint64_t ns = since(start);
        const std::lock_guard lock(mutex_);
        lookups += own, mixed += torn, nanoseconds += ns;
      });
  }
  void stop() {
    over_ = true;
    for (std::thread& t : threads_) t.join();
    threads_.clear();
  }
  std::uint64_t lookups = 0, mixed = 0, nanoseconds = 0;
  double each() const { return lookups > 0 ? static_cast<double>(nanoseconds) / static_cast<double>(lookups) : 0; }

 private:
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

Cell draw(std::uint64_t& random, std::int32_t size) {
  random = base::mix(random + base::kGolden);
  const auto bound = static_cast<std::uint64_t>(size);
  return {static_cast<std::int32_t>((random & 0xffffffffu) * bound >> 32),
          static_cast<std::int32_t>((random >> 32) * bound >> 32), 0};
}

void measure_snapshot(const NavStore& store, PublishFigures& out) {
  std::vector<double> each;
  for (int round = 0; round < 15; ++round) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < 100000; ++i) {
      const BundleRef bundle = store.snapshot();
      if (bundle == nullptr) return;
    }
    each.push_back(static_cast<double>(since(start)) / 100000);
  }
  std::nth_element(each.begin(), each.begin() + 7, each.end());
  out.snapshot_ns = each[7];
}

void write(const PublishDef& def, const States& states, NavStore& store, base::Histogram& times,
           std::uint64_t& most_live) {
  std::vector<std::weak_ptr<const NavBundle>> published;
  for (std::uint32_t i = 0; i < def.publications; ++i) {
    const Clock::time_point start = Clock::now();
    BundleRef next = states.bundle(i + 2, i % 2);
    const std::weak_ptr<const NavBundle> watched = next;
    store.publish(std::move(next));
    times.record(since(start));
    published.push_back(watched);
    std::erase_if(published, [](const auto& b) { return b.expired(); });
    most_live = std::max<std::uint64_t>(most_live, published.size());
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void measure_product(const PublishDef& def, const States& states, PublishFigures& out) {
  NavStore store;
  store.publish(states.bundle(1, 0));
  // Beside a thread that waits: alone in its process a shared_ptr counts without atomics.
  std::mutex gate;
  std::unique_lock closed(gate);
  std::thread waiting([&] { const std::lock_guard wait(gate); });
  measure_snapshot(store, out);
  closed.unlock();
  waiting.join();
  Readers readers(def.readers, [&](std::uint64_t& random) {
    const BundleRef bundle = store.snapshot();
    const bool walled = bundle->graph(kWalker).footing(states.wall) != Footing::open;
    std::uint64_t wrong = (bundle->entries()[0].field != states.fields[walled ? 1 : 0]) ? 1 : 0;
    for (std::uint64_t i = 0; i < kLookups; ++i) {
      const Lookup seen = bundle->look_up(kWalker, kGate, draw(random, def.size));
      if ((seen.state == CellState::reachable) != (seen.step.kind == Step::Kind::move)) ++wrong;
    }
    return wrong;
  });
  std::uint64_t ignored = 0;
  write(def, states, store, out.publish_ns, ignored);
  const BundleRef stalled = store.snapshot();
  write(def, states, store, out.stalled_ns, out.most_live);
  readers.stop();
  out.lookup_ns = readers.each();
  out.lookups = readers.lookups;
  out.mixed = readers.mixed;
}

void measure_baseline(const PublishDef& def, const States& states, PublishFigures& out) {
  std::shared_mutex mutex;
  FieldRef current = states.fields[0];
  const GridShape shape = states.graphs[0].shape();
  Readers readers(def.readers, [&](std::uint64_t& random) {
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < kLookups; ++i) {
      const CellIndex cell = shape.index(draw(random, def.size));
      const std::shared_lock lock(mutex);
      const Step step = current->step(cell);
      const bool reachable = current->state(cell) == CellState::reachable, moves = step.kind == Step::Kind::move;
      if (reachable != moves || (moves && current->cost_to_goal(cell) == kInfiniteCost)) ++wrong;
    }
    return wrong;
  });
  for (std::uint32_t i = 0; i < 2 * def.publications; ++i) {
    {
      const std::lock_guard lock(mutex);
      current = states.fields[i % 2];
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  readers.stop();
  out.baseline_lookup_ns = readers.each();
  out.mixed += readers.mixed;
}

bool same_answers(const PublishDef& def, const States& states) {
  for (std::size_t which = 0; which < 2; ++which) {
    const BundleRef bundle = states.bundle(1, which);
    for (std::int32_t y = 0; y < def.size; ++y)
      for (std::int32_t x = 0; x < def.size; ++x) {
        const Lookup seen = bundle->look_up(kWalker, kGate, {x, y, 0});
        if (seen.cost != states.fields[which]->cost_to_goal(states.graphs[which].shape().index({x, y, 0})))
          return false;
      }
  }
  return true;
}

}  // namespace

Result<PublishFigures> measure_publish(const PublishDef& def, const Host& host) {
  const Result<States> states = make_states(def, host);
  if (!states) return states.status();
  PublishFigures out;
  measure_product(def, *states, out);
  measure_baseline(def, *states, out);
  out.equal = out.mixed == 0 && same_answers(def, *states);
  return out;
}

}  // namespace drover::bench
