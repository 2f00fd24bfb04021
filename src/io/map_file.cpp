// SPDX-License-Identifier: MIT
// Maps by the ending of their file's name: who reads them, who writes them, and what is lost on the way.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/descriptor.hpp"
#include "io/map_formats.hpp"
#include "io/map_text.hpp"
#include "io/output.hpp"

namespace drover::io {

namespace {

constexpr std::array<std::string_view, 5> kEndings = {".map", ".txt", ".png", ".tmx", ".tmj"};

// Lower case, with its dot: cameras and old systems shout.
std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

void need_one_layer(const MapFile& map, const std::string& path, std::string_view ending) {
  if (map.cells.layers == 1) return;
  std::string layers = "0";
  for (std::int64_t i = 1; i < std::min<std::int64_t>(map.cells.layers, 4); ++i) layers += fmt::format(", {}", i);
  if (map.cells.layers > 4) layers += fmt::format(" .. {}", map.cells.layers - 1);
  refuse(StatusCode::format, {path, 0, 0},
         fmt::format("the map has {} layers ({}), {} holds one; .txt, .tmx or .tmj is expected", map.cells.layers,
                     layers, ending));
}

void check_cells(const MapFile& map) {
  const MapCells& cells = map.cells;
  check_map_size(cells.width, cells.height, cells.layers, {map.file, 0, 0});
  const auto known = [&](std::uint8_t what) { return what < map.terrain.size() || what == MapCells::kUnknown; };
  if (static_cast<std::int64_t>(cells.cells.size()) != cells.width * cells.height * cells.layers ||
      !std::all_of(cells.cells.begin(), cells.cells.end(), known))
    refuse(StatusCode::argument, {map.file, 0, 0}, "cells of another number or terrain than the map says");
}

// The whole file in memory: nothing is opened before it is known that the format can hold the map.
std::string written(const std::string& path, const MapFile& map, const MapFileOptions& options,
                    std::vector<Warning>& lost) {
  const std::string ending = ending_of(path);
  if (ending == ".map" || ending == ".png") need_one_layer(map, path, ending);
  if (ending == ".map") return map_text(map, TextForm::moving_ai, options, lost);
  if (ending == ".txt") return map_text(map, TextForm::plain, options, lost);
  if (ending == ".png") return or_refuse(png_map_bytes(map, lost));
  if (ending == ".tmx") return tmx_text(map, lost);
  if (ending == ".tmj") return tmj_text(map, lost);
  or_refuse(check_map_ending(path));
  return {};
}

}  // namespace

Status check_map_ending(const std::string& path) {
  const std::string ending = ending_of(path);
  for (const std::string_view known : kEndings) {
    if (ending == known) return {};
  }
  return error_at(StatusCode::format, {path, 0, 0},
                  fmt::format("no format of maps ends with \"{}\"; {} is expected", printable(ending),
                              joined({kEndings.begin(), kEndings.end()}, " or ")));
}

void add_lost(const MapFile& map, std::string_view ending, FormatHolds holds, std::vector<Warning>& lost) {
  const auto add = [&](std::string_view what, std::uint64_t count) {
    if (count > 0) lost.push_back({"W_LOST", fmt::format("{}: {}; {} holds none", what, count, ending)});
  };
  if (!holds.origin && (map.origin.x != 0 || map.origin.y != 0)) {
    lost.push_back({"W_LOST", fmt::format("origin {},{}; {} begins at 0,0", map.origin.x, map.origin.y, ending)});
  }
  if (!holds.steps) {
    const auto one_ways =
        std::count_if(map.steps.begin(), map.steps.end(), [](const StepEdit& step) { return !step.allowed; });
    add("one-way steps", static_cast<std::uint64_t>(one_ways));
  }
  const auto dearer = std::count_if(map.steps.begin(), map.steps.end(),
                                    [](const StepEdit& step) { return step.allowed && step.extra > 0; });
  add("dearer steps", static_cast<std::uint64_t>(dearer));
  add("heights", map.cells.heights.size());
  if (holds.objects) return;
  add("goals", map.goals.size());
  add("spawns", map.spawns.size());
  add("obstacles", map.obstacles.size());
}

namespace {

MapFile loaded(const std::string& path, const MapFileOptions& options) {
  const std::string ending = ending_of(path);
  if (ending == ".png") return or_refuse(parse_png_map(read_bytes(path, kPngFile), path, options));
  if (ending == ".tmx") return or_refuse(parse_tmx(or_refuse(read_text_file(path, kTiledFile)), path, options));
  if (ending == ".tmj") return or_refuse(parse_tmj(or_refuse(read_text_file(path, kTiledFile)), path, options));
  MapFile map;
  map.file = path;
  map.terrain = options.terrain;
  map.cells = or_refuse(parse_map(or_refuse(read_text_file(path, kMapFile)), path, options.alphabet));
  return map;
}

}  // namespace

Result<MapFile> load_map_file(const std::string& path, const MapFileOptions& options) {
  return guarded(fmt::format("the map {}", printable(path)), [&] {
    MapFile map = loaded(path, options);
    if (map.origin.x + map.cells.width - 1 > INT32_MAX || map.origin.y + map.cells.height - 1 > INT32_MAX) {
      refuse(StatusCode::map_size, {path, 0, 0},
             fmt::format("map of {}x{} from {},{} on; coordinates up to {} are expected", map.cells.width,
                         map.cells.height, map.origin.x, map.origin.y, INT32_MAX));
    }
    return map;
  });
}

Result<SavedMap> save_map_file(const std::string& path, const MapFile& map, const MapFileOptions& options) {
  return guarded(map_need(map.cells.width, map.cells.height, map.cells.layers), [&] {
    SavedMap saved;
    check_cells(map);
    or_refuse(write_file(path, written(path, map, options, saved.warnings)));
    for (Warning& warning : saved.warnings)
      warning.message = error_at(StatusCode::ok, {path, 0, 0}, warning.message).message();
    return saved;
  });
}

}  // namespace drover::io
