// SPDX-License-Identifier: MIT
// The placements that a map's obstacles take from one profile, kept from graph to graph.
#pragma once
#include <drover/obstacle.hpp>
#include <drover/profile.hpp>

#include <memory>
#include <vector>

namespace drover::nav {

/// Null: the map has no obstacles. Shared by the graphs between whose maps no obstacle changed.
using SharedBake = std::shared_ptr<const ObstacleBake>;

Result<SharedBake> bake(const MapView& map, const MovementProfile& profile, const Host& host);

struct Rebake {
  SharedBake bake;
  std::vector<CellIndex> changed;  // in no order, some perhaps twice or back to what they were
};
/// The bake of `map`, of the same shape and frame as `before`, whose bake is `old`; not null unless `old` is. Copies it
/// once and moves only what differs between the two views.
Result<Rebake> rebake(const ObstacleBake& old, const MapView& before, const MapView& map);

}  // namespace drover::nav
