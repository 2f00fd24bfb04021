// SPDX-License-Identifier: MIT
// A task hook on plain std::thread, so that sanitizers see every access.
#pragma once
#include <drover/host.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace drover::test {

class ThreadTasks {
 public:
  explicit ThreadTasks(std::uint32_t workers) : workers_(workers) {}
  Host host() {
    Host h;
    h.tasks = {this, workers_, &ThreadTasks::run};
    return h;
  }

 private:
  static void run(void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
    const auto* self = static_cast<ThreadTasks*>(context);
    std::atomic<std::uint32_t> next{0};
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < self->workers_; ++i)
      threads.emplace_back([&] {
        for (std::uint32_t index = next++; index < count; index = next++) task(argument, index);
      });
    for (std::thread& t : threads) t.join();
  }
  std::uint32_t workers_;
};

/// Background tasks on as many threads of its own, and loops on others. `hold` keeps the tasks back until release().
class BackgroundTasks {
 public:
  enum class Start : std::uint8_t { at_once, held };
  explicit BackgroundTasks(std::uint32_t workers = 1, Start start = Start::at_once)
      : loops_(workers), held_(start == Start::held) {
    for (std::uint32_t i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~BackgroundTasks() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Host host() {
    Host h = loops_.host();
    h.tasks.start = &BackgroundTasks::start;
    loops_context_ = h.tasks.context;
    run_ = h.tasks.run;
    h.tasks.context = this;
    h.tasks.run = &BackgroundTasks::run;
    return h;
  }
  void release() {
    {
      const std::lock_guard lock(mutex_);
      held_ = false;
    }
    wake_.notify_all();
  }
  std::uint64_t started() {
    const std::lock_guard lock(mutex_);
    return started_;
  }

 private:
  struct Task {
    void (*task)(void*);
    void* argument;
  };
  static void run(void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
    auto* const self = static_cast<BackgroundTasks*>(context);
    self->run_(self->loops_context_, count, task, argument);
  }
  static void start(void* context, void (*task)(void*), void* argument) {
    auto* const self = static_cast<BackgroundTasks*>(context);
    {
      const std::lock_guard lock(self->mutex_);
      self->tasks_.push_back({task, argument});
      ++self->started_;
    }
    self->wake_.notify_all();
  }
  // Runs what is left, also what was held back, before it ends.
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return over_ || (!held_ && !tasks_.empty()); });
      if (tasks_.empty()) return;
      const Task next = tasks_.front();
      tasks_.erase(tasks_.begin());
      lock.unlock();
      next.task(next.argument);
      lock.lock();
    }
  }

  ThreadTasks loops_;
  void* loops_context_ = nullptr;
  void (*run_)(void*, std::uint32_t, void (*)(void*, std::uint32_t), void*) = nullptr;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Task> tasks_;
  bool held_ = false, over_ = false;
  std::uint64_t started_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace drover::test
