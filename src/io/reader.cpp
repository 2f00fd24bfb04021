// SPDX-License-Identifier: MIT
// The one way in for files: regular files only, in bounded pieces, with the limits checked before anything is stored.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "io/descriptor.hpp"
#include "io/text.hpp"

namespace drover::io {

namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void skip_byte_order_mark(std::string& text, const Place& place) {
  if (text.size() >= 2 && (text.compare(0, 2, "\xFF\xFE") == 0 || text.compare(0, 2, "\xFE\xFF") == 0)) {
    refuse(StatusCode::encoding, place, "the file begins with a UTF-16 byte order mark; save as UTF-8");
  }
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
}

// Reads piece by piece so that a line or file beyond its limit is noticed before its bytes are kept.
void read_pieces(int fd, std::uint64_t size, FileLimits limits, const Place& file, std::string& text) {
  std::array<char, 1 << 16> piece;
  std::uint64_t line_bytes = 0;
  bool return_last = false;
  std::uint32_t line = 1;
  for (;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(StatusCode::cannot_open, file, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) return;
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
      line_bytes += end - at;
      if (end > at) return_last = bytes[end - 1] == '\r';
      // A carriage return at the limit is part of the line end, as far as is known by now.
      if (line_bytes - (return_last && line_bytes > 0 ? 1 : 0) > limits.line_bytes) {
        refuse(StatusCode::limit_line, {file.file, line, static_cast<std::uint32_t>(limits.line_bytes + 1)},
               fmt::format("line is longer than {} bytes; that is the limit", limits.line_bytes));
      }
      if (end < bytes.size()) {
        line_bytes = 0;
        return_last = false;
        ++line;
      }
      at = end + 1;
    }
    if (text.size() + bytes.size() > limits.file_bytes) {
      refuse(StatusCode::limit_file, file,
             fmt::format("file is larger than {} bytes; that is the limit", limits.file_bytes));
    }
    // Not before: a file that is one endless line is refused with little memory taken.
    if (line > 1) text.reserve(size);
    text.append(bytes);
  }
}

}  // namespace

InputFile open_input(const std::string& path) {
  const Place file{path, 0, 0};
  struct stat info {};
  if (path.empty() || path.find('\0') != std::string::npos)
    refuse(StatusCode::cannot_open, file, "not a file name; a path is expected");
  if (::stat(path.c_str(), &info) != 0) {
    refuse(StatusCode::cannot_open, file,
           fmt::format("cannot open: {}; a readable file is expected", std::strerror(errno)));
  }
  const auto check_kind = [&] {
    if (!S_ISREG(info.st_mode)) {
      refuse(StatusCode::not_a_file, file,
             fmt::format("this is {}; a regular file is expected", kind_of(info.st_mode)));
    }
  };
  check_kind();
  // Non-blocking: the path may have become a pipe since.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &info) != 0) {
    refuse(StatusCode::cannot_open, file,
           fmt::format("cannot open: {}; a readable file is expected", std::strerror(errno)));
  }
  check_kind();
  return {std::move(descriptor), static_cast<std::uint64_t>(info.st_size)};
}

std::string read_bytes(const std::string& path, FileLimits limits) {
  const Place file{path, 0, 0};
  const auto [descriptor, size] = open_input(path);
  if (size > limits.file_bytes + 3) {
    refuse(StatusCode::limit_file, file, fmt::format("file has {} bytes; the limit is {}", size, limits.file_bytes));
  }
  std::string text;
  try {
    read_pieces(descriptor.get(), size, limits, file, text);
  } catch (const std::bad_alloc&) {
    throw Refusal{no_memory(fmt::format("{} has {} bytes", printable(path), size))};
  }
  return text;
}

Result<std::string> read_text_file(const std::string& path, FileLimits limits) {
  return guarded(fmt::format("reading {}", printable(path)), [&] {
    std::string text = read_bytes(path, limits);
    skip_byte_order_mark(text, {path, 1, 1});
    return text;
  });
}

}  // namespace drover::io
