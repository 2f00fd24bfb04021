// SPDX-License-Identifier: MIT
// What a step costs beside the ground it enters: rules of single steps and slopes.
#pragma once
#include "nav/cow_plane.hpp"
#include "nav/edge_table.hpp"

#include <drover/profile.hpp>

#include <cstdint>
#include <memory>

namespace drover::nav {

/// Of one (map, footprint). Plain maps have none of it. A body stands as high as the highest cell it covers.
class EdgeCosts {
 public:
  EdgeCosts() = default;
  /// Check valid(): without memory for the heights of a large body it is not.
  static EdgeCosts of(const MapView& map, int footprint, const Allocator& allocator);
  /// The same heights with the rules of another state of the map.
  EdgeCosts with_rules_of(const MapView& map, int footprint) const;

  bool valid() const noexcept { return valid_; }
  /// True where no surcharge can differ; false where one may.
  bool same_as(const EdgeCosts& other) const noexcept {
    return rules_ == other.rules_ && heights_ == other.heights_ && slope_ == other.slope_;
  }
  bool any() const noexcept { return rules_ != nullptr || heights_ != nullptr; }
  const EdgeTable* rules() const noexcept { return rules_.get(); }
  bool any_forbidden() const noexcept { return rules_ != nullptr && rules_->any_forbidden(); }

  std::uint64_t surcharge(std::uint32_t from, int k) const noexcept {
    std::uint64_t sum = rules_ != nullptr ? rules_->extra(from, k) : 0;
    if (heights_ != nullptr) sum += slope_of(heights_[from], heights_[from + offsets_[k]]);
    return sum;
  }
  /// No surcharge is above this.
  std::uint64_t max_surcharge() const noexcept { return steepest_ + (rules_ != nullptr ? rules_->max_extra() : 0); }
  /// Sum over the dearer of these steps of 64 placements of a mix of (place, direction, surcharge).
  std::uint64_t hash(std::uint32_t w, const StepWords& steps) const noexcept;

 private:
  std::uint64_t slope_of(std::int32_t from, std::int32_t to) const noexcept {
    const std::int64_t climb = std::int64_t{to} - from;
    return climb > 0 ? slope_.up * static_cast<std::uint64_t>(climb) : slope_.down * static_cast<std::uint64_t>(-climb);
  }
  bool raise(const MapView& map, int footprint, const Allocator& allocator);
  void find_steepest(const GridShape& shape, int footprint) noexcept;

  std::shared_ptr<const EdgeTable> rules_;                         // null: none
  std::shared_ptr<const base::Plane<std::int32_t>> body_heights_;  // of bodies above 1x1
  const std::int32_t* heights_ = nullptr;  // those or the map's own, which lives as long as the graph's map view
  SlopeCost slope_;
  std::uint64_t steepest_ = 0;
  std::uint32_t offsets_[kDirections] = {};
  bool valid_ = true;
};

}  // namespace drover::nav
