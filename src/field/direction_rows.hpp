// SPDX-License-Identifier: MIT
// Rows of the direction pass: without branches, so that compilers turn them into vector code.
#pragma once
#include "field/plan.hpp"
#include "field/simd.hpp"

#include <cstdint>

#if defined(__GNUC__)
#define DROVER_INLINE inline __attribute__((always_inline))
#else
#define DROVER_INLINE inline
#endif
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define DROVER_HAS_AVX2_CLONE 1
#else
#define DROVER_HAS_AVX2_CLONE 0
#endif

namespace drover::field {

// Columns handled together: the buffers of three rows stay in the first-level cache.
constexpr std::int32_t kStrip = 1024;

// One row of a strip and the column on either side: costs, and costs through each cell entered by a straight or
// diagonal step. Only their low bits: D[next] + step - D[cell] is never negative and at most twice the dearest step on
// a legal step, so where that fits a Lane, equal low bits are equal costs. Narrow lanes are most of the speed.
template <class Lane>
struct EnterRow {
  Lane cost[kStrip + 2];
  Lane straight[kStrip + 2];
  Lane diagonal[kStrip + 2];
};

// A legal step leads from a reached cell to a reached one, or from an unreached one to an unreached one and is not
// free: sums over cells without a cost are never mistaken for one.
template <class Lane, bool Eight>
DROVER_INLINE void ties_of_row(const EnterRow<Lane>& above, const EnterRow<Lane>& level, const EnterRow<Lane>& below,
                               const std::uint8_t* __restrict moves, std::uint8_t* __restrict ties,
                               std::int32_t width) {
  Lane sets[kStrip];
  for (std::int32_t x = 0; x < width; ++x) {
    const Lane cost = level.cost[x + 1];
    const Lane north = above.straight[x + 1] == cost ? 1 : 0, east = level.straight[x + 2] == cost ? 2 : 0,
               south = below.straight[x + 1] == cost ? 4 : 0, west = level.straight[x] == cost ? 8 : 0;
    sets[x] = static_cast<Lane>(north | east | south | west);
  }
  for (std::int32_t x = 0; Eight && x < width; ++x) {
    const Lane cost = level.cost[x + 1];
    const Lane north_east = above.diagonal[x + 2] == cost ? 16 : 0, south_east = below.diagonal[x + 2] == cost ? 32 : 0,
               south_west = below.diagonal[x] == cost ? 64 : 0, north_west = above.diagonal[x] == cost ? 128 : 0;
    sets[x] = static_cast<Lane>(sets[x] | north_east | south_east | south_west | north_west);
  }
  for (std::int32_t x = 0; x < width; ++x) ties[x] = static_cast<std::uint8_t>(sets[x] & moves[x]);
}

// No step leads to such a cell or from it: neighbours that are asked later do not look at its cost.
template <class T>
DROVER_INLINE void states_of_row(const std::uint8_t* __restrict footings, T* __restrict costs, std::int32_t width) {
  for (std::int32_t x = 0; x < width; ++x) {
    const T closed = static_cast<T>(footings[x] != 0 ? ~T{0} : T{0});
    costs[x] = static_cast<T>((costs[x] & ~closed) | (FlowFieldData::state_cost<T>(footings[x]) & closed));
  }
}

}  // namespace drover::field
