// SPDX-License-Identifier: MIT
// Any costs: first touches in the order of (cost, hops), from a heap.
#include "field/heap.hpp"

#include "field/engines.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace drover::field {

namespace {

template <class T>
class HeapRun {
 public:
  HeapRun(const Plan<T>& plan, HeapScratch& heap, Progress& progress) noexcept
      : plan_(plan), heap_(heap), progress_(progress), outcome_(progress.outcome) {
    if (!std::exchange(progress.begun, true)) heap_.clear();
  }

  void run(const Allocator& allocator) noexcept {
    std::size_t& next_source = progress_.next_source;
    while (!heap_.empty() || next_source < plan_.sources.size()) {
      if (progress_.due()) return pause();
      if (!heap_.make_room(allocator, 4)) {
        outcome_.out_of_memory = true;
        return;
      }
      // A goal starts with no hops, so of equal costs it comes first.
      if (next_source < plan_.sources.size() &&
          (heap_.empty() || plan_.sources[next_source].cost <= heap_.top().cost())) {
        const Source& source = plan_.sources[next_source++];
        if (plan_.costs[source.cell] == kNoCost<T>) settle(source.cell, static_cast<T>(source.cost), 0);
      } else {
        spend_top();
      }
    }
    progress_.finish();
  }

 private:
  void pause() noexcept {
    const std::size_t next = progress_.next_source;
    const std::uint64_t source = next < plan_.sources.size() ? plan_.sources[next].cost : ~std::uint64_t{0};
    progress_.pause(heap_.empty() ? source : std::min(source, heap_.top().cost()));
  }

  std::uint64_t factor_of(std::uint32_t cell) const noexcept {
    return plan_.factors != nullptr ? plan_.factors[cell] : 1;
  }

  // A cell waits once: for its straight steps, then in the same place for its diagonal ones.
  void spend_top() noexcept {
    const HeapEvent event = heap_.top();
    const std::uint32_t p = event.cell();
    const unsigned moves = plan_.moves[p];
    if (!event.diagonal() && moves > 15u) {
      heap_.replace_top({plan_.costs[p] + plan_.diagonal * factor_of(p), event.hops(), true, p});
    } else {
      heap_.pop();
    }
    ++outcome_.events;
    for (unsigned todo = moves & (event.diagonal() ? 240u : 15u); todo != 0; todo &= todo - 1) {
      const std::uint32_t q = p + plan_.offsets[std::countr_zero(todo)];
      if (plan_.costs[q] == kNoCost<T>) settle(q, static_cast<T>(event.cost()), event.hops());
    }
  }

  void settle(std::uint32_t cell, T cost, std::uint32_t hops) noexcept {
    plan_.costs[cell] = cost;
    if (plan_.hops != nullptr) plan_.hops[cell] = hops;
    if (plan_.moves[cell] != 0) heap_.push({cost + plan_.straight * factor_of(cell), hops + 1, false, cell});
    ++outcome_.reached;
    outcome_.last_cost = cost;
  }

  const Plan<T>& plan_;
  HeapScratch& heap_;
  Progress& progress_;
  Outcome& outcome_;
};

}  // namespace

template <class T>
void heap(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept {
  HeapRun<T>(plan, scratch.heap, progress).run(allocator);
}

template void heap(const Plan<std::uint32_t>&, Scratch&, const Allocator&, Progress&) noexcept;
template void heap(const Plan<std::uint64_t>&, Scratch&, const Allocator&, Progress&) noexcept;

}  // namespace drover::field
