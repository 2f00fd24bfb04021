// SPDX-License-Identifier: MIT
// Units and engine of a build.
#include "field/choice.hpp"

#include "field/board_kernels.hpp"
#include "field/buckets.hpp"
#include "field/tile_sweep.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace drover::field {
namespace {

constexpr std::uint64_t kLeastTiledCells = 1024;
// Rows of a random map with 30 % walls have runs of 3.3 free cells: from there on other engines than the sweep are
// faster, and no trial is needed. Caves have 10 and more.
constexpr std::uint64_t kScatteredCells = 7, kScatteredRuns = 2;
// A square of free cells for fewer than this many cells: a maze. 40 % noise has one for 5.
constexpr std::uint64_t kCorridorSquares = 16;

// Zero where there is no open cell. Most maps settle at 1 within the first cells.
std::uint32_t common_factor(const nav::CompiledGraph& graph) noexcept {
  const GridShape& shape = graph.shape();
  std::uint32_t divisor = 0;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      const std::uint32_t first = shape.at(0, row, layer);
      for (std::uint32_t p = first; p < first + static_cast<std::uint32_t>(shape.width()); ++p) {
        if (graph.footing({p}) != Footing::open) continue;
        const std::uint32_t factor = graph.factors()[p];
        if (divisor == 0 || factor % divisor != 0) divisor = std::gcd(divisor, factor);
        if (divisor == 1) return 1;
      }
    }
  }
  return divisor;
}

bool fits_32_bits(const nav::CompiledGraph& graph, std::uint64_t max_step, std::uint64_t max_offset) noexcept {
  // One step more than there are cells: engines look one step ahead. At most 2^28 cells x 2^33 a step, plus 2^62.
  return max_offset + (graph.open_cells() + 1) * max_step < FlowFieldData::kNone<std::uint32_t>;
}

bool applies(FieldEngine engine, const nav::CompiledGraph& graph, const Units& units) noexcept {
  const bool eight = graph.profile().moves == Moves::eight;
  if (engine == FieldEngine::sweep) {
    return !units.bits64 && !units.free_steps && units.max_step <= kMaxTileStep && graph.max_surcharge() == 0 &&
           tile_kernels(simd_in_use()) != nullptr;
  }
  if (graph.directed() && engine != FieldEngine::textbook) return engine == FieldEngine::directed;
  switch (engine) {
    case FieldEngine::textbook:
    case FieldEngine::heap:
    case FieldEngine::directed:
      return true;
    case FieldEngine::breadth_first:
      return units.uniform && !units.free_steps && (!eight || units.straight == units.diagonal);
    case FieldEngine::bitboards:
      return units.uniform && !units.free_steps && !eight && !units.bits64 && units.in_step &&
             board_kernels(simd_in_use()) != nullptr;
    case FieldEngine::two_cursor:
      return units.uniform && !units.free_steps && eight;
    case FieldEngine::buckets:
      return (units.max_step >> bucket_shift(units.min_step, units.max_step)) <= kMaxBucketSpan;
    case FieldEngine::automatic:
    case FieldEngine::sweep:
    case FieldEngine::queue:
      break;
  }
  return false;
}

// A few cells are done before the tiles are set up: bench field --size 16 .. 64.
bool worth_tiles(const nav::CompiledGraph& graph) noexcept { return graph.shape().cell_count() >= kLeastTiledCells; }

// A unit is a unit of cost: what edges add has no divisor worth a search.
Units directed_units(const nav::CompiledGraph& graph, std::uint64_t max_offset) noexcept {
  Units units;
  const bool eight = graph.profile().moves == Moves::eight;
  units.uniform = graph.factors() == nullptr;
  const std::uint64_t factor = units.uniform ? graph.uniform_factor() : 1;
  units.straight = graph.base().straight * factor;
  units.diagonal = graph.base().diagonal * factor;
  if (!units.uniform) units.max_factor = graph.max_factor();
  units.min_step = std::uint64_t{graph.base().straight} * graph.min_factor();
  units.max_step = (eight ? units.diagonal : units.straight) * units.max_factor + graph.max_surcharge();
  if (!graph.portals().empty()) {
    units.min_step = std::min<std::uint64_t>(units.min_step, graph.portals().min_cost());
    units.max_step = std::max<std::uint64_t>(units.max_step, graph.portals().max_cost());
  }
  units.free_steps = graph.open_cells() > 0 && units.min_step == 0;
  units.bits64 = !fits_32_bits(graph, units.max_step, max_offset);
  return units;
}

// Each cell is one masked store of 16 bits: bench field, noise with four moves, takes 9.8 ns a cell where there is one
// instruction for it, else 32; a queue 12.
bool boards_are_quick() noexcept { return simd_in_use() >= Simd::avx512; }

Choice choose_queue(const nav::CompiledGraph& graph, const Units& units, bool refused) noexcept {
  if (graph.directed()) {
    return {FieldEngine::directed,
            refused ? "the engine asked for does not apply: steps differ by direction" : "steps differ by direction"};
  }
  if (applies(FieldEngine::bitboards, graph, units) && worth_tiles(graph) && boards_are_quick()) {
    return {FieldEngine::bitboards,
            refused ? "the engine asked for does not apply: all steps cost the same" : "all steps cost the same"};
  }
  if (applies(FieldEngine::breadth_first, graph, units)) {
    return {FieldEngine::breadth_first,
            refused ? "the engine asked for does not apply: all steps cost the same" : "all steps cost the same"};
  }
  if (applies(FieldEngine::two_cursor, graph, units)) {
    return {FieldEngine::two_cursor, refused ? "the engine asked for does not apply: diagonal steps cost more"
                                             : "one factor everywhere, eight moves"};
  }
  if (applies(FieldEngine::buckets, graph, units)) {
    return {FieldEngine::buckets, refused            ? "the engine asked for does not apply: cells have weights"
                                  : units.free_steps ? "some steps are free"
                                                     : "cells have weights"};
  }
  return {FieldEngine::heap,
          refused ? "the engine asked for does not apply: steps are too uneven" : "steps are too uneven for buckets"};
}

enum class Walls : std::uint8_t { sparse, scattered, corridors };

// From runs of free cells in rows, and squares of 2 x 2 of them (those across words do not count).
Walls survey(const nav::CompiledGraph& graph) noexcept {
  const nav::Word* const fits = graph.fits();
  const std::uint32_t row = graph.shape().stride() / 64, words = graph.shape().padded_cells() / 64;
  std::uint64_t runs = 0, squares = 0;
  nav::Word before = 0;
  for (std::uint32_t w = 0; w + row < words; ++w) {
    const nav::Word both = fits[w] & fits[w + row];
    runs += static_cast<std::uint64_t>(std::popcount(fits[w] & ~(fits[w] << 1 | before >> 63)));
    squares += static_cast<std::uint64_t>(std::popcount(both & both >> 1));
    before = fits[w];
  }
  if (squares * kCorridorSquares < graph.open_cells()) return Walls::corridors;
  return graph.open_cells() * kScatteredRuns < runs * kScatteredCells ? Walls::scattered : Walls::sparse;
}

bool straight_only(const nav::CompiledGraph& graph) noexcept {
  constexpr std::uint32_t kChunk = 4096;
  const std::uint8_t* const moves = graph.moves();
  const std::uint32_t cells = graph.shape().padded_cells();
  for (std::uint32_t i = 0; i < cells; i += kChunk) {
    unsigned all = 0;
    for (std::uint32_t p = i; p < std::min(i + kChunk, cells); ++p) all |= moves[p];
    if (all > 15u) return false;
  }
  return true;
}

// What replaces the sweep where it is not the best, or gave up.
Choice instead_of_sweep(const nav::CompiledGraph& graph, const Units& units, Walls walls, const char* reason) noexcept {
  Choice choice{choose_queue(graph, units, false).engine, reason};
  if (choice.engine == FieldEngine::bitboards && walls == Walls::corridors) choice.engine = FieldEngine::breadth_first;
  if (choice.engine == FieldEngine::two_cursor && walls == Walls::corridors && straight_only(graph)) {
    choice.engine = FieldEngine::breadth_first;
    choice.straight_only = true;
  }
  return choice;
}

}  // namespace

Units choose_units(const nav::CompiledGraph& graph, std::span<const Source> sources) noexcept {
  if (graph.directed()) return directed_units(graph, sources.empty() ? 0 : sources.back().cost);
  Units units;
  const bool eight = graph.profile().moves == Moves::eight;
  const StepCosts base = graph.base();
  units.uniform = graph.factors() == nullptr;
  units.free_steps = graph.open_cells() > 0 && graph.min_factor() == 0;
  const std::uint32_t base_divisor = eight ? std::gcd(base.straight, base.diagonal) : base.straight;
  const std::uint32_t factor_divisor = units.uniform ? graph.uniform_factor() : common_factor(graph);
  units.factor_divisor = factor_divisor == 0 ? 1 : factor_divisor;
  const std::uint64_t steps_divisor = std::uint64_t{base_divisor} * units.factor_divisor;
  units.scale = steps_divisor;
  for (const Source& source : sources) units.scale = std::gcd(units.scale, source.cost);
  const std::uint64_t extra = steps_divisor / units.scale;
  units.straight = base.straight / base_divisor * extra;
  units.diagonal = base.diagonal / base_divisor * extra;
  if (units.uniform && graph.uniform_factor() == 0) units.straight = units.diagonal = 0;
  if (!units.uniform) units.max_factor = graph.max_factor() / units.factor_divisor;
  const std::uint64_t min_factor = units.uniform ? 1 : graph.min_factor() / units.factor_divisor;
  units.min_step = units.straight * min_factor;
  units.max_step = (eight ? units.diagonal : units.straight) * units.max_factor;
  const std::uint64_t max_offset = sources.empty() ? 0 : sources.back().cost / units.scale;
  units.in_step = std::all_of(sources.begin(), sources.end(), [&](const Source& source) {
    return (source.cost - sources.front().cost) / units.scale % std::max<std::uint64_t>(units.straight, 1) == 0;
  });
  units.bits64 = !fits_32_bits(graph, units.max_step, max_offset);
  return units;
}

Choice choose_engine(const nav::CompiledGraph& graph, const Units& units, FieldEngine asked) noexcept {
  if (asked != FieldEngine::automatic && applies(asked, graph, units)) return {asked, "asked for", true};
  if (asked == FieldEngine::queue) return choose_queue(graph, units, false);
  const bool refused = asked != FieldEngine::automatic;
  if (applies(FieldEngine::sweep, graph, units) && worth_tiles(graph)) {
    return {FieldEngine::sweep, refused ? "the engine asked for does not apply: whole tiles are settled at once"
                                        : "whole tiles are settled at once"};
  }
  return choose_queue(graph, units, refused);
}

Choice choose_for_build(const nav::CompiledGraph& graph, const Units& units, FieldEngine asked) noexcept {
  const Choice choice = choose_engine(graph, units, asked);
  if (choice.engine != FieldEngine::sweep || choice.asked || !units.uniform || graph.directed()) return choice;
  const Walls walls = survey(graph);
  if (walls == Walls::sparse) return choice;
  return instead_of_sweep(graph, units, walls,
                          walls == Walls::corridors ? "corridors, few open squares" : "walls are scattered");
}

Choice choose_after_sweep(const nav::CompiledGraph& graph, const Units& units, const char* gave_up) noexcept {
  return instead_of_sweep(graph, units, survey(graph), gave_up);
}

}  // namespace drover::field
