// SPDX-License-Identifier: MIT
// A task hook on plain std::thread, so that sanitizers see every access.
#pragma once
#include <drover/host.hpp>

#include <atomic>
#include <cstdint>
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

}  // namespace drover::test
