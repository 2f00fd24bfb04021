// SPDX-License-Identifier: MIT
// One run from its first tick to its report: simulate, judge, count.
#pragma once
#include "app.hpp"
#include "base/histogram.hpp"
#include "io/paranoid.hpp"
#include "io/picture.hpp"
#include "io/report.hpp"
#include "io/run_history.hpp"
#include "progress.hpp"
#include "run_outputs.hpp"
#include "run_recording.hpp"
#include "tasks.hpp"

namespace drover::cli {

struct RunSettings {
  std::uint64_t ticks = 0;
  bool validate = true;
  bool paranoid = false;  // every tick twice; a tick's time is that of both
  std::string command;    // that starts this run, for reproduce lines
  io::ExactBound exact_bound = io::ExactBound::skip;
  Progress::Show progress = Progress::Show::never;
  OutputPaths outputs;
  std::string recording;  // where it goes
};

/// Map, busiest field, traffic, starts and ends. `def` points into the rest and into the session.
struct RunDrawing {
  BundleRef bundle;
  std::vector<io::PictureAgent> agents;
  std::vector<Cell> goals;
  io::PictureDef def;
};

class RunSession {
 public:
  RunSession(const io::Scenario& scenario, const ThreadTasks& tasks, const RunSettings& settings);

  /// Runs until all is done, the last tick, or a signal.
  void run();
  io::RunReport report() const;
  RunDrawing drawing() const;
  const MapView& map() const { return instance_.simulation.map(); }
  const io::RunHistory& history() const { return history_; }
  /// Where the two passes of a tick parted first.
  const std::optional<io::Difference>& desync() const { return desync_; }
  /// A command that comes to this tick in the same way.
  std::string reproduce(std::uint64_t tick) const;

 private:
  Host watched(Host host);
  static void broken(void* context, const char* file, int line, const char* condition);
  void step();
  void after_tick(std::uint64_t step_ns);
  void judge();
  void count_visits();
  void read_agents(io::RunReport& report) const;
  void read_goals(io::RunReport& report) const;
  bool vanishes(GoalId goal) const { return scenario_.goals[goal.index].goal.on_arrival == OnArrival::vanish; }

  const io::Scenario& scenario_;
  RunSettings settings_;
  std::uint32_t threads_;
  std::optional<io::ParanoidStepper> paranoid_;
  std::optional<io::Difference> desync_;
  bool running_ = false;  // instance_ is there
  io::Instance instance_;
  RunOutputs outputs_;
  std::optional<RunRecording> recording_;
  std::optional<Validator> validator_;
  Stamp judged_map_;
  base::Histogram tick_ns_;
  io::RunHistory history_;
  std::uint64_t step_ns_ = 0, decisions_ = 0;
  std::vector<std::uint32_t> visits_;
  std::vector<std::pair<std::uint64_t, int>> wide_bodies_;  // key, footprint; ascending
};

}  // namespace drover::cli
