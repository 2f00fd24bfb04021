// SPDX-License-Identifier: MIT
// The kernels a word at a time: what the vectors must equal.
#include "base/counter_rng.hpp"
#include "cave/fill_counter.hpp"
#include "cave/kernels.hpp"

namespace drover::cave {
namespace {

void fill(const Fill& fill, std::int32_t word_x, std::int32_t y, std::int32_t words, Word* out) {
  for (std::int32_t i = 0; i < words; ++i) {
    const auto x = static_cast<std::uint32_t>(word_x) + static_cast<std::uint32_t>(i);
    Word undecided = ~Word{0}, wall = 0;
    // Compares 64 numbers of 32 bits with the threshold, most significant bits first, until all are decided: about
    // eight planes of bits instead of 32.
    for (std::uint32_t pair = 0; pair < kPlanePairs && undecided != 0; ++pair) {
      const auto block = base::philox4x32(fill_counter(fill, x, static_cast<std::uint32_t>(y), pair), fill_key(fill));
      for (unsigned plane = 0; plane < 2; ++plane) {
        const Word bits = block[2 * plane] | Word{block[2 * plane + 1]} << 32;
        const bool one = (fill.threshold >> (31 - 2 * pair - plane) & 1) != 0;
        wall |= one ? undecided & ~bits : 0;
        undecided &= one ? bits : ~bits;
      }
    }
    out[i] = wall;
  }
}

struct Digits {
  Word s0, s1, s2, s3;
};

Digits add(const ThreeSums& s, std::int32_t i) noexcept {
  const Word a0 = s.up.ones[i], a1 = s.up.twos[i], b0 = s.mid.ones[i], b1 = s.mid.twos[i], c0 = s.down.ones[i],
             c1 = s.down.twos[i];
  const Word carry = (a0 & b0) | ((a0 ^ b0) & c0), fours = (a1 & b1) | ((a1 ^ b1) & c1), twos = a1 ^ b1 ^ c1;
  return {a0 ^ b0 ^ c0, twos ^ carry, fours ^ (twos & carry), fours & twos & carry};
}

void sum_row(const Word* row, std::int32_t words, const RowSums& out) {
  for (std::int32_t i = 0; i < words; ++i) {
    const Word west = row[i] << 1 | row[i - 1] >> 63, east = row[i] >> 1 | row[i + 1] << 63;
    out.ones[i] = west ^ east ^ row[i];
    out.twos[i] = (west & east) | ((west ^ east) & row[i]);
  }
}

void five_of_nine(const ThreeSums& sums, std::int32_t words, Word* out) {
  for (std::int32_t i = 0; i < words; ++i) {
    const Digits d = add(sums, i);
    out[i] = d.s3 | (d.s2 & (d.s1 | d.s0));
  }
}

void by_rule(const ThreeSums& sums, const Word* centre, const Rule& rule, std::int32_t words, Word* out) {
  for (std::int32_t i = 0; i < words; ++i) {
    const Digits d = add(sums, i);
    Word born = 0, survives = 0;
    for (unsigned sum = 0; sum <= 9; ++sum) {  // of nine cells, the centre too
      const Word is_sum = ((sum & 1) != 0 ? d.s0 : ~d.s0) & ((sum & 2) != 0 ? d.s1 : ~d.s1) &
                          ((sum & 4) != 0 ? d.s2 : ~d.s2) & ((sum & 8) != 0 ? d.s3 : ~d.s3);
      if (sum <= 8 && (rule.birth >> sum & 1) != 0) born |= is_sum;
      if (sum >= 1 && (rule.survival >> (sum - 1) & 1) != 0) survives |= is_sum;
    }
    out[i] = (born & ~centre[i]) | (survives & centre[i]);
  }
}

void but_west(const Word* up, const Word* mid, const Word* down, std::int32_t words, Word* at_least_4,
              Word* at_least_5) {
  for (std::int32_t i = 0; i < words; ++i) {
    const auto west = [i](const Word* r) { return r[i] << 1 | r[i - 1] >> 63; };
    const auto east = [i](const Word* r) { return r[i] >> 1 | r[i + 1] << 63; };
    const Word uw = west(up), ue = east(up), dw = west(down), de = east(down), me = east(mid);
    Word up_sums[2] = {uw ^ ue ^ up[i], (uw & ue) | ((uw ^ ue) & up[i])};
    Word down_sums[2] = {dw ^ de ^ down[i], (dw & de) | ((dw ^ de) & down[i])};
    Word mid_sums[2] = {mid[i] ^ me, mid[i] & me};
    const ThreeSums sums{{up_sums, up_sums + 1}, {mid_sums, mid_sums + 1}, {down_sums, down_sums + 1}};
    const Digits d = add(sums, 0);
    at_least_4[i] = d.s3 | d.s2;
    at_least_5[i] = d.s3 | (d.s2 & (d.s1 | d.s0));
  }
}

constexpr Kernels kKernels{fill, sum_row, five_of_nine, by_rule, but_west};

}  // namespace

const Kernels& plain_kernels() noexcept { return kKernels; }

const Kernels& kernels() noexcept {
  const Kernels* const vectors = vector_kernels(field::simd_in_use());
  return vectors != nullptr ? *vectors : kKernels;
}

}  // namespace drover::cave
