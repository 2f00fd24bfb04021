// SPDX-License-Identifier: MIT
// The order of arbitration: higher class, then larger age, then smaller key.
#pragma once
#include "crowd/agents.hpp"

#include <cstdint>
#include <vector>

namespace drover::crowd {

/// Sorts by counting, O(agents + largest age bucket). Scratch memory is kept between ticks.
class PriorityOrder {
 public:
  /// `active` ascending by key; the result is valid until the next call.
  const std::vector<std::uint32_t>& sort(const Agents& agents, const std::vector<std::uint32_t>& active);

 private:
  void pass(const Agents& agents, const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to, int shift);

  std::vector<std::uint32_t> first_, second_, counts_;
};

}  // namespace drover::crowd
