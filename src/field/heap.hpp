// SPDX-License-Identifier: MIT
// A heap of events ordered by (cost, hops), for costs that are too uneven for buckets.
#pragma once
#include "base/memory.hpp"
#include "field/plan.hpp"

#include <cstdint>

namespace drover::field {

struct Scratch;

/// "This cell tries its straight (or diagonal) steps at this cost".
struct HeapEvent {
  std::uint64_t cost;
  std::uint32_t hops;
  std::uint32_t cell;
  bool diagonal;
};

/// The least event on top; equal ones in no stated order.
class HeapScratch {
 public:
  void clear() noexcept { size_ = 0; }
  bool empty() const noexcept { return size_ == 0; }
  const HeapEvent& top() const noexcept { return events_[0]; }
  bool make_room(const Allocator& allocator, std::size_t more) noexcept;
  void push(const HeapEvent& event) noexcept;
  void pop() noexcept;

 private:
  base::Plane<HeapEvent> events_;
  std::size_t size_ = 0;
};

/// Any costs. Fills plan.hops where it is given.
template <class T>
Outcome heap(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator) noexcept;

}  // namespace drover::field
