// SPDX-License-Identifier: MIT
// Every place that a few agents can ever be in together, by exhaustion.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace drover::oracle {

struct JointWalker {
  int x = 0, y = 0, goal_x = 0, goal_y = 0;
};

/// Agents of one cell on a drawn map ('#' is wall). Steps last one tick; diagonal ones need both cells beside them.
struct JointWorld {
  std::vector<std::string> rows;
  bool eight = true, discs = true, following = true, vanish = false;
  int radius_percent = 35;  // of a cell, of discs
  std::vector<JointWalker> walkers;
};

/// Fewest ticks until all are at their goals at once (or gone, where they vanish); -1: never; -2: more than `most`
/// places.
int joint_optimum(const JointWorld& world, std::uint64_t most);

}  // namespace drover::oracle
