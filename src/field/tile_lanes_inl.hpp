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
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Bits of moves and ties.
constexpr unsigned kN = 1, kE = 2, kS = 4, kW = 8, kNE = 16, kSE = 32, kSW = 64, kNW = 128;

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
HWY_INLINE Lanes add(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Add(a.part[j], b.part[j]);
  return out;
}
HWY_INLINE Lanes add_up_to_top(const Lanes& a, const Lanes& b) {
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
HWY_INLINE Lanes both(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::And(a.part[j], b.part[j]);
  return out;
}

HWY_INLINE Lanes either(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Or(a.part[j], b.part[j]);
  return out;
}
HWY_INLINE Lanes greatest(const Lanes& a, const Lanes& b) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Max(a.part[j], b.part[j]);
  return out;
}
HWY_INLINE Lanes flipped(const Lanes& a, unsigned bits) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::Xor(a.part[j], hn::Set(Tag(), static_cast<std::uint16_t>(bits)));
  return out;
}
HWY_INLINE Lanes load_at(const std::uint16_t* HWY_RESTRICT from) {  // any address
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::LoadU(Tag(), from + j * kWide);
  return out;
}
HWY_INLINE Lanes load_low_halves(const std::uint32_t* HWY_RESTRICT from) {
  Lanes out;
  const hn::Repartition<std::uint32_t, Tag> d32;
  const hn::Half<Tag> half;
  DROVER_EACH_PART {
    const std::uint32_t* const at = from + j * kWide;
    out.part[j] = hn::Combine(Tag(), hn::TruncateTo(half, hn::LoadU(d32, at + kWide / 2)),
                              hn::TruncateTo(half, hn::LoadU(d32, at)));
  }
  return out;
}
HWY_INLINE void store_low_bytes(const Lanes& a, std::uint8_t* HWY_RESTRICT to) {
  const hn::Rebind<std::uint8_t, Tag> bytes;
  DROVER_EACH_PART hn::StoreU(hn::TruncateTo(bytes, a.part[j]), bytes, to + j * kWide);
}
// All ones from this lane on.
HWY_INLINE Lanes lanes_from(std::uint32_t first) {
  alignas(64) std::uint16_t lanes[32];
  for (std::uint32_t i = 0; i < 32; ++i) lanes[i] = i < first ? 0 : 0xFFFF;
  return load(lanes);
}

// `yes` where a flag of `bit` is set, else far.
HWY_INLINE Lanes only_if(const Lanes& flags, const Lanes& bit, const Lanes& yes) {
  Lanes out;
  DROVER_EACH_PART {
#if HWY_TARGET <= HWY_AVX3
    out.part[j] = hn::IfThenElse(hn::TestBit(flags.part[j], bit.part[j]), yes.part[j], hn::Set(Tag(), kFarValue));
#else
    const Vector none = hn::VecFromMask(Tag(), hn::Eq(hn::And(flags.part[j], bit.part[j]), hn::Zero(Tag())));
    out.part[j] = hn::Or(yes.part[j], none);
#endif
  }
  return out;
}
// The smaller of a and b where a flag of `bit` is set, else a.
HWY_INLINE Lanes least_if(const Lanes& a, const Lanes& flags, const Lanes& bit, const Lanes& b) {
#if HWY_TARGET <= HWY_AVX3
  Lanes out;
  DROVER_EACH_PART out.part[j] = Vector{_mm512_mask_min_epu16(
      a.part[j].raw, _mm512_test_epi16_mask(flags.part[j].raw, bit.part[j].raw), a.part[j].raw, b.part[j].raw)};
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

// Lanes that ever differed.
struct Changes {
  Lanes bits;
  HWY_INLINE Changes() : bits(splat(0)) {}
  /// True where a and b differ in some lane.
  HWY_INLINE bool note(const Lanes& a, const Lanes& b) {
#if HWY_TARGET <= HWY_AVX3
    bits.part[0] = Vector{_mm512_ternarylogic_epi32(bits.part[0].raw, a.part[0].raw, b.part[0].raw, 0xF6)};
    return _mm512_cmpneq_epu16_mask(a.part[0].raw, b.part[0].raw) != 0;
#else
    Vector any = hn::Xor(a.part[0], b.part[0]);
    bits.part[0] = hn::Or(bits.part[0], any);
    for (std::size_t j = 1; j < kParts; ++j) {
      const Vector one = hn::Xor(a.part[j], b.part[j]);
      bits.part[j] = hn::Or(bits.part[j], one);
      any = hn::Or(any, one);
    }
    return !hn::AllTrue(Tag(), hn::Eq(any, hn::Zero(Tag())));
#endif
  }
  HWY_INLINE std::uint32_t lanes() const { return bits_less(splat(0), bits); }
};

// `yes` where a is less than b, else `no`.
HWY_INLINE Lanes only_less(const Lanes& a, const Lanes& b, const Lanes& yes, unsigned no) {
  Lanes out;
  DROVER_EACH_PART out.part[j] = hn::IfThenElse(hn::Eq(hn::Max(a.part[j], b.part[j]), a.part[j]),
                                                hn::Set(Tag(), static_cast<std::uint16_t>(no)), yes.part[j]);
  return out;
}

// `yes` where a is less than b, else `no`.
HWY_INLINE Lanes where_less(const Lanes& a, const Lanes& b, const Lanes& yes, const Lanes& no) {
  Lanes out;
  DROVER_EACH_PART out.part[j] =
      hn::IfThenElse(hn::Eq(hn::Max(a.part[j], b.part[j]), a.part[j]), no.part[j], yes.part[j]);
  return out;
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
#else
  Lanes first, last;  // all ones in that lane
  HWY_INLINE Turn() {
    alignas(64) std::uint16_t lanes[32] = {0xFFFF};
    first = load(lanes);
    lanes[0] = 0;
    lanes[31] = 0xFFFF;
    last = load(lanes);
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

// As above, but the end is far.
HWY_INLINE Lanes moved_up(const Lanes& a, const Turn& turn) {
#if HWY_TARGET <= HWY_AVX3
  Lanes out;
  out.part[0] =
      Vector{_mm512_mask_permutexvar_epi16(splat(kFarValue).part[0].raw, 0xFFFFFFFEu, turn.up, a.part[0].raw)};
  return out;
#else
  return either(turned_up(a, turn), turn.first);
#endif
}
HWY_INLINE Lanes moved_down(const Lanes& a, const Turn& turn) {
#if HWY_TARGET <= HWY_AVX3
  Lanes out;
  out.part[0] =
      Vector{_mm512_mask_permutexvar_epi16(splat(kFarValue).part[0].raw, 0x7FFFFFFFu, turn.down, a.part[0].raw)};
  return out;
#else
  return either(turned_down(a, turn), turn.last);
#endif
}

// Of eight lanes each: block `group` of the lines i, i + 8, ... that part j of a transposed line will hold.
HWY_INLINE Vector gather_blocks(const std::uint16_t* HWY_RESTRICT lines, std::size_t i, std::size_t group,
                                std::size_t j) {
  constexpr std::size_t kNext = 8 * 32;  // from one block's line to the next one's
  const std::uint16_t* const from = lines + (i + kWide * j) * 32 + 8 * group;
#if HWY_TARGET <= HWY_AVX3
  const auto block = [from](std::size_t b)
                         HWY_ATTR { return _mm_load_si128(reinterpret_cast<const __m128i*>(from + b * kNext)); };
  // Masked loads instead of shuffles, of which there are enough below.
  __m512i all = _mm512_castsi128_si512(block(0));
  all = _mm512_mask_broadcast_i32x4(all, 0x00F0, block(1));
  all = _mm512_mask_broadcast_i32x4(all, 0x0F00, block(2));
  all = _mm512_mask_broadcast_i32x4(all, 0xF000, block(3));
  return Vector{all};
#elif HWY_TARGET <= HWY_AVX2
  const hn::Half<Tag> half;
  return hn::Combine(Tag(), hn::Load(half, from + kNext), hn::Load(half, from));
#else
  return hn::Load(Tag(), from);
#endif
}

// 32 x 32: line c of `out` is lane c of the lines of `in`.
HWY_INLINE void transpose(const std::uint16_t* HWY_RESTRICT in, std::uint16_t* HWY_RESTRICT out) {
  const hn::Repartition<std::uint32_t, Tag> d32;
  const hn::Repartition<std::uint64_t, Tag> d64;
  for (std::size_t group = 0; group < 4; ++group) {
    for (std::size_t j = 0; j < kParts; ++j) {
      Vector t[8];
      for (std::size_t i = 0; i < 4; ++i) {
        const Vector a = gather_blocks(in, 2 * i, group, j), b = gather_blocks(in, 2 * i + 1, group, j);
        t[2 * i] = hn::InterleaveLower(Tag(), a, b);
        t[2 * i + 1] = hn::InterleaveUpper(Tag(), a, b);
      }
      for (std::size_t half = 0; half < 2; ++half) {
        const auto a = hn::BitCast(d32, t[half]), b = hn::BitCast(d32, t[2 + half]);
        const auto c = hn::BitCast(d32, t[4 + half]), d = hn::BitCast(d32, t[6 + half]);
        const auto ab_low = hn::BitCast(d64, hn::InterleaveLower(d32, a, b));
        const auto ab_high = hn::BitCast(d64, hn::InterleaveUpper(d32, a, b));
        const auto cd_low = hn::BitCast(d64, hn::InterleaveLower(d32, c, d));
        const auto cd_high = hn::BitCast(d64, hn::InterleaveUpper(d32, c, d));
        std::uint16_t* const to = out + (8 * group + 4 * half) * 32 + kWide * j;
        hn::Store(hn::BitCast(Tag(), hn::InterleaveLower(d64, ab_low, cd_low)), Tag(), to);
        hn::Store(hn::BitCast(Tag(), hn::InterleaveUpper(d64, ab_low, cd_low)), Tag(), to + 32);
        hn::Store(hn::BitCast(Tag(), hn::InterleaveLower(d64, ab_high, cd_high)), Tag(), to + 64);
        hn::Store(hn::BitCast(Tag(), hn::InterleaveUpper(d64, ab_high, cd_high)), Tag(), to + 96);
      }
    }
  }
}

HWY_INLINE std::uint32_t least_lane(const Lanes& a) {
#if HWY_TARGET <= HWY_AVX3
  const __m256i m =
      _mm256_min_epu16(_mm512_castsi512_si256(a.part[0].raw), _mm512_extracti64x4_epi64(a.part[0].raw, 1));
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
