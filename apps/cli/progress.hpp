// SPDX-License-Identifier: MIT
// A progress bar on a terminal; nothing on a pipe.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace drover::cli {

/// Drawn on standard error, at most ten times a second, and wiped when it goes out of scope.
class Progress {
 public:
  enum class Show : std::uint8_t { on_terminal, never };
  Progress(Show show, std::string label, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool shown() const noexcept { return shown_; }
  void update(std::uint64_t done, const std::string& note = {});

 private:
  bool shown_;
  bool drawn_ = false;
  std::string label_;
  std::uint64_t total_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace drover::cli
