// SPDX-License-Identifier: MIT
// Any bytes as a Tiled map, XML or JSON by the first one: refused, or a map that both syntaxes hold. No file is read:
// the map's folder does not exist, and tilesets stay below it.
#include <algorithm>
#include <string>

#include "check.hpp"
#include "io/map_formats.hpp"

namespace {

using drover::fuzz::expect_known;
using drover::fuzz::must;
using drover::io::MapFile;

constexpr std::int64_t kMostCells = 4096;

bool same_ground(const MapFile& a, const MapFile& b) {
  const auto same_step = [](const drover::StepEdit& s, const drover::StepEdit& t) {
    return s.step == t.step && s.allowed == t.allowed;
  };
  return a.origin == b.origin && a.cells.width == b.cells.width && a.cells.cells == b.cells.cells &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), same_step);
}

void expect_sound(const MapFile& map) {
  const drover::Result<drover::GridShape> shape =
      drover::GridShape::create(map.cells.width, map.cells.height, map.cells.layers, map.origin);
  must(shape.ok() && map.cells.cells.size() == shape->cell_count() && map.terrain.size() <= 255);
  for (const std::uint8_t cell : map.cells.cells)
    must(cell < map.terrain.size() || cell == drover::io::MapCells::kUnknown);
  for (const drover::StepEdit& step : map.steps) must(shape->contains(step.step.from));
  for (const drover::io::MapGoal& goal : map.goals)
    for (const drover::Cell cell : goal.cells) must(shape->contains(cell));
  for (const drover::io::MapSpawn& spawn : map.spawns)
    for (const drover::Cell cell : spawn.cells) must(shape->contains(cell));
  for (const drover::io::NamedObstacle& obstacle : map.obstacles) must(obstacle.shape.validate().ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = drover::fuzz::text_of(data + 1, size - 1);
  const std::string file = "no-such-folder/of/a/fuzzer/m";
  const drover::Result<MapFile> map =
      (data[0] & 1) != 0 ? drover::io::parse_tmj(text, file + ".tmj") : drover::io::parse_tmx(text, file + ".tmx");
  if (!map) return expect_known(map.status()), 0;
  if (map->cells.width * map->cells.height * map->cells.layers > kMostCells) return 0;
  expect_sound(*map);
  std::vector<drover::io::Warning> lost;
  const drover::Result<MapFile> tmx = drover::io::parse_tmx(drover::io::tmx_text(*map, lost), file + ".tmx");
  const drover::Result<MapFile> tmj = drover::io::parse_tmj(drover::io::tmj_text(*map, lost), file + ".tmj");
  // Names with bytes that no text holds, and places beyond those that are read, need not come back.
  must(tmx.ok() == tmj.ok() && (!tmx || (same_ground(*map, *tmx) && same_ground(*map, *tmj))));
  return 0;
}
