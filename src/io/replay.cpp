// SPDX-License-Identifier: MIT
// Running a recording again, and finding where two recordings part.
#include <drover/recording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <drover/io.hpp>
#include "base/digest.hpp"
#include "io/difference.hpp"
#include "io/input_text.hpp"
#include "io/record_payload.hpp"
#include "io/recorded_run.hpp"
#include "io/text.hpp"

namespace drover::io {

namespace {

template <class T>
T must(Result<T> result) {
  if (!result) throw Refusal{result.status()};
  return std::move(*result);
}

void must(const Status& status) {
  if (!status.ok()) throw Refusal{status};
}

[[noreturn]] void other_inputs(const std::string& path, std::string_view what, std::uint64_t recorded,
                               std::uint64_t here, std::string_view hint) {
  refuse(StatusCode::replay_mismatch, {path, 0, 0},
         fmt::format("recorded with {} of digest {:016x}, here it is {:016x}; equal ones are expected{}", what,
                     recorded, here, hint));
}

// What decides the run here must be what decided it there.
void check_rules(const std::string& path, const RecordedRun& run, const Simulation& simulation) {
  const std::uint64_t rules = rules_digest(simulation.def());
  if (rules != run.header().rules_digest)
    other_inputs(path, "rules", run.header().rules_digest, rules,
                 "; another version of drover records and replays them");
}

// The scenario that the recording names, if it is still there, and the map it makes.
void check_scenario(const std::string& path, const RecordedRun& run) {
  const std::string& file = run.info().scenario_file;
  std::error_code error;
  if (file.empty() || !std::filesystem::is_regular_file(file, error)) return;
  constexpr std::string_view kHint = "; --recorded-inputs replays what the recording itself holds";
  ScenarioOptions options;
  options.paths = PathRule::anywhere;
  const std::string text = must(read_text_file(file, kGateFile));
  const std::uint64_t digest = base::digest_of(std::as_bytes(std::span(text)));
  if (digest != run.header().scenario_digest)
    other_inputs(path, "scenario " + printable(file), run.header().scenario_digest, digest, kHint);
  const Result<Scenario> scenario = load_scenario(file, options);
  if (!scenario) throw Refusal{scenario.status()};
  const std::uint64_t map = must(make_map(*scenario)).view().content_digest();
  if (map != run.header().map_digest)
    other_inputs(path, "map " + printable(scenario->map_file.empty() ? file : scenario->map_file),
                 run.header().map_digest, map, kHint);
}

std::string_view first_subsystem(const Digests& a, const Digests& b) {
  if (a.world != b.world) return "world";
  if (a.agents != b.agents) return "agents";
  if (a.fields != b.fields) return "fields";
  return a.reservations != b.reservations ? "reservations" : "all";
}

std::uint64_t part(const Digests& d, std::string_view subsystem) {
  if (subsystem == "world") return d.world;
  if (subsystem == "agents") return d.agents;
  if (subsystem == "fields") return d.fields;
  return subsystem == "reservations" ? d.reservations : d.all;
}

// The first agent that ends the tick elsewhere, by the steps of two runs from one state.
bool steps_part(Difference& out, std::span<const MoveRecord> a, std::span<const MoveRecord> b) {
  for (std::size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    const bool in_a = i < a.size() && (k == b.size() || a[i].agent <= b[k].agent);
    const bool in_b = k < b.size() && (i == a.size() || b[k].agent <= a[i].agent);
    const MoveRecord& move = in_a ? a[i] : b[k];
    const Cell to_a = in_a ? a[i].to : move.from, to_b = in_b ? b[k].to : move.from;
    if (to_a != to_b) {
      out.subsystem = "agents";
      out.agent = move.agent;
      out.field = "cell";
      out.a = to_a;
      out.b = to_b;
      return true;
    }
    i += in_a ? 1 : 0;
    k += in_b ? 1 : 0;
  }
  return false;
}

Difference digests_part(std::uint64_t tick, const Digests& a, const Digests& b) {
  Difference out;
  out.tick = tick;
  out.subsystem = first_subsystem(a, b);
  out.field = "digest";
  out.a = fmt::format("{:016x}", part(a, out.subsystem));
  out.b = fmt::format("{:016x}", part(b, out.subsystem));
  return out;
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
  must(again.save(bytes));
  if (bytes == recorded.state) return std::nullopt;
  const Simulation loaded = must(Simulation::load(recorded.state, host));
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

void give_all(const std::string& path, const RecordedEvent& event, Simulation& simulation) {
  for (const Input& input : event.record.inputs) {
    const Status status = simulation.give(input);
    if (!status.ok())
      refuse(StatusCode::snapshot, {path, 0, 0},
             fmt::format("an input of tick {} cannot be given again: {}; what was recorded is expected to fit",
                         event.tick, status.message()));
  }
}

void run_again(const std::string& path, RecordedRun& run, const ReplayOptions& options, const Host& host,
               ReplayResult& result) {
  Simulation simulation = must(run.load(options.from_tick, host));
  check_rules(path, run, simulation);
  if (options.check_scenario_file) check_scenario(path, run);
  result.first_tick = simulation.tick();
  if (simulation.digests() != run.digests(simulation.tick()))
    result.difference = digests_part(simulation.tick(), run.digests(simulation.tick()), simulation.digests());
  RecordedEvent event;
  bool stopped = false;
  while (!result.difference && !stopped && must(run.next(event))) {
    if (event.kind == RecordedEvent::Kind::tick) {
      give_all(path, event, simulation);
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

// The first tick from which on the chained digests differ, else the first where any differ. Both know `begin` .. `end`.
std::uint64_t first_parted_tick(const RecordedRun& a, const RecordedRun& b, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin, behind = end;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (a.digests(middle).all != b.digests(middle).all)
      end = middle;
    else
      begin = middle + 1;
  }
  // Runs that part stay parted; a record that was altered afterwards is alone.
  if (begin == behind)
    for (begin = first; begin < behind && a.digests(begin) == b.digests(begin);) ++begin;
  return begin;
}

// Takes out what stands in both lists.
void keep_what_differs(std::vector<std::string>& a, std::vector<std::string>& b) {
  std::vector<std::string> both;
  {
    std::vector<std::string> x = a, y = b;
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
  }
  for (std::vector<std::string>* list : {&a, &b}) {
    std::vector<std::string> left = both;  // sorted; each counts once
    std::erase_if(*list, [&](const std::string& line) {
      const auto found = std::lower_bound(left.begin(), left.end(), line);
      if (found == left.end() || *found != line) return false;
      left.erase(found);
      return true;
    });
  }
}

/// One of two recordings, run again up to a tick.
struct Again {
  TickState state;
  RecordedEvent event;  // of the last tick
  std::vector<std::string> inputs;
  bool faithful = true;  // every digest as recorded
};

Again run_to(const std::string& path, RecordedRun& run, std::uint64_t tick, const Host& host) {
  Simulation simulation = must(run.load(tick > run.first_tick() ? tick - 1 : tick, host));
  check_rules(path, run, simulation);
  Again out;
  while (simulation.tick() < tick && must(run.next(out.event))) {
    if (out.event.kind == RecordedEvent::Kind::keyframe) {
      run.restart(simulation);
      continue;
    }
    give_all(path, out.event, simulation);
    simulation.step();
    out.faithful = out.faithful && simulation.digests() == out.event.digests;
  }
  read_state(simulation, out.state);
  for (const Command& command : simulation.commands())
    out.inputs.push_back(input_text(command, simulation, run.info()));
  return out;
}

// Values from the first states after that tick that both recordings hold.
void name_by_states(RecordedRun& a, RecordedRun& b, const Host& host, DiffResult& result) {
  const std::uint64_t parted = result.difference->tick;
  const std::optional<std::uint64_t> tick = a.common_keyframe(b, parted);
  if (!tick) return;
  TickState in_a, in_b;
  {
    const Simulation simulation_a = must(a.load(*tick, host)), simulation_b = must(b.load(*tick, host));
    read_state(simulation_a, in_a);
    read_state(simulation_b, in_b);
  }
  std::optional<Difference> found = first_difference(in_a, in_b);
  if (!found || found->field == "digest") return;
  found->tick = parted;
  result.difference = std::move(found);
  result.seen_tick = tick;
}

void compare_at(std::uint64_t tick, Again& in_a, Again& in_b, RecordedRun& a, RecordedRun& b, const Host& host,
                DiffResult& result) {
  keep_what_differs(in_a.inputs, in_b.inputs);
  result.inputs_a = std::move(in_a.inputs);
  result.inputs_b = std::move(in_b.inputs);
  if (in_a.faithful && in_b.faithful) result.difference = first_difference(in_a.state, in_b.state);
  result.again = result.difference.has_value();
  if (result.again) return;
  // Running again does not show it: only what was written down then can be compared.
  Difference out;
  out.tick = tick;
  const bool one_world = a.digests(tick).world == b.digests(tick).world;
  if (one_world && steps_part(out, in_a.event.record.moves, in_b.event.record.moves)) {
    result.difference = out;
    return;
  }
  result.difference = digests_part(tick, a.digests(tick), b.digests(tick));
  name_by_states(a, b, host, result);
}

}  // namespace

Result<ReplayResult> replay(const std::string& path, const ReplayOptions& options, const Host& host) {
  return guarded(fmt::format("the recording {}", printable(path)), [&] {
    RecordedRun run = must(RecordedRun::open(path, options.from_tick));
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

Result<DiffResult> diff(const std::string& path_a, const std::string& path_b, const Host& host) {
  return guarded(fmt::format("the recordings {} and {}", printable(path_a), printable(path_b)), [&] {
    RecordedRun a = must(RecordedRun::open(path_a)), b = must(RecordedRun::open(path_b));
    DiffResult result;
    result.a = a.recovered();
    result.b = b.recovered();
    const auto compare = [&](const char* what, std::uint64_t in_a, std::uint64_t in_b) {
      if (in_a != in_b) result.other.emplace_back(what);
    };
    compare("map", a.header().map_digest, b.header().map_digest);
    compare("scenario", a.header().scenario_digest, b.header().scenario_digest);
    compare("rules", a.header().rules_digest, b.header().rules_digest);
    if (a.empty() || b.empty()) {
      if (a.empty() != b.empty()) result.difference = Difference{};
    } else {
      result.first_a = a.first_tick();
      result.first_b = b.first_tick();
      const std::uint64_t begin = std::max(a.first_tick(), b.first_tick()),
                          end = std::min(a.last_tick(), b.last_tick());
      const std::uint64_t tick = begin <= end ? first_parted_tick(a, b, begin, end + 1) : begin;
      if (tick <= end) {
        Again at_a = run_to(path_a, a, tick, host), at_b = run_to(path_b, b, tick, host);
        compare_at(tick, at_a, at_b, a, b, host, result);
        return result;
      }
      if (a.last_tick() == b.last_tick() && begin <= end) return result;
      result.difference = Difference{};
      result.difference->tick = tick;
    }
    if (result.difference) {
      result.difference->subsystem = "ticks";
      result.difference->field = "last";
      result.difference->a = result.a.ticks;
      result.difference->b = result.b.ticks;
    }
    return result;
  });
}

}  // namespace drover::io
