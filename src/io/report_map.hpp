// SPDX-License-Identifier: MIT
// The map of a run for a web page: small pictures of ground, field and traffic that lie on each other, marks as lines.
#pragma once
#include "io/picture.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace drover::io {

/// Cells are joined until the longer side has at most this many pixels.
inline constexpr std::int64_t kMapPixels = 512;

struct MapPictures {
  std::int64_t width = 0, height = 0;  // pixels
  std::int64_t cells_a_pixel = 1;
  std::string ground, field, traffic;  // PNG files; field and traffic are see-through where there is none
  std::string marks;                   // SVG elements; one unit is one cell, layers one below the other
  std::int64_t cells_wide = 0, cells_high = 0;
  std::uint64_t most_cost = 0, most_visits = 0;
  bool agents_shown = false;
};

MapPictures draw_map(const MapView& map, const PictureDef& def);

}  // namespace drover::io
