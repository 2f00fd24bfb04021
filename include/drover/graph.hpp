// SPDX-License-Identifier: MIT
// A map as one profile sees it, compiled: which steps are legal and what each costs.
#pragma once
#include <drover/map.hpp>
#include <drover/profile.hpp>

#include <memory>

namespace drover {

namespace nav {
class CompiledGraph;
}

/// What a cell is to one profile, before any goal. `no_room`: the cell is free but the body does not fit on it, or an
/// obstacle overlaps the disc of its radius about the middle of its cells.
enum class Footing : std::uint8_t { open, blocked, no_room, unknown, outside };

/// Immutable compiled graph of (map state, profile). Cheap to copy, safe to read from any thread.
/// Two graphs with equal content_hash() have the same legal steps and costs, so their fields are the same.
class NavGraph {
 public:
  NavGraph() = default;
  explicit NavGraph(std::shared_ptr<const nav::CompiledGraph> graph) noexcept : graph_(std::move(graph)) {}

  /// O(cells). Refuses an invalid profile and a body larger than the map (`footprint`).
  static Result<NavGraph> compile(const MapView& map, const MovementProfile& profile, const Host& host = {});
  /// The graph after the edit that made `map`: recompiles around `dirty` and what obstacles took or gave up since this
  /// graph's map only, equal to compiling anew.
  Result<NavGraph> updated(const MapView& map, std::span<const CellIndex> dirty) const;

  bool null() const noexcept { return graph_ == nullptr; }
  const GridShape& shape() const noexcept;
  Footing footing(Cell anchor) const noexcept;
  /// Steps that are legal from this placement.
  DirectionSet moves(Cell anchor) const noexcept;
  /// Cost of the step, or nothing where it is not legal.
  std::optional<Cost> step_cost(Cell anchor, Direction d) const noexcept;
  /// Cost of a portal of the map, or nothing where it is closed or the body does not fit at both ends. O(portals).
  std::optional<Cost> portal_cost(std::uint32_t portal) const noexcept;
  /// False where every step leads both ways at the price of the ground it enters, and there are no portals.
  bool directed() const noexcept;
  /// False only if no way can exist: the two placements lie in different components, portals and forbidden steps taken
  /// as ways in both directions. O(1), but the first question to a graph whose edit may have cut a component in two
  /// labels it anew, O(cells): safe from any thread, and true if there is no memory for that.
  bool connected(Cell a, Cell b) const noexcept;
  /// Sizes of the components in the order of their first cell. The first question to an edited graph is O(cells); empty
  /// if there is no memory for it.
  std::vector<std::uint64_t> component_sizes() const;
  std::uint64_t open_cells() const noexcept;
  std::uint64_t content_hash() const noexcept;
  const nav::CompiledGraph& compiled() const noexcept { return *graph_; }

 private:
  std::shared_ptr<const nav::CompiledGraph> graph_;
};

}  // namespace drover
