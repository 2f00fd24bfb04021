// SPDX-License-Identifier: MIT
// The direction pass: strip by strip, row by row.
#include "field/directions.hpp"

#include "base/tasks.hpp"
#include "field/direction_rows.hpp"
#include "field/simd.hpp"

#include <algorithm>

namespace drover::field {
namespace {

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
    ties_of_row<Lane, Eight>(*above, *level, *below, plan.moves + at, strip.planes->ties + at, strip.width);
    states_of_row(strip.planes->footings + at, plan.costs + at, strip.width);
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
#endif

template <class T, class Lane>
void write_strip_in(const Strip<T>& strip) noexcept {
#if DROVER_HAS_AVX2_CLONE
  if (simd_in_use() >= Simd::avx2)
    return strip.plan->eight ? strip_avx2<T, Lane, true>(strip) : strip_avx2<T, Lane, false>(strip);
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
    states_of_row(strip.planes->footings + first, plan.costs + first, strip.width);
  }
}

}  // namespace

template <class T>
void write_directions(const Plan<T>& plan, const GridShape& shape, const DirectionPlanes& planes, Bands bands,
                      const Tasks& tasks) noexcept {
  base::parallel_for(tasks, bands.to - bands.from, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const BandRows rows = band_rows(shape, bands.from + i);
      for (std::int32_t x = 0; x < shape.width(); x += kStrip) {
        const Strip<T> strip{&plan,
                             &planes,
                             shape.at(x, rows.first, rows.layer),
                             shape.stride(),
                             std::min(kStrip, shape.width() - x),
                             rows.count};
        if (plan.hops != nullptr)
          write_strip_with_hops(strip);
        else
          write_strip(strip);
      }
    }
  });
}

template void write_directions(const Plan<std::uint32_t>&, const GridShape&, const DirectionPlanes&, Bands,
                               const Tasks&) noexcept;
template void write_directions(const Plan<std::uint64_t>&, const GridShape&, const DirectionPlanes&, Bands,
                               const Tasks&) noexcept;

void mark_goals(std::span<const std::uint32_t> cells, const DirectionPlanes& planes) noexcept {
  for (const std::uint32_t cell : cells) planes.ties[cell] = 0;
}

}  // namespace drover::field
