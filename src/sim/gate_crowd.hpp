// SPDX-License-Identifier: MIT
// The plan of a crowd that leaves through a gate: asked for at a tick, in force from a tick fixed in advance.
#pragma once
#include "base/bytes.hpp"
#include "crowd/agents.hpp"
#include "crowd/forest_arbiter.hpp"
#include "crowd/reservations.hpp"
#include "sim/guidance.hpp"
#include "sim/own_search.hpp"
#include "sim/plan_queue.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace drover::sim {

/// Steps by cell and tick; kept with what it was made from, so that saved bytes need no more.
struct Schedule {
  std::shared_ptr<const crowd::EvacuationPlan> plan;
  std::uint64_t from_tick = 0;
  std::vector<std::uint32_t> cells;  // of the agents at that tick, ascending
};

struct PendingPlan {
  std::uint64_t requested = 0, due = 0;
  PlanRef plan;
};

/// Everything of a GateCrowd that a snapshot keeps; plans are shared.
struct GateCrowdState {
  std::uint32_t pair = crowd::kNobody;  // whose plan is in force or on its way
  std::uint64_t goal_version = 0;
  std::shared_ptr<const crowd::Forest> forest;
  std::shared_ptr<const Schedule> schedule;  // goes before the forest
  std::vector<std::uint64_t> finish;         // ForestArbiter::finish()
  std::uint64_t promised_finish = 0, promised_sum = 0;
  bool plain_leads = false;  // the field has them out earlier than any forest that was found
  std::optional<PendingPlan> pending;
  std::optional<std::uint64_t> last_request;
  std::uint64_t plans = 0, adopted = 0, led_ticks = 0;
};

/// At most one crowd has a plan: the one that is alone on the map, all of one profile of single cells, on the last leg
/// to one goal where they vanish. A plan is made from places frozen at the end of a tick, and asked for at most every
/// `every` ticks. Where walls or the goal change it is dropped. Used from the simulation's thread only.
class GateCrowd {
 public:
  GateCrowd(const Host& host, std::uint32_t every) : queue_(host), every_(every) {}

  /// Drops what no longer fits, and takes what is due.
  void adopt_due(Guidance& guidance, const crowd::Agents& agents, const std::vector<std::uint32_t>& placed,
                 std::uint64_t tick);
  /// After the steps of a tick, where the crowd is alone (`pair`) and none of `placed` is without a way. False: too
  /// early, or nothing could get better.
  bool ask(Guidance& guidance, OwnSearch& search, crowd::PairTable& table, const SimulationDef& rules,
           const crowd::Agents& agents, const std::vector<std::uint32_t>& placed, std::uint64_t tick);
  /// Decides the step of everybody, `active` being all on the map. False: nobody is decided.
  bool decide(Guidance& guidance, crowd::Agents& agents, const crowd::Reservations& reservations,
              const std::vector<std::uint32_t>& active, std::uint64_t tick);

  const GateCrowdState& state() const noexcept { return state_; }
  void restore(const GateCrowdState& state);
  void write(base::ByteWriter& out) const;
  bool read(base::ByteReader& in, Guidance& guidance, OwnSearch& search, crowd::PairTable& table, Following following,
            std::uint64_t tick);
  void count(Metrics& metrics) const noexcept;
  std::uint64_t digest() const noexcept;

 private:
  bool fits(const Guidance& guidance) const noexcept;
  PlanRef make(const Guidance& guidance, OwnSearch& search, crowd::PairTable& table, Following following,
               std::uint32_t pair) const;
  void adopt(Guidance& guidance, const PendingPlan& ready, std::vector<std::uint32_t> cells, std::uint64_t tick);
  void show(Guidance& guidance, std::uint64_t tick) const;
  void lose_schedule(Guidance& guidance, const crowd::Agents& agents, const std::vector<std::uint32_t>& active,
                     std::uint64_t tick);
  bool gather(const crowd::Agents& agents, const std::vector<std::uint32_t>& active);
  void drop(Guidance& guidance);
  bool keep_schedule(crowd::Agents& agents, const crowd::Reservations& reservations,
                     const std::vector<std::uint32_t>& active, std::uint64_t tick) const;

  PlanQueue queue_;
  std::optional<crowd::ForestArbiter> arbiter_;  // once there is a plan
  std::uint32_t every_;
  GateCrowdState state_;
  std::uint64_t overruns_ = 0;
};

}  // namespace drover::sim
