// SPDX-License-Identifier: MIT
// Where tests find the repository and the public benchmark data, and how they do without the latter.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace drover::test {

/// Root of the repository: examples/, tests/golden/ and so on.
inline std::filesystem::path repo_root() { return DROVER_SOURCE_DIR; }

/// Benchmark data: DROVER_DATA, else ../shared/data beside the repository. May not exist.
inline std::filesystem::path data_root() {
  const char* chosen = std::getenv("DROVER_DATA");
  return chosen != nullptr && *chosen != '\0' ? chosen : DROVER_DATA_DEFAULT;
}

/// On the build server absent data is a failure: a skip there would hide what was not tested.
inline bool data_is_mandatory() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

/// True under `./dev test --long`, for tests that then try more cases.
inline bool long_run() { return std::getenv("DROVER_LONG") != nullptr; }

}  // namespace drover::test

/// First line of a test that reads `path` below data_root(): leaves the test where the file or folder is absent.
#define DROVER_REQUIRE_DATA(path)                                                       \
  do {                                                                                  \
    if (const auto wanted_ = ::drover::test::data_root() / (path); !exists(wanted_)) {  \
      if (::drover::test::data_is_mandatory()) FAIL() << "data not found: " << wanted_; \
      GTEST_SKIP() << "data not found: " << wanted_;                                    \
    }                                                                                   \
  } while (false)
