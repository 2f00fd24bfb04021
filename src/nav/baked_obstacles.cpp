// SPDX-License-Identifier: MIT
// Bakes all shapes, or follows the differences of two lists of them.
#include "nav/baked_obstacles.hpp"

#include "world/obstacle_index.hpp"

#include <algorithm>
#include <utility>

namespace drover::nav {

namespace {

using Shape = std::shared_ptr<const Obstacle>;

SharedBake shared(ObstacleBake&& bake) { return std::make_shared<const ObstacleBake>(std::move(bake)); }

Status change(ObstacleBake& bake, const Shape& from, const Shape& to, std::vector<CellIndex>& changed) {
  if (from == nullptr) return bake.add(*to, changed);
  return to == nullptr ? bake.remove(*from, changed) : bake.move(*from, *to, changed);
}

}  // namespace

Result<SharedBake> bake(const MapView& map, const MovementProfile& profile, const Host& host) {
  const auto shapes = map.obstacles();
  if (std::all_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s == nullptr; })) return SharedBake();
  Result<ObstacleBake> made =
      ObstacleBake::create(map.shape(), map.frame(), world::reach_of(map.frame(), profile), profile.footprint, host);
  if (!made) return made.status();
  std::vector<CellIndex> changed;
  for (const Shape& shape : shapes) {
    if (shape == nullptr) continue;
    changed.clear();
    if (Status status = made->add(*shape, changed); !status.ok()) return status;
  }
  return shared(*std::move(made));
}

Result<Rebake> rebake(const ObstacleBake& old, const MapView& before, const MapView& map) {
  const auto a = before.obstacles(), b = map.obstacles();
  Result<ObstacleBake> copy = old.copy();
  if (!copy) return copy.status();
  Rebake result;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const Shape from = i < a.size() ? a[i] : nullptr, to = i < b.size() ? b[i] : nullptr;
    if (from == to) continue;
    if (Status status = change(*copy, from, to, result.changed); !status.ok()) return status;
  }
  result.bake = shared(*std::move(copy));
  return result;
}

}  // namespace drover::nav
