// SPDX-License-Identifier: MIT
// Plans of a crowd that leaves through a gate: made where they are due, or in the background.
#pragma once
#include "crowd/evacuation_flow.hpp"
#include "crowd/forest_planner.hpp"

#include <drover/graph.hpp>
#include <drover/host.hpp>
#include <drover/simulation.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace drover::sim {

/// One plan to make. Inputs stay as they are; results are for whoever has called PlanQueue::finish().
struct Plan {
  NavGraph graph;
  std::vector<std::uint32_t> gates;  // padded cells, ascending
  crowd::ForestRules queue_rules;
  std::vector<std::uint32_t> cells;  // of the agents, ascending
  std::shared_ptr<const crowd::Forest> kept;
  bool exact = false;  // look for the optimum too
  // To compare a first forest of tick 0 with what the plain field does; no agents: not asked for.
  SimulationDef rules;
  SimulationGoal goal;
  std::vector<AgentDef> agents;

  std::shared_ptr<const crowd::Forest> forest;            // null: somebody has no way, or there was no memory
  std::shared_ptr<const crowd::EvacuationPlan> schedule;  // null: not asked for, or too dear

  bool plain_is_faster = false;

  /// The queue's own, under its mutex.
  bool done = false;
};
using PlanRef = std::shared_ptr<Plan>;

/// What an exact plan may take. Counts, so that every machine gives up at the same plan: about 0.2 s at most.
inline constexpr crowd::FlowLimits kExactLimits{std::uint64_t{1} << 22, std::uint64_t{1} << 23};

/// Whether the exact plan's rules are those of the plan's bodies and graph.
bool is_exact_ground(const Plan& plan) noexcept;
/// Null where it takes more than kExactLimits.
std::shared_ptr<const crowd::EvacuationPlan> exact_plan(const Plan& plan, const std::vector<std::uint32_t>& cells);

/// Agent steps at most that a run along the plain field may take to be compared with a forest.
inline constexpr std::uint64_t kMostCompared = std::uint64_t{1} << 22;
/// Whether the plain field alone has everyone out before the forest does: found by running it. False where that takes
/// more than kMostCompared.
bool plain_is_faster(const Plan& plan);

/// Makes one plan at a time with one planner, so memory is used again. Called from one thread; the host's background
/// task is the other.
class PlanQueue {
 public:
  explicit PlanQueue(const Host& host);
  /// Drops what has not begun and waits for what has.
  ~PlanQueue();
  PlanQueue(const PlanQueue&) = delete;
  PlanQueue& operator=(const PlanQueue&) = delete;

  /// Hands it to the background; without one it is made by finish().
  void launch(const PlanRef& plan);
  /// Returns when it is done; what nobody has begun is made here. False if the caller had to wait or to plan.
  bool finish(const PlanRef& plan);
  bool in_background() const noexcept { return host_.tasks.start != nullptr; }

 private:
  struct Shared;
  static void work(void* argument);

  Host host_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::sim
