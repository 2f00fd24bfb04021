// SPDX-License-Identifier: MIT
// Circular buckets of events (Dial, CACM 1969) over chunks of one arena that is used again.
#pragma once
#include "base/memory.hpp"
#include "field/plan.hpp"

#include <cstdint>

namespace drover::field {

struct Scratch;

/// Largest single step, in units of the plane, that the bucket ring serves.
inline constexpr std::uint64_t kMaxBucketStep = 8192;

/// A ring of 2^n buckets, one for each cost ahead; each a list of chunks of 64-bit events. No address space is held for
/// what is not there: memory follows the largest front.
class BucketScratch {
 public:
  static constexpr std::uint32_t kChunkEvents = 32;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Empties the ring and gives it room for steps up to `max_step`. False where there is no memory.
  bool start(const Allocator& allocator, std::uint64_t max_step) noexcept;
  /// Afterwards `chunks` pushes succeed whatever their buckets.
  bool make_room(const Allocator& allocator, std::uint32_t chunks) noexcept;
  void push(std::uint64_t cost, std::uint64_t event) noexcept {
    Bucket& bucket = buckets_[cost & mask_];
    if (bucket.fill == kChunkEvents) extend(bucket, static_cast<std::uint32_t>(cost & mask_));
    events_[std::size_t{bucket.chunk} * kChunkEvents + bucket.fill++] = event;
  }
  /// The least cost at or after `cost` with an event; ~0 where none waits.
  std::uint64_t next(std::uint64_t cost) const noexcept;
  /// Takes a chunk of the bucket at `cost`: copies its events to `out` and returns how many; 0 when it is empty.
  std::uint32_t take(std::uint64_t cost, std::uint64_t* out) noexcept;

 private:
  struct Bucket {
    std::uint32_t chunk = kNone;
    std::uint32_t fill = kChunkEvents;  // of the newest chunk; the older ones are full
  };

  void extend(Bucket& bucket, std::uint32_t slot) noexcept;

  base::Plane<Bucket> buckets_;
  base::Plane<std::uint64_t> events_;
  base::Plane<std::uint32_t> links_;     // of each chunk: the next in its bucket or in the free list
  base::Plane<std::uint64_t> occupied_;  // one bit a bucket
  std::uint64_t mask_ = 0;
  std::uint32_t free_ = kNone;
  std::uint32_t free_count_ = 0;
};

/// Positive steps of at most kMaxBucketStep.
template <class T>
Outcome buckets(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator) noexcept;

}  // namespace drover::field
