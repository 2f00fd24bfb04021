// SPDX-License-Identifier: MIT
// Every tick twice, from one snapshot, with the tasks run in two different ways; the answers must be equal.
#pragma once
#include <drover/simulation.hpp>

#include "io/difference.hpp"

namespace drover::io {

/// Steps a simulation whose host is host(): first as the given tasks run, then back, and again with the tasks dealt out
/// to one worker more than there are (odd ticks) or from last to first on the calling thread (even ticks).
///
/// Must outlive the simulation. One thread. Commands must not be submitted between snapshot and step, so none is while
/// step() runs.
class ParanoidStepper {
 public:
  /// `host.tasks` run the first pass.
  explicit ParanoidStepper(const Host& host) : host_(host) {}
  ParanoidStepper(const ParanoidStepper&) = delete;
  ParanoidStepper& operator=(const ParanoidStepper&) = delete;

  /// What the simulation is to be created with.
  Host host();
  /// One tick of what the simulation now is: the second pass stays. Errors: out_of_memory.
  Result<std::optional<Difference>> step(Simulation& simulation);

 private:
  enum class Pass : std::uint8_t { as_given, backwards, dealt };
  static void run(void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument);

  Host host_;
  Pass pass_ = Pass::as_given;
  SimulationSnapshot snapshot_;
  TickState first_, second_;
};

}  // namespace drover::io
