// SPDX-License-Identifier: MIT
// Builds of fields: where they are asked for, or in the background where the host lends a thread.
#pragma once
#include <drover/field.hpp>
#include <drover/host.hpp>

#include <cstdint>
#include <memory>

namespace drover::sim {

/// One field to build, or to repair from an older one. Shared by all who wait for it. Inputs stay as they are; results
/// are for whoever has called BuildQueue::finish().
struct Build {
  NavGraph graph;
  GoalDef goal;
  FieldRef old;                           // null: nothing to repair from
  NavGraph before;                        // of `old`
  std::uint64_t due = 0;                  // tick
  std::uint64_t waiting = 0, number = 0;  // agents that wait for it; order of asking

  Status status;
  FieldRef field;  // null where status is not ok

  /// One that needs no work.
  static std::shared_ptr<Build> ready(const NavGraph& graph, const GoalDef& goal, FieldRef field, Status status = {});

  /// The queue's own, under its mutex.
  enum class State : std::uint8_t { queued, running, done };
  State state = State::queued;
};
using BuildRef = std::shared_ptr<Build>;

/// Runs builds with one builder, so repairs find the pages they share: in the background as many at once as the host
/// has workers. The order of builds decides nothing but who is ready early. Called from one thread; the host's
/// background tasks are the others.
class BuildQueue {
 public:
  explicit BuildQueue(const Host& host);
  /// Drops what has not begun and waits for what has.
  ~BuildQueue();
  BuildQueue(const BuildQueue&) = delete;
  BuildQueue& operator=(const BuildQueue&) = delete;

  bool in_background() const noexcept { return host_.tasks.start != nullptr; }
  void add(const BuildRef& build);
  /// Some wait that have not been handed over or built yet.
  bool any_waiting() const noexcept { return any_waiting_; }
  /// Somebody wants it at this tick already.
  void hurry(const BuildRef& build, std::uint64_t due);
  /// So many agents wait for it.
  void prefer(const BuildRef& build, std::uint64_t waiting);
  /// At the end of a tick. In the background: hands over what was added, what is due first, then most agents waiting,
  /// then in order of asking. Without one: builds its share of those that are due later, so that every tick until then
  /// has as many.
  void launch(std::uint64_t tick);
  /// Returns when it is done; what nobody has begun is built here. False if the caller had to wait or to build.
  bool finish(const BuildRef& build);
  /// A build that is nobody's wait.
  Result<FieldRef> build_now(const NavGraph& graph, const GoalDef& goal);

 private:
  struct Shared;
  static void work(void* argument);
  void spread(std::uint64_t tick);
  static void run(Shared& shared, Build& build);

  Host host_;
  FieldBuilder builder_;
  std::shared_ptr<Shared> shared_;
  std::uint64_t added_ = 0;
  bool any_waiting_ = false;
};

}  // namespace drover::sim
