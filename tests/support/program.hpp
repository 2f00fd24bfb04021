// SPDX-License-Identifier: MIT
// Runs the program `drover` as a user would and keeps what it answered.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temp_folder.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::test {

struct Outcome {
  int status = -1;  // exit status, or 128 + signal
  std::string out, err;
  std::uint64_t peak_bytes = 0;
};

struct RunWith {
  std::string folder = {};                                            // working folder; empty: the temp folder
  std::vector<std::pair<std::string, std::string>> environment = {};  // added
  std::uint64_t address_space_bytes = 0;                              // limit, 0: none
  std::string out_to = {};                                            // instead of keeping standard output
};

/// Runs DROVER_PROGRAM with `arguments`.
inline Outcome run_drover(const TempFolder& temp, const std::vector<std::string>& arguments, const RunWith& with = {}) {
  const std::string out = temp / ".stdout", err = temp / ".stderr";
  const pid_t child = ::fork();
  if (child == 0) {
    const int out_fd =
        ::open(with.out_to.empty() ? out.c_str() : with.out_to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out_fd < 0 || err_fd < 0 || ::dup2(out_fd, 1) < 0 || ::dup2(err_fd, 2) < 0) ::_exit(126);
    if (::chdir(with.folder.empty() ? temp.path().c_str() : with.folder.c_str()) != 0) ::_exit(126);
    for (const auto& [name, value] : with.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (with.address_space_bytes > 0) {
      const rlimit limit{with.address_space_bytes, with.address_space_bytes};
      ::setrlimit(RLIMIT_AS, &limit);
    }
    std::vector<char*> words{const_cast<char*>("drover")};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(DROVER_PROGRAM, words.data());
    ::_exit(127);
  }
  Outcome outcome;
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  outcome.out = temp.read(".stdout");
  outcome.err = temp.read(".stderr");
  return outcome;
}

/// One line `drover: error CODE: ...; ...` that names `place`, and nothing a user should not see.
inline void expect_refused(const Outcome& outcome, int status, const std::string& code, const std::string& place) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("drover: error " + code + ": ", 0), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find(place), std::string::npos) << "no \"" << place << "\" in: " << outcome.err;
  EXPECT_NE(outcome.err.find("; "), std::string::npos) << "found and expected: " << outcome.err;
  EXPECT_EQ(outcome.err.find("xception"), std::string::npos) << outcome.err;
  ASSERT_FALSE(outcome.err.empty());
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "one line: " << outcome.err;
  for (const char c : outcome.err) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 32) << static_cast<int>(c);
}

inline void expect_accepted(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

/// The value after "key": in a JSON text, as it stands there.
inline std::string json_value(const std::string& json, const std::string& key) {
  const std::size_t at = json.find("\"" + key + "\":");
  if (at == std::string::npos) return "(no " + key + ")";
  std::size_t begin = json.find_first_not_of(' ', at + key.size() + 3);
  std::size_t end = json[begin] == '"' ? json.find('"', begin + 1) + 1 : json.find_first_of(",}\n", begin);
  return json.substr(begin, end - begin);
}

}  // namespace drover::test
