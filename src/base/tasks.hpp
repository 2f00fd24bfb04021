// SPDX-License-Identifier: MIT
// Loops through the host's task hook, cut the same way whatever the number of workers.
#pragma once
#include <drover/host.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace drover::base {

/// Calls body(begin, end) for [0, count) in pieces of `grain` (the last may be shorter). Pieces depend on count and
/// grain only; the body must write to places of its own piece. Precondition: grain above 0, count / grain below 2^32.
template <class Body>
void parallel_for(const Tasks& tasks, std::uint64_t count, std::uint64_t grain, Body&& body) {
  using Function = std::remove_reference_t<Body>;
  const std::uint64_t pieces = count / grain + (count % grain != 0 ? 1 : 0);
  if (tasks.run == nullptr || pieces < 2) {
    for (std::uint64_t i = 0; i < pieces; ++i) body(i * grain, std::min(count, (i + 1) * grain));
    return;
  }
  struct Job {
    Function* body;
    std::uint64_t count, grain;
  } job{&body, count, grain};
  tasks.run(
      tasks.context, static_cast<std::uint32_t>(pieces),
      [](void* argument, std::uint32_t index) {
        Job& j = *static_cast<Job*>(argument);
        const std::uint64_t begin = index * j.grain;
        (*j.body)(begin, std::min(j.count, begin + j.grain));
      },
      &job);
}

}  // namespace drover::base
