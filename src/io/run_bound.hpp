// SPDX-License-Identifier: MIT
// Lower bounds of a scenario's makespan, and its optimum where that can be computed.
#pragma once
#include "crowd/evacuation_flow.hpp"

#include <drover/io.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace drover::io {

/// No run of the scenario can have all its agents arrive before any of these. docs/bounds.md.
struct RunBounds {
  std::optional<std::uint64_t> queue;  // nothing where no agent can arrive
  std::optional<std::uint64_t> ring;   // nothing unless bodies of 1x1 cells and one profile vanish at some goal
  std::optional<crowd::EvacuationOptimum> exact;  // where it was asked for
  /// (tick, agents): by this tick no plan can have more of them arrived. Ascending, where the number grows. From
  /// `exact` where that is known, else from ways and queues at the goal cells. May be empty.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> most_arrivals = {};
  std::string exact_note;  // why `exact` is absent, or under which rules it is the optimum

  std::optional<std::uint64_t> best() const;
};

enum class ExactBound : std::uint8_t { skip, compute };

/// Doors count as open and edits as done where that makes ways shorter. Agents with `via` count by their first leg,
/// agents with a retarget not at all, nor do goals whose cells `nearest` may choose anew when the map changes.
Result<RunBounds> run_bounds(const Scenario& scenario, ExactBound exact = ExactBound::skip);

}  // namespace drover::io
