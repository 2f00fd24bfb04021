// SPDX-License-Identifier: MIT
// Erosion, step masks and their expansion to bytes, by shift and AND.
#include "nav/word_masks.hpp"

#include "base/int128.hpp"

#include <drover/graph.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace drover::nav {

namespace {

using Bytes8 = std::array<std::uint8_t, 8>;

// Entry b: byte i holds bit i of b, in memory order on any machine.
constexpr std::array<std::uint64_t, 256> make_spread() {
  std::array<std::uint64_t, 256> table{};
  for (unsigned b = 0; b < 256; ++b) {
    Bytes8 bytes{};
    for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(b >> i & 1);
    table[b] = std::bit_cast<std::uint64_t>(bytes);
  }
  return table;
}
constexpr std::array<std::uint64_t, 256> kSpread = make_spread();

std::uint64_t spread(Word word, int byte) noexcept { return kSpread[word >> (8 * byte) & 0xff]; }

// Cells from which `run` cells to the east are all set, this one included; `run` up to 8.
Word eroded_east(const Word* plane, std::uint32_t w, int run) noexcept {
  Word here = plane[w], next = plane[w + 1];
  for (int done = 1; done < run && here != 0;) {
    const int shift = std::min(done, run - done);
    here &= here >> shift | next << (64 - shift);
    next &= next >> shift;  // its own last columns are short of neighbours, but no shift here reaches them
    done += shift;
  }
  return here;
}

// Multiplies to 128 bits and folds: one mix of two words (as in wyhash).
std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  const base::UInt128 product = base::UInt128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::array<std::uint64_t, kWordCells> make_keys(std::uint64_t domain) {
  std::array<std::uint64_t, kWordCells> keys{};
  for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = base::mix(domain, i) | 1;
  return keys;
}
constexpr auto kKeys = make_keys(1);
constexpr auto kFactorKeys = make_keys(2);

// Multilinear sum (Carter and Wegman 1979), told apart from one common factor by its top bit.
std::uint64_t factor_hash(const std::uint32_t* factors) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kWordCells; ++i) sum += factors[i] * kFactorKeys[i];
  return sum | std::uint64_t{1} << 63;
}

}  // namespace

Word fitting(const Word* passable, std::uint32_t w, std::uint32_t row_words, int footprint) noexcept {
  Word fits = eroded_east(passable, w, footprint);
  // The padding row below a layer ends this before it leaves the storage.
  for (int row = 1; row < footprint && fits != 0; ++row) {
    w += row_words;
    fits &= eroded_east(passable, w, footprint);
  }
  return fits;
}

StepWords legal_steps(const Word* fits, std::uint32_t w, std::uint32_t row_words, Moves moves,
                      CornerRule corner) noexcept {
  StepWords steps{};
  const Word here = fits[w];
  if (here == 0) return steps;
  const std::uint32_t up = w - row_words, down = w + row_words;
  const Word n = here & fits[up], e = here & east_of(fits, w), s = here & fits[down], l = here & west_of(fits, w);
  steps[0] = n, steps[1] = e, steps[2] = s, steps[3] = l;
  if (moves == Moves::four) return steps;

  const auto diagonal = [&](Word target, Word a, Word b) -> Word {
    switch (corner) {
      case CornerRule::strict:
        return target & a & b;
      case CornerRule::one_free:
        return target & (a | b);
      case CornerRule::none:
        return target & here;
    }
    return 0;
  };
  steps[4] = diagonal(east_of(fits, up), n, e);
  steps[5] = diagonal(east_of(fits, down), s, e);
  steps[6] = diagonal(west_of(fits, down), s, l);
  steps[7] = diagonal(west_of(fits, up), n, l);
  return steps;
}

void expand(const StepWords& steps, std::uint8_t* bytes) noexcept {
  Word any = 0, all = ~Word{0};
  for (const Word step : steps) {
    any |= step;
    all &= step;
  }
  if (any == 0 || all == ~Word{0}) {
    std::memset(bytes, any == 0 ? 0 : 0xff, kWordCells);
    return;
  }
  for (int byte = 0; byte < 8; ++byte) {
    std::uint64_t cells = 0;
    for (int d = 0; d < kDirections; ++d) cells |= spread(steps[static_cast<std::size_t>(d)], byte) << d;
    std::memcpy(bytes + 8 * byte, &cells, sizeof cells);
  }
}

void expand_bits(Word bits, std::uint8_t* bytes) noexcept {
  for (int byte = 0; byte < 8; ++byte) {
    const std::uint64_t cells = spread(bits, byte);
    std::memcpy(bytes + 8 * byte, &cells, sizeof cells);
  }
}

void expand_footings(Word passable, Word fits, Word unknown, std::uint8_t* bytes) noexcept {
  static_assert(static_cast<int>(Footing::open) == 0 && static_cast<int>(Footing::blocked) == 1 &&
                static_cast<int>(Footing::no_room) == 2 && static_cast<int>(Footing::unknown) == 3);
  const Word low = ~passable, high = (passable & ~fits) | unknown;
  for (int byte = 0; byte < 8; ++byte) {
    const std::uint64_t cells = spread(low, byte) | spread(high, byte) << 1;
    std::memcpy(bytes + 8 * byte, &cells, sizeof cells);
  }
}

WordHash word_hash(std::uint32_t w, Word passable, Word fits, Word unknown, const StepWords& steps,
                   const std::uint32_t* factors, std::uint32_t uniform) noexcept {
  std::uint64_t factor = 0;
  if (fits != 0) factor = factors != nullptr ? factor_hash(factors) : uniform;
  const std::uint64_t places = fold(passable ^ kKeys[0], fits ^ kKeys[1]);
  const std::uint64_t straight =
      fold(steps[0] ^ kKeys[4], steps[1] ^ kKeys[5]) + fold(steps[2] ^ kKeys[6], steps[3] ^ kKeys[7]);
  const std::uint64_t diagonal =
      fold(steps[4] ^ kKeys[8], steps[5] ^ kKeys[9]) + fold(steps[6] ^ kKeys[10], steps[7] ^ kKeys[11]);
  const std::uint64_t rest = places + straight + diagonal;
  return {base::mix(w, rest + fold(unknown ^ kKeys[2], factor ^ kKeys[3])),
          base::mix(w, rest + fold(unknown ^ kKeys[2], kKeys[3]))};
}

}  // namespace drover::nav
