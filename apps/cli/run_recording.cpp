// SPDX-License-Identifier: MIT
// Recording a scenario's run.
#include "run_recording.hpp"

#include <chrono>
#include <system_error>

namespace drover::cli {

namespace {

// A power loss takes at most what was recorded since the last sync began.
constexpr std::chrono::seconds kSyncEvery{1};

io::RecordingInfo info_of(const io::Scenario& scenario) {
  io::RecordingInfo info;
  info.drover = DROVER_VERSION;
  info.scenario = scenario.name;
  info.scenario_file = scenario.file;
  info.scenario_digest = scenario.digest;
  for (const io::ScenarioProfile& p : scenario.profiles) info.profiles.push_back(p.profile.name);
  for (const io::ScenarioGoal& goal : scenario.goals) info.goals.push_back(goal.name);
  for (const io::ScenarioDoor& door : scenario.doors) info.doors.push_back(door.door.name);
  for (const io::NamedObstacle& obstacle : scenario.obstacles) info.obstacles.push_back(obstacle.name);
  return info;
}

}  // namespace

RunRecording::RunRecording(const std::string& path, const io::Scenario& scenario, const Simulation& simulation)
    : writer_(must(io::RecordingWriter::create(path, info_of(scenario), simulation))) {
  try {
    thread_ = std::thread([this] { keep_syncing(); });
  } catch (const std::system_error&) {  // as it says at thread_
  }
}

RunRecording::~RunRecording() { stop_syncing(); }

void RunRecording::keep_syncing() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kSyncEvery, [this] { return stop_; })) {
    lock.unlock();
    // A disk that refuses says so to the next write, too.
    static_cast<void>(writer_.sync().ok());
    lock.lock();
  }
}

void RunRecording::stop_syncing() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RunRecording::close(const Simulation& simulation, io::RunEnd end) {
  stop_syncing();
  must(writer_.sync());
  must(writer_.close(simulation, end));
}

}  // namespace drover::cli
