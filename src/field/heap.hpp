// SPDX-License-Identifier: MIT
// A 4-ary heap of events ordered by (cost, hops), for costs that are too uneven for buckets.
#pragma once
#include "base/int128.hpp"
#include "base/quad_heap.hpp"
#include "field/progress.hpp"

#include <cstdint>

namespace drover::field {

struct Scratch;

/// "This cell tries its straight (or diagonal) steps at this cost", as one number that sorts as (cost, hops, straight
/// first, cell): comparing takes no branch.
class HeapEvent {
 public:
  HeapEvent() = default;
  HeapEvent(std::uint64_t cost, std::uint32_t hops, bool diagonal, std::uint32_t cell) noexcept
      : value_(base::UInt128{cost} << 64 | std::uint64_t{hops} << 33 | std::uint64_t{diagonal} << 32 | cell) {}

  std::uint64_t cost() const noexcept { return static_cast<std::uint64_t>(value_ >> 64); }
  std::uint32_t hops() const noexcept { return static_cast<std::uint32_t>(value_ >> 33 & 0x7FFFFFFFu); }
  bool diagonal() const noexcept { return (value_ >> 32 & 1u) != 0; }
  std::uint32_t cell() const noexcept { return static_cast<std::uint32_t>(value_); }
  friend bool operator<(const HeapEvent& a, const HeapEvent& b) noexcept { return a.value_ < b.value_; }

 private:
  base::UInt128 value_;
};

using HeapScratch = base::QuadHeap<HeapEvent>;

/// Any costs. Fills plan.hops where it is given.
template <class T>
void heap(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept;

}  // namespace drover::field
