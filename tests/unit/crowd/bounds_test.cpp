// SPDX-License-Identifier: MIT
// Lower bounds and optimum of crowds that vanish at a gate: worked by hand, against exhaustive joint search, and
// against the definition by counts.
#include "crowd/bounds.hpp"

#include "crowd/evacuation_flow.hpp"
#include "nav/compiled_graph.hpp"
#include "support/grids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace drover::test {
namespace {

using crowd::EarliestArrival;
using crowd::NarrowRing;
using Counts = std::vector<std::uint32_t>;

// A drawn map whose 'G' are gate cells and 'a' starts.
class Gate {
 public:
  explicit Gate(std::vector<std::string> rows, Moves moves = Moves::four, CornerRule corner = CornerRule::strict) {
    GoalDef goal;
    std::vector<Cell> starts;
    for (std::size_t y = 0; y < rows.size(); ++y)
      for (std::size_t x = 0; x < rows[y].size(); ++x) {
        char& c = rows[y][x];
        const Cell cell{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0};
        if (c == 'G') goal.cells.push_back({cell, 0});
        if (c == 'a') starts.push_back(cell);
        if (c != '#') c = '.';
      }
    MovementProfile profile = body(1, corner, moves);
    profile.costs = CostBase::uniform;
    graph_ = graph_of(rows, profile);
    steps_ = *FieldBuilder().build(graph_, goal);
    slots_ = goal.cells.size();
    for (const Cell c : starts) starts_.push_back(graph_.shape().index(c));
  }

  std::vector<EarliestArrival> agents() const {
    std::vector<EarliestArrival> out;
    for (const CellIndex c : starts_)
      if (const Cost d = steps_->cost_to_goal(c); d != kInfiniteCost) out.push_back({d, d, true});
    return out;
  }
  std::uint64_t queue() const { return crowd::queue_bound(agents(), slots_); }
  std::vector<NarrowRing> rings() const { return crowd::narrow_rings(graph_, *steps_, slots_, 1000); }
  std::uint64_t ring() const { return crowd::ring_bound(agents(), slots_, rings()); }
  std::optional<crowd::EvacuationOptimum> exact(const crowd::FlowLimits& limits = {}) const {
    return crowd::earliest_arrival_flow(graph_, *steps_, starts_, limits);
  }
  const NavGraph& graph() const { return graph_; }
  const FlowField& steps() const { return *steps_; }
  const std::vector<CellIndex>& starts() const { return starts_; }

 private:
  NavGraph graph_;
  FieldRef steps_;
  std::uint64_t slots_ = 0;
  std::vector<CellIndex> starts_;
};

TEST(QueueBound, AGateCellTakesOneATick) {
  EXPECT_EQ(crowd::queue_bound({{1, 1, true}, {2, 2, true}, {3, 3, true}}, 1), 3u);
  EXPECT_EQ(crowd::queue_bound({{2, 2, true}, {2, 2, true}, {2, 2, true}}, 1), 4u);
  EXPECT_EQ(crowd::queue_bound({{2, 2, true}, {2, 2, true}, {2, 2, true}}, 2), 3u);
  EXPECT_EQ(crowd::queue_bound({{2, 2, false}, {2, 2, false}, {2, 2, false}}, 1), 2u) << "who stays does not queue";
  EXPECT_EQ(crowd::queue_bound({{7, 2, true}, {3, 3, true}}, 1), 7u) << "started at tick 5";
  EXPECT_EQ(crowd::queue_bound({}, 1), 0u);
}

TEST(GateThroughput, crowd_train_moves_as_one) {
  const Gate gate({std::string(30, 'a') + std::string(9, '.') + "G"});
  EXPECT_EQ(gate.queue(), 39u);
  EXPECT_EQ(gate.ring(), 39u);
  EXPECT_EQ(gate.exact()->makespan(), 39u);
}

TEST(GateThroughput, fairness_age_beats_id) {
  EXPECT_EQ(Gate({".aaGa.."}).exact()->evacuated_by_tick, (Counts{0, 1, 2, 3}));
}

TEST(GateThroughput, gate_one_cell_rate) {
  const Gate gate({"########", "#aaa.aa#", "#aaa.aa#", "#aaa.aa#", "#aaa.aa#", "####G###"});
  EXPECT_EQ(gate.queue(), 21u);
  EXPECT_EQ(gate.ring(), 21u);
  const auto optimum = gate.exact();
  EXPECT_EQ(optimum->evacuated_by_tick,
            (Counts{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}));
  EXPECT_EQ(optimum->sum_of_arrivals(), 230u);
}

TEST(GateThroughput, gate_two_cells_share_the_load) {
  std::vector<std::string> rows{"aaaa......", "aaaa......", "aaaa......", "aaaa......", "#G######G#"};
  const auto optimum = Gate(rows).exact();
  EXPECT_EQ(optimum->evacuated_by_tick, (Counts{0, 1, 2, 3, 4, 5, 7, 9, 11, 13, 15, 16}));
  EXPECT_EQ(optimum->makespan(), 11u);
  EXPECT_EQ(optimum->sum_of_arrivals(), 106u);
  EXPECT_LE(Gate(rows).ring(), 11u);
  rows[4] = "#G######.#";
  EXPECT_EQ(Gate(rows).exact()->makespan(), 16u);
}

TEST(RingBound, ANeckBehindAWideGateCounts) {
  // Steps 3, 4, 4, 4, 5, 5. Through three gate cells: 5. Through the one cell two steps away: 3 + 6 - 1 = 8.
  const Gate gate({"GGG", "...", "#.#", "aaa", "aaa"});
  EXPECT_EQ(gate.rings(), (std::vector<NarrowRing>{{2, 1}}));
  EXPECT_EQ(gate.queue(), 5u);
  EXPECT_EQ(gate.ring(), 8u);
  EXPECT_EQ(gate.exact()->makespan(), 8u);
}

TEST(RingBound, AgentsInFrontOfTheNeckDoNotQueueThere) {
  const Gate gate({"GGG", "aaa", "#.#", "..."});
  EXPECT_EQ(gate.ring(), 1u);
  EXPECT_EQ(gate.exact()->evacuated_by_tick, (Counts{0, 3}));
}

TEST(RingBound, AMatchingCountsNotTheCells) {
  // Two cells in ring 2 and two in ring 1, but both of ring 2 touch the same one.
  const Gate gate({"#G#G#", "a.#.#", "#a###"});
  EXPECT_EQ(gate.rings(), (std::vector<NarrowRing>{{2, 1}}));
  EXPECT_EQ(gate.queue(), 2u);
  EXPECT_EQ(gate.ring(), 3u);
  EXPECT_EQ(gate.exact()->evacuated_by_tick, (Counts{0, 0, 1, 2}));
}

TEST(ExactOptimum, AtTheGateCutOffAndNobody) {
  EXPECT_EQ(Gate({"G.."}).exact()->evacuated_by_tick, (Counts{0}));
  EXPECT_EQ(Gate({"G#a"}).exact()->evacuated_by_tick, (Counts{0})) << "who has no way does not count";
  EXPECT_EQ(crowd::earliest_arrival_flow(Gate({"G.a"}).graph(), Gate({"G.a"}).steps(),
                                         std::vector{Gate({"G.a"}).graph().shape().index({0, 0})})
                ->evacuated_by_tick,
            (Counts{1}))
      << "it starts on the gate";
}

TEST(ExactOptimum, IsRefusedBeyondItsLimits) {
  const Gate gate({"aaaa......", "aaaa......", "aaaa......", "aaaa......", "#G######G#"});
  EXPECT_TRUE(gate.exact({42 * 12, 1u << 20}).has_value());  // 42 cells, ticks 0 to 11
  EXPECT_FALSE(gate.exact({42 * 12 - 1, 1u << 20}).has_value());
  EXPECT_FALSE(gate.exact({42, 1u << 20}).has_value());
  EXPECT_FALSE(gate.exact({42 * 12, 20}).has_value());
}

// ---- Exhaustive joint search: all sets of occupied cells that any plan can reach, tick by tick.

struct Exhaustive {
  Counts evacuated_by_tick;
  std::uint64_t sum_of_arrivals = 0;
};

class JointSearch {
 public:
  explicit JointSearch(const Gate& gate) : gate_(gate) {}

  // Precondition: every start has a way.
  Exhaustive run() {
    Exhaustive out;
    std::map<State, std::uint64_t> now;  // least sum of arrivals so far
    State first = gate_.starts();
    std::sort(first.begin(), first.end());
    now[first] = 0;
    for (std::uint64_t tick = 0;; ++tick) {
      std::size_t left = first.size();
      for (const auto& [state, sum] : now) left = std::min(left, state.size());
      out.evacuated_by_tick.push_back(static_cast<std::uint32_t>(first.size() - left));
      if (left == 0) {
        out.sum_of_arrivals = now.at({});
        return out;
      }
      next_.clear();
      for (const auto& [state, sum] : now) {
        from_ = state;
        to_.clear();
        spread(tick + 1, sum);
      }
      now = next_;
    }
  }

 private:
  using State = std::vector<CellIndex>;

  void spread(std::uint64_t tick, std::uint64_t sum) {
    if (to_.size() == from_.size()) {
      State left;
      for (const CellIndex c : to_)
        if (gate_.steps().cost_to_goal(c) != 0) left.push_back(c);
      std::sort(left.begin(), left.end());
      sum += tick * (to_.size() - left.size());
      const auto [at, fresh] = next_.emplace(left, sum);
      if (!fresh) at->second = std::min(at->second, sum);
      return;
    }
    const CellIndex here = from_[to_.size()];
    const GridShape& shape = gate_.graph().shape();
    const DirectionSet moves = gate_.graph().moves(shape.cell(here));
    for (int d = 0; d <= kDirections; ++d) {
      if (d < kDirections && !moves.has(static_cast<Direction>(d))) continue;
      const CellIndex target = d == kDirections ? here : CellIndex{here.value + shape.step(static_cast<Direction>(d))};
      if (!clear(here, target)) continue;
      to_.push_back(target);
      spread(tick, sum);
      to_.pop_back();
    }
  }
  bool clear(CellIndex here, CellIndex target) const {
    const GridShape& shape = gate_.graph().shape();
    const Cell a = shape.cell(here), b = shape.cell(target);
    for (std::size_t i = 0; i < to_.size(); ++i) {
      if (to_[i] == target || (to_[i] == here && from_[i] == target)) return false;
      const Cell c = shape.cell(from_[i]), d = shape.cell(to_[i]);
      const bool crossing =
          a.x != b.x && a.y != b.y && c.x != d.x && c.y != d.y && a.x + b.x == c.x + d.x && a.y + b.y == c.y + d.y;
      if (crossing) return false;
    }
    return true;
  }

  const Gate& gate_;
  State from_, to_;
  std::map<State, std::uint64_t> next_;
};

// A random drawing with up to three agents, all of which have a way.
std::optional<Gate> tiny_gate(Draws& draws) {
  const std::size_t width = 1 + draws.below(3), height = 1 + draws.below(3);
  std::vector<std::string> rows(height, std::string(width, '.'));
  for (std::string& row : rows)
    for (char& c : row)
      if (draws.percent(20)) c = '#';
  const auto put = [&](char letter) {
    rows[draws.below(static_cast<std::uint32_t>(height))][draws.below(static_cast<std::uint32_t>(width))] = letter;
  };
  const std::uint32_t agents = 1 + draws.below(3);
  for (std::uint32_t i = 0; i < agents; ++i) put('a');
  for (std::uint32_t i = draws.below(2); i < 2; ++i) put('G');
  const auto letters = std::accumulate(rows.begin(), rows.end(), std::string());
  if (letters.find('G') == std::string::npos || letters.find('a') == std::string::npos) return std::nullopt;
  const CornerRule corners[] = {CornerRule::strict, CornerRule::one_free, CornerRule::none};
  Gate gate(rows, draws.percent(50) ? Moves::four : Moves::eight, corners[draws.below(3)]);
  if (gate.agents().size() != gate.starts().size()) return std::nullopt;
  return gate;
}

TEST(ExactOptimum, EqualsExhaustiveJointSearchOnTinyMaps) {
  Draws draws(5);
  int compared = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::optional<Gate> gate = tiny_gate(draws);
    if (!gate) continue;
    ++compared;
    const Exhaustive best = JointSearch(*gate).run();
    const auto optimum = gate->exact();
    ASSERT_TRUE(optimum.has_value());
    ASSERT_EQ(optimum->evacuated_by_tick, best.evacuated_by_tick) << "drawing " << i;
    ASSERT_EQ(optimum->sum_of_arrivals(), best.sum_of_arrivals) << "drawing " << i;
    ASSERT_LE(gate->queue(), gate->ring());
    ASSERT_LE(gate->ring(), optimum->makespan());
  }
  EXPECT_GT(compared, 1000);
}

// ---- The ring bound by its definition: counts of agents that pass from ring to ring, tick by tick.

std::uint64_t matching_by_trial(const Gate& gate, std::uint64_t ring) {
  const GridShape& shape = gate.graph().shape();
  std::map<std::uint32_t, std::uint32_t> mate;
  std::set<std::uint32_t> tried;
  const auto seat = [&](auto&& self, std::uint32_t cell) -> bool {
    for (int d = 0; d < kDirections; ++d) {
      const auto direction = static_cast<Direction>(d);
      const std::uint32_t next = cell + shape.step(direction);
      if (!gate.graph().moves(shape.cell({cell})).has(direction)) continue;
      if (gate.steps().cost_to_goal({next}) + 1 != ring || !tried.insert(next).second) continue;
      if (mate.count(next) == 0 || self(self, mate[next])) {
        mate[next] = cell;
        return true;
      }
    }
    return false;
  };
  std::uint64_t size = 0;
  for (std::int32_t y = 0; y < shape.height(); ++y)
    for (std::int32_t x = 0; x < shape.width(); ++x) {
      tried.clear();
      const CellIndex cell = shape.index({x, y});
      if (gate.steps().cost_to_goal(cell) == ring && seat(seat, cell.value)) ++size;
    }
  return size;
}

std::uint64_t ticks_by_counts(const Gate& gate) {
  std::vector<std::uint64_t> waiting(1), capacity(1);
  std::uint64_t left = 0;
  for (const EarliestArrival& a : gate.agents()) {
    while (waiting.size() <= a.steps) {
      capacity.push_back(matching_by_trial(gate, waiting.size()));
      waiting.push_back(0);
    }
    ++waiting[a.steps];
    if (a.steps > 0) ++left;
  }
  std::uint64_t ticks = 0;
  for (; left > 0; ++ticks)
    for (std::size_t ring = 1; ring < waiting.size(); ++ring) {
      const std::uint64_t pass = std::min(waiting[ring], capacity[ring]);
      waiting[ring] -= pass;
      if (ring == 1) left -= pass;
      if (ring > 1) waiting[ring - 1] += pass;
    }
  return ticks;
}

TEST(RingBound, EqualsPassingCountsFromRingToRing) {
  Draws draws(9);
  int narrow = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t width = 3 + draws.below(9);
    std::vector<std::string> rows;
    for (std::size_t y = 0; y < 3 + draws.below(9); ++y) {
      rows.emplace_back(width, '.');
      for (char& c : rows.back())
        if (draws.percent(35))
          c = '#';
        else if (draws.percent(40))
          c = 'a';
    }
    for (std::size_t x = 0; x < std::min<std::size_t>(width, 1 + draws.below(4)); ++x) rows[0][x] = 'G';
    const Gate gate(rows, draws.percent(50) ? Moves::four : Moves::eight);
    ASSERT_EQ(gate.ring(), ticks_by_counts(gate)) << "drawing " << i;
    ASSERT_LE(gate.ring(), gate.exact()->makespan()) << "drawing " << i;
    if (gate.ring() > gate.queue()) ++narrow;
  }
  EXPECT_GT(narrow, 10) << "necks matter in some of them";
}

}  // namespace
}  // namespace drover::test
