// SPDX-License-Identifier: MIT
// The editable map: planes shared with views until an edit must write to them.
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "world/map_state.hpp"
#include "world/map_terms.hpp"

#include <drover/map.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace drover {

using world::cell_term;
using world::CellNumbers;
using world::door_term;
using world::edges_term;
using world::faction_term;
using world::FlagPlane;
using world::fog_term;
using world::frame_term;
using world::head_term;
using world::outside;
using world::slope_term;
using world::TerrainPlane;
using world::to_text;

namespace {

Status validate_classes(const std::vector<TerrainClass>& classes) {
  if (classes.size() <= kWall || classes.size() > 255) {
    return {StatusCode::argument,
            base::concat(classes.size(), " terrain classes; expected 2 .. 255, floor and wall first")};
  }
  for (const TerrainClass& c : classes) {
    if (c.cost > kMaxCellCost) {
      return {StatusCode::cost_range,
              base::concat("cost ", c.cost, " of terrain \"", c.name, "\"; expected 0 .. ", kMaxCellCost)};
    }
  }
  return {};
}

}  // namespace

std::vector<TerrainClass> standard_terrain() {
  return {{"floor", '.', 1, true},  {"wall", '#', 1, false},  {"ground", 'G', 1, true}, {"swamp", 'S', 1, true},
          {"water", 'W', 1, false}, {"trees", 'T', 1, false}, {"out", '@', 1, false},   {"border", 'O', 1, false}};
}

namespace {
const GridShape kNoShape;
const WorldFrame kNoFrame{kNoShape};
}  // namespace

const GridShape& MapView::shape() const noexcept { return state_ ? state_->shape : kNoShape; }
std::span<const TerrainClass> MapView::terrain_classes() const noexcept {
  return state_ ? std::span<const TerrainClass>(*state_->classes) : std::span<const TerrainClass>();
}
std::uint64_t MapView::map_version() const noexcept { return state_ ? state_->map_version : 0; }
std::uint64_t MapView::overlay_version() const noexcept { return state_ ? state_->overlay_version : 0; }
std::uint64_t MapView::content_digest() const noexcept { return state_ ? base::mix(state_->content) : 0; }
std::span<const std::string> MapView::factions() const noexcept {
  return state_ ? std::span<const std::string>(*state_->factions) : std::span<const std::string>();
}
std::span<const DoorDef> MapView::doors() const noexcept {
  return state_ ? std::span<const DoorDef>(*state_->doors) : std::span<const DoorDef>();
}
std::span<const StepRule> MapView::step_rules() const noexcept {
  return state_ ? std::span<const StepRule>(state_->edges->effective) : std::span<const StepRule>();
}
std::span<const StepRule> MapView::edited_step_rules() const noexcept {
  return state_ ? std::span<const StepRule>(state_->edges->own) : std::span<const StepRule>();
}
std::span<const PortalDef> MapView::portals() const noexcept {
  return state_ ? std::span<const PortalDef>(state_->edges->portals) : std::span<const PortalDef>();
}
SlopeCost MapView::slope() const noexcept { return state_ ? state_->slope : SlopeCost{}; }
const WorldFrame& MapView::frame() const noexcept { return state_ ? state_->frame : kNoFrame; }

void MapEdit::append(const MapEdit& later) {
  const auto add = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(cells, later.cells);
  add(doors, later.doors);
  add(steps, later.steps);
  add(portals, later.portals);
  add(obstacles, later.obstacles);
}

GridMap::GridMap(GridMap&&) noexcept = default;
GridMap& GridMap::operator=(GridMap&&) noexcept = default;
GridMap::~GridMap() = default;

const GridShape& GridMap::shape() const noexcept { return state_ ? state_->shape : kNoShape; }

MapView GridMap::view() const noexcept {
  MapView view;
  if (!state_) return view;
  view.state_ = state_;
  view.terrain_ = state_->terrain->data();
  view.flags_ = state_->flags->data();
  view.fog_ = state_->fog ? state_->fog->data() : nullptr;
  view.weights_ = state_->weights ? state_->weights->data() : nullptr;
  view.heights_ = state_->heights ? state_->heights->data() : nullptr;
  return view;
}

void GridMap::restore(const MapView& view) noexcept { state_ = std::const_pointer_cast<MapView::State>(view.state_); }

namespace {

void fill_inside(TerrainPlane& plane, const GridShape& shape, TerrainId inside) {
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      std::fill_n(plane.data() + shape.at(0, row, layer), shape.width(), inside);
    }
  }
}

}  // namespace

Result<GridMap> GridMap::create(const GridMapDef& def, const Host& host) {
  return base::no_throw([&]() -> Result<GridMap> {
    const auto shape = GridShape::create(def.width, def.height, def.layers, def.origin);
    if (!shape.ok()) return shape.status();
    if (Status status = validate_classes(def.terrain); !status.ok()) return status;
    const auto frame = world::frame_of(*shape, def);
    if (!frame.ok()) return frame.status();

    auto state = std::make_shared<MapView::State>();
    state->shape = *shape;
    state->classes = std::make_shared<const std::vector<TerrainClass>>(def.terrain);
    state->factions = std::make_shared<const std::vector<std::string>>();
    state->doors = std::make_shared<std::vector<DoorDef>>();
    state->door_index = std::make_shared<world::DoorIndex>();
    state->edges = std::make_shared<world::SparseEdges>();
    state->slope = def.slope;
    state->frame = *frame;
    const std::size_t cells = shape->padded_cells();
    state->terrain = std::make_shared<TerrainPlane>(TerrainPlane::filled(host.allocator, cells, kWall));
    if (!state->terrain->valid()) return base::out_of_memory(cells);
    state->flags = std::make_shared<FlagPlane>(FlagPlane::filled(host.allocator, cells, 0));
    if (!state->flags->valid()) return base::out_of_memory(cells);
    fill_inside(*state->terrain, *shape, kFloor);
    state->content = head_term(*shape, def.terrain) + slope_term(def.slope) + frame_term(*frame, *shape);

    GridMap map;
    map.state_ = std::move(state);
    map.host_ = host;
    return map;
  });
}

Result<GridMap> GridMap::from_rows(std::span<const std::string_view> rows, const Host& host) {
  return base::no_throw([&]() -> Result<GridMap> {
    if (rows.empty()) return Status(StatusCode::map_empty, "no rows; expected at least one");
    GridMapDef def;
    def.width = static_cast<std::int64_t>(rows.front().size());
    def.height = static_cast<std::int64_t>(rows.size());
    std::array<int, 256> class_of;
    class_of.fill(-1);
    for (std::size_t i = 0; i < def.terrain.size(); ++i) {
      class_of[static_cast<unsigned char>(def.terrain[i].letter)] = static_cast<int>(i);
    }
    for (std::size_t y = 0; y < rows.size(); ++y) {
      const auto at = [&](std::size_t x) { return base::concat("row ", y, ", column ", x, ": "); };
      if (rows[y].size() != rows.front().size()) {
        return Status(StatusCode::map_row_length,
                      base::concat("row ", y, " has ", rows[y].size(), " tiles; row 0 has ", rows.front().size()));
      }
      for (std::size_t x = 0; x < rows[y].size(); ++x) {
        const char letter = rows[y][x];
        if (letter == '?' || class_of[static_cast<unsigned char>(letter)] >= 0) continue;
        return Status(StatusCode::map_tile,
                      base::concat(at(x), "no terrain has the letter with code ", static_cast<unsigned char>(letter)));
      }
    }
    auto map = create(def, host);
    if (!map.ok()) return map;
    MapView::State& state = *map->state_;
    const CellNumbers number(state.shape);
    for (std::size_t y = 0; y < rows.size(); ++y) {
      for (std::size_t x = 0; x < rows[y].size(); ++x) {
        const std::uint32_t i = state.shape.at(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0);
        const bool unknown = rows[y][x] == '?';
        const auto terrain =
            static_cast<TerrainId>(unknown ? kFloor : class_of[static_cast<unsigned char>(rows[y][x])]);
        (*state.terrain)[i] = terrain;
        (*state.flags)[i] = unknown ? MapView::kUnknownFlag : 0;
        state.content += cell_term(number({i}), terrain, (*state.flags)[i]);
      }
    }
    return map;
  });
}

namespace {

struct CellValue {
  TerrainId terrain = kFloor;
  std::uint8_t flags = 0, fog = 0;
  friend bool operator==(const CellValue&, const CellValue&) = default;
};

struct CellWrite {
  CellIndex cell;
  CellValue from, to;
};

template <class T>
struct Numbered {
  std::uint32_t key;  // cell index or door
  std::size_t order;  // place in the batch
  T value;
};

struct DoorValue {
  DoorState state = DoorState::open;
  std::uint32_t cost = 0;
};

bool holds(const DoorDef& door, const DoorValue& value) noexcept {
  return door.open == (value.state == DoorState::open) && door.cost == value.cost;
}

void set_door(DoorDef& door, const DoorValue& value) noexcept {
  door.open = value.state == DoorState::open;
  door.cost = value.cost;
}

template <class T>
bool ascending(const std::vector<Numbered<T>>& edits) {
  return std::adjacent_find(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.key >= b.key; }) ==
         edits.end();
}

// Of several edits of one thing the last counts. Sorts by key.
template <class T>
void keep_last(std::vector<Numbered<T>>& edits) {
  // Whole maps are loaded row by row and need no sorting.
  if (ascending(edits)) return;
  std::sort(edits.begin(), edits.end(),
            [](const auto& a, const auto& b) { return a.key != b.key ? a.key < b.key : a.order > b.order; });
  edits.erase(std::unique(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.key == b.key; }),
              edits.end());
}

// Of each cell the last edit for everyone and what came after it for single factions, in their order. Sorts by cell.
void keep_last_and_fog(std::vector<Numbered<CellEdit>>& edits) {
  if (ascending(edits)) return;
  std::sort(edits.begin(), edits.end(),
            [](const auto& a, const auto& b) { return a.key != b.key ? a.key < b.key : a.order < b.order; });
  auto kept = edits.begin(), first = edits.begin();  // of the cell at hand
  for (const auto& edit : edits) {
    if (kept != edits.begin() && std::prev(kept)->key != edit.key) first = kept;
    if (edit.value.faction == kEveryone) kept = first;
    *kept++ = edit;
  }
  edits.erase(kept, edits.end());
}

Result<std::vector<Numbered<CellEdit>>> net_cells(const GridShape& shape, std::size_t classes, std::size_t factions,
                                                  std::span<const CellEdit> edits) {
  std::vector<Numbered<CellEdit>> net;
  net.reserve(edits.size());
  for (const CellEdit& edit : edits) {
    const CellIndex i = shape.index(edit.cell);
    if (!i.valid()) return outside(edit.cell, shape);
    if (edit.change == CellChange::terrain && edit.terrain >= classes) {
      return Status(StatusCode::edit, base::concat("terrain class ", edit.terrain, " at cell ",
                                                   to_text(edit.cell, shape), "; the map has ", classes, " classes"));
    }
    if (edit.faction != kEveryone && edit.faction >= factions) {
      return Status(StatusCode::edit, base::concat("faction ", edit.faction, " at cell ", to_text(edit.cell, shape),
                                                   "; the map has ", factions, " factions"));
    }
    net.push_back({i.value, net.size(), edit});
  }
  keep_last_and_fog(net);
  return net;
}

// Doors whose state or price differs from the one they have, ascending.
Result<std::vector<Numbered<DoorValue>>> net_doors(std::span<const DoorDef> doors, std::span<const DoorEdit> edits) {
  std::vector<Numbered<DoorValue>> net;
  net.reserve(edits.size());
  for (const DoorEdit& edit : edits) {
    if (edit.door >= doors.size()) {
      return Status(StatusCode::handle, base::concat("door ", edit.door, "; the map has ", doors.size()));
    }
    if (Status status = world::check_edge_cost(edit.cost, base::concat("cost of door ", edit.door, ": "));
        !status.ok()) {
      return status;
    }
    net.push_back({edit.door, net.size(), {edit.state, edit.state == DoorState::open ? edit.cost : 0}});
  }
  keep_last(net);
  std::erase_if(net, [&](const auto& e) { return holds(doors[e.key], e.value); });
  return net;
}

// Cells of those doors with their new state, ascending, each once (a cell has at most one door).
std::vector<Numbered<DoorState>> door_writes(const GridShape& shape, std::span<const DoorDef> doors,
                                             std::span<const Numbered<DoorValue>> net) {
  std::vector<Numbered<DoorState>> cells;
  for (const auto& door : net) {
    for (const Cell& c : doors[door.key].cells) cells.push_back({shape.index(c).value, 0, door.value.state});
  }
  keep_last(cells);
  return cells;
}

// What everyone does not know has no fog besides: each state of knowledge is written in one way.
CellValue edited(CellValue value, const CellEdit& edit, std::size_t factions) noexcept {
  const bool everyone = edit.faction == kEveryone, unknown = (value.flags & MapView::kUnknownFlag) != 0;
  const auto one = static_cast<std::uint8_t>(everyone ? 0u : 1u << edit.faction);
  if (edit.change == CellChange::terrain) value.terrain = edit.terrain;
  if (edit.change == CellChange::unknown) {
    if (everyone) value.flags |= MapView::kUnknownFlag;
    value.fog = static_cast<std::uint8_t>(everyone || unknown ? 0 : value.fog | one);
    return value;
  }
  const auto others = static_cast<std::uint8_t>(unknown ? (1u << factions) - 1 : value.fog);
  value.flags &= static_cast<std::uint8_t>(~MapView::kUnknownFlag);
  value.fog = static_cast<std::uint8_t>(everyone ? 0 : others & ~one);
  return value;
}

CellValue with_door(CellValue value, DoorState door) noexcept {
  constexpr auto kKept = static_cast<std::uint8_t>(~MapView::kClosedFlag);
  const auto closed = door == DoorState::closed ? MapView::kClosedFlag : std::uint8_t{0};
  value.flags = static_cast<std::uint8_t>((value.flags & kKept) | closed);
  return value;
}

// Both lists are ascending by cell; so is the result, which leaves out what stays as it is.
template <class ValueAt>
std::vector<CellWrite> merge_writes(ValueAt value_at, std::size_t factions, std::span<const Numbered<CellEdit>> cells,
                                    std::span<const Numbered<DoorState>> doors) {
  std::vector<CellWrite> writes;
  writes.reserve(cells.size() + doors.size());
  for (std::size_t c = 0, d = 0; c < cells.size() || d < doors.size();) {
    const bool cell_next = c < cells.size() && (d == doors.size() || cells[c].key <= doors[d].key);
    const std::uint32_t i = cell_next ? cells[c].key : doors[d].key;
    const CellValue from = value_at(i);
    CellValue to = from;
    while (c < cells.size() && cells[c].key == i) to = edited(to, cells[c++].value, factions);
    if (d < doors.size() && doors[d].key == i) to = with_door(to, doors[d++].value);
    if (!(from == to)) writes.push_back({{i}, from, to});
  }
  return writes;
}

struct EdgeChange {
  std::shared_ptr<const world::SparseEdges> edges;  // null: as before
  bool own = false;                                 // not by doors alone
  std::vector<CellIndex> dirty;
};

Result<EdgeChange> edge_change(const world::SparseEdges& before, const GridShape& shape, const MapEdit& edit,
                               const std::vector<DoorDef>& doors, std::span<const Numbered<DoorValue>> net_doors) {
  if (Status status = world::check_steps(shape, edit.steps); !status.ok()) return status;
  if (Status status = world::check_portals(before.portals.size(), edit.portals); !status.ok()) return status;
  const bool by_doors = std::any_of(net_doors.begin(), net_doors.end(), [&](const auto& net) {
    return !doors[net.key].steps.empty() || doors[net.key].cost > 0 || net.value.cost > 0;
  });
  EdgeChange change;
  if (edit.steps.empty() && edit.portals.empty() && !by_doors) return change;

  auto after = std::make_shared<world::SparseEdges>();
  after->own = world::edited_rules(before.own, shape, edit.steps);
  if (by_doors) {
    std::vector<DoorDef> later = doors;
    for (const auto& net : net_doors) set_door(later[net.key], net.value);
    after->effective = world::with_doors(after->own, shape, later);
  } else {
    after->effective = world::with_doors(after->own, shape, doors);
  }
  after->portals = before.portals;
  for (const PortalEdit& portal : edit.portals) after->portals[portal.portal].open = portal.open;
  change.dirty = world::changed_cells(before.effective, after->effective);
  for (std::size_t i = 0; i < after->portals.size(); ++i) {
    if (before.portals[i] != after->portals[i]) change.dirty.push_back(shape.index(after->portals[i].from));
  }
  change.own = before.own != after->own || before.portals != after->portals;
  if (change.own || before.effective != after->effective) change.edges = std::move(after);
  return change;
}

// What the writes add to the content digest.
std::uint64_t cells_term(std::span<const CellWrite> writes, const GridShape& shape) {
  const CellNumbers number(shape);
  std::uint64_t sum = 0;
  for (const CellWrite& w : writes) {
    sum +=
        cell_term(number(w.cell), w.to.terrain, w.to.flags) - cell_term(number(w.cell), w.from.terrain, w.from.flags);
    if (w.from.fog != w.to.fog) sum += fog_term(number(w.cell), w.to.fog) - fog_term(number(w.cell), w.from.fog);
  }
  return sum;
}

// Ascending, each once.
std::vector<CellIndex> dirty_cells(std::span<const CellWrite> writes, std::span<const CellIndex> edges) {
  std::vector<CellIndex> dirty;
  dirty.reserve(writes.size() + edges.size());
  for (const CellWrite& w : writes) dirty.push_back(w.cell);
  if (edges.empty()) return dirty;
  dirty.insert(dirty.end(), edges.begin(), edges.end());
  std::sort(dirty.begin(), dirty.end());
  dirty.erase(std::unique(dirty.begin(), dirty.end()), dirty.end());
  return dirty;
}

}  // namespace

Result<EditReport> GridMap::apply(const MapEdit& edit) {
  return base::no_throw([&]() -> Result<EditReport> {
    if (!state_) return Status(StatusCode::argument, "a map that was moved from");
    const auto cells = net_cells(state_->shape, state_->classes->size(), state_->factions->size(), edit.cells);
    if (!cells.ok()) return cells.status();
    const auto doors = net_doors(*state_->doors, edit.doors);
    if (!doors.ok()) return doors.status();
    const auto value_at = [&](std::uint32_t i) -> CellValue {
      return {(*state_->terrain)[i], (*state_->flags)[i], state_->fog ? (*state_->fog)[i] : std::uint8_t{0}};
    };
    const auto writes =
        merge_writes(value_at, state_->factions->size(), *cells, door_writes(state_->shape, *state_->doors, *doors));

    const auto edges = edge_change(*state_->edges, state_->shape, edit, *state_->doors, *doors);
    if (!edges.ok()) return edges.status();
    const auto obstacles = world::edited_obstacles(state_->obstacles.get(), edit.obstacles);
    if (!obstacles.ok()) return obstacles.status();
    EditReport report{false, state_->map_version, state_->overlay_version, dirty_cells(writes, edges->dirty)};
    bool map_changed = edges->own;
    unsigned parts = 0;
    if (!doors->empty()) parts |= Writable::kDoors;
    for (const CellWrite& w : writes) {
      if (w.from.terrain != w.to.terrain) parts |= Writable::kTerrain;
      if (w.from.flags != w.to.flags) parts |= Writable::kFlags;
      if (w.from.fog != w.to.fog) parts |= Writable::kFog;
      map_changed |= with_door(w.from, DoorState::open) != with_door(w.to, DoorState::open);
    }
    const bool overlay_changed = !doors->empty() || obstacles->list != nullptr;
    if (writes.empty() && !overlay_changed && edges->edges == nullptr) return report;

    auto target = Writable::take(*this, parts, writes.size());
    if (!target.ok()) return target.status();
    MapView::State& state = *target->state;
    for (const CellWrite& w : writes) {
      if (w.from.terrain != w.to.terrain) state.terrain->write(w.cell.value, w.to.terrain);
      if (w.from.flags != w.to.flags) state.flags->write(w.cell.value, w.to.flags);
      if (w.from.fog != w.to.fog) state.fog->write(w.cell.value, w.to.fog);
    }
    state.content += cells_term(writes, state.shape);
    for (const auto& door : *doors) {
      DoorDef& def = (*state.doors)[door.key];
      state.content -= door_term(door.key, def);
      set_door(def, door.value);
      state.content += door_term(door.key, def);
    }
    if (edges->edges != nullptr) {
      state.content += edges_term(*edges->edges, state.shape) - edges_term(*state.edges, state.shape);
      state.edges = edges->edges;
    }
    if (obstacles->list != nullptr) {
      state.content += obstacles->term;
      state.obstacles = obstacles->list;
    }
    report.changed = true;
    report.map_version = state.map_version += map_changed ? 1u : 0u;
    report.overlay_version = state.overlay_version += overlay_changed ? 1u : 0u;
    state_ = target->state;
    return report;
  });
}

Result<FactionId> GridMap::add_faction(const std::string& name) {
  return base::no_throw([&]() -> Result<FactionId> {
    if (!state_) return Status(StatusCode::argument, "a map that was moved from");
    const std::vector<std::string>& names = *state_->factions;
    if (name.empty()) return Status(StatusCode::argument, "a faction without a name");
    if (std::find(names.begin(), names.end(), name) != names.end())
      return Status(StatusCode::name_twice, base::concat("faction \"", name, "\" twice"));
    if (names.size() == kMaxFactions) {
      return Status(StatusCode::limit_factions, base::concat("faction \"", name, "\" beside ", names.size(),
                                                             " others; the limit is ", kMaxFactions));
    }
    auto longer = std::make_shared<std::vector<std::string>>(names);
    longer->push_back(name);
    auto target = Writable::take(*this, 0);
    if (!target.ok()) return target.status();
    MapView::State& state = *target->state;
    const std::size_t index = state.factions->size();
    state.content += faction_term(index, name);
    state.factions = std::move(longer);
    ++state.map_version;
    state_ = target->state;
    return static_cast<FactionId>(index);
  });
}

}  // namespace drover
