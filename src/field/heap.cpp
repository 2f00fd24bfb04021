// SPDX-License-Identifier: MIT
// Any costs: first touches in the order of (cost, hops), from a heap.
#include "field/heap.hpp"

#include "field/engines.hpp"

#include <algorithm>
#include <bit>

namespace drover::field {
namespace {

bool later(const HeapEvent& a, const HeapEvent& b) noexcept {
  return a.cost != b.cost ? a.cost > b.cost : a.hops > b.hops;
}

}  // namespace

bool HeapScratch::make_room(const Allocator& allocator, std::size_t more) noexcept {
  if (events_.valid() && size_ + more <= events_.size()) return true;
  auto larger = base::Plane<HeapEvent>::uninitialised(allocator, std::max<std::size_t>(1024, (size_ + more) * 2));
  if (!larger.valid()) return false;
  std::copy_n(events_.data(), size_, larger.data());
  events_ = std::move(larger);
  return true;
}

void HeapScratch::push(const HeapEvent& event) noexcept {
  events_[size_++] = event;
  std::push_heap(events_.begin(), events_.begin() + size_, later);
}

void HeapScratch::pop() noexcept {
  std::pop_heap(events_.begin(), events_.begin() + size_, later);
  --size_;
}

namespace {

template <class T>
class HeapRun {
 public:
  HeapRun(const Plan<T>& plan, HeapScratch& heap) noexcept : plan_(plan), heap_(heap) { heap_.clear(); }

  Outcome run(const Allocator& allocator) noexcept {
    std::size_t next_source = 0;
    while (!heap_.empty() || next_source < plan_.sources.size()) {
      if (!heap_.make_room(allocator, 8)) {
        outcome_.out_of_memory = true;
        break;
      }
      // A goal starts with no hops, so of equal costs it comes first.
      if (next_source < plan_.sources.size() &&
          (heap_.empty() || plan_.sources[next_source].cost <= heap_.top().cost)) {
        const Source& source = plan_.sources[next_source++];
        if (plan_.costs[source.cell] == kNoCost<T>) settle(source.cell, static_cast<T>(source.cost), 0);
        continue;
      }
      const HeapEvent event = heap_.top();
      heap_.pop();
      ++outcome_.events;
      const unsigned wanted = event.diagonal ? 240u : 15u;
      for (unsigned todo = plan_.moves[event.cell] & wanted; todo != 0; todo &= todo - 1) {
        const std::uint32_t q = event.cell + plan_.offsets[std::countr_zero(todo)];
        if (plan_.costs[q] == kNoCost<T>) settle(q, static_cast<T>(event.cost), event.hops);
      }
    }
    return outcome_;
  }

 private:
  void settle(std::uint32_t cell, T cost, std::uint32_t hops) noexcept {
    plan_.costs[cell] = cost;
    if (plan_.hops != nullptr) plan_.hops[cell] = hops;
    const std::uint64_t factor = plan_.factors != nullptr ? plan_.factors[cell] : 1;
    const unsigned moves = plan_.moves[cell];
    if ((moves & 15u) != 0) heap_.push({cost + plan_.straight * factor, hops + 1, cell, false});
    if (plan_.eight && moves > 15u) heap_.push({cost + plan_.diagonal * factor, hops + 1, cell, true});
    ++outcome_.reached;
    outcome_.last_cost = cost;
  }

  const Plan<T>& plan_;
  HeapScratch& heap_;
  Outcome outcome_;
};

}  // namespace

template <class T>
Outcome heap(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator) noexcept {
  return HeapRun<T>(plan, scratch.heap).run(allocator);
}

template Outcome heap(const Plan<std::uint32_t>&, Scratch&, const Allocator&) noexcept;
template Outcome heap(const Plan<std::uint64_t>&, Scratch&, const Allocator&) noexcept;

}  // namespace drover::field
