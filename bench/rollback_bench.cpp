// SPDX-License-Identifier: MIT
// Rounds of save, eight ticks, restore; and runs from the beginning.
#include "rollback_bench.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/counter_rng.hpp"
#include "maps.hpp"

namespace drover::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBefore = 20, kTicks = 8;  // the youngest run that rolls back: good for the baseline
constexpr std::uint32_t kBaselineRounds = 5;

double microseconds_since(Clock::time_point start) {
  return static_cast<double>((Clock::now() - start) / std::chrono::nanoseconds(1)) / 1e3;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Setup {
  BenchMap map;
  Cell goal;
  std::vector<Cell> starts, door;
};

// The free ones of a column of nine cells beside the goal are the door; nobody starts there.
Setup make_setup(const RollbackDef& def) {
  Setup out{make_bench_map(MapKind::walls10, def.size, def.seed), {}, {}, {}};
  out.goal = out.map.nearest_free(def.size / 2, def.size / 2);
  std::vector<Cell> cells;
  for (std::int32_t y = 0; y < out.map.height; ++y) {
    for (std::int32_t x = 0; x < out.map.width; ++x) {
      if (out.map.wall[out.map.at(x, y)] != 0) continue;
      const bool door = x == out.goal.x + 3 && y >= out.goal.y - 4 && y <= out.goal.y + 4;
      (door ? out.door : cells).push_back({x, y, 0});
    }
  }
  const base::CounterRng rng(def.seed, 0x5242);
  for (std::size_t i = 0; i < def.agents && i < cells.size(); ++i) {
    std::swap(cells[i], cells[i + rng.uniform(i, static_cast<std::uint32_t>(cells.size() - i))]);
    out.starts.push_back(cells[i]);
  }
  return out;
}

Result<Simulation> make_simulation(const Setup& setup, GridMap map, const Host& host) {
  Result<Simulation> simulation = Simulation::create(std::move(map), {}, host);
  if (!simulation) return simulation;
  const Result<ProfileId> profile = simulation->add_profile({});
  if (!profile) return profile.status();
  const Result<GoalId> goal = simulation->add_goal({{{{setup.goal, 0}}, GoalPlacement::exact}, OnArrival::vanish});
  if (!goal) return goal.status();
  for (std::size_t i = 0; i < setup.starts.size(); ++i) {
    const Result<AgentId> agent = simulation->add_agent({i + 1, setup.starts[i], *profile, *goal, {}, 0, 0});
    if (!agent) return agent.status();
  }
  if (Status status = simulation->start(); !status.ok()) return status;
  for (std::uint64_t t = 0; t < kBefore; ++t) simulation->step();
  return simulation;
}

/// The digests of eight ticks, in the third of which the door closes, and how many fields came into force.
struct Window {
  std::vector<std::uint64_t> digests;
  std::uint64_t adoptions = 0;
  friend bool operator==(const Window&, const Window&) = default;
};

Result<Window> play(Simulation& simulation) {
  if (Status status = simulation.submit({simulation.tick() + 3, 0, EditMap{{{}, {{0, DoorState::closed}}}}});
      !status.ok())
    return status;
  Window out;
  out.digests.reserve(kTicks);
  for (std::uint64_t t = 0; t < kTicks; ++t) {
    out.digests.push_back(simulation.step().digests.all);
    out.adoptions += simulation.adoptions().size();
  }
  return out;
}

Result<GridMap> map_with_door(const Setup& setup) {
  Result<GridMap> map = to_grid_map(setup.map);
  if (!map) return map;
  const Result<std::uint32_t> door = map->add_door({"door", setup.door, true});
  if (!door) return door.status();
  return map;
}

// Without snapshots there is one way to an earlier state: from tick 0 again. The map is made beforehand.
Status measure_baseline(const Setup& setup, const Host& host, const Window& expected, RollbackFigures& out) {
  std::vector<double> ms;
  for (std::uint32_t round = 0; round < kBaselineRounds; ++round) {
    Result<GridMap> map = map_with_door(setup);
    if (!map) return map.status();
    const Clock::time_point start = Clock::now();
    Result<Simulation> simulation = make_simulation(setup, *std::move(map), host);
    if (!simulation) return simulation.status();
    const Result<Window> window = play(*simulation);
    ms.push_back(microseconds_since(start) / 1e3);
    if (!window) return window.status();
    out.equal = out.equal && *window == expected;
  }
  out.baseline_ms = median(ms);
  return {};
}

}  // namespace

Result<RollbackFigures> measure_rollback(const RollbackDef& def, const Host& host,
                                         const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const Setup setup = make_setup(def);
  if (setup.starts.size() < def.agents) {
    return Status(StatusCode::limit_agents,
                  std::to_string(def.agents) + " agents; the map has room for " + std::to_string(setup.starts.size()));
  }
  if (setup.door.empty())
    return Status(StatusCode::map_size, "no room for a door beside the goal; a larger map is expected");
  Result<GridMap> map = map_with_door(setup);
  if (!map) return map.status();
  Result<Simulation> simulation = make_simulation(setup, *std::move(map), host);
  if (!simulation) return simulation.status();
  RollbackFigures out;
  out.ticks = simulation->tick();
  out.placed = def.agents - simulation->state_counts()[static_cast<std::size_t>(AgentState::arrived)];
  SimulationSnapshot snapshot;
  Window first;
  std::vector<double> save, back, again;
  out.equal = true;
  for (std::uint32_t round = 0; round <= def.rounds; ++round) {  // the first is not counted: it allocates
    Clock::time_point start = Clock::now();
    if (Status status = simulation->snapshot_into(snapshot); !status.ok()) return status;
    save.push_back(microseconds_since(start));
    start = Clock::now();
    const Result<Window> window = play(*simulation);
    again.push_back(microseconds_since(start) / 1e3);
    if (!window) return window.status();
    start = Clock::now();
    if (Status status = simulation->restore(snapshot); !status.ok()) return status;
    back.push_back(microseconds_since(start));
    if (round == 0) {
      first = *window;
      save.clear(), again.clear(), back.clear();
    }
    out.equal = out.equal && *window == first && window->adoptions == 1 && simulation->tick() == out.ticks;
    progress(round, def.rounds);
  }
  out.snapshot_us = median(save);
  out.restore_us = median(back);
  out.resim8_ms = median(again);
  out.bytes_per_agent = static_cast<double>(snapshot.bytes()) / def.agents;
  if (Status status = measure_baseline(setup, host, first, out); !status.ok()) return status;
  return out;
}

}  // namespace drover::bench
