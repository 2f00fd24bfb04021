// SPDX-License-Identifier: MIT
// Recordings of real runs: killed, interrupted, out of room, and the same bytes whatever the threads.
#include <csignal>

#include "base/counter_rng.hpp"
#include "io/record_file.hpp"
#include "support/data.hpp"
#include "support/program.hpp"
#include "support/recordings.hpp"

namespace drover::test {
namespace {

// 300 agents for two cells, and an edit of a tick that never comes: the run has no end.
const std::string kEndless =
    "[map]\nfile = \"m.map\"\n[[profile]]\nname = \"p\"\n"
    "[[goal]]\nname = \"gate\"\ncells = [[99, 9], [99, 10]]\non_arrival = \"stay\"\n"
    "[[group]]\nprofile = \"p\"\ngoal = \"gate\"\ncount = 300\narea = {rect = [0, 0, 40, 20]}\n"
    "[run]\nticks = 1000000000\n[[edit]]\ntick = 900000000\ncells = [[0, 0, \"#\"]]\n";

class RecordedRuns : public ::testing::Test {
 protected:
  RecordedRuns() {
    std::string map = "type octile\nheight 20\nwidth 100\nmap\n";
    for (int y = 0; y < 20; ++y) map += std::string(100, '.') + "\n";
    temp.write("m.map", map);
    temp.write("s.toml", kEndless);
  }
  // Starts `drover run` on the endless scenario; its standard output goes to `out`.
  pid_t start(int out, const std::vector<const char*>& more) {
    const std::string scenario = temp / "s.toml", folder = temp / "out";
    std::vector<const char*> words{"drover", "run", scenario.c_str(), "--out", folder.c_str(), "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      if (out >= 0 && ::dup2(out, 1) < 0) ::_exit(126);
      ::execv(DROVER_PROGRAM, const_cast<char* const*>(words.data()));
      ::_exit(127);
    }
    return child;
  }
  Outcome verify(const std::string& file = "out/replay.drv", const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"replay", temp / file, "--verify", "--quiet", "--json", temp / "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::filesystem::remove(temp / "json");
    return run_drover(temp, arguments);
  }
  std::string of_json(const std::string& key) { return json_value(temp.read("json"), key); }
  // A recording without its end: equal as far as it goes, one warning.
  void expect_equal_but_cut(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err.rfind("drover: warning W_REPLAY_TRUNCATED: ", 0), 0u) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
    EXPECT_EQ(of_json("equal"), "true");
    EXPECT_EQ(of_json("ticks"), of_json("recovered_ticks"));
  }
  TempFolder temp;
};

// Reads rows tick,agent,... until `wait` has passed, kills `child`, reads the rest: the tick of the last whole row.
std::uint64_t acknowledged_until_killed(pid_t child, int pipe, std::uint32_t wait_us) {
  std::string rows;
  char block[65536];
  const timespec once{0, 1000 * 1000};
  ::fcntl(pipe, F_SETFL, O_NONBLOCK);
  bool killed = false;
  for (std::uint32_t waited = 0;;) {
    const ssize_t got = ::read(pipe, block, sizeof block);
    if (got == 0) break;
    if (got > 0) rows.append(block, static_cast<std::size_t>(got));
    if (!killed && waited >= wait_us) {
      ::kill(child, SIGKILL);
      killed = true;
    }
    if (got < 0) {
      ::nanosleep(&once, nullptr);
      waited += 1000;
    }
  }
  const std::size_t end = rows.rfind('\n');
  const std::size_t begin = end == std::string::npos || end == 0 ? std::string::npos : rows.rfind('\n', end - 1);
  return begin == std::string::npos ? 0 : std::stoull(rows.substr(begin + 1));
}

// A row of the trace comes after its tick was recorded, so a tick whose row was read must be in the recording.
TEST_F(RecordedRuns, kill_in_mid_write) {
  std::uint64_t acknowledged = 0, recovered = 0;
  const std::uint32_t attempts = long_run() ? 200 : 20;
  for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
    SCOPED_TRACE(attempt);
    std::filesystem::remove_all(temp / "out");
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = start(ends[1], {"--trace", "-", "--threads", attempt % 2 == 0 ? "1" : "2"});
    ::close(ends[1]);
    // Any moment, but mostly one at which there is something to lose.
    for (int i = 0; attempt % 4 != 0 && i < 30000 && !temp.has("out/replay.drv"); ++i) ::usleep(1000);
    const std::uint64_t said =
        acknowledged_until_killed(child, ends[0], base::CounterRng(attempt, 0x6b).uniform(0, 150000));
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it stopped by itself: " << status;
    acknowledged += said;
    if (!temp.has("out/replay.drv")) {
      ASSERT_EQ(said, 0u);
      continue;
    }
    expect_equal_but_cut(verify());
    const std::uint64_t ticks = std::stoull(of_json("recovered_ticks"));
    EXPECT_GE(ticks, said);
    recovered += ticks;
  }
  EXPECT_GT(acknowledged, attempts);
  RecordProperty("acknowledged", std::to_string(acknowledged));
  RecordProperty("recovered", std::to_string(recovered));
}

TEST_F(RecordedRuns, disk_full) {
  std::uint64_t last = 0;
  for (const std::string kib : {"1", "8", "40", "200"}) {
    SCOPED_TRACE(kib + " KiB");
    const std::string command = "cd " + temp.path().string() + "; (ulimit -f " + kib + "; exec " + DROVER_PROGRAM +
                                " run s.toml --out out --quiet) 2>&1 | cat > err; exit ${PIPESTATUS[0]}";
    const int status = std::system(("bash -c '" + command + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 4);
    const std::string error = temp.read("err");
    EXPECT_EQ(error.rfind("drover: error E_WRITE: out/replay.drv: cannot write: ", 0), 0u) << error;
    EXPECT_EQ(error.find('\n'), error.size() - 1) << error;
    const ReadBack back = read_back(temp / "out/replay.drv");
    EXPECT_EQ(back.end, io::RecordEnd::truncated);
    EXPECT_EQ(back.end_offset, std::filesystem::file_size(temp / "out/replay.drv")) << "no torn record is left";
    expect_equal_but_cut(verify());
    const std::uint64_t ticks = std::stoull(of_json("recovered_ticks"));
    EXPECT_GE(ticks, last);
    last = ticks;
  }
  EXPECT_GT(last, 64u);
  std::filesystem::create_directories(temp / "full");
  std::filesystem::create_symlink("/dev/full", temp / "full/replay.drv");
  expect_refused(run_drover(temp, {"run", temp / "s.toml", "--quiet", "--out", temp / "full"}), 4, "E_WRITE",
                 "full/replay.drv");
}

TEST_F(RecordedRuns, write_refused) {
  // Nobody may make files there, root neither.
  expect_refused(run_drover(temp, {"run", temp / "s.toml", "--out", "/sys"}), 4, "E_WRITE", "/sys/replay.drv");
  std::filesystem::create_directories(temp / "odd/replay.drv");
  expect_refused(run_drover(temp, {"run", temp / "s.toml", "--out", temp / "odd"}), 4, "E_WRITE", "odd/replay.drv");
  std::filesystem::create_directories(temp / "locked");
  ASSERT_EQ(::chmod((temp / "locked").c_str(), 0555), 0);
  if (::geteuid() != 0) {
    expect_refused(run_drover(temp, {"run", temp / "s.toml", "--out", temp / "locked"}), 4, "E_WRITE",
                   "locked/replay.drv");
  }
  EXPECT_FALSE(temp.has("locked/replay.drv"));
}

TEST_F(RecordedRuns, an_interrupted_run_has_its_end_record) {
  for (const auto& [signal, status] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    std::filesystem::remove_all(temp / "out");
    const pid_t child = start(-1, {});
    const auto recorded = [&] {
      return temp.has("out/replay.drv") ? read_back(temp / "out/replay.drv").records.size() : 0;
    };
    for (int i = 0; i < 3000 && recorded() < 20; ++i) ::usleep(10000);
    ::kill(child, signal);
    int ended = 0;
    ::waitpid(child, &ended, 0);
    ASSERT_TRUE(WIFEXITED(ended));
    EXPECT_EQ(WEXITSTATUS(ended), status);
    expect_accepted(verify());
    EXPECT_EQ(of_json("complete"), "true");
    EXPECT_EQ(of_json("equal"), "true");
    EXPECT_EQ(of_json("ticks"), json_value(temp.read("out/report.json"), "ticks"));
    EXPECT_EQ(of_json("digest"), json_value(temp.read("out/report.json"), "digest"));
    const TextRecord end = read_back(temp / "out/replay.drv").records.back();
    EXPECT_EQ(end.type, io::RecordType::end);
    EXPECT_EQ(end.body[0], '\2') << "interrupted";
  }
}

TEST_F(RecordedRuns, examples_make_the_same_bytes_whatever_the_threads_and_verify) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(repo_root() / "examples")) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename());
    ++examples;
    const auto record = [&](const std::string& folder, const std::vector<std::string>& more) {
      std::vector<std::string> arguments{"run", entry.path().string(), "--quiet", "--out", temp / folder};
      arguments.insert(arguments.end(), more.begin(), more.end());
      expect_accepted(run_drover(temp, arguments));
      return temp.read(folder + "/replay.drv");
    };
    const std::string serial = record("serial", {"--threads", "1"});
    ASSERT_GT(serial.size(), 1000u);
    EXPECT_TRUE(serial == record("two", {"--threads", "2"}));
    EXPECT_TRUE(serial == record("eight", {"--threads", "8"}));
    EXPECT_TRUE(serial == record("paranoid", {"--threads", "2", "--paranoid"}));
    for (const char* threads : {"1", "2"}) {
      expect_accepted(verify("serial/replay.drv", {"--threads", threads}));
      EXPECT_EQ(of_json("equal"), "true");
      EXPECT_EQ(of_json("complete"), "true");
      EXPECT_EQ(of_json("digest"), json_value(temp.read("serial/report.json"), "digest"));
    }
    expect_accepted(run_drover(temp, {"diff", temp / "serial/replay.drv", temp / "paranoid/replay.drv", "--quiet"}));
  }
  EXPECT_GE(examples, 3);
}

}  // namespace
}  // namespace drover::test
