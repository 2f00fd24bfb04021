// SPDX-License-Identifier: MIT
// A file descriptor that closes itself, and the checks with which every input is opened.
#pragma once
#include <drover/io.hpp>

#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

namespace drover::io {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// A regular file for reading and its size. Refuses with cannot_open or not_a_file.
struct InputFile {
  Descriptor descriptor;
  std::uint64_t size = 0;
};
InputFile open_input(const std::string& path);
/// The whole of a regular file, whatever it holds; refuses as read_text_file does.
std::string read_bytes(const std::string& path, FileLimits limits);

}  // namespace drover::io
