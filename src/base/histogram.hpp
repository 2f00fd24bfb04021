// SPDX-License-Identifier: MIT
// A log-linear histogram: percentiles of any 64-bit values in fixed memory, at most 1/64 too high.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace drover::base {

/// Values below 128 are exact; above, each power of two has 64 buckets of equal width. 30 KB, no allocation.
class Histogram {
 public:
  void record(std::uint64_t value) noexcept {
    ++counts_[bucket(value)];
    ++count_;
    max_ = std::max(max_, value);
  }
  void merge(const Histogram& other) noexcept {
    for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
  }
  void clear() noexcept { *this = {}; }

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t max() const noexcept { return max_; }

  /// Smallest recorded value that `percent` of all values do not exceed, rounded up to its bucket's end; 0 if there is
  /// none.
  std::uint64_t percentile(std::uint32_t percent) const noexcept {
    // ceil(count x percent / 100), in parts, so that nothing wraps.
    const std::uint64_t hundreds = count_ / 100, rest = count_ % 100;
    const std::uint64_t wanted = std::max<std::uint64_t>(1, hundreds * percent + (rest * percent + 99) / 100);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen >= wanted) return std::min(bucket_end(i), max_);
    }
    return max_;
  }
  std::uint64_t p50() const noexcept { return percentile(50); }
  std::uint64_t p95() const noexcept { return percentile(95); }
  std::uint64_t p99() const noexcept { return percentile(99); }

 private:
  static constexpr int kSubBits = 6;
  static constexpr std::uint64_t kSub = std::uint64_t{1} << kSubBits;
  static constexpr std::size_t kBuckets = kSub * (64 - kSubBits + 1);

  static std::size_t bucket(std::uint64_t value) noexcept {
    if (value < kSub) return static_cast<std::size_t>(value);
    const int shift = static_cast<int>(std::bit_width(value)) - kSubBits - 1;
    return static_cast<std::size_t>(static_cast<std::uint64_t>(shift) * kSub + (value >> shift));
  }
  static std::uint64_t bucket_end(std::size_t index) noexcept {
    if (index < 2 * kSub) return index;
    const std::uint64_t shift = index / kSub - 1, leading = index % kSub + kSub;
    return ((leading + 1) << shift) - 1;  // the last bucket wraps to the largest value
  }

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t count_ = 0, max_ = 0;
};

}  // namespace drover::base
