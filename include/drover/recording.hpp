// SPDX-License-Identifier: MIT
// Recordings: a run written down while it happens, run again, compared with another.
#pragma once
#include <drover/simulation.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace drover::io {

/// What a recording says about where it comes from. Nothing in it decides anything but `scenario_digest`.
struct RecordingInfo {
  std::string drover;         // version of the program
  std::string scenario;       // its name
  std::string scenario_file;  // as it was given; empty: there was none
  std::uint64_t scenario_digest = 0;
  std::vector<std::string> profiles, goals, doors, obstacles;  // names, by index
};

enum class RunEnd : std::uint8_t { finished, tick_limit, interrupted };

/// Writes a `.drv` (docs/formats/recording.md): inputs, adoptions, steps and digests of every tick, the whole state
/// every 64 ticks. What record() took survives the death of the process; what sync() waited for survives a power loss.
/// Equal runs make equal bytes, whatever the threads. One thread, but sync(). Costs O(agents) a tick.
class RecordingWriter {
 public:
  static constexpr std::uint64_t kKeyframeTicks = 64;
  /// `simulation` has started; it may have run for a while. Errors: write, argument, out_of_memory.
  static Result<RecordingWriter> create(const std::string& path, const RecordingInfo& info,
                                        const Simulation& simulation);
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;
  ~RecordingWriter();

  /// After every step, once: a tick that may still be rolled back is recorded when it is certain, with the simulation
  /// as it was then. Errors: argument (not the tick that follows what was recorded; nothing is written), write (the
  /// file then ends with the last whole tick), out_of_memory.
  Status record(const Simulation& simulation);
  /// The end record. A recording without one was cut off.
  Status close(const Simulation& simulation, RunEnd end);
  /// Waits until the disk has what was recorded. From any thread.
  Status sync() const;
  std::uint64_t bytes() const noexcept;

 private:
  struct Impl;
  explicit RecordingWriter(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

/// Nothing, a number, a word, or a cell.
using DifferenceValue = std::variant<std::monostate, std::uint64_t, std::string, Cell>;

/// One value that differs. `subsystem` is world, agents, fields or reservations; `ticks` where one recording is longer,
/// `all` where only what came before can differ. `agent`, `cell`, `obstacle` (its index), `profile` and `goal` say
/// whose value it is, where one could be named.
struct Difference {
  std::uint64_t tick = 0;
  std::string_view subsystem;
  std::optional<std::uint64_t> agent;  // key
  std::optional<Cell> cell;
  std::optional<std::uint32_t> obstacle;
  std::optional<ProfileId> profile;
  std::optional<GoalId> goal;
  std::string_view field;
  DifferenceValue a, b;
};

/// "tick 7: agents differ: agent 12 cell 3,4, again 3,5"; `other` stands before the second value.
std::string to_text(const Difference& difference, std::string_view other = "again");
/// {"tick":7,"subsystem":"agents","agent":12,"field":"cell","a":[3,4],"b":[3,5]}, without a line end.
std::string to_json(const Difference& difference);

/// How far a recording could be read.
struct Recovered {
  std::uint64_t ticks = 0;                  // the last whole one
  std::optional<std::uint64_t> damaged_at;  // offset of the first byte that is not good; none: it is complete
  bool cut = false;                         // it only ends too early
};

/// From which tick a recording is run again, and how closely it is looked at.
struct ReplayOptions {
  std::uint64_t from_tick = 0;  // the last keyframe before it is where the run begins
  /// `digests`: of every tick. `everything`: steps, adoptions and whole keyframes too.
  enum class Compare : std::uint8_t { digests, everything } compare = Compare::digests;
  bool check_scenario_file = true;  // replay_mismatch if that file is there and is another by now
  std::function<bool(std::uint64_t tick, std::uint64_t ticks)> progress;  // false: stop here
};

struct ReplayResult {
  RecordingInfo info;
  Recovered recovered;
  std::uint64_t first_tick = 0, last_tick = 0;  // that were run again
  std::optional<Difference> difference;         // a: recorded, b: run again
  bool stopped = false;                         // by `progress`
  StateCounts states{};                         // after last_tick
  Digests digests;
  std::vector<std::string> inputs;  // other files that were read: the scenario, what it names
};

/// Runs a recording again and compares. Errors: those of opening (replay_magic, version_unsupported, cannot_open),
/// replay_mismatch, limit_replay, out_of_memory. Damage is no error: what is before it is run.
Result<ReplayResult> replay(const std::string& path, const ReplayOptions& options = {}, const Host& host = {});

struct DiffResult {
  Recovered a, b;
  std::optional<Difference> difference;
  bool again = true;  // running both again parted in the same tick; else only what was recorded could be compared
  /// Where running again does not show it and no step of that tick differs: the tick of the states from which the
  /// values are.
  std::optional<std::uint64_t> seen_tick;
  std::vector<std::string> other;               // what differs from the start: "map", "scenario", "rules"
  std::uint64_t first_a = 0, first_b = 0;       // first ticks
  std::vector<std::string> inputs_a, inputs_b;  // that came into force in that tick in this one only
};

/// Finds the first tick where two recordings part by bisecting their digests, runs both again from their last keyframes
/// to that tick, and names the first value that differs. Errors as replay().
Result<DiffResult> diff(const std::string& path_a, const std::string& path_b, const Host& host = {});

}  // namespace drover::io
