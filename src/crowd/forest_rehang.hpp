// SPDX-License-Identifier: MIT
// Improving a forest: branches of a slow tree are hung over to faster trees beside it.
#pragma once
#include "crowd/forest.hpp"
#include "crowd/forest_queues.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace drover::crowd {

/// True where a promises to be done no later and better: agents on the way at the end count with all other arrivals.
bool better(const Forecast& a, const Forecast& b, std::uint64_t agents) noexcept;

/// Looks only at cells that agents will pass, at the boundary of the slowest tree first; where that is stuck, at the
/// next. A branch that no other tree touches is led there through cells that nobody passes. Every change is kept only
/// if the forecast gets better.
class ForestRehang {
 public:
  explicit ForestRehang(const ForestGround& ground);

  /// The draft covers all agents. At most `rounds` branches.
  void improve(ForestDraft& draft, std::span<const std::uint32_t> agents, const std::uint8_t* occupied, int rounds,
               ForestBudget& budget);

 private:
  struct Place {
    std::uint32_t load = 0;          // agents at and behind this cell
    std::uint32_t deepest = 0;       // depth of the last of them
    std::uint32_t bridge_depth = 0;  // depth it would have in the tree that the bridge leads to
    std::uint16_t bridge_tree = kNoTree;
    std::uint8_t bridge = kStay;  // step towards it
    std::uint8_t seen = 0;
  };
  struct Move {
    std::uint32_t cell = 0;
    std::uint8_t step = kStay;
    std::uint64_t gain = 0;
  };

  void weigh(std::span<const std::uint32_t> agents);
  std::optional<Move> best_of(std::uint16_t tree, bool bridged);
  void consider(std::uint32_t cell, std::uint8_t step, std::uint16_t to, std::uint32_t depth, Move& best);
  void lay_bridges(std::uint16_t tree);
  void clear_bridges();
  bool may_hang(std::uint32_t cell, std::uint8_t step) const noexcept;
  bool is_free(std::uint32_t cell, std::uint16_t tree) const noexcept;
  bool build_bridge(const Move& move);
  enum class Branch : std::uint8_t { loaded, all };
  void list_branch(std::uint32_t cell, Branch which);
  bool apply(const Move& move);
  void hang(std::uint32_t cell, std::uint8_t step);
  void lighten(std::uint32_t from, std::uint32_t load);
  void burden(std::uint32_t from, std::uint32_t load, std::uint32_t deepest);
  bool is_refused(std::uint32_t cell, std::uint8_t step) const noexcept;
  std::uint32_t parent(std::uint32_t cell) const noexcept { return cell + ground_.steps[draft_->cells[cell].step]; }

  const ForestGround& ground_;
  ForestQueues queues_;
  ForestDraft* draft_ = nullptr;
  const std::uint8_t* occupied_ = nullptr;
  std::vector<Place> places_;
  std::vector<std::uint32_t> loaded_;  // cells that agents will pass, deepest first
  std::vector<std::uint32_t> region_, bridged_, branch_, chain_, by_depth_, counts_;
  std::vector<std::uint16_t> slowest_;
  std::vector<Move> refused_;
  std::uint64_t visits_ = 0;
};

}  // namespace drover::crowd
