// SPDX-License-Identifier: MIT
// Random numbers as a pure function of (seed, domain, counter): Philox4x32-10 (Salmon et al., SC 2011).
#pragma once
#include <array>
#include <cstdint>

namespace drover::base {

/// The block function as published; known-answer vectors of Random123 hold.
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint64_t kMul0 = 0xD2511F53u, kMul1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kMul0 * counter[0], b = kMul1 * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

/// A stream for one purpose. No state: the same question has the same answer, in any order, on any thread.
/// Give each purpose its own `domain`, so that one more draw here never shifts the draws there.
class CounterRng {
 public:
  constexpr CounterRng(std::uint64_t seed, std::uint32_t domain) noexcept : seed_(seed), domain_(domain) {}

  /// 64 random bits. `attempt` tells repeated draws for one counter apart.
  constexpr std::uint64_t at(std::uint64_t counter, std::uint32_t attempt = 0) const noexcept {
    const auto block = philox4x32({low(counter), high(counter), domain_, attempt}, {low(seed_), high(seed_)});
    return block[0] | static_cast<std::uint64_t>(block[1]) << 32;
  }
  constexpr std::uint64_t at_cell(std::int32_t x, std::int32_t y, std::uint32_t attempt = 0) const noexcept {
    return at(cell_counter(x, y), attempt);
  }

  /// Unbiased in [0, bound). Precondition: bound above 0. Multiply-shift with rejection (Lemire, TOMACS 2019).
  constexpr std::uint32_t uniform(std::uint64_t counter, std::uint32_t bound) const noexcept {
    const std::uint32_t refused = (0u - bound) % bound;
    for (std::uint32_t attempt = 0;; ++attempt) {
      const std::uint64_t product = (at(counter, attempt) >> 32) * bound;
      if (low(product) >= refused) return high(product);
    }
  }
  constexpr std::uint32_t uniform_cell(std::int32_t x, std::int32_t y, std::uint32_t bound) const noexcept {
    return uniform(cell_counter(x, y), bound);
  }

 private:
  static constexpr std::uint32_t low(std::uint64_t v) noexcept { return static_cast<std::uint32_t>(v); }
  static constexpr std::uint32_t high(std::uint64_t v) noexcept { return static_cast<std::uint32_t>(v >> 32); }
  static constexpr std::uint64_t cell_counter(std::int32_t x, std::int32_t y) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(y)) << 32 | static_cast<std::uint32_t>(x);
  }

  std::uint64_t seed_;
  std::uint32_t domain_;
};

}  // namespace drover::base
