// SPDX-License-Identifier: MIT
// Circular buckets of events (Dial, CACM 1969) over chunks of memory that are used again.
#pragma once
#include "base/memory.hpp"
#include "field/progress.hpp"

#include <bit>
#include <cstdint>
#include <span>

namespace drover::field {

struct Scratch;

/// Largest step in bucket widths that the ring serves.
inline constexpr std::uint64_t kMaxBucketSpan = 8192;
/// Up to this dearest step, in units, buckets are one unit wide: sorting is free then and a little faster.
inline constexpr std::uint64_t kFineBucketStep = 512;

/// Buckets are 2^shift units wide: one unit where that is enough or where steps may be free, else at most the cheapest
/// step.
constexpr int bucket_shift(std::uint64_t min_step, std::uint64_t max_step) noexcept {
  return max_step <= kFineBucketStep || min_step == 0 ? 0 : static_cast<int>(std::bit_width(min_step)) - 1;
}
template <class T>
constexpr int bucket_shift(const Plan<T>& plan) noexcept {
  return bucket_shift(plan.min_step, plan.max_step);
}

/// A ring of 2^n buckets, one for each width of cost ahead; each a chain of chunks of 64-bit events. No address space
/// is held for what is not there: memory follows the largest front.
class BucketScratch {
 public:
  static constexpr std::size_t kChunkWords = 32;  // a link, then events
  static constexpr std::size_t kChunkEvents = kChunkWords - 1;

  /// Empties the ring and gives it room for steps over `span` buckets. False where there is no memory.
  bool start(const Allocator& allocator, std::uint64_t span) noexcept;
  /// Afterwards `chunks` pushes succeed whatever their buckets.
  bool make_room(const Allocator& allocator, std::size_t chunks) noexcept {
    return free_count_ >= chunks || add_slab(allocator, chunks);
  }
  void push(std::uint64_t bucket, std::uint64_t event) noexcept {
    std::uint64_t*& cursor = cursors_[bucket & mask_];
    std::uint64_t* at = cursor;
    if (at_chunk_end(at)) at = extend(at, bucket & mask_);
    *at = event;
    cursor = at + 1;
  }
  /// Room for `size` entries of the list of cells touched in a bucket.
  bool make_fresh_room(const Allocator& allocator, std::size_t size) noexcept;
  std::uint64_t* fresh() noexcept { return fresh_.data(); }
  bool occupied(std::uint64_t bucket) const noexcept { return cursors_[bucket & mask_] != nullptr; }
  /// The first bucket at or after `bucket` with an event; ~0 where none waits.
  std::uint64_t next(std::uint64_t bucket) const noexcept;
  /// Events of one chunk of a bucket, in place; give them back with drop_chunk before the next call.
  std::span<const std::uint64_t> newest_chunk(std::uint64_t bucket) const noexcept;
  void drop_newest_chunk(std::uint64_t bucket) noexcept;

 private:
  // Chunks are aligned to their size, so a cursor that is aligned so stands at the end of a chunk; null: no chunk.
  static constexpr std::uintptr_t kChunkMask = kChunkWords * sizeof(std::uint64_t) - 1;
  static bool at_chunk_end(const std::uint64_t* cursor) noexcept {
    return (reinterpret_cast<std::uintptr_t>(cursor) & kChunkMask) == 0;
  }
  static std::uint64_t* chunk_of(std::uint64_t* cursor) noexcept;
  std::uint64_t* extend(std::uint64_t* cursor, std::uint64_t slot) noexcept;
  bool add_slab(const Allocator& allocator, std::size_t chunks) noexcept;
  void release(std::uint64_t* chunk) noexcept;
  void release_slab(base::Plane<std::uint64_t>& slab) noexcept;

  static constexpr std::size_t kMaxSlabs = 40;
  base::Plane<std::uint64_t> fresh_;
  base::Plane<std::uint64_t*> cursors_;
  base::Plane<std::uint64_t> occupied_;  // one bit a bucket
  base::Plane<std::uint64_t> slabs_[kMaxSlabs];
  std::size_t slab_count_ = 0, chunk_count_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t* free_ = nullptr;
  std::size_t free_count_ = 0;
};

/// Steps of at most kMaxBucketSpan bucket widths. Fills plan.hops where it is given, at the end.
template <class T>
void buckets(const Plan<T>& plan, Scratch& scratch, const Allocator& allocator, Progress& progress) noexcept;

}  // namespace drover::field
