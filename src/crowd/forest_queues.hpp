// SPDX-License-Identifier: MIT
// The exact forecast of a forest from counts: every tree is one queue.
#pragma once
#include "crowd/forest.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace drover::crowd {

/// What a plan promises to agents that stand elsewhere than those it was made for. Nothing where one is off the plan.
std::optional<Forecast> forecast_from(const Forest& forest, std::span<const std::uint32_t> agents,
                                      std::vector<std::uint64_t>& finish);

/// Agents of each tree by depth. Whatever the order where branches merge, in order of depth one agent after the other
/// leaves at t = max(t of the one before + spacing, depth).
class ForestQueues {
 public:
  explicit ForestQueues(const ForestGround& ground) : ground_(ground), trees_(ground.gates.size()) {}

  /// Counts the agents and writes finish, forecast and left_out of the draft.
  void tally(ForestDraft& draft, std::span<const std::uint32_t> agents);
  /// After agents were counted otherwise: the draft's numbers of these two trees.
  void retell(ForestDraft& draft, std::uint16_t a, std::uint16_t b);
  void move(std::uint16_t from, std::uint32_t depth, std::uint16_t to, std::uint32_t new_depth);

 private:
  struct Tree {
    std::vector<std::uint32_t> at_depth;
    std::uint64_t sum = 0;
  };
  void add(Tree& tree, std::uint32_t depth);
  Forecast forecast(const Tree& tree) const noexcept;

  const ForestGround& ground_;
  std::vector<Tree> trees_;
};

}  // namespace drover::crowd
