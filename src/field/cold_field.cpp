// SPDX-License-Identifier: MIT
// Copies of rows and of the bases of tiles.
#include "field/cold_field.hpp"

#include "field/tile_kernels.hpp"

#include <algorithm>
#include <utility>

namespace drover {
ColdField::~ColdField() = default;
}  // namespace drover

namespace drover::field {
namespace {

// visit(cells before it in the map, index, cells) for pieces of rows that lie in one page each.
template <class Visit>
void each_piece(const GridShape& shape, Visit&& visit) {
  const auto width = static_cast<std::uint32_t>(shape.width());
  std::size_t before = 0;
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      for (std::uint32_t x = 0; x < width;) {
        const std::uint32_t cell = shape.at(0, row, layer) + x;
        const std::uint32_t count = std::min(width - x, FlowField::kPageMask + 1 - (cell & FlowField::kPageMask));
        visit(before, cell, count);
        before += count;
        x += count;
      }
    }
  }
}

// visit(tile, index of a cell of it, rows) for all tiles.
template <class Visit>
void each_tile(const GridShape& shape, Visit&& visit) {
  std::size_t tile = 0;
  constexpr auto kSide = static_cast<std::int32_t>(kTileSide);
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer)
    for (std::int32_t row = 0; row < shape.height(); row += kSide)
      for (std::int32_t x = 0; x < shape.width(); x += kSide)
        visit(tile++, shape.at(x, row, layer), std::min(kSide, shape.height() - row));
}

}  // namespace

std::shared_ptr<const ColdFieldData> ColdFieldData::of(const FlowFieldData& field, const Allocator& allocator) {
  auto cold = std::make_shared<ColdFieldData>();
  const GridShape& shape = field.shape();
  const std::size_t tiles =
      std::size_t{tiles_along(shape.width())} * tiles_along(shape.height()) * static_cast<std::size_t>(shape.layers());
  cold->costs_ = base::Plane<std::uint16_t>::uninitialised(allocator, static_cast<std::size_t>(shape.cell_count()));
  cold->bases_ = base::Plane<std::uint32_t>::uninitialised(allocator, tiles);
  if (!cold->costs_.valid() || !cold->bases_.valid()) return nullptr;
  each_piece(shape, [&](std::size_t before, std::uint32_t cell, std::uint32_t count) {
    const std::uint16_t* const page = field.cost_pages<std::uint16_t>()[cell >> FlowField::kPageBits];
    std::copy_n(page + (cell & FlowField::kPageMask), count, cold->costs_.data() + before);
  });
  each_tile(shape, [&](std::size_t tile, std::uint32_t cell, std::int32_t) {
    cold->bases_[tile] =
        field.base_pages()[cell >> FlowField::kPageBits][(cell & FlowField::kPageMask) / FlowFieldData::kLineCells];
  });
  cold->shape_ = shape;
  cold->has_steps_ = field.has_steps();
  cold->identity_ = field.identity();
  cold->sums_ = field.sums();
  cold->goals_.assign(field.goals().begin(), field.goals().end());
  cold->goal_cells_.assign(field.goal_cells().begin(), field.goal_cells().end());
  cold->goal_owners_.assign(field.goal_owners().begin(), field.goal_owners().end());
  cold->portal_cells_.assign(field.portal_cells().begin(), field.portal_cells().end());
  cold->portal_steps_.assign(field.portal_steps().begin(), field.portal_steps().end());
  cold->graph_hash_ = field.graph_hash();
  cold->bytes_ = cold->costs_.size() * sizeof(std::uint16_t) + tiles * sizeof(std::uint32_t);
  return cold;
}

PlacedGoals ColdFieldData::goals() const {
  PlacedGoals goals;
  for (std::size_t i = 0; i < goal_cells_.size(); ++i) goals.sources.push_back({sums_.offsets[i], goal_cells_[i]});
  std::sort(goals.sources.begin(), goals.sources.end(),
            [](const Source& a, const Source& b) { return a.cost != b.cost ? a.cost < b.cost : a.cell < b.cell; });
  return goals;
}

void ColdFieldData::put_back(FlowFieldData& field) const {
  each_piece(shape_, [&](std::size_t before, std::uint32_t cell, std::uint32_t count) {
    std::copy_n(costs_.data() + before, count, field.costs<std::uint16_t>() + cell);
  });
  each_tile(shape_, [&](std::size_t tile, std::uint32_t cell, std::int32_t rows) {
    for (std::int32_t i = 0; i < rows; ++i, cell += shape_.stride())
      field.bases()[cell / FlowFieldData::kLineCells] = bases_[tile];
  });
  field.set_identity(identity_);
  field.set_sums(sums_);
  field.set_goals(goals_, goal_cells_, goal_owners_);
  field.set_portal_steps(portal_cells_, portal_steps_);
}

}  // namespace drover::field
