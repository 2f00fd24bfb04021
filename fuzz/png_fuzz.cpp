// SPDX-License-Identifier: MIT
// Pictures out of any bytes as maps: refused, or cells with a meaning that a picture of ours gives back.
#include "io/map_formats.hpp"

#include <algorithm>
#include <string>

#include "check.hpp"
#include "support/png_bytes.hpp"

namespace {

using drover::fuzz::must;
using drover::io::MapFile;

constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 20;

std::uint32_t number(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

enum class Pixels : std::uint8_t { as_they_are, to_be_packed };

// Chunks with checksums, and pixels with a compression, that no mutation would ever hit.
std::string sealed(std::string_view bytes, Pixels pixels) {
  std::string out(drover::test::kPngHead);
  for (std::size_t at = 8; at <= bytes.size() && bytes.size() - at >= 8;) {
    const std::size_t size = std::min<std::size_t>(number(bytes, at), bytes.size() - at - 8);
    const std::string type(bytes.substr(at + 4, 4)), data(bytes.substr(at + 8, size));
    const bool pack = type == "IDAT" && pixels == Pixels::to_be_packed;
    out += drover::test::png_chunk(type, pack ? drover::test::png_deflated(data) : data);
    at += size + 12;
  }
  return out;
}

bool too_large(std::string_view png) {
  return png.size() >= 24 && std::uint64_t{number(png, 16)} * number(png, 20) > kMostPixels &&
         number(png, 16) < 65536 && number(png, 20) < 65536;
}

void expect_meaning(const MapFile& map) {
  must(map.cells.layers == 1 && map.terrain.size() <= 255);
  must(map.cells.cells.size() == static_cast<std::size_t>(map.cells.width * map.cells.height));
  for (const std::uint8_t cell : map.cells.cells)
    must(cell < map.terrain.size() || cell == drover::io::MapCells::kUnknown);
}

bool same(const drover::TerrainClass& a, const drover::TerrainClass& b) {
  return a.name == b.name && a.cost == b.cost && a.passable == b.passable && a.letter == b.letter;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = drover::fuzz::text_of(data + 1, size - 1);
  drover::io::MapFileOptions options;
  if ((data[0] & 2) != 0) options.legend = drover::io::Legend{{{"#ffffff", 0}, {"palette 1", 1}, {"transparent", 3}}};
  if ((data[0] & 4) != 0) options.terrain.push_back({"sand", 's', 2, true});
  const std::string png = (data[0] & 8) != 0
                              ? std::string(bytes)
                              : sealed(bytes, (data[0] & 1) != 0 ? Pixels::to_be_packed : Pixels::as_they_are);
  if (too_large(png)) return 0;
  const drover::Result<MapFile> map = drover::io::parse_png_map(png, "f.png", options);
  if (!map) return drover::fuzz::expect_known(map.status()), 0;
  expect_meaning(*map);
  std::vector<drover::io::Warning> lost;
  const drover::Result<std::string> written = drover::io::png_map_bytes(*map, lost);
  must(written.ok() && lost.empty());
  const drover::Result<MapFile> again = drover::io::parse_png_map(*written, "g.png");
  must(again.ok() && again->cells.cells == map->cells.cells && again->origin == map->origin);
  must(std::equal(again->terrain.begin(), again->terrain.end(), map->terrain.begin(), map->terrain.end(), same));
  return 0;
}
