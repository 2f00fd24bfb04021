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
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "field/tile_edge_inl.hpp"
#include "field/tile_lanes_inl.hpp"
#include "field/tile_ties_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace drover::field {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// One of two views of a tile: lines are its rows, or its columns.
template <bool kWeighted>
struct View {
  std::uint16_t* lines = nullptr;
  alignas(64) std::uint16_t legal[kTileCells];                      // moves, without those that leave the tile sideways
  alignas(64) std::uint16_t straight[kWeighted ? kTileCells : 32];  // what a step into a cell of the line costs
  alignas(64) std::uint16_t diagonal[kWeighted ? kTileCells : 32];
};

template <bool kEight, bool kWeighted>
class Tile : TileEdge<kEight, kWeighted> {
  using Edge = TileEdge<kEight, kWeighted>;
  using Edge::head_;
  using Edge::index_;
  using Edge::map_;
  using Edge::side;
  using Edge::turn_;

 public:
  Tile(const TileMap& map, std::uint32_t index) : Edge(map, index) {}

  HWY_INLINE Visited run(Wake* wakes) {
    const bool open = prepare();
    if constexpr (kWeighted)
      settle<true>();
    else if constexpr (kEight)
      settle<false>();
    else
      open ? settle<false>() : settle<true>();
    save();
    return {hand_on(wakes), passes_};
  }

 private:
  // True where no cell of the tile lacks a move.
  HWY_INLINE bool prepare() {
    const std::uint32_t corner = tile_corner(map_, index_);
    const std::uint32_t height = tile_height(map_, index_);
    const bool open = map_.grounds[index_] == Ground::open;
    const Lanes inner_row = load(kInner.row), inner_column = load(kInner.column);
    if (open) {
      for (std::uint32_t i = 0; i < kTileSide; ++i) {
        store(inner_row, at(rows_.legal, i));
        store(inner_column, at(columns_.legal, i));
      }
    } else {
      for (std::uint32_t i = 0; i < height; ++i)
        store(load_bytes(map_.moves + corner + i * map_.stride), at(rows_.legal, i));
      for (std::uint32_t i = height; i < kTileSide; ++i) store(splat(0), at(rows_.legal, i));
      transpose(rows_.legal, columns_.legal);
      for (std::uint32_t i = 0; i < kTileSide; ++i) {
        store(both(load(at(rows_.legal, i)), inner_row), at(rows_.legal, i));
        store(both(load(at(columns_.legal, i)), inner_column), at(columns_.legal, i));
      }
    }
    if constexpr (kWeighted)
      prepare_costs(corner, height);
    else {
      store(splat(map_.straight), rows_.straight);
      store(splat(map_.straight), columns_.straight);
      store(splat(map_.diagonal), rows_.diagonal);
      store(splat(map_.diagonal), columns_.diagonal);
    }
    return open;
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
    rows_.lines = rows_lines_;
    columns_.lines = columns_lines_;
    if (head_.filled) {
      const std::uint32_t height = tile_height(map_, index_);
      for (std::uint32_t i = 0; i < height; ++i) store(load(this->plane_line(i)), line(rows_, static_cast<int>(i)));
      for (std::uint32_t i = height; i < 32; ++i) store(far, line(rows_, static_cast<int>(i)));
    } else {
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
    const Lanes in = load(from), before = load(line(view, i)), reached = least(before, splat(kFarValue));
    const std::uint32_t lower = bits_less(in, reached);
    if (lower == 0) return 0;
    store(where_less(in, reached, in, before), line(view, i));
    todo |= 1u << i;
    return lower;
  }

  HWY_INLINE void save() {
    const Lanes far = splat(kFarValue);
    store(least(load(line(rows_, 0)), far), side(index_, north_side));
    store(least(load(line(columns_, 31)), far), side(index_, east_side));
    store(least(load(line(rows_, 31)), far), side(index_, south_side));
    store(least(load(line(columns_, 0)), far), side(index_, west_side));
    save_cells();
    head_.pending_rows = head_.pending_columns = 0;
    head_.pushed = 0;
    head_.filled = true;
  }

  // What is not open gets the state that the field will say; a footing of 0 is open.
  HWY_INLINE void save_cells() {
    const std::uint32_t height = tile_height(map_, index_), corner = tile_corner(map_, index_);
    const bool whole = head_.filled || map_.grounds[index_] == Ground::open;
    const std::uint32_t lanes = map_.width - index_ % map_.across * kTileSide;
    const Lanes outside = lanes_from(lanes);
    for (std::uint32_t i = 0; i < height; ++i) {
      Lanes values = load(line(rows_, static_cast<int>(i)));
      if (!whole) values = either(add(values, load_bytes(map_.footings + corner + i * map_.stride)), outside);
      store(values, map_.costs + corner + i * map_.stride);
    }
  }

  Line rim(const View<kWeighted>& view, int i) const {
    return {load(line(view, i)), cost(view.straight, i), cost(view.diagonal, i)};
  }

  HWY_INLINE std::uint32_t hand_on(Wake* wakes) {
    const std::uint32_t tx = index_ % map_.across, ty = index_ / map_.across % map_.down;
    const bool north = ty > 0, south = ty + 1 < map_.down, west = tx > 0, east = tx + 1 < map_.across;
    const std::uint32_t corner = tile_corner(map_, index_), last_row = corner + 31 * map_.stride;
    const std::uint32_t height = tile_height(map_, index_);
    std::uint32_t count = 0;
    if (north) {
      const Lanes in = this->entering(load(rows_.legal + 0 * 32), corner, 1, 32, kW | kSW | kNW, kE | kNE | kSE);
      this->push(index_ - map_.across, south_side, rim(rows_, 0), in, kNorthwards, wakes, count);
    }
    if (south) {
      const Lanes in = this->entering(load(rows_.legal + 31 * 32), last_row, 1, 32, kW | kSW | kNW, kE | kNE | kSE);
      this->push(index_ + map_.across, north_side, rim(rows_, 31), in, kSouthwards, wakes, count);
    }
    if (west) {
      const Lanes in =
          this->entering(load(columns_.legal + 0 * 32), corner, map_.stride, height, kN | kNE | kNW, kS | kSE | kSW);
      this->push(index_ - 1, east_side, rim(columns_, 0), in, kWestwards, wakes, count);
    }
    if (east) {
      const Lanes in = this->entering(load(columns_.legal + 31 * 32), corner + 31, map_.stride, height, kN | kNE | kNW,
                                      kS | kSE | kSW);
      this->push(index_ + 1, west_side, rim(columns_, 31), in, kEastwards, wakes, count);
    }
    this->push_corners(wakes, count);
    return count;
  }

  std::uint32_t passes_ = 0;
  View<kWeighted> rows_, columns_;
  alignas(64) std::uint16_t rows_lines_[kTileCells], columns_lines_[kTileCells];
};

/// A tile where no cell lacks a step within it, one factor everywhere: ways inside are as long as on an empty map, and
/// never turn back, so that one pass down and one up settle it: see docs/decisions/0010-tile-sweep.md.
template <bool kEight>
class ClearTile : TileEdge<kEight, false> {
  using Edge = TileEdge<kEight, false>;
  using Edge::head_;
  using Edge::index_;
  using Edge::map_;
  using Edge::side;
  using Edge::turn_;

 public:
  ClearTile(const TileMap& map, std::uint32_t index) : Edge(map, index), lines_(this->plane_line(0)) {}

  HWY_INLINE Visited run(Wake* wakes) {
    settle();
    save();
    return {hand_on(wakes), 1};
  }

 private:
  HWY_INLINE std::uint16_t* line(std::uint32_t i) const { return lines_ + i * map_.stride; }

  // As low as steps along the line make it, and whether that is lower.
  HWY_INLINE Lanes closed(Lanes values) const {
    const Lanes level = add(values, straight_);
    const Lanes once = least(values, least(moved_up(level, turn_), moved_down(level, turn_)));
    if (bits_less(once, values) == 0) return values;
    alignas(64) std::uint16_t around[3 * kTileSide];
    std::fill_n(around, 3 * kTileSide, kFarValue);
    values = once;
    for (unsigned by = 1; by < kTileSide; by *= 2) {
      store(values, around + kTileSide);
      const Lanes steps = splat(by * map_.straight);
      values = least(values,
                     least(add(load_at(around + kTileSide - by), steps), add(load_at(around + kTileSide + by), steps)));
    }
    return values;
  }

  // What a line holds before its neighbours in the tile are asked; as low as steps along it make it.
  HWY_INLINE Lanes initial(std::uint32_t i) const {
    Lanes values = head_.filled ? load(line(i)) : splat(kFarValue);
    if (west_ != nullptr) values = least(values, add(splat(west_[i]), eastwards_));
    if (east_ != nullptr) values = least(values, add(splat(east_[i]), westwards_));
    if ((head_.pending_rows >> i & 1) != 0) values = closed(values);
    return values;
  }
  HWY_INLINE Lanes relaxed(const Lanes& values, const Lanes& from) const {
    Lanes out = least(values, add(from, straight_));
    if constexpr (kEight) {
      const Lanes slant = add(from, diagonal_);
      out = least(least(out, moved_up(slant, turn_)), moved_down(slant, turn_));
    }
    return out;
  }

  HWY_INLINE void settle() {
    const auto pushed = [&](TileSide which)
                            HWY_ATTR { return (head_.pushed >> which & 1) != 0 ? side(index_, which) : nullptr; };
    west_ = pushed(west_side);
    east_ = pushed(east_side);
    alignas(64) std::uint16_t ramp[32];
    for (unsigned i = 0; i < 32; ++i) ramp[i] = static_cast<std::uint16_t>(i * map_.straight);
    eastwards_ = load(ramp);
    for (unsigned i = 0; i < 32; ++i) ramp[i] = static_cast<std::uint16_t>((31 - i) * map_.straight);
    westwards_ = load(ramp);
    Lanes down = initial(0), up = initial(31);
    if (const std::uint16_t* const north = pushed(north_side)) down = least(down, closed(load(north)));
    if (const std::uint16_t* const south = pushed(south_side)) up = least(up, closed(load(south)));
    store(down, line(0));
    store(up, line(31));
    for (std::uint32_t i = 1; i < 16; ++i) {
      down = relaxed(initial(i), down);
      up = relaxed(initial(31 - i), up);
      store(down, line(i));
      store(up, line(31 - i));
    }
    for (std::uint32_t i = 16; i < 32; ++i) {
      const Lanes below = load(line(i)), above = load(line(31 - i));
      down = relaxed(below, down);
      up = relaxed(above, up);
      store(down, line(i));
      store(up, line(31 - i));
    }
  }

  HWY_INLINE void save() {
    store(load(line(0)), side(index_, north_side));
    store(load(line(31)), side(index_, south_side));
    std::uint16_t *const west = side(index_, west_side), *const east = side(index_, east_side);
    for (std::uint32_t i = 0; i < 32; ++i) {
      west[i] = line(i)[0];
      east[i] = line(i)[31];
    }
    head_.pending_rows = head_.pending_columns = 0;
    head_.pushed = 0;
    head_.filled = true;
  }

  // Steps out of the cells of a rim line.
  HWY_INLINE Lanes leaving(const std::uint16_t* inner, std::uint32_t first, std::uint32_t step) const {
    if (map_.grounds[index_] == Ground::open) return load(inner);
    alignas(64) std::uint16_t bits[32];
    for (std::uint32_t i = 0; i < 32; ++i) bits[i] = map_.moves[first + i * step];
    return both(load(bits), load(inner));
  }
  Line rim(const std::uint16_t* values) const { return {load(values), straight_, diagonal_}; }

  HWY_INLINE std::uint32_t hand_on(Wake* wakes) {
    const std::uint32_t tx = index_ % map_.across, ty = index_ / map_.across % map_.down;
    const std::uint32_t corner = tile_corner(map_, index_), stride = map_.stride;
    std::uint32_t count = 0;
    if (ty > 0) {
      const Lanes in = leaving(kInner.row, corner, 1);
      this->push(index_ - map_.across, south_side, rim(line(0)), in, kNorthwards, wakes, count);
    }
    if (ty + 1 < map_.down) {
      const Lanes in = leaving(kInner.row, corner + 31 * stride, 1);
      this->push(index_ + map_.across, north_side, rim(line(31)), in, kSouthwards, wakes, count);
    }
    if (tx > 0) {
      const Lanes in = leaving(kInner.column, corner, stride);
      this->push(index_ - 1, east_side, rim(side(index_, west_side)), in, kWestwards, wakes, count);
    }
    if (tx + 1 < map_.across) {
      const Lanes in = leaving(kInner.column, corner + 31, stride);
      this->push(index_ + 1, west_side, rim(side(index_, east_side)), in, kEastwards, wakes, count);
    }
    this->push_corners(wakes, count);
    return count;
  }

  std::uint16_t* const lines_;
  const std::uint16_t *west_ = nullptr, *east_ = nullptr;  // null: not lowered
  const Lanes straight_ = splat(map_.straight), diagonal_ = splat(map_.diagonal);
  Lanes eastwards_, westwards_;  // steps along a line from its ends
};

template <bool kEight, bool kWeighted>
HWY_NOINLINE Visited visit_tile(const TileMap& map, std::uint32_t tile, Wake* wakes) {
  return Tile<kEight, kWeighted>(map, tile).run(wakes);
}

template <bool kEight>
HWY_NOINLINE Visited visit_clear_tile(const TileMap& map, std::uint32_t tile, Wake* wakes) {
  return ClearTile<kEight>(map, tile).run(wakes);
}

// Looks at the moves of a tile once a graph.
Ground ground_of(const TileMap& map, std::uint32_t tile) {
  const std::uint32_t corner = tile_corner(map, tile);
  const unsigned every = map.eight ? 255 : 15;
  if (map.directed || tile_height(map, tile) < kTileSide || map.width - tile % map.across * kTileSide < kTileSide)
    return Ground::mixed;
  const Lanes outwards = either(splat(0xFF & ~every), flipped(load(kInner.row), 0xFF));
  Lanes all = splat(0xFFFF), within = splat(0xFFFF);
  for (std::uint32_t i = 0; i < kTileSide; ++i) {
    const Lanes moves = load_bytes(map.moves + corner + i * map.stride);
    const unsigned out = i == 0 ? kN | kNE | kNW : i == kTileSide - 1 ? kS | kSE | kSW : 0u;
    all = both(all, moves);
    within = both(within, either(either(moves, outwards), splat(out)));
  }
  if (least_lane(both(all, splat(every))) == every) return Ground::open;
  return least_lane(within) == 255 ? Ground::clear : Ground::mixed;
}

Visited visit(const TileMap& map, std::uint32_t tile, Wake* wakes) {
  Ground& ground = map.grounds[tile];
  if (ground == Ground::not_looked_at) ground = ground_of(map, tile);
  if (map.factors != nullptr)
    return map.eight ? visit_tile<true, true>(map, tile, wakes) : visit_tile<false, true>(map, tile, wakes);
  if (ground != Ground::mixed && map.straight * (kTileSide - 1) + kFarValue < 0x10000)
    return map.eight ? visit_clear_tile<true>(map, tile, wakes) : visit_clear_tile<false>(map, tile, wakes);
  return map.eight ? visit_tile<true, false>(map, tile, wakes) : visit_tile<false, false>(map, tile, wakes);
}

constexpr TileKernels kKernels{visit, write_ties, measure};

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

void fill_tile(const TileMap& map, std::uint32_t tile) noexcept {
  const std::uint32_t corner = tile_corner(map, tile), height = tile_height(map, tile);
  const std::uint32_t width = std::min(kTileSide, map.width - tile % map.across * kTileSide);
  for (std::uint32_t cell = corner, end = corner + height * map.stride; cell != end; cell += map.stride) {
    for (std::uint32_t x = 0; x < width; ++x)
      map.costs[cell + x] = FlowFieldData::state_cost<std::uint16_t>(map.footings[cell + x]);
    std::fill(map.costs + cell + width, map.costs + cell + kTileSide, std::uint16_t{0xFFFF});
  }
}

void lower_base(const TileMap& map, std::uint32_t tile, std::uint64_t base) noexcept {
  TileHead& head = map.heads[tile];
  const std::uint64_t up = head.base - base;
  const auto raise = [up](std::uint16_t* values, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (values[i] >= kFarValue) continue;
      values[i] = static_cast<std::uint16_t>(std::min<std::uint64_t>(values[i] + up, kFarValue - 1));
    }
  };
  raise(map.sides + tile * 4 * kTileSide, 4 * kTileSide);
  if (head.filled) {
    const std::uint32_t corner = tile_corner(map, tile), height = tile_height(map, tile);
    for (std::uint32_t i = 0; i < height; ++i) raise(map.costs + corner + i * map.stride, kTileSide);
  }
  head.base = base;
}

}  // namespace drover::field
#endif  // HWY_ONCE
