// SPDX-License-Identifier: MIT
// Costs of a field row by row without padding, from which one pass makes all else again.
#pragma once
#include "base/memory.hpp"
#include "field/field_data.hpp"
#include "field/goals.hpp"

#include <memory>
#include <vector>

namespace drover::field {

class ColdFieldData final : public ColdField {
 public:
  /// Null where there is no memory. Precondition: costs of 16 bits.
  static std::shared_ptr<const ColdFieldData> of(const FlowFieldData& field, const Allocator& allocator);

  /// Costs and bases into a field of this shape and width, and what else does not need the graph.
  void put_back(FlowFieldData& field) const;

  bool has_steps() const noexcept { return has_steps_; }
  /// As far as units are chosen by them.
  PlacedGoals goals() const;

 private:
  GridShape shape_;
  bool has_steps_ = false;
  FlowFieldData::Identity identity_;
  FlowFieldData::Sums sums_;
  std::vector<PlacedGoal> goals_;
  std::vector<std::uint32_t> goal_cells_, goal_owners_, portal_cells_;
  std::vector<PortalStep> portal_steps_;
  base::Plane<std::uint16_t> costs_;  // rows of the map
  base::Plane<std::uint32_t> bases_;  // of tiles
};

}  // namespace drover::field
