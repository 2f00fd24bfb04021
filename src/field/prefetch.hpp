// SPDX-License-Identifier: MIT
// A hint to the memory system; does nothing where the compiler has no word for it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace drover::field {

/// Of element `index` of an array; the index may lie outside, nothing is read. kLocality as the compiler's: 3 close to
/// the core, 2 one level further.
template <int kLocality = 3, class T>
inline void prefetch(const T* array, std::size_t index) noexcept {
#if defined(__GNUC__)
  // Pointer arithmetic is not defined outside the array; that on numbers is.
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(array) + index * sizeof(T);
  __builtin_prefetch(reinterpret_cast<const void*>(address), 0, kLocality);  // NOLINT(performance-no-int-to-ptr)
#else
  static_cast<void>(array);
  static_cast<void>(index);
#endif
}

}  // namespace drover::field
