// SPDX-License-Identifier: MIT
// The container of recordings: what is written comes back, what is damaged ends it, and limits hold before memory goes.
#include "io/record_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>

#include "support/record_bytes.hpp"
#include "support/recordings.hpp"
#include "support/temp_folder.hpp"

static std::atomic<std::size_t> bytes_given{0};

// Not inline, or g++ takes free() for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  bytes_given += size;
  if (void* block = std::malloc(size)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  bytes_given += size;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace drover::test {
namespace {

using io::RecordEnd;
using io::RecordReader;
using io::RecordType;
using io::RecordWriter;

constexpr io::RecordingHeader kHeader{1, 0x1111222233334444, 0x5555666677778888, 0x99990000aaaabbbb};

// Bytes that do not compress.
std::string noise(std::size_t size, std::uint32_t seed) {
  std::string out;
  for (; out.size() < size; seed = seed * 1664525u + 1013904223u) out += static_cast<char>(seed >> 24);
  return out;
}

class RecordFile : public ::testing::Test {
 protected:
  RecordFile() {
    records_ = {{RecordType::hello, 0, "hello head", "{}"},
                {RecordType::keyframe, 0, "part 1 of 2", std::string(5000, 'k')},
                {RecordType::keyframe, 0, "part 2 of 2", "rest"}};
    for (std::uint64_t t = 1; t <= 5; ++t) {
      records_.push_back({RecordType::tick, t, little(t, 8), noise(200, static_cast<std::uint32_t>(t))});
    }
    records_.push_back({RecordType::keyframe, 5, "only part", ""});
    records_.push_back({RecordType::tick, 6, "", std::string(65, '\0')});
    records_.push_back({RecordType::end, 6, "done", ""});
  }
  std::string write_all(const std::string& name) {
    Result<RecordWriter> writer = RecordWriter::create(temp / name, kHeader);
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    for (const TextRecord& record : records_) EXPECT_TRUE(append(*writer, record).ok());
    EXPECT_TRUE(writer->close().ok());
    return temp.read(name);
  }
  ReadBack read_bytes(const std::string& bytes) { return read_back(copy_.with(bytes)); }
  // The first `count` records came back, and no more.
  void expect_prefix(const ReadBack& back, std::size_t count, RecordEnd end) {
    ASSERT_TRUE(back.status.ok()) << back.status.message();
    EXPECT_EQ(back.records, std::vector<TextRecord>(records_.begin(), records_.begin() + static_cast<long>(count)));
    EXPECT_EQ(back.end, end);
  }

  TempFolder temp;
  MemoryFile copy_;
  std::vector<TextRecord> records_;
};

TEST_F(RecordFile, WhatIsWrittenComesBackInOrder) {
  const std::string bytes = write_all("a.drv");
  Result<RecordReader> reader = RecordReader::open(temp / "a.drv");
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  EXPECT_EQ(reader->header().map_digest, kHeader.map_digest);
  EXPECT_EQ(reader->header().scenario_digest, kHeader.scenario_digest);
  EXPECT_EQ(reader->header().rules_digest, kHeader.rules_digest);
  const ReadBack back = read_back(*reader);
  expect_prefix(back, records_.size(), RecordEnd::complete);
  EXPECT_EQ(back.end_offset, bytes.size());
  EXPECT_FALSE(*reader->next(*std::make_unique<io::Record>()));
  EXPECT_LT(bytes.size(), 5000u) << "the keyframe of one letter is compressed";
}

TEST_F(RecordFile, TheBytesAreThoseOfTheDocument) {
  Result<RecordWriter> writer = RecordWriter::create(temp / "a.drv", kHeader);
  ASSERT_TRUE(writer.ok());
  std::string expected = header_bytes(1, kHeader.map_digest, kHeader.scenario_digest, kHeader.rules_digest);
  ASSERT_EQ(expected.size(), 64u);
  std::uint64_t keyframe = 0;
  const std::string body = noise(300, 7);
  for (const TextRecord& record : std::vector<TextRecord>{{RecordType::hello, 3, "h", ""},
                                                          {RecordType::keyframe, 9, "", body},
                                                          {RecordType::tick, 10, std::string(4096, 'x'), "b"},
                                                          {RecordType::end, 10, "", ""}}) {
    ASSERT_TRUE(append(*writer, record).ok());
    if (record.type == RecordType::keyframe) keyframe = expected.size();
    add_plain(expected, static_cast<int>(record.type), record.tick, record.head, record.body);
    EXPECT_EQ(temp.read("a.drv"), expected) << "the record is in the file when append() returns";
    EXPECT_EQ(writer->bytes(), expected.size());
  }
  ASSERT_TRUE(writer->close().ok());
  const std::uint64_t index = expected.size();
  add_plain(expected, 5, 0, "", little(9, 8) + little(keyframe, 8));
  add_trailer(expected, index);
  EXPECT_EQ(temp.read("a.drv"), expected);
}

TEST_F(RecordFile, HeadsAreReadWithoutTheirBodies) {
  write_all("a.drv");
  Result<RecordReader> reader = RecordReader::open(temp / "a.drv");
  ASSERT_TRUE(reader.ok());
  io::Record record;
  for (const TextRecord& wanted : records_) {
    ASSERT_TRUE(*reader->next(record, RecordReader::Parts::head));
    EXPECT_EQ(text_record(record), (TextRecord{wanted.type, wanted.tick, wanted.head, ""}));
  }
  EXPECT_FALSE(*reader->next(record));
  EXPECT_EQ(reader->end(), RecordEnd::complete);
}

TEST_F(RecordFile, SeekGoesToAnyRecordThatWasRead) {
  write_all("a.drv");
  Result<RecordReader> reader = RecordReader::open(temp / "a.drv");
  ASSERT_TRUE(reader.ok());
  const ReadBack back = read_back(*reader);
  io::Record record;
  for (std::size_t i = records_.size(); i-- > 0;) {
    reader->seek(back.offsets[i]);
    ASSERT_TRUE(*reader->next(record)) << i;
    EXPECT_EQ(text_record(record), records_[i]);
  }
  reader->seek(0);
  expect_prefix(read_back(*reader), records_.size(), RecordEnd::complete);
  // No record begins one byte on, nor beyond the file.
  for (const std::uint64_t offset : {back.offsets[1] + 1, back.end_offset, ~std::uint64_t{0}}) {
    reader->seek(offset);
    EXPECT_FALSE(*reader->next(record));
    EXPECT_NE(reader->end(), RecordEnd::complete);
  }
}

TEST_F(RecordFile, TheIndexNamesTheLastKeyframeAtOrBeforeATick) {
  const std::string bytes = write_all("a.drv");
  Result<RecordReader> reader = RecordReader::open(temp / "a.drv");
  ASSERT_TRUE(reader.ok());
  const ReadBack back = read_back(*reader);
  EXPECT_EQ(reader->keyframe_before(0), back.offsets[1]);
  EXPECT_EQ(reader->keyframe_before(4), back.offsets[1]) << "the first of its two parts";
  EXPECT_EQ(reader->keyframe_before(5), back.offsets[8]);
  EXPECT_EQ(reader->keyframe_before(~std::uint64_t{0}), back.offsets[8]);
  reader->seek(reader->keyframe_before(6));
  io::Record record;
  ASSERT_TRUE(*reader->next(record));
  EXPECT_EQ(text_record(record), records_[8]);

  // One byte less and there is no index.
  temp.write("cut.drv", bytes.substr(0, bytes.size() - 1));
  Result<RecordReader> cut = RecordReader::open(temp / "cut.drv");
  ASSERT_TRUE(cut.ok());
  EXPECT_EQ(cut->keyframe_before(5), 0u);
}

TEST_F(RecordFile, AnIndexOfVeryManyKeyframesKeepsEverySecond) {
  constexpr std::uint64_t kMany = (1u << 16) + 9;  // nine more than an index holds
  Result<RecordWriter> writer = RecordWriter::create(temp / "a.drv", kHeader);
  ASSERT_TRUE(writer.ok());
  for (std::uint64_t t = 0; t < kMany; ++t) ASSERT_TRUE(append(*writer, {RecordType::keyframe, t, "", ""}).ok());
  ASSERT_TRUE(append(*writer, {RecordType::end, kMany, "", ""}).ok());
  ASSERT_TRUE(writer->close().ok());
  Result<RecordReader> reader = RecordReader::open(temp / "a.drv");
  ASSERT_TRUE(reader.ok());
  // A frame without contents has 28 bytes.
  for (const std::uint64_t tick : {std::uint64_t{0}, std::uint64_t{1000}, kMany - 9, kMany - 1}) {
    EXPECT_EQ(reader->keyframe_before(tick), 64 + 28 * tick) << tick;
    EXPECT_EQ(reader->keyframe_before(tick + 1), 64 + 28 * tick) << tick;
  }
}

TEST_F(RecordFile, ARecordThatDoesNotFollowIsRefusedAndNothingIsWritten) {
  Result<RecordWriter> writer = RecordWriter::create(temp / "a.drv", kHeader);
  ASSERT_TRUE(writer.ok());
  const auto refused = [&](const TextRecord& record) {
    const std::uint64_t before = writer->bytes();
    EXPECT_EQ(append(*writer, record).code(), StatusCode::argument);
    EXPECT_EQ(writer->bytes(), before);
  };
  refused({RecordType::tick, 0, std::string(io::kMaxRecordHead + 1, 'h'), ""});
  refused({RecordType::tick, 0, "", std::string(io::kMaxRecordBody + 1, 'b')});
  refused({RecordType::index, 0, "", ""});
  refused({static_cast<RecordType>(0), 0, "", ""});
  refused({static_cast<RecordType>(6), 0, "", ""});
  ASSERT_TRUE(append(*writer, {RecordType::keyframe, 10, "", ""}).ok());
  refused({RecordType::tick, 9, "", ""});
  refused({RecordType::tick, 12, "", ""});
  ASSERT_TRUE(append(*writer, {RecordType::tick, 11, "", ""}).ok());
  refused({RecordType::tick, 11, "", ""});
  ASSERT_TRUE(append(*writer, {RecordType::hello, 0, "its tick is not looked at", ""}).ok());
  refused({RecordType::tick, 13, "", ""});
  refused({RecordType::keyframe, 10, "", ""});
  refused({RecordType::end, 13, "", ""});
  ASSERT_TRUE(append(*writer, {RecordType::end, 11, "", ""}).ok());
  refused({RecordType::tick, 12, "", ""});
  ASSERT_TRUE(writer->close().ok());
  refused({RecordType::tick, 12, "", ""});
  EXPECT_TRUE(writer->close().ok());
  EXPECT_EQ(read_back(temp / "a.drv").records.size(), 4u);
}

TEST_F(RecordFile, ATickThatDoesNotFollowIsDamageThoughItsChecksumsFit) {
  std::string bytes = header_bytes(1, 0, 0, 0);
  add_plain(bytes, 3, 7, "", "a");
  const std::uint64_t good = bytes.size();
  const auto second = [&](int type, std::uint64_t tick) {
    std::string whole = bytes;
    add_plain(whole, type, tick, "", "b");
    const ReadBack back = read_bytes(whole);
    EXPECT_EQ(back.end_offset, back.records.size() == 1 ? good : whole.size());
    return std::pair(back.records.size(), back.end);
  };
  EXPECT_EQ(second(3, 8), std::pair(std::size_t{2}, RecordEnd::truncated));
  EXPECT_EQ(second(3, 7), std::pair(std::size_t{1}, RecordEnd::damaged));
  EXPECT_EQ(second(3, 9), std::pair(std::size_t{1}, RecordEnd::damaged));
  EXPECT_EQ(second(2, 6), std::pair(std::size_t{1}, RecordEnd::damaged));
  EXPECT_EQ(second(0, 8), std::pair(std::size_t{1}, RecordEnd::damaged)) << "no such type";
  EXPECT_EQ(second(6, 8), std::pair(std::size_t{1}, RecordEnd::damaged)) << "no such type";
}

TEST_F(RecordFile, OtherFilesAreNotRecordings) {
  EXPECT_EQ(read_bytes("").status.code(), StatusCode::replay_magic);
  EXPECT_EQ(read_bytes(noise(200, 1)).status.code(), StatusCode::replay_magic);
  EXPECT_EQ(read_bytes("type octile\nheight 1\nwidth 3\nmap\n...\n").status.code(), StatusCode::replay_magic);
  const std::string header = header_bytes(1, 2, 3, 4);
  EXPECT_EQ(read_bytes(header.substr(0, 63)).status.code(), StatusCode::replay_magic);
  std::string changed = header;
  changed[20] = static_cast<char>(changed[20] ^ 1);
  EXPECT_EQ(read_bytes(changed).status.code(), StatusCode::replay_magic);
  std::string as_text = header;  // CR LF became LF on the way
  as_text.erase(4, 1);
  EXPECT_EQ(read_bytes(as_text + "x").status.code(), StatusCode::replay_magic);
  EXPECT_EQ(read_back(temp / "none.drv").status.code(), StatusCode::cannot_open);
  EXPECT_EQ(read_back(temp.path().string()).status.code(), StatusCode::not_a_file);
  EXPECT_EQ(read_back("/dev/null").status.code(), StatusCode::not_a_file);
  expect_prefix(read_bytes(header), 0, RecordEnd::truncated);
}

TEST_F(RecordFile, ANewerVersionIsNamedWithOurs) {
  const Status newer = read_bytes(header_bytes(2, 0, 0, 0)).status;
  EXPECT_EQ(newer.code(), StatusCode::version_unsupported);
  EXPECT_NE(newer.message().find("version 2; this program reads version 1"), std::string::npos) << newer.message();
  EXPECT_EQ(newer.message().find("checksum"), std::string::npos);
  std::string changed = header_bytes(1, 0, 0, 0);
  changed[8] = 9;
  const Status damaged = read_bytes(changed).status;
  EXPECT_EQ(damaged.code(), StatusCode::version_unsupported);
  EXPECT_NE(damaged.message().find("checksum does not fit either"), std::string::npos) << damaged.message();
}

// Where each record begins, and where the index does.
std::vector<std::uint64_t> starts_of(const std::string& path, const std::string& bytes) {
  std::vector<std::uint64_t> starts = read_back(path).offsets;
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    index |= std::uint64_t{static_cast<unsigned char>(bytes[bytes.size() - 16 + i])} << 8 * i;
  }
  starts.push_back(index);
  return starts;
}

TEST_F(RecordFile, ACutKeepsEveryWholeRecord) {
  const std::string bytes = write_all("a.drv");
  const std::vector<std::uint64_t> starts = starts_of(temp / "a.drv", bytes);
  for (std::size_t size = 64; size < bytes.size(); ++size) {
    const auto whole = std::upper_bound(starts.begin(), starts.end(), size) - starts.begin() - 1;
    const ReadBack back = read_bytes(bytes.substr(0, size));
    ASSERT_NO_FATAL_FAILURE(expect_prefix(back, static_cast<std::size_t>(whole),
                                          size == starts.back() ? RecordEnd::complete : RecordEnd::truncated))
        << size;
  }
}

TEST_F(RecordFile, OneFlippedBitEndsItThere) {
  const std::string bytes = write_all("a.drv");
  const std::vector<std::uint64_t> starts = starts_of(temp / "a.drv", bytes);
  for (std::size_t at = 64; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    const auto whole =
        static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), at) - starts.begin() - 1);
    const ReadBack back = read_bytes(changed);
    ASSERT_NO_FATAL_FAILURE(expect_prefix(back, whole, RecordEnd::damaged)) << at;
    EXPECT_EQ(back.end_offset, at < bytes.size() - 16 ? starts[whole] : bytes.size() - 16);
  }
}

TEST_F(RecordFile, ZeroedInsertedAndMovedBytesEndIt) {
  const std::string bytes = write_all("a.drv");
  const std::vector<std::uint64_t> at = read_back(temp / "a.drv").offsets;
  const auto piece = [&](std::size_t i) { return bytes.substr(at[i], at[i + 1] - at[i]); };
  std::string zeroed = bytes;
  zeroed.replace(at[4] + 100, 512, 512, '\0');
  expect_prefix(read_bytes(zeroed), 4, RecordEnd::damaged);
  expect_prefix(read_bytes(std::string(bytes).insert(at[5], "seven b")), 5, RecordEnd::damaged);
  expect_prefix(read_bytes(std::string(bytes).insert(at[5] + 50, "seven b")), 5, RecordEnd::damaged);
  // Twice, swapped, left out: also the parts of a keyframe, whose ticks are the same.
  expect_prefix(read_bytes(std::string(bytes).insert(at[2], piece(1))), 2, RecordEnd::damaged);
  expect_prefix(read_bytes(bytes.substr(0, at[1]) + piece(2) + piece(1) + bytes.substr(at[3])), 1, RecordEnd::damaged);
  expect_prefix(read_bytes(std::string(bytes).erase(at[1], at[2] - at[1])), 1, RecordEnd::damaged);
  expect_prefix(read_bytes(std::string(bytes).erase(at[8], at[9] - at[8])), 8, RecordEnd::damaged);
}

TEST_F(RecordFile, RecordsOfAnotherRecordingDoNotFit) {
  const std::string bytes = write_all("a.drv");
  const std::vector<std::uint64_t> at = read_back(temp / "a.drv").offsets;
  // As long, and the same but for one record early on.
  records_[3].body[0] = static_cast<char>(records_[3].body[0] ^ 1);
  const std::string other = write_all("b.drv");
  records_[3].body[0] = static_cast<char>(records_[3].body[0] ^ 1);
  ASSERT_EQ(other.size(), bytes.size());
  expect_prefix(read_bytes(bytes.substr(0, at[5]) + other.substr(at[5])), 5, RecordEnd::damaged);
  expect_prefix(read_bytes(bytes + other), records_.size(), RecordEnd::damaged);
  expect_prefix(read_bytes(bytes.substr(0, at[5]) + bytes), 5, RecordEnd::damaged);
}

TEST_F(RecordFile, WithoutAnEndItIsTruncatedWithoutAnIndexItIsComplete) {
  const std::string bytes = write_all("a.drv");
  records_.pop_back();
  write_all("no_end.drv");
  expect_prefix(read_back(temp / "no_end.drv"), records_.size(), RecordEnd::truncated);
  Result<RecordWriter> writer = RecordWriter::create(temp / "no_index.drv", kHeader);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(append(*writer, {RecordType::end, 0, "", ""}).ok());
  EXPECT_EQ(read_back(temp / "no_index.drv").end, RecordEnd::complete);
}

// Bytes that operator new gave out while `path` was read.
std::size_t memory_taken(const std::string& path, ReadBack& back) {
  const std::size_t before = bytes_given;
  back = read_back(path);
  return bytes_given - before;
}

// A zstd frame of 1 GiB of zeros; `pledged`: whether it says so itself.
std::string bomb(bool pledged) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  constexpr unsigned long long kSize = 1ull << 30;
  if (pledged) ZSTD_CCtx_setPledgedSrcSize(context, kSize);
  const std::string zeros(1 << 20, '\0');
  std::string packed(1 << 18, '\0');
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  for (unsigned long long done = 0; done < kSize; done += zeros.size()) {
    ZSTD_inBuffer in{zeros.data(), zeros.size(), 0};
    const bool last = done + zeros.size() == kSize;
    std::size_t left = 1;
    while (last ? left != 0 : in.pos < in.size) {
      left = ZSTD_compressStream2(context, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) std::abort();
    }
  }
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  return packed;
}

TEST_F(RecordFile, ABlockThatUnpacksToOneGibibyteIsRefusedBeforeItsMemoryIsTaken) {
  const std::string honest = bomb(true), silent = bomb(false);
  ASSERT_LT(honest.size(), 200000u);
  const auto file_with = [&](const std::string& stored, std::uint64_t body_bytes) {
    std::string bytes = header_bytes(1, 0, 0, 0);
    add_plain(bytes, 3, 0, "", "before");
    add_frame(bytes, {3, 1, 1, "", stored, body_bytes});
    return copy_.with(bytes);
  };
  ReadBack back;
  for (const std::uint64_t said : {std::uint64_t{1} << 30, std::uint64_t{1} << 20, (std::uint64_t{1} << 24) + 1}) {
    EXPECT_LT(memory_taken(file_with(honest, said), back), std::size_t{1} << 20) << said;
    EXPECT_EQ(back.status.code(), StatusCode::limit_replay) << said;
    EXPECT_EQ(back.records.size(), 1u);
  }
  // One that does not say what it unpacks to is none of ours.
  EXPECT_LT(memory_taken(file_with(silent, 1 << 24), back), std::size_t{1} << 20);
  EXPECT_TRUE(back.status.ok());
  EXPECT_EQ(back.records.size(), 1u);
  EXPECT_EQ(back.end, RecordEnd::damaged);
}

TEST_F(RecordFile, ALengthTakesNoMemoryForBytesThatAreNotThere) {
  std::string bytes = header_bytes(1, 0, 0, 0);
  add_plain(bytes, 3, 0, "", std::string(io::kMaxRecordBody, 'x'));
  ReadBack back;
  EXPECT_LT(memory_taken(copy_.with(bytes.substr(0, 100)), back), std::size_t{1} << 20);
  EXPECT_EQ(back.end, RecordEnd::truncated);
  EXPECT_TRUE(back.records.empty());
  // One that is beyond the limit is refused as such before the bytes are asked for.
  bytes.resize(64);
  add_plain(bytes, 3, 0, "", std::string(io::kMaxRecordBody + 1, 'x'));
  EXPECT_LT(memory_taken(copy_.with(bytes), back), std::size_t{1} << 20);
  EXPECT_EQ(back.status.code(), StatusCode::limit_replay);
}

TEST_F(RecordFile, TheLargestBodyComesBack) {
  records_ = {{RecordType::tick, 0, "", noise(io::kMaxRecordBody, 3)},
              {RecordType::tick, 1, "", std::string(io::kMaxRecordBody, 'z')},
              {RecordType::end, 1, "", ""}};
  write_all("large.drv");
  expect_prefix(read_back(temp / "large.drv"), 3, RecordEnd::complete);
}

TEST_F(RecordFile, AFullDeviceIsAFailedWrite) {
  const Result<RecordWriter> writer = RecordWriter::create("/dev/full", kHeader);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.status().code(), StatusCode::write);
  EXPECT_NE(writer.status().message().find("/dev/full"), std::string::npos);
  EXPECT_EQ(RecordWriter::create(temp / "none/a.drv", kHeader).status().code(), StatusCode::write);
}

TEST_F(RecordFile, AFileAppearsOnlyWithItsHeaderAndReplacesTheOldOneAtOnce) {
  temp.write("a.drv", "old");
  Result<RecordWriter> writer = RecordWriter::create(temp / "a.drv", kHeader);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(temp.read("a.drv"), header_bytes(1, kHeader.map_digest, kHeader.scenario_digest, kHeader.rules_digest));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(temp.path()), {}), 1) << "no temporary is left";
}

// No file grows beyond a size while one of these lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(RecordFile, ADiskThatFillsUpLeavesTheEarlierRecords) {
  Result<RecordWriter> writer = RecordWriter::create(temp / "a.drv", kHeader);
  ASSERT_TRUE(writer.ok());
  std::size_t written = 0;
  {
    const FileSizeLimit limit(1000);
    while (written < records_.size() && append(*writer, records_[written]).ok()) ++written;
    ASSERT_GT(written, 3u);
    ASSERT_LT(written, records_.size());
    const Status again = append(*writer, records_[written]);
    EXPECT_EQ(again.code(), StatusCode::write);
    EXPECT_NE(again.message().find("a.drv"), std::string::npos) << again.message();
  }
  // There is room again; the failure sticks all the same.
  EXPECT_EQ(append(*writer, records_[written]).code(), StatusCode::write);
  EXPECT_EQ(writer->close().code(), StatusCode::write);
  EXPECT_EQ(temp.read("a.drv").size(), writer->bytes()) << "what was begun is cut off";
  const ReadBack back = read_back(temp / "a.drv");
  expect_prefix(back, written, RecordEnd::truncated);
  EXPECT_EQ(back.end_offset, writer->bytes());
}

TEST_F(RecordFile, AnIndexThatFindsNoRoomIsAFailedCloseOfAWholeRecording) {
  Result<RecordWriter> writer = RecordWriter::create(temp / "a.drv", kHeader);
  ASSERT_TRUE(writer.ok());
  for (const TextRecord& record : records_) ASSERT_TRUE(append(*writer, record).ok());
  {
    const FileSizeLimit limit(writer->bytes() + 40);
    EXPECT_EQ(writer->close().code(), StatusCode::write);
  }
  expect_prefix(read_back(temp / "a.drv"), records_.size(), RecordEnd::complete);
}

TEST_F(RecordFile, SyncIsCalledFromAnotherThreadUntilTheEnd) {
  Result<RecordWriter> writer = RecordWriter::create(temp / "a.drv", kHeader);
  ASSERT_TRUE(writer.ok());
  std::thread syncing([&] {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(writer->sync().ok());
  });
  for (const TextRecord& record : records_) EXPECT_TRUE(append(*writer, record).ok());
  EXPECT_TRUE(writer->close().ok());
  syncing.join();
  EXPECT_TRUE(writer->sync().ok());
  expect_prefix(read_back(temp / "a.drv"), records_.size(), RecordEnd::complete);
}

TEST_F(RecordFile, ARecordingThatIsBeingWrittenIsReadAsFarAsItIs) {
  Result<RecordWriter> writer = RecordWriter::create(temp / "a.drv", kHeader);
  Result<RecordReader> reader = RecordReader::open(temp / "a.drv");
  ASSERT_TRUE(writer.ok() && reader.ok());
  io::Record record;
  for (const TextRecord& wanted : records_) {
    EXPECT_FALSE(*reader->next(record));
    EXPECT_EQ(reader->end(), RecordEnd::truncated);
    ASSERT_TRUE(append(*writer, wanted).ok());
    reader->seek(reader->end_offset());
    ASSERT_TRUE(*reader->next(record));
    EXPECT_EQ(text_record(record), wanted);
  }
}

TEST_F(RecordFile, AFileThatShrinksIsTruncatedAndNoSignal) {
  records_.clear();
  for (std::uint64_t t = 0; t < 4; ++t) records_.push_back({RecordType::tick, t, "", noise(100000, 5)});
  write_all("a.drv");
  Result<RecordReader> reader = RecordReader::open(temp / "a.drv");
  ASSERT_TRUE(reader.ok());
  io::Record record;
  ASSERT_TRUE(*reader->next(record));
  std::filesystem::resize_file(temp / "a.drv", 150000);
  EXPECT_FALSE(*reader->next(record));
  EXPECT_EQ(reader->end(), RecordEnd::truncated);
}

}  // namespace
}  // namespace drover::test
