// SPDX-License-Identifier: MIT
// Recordings out of any bytes through replay and diff: refused, equal or not, never a crash.
#include <drover/recording.hpp>

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "io/recorded_run.hpp"
#include "support/record_bytes.hpp"
#include "support/recordings.hpp"

namespace {

using drover::StatusCode;
using drover::test::bytes_of;

constexpr std::uint64_t kMostSteps = 80;

void must(bool holds) {
  if (!holds) __builtin_trap();
}

void expect_known(const drover::Status& status) {
  must(status.code() != StatusCode::internal && !status.message().empty());
}

std::uint64_t number(std::string_view bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])} << 8 * i;
  return value;
}

enum class Ticks : std::uint8_t { as_they_are, in_order };
enum class LastDigest : std::uint8_t { as_it_is, altered };

// A header, then frames that are not compressed; checksums of the frames and of the states in them are made to fit.
std::string sealed(std::string_view bytes, Ticks ticks, LastDigest last) {
  std::string out = drover::test::header_bytes(1, number(bytes, 16, 8), number(bytes, 24, 8), number(bytes, 32, 8));
  std::string before;
  drover::test::FrameBytes frame;
  std::uint64_t tick = 0;
  bool begun = false, stepped = false;
  for (std::size_t at = 64; bytes.size() - at >= 28;) {
    const std::size_t head = number(bytes, at + 2, 2), stored = number(bytes, at + 4, 4);
    if (bytes.size() - at - 28 < head || bytes.size() - at - 28 - head < stored) break;
    frame = {static_cast<unsigned char>(bytes[at]),
             0,
             number(bytes, at + 12, 8),
             std::string(bytes.substr(at + 24, head)),
             std::string(bytes.substr(at + 24 + head, stored)),
             stored};
    at += 28 + head + stored;
    if (ticks == Ticks::in_order && begun) frame.tick = tick + (frame.type == 3 ? 1 : 0);
    begun = begun || frame.type == 2;
    tick = frame.tick;
    if (frame.type == 2 && stored >= 8) {
      const std::string_view state(frame.stored.data(), stored - 8);
      frame.stored.replace(stored - 8, 8, drover::test::little(drover::base::digest_of(bytes_of(state)), 8));
    }
    if (frame.type == 3) {
      before = out;
      stepped = head == 40;
    }
    drover::test::add_frame(out, frame);
  }
  if (last == LastDigest::as_it_is || !stepped || frame.type != 3) return out;
  frame.head[32] = static_cast<char>(frame.head[32] ^ 1);
  drover::test::add_frame(before, frame);
  return before;
}

void replay(const std::string& path, std::uint64_t from) {
  drover::io::ReplayOptions options;
  options.from_tick = from;
  options.compare = drover::io::ReplayOptions::Compare::everything;
  options.check_scenario_file = false;
  const drover::Result<drover::io::ReplayResult> result = drover::io::replay(path, options);
  if (!result) return expect_known(result.status());
  must(result->first_tick <= result->last_tick && result->last_tick <= result->recovered.ticks);
  if (!result->difference) {
    must(result->last_tick == result->recovered.ticks);
  } else {
    must(!drover::io::to_text(*result->difference).empty() && !drover::io::to_json(*result->difference).empty());
  }
}

// On and on, whatever the digests say.
void run_on(const std::string& path) {
  drover::Result<drover::io::RecordedRun> run = drover::io::RecordedRun::open(path);
  if (!run || run->empty()) return;
  drover::Result<drover::Simulation> simulation = run->load(run->first_tick(), {});
  if (!simulation) return expect_known(simulation.status());
  drover::io::RecordedEvent event;
  for (std::uint64_t steps = 0; steps < kMostSteps;) {
    const drover::Result<bool> more = run->next(event);
    if (!more) return expect_known(more.status());
    if (!*more) return;
    if (event.kind == drover::io::RecordedEvent::Kind::keyframe) {
      run->restart(*simulation);
      continue;
    }
    for (const drover::Input& input : event.record.inputs) {
      if (const drover::Status status = simulation->give(input); !status.ok()) expect_known(status);
    }
    simulation->step();
    ++steps;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const drover::test::MemoryFile file, other;
  if (size < 65) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Ticks ticks = data[0] % 4 == 0 ? Ticks::as_they_are : Ticks::in_order;
  const std::string& path = file.with(sealed(bytes, ticks, LastDigest::as_it_is));
  switch (data[0] / 4 % 4) {
    case 0:
      run_on(path);
      break;
    case 1: {
      const auto diff = drover::io::diff(path, other.with(sealed(bytes, ticks, LastDigest::altered)));
      if (!diff) expect_known(diff.status());
      break;
    }
    default:
      replay(path, data[0] / 16 * 5);
      break;
  }
  return 0;
}
