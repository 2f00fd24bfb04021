// SPDX-License-Identifier: MIT
// The global allocator of a test program, which refuses after as many allocations as are allowed. Include it in one
// source file only.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

/// Allocations that still succeed.
std::size_t allowance = ~std::size_t{0};

void* allocate(std::size_t bytes) {
  if (allowance == 0) throw std::bad_alloc();
  --allowance;
  if (void* block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
