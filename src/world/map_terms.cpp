// SPDX-License-Identifier: MIT
// One mix for each part of a map.
#include "world/map_terms.hpp"

#include "base/digest.hpp"

namespace drover::world {

namespace {

std::uint64_t rules_term(std::span<const StepRule> rules, const GridShape& shape) {
  const CellNumbers number(shape);
  std::uint64_t sum = 0;
  for (const StepRule& rule : rules) {
    const std::uint64_t step = number(rule.from) * kDirections + static_cast<std::uint64_t>(rule.direction);
    sum += base::mix(place(Part::rule, step), std::uint64_t{rule.extra} << 1 | (rule.allowed ? 1u : 0u));
  }
  return sum;
}

void add(base::Digest& digest, Position p) noexcept {
  digest.add(static_cast<std::uint64_t>(p.x.raw)).add(static_cast<std::uint64_t>(p.y.raw));
}

void add(base::Digest& digest, const std::vector<Position>& ring) noexcept {
  digest.add(ring.size());
  for (const Position p : ring) add(digest, p);
}

}  // namespace

// Floor that is known and open counts nothing, so a fresh map is digested in no time.
std::uint64_t cell_term(std::uint64_t number, TerrainId terrain, std::uint8_t flags) noexcept {
  const std::uint64_t value = static_cast<std::uint64_t>(flags) << 8 | terrain;
  return value == 0 ? 0 : base::mix(place(Part::cell, number), value);
}

std::uint64_t fog_term(std::uint64_t number, std::uint8_t fog) noexcept {
  return fog == 0 ? 0 : base::mix(place(Part::fog, number), fog);
}

std::uint64_t faction_term(std::size_t index, const std::string& name) {
  return base::mix(place(Part::faction, index), base::Digest().add(name).value());
}

std::uint64_t door_term(std::size_t index, const DoorDef& door) {
  base::Digest digest;
  digest.add(door.name).add(door.open ? 1 : 0).add(door.cells.size());
  for (const Cell& c : door.cells) {
    digest.add(static_cast<std::uint32_t>(c.x)).add(static_cast<std::uint32_t>(c.y));
    digest.add(static_cast<std::uint32_t>(c.layer));
  }
  if (!door.steps.empty() || door.cost != 0) digest.add(door.cost).add(door.steps.size());
  for (const GridStep& step : door.steps) {
    digest.add(static_cast<std::uint32_t>(step.from.x)).add(static_cast<std::uint32_t>(step.from.y));
    digest.add(static_cast<std::uint32_t>(step.from.layer)).add(static_cast<std::uint64_t>(step.direction));
  }
  return base::mix(place(Part::door, index), digest.value());
}

std::uint64_t portal_term(std::size_t index, const PortalDef& portal, const GridShape& shape) {
  const CellNumbers number(shape);
  base::Digest digest;
  digest.add(number(shape.index(portal.from))).add(number(shape.index(portal.to)));
  digest.add(portal.cost).add(portal.open ? 1 : 0);
  if (portal.ticks != 0) digest.add(portal.ticks);
  return base::mix(place(Part::portal, index), digest.value());
}

std::uint64_t edges_term(const SparseEdges& edges, const GridShape& shape) {
  std::uint64_t sum = rules_term(edges.own, shape);
  for (std::size_t i = 0; i < edges.portals.size(); ++i) sum += portal_term(i, edges.portals[i], shape);
  return sum;
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

std::uint64_t slope_term(SlopeCost slope) noexcept {
  if (slope == SlopeCost{}) return 0;
  return base::mix(place(Part::slope, 0), std::uint64_t{slope.up} << 32 | slope.down);
}

std::uint64_t frame_term(const WorldFrame& frame, const GridShape& shape) noexcept {
  if (frame == WorldFrame(shape)) return 0;
  base::Digest digest;
  add(digest, frame.corner());
  digest.add(static_cast<std::uint64_t>(frame.cell_size().raw));
  return base::mix(place(Part::frame, 0), digest.value());
}

std::uint64_t obstacle_term(std::size_t index, const Obstacle* obstacle) noexcept {
  if (obstacle == nullptr) return base::mix(place(Part::obstacle, index), 0);
  const Obstacle& o = *obstacle;
  base::Digest digest;
  digest.add(static_cast<std::uint64_t>(o.kind) + 1).add(o.layer_mask);
  add(digest, o.centre);
  digest.add(static_cast<std::uint64_t>(o.radius.raw));
  add(digest, o.half);
  digest.add(static_cast<std::uint32_t>(o.axis.x)).add(static_cast<std::uint32_t>(o.axis.y));
  add(digest, o.points);
  digest.add(o.holes.size());
  for (const std::vector<Position>& hole : o.holes) add(digest, hole);
  return base::mix(place(Part::obstacle, index), digest.value());
}

}  // namespace drover::world
