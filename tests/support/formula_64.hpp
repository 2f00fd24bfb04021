// SPDX-License-Identifier: MIT
// The 64 x 64 map that several cases share, and its 300 most distant starts.
#pragma once
#include <drover/field.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace drover::test {

/// A cell is wall when ((x * 73856093) xor (y * 19349663)) mod 100 < 25; six cells in the corners are clear.
inline std::vector<std::string> formula_64() {
  std::vector<std::string> rows(64, std::string(64, '.'));
  for (std::uint64_t y = 0; y < 64; ++y)
    for (std::uint64_t x = 0; x < 64; ++x)
      if (((x * 73856093) ^ (y * 19349663)) % 100 < 25) rows[y][x] = '#';
  for (const Cell c : {Cell{0, 0}, Cell{1, 0}, Cell{0, 1}, Cell{63, 63}, Cell{62, 63}, Cell{63, 62}})
    rows[static_cast<std::size_t>(c.y)][static_cast<std::size_t>(c.x)] = '.';
  return rows;
}

/// The 300 reachable cells with the largest cost to 63,63, ties by cell index; keys of agents are the positions in that
/// list plus 1.
inline std::vector<Cell> far_cells_of_formula_64(const MapView& map) {
  const FieldRef field = *FieldBuilder().build(*NavGraph::compile(map, {}), {{{{63, 63}, 0}}, GoalPlacement::exact});
  std::vector<std::pair<Cost, Cell>> cells;
  for (std::int32_t y = 0; y < 64; ++y)
    for (std::int32_t x = 0; x < 64; ++x) {
      const CellIndex i = map.shape().index({x, y});
      if (field->state(i) == CellState::reachable) cells.emplace_back(field->cost_to_goal(i), Cell{x, y});
    }
  std::stable_sort(cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Cell> result;
  for (std::size_t i = 0; i < 300; ++i) result.push_back(cells[i].second);
  return result;
}

}  // namespace drover::test
