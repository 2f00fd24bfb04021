// SPDX-License-Identifier: MIT
// Records as texts, and a recording read as far as it goes.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/record_file.hpp"

namespace drover::test {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct TextRecord {
  io::RecordType type = io::RecordType::tick;
  std::uint64_t tick = 0;
  std::string head, body;
  bool operator==(const TextRecord&) const = default;
};
inline TextRecord text_record(const io::Record& record) {
  return {record.type, record.tick, text_of(record.head), text_of(record.body)};
}
inline Status append(io::RecordWriter& writer, const TextRecord& record) {
  return writer.append(record.type, record.tick, bytes_of(record.head), bytes_of(record.body));
}

/// Writes another step of one agent (its place among `agents` on the map) into the record of a tick in which nothing
/// was given or adopted and nobody came, went or was put elsewhere: five zeros, a bit for each agent, four bits for
/// each bit that is set.
inline void set_step(io::Record& record, std::size_t agents, std::size_t place, std::uint8_t step) {
  std::vector<std::byte>& body = record.body;
  const std::size_t bits = 5, pairs = bits + (agents + 7) / 8;
  for (std::size_t i = 0; i < bits; ++i) {
    if (body.at(i) != std::byte{0}) std::abort();
  }
  std::vector<std::uint8_t> steps;
  std::size_t before = 0;
  for (std::size_t i = 0, n = 0; i < agents; ++i) {
    const bool changed = (std::to_integer<unsigned>(body.at(bits + i / 8)) >> i % 8 & 1) != 0;
    if (changed) steps.push_back(std::to_integer<unsigned>(body.at(pairs + n / 2)) >> n % 2 * 4 & 15);
    n += changed ? 1 : 0;
    if (i == place && !changed) steps.push_back(0);
    if (i == place) before = steps.size() - 1;
  }
  steps.at(before) = step;
  body[bits + place / 8] |= static_cast<std::byte>(1 << place % 8);
  body.resize(pairs);
  for (std::size_t n = 0; n < steps.size(); n += 2)
    body.push_back(static_cast<std::byte>(steps[n] | (n + 1 < steps.size() ? steps[n + 1] : 0) << 4));
}

/// All records that a reader gives, where each began, and how it stopped.
struct ReadBack {
  Status status;  // of open or of the next() that failed
  std::vector<TextRecord> records;
  std::vector<std::uint64_t> offsets;
  io::RecordEnd end = io::RecordEnd::none;
  std::uint64_t end_offset = 0;
};
/// A file in memory, for thousands of contents one after the other.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("recording", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(fd_); }
  const std::string& with(std::string_view bytes) const {
    if (::ftruncate(fd_, 0) != 0) std::abort();
    if (::pwrite(fd_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
    return path_;
  }

 private:
  int fd_;
  std::string path_;
};

inline ReadBack read_back(io::RecordReader& reader) {
  ReadBack out;
  io::Record record;
  for (;;) {
    const std::uint64_t at = reader.offset();
    const Result<bool> more = reader.next(record);
    if (!more) out.status = more.status();
    if (!more || !*more) break;
    out.records.push_back(text_record(record));
    out.offsets.push_back(at);
  }
  out.end = reader.end();
  out.end_offset = reader.end_offset();
  return out;
}
inline ReadBack read_back(const std::string& path) {
  Result<io::RecordReader> reader = io::RecordReader::open(path);
  if (reader) return read_back(*reader);
  ReadBack out;
  out.status = reader.status();
  return out;
}

}  // namespace drover::test
