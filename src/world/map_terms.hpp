// SPDX-License-Identifier: MIT
// What each part of a map adds to its content digest.
#pragma once
#include "world/map_state.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace drover::world {

std::uint64_t head_term(const GridShape& shape, const std::vector<TerrainClass>& classes);
std::uint64_t slope_term(SlopeCost slope) noexcept;
/// 0 for the frame that maps have by default.
std::uint64_t frame_term(const WorldFrame& frame, const GridShape& shape) noexcept;
/// Null: one that is gone.
std::uint64_t obstacle_term(std::size_t index, const Obstacle* obstacle) noexcept;
std::uint64_t faction_term(std::size_t index, const std::string& name);
std::uint64_t cell_term(std::uint64_t number, TerrainId terrain, std::uint8_t flags) noexcept;
std::uint64_t fog_term(std::uint64_t number, std::uint8_t fog) noexcept;
std::uint64_t door_term(std::size_t index, const DoorDef& door);
std::uint64_t portal_term(std::size_t index, const PortalDef& portal, const GridShape& shape);
std::uint64_t edges_term(const SparseEdges& edges, const GridShape& shape);

}  // namespace drover::world
