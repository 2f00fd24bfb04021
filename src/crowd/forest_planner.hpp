// SPDX-License-Identifier: MIT
// Planning a forest: candidates are grown, improved and forecast, and the old plan stays unless one is better.
#pragma once
#include "crowd/forest.hpp"
#include "crowd/forest_growth.hpp"
#include "crowd/forest_lanes.hpp"
#include "crowd/forest_rehang.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace drover::crowd {

struct ForestLimits {
  /// Cells visited by one plan(), and by one that has no plan to go on from, besides its first candidate; 0: as many as
  /// the ground asks for.
  std::uint64_t visits = 0, first_visits = 0;
  int rounds = 20;  // branches hung over in a candidate
};

/// One planner for one content of a graph and one gate: a graph whose steps_hash() differs needs another. Used by one
/// thread at a time; what it gives out is immutable.
///
/// plan() is a function of its arguments (scratch memory is kept, answers are not), so it may run on a worker from a
/// frozen state while the crowd walks on.
class ForestPlanner {
 public:
  /// O(reachable cells).
  explicit ForestPlanner(ForestGround ground, const ForestLimits& limits = {});

  const ForestGround& ground() const noexcept { return ground_; }
  /// Steps to the nearest gate cell; kNobody where there is no way.
  std::uint32_t distance(std::uint32_t cell) const noexcept { return distance_[cell]; }

  /// `agents`: padded cells, all different, none a gate cell, each with a way. `kept`: the plan they follow now, or
  /// null. The answer promises to be done no later than `kept` does from here, and is better or the same; where `kept`
  /// does not cover an agent it is as good as was found. May throw std::bad_alloc.
  std::shared_ptr<const Forest> plan(std::span<const std::uint32_t> agents, const Forest* kept);

 private:
  struct Try {
    enum class Kind : std::uint8_t { plain, slots, lanes_when_shut, lanes_first, own_ground } kind;
    int restarts, levels;
  };

  void measure();
  bool at_bound(const ForestDraft& draft);
  bool grow(const Try& attempt, ForestBudget& budget);
  bool grow_with_lanes(const Try& attempt, ForestBudget& budget);
  std::uint64_t latest() const noexcept;
  bool finish_growth(ForestBudget& budget);
  LaneRequest request(std::uint16_t shut, int levels) const noexcept;
  void close_fronts(bool none);
  void improve(ForestDraft& draft, int rounds, ForestBudget& budget);
  void offer(ForestBudget& budget);
  void search(ForestBudget& budget);
  std::shared_ptr<const Forest> publish(std::uint32_t round);

  ForestGround ground_;
  ForestLimits limits_;
  ForestGrowth growth_;
  ForestLanes lanes_;
  ForestRehang rehang_;
  std::vector<std::uint32_t> distance_, counts_;
  std::uint64_t reachable_ = 0;
  std::vector<std::uint8_t> occupied_, closed_;
  std::span<const std::uint32_t> agents_;
  ForestDraft best_, trial_;
  bool has_best_ = false;
  ForestTies ties_ = ForestTies::straight;
  std::uint32_t next_try_ = 0;
  std::vector<std::shared_ptr<Forest>> pool_;
};

}  // namespace drover::crowd
