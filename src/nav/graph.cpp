// SPDX-License-Identifier: MIT
// NavGraph: the compiled graph by world cells.
#include "base/no_throw.hpp"
#include "nav/compiled_graph.hpp"

#include <drover/graph.hpp>

namespace drover {

namespace {

const GridShape kNoShape;

Result<NavGraph> wrapped(Result<std::shared_ptr<const nav::CompiledGraph>> graph) {
  if (!graph.ok()) return graph.status();
  return NavGraph(*std::move(graph));
}

}  // namespace

Result<NavGraph> NavGraph::compile(const MapView& map, const MovementProfile& profile, const Host& host) {
  return base::no_throw([&] { return wrapped(nav::CompiledGraph::compile(map, profile, host)); });
}

Result<NavGraph> NavGraph::updated(const MapView& map, std::span<const CellIndex> dirty) const {
  return base::no_throw([&]() -> Result<NavGraph> {
    if (!graph_) return Status(StatusCode::handle, "an empty graph; expected one that was compiled");
    return wrapped(graph_->updated(map, dirty));
  });
}

const GridShape& NavGraph::shape() const noexcept { return graph_ ? graph_->shape() : kNoShape; }

Footing NavGraph::footing(Cell anchor) const noexcept {
  const CellIndex i = shape().index(anchor);
  return i.valid() ? graph_->footing(i) : Footing::outside;
}

DirectionSet NavGraph::moves(Cell anchor) const noexcept {
  const CellIndex i = shape().index(anchor);
  return i.valid() ? DirectionSet{graph_->moves()[i.value]} : DirectionSet{};
}

std::optional<Cost> NavGraph::step_cost(Cell anchor, Direction d) const noexcept {
  const CellIndex i = shape().index(anchor);
  if (!i.valid() || !DirectionSet{graph_->moves()[i.value]}.has(d)) return std::nullopt;
  const StepCosts base = graph_->base();
  return Cost{is_diagonal(d) ? base.diagonal : base.straight} * graph_->factor(i.value + shape().step(d)) +
         graph_->surcharge(i.value, static_cast<int>(d));
}

bool NavGraph::directed() const noexcept { return graph_ && graph_->directed(); }

std::optional<Cost> NavGraph::portal_cost(std::uint32_t portal) const noexcept {
  if (!graph_) return std::nullopt;
  for (const nav::Portal& p : graph_->portals().all()) {
    if (p.number == portal) return p.cost;
  }
  return std::nullopt;
}

bool NavGraph::connected(Cell a, Cell b) const noexcept {
  if (footing(a) != Footing::open || footing(b) != Footing::open) return false;
  return graph_->components().connected(shape().index(a).value, shape().index(b).value);
}

std::vector<std::uint64_t> NavGraph::component_sizes() const {
  DROVER_TRY { return graph_ ? graph_->component_sizes() : std::vector<std::uint64_t>(); }
  DROVER_CATCH_BAD_ALLOC { return {}; }
}

std::uint64_t NavGraph::open_cells() const noexcept { return graph_ ? graph_->open_cells() : 0; }
std::uint64_t NavGraph::content_hash() const noexcept { return graph_ ? graph_->content_hash() : 0; }

}  // namespace drover
