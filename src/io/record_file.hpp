// SPDX-License-Identifier: MIT
// The container of a recording: framed records behind a header, readable up to the last whole record after any cut.
#pragma once
#include <drover/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace drover::io {

/// What the header says; docs/formats/recording.md.
struct RecordingHeader {
  std::uint32_t version = 1;
  std::uint64_t map_digest = 0, scenario_digest = 0, rules_digest = 0;
};
inline constexpr std::uint32_t kRecordingVersion = 1;
/// A body unpacks to at most this; larger contents are split over several records.
inline constexpr std::size_t kMaxRecordBody = std::size_t{1} << 26;
inline constexpr std::size_t kMaxRecordHead = 4096;

enum class RecordType : std::uint8_t { hello = 1, keyframe = 2, tick = 3, end = 4, index = 5 };

/// One record. `head` is stored as it is, so a scan reads it without unpacking; `body` is compressed where that helps.
struct Record {
  RecordType type = RecordType::tick;
  std::uint64_t tick = 0;
  std::vector<std::byte> head, body;
};

/// Appends records; every record is handed to the system before append() returns, so it survives the death of the
/// process. A failed write cuts the file back to the last whole record and sticks. The file appears under its name once
/// its header is complete.
class RecordWriter {
 public:
  static Result<RecordWriter> create(const std::string& path, const RecordingHeader& header);
  RecordWriter(RecordWriter&&) noexcept;
  RecordWriter& operator=(RecordWriter&&) noexcept;
  ~RecordWriter();

  /// `as_it_is` where the caller knows that compression would not pay.
  enum class Packing : std::uint8_t { compress, as_it_is };
  /// Errors: write; argument (a head or body beyond its limit).
  Status append(RecordType type, std::uint64_t tick, std::span<const std::byte> head, std::span<const std::byte> body,
                Packing packing = Packing::compress);
  /// Writes the index and closes. Without it the file is a recording that was cut off.
  Status close();
  /// Waits until what was appended is on the disk. From any thread while the writer lives.
  Status sync() const;
  std::uint64_t bytes() const noexcept;

 private:
  struct Impl;
  explicit RecordWriter(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

/// Why a reader stopped.
enum class RecordEnd : std::uint8_t {
  none,       // not stopped
  complete,   // an end record and nothing behind it but the index
  truncated,  // the file ends within a record, or without an end record
  damaged     // a record that is not what was written
};

/// Reads the longest valid prefix, record by record, in bounded memory. One thread.
class RecordReader {
 public:
  /// Errors: cannot_open, not_a_file, replay_magic, version_unsupported (names both versions).
  static Result<RecordReader> open(const std::string& path);
  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  const RecordingHeader& header() const noexcept;
  enum class Parts : std::uint8_t { head, head_and_body };
  /// The next record, or false at the end. A record that would unpack beyond kMaxRecordBody: limit_replay. Bodies are
  /// unpacked only if asked for; their checksum is tested either way.
  Result<bool> next(Record& out, Parts parts = Parts::head_and_body);
  RecordEnd end() const noexcept;
  /// Offset of the first byte that is not part of a good record.
  std::uint64_t end_offset() const noexcept;
  /// Offset of the record that next() gives next, and back to one that was given before.
  std::uint64_t offset() const noexcept;
  void seek(std::uint64_t offset) noexcept;
  /// Offset of the first record of the last keyframe at or before `tick` by the index at the file's end; 0 where there
  /// is no good index.
  std::uint64_t keyframe_before(std::uint64_t tick) const noexcept;

 private:
  struct Impl;
  explicit RecordReader(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace drover::io
