// SPDX-License-Identifier: MIT
// Two passes over one tick, and the hook that changes how the second runs.
#include "io/paranoid.hpp"

#include <algorithm>

#include "io/text.hpp"

namespace drover::io {

namespace {

/// The tasks of one worker: every `step`-th, from the last down.
struct Deal {
  void (*task)(void*, std::uint32_t);
  void* argument;
  std::uint32_t count, step;

  void run(std::uint32_t worker) const {
    for (std::uint32_t left = (count - worker + step - 1) / step; left > 0; --left)
      task(argument, worker + (left - 1) * step);
  }
};

}  // namespace

Host ParanoidStepper::host() {
  Host host = host_;
  host.tasks = {this, host_.tasks.workers, run};
  return host;
}

void ParanoidStepper::run(void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
  const auto& self = *static_cast<const ParanoidStepper*>(context);
  const Tasks& given = self.host_.tasks;
  Deal deal{task, argument, count, 1};
  if (given.run == nullptr || self.pass_ == Pass::backwards) {
    if (self.pass_ != Pass::as_given) return deal.run(0);
    for (std::uint32_t i = 0; i < count; ++i) task(argument, i);
  } else if (self.pass_ == Pass::as_given) {
    given.run(given.context, count, task, argument);
  } else {
    deal.step = std::min(count, given.workers + 1);
    given.run(
        given.context, deal.step,
        [](void* dealt, std::uint32_t worker) { static_cast<const Deal*>(dealt)->run(worker); }, &deal);
  }
}

Result<std::optional<Difference>> ParanoidStepper::step(Simulation& simulation) {
  return guarded("a second pass over a tick", [&] {
    const auto must = [](const Status& status) {
      if (!status.ok()) throw Refusal{status};
    };
    must(simulation.snapshot_into(snapshot_));
    pass_ = Pass::as_given;
    simulation.step();
    read_state(simulation, first_);
    must(simulation.restore(snapshot_));
    pass_ = first_.tick % 2 == 0 ? Pass::backwards : Pass::dealt;
    simulation.step();
    read_state(simulation, second_);
    pass_ = Pass::as_given;
    return first_difference(first_, second_);
  });
}

}  // namespace drover::io
