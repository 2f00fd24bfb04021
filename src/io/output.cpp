// SPDX-License-Identifier: MIT
// Buffered writing that continues short writes and reports the first failure once.
#include "io/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "io/text.hpp"

namespace drover::io {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

}  // namespace

Status write_error(const std::string& path, int error) {
  return error_at(StatusCode::write, {path == "-" ? "standard output" : path, 0, 0},
                  fmt::format("cannot write: {}; a writable place with room is expected", std::strerror(error)));
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  OutputFile out;
  out.path_ = path;
  if (path == "-") {
    out.fd_ = STDOUT_FILENO;
    return out;
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    out.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // A link keeps pointing: what it names is replaced.
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
    if (!error) out.path_ = real.string();
    out.temporary_ = fmt::format("{}.{}.part", out.path_, ::getpid());
    out.fd_ = ::open(out.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (out.fd_ < 0) {
    const int error = errno;
    out.temporary_.clear();
    return write_error(path, error);
  }
  out.owned_ = true;
  return out;
}

OutputFile::OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  drop();
  path_ = std::move(other.path_);
  temporary_ = std::exchange(other.temporary_, {});
  buffer_ = std::exchange(other.buffer_, {});
  status_ = std::move(other.status_);
  fd_ = std::exchange(other.fd_, -1);
  owned_ = std::exchange(other.owned_, false);
  return *this;
}

OutputFile::~OutputFile() { drop(); }

void OutputFile::drop() noexcept {
  if (fd_ >= 0 && owned_) ::close(fd_);
  fd_ = -1;
  owned_ = false;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::fail(int error) {
  if (status_.ok()) status_ = write_error(path_, error);
}

void OutputFile::send(std::string_view bytes) {
  while (!bytes.empty() && status_.ok()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    // A reader that went away has all it wanted.
    if (written < 0 && errno == EPIPE && path_ == "-") return;
    if (written < 0) return fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::flush() {
  send(buffer_);
  buffer_.clear();
}

void OutputFile::write(std::string_view bytes) {
  if (!status_.ok() || fd_ < 0) return;
  if (bytes.size() >= kBuffer) {
    flush();
    return send(bytes);
  }
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  buffer_.append(bytes);
}

void OutputFile::take_name() {
  if (!status_.ok() || temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) == 0) {
    temporary_.clear();
  } else {
    fail(errno);
  }
}

Status OutputFile::commit() {
  if (fd_ < 0) return status_;
  flush();
  if (owned_ && ::close(fd_) != 0) fail(errno);
  fd_ = -1;
  owned_ = false;
  take_name();
  drop();
  return status_;
}

Result<int> OutputFile::publish() {
  flush();
  take_name();
  const int fd = owned_ || fd_ < 0 ? fd_ : ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) fail(errno);
  if (!status_.ok()) {
    drop();
    return status_;
  }
  fd_ = -1;
  owned_ = false;
  return fd;
}

Status write_file(const std::string& path, std::string_view contents) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.status();
  file->write(contents);
  return file->commit();
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && std::filesystem::is_directory(path)) return {};
  return write_error(path, error ? error.value() : ENOTDIR);
}

}  // namespace drover::io
