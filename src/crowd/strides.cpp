// SPDX-License-Identifier: MIT
// Exact times of steps.
#include "crowd/strides.hpp"

#include <algorithm>
#include <bit>

namespace drover::crowd {
namespace {

// Factors of two that speed and one cell a tick share.
int shared_twos(Fixed speed) noexcept {
  return std::min(std::countr_zero(static_cast<std::uint64_t>(speed.raw)), Fixed::kFractionBits);
}

}  // namespace

std::uint64_t parts_of_tick(Fixed speed) noexcept {
  return std::uint64_t{kStraightLength} * static_cast<std::uint64_t>(speed.raw) >> shared_twos(speed);
}

// length / (985 speed) ticks; below 2^43 + 2^42 parts.
StepTime step_time(Fixed speed, std::uint32_t length, std::uint64_t carried) noexcept {
  const std::uint64_t tick = parts_of_tick(speed);
  const std::uint64_t step = (std::uint64_t{length} << (Fixed::kFractionBits - shared_twos(speed))) + carried;
  return {static_cast<std::uint32_t>(step / tick), step % tick};
}

void Strides::set_portals(std::span<const PortalDef> portals) {
  if (!timed_) return;
  portal_ticks_.clear();
  for (const PortalDef& portal : portals) portal_ticks_.push_back(portal.ticks);
}

StepTime Strides::passage(std::uint32_t agent, Fixed speed, std::uint32_t portal) const noexcept {
  const std::uint32_t ticks = portal_ticks_[portal];
  return ticks == 0 ? step(agent, speed, kStraightLength) : StepTime{ticks, carried(agent, speed)};
}

}  // namespace drover::crowd
