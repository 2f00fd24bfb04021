// SPDX-License-Identifier: MIT
// 64-bit digests of values, never of memory bytes: the same on every machine.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace drover::base {

/// Bijective mix of 64 bits: the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

/// One term of an order-free sum: what value stands at which place.
constexpr std::uint64_t mix(std::uint64_t place, std::uint64_t value) noexcept {
  return mix(mix(place + kGolden) ^ (value * kGolden + 1));
}

/// One term of an order-free sum: four values that belong together. Two multiplications deep but for the last mix, so
/// that many of them run at once.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) noexcept {
  const std::uint64_t ab = (a * 0xd6e8feb86659fd93u) ^ std::rotl(b * 0xa0761d6478bd642fu, 29);
  const std::uint64_t cd = (c * 0xe7037ed1a0b428dbu) ^ std::rotl(d * 0x8ebc6af09c88c6e3u, 31);
  return mix(ab + std::rotl(cd, 17) + kGolden);
}

/// Of bytes; equal on every machine. About 0.2 ns a byte.
inline std::uint64_t digest_of(std::span<const std::byte> bytes) noexcept {
  std::uint64_t sum = mix(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    const std::size_t size = std::min<std::size_t>(8, bytes.size() - i);
    if (std::endian::native == std::endian::little && size == 8)
      std::memcpy(&word, bytes.data() + i, 8);
    else
      for (std::size_t k = 0; k < size; ++k) word |= static_cast<std::uint64_t>(bytes[i + k]) << 8 * k;
    sum += mix(i, word);
  }
  return mix(sum);
}

/// A chain: the order of the values counts.
class Digest {
 public:
  constexpr Digest& add(std::uint64_t value) noexcept {
    state_ = mix((state_ + kGolden) ^ mix(value + ++length_));
    return *this;
  }
  constexpr Digest& add(std::string_view text) noexcept {
    add(text.size());
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    return *this;
  }
  constexpr std::uint64_t value() const noexcept { return mix(state_ ^ length_); }

 private:
  std::uint64_t state_ = 0, length_ = 0;
};

/// A sum: the order of the terms does not count, and a term can be taken out again.
class SumDigest {
 public:
  constexpr void add(std::uint64_t place, std::uint64_t value) noexcept { sum_ += mix(place, value); }
  constexpr void remove(std::uint64_t place, std::uint64_t value) noexcept { sum_ -= mix(place, value); }
  constexpr std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace drover::base
