// SPDX-License-Identifier: MIT
// Which steps a settled cell still has to try, given the step by which it was settled.
#pragma once
#include <drover/geometry.hpp>

#include <array>
#include <cstdint>

namespace drover::field {

// A wave that came to p from q by a step of direction k need not touch what q reaches at least as cheaply without p
// (canonical orderings: Harabor and Grastien, AAAI 2011; Sturtevant and Rabin, IJCAI 2016). For one factor everywhere
// and straight <= diagonal < 2 x straight. A straight touch is left out only where the other way is strictly cheaper. A
// diagonal touch is also left out where the other way costs the same and ends with a straight step, which then is never
// left out itself. So every cell is still touched at its least cost.

namespace pruning {

constexpr int turned(int k, int quarters) { return (k & 4) | ((k + quarters) & 3); }
constexpr std::uint8_t bit(int k) { return static_cast<std::uint8_t>(1u << k); }

// Arrival by straight k; the relations are those of k = east, turned.
constexpr std::uint8_t after_straight(int k, unsigned moves) {
  const int ahead = k, left = turned(k, 3), right = turned(k, 1);
  // North-west, north-east, south-east, south-west of an arrival by east.
  const int back_left = 4 + ((k + 2) & 3), ahead_left = 4 + ((k + 3) & 3), ahead_right = 4 + (k & 3),
            back_right = 4 + ((k + 1) & 3);
  const bool left_shortcut = (moves & bit(back_left)) != 0, right_shortcut = (moves & bit(back_right)) != 0;
  unsigned keep = bit(ahead);
  if (!left_shortcut) keep |= bit(left);
  if (!right_shortcut) keep |= bit(right);
  if (!left_shortcut || (moves & bit(left)) == 0) keep |= bit(ahead_left);
  if (!right_shortcut || (moves & bit(right)) == 0) keep |= bit(ahead_right);
  return static_cast<std::uint8_t>(moves & keep);
}

// Arrival by diagonal k = 4 + i, which lies between straight i and straight i + 1.
constexpr std::uint8_t after_diagonal(int k, unsigned moves) {
  const int a = k & 3, b = (k + 1) & 3, behind_a = (a + 2) & 3, behind_b = (b + 2) & 3;
  unsigned keep = bit(a) | bit(b) | bit(k);
  // The diagonal between a and behind_b starts at the cell behind_b of p; a way round needs that cell.
  if ((moves & bit(behind_b)) == 0) keep |= bit(4 + behind_b);
  if ((moves & bit(behind_a)) == 0) keep |= bit(4 + b);
  return static_cast<std::uint8_t>(moves & keep);
}

}  // namespace pruning

using PruneTable = std::array<std::uint8_t, kDirections * 256>;

/// [direction of arrival][moves]: steps to try, for eight moves and one factor everywhere.
inline constexpr PruneTable kPruneUniform8 = [] {
  PruneTable table{};
  for (int k = 0; k < kDirections; ++k) {
    for (unsigned moves = 0; moves < 256; ++moves) {
      table[static_cast<std::size_t>(k) * 256 + moves] =
          k < 4 ? pruning::after_straight(k, moves) : pruning::after_diagonal(k, moves);
    }
  }
  return table;
}();

// With factors only what no factor can make worthwhile: from q to p by k, p need not touch what q touches strictly
// cheaper. Whether a sideways step after a straight one is such depends on the factors of q and p: `shortcut`.
namespace pruning {

constexpr std::uint8_t after_weighted(int k, unsigned moves, bool shortcut) {
  const int right = (k + 1) & 3, behind = (k + 2) & 3, left = (k + 3) & 3;
  unsigned drop = 0;
  if (k < 4) {
    drop = bit(behind) | bit(4 + right) | bit(4 + behind);
    if (shortcut && (moves & bit(4 + right)) != 0) drop |= bit(right);
    if (shortcut && (moves & bit(4 + behind)) != 0) drop |= bit(left);
  } else {
    drop = bit(behind) | bit(left) | bit(4 + behind);
  }
  return static_cast<std::uint8_t>(moves & ~drop);
}

}  // namespace pruning

/// Index into the tables below; direction kDirections: from nowhere, all moves stay.
constexpr unsigned prune_index(unsigned direction, unsigned moves, bool shortcut) noexcept {
  return (direction * 2 + (shortcut ? 1u : 0u)) * 256 + moves;
}
using WeightedTable = std::array<std::uint8_t, (kDirections + 1) * 512>;

inline constexpr WeightedTable kPruneWeighted8 = [] {
  WeightedTable table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    const int k = static_cast<int>(i >> 9);
    table[i] = k == kDirections ? static_cast<std::uint8_t>(i & 255u)
                                : pruning::after_weighted(k, i & 255u, (i >> 8 & 1u) != 0);
  }
  return table;
}();

/// Only the step straight back is left out: right for any costs.
inline constexpr WeightedTable kPruneBack = [] {
  WeightedTable table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    const int k = static_cast<int>(i >> 9), back = (k & 4) | ((k + 2) & 3);
    table[i] = static_cast<std::uint8_t>(i & 255u & ~(k == kDirections ? 0u : pruning::bit(back)));
  }
  return table;
}();

}  // namespace drover::field
