// SPDX-License-Identifier: MIT
// Two runs of the product (the second only for its digests) and one of the baseline.
#include "crowd_bench.hpp"

#include <drover/recording.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

#include "base/counter_rng.hpp"

namespace drover::bench {

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

// Free cells in random order, drawn one by one.
std::vector<Cell> random_cells(const BenchMap& map, std::uint32_t count, std::uint64_t seed) {
  std::vector<Cell> cells;
  for (std::int32_t y = 0; y < map.height; ++y) {
    for (std::int32_t x = 0; x < map.width; ++x) {
      if (map.wall[map.at(x, y)] == 0) cells.push_back({x, y, 0});
    }
  }
  const base::CounterRng rng(seed, 0x4352);
  const std::size_t wanted = std::min<std::size_t>(count, cells.size());
  for (std::size_t i = 0; i < wanted; ++i)
    std::swap(cells[i], cells[i + rng.uniform(i, static_cast<std::uint32_t>(cells.size() - i))]);
  cells.resize(wanted);
  return cells;
}

// One goal in the middle, more on a square lattice.
GoalDef spread_goals(const BenchMap& map, std::uint32_t count) {
  const auto side = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  GoalDef goal;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto part = [&](std::uint32_t n, std::int32_t length) {
      return static_cast<std::int32_t>((2 * n + 1) * static_cast<std::uint64_t>(length) / (2 * side));
    };
    goal.cells.push_back({map.nearest_free(part(i % side, map.width), part(i / side, map.height)), 0});
  }
  return goal;
}

struct Setup {
  BenchMap map;
  GoalDef goal;
  std::vector<Cell> starts;
};

Result<Simulation> make_simulation(const Setup& setup, const Host& host) {
  Result<GridMap> grid = to_grid_map(setup.map);
  if (!grid) return grid.status();
  Result<Simulation> made = Simulation::create(std::move(*grid), {}, host);
  if (!made) return made.status();
  const Result<ProfileId> profile = made->add_profile({});
  if (!profile) return profile.status();
  const Result<GoalId> goal = made->add_goal({setup.goal, OnArrival::vanish});
  if (!goal) return goal.status();
  for (std::size_t i = 0; i < setup.starts.size(); ++i) {
    AgentDef agent;
    agent.key = i + 1;
    agent.at = setup.starts[i];
    agent.profile = *profile;
    agent.goal = *goal;
    if (const Result<AgentId> id = made->add_agent(agent); !id) return id.status();
  }
  if (const Status status = made->start(); !status.ok()) return status;
  return made;
}

std::uint64_t deciding(const Simulation& simulation) {
  const StateCounts counts = simulation.state_counts();
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  return all - counts[static_cast<std::size_t>(AgentState::arrived)] -
         counts[static_cast<std::size_t>(AgentState::not_started)];
}

void judge(Validator& validator, const Simulation& simulation) {
  if (simulation.tick() > 0) validator.tick(simulation.tick(), simulation.moves());
  for (const Simulation::Entry& e : simulation.entered()) validator.enter(e.key, e.profile.index, e.cell);
  for (const Simulation::Entry& e : simulation.left()) validator.leave(e.key);
}

// The baseline: agents in order of their number, each takes the cheapest free neighbour that is nearer; who stands
// where is a std::map. No pushing, no swaps to refuse, no checks.
double greedy_ns_per_step(const Setup& setup, const FlowField& field, std::uint64_t ticks) {
  const GridShape& shape = field.shape();
  std::map<std::uint32_t, std::uint32_t> holder;
  std::vector<std::uint32_t> at;
  for (std::uint32_t i = 0; i < setup.starts.size(); ++i) {
    at.push_back(shape.index(setup.starts[i]).value);
    holder[at.back()] = i;
  }
  constexpr std::uint32_t kGone = ~std::uint32_t{0};
  std::uint64_t steps = 0, ns = 0;
  for (std::uint64_t tick = 0; tick < ticks; ++tick) {
    const Clock::time_point start = Clock::now();
    for (std::uint32_t i = 0; i < at.size(); ++i) {
      if (at[i] == kGone) continue;
      ++steps;
      std::uint32_t best = at[i];
      Cost least = field.cost_to_goal({at[i]});
      const DirectionSet ways = field.optimal_directions({at[i]});
      for (int d = 0; d < kDirections; ++d) {
        if (!ways.has(static_cast<Direction>(d))) continue;
        const std::uint32_t next = at[i] + shape.step(static_cast<Direction>(d));
        const Cost cost = field.cost_to_goal({next});
        if (cost < least && holder.find(next) == holder.end()) {
          least = cost;
          best = next;
        }
      }
      if (best == at[i]) continue;
      holder.erase(at[i]);
      at[i] = best;
      if (least == 0) {
        at[i] = kGone;
      } else {
        holder[best] = i;
      }
    }
    ns += nanoseconds_since(start);
  }
  return steps == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(steps);
}

// The same run once more, recorded.
Status record_again(Simulation& simulation, const std::vector<std::uint64_t>& digests, CrowdFigures& out,
                    const std::function<void(std::uint64_t)>& progress) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("drover-bench-{}.drv", ::getpid());
  Result<io::RecordingWriter> writer = io::RecordingWriter::create(path.string(), {}, simulation);
  if (!writer) return writer.status();
  const std::uint64_t before = writer->bytes();
  std::uint64_t step_ns = 0, record_ns = 0;
  Status status;
  out.equal = true;
  for (std::size_t i = 0; i < digests.size() && status.ok(); ++i) {
    const Clock::time_point start = Clock::now();
    out.equal = simulation.step().digests.all == digests[i] && out.equal;
    const Clock::time_point stepped = Clock::now();
    status = writer->record(simulation);
    record_ns += nanoseconds_since(stepped);
    step_ns += static_cast<std::uint64_t>((stepped - start) / std::chrono::nanoseconds(1));
    progress(i + 1);
  }
  const auto ticks = static_cast<double>(std::max<std::size_t>(digests.size(), 1));
  out.record_ns_per_tick = static_cast<double>(record_ns) / ticks;
  out.record_bytes_per_tick = static_cast<double>(writer->bytes() - before) / ticks;
  out.record_over_tick = step_ns == 0 ? 0 : static_cast<double>(record_ns) / static_cast<double>(step_ns);
  if (status.ok()) status = writer->close(simulation, io::RunEnd::tick_limit);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return status;
}

}  // namespace

Result<CrowdFigures> measure_crowd(const CrowdDef& def, const Host& host,
                                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  Setup setup;
  setup.map = make_bench_map(MapKind::walls10, def.size, def.seed);
  setup.goal = spread_goals(setup.map, def.goals);
  setup.starts = random_cells(setup.map, def.agents, def.seed);
  if (setup.starts.size() < def.agents) {
    return Status(StatusCode::limit_agents,
                  std::to_string(def.agents) + " agents; the map has room for " + std::to_string(setup.starts.size()));
  }
  CrowdFigures out;
  std::vector<std::uint64_t> digests;
  Result<Simulation> first = make_simulation(setup, host);
  if (!first) return first.status();
  Validator validator(first->map(), first->profiles(), {});
  judge(validator, *first);
  std::uint64_t total_ns = 0;
  for (std::uint64_t tick = 0; tick < def.ticks && !first->finished(); ++tick) {
    out.decisions += deciding(*first);
    const Clock::time_point start = Clock::now();
    const StepReport step = first->step();
    const std::uint64_t took = nanoseconds_since(start);
    total_ns += took;
    out.tick_ns.record(took);
    digests.push_back(step.digests.all);
    judge(validator, *first);
    progress(tick + 1, 2 * def.ticks);
  }
  out.ticks = first->tick();
  out.moves = validator.moves();
  out.violations = validator.violations();
  out.arrived = first->state_counts()[static_cast<std::size_t>(AgentState::arrived)];
  out.ns_per_unit = out.decisions == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(out.decisions);
  out.ns_per_move = out.moves == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(out.moves);
  const BundleRef bundle = first->snapshot();
  if (!bundle->entries().empty() && bundle->entries()[0].field) {
    out.baseline_ns_per_unit =
        greedy_ns_per_step(setup, *bundle->entries()[0].field, std::min<std::uint64_t>(def.ticks, 50));
  }
  Result<Simulation> second = make_simulation(setup, host);
  if (!second) return second.status();
  if (Status status =
          record_again(*second, digests, out, [&](std::uint64_t done) { progress(def.ticks + done, 2 * def.ticks); });
      !status.ok())
    return status;
  return out;
}

}  // namespace drover::bench
