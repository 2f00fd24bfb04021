// SPDX-License-Identifier: MIT
// The second baseline: Dial's algorithm, well made and without tricks.
#pragma once
#include <cstdint>
#include <vector>

#include "maps.hpp"

namespace drover::bench {

/// Circular buckets (Dial, CACM 1969) of cells over a padded grid, one a unit of cost, entries checked when they come
/// out. Legal steps and weights of every cell are laid out once, as a compiled graph is; costs are in units of the
/// greatest common divisor of the steps.
class DialField {
 public:
  DialField(const BenchMap& map, int moves);
  void run(Cell goal);
  /// Product's units; kFar where there is no way.
  std::uint32_t cost(std::int32_t x, std::int32_t y) const;

 private:
  std::uint32_t at(std::int32_t x, std::int32_t y) const {
    return static_cast<std::uint32_t>(y + 1) * stride_ + static_cast<std::uint32_t>(x + 1);
  }

  std::uint32_t stride_, unit_, straight_, diagonal_;
  std::vector<std::uint8_t> steps_;     // bit d: the step by d is legal
  std::vector<std::uint32_t> weights_;  // empty: all 1
  std::vector<std::uint32_t> costs_;
  std::vector<std::vector<std::uint32_t>> buckets_;  // a power of two of them, more than the dearest step
};

}  // namespace drover::bench
