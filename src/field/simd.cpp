// SPDX-License-Identifier: MIT
// What the processor can do, asked once.
#include "field/simd.hpp"

#include <algorithm>
#include <atomic>

namespace drover::field {
namespace {

std::atomic<Simd> limit{Simd::avx512};

Simd detect() noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
  const bool sse4 = __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0;
  const bool avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  const bool avx512 = __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                      __builtin_cpu_supports("avx512dq") != 0;
  if (!sse4) return Simd::scalar;
  return !avx2 ? Simd::sse4 : avx512 ? Simd::avx512 : Simd::avx2;
#elif defined(__aarch64__)
  return Simd::neon;
#else
  return Simd::scalar;
#endif
}

}  // namespace

Simd simd_in_use() noexcept {
  static const Simd kBest = detect();
  return std::min(kBest, limit.load(std::memory_order_relaxed));
}

void limit_simd(Simd most) noexcept { limit.store(most, std::memory_order_relaxed); }

}  // namespace drover::field
