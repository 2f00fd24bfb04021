// SPDX-License-Identifier: MIT
// The editable map: planes shared with views until an edit must write to them.
#include "base/digest.hpp"
#include "base/memory.hpp"
#include "base/no_throw.hpp"
#include "base/text.hpp"

#include <drover/map.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

namespace drover {

namespace {

using base::Plane;
using TerrainPlane = Plane<TerrainId>;
using FlagPlane = Plane<std::uint8_t>;
using WeightPlane = Plane<std::uint32_t>;

constexpr std::uint32_t kDefaultWeight = 1;

// Domains of the content digest: one kind of term never stands for another.
enum class Part : std::uint64_t { cell = 1, weight, door, head };

std::uint64_t place(Part part, std::uint64_t index) noexcept { return static_cast<std::uint64_t>(part) << 56 | index; }

// Floor that is known and open counts nothing, so a fresh map is digested in no time.
std::uint64_t cell_term(std::uint64_t number, TerrainId terrain, std::uint8_t flags) noexcept {
  const std::uint64_t value = static_cast<std::uint64_t>(flags) << 8 | terrain;
  return value == 0 ? 0 : base::mix(place(Part::cell, number), value);
}

std::uint64_t weight_term(std::uint64_t number, std::uint32_t weight) noexcept {
  return weight == kDefaultWeight ? 0 : base::mix(place(Part::weight, number), weight);
}

std::uint64_t door_term(std::size_t index, const DoorDef& door) {
  base::Digest digest;
  digest.add(door.name).add(door.open ? 1 : 0).add(door.cells.size());
  for (const Cell& c : door.cells) {
    digest.add(static_cast<std::uint32_t>(c.x)).add(static_cast<std::uint32_t>(c.y));
    digest.add(static_cast<std::uint32_t>(c.layer));
  }
  return base::mix(place(Part::door, index), digest.value());
}

std::uint64_t head_term(const GridShape& shape, const std::vector<TerrainClass>& classes) {
  base::Digest digest;
  digest.add(static_cast<std::uint32_t>(shape.width())).add(static_cast<std::uint32_t>(shape.height()));
  digest.add(static_cast<std::uint32_t>(shape.layers()));
  digest.add(static_cast<std::uint32_t>(shape.origin().x)).add(static_cast<std::uint32_t>(shape.origin().y));
  digest.add(classes.size());
  for (const TerrainClass& c : classes) {
    digest.add(c.name).add(static_cast<unsigned char>(c.letter)).add(c.cost).add(c.passable ? 1 : 0);
  }
  return base::mix(place(Part::head, 0), digest.value());
}

std::string to_text(const Cell& c, const GridShape& shape) {
  std::string text = base::concat(c.x, ",", c.y);
  return shape.layers() > 1 || c.layer != 0 ? base::concat(text, ",", c.layer) : text;
}

std::string to_text(const GridShape& shape) {
  std::string text = base::concat(shape.width(), "x", shape.height());
  if (shape.layers() > 1) text += base::concat("x", shape.layers());
  if (shape.origin() != Cell{}) text += base::concat(" from ", shape.origin().x, ",", shape.origin().y);
  return text;
}

Status outside(const Cell& c, const GridShape& shape) {
  return {StatusCode::edit_outside, base::concat("cell ", to_text(c, shape), " is not on the map of ", to_text(shape))};
}

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

// Number of a cell without padding: what digests speak of, whatever the storage.
class CellNumbers {
 public:
  explicit CellNumbers(const GridShape& shape) noexcept : shape_(shape) {}
  std::uint64_t operator()(CellIndex i) const noexcept {
    const Cell c = shape_.cell(i);
    const auto column = static_cast<std::uint64_t>(std::int64_t{c.x} - shape_.origin().x);
    const auto row = static_cast<std::uint64_t>(std::int64_t{c.y} - shape_.origin().y);
    return (static_cast<std::uint64_t>(c.layer) * static_cast<std::uint64_t>(shape_.height()) + row) *
               static_cast<std::uint64_t>(shape_.width()) +
           column;
  }

 private:
  GridShape shape_;
};

}  // namespace

std::vector<TerrainClass> standard_terrain() {
  return {{"floor", '.', 1, true},  {"wall", '#', 1, false},  {"ground", 'G', 1, true}, {"swamp", 'S', 1, true},
          {"water", 'W', 1, false}, {"trees", 'T', 1, false}, {"out", '@', 1, false},   {"border", 'O', 1, false}};
}

struct MapView::State {
  GridShape shape;
  std::shared_ptr<const std::vector<TerrainClass>> classes;
  std::shared_ptr<TerrainPlane> terrain;
  std::shared_ptr<FlagPlane> flags;
  std::shared_ptr<WeightPlane> weights;  // null: costs come from the terrain
  std::shared_ptr<std::vector<DoorDef>> doors;
  std::shared_ptr<const std::vector<std::uint32_t>> door_cells;  // ascending
  std::uint64_t map_version = 0, overlay_version = 0;
  std::uint64_t content = 0;  // head_term plus a term for each cell, weight and door
};

namespace {
const GridShape kNoShape;
}

const GridShape& MapView::shape() const noexcept { return state_ ? state_->shape : kNoShape; }
std::span<const TerrainClass> MapView::terrain_classes() const noexcept {
  return state_ ? std::span<const TerrainClass>(*state_->classes) : std::span<const TerrainClass>();
}
std::uint64_t MapView::map_version() const noexcept { return state_ ? state_->map_version : 0; }
std::uint64_t MapView::overlay_version() const noexcept { return state_ ? state_->overlay_version : 0; }
std::uint64_t MapView::content_digest() const noexcept { return state_ ? base::mix(state_->content) : 0; }
std::span<const DoorDef> MapView::doors() const noexcept {
  return state_ ? std::span<const DoorDef>(*state_->doors) : std::span<const DoorDef>();
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
  view.weights_ = state_->weights ? state_->weights->data() : nullptr;
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

    auto state = std::make_shared<MapView::State>();
    state->shape = *shape;
    state->classes = std::make_shared<const std::vector<TerrainClass>>(def.terrain);
    state->doors = std::make_shared<std::vector<DoorDef>>();
    state->door_cells = std::make_shared<const std::vector<std::uint32_t>>();
    const std::size_t cells = shape->padded_cells();
    state->terrain = std::make_shared<TerrainPlane>(TerrainPlane::filled(host.allocator, cells, kWall));
    if (!state->terrain->valid()) return base::out_of_memory(cells);
    state->flags = std::make_shared<FlagPlane>(FlagPlane::filled(host.allocator, cells, 0));
    if (!state->flags->valid()) return base::out_of_memory(cells);
    fill_inside(*state->terrain, *shape, kFloor);
    state->content = head_term(*shape, def.terrain);

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
  std::uint8_t flags = 0;
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

// Of several edits of one thing the last counts. Sorts by key.
template <class T>
void keep_last(std::vector<Numbered<T>>& edits) {
  // Whole maps are loaded row by row and need no sorting.
  const auto not_ascending = [](const auto& a, const auto& b) { return a.key >= b.key; };
  if (std::adjacent_find(edits.begin(), edits.end(), not_ascending) == edits.end()) return;
  std::sort(edits.begin(), edits.end(),
            [](const auto& a, const auto& b) { return a.key != b.key ? a.key < b.key : a.order > b.order; });
  edits.erase(std::unique(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.key == b.key; }),
              edits.end());
}

Result<std::vector<Numbered<CellEdit>>> net_cells(const GridShape& shape, std::size_t classes,
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
    net.push_back({i.value, net.size(), edit});
  }
  keep_last(net);
  return net;
}

// Doors whose state differs from the one they have, ascending.
Result<std::vector<Numbered<DoorState>>> net_doors(std::span<const DoorDef> doors, std::span<const DoorEdit> edits) {
  std::vector<Numbered<DoorState>> net;
  net.reserve(edits.size());
  for (const DoorEdit& edit : edits) {
    if (edit.door >= doors.size()) {
      return Status(StatusCode::handle, base::concat("door ", edit.door, "; the map has ", doors.size()));
    }
    net.push_back({edit.door, net.size(), edit.state});
  }
  keep_last(net);
  std::erase_if(net, [&](const auto& e) { return doors[e.key].open == (e.value == DoorState::open); });
  return net;
}

// Cells of those doors with their new state, ascending, each once (a cell has at most one door).
std::vector<Numbered<DoorState>> door_writes(const GridShape& shape, std::span<const DoorDef> doors,
                                             std::span<const Numbered<DoorState>> net) {
  std::vector<Numbered<DoorState>> cells;
  for (const auto& door : net) {
    for (const Cell& c : doors[door.key].cells) cells.push_back({shape.index(c).value, 0, door.value});
  }
  keep_last(cells);
  return cells;
}

CellValue edited(CellValue value, const CellEdit& edit) noexcept {
  if (edit.change == CellChange::unknown) {
    value.flags |= MapView::kUnknownFlag;
  } else {
    value.terrain = edit.terrain;
    value.flags &= static_cast<std::uint8_t>(~MapView::kUnknownFlag);
  }
  return value;
}

CellValue with_door(CellValue value, DoorState door) noexcept {
  constexpr auto kKept = static_cast<std::uint8_t>(~MapView::kClosedFlag);
  const auto closed = door == DoorState::closed ? MapView::kClosedFlag : std::uint8_t{0};
  value.flags = static_cast<std::uint8_t>((value.flags & kKept) | closed);
  return value;
}

// Both lists are ascending by cell; so is the result, which leaves out what stays as it is.
std::vector<CellWrite> merge_writes(const TerrainPlane& terrain, const FlagPlane& flags,
                                    std::span<const Numbered<CellEdit>> cells,
                                    std::span<const Numbered<DoorState>> doors) {
  std::vector<CellWrite> writes;
  writes.reserve(cells.size() + doors.size());
  for (std::size_t c = 0, d = 0; c < cells.size() || d < doors.size();) {
    const bool cell_next = c < cells.size() && (d == doors.size() || cells[c].key <= doors[d].key);
    const std::uint32_t i = cell_next ? cells[c].key : doors[d].key;
    const CellValue from{terrain[i], flags[i]};
    CellValue to = from;
    if (cell_next) to = edited(to, cells[c++].value);
    if (d < doors.size() && doors[d].key == i) to = with_door(to, doors[d++].value);
    if (!(from == to)) writes.push_back({{i}, from, to});
  }
  return writes;
}

}  // namespace

// Everything that may fail is taken here first; writing to it afterwards cannot fail.
struct GridMap::Writable {
  std::shared_ptr<MapView::State> state;

  static constexpr unsigned kTerrain = 1, kFlags = 2, kWeights = 4, kDoors = 8;

  static Result<Writable> take(const GridMap& map, unsigned parts) {
    const bool held = !base::sole_owner(map.state_);
    Writable result{held ? std::make_shared<MapView::State>(*map.state_) : map.state_};
    MapView::State& state = *result.state;
    std::uint64_t missing_bytes = 0;
    // The copy of a held state shares every plane with it; a state of our own shares some with older ones.
    const auto own = [&]<class T>(std::shared_ptr<Plane<T>>& plane) {
      if (base::sole_owner(plane)) return;
      auto copy = std::make_shared<Plane<T>>(Plane<T>::copy_of(map.host_.allocator, *plane));
      if (!copy->valid()) missing_bytes = plane->bytes();
      if (copy->valid()) plane = std::move(copy);
    };
    if ((parts & kTerrain) != 0) own(state.terrain);
    if ((parts & kFlags) != 0) own(state.flags);
    if ((parts & kWeights) != 0) own(state.weights);
    if (missing_bytes != 0) return base::out_of_memory(missing_bytes);
    if ((parts & kDoors) != 0 && !base::sole_owner(state.doors)) {
      state.doors = std::make_shared<std::vector<DoorDef>>(*state.doors);
    }
    return result;
  }
};

Result<EditReport> GridMap::apply(const MapEdit& edit) {
  return base::no_throw([&]() -> Result<EditReport> {
    if (!state_) return Status(StatusCode::argument, "a map that was moved from");
    const auto cells = net_cells(state_->shape, state_->classes->size(), edit.cells);
    if (!cells.ok()) return cells.status();
    const auto doors = net_doors(*state_->doors, edit.doors);
    if (!doors.ok()) return doors.status();
    const auto writes =
        merge_writes(*state_->terrain, *state_->flags, *cells, door_writes(state_->shape, *state_->doors, *doors));

    EditReport report{false, state_->map_version, state_->overlay_version, {}};
    bool cell_changed = false;
    unsigned parts = 0;
    if (!doors->empty()) parts |= Writable::kDoors;
    report.dirty.reserve(writes.size());
    for (const CellWrite& w : writes) {
      report.dirty.push_back(w.cell);
      if (w.from.terrain != w.to.terrain) parts |= Writable::kTerrain;
      if (w.from.flags != w.to.flags) parts |= Writable::kFlags;
      cell_changed |= w.from.terrain != w.to.terrain || ((w.from.flags ^ w.to.flags) & MapView::kUnknownFlag) != 0;
    }
    if (writes.empty() && doors->empty()) return report;

    auto target = Writable::take(*this, parts);
    if (!target.ok()) return target.status();
    MapView::State& state = *target->state;
    const CellNumbers number(state.shape);
    for (const CellWrite& w : writes) {
      if (w.from.terrain != w.to.terrain) (*state.terrain)[w.cell.value] = w.to.terrain;
      if (w.from.flags != w.to.flags) (*state.flags)[w.cell.value] = w.to.flags;
      state.content -= cell_term(number(w.cell), w.from.terrain, w.from.flags);
      state.content += cell_term(number(w.cell), w.to.terrain, w.to.flags);
    }
    for (const auto& door : *doors) {
      DoorDef& def = (*state.doors)[door.key];
      state.content -= door_term(door.key, def);
      def.open = door.value == DoorState::open;
      state.content += door_term(door.key, def);
    }
    report.changed = true;
    report.map_version = state.map_version += cell_changed ? 1u : 0u;
    report.overlay_version = state.overlay_version += doors->empty() ? 0u : 1u;
    state_ = target->state;
    return report;
  });
}

Result<std::uint32_t> GridMap::add_door(const DoorDef& door) {
  return base::no_throw([&]() -> Result<std::uint32_t> {
    if (!state_) return Status(StatusCode::argument, "a map that was moved from");
    const GridShape& shape = state_->shape;
    for (const DoorDef& other : *state_->doors) {
      if (!door.name.empty() && other.name == door.name)
        return Status(StatusCode::name_twice, base::concat("door \"", door.name, "\" twice"));
    }
    std::vector<std::uint32_t> cells, all_cells;
    cells.reserve(door.cells.size());
    for (const Cell& c : door.cells) {
      const CellIndex i = shape.index(c);
      if (!i.valid())
        return Status(StatusCode::edit_outside,
                      base::concat("door \"", door.name, "\": ", outside(c, shape).message()));
      if (std::binary_search(state_->door_cells->begin(), state_->door_cells->end(), i.value)) {
        return Status(StatusCode::argument,
                      base::concat("door \"", door.name, "\": cell ", to_text(c, shape), " belongs to another door"));
      }
      cells.push_back(i.value);
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    all_cells.reserve(state_->door_cells->size() + cells.size());
    std::merge(state_->door_cells->begin(), state_->door_cells->end(), cells.begin(), cells.end(),
               std::back_inserter(all_cells));
    auto door_cells = std::make_shared<const std::vector<std::uint32_t>>(std::move(all_cells));

    auto target = Writable::take(*this, Writable::kDoors | (door.open ? 0u : Writable::kFlags));
    if (!target.ok()) return target.status();
    MapView::State& state = *target->state;
    const std::size_t index = state.doors->size();
    state.doors->push_back(door);
    state.door_cells = std::move(door_cells);
    const CellNumbers number(state.shape);
    for (const std::uint32_t i : cells) {
      if (door.open) break;
      const TerrainId terrain = (*state.terrain)[i];
      std::uint8_t& flags = (*state.flags)[i];
      state.content -= cell_term(number({i}), terrain, flags);
      flags |= MapView::kClosedFlag;
      state.content += cell_term(number({i}), terrain, flags);
    }
    state.content += door_term(index, door);
    ++state.overlay_version;
    state_ = target->state;
    return static_cast<std::uint32_t>(index);
  });
}

Status GridMap::set_weights(std::int32_t layer, std::span<const std::uint32_t> weights) {
  return base::no_throw([&]() -> Status {
    if (!state_) return {StatusCode::argument, "a map that was moved from"};
    const GridShape& shape = state_->shape;
    if (layer < 0 || layer >= shape.layers()) {
      return {StatusCode::argument, base::concat("layer ", layer, "; the map has ", shape.layers())};
    }
    const auto width = static_cast<std::size_t>(shape.width()), height = static_cast<std::size_t>(shape.height());
    if (weights.size() != width * height) {
      return {StatusCode::weights_size,
              base::concat(weights.size(), " weights; expected ", width * height, " for a map of ", to_text(shape))};
    }
    const auto bad = std::find_if(weights.begin(), weights.end(), [](std::uint32_t w) { return w > kMaxCellCost; });
    if (bad != weights.end()) {
      const auto at = static_cast<std::size_t>(bad - weights.begin());
      return {StatusCode::cost_range, base::concat("weight ", *bad, " in row ", at / width, ", column ", at % width,
                                                   "; expected 0 .. ", kMaxCellCost)};
    }
    const bool first = state_->weights == nullptr;
    std::shared_ptr<WeightPlane> plane;
    if (first) {
      plane = std::make_shared<WeightPlane>(WeightPlane::filled(host_.allocator, shape.padded_cells(), kDefaultWeight));
      if (!plane->valid()) return base::out_of_memory(shape.padded_cells() * sizeof(std::uint32_t));
    }
    auto target = Writable::take(*this, first ? 0u : Writable::kWeights);
    if (!target.ok()) return target.status();
    MapView::State& state = *target->state;
    if (first) {
      state.weights = std::move(plane);
      state.content += base::mix(place(Part::weight, ~std::uint32_t{0}), 0);
    }
    const CellNumbers number(state.shape);
    bool changed = first;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const CellIndex cell{
          state.shape.at(static_cast<std::int32_t>(i % width), static_cast<std::int32_t>(i / width), layer)};
      std::uint32_t& weight = (*state.weights)[cell.value];
      if (weight == weights[i]) continue;
      state.content += weight_term(number(cell), weights[i]) - weight_term(number(cell), weight);
      weight = weights[i];
      changed = true;
    }
    state.map_version += changed ? 1u : 0u;
    state_ = target->state;
    return {};
  });
}

Status GridMap::set_versions(std::uint64_t map_version, std::uint64_t overlay_version) {
  return base::no_throw([&]() -> Status {
    if (!state_) return {StatusCode::argument, "a map that was moved from"};
    auto target = Writable::take(*this, 0);
    if (!target.ok()) return target.status();
    target->state->map_version = map_version;
    target->state->overlay_version = overlay_version;
    state_ = target->state;
    return {};
  });
}

}  // namespace drover
