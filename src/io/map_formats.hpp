// SPDX-License-Identifier: MIT
// One reader and one writer for each format of maps; load_map_file and save_map_file choose among them.
#pragma once
#include <drover/io.hpp>

#include <string>
#include <string_view>

namespace drover::io {

/// Bytes of a Tiled map in memory; external tilesets are looked for beside `file`, never above its folder unless
/// options.paths says so.
Result<MapFile> parse_tmx(std::string_view text, const std::string& file, const MapFileOptions& options = {});
Result<MapFile> parse_tmj(std::string_view text, const std::string& file, const MapFileOptions& options = {});
/// Text of a Tiled map with its tileset inside; what it cannot hold is added to `lost`.
std::string tmx_text(const MapFile& map, std::vector<Warning>& lost);
std::string tmj_text(const MapFile& map, std::vector<Warning>& lost);

/// Bytes of a picture: one pixel a cell.
Result<MapFile> parse_png_map(std::string_view bytes, const std::string& file, const MapFileOptions& options = {});
/// A picture with a palette that carries its own legend.
Result<std::string> png_map_bytes(const MapFile& map, std::vector<Warning>& lost);

/// Refuses (`format`) a name whose ending is none of maps.
Status check_map_ending(const std::string& path);

/// What a format keeps of a map beside its cells and kinds of ground.
struct FormatHolds {
  bool origin = false, steps = false, objects = false;
};
/// A warning for each kind of thing that the map has and the format does not hold, with how many there are.
void add_lost(const MapFile& map, std::string_view ending, FormatHolds holds, std::vector<Warning>& lost);

}  // namespace drover::io
