// SPDX-License-Identifier: MIT
// Rows of the bad-input list for the surroundings: disks, pipes, locales, memory, threads, hostile names, signals.
#include <csignal>
#include <set>

#include "support/program.hpp"

namespace drover::test {
namespace {

const std::string kScenario =
    "[map]\nrows = [\"..........\", \"....##....\", \"..........\"]\n[[profile]]\nname = \"p\"\n"
    "[[goal]]\nname = \"gate\"\ncells = [[9, 1]]\non_arrival = \"vanish\"\n"
    "[[group]]\nprofile = \"p\"\ngoal = \"gate\"\ncount = 8\narea = {rect = [0, 0, 4, 3]}\n";

class Environment : public ::testing::Test {
 protected:
  Environment() { temp.write("s.toml", kScenario); }
  Outcome run(const std::vector<std::string>& more, const RunWith& with = {}) {
    std::vector<std::string> arguments{"run", temp / "s.toml", "--out", temp / "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments, with);
  }
  // What does not hang on the clock.
  std::string steady_report() {
    const std::string json = temp.read("out/report.json");
    std::string kept;
    for (const char* key : {"scenario", "seed", "ticks", "arrived", "makespan_ticks", "sum_of_arrivals",
                            "throughput_vs_optimum", "digest"}) {
      kept += json_value(json, key) + " ";
    }
    return kept;
  }
  TempFolder temp;
};

TEST_F(Environment, disk_full) {
  expect_refused(run({"--quiet", "--json", "/dev/full"}), 4, "E_WRITE", "/dev/full");
  expect_refused(run({"--quiet", "--trace", "/dev/full"}), 4, "E_WRITE", "/dev/full");
  expect_refused(run({"--quiet", "--events", "/dev/full"}), 4, "E_WRITE", "/dev/full");
  expect_refused(run({"--quiet", "--moves", "/dev/full"}), 4, "E_WRITE", "/dev/full");
  for (const std::string name : {"report.json", "report.html", "picture.png"}) {
    std::filesystem::create_directories(temp / "full");
    std::filesystem::create_symlink("/dev/full", temp / "full/" + name);
    expect_refused(run_drover(temp, {"run", temp / "s.toml", "--quiet", "--out", temp / "full"}), 4, "E_WRITE", name);
    std::filesystem::remove_all(temp / "full");
  }
  const Outcome printed = run({}, {.out_to = "/dev/full"});
  expect_refused(printed, 4, "E_WRITE", "standard output");
}

TEST_F(Environment, file_size_limit) {
  temp.write("m.map", "type octile\nheight 1\nwidth 3\nmap\n...\n");
  // Only drover is limited: its message goes through a pipe to a file that `cat` writes.
  const std::string command = "cd " + temp.path().string() + "; (ulimit -f 0; exec " + DROVER_PROGRAM +
                              " field m.map --goal 0,0 --quiet --dump d.txt) 2>&1 | cat > err; exit ${PIPESTATUS[0]}";
  const int status = std::system(("bash -c '" + command + "'").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(temp.read("err").rfind("drover: error E_WRITE: ", 0), 0u) << temp.read("err");
  EXPECT_NE(temp.read("err").find("d.txt: cannot write"), std::string::npos) << temp.read("err");
  EXPECT_FALSE(temp.has("d.txt"));
}

TEST_F(Environment, an_output_never_replaces_an_input) {
  const std::string map = temp.write("m.map", "type octile\nheight 1\nwidth 3\nmap\n...\n");
  const std::string weights = temp.write("w.txt", "1 1 1\n"), edits = temp.write("e.txt", "1,0,.\n");
  std::filesystem::create_symlink(map, temp / "link");
  std::filesystem::create_hard_link(weights, temp / "hard");
  const auto field = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"field",     map,     "--goal",  "0,0", "--quiet",
                                       "--weights", weights, "--edits", edits};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_drover(temp, arguments);
  };
  expect_accepted(field({"--dump", temp / "d.txt", "--ties", "/dev/null", "--directions", "/dev/null"}));
  const std::string before = temp.read("m.map") + temp.read("w.txt") + temp.read("e.txt");
  expect_refused(field({"--dump", map}), 2, "E_SAME_FILE", "--dump");
  expect_refused(field({"--png", "m.map"}), 2, "E_SAME_FILE", "the input MAP");
  expect_refused(field({"--json", temp / "link"}), 2, "E_SAME_FILE", "--json");
  expect_refused(field({"--ties", temp / "hard"}), 2, "E_SAME_FILE", "the input --weights");
  expect_refused(field({"--directions", "./e.txt"}), 2, "E_SAME_FILE", "the input --edits");
  expect_refused(field({"--dump", temp / "new", "--ties", "./new"}), 2, "E_USAGE", "--dump and --ties");
  EXPECT_EQ(temp.read("m.map") + temp.read("w.txt") + temp.read("e.txt"), before);
  EXPECT_FALSE(temp.has("new"));

  expect_refused(run({"--trace", temp / "s.toml"}), 2, "E_SAME_FILE", "the input SCENARIO");
  expect_refused(run({"--trace", temp / "t", "--moves", "t"}), 2, "E_USAGE", "--trace and --moves");
  expect_refused(run({"--json", temp / "out/report.json"}), 2, "E_USAGE", "--json and --out");
  EXPECT_EQ(temp.read("s.toml"), kScenario);
  EXPECT_FALSE(temp.has("out")) << "nothing is begun";
  const std::string named = temp.write("n.toml", "[map]\nfile = \"m.map\"\n[[profile]]\nname = \"p\"\n");
  expect_refused(run_drover(temp, {"run", named, "--out", temp / "out", "--moves", map}), 2, "E_SAME_FILE", "m.map");
  EXPECT_EQ(temp.read("m.map") + temp.read("w.txt") + temp.read("e.txt"), before);
}

TEST_F(Environment, write_refused) {
  expect_refused(run({"--quiet", "--trace", temp / "none/t.csv"}), 4, "E_WRITE", "none/t.csv");
  temp.write("file", "");
  expect_refused(run_drover(temp, {"run", temp / "s.toml", "--out", temp / "file/out"}), 4, "E_WRITE", "file/out");
  // Folders that nobody may write to: root may write to any other.
  std::filesystem::create_directories(temp / "locked");
  ASSERT_EQ(::chmod((temp / "locked").c_str(), 0555), 0);
  const std::string locked = ::geteuid() == 0 ? "/sys" : temp / "locked";
  expect_refused(run({"--quiet", "--trace", locked + "/t.csv"}), 4, "E_WRITE", locked + "/t.csv");
  expect_refused(run_drover(temp, {"run", temp / "s.toml", "--out", locked + "/out"}), 4, "E_WRITE", locked + "/out");
}

TEST_F(Environment, a_finished_file_is_never_replaced_by_a_part_of_a_new_one) {
  expect_accepted(run({"--quiet", "--trace", temp / "t.csv"}));
  const std::string before = temp.read("t.csv");
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(run({"--quiet", "--trace", temp / "t.csv", "--events", "/dev/full"}).status, 4);
  EXPECT_EQ(temp.read("t.csv"), before);
  for (const auto& entry : std::filesystem::directory_iterator(temp.path())) {
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
  }
}

TEST_F(Environment, json_on_standard_output_stands_alone) {
  const Outcome outcome = run({"--json", "-"});
  expect_accepted(outcome);
  EXPECT_EQ(outcome.out, temp.read("out/report.json"));
}

TEST_F(Environment, locale) {
  expect_accepted(run({"--quiet", "--trace", temp / "a", "--events", temp / "b", "--moves", temp / "c"}));
  const std::string report = steady_report(), trace = temp.read("a"), events = temp.read("b"), moves = temp.read("c");
  const RunWith elsewhere{
      .environment = {
          {"LC_ALL", "de_DE.UTF-8"}, {"LC_NUMERIC", "de_DE.UTF-8"}, {"LANG", "C"}, {"TZ", "Asia/Kathmandu"}}};
  expect_accepted(run({"--quiet", "--trace", temp / "a", "--events", temp / "b", "--moves", temp / "c"}, elsewhere));
  EXPECT_EQ(steady_report(), report);
  EXPECT_EQ(temp.read("a"), trace);
  EXPECT_EQ(temp.read("b"), events);
  EXPECT_EQ(temp.read("c"), moves);
}

constexpr std::uint64_t kHourUs = std::uint64_t{3600} * 1000 * 1000;

TEST_F(Environment, clock_jumps) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has to be loaded first";
#endif
  expect_accepted(run({"--quiet", "--trace", temp / "a", "--events", temp / "b"}));
  const std::string report = steady_report(), trace = temp.read("a"), events = temp.read("b");
  for (const std::string threads : {"1", "2"}) {
    const Outcome outcome = run({"--threads", threads, "--trace", temp / "a", "--events", temp / "b"},
                                {.environment = {{"LD_PRELOAD", DROVER_CLOCK_JUMPS}}});
    expect_accepted(outcome);
    EXPECT_EQ(steady_report(), report);
    EXPECT_EQ(temp.read("a"), trace);
    EXPECT_EQ(temp.read("b"), events);
    // Times of an hour are believed; none wraps round below zero.
    const std::string json = temp.read("out/report.json");
    const auto tick_us = std::stoull(json_value(json.substr(json.find("\"tick_us\"")), "max"));
    EXPECT_GE(tick_us, kHourUs) << "the clock did jump";
    EXPECT_LE(tick_us, 2 * kHourUs + kHourUs / 2);
    EXPECT_EQ(outcome.out.find("18446744"), std::string::npos) << outcome.out;
    EXPECT_EQ(temp.read("out/report.html").find("18446744"), std::string::npos);
  }
  const Outcome field = run_drover(temp, {"field", temp / "s.toml", "--profile", "p", "--goal", "gate", "--json", "-"},
                                   {.environment = {{"LD_PRELOAD", DROVER_CLOCK_JUMPS}}});
  expect_accepted(field);
  EXPECT_LE(std::stoull(json_value(field.out, "build_us")), 2 * kHourUs + kHourUs / 2) << field.out;
}

TEST_F(Environment, memory_limit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs its own address space";
#endif
  std::string rows;
  for (int y = 0; y < 4000; ++y) rows += std::string(4000, '.') + "\n";
  const std::string map = temp.write("big.map", "type octile\nheight 4000\nwidth 4000\nmap\n" + rows);
  const std::vector<std::string> arguments{"field", map, "--goal", "0,0", "--threads", "1"};
  // From too little for the file's text to too little for a field.
  for (const std::uint64_t mib : {32u, 48u, 64u, 96u, 128u}) {
    SCOPED_TRACE(mib);
    const Outcome outcome = run_drover(temp, arguments, {.address_space_bytes = mib << 20});
    expect_refused(outcome, 5, "E_NOMEM", " bytes");
  }
}

TEST_F(Environment, threads_refused) {
  // 200 stacks do not fit into this address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs its own address space";
#endif
  expect_accepted(run({"--quiet", "--threads", "1"}));
  const std::string report = steady_report();
  const Outcome outcome = run({"--quiet", "--threads", "200"}, {.address_space_bytes = std::uint64_t{400} << 20});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("drover: warning W_THREADS: ", 0), 0u) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
  EXPECT_EQ(steady_report(), report);
}

TEST_F(Environment, hostile_names) {
  const std::string name = "\\u001b[31m<script>alert(1)</script>\\n\\u202e";
  const Outcome unknown =
      run_drover(temp, {"run",
                        temp.write("h.toml", "[map]\nrows = [\"..\"]\n[[profile]]\nname = \"p\"\n[[goal]]\nname = \"" +
                                                 name + "\"\ncells = [[1, 0]]\n[[group]]\nprofile = \"p\"\ngoal = \"" +
                                                 name + "x\"\ncells = [[0, 0]]\n"),
                        "--out", temp / "out"});
  expect_refused(unknown, 3, "E_NAME_UNKNOWN", "\\x1b[31m<script>");
  EXPECT_EQ(unknown.err.find('\x1b'), std::string::npos);
  const Outcome file = run_drover(temp, {"field", "no\x1b[2Jsuch\nfile\xff.map", "--goal", "0,0"});
  expect_refused(file, 4, "E_OPEN", "no\\x1b[2Jsuch\\x0afile\\xff.map");
  // In reports and summaries, too.
  const std::string scenario = temp.write("evil\x1b[31m.toml", kScenario);
  const Outcome done = run_drover(temp, {"run", scenario, "--out", temp / "out"});
  expect_accepted(done);
  EXPECT_EQ(done.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(temp.read("out/report.json").find('\x1b'), std::string::npos);
}

// Control codes of both kinds, colours, a change of the writing direction, markup.
const std::string kHostile = "\\u001b[31m\\u009b2J</title><script>alert(1)</script>\\n\\u202e&\\u0000";

void expect_harmless(const std::string& text, const std::string& what) {
  for (const char* bad : {"\x1b", "\xc2\x9b", "\xe2\x80\xae"}) {
    EXPECT_EQ(text.find(bad), std::string::npos) << what << ": " << text.substr(0, 2000);
  }
  EXPECT_EQ(text.find('\0'), std::string::npos) << what;
}

TEST_F(Environment, hostile_names_in_every_place_of_a_run) {
  const auto named = [](const std::string& kind) { return "\"" + kind + kHostile + "\""; };
  const std::string file = temp.write(
      "evil\x1b[31m<script>alert(1)<script>.toml",
      "[map]\nrows = [\"..........\", \".#MM...#..\", \"..........\"]\n[[terrain]]\nname = " + named("mud") +
          "\nletter = \"M\"\ncost = 2\n[[profile]]\nname = " + named("p") + "\n[[profile]]\nname = " + named("huge") +
          "\nfootprint = 3\n[[goal]]\nname = " + named("gate") +
          "\ncells = [[4, 1]]\nnearest = true\n[[edit]]\ntick = 0\ncells = [[4, 1, \"#\"]]\n[[door]]\nname = " +
          named("door") + "\ncells = [[8, 1]]\nschedule = [[2, \"close\"]]\n[[group]]\nname = " + named("group") +
          "\nprofile = " + named("p") + "\ngoal = " + named("gate") + "\ncells = [[0, 0], [1, 0]]\n");
  const Outcome outcome = run_drover(
      temp, {"run", file, "--out", temp / "out", "--events", temp / "e", "--trace", temp / "t", "--moves", temp / "m"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("drover: warning W_NO_ROOM: ", 0), 0u) << "the profile has a name to be shown";
  EXPECT_NE(outcome.out.find("was moved to"), std::string::npos) << "the goal has a name to be shown: " << outcome.out;
  expect_harmless(outcome.err, "messages");
  expect_harmless(outcome.out, "summary");
  for (const char* name : {"out/report.json", "out/report.html", "e", "t", "m"}) {
    ASSERT_TRUE(temp.has(name)) << name;
    expect_harmless(temp.read(name), name);
  }
  const std::string page = temp.read("out/report.html");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(page.find("&lt;/title&gt;"), std::string::npos);
}

TEST_F(Environment, broken_pipe) {
  const std::string command = std::string(DROVER_PROGRAM) + " run " + (temp / "s.toml") + " --out " + (temp / "out") +
                              " --json - 2> " + (temp / "err") + " | head -c 1 > /dev/null; exit ${PIPESTATUS[0]}";
  const int status = std::system(("bash -c '" + command + "'").c_str());
  EXPECT_TRUE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 141) << WEXITSTATUS(status);
  EXPECT_EQ(temp.read("err"), "");
}

// More than a pipe holds, so that the writer is still writing when its reader leaves.
TEST_F(Environment, broken_pipe_in_mid_write) {
  std::string rows;
  for (int y = 0; y < 300; ++y) rows += std::string(300, '.') + "\n";
  temp.write("m.map", "type octile\nheight 300\nwidth 300\nmap\n" + rows);
  const std::string command = std::string(DROVER_PROGRAM) + " field " + (temp / "m.map") + " --goal 0,0 --dump - 2> " +
                              (temp / "err") + " | head -n 1 > " + (temp / "head") + "; exit ${PIPESTATUS[0]}";
  const int status = std::system(("bash -c '" + command + "'").c_str());
  EXPECT_TRUE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 141) << WEXITSTATUS(status);
  EXPECT_EQ(temp.read("err"), "");
  EXPECT_EQ(temp.read("head").substr(0, 8), "0 10 20 ");
}

TEST_F(Environment, file_size_limit_leaves_no_half_report) {
  const std::string command = "cd " + temp.path().string() + "; (ulimit -f 8; exec " + DROVER_PROGRAM +
                              " run s.toml --out out --quiet) 2>&1 | cat > err; exit ${PIPESTATUS[0]}";
  const int status = std::system(("bash -c '" + command + "'").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(temp.read("err").rfind("drover: error E_WRITE: ", 0), 0u) << temp.read("err");
  EXPECT_NE(temp.read("err").find("report.html"), std::string::npos)
      << "the only one beyond 8 KiB: " << temp.read("err");
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(temp / "out")) files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"picture.png", "replay.drv", "report.json"}));
}

TEST_F(Environment, a_signal_ends_the_run_after_its_tick_with_every_file_written) {
  // Two agents swap back and forth for ever: retargets without end.
  std::string scenario = kScenario + "[[goal]]\nname = \"back\"\ncells = [[0, 1]]\n[run]\nticks = 1000000000\n";
  scenario += "[[edit]]\ntick = 900000000\ncells = [[0, 0, \"#\"]]\n";
  temp.write("long.toml", scenario);
  for (const auto& [signal, status] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    std::filesystem::remove_all(temp / "out");
    std::filesystem::remove(temp / "t.csv");
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl(DROVER_PROGRAM, "drover", "run", (temp / "long.toml").c_str(), "--out", (temp / "out").c_str(), "--quiet",
              "--moves", (temp / "t.csv").c_str(), nullptr);
      ::_exit(127);
    }
    // The run has begun once the file of moves is there under its temporary name.
    const std::string part = (temp / "t.csv") + "." + std::to_string(child) + ".part";
    for (int i = 0; i < 1000 && !std::filesystem::exists(part); ++i) ::usleep(10000);
    ::usleep(50000);
    ::kill(child, signal);
    int ended = 0;
    ::waitpid(child, &ended, 0);
    EXPECT_TRUE(WIFEXITED(ended));
    EXPECT_EQ(WEXITSTATUS(ended), status);
    EXPECT_EQ(json_value(temp.read("out/report.json"), "interrupted"), "true");
    EXPECT_TRUE(temp.has("t.csv"));
    EXPECT_TRUE(temp.has("out/picture.png"));
  }
}

}  // namespace
}  // namespace drover::test
