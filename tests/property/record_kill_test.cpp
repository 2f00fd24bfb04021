// SPDX-License-Identifier: MIT
// A process that records is killed at any moment: each record whose append() had returned is read afterwards.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/counter_rng.hpp"
#include "support/recordings.hpp"
#include "support/temp_folder.hpp"

namespace drover::test {
namespace {

// Record `n` of attempt `attempt`: 0 to 100 kB, known without being kept.
TextRecord record_of(std::uint64_t attempt, std::uint64_t n) {
  const base::CounterRng rng(attempt, 0x6b69);
  TextRecord out{io::RecordType::tick, n, std::to_string(n), std::string(rng.uniform(n, 100000), '\0')};
  std::uint64_t state = rng.at(n, 1);
  for (char& c : out.body) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(state >> (n % 2 == 0 ? 56 : 61));
  }
  return out;
}

[[noreturn]] void record_until_killed(const std::string& path, std::uint64_t attempt, int acknowledge) {
  Result<io::RecordWriter> writer = io::RecordWriter::create(path, {1, attempt, 0, 0});
  if (!writer) std::_Exit(1);
  for (std::uint64_t n = 0;; ++n) {
    if (!append(*writer, record_of(attempt, n)).ok()) std::_Exit(2);
    if (::write(acknowledge, &n, sizeof n) != sizeof n) std::_Exit(3);
  }
}

// Kills `child` after `wait`; the number of records that it said were appended.
std::uint64_t acknowledged_until_killed(pid_t child, int pipe, std::chrono::microseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  std::uint64_t count = 0, n = 0;
  for (bool killed = false;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(deadline - std::chrono::steady_clock::now());
    if (!killed && left.count() <= 0) {
      ::kill(child, SIGKILL);
      killed = true;
    }
    pollfd ready{pipe, POLLIN, 0};
    const timespec most{0, killed ? 0 : left.count() * 1000};
    if (::ppoll(&ready, 1, killed ? nullptr : &most, nullptr) <= 0) continue;
    if (::read(pipe, &n, sizeof n) != sizeof n) return count;
    count = n + 1;
  }
}

TEST(RecordKill, NoAcknowledgedRecordIsLost) {
  const TempFolder temp;
  std::uint64_t acknowledged = 0, lost = 0;
  int torn = 0;
  for (std::uint64_t attempt = 0; attempt < 200; ++attempt) {
    const std::string name = std::to_string(attempt) + ".drv", path = temp / name;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) record_until_killed(path, attempt, ends[1]);
    ::close(ends[1]);
    const std::chrono::microseconds wait(base::CounterRng(attempt, 0x7761).uniform(0, 30000));
    const std::uint64_t said = acknowledged_until_killed(child, ends[0], wait);
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the writer stopped by itself: " << status;
    acknowledged += said;
    if (!temp.has(name)) {
      ASSERT_EQ(said, 0u);
      continue;
    }
    const ReadBack back = read_back(path);
    ASSERT_TRUE(back.status.ok()) << back.status.message();
    ASSERT_EQ(back.end, io::RecordEnd::truncated);
    for (std::size_t n = 0; n < back.records.size(); ++n) ASSERT_EQ(back.records[n], record_of(attempt, n));
    if (back.records.size() < said) lost += said - back.records.size();
    if (std::filesystem::file_size(path) > back.end_offset) ++torn;
    std::filesystem::remove(path);
  }
  EXPECT_EQ(lost, 0u);
  EXPECT_GT(acknowledged, 200u);
  RecordProperty("acknowledged", std::to_string(acknowledged));
  RecordProperty("torn", torn);
}

}  // namespace
}  // namespace drover::test
