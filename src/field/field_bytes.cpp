// SPDX-License-Identifier: MIT
// Planes cell by cell without padding; costs in the field's own units.
#include "field/field_bytes.hpp"

#include "field/field_data.hpp"
#include "world/map_bytes.hpp"

#include <bit>
#include <span>
#include <utility>
#include <vector>

namespace drover::field {
namespace {

using Width = FlowFieldData::Width;

Status not_a_field() { return {StatusCode::snapshot, "a field in these bytes is not whole"}; }

template <class Visit>
void each_cell(const GridShape& shape, Visit&& visit) {
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer)
    for (std::int32_t row = 0; row < shape.height(); ++row)
      for (std::int32_t column = 0; column < shape.width(); ++column) visit(column, row, shape.at(column, row, layer));
}

// Directions that leave the map from here.
std::uint8_t leaving(const GridShape& shape, std::int32_t column, std::int32_t row) noexcept {
  std::uint8_t bits = 0;
  for (int d = 0; d < kDirections; ++d) {
    const std::int32_t x = column + kDx[d], y = row + kDy[d];
    if (x < 0 || y < 0 || x >= shape.width() || y >= shape.height()) bits |= static_cast<std::uint8_t>(1u << d);
  }
  return bits;
}

template <class T>
void read_planes(base::ByteReader& in, const GridShape& shape, FlowFieldData& data) {
  T* const costs = data.costs<T>();
  each_cell(shape, [&](std::int32_t column, std::int32_t row, std::uint32_t cell) {
    const std::uint8_t code = in.u8(FlowField::kOutsideCode), ties = in.u8();
    const std::uint64_t cost = in.number(FlowFieldData::kNone<T>);  // 0: none, else one more than the cost
    in.expect(code == FlowField::kPortalCode || code >= FlowField::kGoalCode || ties != 0);
    in.expect((ties & leaving(shape, column, row)) == 0);
    in.expect((ties == 0 || code == std::countr_zero(ties)) && (code < FlowField::kUnreachableCode) == (cost > 0));
    if (!in.ok()) return;
    data.ties()[cell] = ties;
    costs[cell] = static_cast<T>(cost > 0 ? cost - 1 : FlowFieldData::kNone<T> + (code - FlowField::kUnreachableCode));
  });
}

// Cells ascending, each the map's and a goal of the list.
void read_goals(base::ByteReader& in, const GridShape& shape, FlowFieldData& data) {
  std::vector<PlacedGoal> placed(in.count(8));
  for (PlacedGoal& goal : placed) {
    goal.asked = world::read_cell(in);
    goal.status = static_cast<StatusCode>(in.u8(static_cast<std::uint8_t>(StatusCode::limit_replay)));
    goal.placed = world::read_cell(in);
    goal.rank = static_cast<GoalRank>(in.u8(static_cast<std::uint8_t>(GoalRank::dominated)));
  }
  std::vector<std::uint32_t> cells(in.count(4)), owners(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = shape.index(world::read_cell(in)).value;
    owners[i] = in.number32();
    in.expect(CellIndex{cells[i]}.valid() && owners[i] < placed.size() && (i == 0 || cells[i] > cells[i - 1]));
    if (!in.ok()) return;
  }
  data.set_goals(std::move(placed), std::move(cells), std::move(owners));
}

// Ascending by (cell, number), between cells of the map.
void read_portals(base::ByteReader& in, const GridShape& shape, FlowFieldData& data) {
  std::vector<std::uint32_t> cells(in.count(7));
  std::vector<PortalStep> steps(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = shape.index(world::read_cell(in)).value;
    steps[i].portal = in.number32();
    steps[i].to = shape.index(world::read_cell(in));
    in.expect(CellIndex{cells[i]}.valid() && steps[i].to.valid());
    if (i > 0) in.expect(std::pair(cells[i - 1], steps[i - 1].portal) < std::pair(cells[i], steps[i].portal));
    if (!in.ok()) return;
  }
  data.set_portal_steps(std::move(cells), std::move(steps));
}

// Every direction leads on, in the end to a goal of the list; so does the first portal of a cell that has no other way.
bool leads_to_goals(const FlowFieldData& data, const GridShape& shape) {
  enum Mark : std::uint8_t { unseen, on_the_way, good };
  std::vector<Mark> marks(shape.padded_cells(), unseen);
  for (const std::uint32_t cell : data.goal_cells()) {
    if (data.code({cell}) != FlowField::kGoalCode) return false;
    marks[cell] = good;
  }
  bool right = true;
  each_cell(shape, [&](std::int32_t, std::int32_t, std::uint32_t start) {
    const auto moves = [&](std::uint32_t cell) { return data.code({cell}) <= FlowField::kPortalCode; };
    const auto next = [&](std::uint32_t cell) {
      if (data.code({cell}) != FlowField::kPortalCode)
        return cell + shape.step(static_cast<Direction>(data.code({cell})));
      const std::span<const PortalStep> portals = data.optimal_portals({cell});
      right = right && !portals.empty();
      return portals.empty() ? cell : portals.front().to.value;
    };
    if (!moves(start)) right = right && (data.code({start}) != FlowField::kGoalCode || marks[start] == good);
    std::uint32_t end = start;
    for (; moves(end) && marks[end] == unseen; end = next(end)) marks[end] = on_the_way;
    if (moves(start) && marks[end] != good) right = false;
    for (std::uint32_t cell = start; right && moves(cell) && marks[cell] == on_the_way; cell = next(cell))
      marks[cell] = good;
  });
  return right;
}

}  // namespace

void write_field(base::ByteWriter& out, const FlowField& field) {
  const auto& data = static_cast<const FlowFieldData&>(field);
  const GridShape& shape = field.shape();
  const FlowFieldData::Identity identity = data.identity();
  out.u8(data.width() == Width::bits64 ? 1 : 0);
  out.number(identity.scale);
  out.u64(identity.graph_hash);
  write_maker(out, field);
  each_cell(shape, [&](std::int32_t, std::int32_t, std::uint32_t cell) {
    const Cost cost = field.cost_to_goal({cell});
    out.u8(field.code({cell}));
    out.u8(field.optimal_directions({cell}).bits);
    out.number(cost == kInfiniteCost ? 0 : cost / identity.scale + 1);
  });
  out.number(field.goals().size());
  for (const PlacedGoal& goal : field.goals()) {
    world::write_cell(out, goal.asked);
    out.u8(static_cast<std::uint8_t>(goal.status));
    world::write_cell(out, goal.placed);
    out.u8(static_cast<std::uint8_t>(goal.rank));
  }
  out.number(data.goal_cells().size());
  for (std::size_t i = 0; i < data.goal_cells().size(); ++i) {
    world::write_cell(out, shape.cell({data.goal_cells()[i]}));
    out.number(data.goal_owners()[i]);
  }
  out.number(data.portal_cells().size());
  for (std::size_t i = 0; i < data.portal_cells().size(); ++i) {
    world::write_cell(out, shape.cell({data.portal_cells()[i]}));
    out.number(data.portal_steps()[i].portal);
    world::write_cell(out, shape.cell(data.portal_steps()[i].to));
  }
}

Result<FieldRef> read_field(base::ByteReader& in, const GridShape& shape, const Host& host) {
  const Width width = in.flag() ? Width::bits64 : Width::bits32;
  FlowFieldData::Identity identity;
  identity.scale = in.number();
  identity.graph_hash = in.u64();
  const Maker maker = read_maker(in);
  identity.profile_digest = maker.profile_digest;
  identity.served = maker.served;
  in.expect(identity.scale > 0);
  if (!in.ok() || shape.cell_count() > in.left() / 3) return not_a_field();
  const std::shared_ptr<FlowFieldData> data = FlowFieldData::make(std::make_shared<FieldPool>(host), shape, {width});
  if (data == nullptr) return Status(StatusCode::out_of_memory, "out of memory");
  width == Width::bits64 ? read_planes<std::uint64_t>(in, shape, *data) : read_planes<std::uint32_t>(in, shape, *data);
  read_goals(in, shape, *data);
  read_portals(in, shape, *data);
  data->set_identity(identity);
  if (!in.ok() || !leads_to_goals(*data, shape)) return not_a_field();
  return FieldRef(data);
}

void write_maker(base::ByteWriter& out, const FlowField& field) {
  out.u64(field.profile_digest());
  out.number(static_cast<const FlowFieldData&>(field).identity().served);
}

Maker read_maker(base::ByteReader& in) noexcept {
  const std::uint64_t profile_digest = in.u64();
  return {profile_digest, static_cast<std::uint16_t>(in.number((2u << kMaxFactions) - 1))};
}

void name_maker(const FieldRef& fresh, const Maker& maker) noexcept {
  auto& data = static_cast<FlowFieldData&>(const_cast<FlowField&>(*fresh));
  FlowFieldData::Identity identity = data.identity();
  identity.profile_digest = maker.profile_digest;
  identity.served = maker.served;
  data.set_identity(identity);
}

}  // namespace drover::field
