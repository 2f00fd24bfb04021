// SPDX-License-Identifier: MIT
// Reads recordings: no record leaves here but one that was written, behind the one it was written behind.
#include <fmt/format.h>
#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/descriptor.hpp"
#include "io/record_frame.hpp"
#include "io/text.hpp"

namespace drover::io {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

enum class Found : std::uint8_t { whole, truncated, damaged, too_large };

struct Frame {
  frame::Head fields;
  frame::Bytes head, stored;  // until the next read
};

// What a compressed body says it unpacks to; nothing if it is not a single frame of zstd that says so.
std::optional<std::uint64_t> unpacked_size(frame::Bytes stored) noexcept {
  // Older formats of zstd, which its library may read too, are never written.
  if (stored.size() < 4 || frame::load<std::uint32_t>(stored.data()) != ZSTD_MAGICNUMBER) return std::nullopt;
  const unsigned long long size = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return std::nullopt;
  if (ZSTD_findFrameCompressedSize(stored.data(), stored.size()) != stored.size()) return std::nullopt;
  return size;
}

}  // namespace

struct RecordReader::Impl {
  std::string path, need;
  Descriptor file;
  RecordingHeader header;
  // What stands in the file from `block_at` on, `block_bytes` of it; the vector never shrinks.
  std::vector<std::byte> block;
  std::uint64_t block_at = 0;
  std::size_t block_bytes = 0;
  std::uint64_t offset = frame::kHeaderBytes;
  RecordEnd end = RecordEnd::none;
  frame::Order order;
  std::vector<frame::Keyframe> index;
  std::unique_ptr<ZSTD_DCtx, FreeDecompressor> decompressor{ZSTD_createDCtx()};

  void fill(std::uint64_t at, std::size_t wanted);
  frame::Bytes fetch(std::uint64_t at, std::size_t wanted);
  Found read_frame(std::uint64_t at, Frame& found);
  bool unpack(const Frame& found, std::vector<std::byte>& body);
  void read_header();
  void read_index();
  bool stop(RecordEnd why) noexcept {
    end = why;
    return false;
  }
  bool next(Record& out, Parts parts);
  bool finish(const Frame& found);
};

void RecordReader::Impl::fill(std::uint64_t at, std::size_t wanted) {
  block_at = at;
  block_bytes = 0;
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) {
    refuse(StatusCode::cannot_open, {path, 0, 0}, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  // Memory only for what is there, whatever a length says.
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (at >= size) return;
  wanted = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(wanted, kBlock), size - at));
  if (block.size() < wanted) block.resize(wanted);
  while (block_bytes < wanted) {
    const ssize_t got =
        ::pread(file.get(), block.data() + block_bytes, wanted - block_bytes, static_cast<off_t>(at + block_bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      refuse(StatusCode::cannot_open, {path, 0, 0}, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    if (got == 0) return;
    block_bytes += static_cast<std::size_t>(got);
  }
}

// Fewer bytes only at the file's end.
frame::Bytes RecordReader::Impl::fetch(std::uint64_t at, std::size_t wanted) {
  const auto there = [&] { return at < block_at || at - block_at > block_bytes ? 0 : block_bytes - (at - block_at); };
  if (there() < wanted) fill(at, wanted);
  return frame::Bytes(block.data() + (at - block_at), std::min<std::size_t>(there(), wanted));
}

Found RecordReader::Impl::read_frame(std::uint64_t at, Frame& found) {
  constexpr std::size_t kStart = frame::kLinkBytes + frame::kHeadBytes;
  const frame::Bytes start = fetch(at - frame::kLinkBytes, kStart);
  if (start.size() < kStart) return Found::truncated;
  const std::optional<frame::Head> fields = frame::get_head(start.data());
  if (!fields) return Found::damaged;
  if (fields->body_bytes > kMaxRecordBody) return Found::too_large;
  const frame::Bytes all = fetch(at - frame::kLinkBytes, fields->bytes());
  if (all.size() < fields->bytes()) return Found::truncated;
  const frame::Bytes contents = all.subspan(kStart, std::size_t{fields->head_bytes} + fields->stored_bytes);
  const auto head_crc = frame::load<std::uint32_t>(contents.data() - frame::kCrcBytes);
  if (frame::load<std::uint32_t>(contents.data() + contents.size()) != frame::crc(contents, head_crc))
    return Found::damaged;
  found = {*fields, contents.first(fields->head_bytes), contents.subspan(fields->head_bytes)};
  if (!fields->compressed) return Found::whole;
  const std::optional<std::uint64_t> size = unpacked_size(found.stored);
  if (size && *size > kMaxRecordBody) return Found::too_large;
  return size == fields->body_bytes ? Found::whole : Found::damaged;
}

bool RecordReader::Impl::unpack(const Frame& found, std::vector<std::byte>& body) {
  if (!found.fields.compressed) {
    body.assign(found.stored.begin(), found.stored.end());
    return true;
  }
  if (decompressor == nullptr) throw std::bad_alloc();
  body.resize(found.fields.body_bytes);
  return ZSTD_decompressDCtx(decompressor.get(), body.data(), body.size(), found.stored.data(), found.stored.size()) ==
         body.size();
}

void RecordReader::Impl::read_header() {
  const Place place{path, 0, 0};
  const frame::Bytes bytes = fetch(0, frame::kHeaderBytes);
  if (bytes.size() < frame::kHeaderBytes ||
      std::memcmp(bytes.data(), frame::kMagic.data(), frame::kMagic.size()) != 0) {
    refuse(StatusCode::replay_magic, place,
           "not a recording of Drover: its first 64 bytes are not a recording's header; a .drv file is expected");
  }
  const bool fits = frame::load<std::uint32_t>(&bytes[60]) == frame::crc(bytes.first(60));
  header.version = frame::load<std::uint32_t>(&bytes[8]);
  header.map_digest = frame::load<std::uint64_t>(&bytes[16]);
  header.scenario_digest = frame::load<std::uint64_t>(&bytes[24]);
  header.rules_digest = frame::load<std::uint64_t>(&bytes[32]);
  if (header.version != kRecordingVersion) {
    refuse(StatusCode::version_unsupported, place,
           fmt::format("the recording is of format version {}; this program reads version {}{}", header.version,
                       kRecordingVersion, fits ? "" : " (the header's checksum does not fit either)"));
  }
  if (!fits)
    refuse(StatusCode::replay_magic, place,
           "the recording's header is damaged: its checksum does not fit; the header that was written is expected");
}

void RecordReader::Impl::read_index() {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size < frame::kHeaderBytes + frame::kTrailerBytes) return;
  const frame::Bytes trailer = fetch(size - frame::kTrailerBytes, frame::kTrailerBytes);
  if (trailer.size() < frame::kTrailerBytes ||
      std::memcmp(&trailer[8], frame::kEndMark.data(), frame::kEndMark.size()) != 0) {
    return;
  }
  const auto at = frame::load<std::uint64_t>(trailer.data());
  if (at < frame::kHeaderBytes || at > size - frame::kTrailerBytes) return;
  Frame found;
  std::vector<std::byte> body;
  if (read_frame(at, found) != Found::whole || found.fields.type != RecordType::index ||
      found.fields.body_bytes > frame::kMaxIndex * frame::kIndexEntryBytes ||
      at - frame::kLinkBytes + found.fields.bytes() != size - frame::kTrailerBytes || !unpack(found, body)) {
    return;
  }
  std::vector<frame::Keyframe> entries(body.size() / frame::kIndexEntryBytes);
  std::uint64_t least_tick = 0, least_offset = frame::kHeaderBytes;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::byte* const entry = &body[i * frame::kIndexEntryBytes];
    entries[i] = {frame::load<std::uint64_t>(entry), frame::load<std::uint64_t>(entry + 8)};
    if (entries[i].tick < least_tick || entries[i].offset < least_offset || entries[i].offset >= at) return;
    least_tick = entries[i].tick;
    least_offset = entries[i].offset + 1;
  }
  index = std::move(entries);
}

// At the index: it ends the file, and its trailer says where it stands.
bool RecordReader::Impl::finish(const Frame& found) {
  const bool ended = order.ended();
  const std::uint64_t at = offset;
  order.take(RecordType::index, 0);
  offset += found.fields.bytes() - frame::kLinkBytes;
  const frame::Bytes trailer = fetch(offset, frame::kTrailerBytes);
  if (trailer.size() < frame::kTrailerBytes) return stop(RecordEnd::truncated);
  if (frame::load<std::uint64_t>(trailer.data()) != at ||
      std::memcmp(&trailer[8], frame::kEndMark.data(), frame::kEndMark.size()) != 0) {
    return stop(RecordEnd::damaged);
  }
  offset += frame::kTrailerBytes;
  if (!fetch(offset, 1).empty()) return stop(RecordEnd::damaged);
  return stop(ended ? RecordEnd::complete : RecordEnd::truncated);
}

bool RecordReader::Impl::next(Record& out, Parts parts) {
  if (end != RecordEnd::none) return false;
  Frame found;
  switch (read_frame(offset, found)) {
    case Found::whole:
      break;
    case Found::damaged:
      return stop(RecordEnd::damaged);
    case Found::truncated:
      return stop(order.ended() && fetch(offset, 1).empty() ? RecordEnd::complete : RecordEnd::truncated);
    case Found::too_large:
      refuse(StatusCode::limit_replay, {path, 0, 0},
             fmt::format("the record at byte {} unpacks to more than {} bytes; that is the limit", offset,
                         kMaxRecordBody));
  }
  if (!order.admits(found.fields.type, found.fields.tick)) return stop(RecordEnd::damaged);
  if (found.fields.type == RecordType::index) return finish(found);
  out.body.clear();
  if (parts == Parts::head_and_body && !unpack(found, out.body)) return stop(RecordEnd::damaged);
  out.head.assign(found.head.begin(), found.head.end());
  out.type = found.fields.type;
  out.tick = found.fields.tick;
  order.take(out.type, out.tick);
  offset += found.fields.bytes() - frame::kLinkBytes;
  return true;
}

Result<RecordReader> RecordReader::open(const std::string& path) {
  const std::string need = fmt::format("reading {}", printable(path));
  return guarded(need, [&] {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->need = need;
    impl->file = open_input(path).descriptor;
    impl->read_header();
    impl->read_index();
    return RecordReader(std::move(impl));
  });
}

RecordReader::RecordReader(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
RecordReader::RecordReader(RecordReader&&) noexcept = default;
RecordReader& RecordReader::operator=(RecordReader&&) noexcept = default;
RecordReader::~RecordReader() = default;

const RecordingHeader& RecordReader::header() const noexcept { return impl_->header; }

Result<bool> RecordReader::next(Record& out, Parts parts) {
  return guarded(impl_->need, [&] { return impl_->next(out, parts); });
}

RecordEnd RecordReader::end() const noexcept { return impl_->end; }
std::uint64_t RecordReader::end_offset() const noexcept { return impl_->offset; }
std::uint64_t RecordReader::offset() const noexcept { return impl_->offset; }

void RecordReader::seek(std::uint64_t offset) noexcept {
  // To where it stands: what came before still counts.
  if (offset == impl_->offset && impl_->end == RecordEnd::none) return;
  impl_->offset = std::max<std::uint64_t>(offset, frame::kHeaderBytes);
  impl_->end = RecordEnd::none;
  impl_->order = {};
}

std::uint64_t RecordReader::keyframe_before(std::uint64_t tick) const noexcept {
  const auto& index = impl_->index;
  const auto after = std::upper_bound(index.begin(), index.end(), tick,
                                      [](std::uint64_t t, const frame::Keyframe& k) { return t < k.tick; });
  return after == index.begin() ? 0 : (after - 1)->offset;
}

}  // namespace drover::io
