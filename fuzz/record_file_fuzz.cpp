// SPDX-License-Identifier: MIT
// Any bytes through RecordReader: no crash, bounded records, the same records again after a seek.
#include <algorithm>
#include <functional>

#include "support/record_bytes.hpp"
#include "support/recordings.hpp"

namespace {

using drover::test::crc_of;
using drover::test::little;
using drover::test::TextRecord;

void must(bool holds) {
  if (!holds) __builtin_trap();
}

std::size_t number(const std::string& bytes, std::size_t at, std::size_t size) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::size_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  return value;
}

// Frames out of any bytes: checksums are made to fit, and so is what else no mutation would ever hit.
std::string sealed(const std::string& frames) {
  std::string out = drover::test::header_bytes(1, 1, 2, 3) + frames;
  for (std::size_t at = 64; out.size() - at >= 28;) {
    const std::size_t head = number(out, at + 2, 2), stored = number(out, at + 4, 4), body = at + 24 + head;
    out.replace(at + 20, 4, crc_of(out.substr(at - 4, 24)));
    if (out.size() - at < 28 + head + stored) break;
    // A frame of zstd in one piece whose content has the size that it should have.
    if (out[at + 1] == 1 && stored >= 9 && stored % 2 == 0) {
      out.replace(body, 9, "\x28\xB5\x2F\xFD\xA0" + out.substr(at + 8, 4));
    }
    out.replace(body + stored, 4, crc_of(out.substr(at - 4, 24) + out.substr(at + 24, head + stored)));
    const std::size_t next = body + stored + 4;
    if (out[at] == 5 && out.size() - next >= 16)
      out.replace(next, 16,
                  little(at, 8) +
                      "\x8A"
                      "DRVEND\n");
    at = next;
  }
  return out;
}

void expect_same_again(drover::io::RecordReader& reader, const drover::test::ReadBack& back) {
  drover::io::Record record;
  const std::size_t some = std::min<std::size_t>(back.records.size(), 16);
  for (std::size_t i = 0; i < some; ++i) {
    const std::size_t k = (i * 7) % back.records.size();
    reader.seek(back.offsets[k]);
    const drover::Result<bool> more = reader.next(record);
    must(more.ok() && *more && drover::test::text_record(record) == back.records[k]);
  }
  // Without bodies there are at least as many.
  reader.seek(0);
  for (const TextRecord& wanted : back.records) {
    const drover::Result<bool> more = reader.next(record, drover::io::RecordReader::Parts::head);
    must(more.ok() && *more && record.body.empty());
    must(drover::test::text_record(record) == TextRecord{wanted.type, wanted.tick, wanted.head, ""});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const drover::test::MemoryFile file;
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 4 != 0) bytes = sealed(bytes);
  drover::Result<drover::io::RecordReader> reader = drover::io::RecordReader::open(file.with(bytes));
  if (!reader) return 0;
  const drover::test::ReadBack back = drover::test::read_back(*reader);
  must(back.status.ok() ? back.end != drover::io::RecordEnd::none
                        : back.status.code() == drover::StatusCode::limit_replay);
  must(back.end_offset >= 64 && back.end_offset <= bytes.size());
  must(std::adjacent_find(back.offsets.begin(), back.offsets.end(), std::greater_equal<>()) == back.offsets.end());
  for (const TextRecord& record : back.records) {
    must(record.head.size() <= drover::io::kMaxRecordHead && record.body.size() <= drover::io::kMaxRecordBody);
    must(record.type != drover::io::RecordType::index);
  }
  if (back.end == drover::io::RecordEnd::complete)
    must(!back.records.empty() && back.records.back().type == drover::io::RecordType::end);
  expect_same_again(*reader, back);
  for (const std::uint64_t tick : {std::uint64_t{0}, std::uint64_t{data[0]}, ~std::uint64_t{0}}) {
    const std::uint64_t offset = reader->keyframe_before(tick);
    must(offset == 0 || (offset >= 64 && offset < bytes.size()));
    reader->seek(offset);
    drover::io::Record record;
    (void)reader->next(record);
  }
  return 0;
}
