// SPDX-License-Identifier: MIT
// Files out: written beside their name and renamed when complete, so a finished file is never replaced by part of a new
// one.
#pragma once
#include <drover/status.hpp>

#include <string>
#include <string_view>

namespace drover::io {

/// One output. `-` is standard output; devices and pipes are written in place. Nothing appears under the name before
/// commit(); a file that is dropped without it leaves no trace. The first failure sticks and is what commit() answers
/// (`write`).
class OutputFile {
 public:
  OutputFile() = default;
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  bool open() const noexcept { return fd_ >= 0; }
  void write(std::string_view bytes);
  const Status& status() const noexcept { return status_; }
  /// Flushes, closes and gives the file its name.
  Status commit();
  /// Flushes, gives the file its name and hands over its descriptor, to be written on and closed by the caller.
  Result<int> publish();

 private:
  void flush();
  void send(std::string_view bytes);
  void fail(int error);
  void take_name();
  void drop() noexcept;

  std::string path_, temporary_, buffer_;
  Status status_;
  int fd_ = -1;
  bool owned_ = false;
};

/// What a failed call on an output is answered with.
Status write_error(const std::string& path, int error);
/// Whole contents in one call.
Status write_file(const std::string& path, std::string_view contents);
/// The folder and all above it.
Status make_folder(const std::string& path);

}  // namespace drover::io
