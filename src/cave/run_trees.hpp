// SPDX-License-Identifier: MIT
// Sets of runs as trees: union by the smaller number, paths halved.
#pragma once
#include <algorithm>
#include <cstdint>

namespace drover::cave {

/// A parent is never larger than its child.
inline std::uint32_t root_of(std::uint32_t* parent, std::uint32_t run) noexcept {
  while (parent[run] != run) run = parent[run] = parent[parent[run]];
  return run;
}

/// `above` < `below`. Most runs meet their first one here, alone until then.
inline void join_trees(std::uint32_t* parent, std::uint32_t above, std::uint32_t below) noexcept {
  if (parent[below] == below) {
    parent[below] = parent[above];
    return;
  }
  const std::uint32_t p = root_of(parent, above), q = root_of(parent, below);
  parent[std::max(p, q)] = std::min(p, q);
}

}  // namespace drover::cave
