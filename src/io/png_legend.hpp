// SPDX-License-Identifier: MIT
// What the colours of a map picture mean: the standard ones, and the legend that pictures of ours carry.
#pragma once
#include <drover/io.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::io {

inline constexpr std::string_view kPngKeyword = "drover map";

/// A colour for each class (0xrrggbb, no two alike) and at 255 for unknown cells: the standard ones for the names of
/// standard_terrain().
std::array<std::uint32_t, 256> terrain_colors(const std::vector<TerrainClass>& terrain);

/// Colours, classes and origin as the text of a tEXt chunk, its keyword included.
std::string picture_text(const MapFile& map, const std::array<std::uint32_t, 256>& colors);

struct PictureLegend {
  struct Entry {
    std::uint32_t color = 0;
    bool unknown = false;
    TerrainClass kind;
  };
  Cell origin;
  std::vector<Entry> entries;
};
/// Reads what picture_text wrote, without the keyword. Refuses with `png` (the place is `chunk`) or
/// version_unsupported.
PictureLegend parse_picture_text(std::string_view text, const std::string& file, const std::string& chunk);

/// Classes of a file joined to those there are: by name; a class that is still as standard_terrain() has it takes the
/// file's values, any other keeps its own; new ones come last. Nothing if there would be more than 255.
/// Index of each class of the file.
std::optional<std::vector<std::int16_t>> join_terrain(std::vector<TerrainClass>& terrain,
                                                      const std::vector<TerrainClass>& of_file);

}  // namespace drover::io
