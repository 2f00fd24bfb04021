// SPDX-License-Identifier: MIT
// Links are followed before the folders are compared.
#include "io/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace drover::io {

namespace {

namespace fs = std::filesystem;

bool below(const fs::path& folder, const fs::path& file) {
  const auto [at, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return at == folder.end() && rest != file.end();
}

}  // namespace

std::string path_beside(const std::string& file, const std::string& name, PathRule rule, const Place& place,
                        std::string_view whose) {
  const bool cut = name.find('\0') != std::string::npos;  // the system would open another file than was compared
  const fs::path folder = fs::path(file).parent_path();
  const fs::path path = fs::path(name).is_absolute() ? fs::path(name) : folder / name;
  if (rule == PathRule::anywhere && !cut) return path.string();
  std::error_code error;
  // Made absolute first: a relative path that does not exist would stay relative.
  const auto canonical = [&](const fs::path& p) {
    const fs::path whole = fs::absolute(p, error);
    return error ? fs::path() : fs::weakly_canonical(whole, error);
  };
  const fs::path home = canonical(folder.empty() ? fs::path(".") : folder);
  const fs::path real = error ? fs::path() : canonical(path);
  if (error || cut || name.empty() || fs::path(name).is_absolute() || !below(home, real)) {
    refuse(StatusCode::path_outside, place,
           fmt::format("\"{}\" is outside the {}'s folder; a path below it is expected (--allow-outside lifts that)",
                       printable(name), whose));
  }
  return path.string();
}

}  // namespace drover::io
