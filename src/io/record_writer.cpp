// SPDX-License-Identifier: MIT
// Writes recordings: one write() a record, cut back to the last whole one when it fails.
#include <fcntl.h>
#include <sys/stat.h>
#include <zstd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/no_throw.hpp"
#include "io/descriptor.hpp"
#include "io/output.hpp"
#include "io/record_frame.hpp"

namespace drover::io {

namespace {

// Steps and states pack no better above it, in twice the time (drover bench crowd).
constexpr int kLevel = 1;

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};

}  // namespace

struct RecordWriter::Impl {
  std::string path;
  int fd = -1;
  bool ours = false;  // a file that was made here: not a device, not standard output
  std::string folder;
  Status failed;
  std::uint64_t bytes = 0;
  frame::Order order;
  // Begins with the last four bytes written: the next frame's link. Never shrinks.
  std::vector<std::byte> buffer;
  std::unique_ptr<ZSTD_CCtx, FreeCompressor> compressor{ZSTD_createCCtx()};
  std::vector<frame::Keyframe> index;
  std::uint64_t keyframes = 0, stride = 1;
  // Guards `fd` against close() while another thread waits in sync().
  std::mutex closing;
  bool name_synced = false;

  ~Impl() {
    if (fd >= 0) ::close(fd);
  }
  std::size_t encode(RecordType type, std::uint64_t tick, frame::Bytes head, frame::Bytes body, Packing packing);
  void note_keyframe(std::uint64_t tick);
  Status send(std::size_t size);
  Status fail(int error);
  Status append(RecordType type, std::uint64_t tick, frame::Bytes head, frame::Bytes body, Packing packing);
  Status append_index();
};

// The frame goes behind the link in `buffer`; its size is returned.
std::size_t RecordWriter::Impl::encode(RecordType type, std::uint64_t tick, frame::Bytes head, frame::Bytes body,
                                       Packing packing) {
  const std::size_t most =
      frame::kLinkBytes + frame::kHeadBytes + head.size() + body.size() + frame::kCrcBytes + frame::kTrailerBytes;
  if (buffer.size() < most) buffer.resize(most);
  std::byte* const body_at = buffer.data() + frame::kLinkBytes + frame::kHeadBytes + head.size();
  if (!head.empty()) std::memcpy(body_at - head.size(), head.data(), head.size());
  std::size_t stored = body.size();
  bool compressed = false;
  if (packing == Packing::compress && body.size() >= frame::kLeastCompressed && compressor != nullptr) {
    // With room for one byte less than the body: an error means that it does not pay.
    const std::size_t packed =
        ZSTD_compressCCtx(compressor.get(), body_at, body.size() - 1, body.data(), body.size(), kLevel);
    compressed = ZSTD_isError(packed) == 0;
    if (compressed) stored = packed;
  }
  if (!compressed && !body.empty()) std::memcpy(body_at, body.data(), body.size());
  frame::put_head(buffer.data(), {type, compressed, static_cast<std::uint16_t>(head.size()),
                                  static_cast<std::uint32_t>(stored), static_cast<std::uint32_t>(body.size()), tick});
  // Goes on from the checksum of the frame's head, which thereby is not covered twice: a checksum over its own message
  // and itself is a constant, and the link would be lost.
  const std::byte* const contents = body_at - head.size();
  frame::store(body_at + stored,
               frame::crc({contents, head.size() + stored}, frame::load<std::uint32_t>(contents - frame::kCrcBytes)));
  return frame::kHeadBytes + head.size() + stored + frame::kCrcBytes;
}

void RecordWriter::Impl::note_keyframe(std::uint64_t tick) {
  if (order.continues(tick) || keyframes++ % stride != 0) return;
  if (index.size() == frame::kMaxIndex) {
    for (std::size_t i = 0; i < index.size() / 2; ++i) index[i] = index[2 * i];
    index.resize(index.size() / 2);
    stride *= 2;
  }
  index.push_back({tick, bytes});
}

Status RecordWriter::Impl::fail(int error) {
  // A rest that cannot be cut off is a torn record to a reader.
  if (ours && ::ftruncate(fd, static_cast<off_t>(bytes)) != 0) ours = false;
  return failed = write_error(path, error);
}

Status RecordWriter::Impl::send(std::size_t size) {
  const std::byte* at = buffer.data() + frame::kLinkBytes;
  for (std::size_t left = size; left > 0;) {
    const ssize_t written = ::write(fd, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(written < 0 ? errno : EIO);
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  bytes += size;
  std::memmove(buffer.data(), at - frame::kLinkBytes, frame::kLinkBytes);
  return {};
}

Status RecordWriter::Impl::append(RecordType type, std::uint64_t tick, frame::Bytes head, frame::Bytes body,
                                  Packing packing) {
  if (!failed.ok()) return failed;
  const auto refused = [](const char* why) { return Status(StatusCode::argument, why); };
  if (fd < 0) return refused("append: the recording is closed");
  if (head.size() > kMaxRecordHead) return refused("append: the head is longer than kMaxRecordHead");
  if (body.size() > kMaxRecordBody) return refused("append: the body is longer than kMaxRecordBody");
  if (type < RecordType::hello || type > RecordType::end || !order.admits(type, tick))
    return refused("append: this record does not follow the one before it; docs/formats/recording.md has the order");
  return base::no_throw([&]() -> Status {
    const std::size_t size = encode(type, tick, head, body, packing);
    if (type == RecordType::keyframe) note_keyframe(tick);
    if (Status sent = send(size); !sent) return sent;
    order.take(type, tick);
    return {};
  });
}

Status RecordWriter::Impl::append_index() {
  return base::no_throw([&]() -> Status {
    std::vector<std::byte> body(index.size() * frame::kIndexEntryBytes);
    for (std::size_t i = 0; i < index.size(); ++i) {
      frame::store(&body[i * frame::kIndexEntryBytes], index[i].tick);
      frame::store(&body[i * frame::kIndexEntryBytes + 8], index[i].offset);
    }
    const std::size_t size = encode(RecordType::index, 0, {}, body, Packing::compress);
    std::byte* const trailer = buffer.data() + frame::kLinkBytes + size;
    frame::store(trailer, bytes);
    std::memcpy(trailer + 8, frame::kEndMark.data(), frame::kEndMark.size());
    return send(size + frame::kTrailerBytes);
  });
}

Result<RecordWriter> RecordWriter::create(const std::string& path, const RecordingHeader& header) {
  return base::no_throw([&]() -> Result<RecordWriter> {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->buffer.resize(frame::kHeaderBytes);
    frame::put_header(impl->buffer.data(), header);
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return file.status();
    file->write({reinterpret_cast<const char*>(impl->buffer.data()), frame::kHeaderBytes});
    const Result<int> fd = file->publish();
    if (!fd) return fd.status();
    impl->fd = *fd;
    impl->bytes = frame::kHeaderBytes;
    std::memmove(impl->buffer.data(), &impl->buffer[frame::kHeaderBytes - frame::kLinkBytes], frame::kLinkBytes);
    struct stat info {};
    impl->ours = path != "-" && ::fstat(*fd, &info) == 0 && S_ISREG(info.st_mode);
    if (impl->ours) {
      ::fcntl(*fd, F_SETFL, O_APPEND);
      std::error_code error;
      impl->folder = std::filesystem::weakly_canonical(path, error).parent_path().string();
    }
    return RecordWriter(std::move(impl));
  });
}

RecordWriter::RecordWriter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
RecordWriter::RecordWriter(RecordWriter&&) noexcept = default;
RecordWriter& RecordWriter::operator=(RecordWriter&&) noexcept = default;
RecordWriter::~RecordWriter() = default;

Status RecordWriter::append(RecordType type, std::uint64_t tick, std::span<const std::byte> head,
                            std::span<const std::byte> body, Packing packing) {
  return impl_->append(type, tick, head, body, packing);
}

Status RecordWriter::close() {
  if (impl_->fd < 0) return impl_->failed;
  if (impl_->failed.ok()) impl_->failed = impl_->append_index();
  const std::lock_guard lock(impl_->closing);
  if (::close(impl_->fd) != 0 && impl_->failed.ok()) impl_->failed = write_error(impl_->path, errno);
  impl_->fd = -1;
  return impl_->failed;
}

Status RecordWriter::sync() const {
  const std::lock_guard lock(impl_->closing);
  if (impl_->fd < 0) return {};
  // Pipes and devices have nothing to wait for.
  if (::fdatasync(impl_->fd) != 0 && errno != EINVAL && errno != EROFS) return write_error(impl_->path, errno);
  if (!impl_->ours || impl_->name_synced) return {};
  // The file's name is data of the folder.
  const Descriptor folder(::open(impl_->folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0 && ::fsync(folder.get()) != 0 && errno != EINVAL) return write_error(impl_->folder, errno);
  impl_->name_synced = true;
  return {};
}

std::uint64_t RecordWriter::bytes() const noexcept { return impl_->bytes; }

}  // namespace drover::io
