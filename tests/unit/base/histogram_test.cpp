// SPDX-License-Identifier: MIT
// Percentiles against sorted values.
#include "base/histogram.hpp"

#include "base/counter_rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace drover::base {
namespace {

TEST(Histogram, NothingRecordedIsZero) {
  const Histogram h;
  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.p50(), 0u);
  EXPECT_EQ(h.max(), 0u);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram h;
  for (std::uint64_t v = 1; v <= 100; ++v) h.record(v);
  EXPECT_EQ(h.p50(), 50u);
  EXPECT_EQ(h.p95(), 95u);
  EXPECT_EQ(h.p99(), 99u);
  EXPECT_EQ(h.percentile(100), 100u);
  EXPECT_EQ(h.percentile(0), 1u);
}

TEST(Histogram, OneValueIsEveryPercentile) {
  for (const std::uint64_t value :
       {std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{1'000'003}, ~std::uint64_t{0}}) {
    Histogram h;
    h.record(value);
    EXPECT_EQ(h.p50(), value);
    EXPECT_EQ(h.p99(), value);
  }
}

TEST(Histogram, PercentilesAreAtMostOne64thTooHighAndNeverTooLow) {
  const CounterRng rng(3, 1);
  Histogram h;
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    values.push_back(rng.at(i) >> rng.uniform(i, 64));
    h.record(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const std::uint32_t percent : {1u, 10u, 50u, 90u, 95u, 99u, 100u}) {
    const std::uint64_t exact = values[std::max<std::size_t>(1, (values.size() * percent + 99) / 100) - 1];
    EXPECT_GE(h.percentile(percent), exact) << percent;
    EXPECT_LE(h.percentile(percent) - exact, exact / 64) << percent;
  }
  EXPECT_EQ(h.max(), values.back());
}

TEST(Histogram, MergingIsRecordingBoth) {
  Histogram a, b, both;
  for (std::uint64_t v = 0; v < 3000; v += 7) {
    (v % 2 == 0 ? a : b).record(v * v);
    both.record(v * v);
  }
  a.merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.max(), both.max());
  for (const std::uint32_t percent : {5u, 50u, 95u, 99u}) EXPECT_EQ(a.percentile(percent), both.percentile(percent));
}

}  // namespace
}  // namespace drover::base
