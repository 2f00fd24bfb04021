// SPDX-License-Identifier: MIT
// The kernels in vectors, compiled once for each instruction set that this program may meet.
#include "cave/fill_counter.hpp"
#include "cave/kernels.hpp"
#include "cave/run_trees.hpp"

#include <algorithm>
#include <bit>

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

constexpr int kRounds = 10;

/// The keys of all rounds.
struct Keys {
  V low[kRounds], high[kRounds];
  HWY_ATTR explicit Keys(const Fill& fill) {
    auto key = fill_key(fill);
    for (int round = 0; round < kRounds; ++round) {
      low[round] = hn::Set(D(), key[0]);
      high[round] = hn::Set(D(), key[1]);
      key[0] += 0x9E3779B9u;
      key[1] += 0xBB67AE85u;
    }
  }
};

// The high halves in the low ones.
HWY_INLINE V high_half(V v) {
  const hn::Repartition<std::uint32_t, D> d32;
  return hn::BitCast(D(), hn::Shuffle2301(hn::BitCast(d32, v)));
}

HWY_INLINE void mix(Block& c, V mul0, V mul1, V key0, V key1) {
  const V a = low_product(mul0, c.c0), b = low_product(mul1, c.c2);
  c = {odd(high_half(b), c.c1, key0), b, odd(high_half(a), c.c3, key1), a};
}

// Two at a time: one waits for its own products.
HWY_INLINE void philox(Block& first, Block& second, const Keys& keys) {
  const D d;
  const V mul0 = hn::Set(d, 0xD2511F53u), mul1 = hn::Set(d, 0xCD9E8D57u);
  for (int round = 0; round < kRounds; ++round) {
    mix(first, mul0, mul1, keys.low[round], keys.high[round]);
    mix(second, mul0, mul1, keys.low[round], keys.high[round]);
  }
}

HWY_INLINE V pack(V low, V high) {
  const D d;
  return hn::Or(hn::And(low, hn::Set(d, 0xFFFFFFFFu)), hn::ShiftLeft<32>(high));
}

/// Numbers of a vector's cells compared with the threshold, four planes of bits a step.
struct Compared {
  V undecided, wall;

  HWY_INLINE Compared() : undecided(hn::Set(D(), ~Word{0})), wall(hn::Zero(D())) {}
  HWY_INLINE void plane(V bits, bool one) {
    if (one) {
      wall = hn::Or(wall, hn::AndNot(bits, undecided));
      undecided = hn::And(undecided, bits);
    } else {
      undecided = hn::AndNot(bits, undecided);
    }
  }
  /// The planes of pairs `number` and `number` + 1.
  HWY_INLINE void four(V x, const Fill& fill, std::uint32_t y, std::uint32_t number, const Keys& keys) {
    const D d;
    const auto counter = fill_counter(fill, 0, y, number), next = fill_counter(fill, 0, y, number + 1);
    Block a{x, hn::Set(d, counter[1]), hn::Set(d, counter[2]), hn::Set(d, counter[3])};
    Block b{x, hn::Set(d, next[1]), hn::Set(d, next[2]), hn::Set(d, next[3])};
    philox(a, b, keys);
    const std::uint32_t bits = fill.threshold >> (28 - 2 * number) & 15;
    plane(pack(a.c0, a.c1), (bits & 8) != 0);
    plane(pack(a.c2, a.c3), (bits & 4) != 0);
    plane(pack(b.c0, b.c1), (bits & 2) != 0);
    plane(pack(b.c2, b.c3), (bits & 1) != 0);
  }
};

// Eight planes for every word without a question, which decides all cells of four words in five; the other words are
// then gathered, so that no vector waits for one cell of one lane.
constexpr std::uint32_t kPairsForAll = 4;
constexpr std::int32_t kWordsAtOnce = 64;

void fill_block(const Fill& fill, const Keys& keys, std::uint32_t word_x, std::uint32_t y, std::int32_t words,
                Word* out) {
  const D d;
  Word undecided[kWordsAtOnce + kLanes], x_left[kWordsAtOnce + kLanes], wall_left[kLanes];
  std::int32_t left[kWordsAtOnce + kLanes], count = 0;
  for (std::int32_t i = 0; i < words; i += kLanes) {
    const V x = hn::Iota(d, Word{word_x} + static_cast<Word>(i));
    Compared cells;
    for (std::uint32_t pair = 0; pair < kPairsForAll; pair += 2) cells.four(x, fill, y, pair, keys);
    hn::StoreU(cells.wall, d, out + i);
    hn::StoreU(cells.undecided, d, undecided + i);
  }
  for (std::int32_t i = 0; i < words; ++i) {
    left[count] = i;
    count += undecided[i] != 0 ? 1 : 0;
  }
  for (std::int32_t first = 0; first < count; first += kLanes) {
    const std::int32_t lanes = std::min(kLanes, count - first);
    Compared cells;
    Word undecided_left[kLanes] = {};
    for (std::int32_t k = 0; k < kLanes; ++k) {
      const std::int32_t word = left[first + std::min(k, lanes - 1)];
      x_left[k] = word_x + static_cast<std::uint32_t>(word);
      wall_left[k] = out[word];
      undecided_left[k] = k < lanes ? undecided[word] : 0;
    }
    const V x = hn::LoadU(d, x_left);
    cells.wall = hn::LoadU(d, wall_left);
    cells.undecided = hn::LoadU(d, undecided_left);
    for (std::uint32_t pair = kPairsForAll; pair < kPlanePairs; pair += 2) {
      cells.four(x, fill, y, pair, keys);
      if (hn::AllTrue(d, hn::Eq(cells.undecided, hn::Zero(d)))) break;
    }
    hn::StoreU(cells.wall, d, wall_left);
    for (std::int32_t k = 0; k < lanes; ++k) out[left[first + k]] = wall_left[k];
  }
}

void fill(const Fill& fill, std::int32_t word_x, std::int32_t y, std::int32_t words, Word* out) {
  const Keys keys(fill);
  for (std::int32_t i = 0; i < words; i += kWordsAtOnce)
    fill_block(fill, keys, static_cast<std::uint32_t>(word_x) + static_cast<std::uint32_t>(i),
               static_cast<std::uint32_t>(y), std::min(kWordsAtOnce, words - i), out + i);
}

/// West + centre + east of each cell, as two bits.
struct Sum {
  V ones, twos;
};

HWY_INLINE Sum sum_of(V west, V centre, V east) { return {odd(west, east, centre), majority(west, east, centre)}; }
HWY_INLINE Sum sum_at(const Word* at) { return sum_of(west_of(at), load(at), east_of(at)); }

/// 0 .. 9 as four bits.
struct Digits {
  V s0, s1, s2, s3;
};

HWY_INLINE Digits add(const Sum& a, const Sum& b, const Sum& c) {
  const V carry = majority(a.ones, b.ones, c.ones), fours = majority(a.twos, b.twos, c.twos),
          twos = odd(a.twos, b.twos, c.twos), more = hn::And(twos, carry);
  return {odd(a.ones, b.ones, c.ones), hn::Xor(twos, carry), hn::Xor(fours, more), hn::And(fours, more)};
}

HWY_INLINE V five(const Digits& s) { return hn::Or(s.s3, hn::And(s.s2, hn::Or(s.s1, s.s0))); }

HWY_INLINE V ruled(const Digits& s, V here, const Rule& rule) {
  const D d;
  const V ones = hn::Set(d, ~Word{0});
  const V n0 = hn::Xor(s.s0, ones), n1 = hn::Xor(s.s1, ones), n2 = hn::Xor(s.s2, ones), n3 = hn::Xor(s.s3, ones);
  const V low[4] = {hn::And(n1, n0), hn::And(n1, s.s0), hn::And(s.s1, n0), hn::And(s.s1, s.s0)};
  const V high[3] = {hn::And(n3, n2), hn::And(n3, s.s2), s.s3};
  V born = hn::Zero(d), survives = hn::Zero(d);
  HWY_UNROLL(10)
  for (unsigned sum = 0; sum <= 9; ++sum) {
    const bool births = sum <= 8 && (rule.birth >> sum & 1) != 0;
    const bool keeps = sum >= 1 && (rule.survival >> (sum - 1) & 1) != 0;
    if (!births && !keeps) continue;
    const V is_sum = hn::And(high[sum >> 2], low[sum & 3]);
    if (births) born = hn::Or(born, is_sum);
    if (keeps) survives = hn::Or(survives, is_sum);
  }
  return hn::Or(hn::AndNot(here, born), hn::And(here, survives));
}

// Sums of three rows slide down in registers.
template <class Decide>
HWY_INLINE void generation_by(const BitGrid& from, BitGrid& to, const Decide& decide) {
  for (std::int32_t first = 0; first < from.height(); first += kRowsAtOnce) {
    const std::int32_t rows = std::min(kRowsAtOnce, from.height() - first);
    for (std::int32_t i = 0; i < from.words(); i += kLanes) {
      const Word* at = from.row(first) + i;
      Word* out = to.row(first) + i;
      Sum up = sum_at(at - from.stride()), mid = sum_at(at);
      for (std::int32_t k = 0; k < rows; ++k) {
        const Word* const below = at + from.stride();
        const Sum down = sum_at(below);
        hn::StoreU(decide(add(up, mid, down), at), D(), out);
        up = mid;
        mid = down;
        at = below;
        out += to.stride();
      }
    }
  }
}

void generation(const BitGrid& from, const Rule& rule, BitGrid& to) {
  if (rule == kFiveOfNine) {
    generation_by(from, to, [](const Digits& s, const Word*) HWY_ATTR { return five(s); });
  } else {
    generation_by(from, to, [&](const Digits& s, const Word* at) HWY_ATTR { return ruled(s, load(at), rule); });
  }
}

#include "cave/run_scan_inl.hpp"

HWY_INLINE unsigned bits_of(hn::Mask<D> mask) {
  std::uint8_t bytes[8];
  hn::StoreMaskBits(D(), mask, bytes);
  return bytes[0] & ((1u << kLanes) - 1);
}

HWY_INLINE hn::Mask<D> mask_of(unsigned bits) {
  const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits)};
  return hn::LoadMaskBits(D(), bytes);
}

/// New = five or (four and the new one to the west): the carries of an addition of both. Within words the addition does
/// it; between the words of a vector one more does, a bit a word: a word passes a carry on if its sum is all ones.
HWY_INLINE V settle(V four, V five_walls, unsigned& carry) {
  const D d;
  const V sum = hn::Add(four, five_walls), ones = hn::Set(d, ~Word{0});
  const unsigned makes = bits_of(hn::Lt(sum, four)), passes = bits_of(hn::Eq(sum, ones));
  const unsigned into = (passes + (makes << 1 | carry)) ^ passes;
  carry = into >> kLanes & 1;
  const V carried = hn::Add(sum, hn::IfThenElseZero(mask_of(into & ((1u << kLanes) - 1)), hn::Set(d, 1)));
  const V carries = hn::Xor(carried, hn::Xor(four, five_walls));  // into each cell
  return hn::Or(hn::ShiftRight<1>(carries),
                hn::IfThenElseZero(mask_of(into >> 1), hn::Set(d, Word{1} << (kWordBits - 1))));
}

void pass_in_place(BitGrid& grid) {
  const D d;
  const std::int32_t words = grid.words();
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    Word* const row = grid.row(y);
    const Word *const up = grid.row(y - 1), *const down = grid.row(y + 1);
    unsigned carry = 1;  // what lies west of the first cell is wall
    for (std::int32_t i = 0; i < words; i += kLanes) {
      const Digits s = add(sum_at(up + i), sum_of(hn::Zero(d), load(row + i), east_of(row + i)), sum_at(down + i));
      hn::StoreU(settle(hn::Or(s.s3, s.s2), five(s), carry), d, row + i);
    }
    row[words - 1] |= ~grid.last_mask();
    std::fill_n(row + words, kLanes, ~Word{0});
  }
}

constexpr Kernels kKernels{fill, generation, pass_in_place, {bits_in, count_runs, list_runs, join_over_sides}};

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
