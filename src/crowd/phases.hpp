// SPDX-License-Identifier: MIT
// Two bodies on their way, whose steps begin and end at different ticks: do they stay apart?
#pragma once
#include "crowd/pair_table.hpp"

#include <cstdint>

namespace drover::crowd {

/// Where a body is in its step. kStay: it stands, and the ticks do not count.
struct Phase {
  std::uint8_t move = kStay;
  std::uint32_t elapsed = 0, ticks = 1;  // elapsed < ticks

  bool moves() const noexcept { return move < kDirections; }
};

/// From now on until both steps are over, and for as long as both then stand. `dx`, `dy`: anchor of b minus anchor of a
/// where their steps began. Under `cells`: no exchange of places, and no crossing while both are on their way.
///
/// Exact: seen from a, b runs along at most two straight lines, whose corners are fractions of the two durations; the
/// distance of each line is compared with r1 + r2 by integers of up to 256 bits.
bool stay_apart(BodyRule rule, const Body& a, Phase phase_a, const Body& b, Phase phase_b, int dx, int dy) noexcept;

}  // namespace drover::crowd
