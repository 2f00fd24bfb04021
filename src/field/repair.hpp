// SPDX-License-Identifier: MIT
// A field made from that of an older graph: what an edit reached is settled again, all else is shared.
#pragma once
#include "base/quad_heap.hpp"
#include "field/choice.hpp"
#include "field/field_data.hpp"
#include "field/goals.hpp"
#include "field/heap.hpp"
#include "nav/graph_changes.hpp"

#include <memory>
#include <vector>

namespace drover::field {

/// "This cell at this cost", for costs of 32 bits without hops: half the bytes of a HeapEvent.
class NarrowEvent {
 public:
  NarrowEvent() = default;
  NarrowEvent(std::uint64_t cost, std::uint32_t, bool, std::uint32_t cell) noexcept : value_(cost << 32 | cell) {}
  std::uint64_t cost() const noexcept { return value_ >> 32; }
  static std::uint32_t hops() noexcept { return 0; }
  std::uint32_t cell() const noexcept { return static_cast<std::uint32_t>(value_); }
  friend bool operator<(const NarrowEvent& a, const NarrowEvent& b) noexcept { return a.value_ < b.value_; }

 private:
  std::uint64_t value_;
};

/// Memory of repairs, kept between them.
struct RepairScratch {
  nav::GraphChanges changes;
  base::Plane<std::uint8_t> marks;  // all clear between repairs
  std::vector<std::uint32_t> suspects, asked, touched, patched, turned;
  base::QuadHeap<NarrowEvent> narrow;
  HeapScratch wide;
};

/// `old` was built on `before`, in the units and with the channels that a build on `after` would have now.
struct RepairJob {
  const FlowFieldData& old;
  const nav::CompiledGraph& before;
  const nav::CompiledGraph& after;
  const PlacedGoals& goals;
  const Units& units;
  std::uint64_t budget = 0;  // visits of cells
  const Allocator& allocator;
};

struct Repair {
  std::shared_ptr<FlowFieldData> field;  // goals, identity and sums are left to be set; null: see below
  const char* refused = "";              // why a build is the better way
  bool out_of_memory = false;
  std::uint64_t touched = 0;  // cells whose cost was found anew
  std::uint64_t pages = 0;    // copied
  FlowFieldData::Sums sums;   // offsets are left to be set
};

/// Two phases (Ramalingam and Reps, J. Algorithms 1996). First the cells that an edit may have left without support,
/// in ascending order of their old cost: one loses its cost if no step explains it any more, then those that it may
/// have explained are asked. Then costs are settled again from the rim of what was lost, and from steps that became
/// cheaper. At last directions of what changed and of all that step there.
Repair repair_field(const RepairJob& job, RepairScratch& scratch);

/// False for a field that was built or read.
bool was_repaired(const FlowField& field) noexcept;

/// Visits after which a build is taken to be the cheaper way.
std::uint64_t repair_budget(FieldEngine engine, std::uint64_t reached) noexcept;

}  // namespace drover::field
