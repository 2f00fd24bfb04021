// SPDX-License-Identifier: MIT
// From a definition to a finished cave: start, generations, rooms and pillars, connection, promises.
#include "base/digest.hpp"
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "cave/automaton.hpp"
#include "cave/regions.hpp"
#include "cave/tunnels.hpp"

#include <drover/cave.hpp>
#include <drover/graph.hpp>
#include <drover/search.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace drover {

using cave::BitGrid;
using cave::Regions;
using cave::Run;

struct Cave::Data {
  BitGrid walls;
  Cell origin;
  std::uint64_t floor = 0, hash = 0;
  std::uint32_t regions = 0, attempts = 1;
};

namespace {

// 32 bits of a random number below this: wall. The chance is right within 2^-33.
std::uint32_t threshold_of(std::int32_t percent) noexcept {
  return static_cast<std::uint32_t>(((std::uint64_t{static_cast<std::uint32_t>(percent)} << 32) + 50) / 100);
}

cave::Touch touch_of(const MovementProfile& profile) noexcept {
  const bool corners = profile.moves == Moves::eight && profile.corner == CornerRule::none;
  return corners ? cave::Touch::corners : cave::Touch::sides;
}

void set_runs(BitGrid& grid, const Regions& regions, bool wall, std::uint32_t but) {
  for (std::size_t i = 0; i < regions.runs().size(); ++i) {
    const Run& run = regions.runs()[i];
    if (regions.region_of_run(i) != but) cave::set_run(grid.row(run.y), run.begin, run.end, wall);
  }
}

void fill_small_rooms(BitGrid& walls, std::int64_t least, cave::Touch touch) {
  const Regions rooms(walls, false, touch);
  for (std::size_t i = 0; i < rooms.runs().size(); ++i) {
    const Run& run = rooms.runs()[i];
    if (rooms.cells(rooms.region_of_run(i)) < static_cast<std::uint64_t>(least))
      cave::set_run(walls.row(run.y), run.begin, run.end, true);
  }
}

void remove_small_pillars(BitGrid& walls, std::int64_t least) {
  const Regions pillars(walls, true, cave::Touch::corners);
  std::vector<bool> at_border(pillars.count());
  for (std::size_t i = 0; i < pillars.runs().size(); ++i) {
    const Run& run = pillars.runs()[i];
    if (run.y == 0 || run.y == walls.height() - 1 || run.begin == 0 || run.end == walls.width())
      at_border[pillars.region_of_run(i)] = true;
  }
  for (std::size_t i = 0; i < pillars.runs().size(); ++i) {
    const Run& run = pillars.runs()[i];
    const std::uint32_t pillar = pillars.region_of_run(i);
    if (!at_border[pillar] && pillars.cells(pillar) < static_cast<std::uint64_t>(least))
      cave::set_run(walls.row(run.y), run.begin, run.end, false);
  }
}

// Floor that no body of the largest region ever covers becomes wall.
void keep_largest(BitGrid& walls, const MovementProfile& profile) {
  if (profile.footprint == 1) {
    const Regions rooms(walls, false, touch_of(profile));
    set_runs(walls, rooms, true, rooms.largest());
    return;
  }
  BitGrid room = cave::room_for(walls, profile.footprint);
  const Regions regions(room, true, touch_of(profile));
  set_runs(room, regions, false, regions.largest());
  walls = cave::floor_under(room, profile.footprint);
}

std::uint64_t hash_of(const BitGrid& walls) noexcept {
  base::Digest digest;
  digest.add(static_cast<std::uint64_t>(walls.width())).add(static_cast<std::uint64_t>(walls.height()));
  for (std::int32_t y = 0; y < walls.height(); ++y)
    for (std::int32_t i = 0; i < walls.words(); ++i) digest.add(walls.row(y)[i]);
  return digest.value();
}

Status lacking(const std::string& what) { return {StatusCode::cave_promise, what}; }

}  // namespace

/// One call of generate_cave().
struct CaveMaker {
  const CaveDef& def;
  std::int32_t width, height;
  Cell origin;
  CaveConnect connect;

  Result<Cave> make() {
    const std::uint32_t most = def.start ? 1 : kCaveAttempts;
    Status lack;
    for (std::uint32_t attempt = 0; attempt < most; ++attempt) {
      BitGrid walls = start(attempt);
      grow(walls);
      const bool connected = finish(walls);
      const std::uint64_t floor =
          static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) - cave::count_bits(walls);
      Cave made = seal(std::move(walls), floor, attempt + 1);
      lack = check(made, connected);
      if (lack.ok()) return made;
      if (lack.code() != StatusCode::cave_promise && lack.code() != StatusCode::cave_empty) return lack;
    }
    return Status(lack.code(),
                  base::concat(lack.message(), def.start ? "" : base::concat(", after ", most, " random starts"),
                               lack.code() == StatusCode::cave_empty ? "; more floor is expected" : ""));
  }

  BitGrid start(std::uint32_t attempt) const {
    if (def.border == CaveBorder::none) return window(attempt);
    BitGrid walls(width, height);
    if (def.start) {
      read_start(walls);
      return walls;
    }
    fill(walls, attempt, origin);
    if (def.mode == CaveMode::classic) cave::set_run(walls.row(height / 2), 0, width, false);
    walls.set_border(true);
    return walls;
  }

  void fill(BitGrid& walls, std::uint32_t attempt, Cell corner) const {
    if (def.walls_percent == 100) {
      for (std::int32_t y = 0; y < walls.height(); ++y) cave::set_run(walls.row(y), 0, walls.width(), true);
    } else if (def.walls_percent > 0) {
      cave::fill_random(walls, {def.seed, attempt, threshold_of(def.walls_percent)}, corner.x, corner.y);
    }
  }

  // Each generation spoils one cell more of the rim, where it does not know what lies outside.
  BitGrid window(std::uint32_t attempt) const {
    const std::int32_t rim = def.generations;
    BitGrid wide(width + 2 * rim, height + 2 * rim);
    fill(wide, attempt, {origin.x - rim, origin.y - rim});
    cave::Generations generations(wide);
    for (std::int32_t i = 0; i < def.generations; ++i) generations.step(wide, rule());
    return cave::cut(wide, rim, width, height);
  }

  cave::Rule rule() const noexcept { return {def.rule.birth, def.rule.survival}; }

  void read_start(BitGrid& walls) const;
  void grow(BitGrid& walls) const {
    if (def.border == CaveBorder::none) return;
    if (def.mode == CaveMode::classic) {
      for (std::int32_t i = 0; i < def.passes; ++i) cave::pass_in_place(walls);
      return;
    }
    cave::Generations generations(walls);
    for (std::int32_t i = 0; i < def.generations; ++i) {
      generations.step(walls, rule());
      walls.set_border(true);
    }
  }

  /// True if what was to be connected is.
  bool finish(BitGrid& walls) const {
    if (def.min_room > 0) fill_small_rooms(walls, def.min_room, touch_of(def.profile));
    if (def.min_pillar > 0) remove_small_pillars(walls, def.min_pillar);
    if (connect == CaveConnect::largest) keep_largest(walls, def.profile);
    if (connect == CaveConnect::tunnels)
      return cave::dig_tunnels(walls, {def.profile.footprint, def.tunnel_width, touch_of(def.profile)});
    return true;
  }

  std::uint32_t count_regions(const BitGrid& walls, std::uint64_t floor) const {
    const cave::Touch touch = touch_of(def.profile);
    if (def.profile.footprint > 1) return Regions(cave::room_for(walls, def.profile.footprint), true, touch).count();
    if (connect == CaveConnect::largest) return floor > 0 ? 1 : 0;  // one was kept
    return Regions(walls, false, touch).count();
  }

  Cave seal(BitGrid walls, std::uint64_t floor, std::uint32_t attempts) const {
    walls.set_outside(true);
    const std::uint32_t regions = count_regions(walls, floor);
    const std::uint64_t hash = hash_of(walls);
    Cave made;
    made.data_ =
        std::make_shared<const Cave::Data>(Cave::Data{std::move(walls), origin, floor, hash, regions, attempts});
    return made;
  }

  Status check(const Cave& made, bool connected) const;
  Status check_way(const Cave& made) const;
};

void CaveMaker::read_start(BitGrid& walls) const {
  const MapView& map = *def.start;
  const std::int32_t layer = def.profile.layers.empty() ? 0 : def.profile.layers.front();
  std::vector<bool> passable;
  for (const TerrainClass& c : map.terrain_classes()) passable.push_back(c.passable);
  for (const TerrainRule& r : def.profile.terrain)
    if (r.passable) passable[r.terrain] = *r.passable;
  for (std::int32_t y = 0; y < height; ++y)
    for (std::int32_t x = 0; x < width; ++x)
      if (!passable[map.terrain(CellIndex{map.shape().at(x, y, layer)})]) walls.set(x, y, true);
}

Status CaveMaker::check(const Cave& made, bool connected) const {
  const CavePromise& promise = def.promise;
  const bool asked = promise.floor || promise.min_floor_percent > 0 || promise.start || promise.goal ||
                     connect == CaveConnect::tunnels;
  if (asked && made.regions() == 0) return {StatusCode::cave_empty, "no floor where the body fits"};
  if (!connected)
    return lacking(base::concat(made.regions(), " regions are left, and no room for tunnels between them"));
  const std::uint64_t cells = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  if (made.floor_cells() * 100 < cells * static_cast<std::uint64_t>(promise.min_floor_percent))
    return lacking(base::concat(made.floor_cells(), " of ", cells, " cells are floor; promised are ",
                                promise.min_floor_percent, " percent"));
  return promise.start || promise.goal ? check_way(made) : Status();
}

Status CaveMaker::check_way(const Cave& made) const {
  const CavePromise& promise = def.promise;
  auto map = made.to_map();
  if (!map.ok()) return map.status();
  MovementProfile profile = def.profile;
  profile.costs = CostBase::uniform;  // a way's cost is its steps
  profile.terrain.clear();
  profile.layers.clear();
  profile.faction = kEveryone;
  auto graph = NavGraph::compile(map->view(), profile);
  if (!graph.ok()) return graph.status();
  for (const auto& end : {promise.start, promise.goal})
    if (end && graph->footing(*end) != Footing::open)
      return lacking(base::concat("the body does not fit at ", base::cell_text(*end)));
  if (!promise.start || !promise.goal) return {};
  auto way = find_path(*graph, *promise.start, *promise.goal);
  if (!way.ok()) return way.status();
  const std::string ends = base::concat(base::cell_text(*promise.start), " to ", base::cell_text(*promise.goal));
  if (way->status != PathStatus::found) return lacking(base::concat("no way from ", ends));
  if (way->cost >= promise.min_steps) return {};
  return lacking(base::concat("from ", ends, " it is ", way->cost, " steps; promised are ", promise.min_steps));
}

Result<Cave> generate_cave(const CaveDef& def) {
  return base::no_throw([&]() -> Result<Cave> {
    if (Status status = def.validate(); !status.ok()) return status;
    std::int64_t width = def.width, height = def.height;
    Cell origin = def.origin;
    if (def.start) {
      width = def.start->shape().width();
      height = def.start->shape().height();
      origin = def.start->shape().origin();
    }
    origin.layer = 0;
    auto shape = GridShape::create(width, height, 1, origin);
    if (!shape.ok()) return shape.status();
    return CaveMaker{def, shape->width(), shape->height(), origin, def.connecting()}.make();
  });
}

std::int32_t Cave::width() const noexcept { return data_->walls.width(); }
std::int32_t Cave::height() const noexcept { return data_->walls.height(); }
Cell Cave::origin() const noexcept { return data_->origin; }
std::uint64_t Cave::floor_cells() const noexcept { return data_->floor; }
std::uint32_t Cave::regions() const noexcept { return data_->regions; }
std::uint32_t Cave::attempts() const noexcept { return data_->attempts; }
std::uint64_t Cave::content_hash() const noexcept { return data_->hash; }

bool Cave::wall(Cell c) const noexcept {
  const std::int64_t x = std::int64_t{c.x} - data_->origin.x, y = std::int64_t{c.y} - data_->origin.y;
  if (x < 0 || x >= width() || y < 0 || y >= height()) return true;
  return data_->walls.wall(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y));
}

std::span<const std::uint64_t> Cave::row(std::int32_t y) const noexcept {
  return {data_->walls.row(y), static_cast<std::size_t>(data_->walls.words())};
}

Result<GridMap> Cave::to_map(const Host& host) const {
  return base::no_throw([&]() -> Result<GridMap> {
    GridMapDef def;
    def.width = width();
    def.height = height();
    def.origin = origin();
    auto map = GridMap::create(def, host);
    if (!map.ok()) return map;
    std::vector<TerrainId> terrain;
    terrain.reserve(static_cast<std::size_t>(def.width) * static_cast<std::size_t>(def.height));
    for (std::int32_t y = 0; y < height(); ++y)
      for (std::int32_t x = 0; x < width(); ++x) terrain.push_back(data_->walls.wall(x, y) ? kWall : kFloor);
    if (Status status = map->set_terrain(0, terrain); !status.ok()) return status;
    return map;
  });
}

}  // namespace drover
