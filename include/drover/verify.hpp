// SPDX-License-Identifier: MIT
// The independent judge: replays every move of a run against the map and says what was not allowed.
#pragma once
#include <drover/geometry.hpp>
#include <drover/map.hpp>
#include <drover/profile.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace drover {

struct ValidatorRules {
  BodyRule bodies = BodyRule::discs;
  Following following = Following::allowed;
};

enum class ViolationKind : std::uint8_t {
  unexplained,
  illegal_step,
  wall,
  corner,
  overlap,
  swept_overlap,
  followed,
  duplicate_record
};
const char* to_string(ViolationKind k) noexcept;

struct Violation {
  std::uint64_t tick = 0;
  ViolationKind kind = ViolationKind::unexplained;
  std::uint64_t agent = 0, other = 0;  // keys; other 0 if none
  Cell cell;
};

/// Checks a run tick by tick: no two footprints overlap at any time, no wall is touched, no move is unexplained. Shares
/// no code with the arbiter. One thread. O(movers x footprint) a tick, exact integer arithmetic. A record is believed
/// even if it broke a rule, so one fault is counted once. Out of memory, or given a map of another shape, it stops
/// checking and counts one `unexplained` of agent 0: a run that was not checked never looks clean.
class Validator {
 public:
  Validator(const MapView& map, std::span<const MovementProfile> profiles, ValidatorRules rules);
  ~Validator();
  Validator(Validator&&) noexcept;
  Validator& operator=(Validator&&) noexcept;

  /// The map from the next tick on.
  void set_map(const MapView& map);
  /// An agent takes its place at the end of the current tick: call leave of that tick first. `profile` is an index into
  /// the profiles.
  void enter(std::uint64_t agent, std::uint32_t profile, Cell at);
  /// It is gone from the end of the current tick on.
  void leave(std::uint64_t agent);
  /// All moves of one tick. Call enter and leave of that tick after it.
  void tick(std::uint64_t tick, std::span<const MoveRecord> moves);

  std::uint64_t moves() const noexcept;
  std::uint64_t violations() const noexcept;
  /// The first ones, at most 100.
  std::span<const Violation> first() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace drover
