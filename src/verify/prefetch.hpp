// SPDX-License-Identifier: MIT
// Asks for memory before it is read.
#pragma once

namespace drover::verify {

inline void prefetch(const void* address) noexcept {
  __builtin_prefetch(address);
  // GCC 12 takes a function that does nothing but prefetch for one without effect and drops the calls of it.
  __asm__ volatile("" : : "r"(address));
}

}  // namespace drover::verify
