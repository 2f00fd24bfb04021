// SPDX-License-Identifier: MIT
// Common options, refusals and printing.
#include "app.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "io/output.hpp"

namespace drover::cli {

namespace {

constexpr std::int64_t kMostThreads = 256;

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void add_common(CLI::App& command, Common& common) {
  command
      .add_option("--json", common.json,
                  "Write the numbers to FILE (- = standard output, then nothing else is printed)")
      ->type_name("FILE");
  command.add_option("--threads", common.threads, "Worker threads; the answers do not depend on it [cores]")
      ->type_name("N");
  command.add_flag("--quiet", common.quiet, "No summary, no progress");
}

std::uint32_t Common::thread_count() const {
  if (!threads.empty()) return static_cast<std::uint32_t>(whole_number("--threads", threads, 1, kMostThreads));
  return std::clamp(std::thread::hardware_concurrency(), 1u, static_cast<std::uint32_t>(kMostThreads));
}

void usage(std::string_view message) { throw Refusal{Status(StatusCode::usage, std::string(message))}; }

void wrong_value(StatusCode code, std::string_view message) { throw WrongValue{Status(code, std::string(message))}; }

void refuse(Status status) { throw Refusal{std::move(status)}; }

void print_error(std::string_view name, std::string_view message) {
  // printable: nothing that came from outside may begin a line of its own.
  write_all(STDERR_FILENO, fmt::format("drover: error {}: {}\n", name, io::printable(message)));
}

void print_warnings(const std::vector<io::Warning>& warnings) {
  for (const io::Warning& w : warnings)
    write_all(STDERR_FILENO, fmt::format("drover: warning {}: {}\n", w.name, io::printable(w.message)));
}

void print(std::string_view text) {
  Result<io::OutputFile> out = io::OutputFile::create("-");
  out->write(text);
  must(out->commit());
}

std::size_t choice(std::string_view option, const std::string& value, const std::vector<std::string_view>& words,
                   const std::vector<std::string_view>& later) {
  const auto found = std::find(words.begin(), words.end(), value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const bool known = std::find(later.begin(), later.end(), value) != later.end();
  usage(fmt::format("{} {}{}; {} is expected", option, value, known ? " is not supported yet" : "",
                    io::joined(words, " or ")));
}

std::int64_t whole_number(std::string_view option, const std::string& value, std::int64_t least, std::int64_t most) {
  const io::ParsedInteger number = io::parse_integer(value);
  if (number.kind != io::NumberKind::number || number.value < least || number.value > most) {
    usage(fmt::format("{} {}; a whole number {} .. {} is expected", option, value, least, most));
  }
  return number.value;
}

std::optional<Cell> parse_cell(std::string_view text) {
  const std::vector<io::Word> words = io::split_at(text, ',');
  if (words.size() != 2 && words.size() != 3) return std::nullopt;
  std::int32_t values[3] = {0, 0, 0};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const io::ParsedInteger number = io::parse_integer(words[i].text);
    if (number.kind != io::NumberKind::number || number.value < INT32_MIN || number.value > INT32_MAX)
      return std::nullopt;
    values[i] = static_cast<std::int32_t>(number.value);
  }
  return Cell{values[0], values[1], values[2]};
}

}  // namespace drover::cli
