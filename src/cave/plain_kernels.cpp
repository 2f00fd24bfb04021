// SPDX-License-Identifier: MIT
// The kernels a word at a time: what the vectors must equal.
#include "base/counter_rng.hpp"
#include "cave/fill_counter.hpp"
#include "cave/kernels.hpp"
#include "cave/run_trees.hpp"

#include <algorithm>
#include <bit>

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

/// West + centre + east of a cell, as two bits.
struct Sum {
  Word ones, twos;
};

Sum sum_of(Word west, Word centre, Word east) noexcept {
  return {west ^ east ^ centre, (west & east) | ((west ^ east) & centre)};
}

Word west_of(const Word* at) noexcept { return at[0] << 1 | at[-1] >> 63; }
Word east_of(const Word* at) noexcept { return at[0] >> 1 | at[1] << 63; }
Sum sum_at(const Word* at) noexcept { return sum_of(west_of(at), at[0], east_of(at)); }

/// 0 .. 9 as four bits.
struct Digits {
  Word s0, s1, s2, s3;
};

Digits add(const Sum& a, const Sum& b, const Sum& c) noexcept {
  const Word carry = (a.ones & b.ones) | ((a.ones ^ b.ones) & c.ones),
             fours = (a.twos & b.twos) | ((a.twos ^ b.twos) & c.twos), twos = a.twos ^ b.twos ^ c.twos;
  return {a.ones ^ b.ones ^ c.ones, twos ^ carry, fours ^ (twos & carry), fours & twos & carry};
}

Word five(const Digits& d) noexcept { return d.s3 | (d.s2 & (d.s1 | d.s0)); }

Word ruled(const Digits& d, Word centre, const Rule& rule) noexcept {
  Word born = 0, survives = 0;
  for (unsigned sum = 0; sum <= 9; ++sum) {
    const Word is_sum = ((sum & 1) != 0 ? d.s0 : ~d.s0) & ((sum & 2) != 0 ? d.s1 : ~d.s1) &
                        ((sum & 4) != 0 ? d.s2 : ~d.s2) & ((sum & 8) != 0 ? d.s3 : ~d.s3);
    if (sum <= 8 && (rule.birth >> sum & 1) != 0) born |= is_sum;
    if (sum >= 1 && (rule.survival >> (sum - 1) & 1) != 0) survives |= is_sum;
  }
  return (born & ~centre) | (survives & centre);
}

void generation(const BitGrid& from, const Rule& rule, BitGrid& to) {
  const bool majority = rule == kFiveOfNine;
  for (std::int32_t first = 0; first < from.height(); first += kRowsAtOnce) {
    const std::int32_t last = std::min(first + kRowsAtOnce, from.height());
    for (std::int32_t i = 0; i < from.words(); ++i) {
      Sum up = sum_at(from.row(first - 1) + i), mid = sum_at(from.row(first) + i);
      for (std::int32_t y = first; y < last; ++y) {
        const Sum down = sum_at(from.row(y + 1) + i);
        const Digits d = add(up, mid, down);
        to.row(y)[i] = majority ? five(d) : ruled(d, from.row(y)[i], rule);
        up = mid;
        mid = down;
      }
    }
  }
}

#include "cave/run_scan_inl.hpp"

// New = five or (four and the new one to the west): the carries of an addition of both.
void pass_in_place(BitGrid& grid) {
  for (std::int32_t y = 0; y < grid.height(); ++y) {
    const Word *const up = grid.row(y - 1), *const down = grid.row(y + 1);
    Word* const row = grid.row(y);
    Word carry = 1;  // what lies west of the first cell is wall
    for (std::int32_t i = 0; i < grid.words(); ++i) {
      const Digits d = add(sum_at(up + i), sum_of(0, row[i], east_of(row + i)), sum_at(down + i));
      const Word at_least_4 = d.s3 | d.s2, at_least_5 = five(d);
      const Word first = at_least_4 + at_least_5, sum = first + carry;
      const Word carries = sum ^ at_least_4 ^ at_least_5;  // into each cell; out of the last:
      carry = static_cast<Word>(first < at_least_4) | static_cast<Word>(sum < first);
      row[i] = carries >> 1 | carry << (kWordBits - 1);
    }
    row[grid.words() - 1] |= ~grid.last_mask();
  }
}

constexpr Kernels kKernels{fill, generation, pass_in_place, {bits_in, count_runs, list_runs, join_over_sides}};

}  // namespace

const Kernels& plain_kernels() noexcept { return kKernels; }

const Kernels& kernels() noexcept {
  const Kernels* const vectors = vector_kernels(field::simd_in_use());
  return vectors != nullptr ? *vectors : kKernels;
}

}  // namespace drover::cave
