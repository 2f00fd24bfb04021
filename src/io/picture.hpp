// SPDX-License-Identifier: MIT
// Pictures of a map: its field as a colour ramp, where a crowd walked, where it started and ended.
#pragma once
#include <drover/field.hpp>
#include <drover/map.hpp>

#include <span>
#include <string>
#include <vector>

namespace drover::io {

struct PictureAgent {
  Cell start, end;
  int footprint = 1;
  bool there = true;  // false: it vanished or never came
  bool arrived = false;
};

struct PictureDef {
  const FlowField* field = nullptr;            // none: free cells are plain; its faction's fog is drawn
  std::span<const std::uint32_t> visits = {};  // padded, how often each cell was entered; empty: no traffic
  std::span<const PictureAgent> agents = {};
  std::span<const Cell> goals = {};             // of all fields; empty: those of `field`
  std::span<const std::uint32_t> regions = {};  // padded, colours of free cells where there is no field; 0: plain
};

/// Up to 32 pixels a cell on small maps, one on large ones; layers one below the other.
Status write_picture(const std::string& path, const MapView& map, const PictureDef& def);

}  // namespace drover::io
