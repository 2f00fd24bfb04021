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
#include "field/repair.hpp"
#include "field/textbook.hpp"
#include "field/way_steps.hpp"
#include "nav/compiled_graph.hpp"
#include "nav/profile_digest.hpp"

#include <algorithm>
#include <type_traits>

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
    case FieldEngine::bitboards:
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
  base::Plane<std::uint32_t> factors;

  static bool want(base::Plane<std::uint32_t>& plane, const Allocator& allocator, std::size_t size) noexcept {
    if (plane.size() == size) return true;
    plane = {};
    plane = base::Plane<std::uint32_t>::uninitialised(allocator, size);
    return plane.valid();
  }
};

struct Job {
  const nav::CompiledGraph& graph;
  PlacedGoals& goals;
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

// The engine chosen; where it gives up, another one from the beginning.
template <class T>
Integrated integrate(const Job& job, const Plan<T>& plan, const DirectionPlanes& directions, Scratch& scratch,
                     const Host& host) noexcept {
  std::uint64_t visits = 0;
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    const Patience patience = job.choice.asked ? Patience::endless : Patience::while_faster;
    if (job.choice.engine == FieldEngine::sweep) {
      const bool plain = !job.graph.directed();
      const TileOutcome swept =
          tile_sweep(plan, job.graph.shape(), plain ? &directions : nullptr, patience, scratch.tiles, host);
      if (swept.gave_up == nullptr) return {swept.outcome, plain};
      visits += swept.outcome.events;
      job.choice = choose_after_sweep(job.graph, job.units, swept.gave_up);
      if (job.choice.engine != FieldEngine::bitboards) std::fill_n(plan.costs, plan.cells, kNoCost<T>);
    }
    if (job.choice.engine == FieldEngine::bitboards) {
      BoardOutcome waved = bitboards(plan, patience, scratch.boards, host.allocator);
      waved.outcome.events += visits;
      if (waved.gave_up == nullptr) return {waved.outcome, false};
      visits = waved.outcome.events;
      job.choice = {FieldEngine::breadth_first, waved.gave_up};
      std::fill_n(plan.costs, plan.cells, kNoCost<T>);
    }
  }
  Plan<T> straight = plan;
  straight.eight = plan.eight && !job.choice.straight_only;
  Outcome outcome = run_engine(job.choice.engine, straight, scratch, host.allocator);
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
  plan.hops = data.hops();
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

std::uint64_t last_cost_of(const FlowFieldData& data) noexcept {
  std::uint64_t last = 0;
  const auto look = [&](const auto* const* pages) {
    constexpr auto kNone = static_cast<std::remove_cvref_t<decltype(pages[0][0])>>(-1);
    for (std::uint32_t page = 0; page < data.page_count(); ++page) {
      for (std::uint32_t i = 0; i <= FlowField::kPageMask; ++i)
        if (pages[page][i] != kNone) last = std::max<std::uint64_t>(last, pages[page][i]);
    }
  };
  data.width() == FlowFieldData::Width::bits32 ? look(data.cost_pages<std::uint32_t>())
                                               : look(data.cost_pages<std::uint64_t>());
  return last;
}

// Why a build is the only way, before anything is looked at; null: a repair may do.
const char* unfit_for_repair(const FieldRef& old, const FieldPool* pool, const nav::CompiledGraph& before,
                             const nav::CompiledGraph& after, const FieldOptions& options) {
  if (old == nullptr) return "there is no old field";
  if (old->graph_hash() != before.content_hash()) return "the old field is of another graph";
  if (static_cast<const FlowFieldData&>(*old).pool() != pool) return "the old field is of another builder";
  if (before.shape() != after.shape() || before.profile().costs != after.profile().costs)
    return "shape or step costs differ";
  if (options.engine == FieldEngine::textbook) return "the textbook engine was asked for";
  if (old->has_steps() != options.steps) return "steps are kept in one of the two only";
  return nullptr;
}

const char* unfit_for_repair(const FlowFieldData& old, const Units& units) {
  if (old.identity().scale != units.scale) return "costs have another unit";
  if ((old.width() == FlowFieldData::Width::bits64) != units.bits64) return "costs have another width";
  if ((old.hop_pages() != nullptr) != units.free_steps) return "steps became free, or none is any more";
  return nullptr;
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
  field::RepairScratch repair_scratch;

  explicit Impl(const Host& h) : host(h), pool(std::make_shared<field::FieldPool>(h)) {}

  Result<FieldRef> build(const NavGraph& graph, const GoalDef& goal, const FieldOptions& options, BuildReport* report) {
    field::PlacedGoals goals = field::place_goals(graph, goal);
    if (report != nullptr) {
      *report = {};
      report->goals = goals.placed;
    }
    if (!goals.status.ok()) return std::move(goals.status);
    const field::Units units = field::choose_units(graph.compiled(), goals.sources);
    return build(graph.compiled(), goals, units, options, report);
  }

  Result<FieldRef> build(const nav::CompiledGraph& compiled, field::PlacedGoals& goals, const field::Units& units,
                         const FieldOptions& options, BuildReport* report) {
    using Data = field::FlowFieldData;
    field::Choice choice = field::choose_for_build(compiled, units, options.engine);
    const bool hops = units.free_steps && choice.engine != FieldEngine::textbook;
    std::shared_ptr<Data> data = Data::make(
        pool, compiled.shape(),
        {units.bits64 ? Data::Width::bits64 : Data::Width::bits32,
         options.steps ? Data::Steps::kept : Data::Steps::left_out, hops ? Data::Hops::kept : Data::Hops::left_out},
        choice.engine == FieldEngine::sweep || choice.engine == FieldEngine::bitboards ? Data::Costs::unset
                                                                                       : Data::Costs::infinite);
    if (data == nullptr) return base::out_of_memory();
    const field::Job job{compiled, goals, units, choice};
    const field::Outcome outcome = units.bits64 ? field::fill<std::uint64_t>(job, *data, scratch, planes, host)
                                                : field::fill<std::uint32_t>(job, *data, scratch, planes, host);
    if (outcome.out_of_memory) return base::out_of_memory();
    finish(job, outcome, *data, report);
    if (options.steps) field::write_steps(*data);
    return FieldRef(std::move(data));
  }

  static void finish(const field::Job& job, const field::Outcome& outcome, field::FlowFieldData& data,
                     BuildReport* report) {
    field::PlacedGoals& goals = job.goals;
    data.set_identity({job.units.scale, job.graph.content_hash(), nav::digest_on(job.graph.map(), job.graph.profile()),
                       nav::knowing_alike(job.graph.map(), job.graph.profile())});
    field::rank_goals(data, goals);
    if (report != nullptr) {
      field::write_report(job, outcome, *report);
      report->goals = goals.placed;
    }
    data.set_sums({std::move(goals.offsets), outcome.reached, outcome.last_cost});
    data.set_goals(std::move(goals.placed), std::move(goals.cells), std::move(goals.owners));
  }

  Result<FieldRef> repair(const FieldRef& old, const NavGraph& before, const NavGraph& after, const GoalDef& goal,
                          const FieldOptions& options, BuildReport* report) {
    field::PlacedGoals goals = field::place_goals(after, goal);
    if (report != nullptr) {
      *report = {};
      report->goals = goals.placed;
    }
    if (!goals.status.ok()) return std::move(goals.status);
    const nav::CompiledGraph& compiled = after.compiled();
    const field::Units units = field::choose_units(compiled, goals.sources);
    const char* refused = field::unfit_for_repair(old, pool.get(), before.compiled(), compiled, options);
    if (refused == nullptr) refused = field::unfit_for_repair(static_cast<const field::FlowFieldData&>(*old), units);
    if (refused == nullptr) {
      field::Choice choice = field::choose_engine(compiled, units, FieldEngine::automatic);
      choice.reason = "repaired";
      const auto& data = static_cast<const field::FlowFieldData&>(*old);
      const std::uint64_t budget = field::repair_budget(choice.engine, data.sums().reached);
      field::Repair repair = field::repair_field(
          {data, before.compiled(), compiled, goals, units, budget, host.allocator}, repair_scratch);
      if (repair.out_of_memory) return base::out_of_memory();
      if (repair.field != nullptr) return finish_repair({compiled, goals, units, choice}, std::move(repair), report);
      refused = repair.refused;
    }
    Result<FieldRef> built = build(compiled, goals, units, options, report);
    if (report != nullptr) report->not_repaired = refused;
    return built;
  }

  static Result<FieldRef> finish_repair(const field::Job& job, field::Repair&& repair, BuildReport* report) {
    field::FlowFieldData& data = *repair.field;
    field::Outcome outcome;
    outcome.reached = repair.sums.reached;
    outcome.last_cost = repair.sums.last_cost;
    outcome.events = repair.touched;
    if (report != nullptr && outcome.last_cost == field::FlowFieldData::Sums::kUnknown)
      outcome.last_cost = field::last_cost_of(data);
    finish(job, outcome, data, report);
    if (report != nullptr) {
      report->repaired = true;
      report->touched = repair.touched;
      report->pages_copied = repair.pages;
    }
    return FieldRef(std::move(repair.field));
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

Result<FieldRef> FieldBuilder::repair(const FieldRef& old, const NavGraph& before, const NavGraph& after,
                                      const GoalDef& goal, const FieldOptions& options, BuildReport* report) {
  if (impl_ == nullptr) return Status(StatusCode::argument, "this builder was moved from");
  if (before.null() || after.null())
    return Status(StatusCode::argument, "a null graph; expected two that were compiled");
  return base::no_throw([&] { return impl_->repair(old, before, after, goal, options, report); });
}

std::uint64_t FieldBuilder::pooled_bytes() const noexcept { return impl_ == nullptr ? 0 : impl_->pool->pooled_bytes(); }
std::uint64_t FieldBuilder::live_bytes() const noexcept { return impl_ == nullptr ? 0 : impl_->pool->live_bytes(); }

}  // namespace drover
