// SPDX-License-Identifier: MIT
// What the host program lends the library: memory, threads, a log, and a say in failed assertions.
#pragma once
#include <cstddef>
#include <cstdint>

namespace drover {

/// Memory for map and field planes. `allocate` may return null: the call that asked answers `out_of_memory`, its object
/// unchanged. Both must be callable from any thread that holds a bundle. Default (null functions): aligned operator
/// new.
struct Allocator {
  void* context = nullptr;
  void* (*allocate)(void* context, std::size_t bytes, std::size_t alignment) = nullptr;
  void (*deallocate)(void* context, void* block, std::size_t bytes, std::size_t alignment) = nullptr;
};

/// Runs `task(argument, index)` for every index below `count`, in any order, on any threads, and returns when all are
/// done. Results never depend on `workers` or on the order. Default (null): one after the other on the calling thread.
///
/// `start`, where it is given, runs `task(argument)` once on another thread and returns at once: fields are then built
/// in the background, from several threads calls to `run` come. A task that was started must be run some time; it ends
/// at once where what it was for is gone. Default (null): fields are built where they are asked for, with the same
/// results.
struct Tasks {
  void* context = nullptr;
  std::uint32_t workers = 1;
  void (*run)(void* context, std::uint32_t count, void (*task)(void* argument, std::uint32_t index),
              void* argument) = nullptr;
  void (*start)(void* context, void (*task)(void* argument), void* argument) = nullptr;
};

enum class LogLevel : std::uint8_t { info, warning, error };

struct Log {
  void* context = nullptr;
  void (*write)(void* context, LogLevel level, const char* text) = nullptr;
};

/// Called with the place and the condition of a broken invariant; if it returns (or is null), the program ends with
/// abort().
struct AssertHandler {
  void* context = nullptr;
  void (*failed)(void* context, const char* file, int line, const char* condition) = nullptr;
};

/// All hooks are optional. Copied; their contexts must outlive every object that was given them and every bundle still
/// held.
struct Host {
  Allocator allocator;
  Tasks tasks;
  Log log;
  AssertHandler on_assert;
};

}  // namespace drover
