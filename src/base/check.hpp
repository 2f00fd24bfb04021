// SPDX-License-Identifier: MIT
// Broken invariants: the host hears of them first, then the program ends.
#pragma once
#include <drover/host.hpp>

namespace drover::base {

/// Tells the host's handler, then aborts. `host` may be null.
[[noreturn]] void check_failed(const Host* host, const char* file, int line, const char* condition) noexcept;

}  // namespace drover::base

/// Always on. `host` is a `const Host*` or null.
#define DROVER_CHECK(host, condition)                                                       \
  do {                                                                                      \
    if (!(condition)) ::drover::base::check_failed((host), __FILE__, __LINE__, #condition); \
  } while (false)

/// As DROVER_CHECK, but only in builds without NDEBUG.
#ifdef NDEBUG
#define DROVER_ASSERT(host, condition) static_cast<void>(sizeof(!(condition)))
#else
#define DROVER_ASSERT(host, condition) DROVER_CHECK(host, condition)
#endif
