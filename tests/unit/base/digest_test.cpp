// SPDX-License-Identifier: MIT
// The mix against published SplitMix64 output; chains and sums.
#include "base/digest.hpp"

#include <gtest/gtest.h>

namespace drover::base {
namespace {

// First outputs of SplitMix64 seeded with 0: the mix of 1, 2 and 3 times its increment.
TEST(Digest, MixIsSplitMix64) {
  EXPECT_EQ(mix(kGolden), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix(2 * kGolden), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(mix(3 * kGolden), 0x06c45d188009454fu);
}

TEST(Digest, OrderAndLengthOfAChainCount) {
  const auto of = [](auto... values) {
    Digest digest;
    (digest.add(static_cast<std::uint64_t>(values)), ...);
    return digest.value();
  };
  EXPECT_EQ(of(1, 2), of(1, 2));
  EXPECT_NE(of(1, 2), of(2, 1));
  EXPECT_NE(of(), of(0));
  EXPECT_NE(of(0), of(0, 0));
}

TEST(Digest, TextsDoNotRunIntoEachOther) {
  EXPECT_NE(Digest().add("ab").add("c").value(), Digest().add("a").add("bc").value());
}

TEST(SumDigest, OrderOfTheTermsDoesNotCountAndATermCanBeTakenOut) {
  SumDigest a, b;
  a.add(1, 10);
  const std::uint64_t one = a.value();
  a.add(2, 20);
  b.add(2, 20);
  b.add(1, 10);
  EXPECT_EQ(a.value(), b.value());
  a.remove(2, 20);
  EXPECT_EQ(a.value(), one);
}

TEST(SumDigest, PlaceAndValueAreNotInterchangeable) {
  SumDigest a, b;
  a.add(1, 2);
  b.add(2, 1);
  EXPECT_NE(a.value(), b.value());
}

}  // namespace
}  // namespace drover::base
