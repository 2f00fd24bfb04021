// SPDX-License-Identifier: MIT
// Finding where two recordings part.
#include <drover/recording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "io/difference.hpp"
#include "io/input_text.hpp"
#include "io/recorded_run.hpp"
#include "io/text.hpp"

namespace drover::io {

namespace {

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

Again run_to(RecordedRun& run, std::uint64_t tick, const Host& host) {
  Simulation simulation = or_refuse(run.load(tick > run.first_tick() ? tick - 1 : tick, host));
  run.check_rules(simulation);
  Again out;
  while (simulation.tick() < tick && or_refuse(run.next(out.event))) {
    if (out.event.kind == RecordedEvent::Kind::keyframe) {
      run.restart(simulation);
      continue;
    }
    run.give(out.event, simulation);
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
    const Simulation simulation_a = or_refuse(a.load(*tick, host)), simulation_b = or_refuse(b.load(*tick, host));
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

Result<DiffResult> diff(const std::string& path_a, const std::string& path_b, const Host& host) {
  return guarded(fmt::format("the recordings {} and {}", printable(path_a), printable(path_b)), [&] {
    RecordedRun a = or_refuse(RecordedRun::open(path_a)), b = or_refuse(RecordedRun::open(path_b));
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
        Again at_a = run_to(a, tick, host), at_b = run_to(b, tick, host);
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
