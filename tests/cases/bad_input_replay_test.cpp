// SPDX-License-Identifier: MIT
// Rows of the bad-input list for recordings, through the real program.
#include <zlib.h>

#include <algorithm>
#include <functional>

#include "base/counter_rng.hpp"
#include "io/record_file.hpp"
#include "support/program.hpp"
#include "support/record_bytes.hpp"
#include "support/recordings.hpp"

namespace drover::test {
namespace {

// A hall of 160 x 10: at tick 77 all twelve are still on their way east.
const std::string kScenario =
    "[map]\nfile = \"m.map\"\n[[profile]]\nname = \"p\"\n"
    "[[goal]]\nname = \"gate\"\ncells = {rect = [159, 0, 1, 10]}\non_arrival = \"vanish\"\n"
    "[[group]]\nprofile = \"p\"\ngoal = \"gate\"\ncount = 12\narea = {rect = [0, 0, 4, 10]}\n";
constexpr std::uint64_t kTick = 77;
constexpr std::size_t kAgents = 12;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::string hall(char first_cell) {
  std::string text = "type octile\nheight 10\nwidth 160\nmap\n";
  for (int y = 0; y < 10; ++y) text += std::string(160, '.') + "\n";
  text[text.find("map\n") + 4 + 80] = first_cell;
  return text;
}

/// A record as docs/formats/recording.md lays it out: where it begins, its type and its tick.
struct FrameAt {
  std::size_t offset = 0;
  int type = 0;
  std::uint64_t tick = 0;
};
std::uint64_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}
std::vector<FrameAt> frames_of(const std::string& bytes) {
  std::vector<FrameAt> frames;
  for (std::size_t at = 64; at + 16 < bytes.size();) {
    frames.push_back({at, bytes[at], number_at(bytes, at + 12, 8)});
    at += 28 + number_at(bytes, at + 2, 2) + number_at(bytes, at + 4, 4);
  }
  frames.push_back({bytes.size() - 16, 0, 0});
  return frames;
}

/// What is left of a recording whose bytes are right up to `bad`.
struct Left {
  std::uint64_t damaged_at = 0, ticks = 0;
};
Left left_of(const std::vector<FrameAt>& frames, std::size_t bad) {
  Left left;
  for (const FrameAt& frame : frames) {
    if (frame.offset > bad) break;
    left.damaged_at = frame.offset;
  }
  for (const FrameAt& frame : frames)
    if (frame.type == 3 && frame.offset < left.damaged_at) left.ticks = frame.tick;
  return left;
}

class Replays : public ::testing::Test {
 protected:
  Replays() {
    temp.write("m.map", hall('.'));
    temp.write("s.toml", kScenario);
    record("whole");
    whole = temp.read("whole/replay.drv");
    frames = frames_of(whole);
  }
  void record(const std::string& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run",     temp / "s.toml", "--out",        temp / folder,
                                       "--quiet", "--events",      temp / "events"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_accepted(run_drover(temp, arguments));
  }
  Outcome replay(const std::string& file, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"replay", file, "--quiet", "--json", temp / "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::filesystem::remove(temp / "json");
    return run_drover(temp, arguments);
  }
  Outcome diff(const std::string& a, const std::string& b) {
    return run_drover(temp, {"diff", a, b, "--quiet", "--json", temp / "json"});
  }
  std::string of_json(const std::string& key) { return json_value(temp.read("json"), key); }
  // The digest of a tick as the run itself told it.
  std::string digest_of(std::uint64_t tick) {
    const std::string events = temp.read("events"), line = "{\"tick\":" + std::to_string(tick) + ",\"digest\":";
    const std::size_t at = events.find(line);
    return at == std::string::npos ? "none" : events.substr(at + line.size(), 18);
  }
  void expect_left(const std::string& file, const std::string& warning, const Left& left, const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err.rfind("drover: warning " + warning + ": " + file + ": ", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find("byte " + std::to_string(left.damaged_at)), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("whole up to tick " + std::to_string(left.ticks) + "\n"), std::string::npos);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(of_json("recovered_ticks"), std::to_string(left.ticks));
    EXPECT_EQ(of_json("damaged_at"), std::to_string(left.damaged_at));
    EXPECT_EQ(of_json("complete"), "false");
    EXPECT_EQ(of_json("equal"), "true");
    EXPECT_EQ(of_json("ticks"), std::to_string(left.ticks));
    if (left.ticks > 0) {
      EXPECT_EQ(of_json("digest"), digest_of(left.ticks));
    }
  }
  // Damaged bytes: everything before the first changed one is run again and equal.
  void expect_damaged(const std::string& bytes, const std::string& what) {
    SCOPED_TRACE(what);
    const auto [changed, in_whole] = std::mismatch(bytes.begin(), bytes.end(), whole.begin(), whole.end());
    ASSERT_NE(changed, bytes.end());
    const Left left = left_of(frames, static_cast<std::size_t>(changed - bytes.begin()));
    const std::string file = temp.write("damaged.drv", bytes);
    expect_left(file, "W_REPLAY_DAMAGED", left, replay(file, {"--verify"}));
  }
  // The recording written anew, with checksums that fit.
  std::string rewritten(const std::string& name, const std::function<void(io::RecordingHeader&)>& change_header,
                        const std::function<void(io::Record&)>& change) {
    Result<io::RecordReader> reader = io::RecordReader::open(temp / "whole/replay.drv");
    io::RecordingHeader header = reader->header();
    change_header(header);
    Result<io::RecordWriter> writer = io::RecordWriter::create(temp / name, header);
    for (io::Record record; *reader->next(record);) {
      change(record);
      EXPECT_TRUE(writer->append(record.type, record.tick, record.head, record.body).ok());
    }
    EXPECT_TRUE(writer->close().ok());
    return temp / name;
  }
  std::string with_tick(const std::string& name, const std::function<void(io::Record&)>& change) {
    return rewritten(
        name, [](io::RecordingHeader&) {},
        [&](io::Record& record) {
          if (record.type == io::RecordType::tick && record.tick == kTick) change(record);
        });
  }

  TempFolder temp;
  std::string whole;
  std::vector<FrameAt> frames;
};

void flip(std::byte& byte) { byte ^= std::byte{1}; }
// Heads of ticks begin with the digests of agents and of reservations; the last of five is that of all.
void alter_digest(io::Record& record) {
  flip(record.head[0]);
  flip(record.head[32]);
}
void first_agent_stays(io::Record& record) { set_step(record, kAgents, 0, 0); }

TEST_F(Replays, a_whole_recording_is_equal) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--verify"}, {"--from", "70"}}) {
    expect_accepted(replay(temp / "whole/replay.drv", more));
    EXPECT_EQ(of_json("equal"), "true");
    EXPECT_EQ(of_json("complete"), "true");
    EXPECT_EQ(of_json("damaged_at"), "null");
    EXPECT_EQ(of_json("first_difference"), "null");
    EXPECT_EQ(of_json("digest"), digest_of(std::stoull(of_json("ticks"))));
    EXPECT_EQ(of_json("first_tick"), more.size() == 2 ? "64" : "0");
  }
  ASSERT_GT(std::stoull(of_json("ticks")), kTick + 20);
}

TEST_F(Replays, replay_magic) {
  const base::CounterRng rng(200, 1);
  std::string noise;
  for (std::uint64_t i = 0; i < 200; ++i) noise += static_cast<char>(rng.uniform(i, 256));
  expect_refused(replay(temp.write("noise.drv", noise)), 3, "E_REPLAY_MAGIC", "noise.drv");
  expect_refused(replay(temp / "m.map"), 3, "E_REPLAY_MAGIC", "m.map");
  expect_refused(replay(temp.write("empty.drv", "")), 3, "E_REPLAY_MAGIC", "empty.drv");
  expect_refused(replay(temp.write("short.drv", whole.substr(0, 63))), 3, "E_REPLAY_MAGIC", "short.drv");
  std::string header = whole;
  header[17] ^= 4;
  expect_refused(replay(temp.write("header.drv", header)), 3, "E_REPLAY_MAGIC", "checksum");
  expect_refused(diff(temp / "whole/replay.drv", temp / "m.map"), 3, "E_REPLAY_MAGIC", "m.map");
  expect_refused(replay(temp / "none.drv"), 4, "E_OPEN", "none.drv");
  expect_refused(replay(temp.path().string()), 4, "E_NOT_A_FILE", temp.path().string());
  expect_refused(replay("/dev/zero"), 4, "E_NOT_A_FILE", "/dev/zero");
  EXPECT_FALSE(temp.has("json"));
}

TEST_F(Replays, replay_newer) {
  const std::string newer = temp.write("newer.drv", header_bytes(2, 1, 2, 3) + whole.substr(64));
  for (const Outcome& outcome : {replay(newer), diff(newer, temp / "whole/replay.drv")}) {
    expect_refused(outcome, 6, "E_VERSION_UNSUPPORTED", "newer.drv");
    EXPECT_NE(outcome.err.find("version 2"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("version 1"), std::string::npos) << outcome.err;
  }
}

// Two different digests of 16 digits, the recorded one first.
void expect_both_digests(const Outcome& outcome, std::uint64_t recorded) {
  const std::size_t first = outcome.err.find("of digest "), second = outcome.err.find("here it is ");
  ASSERT_NE(first, std::string::npos) << outcome.err;
  ASSERT_NE(second, std::string::npos) << outcome.err;
  const std::string there = outcome.err.substr(first + 10, 16), here = outcome.err.substr(second + 11, 16);
  EXPECT_EQ(std::stoull(there, nullptr, 16), recorded);
  EXPECT_EQ(here.find_first_not_of("0123456789abcdef"), std::string::npos) << here;
  EXPECT_NE(there, here);
}

TEST_F(Replays, replay_other_inputs) {
  const std::string file = temp / "whole/replay.drv";
  const std::uint64_t map = number_at(whole, 16, 8), scenario = number_at(whole, 24, 8),
                      rules = number_at(whole, 32, 8);
  temp.write("s.toml", kScenario + "[run]\nticks = 500\n");
  const Outcome other_scenario = replay(file);
  expect_refused(other_scenario, 3, "E_REPLAY_MISMATCH", "with scenario " + temp / "s.toml");
  expect_both_digests(other_scenario, scenario);
  expect_accepted(replay(file, {"--recorded-inputs"}));
  EXPECT_EQ(of_json("equal"), "true");

  temp.write("s.toml", kScenario);
  temp.write("m.map", hall('#'));
  const Outcome other_map = replay(file);
  expect_refused(other_map, 3, "E_REPLAY_MISMATCH", "with map " + temp / "m.map");
  expect_both_digests(other_map, map);
  expect_accepted(replay(file, {"--recorded-inputs", "--verify"}));
  EXPECT_EQ(of_json("equal"), "true");

  temp.write("m.map", hall('.'));
  const std::string forged = rewritten(
      "rules.drv", [](io::RecordingHeader& header) { ++header.rules_digest; }, [](io::Record&) {});
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--recorded-inputs"}}) {
    const Outcome other_rules = replay(forged, more);
    expect_refused(other_rules, 3, "E_REPLAY_MISMATCH", "with rules");
    expect_both_digests(other_rules, rules + 1);
  }
  // A scenario that is not there any more takes nothing from the recording.
  std::filesystem::remove(temp / "s.toml");
  expect_accepted(replay(file));
}

TEST_F(Replays, replay_damaged) {
  const base::CounterRng rng(512, 2);
  const std::uint64_t last = frames.back().offset;
  for (std::uint64_t i = 0; i < 60; ++i) {
    std::string bytes = whole;
    const std::uint64_t at = 64 + rng.uniform(i, static_cast<std::uint32_t>(bytes.size() - 64));
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << i % 8);
    expect_damaged(bytes, "bit " + std::to_string(i % 8) + " of byte " + std::to_string(at));
  }
  for (std::uint64_t i = 0; i < 12; ++i) {
    std::string bytes = whole;
    const std::uint64_t at = 64 + rng.uniform(100 + i, static_cast<std::uint32_t>(last - 600));
    bytes.replace(at, 512, 512, '\0');
    expect_damaged(bytes, "512 zeros at " + std::to_string(at));
  }
  for (std::uint64_t i = 0; i < 12; ++i) {
    std::string bytes = whole;
    const std::uint64_t at = 64 + rng.uniform(200 + i, static_cast<std::uint32_t>(last - 64));
    bytes.insert(at, "7 bytes");
    expect_damaged(bytes, "7 bytes more at " + std::to_string(at));
  }
}

// A frame of zstd of 33 kB that says it has `says` bytes and has 1 GiB: 8192 blocks of one byte, 131072 times.
std::string inflating(std::uint64_t says) {
  std::string out = "\x28\xB5\x2F\xFD\xE0" + little(says, 8);
  for (int block = 8191; block >= 0; --block) out += little(131072u << 3 | 2 | (block == 0), 3) + '\0';
  return out;
}

TEST_F(Replays, replay_inflates) {
  const std::string start = whole.substr(0, frames[1].offset);
  ASSERT_LT(inflating(0).size(), 34000u);
  const std::uint64_t usual = replay(temp / "whole/replay.drv").peak_bytes;
  const auto expect_limit = [&](int type, std::uint64_t tick, std::uint64_t head_says, const std::string& before) {
    std::string bytes = before;
    add_frame(bytes, {type, 1, tick, std::string(type == 2 ? 56 : 40, '\0'), inflating(1024 * kMiB), head_says});
    const Outcome outcome = replay(temp.write("bomb.drv", bytes));
    expect_refused(outcome, 5, "E_LIMIT_REPLAY", "bomb.drv");
    EXPECT_LT(outcome.peak_bytes, usual + 8 * kMiB);
  };
  for (const std::uint64_t head_says : {kMiB, 16 * kMiB, 16 * kMiB + 1, 1024 * kMiB}) {
    expect_limit(2, 0, head_says, start);
    expect_limit(1, 0, head_says, whole.substr(0, 64));
    expect_limit(3, 1, head_says, whole.substr(0, frames[2].offset));
  }
}

// The same block, but it says of itself that it is small: no accident makes one, and it is not believed.
TEST_F(Replays, a_block_that_hides_its_size) {
  const std::uint64_t usual = replay(temp / "whole/replay.drv").peak_bytes;
  for (const std::size_t k : {1u, 2u, 20u}) {
    std::string bytes = whole.substr(0, frames[k].offset);
    const std::size_t head_bytes = number_at(whole, frames[k].offset + 2, 2);
    add_frame(bytes, {frames[k].type, 1, frames[k].tick, whole.substr(frames[k].offset + 24, head_bytes),
                      inflating(kMiB), kMiB});
    const Outcome outcome = replay(temp.write("liar.drv", bytes));
    EXPECT_EQ(outcome.status, 3) << "record " << k << ": " << outcome.err;
    EXPECT_NE(outcome.err.find("drover: error E_SNAPSHOT: "), std::string::npos) << outcome.err;
    EXPECT_LT(outcome.peak_bytes, usual + 8 * kMiB);
    EXPECT_FALSE(temp.has("json"));
  }
}

TEST_F(Replays, replay_half_compressed) {
  for (const std::size_t bytes : {whole.size() / 2, whole.size() / 3, frames[90].offset, frames[90].offset + 27}) {
    const std::string file = temp.write("half.drv", whole.substr(0, bytes));
    const Left left = left_of(frames, bytes);
    EXPECT_GT(left.ticks, 20u);
    expect_left(file, "W_REPLAY_TRUNCATED", left, replay(file, {"--verify"}));
    expect_left(file, "W_REPLAY_TRUNCATED", left, replay(file, {"--from", "30"}));
  }
  // Nothing but a header.
  const std::string header = temp.write("header.drv", whole.substr(0, 64));
  expect_left(header, "W_REPLAY_TRUNCATED", {64, 0}, replay(header));
}

TEST_F(Replays, replay_digest_differs) {
  const std::string file = with_tick("digest.drv", alter_digest);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--verify"}, {"--from", "70"}}) {
    const Outcome outcome = replay(file, more);
    expect_refused(outcome, 1, "E_DESYNC", "digest.drv: tick 77: agents differ: digest ");
    const std::string json = temp.read("json");
    EXPECT_EQ(json_value(json, "equal"), "false");
    const std::string difference = json.substr(json.find("\"first_difference\""));
    EXPECT_EQ(json_value(difference, "tick"), "77");
    EXPECT_EQ(json_value(difference, "subsystem"), "\"agents\"");
    EXPECT_EQ(json_value(difference, "field"), "\"digest\"");
    for (const char* which : {"a", "b"})
      EXPECT_NE(outcome.err.find(json_value(difference, which).substr(1, 16)), std::string::npos) << which;
    EXPECT_NE(json_value(difference, "a"), json_value(difference, "b"));
    EXPECT_EQ(json_value(json, "ticks"), "77");
  }
  // Behind it nothing is wrong.
  expect_accepted(replay(file, {"--from", "128"}));
}

TEST_F(Replays, one_step_of_one_agent_differs) {
  record("again", {"--trace", temp / "trace"});
  ASSERT_EQ(temp.read("again/replay.drv"), whole);
  // The first agent at the ticks 76 and 77: tick,agent,x,y,layer,state.
  const std::string trace = temp.read("trace");
  const auto cell_at = [&](const std::string& tick) {
    const std::size_t at = trace.find("\n" + tick + ",1,");
    const std::size_t x = at + tick.size() + 4, y = trace.find(',', x) + 1;
    return trace.substr(x, trace.find(',', y) - x);
  };
  const std::string stayed = cell_at("76"), went = cell_at("77");
  ASSERT_NE(stayed, went);
  const std::string named = ": tick 77: agents differ: agent 1 cell " + stayed + ", run again " + went + "; ";
  const auto expect_named = [&](const Outcome& outcome) {
    expect_refused(outcome, 1, "E_DESYNC", named);
    EXPECT_NE(temp.read("json").find("\"first_difference\":{\"tick\":77,\"subsystem\":\"agents\",\"agent\":1,"
                                     "\"field\":\"cell\",\"a\":[" +
                                     stayed + "],\"b\":[" + went + "]}"),
              std::string::npos)
        << temp.read("json");
  };
  expect_named(replay(with_tick("step.drv", first_agent_stays), {"--verify"}));
  expect_named(replay(with_tick("both.drv", [](io::Record& record) {
    first_agent_stays(record);
    alter_digest(record);
  })));
}

TEST_F(Replays, replay_is_its_own_output) {
  const std::string file = temp / "whole/replay.drv";
  std::filesystem::create_symlink(file, temp / "link");
  std::filesystem::create_hard_link(file, temp / "hard");
  std::filesystem::create_directory_symlink(temp / "whole", temp / "folder");
  for (const std::string& json :
       {file, temp / "link", temp / "hard", temp / "folder/replay.drv", std::string("whole/../whole/replay.drv")}) {
    expect_refused(run_drover(temp, {"replay", file, "--json", json}), 2, "E_SAME_FILE", "--json");
    expect_refused(run_drover(temp, {"replay", temp / "link", "--json", json}), 2, "E_SAME_FILE", "--json");
    expect_refused(run_drover(temp, {"diff", temp / "m.map", file, "--json", json}), 2, "E_SAME_FILE", "the input B");
    for (const char* option : {"--trace", "--events", "--moves", "--json"}) {
      expect_refused(run_drover(temp, {"run", temp / "s.toml", "--out", temp / "whole", option, json}), 2, "E_USAGE",
                     option);
    }
  }
  EXPECT_EQ(temp.read("whole/replay.drv"), whole);
  EXPECT_TRUE(std::filesystem::is_symlink(temp / "link"));
  // A scenario that stands where its recording would.
  const std::string scenario = temp.write("odd/replay.drv", "[map]\nrows = [\"..\"]\n[[profile]]\nname = \"p\"\n");
  const Outcome odd = run_drover(temp, {"run", scenario, "--out", temp / "odd"});
  EXPECT_NE(odd.status, 0);
  EXPECT_EQ(temp.read("odd/replay.drv").rfind("[map]", 0), 0u);
}

TEST_F(Replays, options_of_replay_and_diff) {
  const std::string file = temp / "whole/replay.drv";
  expect_refused(run_drover(temp, {"replay"}), 2, "E_USAGE", "no FILE");
  expect_refused(run_drover(temp, {"replay", file, file}), 2, "E_USAGE", "");
  for (const char* from : {"-1", "x", "1.5", "99999999999999999999"})
    expect_refused(run_drover(temp, {"replay", file, "--from", from}), 2, "E_USAGE", "--from");
  expect_refused(run_drover(temp, {"replay", file, "--threads", "0"}), 2, "E_USAGE", "--threads");
  expect_refused(replay(file, {"--from", "100000"}), 3, "E_TICK", "100000");
  expect_refused(run_drover(temp, {"replay", file, "--json", "/dev/full"}), 4, "E_WRITE", "/dev/full");
  expect_refused(run_drover(temp, {"diff"}), 2, "E_USAGE", "two recordings");
  expect_refused(run_drover(temp, {"diff", file}), 2, "E_USAGE", "two recordings");
  expect_refused(run_drover(temp, {"diff", file, file, file}), 2, "E_USAGE", "");
  expect_refused(run_drover(temp, {"diff", file, file, "--verify"}), 2, "E_USAGE", "--verify");
  expect_refused(run_drover(temp, {"diff", file, temp / "none.drv"}), 4, "E_OPEN", "none.drv");
}

TEST_F(Replays, diff_of_equal_recordings) {
  record("again", {"--threads", "2"});
  for (const std::string& other : {temp / "whole/replay.drv", temp / "again/replay.drv"}) {
    expect_accepted(diff(temp / "whole/replay.drv", other));
    EXPECT_EQ(of_json("equal"), "true");
    EXPECT_EQ(of_json("ticks_a"), of_json("ticks_b"));
  }
  EXPECT_NE(run_drover(temp, {"diff", temp / "whole/replay.drv", temp / "again/replay.drv"}).out.find("equal"),
            std::string::npos);
}

TEST_F(Replays, diff_names_tick_agent_and_field) {
  // Cell 90,4 becomes a wall in the step of tick 60.
  temp.write("s.toml", kScenario + "[[edit]]\ntick = 60\ncells = [[90, 4, \"#\"]]\n");
  record("edited");
  const std::string a = temp / "whole/replay.drv", b = temp / "edited/replay.drv";
  const Outcome edited = diff(a, b);
  EXPECT_EQ(edited.status, 1);
  EXPECT_EQ(edited.err, "");
  EXPECT_EQ(of_json("equal"), "false");
  EXPECT_EQ(of_json("tick"), "60");
  EXPECT_EQ(of_json("subsystem"), "\"world\"");
  EXPECT_NE(temp.read("json").find("\"cell\":[90,4]"), std::string::npos) << temp.read("json");
  EXPECT_NE(run_drover(temp, {"diff", a, b}).out.find("tick 60: world differ"), std::string::npos);

  // Nothing but one record is another.
  const std::string step = with_tick("step.drv", [](io::Record& record) {
    first_agent_stays(record);
    alter_digest(record);
  });
  const Outcome outcome = diff(a, step);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(of_json("tick"), "77");
  EXPECT_EQ(of_json("subsystem"), "\"agents\"");
  EXPECT_EQ(of_json("agent"), "1");
  EXPECT_EQ(of_json("field"), "\"cell\"");
  EXPECT_EQ(of_json("again"), "false");
  const std::string text = run_drover(temp, {"diff", a, step}).out;
  EXPECT_NE(text.find("tick 77: agents differ: agent 1 cell "), std::string::npos) << text;
  EXPECT_NE(text.find("running both again does not show it"), std::string::npos) << text;
}

TEST_F(Replays, diff_of_damaged_recordings) {
  const std::string cut = temp.write("cut.drv", whole.substr(0, frames[50].offset + 9));
  const Outcome outcome = diff(temp / "whole/replay.drv", cut);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err.rfind("drover: warning W_REPLAY_TRUNCATED: " + cut, 0), 0u) << outcome.err;
  EXPECT_EQ(of_json("subsystem"), "\"ticks\"");
  EXPECT_EQ(of_json("ticks_b"), std::to_string(left_of(frames, frames[50].offset).ticks));
  expect_refused(diff(temp.write("header.drv", whole.substr(0, 40)), cut), 3, "E_REPLAY_MAGIC", "header.drv");
  std::string flipped = whole;
  flipped[frames[50].offset + 30] ^= 1;
  const Outcome both = diff(temp.write("flipped.drv", flipped), cut);
  EXPECT_EQ(both.status, 0) << "they share all that is whole";
  EXPECT_NE(both.err.find("W_REPLAY_DAMAGED"), std::string::npos) << both.err;
  EXPECT_NE(both.err.find("W_REPLAY_TRUNCATED"), std::string::npos) << both.err;
}

}  // namespace
}  // namespace drover::test
