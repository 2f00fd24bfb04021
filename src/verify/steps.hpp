// SPDX-License-Identifier: MIT
// Every legal step of one profile on a map, and what it costs.
#pragma once
#include <drover/profile.hpp>
#include <drover/verify.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/body.hpp"
#include "verify/ground.hpp"

namespace drover::verify {

/// Worked out from the map by contracts 1.4 to 1.6, 2.2 and 2.4. Ways are numbered in tie order: 0 .. 7 the directions,
/// CellClaim::kPortalStep + n the portal n. Indices are padded; none of the border can be stood on.
class Steps {
 public:
  /// The profile must be valid.
  Steps(const MapView& map, const MovementProfile& profile);

  const GridShape& shape() const noexcept { return ground_.shape(); }
  bool stands(std::uint32_t index) const noexcept { return stands_[index] != 0; }
  /// Of a cell where the body cannot stand: blocked, no_room or unknown; else unreachable, as there is no goal yet.
  ClaimedState without_goal(std::uint32_t index) const noexcept;

  /// Calls visit(way, to, cost) for every legal step from here, in tie order.
  template <class Visit>
  void leaving(std::uint32_t from, Visit&& visit) const {
    for (unsigned k = 0; k < kDirections; ++k) {
      if ((moves_[from] >> k & 1) != 0) visit(std::uint32_t{k}, from + offsets_[k], cost(from, k));
    }
    for (std::size_t i = first_of(from_, from); i < from_.size() && from_[i].at == from; ++i)
      visit(CellClaim::kPortalStep + from_[i].number, from_[i].other, Cost{from_[i].cost});
  }
  /// Calls visit(from, cost) for every legal step that ends here.
  template <class Visit>
  void entering(std::uint32_t to, Visit&& visit) const {
    for (unsigned k = 0; k < kDirections; ++k) {
      const std::uint32_t from = to - offsets_[k];
      if ((moves_[from] >> k & 1) != 0) visit(from, cost(from, k));
    }
    for (std::size_t i = first_of(to_, to); i < to_.size() && to_[i].at == to; ++i)
      visit(to_[i].other, Cost{to_[i].cost});
  }

 private:
  struct Rule {
    std::uint64_t step = 0;  // 8 x index + direction
    bool allowed = true;
    Cost extra = 0;
  };
  struct Portal {
    std::uint32_t at = 0, number = 0, other = 0, cost = 0;
  };

  void find_places(const MovementProfile& profile);
  void find_rules(const MapView& map);
  void find_moves(const MovementProfile& profile);
  void find_portals(const MapView& map);
  std::vector<Rule> rules_of_cells(const MapView& map) const;
  const Rule* rule(std::uint32_t from, unsigned k) const noexcept;
  Cost cost(std::uint32_t from, unsigned k) const noexcept;
  static std::size_t first_of(const std::vector<Portal>& portals, std::uint32_t at) noexcept;

  MapView map_;
  Ground ground_;
  Body body_;
  std::vector<std::uint8_t> stands_, moves_;
  std::vector<std::uint32_t> factors_;  // dearest cell below a placement
  std::vector<std::int32_t> heights_;   // highest cell below it, empty without slopes
  std::vector<Rule> rules_;             // of placements, ascending
  std::vector<Portal> from_, to_;       // usable ones, by where they begin and by where they end
  std::uint32_t offsets_[kDirections] = {};
  StepCosts base_;
  std::vector<std::int32_t> layers_;
  FactionId faction_;
};

}  // namespace drover::verify
