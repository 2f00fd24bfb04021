// SPDX-License-Identifier: MIT
// Doors and portals that come to a map: checked against all before them, in lists that grow in place where nobody reads
// them.
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "world/map_state.hpp"
#include "world/map_terms.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace drover {

namespace {

using world::DoorIndex;
using world::outside;
using world::to_text;

std::uint64_t place_of(CellIndex cell) noexcept { return std::uint64_t{1} << 63 | cell.value; }
std::uint64_t place_of(CellIndex from, Direction direction) noexcept { return world::key_of(from, direction); }

/// Enters doors into an index, and takes all of them out again unless keep() is called.
class Claims {
 public:
  Claims(DoorIndex& index, const GridShape& shape) noexcept : index_(index), shape_(shape) {}
  ~Claims() {
    if (kept_) return;
    for (const std::string& name : names_) index_.names.erase(name);
    for (const std::uint64_t place : places_) index_.places.erase(place);
  }
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;
  void keep() noexcept { kept_ = true; }

  Status add(const DoorDef& door) {
    if (!door.name.empty() && index_.names.contains(door.name))
      return {StatusCode::name_twice, base::concat("door \"", door.name, "\" twice")};
    const std::string of_door = base::concat("door \"", door.name, "\": ");
    std::vector<std::uint64_t> places;
    if (Status status = check_steps(door, of_door, places); !status.ok()) return status;
    if (Status status = check_cells(door, of_door, places); !status.ok()) return status;
    if (!door.name.empty()) names_.push_back(door.name);
    places_.insert(places_.end(), places.begin(), places.end());
    if (!door.name.empty()) index_.names.insert(door.name);
    index_.places.insert(places.begin(), places.end());
    return {};
  }

 private:
  Status check_steps(const DoorDef& door, const std::string& of_door, std::vector<std::uint64_t>& places) const {
    if (Status status = world::check_edge_cost(door.cost, base::concat("cost of door \"", door.name, "\": "));
        !status.ok())
      return status;
    for (const GridStep& step : door.steps) {
      if (!shape_.contains(step.from))
        return {StatusCode::edit_outside, of_door + outside(step.from, shape_).message()};
      if (!world::is_direction(step.direction)) return {StatusCode::argument, of_door + "a step without a direction"};
      places.push_back(place_of(shape_.index(step.from), step.direction));
      if (index_.places.contains(places.back())) {
        return {StatusCode::argument, base::concat(of_door, "the step ", to_string(step.direction), " from cell ",
                                                   to_text(step.from, shape_), " belongs to another door")};
      }
    }
    std::sort(places.begin(), places.end());
    if (std::adjacent_find(places.begin(), places.end()) == places.end()) return {};
    return {StatusCode::argument, of_door + "a step twice; expected once"};
  }
  Status check_cells(const DoorDef& door, const std::string& of_door, std::vector<std::uint64_t>& places) const {
    for (const Cell& c : door.cells) {
      const CellIndex i = shape_.index(c);
      if (!i.valid()) return {StatusCode::edit_outside, of_door + outside(c, shape_).message()};
      if (index_.places.contains(place_of(i))) {
        return {StatusCode::argument, base::concat(of_door, "cell ", to_text(c, shape_), " belongs to another door")};
      }
      places.push_back(place_of(i));
    }
    return {};
  }

  DoorIndex& index_;
  const GridShape& shape_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> places_;
  bool kept_ = false;
};

// Room for more with room to spare, so that many single ones are added in time linear in their number.
template <class T>
void make_room(std::vector<T>& list, std::size_t more) {
  if (list.capacity() - list.size() < more) list.reserve(std::max(list.size() + more, list.size() * 2));
}

}  // namespace

Result<std::uint32_t> GridMap::add_door(const DoorDef& door) { return add_doors({&door, 1}); }

Result<std::uint32_t> GridMap::add_doors(std::span<const DoorDef> doors) {
  return base::no_throw([&]() -> Result<std::uint32_t> {
    if (!state_) return Status(StatusCode::argument, "a map that was moved from");
    const std::size_t first = state_->doors->size();
    if (doors.empty()) return static_cast<std::uint32_t>(first);
    const bool own = base::sole_owner(state_) && base::sole_owner(state_->door_index);
    auto index = own ? state_->door_index : std::make_shared<DoorIndex>(*state_->door_index);
    Claims claims(*index, state_->shape);
    std::vector<DoorDef> added(doors.begin(), doors.end());
    std::size_t closed_cells = 0;
    bool rules = false;
    for (DoorDef& door : added) {
      if (Status status = claims.add(door); !status.ok()) return status;
      if (!door.open) door.cost = 0;
      if (!door.open) closed_cells += door.cells.size();
      rules |= door.cost > 0 || (!door.open && !door.steps.empty());
    }
    std::shared_ptr<world::SparseEdges> edges;
    if (rules) {
      edges = std::make_shared<world::SparseEdges>();
      edges->effective = world::with_doors(state_->edges->effective, state_->shape, added);
      edges->own = state_->edges->own;
      edges->portals = state_->edges->portals;
    }
    auto target = Writable::take(*this, Writable::kDoors | (closed_cells == 0 ? 0u : Writable::kFlags), closed_cells);
    if (!target.ok()) return target.status();
    MapView::State& state = *target->state;
    make_room(*state.doors, added.size());

    claims.keep();
    const world::CellNumbers number(state.shape);
    for (DoorDef& door : added) {
      state.content += world::door_term(state.doors->size(), door);
      for (const Cell& c : door.cells) {
        const CellIndex i = state.shape.index(c);
        const TerrainId terrain = (*state.terrain)[i.value];
        const std::uint8_t before = (*state.flags)[i.value];
        const auto after = static_cast<std::uint8_t>(before | MapView::kClosedFlag);
        if (door.open || before == after) continue;
        state.content += world::cell_term(number(i), terrain, after) - world::cell_term(number(i), terrain, before);
        state.flags->write(i.value, after);
      }
      state.doors->push_back(std::move(door));
    }
    state.door_index = std::move(index);
    if (edges != nullptr) state.edges = std::move(edges);
    state.overlay_version += added.size();
    state_ = target->state;
    return static_cast<std::uint32_t>(first);
  });
}

Result<std::uint32_t> GridMap::add_portal(const PortalDef& portal) {
  return base::no_throw([&]() -> Result<std::uint32_t> {
    if (!state_) return Status(StatusCode::argument, "a map that was moved from");
    for (const Cell& end : {portal.from, portal.to}) {
      if (!state_->shape.contains(end)) {
        return Status(StatusCode::edit_outside, base::concat("portal: ", outside(end, state_->shape).message()));
      }
    }
    if (Status status = world::check_edge_cost(portal.cost, "cost of a portal: "); !status.ok()) return status;
    if (portal.ticks > kMaxPortalTicks)
      return Status(StatusCode::value,
                    base::concat("ticks of a portal: ", portal.ticks, "; at most ", kMaxPortalTicks));
    // As with obstacles: lists that no view holds grow in place.
    const bool own = base::sole_owner(state_) && base::sole_owner(state_->edges);
    auto edges = own ? std::const_pointer_cast<world::SparseEdges>(state_->edges)
                     : std::make_shared<world::SparseEdges>(*state_->edges);
    make_room(edges->portals, 1);
    const std::uint64_t term = world::portal_term(edges->portals.size(), portal, state_->shape);
    auto target = Writable::take(*this, 0);
    if (!target.ok()) return target.status();
    MapView::State& state = *target->state;
    const std::size_t index = edges->portals.size();
    edges->portals.push_back(portal);
    state.content += term;
    state.edges = std::move(edges);
    ++state.map_version;
    state_ = target->state;
    return static_cast<std::uint32_t>(index);
  });
}

}  // namespace drover
