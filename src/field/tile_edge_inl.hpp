// SPDX-License-Identifier: MIT
// The rim of a tile: how what improved there lowers the sides of its neighbours; included once for each target.
#if defined(DROVER_FIELD_TILE_EDGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DROVER_FIELD_TILE_EDGE_INL
#undef DROVER_FIELD_TILE_EDGE_INL
#else
#define DROVER_FIELD_TILE_EDGE_INL
#endif

#include <algorithm>

#include "field/tile_kernels.hpp"
#include "field/tile_lanes_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace drover::field {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// The steps from a line to the one before it: straight, towards the lane before, towards the lane after.
struct Ahead {
  unsigned straight, before, after;
  unsigned along_before, along_after;  // within the line
};
constexpr Ahead kNorthwards{kN, kNW, kNE, kW, kE}, kSouthwards{kS, kSW, kSE, kW, kE};  // lines are rows
constexpr Ahead kWestwards{kW, kNW, kSW, kN, kS}, kEastwards{kE, kNE, kSE, kN, kS};    // lines are columns

// Moves of a rim line's cells without those that leave the tile sideways.
struct Inner {
  alignas(64) std::uint16_t row[32], column[32];
};
constexpr Inner make_inner() {
  Inner inner{};
  for (int i = 0; i < 32; ++i) inner.row[i] = inner.column[i] = 0xFF;
  inner.row[0] = 0xFF & ~(kW | kSW | kNW);
  inner.row[31] = 0xFF & ~(kE | kNE | kSE);
  inner.column[0] = 0xFF & ~(kN | kNE | kNW);
  inner.column[31] = 0xFF & ~(kS | kSE | kSW);
  return inner;
}
constexpr Inner kInner = make_inner();

/// A rim line of a tile, and what a step into each of its cells costs.
struct Line {
  Lanes values, straight, diagonal;
};

/// What a visit shares with every other: the sides of tiles, and how improvements leave.
template <bool kEight, bool kWeighted>
class TileEdge {
 protected:
  TileEdge(const TileMap& map, std::uint32_t index) : map_(map), index_(index), head_(map.heads[index]) {}

  std::uint16_t* side(std::uint32_t tile, unsigned which) const { return map_.sides + (tile * 4 + which) * kTileSide; }

  std::uint16_t* plane_line(std::uint32_t i) const { return map_.costs + tile_corner(map_, index_) + i * map_.stride; }

  // Steps that enter the cells of a line from outside; those of a directed map are read again from their own plane.
  HWY_INLINE Lanes entering(const Lanes& legal, std::uint32_t first, std::uint32_t step, std::uint32_t count,
                            unsigned lost_first, unsigned lost_last) const {
    if (!map_.directed) return legal;
    alignas(64) std::uint16_t bits[32];
    for (std::uint32_t i = 0; i < count; ++i) bits[i] = map_.reverse[first + i * step];
    std::fill(bits + count, bits + 32, std::uint16_t{0});
    bits[0] = static_cast<std::uint16_t>(bits[0] & ~lost_first);
    bits[31] = static_cast<std::uint16_t>(bits[31] & ~lost_last);
    return load(bits);
  }

  HWY_INLINE void push(std::uint32_t to, unsigned which, const Line& line, const Lanes& in, const Ahead& out,
                       Wake* wakes, std::uint32_t& count) {
    Lanes offer = only_if(in, splat(out.straight), add(line.values, line.straight));
    if constexpr (kEight) {
      const Lanes slant = add(line.values, line.diagonal);
      offer = least(offer, turned_down(only_if(in, splat(out.before), slant), turn_));
      offer = least(offer, turned_up(only_if(in, splat(out.after), slant), turn_));
    }
    lower(to, which, offer, wakes, count);
  }

  HWY_INLINE void push_corners(Wake* wakes, std::uint32_t& count) {
    if constexpr (!kEight) return;
    const std::uint32_t tx = index_ % map_.across, ty = index_ / map_.across % map_.down;
    const bool north = ty > 0, south = ty + 1 < map_.down, west = tx > 0, east = tx + 1 < map_.across;
    const std::uint32_t corner = tile_corner(map_, index_), last_row = corner + 31 * map_.stride;
    if (north && west) push_corner(index_ - map_.across - 1, south_side, 31, corner, 0, 0, kNW, wakes, count);
    if (north && east) push_corner(index_ - map_.across + 1, south_side, 0, corner + 31, 0, 31, kNE, wakes, count);
    if (south && west) push_corner(index_ + map_.across - 1, north_side, 31, last_row, 31, 0, kSW, wakes, count);
    if (south && east) push_corner(index_ + map_.across + 1, north_side, 0, last_row + 31, 31, 31, kSE, wakes, count);
  }

  void push_corner(std::uint32_t to, unsigned which, unsigned lane, std::uint32_t cell, unsigned row, unsigned column,
                   unsigned bit, Wake* wakes, std::uint32_t& count) {
    if (map_.grounds[index_] != Ground::open && (map_.reverse[cell] & bit) == 0) return;
    const std::uint16_t value = plane_line(row)[column];
    if (value >= kFarValue) return;
    const std::uint32_t step = map_.diagonal * (kWeighted ? map_.factors[cell] : 1u);
    const TileHead& head = map_.heads[to];
    const std::uint64_t total = head_.base + value + step;
    if (head.based && total >= head.base + side(to, which)[lane] && side(to, which)[lane] != kFarValue) return;
    alignas(64) std::uint16_t offer[32];
    std::fill_n(offer, 32, kFarValue);
    offer[lane] = static_cast<std::uint16_t>(std::min(value + step, kFarValue - 1u));
    lower(to, which, load(offer), wakes, count);
  }

  // Offers are above this tile's base; what does not fit above the other's is held at kFarValue - 1, and found there
  // in the end.
  HWY_INLINE void lower(std::uint32_t to, unsigned which, Lanes offer, Wake* wakes, std::uint32_t& count) {
    TileHead& head = map_.heads[to];
    std::uint16_t* const line = side(to, which);
    if (!head.based || head.base != head_.base) {
      const std::uint32_t first = least_lane(offer);
      if (first >= kFarValue) return;
      const std::uint64_t total = head_.base + first;
      if (!head.based) {
        head.base = base_below(map_, total);
        head.based = true;
      } else if (total < head.base) {
        lower_base(map_, to, base_below(map_, total));
      }
      if (head.base != head_.base) offer = rebased(offer, head.base);
    }
    const Lanes before = load(line);
    const std::uint32_t improved = bits_less(offer, before);
    if (improved == 0) return;
    store(least(offer, before), line);
    head.pushed |= static_cast<std::uint8_t>(1u << which);
    wakes[count++] = {to, head.base + least_lane(only_less(offer, before, offer, kFarValue))};
  }

  HWY_INLINE Lanes rebased(const Lanes& offer, std::uint64_t base) const {
    const Lanes far = splat(kFarValue);
    Lanes moved;
    if (head_.base >= base) {
      const std::uint64_t up = std::min<std::uint64_t>(head_.base - base, kFarValue);
      moved = least(add_up_to_top(offer, splat(static_cast<unsigned>(up))), splat(kFarValue - 1u));
    } else {
      moved = subtract(offer, splat(static_cast<unsigned>(base - head_.base)));
    }
    return only_less(offer, far, moved, kFarValue);
  }

  const TileMap& map_;
  const std::uint32_t index_;
  TileHead& head_;
  const Turn turn_{};
};

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace drover::field
HWY_AFTER_NAMESPACE();
#endif  // per target
