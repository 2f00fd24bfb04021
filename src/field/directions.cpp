// SPDX-License-Identifier: MIT
// The direction pass: strip by strip, row by row, without branches, so that compilers turn it into vector code.
#include "field/directions.hpp"

#include "base/tasks.hpp"

#include <drover/field.hpp>

#include <algorithm>

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
namespace {

// Codes of cells without a step follow the order of Footing.
static_assert(FlowField::kUnreachableCode + static_cast<int>(Footing::blocked) == FlowField::kBlockedCode);
static_assert(FlowField::kUnreachableCode + static_cast<int>(Footing::no_room) == FlowField::kNoRoomCode);
static_assert(FlowField::kUnreachableCode + static_cast<int>(Footing::unknown) == FlowField::kUnknownCode);
static_assert(FlowField::kUnreachableCode + static_cast<int>(Footing::outside) == FlowField::kOutsideCode);

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

template <class T, class Lane, bool Eight>
DROVER_INLINE void enter_row(const Plan<T>& plan, std::uint32_t first, std::int32_t width, EnterRow<Lane>& out) {
  const T* __restrict const costs = plan.costs + first - 1;
  const T straight = plan.straight, diagonal = plan.diagonal;
  for (std::int32_t x = 0; x < width + 2; ++x) out.cost[x] = static_cast<Lane>(costs[x]);
  if (plan.factors == nullptr) {
    const Lane s = static_cast<Lane>(straight), d = static_cast<Lane>(diagonal);
    for (std::int32_t x = 0; x < width + 2; ++x) out.straight[x] = static_cast<Lane>(out.cost[x] + s);
    for (std::int32_t x = 0; Eight && x < width + 2; ++x) out.diagonal[x] = static_cast<Lane>(out.cost[x] + d);
    return;
  }
  const std::uint32_t* __restrict const factors = plan.factors + first - 1;
  for (std::int32_t x = 0; x < width + 2; ++x) out.straight[x] = static_cast<Lane>(costs[x] + straight * factors[x]);
  for (std::int32_t x = 0; Eight && x < width + 2; ++x) {
    out.diagonal[x] = static_cast<Lane>(costs[x] + diagonal * factors[x]);
  }
}

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

DROVER_INLINE void codes_of_row(const std::uint8_t* __restrict ties, const std::uint8_t* __restrict footings,
                                std::uint8_t* __restrict codes, std::int32_t width) {
  for (std::int32_t x = 0; x < width; ++x) {
    const std::uint8_t set = ties[x];
    const std::uint8_t lowest = static_cast<std::uint8_t>(set & (0u - set));
    const std::uint8_t one = (lowest & 0xAAu) != 0 ? 1 : 0, two = (lowest & 0xCCu) != 0 ? 2 : 0,
                       four = (lowest & 0xF0u) != 0 ? 4 : 0;
    // Masks, not branches: a load that depends on a condition keeps g++ from using vectors.
    const std::uint8_t none = set == 0 ? 0xFF : 0;
    const std::uint8_t state = static_cast<std::uint8_t>(FlowField::kUnreachableCode + footings[x]);
    codes[x] = static_cast<std::uint8_t>(one | two | four | (state & none));
  }
}

template <class T>
struct Strip {
  const Plan<T>* plan;
  const DirectionPlanes* planes;
  std::uint32_t first;  // index of the upper-left cell
  std::uint32_t stride;
  std::int32_t width, height;
};

template <class T, class Lane, bool Eight>
DROVER_INLINE void strip_body(const Strip<T>& strip) {
  EnterRow<Lane> rows[3];
  const Plan<T>& plan = *strip.plan;
  EnterRow<Lane>*above = &rows[0], *level = &rows[1], *below = &rows[2];
  enter_row<T, Lane, Eight>(plan, strip.first - strip.stride, strip.width, *above);
  enter_row<T, Lane, Eight>(plan, strip.first, strip.width, *level);
  for (std::int32_t row = 0; row < strip.height; ++row) {
    const std::uint32_t at = strip.first + static_cast<std::uint32_t>(row) * strip.stride;
    enter_row<T, Lane, Eight>(plan, at + strip.stride, strip.width, *below);
    std::uint8_t* const ties = strip.planes->ties + at;
    ties_of_row<Lane, Eight>(*above, *level, *below, plan.moves + at, ties, strip.width);
    codes_of_row(ties, strip.planes->footings + at, strip.planes->codes + at, strip.width);
    EnterRow<Lane>* const spent = above;
    above = level;
    level = below;
    below = spent;
  }
}

template <class T, class Lane, bool Eight>
void strip_plain(const Strip<T>& strip) noexcept {
  strip_body<T, Lane, Eight>(strip);
}

#if DROVER_HAS_AVX2_CLONE
template <class T, class Lane, bool Eight>
__attribute__((target("avx2"))) void strip_avx2(const Strip<T>& strip) noexcept {
  strip_body<T, Lane, Eight>(strip);
}
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") != 0; }
#endif

template <class T, class Lane>
void write_strip_in(const Strip<T>& strip) noexcept {
#if DROVER_HAS_AVX2_CLONE
  if (has_avx2()) return strip.plan->eight ? strip_avx2<T, Lane, true>(strip) : strip_avx2<T, Lane, false>(strip);
#endif
  return strip.plan->eight ? strip_plain<T, Lane, true>(strip) : strip_plain<T, Lane, false>(strip);
}

template <class T>
void write_strip(const Strip<T>& strip) noexcept {
  const std::uint64_t span = 2 * strip.plan->max_step;
  if (span < 0x100) return write_strip_in<T, std::uint8_t>(strip);
  if (span < 0x10000) return write_strip_in<T, std::uint16_t>(strip);
  write_strip_in<T, T>(strip);
}

// Where steps may be free, equal costs alone could lead in a circle; hops decide.
template <class T>
void write_strip_with_hops(const Strip<T>& strip) noexcept {
  const Plan<T>& plan = *strip.plan;
  for (std::int32_t row = 0; row < strip.height; ++row) {
    const std::uint32_t first = strip.first + static_cast<std::uint32_t>(row) * strip.stride;
    for (std::uint32_t p = first; p < first + static_cast<std::uint32_t>(strip.width); ++p) {
      unsigned set = 0;
      for (unsigned k = 0; k < (plan.eight ? 8u : 4u) && plan.costs[p] != kNoCost<T>; ++k) {
        if ((plan.moves[p] >> k & 1u) == 0) continue;
        const std::uint32_t q = p + plan.offsets[k];
        const T base = k < 4 ? plan.straight : plan.diagonal;
        const T step = static_cast<T>(base * (plan.factors != nullptr ? plan.factors[q] : 1u));
        const bool closer = step != 0 || plan.hops[q] + 1 == plan.hops[p];
        if (closer && plan.costs[q] + step == plan.costs[p]) set |= 1u << k;
      }
      strip.planes->ties[p] = static_cast<std::uint8_t>(set);
    }
    codes_of_row(strip.planes->ties + first, strip.planes->footings + first, strip.planes->codes + first, strip.width);
  }
}

}  // namespace

template <class T>
void write_directions(const Plan<T>& plan, const GridShape& shape, const DirectionPlanes& planes,
                      const Tasks& tasks) noexcept {
  constexpr std::uint64_t kBandRows = 64;
  const std::uint64_t bands = (static_cast<std::uint64_t>(shape.height()) + kBandRows - 1) / kBandRows;
  auto band = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const auto layer = static_cast<std::int32_t>(i / bands);
      const auto row = static_cast<std::int32_t>(i % bands * kBandRows);
      const std::int32_t height = std::min(static_cast<std::int32_t>(kBandRows), shape.height() - row);
      for (std::int32_t x = 0; x < shape.width(); x += kStrip) {
        const Strip<T> strip{
            &plan, &planes, shape.at(x, row, layer), shape.stride(), std::min(kStrip, shape.width() - x), height};
        if (plan.hops != nullptr)
          write_strip_with_hops(strip);
        else
          write_strip(strip);
      }
    }
  };
  base::parallel_for(tasks, bands * static_cast<std::uint64_t>(shape.layers()), 1, band);
}

template void write_directions(const Plan<std::uint32_t>&, const GridShape&, const DirectionPlanes&,
                               const Tasks&) noexcept;
template void write_directions(const Plan<std::uint64_t>&, const GridShape&, const DirectionPlanes&,
                               const Tasks&) noexcept;

void mark_goals(std::span<const std::uint32_t> cells, const DirectionPlanes& planes) noexcept {
  for (const std::uint32_t cell : cells) {
    planes.ties[cell] = 0;
    planes.codes[cell] = FlowField::kGoalCode;
  }
}

}  // namespace drover::field
