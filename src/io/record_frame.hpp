// SPDX-License-Identifier: MIT
// The bytes of a recording, shared by its writer and its reader: docs/formats/recording.md.
#pragma once
#include <zlib.h>

#include <array>
#include <concepts>
#include <cstring>
#include <optional>

#include "io/record_file.hpp"

namespace drover::io::frame {

using Bytes = std::span<const std::byte>;

template <std::unsigned_integral T>
void store(std::byte* at, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::byte>(value >> 8 * i);
}
template <std::unsigned_integral T>
T load(const std::byte* at) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value | static_cast<T>(at[i]) << 8 * i);
  return value;
}
inline std::uint32_t crc(Bytes bytes, std::uint32_t before = 0) noexcept {
  // A null pointer means "the start value" to zlib.
  if (bytes.empty()) return before;
  return static_cast<std::uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// As in PNG: a byte that is no text, both line ends, the end of a DOS text.
inline constexpr std::array<unsigned char, 8> kMagic{0x89, 'D', 'R', 'V', '\r', '\n', 0x1A, '\n'};
inline constexpr std::array<unsigned char, 8> kEndMark{0x8A, 'D', 'R', 'V', 'E', 'N', 'D', '\n'};
inline constexpr std::size_t kHeaderBytes = 64, kTrailerBytes = 16, kHeadBytes = 24, kCrcBytes = 4;
/// The four bytes before a frame, the checksum of what stands there, are covered by the frame's own checksum: a record
/// fits behind the one it was written behind, and nowhere else.
inline constexpr std::size_t kLinkBytes = kCrcBytes;
inline constexpr std::size_t kLeastCompressed = 64;
/// Beyond it every second entry of the index goes. Even.
inline constexpr std::size_t kMaxIndex = std::size_t{1} << 16, kIndexEntryBytes = 16;

inline void put_header(std::byte* at, const RecordingHeader& header) noexcept {
  std::memset(at, 0, kHeaderBytes);
  std::memcpy(at, kMagic.data(), kMagic.size());
  store(at + 8, header.version);
  store(at + 16, header.map_digest);
  store(at + 24, header.scenario_digest);
  store(at + 32, header.rules_digest);
  store(at + 60, crc({at, 60}));
}

struct Head {
  RecordType type = RecordType::tick;
  bool compressed = false;
  std::uint16_t head_bytes = 0;
  std::uint32_t stored_bytes = 0, body_bytes = 0;
  std::uint64_t tick = 0;

  /// From the link to the end of the frame.
  std::size_t bytes() const noexcept { return kLinkBytes + kHeadBytes + head_bytes + stored_bytes + kCrcBytes; }
};

/// `at` begins with the link.
inline void put_head(std::byte* at, const Head& head) noexcept {
  at[4] = static_cast<std::byte>(head.type);
  at[5] = static_cast<std::byte>(head.compressed);
  store(at + 6, head.head_bytes);
  store(at + 8, head.stored_bytes);
  store(at + 12, head.body_bytes);
  store(at + 16, head.tick);
  store(at + 24, crc({at, 24}));
}

/// Nothing unless the checksum fits and the fields are of one that a writer makes. The body's limit is the caller's.
inline std::optional<Head> get_head(const std::byte* at) noexcept {
  const auto type = static_cast<std::uint8_t>(at[4]), flags = static_cast<std::uint8_t>(at[5]);
  const Head head{static_cast<RecordType>(type), flags == 1,
                  load<std::uint16_t>(at + 6),   load<std::uint32_t>(at + 8),
                  load<std::uint32_t>(at + 12),  load<std::uint64_t>(at + 16)};
  if (load<std::uint32_t>(at + 24) != crc({at, 24})) return std::nullopt;
  if (type < 1 || type > 5 || flags > 1 || head.head_bytes > kMaxRecordHead) return std::nullopt;
  if (head.compressed ? head.stored_bytes >= head.body_bytes : head.stored_bytes != head.body_bytes)
    return std::nullopt;
  return head;
}

/// Which record may follow which. But for `hello` and `index`, whose ticks are not looked at: a record carries the tick
/// of the record before it or the next; a tick record carries the one after the tick record before it. Only an index
/// follows an end, nothing an index.
class Order {
 public:
  bool admits(RecordType type, std::uint64_t tick) const noexcept {
    if (last_ == RecordType::index || (last_ == RecordType::end && type != RecordType::index)) return false;
    if (timeless(type)) return true;
    if (timed_ && (tick < tick_ || tick - tick_ > 1)) return false;
    return type != RecordType::tick || !stepped_ || tick - step_ == 1;
  }
  void take(RecordType type, std::uint64_t tick) noexcept {
    last_ = type;
    if (timeless(type)) return;
    timed_ = true;
    tick_ = tick;
    if (type != RecordType::tick) return;
    stepped_ = true;
    step_ = tick;
  }
  bool ended() const noexcept { return last_ == RecordType::end; }
  /// A keyframe that continues the one before it.
  bool continues(std::uint64_t tick) const noexcept { return last_ == RecordType::keyframe && tick_ == tick; }

 private:
  static bool timeless(RecordType type) noexcept { return type == RecordType::hello || type == RecordType::index; }
  RecordType last_ = RecordType::hello;
  bool timed_ = false, stepped_ = false;
  std::uint64_t tick_ = 0, step_ = 0;
};

/// An entry of the index: a keyframe and where its first record begins.
struct Keyframe {
  std::uint64_t tick = 0, offset = 0;
};

}  // namespace drover::io::frame
