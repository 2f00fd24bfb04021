// SPDX-License-Identifier: MIT
// Ties of rows of settled tiles, and what they hold; included once for each target.
#if defined(DROVER_FIELD_TILE_TIES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DROVER_FIELD_TILE_TIES_INL
#undef DROVER_FIELD_TILE_TIES_INL
#else
#define DROVER_FIELD_TILE_TIES_INL
#endif

#include <algorithm>
#include <bit>

#include "field/tile_kernels.hpp"
#include "field/tile_lanes_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace drover::field {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

/// Adds up what lines hold.
class Measure {
 public:
  explicit Measure(const TiePart& part) : part_(part) {
    for (std::uint32_t x = 0; x < lines(); ++x) store(splat(0), most_ + x * kTileSide);
  }
  std::uint32_t lines() const { return (part_.width + kTileSide - 1) / kTileSide; }
  HWY_INLINE void add_line(const Lanes& values, std::uint32_t line) {
    const Lanes far = splat(kFarValue);
    reached_ += static_cast<std::uint32_t>(std::popcount(bits_less(values, far)));
    std::uint16_t* const most = most_ + line * kTileSide;
    store(greatest(load(most), only_less(values, far, values, 0)), most);
  }
  void add_to(Written& written) const {
    written.reached += reached_;
    for (std::uint32_t x = 0; x < lines(); ++x) {
      const auto most = static_cast<std::uint16_t>(0xFFFF - least_lane(flipped(load(most_ + x * kTileSide), 0xFFFF)));
      written.most_above = std::max(written.most_above, most);
      written.last_cost = std::max(written.last_cost, part_.bases[part_.first / kTileSide + x] + most);
    }
  }

 private:
  const TiePart& part_;
  std::uint64_t reached_ = 0;
  alignas(64) std::uint16_t most_[kTiePart];  // by column
};

/// Low bits of costs: D[next] + step - D[cell] is never negative and at most twice the dearest step on a legal step, so
/// where that fits a Lane, equal low bits are equal costs. Between cells without a cost the difference is a multiple of
/// kBaseStep, no step.
template <class Lane, bool kEight, bool kWeighted>
class Ties {
 public:
  explicit Ties(const TiePart& part) : part_(part), measure_(part) {}

  HWY_INLINE void run(Written& written) {
    Row *above = &rows_[0], *level = &rows_[1], *below = &rows_[2];
    enter<false>(part_.first - part_.stride, *above);
    enter<true>(part_.first, *level);
    for (std::uint32_t i = 0; i < part_.height; ++i) {
      const std::uint32_t at = part_.first + i * part_.stride;
      i + 1 < part_.height ? enter<true>(at + part_.stride, *below) : enter<false>(at + part_.stride, *below);
      find(*above, *level, *below, at);
      Row* const spent = above;
      above = level;
      level = below;
      below = spent;
    }
    measure_.add_to(written);
  }

 private:
  using D = hn::CappedTag<Lane, 64 / sizeof(Lane)>;
  using V = hn::Vec<D>;
  static constexpr std::uint32_t kStep = 64, kLead = 64;
  static constexpr std::uint32_t kLanes = kTiePart + 2 * kLead;

  struct Row {
    alignas(64) Lane costs[kLanes];
    alignas(64) Lane straight[kWeighted ? kLanes : 1];  // through the cell, by a step into it
    alignas(64) Lane diagonal[kWeighted && kEight ? kLanes : 1];
  };

  // One line more at either end.
  template <bool kOwn>
  HWY_INLINE void enter(std::uint32_t first, Row& row) {
    const std::uint32_t lines = (part_.width + kStep - 1) / kStep * 2;
    for (std::uint32_t x = 0; x < lines + 2; ++x) {
      const std::uint32_t cell = first + x * kTileSide - kTileSide, at = kLead + x * kTileSide - kTileSide;
      const Lanes values = load(part_.costs + cell);
      if (kOwn && x > 0 && x <= measure_.lines()) measure_.add_line(values, x - 1);
      if constexpr (sizeof(Lane) == 1)
        store_low_bytes(values, row.costs + at);
      else
        enter_line(add(values, splat(part_.bases[cell / kTileSide] & 0xFFFF)), cell, at, row);
    }
  }
  HWY_INLINE void enter_line(const Lanes& costs, std::uint32_t cell, std::uint32_t at, Row& row) {
    store(costs, row.costs + at);
    if constexpr (kWeighted) {
      const Lanes factors = load_low_halves(part_.factors + cell);
      store(add(costs, multiply(factors, splat(part_.straight))), row.straight + at);
      if constexpr (kEight) store(add(costs, multiply(factors, splat(part_.diagonal))), row.diagonal + at);
    }
  }

  HWY_INLINE V near(const Row& row, bool diagonal, std::uint32_t at) const {
    const Lane* const from = !kWeighted ? row.costs : diagonal ? row.diagonal : row.straight;
    return hn::LoadU(D(), from + at);
  }
  HWY_INLINE void find(const Row& above, const Row& level, const Row& below, std::uint32_t first) const {
    const D d;
    const V straight = hn::Set(d, static_cast<Lane>(part_.straight));
    const V diagonal = hn::Set(d, static_cast<Lane>(part_.diagonal));
    for (std::uint32_t x = 0; x < part_.width; x += hn::Lanes(d)) {
      const std::uint32_t at = kLead + x;
      const V cost = hn::Load(d, level.costs + at);
      V want = kWeighted ? cost : hn::Sub(cost, straight);
      V set = hn::Zero(d);
      mark(set, near(above, false, at), want, kN);
      mark(set, near(level, false, at + 1), want, kE);
      mark(set, near(below, false, at), want, kS);
      mark(set, near(level, false, at - 1), want, kW);
      if constexpr (kEight) {
        if (!kWeighted) want = hn::Sub(cost, diagonal);
        mark(set, near(above, true, at + 1), want, kNE);
        mark(set, near(below, true, at + 1), want, kSE);
        mark(set, near(below, true, at - 1), want, kSW);
        mark(set, near(above, true, at - 1), want, kNW);
      }
      write(set, first + x, x);
    }
  }
  static HWY_INLINE void mark(V& set, const V& a, const V& b, unsigned bit) {
    const D d;
    const V flag = hn::Set(d, static_cast<Lane>(bit));
#if HWY_TARGET <= HWY_AVX3
    if constexpr (sizeof(Lane) == 1)
      set = V{_mm512_mask_add_epi8(set.raw, _mm512_cmpeq_epi8_mask(a.raw, b.raw), set.raw, flag.raw)};
    else
      set = V{_mm512_mask_add_epi16(set.raw, _mm512_cmpeq_epi16_mask(a.raw, b.raw), set.raw, flag.raw)};
#else
    set = hn::Or(set, hn::And(hn::VecFromMask(d, hn::Eq(a, b)), flag));
#endif
  }
  HWY_INLINE void write(const V& set, std::uint32_t cell, std::uint32_t x) const {
    const D d;
    const hn::Rebind<std::uint8_t, D> bytes;
    bool open = part_.grounds != nullptr && part_.grounds[x / kTileSide] == Ground::open;
    if (hn::Lanes(d) > kTileSide)
      open = open && x + kTileSide < part_.width && part_.grounds[x / kTileSide + 1] == Ground::open;
    if constexpr (sizeof(Lane) == 1) {
      hn::StoreU(open ? set : hn::And(set, hn::LoadU(bytes, part_.moves + cell)), bytes, part_.ties + cell);
    } else {
      const auto narrow = hn::TruncateTo(bytes, set);
      hn::StoreU(open ? narrow : hn::And(narrow, hn::LoadU(bytes, part_.moves + cell)), bytes, part_.ties + cell);
    }
  }

  const TiePart& part_;
  Measure measure_;
  Row rows_[3];
};

template <class Lane, bool kWeighted>
void write_ties_in(const TiePart& part, Written& written) {
  part.eight ? Ties<Lane, true, kWeighted>(part).run(written) : Ties<Lane, false, kWeighted>(part).run(written);
}

void write_ties(const TiePart& part, Written& written) {
  if (part.factors != nullptr) return write_ties_in<std::uint16_t, true>(part, written);
  2 * part.max_step < 0x100 ? write_ties_in<std::uint8_t, false>(part, written)
                            : write_ties_in<std::uint16_t, false>(part, written);
}

void measure(const TiePart& part, Written& written) {
  Measure measure(part);
  for (std::uint32_t i = 0; i < part.height; ++i)
    for (std::uint32_t x = 0; x < measure.lines(); ++x)
      measure.add_line(load(part.costs + part.first + i * part.stride + x * kTileSide), x);
  measure.add_to(written);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace drover::field
HWY_AFTER_NAMESPACE();
#endif  // per target
