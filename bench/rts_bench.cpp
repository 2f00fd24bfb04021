// SPDX-License-Identifier: MIT
// Open ground with buildings; a building cell comes or goes every second, and one group is sent elsewhere.
#include "rts_bench.hpp"

#include "thread_clock.hpp"

#if defined(__linux__)
#include <unistd.h>
#endif

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <drover/simulation.hpp>

#include "base/counter_rng.hpp"

namespace drover::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSizes = 3;
constexpr std::int32_t kBuilding = 6;

// Resident: what the world takes of the machine, whatever pool it lies in.
std::uint64_t memory_now() {
#if defined(__linux__)
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
#else
  return 0;
#endif
}

class Evening {
 public:
  Evening(const RtsDef& def, const Host& host) : def_(def), host_(host), rng_(def.seed, 0x727473) {}

  Status open() {
    Result<GridMap> map = GridMap::create({.width = def_.size, .height = def_.size}, host_);
    if (!map) return map.status();
    free_.assign(static_cast<std::size_t>(def_.size) * static_cast<std::size_t>(def_.size), 1);
    MapEdit walls;
    for (std::int32_t i = 0; i < def_.size * def_.size / 1600; ++i) {
      const Cell corner = draw(kBuilding);
      for (std::int32_t k = 0; k < kBuilding * kBuilding; ++k) {
        const Cell cell{corner.x + k % kBuilding, corner.y + k / kBuilding, 0};
        if (at(cell) == 0) continue;
        at(cell) = 0;
        walls.cells.push_back({cell, CellChange::terrain, kWall});
      }
    }
    if (const Result<EditReport> edit = map->apply(walls); !edit) return edit.status();
    SimulationDef rules;
    rules.on_stale = OnStale::keep_if_legal;
    rules.adopt_latency_ticks = def_.latency_ticks;
    rules.refresh_latency_ticks = def_.refresh_ticks;
    Result<Simulation> made = Simulation::create(*std::move(map), rules, host_);
    if (!made) return made.status();
    sim.emplace(*std::move(made));
    if (Status status = add_groups(); !status.ok()) return status;
    return sim->start();
  }

  Status add_groups() {
    for (int k = 1; k <= kSizes; ++k) {
      MovementProfile body;
      body.name = std::to_string(k);
      body.footprint = k;
      const Result<ProfileId> added = sim->add_profile(body);
      if (!added) return added.status();
      profiles_.push_back(*added);
    }
    std::vector<std::uint8_t> taken(free_.size(), 0);
    for (std::uint32_t i = 0; i < def_.fields; ++i) {
      const Result<GoalId> goal = sim->add_goal({{{{room(kSizes), 0}}, GoalPlacement::exact}, OnArrival::stay});
      if (!goal) return goal.status();
      goals_.push_back(*goal);
    }
    for (std::uint32_t i = 0; i < def_.agents; ++i) {
      const std::uint32_t group = i % def_.fields;
      const int k = 1 + static_cast<int>(group) % kSizes;
      const std::optional<Cell> start = place(k, taken);
      if (!start) return {StatusCode::limit_agents, "no room for so many agents; a larger map is expected"};
      const Result<AgentId> agent =
          sim->add_agent({i + 1, *start, profiles_[static_cast<std::size_t>(k - 1)], goals_[group], {}, 0, 0});
      if (!agent) return agent.status();
    }
    return {};
  }

  /// A wall on free ground, or the last one away again.
  Status edit() {
    MapEdit change;
    if (wall_) {
      change.cells = {{*std::exchange(wall_, std::nullopt), CellChange::terrain, kFloor}};
    } else {
      wall_ = room(1);
      change.cells = {{*wall_, CellChange::terrain, kWall}};
    }
    return sim->edit(change);
  }
  Status order() {
    ordered_ = static_cast<std::uint32_t>(orders++ % def_.fields);
    ordered_tick_ = sim->tick();
    return sim->set_goal(goals_[ordered_], {{{room(kSizes), 0}}, GoalPlacement::nearest});
  }
  /// After a step: how long the last order's group has waited, once it moved.
  void note_first_step(std::uint64_t& most) {
    if (!ordered_tick_) return;
    const auto of_group = [&](const MoveRecord& m) { return (m.agent - 1) % def_.fields == ordered_; };
    if (std::none_of(sim->moves().begin(), sim->moves().end(), of_group)) return;
    most = std::max(most, sim->tick() - *ordered_tick_);
    ordered_tick_.reset();
  }

  std::optional<Simulation> sim;
  std::uint64_t orders = 0;

 private:
  std::uint8_t& at(Cell c) {
    return free_[static_cast<std::size_t>(c.y) * static_cast<std::size_t>(def_.size) + static_cast<std::size_t>(c.x)];
  }
  Cell draw(std::int32_t room) {
    const auto bound = static_cast<std::uint32_t>(def_.size - room);
    const auto x = static_cast<std::int32_t>(rng_.uniform(drawn_++, bound));
    return {x, static_cast<std::int32_t>(rng_.uniform(drawn_++, bound)), 0};
  }
  bool fits(Cell c, int k) {
    for (int i = 0; i < k * k; ++i)
      if (at({c.x + i % k, c.y + i / k, 0}) == 0) return false;
    return true;
  }
  Cell room(int k) {
    Cell c = draw(kBuilding);
    while (!fits(c, k)) c = draw(kBuilding);
    return c;
  }
  std::optional<Cell> place(int k, std::vector<std::uint8_t>& taken) {
    for (int tries = 0; tries < 100000; ++tries) {
      const Cell c = room(k);
      std::vector<std::size_t> cells;
      for (int i = 0; i < k * k; ++i)
        cells.push_back(static_cast<std::size_t>(&at({c.x + i % k, c.y + i / k, 0}) - free_.data()));
      if (std::any_of(cells.begin(), cells.end(), [&](std::size_t i) { return taken[i] != 0; })) continue;
      for (const std::size_t i : cells) taken[i] = 1;
      return c;
    }
    return std::nullopt;
  }

  RtsDef def_;
  Host host_;
  base::CounterRng rng_;
  std::uint64_t drawn_ = 0;
  std::vector<std::uint8_t> free_;
  std::vector<ProfileId> profiles_;
  std::vector<GoalId> goals_;
  std::optional<Cell> wall_;
  std::uint32_t ordered_ = 0;
  std::optional<std::uint64_t> ordered_tick_;
};

// What a program without versions, repairs and a cache does after an edit.
Status measure_baseline(const RtsDef& def, const NavBundle& bundle, const Host& host, RtsFigures& out) {
  FieldBuilder builder(host);
  out.equal = true;
  std::uint64_t ns = 0;
  for (const BundleEntry& e : bundle.entries()) {
    if (e.field == nullptr || e.freshness != Freshness::current) continue;
    GoalDef goal;
    for (const PlacedGoal& g : e.field->goals()) goal.cells.push_back({g.placed, 0});
    const Clock::time_point start = Clock::now();
    const Result<FieldRef> built = builder.build(bundle.graph(e.profile), goal);
    ns += static_cast<std::uint64_t>((Clock::now() - start) / std::chrono::nanoseconds(1));
    if (!built) return built.status();
    out.equal = out.equal && (*built)->digest() == e.field->digest();
    ++out.fields;
  }
  out.baseline_tick_ns = static_cast<double>(ns) / static_cast<double>(def.edit_every);
  return {};
}

}  // namespace

Result<RtsFigures> measure_rts(const RtsDef& def, const Host& host,
                               const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  RtsFigures out;
  const std::uint64_t before = memory_now();
  Evening evening(def, host);
  if (Status status = evening.open(); !status.ok()) return status;
  Simulation& sim = *evening.sim;
  std::uint64_t ns = 0;
  for (std::uint64_t t = 0; t < def.ticks; ++t) {
    const bool second = t % def.edit_every == 0 && t + def.edit_every <= def.ticks;
    if (second) {
      if (Status status = evening.edit(); !status.ok()) return status;
      if (Status status = evening.order(); !status.ok()) return status;
      ++out.edits;
    }
    const Clock::time_point start = Clock::now();
    const std::uint64_t cpu_start = thread_ns();
    sim.step();
    out.cpu_ns.record(thread_ns() - cpu_start);
    const auto took = static_cast<std::uint64_t>((Clock::now() - start) / std::chrono::nanoseconds(1));
    out.tick_ns.record(took);
    ns += took;
    out.moves += sim.moves().size();
    evening.note_first_step(out.most_first_step);
    progress(t + 1, def.ticks);
  }
  const std::uint64_t after = memory_now();
  out.memory_bytes = after - std::min(after, before);
  out.mean_tick_ns = def.ticks > 0 ? static_cast<double>(ns) / static_cast<double>(def.ticks) : 0;
  out.agents = sim.agent_count();
  out.orders = evening.orders;
  out.builds = sim.metrics().field_builds;
  out.repairs = sim.metrics().field_repairs;
  if (Status status = measure_baseline(def, *sim.snapshot(), host, out); !status.ok()) return status;
  return out;
}

}  // namespace drover::bench
