// SPDX-License-Identifier: MIT
// How every fallible call answers: a code with a sentence, or a value.
#pragma once
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace drover {

/// What went wrong. Each code has one name (`E_GOAL_BLOCKED`) and one exit status; docs/errors.md lists them all.
enum class StatusCode : std::uint8_t {
  ok,
  argument,       // a call that does not make sense here
  handle,         // an id that is null, stale or of another object
  out_of_memory,  // the object is as it was before the call
  internal,       // a broken invariant: a bug
  usage,          // command line
  position,       // a position on the command line that is not on the map
  map_empty,
  map_size,
  map_header,
  map_truncated,
  map_row_length,
  map_trailing,
  map_tile,
  encoding,
  version_unsupported,
  not_a_file,
  cannot_open,
  write,
  limit_cells,
  limit_line,
  limit_file,
  limit_goals,
  limit_agents,
  number,
  cost_negative,
  cost_range,
  weights_size,
  edit,
  edit_outside,
  goal_blocked,
  goal_unknown,
  goal_outside,
  goal_none,
  start_blocked,
  start_outside,
  start_conflict,
  footprint,
  profile_mismatch,
  profile_unknown,
  name_unknown,
  name_twice,
  key_unknown,
  key_twice,
  key_missing,
  key_unsupported,  // a key that this version does not support yet
  value,            // a value of the wrong type or out of range
  speed,
  horizon,
  tick,
  seed,
  toml,
  path_outside,     // a file outside the scenario's folder
  gate,             // a malformed .gate file
  scen,             // a malformed .scen file
  scen_position,    // a cell of a .scen query that is not on the map
  same_file,        // an output that is an input
  snapshot,         // bytes that are not a whole state of a simulation
  replay_magic,     // not a recording, or its header is damaged
  replay_mismatch,  // a recording of another map, scenario or behaviour
  limit_replay,
  limit_factions,
  obstacle,  // a shape that is none, or too large
  limit_obstacles,
  xml,           // text that is not XML
  xml_dtd,       // XML with a document type, whose entities are never read
  json,          // text that is not JSON
  json_depth,    // JSON nested deeper than 64
  tiled,         // XML or JSON that is not a Tiled map, or uses what cannot be kept
  layer_size,    // a layer of another size than its map, or than it says
  png,           // a damaged picture, or a kind that is not read
  png_color,     // a colour without a meaning
  format,        // a map that a format cannot hold
  cave_range,    // a cave's parameter out of its range
  cave_empty,    // no floor, where something on it was asked for
  cave_promise,  // a promise that no attempt kept
  spawn_none,    // no place where something could start
};

/// Name as printed: `E_MAP_ROW_LENGTH`; "OK" for ok.
const char* error_name(StatusCode code) noexcept;

/// Exit status of the command line for this code (docs/errors.md): 2 usage, 3 bad input, 4 environment, 5 limit, 6
/// version.
int exit_status(StatusCode code) noexcept;

/// The outcome of a call without a value. Cheap to move; the sentence says what was found and what was expected.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}
  explicit Status(StatusCode code) noexcept : code_(code) {}

  bool ok() const noexcept { return code_ == StatusCode::ok; }
  explicit operator bool() const noexcept { return ok(); }
  StatusCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }

 private:
  StatusCode code_ = StatusCode::ok;
  std::string message_;
};

/// A value, or the Status that says why there is none. Reading the value of a failed result is a bug (asserted).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

  bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  const Status& status() const noexcept { return status_; }
  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return *std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace drover
