// SPDX-License-Identifier: MIT
// An allocator hook that counts, and refuses when told to.
#pragma once
#include <drover/host.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace drover::test {

class CountingAllocator {
 public:
  Allocator hook() { return {this, &CountingAllocator::allocate, &CountingAllocator::deallocate}; }
  Host host() {
    Host h;
    h.allocator = hook();
    return h;
  }
  /// Call number `call` from now on (0: the next one) gets null, and that one only.
  void fail_at(std::uint64_t call) { fail_at_ = calls_ + call; }
  void fail_never() { fail_at_ = ~std::uint64_t{0}; }
  std::uint64_t calls() const { return calls_; }
  std::uint64_t bytes_out() const { return bytes_out_; }

 private:
  static void* allocate(void* context, std::size_t bytes, std::size_t alignment) {
    auto* self = static_cast<CountingAllocator*>(context);
    if (self->calls_++ == self->fail_at_) return nullptr;
    self->bytes_out_ += bytes;
    return ::operator new (bytes, std::align_val_t{alignment});
  }
  static void deallocate(void* context, void* block, std::size_t bytes, std::size_t alignment) {
    static_cast<CountingAllocator*>(context)->bytes_out_ -= bytes;
    ::operator delete (block, std::align_val_t{alignment});
  }

  std::atomic<std::uint64_t> calls_{0}, bytes_out_{0};
  std::uint64_t fail_at_ = ~std::uint64_t{0};
};

}  // namespace drover::test
