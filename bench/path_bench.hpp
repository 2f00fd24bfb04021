// SPDX-License-Identifier: MIT
// One way at a time: what a finder takes by itself beside A*, on maps that stand and after an edit.
#pragma once
#include <drover/geometry.hpp>
#include <drover/host.hpp>
#include <drover/status.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "maps.hpp"

namespace drover::bench {

/// From a cell to a cell.
using PathQuery = std::pair<Cell, Cell>;

struct PathFigures {
  std::string map, algorithm;
  std::uint64_t queries = 0, found = 0;
  double ns = 0, baseline_ns = 0;              // a query, processor time; baseline: A*
  double expanded = 0, baseline_expanded = 0;  // a query
  double unreachable_ns = 0;                   // to another component; 0: the map has none
  double edit_ns = 0;  // what the search keeps of a graph, after a cell has changed; 0: keeps nothing
  bool equal = true;   // costs and outcomes
};

/// Eight moves, strict corners, octile costs.
Result<PathFigures> measure_paths(const BenchMap& map, const std::string& name, const std::vector<PathQuery>& queries,
                                  const Host& host);
/// Free cells drawn from the seed.
std::vector<PathQuery> draw_queries(const BenchMap& map, std::uint64_t count, std::uint64_t seed);

}  // namespace drover::bench
