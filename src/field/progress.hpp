// SPDX-License-Identifier: MIT
// How far an engine goes in one piece of a build, and where it stands after it.
#pragma once
#include "field/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace drover::field {

/// Lives as long as the build; what else an engine needs to go on lies in its scratch.
struct Progress {
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};

  std::uint64_t until = kEndless;  // the engine pauses where spent() reaches it
  Outcome outcome;
  /// Cells whose cost is below have it for good, and so have the hops; kEndless: all cells.
  std::uint64_t final_below = 0;
  std::size_t next_source = 0;
  std::uint64_t bucket = 0;      // where engines with buckets go on
  std::uint64_t other_work = 0;  // in events: what is not counted among them
  std::uint32_t bands = 0;       // of which the directions are written
  bool begun = false, done = false;

  std::uint64_t spent() const noexcept { return outcome.events + other_work; }
  bool due() const noexcept { return spent() >= until; }
  /// How many more of `all` bands fit this piece, one at least.
  std::uint32_t next_bands(std::uint32_t all, std::uint64_t events_each) const noexcept {
    const std::uint64_t fit = std::max<std::uint64_t>((until - spent()) / events_each, 1);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(fit, all - bands));
  }
  void wrote(std::uint32_t count, std::uint64_t events_each) noexcept {
    bands += count;
    other_work += events_each * count;
  }
  void pause(std::uint64_t least_waiting) noexcept { final_below = least_waiting; }
  void finish() noexcept {
    final_below = kEndless;
    done = true;
  }
};

}  // namespace drover::field
