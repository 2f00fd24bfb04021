// SPDX-License-Identifier: MIT
// Files compared by what they are, not by how they are spelled.
#include "files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app.hpp"
#include "io/map_formats.hpp"

namespace drover::cli {

namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error))
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error) && !error;
  // At least one is still to be made: made absolute first, else a relative path that does not exist stays relative.
  const fs::path x = fs::weakly_canonical(fs::absolute(a, error), error);
  return !error && x == fs::weakly_canonical(fs::absolute(b, error), error) && !error;
}

}  // namespace

void check_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& out = outputs[i];
    for (const NamedFile& in : inputs) {
      if (same_file(out.path, in.path)) {
        wrong_value(StatusCode::same_file, fmt::format("{} {} would replace the input {} {}; another file is expected",
                                                       out.option, out.path, in.option, in.path));
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (same_file(out.path, outputs[j].path) || (out.path == "-" && outputs[j].path == "-")) {
        usage(fmt::format("{} and {} both write {}; a file of its own is expected for each", outputs[j].option,
                          out.option, out.path));
      }
    }
  }
}

std::vector<NamedFile> with_named(std::vector<NamedFile> inputs, const std::vector<std::string>& named) {
  for (const std::string& path : named) inputs.push_back({"file", path});
  return inputs;
}

void check_map_ending(const std::string& path) {
  if (const Status status = io::check_map_ending(path); !status.ok()) wrong_value(status.code(), status.message());
}

}  // namespace drover::cli
