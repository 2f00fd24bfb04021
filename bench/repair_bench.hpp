// SPDX-License-Identifier: MIT
// Edits of a map and the field that follows each, beside building it anew.
#pragma once
#include <drover/host.hpp>
#include <drover/status.hpp>

#include <cstdint>
#include <functional>
#include <string>

#include "maps.hpp"

namespace drover::bench {

/// `cell`: any cell but the goal changes between wall and floor. `door`: five cells in a row close, with the next edit
/// they open. `blob`: the same with a square of 8 x 8.
enum class RepairEdit : std::uint8_t { cell, door, blob };

struct RepairDef {
  int moves = 8;
  RepairEdit edit = RepairEdit::cell;
  std::uint32_t count = 1000;
  std::uint32_t check_every = 1;  // edits between two that are built anew and compared
  std::uint64_t seed = 1;
};

/// Times of repairs are from the updated graph to the published field, the copying of pages and, where the edit reaches
/// too far, the build included. One that took longer than a quarter of a build is made three times, and the least
/// counts.
struct RepairFigures {
  double median_us = 0, p99_us = 0, max_us = 0;
  double rebuild_us = 0, graph_us = 0, map_us = 0;  // medians: build, update of the graph, edit of the map
  double touched = 0, pages = 0;                    // means over the repairs
  double worst_over_rebuild = 0;                    // of one edit that was checked, in processor time
  std::uint64_t fallbacks = 0, edits = 0, checked = 0;
  bool equal = false;  // digests of every edit that was checked
};

/// The goal is the free cell nearest the centre. `progress(done)` is told after every edit.
Result<RepairFigures> measure_repair(const BenchMap& map, const RepairDef& def, const Host& host,
                                     const std::function<void(std::uint64_t)>& progress);

}  // namespace drover::bench
