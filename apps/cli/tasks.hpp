// SPDX-License-Identifier: MIT
// Threads for the library: its task hook on oneTBB.
#pragma once
#include <drover/host.hpp>

#include <cstdint>
#include <memory>

namespace drover::cli {

/// Runs the library's tasks on `threads` threads. Where the system refuses threads it warns once (W_THREADS) and runs
/// on one.
class ThreadTasks {
 public:
  explicit ThreadTasks(std::uint32_t threads);
  ~ThreadTasks();
  ThreadTasks(const ThreadTasks&) = delete;
  ThreadTasks& operator=(const ThreadTasks&) = delete;

  Host host() const;
  std::uint32_t threads() const noexcept { return threads_; }
  /// Nanoseconds spent inside the hook so far: the parallel part of what ran.
  std::uint64_t busy_ns() const noexcept;

  struct Arena;

 private:
  std::uint32_t threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace drover::cli
