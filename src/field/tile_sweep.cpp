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

class Sweep {
 public:
  Sweep(const Plan<std::uint32_t>& plan, const GridShape& shape, const SweptPlanes& planes, Patience patience,
        TileScratch& scratch, const Host& host) noexcept
      : plan_(plan),
        shape_(shape),
        planes_(planes),
        scratch_(scratch),
        host_(host),
        kernels_(*tile_kernels(simd_in_use())),
        passes_per_tile_(patience == Patience::endless ? ~std::uint64_t{0}
                                                       : passes_worth(simd_in_use(), plan.factors != nullptr)) {
    map_.across = tiles_along(shape.width());
    map_.down = tiles_along(shape.height());
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
    tiles_ = map_.across * map_.down * static_cast<std::uint32_t>(shape.layers());
  }

  TileOutcome run() noexcept {
    TileOutcome result;
    if (!start() || !add_sources()) {
      result.outcome.out_of_memory = true;
      return result;
    }
    Wake wakes[8];
    while (!scratch_.active.empty()) {
      const TileEvent event = scratch_.active.top();
      scratch_.active.pop();
      if (scratch_.keys[event.tile] != event.key) continue;  // it was lowered, or visited, since
      scratch_.keys[event.tile] = kAsleep;
      if (!scratch_.active.empty()) fetch<3>(scratch_.active.top().tile);
      reached_tiles_ += map_.heads[event.tile].filled ? 0 : 1;
      const Visited visited = kernels_.visit(map_, event.tile, wakes);
      ++result.outcome.events;
      passes_ += visited.passes;
      if (passes_ / passes_per_tile_ > reached_tiles_ + kTrialTiles) {
        result.gave_up = "ways wind too much for tiles";
        return result;
      }
      if (!scratch_.active.make_room(host_.allocator, 8 + plan_.graph->portals().all().size())) {
        result.outcome.out_of_memory = true;
        return result;
      }
      for (std::uint32_t i = 0; i < visited.wakes; ++i) wake(wakes[i].tile, wakes[i].key);
      if (!plan_.graph->portals().empty()) use_portals(event.tile);
    }
    write(result);
    return result;
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
    map_.grounds = scratch_.grounds.data();
    map_.sides = scratch_.sides.data();
    map_.heads = scratch_.heads.data();
    return true;
  }

  bool add_sources() noexcept {
    if (!scratch_.active.make_room(host_.allocator, plan_.sources.size())) return false;
    for (const Source& source : plan_.sources) put(source.cell, source.cost);
    return true;
  }

  struct Place {
    std::uint32_t tile, row, column;
  };
  Place place_of(std::uint32_t cell) const noexcept {
    const Cell c = shape_.cell({cell});
    const auto x = static_cast<std::uint32_t>(c.x - shape_.origin().x),
               y = static_cast<std::uint32_t>(c.y - shape_.origin().y);
    const std::uint32_t tile =
        (static_cast<std::uint32_t>(c.layer) * map_.down + y / kTileSide) * map_.across + x / kTileSide;
    return {tile, y % kTileSide, x % kTileSide};
  }

  // A value for one cell from outside the sweep, if it is lower than what is there.
  void put(std::uint32_t cell, std::uint64_t cost) noexcept {
    const Place at = place_of(cell);
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
    scratch_.active.push({key, tile});
  }

  // Portals that end in a tile that was visited.
  void use_portals(std::uint32_t tile) noexcept {
    for (const nav::Portal& portal : plan_.graph->portals().all()) {
      const Place to = place_of(portal.to);
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
  void write(TileOutcome& result) noexcept {
    write_swept(plan_, map_, kernels_, shape_, planes_.bases, planes_.directions.ties, host_.tasks,
                scratch_.written.data());
    const std::uint64_t highest = kFarValue - 2 - plan_.max_step;
    for (const Written& written : scratch_.written) {
      if (written.most_above > highest) result.gave_up = "costs within one tile exceed 16 bits";
      result.outcome.reached += written.reached;
      result.outcome.last_cost = std::max<std::uint64_t>(result.outcome.last_cost, written.last_cost);
    }
  }

  const Plan<std::uint32_t>& plan_;
  const GridShape& shape_;
  const SweptPlanes& planes_;
  TileScratch& scratch_;
  const Host& host_;
  const TileKernels& kernels_;
  const std::uint64_t passes_per_tile_;
  TileMap map_;
  std::uint32_t tiles_ = 0;
  std::uint64_t reached_tiles_ = 0, passes_ = 0;
};

}  // namespace

TileOutcome tile_sweep(const Plan<std::uint32_t>& plan, const GridShape& shape, const SweptPlanes& planes,
                       Patience patience, TileScratch& scratch, const Host& host) noexcept {
  return Sweep(plan, shape, planes, patience, scratch, host).run();
}

}  // namespace drover::field
