// SPDX-License-Identifier: MIT
// What every command shares: its common options, how it refuses, how it prints.
#pragma once
#include <drover/io.hpp>
#include <drover/status.hpp>

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text.hpp"

namespace drover::cli {

using io::Refusal;

struct Common {
  std::string json;     // a path, "-", or empty
  std::string threads;  // as typed
  bool quiet = false;

  bool json_on_stdout() const { return json == "-"; }
  /// True where a summary for people goes to standard output.
  bool talks() const { return !quiet && !json_on_stdout(); }
  std::uint32_t thread_count() const;
};
void add_common(CLI::App& command, Common& common);

/// One command. `run` is called after the options were read and answers the exit status.
class Command {
 public:
  virtual ~Command() = default;
  virtual int run() = 0;
};
std::unique_ptr<Command> add_run(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_field(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_path(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_fov(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_replay(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_diff(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_verify(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_convert(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_bake(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_cave(CLI::App& program, CLI::App*& app);
std::unique_ptr<Command> add_bench(CLI::App& program, CLI::App*& app);

/// Leaves the command with exit status 2: the command line is wrong by itself.
[[noreturn]] void usage(std::string_view message);
/// The same under a code whose own exit status is that of a file.
[[noreturn]] void wrong_value(StatusCode code, std::string_view message);
struct WrongValue {
  Status status;
};
[[noreturn]] void refuse(Status status);
template <class T>
T must(Result<T> result) {
  if (!result) refuse(result.status());
  return std::move(*result);
}
inline void must(const Status& status) {
  if (!status.ok()) refuse(status);
}

void print_error(std::string_view name, std::string_view message);
void print_warnings(const std::vector<io::Warning>& warnings);
/// Standard output; a reader that is gone is not an error.
void print(std::string_view text);

/// Value of an option that must be one of `words`; `later` are named as not supported yet.
std::size_t choice(std::string_view option, const std::string& value, const std::vector<std::string_view>& words,
                   const std::vector<std::string_view>& later = {});
std::int64_t whole_number(std::string_view option, const std::string& value, std::int64_t least, std::int64_t most);
/// "3,4" or "3,4,1".
std::optional<Cell> parse_cell(std::string_view text);

}  // namespace drover::cli
