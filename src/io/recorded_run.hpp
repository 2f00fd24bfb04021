// SPDX-License-Identifier: MIT
// A recording as it is read: what it holds, the state at a tick, and what came after.
#pragma once
#include <drover/recording.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/record_file.hpp"
#include "io/tick_codec.hpp"

namespace drover::io {

/// A record that says something about a tick.
struct RecordedEvent {
  enum class Kind : std::uint8_t { tick, keyframe } kind = Kind::tick;
  std::uint64_t tick = 0;
  Digests digests;
  TickRecord record;             // of a tick
  std::vector<std::byte> state;  // of a keyframe
};

/// Scans the whole recording once (or from a keyframe on), then gives its records in order. One thread.
class RecordedRun {
 public:
  /// Errors: those of RecordReader::open and next. `from_tick`: what is before the keyframe at or before it may be left
  /// out.
  static Result<RecordedRun> open(const std::string& path, std::uint64_t from_tick = 0);

  const RecordingHeader& header() const noexcept { return reader_.header(); }
  const RecordingInfo& info() const noexcept { return info_; }
  const Recovered& recovered() const noexcept { return recovered_; }
  /// Nothing can be run again: not even the first state is whole.
  bool empty() const noexcept { return digests_.empty(); }
  /// Of the first keyframe that was scanned; digests of every tick from there to last_tick() are known.
  std::uint64_t first_tick() const noexcept { return first_tick_; }
  std::uint64_t last_tick() const noexcept { return first_tick_ + digests_.size() - 1; }
  const Digests& digests(std::uint64_t tick) const noexcept { return digests_[tick - first_tick_]; }

  /// The first tick from `tick` on of which both recordings hold the state.
  std::optional<std::uint64_t> common_keyframe(const RecordedRun& other, std::uint64_t tick) const;
  /// The state of the last keyframe at or before `tick`; next() goes on behind it. Precondition: first_tick() <= tick.
  Result<Simulation> load(std::uint64_t tick, const Host& host);
  /// The records after that, keyframes too; false behind the last good tick. Steps are decoded from what the run
  /// before held, so every keyframe must be answered by restart() with the simulation as it is there.
  Result<bool> next(RecordedEvent& out);
  void restart(const Simulation& simulation) { decoder_.reset(simulation); }

 private:
  struct Keyframe {
    std::uint64_t tick = 0, offset = 0;
  };
  RecordedRun(std::string path, RecordReader reader) : path_(std::move(path)), reader_(std::move(reader)) {}
  Status scan(std::uint64_t from_tick);
  Status read_state(const Record& first, std::vector<std::byte>& out);
  Status broken(std::uint64_t tick) const;
  bool read_next();

  std::string path_;
  RecordReader reader_;
  RecordingInfo info_;
  Recovered recovered_;
  std::uint64_t first_tick_ = 0, scanned_bytes_ = 0;
  std::vector<Digests> digests_;
  std::vector<Keyframe> keyframes_;
  TickDecoder decoder_;
  Record record_;
};

}  // namespace drover::io
