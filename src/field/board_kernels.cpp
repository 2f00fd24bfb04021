// SPDX-License-Identifier: MIT
// The bitboards' kernels, compiled once for each instruction set that this program may meet.
#include "field/board_kernels.hpp"

#include "field/plan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "field/board_kernels.cpp"  // NOLINT(readability-identifier-naming): Highway's name
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace drover::field {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint64_t kFirstRow = 0xFF, kFirstColumn = 0x0101010101010101, kLastColumn = kFirstColumn << 7;
constexpr std::uint32_t kMostWaves = 0xFFFF;

// `value` into those of 64 places that have a bit.
HWY_INLINE void put(std::uint16_t* places, std::uint64_t bits, std::uint16_t value) {
  const hn::CappedTag<std::uint16_t, 32> d;
  const auto all = hn::Set(d, value);
  for (std::size_t i = 0; i < kBoardCells; i += hn::MaxLanes(d)) {
    const std::uint64_t part = bits >> i;
    // Two unconditional stores are cheaper than a guess; four or eight blends are not.
    if (hn::MaxLanes(d) < 32 && (part & ((std::uint64_t{1} << (hn::MaxLanes(d) & 31)) - 1)) == 0) continue;
    hn::BlendedStore(all, hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&part)), d, places + i);
  }
}

void advance(const BoardMap& map, Fronts& fronts, std::uint32_t end) {
  Board* const boards = map.boards;
  std::uint16_t* const waves = map.waves;
  const std::uint32_t across = map.across;
  std::uint32_t* now = fronts.now;
  std::uint32_t* next = fronts.next;
  std::uint32_t count = fronts.count, wave = fronts.wave, longest = fronts.longest;
  std::uint64_t visits = fronts.visits, reached = 0;
  for (; count != 0 && wave != end && visits < fronts.visits_end && longest <= kMostWaves; ++wave) {
    const unsigned current = wave & 1, coming = current ^ 1;
    std::uint32_t listed = 0;
    const auto offer = [&](std::uint32_t to, std::uint64_t cells) HWY_ATTR {
      Board& board = boards[to];
      const std::uint64_t fresh = cells & board.untouched, before = board.front[coming];
      board.untouched ^= fresh;
      board.front[coming] = before | fresh;
      next[listed] = to;
      listed += static_cast<std::uint32_t>(before == 0) & static_cast<std::uint32_t>(fresh != 0);
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t at = now[i];
      Board& board = boards[at];
      const std::uint64_t front = board.front[current];
      board.front[current] = 0;
      reached += static_cast<std::uint64_t>(std::popcount(front));
      board.first_wave = std::min(board.first_wave, wave);
      longest = std::max(longest, wave - board.first_wave);
      put(waves + std::size_t{at} * kBoardCells, front, static_cast<std::uint16_t>(wave - board.first_wave));
      offer(at, front << 8 | front >> 8 | (front & ~kFirstColumn) >> 1 | (front & ~kLastColumn) << 1);
      offer(at - across, front << 56);
      offer(at + across, front >> 56);
      offer(at - 1, (front & kFirstColumn) << 7);
      offer(at + 1, (front & kLastColumn) >> 7);
    }
    visits += count;
    std::swap(now, next);
    count = listed;
  }
  fronts.now = now;
  fronts.next = next;
  fronts.count = count;
  if (visits != fronts.visits) fronts.last = wave - 1;
  fronts.wave = wave;
  fronts.longest = longest;
  fronts.visits = visits;
  fronts.reached += reached;
}

void write(const BoardMap& map, const BoardRows& rows, std::uint32_t first_cost, std::uint32_t step,
           std::uint32_t* costs) {
  const hn::CappedTag<std::uint32_t, kBoardSide> d;
  const hn::Rebind<std::uint16_t, decltype(d)> half;
  const auto steps = hn::Set(d, step), nowhere = hn::Set(d, kNoCost<std::uint32_t>),
             outside = hn::Set(d, ~std::uint32_t{0});
  const Board* const boards = map.boards + std::size_t{rows.first + 1} * map.across;
  const std::uint16_t* const waves = map.waves + std::size_t{rows.first + 1} * map.across * kBoardCells;
  const auto* const fits = reinterpret_cast<const std::uint8_t*>(map.fits);
  const std::size_t stride = std::size_t{map.across} * kBoardSide;
  for (std::uint32_t i = 0; i < map.across; ++i) {
    const auto base = hn::Set(d, first_cost + boards[i].first_wave * step);
    for (std::uint32_t y = 0; y < rows.count; ++y) {
      const unsigned open = fits[(std::size_t{rows.first} * kBoardSide + y) * map.across + i];
      const unsigned reached = open & ~static_cast<unsigned>(boards[i].untouched >> 8 * y);
      std::uint32_t* const to = costs + y * stride + i * kBoardSide;
      const std::uint16_t* const from = waves + i * kBoardCells + y * kBoardSide;
      for (unsigned x = 0; x < kBoardSide; x += static_cast<unsigned>(hn::MaxLanes(d))) {
        const std::uint64_t bits = reached >> x;
        const auto cost = hn::Add(base, hn::Mul(hn::PromoteTo(d, hn::Load(half, from + x)), steps));
        const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&bits));
        const std::uint64_t open_bits = open >> x;
        const auto none = hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(&open_bits));
        hn::Store(hn::IfThenElse(mask, cost, hn::IfThenElse(none, nowhere, outside)), d, to + x);
      }
    }
  }
}

constexpr BoardKernels kKernels{advance, write};

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace drover::field
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace drover::field {

const BoardKernels* board_kernels([[maybe_unused]] Simd level) noexcept {
#if HWY_TARGETS & HWY_AVX3
  if (level >= Simd::avx512) return &N_AVX3::kKernels;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (level >= Simd::avx2) return &N_AVX2::kKernels;
#endif
#if HWY_TARGETS & HWY_SSE4
  if (level >= Simd::sse4) return &N_SSE4::kKernels;
#endif
#if HWY_TARGETS & HWY_NEON
  if (level == Simd::neon) return &N_NEON::kKernels;
#endif
  return nullptr;
}

}  // namespace drover::field
#endif  // HWY_ONCE
