// SPDX-License-Identifier: MIT
// Dijkstra's algorithm against the edges: from buckets where steps are even enough, else from a heap.
#include "field/directed.hpp"

#include "base/tasks.hpp"
#include "field/direction_rows.hpp"
#include "field/edges.hpp"
#include "field/engines.hpp"
#include "field/hops.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace drover::field {
namespace {

// Labels (cost, hops) in ascending order. A label that was lowered leaves its old event behind, which is dropped when
// it comes up.
template <class T>
void from_heap(const Plan<T>& plan, HeapScratch& heap, const Allocator& allocator, Progress& progress) noexcept {
  const Edges<T> edges(plan);
  Outcome& outcome = progress.outcome;
  const auto lower = [&](std::uint32_t cell, T cost, std::uint32_t hops) {
    const T before = plan.costs[cell];
    if (cost > before || (cost == before && (plan.hops == nullptr || hops >= plan.hops[cell]))) return;
    plan.costs[cell] = cost;
    if (plan.hops != nullptr) plan.hops[cell] = hops;
    heap.push({cost, hops, false, cell});
  };
  outcome.out_of_memory = true;
  if (!progress.begun) {
    heap.clear();
    if (!heap.make_room(allocator, plan.sources.size())) return;
    for (const Source& source : plan.sources) lower(source.cell, static_cast<T>(source.cost), 0);
    progress.begun = true;
  }
  while (!heap.empty()) {
    const HeapEvent event = heap.top();
    if (progress.due()) {
      outcome.out_of_memory = false;
      return progress.pause(event.cost());
    }
    heap.pop();
    ++outcome.events;
    const std::uint32_t v = event.cell();
    if (event.cost() != plan.costs[v] || (plan.hops != nullptr && event.hops() != plan.hops[v])) continue;
    ++outcome.reached;
    outcome.last_cost = event.cost();
    if (!heap.make_room(allocator, edges.count_entering(v))) return;
    edges.entering(v,
                   [&](std::uint32_t u, T cost) { lower(u, static_cast<T>(event.cost() + cost), event.hops() + 1); });
  }
  outcome.out_of_memory = false;
  progress.finish();
}

/// Events are "cell, cost": the cost's bits within the bucket above the cell. No step is cheaper than a bucket is wide
/// (free ones: one unit), so the order within a bucket does not matter.
template <class T>
class BucketRun {
 public:
  BucketRun(const Plan<T>& plan, BucketScratch& ring, const Allocator& allocator, Progress& progress) noexcept
      : plan_(plan),
        edges_(plan),
        ring_(ring),
        allocator_(allocator),
        shift_(bucket_shift(plan)),
        progress_(progress),
        outcome_(progress.outcome) {}

  void run() noexcept {
    constexpr std::uint64_t kNever = ~std::uint64_t{0};
    outcome_.out_of_memory = true;
    if (!progress_.begun && !ring_.start(allocator_, plan_.max_step >> shift_)) return;
    progress_.begun = true;
    std::size_t& next_source = progress_.next_source;
    for (std::uint64_t& bucket = progress_.bucket;;) {
      const bool more = next_source < plan_.sources.size();
      const std::uint64_t source_due = more ? plan_.sources[next_source].cost >> shift_ : kNever;
      bucket = std::min(ring_.next(bucket), source_due);
      if (bucket == kNever || progress_.due()) break;
      for (; next_source < plan_.sources.size() && plan_.sources[next_source].cost >> shift_ == bucket; ++next_source) {
        if (!ring_.make_room(allocator_, 1)) return;
        lower(plan_.sources[next_source].cell, static_cast<T>(plan_.sources[next_source].cost));
      }
      if (!spend(bucket)) return;
    }
    outcome_.out_of_memory = false;
    progress_.bucket == kNever ? progress_.finish() : progress_.pause(progress_.bucket << shift_);
  }

 private:
  bool spend(std::uint64_t bucket) noexcept {
    std::array<std::uint64_t, BucketScratch::kChunkEvents> events;
    for (;;) {
      const std::span<const std::uint64_t> chunk = ring_.newest_chunk(bucket);
      if (chunk.empty()) return true;
      // A copy: free steps go into this very bucket.
      const std::size_t count = chunk.size();
      std::copy(chunk.begin(), chunk.end(), events.begin());
      ring_.drop_newest_chunk(bucket);
      for (std::size_t i = 0; i < count; ++i) {
        if (!settle(bucket, events[i])) return false;
      }
    }
  }

  bool settle(std::uint64_t bucket, std::uint64_t event) noexcept {
    ++outcome_.events;
    const auto v = static_cast<std::uint32_t>(event);
    const std::uint64_t cost = bucket << shift_ | event >> 32;
    if (plan_.costs[v] != cost) return true;  // lowered since
    ++outcome_.reached;
    outcome_.last_cost = std::max(outcome_.last_cost, cost);
    if (!ring_.make_room(allocator_, edges_.count_entering(v))) return false;
    edges_.entering(v, [&](std::uint32_t u, T step) { lower(u, static_cast<T>(cost + step)); });
    return true;
  }

  void lower(std::uint32_t cell, T cost) noexcept {
    if (cost >= plan_.costs[cell]) return;
    plan_.costs[cell] = cost;
    const std::uint64_t low = cost & ((std::uint64_t{1} << shift_) - 1);
    ring_.push(cost >> shift_, low << 32 | cell);
  }

  const Plan<T>& plan_;
  const Edges<T> edges_;
  BucketScratch& ring_;
  const Allocator& allocator_;
  const int shift_;
  Progress& progress_;
  Outcome& outcome_;
};

}  // namespace

template <class T>
bool count_directed_hops(const Plan<T>& plan, Ring<std::uint32_t>& queue, const Allocator& allocator) noexcept {
  const Edges<T> edges(plan);
  if (!start_hops(plan, queue, allocator)) return false;
  while (queue.live() > 0) {
    const std::uint32_t v = queue.at(queue.head++);
    if (!queue.make_room(allocator, edges.count_entering(v))) return false;
    edges.entering(v, [&](std::uint32_t u, T cost) {
      if (plan.hops[u] != kUncounted || plan.costs[v] + cost != plan.costs[u]) return;
      plan.hops[u] = plan.hops[v] + 1;
      queue.at(queue.tail++) = u;
    });
  }
  return true;
}

template <class T>
void directed(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept {
  if (plan.max_step >> bucket_shift(plan) > kMaxBucketSpan) return from_heap(plan, scratch.heap, allocator, progress);
  BucketRun<T>(plan, scratch.buckets, allocator, progress).run();
  if (progress.done && plan.hops != nullptr)
    progress.outcome.out_of_memory = !count_directed_hops(plan, scratch.straight.cells, allocator);
}

template <class T, class Costs>
void write_directed_steps(const Plan<T>& plan, const Costs& costs, const GridShape& shape,
                          const DirectionPlanes& planes, Bands bands, const Tasks& tasks) noexcept {
  const Edges<T> edges(plan);
  const auto write_row = [&](std::uint32_t first) {
    for (std::uint32_t p = first; p < first + static_cast<std::uint32_t>(shape.width()); ++p) {
      unsigned set = 0;
      for (unsigned left = costs[p] == kNoCost<T> ? 0u : plan.moves[p]; left != 0; left &= left - 1) {
        const int k = std::countr_zero(left);
        const std::uint32_t q = p + plan.offsets[k];
        if (edges.tie(costs, p, q, edges.step(p, k, q))) set |= 1u << k;
      }
      planes.ties[p] = static_cast<std::uint8_t>(set);
    }
    if (plan.costs != nullptr) states_of_row(planes.footings + first, plan.costs + first, shape.width());
  };
  base::parallel_for(tasks, bands.to - bands.from, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const BandRows rows = band_rows(shape, bands.from + i);
      for (std::int32_t row = 0; row < rows.count; ++row) write_row(shape.at(0, rows.first + row, rows.layer));
    }
  });
}

template <class T, class Costs>
PortalTies portal_ties(const Plan<T>& plan, const Costs& costs, std::span<const std::uint32_t> goals) {
  const Edges<T> edges(plan);
  PortalTies ties;
  for (const nav::Portal& portal : plan.graph->portals().all()) {
    if (costs[portal.from] == kNoCost<T> || std::binary_search(goals.begin(), goals.end(), portal.from)) continue;
    if (!edges.tie(costs, portal.from, portal.to, static_cast<T>(portal.cost))) continue;
    ties.cells.push_back(portal.from);
    ties.steps.push_back({portal.number, {portal.to}});
  }
  return ties;
}

template bool count_directed_hops(const Plan<std::uint32_t>&, Ring<std::uint32_t>&, const Allocator&) noexcept;
template bool count_directed_hops(const Plan<std::uint64_t>&, Ring<std::uint32_t>&, const Allocator&) noexcept;
template void directed(const Plan<std::uint32_t>&, Scratch&, const Allocator&, Progress&) noexcept;
template void directed(const Plan<std::uint64_t>&, Scratch&, const Allocator&, Progress&) noexcept;
using Flat32 = std::uint32_t*;
using Flat64 = std::uint64_t*;
template void write_directed_steps(const Plan<std::uint32_t>&, const TileCosts&, const GridShape&,
                                   const DirectionPlanes&, Bands, const Tasks&) noexcept;
template void write_directed_steps(const Plan<std::uint32_t>&, const Flat32&, const GridShape&, const DirectionPlanes&,
                                   Bands, const Tasks&) noexcept;
template void write_directed_steps(const Plan<std::uint64_t>&, const Flat64&, const GridShape&, const DirectionPlanes&,
                                   Bands, const Tasks&) noexcept;
template PortalTies portal_ties(const Plan<std::uint32_t>&, const TileCosts&, std::span<const std::uint32_t>);
template PortalTies portal_ties(const Plan<std::uint32_t>&, const Flat32&, std::span<const std::uint32_t>);
template PortalTies portal_ties(const Plan<std::uint32_t>&, const SettledTileCosts&, std::span<const std::uint32_t>);
template PortalTies portal_ties(const Plan<std::uint32_t>&, const SettledCosts<std::uint32_t>&,
                                std::span<const std::uint32_t>);
template PortalTies portal_ties(const Plan<std::uint64_t>&, const SettledCosts<std::uint64_t>&,
                                std::span<const std::uint32_t>);
template PortalTies portal_ties(const Plan<std::uint64_t>&, const Flat64&, std::span<const std::uint32_t>);

}  // namespace drover::field
