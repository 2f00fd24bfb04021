// SPDX-License-Identifier: MIT
// The recording of a run, and the thread that asks the disk for it once a second.
#pragma once
#include <drover/recording.hpp>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "app.hpp"

namespace drover::cli {

class RunRecording {
 public:
  /// The state of tick 0 is written at once.
  RunRecording(const std::string& path, const io::Scenario& scenario, const Simulation& simulation);
  ~RunRecording();
  RunRecording(const RunRecording&) = delete;
  RunRecording& operator=(const RunRecording&) = delete;

  /// After every step; what was recorded survives the death of the program.
  void tick(const Simulation& simulation) { must(writer_.record(simulation)); }
  void close(const Simulation& simulation, io::RunEnd end);
  std::uint64_t bytes() const noexcept { return writer_.bytes(); }

 private:
  void keep_syncing();
  void stop_syncing() noexcept;

  io::RecordingWriter writer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;  // none where the system refuses one: then only the end is waited for
};

}  // namespace drover::cli
