// SPDX-License-Identifier: MIT
// Caves a cell at a time, as the rules are told: what the words must equal. Includes nothing of src/.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace drover::test {

/// '#' is wall; what lies outside is wall.
using CaveRows = std::vector<std::string>;

inline bool cave_wall(const CaveRows& rows, int x, int y) {
  if (y < 0 || y >= static_cast<int>(rows.size()) || x < 0 || x >= static_cast<int>(rows[0].size())) return true;
  return rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '#';
}

inline int cave_neighbours(const CaveRows& rows, int x, int y) {
  int walls = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if ((dx != 0 || dy != 0) && cave_wall(rows, x + dx, y + dy)) ++walls;
  return walls;
}

/// The pass of the original, in place.
inline void classic_pass(CaveRows& rows) {
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[y].size(); ++x) {
      const int walls = cave_neighbours(rows, static_cast<int>(x), static_cast<int>(y));
      rows[y][x] = walls >= (rows[y][x] == '#' ? 4 : 5) ? '#' : '.';
    }
}

inline CaveRows cave_generation(const CaveRows& rows, std::uint32_t birth, std::uint32_t survival) {
  CaveRows next = rows;
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[y].size(); ++x) {
      const int walls = cave_neighbours(rows, static_cast<int>(x), static_cast<int>(y));
      next[y][x] = ((rows[y][x] == '#' ? survival : birth) >> walls & 1) != 0 ? '#' : '.';
    }
  return next;
}

inline void lock_border(CaveRows& rows) {
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[y].size(); ++x)
      if (x == 0 || y == 0 || x + 1 == rows[y].size() || y + 1 == rows.size()) rows[y][x] = '#';
}

/// Sizes of the 4-connected (or 8-connected) groups of `letter`, in the order of their first cells.
inline std::vector<int> cave_groups(const CaveRows& rows, char letter, bool corners) {
  CaveRows left = rows;
  std::vector<int> sizes;
  const auto at = [&](int x, int y) -> char* {
    if (y < 0 || y >= static_cast<int>(rows.size()) || x < 0 || x >= static_cast<int>(rows[0].size())) return nullptr;
    return &left[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
  };
  for (int y = 0; y < static_cast<int>(rows.size()); ++y)
    for (int x = 0; x < static_cast<int>(rows[0].size()); ++x) {
      if (*at(x, y) != letter) continue;
      sizes.push_back(0);
      std::deque<std::pair<int, int>> queue{{x, y}};
      *at(x, y) = ' ';
      for (; !queue.empty(); queue.pop_front()) {
        ++sizes.back();
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            if (!corners && dx != 0 && dy != 0) continue;
            const int nx = queue.front().first + dx, ny = queue.front().second + dy;
            char* const there = at(nx, ny);
            if (there == nullptr || *there != letter) continue;
            *there = ' ';
            queue.emplace_back(nx, ny);
          }
      }
    }
  return sizes;
}

}  // namespace drover::test
