// SPDX-License-Identifier: MIT
// A field worked out the slow way on a grid type of its own: what every engine must equal, cell by cell.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace drover::oracle {

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

/// One character a cell: '.' free, '#' not free, '?' unknown. `factor` is what entering a cell is multiplied by.
struct Ground {
  int width = 0, height = 0, layers = 1;
  std::vector<char> cells;
  std::vector<std::uint32_t> factor;

  std::size_t at(int x, int y, int layer) const { return static_cast<std::size_t>((layer * height + y) * width + x); }
};

struct Body {
  int size = 1;
  bool eight = true;
  int sides_needed = 2;  // free orthogonal placements that a diagonal needs: 2 strict, 1 one_free, 0 none
  std::uint64_t straight = 10, diagonal = 14;
};

struct Target {
  int x = 0, y = 0, layer = 0;
  std::uint64_t offset = 0;
};

/// Letters: 'G' goal, '0'..'7' first optimal step in the order N E S W NE SE SW NW, 'x' no way, '#' not free,
/// 'o' free without room, '?' unknown.
struct Reference {
  std::vector<std::uint64_t> cost;
  std::vector<std::uint32_t> hops;  // fewest steps of an optimal way
  std::vector<std::uint8_t> ties;
  std::string letters;
  std::vector<std::uint32_t> goal_of;  // entry of the list where the letters lead, ~0 where nowhere
};

bool fits(const Ground& ground, const Body& body, int x, int y, int layer);
Reference reference_field(const Ground& ground, const Body& body, const std::vector<Target>& targets);

}  // namespace drover::oracle
