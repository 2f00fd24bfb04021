// SPDX-License-Identifier: MIT
// How long steps last, and who is in the middle of one.
#pragma once
#include <drover/profile.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace drover::crowd {

/// A step in whole ticks; `remainder` parts of a tick (StepPolicy) go into the next one.
struct StepTime {
  std::uint32_t ticks = 1;
  std::uint64_t remainder = 0;
};

/// Of a step of this length (kStraightLength, kDiagonalLength) with `carried` from the one before: at least one tick.
StepTime step_time(Fixed speed, std::uint32_t length, std::uint64_t carried) noexcept;
/// Parts of a tick: remainders are below it.
std::uint64_t parts_of_tick(Fixed speed) noexcept;
/// What the first of several steps carries, so that ticks are rounded to the nearest.
inline std::uint64_t half_a_tick(Fixed speed) noexcept { return parts_of_tick(speed) / 2; }

/// The last step that an agent began; 0 ticks: none.
struct Stride {
  std::uint64_t start = 0;
  std::uint64_t remainder = 0;
  std::uint32_t ticks = 0;

  std::uint64_t end() const noexcept { return start + ticks; }
};

/// Steps of StepPolicy::ground_speed, by slot. Under `unit` it holds nothing, and nobody is ever under way between
/// ticks.
class Strides {
 public:
  explicit Strides(StepPolicy policy) noexcept : timed_(policy == StepPolicy::ground_speed) {}

  bool timed() const noexcept { return timed_; }
  /// Ticks done. A step that begins now is carried out in the ticks after it.
  std::uint64_t now() const noexcept { return now_; }
  void set_now(std::uint64_t tick) noexcept { now_ = tick; }
  void resize(std::uint32_t slots) {
    if (timed_) strides_.resize(slots);
  }
  /// Ticks that portals say of themselves, by number.
  void set_portals(std::span<const PortalDef> portals);

  const Stride& of(std::uint32_t agent) const noexcept { return strides_[agent]; }
  /// In the middle of a step.
  bool under_way(std::uint32_t agent) const noexcept { return timed_ && strides_[agent].end() > now_; }
  /// What a step that begins now takes. Who has stood for a tick begins anew.
  StepTime step(std::uint32_t agent, Fixed speed, std::uint32_t length) const noexcept {
    return step_time(speed, length, carried(agent, speed));
  }
  StepTime passage(std::uint32_t agent, Fixed speed, std::uint32_t portal) const noexcept;

  void begin(std::uint32_t agent, StepTime time) noexcept { strides_[agent] = {now_, time.remainder, time.ticks}; }
  void set(std::uint32_t agent, const Stride& stride) noexcept { strides_[agent] = stride; }
  /// As if it had never stepped.
  void forget(std::uint32_t agent) noexcept {
    if (timed_) strides_[agent] = {};
  }

 private:
  std::uint64_t carried(std::uint32_t agent, Fixed speed) const noexcept {
    const Stride& last = strides_[agent];
    return last.ticks != 0 && last.end() == now_ ? last.remainder : half_a_tick(speed);
  }

  bool timed_;
  std::uint64_t now_ = 0;
  std::vector<Stride> strides_;
  std::vector<std::uint32_t> portal_ticks_;
};

}  // namespace drover::crowd
