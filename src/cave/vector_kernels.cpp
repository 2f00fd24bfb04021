// SPDX-License-Identifier: MIT
// The kernels in vectors, compiled once for each instruction set that this program may meet.
#include "cave/fill_counter.hpp"
#include "cave/kernels.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cave/vector_kernels.cpp"  // NOLINT(readability-identifier-naming): Highway's name
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace drover::cave {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<Word, BitGrid::kVectorWords>;
using V = hn::Vec<D>;
constexpr std::int32_t kLanes = static_cast<std::int32_t>(hn::MaxLanes(D()));

HWY_INLINE V load(const Word* from) { return hn::LoadU(D(), from); }
HWY_INLINE V majority(V a, V b, V c) { return hn::Or(hn::And(a, b), hn::And(hn::Xor(a, b), c)); }
HWY_INLINE V odd(V a, V b, V c) { return hn::Xor(hn::Xor(a, b), c); }
HWY_INLINE V west_of(const Word* at) { return hn::Or(hn::ShiftLeft<1>(load(at)), hn::ShiftRight<63>(load(at - 1))); }
HWY_INLINE V east_of(const Word* at) { return hn::Or(hn::ShiftRight<1>(load(at)), hn::ShiftLeft<63>(load(at + 1))); }

// Philox4x32-10, one block a lane; each of its 32-bit words lies in the low half of a lane, what is above is noise.
struct Block {
  V c0, c1, c2, c3;
};

HWY_INLINE V low_product(V a, V b) {
  const hn::Repartition<std::uint32_t, D> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
}

HWY_INLINE Block philox(Block c, V key0, V key1) {
  const D d;
  const V mul0 = hn::Set(d, 0xD2511F53u), mul1 = hn::Set(d, 0xCD9E8D57u);
  const V weyl0 = hn::Set(d, 0x9E3779B9u), weyl1 = hn::Set(d, 0xBB67AE85u);
  for (int round = 0; round < 10; ++round) {
    const V a = low_product(mul0, c.c0), b = low_product(mul1, c.c2);
    c = {odd(hn::ShiftRight<32>(b), c.c1, key0), b, odd(hn::ShiftRight<32>(a), c.c3, key1), a};
    key0 = hn::Add(key0, weyl0);
    key1 = hn::Add(key1, weyl1);
  }
  return c;
}

HWY_INLINE V pack(V low, V high) {
  const D d;
  return hn::Or(hn::And(low, hn::Set(d, 0xFFFFFFFFu)), hn::ShiftLeft<32>(high));
}

void fill(const Fill& fill, std::int32_t word_x, std::int32_t y, std::int32_t words, Word* out) {
  const D d;
  const auto key = fill_key(fill);
  const V key0 = hn::Set(d, key[0]), key1 = hn::Set(d, key[1]);
  for (std::int32_t i = 0; i < words; i += kLanes) {
    const V x = hn::Iota(d, static_cast<std::uint32_t>(word_x) + Word{static_cast<std::uint32_t>(i)});
    V undecided = hn::Set(d, ~Word{0}), wall = hn::Zero(d);
    const auto compare = [&](V bits, std::uint32_t plane) HWY_ATTR {
      if ((fill.threshold >> (31 - plane) & 1) != 0) {
        wall = hn::Or(wall, hn::AndNot(bits, undecided));
        undecided = hn::And(undecided, bits);
      } else {
        undecided = hn::AndNot(bits, undecided);
      }
    };
    for (std::uint32_t pair = 0; pair < kPlanePairs; ++pair) {
      const auto counter = fill_counter(fill, 0, static_cast<std::uint32_t>(y), pair);
      const Block block =
          philox({x, hn::Set(d, counter[1]), hn::Set(d, counter[2]), hn::Set(d, counter[3])}, key0, key1);
      compare(pack(block.c0, block.c1), 2 * pair);
      compare(pack(block.c2, block.c3), 2 * pair + 1);
      if (hn::AllTrue(d, hn::Eq(undecided, hn::Zero(d)))) break;
    }
    hn::StoreU(wall, d, out + i);
  }
}

void sum_row(const Word* row, std::int32_t words, const RowSums& out) {
  const D d;
  for (std::int32_t i = 0; i < words; i += kLanes) {
    const V west = west_of(row + i), east = east_of(row + i), centre = load(row + i);
    hn::StoreU(odd(west, east, centre), d, out.ones + i);
    hn::StoreU(majority(west, east, centre), d, out.twos + i);
  }
}

struct Digits {
  V s0, s1, s2, s3;
};

HWY_INLINE Digits add(V a0, V a1, V b0, V b1, V c0, V c1) {
  const V carry = majority(a0, b0, c0), fours = majority(a1, b1, c1), twos = odd(a1, b1, c1);
  return {odd(a0, b0, c0), hn::Xor(twos, carry), hn::Xor(fours, hn::And(twos, carry)),
          hn::And(fours, hn::And(twos, carry))};
}

HWY_INLINE Digits add(const ThreeSums& s, std::int32_t i) {
  return add(load(s.up.ones + i), load(s.up.twos + i), load(s.mid.ones + i), load(s.mid.twos + i),
             load(s.down.ones + i), load(s.down.twos + i));
}

HWY_INLINE V five(const Digits& s) { return hn::Or(s.s3, hn::And(s.s2, hn::Or(s.s1, s.s0))); }

void five_of_nine(const ThreeSums& sums, std::int32_t words, Word* out) {
  for (std::int32_t i = 0; i < words; i += kLanes) hn::StoreU(five(add(sums, i)), D(), out + i);
}

void by_rule(const ThreeSums& sums, const Word* centre, const Rule& rule, std::int32_t words, Word* out) {
  const D d;
  const V ones = hn::Set(d, ~Word{0});
  for (std::int32_t i = 0; i < words; i += kLanes) {
    const Digits s = add(sums, i);
    const V n0 = hn::Xor(s.s0, ones), n1 = hn::Xor(s.s1, ones), n2 = hn::Xor(s.s2, ones), n3 = hn::Xor(s.s3, ones);
    const V low[4] = {hn::And(n1, n0), hn::And(n1, s.s0), hn::And(s.s1, n0), hn::And(s.s1, s.s0)};
    const V high[3] = {hn::And(n3, n2), hn::And(n3, s.s2), s.s3};
    V born = hn::Zero(d), survives = hn::Zero(d);
    for (unsigned sum = 0; sum <= 9; ++sum) {
      const bool births = sum <= 8 && (rule.birth >> sum & 1) != 0;
      const bool keeps = sum >= 1 && (rule.survival >> (sum - 1) & 1) != 0;
      if (!births && !keeps) continue;
      const V is_sum = hn::And(high[sum >> 2], low[sum & 3]);
      if (births) born = hn::Or(born, is_sum);
      if (keeps) survives = hn::Or(survives, is_sum);
    }
    const V here = load(centre + i);
    hn::StoreU(hn::Or(hn::AndNot(here, born), hn::And(here, survives)), d, out + i);
  }
}

void but_west(const Word* up, const Word* mid, const Word* down, std::int32_t words, Word* at_least_4,
              Word* at_least_5) {
  const D d;
  for (std::int32_t i = 0; i < words; i += kLanes) {
    const V uw = west_of(up + i), ue = east_of(up + i), u = load(up + i);
    const V dw = west_of(down + i), de = east_of(down + i), b = load(down + i);
    const V me = east_of(mid + i), m = load(mid + i);
    const Digits s =
        add(odd(uw, ue, u), majority(uw, ue, u), hn::Xor(m, me), hn::And(m, me), odd(dw, de, b), majority(dw, de, b));
    hn::StoreU(hn::Or(s.s3, s.s2), d, at_least_4 + i);
    hn::StoreU(five(s), d, at_least_5 + i);
  }
}

constexpr Kernels kKernels{fill, sum_row, five_of_nine, by_rule, but_west};

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace drover::cave
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace drover::cave {

const Kernels* vector_kernels([[maybe_unused]] field::Simd level) noexcept {
#if HWY_TARGETS & HWY_AVX3
  if (level >= field::Simd::avx512) return &N_AVX3::kKernels;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (level >= field::Simd::avx2) return &N_AVX2::kKernels;
#endif
#if HWY_TARGETS & HWY_SSE4
  if (level >= field::Simd::sse4) return &N_SSE4::kKernels;
#endif
#if HWY_TARGETS & HWY_NEON
  if (level == field::Simd::neon) return &N_NEON::kKernels;
#endif
  return nullptr;
}

}  // namespace drover::cave
#endif  // HWY_ONCE
