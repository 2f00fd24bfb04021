// SPDX-License-Identifier: MIT
// The compiled graph of one (map, profile): move masks, entering factors, directed edges, components, content hash.
#pragma once
#include "nav/baked_obstacles.hpp"
#include "nav/cell_rules.hpp"
#include "nav/cow_plane.hpp"
#include "nav/edge_costs.hpp"
#include "nav/live_components.hpp"
#include "nav/portal_lists.hpp"

#include <drover/graph.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace drover::nav {

/// Padded planes, one byte or word a cell; the border of every plane says "blocked". Immutable once handed out.
///
/// Cost of the step p -> q in direction k is (diagonal ? base.diagonal : base.straight) * factor(q) + surcharge(p, k).
/// Unless directed(), there are no surcharges and no portals, and p -> q is legal exactly if q -> p is.
class CompiledGraph {
 public:
  static Result<std::shared_ptr<const CompiledGraph>> compile(const MapView& map, const MovementProfile& profile,
                                                              const Host& host);
  /// Equal to compile(map, profile) when `dirty` holds every cell that differs from the map this graph was compiled
  /// from, but for what obstacles take. Planes that stay as they are, are shared with this graph.
  Result<std::shared_ptr<const CompiledGraph>> updated(const MapView& map, std::span<const CellIndex> dirty) const;

  const GridShape& shape() const noexcept { return shape_; }
  /// The map state this graph was compiled from; the textbook engine reads it instead of the planes.
  const MapView& map() const noexcept { return map_; }
  const MovementProfile& profile() const noexcept { return profile_; }
  StepCosts base() const noexcept { return base_; }

  /// Legal steps of every placement, bit = direction.
  const std::uint8_t* moves() const noexcept { return moves_->data(); }
  /// Bit k of a placement: the step that leads here from its neighbour in direction k is legal. moves() itself unless
  /// steps are forbidden.
  const std::uint8_t* reverse_moves() const noexcept { return reverse_ ? reverse_->data() : moves_->data(); }
  /// Footing of every anchor, as the enum's value.
  const std::uint8_t* footings() const noexcept { return footings_->data(); }
  Footing footing(CellIndex i) const noexcept { return static_cast<Footing>(footings()[i.value]); }

  /// Entering factors; null when every open placement has the same one, uniform_factor().
  const std::uint32_t* factors() const noexcept { return factors_ ? factors_->data() : nullptr; }
  std::uint32_t uniform_factor() const noexcept { return uniform_factor_; }
  std::uint32_t factor(std::uint32_t padded) const noexcept { return factors_ ? (*factors_)[padded] : uniform_factor_; }
  /// Over open placements; 0 and 0 if there is none.
  std::uint32_t min_factor() const noexcept { return min_factor_; }
  std::uint32_t max_factor() const noexcept { return max_factor_; }

  /// True where some rule, height or portal makes steps differ by direction.
  bool directed() const noexcept { return edges_.any() || !portals_->empty(); }
  /// What slope, extras and doors add to the legal step from here in direction k.
  std::uint64_t surcharge(std::uint32_t padded, int k) const noexcept { return edges_.surcharge(padded, k); }
  std::uint64_t max_surcharge() const noexcept { return edges_.max_surcharge(); }
  const PortalLists& portals() const noexcept { return *portals_; }

  std::uint64_t open_cells() const noexcept { return open_cells_; }
  std::uint64_t unknown_cells() const noexcept { return unknown_cells_; }
  /// Sum over words of 64 cells of a mix of (place, footings, moves, factors), over dearer steps and over portals, plus
  /// a mix of shape and base: kept word by word under edits.
  std::uint64_t content_hash() const noexcept { return content_hash_; }
  /// The same without what steps cost: equal where every legal step is the same.
  std::uint64_t steps_hash() const noexcept { return steps_hash_; }

  /// Words of 64 placements, ascending, outside of which this graph equals the one with that content hash; null: not
  /// known.
  const std::vector<std::uint32_t>* words_changed_since(std::uint64_t content_hash) const noexcept {
    return updated_ && updated_from_ == content_hash ? &changed_words_ : nullptr;
  }
  const EdgeCosts& edges() const noexcept { return edges_; }

  /// Placements where the body fits, one bit each; and what makes components of them, forbidden steps and portals taken
  /// as ways in both directions.
  const Word* fits() const noexcept { return fits_->data(); }
  const LiveComponents& components() const noexcept { return *components_; }
  /// Component of a placement, counted from 0 in the order of first cells; Components::kNone where the body does not
  /// fit, and everywhere without memory to tell. The first question after an edit may be O(cells).
  std::uint32_t component(CellIndex i) const noexcept {
    const Components* numbered = components_->numbered();
    return numbered != nullptr ? numbered->label(fits_->data(), i.value) : Components::kNone;
  }
  std::vector<std::uint64_t> component_sizes() const {
    const Components* numbered = components_->numbered();
    return numbered != nullptr ? numbered->sizes() : std::vector<std::uint64_t>();
  }

 private:
  friend class GraphWriter;
  CompiledGraph() = default;

  /// Of one word's fitting cells; least > most where there are none.
  struct FactorRange {
    std::uint32_t least = ~std::uint32_t{0}, most = 0;
    friend bool operator==(const FactorRange&, const FactorRange&) = default;
  };

  GridShape shape_;
  MapView map_;
  MovementProfile profile_;
  StepCosts base_;
  Host host_;
  CellRules rules_;
  SharedPlane<Word> passable_, unknown_, fits_;
  SharedPlane<std::uint8_t> moves_, footings_;
  SharedPlane<std::uint32_t> factors_;
  SharedPlane<FactorRange> ranges_;  // by word; null where rules_.one_cost
  EdgeCosts edges_;
  SharedBake bake_;                    // its words are not in fits_
  SharedPlane<std::uint8_t> reverse_;  // null: no forbidden steps
  std::shared_ptr<const PortalLists> portals_;
  std::shared_ptr<const LiveComponents> components_;
  std::uint32_t uniform_factor_ = 1, min_factor_ = 0, max_factor_ = 0;
  std::uint64_t open_cells_ = 0, unknown_cells_ = 0, content_hash_ = 0, steps_hash_ = 0;
  std::vector<std::uint32_t> changed_words_;
  std::uint64_t updated_from_ = 0;  // content hash of the graph that this one is an update of
  bool updated_ = false;
};

}  // namespace drover::nav
