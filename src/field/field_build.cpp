// SPDX-License-Identifier: MIT
// The public face of a build that goes on in pieces.
#include <drover/field.hpp>

#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "field/build_run.hpp"
#include "nav/compiled_graph.hpp"

#include <utility>

namespace drover {
namespace {

Status over() { return {StatusCode::argument, "this build is finished, or was moved from"}; }

}  // namespace

FieldBuild::FieldBuild(std::unique_ptr<field::BuildRun> run) noexcept : run_(std::move(run)) {}
FieldBuild::~FieldBuild() = default;
FieldBuild::FieldBuild(FieldBuild&&) noexcept = default;
FieldBuild& FieldBuild::operator=(FieldBuild&&) noexcept = default;

Result<bool> FieldBuild::advance(std::uint64_t events) {
  if (run_ == nullptr) return over();
  return base::no_throw([&]() -> Result<bool> {
    if (!run_->advance(events)) return base::out_of_memory();
    return run_->done();
  });
}

Status FieldBuild::settle(std::span<const CellIndex> cells, Cost margin) {
  if (run_ == nullptr) return over();
  const std::uint32_t padded = run_->graph().shape().padded_cells();
  for (const CellIndex cell : cells) {
    if (cell.value >= padded)
      return {StatusCode::argument, base::concat("cell index ", cell.value, "; the map has ", padded, " of them")};
  }
  return base::no_throw([&]() -> Status { return run_->settle(cells, margin) ? Status() : base::out_of_memory(); });
}

bool FieldBuild::settled(CellIndex cell) const noexcept { return run_ != nullptr && run_->settled(cell.value); }
bool FieldBuild::done() const noexcept { return run_ != nullptr && run_->done(); }

Result<FieldRef> FieldBuild::part() {
  if (run_ == nullptr) return over();
  return base::no_throw([&]() -> Result<FieldRef> {
    std::shared_ptr<field::FlowFieldData> data = run_->part();
    if (data == nullptr) return base::out_of_memory();
    return FieldRef(std::move(data));
  });
}

Result<FieldRef> FieldBuild::finish(BuildReport* report) {
  if (run_ == nullptr) return over();
  return base::no_throw([&]() -> Result<FieldRef> {
    const std::unique_ptr<field::BuildRun> run = std::move(run_);
    if (report != nullptr) *report = {};
    std::shared_ptr<field::FlowFieldData> data = run->finish(report);
    if (data == nullptr) return base::out_of_memory();
    return FieldRef(std::move(data));
  });
}

}  // namespace drover
