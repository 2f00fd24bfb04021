// SPDX-License-Identifier: MIT
// A task arena of the asked width; one thread runs without any.
#include "tasks.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "app.hpp"
#include "bench/thread_clock.hpp"
#include "large_pages.hpp"
#include "stopwatch.hpp"

namespace drover::cli {

struct ThreadTasks::Arena {
  std::optional<oneapi::tbb::global_control> limit;
  std::optional<oneapi::tbb::task_arena> arena;
  std::atomic<std::uint64_t> busy_ns{0};  // fields build beside the tick
};

namespace {

// oneTBB ends the program where a thread cannot be started, so it is tried first: all of them at once.
bool can_start(std::uint32_t extra) {
  std::mutex mutex;
  std::condition_variable wake;
  bool leave = false, started = true;
  std::vector<std::thread> threads;
  try {
    threads.reserve(extra);
    for (std::uint32_t i = 0; i < extra; ++i) {
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return leave; });
      });
    }
  } catch (const std::system_error&) {
    started = false;
  } catch (const std::bad_alloc&) {
    started = false;
  }
  {
    const std::lock_guard lock(mutex);
    leave = true;
  }
  wake.notify_all();
  for (std::thread& thread : threads) thread.join();
  return started;
}

// Lives as long as the program: maps and fields may outlive the tasks.
LargePages& large_pages() {
  static auto* const kPages = new LargePages;
  return *kPages;
}

void* allocate(void*, std::size_t bytes, std::size_t alignment) { return large_pages().allocate(bytes, alignment); }
void deallocate(void*, void* block, std::size_t bytes, std::size_t alignment) {
  large_pages().deallocate(block, bytes, alignment);
}

void run_tasks(void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
  auto& arena = *static_cast<ThreadTasks::Arena*>(context);
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t own_start = bench::thread_ns();
  if (arena.arena && count > 1) {
    arena.arena->execute(
        [&] { oneapi::tbb::parallel_for(std::uint32_t{0}, count, [&](std::uint32_t i) { task(argument, i); }); });
  } else {
    for (std::uint32_t i = 0; i < count; ++i) task(argument, i);
  }
  arena.busy_ns += arena.arena ? time_since<std::chrono::nanoseconds>(start) : bench::thread_ns() - own_start;
}

void start_task(void* context, void (*task)(void*), void* argument) {
  static_cast<ThreadTasks::Arena*>(context)->arena->enqueue([task, argument] { task(argument); });
}

}  // namespace

ThreadTasks::ThreadTasks(std::uint32_t threads) : threads_(threads), arena_(std::make_unique<Arena>()) {
  if (threads_ > 1 && !can_start(threads_ - 1)) {
    print_warnings(
        {{"W_THREADS", fmt::format("{} threads cannot be started; running on one, with the same results", threads_)}});
    threads_ = 1;
  }
  if (threads_ > 1) {
    arena_->limit.emplace(oneapi::tbb::global_control::max_allowed_parallelism, threads_);
    arena_->arena.emplace(static_cast<int>(threads_));
  }
}

ThreadTasks::~ThreadTasks() = default;

Host ThreadTasks::host() const {
  Host host;
  host.allocator = {nullptr, allocate, deallocate};
  host.tasks = {arena_.get(), threads_, run_tasks, arena_->arena ? start_task : nullptr};
  return host;
}

std::uint64_t ThreadTasks::busy_ns() const noexcept { return arena_->busy_ns; }

}  // namespace drover::cli
