// SPDX-License-Identifier: MIT
// The loop around Simulation::step(), and what is read off it.
#include "run_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "signals.hpp"
#include "stopwatch.hpp"

namespace drover::cli {

namespace {

constexpr std::size_t kUnfinishedShown = 20;

std::uint64_t on_map(const StateCounts& counts) {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : counts) sum += n;
  return sum - counts[static_cast<std::size_t>(AgentState::arrived)] -
         counts[static_cast<std::size_t>(AgentState::not_started)];
}

}  // namespace

RunSession::RunSession(const io::Scenario& scenario, const ThreadTasks& tasks, const RunSettings& settings)
    : scenario_(scenario),
      settings_(settings),
      threads_(tasks.threads()),
      instance_(must(io::instantiate(scenario, watched(tasks.host())))),
      outputs_(settings.outputs, scenario),
      visits_(instance_.simulation.map().shape().padded_cells()) {
  for (const io::ScenarioAgent& agent : scenario.agents) {
    const int footprint = scenario.profiles[agent.profile].profile.footprint;
    if (footprint > 1) wide_bodies_.emplace_back(agent.key, footprint);
  }
  running_ = true;
  must(instance_.simulation.start());
  recording_.emplace(settings_.recording, scenario, instance_.simulation);
  if (settings_.validate) {
    const Simulation& simulation = instance_.simulation;
    validator_.emplace(simulation.map(), simulation.profiles(),
                       ValidatorRules{scenario.policy.bodies, scenario.policy.following, scenario.policy.step});
    judged_map_ = {simulation.map().map_version(), simulation.map().overlay_version(), 0, 0, 0, 0};
  }
}

void RunSession::run() {
  Simulation& simulation = instance_.simulation;
  Progress progress(settings_.progress, "running", settings_.ticks);
  after_tick(0);
  while (!simulation.finished() && simulation.tick() < settings_.ticks && caught_signal() == 0) {
    decisions_ += on_map(simulation.state_counts());
    const auto start = std::chrono::steady_clock::now();
    step();
    const std::uint64_t took = time_since<std::chrono::nanoseconds>(start);
    tick_ns_.record(took);
    step_ns_ += took;
    recording_->tick(simulation);
    after_tick(took);
    const StateCounts counts = simulation.state_counts();
    progress.update(simulation.tick(),
                    fmt::format("ticks, {} of {} arrived", counts[static_cast<std::size_t>(AgentState::arrived)],
                                scenario_.agents.size()));
  }
  history_.close(simulation);
  recording_->close(simulation, caught_signal() != 0    ? io::RunEnd::interrupted
                                : simulation.finished() ? io::RunEnd::finished
                                                        : io::RunEnd::tick_limit);
  outputs_.commit();
}

void RunSession::step() {
  if (!paranoid_ || desync_) {
    instance_.simulation.step();
  } else {
    desync_ = must(paranoid_->step(instance_.simulation));
  }
}

Host RunSession::watched(Host host) {
  host.on_assert = {this, broken};
  if (!settings_.paranoid) return host;
  paranoid_.emplace(host);
  return paranoid_->host();
}

std::string RunSession::reproduce(std::uint64_t tick) const {
  return fmt::format("{} --ticks {} --paranoid", settings_.command, tick);
}

// Ends the program: what is in memory is not to be trusted any more.
void RunSession::broken(void* context, const char* file, int line, const char* condition) {
  auto& self = *static_cast<RunSession*>(context);
  const std::uint64_t tick = self.running_ ? self.instance_.simulation.tick() : 0;
  std::string what = condition;
  if (what.rfind("tick ", 0) != 0)
    what = fmt::format("tick {}: {}:{}: {}", tick, std::filesystem::path(file).filename().string(), line, condition);
  print_error("E_INTERNAL", fmt::format("{}; this is a bug; reproduce: {}", what, self.reproduce(tick)));
  if (self.running_) self.outputs_.drop();
  std::_Exit(exit_status(StatusCode::internal));
}

void RunSession::after_tick(std::uint64_t step_ns) {
  if (validator_) judge();
  count_visits();
  history_.record(instance_.simulation, step_ns);
  outputs_.tick(instance_);
}

void RunSession::judge() {
  const Simulation& simulation = instance_.simulation;
  const Stamp map{simulation.map().map_version(), simulation.map().overlay_version(), 0, 0, 0, 0};
  if (map != judged_map_) validator_->set_map(simulation.map());
  judged_map_ = map;
  if (simulation.tick() > 0) validator_->tick(simulation.tick(), simulation.moves());
  for (const Simulation::Entry& e : simulation.entered()) validator_->enter(e.key, e.profile.index, e.cell);
  for (const Simulation::Entry& e : simulation.left()) validator_->leave(e.key);
}

void RunSession::count_visits() {
  const GridShape& shape = instance_.simulation.map().shape();
  for (const MoveRecord& move : instance_.simulation.moves()) {
    int footprint = 1;
    if (!wide_bodies_.empty()) {
      const auto found = std::lower_bound(wide_bodies_.begin(), wide_bodies_.end(), std::pair{move.agent, 0});
      if (found != wide_bodies_.end() && found->first == move.agent) footprint = found->second;
    }
    for (std::int32_t y = 0; y < footprint; ++y) {
      for (std::int32_t x = 0; x < footprint; ++x)
        ++visits_[shape.index({move.to.x + x, move.to.y + y, move.to.layer}).value];
    }
  }
}

void RunSession::read_agents(io::RunReport& report) const {
  std::vector<AgentView> views;
  instance_.simulation.agents(views);
  std::uint64_t last = 0;
  for (const AgentView& v : views) {
    if (v.state == AgentState::arrived) {
      report.sum_of_arrivals += v.arrival_tick;
      last = std::max(last, v.arrival_tick);
      continue;
    }
    ++report.unfinished_by_reason[static_cast<std::size_t>(v.reason)];
    if (report.unfinished.size() < kUnfinishedShown) {
      const Result<AgentId> id = instance_.simulation.find_agent(v.key);
      const auto chain = id ? instance_.simulation.why(*id) : Result<std::vector<WhyLink>>(id.status());
      report.unfinished.push_back({v.key, chain ? to_text(*chain) : std::string(to_string(v.reason))});
    }
  }
  const std::uint64_t cannot = report.count(AgentState::unreachable) + report.count(AgentState::no_space);
  const std::uint64_t arrived = report.count(AgentState::arrived);
  if (arrived > 0 && arrived + cannot == report.agents()) report.makespan_ticks = last;
}

void RunSession::read_goals(io::RunReport& report) const {
  for (const BundleEntry& entry : instance_.simulation.snapshot()->entries()) {
    if (!entry.field) continue;
    for (const PlacedGoal& goal : entry.field->goals()) {
      if (!(goal.asked == goal.placed)) report.moved_goals.emplace_back(scenario_.goals[entry.goal.index].name, goal);
    }
  }
}

io::RunReport RunSession::report() const {
  const Simulation& simulation = instance_.simulation;
  io::RunReport report;
  report.drover = DROVER_VERSION;
  report.scenario = scenario_.name;
  report.seed = scenario_.policy.seed;
  report.guidance = scenario_.policy.guidance;
  report.threads = threads_;
  report.ticks = simulation.tick();
  report.states = simulation.state_counts();
  read_agents(report);
  read_goals(report);
  report.bound = must(io::run_bounds(scenario_, settings_.exact_bound));
  if (validator_) {
    report.validated = true;
    report.moves = validator_->moves();
    report.violations = validator_->violations();
    report.first_violations.assign(validator_->first().begin(), validator_->first().end());
  }
  report.metrics = simulation.metrics();
  report.tick_us = {tick_ns_.p50() / 1000, tick_ns_.p95() / 1000, tick_ns_.p99() / 1000, tick_ns_.max() / 1000};
  report.agent_step_ns = decisions_ == 0 ? 0 : step_ns_ / decisions_;
  report.digests = simulation.digests();
  report.warnings = scenario_.warnings;
  report.interrupted = caught_signal() != 0;
  report.paranoid = settings_.paranoid;
  return report;
}

RunDrawing RunSession::drawing() const {
  const Simulation& simulation = instance_.simulation;
  RunDrawing out;
  out.bundle = simulation.snapshot();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> users;
  for (const io::ScenarioAgent& agent : scenario_.agents) ++users[{agent.profile, agent.goal}];
  std::size_t most = 0;
  for (const auto& [pair, count] : users) {
    const BundleEntry* entry = out.bundle->find(instance_.profiles[pair.first], instance_.goals[pair.second]);
    if (entry == nullptr || !entry->field || entry->freshness != Freshness::current || count <= most) continue;
    most = count;
    out.def.field = entry->field.get();
  }
  std::vector<AgentView> views;
  simulation.agents(views);
  out.agents.reserve(views.size());
  for (std::size_t i = 0; i < views.size() && i < scenario_.agents.size(); ++i) {
    const AgentView& v = views[i];
    const io::ScenarioAgent& planned = scenario_.agents[i];  // both ascend by key
    const bool arrived = v.state == AgentState::arrived;
    const bool there = v.state != AgentState::not_started && !(arrived && vanishes(v.goal));
    out.agents.push_back({planned.at, v.cell, scenario_.profiles[planned.profile].profile.footprint, there, arrived});
  }
  for (const io::ScenarioGoal& goal : scenario_.goals) {
    for (const GoalCell& g : goal.goal.where.cells) out.goals.push_back(g.cell);
  }
  std::set<CellIndex> areas;
  for (const BundleEntry& entry : out.bundle->entries()) {
    if (!entry.field || !scenario_.goals[entry.goal.index].goal.where.area) continue;
    for (const PlacedGoal& goal : entry.field->goals()) areas.insert(entry.field->shape().index(goal.placed));
  }
  for (const CellIndex cell : areas) out.goals.push_back(simulation.map().shape().cell(cell));
  out.def.visits = visits_;
  out.def.agents = out.agents;
  out.def.goals = out.goals;
  return out;
}

}  // namespace drover::cli
