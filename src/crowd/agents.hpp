// SPDX-License-Identifier: MIT
// Agents as plain arrays: one slot an agent, one array a property.
#pragma once
#include <drover/crowd.hpp>
#include <drover/profile.hpp>

#include <cstdint>
#include <vector>

namespace drover::crowd {

inline constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// An agent's step of this tick: 0 .. 7 a direction, or one of these.
inline constexpr std::uint8_t kStay = 8, kUndecided = 9, kPortal = 10;

/// best_cost of an agent whose own cell is the best it has had.
inline constexpr Cost kAtBest = kInfiniteCost;

/// What an agent last read of a field, so that nobody asks a large field twice for one cell. Holds for one epoch (see
/// PairRead) and one cell; a cache, no part of any state.
struct Seen {
  std::uint64_t epoch = 0;
  std::uint32_t cell = kNobody;
  std::uint32_t order = 0;   // 4 bits a candidate: its direction, and 8 that it is one
  std::uint16_t levels = 0;  // 2 bits a direction: uphill, level
  std::uint8_t ties = 0;
  bool ranked = false;  // order and levels are known
};

/// Slots are stable for an agent's life; a removed agent's slot is used again with the next generation. Everything the
/// arbiter touches is here, everything that only the host asks about is in sim/.
struct Agents {
  // Who.
  std::vector<std::uint64_t> key;
  std::vector<std::int32_t> priority_class;
  std::vector<std::uint8_t> body;   // index in the PairTable
  std::vector<std::uint32_t> pair;  // index of its (profile, goal)

  // Where.
  std::vector<std::uint32_t> cell;    // padded index of the anchor
  std::vector<Cell> at;               // the same cell in world coordinates
  std::vector<std::uint8_t> came_by;  // direction of the last step; kStay before the first and after a portal
  std::vector<std::uint8_t> went_up;  // the last step was aside: not closer, by its own choice

  // How it goes.
  std::vector<AgentState> state;
  std::vector<Reason> reason;
  std::vector<std::uint32_t> by;      // slot the reason names
  std::vector<std::uint32_t> wanted;  // padded cell of the step it would take, where it waits
  std::vector<std::uint32_t> age;     // ticks since its cost last fell below its own minimum
  std::vector<Cost> best_cost;        // the minimum so far; kAtBest while it stands on it

  // Giving way in a cycle of waiting agents.
  std::vector<std::uint32_t> yields;      // times it did since its last progress
  std::vector<std::uint8_t> yield_ticks;  // left
  std::vector<std::uint32_t> yield_to;    // slot
  std::vector<std::uint32_t> yield_cell;  // where that one wants to stand

  std::vector<Seen> seen;

  // This tick.
  std::vector<std::uint8_t> move;
  std::vector<std::uint32_t> portal;     // of a step through one: its number,
  std::vector<std::uint32_t> other_end;  // and the padded cell where it ends; once committed, where it began
  std::vector<std::uint8_t> excused;     // pushes that failed only because it came too close to the pusher
  std::vector<std::uint8_t> pushed_off;  // `by` is only who pushed it
  std::vector<std::uint8_t> wish;        // optimal directions that are legal now
  std::vector<std::uint8_t> at_portal;   // there are none, but an optimal portal begins here

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(key.size()); }
  /// A slot with defaults at the end of every array.
  std::uint32_t append();
  void resize(std::uint32_t slots);
  /// The defaults again, for a slot that is used once more.
  void clear(std::uint32_t slot) noexcept;

 private:
  template <class Visit>
  void each_column(Visit&& visit);
};

}  // namespace drover::crowd
