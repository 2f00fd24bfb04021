// SPDX-License-Identifier: MIT
// The host's allocator, or aligned operator new where it lent none.
#include "base/memory.hpp"

namespace drover::base {

void* allocate_bytes(const Allocator& allocator, std::size_t bytes) noexcept {
  if (allocator.allocate != nullptr) return allocator.allocate(allocator.context, bytes, kPlaneAlignment);
  return ::operator new (bytes, std::align_val_t{kPlaneAlignment}, std::nothrow);
}

void free_bytes(const Allocator& allocator, void* block, std::size_t bytes) noexcept {
  if (allocator.allocate == nullptr) {
    ::operator delete (block, std::align_val_t{kPlaneAlignment}, std::nothrow);
  } else if (allocator.deallocate != nullptr) {
    allocator.deallocate(allocator.context, block, bytes, kPlaneAlignment);
  }
}

}  // namespace drover::base
