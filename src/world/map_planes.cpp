// SPDX-License-Identifier: MIT
// Taking the parts of a map for writing; its weights, heights and versions.
#include "base/no_throw.hpp"
#include "base/text.hpp"
#include "world/map_state.hpp"
#include "world/map_terms.hpp"

#include <algorithm>
#include <utility>

namespace drover {

Result<GridMap::Writable> GridMap::Writable::take(const GridMap& map, unsigned parts, std::size_t writes) {
  const bool held = !base::sole_owner(map.state_);
  Writable result{held ? std::make_shared<MapView::State>(*map.state_) : map.state_};
  MapView::State& state = *result.state;
  std::uint64_t missing_bytes = 0;
  // The copy of a held state shares every plane with it; a state of our own shares some with older ones.
  const auto own = [&]<class T>(std::shared_ptr<base::RecycledPlane<T>>& plane) {
    if (!base::sole_owner(plane)) {
      auto copy = plane->copy(map.host_.allocator);
      if (!copy.valid()) {
        missing_bytes = plane->bytes();
        return;
      }
      plane = std::make_shared<base::RecycledPlane<T>>(std::move(copy), *plane);
    }
    plane->expect(writes);
  };
  if ((parts & kTerrain) != 0) own(state.terrain);
  if ((parts & kFlags) != 0) own(state.flags);
  if ((parts & kFog) != 0 && state.fog == nullptr) {
    auto clear = base::Plane<std::uint8_t>::filled(map.host_.allocator, state.shape.padded_cells(), 0);
    if (!clear.valid()) return base::out_of_memory(state.shape.padded_cells());
    state.fog = std::make_shared<world::FlagPlane>(std::move(clear));
  } else if ((parts & kFog) != 0) {
    own(state.fog);
  }
  if ((parts & kWeights) != 0) own(state.weights);
  if ((parts & kHeights) != 0) own(state.heights);
  if (missing_bytes != 0) return base::out_of_memory(missing_bytes);
  if ((parts & kDoors) != 0 && !base::sole_owner(state.doors)) {
    state.doors = std::make_shared<std::vector<DoorDef>>(*state.doors);
  }
  return result;
}

template <class T>
Status GridMap::Writable::set_layer(GridMap& map, const Ground<T>& ground, std::int32_t layer,
                                    std::span<const T> values) {
  const GridShape& shape = map.state_->shape;
  auto& held = (*map.state_).*ground.plane;
  const bool first = held == nullptr;
  std::shared_ptr<base::RecycledPlane<T>> plane;
  if (first) {
    plane = std::make_shared<base::RecycledPlane<T>>(
        base::Plane<T>::filled(map.host_.allocator, shape.padded_cells(), ground.usual));
    if (!plane->valid()) return base::out_of_memory(shape.padded_cells() * sizeof(T));
  }
  auto target = take(map, first ? 0u : ground.part, values.size());
  if (!target.ok()) return target.status();
  MapView::State& state = *target->state;
  if (first) {
    state.*ground.plane = std::move(plane);
    state.content += base::mix(world::place(ground.digest, ~std::uint32_t{0}), 0);
  }
  const world::CellNumbers number(state.shape);
  const auto term = [&](std::uint64_t place, T value) {
    return value == ground.usual ? 0 : base::mix(world::place(ground.digest, place), static_cast<std::uint64_t>(value));
  };
  const auto width = static_cast<std::size_t>(shape.width());
  bool changed = first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const CellIndex cell{
        state.shape.at(static_cast<std::int32_t>(i % width), static_cast<std::int32_t>(i / width), layer)};
    base::RecycledPlane<T>& written = *(state.*ground.plane);
    const T before = written[cell.value];
    if (before == values[i]) continue;
    state.content += term(number(cell), values[i]) - term(number(cell), before);
    written.write(cell.value, values[i]);
    changed = true;
  }
  state.map_version += changed ? 1u : 0u;
  map.state_ = target->state;
  return {};
}

namespace {

Status check_layer(const GridShape& shape, std::int32_t layer, std::size_t values, const char* what) {
  if (layer < 0 || layer >= shape.layers()) {
    return {StatusCode::argument, base::concat("layer ", layer, "; the map has ", shape.layers())};
  }
  const std::size_t cells = static_cast<std::size_t>(shape.width()) * static_cast<std::size_t>(shape.height());
  if (values == cells) return {};
  return {StatusCode::weights_size,
          base::concat(values, what, "; expected ", cells, " for a map of ", world::to_text(shape))};
}

}  // namespace

Status GridMap::set_terrain(std::int32_t layer, std::span<const TerrainId> terrain) {
  return base::no_throw([&]() -> Status {
    if (!state_) return {StatusCode::argument, "a map that was moved from"};
    if (Status status = check_layer(state_->shape, layer, terrain.size(), " terrain numbers"); !status.ok())
      return status;
    const std::size_t classes = state_->classes->size();
    const auto bad = std::find_if(terrain.begin(), terrain.end(), [&](TerrainId t) { return t >= classes; });
    if (bad != terrain.end()) return {StatusCode::argument, base::concat("terrain ", *bad, "; the map has ", classes)};
    auto target = Writable::take(*this, Writable::kTerrain, terrain.size());
    if (!target.ok()) return target.status();
    MapView::State& state = *target->state;
    const world::CellNumbers number(state.shape);
    const auto width = static_cast<std::size_t>(state.shape.width());
    bool changed = false;
    for (std::size_t i = 0; i < terrain.size(); ++i) {
      const CellIndex cell{
          state.shape.at(static_cast<std::int32_t>(i % width), static_cast<std::int32_t>(i / width), layer)};
      const TerrainId before = (*state.terrain)[cell.value];
      if (before == terrain[i]) continue;
      const std::uint8_t flags = (*state.flags)[cell.value];
      state.content +=
          world::cell_term(number(cell), terrain[i], flags) - world::cell_term(number(cell), before, flags);
      state.terrain->write(cell.value, terrain[i]);
      changed = true;
    }
    state.map_version += changed ? 1u : 0u;
    state_ = target->state;
    return {};
  });
}

Status GridMap::set_weights(std::int32_t layer, std::span<const std::uint32_t> weights) {
  return base::no_throw([&]() -> Status {
    if (!state_) return {StatusCode::argument, "a map that was moved from"};
    if (Status status = check_layer(state_->shape, layer, weights.size(), " weights"); !status.ok()) return status;
    const auto width = static_cast<std::size_t>(state_->shape.width());
    const auto bad = std::find_if(weights.begin(), weights.end(), [](std::uint32_t w) { return w > kMaxCellCost; });
    if (bad != weights.end()) {
      const auto at = static_cast<std::size_t>(bad - weights.begin());
      return {StatusCode::cost_range, base::concat("weight ", *bad, " in row ", at / width, ", column ", at % width,
                                                   "; expected 0 .. ", kMaxCellCost)};
    }
    return Writable::set_layer<std::uint32_t>(
        *this, {&MapView::State::weights, Writable::kWeights, world::Part::weight, 1}, layer, weights);
  });
}

Status GridMap::set_heights(std::int32_t layer, std::span<const std::int32_t> heights) {
  return base::no_throw([&]() -> Status {
    if (!state_) return {StatusCode::argument, "a map that was moved from"};
    if (Status status = check_layer(state_->shape, layer, heights.size(), " heights"); !status.ok()) return status;
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    const std::uint64_t steepest = std::max(state_->slope.up, state_->slope.down);
    const auto span = static_cast<std::uint64_t>(std::int64_t{*high} - *low);
    if (steepest > 0 && span > kMaxEdgeCost / steepest) {
      return {StatusCode::cost_range,
              base::concat("heights from ", *low, " to ", *high, " at ", steepest,
                           " a unit; one step may cost at most ", kMaxEdgeCost, " for its slope")};
    }
    return Writable::set_layer<std::int32_t>(
        *this, {&MapView::State::heights, Writable::kHeights, world::Part::height, 0}, layer, heights);
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
