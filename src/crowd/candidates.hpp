// SPDX-License-Identifier: MIT
// What the arbiter asks: where would this agent like to step, best first?
#pragma once
#include "crowd/agents.hpp"

#include <drover/field.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace drover::crowd {

/// A legal step, and where it leads.
struct Candidate {
  std::uint8_t direction = 0;
  bool uphill = false;  // its cell costs more than the agent's own
  bool level = false;   // its cell costs the same
};

struct CandidateList {
  std::array<Candidate, kDirections> items;
  int count = 0;
};

/// Guidance of one kind (a shared field, later a planned forest or an agent's own path). Reads one snapshot; called
/// from the arbiter's thread between propose and commit.
class CandidateSource {
 public:
  virtual ~CandidateSource() = default;
  /// Legal steps that are not in the agent's wish, as a mask of directions.
  virtual std::uint8_t beyond_wish(std::uint32_t agent) const noexcept = 0;
  /// Those of `directions` (a part of beyond_wish) that lead anywhere: ascending by cost through them, then in tie
  /// order.
  virtual CandidateList rank(std::uint32_t agent, std::uint8_t directions) const noexcept = 0;
  /// False: portal() finds nothing for anybody.
  virtual bool has_portals() const noexcept = 0;
  /// The portals among its optimal steps that are open now, by number: `next` counts on from 0 until nothing is left.
  virtual std::optional<PortalStep> portal(std::uint32_t agent, std::uint32_t& next) const noexcept = 0;
};

}  // namespace drover::crowd
