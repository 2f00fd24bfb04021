// SPDX-License-Identifier: MIT
// A lower bound of the makespan from distances and the capacity of the goal cells.
#pragma once
#include <drover/io.hpp>

namespace drover::io {

/// No run of this scenario can have all its agents arrive earlier; nothing where no agent can arrive.
///
/// An agent whose way takes s steps cannot arrive before tick s; a goal cell where agents vanish takes one of them a
/// tick. So, with g goal cells and n agents at s steps or more, the last of those arrives at s + ceil(n / g) - 1 at the
/// earliest. Doors count as open and edits as done where that makes ways shorter. Agents with `via` or a retarget count
/// by their first leg or not at all.
Result<std::optional<std::uint64_t>> queue_bound(const Scenario& scenario);

}  // namespace drover::io
