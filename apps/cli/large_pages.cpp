// SPDX-License-Identifier: MIT
// First fit by address; a chunk that is free again goes back.
#include "large_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>

namespace drover::cli {
namespace {

// Sanitizers watch blocks, not parts of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCarves = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kCarves = false;
#else
constexpr bool kCarves = true;
#endif
#else
constexpr bool kCarves = true;
#endif

constexpr std::align_val_t kOnPage{LargePages::kPage};

void* take_pages(std::size_t bytes) noexcept {
  void* const block = ::operator new(bytes, kOnPage, std::nothrow);
#if defined(MADV_HUGEPAGE)
  if (block != nullptr) static_cast<void>(madvise(block, bytes, MADV_HUGEPAGE));
#endif
  return block;
}

// Straight from the system: an aligned block of the heap would come with a page more that nobody uses.
std::byte* map_chunk(std::size_t bytes) noexcept {
  constexpr std::size_t kPage = LargePages::kPage;
  void* const mapped =
      mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const first = static_cast<std::byte*>(mapped);
  const std::size_t head = (kPage - reinterpret_cast<std::uintptr_t>(first) % kPage) % kPage;
  if (head != 0) munmap(first, head);
  munmap(first + head + bytes, kPage - head);
#if defined(MADV_HUGEPAGE)
  static_cast<void>(madvise(first + head, bytes, MADV_HUGEPAGE));
#endif
  return first + head;
}

}  // namespace

void* LargePages::carve(std::size_t bytes) {
  for (Chunk& chunk : chunks_) {
    const auto piece =
        std::find_if(chunk.free.begin(), chunk.free.end(), [&](const auto& p) { return p.second >= bytes; });
    if (piece == chunk.free.end()) continue;
    std::byte* const block = piece->first;
    auto node = chunk.free.extract(piece);
    if (node.mapped() == bytes) return block;
    node.key() += bytes;
    node.mapped() -= bytes;
    chunk.free.insert(std::move(node));
    return block;
  }
  chunks_.reserve(chunks_.size() + 1);
  Chunk chunk{nullptr, {}};
  chunk.free.emplace(nullptr, 0);
  chunk.first = map_chunk(kChunk);
  if (chunk.first == nullptr) return nullptr;
  auto node = chunk.free.extract(chunk.free.begin());
  node.key() = chunk.first + bytes;
  node.mapped() = kChunk - bytes;
  chunk.free.insert(std::move(node));
  std::byte* const block = chunk.first;
  const auto at = std::find_if(chunks_.begin(), chunks_.end(), [&](const Chunk& c) { return c.first > chunk.first; });
  chunks_.insert(at, std::move(chunk));
  return block;
}

bool LargePages::take_back(std::byte* block, std::size_t bytes) {
  const auto chunk = std::find_if(chunks_.begin(), chunks_.end(),
                                  [&](const Chunk& c) { return c.first <= block && block < c.first + kChunk; });
  if (chunk == chunks_.end()) return false;
  auto piece = chunk->free.emplace(block, bytes).first;
  if (const auto next = std::next(piece); next != chunk->free.end() && block + bytes == next->first) {
    piece->second += next->second;
    chunk->free.erase(next);
  }
  if (piece != chunk->free.begin()) {
    if (const auto before = std::prev(piece); before->first + before->second == block) {
      before->second += piece->second;
      chunk->free.erase(piece);
      piece = before;
    }
  }
  if (piece->second == kChunk) {
    munmap(chunk->first, kChunk);
    chunks_.erase(chunk);
  }
  return true;
}

void* LargePages::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes >= 2 * kPage) return take_pages(bytes);
  if (kCarves && bytes >= kLeast && alignment <= kGrain) {
    try {
      const std::lock_guard lock(mutex_);
      if (void* const block = carve((bytes + kGrain - 1) / kGrain * kGrain)) return block;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
}

void LargePages::deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
  if (block == nullptr) return;
  if (bytes >= 2 * kPage) return ::operator delete(block, kOnPage, std::nothrow);
  if (kCarves && bytes >= kLeast && alignment <= kGrain) {
    try {
      const std::lock_guard lock(mutex_);
      if (take_back(static_cast<std::byte*>(block), (bytes + kGrain - 1) / kGrain * kGrain)) return;
    } catch (const std::bad_alloc&) {
      return;  // lost: without memory for a note of a few bytes the program is about to end
    }
  }
  ::operator delete (block, std::align_val_t{alignment}, std::nothrow);
}

}  // namespace drover::cli
