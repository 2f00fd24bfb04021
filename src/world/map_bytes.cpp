// SPDX-License-Identifier: MIT
// Terrain as it is, unknown cells as runs; weights, heights, doors, rules of steps, portals and obstacles only where
// there are any.
#include "world/map_bytes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace drover::world {
namespace {

// Cells put into the map at a time; bounds the memory beside the map itself.
constexpr std::size_t kBatch = std::size_t{1} << 16;

Status not_a_map() { return {StatusCode::snapshot, "the map in these bytes is not whole"}; }

void write_position(base::ByteWriter& out, Position p) {
  out.signed_number(p.x.raw);
  out.signed_number(p.y.raw);
}

Position read_position(base::ByteReader& in) noexcept {
  const Fixed x{in.signed_number()}, y{in.signed_number()};
  return {x, y};
}

void write_ring(base::ByteWriter& out, const std::vector<Position>& ring) {
  out.number(ring.size());
  for (const Position p : ring) write_position(out, p);
}

std::vector<Position> read_ring(base::ByteReader& in) {
  std::vector<Position> ring(std::min(in.count(2), kMaxObstaclePoints + 1));  // one more than any shape has
  for (Position& p : ring) p = read_position(in);
  return ring;
}

void write_shape(base::ByteWriter& out, const Obstacle& o) {
  out.u8(static_cast<std::uint8_t>(o.kind));
  write_position(out, o.centre);
  out.signed_number(o.radius.raw);
  write_position(out, o.half);
  out.signed_number(o.axis.x);
  out.signed_number(o.axis.y);
  write_ring(out, o.points);
  out.number(o.holes.size());
  for (const std::vector<Position>& hole : o.holes) write_ring(out, hole);
  out.number(~o.layer_mask);
}

Obstacle read_shape(base::ByteReader& in) {
  Obstacle o;
  o.kind = static_cast<ObstacleKind>(in.u8(static_cast<std::uint8_t>(ObstacleKind::polygon)));
  o.centre = read_position(in);
  o.radius = Fixed{in.signed_number()};
  o.half = read_position(in);
  o.axis.x = in.signed32();
  o.axis.y = in.signed32();
  o.points = read_ring(in);
  o.holes.resize(std::min(in.count(), kMaxObstaclePoints));
  for (std::vector<Position>& hole : o.holes) hole = read_ring(in);
  o.layer_mask = ~in.number();
  return o;
}

void write_head(base::ByteWriter& out, const MapView& map) {
  const GridShape& shape = map.shape();
  out.number(static_cast<std::uint64_t>(shape.width()));
  out.number(static_cast<std::uint64_t>(shape.height()));
  out.number(static_cast<std::uint64_t>(shape.layers()));
  write_cell(out, shape.origin());
  out.number(map.terrain_classes().size());
  for (const TerrainClass& c : map.terrain_classes()) {
    out.text(c.name);
    out.u8(static_cast<std::uint8_t>(c.letter));
    out.number(c.cost);
    out.u8(c.passable ? 1 : 0);
  }
  out.number(map.slope().up);
  out.number(map.slope().down);
  const WorldFrame& frame = map.frame();
  const bool usual = frame == WorldFrame(shape);
  out.u8(usual ? 0 : 1);
  if (!usual) {
    write_position(out, frame.corner());
    out.signed_number(frame.cell_size().raw);
  }
  out.number(map.factions().size());
  for (const std::string& name : map.factions()) out.text(name);
}

GridMapDef read_head(base::ByteReader& in) {
  GridMapDef def;
  def.width = static_cast<std::int64_t>(in.number(INT32_MAX));
  def.height = static_cast<std::int64_t>(in.number(INT32_MAX));
  def.layers = static_cast<std::int64_t>(in.number(INT32_MAX));
  def.origin = read_cell(in);
  def.terrain.clear();
  for (std::size_t n = in.count(4); n > 0; --n) {
    TerrainClass c;
    c.name = in.text();
    c.letter = static_cast<char>(in.u8());
    c.cost = in.number32();
    c.passable = in.flag();
    def.terrain.push_back(std::move(c));
  }
  def.slope.up = in.number32();
  def.slope.down = in.number32();
  if (in.flag()) {
    def.corner = read_position(in);
    def.cell_size = Fixed{in.signed_number()};
  }
  return def;
}

std::vector<std::string> read_factions(base::ByteReader& in) {
  std::vector<std::string> names(in.number(kMaxFactions));
  for (std::string& name : names) name = in.text();
  return names;
}

Status add_factions(const std::vector<std::string>& names, GridMap& map) {
  for (const std::string& name : names) {
    if (const Result<FactionId> added = map.add_faction(name); !added) return added.status();
  }
  return {};
}

// Calls visit(index, cell) for every cell, row by row.
template <class Visit>
void each_cell(const GridShape& shape, Visit&& visit) {
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer)
    for (std::int32_t row = 0; row < shape.height(); ++row)
      for (std::int32_t column = 0; column < shape.width(); ++column)
        visit(CellIndex{shape.at(column, row, layer)}, Cell{shape.origin().x + column, shape.origin().y + row, layer});
}

template <class Visit>
void each_row(const GridShape& shape, Visit&& visit) {
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer)
    for (std::int32_t row = 0; row < shape.height(); ++row) visit(shape.at(0, row, layer));
}

// Bits that the terrain of a cell takes: 1, 2, 4 or 8.
unsigned terrain_bits(const MapView& map) {
  const auto width = static_cast<std::uint32_t>(map.shape().width());
  TerrainId most = 0;
  each_row(map.shape(), [&](std::uint32_t begin) {
    for (std::uint32_t i = begin; i < begin + width; ++i) most = std::max(most, map.terrain_plane()[i]);
  });
  return most < 2 ? 1 : most < 4 ? 2 : most < 16 ? 4 : 8;
}

std::size_t row_bytes(const GridShape& shape, unsigned bits) {
  return (static_cast<std::size_t>(shape.width()) * bits + 7) / 8;
}

// Row by row, the first cell in the lowest bits, each row from a new byte on.
void write_terrain(base::ByteWriter& out, const MapView& map) {
  const unsigned bits = terrain_bits(map);
  const auto width = static_cast<std::uint32_t>(map.shape().width());
  out.u8(static_cast<std::uint8_t>(bits));
  each_row(map.shape(), [&](std::uint32_t begin) {
    std::byte* byte = out.extend(row_bytes(map.shape(), bits));
    const TerrainId* const row = map.terrain_plane() + begin;
    for (std::uint32_t x = 0; x < width; ++byte) {
      unsigned packed = 0;
      for (unsigned shift = 0; shift < 8 && x < width; shift += bits) packed |= unsigned{row[x++]} << shift;
      *byte = static_cast<std::byte>(packed);
    }
  });
}

// Lengths of runs, known and unknown in turn: without and with the bit.
void write_unknown(base::ByteWriter& out, const GridShape& shape, const std::uint8_t* plane, std::uint8_t bit) {
  const auto width = static_cast<std::uint32_t>(shape.width());
  std::uint64_t run = 0;
  bool unknown = false;
  each_row(shape, [&](std::uint32_t begin) {
    std::uint8_t flags = 0;
    for (std::uint32_t i = begin; i < begin + width; ++i) flags |= plane[i];
    if (!unknown && (flags & bit) == 0) {  // most rows of most maps
      run += width;
      return;
    }
    for (std::uint32_t i = begin; i < begin + width; ++i, ++run) {
      if (((plane[i] & bit) != 0) == unknown) continue;
      out.number(std::exchange(run, 0));
      unknown = !unknown;
    }
  });
  out.number(run);
}

void write_knowledge(base::ByteWriter& out, const MapView& map) {
  const GridShape& shape = map.shape();
  write_unknown(out, shape, map.flag_plane(), MapView::kUnknownFlag);
  for (std::size_t f = 0; f < map.factions().size(); ++f) {
    if (map.fog_plane() == nullptr)
      out.number(shape.cell_count());
    else
      write_unknown(out, shape, map.fog_plane(), static_cast<std::uint8_t>(1u << f));
  }
}

/// Edits in batches; the first failure sticks.
class Filler {
 public:
  explicit Filler(GridMap& map) noexcept : map_(map) {}
  void add(const CellEdit& edit) {
    batch_.cells.push_back(edit);
    if (batch_.cells.size() >= kBatch) flush();
  }
  void flush() {
    if (status_.ok() && !batch_.cells.empty()) status_ = map_.apply(batch_).status();
    batch_.cells.clear();
  }
  const Status& status() const noexcept { return status_; }

 private:
  GridMap& map_;
  MapEdit batch_;
  Status status_;
};

Status read_cells(base::ByteReader& in, GridMap& map, std::size_t classes) {
  const GridShape shape = map.shape();
  const unsigned bits = in.u8(8);
  in.expect(bits == 1 || bits == 2 || bits == 4 || bits == 8);
  if (!in.ok()) return not_a_map();
  Filler fill(map);
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      const std::span<const std::byte> packed = in.raw(row_bytes(shape, bits));
      for (std::int32_t x = 0; in.ok() && x < shape.width(); ++x) {
        const unsigned place = static_cast<unsigned>(x) * bits;
        const unsigned id = std::to_integer<unsigned>(packed[place / 8]) >> place % 8 & ((1u << bits) - 1);
        in.expect(id < classes);
        if (in.ok() && id != kFloor)
          fill.add(
              {{shape.origin().x + x, shape.origin().y + row, layer}, CellChange::terrain, static_cast<TerrainId>(id)});
      }
    }
  }
  fill.flush();
  if (!fill.status().ok()) return fill.status();
  return in.ok() ? Status{} : not_a_map();
}

void read_unknown(base::ByteReader& in, const GridShape& shape, Filler& fill, FactionId faction) {
  const std::uint64_t cells = shape.cell_count();
  std::uint64_t run = in.number(cells);
  if (!in.ok() || run == cells) return;
  bool unknown = false;
  each_cell(shape, [&](CellIndex, Cell cell) {
    if (run == 0) {
      run = in.number(cells);
      unknown = !unknown;
      in.expect(run > 0);
      if (!in.ok()) run = cells;  // nothing more to read
    }
    --run;
    if (unknown && in.ok()) fill.add({cell, CellChange::unknown, kFloor, faction});
  });
  in.expect(run == 0);
  fill.flush();
}

Status read_knowledge(base::ByteReader& in, GridMap& map) {
  const GridShape shape = map.shape();
  Filler fill(map);
  read_unknown(in, shape, fill, kEveryone);
  const std::size_t factions = map.view().factions().size();
  for (std::size_t f = 0; f < factions && in.ok(); ++f) read_unknown(in, shape, fill, static_cast<FactionId>(f));
  if (!fill.status().ok()) return fill.status();
  return in.ok() ? Status{} : not_a_map();
}

void write_weights(base::ByteWriter& out, const MapView& map) {
  out.u8(map.has_weights() ? 1 : 0);
  if (map.has_weights()) each_cell(map.shape(), [&](CellIndex i, Cell) { out.number(map.weight(i)); });
}

Status read_weights(base::ByteReader& in, GridMap& map) {
  if (!in.flag()) return {};
  const GridShape shape = map.shape();
  std::vector<std::uint32_t> weights(static_cast<std::size_t>(shape.width()) *
                                     static_cast<std::size_t>(shape.height()));
  for (std::int32_t layer = 0; layer < shape.layers() && in.ok(); ++layer) {
    for (std::uint32_t& weight : weights) weight = in.number32(kMaxCellCost);
    if (Status status = map.set_weights(layer, weights); !status.ok()) return status;
  }
  return {};
}

void write_heights(base::ByteWriter& out, const MapView& map) {
  out.u8(map.has_heights() ? 1 : 0);
  if (map.has_heights()) each_cell(map.shape(), [&](CellIndex i, Cell) { out.signed_number(map.height(i)); });
}

Status read_heights(base::ByteReader& in, GridMap& map) {
  if (!in.flag()) return {};
  const GridShape shape = map.shape();
  std::vector<std::int32_t> heights(static_cast<std::size_t>(shape.width()) * static_cast<std::size_t>(shape.height()));
  for (std::int32_t layer = 0; layer < shape.layers() && in.ok(); ++layer) {
    for (std::int32_t& height : heights) height = in.signed32();
    if (Status status = map.set_heights(layer, heights); !status.ok()) return status;
  }
  return {};
}

void write_step(base::ByteWriter& out, const GridStep& step) {
  write_cell(out, step.from);
  out.u8(static_cast<std::uint8_t>(step.direction));
}

GridStep read_step(base::ByteReader& in) noexcept {
  const Cell from = read_cell(in);
  return {from, static_cast<Direction>(in.u8(kDirections - 1))};
}

void write_step_edit(base::ByteWriter& out, const StepEdit& edit) {
  write_step(out, edit.step);
  out.u8(edit.allowed ? 1 : 0);
  out.number(edit.extra);
}

StepEdit read_step_edit(base::ByteReader& in) noexcept {
  StepEdit edit;
  edit.step = read_step(in);
  edit.allowed = in.flag();
  edit.extra = in.number32(kMaxEdgeCost);
  return edit;
}

void write_edges(base::ByteWriter& out, const MapView& map) {
  out.number(map.edited_step_rules().size());
  for (const StepRule& rule : map.edited_step_rules())
    write_step_edit(out, {{map.shape().cell(rule.from), rule.direction}, rule.allowed, rule.extra});
  out.number(map.portals().size());
  for (const PortalDef& portal : map.portals()) {
    write_cell(out, portal.from);
    write_cell(out, portal.to);
    out.number(portal.cost);
    out.number(portal.ticks);
    out.u8(portal.open ? 1 : 0);
  }
}

Status read_edges(base::ByteReader& in, GridMap& map) {
  MapEdit edit;
  edit.steps.resize(in.count(6));
  for (StepEdit& step : edit.steps) step = read_step_edit(in);
  if (const Result<EditReport> done = map.apply(edit); !done) return done.status();
  for (std::size_t n = in.count(8); n > 0; --n) {
    PortalDef portal;
    portal.from = read_cell(in);
    portal.to = read_cell(in);
    portal.cost = in.number32(kMaxEdgeCost);
    portal.ticks = in.number32(kMaxPortalTicks);
    portal.open = in.flag();
    if (!in.ok()) break;
    if (const Result<std::uint32_t> added = map.add_portal(portal); !added) return added.status();
  }
  return {};
}

void write_doors(base::ByteWriter& out, const MapView& map) {
  out.number(map.doors().size());
  for (const DoorDef& door : map.doors()) {
    out.text(door.name);
    out.u8(door.open ? 1 : 0);
    out.number(door.cells.size());
    for (const Cell& c : door.cells) write_cell(out, c);
    out.number(door.steps.size());
    for (const GridStep& step : door.steps) write_step(out, step);
    out.number(door.cost);
  }
}

Status read_doors(base::ByteReader& in, GridMap& map) {
  std::vector<DoorDef> doors;
  for (std::size_t n = in.count(5); n > 0; --n) {
    DoorDef door;
    door.name = in.text();
    door.open = in.flag();
    for (std::size_t cells = in.count(3); cells > 0; --cells) door.cells.push_back(read_cell(in));
    for (std::size_t steps = in.count(4); steps > 0; --steps) door.steps.push_back(read_step(in));
    door.cost = in.number32(kMaxEdgeCost);
    if (!in.ok()) break;
    doors.push_back(std::move(door));
  }
  return map.add_doors(doors).status();
}

void write_obstacles(base::ByteWriter& out, const MapView& map) {
  out.number(map.obstacles().size());
  for (const std::shared_ptr<const Obstacle>& shape : map.obstacles()) {
    out.u8(shape != nullptr ? 1 : 0);
    if (shape != nullptr) write_shape(out, *shape);
  }
}

// One that is gone keeps its number: it is added, and then removed.
Status read_obstacles(base::ByteReader& in, GridMap& map) {
  Obstacle any;
  any.radius = Fixed::from_int(1);
  MapEdit gone;
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    const bool there = in.flag();
    const Obstacle shape = there ? read_shape(in) : any;
    if (!in.ok()) break;
    const Result<std::uint32_t> added = map.add_obstacle(shape);
    if (!added) return added.status();
    if (!there) gone.obstacles.push_back({*added, ObstacleChange::remove});
  }
  return gone.empty() ? Status() : map.apply(gone).status();
}

}  // namespace

void write_cell(base::ByteWriter& out, Cell cell) {
  out.signed_number(cell.x);
  out.signed_number(cell.y);
  out.signed_number(cell.layer);
}

Cell read_cell(base::ByteReader& in) noexcept {
  Cell cell;
  cell.x = in.signed32();
  cell.y = in.signed32();
  cell.layer = in.signed32();
  return cell;
}

void write_map(base::ByteWriter& out, const MapView& map) {
  write_head(out, map);
  write_terrain(out, map);
  write_knowledge(out, map);
  write_weights(out, map);
  write_heights(out, map);
  write_doors(out, map);
  write_edges(out, map);
  write_obstacles(out, map);
  out.number(map.map_version());
  out.number(map.overlay_version());
  out.u64(map.content_digest());
}

Result<GridMap> read_map(base::ByteReader& in, const Host& host) {
  const GridMapDef def = read_head(in);
  const std::vector<std::string> factions = read_factions(in);
  // Every cell has a bit of terrain, so a size that is not there is refused before memory is taken.
  const auto layers = static_cast<std::uint64_t>(def.layers), width = static_cast<std::uint64_t>(def.width),
             height = static_cast<std::uint64_t>(def.height), bits = std::uint64_t{in.left()} * 8;
  if (!in.ok() || width == 0 || height == 0 || layers == 0 || width > bits / height || width * height > bits / layers)
    return not_a_map();
  Result<GridMap> map = GridMap::create(def, host);
  if (!map) return map;
  Status status = add_factions(factions, *map);
  if (status.ok()) status = read_cells(in, *map, def.terrain.size());
  if (status.ok()) status = read_knowledge(in, *map);
  if (status.ok()) status = read_weights(in, *map);
  if (status.ok()) status = read_heights(in, *map);
  if (status.ok()) status = read_doors(in, *map);
  if (status.ok()) status = read_edges(in, *map);
  if (status.ok()) status = read_obstacles(in, *map);
  const std::uint64_t map_version = in.number(), overlay_version = in.number(), content = in.u64();
  if (status.ok()) status = map->set_versions(map_version, overlay_version);
  if (status.code() == StatusCode::out_of_memory) return status;
  if (!status.ok() || !in.ok() || map->view().content_digest() != content) return not_a_map();
  return map;
}

void write_edit(base::ByteWriter& out, const MapEdit& edit) {
  out.number(edit.cells.size());
  for (const CellEdit& e : edit.cells) {
    write_cell(out, e.cell);
    out.u8(static_cast<std::uint8_t>(e.change));
    out.u8(e.terrain);
    out.u8(e.faction);
  }
  out.number(edit.doors.size());
  for (const DoorEdit& e : edit.doors) {
    out.number(e.door);
    out.u8(static_cast<std::uint8_t>(e.state));
    out.number(e.cost);
  }
  out.number(edit.steps.size());
  for (const StepEdit& e : edit.steps) write_step_edit(out, e);
  out.number(edit.portals.size());
  for (const PortalEdit& e : edit.portals) {
    out.number(e.portal);
    out.u8(e.open ? 1 : 0);
  }
  out.number(edit.obstacles.size());
  for (const ObstacleEdit& e : edit.obstacles) {
    out.number(e.obstacle);
    out.u8(static_cast<std::uint8_t>(e.change));
    if (e.change == ObstacleChange::move) write_position(out, e.centre);
    if (e.change == ObstacleChange::shape) write_shape(out, *e.shape);
  }
}

MapEdit read_edit(base::ByteReader& in) {
  MapEdit edit;
  edit.cells.resize(in.count(6));
  for (CellEdit& e : edit.cells) {
    e.cell = read_cell(in);
    e.change = static_cast<CellChange>(in.u8(static_cast<std::uint8_t>(CellChange::known)));
    e.terrain = in.u8();
    e.faction = in.u8();
  }
  edit.doors.resize(in.count(3));
  for (DoorEdit& e : edit.doors) {
    e.door = in.number32();
    e.state = static_cast<DoorState>(in.u8(static_cast<std::uint8_t>(DoorState::closed)));
    e.cost = in.number32(kMaxEdgeCost);
  }
  edit.steps.resize(in.count(6));
  for (StepEdit& e : edit.steps) e = read_step_edit(in);
  edit.portals.resize(in.count(2));
  for (PortalEdit& e : edit.portals) {
    e.portal = in.number32();
    e.open = in.flag();
  }
  for (std::size_t n = in.count(2); n > 0 && in.ok(); --n) {
    ObstacleEdit& e = edit.obstacles.emplace_back();
    e.obstacle = in.number32();
    e.change = static_cast<ObstacleChange>(in.u8(static_cast<std::uint8_t>(ObstacleChange::remove)));
    if (e.change == ObstacleChange::move) e.centre = read_position(in);
    if (e.change == ObstacleChange::shape) e.shape = std::make_shared<const Obstacle>(read_shape(in));
  }
  return edit;
}

}  // namespace drover::world
