// SPDX-License-Identifier: MIT
// From graph and goals to a finished field: units, engine, costs, directions.
#include "field/build_run.hpp"

#include "base/no_throw.hpp"
#include "field/directed.hpp"
#include "field/directions.hpp"
#include "field/simd.hpp"
#include "field/textbook.hpp"
#include "field/tile_write.hpp"
#include "field/way_steps.hpp"
#include "nav/compiled_graph.hpp"
#include "nav/profile_digest.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace drover::field {
namespace {

// Known only now: whether a way to another goal undercuts an offset.
void rank_goals(const FlowFieldData& data, PlacedGoals& goals) {
  for (std::size_t i = 0; i < goals.cells.size(); ++i) {
    if (data.cost_to_goal({goals.cells[i]}) < goals.offsets[i])
      goals.placed[goals.owners[i]].rank = GoalRank::dominated;
  }
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

// Factors divided by what all of them have in common.
bool divide_factors(const nav::CompiledGraph& graph, std::uint32_t divisor, base::Plane<std::uint32_t>& into,
                    const Allocator& allocator) noexcept {
  const std::size_t size = graph.shape().padded_cells();
  if (into.size() != size) {
    into = {};
    into = base::Plane<std::uint32_t>::uninitialised(allocator, size);
    if (!into.valid()) return false;
  }
  for (std::size_t i = 0; i < size; ++i) into[i] = graph.factors()[i] / divisor;
  return true;
}

Bands all_bands(const GridShape& shape) noexcept {
  return {0, bands_a_layer(shape) * static_cast<std::uint32_t>(shape.layers())};
}

// Engines that settle tiles and boards write every cost themselves.
FlowFieldData::Costs first_costs(FieldEngine engine) noexcept {
  return engine == FieldEngine::sweep || engine == FieldEngine::bitboards ? FlowFieldData::Costs::unset
                                                                          : FlowFieldData::Costs::none;
}

}  // namespace

void finish_field(const Job& job, const Outcome& outcome, FlowFieldData& data, BuildReport* report) {
  PlacedGoals& goals = job.goals;
  data.set_identity({job.units.scale, job.graph.content_hash(), nav::digest_on(job.graph.map(), job.graph.profile()),
                     nav::knowing_alike(job.graph.map(), job.graph.profile())});
  rank_goals(data, goals);
  if (report != nullptr) {
    write_report(job, outcome, data, *report);
    report->goals = goals.placed;
  }
  data.set_sums({std::move(goals.offsets), outcome.reached, outcome.last_cost});
  data.set_goals(std::move(goals.placed), std::move(goals.cells), std::move(goals.owners));
}

Workshop::Workshop(const Host& host) : host_(host), pool_(std::make_shared<FieldPool>(host)) {
  waiting_.reserve(std::clamp<std::size_t>(host.tasks.workers, 1, 64));
}

std::unique_ptr<Workspace> Workshop::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(waiting_.back());
      waiting_.pop_back();
      return workspace;
    }
  }
  return std::make_unique<Workspace>();
}

void Workshop::give_back(std::unique_ptr<Workspace> workspace) noexcept {
  const std::lock_guard lock(mutex_);
  if (workspace != nullptr && waiting_.size() < waiting_.capacity()) waiting_.push_back(std::move(workspace));
}

BuildRun::BuildRun(std::shared_ptr<Workshop> shop, const NavGraph& graph, PlacedGoals goals,
                   const FieldOptions& options, const Tasks& tasks)
    : shop_(std::move(shop)),
      host_(shop_->host()),
      workspace_(shop_->take()),
      graph_(graph),
      goals_(std::move(goals)),
      units_(choose_units(graph.compiled(), goals_.sources)),
      options_(options),
      choice_(choose_for_build(graph.compiled(), units_, options.engine)),
      sources_(goals_.sources) {
  host_.tasks = tasks;
  for (Source& source : sources_) source.cost /= units_.scale;
}

template <>
Plan<std::uint32_t>& BuildRun::plan() noexcept {
  return plan32_;
}
template <>
Plan<std::uint64_t>& BuildRun::plan() noexcept {
  return plan64_;
}

bool BuildRun::advance(std::uint64_t events) {
  if (failed_) return false;
  progress_.until = events < Progress::kEndless - progress_.spent() ? progress_.spent() + events : Progress::kEndless;
  failed_ = true;  // also where an allocation throws
  while (!complete_ && !progress_.due()) {
    if (data_ == nullptr && !begin()) return false;
    go_on();
    if (progress_.outcome.out_of_memory) return false;
  }
  failed_ = false;
  return true;
}

bool BuildRun::begin() {
  FlowFieldData::Parts parts;
  if (options_.steps) parts.steps = FlowFieldData::Steps::kept;
  if (choice_.engine == FieldEngine::sweep)
    parts.width = FlowFieldData::Width::bits16;
  else if (units_.bits64)
    parts.width = FlowFieldData::Width::bits64;
  if (units_.free_steps && choice_.engine != FieldEngine::textbook) parts.hops = FlowFieldData::Hops::kept;
  data_ = FlowFieldData::make(shop_->pool(), graph().shape(), parts, first_costs(choice_.engine));
  if (data_ != nullptr && !(units_.bits64 ? set_plan<std::uint64_t>() : set_plan<std::uint32_t>())) data_.reset();
  return data_ != nullptr;
}

template <class T>
bool BuildRun::set_plan() {
  Plan<T>& plan = this->plan<T>();
  plan.graph = &graph();
  plan.moves = graph().moves();
  plan.straight = static_cast<T>(units_.straight);
  plan.diagonal = static_cast<T>(units_.diagonal);
  plan.min_step = units_.min_step;
  plan.max_step = units_.max_step;
  plan.max_factor = units_.max_factor;
  plan.cells = graph().shape().padded_cells();
  plan.eight = graph().profile().moves == Moves::eight && !choice_.straight_only;
  for (int k = 0; k < kDirections; ++k) plan.offsets[k] = graph().shape().step(static_cast<Direction>(k));
  plan.sources = sources_;
  if (choice_.engine != FieldEngine::sweep) plan.costs = data_->costs<T>();
  plan.hops = data_->hops();
  if (units_.uniform || choice_.engine == FieldEngine::textbook) return true;
  plan.factors = graph().factors();
  if (units_.factor_divisor == 1) return true;
  base::Plane<std::uint32_t>& factors = workspace_->factors;
  plan.factors = factors.data();
  if (!divide_factors(graph(), units_.factor_divisor, factors, host_.allocator)) return false;
  plan.factors = factors.data();
  return true;
}

void BuildRun::go_on() {
  if (choice_.engine == FieldEngine::sweep) return sweep();
  units_.bits64 ? integrate<std::uint64_t>() : integrate<std::uint32_t>();
}

void BuildRun::give_up(const char* reason) {
  data_.reset();
  ties_below_ = 0;
  choice_ = choice_.engine == FieldEngine::sweep ? choose_after_sweep(graph(), units_, reason)
                                                 : Choice{FieldEngine::breadth_first, reason};
  Progress anew;
  anew.until = progress_.until;
  anew.other_work = progress_.other_work;
  anew.outcome.events = progress_.outcome.events;
  progress_ = anew;
}

DirectionPlanes BuildRun::direction_planes() noexcept { return {graph().footings(), data_->ties()}; }

void BuildRun::sweep() {
  const GridShape& shape = graph().shape();
  SweptPlanes swept{data_->costs<std::uint16_t>(), data_->bases(), direction_planes()};
  if (graph().directed()) swept.directions.ties = nullptr;
  const Patience patience = choice_.asked ? Patience::endless : Patience::while_faster;
  const char* const gave_up = tile_sweep(plan32_, shape, swept, patience, workspace_->scratch.tiles, host_, progress_);
  if (gave_up != nullptr) return give_up(gave_up);
  if (!progress_.done) return;
  if (graph().directed()) {
    const TileCosts costs{swept.costs, swept.bases};
    write_directed_steps(plan32_, costs, shape, direction_planes(), all_bands(shape), host_.tasks);
    PortalTies portals = portal_ties(plan32_, costs, goals_.cells);
    data_->set_portal_steps(std::move(portals.cells), std::move(portals.steps));
  }
  mark_goals(goals_.cells, direction_planes());
  complete_ = true;
}

template <class T>
void BuildRun::integrate() {
  if (choice_.engine == FieldEngine::textbook) {
    copy_textbook<T>();
    progress_.begun = complete_ = true;
    return progress_.finish();
  }
  if (!progress_.done) run_engine<T>();
  if (progress_.done && !progress_.outcome.out_of_memory) write_planes<T>();
}

template <class T>
void BuildRun::run_engine() {
  Scratch& scratch = workspace_->scratch;
  const Plan<T>& plan = this->plan<T>();
  switch (choice_.engine) {
    case FieldEngine::breadth_first:
      return breadth_first(plan, scratch, host_.allocator, progress_);
    case FieldEngine::two_cursor:
      return two_cursor(plan, scratch, host_.allocator, progress_);
    case FieldEngine::buckets:
      return buckets(plan, scratch, host_.allocator, progress_);
    case FieldEngine::directed:
      return directed(plan, scratch, host_.allocator, progress_);
    case FieldEngine::bitboards: {
      const Patience patience = choice_.asked ? Patience::endless : Patience::while_faster;
      const char* const gave_up = bitboards(plan32_, patience, scratch.boards, host_.allocator, progress_);
      if (gave_up != nullptr) give_up(gave_up);
      return;
    }
    case FieldEngine::automatic:
    case FieldEngine::textbook:
    case FieldEngine::sweep:
    case FieldEngine::queue:
    case FieldEngine::heap:
      break;
  }
  heap(plan, scratch, host_.allocator, progress_);
}

template <class T>
void BuildRun::write_planes() {
  const GridShape& shape = graph().shape();
  const Plan<T>& plan = this->plan<T>();
  // A cell takes about an eighth of the time of an event.
  const std::uint64_t events_a_band =
      static_cast<std::uint64_t>(kBandRows / 8) * static_cast<std::uint32_t>(shape.width());
  const std::uint32_t all = all_bands(shape).to;
  while (progress_.bands < all) {
    if (progress_.due()) return;
    const std::uint32_t count = progress_.next_bands(all, events_a_band);
    const Bands bands{progress_.bands, progress_.bands + count};
    if (graph().directed())
      write_directed_steps(plan, plan.costs, shape, direction_planes(), bands, host_.tasks);
    else
      write_directions(plan, shape, direction_planes(), bands, host_.tasks);
    progress_.wrote(count, events_a_band);
  }
  if (graph().directed()) {
    PortalTies portals = portal_ties(plan, plan.costs, goals_.cells);
    data_->set_portal_steps(std::move(portals.cells), std::move(portals.steps));
  }
  mark_goals(goals_.cells, direction_planes());
  complete_ = true;
}

template <class T>
void BuildRun::copy_textbook() {
  const GridShape& shape = graph().shape();
  std::vector<GoalCell> goals;
  for (const Source& source : goals_.sources) goals.push_back({shape.cell({source.cell}), source.cost});
  const TextbookField field = textbook(graph().map(), graph().profile(), goals);
  std::size_t from = 0;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      for (std::int32_t x = 0; x < shape.width(); ++x, ++from) {
        const std::uint32_t to = shape.at(x, row, layer);
        data_->ties()[to] = field.ties[from];
        const Cost cost = field.costs[from];
        const auto footing = static_cast<std::uint8_t>(field.codes[from] - FlowField::kUnreachableCode);
        data_->costs<T>()[to] =
            cost != kInfiniteCost ? static_cast<T>(cost / units_.scale) : FlowFieldData::state_cost<T>(footing);
      }
    }
  }
  std::vector<std::uint32_t> cells;
  std::vector<PortalStep> steps;
  for (const auto& [cell, step] : field.portals) {
    cells.push_back(cell.value);
    steps.push_back(step);
  }
  data_->set_portal_steps(std::move(cells), std::move(steps));
  progress_.outcome.reached = field.reached;
  progress_.outcome.last_cost = field.last_cost / units_.scale;
  progress_.outcome.events += field.pops;
}

std::shared_ptr<FlowFieldData> BuildRun::finish(BuildReport* report) {
  if (!advance(Progress::kEndless)) return nullptr;
  finish_field({graph(), goals_, units_, choice_}, progress_.outcome, *data_, report);
  if (options_.steps) write_steps(*data_);
  return std::move(data_);
}

std::shared_ptr<FlowFieldData> BuildRun::warm(const ColdFieldData& cold) {
  choice_ = {FieldEngine::sweep, "put away"};
  if (!begin()) return nullptr;
  cold.put_back(*data_);
  const TileCosts costs{data_->costs<std::uint16_t>(), data_->bases()};
  const TileScratch& tiles = workspace_->scratch.tiles;
  const bool known = tiles.grounds_of == graph().content_hash() && tiles.grounds.valid();
  const TileKernels* const kernels = tile_kernels(simd_in_use());
  if (kernels == nullptr || graph().directed()) {
    write_directed_steps(plan32_, costs, graph().shape(), direction_planes(), all_bands(graph().shape()), host_.tasks);
  } else {
    write_tile_ties(plan32_, costs, *kernels, known ? tiles.grounds.data() : nullptr, data_->ties(), host_.tasks);
  }
  mark_goals(data_->goal_cells(), direction_planes());
  if (options_.steps) write_steps(*data_);
  return std::move(data_);
}

Result<FieldRef> build_whole(std::shared_ptr<Workshop> shop, const NavGraph& graph, PlacedGoals goals,
                             const FieldOptions& options, BuildReport* report, const Tasks& tasks) {
  if (report != nullptr) {
    *report = {};
    report->goals = goals.placed;
  }
  if (!goals.status.ok()) return std::move(goals.status);
  BuildRun run(std::move(shop), graph, std::move(goals), options, tasks);
  std::shared_ptr<FlowFieldData> data = run.finish(report);
  if (data == nullptr) return base::out_of_memory();
  return FieldRef(std::move(data));
}

}  // namespace drover::field
