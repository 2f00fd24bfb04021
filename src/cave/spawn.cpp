// SPDX-License-Identifier: MIT
// All squares that fit, as bits; constraints take some away; one of the rest is drawn.
#include "base/counter_rng.hpp"
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "field/goal_area.hpp"
#include "nav/compiled_graph.hpp"

#include <drover/cave.hpp>

#include <algorithm>
#include <bit>
#include <optional>

namespace drover {
namespace {

using nav::Word;

/// Keeps these draws apart from those for anything else with the same seed.
constexpr std::uint32_t kSpawnDomain = 0x5350574E;  // "SPWN"

/// A square that is taken, with the definition it was drawn for.
struct Taken {
  Cell cell;
  std::int32_t size;
  std::uint32_t def;
};

/// The anchors where one definition may still be put.
class Places {
 public:
  Places(const nav::CompiledGraph& graph, std::int32_t size)
      : shape_(graph.shape()), size_(size), bits_(graph.fits(), graph.fits() + shape_.padded_cells() / 64) {}

  std::uint32_t count() const noexcept {
    std::uint32_t sum = 0;
    for (const Word w : bits_) sum += static_cast<std::uint32_t>(std::popcount(w));
    return sum;
  }

  /// Number `rank` among them, in the order of indices.
  CellIndex at(std::uint32_t rank) const noexcept {
    for (std::uint32_t i = 0;; ++i) {
      const auto here = static_cast<std::uint32_t>(std::popcount(bits_[i]));
      if (rank >= here) {
        rank -= here;
        continue;
      }
      Word w = bits_[i];
      for (; rank > 0; --rank) w &= w - 1;
      return {i * 64 + static_cast<std::uint32_t>(std::countr_zero(w))};
    }
  }

  /// Those whose square comes closer to a square than `gap` free cells.
  void keep_off(Cell cell, std::int32_t size, std::int32_t gap) noexcept {
    const Cell o = shape_.origin();
    const std::int64_t before = std::int64_t{size_} - 1 + gap, behind = std::int64_t{size} - 1 + gap;
    const std::int64_t left = std::max<std::int64_t>(0, std::int64_t{cell.x} - o.x - before),
                       right = std::min<std::int64_t>(shape_.width() - 1, std::int64_t{cell.x} - o.x + behind),
                       top = std::max<std::int64_t>(0, std::int64_t{cell.y} - o.y - before),
                       bottom = std::min<std::int64_t>(shape_.height() - 1, std::int64_t{cell.y} - o.y + behind);
    for (std::int64_t y = top; y <= bottom; ++y)
      for (std::int64_t x = left; x <= right; ++x)
        drop(shape_.at(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), cell.layer));
  }

  /// Keeps those whose shortest way from `from`, for the body of `graph`, has least .. most steps.
  void keep_near(const nav::CompiledGraph& graph, CellIndex from, std::uint64_t least, std::uint64_t most) {
    std::vector<Word> kept(bits_.size()), seen(bits_.size());
    std::vector<std::uint32_t> front, next;
    if (graph.footing(from) == Footing::open) front.push_back(from.value);
    seen[from.value / 64] |= Word{1} << from.value % 64;
    for (std::uint64_t steps = 0; !front.empty() && steps <= most; ++steps) {
      next.clear();
      for (const std::uint32_t here : front) {
        if (steps >= least) kept[here / 64] |= Word{1} << here % 64;
        each_step(graph, here, [&](std::uint32_t there) {
          const Word bit = Word{1} << there % 64;
          if ((seen[there / 64] & bit) != 0) return;
          seen[there / 64] |= bit;
          next.push_back(there);
        });
      }
      front.swap(next);
    }
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] &= kept[i];
  }

  void keep_unseen(const nav::CompiledGraph& single, Cell from) {
    const GoalArea seen{GoalArea::Rule::in_sight, from, kMaxGoalRadius};
    for (const std::uint32_t cell : field::cells_of(single, seen)) keep_off(shape_.cell({cell}), 1, 0);
  }

 private:
  void drop(std::uint32_t cell) noexcept { bits_[cell / 64] &= ~(Word{1} << cell % 64); }

  template <class Visit>
  void each_step(const nav::CompiledGraph& graph, std::uint32_t here, Visit&& visit) const {
    for (unsigned moves = graph.moves()[here]; moves != 0; moves &= moves - 1)
      visit(here + shape_.step(static_cast<Direction>(std::countr_zero(moves))));
    for (const nav::Portal& portal : graph.portals().leaving(here)) visit(portal.to);
  }

  const GridShape shape_;
  std::int32_t size_;
  std::vector<Word> bits_;
};

/// One call of place_spawns().
class Placing {
 public:
  Placing(const MapView& map, const MovementProfile& profile, std::span<const SpawnDef> defs, std::uint64_t seed)
      : map_(map), profile_(profile), defs_(defs), rng_(seed, kSpawnDomain) {}

  Result<std::vector<Spawn>> run() {
    for (std::uint32_t i = 0; i < defs_.size(); ++i)
      if (Status status = check(i); !status.ok()) return status;
    for (std::uint32_t i = 0; i < defs_.size(); ++i)
      if (Status status = place(i); !status.ok()) return status;
    return std::move(spawns_);
  }

 private:
  Status check(std::uint32_t number) const {
    const SpawnDef& def = defs_[number];
    if (def.size < 1 || def.size > kMaxFootprint)
      return {StatusCode::argument,
              base::concat("'", def.name, "' of size ", def.size, "; expected 1 .. ", kMaxFootprint)};
    if (def.spacing < 0) return {StatusCode::argument, base::concat("'", def.name, "' with spacing ", def.spacing)};
    if (!def.region_of && (def.min_steps > 0 || def.max_steps != ~std::uint64_t{0}))
      return {StatusCode::argument, base::concat("'", def.name, "' at a distance from nothing: region_of is missing")};
    for (const auto& place : {def.region_of, def.out_of_sight_of}) {
      const auto* const cell = place ? std::get_if<Cell>(&*place) : nullptr;
      if (cell != nullptr && !map_.shape().contains(*cell))
        return {StatusCode::position, base::concat("'", def.name, "': ", base::cell_text(*cell), " is not on the map")};
      const auto* const other = place ? std::get_if<std::uint32_t>(&*place) : nullptr;
      if (other != nullptr && (*other >= number || defs_[*other].count == 0))
        return {StatusCode::argument, base::concat("'", def.name, "': definition ", *other,
                                                   " is not there yet; an earlier one that puts a square is expected")};
    }
    return {};
  }

  Cell cell_of(const SpawnPlace& place) const {
    if (const auto* const cell = std::get_if<Cell>(&place)) return *cell;
    const std::uint32_t def = std::get<std::uint32_t>(place);
    return std::find_if(spawns_.begin(), spawns_.end(), [&](const Spawn& s) { return s.def == def; })->cell;
  }

  Status place(std::uint32_t number) {
    const SpawnDef& def = defs_[number];
    if (def.count == 0) return {};
    if (def.size > std::min(map_.shape().width(), map_.shape().height()))
      return none(def, 0, "is larger than the map", 0);
    auto graph = graph_of(def.size);
    if (!graph.ok()) return graph.status();
    Places places((*graph)->compiled(), def.size);
    if (Status status = constrain(places, number); !status.ok()) return status;
    for (std::uint32_t k = 0; k < def.count; ++k) {
      const std::uint32_t count = places.count();
      if (count == 0) return none(def, k, "has no place left beside those", 0);
      const std::uint64_t draw = std::uint64_t{number} << 32 | k;
      const Cell cell = map_.shape().cell(places.at(rng_.uniform(draw, count)));
      places.keep_off(cell, def.size, def.spacing);
      taken_.push_back({cell, def.size, number});
      spawns_.push_back({number, cell});
    }
    return {};
  }

  Status constrain(Places& places, std::uint32_t number) {
    const SpawnDef& def = defs_[number];
    std::uint32_t left = places.count();
    if (left == 0) return none(def, 0, "fits nowhere", 0);
    for (const Taken& t : taken_) places.keep_off(t.cell, t.size, 0);
    if (places.count() == 0) return none(def, 0, "fits only where others were put", left);
    if (def.region_of) {
      left = places.count();
      const Cell from = cell_of(*def.region_of);
      if (Status status = keep_near(places, def, from); !status.ok()) return status;
      if (places.count() == 0)
        return none(def, 0, base::concat("is at no allowed distance from ", base::cell_text(from)), left);
    }
    if (def.out_of_sight_of) {
      left = places.count();
      auto single = graph_of(1);
      if (!single.ok()) return single.status();
      const Cell from = cell_of(*def.out_of_sight_of);
      places.keep_unseen((*single)->compiled(), from);
      if (places.count() == 0) return none(def, 0, base::concat("is always in sight of ", base::cell_text(from)), left);
    }
    return {};
  }

  // By the ways of the largest body, up to the size of the square, that stands at `from`.
  Status keep_near(Places& places, const SpawnDef& def, Cell from) {
    const CellIndex index = map_.shape().index(from);
    for (std::int32_t size = def.size;; --size) {
      auto graph = graph_of(size);
      if (!graph.ok()) return graph.status();
      if (size > 1 && (*graph)->compiled().footing(index) != Footing::open) continue;
      places.keep_near((*graph)->compiled(), index, def.min_steps, def.max_steps);
      return {};
    }
  }

  static Status none(const SpawnDef& def, std::uint32_t placed, std::string_view why, std::uint32_t squares) {
    return {StatusCode::spawn_none,
            base::concat("'", def.name, "' of ", def.size, " x ", def.size, " ", why,
                         squares > 0 ? base::concat(": none of ", squares, " free squares") : "",
                         placed > 0 ? base::concat("; ", placed, " of ", def.count, " were put") : "")};
  }

  /// Compiled once for each size.
  Result<const NavGraph*> graph_of(std::int32_t size) {
    std::optional<NavGraph>& graph = graphs_[static_cast<std::size_t>(size - 1)];
    if (!graph) {
      MovementProfile profile = profile_;
      profile.footprint = size;
      profile.body_radius.reset();
      auto compiled = NavGraph::compile(map_, profile);
      if (!compiled.ok()) return compiled.status();
      graph = *compiled;
    }
    return &*graph;
  }

  const MapView& map_;
  const MovementProfile& profile_;
  std::span<const SpawnDef> defs_;
  base::CounterRng rng_;
  std::optional<NavGraph> graphs_[kMaxFootprint];
  std::vector<Taken> taken_;
  std::vector<Spawn> spawns_;
};

}  // namespace

Result<std::vector<Spawn>> place_spawns(const MapView& map, const MovementProfile& profile,
                                        std::span<const SpawnDef> spawns, std::uint64_t seed) {
  return base::no_throw([&] { return Placing(map, profile, spawns, seed).run(); });
}

}  // namespace drover
