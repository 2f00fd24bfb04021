// SPDX-License-Identifier: MIT
// The compiled graph of one (map, profile): move masks, entering factors, components, content hash.
#pragma once
#include <drover/graph.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace drover::nav {

/// Padded planes, one byte or word a cell; the border of every plane says "blocked". Immutable once handed out.
///
/// Undirected: the step p -> q in direction d is legal exactly if q -> p in opposite(d) is. Cost of the step p -> q is
/// (diagonal ? base.diagonal : base.straight) * factor(q).
class CompiledGraph {
 public:
  static Result<std::shared_ptr<const CompiledGraph>> compile(const MapView& map, const MovementProfile& profile, const Host& host);
  /// Equal to compile(map, profile) when `dirty` holds every cell that differs from the map this graph was compiled from.
  Result<std::shared_ptr<const CompiledGraph>> updated(const MapView& map, std::span<const CellIndex> dirty) const;

  const GridShape& shape() const noexcept { return shape_; }
  /// The map state this graph was compiled from; the textbook engine reads it instead of the planes.
  const MapView& map() const noexcept { return map_; }
  const MovementProfile& profile() const noexcept { return profile_; }
  StepCosts base() const noexcept { return base_; }

  /// Legal steps of every placement, bit = direction.
  const std::uint8_t* moves() const noexcept { return moves_.data(); }
  /// Footing of every anchor, as the enum's value.
  const std::uint8_t* footings() const noexcept { return footings_.data(); }
  Footing footing(CellIndex i) const noexcept { return static_cast<Footing>(footings_[i.value]); }

  /// Entering factors; null when every open placement has the same one, uniform_factor().
  const std::uint32_t* factors() const noexcept { return factors_.empty() ? nullptr : factors_.data(); }
  std::uint32_t uniform_factor() const noexcept { return uniform_factor_; }
  std::uint32_t factor(std::uint32_t padded) const noexcept { return factors_.empty() ? uniform_factor_ : factors_[padded]; }
  /// Over open placements; 0 and 0 if there is none.
  std::uint32_t min_factor() const noexcept { return min_factor_; }
  std::uint32_t max_factor() const noexcept { return max_factor_; }

  std::uint64_t open_cells() const noexcept { return open_cells_; }
  std::uint64_t unknown_cells() const noexcept { return unknown_cells_; }
  /// Sum over cells of a mix of (index, footing, moves, factor), plus a mix of shape and base: kept cell by cell under edits.
  std::uint64_t content_hash() const noexcept { return content_hash_; }

  /// Component of an open placement under this profile's moves and corner rule, counted from 0 in the order of first cells.
  std::uint32_t component(CellIndex i) const noexcept;
  std::vector<std::uint64_t> component_sizes() const;

 private:
  void label();
  GridShape shape_;
  MapView map_;
  MovementProfile profile_;
  StepCosts base_;
  Host host_;
  std::vector<std::uint8_t> moves_, footings_;
  std::vector<std::uint32_t> factors_, labels_;
  std::vector<std::uint64_t> sizes_;
  std::uint32_t uniform_factor_ = 1, min_factor_ = 0, max_factor_ = 0;
  std::uint64_t open_cells_ = 0, unknown_cells_ = 0, content_hash_ = 0;
};

}  // namespace drover::nav
