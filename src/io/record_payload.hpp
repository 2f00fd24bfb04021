// SPDX-License-Identifier: MIT
// What stands in the records of a recording, shared by its writer and its readers. docs/formats/recording.md.
#pragma once
#include <drover/recording.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace drover::io {

/// Digest of what decides a run beside map and scenario: the rules, and the behaviour of this library.
std::uint64_t rules_digest(const SimulationDef& def);

/// Heads of tick records are the digests of the tick.
void write_digests(base::ByteWriter& out, const Digests& digests);
Digests read_digests(base::ByteReader& in) noexcept;

/// Heads of keyframe records: the digests of the tick, and which part of how many bytes this is.
struct KeyframeHead {
  Digests digests;
  std::uint64_t state_bytes = 0, offset = 0;
};
void write_keyframe_head(base::ByteWriter& out, const KeyframeHead& head);
KeyframeHead read_keyframe_head(base::ByteReader& in) noexcept;
/// States beyond it are refused (limit_replay).
inline constexpr std::uint64_t kMaxStateBytes = std::uint64_t{1} << 31;

/// The body of the hello record is JSON.
std::string to_json(const RecordingInfo& info);
/// Missing or odd values are empty ones.
RecordingInfo parse_info(std::string_view json_text);

}  // namespace drover::io
