// SPDX-License-Identifier: MIT
// What a simulation does with decided steps, for tests that have an arbiter alone.
#pragma once
#include "crowd/agents.hpp"

#include <drover/geometry.hpp>

namespace drover::test {

/// Age is ticks since the last step here.
inline void carry_out(crowd::Agents& agents, const GridShape& shape) {
  for (std::uint32_t a = 0; a < agents.size(); ++a) {
    const std::uint8_t step = agents.move[a];
    agents.move[a] = crowd::kStay;
    if (step >= kDirections) {
      ++agents.age[a];
      continue;
    }
    agents.age[a] = 0;
    agents.came_by[a] = step;
    agents.cell[a] += shape.step(static_cast<Direction>(step));
  }
}

}  // namespace drover::test
