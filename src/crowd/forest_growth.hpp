// SPDX-License-Identifier: MIT
// Growing a forest: one breadth-first front per gate cell, and the one with the earliest free exit slot advances.
#pragma once
#include "crowd/forest.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace drover::crowd {

/// `occupied`: one byte a padded cell. Stops when all agents are claimed. Scratch memory is kept between growths.
class ForestGrowth {
 public:
  static constexpr std::uint64_t kVisitsOfClaim = 4;

  explicit ForestGrowth(const ForestGround& ground) : ground_(ground), fronts_(ground.gates.size()) {}

  /// Exit slots: a front waits until the queue of its tree has a free slot. Otherwise it
  /// waits until all others have come as far: the nearest gate cell claims a cell.
  enum class By : std::uint8_t { exit_slots, distance };
  /// `lanes`: cells with a tree are reserved for it, and their steps are not crossed; null: none. Given up where
  /// somebody would leave after `latest`.
  void begin(ForestDraft& draft, By by, const std::vector<ForestCell>* lanes, const std::uint8_t* occupied,
             std::uint64_t agents, std::uint64_t latest);
  void set_ties(ForestTies ties) noexcept { ties_ = ties; }
  /// Goes on. Returns the tree whose front is shut in while agents are unclaimed; nothing at the end.
  std::optional<std::uint16_t> advance(ForestBudget& budget);

  std::uint64_t unclaimed() const noexcept { return unclaimed_; }
  bool closed(std::uint16_t tree) const noexcept { return fronts_[tree].closed; }

 private:
  struct Front {
    std::vector<std::uint32_t> cells;  // claimed, in order
    std::size_t head = 0;
    std::uint8_t left = 0;  // directions of the head's neighbours that are still to be looked at
    std::uint8_t direction = 0;
    bool closed = false;
    std::uint64_t slot = 0, key = 0;
  };

  bool advance_top(std::uint64_t visits);
  static constexpr std::size_t kAhead = 6;
  void fetch(std::uint32_t cell) const noexcept;
  bool find_next(Front& front, std::uint16_t tree);
  std::uint64_t key(const Front& front) const noexcept;
  void claim(Front& front, std::uint16_t tree);
  bool before(std::uint16_t a, std::uint16_t b) const noexcept;
  void sift_down(std::size_t at);

  const ForestGround& ground_;
  std::vector<Front> fronts_;
  std::vector<std::uint16_t> heap_;
  ForestDraft* draft_ = nullptr;
  const std::vector<ForestCell>* lanes_ = nullptr;
  const std::uint8_t* occupied_ = nullptr;
  std::uint64_t unclaimed_ = 0, visits_ = 0, latest_ = 0;
  By by_ = By::distance;
  ForestTies ties_ = ForestTies::straight;
  bool given_up_ = false;
};

}  // namespace drover::crowd
