// SPDX-License-Identifier: MIT
// Philox against its published vectors, and numbers drawn from it.
#include "base/counter_rng.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

namespace drover::base {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Known answers of Random123 (D. E. Shaw Research), file kat_vectors, lines "philox4x32 10".
TEST(CounterRng, PublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRng, TheFirstTwoWordsOfTheBlockAreTheNumber) {
  EXPECT_EQ(CounterRng(0, 0).at(0), 0xe169c58d6627e8d5u);
  EXPECT_EQ(CounterRng(~std::uint64_t{0}, ~0u).at(~std::uint64_t{0}, ~0u), 0x41c83b0e408f276du);
}

TEST(CounterRng, SeedDomainCounterAndAttemptAllCount) {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32})
    for (const std::uint32_t domain : {0u, 1u})
      for (const std::uint64_t counter : {0ull, 1ull, 1ull << 32})
        for (const std::uint32_t attempt : {0u, 1u}) seen.insert(CounterRng(seed, domain).at(counter, attempt));
  EXPECT_EQ(seen.size(), 36u);
}

TEST(CounterRng, CellsBelowZeroHaveNumbersOfTheirOwn) {
  const CounterRng rng(5, 2);
  std::set<std::uint64_t> seen;
  for (int y = -3; y <= 3; ++y)
    for (int x = -3; x <= 3; ++x) seen.insert(rng.at_cell(x, y));
  EXPECT_EQ(seen.size(), 49u);
}

TEST(CounterRng, UniformStaysBelowItsBoundAndReachesAll) {
  const CounterRng rng(1, 1);
  std::array<int, 6> hits{};
  for (std::uint64_t i = 0; i < 6000; ++i) ++hits.at(rng.uniform(i, 6));
  for (const int n : hits) {
    EXPECT_GT(n, 850);  // 1000 expected, standard deviation 29
    EXPECT_LT(n, 1150);
  }
  EXPECT_EQ(rng.uniform(7, 1), 0u);
}

// With a bound of 3 x 2^30 a plain multiply-shift would give every third value twice as often.
TEST(CounterRng, UniformIsNotBiasedForLargeBounds) {
  const CounterRng rng(9, 3);
  std::array<int, 3> thirds{};
  for (std::uint64_t i = 0; i < 30000; ++i) ++thirds.at(rng.uniform(i, 3u << 30) % 3);
  for (const int n : thirds) {
    EXPECT_GT(n, 9600);  // 10000 expected, standard deviation 82
    EXPECT_LT(n, 10400);
  }
}

}  // namespace
}  // namespace drover::base
