// SPDX-License-Identifier: MIT
// Cheapest ways to the targets: cost first, then fewest steps.
#pragma once
#include <drover/verify.hpp>

#include <cstdint>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "verify/steps.hpp"

namespace drover::verify {

/// Least cost to a target, its offset included, and the fewest steps of a way of that cost.
struct WayLabel {
  Cost cost = kInfiniteCost;
  std::uint32_t hops = 0;
  friend bool operator<(const WayLabel& a, const WayLabel& b) noexcept {
    return std::tie(a.cost, a.hops) < std::tie(b.cost, b.hops);
  }
};

/// Dijkstra (1959), in both directions. Keeps its memory between searches.
class Ways {
 public:
  /// A body must be able to stand on every target.
  Ways(const Steps& steps, std::span<const FieldTarget> targets);

  bool target(std::uint32_t index) const noexcept { return offsets_[index] != kInfiniteCost; }
  /// From one place along the steps, until no target can be nearer.
  WayLabel from(std::uint32_t start);
  /// From the targets against the steps, to every place. Padded.
  std::vector<WayLabel> all() const;

 private:
  struct Entry {
    WayLabel label;
    std::uint32_t at = 0;
    friend bool operator>(const Entry& a, const Entry& b) noexcept { return b.label < a.label; }
  };
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  const Steps& steps_;
  std::vector<Cost> offsets_;  // least one of each target, kInfiniteCost elsewhere
  std::vector<WayLabel> labels_;
  std::vector<std::uint32_t> touched_;
};

/// A place from which following optimal steps, in the worst order, comes to no target: they lead in a circle or end
/// where no target is. Nothing if there is none.
std::optional<CellIndex> lost_walk(const GridShape& shape, const std::function<CellClaim(CellIndex)>& claim_at);

}  // namespace drover::verify
