// SPDX-License-Identifier: MIT
// The tile sweep's kernels, compiled once for each instruction set that this program may meet.
#include "field/tile_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

// Neither saves time here and each costs a compilation; vectors of unknown length do not fit the layout.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "field/tile_kernels.cpp"  // NOLINT(readability-identifier-naming): Highway's name
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "field/tile_lanes_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace drover::field {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

constexpr unsigned kN = 1, kE = 2, kS = 4, kW = 8, kNE = 16, kSE = 32, kSW = 64, kNW = 128;

// The steps from a line to the one before it: straight, towards the lane before, towards the lane after.
struct Ahead {
  unsigned straight, before, after;
  unsigned along_before, along_after;  // within the line
};
constexpr Ahead kNorthwards{kN, kNW, kNE, kW, kE}, kSouthwards{kS, kSW, kSE, kW, kE};  // lines are rows
constexpr Ahead kWestwards{kW, kNW, kSW, kN, kS}, kEastwards{kE, kNE, kSE, kN, kS};    // lines are columns

// One of two views of a tile: lines are its rows, or its columns.
template <bool kWeighted>
struct View {
  std::uint16_t* lines = nullptr;
  alignas(64) std::uint16_t legal[kTileCells];                      // moves, without those that leave the tile sideways
  alignas(64) std::uint16_t straight[kWeighted ? kTileCells : 32];  // what a step into a cell of the line costs
  alignas(64) std::uint16_t diagonal[kWeighted ? kTileCells : 32];
};

template <bool kEight, bool kWeighted>
class Tile {
 public:
  Tile(const TileMap& map, std::uint32_t index) : map_(map), index_(index), head_(map.heads[index]) {}

  HWY_INLINE Visited run(Wake* wakes) {
    const bool plain = prepare();
    if constexpr (kWeighted)
      settle<true>();
    else if constexpr (kEight)
      settle<false>();
    else
      plain ? settle<false>() : settle<true>();
    save();
    return {hand_on(wakes), passes_};
  }

 private:
  std::uint16_t* side(std::uint32_t tile, unsigned which) const { return map_.sides + (tile * 4 + which) * kTileSide; }

  // True where no cell of the tile lacks a move.
  HWY_INLINE bool prepare() {
    const std::uint32_t corner = tile_corner(map_, index_);
    const std::uint32_t height = tile_height(map_, index_);
    for (std::uint32_t i = 0; i < height; ++i)
      store(load_bytes(map_.moves + corner + i * map_.stride), at(rows_.legal, i));
    for (std::uint32_t i = height; i < kTileSide; ++i) store(splat(0), at(rows_.legal, i));
    transpose(rows_.legal, columns_.legal);
    Lanes all = load(rows_.legal);
    for (std::uint32_t i = 1; i < kTileSide; ++i) all = both(all, load(at(rows_.legal, i)));
    const bool plain = least_lane(all) == (kEight ? 255 : 15);
    alignas(64) std::uint16_t inner[32];
    std::fill_n(inner, 32, std::uint16_t{0xFF});
    inner[0] = 0xFF & ~(kW | kSW | kNW);
    inner[31] = 0xFF & ~(kE | kNE | kSE);
    const Lanes inner_row = load(inner);
    inner[0] = 0xFF & ~(kN | kNE | kNW);
    inner[31] = 0xFF & ~(kS | kSE | kSW);
    const Lanes inner_column = load(inner);
    for (std::uint32_t i = 0; i < kTileSide; ++i) {
      store(both(load(at(rows_.legal, i)), inner_row), at(rows_.legal, i));
      store(both(load(at(columns_.legal, i)), inner_column), at(columns_.legal, i));
    }
    if constexpr (kWeighted)
      prepare_costs(corner, height);
    else {
      store(splat(map_.straight), rows_.straight);
      store(splat(map_.straight), columns_.straight);
      store(splat(map_.diagonal), rows_.diagonal);
      store(splat(map_.diagonal), columns_.diagonal);
    }
    return plain;
  }

  HWY_INLINE void prepare_costs(std::uint32_t corner, std::uint32_t height) {
    alignas(64) std::uint16_t factors[kTileCells];
    for (std::uint32_t i = 0; i < height; ++i) {
      const std::uint32_t* const from = map_.factors + corner + i * map_.stride;
      for (std::uint32_t x = 0; x < kTileSide; ++x) factors[i * kTileSide + x] = static_cast<std::uint16_t>(from[x]);
    }
    for (std::uint32_t i = height; i < kTileSide; ++i) store(splat(0), at(factors, i));
    multiply_out(factors, rows_);
    transpose(factors, columns_.straight);
    multiply_out(columns_.straight, columns_);
  }

  HWY_INLINE void multiply_out(const std::uint16_t* factors, View<kWeighted>& view) {
    const Lanes straight = splat(map_.straight), diagonal = splat(map_.diagonal);
    for (std::uint32_t i = 0; i < kTileSide; ++i) {
      const Lanes factor = load(factors + i * kTileSide);
      store(multiply(factor, straight), at(view.straight, i));
      if (kEight) store(multiply(factor, diagonal), at(view.diagonal, i));
    }
  }

  static HWY_INLINE std::uint16_t* at(std::uint16_t* lines, std::uint32_t i) { return lines + i * kTileSide; }
  static HWY_INLINE std::uint16_t* line(const View<kWeighted>& view, int i) { return view.lines + i * 32; }
  static HWY_INLINE Lanes cost(const std::uint16_t* costs, int i) { return load(costs + (kWeighted ? i * 32 : 0)); }

  // Sweeps in one direction, from every line of `todo` to the next and on while that changes. Returns lines changed.
  // kAlong: a step within the line as well, which saves passes where ways wind.
  template <int kStep, bool kAlong>
  HWY_INLINE std::uint32_t sweep(View<kWeighted>& view, std::uint32_t todo, const Ahead& ahead, Changes& changes) {
    const Lanes straight = splat(ahead.straight), before = splat(ahead.before), after = splat(ahead.after);
    const Lanes along_before = splat(ahead.along_before), along_after = splat(ahead.along_after);
    constexpr std::uint32_t kLast = kStep > 0 ? 0x80000000u : 1u;
    const Turn turn = turn_;
    std::uint32_t touched = 0;
    todo &= ~kLast;
    while (todo != 0) {
      const int first = kStep > 0 ? std::countr_zero(todo) : 31 - std::countl_zero(todo);
      std::uint32_t bit = 1u << first;
      std::uint16_t* at = line(view, first);
      const std::uint16_t* legal_at = view.legal + first * 32;
      const std::uint16_t* straight_at = view.straight + (kWeighted ? first * 32 : 0);
      const std::uint16_t* diagonal_at = view.diagonal + (kWeighted ? first * 32 : 0);
      Lanes from = load(at);
      do {
        todo &= ~bit;
        at += kStep * 32;
        legal_at += kStep * 32;
        const Lanes legal = load(legal_at), old = load(at);
        Lanes now = least_if(old, legal, straight, add(from, load(straight_at)));
        if constexpr (kEight) {
          const Lanes slant = add(from, load(diagonal_at));
          now = least_if(now, legal, before, turned_up(slant, turn));
          now = least_if(now, legal, after, turned_down(slant, turn));
        }
        if constexpr (kWeighted) {
          straight_at += kStep * 32;
          diagonal_at += kStep * 32;
        }
        if constexpr (kAlong) {
          const Lanes level = add(now, load(straight_at));
          now = least_if(now, legal, along_before, turned_up(level, turn));
          now = least_if(now, legal, along_after, turned_down(level, turn));
        }
        bit = kStep > 0 ? bit << 1 : bit >> 1;
        if (changes.note(now, old)) {
          store(now, at);
          from = now;
          touched |= bit;
          todo |= bit & ~kLast;
        } else {
          from = old;  // not `now`, so that lines that stay do not wait for each other
        }
      } while ((todo & bit) != 0);
    }
    return touched;
  }

  // Both ways. A step back from a line that the second sweep changed is never the only way to explain a cell, unless
  // steps are forbidden: see docs/decisions/0010-tile-sweep.md.
  template <bool kAlong>
  HWY_INLINE std::uint32_t pass(View<kWeighted>& view, std::uint32_t& pending, const Ahead& down, const Ahead& up) {
    Changes changes;
    ++passes_;
    const std::uint32_t there = sweep<1, kAlong>(view, pending, down, changes);
    const std::uint32_t back = sweep<-1, kAlong>(view, pending | there, up, changes);
    pending = map_.directed ? back : 0;
    return changes.lanes();
  }

  template <bool kAlong>
  HWY_INLINE void settle() {
    std::uint32_t row_todo = head_.pending_rows, column_todo = head_.pending_columns;
    const Lanes far = splat(kFarValue);
    bool in_rows = true;
    rows_.lines = map_.cells + index_ * kTileCells;
    columns_.lines = columns_lines_;
    if (!head_.filled) {
      for (int i = 0; i < 32; ++i) {
        store(far, line(rows_, i));
        store(far, line(columns_, i));
      }
    }
    if ((head_.pushed & (1u << north_side | 1u << south_side)) != 0) {
      column_todo |= take_in(rows_, 0, side(index_, north_side), row_todo);
      column_todo |= take_in(rows_, 31, side(index_, south_side), row_todo);
    }
    if ((head_.pushed & (1u << east_side | 1u << west_side)) != 0) {
      if (head_.filled || row_todo != 0) transpose(rows_.lines, columns_.lines);
      in_rows = false;
      row_todo |= take_in(columns_, 0, side(index_, west_side), column_todo);
      row_todo |= take_in(columns_, 31, side(index_, east_side), column_todo);
    }
    for (;;) {
      if (in_rows) {
        column_todo |= pass<kAlong>(rows_, row_todo, kNorthwards, kSouthwards);
        if (column_todo != 0)
          transpose(rows_.lines, columns_.lines);
        else if (row_todo == 0)
          break;
        in_rows = column_todo == 0;
      } else {
        row_todo |= pass<kAlong>(columns_, column_todo, kWestwards, kEastwards);
        if (row_todo != 0)
          transpose(columns_.lines, rows_.lines);
        else if (column_todo == 0)
          break;
        in_rows = row_todo != 0;
      }
    }
  }

  // Lanes that a side lowers.
  HWY_INLINE std::uint32_t take_in(View<kWeighted>& view, int i, const std::uint16_t* from, std::uint32_t& todo) {
    const Lanes in = load(from), before = load(line(view, i));
    const std::uint32_t lower = bits_less(in, before);
    store(least(in, before), line(view, i));
    if (lower != 0) todo |= 1u << i;
    return lower;
  }

  HWY_INLINE void save() {
    store(load(line(rows_, 0)), side(index_, north_side));
    store(load(line(columns_, 31)), side(index_, east_side));
    store(load(line(rows_, 31)), side(index_, south_side));
    store(load(line(columns_, 0)), side(index_, west_side));
    head_.pending_rows = head_.pending_columns = 0;
    head_.pushed = 0;
    head_.filled = true;
  }

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

  HWY_INLINE std::uint32_t hand_on(Wake* wakes) {
    const std::uint32_t tx = index_ % map_.across, ty = index_ / map_.across % map_.down;
    const bool north = ty > 0, south = ty + 1 < map_.down, west = tx > 0, east = tx + 1 < map_.across;
    const std::uint32_t corner = tile_corner(map_, index_), last_row = corner + 31 * map_.stride;
    const std::uint32_t height = tile_height(map_, index_);
    std::uint32_t count = 0;
    if (north) {
      const Lanes in = entering(load(rows_.legal + 0 * 32), corner, 1, 32, kW | kSW | kNW, kE | kNE | kSE);
      push(index_ - map_.across, south_side, rows_, 0, in, kNorthwards, wakes, count);
    }
    if (south) {
      const Lanes in = entering(load(rows_.legal + 31 * 32), last_row, 1, 32, kW | kSW | kNW, kE | kNE | kSE);
      push(index_ + map_.across, north_side, rows_, 31, in, kSouthwards, wakes, count);
    }
    if (west) {
      const Lanes in =
          entering(load(columns_.legal + 0 * 32), corner, map_.stride, height, kN | kNE | kNW, kS | kSE | kSW);
      push(index_ - 1, east_side, columns_, 0, in, kWestwards, wakes, count);
    }
    if (east) {
      const Lanes in =
          entering(load(columns_.legal + 31 * 32), corner + 31, map_.stride, height, kN | kNE | kNW, kS | kSE | kSW);
      push(index_ + 1, west_side, columns_, 31, in, kEastwards, wakes, count);
    }
    if constexpr (kEight) {
      if (north && west) push_corner(index_ - map_.across - 1, south_side, 31, corner, 0, 0, kNW, wakes, count);
      if (north && east) push_corner(index_ - map_.across + 1, south_side, 0, corner + 31, 0, 31, kNE, wakes, count);
      if (south && west) push_corner(index_ + map_.across - 1, north_side, 31, last_row, 31, 0, kSW, wakes, count);
      if (south && east) push_corner(index_ + map_.across + 1, north_side, 0, last_row + 31, 31, 31, kSE, wakes, count);
    }
    return count;
  }

  HWY_INLINE void push(std::uint32_t to, unsigned which, const View<kWeighted>& view, int i, const Lanes& in,
                       const Ahead& out, Wake* wakes, std::uint32_t& count) {
    const Lanes edge = load(line(view, i));
    Lanes offer = only_if(in, splat(out.straight), add(edge, cost(view.straight, i)));
    if constexpr (kEight) {
      const Lanes slant = add(edge, cost(view.diagonal, i));
      offer = least(offer, turned_down(only_if(in, splat(out.before), slant), turn_));
      offer = least(offer, turned_up(only_if(in, splat(out.after), slant), turn_));
    }
    lower(to, which, offer, wakes, count);
  }

  void push_corner(std::uint32_t to, unsigned which, unsigned lane, std::uint32_t cell, unsigned row, unsigned column,
                   unsigned bit, Wake* wakes, std::uint32_t& count) {
    if ((map_.reverse[cell] & bit) == 0) return;
    const std::uint16_t value = map_.cells[index_ * kTileCells + row * kTileSide + column];
    if (value == kFarValue) return;
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
        head.base = total > map_.slack ? total - map_.slack : 0;
        head.based = true;
      } else if (total < head.base) {
        lower_base(map_, to, total > map_.slack ? total - map_.slack : 0);
      }
      offer = rebased(offer, head.base);
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
  std::uint32_t passes_ = 0;
  View<kWeighted> rows_, columns_;
  alignas(64) std::uint16_t columns_lines_[kTileCells];
};

template <bool kEight, bool kWeighted>
HWY_NOINLINE Visited visit_tile(const TileMap& map, std::uint32_t tile, Wake* wakes) {
  return Tile<kEight, kWeighted>(map, tile).run(wakes);
}

Visited visit(const TileMap& map, std::uint32_t tile, Wake* wakes) {
  if (map.factors == nullptr) {
    return map.eight ? visit_tile<true, false>(map, tile, wakes) : visit_tile<false, false>(map, tile, wakes);
  }
  return map.eight ? visit_tile<true, true>(map, tile, wakes) : visit_tile<false, true>(map, tile, wakes);
}

void write_line(const TileMap& map, std::uint32_t tile, std::uint32_t count, std::uint32_t row, std::uint32_t* costs,
                std::uint16_t* low, Written& written) {
  const hn::Repartition<std::uint32_t, Tag> d32;
  const hn::Rebind<std::uint16_t, decltype(d32)> half;
  const Lanes far = splat(kFarValue);
  const auto far32 = hn::Set(d32, std::uint32_t{kFarValue}), nowhere = hn::Set(d32, ~std::uint32_t{0});
  for (const std::uint32_t end = tile + count; tile != end; ++tile, costs += kTileSide, low += kTileSide) {
    if (!map.heads[tile].filled) {
      std::memset(costs, 0xFF, kTileSide * sizeof *costs);
      std::memset(low, 0xFF, kTileSide * sizeof *low);
      continue;
    }
    const std::uint16_t* const cells = map.cells + std::size_t{tile} * kTileCells + row * kTileSide;
    const auto base = static_cast<std::uint32_t>(map.heads[tile].base);
    const auto base32 = hn::Set(d32, base);
    for (std::size_t x = 0; x < kTileSide; x += hn::Lanes(d32)) {
      const auto value = hn::PromoteTo(d32, hn::Load(half, cells + x));
      const auto sums = hn::IfThenElse(hn::Eq(value, far32), nowhere, hn::Add(value, base32));
      // Costs are not read again here; past the caches they save reading what they overwrite.
      map.wide ? hn::Stream(sums, d32, costs + x) : hn::Store(sums, d32, costs + x);
    }
    const Lanes values = load(cells);
    const Lanes sums = only_less(values, far, add(values, splat(base & 0xFFFF)), 0xFFFF);
    DROVER_EACH_PART hn::StoreU(sums.part[j], Tag(), low + j * kWide);
    const std::uint32_t reached = bits_less(values, far);
    if (reached == 0) continue;
    // The largest one, as what is left to the far value.
    const std::uint32_t left = least_lane(only_less(values, far, subtract(far, values), kFarValue));
    const std::uint32_t most = kFarValue - left;
    written.reached += static_cast<std::uint32_t>(std::popcount(reached));
    written.most_above = std::max(written.most_above, static_cast<std::uint16_t>(most));
    written.last_cost = std::max(written.last_cost, base + most);
  }
  if (map.wide) hwy::FlushStream();
}

constexpr TileKernels kKernels{visit, write_line};

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace drover::field
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace drover::field {

const TileKernels* tile_kernels([[maybe_unused]] Simd level) noexcept {
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

void lower_base(const TileMap& map, std::uint32_t tile, std::uint64_t base) noexcept {
  TileHead& head = map.heads[tile];
  const std::uint64_t up = head.base - base;
  const auto raise = [up](std::uint16_t* values, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (values[i] == kFarValue) continue;
      values[i] = static_cast<std::uint16_t>(std::min<std::uint64_t>(values[i] + up, kFarValue - 1));
    }
  };
  raise(map.sides + tile * 4 * kTileSide, 4 * kTileSide);
  if (head.filled) raise(map.cells + tile * kTileCells, kTileCells);
  head.base = base;
}

}  // namespace drover::field
#endif  // HWY_ONCE
