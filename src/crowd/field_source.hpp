// SPDX-License-Identifier: MIT
// Candidates from the shared flow field of an agent's (profile, goal).
#pragma once
#include "crowd/candidates.hpp"
#include "nav/compiled_graph.hpp"

#include <drover/bundle.hpp>

#include <vector>

namespace drover::crowd {

/// What one tick reads of one (profile, goal): pointers into the snapshot that the tick holds.
struct PairRead {
  const FlowField* field = nullptr;
  const nav::CompiledGraph* graph = nullptr;
  Freshness freshness = Freshness::not_ready;  // `current`: the field's steps are legal now
  bool same_costs = false;                     // and cost what it was built with
  bool goal_moved = false;                     // the field leads to where the goal was before
  bool plain = false;  // the field is current and of these costs and this goal: its ties are all there is to know
  std::uint64_t field_version = 0;
  std::uint64_t epoch = 0;  // another whenever the field or the graph is; never used twice

  /// The field's portal number `next` or a later one that may be used from here now.
  std::optional<PortalStep> portal(std::uint32_t cell, std::uint32_t& next) const noexcept;
};

class FieldSource final : public CandidateSource {
 public:
  FieldSource(Agents& agents, const std::vector<PairRead>& pairs, const GridShape& shape) noexcept;
  std::uint8_t beyond_wish(std::uint32_t agent) const noexcept override;
  CandidateList rank(std::uint32_t agent, std::uint8_t directions) const noexcept override;
  bool has_portals() const noexcept override;
  std::optional<PortalStep> portal(std::uint32_t agent, std::uint32_t& next) const noexcept override {
    return pairs_[agents_.pair[agent]].portal(agents_.cell[agent], next);
  }

 private:
  void rank_all(std::uint32_t agent, Seen& seen) const noexcept;

  Agents& agents_;  // written to only for Seen
  const std::vector<PairRead>& pairs_;
  std::array<std::uint32_t, kDirections> steps_{};
};

}  // namespace drover::crowd
