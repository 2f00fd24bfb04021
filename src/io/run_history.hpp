// SPDX-License-Identifier: MIT
// What a run was like over time, in memory that does not grow with its length.
#pragma once
#include <drover/simulation.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace drover::io {

/// One or more ticks in a row.
struct HistoryPoint {
  std::uint64_t first_tick = 0, last_tick = 0;
  StateCounts last{};     // at the end of last_tick
  StateCounts busiest{};  // at the tick with most agents standing on the map, the first of those
  std::uint64_t most_ns = 0;

  static std::uint64_t standing(const StateCounts& counts) noexcept;
  /// `next` follows this one.
  void append(const HistoryPoint& next) noexcept;
};

/// A point a tick until `capacity` is reached; then two become one, and so on. Maxima and the last tick are never lost;
/// tick 0 keeps a point of its own.
class Series {
 public:
  explicit Series(std::size_t capacity = 2000);
  void add(const HistoryPoint& tick);
  const std::vector<HistoryPoint>& points() const noexcept { return points_; }
  std::uint64_t ticks_a_point() const noexcept { return stride_; }

 private:
  std::size_t capacity_;
  std::uint64_t stride_ = 1;
  std::vector<HistoryPoint> points_;
};

/// Times in classes, four to each power of two of nanoseconds.
class TimeClasses {
 public:
  static constexpr std::size_t kClasses = 256;
  static constexpr std::size_t of(std::uint64_t ns) noexcept {
    if (ns < 4) return static_cast<std::size_t>(ns);
    const auto octave = static_cast<std::size_t>(std::bit_width(ns)) - 1;
    return octave * 4 + static_cast<std::size_t>((ns >> (octave - 2)) & 3);
  }
  /// Least time of a class.
  static constexpr double begin(std::size_t index) noexcept {
    if (index < 8) return static_cast<double>(index);
    return static_cast<double>(4 + index % 4) * static_cast<double>(std::uint64_t{1} << (index / 4 - 2));
  }
  void record(std::uint64_t ns) noexcept { ++counts_[of(ns)]; }
  const std::array<std::uint64_t, kClasses>& counts() const noexcept { return counts_; }

 private:
  std::array<std::uint64_t, kClasses> counts_{};
};

/// The longest time that an agent stood or walked without coming nearer, while it waited.
struct LongWait {
  std::uint64_t key = 0, ticks = 0, tick = 0;  // ticks: at the longest, which was at `tick`
  std::string why;                             // the chain of reasons, its middle left out where it is long
  std::uint64_t why_ticks = 0;                 // how far into the wait that was
};

/// Follows one run.
class RunHistory {
 public:
  static constexpr std::size_t kWaits = 10;

  explicit RunHistory(std::size_t capacity = 2000) : series_(capacity) {}
  /// After start() with 0 and after every step() with its time.
  void record(const Simulation& simulation, std::uint64_t step_ns);
  /// After the last tick: the reasons of those that wait still.
  void close(const Simulation& simulation);

  const Series& series() const noexcept { return series_; }
  const TimeClasses& times() const noexcept { return times_; }
  /// Agents on the map times ticks.
  const std::array<std::uint64_t, kReasons>& waits_by_reason() const noexcept { return by_reason_; }
  /// Longest first, then by key; an agent stands here once.
  std::vector<LongWait> longest_waits() const;

 private:
  struct Entry {
    std::uint64_t key = 0, ticks = 0, tick = 0;
    std::vector<WhyLink> head;
    WhyLink end;
    std::size_t left_out = 0;
    std::uint64_t why_ticks = 0;
  };
  void watch(const Simulation& simulation, const AgentView& agent);
  static void ask(const Simulation& simulation, Entry& entry);

  Series series_;
  TimeClasses times_;
  std::array<std::uint64_t, kReasons> by_reason_{};
  WaitSurvey survey_;
  std::vector<Entry> waits_;
};

}  // namespace drover::io
