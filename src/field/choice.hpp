// SPDX-License-Identifier: MIT
// Before a build: the unit of stored costs, their width, and the engine.
#pragma once
#include <drover/field.hpp>

#include "base/memory.hpp"
#include "field/plan.hpp"

#include <span>

namespace drover::nav {
class CompiledGraph;
}

namespace drover::field {

/// How costs are stored: divided by `scale`, the greatest common divisor of all step costs and offsets. A step costs
/// (straight or diagonal) x (factor / factor_divisor) units; uniform maps have the factor in straight and diagonal.
struct Units {
  Cost scale = 1;
  std::uint64_t straight = 1, diagonal = 1;
  std::uint32_t factor_divisor = 1;
  bool uniform = true;
  bool in_step = false;                      // goals start whole steps apart
  bool free_steps = false;                   // some step may cost nothing
  std::uint64_t min_step = 1, max_step = 1;  // in units
  std::uint64_t max_factor = 1;
  bool bits64 = false;  // the worst total needs more than 32 bits
};

Units choose_units(const nav::CompiledGraph& graph, std::span<const Source> sources) noexcept;

struct Choice {
  FieldEngine engine = FieldEngine::heap;
  const char* reason = "";
  bool asked = false;
  bool straight_only = false;  // eight moves, of which no diagonal one is legal anywhere
};

/// The engine asked for where it applies, else the best one that does.
Choice choose_engine(const nav::CompiledGraph& graph, const Units& units, FieldEngine asked) noexcept;
/// As choose_engine, after a look at the map: O(cells).
Choice choose_for_build(const nav::CompiledGraph& graph, const Units& units, FieldEngine asked) noexcept;
/// The best one besides the sweep, which gave up.
Choice choose_after_sweep(const nav::CompiledGraph& graph, const Units& units, const char* gave_up) noexcept;

}  // namespace drover::field
