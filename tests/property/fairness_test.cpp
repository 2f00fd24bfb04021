// SPDX-License-Identifier: MIT
// How long anybody at a gate makes no progress: no longer than those with more right need to leave, and a way as long
// as the longest one.
#include "support/gate_instances.hpp"
#include "support/gate_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "support/data.hpp"

namespace drover::test {
namespace {

/// Of one agent's wait: when it began, how many of its crowd had more right then.
struct Wait {
  std::uint64_t age = 0, before = 0, bound = 0;
};

/// The rule of arbitration: all are of one class here.
bool precedes(const AgentView& a, const AgentView& b) {
  return a.age_ticks != b.age_ticks ? a.age_ticks > b.age_ticks : a.key < b.key;
}

class FairnessRun {
 public:
  explicit FairnessRun(const GateInstance& instance)
      : scene_(instance),
        gates_(instance.gates.size()),
        sim_(scene_.simulation(GuidancePolicy::plain)),
        longest_(longest(instance)) {}

  /// Empty if nobody ever waited longer than the bound; else who.
  std::string run() {
    for (int t = 0; t < 100000 && !sim_.finished(); ++t) {
      sim_.step();
      if (std::string fault = look(); !fault.empty()) return fault;
    }
    return sim_.finished() ? "" : "not everybody left";
  }
  std::uint64_t longest_wait() const { return longest_wait_; }
  std::uint64_t waits() const { return waits_; }

 private:
  std::uint64_t longest(const GateInstance& instance) const {
    GoalDef goal;
    for (const Cell c : instance.gates) goal.cells.push_back({c, 0});
    const FieldRef field = *FieldBuilder().build(scene_.graph(), goal);
    Cost most = 0;
    for (const Cell c : instance.starts) most = std::max(most, field->cost_to_goal(scene_.graph().shape().index(c)));
    return most;  // steps: costs are uniform
  }

  std::string look() {
    sim_.agents(views_);
    std::erase_if(views_, [](const AgentView& v) { return v.state == AgentState::arrived; });
    std::vector<const AgentView*> order;
    for (const AgentView& v : views_) order.push_back(&v);
    std::sort(order.begin(), order.end(), [](const AgentView* a, const AgentView* b) { return precedes(*a, *b); });
    for (std::size_t before = 0; before < order.size(); ++before) {
      const AgentView& v = *order[before];
      Wait& wait = waiting_[v.key];
      if (v.age_ticks == 0 || v.age_ticks < wait.age) wait = {};
      if (v.age_ticks > 0 && wait.age == 0) {
        // ceil(before / (0.88 x gate cells)) + the longest way.
        wait.bound = (before * 100 + 88 * gates_ - 1) / (88 * gates_) + longest_;
        ++waits_;
      }
      wait.age = v.age_ticks;
      longest_wait_ = std::max(longest_wait_, wait.age);
      if (wait.age > wait.bound && wait.age > 0)
        return "agent " + std::to_string(v.key) + " at tick " + std::to_string(sim_.tick()) + ": no progress for " +
               std::to_string(wait.age) + " ticks, bound " + std::to_string(wait.bound);
    }
    return {};
  }

  GateScene scene_;
  std::size_t gates_;
  Simulation sim_;
  std::uint64_t longest_, longest_wait_ = 0, waits_ = 0;
  std::vector<AgentView> views_;
  std::map<std::uint64_t, Wait> waiting_;
};

// One plain field leads all to one cell, so gates of one cell are what the bound is claimed for. A planned forest goes
// by its own order, and promises the last tick (gate_crowd).
TEST(Fairness, NobodyAtAGateOfOneCellWaitsLongerThanTheBound) {
  const std::uint64_t worlds = long_run() ? 2000 : 60;
  std::uint64_t waits = 0, longest = 0, runs = 0;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    const auto ground = static_cast<GateGround>(seed % kGateGrounds);
    GateDraw draw(seed, ground, 16 + static_cast<int>(seed % 3) * 8);
    const Moves moves = seed % 2 == 0 ? Moves::four : Moves::eight;
    const std::optional<GateInstance> instance =
        draw.instance(moves, 1, static_cast<std::uint32_t>(10 + seed % 50), 200);
    if (!instance) continue;
    FairnessRun run(*instance);
    EXPECT_EQ(run.run(), "") << "seed " << seed;
    waits += run.waits();
    longest = std::max(longest, run.longest_wait());
    ++runs;
  }
  EXPECT_GT(runs * 2, worlds);
  EXPECT_GT(waits, runs * 10);
  RecordProperty("longest", static_cast<int>(longest));
}

}  // namespace
}  // namespace drover::test
