// SPDX-License-Identifier: MIT
// One mutex, one builder, as many background tasks as the host has workers.
#include "sim/build_queue.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

namespace drover::sim {

/// Outlives the queue for as long as any background task of it has not begun or ended; holds nothing of the host's
/// then.
struct BuildQueue::Shared {
  explicit Shared(FieldBuilder& b) : builder(b) {}

  // The next to build, taken out. What nobody waits for any more (a rollback) is dropped. Null if nothing is left.
  BuildRef take() {
    std::erase_if(waiting, [](const BuildRef& b) { return b.use_count() == 1; });
    if (waiting.empty()) return nullptr;
    const auto next = std::min_element(waiting.begin(), waiting.end(), [](const BuildRef& a, const BuildRef& b) {
      return std::tie(a->due, b->waiting, a->number) < std::tie(b->due, a->waiting, b->number);
    });
    BuildRef build = std::move(*next);
    waiting.erase(next);
    return build;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<BuildRef> waiting;
  std::size_t running = 0;  // builds: who counted himself here uses the builder
  std::size_t tasks = 0;    // background tasks that were started and have not ended
  bool closed = false;
  FieldBuilder& builder;  // the queue's
};

BuildRef Build::ready(const NavGraph& graph, const GoalDef& goal, FieldRef field, Status status) {
  auto build = std::make_shared<Build>();
  build->graph = graph;
  build->goal = goal;
  build->field = std::move(field);
  build->status = std::move(status);
  build->state = State::done;
  return build;
}

BuildQueue::BuildQueue(const Host& host) : host_(host), builder_(host), shared_(std::make_shared<Shared>(builder_)) {}

BuildQueue::~BuildQueue() {
  std::unique_lock lock(shared_->mutex);
  shared_->closed = true;
  shared_->waiting.clear();
  shared_->changed.wait(lock, [this] { return shared_->running == 0; });
}

void BuildQueue::run(Shared& shared, Build& build) {
  Result<FieldRef> field = build.old == nullptr
                               ? shared.builder.build(build.graph, build.goal)
                               : shared.builder.repair(build.old, build.before, build.graph, build.goal);
  if (field) {
    build.field = *std::move(field);
    build.field->digest();  // remembered; its first time costs a pass over the cells
  } else {
    build.status = field.status();
  }
  build.old = nullptr;
  build.before = {};
}

void BuildQueue::add(const BuildRef& build) {
  build->number = ++added_;
  const std::lock_guard lock(shared_->mutex);
  shared_->waiting.push_back(build);
  any_waiting_ = true;
}

void BuildQueue::hurry(const BuildRef& build, std::uint64_t due) {
  const std::lock_guard lock(shared_->mutex);
  build->due = std::min(build->due, due);
}

void BuildQueue::prefer(const BuildRef& build, std::uint64_t waiting) {
  const std::lock_guard lock(shared_->mutex);
  build->waiting = waiting;
}

void BuildQueue::spread(std::uint64_t tick) {
  std::vector<BuildRef>& waiting = shared_->waiting;
  std::erase_if(waiting, [](const BuildRef& b) { return b.use_count() == 1; });
  std::sort(waiting.begin(), waiting.end(), [](const BuildRef& a, const BuildRef& b) {
    return std::tie(a->due, b->waiting, a->number) < std::tie(b->due, a->waiting, b->number);
  });
  std::vector<BuildRef> left;
  for (auto first = waiting.begin(); first != waiting.end();) {
    const std::uint64_t due = (*first)->due, ticks = due > tick ? due - tick : 1;
    const auto last = std::find_if(first, waiting.end(), [&](const BuildRef& b) { return b->due != due; });
    const auto count = static_cast<std::uint64_t>(last - first);
    const auto share = first + static_cast<std::ptrdiff_t>((count + ticks - 1) / ticks);
    for (; first != share; ++first) {
      run(*shared_, **first);
      (*first)->state = Build::State::done;
    }
    left.insert(left.end(), first, last);
    first = last;
  }
  waiting = std::move(left);
  any_waiting_ = !waiting.empty();
}

void BuildQueue::launch(std::uint64_t tick) {
  if (!in_background()) return spread(tick);
  any_waiting_ = false;
  const std::size_t most = std::max<std::size_t>(host_.tasks.workers, 1);
  while (true) {
    {
      const std::lock_guard lock(shared_->mutex);
      if (shared_->tasks >= std::min(most, shared_->waiting.size())) return;
      ++shared_->tasks;
    }
    auto* const argument = new (std::nothrow) std::shared_ptr<Shared>(shared_);
    if (argument == nullptr) break;
    host_.tasks.start(host_.tasks.context, &BuildQueue::work, argument);
  }
  const std::lock_guard lock(shared_->mutex);  // what is due is built by finish()
  --shared_->tasks;
}

void BuildQueue::work(void* argument) {
  const std::unique_ptr<std::shared_ptr<Shared>> held(static_cast<std::shared_ptr<Shared>*>(argument));
  Shared& shared = **held;
  std::unique_lock lock(shared.mutex);
  while (true) {
    BuildRef build = shared.closed ? nullptr : shared.take();
    if (build == nullptr) break;
    ++shared.running;
    build->state = Build::State::running;
    lock.unlock();
    run(shared, *build);
    lock.lock();
    build->state = Build::State::done;
    build.reset();  // before the queue may be gone, and the host's memory with it
    --shared.running;
    shared.changed.notify_all();
  }
  --shared.tasks;
}

bool BuildQueue::finish(const BuildRef& build) {
  std::unique_lock lock(shared_->mutex);
  if (build->state == Build::State::done) return true;
  if (build->state == Build::State::running) {
    shared_->changed.wait(lock, [&] { return build->state == Build::State::done; });
    return false;
  }
  std::erase(shared_->waiting, build);
  ++shared_->running;
  build->state = Build::State::running;
  lock.unlock();
  run(*shared_, *build);
  lock.lock();
  build->state = Build::State::done;
  --shared_->running;
  lock.unlock();
  shared_->changed.notify_all();
  return false;
}

Result<FieldRef> BuildQueue::build_now(const NavGraph& graph, const GoalDef& goal) {
  auto build = std::make_shared<Build>();
  build->graph = graph;
  build->goal = goal;
  finish(build);
  if (build->field == nullptr) return build->status;
  return build->field;
}

}  // namespace drover::sim
