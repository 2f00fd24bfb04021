// SPDX-License-Identifier: MIT
// One line of a tile, 32 lanes of 16 bits, over the vectors of the target at hand; included once for each target.
#if defined(DROVER_FIELD_TILE_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DROVER_FIELD_TILE_LANES_INL
#undef DROVER_FIELD_TILE_LANES_INL
#else
#define DROVER_FIELD_TILE_LANES_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace drover::field {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<std::uint16_t, 32>;
using Vector = hn::Vec<Tag>;
constexpr std::size_t kWide = hn::MaxLanes(Tag());  // lanes of a vector
constexpr std::size_t kParts = 32 / kWide;

struct Lanes {
  Vector part[kParts];
};

#define DROVER_EACH_PART for (std::size_t j = 0; j < kParts; ++j)

HWY_INLINE Lanes splat(unsigned value) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Set(Tag(), static_cast<std::uint16_t>(value));
  return out;
}
HWY_INLINE Lanes load(const std::uint16_t* HWY_RESTRICT from) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Load(Tag(), from + j * kWide);
  return out;
}
HWY_INLINE void store(const Lanes& a, std::uint16_t* HWY_RESTRICT to) {
  DROVER_EACH_PART hn::Store(a.part[j], Tag(), to + j * kWide);
}
HWY_INLINE Lanes load_bytes(const std::uint8_t* HWY_RESTRICT from) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::PromoteTo(Tag(), hn::LoadU(hn::Rebind<std::uint8_t, Tag>(), from + j * kWide));
  return out;
}
HWY_INLINE Lanes add(const Lanes& a, const Lanes& b) {  // stops at kFarValue
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::SaturatedAdd(a.part[j], b.part[j]);
  return out;
}
HWY_INLINE Lanes subtract(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Sub(a.part[j], b.part[j]);
  return out;
}
HWY_INLINE Lanes multiply(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Mul(a.part[j], b.part[j]);
  return out;
}
HWY_INLINE Lanes least(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Min(a.part[j], b.part[j]);
  return out;
}
HWY_INLINE Lanes most(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Max(a.part[j], b.part[j]);
  return out;
}
HWY_INLINE Lanes both(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::And(a.part[j], b.part[j]);
  return out;
}

// `yes` where a flag of `bit` is set, else far.
HWY_INLINE Lanes only_if(const Lanes& flags, const Lanes& bit, const Lanes& yes) {
  Lanes out;
  DROVER_EACH_PART {
#if HWY_TARGET <= HWY_AVX3
    out.part[j] = hn::IfThenElse(hn::TestBit(flags.part[j], bit.part[j]), yes.part[j],
                                 hn::Set(Tag(), kFarValue));
#else
    const Vector none = hn::VecFromMask(
        Tag(), hn::Eq(hn::And(flags.part[j], bit.part[j]), hn::Zero(Tag())));
    out.part[j] = hn::Or(yes.part[j], none);
#endif
  }
  return out;
}
// The smaller of a and b where a flag of `bit` is set, else a.
HWY_INLINE Lanes least_if(const Lanes& a, const Lanes& flags, const Lanes& bit, const Lanes& b) {
#if HWY_TARGET <= HWY_AVX3
  Lanes out;
  DROVER_EACH_PART out.part[j] =
      Vector{_mm512_mask_min_epu16(a.part[j].raw, _mm512_test_epi16_mask(flags.part[j].raw, bit.part[j].raw),
                                   a.part[j].raw, b.part[j].raw)};
  return out;
#else
  return least(a, only_if(flags, bit, b));
#endif
}

// One bit a lane: a < b, of numbers without sign.
HWY_INLINE std::uint32_t bits_less(const Lanes& a, const Lanes& b) {
#if HWY_TARGET <= HWY_AVX3
  return _mm512_cmplt_epu16_mask(a.part[0].raw, b.part[0].raw);
#else
  std::uint32_t bits = 0;
  DROVER_EACH_PART {
    std::uint8_t bytes[8] = {};
    // max(a, b) == a says a >= b.
    hn::StoreMaskBits(Tag(), hn::Eq(hn::Max(a.part[j], b.part[j]), a.part[j]), bytes);
    std::uint32_t part = bytes[0];
    if (kWide > 8) part |= std::uint32_t{bytes[1]} << 8;
    bits |= part << (j * kWide);
  }
  return ~bits;
#endif
}

// Lane i of the result is lane i - 1 (i + 1) of a; the end wraps round.
struct Turn {
#if HWY_TARGET <= HWY_AVX3
  __m512i up, down;
  HWY_INLINE Turn() {
    alignas(64) std::uint16_t u[32], d[32];
    for (unsigned i = 0; i < 32; ++i) u[i] = (i + 31) & 31, d[i] = (i + 1) & 31;
    up = _mm512_load_si512(u);
    down = _mm512_load_si512(d);
  }
#endif
};
HWY_INLINE Lanes turned_up(const Lanes& a, [[maybe_unused]] const Turn& turn) {
  Lanes out;
#if HWY_TARGET <= HWY_AVX3
  out.part[0] = Vector{_mm512_permutexvar_epi16(turn.up, a.part[0].raw)};
#else
  DROVER_EACH_PART {
    const Vector before = a.part[(j + kParts - 1) % kParts];
#if HWY_TARGET <= HWY_AVX2
    out.part[j] = hn::CombineShiftRightBytes<14>(Tag(), a.part[j], hn::ConcatLowerUpper(Tag(), a.part[j], before));
#else
    out.part[j] = hn::CombineShiftRightBytes<14>(Tag(), a.part[j], before);
#endif
  }
#endif
  return out;
}
HWY_INLINE Lanes turned_down(const Lanes& a, [[maybe_unused]] const Turn& turn) {
  Lanes out;
#if HWY_TARGET <= HWY_AVX3
  out.part[0] = Vector{_mm512_permutexvar_epi16(turn.down, a.part[0].raw)};
#else
  DROVER_EACH_PART {
    const Vector after = a.part[(j + 1) % kParts];
#if HWY_TARGET <= HWY_AVX2
    out.part[j] = hn::CombineShiftRightBytes<2>(Tag(), hn::ConcatLowerUpper(Tag(), after, a.part[j]), a.part[j]);
#else
    out.part[j] = hn::CombineShiftRightBytes<2>(Tag(), after, a.part[j]);
#endif
  }
#endif
  return out;
}

// Eight rows of one vector column: out[c] holds column c of each block of eight lanes, rows in its lanes.
HWY_INLINE void transpose_8(const Lanes* rows, std::size_t j, Vector* out) {
  const hn::Repartition<std::uint32_t, Tag> d32;
  const hn::Repartition<std::uint64_t, Tag> d64;
  Vector t[8];
  for (std::size_t i = 0; i < 4; ++i) {
    t[2 * i] = hn::InterleaveLower(Tag(), rows[2 * i].part[j], rows[2 * i + 1].part[j]);
    t[2 * i + 1] = hn::InterleaveUpper(Tag(), rows[2 * i].part[j], rows[2 * i + 1].part[j]);
  }
  for (std::size_t half = 0; half < 2; ++half) {
    const auto a = hn::BitCast(d32, t[half]), b = hn::BitCast(d32, t[2 + half]);
    const auto c = hn::BitCast(d32, t[4 + half]), d = hn::BitCast(d32, t[6 + half]);
    const auto ab_low = hn::BitCast(d64, hn::InterleaveLower(d32, a, b));
    const auto ab_high = hn::BitCast(d64, hn::InterleaveUpper(d32, a, b));
    const auto cd_low = hn::BitCast(d64, hn::InterleaveLower(d32, c, d));
    const auto cd_high = hn::BitCast(d64, hn::InterleaveUpper(d32, c, d));
    out[4 * half] = hn::BitCast(Tag(), hn::InterleaveLower(d64, ab_low, cd_low));
    out[4 * half + 1] = hn::BitCast(Tag(), hn::InterleaveUpper(d64, ab_low, cd_low));
    out[4 * half + 2] = hn::BitCast(Tag(), hn::InterleaveLower(d64, ab_high, cd_high));
    out[4 * half + 3] = hn::BitCast(Tag(), hn::InterleaveUpper(d64, ab_high, cd_high));
  }
}

// 32 x 32: out[c] is column c.
HWY_INLINE void transpose(const Lanes* HWY_RESTRICT rows, Lanes* HWY_RESTRICT out) {
  for (std::size_t j = 0; j < kParts; ++j) {
    Vector t[4][8];
    for (std::size_t g = 0; g < 4; ++g) transpose_8(rows + 8 * g, j, t[g]);
    Lanes* const to = out + kWide * j;
    for (std::size_t c = 0; c < 8; ++c) {
#if HWY_TARGET <= HWY_AVX3
      const __m512i x0 = _mm512_shuffle_i32x4(t[0][c].raw, t[1][c].raw, 0x44);
      const __m512i x1 = _mm512_shuffle_i32x4(t[0][c].raw, t[1][c].raw, 0xEE);
      const __m512i y0 = _mm512_shuffle_i32x4(t[2][c].raw, t[3][c].raw, 0x44);
      const __m512i y1 = _mm512_shuffle_i32x4(t[2][c].raw, t[3][c].raw, 0xEE);
      to[c].part[0] = Vector{_mm512_shuffle_i32x4(x0, y0, 0x88)};
      to[8 + c].part[0] = Vector{_mm512_shuffle_i32x4(x0, y0, 0xDD)};
      to[16 + c].part[0] = Vector{_mm512_shuffle_i32x4(x1, y1, 0x88)};
      to[24 + c].part[0] = Vector{_mm512_shuffle_i32x4(x1, y1, 0xDD)};
#elif HWY_TARGET <= HWY_AVX2
      for (std::size_t half = 0; half < 2; ++half) {
        to[c].part[half] = hn::ConcatLowerLower(Tag(), t[2 * half + 1][c], t[2 * half][c]);
        to[8 + c].part[half] = hn::ConcatUpperUpper(Tag(), t[2 * half + 1][c], t[2 * half][c]);
      }
#else
      for (std::size_t g = 0; g < 4; ++g) to[c].part[g] = t[g][c];
#endif
    }
  }
}

HWY_INLINE std::uint32_t least_lane(const Lanes& a) {
#if HWY_TARGET <= HWY_AVX3
  const __m256i m = _mm256_min_epu16(_mm512_castsi512_si256(a.part[0].raw), _mm512_extracti64x4_epi64(a.part[0].raw, 1));
  const __m128i n = _mm_min_epu16(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(n))) & 0xFFFF;
#else
  Vector m = a.part[0];
  for (std::size_t j = 1; j < kParts; ++j) m = hn::Min(m, a.part[j]);
  return hn::GetLane(hn::MinOfLanes(Tag(), m));
#endif
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace drover::field
HWY_AFTER_NAMESPACE();
#endif  // per target
