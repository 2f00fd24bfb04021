// SPDX-License-Identifier: MIT
// Counts every allocation of a test program. Included by one source of it: operators that replace are not inline.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace drover::test {
inline std::atomic<std::uint64_t> allocations{0};
}

// Not inline, or g++ takes free() for a mistake.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++drover::test::allocations;
  if (void* block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++drover::test::allocations;
  return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }
