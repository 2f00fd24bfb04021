// SPDX-License-Identifier: MIT
// From graph and goals to a finished field: units, engine, costs, directions.
#include <drover/field.hpp>

#include "base/no_throw.hpp"
#include "field/choice.hpp"
#include "field/directed.hpp"
#include "field/directions.hpp"
#include "field/engines.hpp"
#include "field/field_data.hpp"
#include "field/goals.hpp"
#include "field/textbook.hpp"
#include "field/way_steps.hpp"
#include "nav/compiled_graph.hpp"
#include "nav/profile_digest.hpp"

namespace drover {
namespace field {
namespace {

template <class T>
Outcome run_engine(FieldEngine engine, const Plan<T>& plan, Scratch& scratch, const Allocator& allocator) noexcept {
  switch (engine) {
    case FieldEngine::breadth_first:
      return breadth_first(plan, scratch, allocator);
    case FieldEngine::two_cursor:
      return two_cursor(plan, scratch, allocator);
    case FieldEngine::buckets:
      return buckets(plan, scratch, allocator);
    case FieldEngine::directed:
      return directed(plan, scratch, allocator);
    case FieldEngine::automatic:
    case FieldEngine::textbook:
    case FieldEngine::sweep:
    case FieldEngine::queue:
    case FieldEngine::heap:
      break;
  }
  return heap(plan, scratch, allocator);
}

// Scratch planes that a build needs beside the engine's own; kept while the map's size stays.
struct BuildPlanes {
  base::Plane<std::uint32_t> hops, factors;

  static bool want(base::Plane<std::uint32_t>& plane, const Allocator& allocator, std::size_t size) noexcept {
    if (plane.size() == size) return true;
    plane = {};
    plane = base::Plane<std::uint32_t>::uninitialised(allocator, size);
    return plane.valid();
  }
};

struct Job {
  const nav::CompiledGraph& graph;
  const PlacedGoals& goals;
  const Units& units;
  Choice& choice;  // another one after a hand-over
};

// Factors in units: the plane of the graph, or a copy divided by what all of them have in common.
const std::uint32_t* factors_in_units(const Job& job, BuildPlanes& planes, const Allocator& allocator) noexcept {
  const std::uint32_t* const factors = job.graph.factors();
  if (job.units.factor_divisor == 1) return factors;
  const std::size_t size = job.graph.shape().padded_cells();
  if (!BuildPlanes::want(planes.factors, allocator, size)) return nullptr;
  for (std::size_t i = 0; i < size; ++i) planes.factors[i] = factors[i] / job.units.factor_divisor;
  return planes.factors.data();
}

std::vector<Source> sources_in_units(const Job& job) {
  std::vector<Source> sources = job.goals.sources;
  for (Source& source : sources) source.cost /= job.units.scale;
  return sources;
}

struct Integrated {
  Outcome outcome;
  bool directions = false;  // those are written already
};

// The sweep first where it was chosen; where it gives up, a queue from the beginning.
template <class T>
Integrated integrate(const Job& job, const Plan<T>& plan, const DirectionPlanes& directions, Scratch& scratch,
                     const Host& host) noexcept {
  std::uint64_t visits = 0;
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    if (job.choice.engine == FieldEngine::sweep) {
      const bool plain = !job.graph.directed();
      const Patience patience = job.choice.asked ? Patience::endless : Patience::while_faster;
      const TileOutcome swept =
          tile_sweep(plan, job.graph.shape(), plain ? &directions : nullptr, patience, scratch.tiles, host);
      if (swept.gave_up == nullptr) return {swept.outcome, plain};
      std::fill_n(plan.costs, plan.cells, kNoCost<T>);
      visits = swept.outcome.events;
      job.choice = choose_after_sweep(job.graph, job.units, swept.gave_up);
    }
  }
  Outcome outcome = run_engine(job.choice.engine, plan, scratch, host.allocator);
  outcome.events += visits;
  return {outcome, false};
}

template <class T>
Outcome build_planes(const Job& job, FlowFieldData& data, Scratch& scratch, BuildPlanes& planes, const Host& host) {
  const std::vector<Source> sources = sources_in_units(job);
  Plan<T> plan;
  plan.graph = &job.graph;
  plan.moves = job.graph.moves();
  plan.straight = static_cast<T>(job.units.straight);
  plan.diagonal = static_cast<T>(job.units.diagonal);
  plan.min_step = job.units.min_step;
  plan.max_step = job.units.max_step;
  plan.max_factor = job.units.max_factor;
  plan.cells = job.graph.shape().padded_cells();
  plan.eight = job.graph.profile().moves == Moves::eight;
  for (int k = 0; k < kDirections; ++k) plan.offsets[k] = job.graph.shape().step(static_cast<Direction>(k));
  plan.sources = sources;
  plan.costs = data.costs<T>();
  Outcome outcome;
  outcome.out_of_memory = true;
  if (!job.units.uniform) {
    plan.factors = factors_in_units(job, planes, host.allocator);
    if (plan.factors == nullptr) return outcome;
  }
  if (job.units.free_steps) {
    if (!BuildPlanes::want(planes.hops, host.allocator, job.graph.shape().padded_cells())) return outcome;
    plan.hops = planes.hops.data();
  }
  const DirectionPlanes directions{job.graph.footings(), data.codes(), data.ties()};
  const Integrated integrated = integrate(job, plan, directions, scratch, host);
  outcome = integrated.outcome;
  if (outcome.out_of_memory) return outcome;
  if (job.graph.directed()) {
    write_directed_steps(plan, job.graph.shape(), directions, host.tasks);
    mark_goals(job.goals.cells, directions);
    PortalTies portals = write_portal_ties(plan, directions);
    data.set_portal_steps(std::move(portals.cells), std::move(portals.steps));
    return outcome;
  }
  if (!integrated.directions) write_directions(plan, job.graph.shape(), directions, host.tasks);
  mark_goals(job.goals.cells, directions);
  return outcome;
}

template <class T>
Outcome copy_textbook(const Job& job, FlowFieldData& data) {
  std::vector<GoalCell> goals;
  for (const Source& source : job.goals.sources) goals.push_back({job.graph.shape().cell({source.cell}), source.cost});
  const TextbookField field = textbook(job.graph.map(), job.graph.profile(), goals);
  const GridShape& shape = job.graph.shape();
  std::size_t from = 0;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      for (std::int32_t x = 0; x < shape.width(); ++x, ++from) {
        const std::uint32_t to = shape.at(x, row, layer);
        data.codes()[to] = field.codes[from];
        data.ties()[to] = field.ties[from];
        const Cost cost = field.costs[from];
        if (cost != kInfiniteCost) data.costs<T>()[to] = static_cast<T>(cost / job.units.scale);
      }
    }
  }
  PortalTies portals;
  for (const auto& [cell, step] : field.portals) {
    portals.cells.push_back(cell.value);
    portals.steps.push_back(step);
  }
  data.set_portal_steps(std::move(portals.cells), std::move(portals.steps));
  Outcome outcome;
  outcome.reached = field.reached;
  outcome.last_cost = field.last_cost / job.units.scale;
  outcome.events = field.pops;
  return outcome;
}

template <class T>
Outcome fill(const Job& job, FlowFieldData& data, Scratch& scratch, BuildPlanes& planes, const Host& host) {
  if (job.choice.engine == FieldEngine::textbook) return copy_textbook<T>(job, data);
  return build_planes<T>(job, data, scratch, planes, host);
}

// Known only now: whether a way to another goal undercuts an offset.
void rank_goals(const FlowFieldData& data, PlacedGoals& goals) {
  for (std::size_t i = 0; i < goals.cells.size(); ++i) {
    if (data.cost_to_goal({goals.cells[i]}) < goals.offsets[i])
      goals.placed[goals.owners[i]].rank = GoalRank::dominated;
  }
}

void write_report(const Job& job, const Outcome& outcome, BuildReport& report) {
  report.engine = job.choice.engine;
  report.reason = job.choice.reason;
  report.reachable = outcome.reached;
  report.unreachable = job.graph.open_cells() - outcome.reached;
  report.unknown = job.graph.unknown_cells();
  report.max_cost = outcome.last_cost * job.units.scale;
  report.cost_bits = job.units.bits64 ? 64 : 32;
  report.activations = outcome.events;
}

}  // namespace
}  // namespace field

struct FieldBuilder::Impl {
  Host host;
  std::shared_ptr<field::FieldPool> pool;
  field::Scratch scratch;
  field::BuildPlanes planes;

  explicit Impl(const Host& h) : host(h), pool(std::make_shared<field::FieldPool>(h)) {}

  Result<FieldRef> build(const NavGraph& graph, const GoalDef& goal, const FieldOptions& options, BuildReport* report) {
    field::PlacedGoals goals = field::place_goals(graph, goal);
    if (report != nullptr) {
      *report = {};
      report->goals = goals.placed;
    }
    if (!goals.status.ok()) return std::move(goals.status);
    const nav::CompiledGraph& compiled = graph.compiled();
    const field::Units units = field::choose_units(compiled, goals.sources);
    field::Choice choice = field::choose_engine(compiled, units, options.engine);
    const auto width = units.bits64 ? field::FlowFieldData::Width::bits64 : field::FlowFieldData::Width::bits32;
    std::shared_ptr<field::FlowFieldData> data = field::FlowFieldData::make(
        pool, compiled.shape(), width,
        options.steps ? field::FlowFieldData::Steps::kept : field::FlowFieldData::Steps::left_out,
        choice.engine == FieldEngine::sweep ? field::FlowFieldData::Costs::unset
                                            : field::FlowFieldData::Costs::infinite);
    if (data == nullptr) return base::out_of_memory();
    const field::Job job{compiled, goals, units, choice};
    const field::Outcome outcome = units.bits64 ? field::fill<std::uint64_t>(job, *data, scratch, planes, host)
                                                : field::fill<std::uint32_t>(job, *data, scratch, planes, host);
    if (outcome.out_of_memory) return base::out_of_memory();
    data->set_identity({units.scale, compiled.content_hash(), nav::digest_on(compiled.map(), compiled.profile()),
                        nav::knowing_alike(compiled.map(), compiled.profile())});
    field::rank_goals(*data, goals);
    if (report != nullptr) {
      field::write_report(job, outcome, *report);
      report->goals = goals.placed;
    }
    data->set_goals(std::move(goals.placed), std::move(goals.cells), std::move(goals.owners));
    if (options.steps) field::write_steps(*data);
    return FieldRef(std::move(data));
  }
};

FieldBuilder::FieldBuilder(const Host& host) : impl_(std::make_unique<Impl>(host)) {}
FieldBuilder::~FieldBuilder() = default;
FieldBuilder::FieldBuilder(FieldBuilder&&) noexcept = default;
FieldBuilder& FieldBuilder::operator=(FieldBuilder&&) noexcept = default;

Result<FieldRef> FieldBuilder::build(const NavGraph& graph, const GoalDef& goal, const FieldOptions& options,
                                     BuildReport* report) {
  if (impl_ == nullptr) return Status(StatusCode::argument, "this builder was moved from");
  if (graph.null()) return Status(StatusCode::argument, "a null graph; expected one that was compiled");
  return base::no_throw([&] { return impl_->build(graph, goal, options, report); });
}

std::uint64_t FieldBuilder::pooled_bytes() const noexcept { return impl_ == nullptr ? 0 : impl_->pool->pooled_bytes(); }
std::uint64_t FieldBuilder::live_bytes() const noexcept { return impl_ == nullptr ? 0 : impl_->pool->live_bytes(); }

}  // namespace drover
