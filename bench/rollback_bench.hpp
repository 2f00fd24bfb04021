// SPDX-License-Identifier: MIT
// Rollback netcode's frame: save, go back eight ticks, play them again; beside a run from tick 0.
#pragma once
#include <drover/simulation.hpp>

#include <functional>

namespace drover::bench {

struct RollbackDef {
  std::int32_t size = 512;
  std::uint32_t agents = 10000, rounds = 30;
  std::uint64_t seed = 1;
};

/// Medians over the rounds.
struct RollbackFigures {
  double snapshot_us = 0, restore_us = 0, resim8_ms = 0, bytes_per_agent = 0;
  double baseline_ms = 0;    // a new simulation, run from tick 0 to the end of the eight ticks
  std::uint64_t ticks = 0;   // of the state that is saved
  std::uint64_t placed = 0;  // on the map then
  bool equal = false;        // digests of every tick of every round and of the baseline, and one adoption in each

  double ns_per_unit(std::uint32_t agents) const {
    return (snapshot_us * 1e3 + restore_us * 1e3 + resim8_ms * 1e6) / agents;
  }
};

/// Agents on a map with a tenth of walls walk to its middle. In the eight ticks a door beside the goal closes and the
/// field of the new map comes into force. `progress(done, all)` is told after every round.
Result<RollbackFigures> measure_rollback(const RollbackDef& def, const Host& host,
                                         const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace drover::bench
