// SPDX-License-Identifier: MIT
// What `drover verify` judges: a map as it changes, the profiles and the goals.
#pragma once
#include "map_options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace drover::cli {

struct NamedGoal {
  std::string name;
  GoalDef goal;
};

struct VerifySubject {
  GridMap map;  // at tick 0
  std::vector<MovementProfile> profiles;
  std::vector<NamedGoal> goals;
  std::vector<std::pair<std::uint64_t, MapEdit>> changes;  // one a tick, ascending, above 0
  std::vector<GoalCell> drawn;                             // goals that nobody named
  std::vector<std::string> inputs;                         // files that MAP names
};

/// Every profile and goal of a scenario, or those that the options name. A map without a goal gets three, drawn by
/// `seed` from where the body can stand.
VerifySubject load_subject(const MapOptions& options, std::uint64_t seed);

}  // namespace drover::cli
