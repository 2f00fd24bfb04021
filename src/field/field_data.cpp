// SPDX-License-Identifier: MIT
// Layout of a field's block.
#include "field/field_data.hpp"

#include <cstring>
#include <new>

namespace drover::field {
namespace {

constexpr std::uint64_t kPageCells = std::uint64_t{1} << FlowField::kPageBits;

std::uint64_t page_count(const GridShape& shape) {
  return (shape.padded_cells() + kPageCells - 1) >> FlowField::kPageBits;
}

std::uint64_t cost_bytes(FlowFieldData::Width width) { return width == FlowFieldData::Width::bits32 ? 4 : 8; }

std::uint64_t step_bytes(FlowFieldData::Steps steps) {
  return steps == FlowFieldData::Steps::kept ? sizeof(WaySteps) : 0;
}

// Tables: one pointer a page for codes, ties, costs and, where they are kept, steps.
std::uint64_t table_bytes(std::uint64_t pages, FlowFieldData::Steps steps) {
  const std::uint64_t tables = steps == FlowFieldData::Steps::kept ? 4 : 3;
  return (pages * tables * sizeof(void*) + 63) / 64 * 64;
}

// All that lies before, between and behind the rows of the map; half of a build's memory traffic if rows were set too.
void fill_outside(const GridShape& shape, std::uint64_t cells, std::byte* plane, std::uint64_t bytes, int value) {
  const auto width = static_cast<std::uint64_t>(shape.width());
  std::uint64_t from = 0;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      const std::uint64_t first = shape.at(0, row, layer);
      std::memset(plane + from * bytes, value, (first - from) * bytes);
      from = first + width;
    }
  }
  std::memset(plane + from * bytes, value, (cells - from) * bytes);
}

template <class T>
const T* const* make_table(const T**& next, const T* plane, std::uint64_t pages) {
  const T** const table = next;
  for (std::uint64_t i = 0; i < pages; ++i) table[i] = plane + (i << FlowField::kPageBits);
  next += pages;
  return table;
}

}  // namespace

std::shared_ptr<FlowFieldData> FlowFieldData::make(std::shared_ptr<FieldPool> pool, const GridShape& shape, Width width,
                                                   Steps steps, Costs costs) {
  const std::uint64_t pages = page_count(shape);
  const std::uint64_t bytes =
      table_bytes(pages, steps) + pages * kPageCells * (2 + cost_bytes(width) + step_bytes(steps));
  if (bytes > static_cast<std::size_t>(-1) / 2) return nullptr;
  const PoolBlock block = pool->take(static_cast<std::size_t>(bytes));
  if (block.data == nullptr) return nullptr;
  auto give_back = [&pool](PoolBlock* b) { pool->give_back(*b); };
  PoolBlock guarded = block;
  std::unique_ptr<PoolBlock, decltype(give_back)> guard(&guarded, give_back);
  auto data = std::make_shared<FlowFieldData>(pool, block);  // may throw; then the guard returns the block
  static_cast<void>(guard.release());
  data->lay_out(shape, width, steps, costs);
  return data;
}

void FlowFieldData::lay_out(const GridShape& shape, Width width, Steps steps, Costs first_costs) noexcept {
  const std::uint64_t pages = page_count(shape), cells = pages * kPageCells;
  std::byte* const costs = block_.data + table_bytes(pages, steps);
  std::byte* const ways = costs + cells * cost_bytes(width);
  code_plane_ = reinterpret_cast<std::uint8_t*>(ways + cells * step_bytes(steps));
  tie_plane_ = code_plane_ + cells;
  cost_plane_ = costs;
  const BlockLayout layout{shape, static_cast<std::uint8_t>(cost_bytes(width)), steps == Steps::kept};
  if (block_.layout != layout) {
    fill_outside(shape, cells, costs, cost_bytes(width), 0xFF);
    fill_outside(shape, cells, reinterpret_cast<std::byte*>(code_plane_), 1, kOutsideCode);
    fill_outside(shape, cells, reinterpret_cast<std::byte*>(tie_plane_), 1, 0);
  }
  block_.layout = layout;
  if (first_costs == Costs::infinite) std::memset(cost_plane_, 0xFF, cells * cost_bytes(width));
  std::memset(ways, 0xFF, cells * step_bytes(steps));

  auto* bytes_table = reinterpret_cast<const std::uint8_t**>(block_.data);
  codes_ = make_table(bytes_table, static_cast<const std::uint8_t*>(code_plane_), pages);
  ties_ = make_table(bytes_table, static_cast<const std::uint8_t*>(tie_plane_), pages);
  auto* table32 = reinterpret_cast<const std::uint32_t**>(bytes_table);
  auto* table64 = reinterpret_cast<const std::uint64_t**>(bytes_table);
  if (width == Width::bits32)
    costs32_ = make_table(table32, static_cast<const std::uint32_t*>(cost_plane_), pages);
  else
    costs64_ = make_table(table64, static_cast<const std::uint64_t*>(cost_plane_), pages);
  if (steps == Steps::kept) {
    auto* table = reinterpret_cast<const WaySteps**>(bytes_table + pages);
    step_plane_ = reinterpret_cast<WaySteps*>(ways);
    steps_ = make_table(table, static_cast<const WaySteps*>(step_plane_), pages);
  }
  shape_ = shape;
  bytes_ = block_.bytes;
}

void FlowFieldData::set_identity(const Identity& identity) noexcept {
  scale_ = identity.scale;
  graph_hash_ = identity.graph_hash;
  profile_digest_ = identity.profile_digest;
  served_ = identity.served;
}

void FlowFieldData::set_goals(std::vector<PlacedGoal> placed, std::vector<std::uint32_t> cells,
                              std::vector<std::uint32_t> owners) noexcept {
  goals_ = std::move(placed);
  goal_cells_ = std::move(cells);
  goal_owners_ = std::move(owners);
}

void FlowFieldData::set_portal_steps(std::vector<std::uint32_t> cells, std::vector<PortalStep> steps) noexcept {
  portal_cells_ = std::move(cells);
  portal_steps_ = std::move(steps);
  bytes_ += portal_cells_.size() * (sizeof(std::uint32_t) + sizeof(PortalStep));
}

}  // namespace drover::field
