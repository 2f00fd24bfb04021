// SPDX-License-Identifier: MIT
// Handles: an index with a generation, so that a handle of something removed is noticed.
#pragma once
#include <cstdint>

namespace drover {

/// Handle of something a Simulation owns. Zero (default) is null. Never reused: a removed object's slot gets a new
/// generation.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;

  constexpr bool null() const noexcept { return generation == 0; }
  friend constexpr bool operator==(Id, Id) noexcept = default;
};

using AgentId = Id<struct AgentTag>;
using GoalId = Id<struct GoalTag>;
using ProfileId = Id<struct ProfileTag>;

}  // namespace drover
