// SPDX-License-Identifier: MIT
// The storage behind a FlowField: one pooled block with the page tables and the planes.
#pragma once
#include <drover/field.hpp>

#include "field/field_pool.hpp"

#include <memory>
#include <type_traits>

namespace drover::field {

/// Written by the builder, read-only from the moment it is handed out as a FlowField.
class FlowFieldData final : public FlowField {
 public:
  enum class Width : std::uint8_t { bits32, bits64 };

  enum class Steps : std::uint8_t { left_out, kept };

  /// What costs say at first: infinite everywhere, or outside of the map only, for an engine that writes them all.
  enum class Costs : std::uint8_t { infinite, unset };

  /// Null where there is no memory. Outside of the map planes say "outside", no ties, infinite cost; in the map codes
  /// and ties are not set yet. Steps are not counted anywhere.
  static std::shared_ptr<FlowFieldData> make(std::shared_ptr<FieldPool> pool, const GridShape& shape, Width width,
                                             Steps steps = Steps::left_out, Costs costs = Costs::infinite);

  FlowFieldData(std::shared_ptr<FieldPool> pool, PoolBlock block) noexcept : pool_(std::move(pool)), block_(block) {}
  ~FlowFieldData() override { pool_->give_back(block_); }

  std::uint8_t* codes() noexcept { return code_plane_; }
  std::uint8_t* ties() noexcept { return tie_plane_; }
  template <class T>
  T* costs() noexcept {
    static_assert(std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>);
    return static_cast<T*>(cost_plane_);
  }
  WaySteps* steps() noexcept { return step_plane_; }  // null: left out
  Width width() const noexcept { return costs32_ != nullptr ? Width::bits32 : Width::bits64; }

  struct Identity {
    Cost scale = 1;
    std::uint64_t graph_hash = 0, profile_digest = 0;
    std::uint16_t served = 0;
  };
  void set_identity(const Identity& identity) noexcept;
  Identity identity() const noexcept { return {scale_, graph_hash_, profile_digest_, served_}; }
  /// `cells` ascending, each once; `owners[i]` is the entry of the goal list that counts in cells[i].
  void set_goals(std::vector<PlacedGoal> placed, std::vector<std::uint32_t> cells,
                 std::vector<std::uint32_t> owners) noexcept;
  /// `steps[i]` leaves cells[i]; ascending by (cell, number).
  void set_portal_steps(std::vector<std::uint32_t> cells, std::vector<PortalStep> steps) noexcept;
  std::span<const std::uint32_t> portal_cells() const noexcept { return portal_cells_; }
  std::span<const PortalStep> portal_steps() const noexcept { return portal_steps_; }
  std::span<const std::uint32_t> goal_cells() const noexcept { return goal_cells_; }
  std::span<const std::uint32_t> goal_owners() const noexcept { return goal_owners_; }

 private:
  void lay_out(const GridShape& shape, Width width, Steps steps, Costs costs) noexcept;

  std::shared_ptr<FieldPool> pool_;
  PoolBlock block_;
  std::uint8_t* code_plane_ = nullptr;
  std::uint8_t* tie_plane_ = nullptr;
  void* cost_plane_ = nullptr;
  WaySteps* step_plane_ = nullptr;
};

}  // namespace drover::field
