// SPDX-License-Identifier: MIT
// Fields in one call: built, or repaired from an older one; many side by side.
#include <drover/field.hpp>

#include "base/no_throw.hpp"
#include "field/build_run.hpp"
#include "field/many_fields.hpp"
#include "field/repair.hpp"
#include "nav/compiled_graph.hpp"

#include <algorithm>
#include <mutex>
#include <type_traits>
#include <vector>

namespace drover {
namespace field {
namespace {

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
  if (!old->whole()) return "the old field is a part of one";
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

}  // namespace
}  // namespace field

namespace field {
namespace {

/// Scratch of repairs: one for each that runs at once.
class RepairShelf {
 public:
  using Scratch = std::unique_ptr<RepairScratch>;
  Scratch take() {
    {
      const std::lock_guard lock(mutex_);
      if (!waiting_.empty()) {
        Scratch scratch = std::move(waiting_.back());
        waiting_.pop_back();
        return scratch;
      }
      waiting_.reserve(++made_);
    }
    return std::make_unique<RepairScratch>();
  }
  void give_back(Scratch scratch) noexcept {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(scratch));  // room was made when it was taken
  }

 private:
  std::mutex mutex_;
  std::vector<Scratch> waiting_;
  std::size_t made_ = 0;
};

/// Takes one and gives it back.
class BorrowedScratch {
 public:
  explicit BorrowedScratch(RepairShelf& shelf) : shelf_(shelf), scratch_(shelf.take()) {}
  ~BorrowedScratch() { shelf_.give_back(std::move(scratch_)); }
  BorrowedScratch(const BorrowedScratch&) = delete;
  BorrowedScratch& operator=(const BorrowedScratch&) = delete;
  RepairScratch& operator*() const noexcept { return *scratch_; }

 private:
  RepairShelf& shelf_;
  RepairShelf::Scratch scratch_;
};

}  // namespace
}  // namespace field

/// Several threads may build and repair at once: they share the pool only.
struct FieldBuilder::Impl {
  std::shared_ptr<field::Workshop> shop;
  field::RepairShelf shelf;

  explicit Impl(const Host& host) : shop(std::make_shared<field::Workshop>(host)) {}

  Result<FieldRef> build(const NavGraph& graph, const GoalDef& goal, const FieldOptions& options, BuildReport* report) {
    return field::build_whole(shop, graph, field::place_goals(graph, goal), options, report, shop->host().tasks);
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
    const char* refused = field::unfit_for_repair(old, shop->pool().get(), before.compiled(), compiled, options);
    if (refused == nullptr) refused = field::unfit_for_repair(static_cast<const field::FlowFieldData&>(*old), units);
    if (refused == nullptr) {
      field::Choice choice = field::choose_engine(compiled, units, FieldEngine::automatic);
      choice.reason = "repaired";
      const auto& data = static_cast<const field::FlowFieldData&>(*old);
      const std::uint64_t budget = field::repair_budget(choice.engine, data.sums().reached);
      const field::BorrowedScratch scratch(shelf);
      field::Repair repair = field::repair_field(
          {data, before.compiled(), compiled, goals, units, budget, shop->host().allocator}, *scratch);
      if (repair.out_of_memory) return base::out_of_memory();
      if (repair.field != nullptr) return finish_repair({compiled, goals, units, choice}, std::move(repair), report);
      refused = repair.refused;
    }
    Result<FieldRef> built = field::build_whole(shop, after, std::move(goals), options, report, shop->host().tasks);
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
    field::finish_field(job, outcome, data, report);
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
  if (field == nullptr || !field->whole()) return Status(StatusCode::argument, "no whole field to put away");
  const auto& data = static_cast<const field::FlowFieldData&>(*field);
  if (data.width() != field::FlowFieldData::Width::bits16)
    return Status(StatusCode::argument, "costs of this field take more than 16 bits; it cannot be put away");
  return base::no_throw([&]() -> Result<ColdFieldRef> {
    auto cold = field::ColdFieldData::of(data, impl_->shop->host().allocator);
    if (cold == nullptr) return base::out_of_memory();
    return ColdFieldRef(std::move(cold));
  });
}

Result<FieldRef> FieldBuilder::warm(const ColdFieldRef& cold, const NavGraph& graph) {
  if (impl_ == nullptr) return Status(StatusCode::argument, "this builder was moved from");
  if (cold == nullptr) return Status(StatusCode::argument, "a null field; expected one that was put away");
  if (graph.null() || graph.content_hash() != cold->graph_hash())
    return Status(StatusCode::argument, "the field that was put away is of another graph");
  return base::no_throw([&]() -> Result<FieldRef> {
    const auto& data = static_cast<const field::ColdFieldData&>(*cold);
    FieldOptions options;
    options.steps = data.has_steps();
    field::BuildRun run(impl_->shop, graph, data.goals(), options, impl_->shop->host().tasks);
    std::shared_ptr<field::FlowFieldData> warm = run.warm(data);
    if (warm == nullptr) return base::out_of_memory();
    return FieldRef(std::move(warm));
  });
}

Result<FieldBuild> FieldBuilder::start(const NavGraph& graph, const GoalDef& goal, const FieldOptions& options) {
  if (impl_ == nullptr) return Status(StatusCode::argument, "this builder was moved from");
  if (graph.null()) return Status(StatusCode::argument, "a null graph; expected one that was compiled");
  return base::no_throw([&]() -> Result<FieldBuild> {
    field::PlacedGoals goals = field::place_goals(graph, goal);
    if (!goals.status.ok()) return std::move(goals.status);
    return FieldBuild(
        std::make_unique<field::BuildRun>(impl_->shop, graph, std::move(goals), options, impl_->shop->host().tasks));
  });
}

Result<std::vector<BuiltField>> FieldBuilder::build_all(std::span<const FieldRequest> requests) {
  if (impl_ == nullptr) return Status(StatusCode::argument, "this builder was moved from");
  return base::no_throw([&]() -> Result<std::vector<BuiltField>> { return field::build_all(impl_->shop, requests); });
}

std::uint64_t FieldBuilder::pooled_bytes() const noexcept {
  return impl_ == nullptr ? 0 : impl_->shop->pool()->pooled_bytes();
}
std::uint64_t FieldBuilder::live_bytes() const noexcept {
  return impl_ == nullptr ? 0 : impl_->shop->pool()->live_bytes();
}

}  // namespace drover
