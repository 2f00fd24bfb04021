// SPDX-License-Identifier: MIT
// The bucket ring: chunks, free list, the search for the next event.
#include "field/buckets.hpp"

#include "field/prefetch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace drover::field {
namespace {

// A chunk's first word links it to the one below it in its bucket or in the free list.
std::uint64_t* link_of(const std::uint64_t* chunk) noexcept {
  std::uint64_t* below = nullptr;
  std::memcpy(&below, chunk, sizeof below);
  return below;
}
// Chains are walked once; without this each chunk would wait for the memory of its first words.
void prefetch_chunk(const std::uint64_t* chunk) noexcept {
  for (std::size_t i = 0; i < BucketScratch::kChunkWords; i += 8) prefetch(chunk, i);
}
void set_link(std::uint64_t* chunk, const std::uint64_t* below) noexcept { std::memcpy(chunk, &below, sizeof below); }

}  // namespace

std::uint64_t* BucketScratch::chunk_of(std::uint64_t* cursor) noexcept {
  if (cursor == nullptr) return nullptr;
  const std::uintptr_t inside = reinterpret_cast<std::uintptr_t>(cursor - 1) & kChunkMask;
  return cursor - 1 - inside / sizeof(std::uint64_t);
}

bool BucketScratch::start(const Allocator& allocator, std::uint64_t span) noexcept {
  const std::uint64_t size = std::max<std::uint64_t>(64, std::bit_ceil(span + 2));
  if (cursors_.size() < size) {
    auto cursors = base::Plane<std::uint64_t*>::uninitialised(allocator, static_cast<std::size_t>(size));
    auto occupied = base::Plane<std::uint64_t>::uninitialised(allocator, static_cast<std::size_t>(size / 64));
    if (!cursors.valid() || !occupied.valid()) return false;
    cursors_ = std::move(cursors);
    occupied_ = std::move(occupied);
  }
  mask_ = size - 1;
  std::fill_n(cursors_.data(), size, nullptr);
  std::fill_n(occupied_.data(), size / 64, 0);
  // The last run may have ended early for want of memory, so the free list is made anew.
  free_ = nullptr;
  free_count_ = 0;
  for (std::size_t i = 0; i < slab_count_; ++i) release_slab(slabs_[i]);
  return true;
}

bool BucketScratch::make_fresh_room(const Allocator& allocator, std::size_t size) noexcept {
  if (fresh_.size() >= size) return true;
  auto larger = base::Plane<std::uint64_t>::uninitialised(allocator, std::max<std::size_t>(1024, 2 * size));
  if (!larger.valid()) return false;
  std::copy_n(fresh_.data(), fresh_.size(), larger.data());
  fresh_ = std::move(larger);
  return true;
}

bool BucketScratch::add_slab(const Allocator& allocator, std::size_t chunks) noexcept {
  if (slab_count_ == kMaxSlabs) return false;
  // One chunk more, lost to alignment; each slab at least as large as all before it.
  const std::size_t size = std::max(chunk_count_, chunks) + 1;
  auto slab = base::Plane<std::uint64_t>::uninitialised(allocator, size * kChunkWords);
  if (!slab.valid()) return false;
  slabs_[slab_count_] = std::move(slab);
  release_slab(slabs_[slab_count_++]);
  chunk_count_ += size;
  return true;
}

void BucketScratch::release_slab(base::Plane<std::uint64_t>& slab) noexcept {
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(slab.data());
  const std::size_t skip = (kChunkMask + 1 - (start & kChunkMask)) % (kChunkMask + 1) / sizeof(std::uint64_t);
  for (std::size_t i = skip; i + kChunkWords <= slab.size(); i += kChunkWords) release(slab.data() + i);
}

void BucketScratch::release(std::uint64_t* chunk) noexcept {
  set_link(chunk, free_);
  free_ = chunk;
  ++free_count_;
}

std::uint64_t* BucketScratch::extend(std::uint64_t* cursor, std::uint64_t slot) noexcept {
  std::uint64_t* const chunk = free_;
  free_ = link_of(chunk);
  --free_count_;
  set_link(chunk, chunk_of(cursor));
  occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  return chunk + 1;
}

std::uint64_t BucketScratch::next(std::uint64_t bucket) const noexcept {
  const std::uint64_t first = bucket & mask_, words = (mask_ + 1) / 64;
  std::uint64_t word = occupied_[first / 64] & (~std::uint64_t{0} << (first % 64));
  // One word more than there are: the part of the first word below `first` comes last.
  for (std::uint64_t i = 0; i <= words; ++i) {
    const std::uint64_t at = (first / 64 + i) & (words - 1);
    if (i > 0) word = occupied_[at];
    if (word != 0) {
      const std::uint64_t slot = at * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
      return bucket + ((slot - first) & mask_);
    }
  }
  return ~std::uint64_t{0};
}

std::span<const std::uint64_t> BucketScratch::newest_chunk(std::uint64_t bucket) const noexcept {
  std::uint64_t* const cursor = cursors_[bucket & mask_];
  if (cursor == nullptr) return {};
  std::uint64_t* const chunk = chunk_of(cursor);
  const std::uint64_t* const below = link_of(chunk);
  if (below != nullptr) prefetch_chunk(below);
  return {chunk + 1, cursor};
}

void BucketScratch::drop_newest_chunk(std::uint64_t bucket) noexcept {
  const std::uint64_t slot = bucket & mask_;
  std::uint64_t* const chunk = chunk_of(cursors_[slot]);
  std::uint64_t* const below = link_of(chunk);
  // The one below is full.
  cursors_[slot] = below == nullptr ? nullptr : below + kChunkWords;
  if (below == nullptr) occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  release(chunk);
}

}  // namespace drover::field
