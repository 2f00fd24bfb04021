// SPDX-License-Identifier: MIT
// Running a recording again.
#include <drover/io.hpp>
#include <drover/recording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/digest.hpp"
#include "io/difference.hpp"
#include "io/recorded_run.hpp"
#include "io/text.hpp"

namespace drover::io {

namespace {

// The scenario that the recording names, if it is still there, and the map it makes. The files that were read.
std::vector<std::string> check_scenario(const std::string& path, const RecordedRun& run) {
  const std::string& file = run.info().scenario_file;
  std::error_code error;
  if (file.empty() || !std::filesystem::is_regular_file(file, error)) return {};
  constexpr std::string_view kHint = "; --recorded-inputs replays what the recording itself holds";
  ScenarioOptions options;
  options.paths = PathRule::anywhere;
  const std::string text = or_refuse(read_text_file(file, kGateFile));
  const std::uint64_t digest = base::digest_of(std::as_bytes(std::span(text)));
  if (digest != run.header().scenario_digest)
    throw Refusal{other_inputs(path, "scenario " + printable(file), run.header().scenario_digest, digest, kHint)};
  const Result<Scenario> scenario = load_scenario(file, options);
  if (!scenario) throw Refusal{scenario.status()};
  const std::uint64_t map = or_refuse(make_map(*scenario)).view().content_digest();
  if (map != run.header().map_digest)
    throw Refusal{other_inputs(path, "map " + printable(scenario->map_file.empty() ? file : scenario->map_file),
                               run.header().map_digest, map, kHint)};
  std::vector<std::string> inputs = scenario->inputs;
  inputs.push_back(file);
  return inputs;
}

// A recorded tick against the same tick run again.
std::optional<Difference> tick_parts(const RecordedEvent& recorded, const Simulation& again,
                                     ReplayOptions::Compare compare) {
  const bool equal = recorded.digests == again.digests();
  if (equal && compare == ReplayOptions::Compare::digests) return std::nullopt;
  Difference out;
  out.tick = recorded.tick;
  if (recorded.digests.world == again.digests().world && steps_part(out, recorded.record.moves, again.moves()))
    return out;
  if (!equal) return digests_part(recorded.tick, recorded.digests, again.digests());
  const auto same = [](const Adoption& a, const Adoption& b) {
    return a.requested_tick == b.requested_tick && a.profile == b.profile && a.goal == b.goal &&
           a.field_version == b.field_version;
  };
  const std::vector<Adoption>& a = recorded.record.adoptions;
  const std::span<const Adoption> b = again.adoptions();
  if (std::equal(a.begin(), a.end(), b.begin(), b.end(), same)) return std::nullopt;
  out.subsystem = "fields";
  out.field = "adoptions";
  out.a = std::uint64_t{a.size()};
  out.b = std::uint64_t{b.size()};
  return out;
}

// A recorded state against the one that was run to.
std::optional<Difference> state_parts(const RecordedEvent& recorded, const Simulation& again, const Host& host) {
  std::vector<std::byte> bytes;
  or_refuse(again.save(bytes));
  if (bytes == recorded.state) return std::nullopt;
  const Simulation loaded = or_refuse(Simulation::load(recorded.state, host));
  TickState a, b;
  read_state(loaded, a);
  read_state(again, b);
  a.moves = b.moves;
  std::optional<Difference> out = first_difference(a, b);
  if (out) return out;
  out.emplace();
  out->tick = recorded.tick;
  out->subsystem = "all";
  out->field = "state";
  out->a = fmt::format("{:016x}", base::digest_of(recorded.state));
  out->b = fmt::format("{:016x}", base::digest_of(bytes));
  return out;
}

void run_again(const std::string& path, RecordedRun& run, const ReplayOptions& options, const Host& host,
               ReplayResult& result) {
  Simulation simulation = or_refuse(run.load(options.from_tick, host));
  run.check_rules(simulation);
  if (options.check_scenario_file) result.inputs = check_scenario(path, run);
  result.first_tick = simulation.tick();
  if (simulation.digests() != run.digests(simulation.tick()))
    result.difference = digests_part(simulation.tick(), run.digests(simulation.tick()), simulation.digests());
  RecordedEvent event;
  bool stopped = false;
  while (!result.difference && !stopped && or_refuse(run.next(event))) {
    if (event.kind == RecordedEvent::Kind::tick) {
      run.give(event, simulation);
      simulation.step();
      result.difference = tick_parts(event, simulation, options.compare);
    } else {
      if (options.compare == ReplayOptions::Compare::everything)
        result.difference = state_parts(event, simulation, host);
      run.restart(simulation);
    }
    stopped = options.progress && !options.progress(event.tick, run.last_tick());
  }
  result.last_tick = simulation.tick();
  result.stopped = stopped;
  if (!result.difference && !stopped && result.last_tick != run.last_tick())
    refuse(
        StatusCode::snapshot, {path, 0, 0},
        fmt::format("the records behind tick {} are not in the order that is written; every tick up to {} is expected",
                    result.last_tick, run.last_tick()));
  result.states = simulation.state_counts();
  result.digests = simulation.digests();
}

}  // namespace

Result<ReplayResult> replay(const std::string& path, const ReplayOptions& options, const Host& host) {
  return guarded(fmt::format("the recording {}", printable(path)), [&] {
    RecordedRun run = or_refuse(RecordedRun::open(path, options.from_tick));
    ReplayResult result;
    result.info = run.info();
    result.recovered = run.recovered();
    if (run.empty()) return result;
    if (options.from_tick > run.last_tick())
      refuse(StatusCode::tick, {path, 0, 0},
             fmt::format("--from {} is after the last tick {}; a tick of the recording is expected", options.from_tick,
                         run.last_tick()));
    ReplayOptions from = options;
    from.from_tick = std::max(options.from_tick, run.first_tick());
    run_again(path, run, from, host, result);
    return result;
  });
}

}  // namespace drover::io
