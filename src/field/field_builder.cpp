// SPDX-License-Identifier: MIT
// From graph and goals to a finished field: units, engine, costs, directions.
#include <drover/field.hpp>

#include "base/no_throw.hpp"
#include "field/choice.hpp"
#include "field/cold_field.hpp"
#include "field/directed.hpp"
#include "field/directions.hpp"
#include "field/engines.hpp"
#include "field/field_data.hpp"
#include "field/goals.hpp"
#include "field/repair.hpp"
#include "field/simd.hpp"
#include "field/textbook.hpp"
#include "field/tile_write.hpp"
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

template <class T>
Plan<T> plan_of(const Job& job, std::span<const Source> sources) {
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
  return plan;
}

Outcome no_memory() noexcept {
  Outcome outcome;
  outcome.out_of_memory = true;
  return outcome;
}

void set_portals(PortalTies&& portals, FlowFieldData& data) noexcept {
  data.set_portal_steps(std::move(portals.cells), std::move(portals.steps));
}

TileOutcome sweep(const Job& job, FlowFieldData& data, Scratch& scratch, BuildPlanes& planes, const Host& host) {
  const std::vector<Source> sources = sources_in_units(job);
  auto plan = plan_of<std::uint32_t>(job, sources);
  if (!job.units.uniform) {
    plan.factors = factors_in_units(job, planes, host.allocator);
    if (plan.factors == nullptr) return {no_memory()};
  }
  const GridShape& shape = job.graph.shape();
  const DirectionPlanes directions{job.graph.footings(), data.ties()};
  SweptPlanes swept{data.costs<std::uint16_t>(), data.bases(), directions};
  if (job.graph.directed()) swept.directions.ties = nullptr;
  const Patience patience = job.choice.asked ? Patience::endless : Patience::while_faster;
  const TileOutcome outcome = tile_sweep(plan, shape, swept, patience, scratch.tiles, host);
  if (outcome.gave_up != nullptr || outcome.outcome.out_of_memory) return outcome;
  if (job.graph.directed()) {
    const TileCosts costs{swept.costs, swept.bases};
    write_directed_steps(plan, costs, shape, directions, host.tasks);
    set_portals(portal_ties(plan, costs, job.goals.cells), data);
  }
  mark_goals(job.goals.cells, directions);
  return outcome;
}

// Directions of costs that are there already. False without memory.
bool warm_up(const Job& job, FlowFieldData& data, const Ground* grounds, BuildPlanes& planes, const Host& host) {
  auto plan = plan_of<std::uint32_t>(job, {});
  if (!job.units.uniform) {
    plan.factors = factors_in_units(job, planes, host.allocator);
    if (plan.factors == nullptr) return false;
  }
  const DirectionPlanes directions{job.graph.footings(), data.ties()};
  const TileCosts costs{data.costs<std::uint16_t>(), data.bases()};
  const TileKernels* const kernels = tile_kernels(simd_in_use());
  if (kernels == nullptr || job.graph.directed())
    write_directed_steps(plan, costs, job.graph.shape(), directions, host.tasks);
  else
    write_tile_ties(plan, costs, *kernels, job.graph.shape(), grounds, directions.ties, host.tasks);
  mark_goals(data.goal_cells(), directions);
  return true;
}

template <class T>
Outcome build_planes(const Job& job, FlowFieldData& data, Scratch& scratch, BuildPlanes& planes, const Host& host) {
  const std::vector<Source> sources = sources_in_units(job);
  auto plan = plan_of<T>(job, sources);
  plan.costs = data.costs<T>();
  plan.hops = data.hops();
  if (!job.units.uniform) {
    plan.factors = factors_in_units(job, planes, host.allocator);
    if (plan.factors == nullptr) return no_memory();
  }
  const GridShape& shape = job.graph.shape();
  const DirectionPlanes directions{job.graph.footings(), data.ties()};
  const Outcome outcome = run_engine(job.choice.engine, plan, scratch, host.allocator);
  if (outcome.out_of_memory) return outcome;
  if (job.graph.directed()) {
    write_directed_steps(plan, plan.costs, shape, directions, host.tasks);
    set_portals(portal_ties(plan, plan.costs, job.goals.cells), data);
  } else {
    write_directions(plan, shape, directions, host.tasks);
  }
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
        data.ties()[to] = field.ties[from];
        const Cost cost = field.costs[from];
        const auto footing = static_cast<std::uint8_t>(field.codes[from] - FlowField::kUnreachableCode);
        data.costs<T>()[to] =
            cost != kInfiniteCost ? static_cast<T>(cost / job.units.scale) : FlowFieldData::state_cost<T>(footing);
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
    using T = std::remove_cvref_t<decltype(pages[0][0])>;
    for (std::uint32_t page = 0; page < data.page_count(); ++page) {
      for (std::uint32_t line = 0; line <= FlowField::kPageMask / FlowFieldData::kLineCells; ++line) {
        const std::uint64_t base = data.base_pages() != nullptr ? data.base_pages()[page][line] : 0;
        for (std::uint32_t i = 0; i < FlowFieldData::kLineCells; ++i) {
          const T cost = pages[page][line * FlowFieldData::kLineCells + i];
          if (cost < FlowFieldData::kNone<T>) last = std::max<std::uint64_t>(last, base + cost);
        }
      }
    }
  };
  switch (data.width()) {
    case FlowFieldData::Width::bits16:
      look(data.cost_pages<std::uint16_t>());
      break;
    case FlowFieldData::Width::bits32:
      look(data.cost_pages<std::uint32_t>());
      break;
    case FlowFieldData::Width::bits64:
      look(data.cost_pages<std::uint64_t>());
      break;
  }
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

void write_report(const Job& job, const Outcome& outcome, const FlowFieldData& data, BuildReport& report) {
  report.engine = job.choice.engine;
  report.reason = job.choice.reason;
  report.reachable = outcome.reached;
  report.unreachable = job.graph.open_cells() - outcome.reached;
  report.unknown = job.graph.unknown_cells();
  report.max_cost = outcome.last_cost * job.units.scale;
  report.cost_bits = data.width() == FlowFieldData::Width::bits16 ? 16 : job.units.bits64 ? 64 : 32;
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
    field::Choice choice = field::choose_engine(compiled, units, options.engine);
    const field::Job job{compiled, goals, units, choice};
    Data::Parts parts;
    if (options.steps) parts.steps = Data::Steps::kept;
    std::shared_ptr<Data> data;
    field::Outcome outcome;
    // The sweep first where it was chosen; where it gives up, a queue from the beginning.
    if (choice.engine == FieldEngine::sweep) {
      parts.width = Data::Width::bits16;
      data = Data::make(pool, compiled.shape(), parts, Data::Costs::unset);
      if (data == nullptr) return base::out_of_memory();
      const field::TileOutcome swept = field::sweep(job, *data, scratch, planes, host);
      outcome = swept.outcome;
      if (swept.gave_up != nullptr) {
        data.reset();
        choice = field::choose_after_sweep(compiled, units, swept.gave_up);
      }
    }
    if (data == nullptr) {
      const std::uint64_t visits = outcome.events;
      parts.width = units.bits64 ? Data::Width::bits64 : Data::Width::bits32;
      if (units.free_steps && choice.engine != FieldEngine::textbook) parts.hops = Data::Hops::kept;
      data = Data::make(pool, compiled.shape(), parts);
      if (data == nullptr) return base::out_of_memory();
      outcome = units.bits64 ? field::fill<std::uint64_t>(job, *data, scratch, planes, host)
                             : field::fill<std::uint32_t>(job, *data, scratch, planes, host);
      outcome.events += visits;
    }
    if (outcome.out_of_memory) return base::out_of_memory();
    finish(job, outcome, *data, report);
    if (options.steps) field::write_steps(*data);
    return FieldRef(std::move(data));
  }

  Result<FieldRef> warm(const field::ColdFieldData& cold, const nav::CompiledGraph& compiled) {
    using Data = field::FlowFieldData;
    std::vector<field::Source> sources;
    for (std::size_t i = 0; i < cold.offsets().size(); ++i)
      sources.push_back({cold.offsets()[i], cold.goal_cells()[i]});
    std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
    const field::Units units = field::choose_units(compiled, sources);
    Data::Parts parts;
    parts.width = Data::Width::bits16;
    if (cold.has_steps()) parts.steps = Data::Steps::kept;
    const std::shared_ptr<Data> data = Data::make(pool, compiled.shape(), parts, Data::Costs::unset);
    if (data == nullptr) return base::out_of_memory();
    cold.put_back(*data);
    field::PlacedGoals goals;
    field::Choice choice;
    const field::TileScratch& tiles = scratch.tiles;
    const field::Ground* const grounds =
        tiles.grounds_of == compiled.content_hash() && tiles.grounds.valid() ? tiles.grounds.data() : nullptr;
    if (!field::warm_up({compiled, goals, units, choice}, *data, grounds, planes, host)) return base::out_of_memory();
    if (cold.has_steps()) field::write_steps(*data);
    return FieldRef(data);
  }

  static void finish(const field::Job& job, const field::Outcome& outcome, field::FlowFieldData& data,
                     BuildReport* report) {
    field::PlacedGoals& goals = job.goals;
    data.set_identity({job.units.scale, job.graph.content_hash(), nav::digest_on(job.graph.map(), job.graph.profile()),
                       nav::knowing_alike(job.graph.map(), job.graph.profile())});
    field::rank_goals(data, goals);
    if (report != nullptr) {
      field::write_report(job, outcome, data, *report);
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

Result<ColdFieldRef> FieldBuilder::cool(const FieldRef& field) {
  if (impl_ == nullptr) return Status(StatusCode::argument, "this builder was moved from");
  if (field == nullptr) return Status(StatusCode::argument, "a null field; expected one that was built");
  const auto& data = static_cast<const field::FlowFieldData&>(*field);
  if (data.width() != field::FlowFieldData::Width::bits16)
    return Status(StatusCode::argument, "costs of this field take more than 16 bits; it cannot be put away");
  return base::no_throw([&]() -> Result<ColdFieldRef> {
    auto cold = field::ColdFieldData::of(data, impl_->host.allocator);
    if (cold == nullptr) return base::out_of_memory();
    return ColdFieldRef(std::move(cold));
  });
}

Result<FieldRef> FieldBuilder::warm(const ColdFieldRef& cold, const NavGraph& graph) {
  if (impl_ == nullptr) return Status(StatusCode::argument, "this builder was moved from");
  if (cold == nullptr) return Status(StatusCode::argument, "a null field; expected one that was put away");
  if (graph.null() || graph.content_hash() != cold->graph_hash())
    return Status(StatusCode::argument, "the field that was put away is of another graph");
  return base::no_throw([&] { return impl_->warm(static_cast<const field::ColdFieldData&>(*cold), graph.compiled()); });
}

std::uint64_t FieldBuilder::pooled_bytes() const noexcept { return impl_ == nullptr ? 0 : impl_->pool->pooled_bytes(); }
std::uint64_t FieldBuilder::live_bytes() const noexcept { return impl_ == nullptr ? 0 : impl_->pool->live_bytes(); }

}  // namespace drover
