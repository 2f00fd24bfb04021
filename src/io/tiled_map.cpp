// SPDX-License-Identifier: MIT
// Reading: one way from a tree to a map, whichever syntax the tree came from.
#include "io/tiled_map.hpp"

#include <fmt/format.h>

#include "io/map_formats.hpp"

namespace drover::io {

namespace {

using Read = tiled::Element (*)(const tiled::Source&);

Result<MapFile> parse_tiled(std::string_view text, const std::string& file, const MapFileOptions& options, Read read) {
  return guarded(fmt::format("the Tiled map {} has {} bytes as text", printable(file), text.size()), [&] {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
      refuse(StatusCode::map_empty, {file, 0, 0}, "the file is empty; a map is expected");
    const tiled::Source source(text, file);
    const tiled::Element map = read(source);
    if (map.tag != "map") source.refuse(StatusCode::tiled, map.at, "no map of Tiled; one is expected");
    if (const std::string_view orientation = map.value("orientation"); orientation != "orthogonal") {
      source.refuse(StatusCode::tiled, map.at,
                    fmt::format("orientation \"{}\"; orthogonal is expected", printable(orientation)));
    }
    MapFile out;
    out.file = file;
    out.terrain = options.terrain;
    const tiled::Tiles tiles(source, map, options, out.terrain);
    out.parts = tiles.files();
    tiled::read_cells(source, map, tiles, out);
    tiled::read_objects(source, map, out);
    return out;
  });
}

}  // namespace

Result<MapFile> parse_tmx(std::string_view text, const std::string& file, const MapFileOptions& options) {
  return parse_tiled(text, file, options, &tiled::read_xml);
}

Result<MapFile> parse_tmj(std::string_view text, const std::string& file, const MapFileOptions& options) {
  return parse_tiled(text, file, options, &tiled::read_json);
}

}  // namespace drover::io
