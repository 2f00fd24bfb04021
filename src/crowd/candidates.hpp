// SPDX-License-Identifier: MIT
// What the arbiter asks: where would this agent like to step, best first?
#pragma once
#include "crowd/agents.hpp"

#include <array>
#include <cstdint>

namespace drover::crowd {

/// A legal step with what a way through it would cost beyond the best one.
struct Candidate {
  std::uint8_t direction = 0;
  bool uphill = false;  // its cell costs more than the agent's own
  bool level = false;   // its cell costs the same
  Cost through = 0;     // cost of the step plus the cost from there
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
  /// Legal steps that are not in the agent's wish: ascending by cost through them, then in tie order.
  virtual CandidateList others(std::uint32_t agent) const noexcept = 0;
};

}  // namespace drover::crowd
