// SPDX-License-Identifier: MIT
// What holds at the end of every tick, checked in every build; a tick checks a part, ticks in a row check all.
#pragma once
#include "crowd/agents.hpp"
#include "crowd/reservations.hpp"
#include "sim/guidance.hpp"

#include <drover/simulation.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace drover::sim {

/// Each answers a sentence about the first thing that is wrong, or nothing. They read and never change.
struct Invariants {
  const crowd::Agents& agents;
  const crowd::Reservations& reservations;
  const GridShape& shape;
  const std::vector<std::uint8_t>& on_map;

  /// The eight states sum to all agents.
  static std::string counts(const StateCounts& counts, std::uint64_t agents);
  /// No field came into force before it was asked for and its latency had passed. Not for those of tick 0.
  static std::string adoptions(std::span<const Adoption> adoptions, const std::vector<Profile>& profiles);
  /// placed[begin .. end): keys ascend; each is the one holder of all cells of its body, which nobody is entering but
  /// in a step that is not over, and not before the holder has left.
  std::string places(const std::vector<std::uint32_t>& placed, std::size_t begin, std::size_t end) const;
  /// Padded cells [begin, end): nobody is entering but in a step that is not over and leads there; a holder is on the
  /// map and its body is there.
  std::string cells(std::uint32_t begin, std::uint32_t end) const;
  /// This agent's step, just done, was one that the graph has.
  std::string step(std::uint32_t agent, const nav::CompiledGraph& graph) const;
  /// The step that it has begun is one.
  std::string begun(std::uint32_t agent, const nav::CompiledGraph& graph) const;

 private:
  std::string holds(std::uint32_t agent, std::uint32_t cell) const;
  std::string who(std::uint32_t agent) const;
  bool covers(std::uint32_t agent, std::uint32_t anchor, std::uint32_t cell) const noexcept;
  std::uint32_t target(std::uint32_t agent) const noexcept;
};

/// The piece of [0, count) that tick number `tick` looks at when `pieces` ticks look at all.
struct Piece {
  std::uint64_t begin, end;
};
constexpr Piece piece_of(std::uint64_t count, std::uint64_t pieces, std::uint64_t tick) noexcept {
  const std::uint64_t at = tick % pieces;
  return {count * at / pieces, count * (at + 1) / pieces};
}

}  // namespace drover::sim
