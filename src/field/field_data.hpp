// SPDX-License-Identifier: MIT
// The storage behind a FlowField: page tables, and pages that fields may share.
#pragma once
#include <drover/field.hpp>

#include "field/field_pool.hpp"

#include <memory>
#include <type_traits>

namespace drover::field {

/// Written by the builder, read-only from the moment it is handed out as a FlowField.
///
/// A field that was built has all its pages in one block, plane by plane, so that engines write flat planes. A field
/// that was repaired has a table of its own and shares the pages that it does not change: a page lives as long as some
/// field uses it, the block of a build as long as one of its pages is used.
class FlowFieldData final : public FlowField {
 public:
  enum class Width : std::uint8_t { bits16, bits32, bits64 };
  enum class Steps : std::uint8_t { left_out, kept };
  /// Fewest steps of optimal ways: what repairs of fields with free steps go by.
  enum class Hops : std::uint8_t { left_out, kept };

  /// What costs of the map say at first: none, or anything, for an engine that writes them all.
  enum class Costs : std::uint8_t { none, unset };
  struct Parts {
    Width width = Width::bits32;
    Steps steps = Steps::left_out;
    Hops hops = Hops::left_out;
  };

  /// Null where there is no memory. Outside of the map planes say "outside" and no ties; in the map ties are not set
  /// yet. Steps and hops are not counted anywhere.
  static std::shared_ptr<FlowFieldData> make(std::shared_ptr<FieldPool> pool, const GridShape& shape, Parts parts,
                                             Costs costs = Costs::none);
  /// Every cell says that it is not ready, outside of the map too: one page in the place of all; own() those that are
  /// written. Null where there is no memory.
  static std::shared_ptr<FlowFieldData> make_blank(std::shared_ptr<FieldPool> pool, const GridShape& shape,
                                                   Parts parts);
  /// A field of the same content that shares every page with `old`; own() pages before they are written. Null where
  /// there is no memory. Identity, goals and portals are left to be set.
  static std::shared_ptr<FlowFieldData> share(const FlowFieldData& old);

  FlowFieldData(std::shared_ptr<FieldPool> pool, PoolBlock table) noexcept : pool_(std::move(pool)), table_(table) {}
  ~FlowFieldData() override;

  /// Flat planes, of fields that were made only.
  std::uint8_t* ties() noexcept { return const_cast<std::uint8_t*>(ties_[0]); }
  template <class T>
  T* costs() noexcept {
    return const_cast<T*>(cost_pages<T>()[0]);
  }
  WaySteps* steps() noexcept { return steps_ == nullptr ? nullptr : const_cast<WaySteps*>(steps_[0]); }
  std::uint32_t* hops() noexcept { return hops_ == nullptr ? nullptr : const_cast<std::uint32_t*>(hops_[0]); }

  /// Of costs of 16 bits, one a line of kLineCells cells: multiples of kBaseStep, the same in all lines of a tile.
  std::uint32_t* bases() noexcept { return const_cast<std::uint32_t*>(bases_[0]); }
  static constexpr std::uint32_t kLineCells = 1u << kLineBits;
  static constexpr std::uint32_t kBaseStep = 4096;

  template <class T>
  static constexpr T kNone = kFirstState<T>;
  /// What a cell without a cost holds in its place.
  template <class T>
  static constexpr T state_cost(std::uint8_t footing) noexcept {
    return static_cast<T>(kFirstState<T> + footing);
  }

  template <class T>
  static constexpr T kNotReady = static_cast<T>(kFirstState<T> + (kNotReadyCode - kUnreachableCode));
  void mark_as_part() noexcept { whole_ = false; }

  template <class T>
  const T* const* cost_pages() const noexcept {
    if constexpr (std::is_same_v<T, std::uint16_t>) {
      return costs16_;
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      return costs32_;
    } else {
      static_assert(std::is_same_v<T, std::uint64_t>);
      return costs64_;
    }
  }
  const std::uint32_t* const* base_pages() const noexcept { return bases_; }  // null: costs are not of 16 bits
  const std::uint8_t* const* tie_pages() const noexcept { return ties_; }
  const WaySteps* const* step_pages() const noexcept { return steps_; }
  const std::uint32_t* const* hop_pages() const noexcept { return hops_; }  // null: left out
  std::uint32_t page_count() const noexcept { return page_count_; }
  const Page* page(std::uint32_t i) const noexcept { return pages_[i]; }
  /// Puts a copy in the place of a page that is shared. False without memory.
  bool own(std::uint32_t page) noexcept;
  /// Call for every cell that was written after the digest was asked for, of this field or of the one it shares with.
  void forget_digest(std::uint32_t cell) noexcept;

  bool repaired() const noexcept { return table_.data != nullptr; }

  Width width() const noexcept {
    return costs16_ != nullptr ? Width::bits16 : costs32_ != nullptr ? Width::bits32 : Width::bits64;
  }
  const FieldPool* pool() const noexcept { return pool_.get(); }

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

  /// What a repair starts from beside the planes. `offsets` as goal_cells().
  struct Sums {
    std::vector<Cost> offsets;
    std::uint64_t reached = 0;
    std::uint64_t last_cost = kUnknown;  // in units; kUnknown: nobody asked
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  };
  void set_sums(Sums sums) noexcept { sums_ = std::move(sums); }
  const Sums& sums() const noexcept { return sums_; }

 private:
  struct Layout;
  void lay_tables(std::byte* at, const Layout& layout) noexcept;
  /// `laid_before`: the memory was that of a field of this layout, so what lies outside of the map is there still.
  void lay_planes(std::byte* at, const Layout& layout, Page* first, Costs first_costs, bool laid_before) noexcept;
  Layout layout() const noexcept;
  Page* take_page(std::uint32_t in_place_of) noexcept;

  std::shared_ptr<FieldPool> pool_;
  PoolBlock table_;  // none: the tables are in the block of the pages
  std::uint32_t page_count_ = 0;
  Page** pages_ = nullptr;
  const std::uint32_t* const* hops_ = nullptr;
  Sums sums_;
};

}  // namespace drover::field
