// SPDX-License-Identifier: MIT
// What a tower defence asks under the mouse, beside the edit, the graph and the field that would tell.
#pragma once
#include <drover/host.hpp>
#include <drover/status.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "maps.hpp"

namespace drover::bench {

struct BlockDef {
  std::uint32_t places = 100;     // on free cells anywhere
  std::uint32_t questions = 500;  // of each shape: one free cell, 2 x 2, and a wall of three either way
  std::uint64_t seed = 1;
};

struct BlockFigures {
  std::string map;
  std::uint64_t questions = 0, blocking = 0;  // how many took a way from someone
  double mean_us = 0, p50_us = 0, p99_us = 0, max_us = 0, prepare_us = 0;
  double baseline_us = 0;  // mean
  bool equal = false;
};

/// Eight moves, strict corners; the goal is the free cell nearest the centre. The baseline closes the cells, updates
/// the graph, builds the field and asks it for every place. `progress(done)` is told after every question.
Result<BlockFigures> measure_would_block(const BenchMap& map, const std::string& name, const BlockDef& def,
                                         const Host& host, const std::function<void(std::uint64_t)>& progress);

}  // namespace drover::bench
