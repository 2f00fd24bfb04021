// SPDX-License-Identifier: MIT
// Processor time of the calling thread, where the system tells it: other jobs do not count.
#pragma once
#include <chrono>
#include <cstdint>
#include <ctime>

namespace drover::bench {

inline std::uint64_t thread_ns() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec now{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

}  // namespace drover::bench
