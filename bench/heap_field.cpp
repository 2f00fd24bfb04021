// SPDX-License-Identifier: MIT
// What one writes first: lazy deletion, bounds checked by a frame of walls.
#include "heap_field.hpp"

#include <functional>
#include <queue>

namespace drover::bench {

void heap_field(const BenchMap& map, Cell goal, int moves, std::vector<std::uint32_t>& costs) {
  costs.assign(map.wall.size(), kFar);
  using Entry = std::pair<std::uint32_t, std::uint32_t>;  // cost, cell
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto width = static_cast<std::uint32_t>(map.width);
  const auto start = static_cast<std::uint32_t>(map.at(goal.x, goal.y));
  costs[start] = 0;
  open.emplace(0, start);
  while (!open.empty()) {
    const auto [cost, cell] = open.top();
    open.pop();
    if (cost != costs[cell]) continue;
    const auto x = static_cast<std::int32_t>(cell % width), y = static_cast<std::int32_t>(cell / width);
    // From v outwards: who steps into v pays for v.
    const std::uint32_t weight = map.weights.empty() ? 1 : map.weights[cell];
    for (int d = 0; d < moves; ++d) {
      const std::int32_t nx = x + kDx[d], ny = y + kDy[d];
      if (nx < 0 || ny < 0 || nx >= map.width || ny >= map.height || map.wall[map.at(nx, ny)] != 0) continue;
      if (d >= 4 && (map.wall[map.at(nx, y)] != 0 || map.wall[map.at(x, ny)] != 0)) continue;
      const std::uint32_t next = cost + (d < 4 ? 10 : 14) * weight;
      const auto to = static_cast<std::uint32_t>(map.at(nx, ny));
      if (next >= costs[to]) continue;
      costs[to] = next;
      open.emplace(next, to);
    }
  }
}

}  // namespace drover::bench
