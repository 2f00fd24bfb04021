// SPDX-License-Identifier: MIT
// Caves with a gate in the last free column; every figure but the plans' is of whole simulations.
#include "gate_bench.hpp"

#include "maps.hpp"
#include "thread_clock.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <drover/simulation.hpp>

#include "base/counter_rng.hpp"
#include "crowd/evacuation_flow.hpp"
#include "crowd/forest_arbiter.hpp"
#include "crowd/forest_planner.hpp"

namespace drover::bench {

namespace {

constexpr std::int32_t kWidths[kGateWidths] = {1, 2, 3, 4, 6, 8};
constexpr std::int32_t kPlanWidth = 4;
constexpr std::uint64_t kPlanEvery = 4;
// Exact optima of the table's instances stay far below.
constexpr crowd::FlowLimits kFlowLimits{std::uint64_t{1} << 28, std::uint64_t{1} << 34};

struct Instance {
  BenchMap map;
  std::vector<Cell> gates, starts;
};

bool is_free(const BenchMap& map, std::int32_t x, std::int32_t y) { return map.wall[map.at(x, y)] == 0; }

// `width` free cells one below the other, as far east as there are such.
std::vector<Cell> gate_of(const BenchMap& map, std::int32_t width) {
  for (std::int32_t x = map.width - 1; x >= 0; --x) {
    std::int32_t run = 0;
    for (std::int32_t y = 0; y < map.height; ++y) {
      run = is_free(map, x, y) ? run + 1 : 0;
      if (run < width) continue;
      std::vector<Cell> cells;
      for (std::int32_t i = 0; i < width; ++i) cells.push_back({x, y - width + 1 + i, 0});
      return cells;
    }
  }
  return {};
}

// Nothing where the cave has no such gate, or too little room.
std::optional<Instance> draw(std::int32_t size, std::int32_t width, std::uint32_t agents, std::uint64_t seed) {
  Instance out{make_bench_map(MapKind::cave, size, seed), {}, {}};
  out.gates = gate_of(out.map, width);
  if (out.gates.empty()) return std::nullopt;
  std::vector<Cell> free;
  for (std::int32_t y = 0; y < size; ++y)
    for (std::int32_t x = 0; x < size; ++x)
      if (is_free(out.map, x, y) && std::find(out.gates.begin(), out.gates.end(), Cell{x, y, 0}) == out.gates.end())
        free.push_back({x, y, 0});
  if (free.size() < 2 * std::size_t{agents}) return std::nullopt;
  const base::CounterRng rng(seed, 0x67617465);
  for (std::uint32_t i = 0; i < agents; ++i)
    std::swap(free[i], free[i + rng.uniform(i, static_cast<std::uint32_t>(free.size() - i))]);
  out.starts.assign(free.begin(), free.begin() + agents);
  return out;
}

MovementProfile profile() {
  MovementProfile out;
  out.costs = CostBase::uniform;
  out.moves = Moves::four;
  return out;
}

struct Run {
  std::uint64_t ticks = 0;
  bool late = false, left = false;  // all of them
};

Result<Run> run(const Instance& instance, GuidancePolicy guidance, const Host& host) {
  Result<GridMap> map = to_grid_map(instance.map);
  if (!map) return map.status();
  SimulationDef def;
  def.bodies = BodyRule::cells;
  def.guidance = guidance;
  Result<Simulation> sim = Simulation::create(*std::move(map), def, host);
  if (!sim) return sim.status();
  const Result<ProfileId> body = sim->add_profile(profile());
  if (!body) return body.status();
  SimulationGoal goal;
  goal.on_arrival = OnArrival::vanish;
  for (const Cell c : instance.gates) goal.where.cells.push_back({c, 0});
  const Result<GoalId> gate = sim->add_goal(goal);
  if (!gate) return gate.status();
  for (std::size_t i = 0; i < instance.starts.size(); ++i)
    if (const auto agent = sim->add_agent({i + 1, instance.starts[i], *body, *gate, {}, 0, 0}); !agent)
      return agent.status();
  if (Status status = sim->start(); !status.ok()) return status;
  Run out;
  std::uint64_t promise = 0;
  const std::uint64_t most = 100 * (instance.starts.size() + 1000);
  while (!sim->finished() && out.ticks < most) {
    sim->step();
    ++out.ticks;
    if (sim->metrics().planned_finish != 0) promise = sim->metrics().planned_finish;
  }
  out.late = promise != 0 && out.ticks > promise;
  out.left = sim->finished();
  return out;
}

Result<std::uint64_t> optimum(const Instance& instance) {
  const Result<GridMap> map = to_grid_map(instance.map);
  if (!map) return map.status();
  const Result<NavGraph> graph = NavGraph::compile(map->view(), profile());
  if (!graph) return graph.status();
  GoalDef goal;
  for (const Cell c : instance.gates) goal.cells.push_back({c, 0});
  const Result<FieldRef> steps = FieldBuilder().build(*graph, goal);
  if (!steps) return steps.status();
  std::vector<CellIndex> starts;
  for (const Cell c : instance.starts) starts.push_back(graph->shape().index(c));
  const auto flow = crowd::earliest_arrival_flow(*graph, **steps, starts, kFlowLimits);
  if (!flow)
    return Status(StatusCode::argument, "the optimum takes too long; fewer agents or a smaller map are expected");
  return flow->makespan();
}

// Adds one instance to a row whose sums are means once all are in.
Status add(GateRow& row, std::vector<double>& parts, const Instance& instance, const Host& host) {
  const Result<std::uint64_t> best = optimum(instance);
  if (!best) return best.status();
  const Result<Run> planned = run(instance, GuidancePolicy::forest, host),
                    plain = run(instance, GuidancePolicy::plain, host);
  if (!planned) return planned.status();
  if (!plain) return plain.status();
  const auto part = [&](std::uint64_t ticks) { return 100 * static_cast<double>(*best) / static_cast<double>(ticks); };
  parts.push_back(part(planned->ticks));
  row.worst = std::min(row.worst, parts.back());
  row.plain_mean += part(plain->ticks);
  row.plain_worst = std::min(row.plain_worst, part(plain->ticks));
  row.slower += planned->ticks > plain->ticks ? 1u : 0u;
  row.late += planned->late ? 1u : 0u;
  row.stuck += (planned->left ? 0u : 1u) + (plain->left ? 0u : 1u);
  ++row.instances;
  return {};
}

void close(GateRow& row, const std::vector<double>& parts) {
  const auto n = static_cast<double>(parts.size());
  if (parts.empty()) return;
  double squares = 0;
  for (const double p : parts) row.mean += p / n;
  for (const double p : parts) squares += (p - row.mean) * (p - row.mean);
  row.interval = n > 1 ? 1.96 * std::sqrt(squares / (n - 1) / n) : 0;
  row.plain_mean /= n;
}

// A crowd that a planner and the arbiter lead, without the rest of a simulation.
class PlannedCrowd {
 public:
  PlannedCrowd(const Instance& instance, const NavGraph& graph)
      : graph_(graph), arbiter_(graph.shape()), planner_(ground(instance)) {
    for (std::size_t i = 0; i < instance.starts.size(); ++i) {
      const std::uint32_t agent = agents_.append();
      agents_.key[agent] = i + 1;
      agents_.cell[agent] = graph.shape().index(instance.starts[i]).value;
      arbiter_.add(agents_, agent);
    }
  }

  std::size_t size() const { return arbiter_.size(); }
  std::uint64_t finish() const { return arbiter_.forest()->forecast().finish; }
  std::uint64_t plan() {
    arbiter_.cells(cells_);
    std::sort(cells_.begin(), cells_.end());
    const std::uint64_t start = thread_ns();
    auto forest = planner_.plan(cells_, arbiter_.forest());
    const std::uint64_t took = thread_ns() - start;
    arbiter_.adopt(std::move(forest));
    return took;
  }
  std::uint64_t step() {
    const std::uint64_t start = thread_ns();
    arbiter_.decide(agents_);
    const std::uint64_t took = thread_ns() - start;
    for (std::uint32_t agent = 0; agent < agents_.size(); ++agent) {
      const std::uint8_t step = std::exchange(agents_.move[agent], crowd::kStay);
      if (step < kDirections) agents_.cell[agent] += graph_.shape().step(static_cast<Direction>(step));
    }
    return took;
  }

 private:
  crowd::ForestGround ground(const Instance& instance) const {
    crowd::PairTable table(BodyRule::cells);
    const std::uint8_t body = table.add({1, profile().radius()});
    std::vector<std::uint32_t> gates;
    for (const Cell c : instance.gates) gates.push_back(graph_.shape().index(c).value);
    return {{std::shared_ptr<const void>(), &graph_.compiled()},
            std::move(gates),
            crowd::ForestRules::of(table, body, Following::allowed)};
  }

  const NavGraph& graph_;
  crowd::Agents agents_;
  crowd::ForestArbiter arbiter_;
  crowd::ForestPlanner planner_;
  std::vector<std::uint32_t> cells_;
};

Status measure_plans(const GateBenchDef& def, GateFigures& out) {
  std::optional<Instance> instance;
  for (std::uint64_t seed = def.seed; !instance && seed < def.seed + 100; ++seed)
    instance = draw(def.plan_size, kPlanWidth, def.plan_agents, seed);
  if (!instance)
    return {StatusCode::limit_agents, std::to_string(def.plan_agents) + " agents; a larger --size is expected"};
  const Result<GridMap> map = to_grid_map(instance->map);
  if (!map) return map.status();
  const Result<NavGraph> graph = NavGraph::compile(map->view(), profile());
  if (!graph) return graph.status();
  GoalDef goal;
  for (const Cell c : instance->gates) goal.cells.push_back({c, 0});
  FieldBuilder builder;
  if (const auto first = builder.build(*graph, goal); !first) return first.status();
  const std::uint64_t start = thread_ns();
  if (const auto field = builder.build(*graph, goal); !field) return field.status();
  out.build_ns = thread_ns() - start;

  PlannedCrowd crowd(*instance, *graph);
  std::vector<double> refreshes;
  std::uint64_t tick = 0, deadline = 0, stepped = 0, step_ns = 0, middle_from = 0, middle_to = 0;
  const std::size_t all = crowd.size();
  for (; crowd.size() > 0; ++tick) {
    if (tick % kPlanEvery == 0) {
      const double ms = static_cast<double>(crowd.plan()) / 1e6;
      tick == 0 ? void(out.first_plan_ms = ms) : refreshes.push_back(ms);
      const std::uint64_t finish = tick + crowd.finish();
      out.equal = out.equal && (tick == 0 || finish <= deadline);
      deadline = finish;
    }
    stepped += crowd.size();
    step_ns += crowd.step();
    if (crowd.size() * 4 > all * 3) middle_from = tick + 1;
    if (crowd.size() * 4 > all) middle_to = tick + 1;
  }
  out.equal = out.equal && tick <= deadline;
  std::sort(refreshes.begin(), refreshes.end());
  out.refreshes = refreshes.size();
  if (!refreshes.empty()) {
    out.refresh_ms = refreshes[refreshes.size() / 2];
    out.refresh_max_ms = refreshes.back();
  }
  out.plan_agents = all;
  out.plan_ticks = tick;
  out.step_ns = static_cast<double>(step_ns) / static_cast<double>(stepped);
  out.per_gate_cell = static_cast<double>(all) / 2 / kPlanWidth /
                      static_cast<double>(std::max<std::uint64_t>(1, middle_to - middle_from));
  return {};
}

}  // namespace

Result<GateFigures> measure_gates(const GateBenchDef& def, const Host& host,
                                  const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  GateFigures out;
  const std::uint64_t all = std::size(kWidths) * std::uint64_t{def.instances};
  std::uint64_t done = 0;
  for (const std::int32_t width : kWidths) {
    GateRow row;
    row.width = width;
    std::vector<double> parts;
    for (std::uint64_t seed = def.seed; row.instances < def.instances && seed < def.seed + 20 * def.instances; ++seed) {
      const std::optional<Instance> instance = draw(def.size, width, def.agents, seed);
      if (!instance) continue;
      if (Status status = add(row, parts, *instance, host); !status.ok()) return status;
      progress(++done, all);
    }
    if (row.instances < def.instances)
      return Status(StatusCode::limit_agents, "caves of this size have no room for so many agents, or for a gate of " +
                                                  std::to_string(width) + " cells; a larger --size is expected");
    close(row, parts);
    out.equal = out.equal && row.late == 0 && row.stuck == 0;
    out.rows.push_back(row);
  }
  if (Status status = measure_plans(def, out); !status.ok()) return status;
  return out;
}

}  // namespace drover::bench
