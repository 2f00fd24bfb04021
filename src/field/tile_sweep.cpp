// SPDX-License-Identifier: MIT
// The order of visits, what enters tiles from goals and portals, and when to leave a map to a queue.
#include "field/tile_sweep.hpp"

#include "field/prefetch.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>

namespace drover::field {
namespace {

constexpr std::uint64_t kAsleep = ~std::uint64_t{0};
// Passes a tile beyond which a queue is faster: bench field, 1024 x 1024. Caves take 6 or 7, terrain 12, noise 17
// .. 32.
std::uint64_t passes_worth(Simd level, bool weighted) noexcept {
  if (level >= Simd::avx512) return weighted ? 48 : 14;
  if (level >= Simd::avx2) return weighted ? 36 : 11;
  return weighted ? 24 : 7;
}
constexpr std::uint64_t kTrialTiles = 16;
// How far costs of a tile may fall below the first one that came in before those above have to make room.
constexpr std::uint64_t kSlack = 16384, kDearSteps = 256;

struct Place {
  std::uint32_t tile, row, column;
};
Place place_of(const GridShape& shape, std::uint32_t cell) noexcept {
  const Cell c = shape.cell({cell});
  const auto x = static_cast<std::uint32_t>(c.x - shape.origin().x),
             y = static_cast<std::uint32_t>(c.y - shape.origin().y);
  const auto [down, across] = tiles_of(shape);
  return {(static_cast<std::uint32_t>(c.layer) * down + y / kTileSide) * across + x / kTileSide, y % kTileSide,
          x % kTileSide};
}

class Sweep {
 public:
  Sweep(const Plan<std::uint32_t>& plan, const GridShape& shape, const SweptPlanes& planes, Patience patience,
        TileScratch& scratch, const Host& host, Progress& progress) noexcept
      : plan_(plan),
        shape_(shape),
        planes_(planes),
        scratch_(scratch),
        host_(host),
        progress_(progress),
        kernels_(*tile_kernels(simd_in_use())),
        passes_per_tile_(patience == Patience::endless ? ~std::uint64_t{0}
                                                       : passes_worth(simd_in_use(), plan.factors != nullptr)) {
    map_.across = tiles_of(shape).across;
    map_.down = tiles_of(shape).down;
    map_.width = static_cast<std::uint32_t>(shape.width());
    map_.height = static_cast<std::uint32_t>(shape.height());
    map_.stride = shape.stride();
    map_.first_cell = shape.at(0, 0, 0);
    map_.layer_stride = shape.layers() > 1 ? shape.at(0, 0, 1) - map_.first_cell : 0;
    map_.moves = plan.moves;
    map_.reverse = plan.graph->reverse_moves();
    map_.factors = plan.factors;
    map_.straight = static_cast<std::uint16_t>(plan.straight);
    map_.diagonal = static_cast<std::uint16_t>(plan.diagonal);
    map_.slack = static_cast<std::uint32_t>(
        plan.max_step <= kDearSteps ? kSlack : std::min<std::uint64_t>(4 * plan.max_step, FlowFieldData::kBaseStep));
    map_.eight = plan.eight;
    map_.footings = planes.directions.footings;
    map_.costs = planes.costs;
    map_.directed = map_.reverse != map_.moves;
    bands_ = map_.down * static_cast<std::uint32_t>(shape.layers());
    tiles_ = map_.across * bands_;
    if (progress.begun) attach();
  }

  const char* run() noexcept {
    progress_.outcome.out_of_memory = !progress_.begun && (!start() || !add_sources());
    if (progress_.outcome.out_of_memory) return nullptr;
    progress_.begun = true;
    Wake wakes[8];
    while (!scratch_.active.empty()) {
      const TileEvent event = scratch_.active.top();
      const bool waits = scratch_.keys[event.tile] == event.key;  // else it was lowered, or visited, since
      if (waits && progress_.due()) {
        progress_.pause(least_certain(event.key));
        return nullptr;
      }
      scratch_.active.pop();
      if (!waits) continue;
      scratch_.keys[event.tile] = kAsleep;
      if (!scratch_.active.empty()) fetch<3>(scratch_.active.top().tile);
      scratch_.reached_tiles += map_.heads[event.tile].filled ? 0 : 1;
      const Visited visited = kernels_.visit(map_, event.tile, wakes);
      map_.heads[event.tile].certain = false;
      ++progress_.outcome.events;
      scratch_.passes += visited.passes;
      if (scratch_.passes / passes_per_tile_ > scratch_.reached_tiles + kTrialTiles)
        return "ways wind too much for tiles";
      if (!scratch_.active.make_room(host_.allocator, 8 + plan_.graph->portals().all().size())) {
        progress_.outcome.out_of_memory = true;
        return nullptr;
      }
      for (std::uint32_t i = 0; i < visited.wakes; ++i) wake(wakes[i].tile, wakes[i].key);
      if (!plan_.graph->portals().empty()) use_portals(event.tile);
    }
    return write();
  }

 private:
  template <class T>
  bool want(base::Plane<T>& plane, std::size_t size) noexcept {
    if (plane.size() == size) return true;
    plane = {};
    plane = base::Plane<T>::uninitialised(host_.allocator, size);
    return plane.valid();
  }

  bool start() noexcept {
    const std::uint64_t graph = plan_.graph->content_hash();
    const bool known = scratch_.grounds.size() == tiles_ && scratch_.grounds_of == graph;
    if (!want(scratch_.sides, std::size_t{tiles_} * 4 * kTileSide) || !want(scratch_.heads, tiles_) ||
        !want(scratch_.grounds, tiles_) || !want(scratch_.keys, tiles_) ||
        !want(scratch_.written, tiles_ / map_.across)) {
      scratch_.grounds = {};
      return false;
    }
    if (!known) std::fill_n(scratch_.grounds.data(), tiles_, Ground::not_looked_at);
    scratch_.grounds_of = graph;
    std::fill_n(scratch_.sides.data(), scratch_.sides.size(), kFarValue);
    std::fill_n(scratch_.heads.data(), tiles_, TileHead{});
    std::fill_n(scratch_.keys.data(), tiles_, kAsleep);
    scratch_.active.clear();
    scratch_.reached_tiles = scratch_.passes = 0;
    attach();
    return true;
  }

  void attach() noexcept {
    map_.grounds = scratch_.grounds.data();
    map_.sides = scratch_.sides.data();
    map_.heads = scratch_.heads.data();
  }

  bool add_sources() noexcept {
    if (!scratch_.active.make_room(host_.allocator, plan_.sources.size())) return false;
    for (const Source& source : plan_.sources) put(source.cell, source.cost);
    return true;
  }

  // A value for one cell from outside the sweep, if it is lower than what is there.
  void put(std::uint32_t cell, std::uint64_t cost) noexcept {
    const Place at = place_of(shape_, cell);
    TileHead& head = map_.heads[at.tile];
    if (!head.based) {
      head.base = base_below(map_, cost);
      head.based = true;
    }
    if (cost < head.base) lower_base(map_, at.tile, base_below(map_, cost));
    if (!head.filled) fill_tile(map_, at.tile);
    head.filled = true;
    std::uint16_t& value = map_.costs[cell];
    const auto above = static_cast<std::uint16_t>(std::min<std::uint64_t>(cost - head.base, kFarValue - 1));
    if (above >= value) return;
    value = above;
    std::uint16_t* const sides = map_.sides + std::size_t{at.tile} * 4 * kTileSide;
    const auto lower = [&](TileSide side, std::uint32_t lane) {
      sides[side * kTileSide + lane] = std::min(sides[side * kTileSide + lane], above);
    };
    if (at.row == 0) lower(north_side, at.column);
    if (at.row == kTileSide - 1) lower(south_side, at.column);
    if (at.column == 0) lower(west_side, at.row);
    if (at.column == kTileSide - 1) lower(east_side, at.row);
    head.pending_rows |= 1u << at.row;
    head.pending_columns |= 1u << at.column;
    wake(at.tile, cost);
  }

  void wake(std::uint32_t tile, std::uint64_t key) noexcept {
    if (key >= scratch_.keys[tile]) return;
    if (scratch_.keys[tile] == kAsleep && map_.grounds[tile] == Ground::open) fetch<2>(tile);
    scratch_.keys[tile] = key;
    map_.heads[tile].certain = false;
    scratch_.active.push({key, tile});
  }

  // Portals that end in a tile that was visited.
  void use_portals(std::uint32_t tile) noexcept {
    for (const nav::Portal& portal : plan_.graph->portals().all()) {
      const Place to = place_of(shape_, portal.to);
      if (to.tile != tile) continue;
      const std::uint16_t value = map_.costs[portal.to];
      if (value < kFarValue) put(portal.from, map_.heads[tile].base + value + portal.cost);
    }
  }

  template <int kLocality>
  void fetch(std::uint32_t tile) const noexcept {
    const std::uint32_t corner = tile_corner(map_, tile);
    const bool open = map_.grounds[tile] == Ground::open;
    for (std::uint32_t i = 0; i < kTileSide; ++i) {
      const std::size_t line = corner + i * map_.stride;
      if (!open) prefetch<kLocality>(map_.moves, line);
      if (!open && !map_.heads[tile].filled) prefetch<kLocality>(map_.footings, line);
      prefetch<kLocality>(map_.costs, line);
      if (map_.factors != nullptr) {
        prefetch<kLocality>(map_.factors, line);
        prefetch<kLocality>(map_.factors, line + 16);
      }
    }
    for (std::uint32_t i = 0; i < 4; ++i) prefetch<kLocality>(map_.sides, std::size_t{tile} * 128 + i * kTileSide);
  }

  // Values grow by at most one step from cell to cell, so one that did not fit leaves another behind that is within a
  // step of the end of the range.
  std::uint64_t highest() const noexcept { return kFarValue - 2 - plan_.max_step; }

  // What is below `key` and below every value from which one that did not fit may have come. A tile is looked at once
  // after each change, and only where such a value would be below `key`.
  std::uint64_t least_certain(std::uint64_t key) const noexcept {
    for (std::uint32_t tile = 0; tile < tiles_; ++tile) {
      TileHead& head = map_.heads[tile];
      if (!head.filled || head.certain || head.base + highest() >= key) continue;
      const std::uint16_t least = least_above(tile, static_cast<std::uint16_t>(highest()));
      head.certain = least == kFarValue;
      if (!head.certain) key = std::min(key, head.base + least);
    }
    return key;
  }
  // The least value of a tile above `high`; kFarValue: there is none.
  std::uint16_t least_above(std::uint32_t tile, std::uint16_t high) const noexcept {
    std::uint16_t least = kFarValue;
    const std::uint16_t* row = map_.costs + tile_corner(map_, tile);
    for (std::uint32_t i = 0; i < tile_height(map_, tile); ++i, row += map_.stride) {
      for (std::uint32_t x = 0; x < kTileSide; ++x) {
        const auto value = static_cast<std::uint16_t>(row[x] > high ? row[x] : kFarValue);
        least = std::min(least, value);
      }
    }
    return least;
  }

  const char* write() noexcept {
    if (progress_.bands == 0) complete_swept(map_, bands_, planes_.bases);
    while (progress_.bands < bands_) {
      if (progress_.due()) {
        progress_.pause(least_certain(Progress::kEndless));
        return nullptr;
      }
      const std::uint32_t count = progress_.next_bands(bands_, events_a_band());
      write_swept(plan_, map_, kernels_, {progress_.bands, progress_.bands + count}, planes_.bases,
                  planes_.directions.ties, host_.tasks, scratch_.written.data());
      progress_.wrote(count, events_a_band());
    }
    progress_.finish();
    const char* gave_up = nullptr;
    for (const Written& written : scratch_.written) {
      if (written.most_above > highest()) gave_up = "costs within one tile exceed 16 bits";
      progress_.outcome.reached += written.reached;
      progress_.outcome.last_cost = std::max<std::uint64_t>(progress_.outcome.last_cost, written.last_cost);
    }
    return gave_up;
  }
  // Ties of a tile take about a quarter of the time of a visit.
  std::uint64_t events_a_band() const noexcept { return (map_.across + 3) / 4; }

  const Plan<std::uint32_t>& plan_;
  const GridShape& shape_;
  const SweptPlanes& planes_;
  TileScratch& scratch_;
  const Host& host_;
  Progress& progress_;
  const TileKernels& kernels_;
  const std::uint64_t passes_per_tile_;
  TileMap map_;
  std::uint32_t bands_ = 0, tiles_ = 0;
};

}  // namespace

const char* tile_sweep(const Plan<std::uint32_t>& plan, const GridShape& shape, const SweptPlanes& planes,
                       Patience patience, TileScratch& scratch, const Host& host, Progress& progress) noexcept {
  return Sweep(plan, shape, planes, patience, scratch, host, progress).run();
}

std::uint64_t swept_cost(const GridShape& shape, const TileScratch& scratch, const std::uint16_t* costs,
                         std::uint32_t cell) noexcept {
  const TileHead& head = scratch.heads[place_of(shape, cell).tile];
  return head.filled && costs[cell] < kFarValue ? head.base + costs[cell] : Progress::kEndless;
}

}  // namespace drover::field
