// SPDX-License-Identifier: MIT
// Preloaded before a program: every clock jumps an hour forward or back whenever it is read.
#include <dlfcn.h>
#include <sys/time.h>

#include <atomic>
#include <ctime>

namespace {

std::atomic<unsigned> reads{0};

// 0, +3600, 0, -3600 and so on: both directions between any two readings.
std::time_t jump() {
  switch (reads++ % 4) {
    case 1:
      return 3600;
    case 3:
      return -3600;
    default:
      return 0;
  }
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  static const auto real = next<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, out);
  out->tv_sec += jump();
  return result;
}

int gettimeofday(timeval* out, void* zone) noexcept {
  static const auto real = next<int (*)(timeval*, void*)>("gettimeofday");
  const int result = real(out, zone);
  out->tv_sec += jump();
  return result;
}

std::time_t time(std::time_t* out) noexcept {
  static const auto real = next<std::time_t (*)(std::time_t*)>("time");
  const std::time_t result = real(nullptr) + jump();
  if (out != nullptr) *out = result;
  return result;
}
}
