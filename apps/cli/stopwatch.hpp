// SPDX-License-Identifier: MIT
// Time since a moment, for figures that are only shown.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace drover::cli {

/// 0 where the clock went back: some machines' clocks do.
template <class Unit>
std::uint64_t time_since(std::chrono::steady_clock::time_point start) {
  const std::int64_t passed = std::chrono::duration_cast<Unit>(std::chrono::steady_clock::now() - start).count();
  return static_cast<std::uint64_t>(std::max(passed, std::int64_t{0}));
}

}  // namespace drover::cli
