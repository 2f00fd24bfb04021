// SPDX-License-Identifier: MIT
// The bucket ring: chunks, free list, the search for the next event.
#include "field/buckets.hpp"

#include <algorithm>
#include <bit>

namespace drover::field {

bool BucketScratch::start(const Allocator& allocator, std::uint64_t max_step) noexcept {
  const std::uint64_t size = std::max<std::uint64_t>(64, std::bit_ceil(max_step + 1));
  if (buckets_.size() < size) {
    auto buckets = base::Plane<Bucket>::uninitialised(allocator, static_cast<std::size_t>(size));
    auto occupied = base::Plane<std::uint64_t>::uninitialised(allocator, static_cast<std::size_t>(size / 64));
    if (!buckets.valid() || !occupied.valid()) return false;
    buckets_ = std::move(buckets);
    occupied_ = std::move(occupied);
  }
  mask_ = size - 1;
  std::fill_n(buckets_.data(), size, Bucket{});
  std::fill_n(occupied_.data(), size / 64, 0);
  // The last run may have ended early for want of memory, so the free list is made anew.
  free_count_ = static_cast<std::uint32_t>(links_.size());
  free_ = free_count_ == 0 ? kNone : 0;
  for (std::uint32_t i = 0; i < free_count_; ++i) links_[i] = i + 1 == free_count_ ? kNone : i + 1;
  return true;
}

bool BucketScratch::make_room(const Allocator& allocator, std::uint32_t chunks) noexcept {
  if (free_count_ >= chunks) return true;
  const std::size_t before = links_.size();
  const std::size_t size = std::max<std::size_t>(before * 2, before + chunks);
  if (size >= kNone) return false;
  auto events = base::Plane<std::uint64_t>::uninitialised(allocator, size * kChunkEvents);
  auto links = base::Plane<std::uint32_t>::uninitialised(allocator, size);
  if (!events.valid() || !links.valid()) return false;
  std::copy_n(events_.data(), events_.size(), events.data());
  std::copy_n(links_.data(), before, links.data());
  for (std::size_t i = before; i < size; ++i) {
    links[i] = i + 1 == size ? free_ : static_cast<std::uint32_t>(i + 1);
  }
  free_ = static_cast<std::uint32_t>(before);
  free_count_ += static_cast<std::uint32_t>(size - before);
  events_ = std::move(events);
  links_ = std::move(links);
  return true;
}

void BucketScratch::extend(Bucket& bucket, std::uint32_t slot) noexcept {
  const std::uint32_t chunk = free_;
  free_ = links_[chunk];
  --free_count_;
  links_[chunk] = bucket.chunk;
  bucket = {chunk, 0};
  occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

std::uint64_t BucketScratch::next(std::uint64_t cost) const noexcept {
  const std::uint64_t first = cost & mask_, words = (mask_ + 1) / 64;
  std::uint64_t word = occupied_[first / 64] & (~std::uint64_t{0} << (first % 64));
  // One word more than there are: the part of the first word below `first` comes last.
  for (std::uint64_t i = 0; i <= words; ++i) {
    const std::uint64_t at = (first / 64 + i) & (words - 1);
    if (i > 0) word = occupied_[at];
    if (word != 0) {
      const std::uint64_t slot = at * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
      return cost + ((slot - first) & mask_);
    }
  }
  return ~std::uint64_t{0};
}

std::uint32_t BucketScratch::take(std::uint64_t cost, std::uint64_t* out) noexcept {
  const std::uint64_t slot = cost & mask_;
  Bucket& bucket = buckets_[slot];
  if (bucket.chunk == kNone) return 0;
  const std::uint32_t chunk = bucket.chunk, count = bucket.fill;
  std::copy_n(events_.data() + std::size_t{chunk} * kChunkEvents, count, out);
  bucket = {links_[chunk], kChunkEvents};
  if (bucket.chunk == kNone) occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  links_[chunk] = free_;
  free_ = chunk;
  ++free_count_;
  return count;
}

}  // namespace drover::field
