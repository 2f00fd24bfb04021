// SPDX-License-Identifier: MIT
// Maps as pictures: every kind of PNG, whose colours count, what damage is answered with, what comes back.
#include <gtest/gtest.h>

#include "base/counter_rng.hpp"
#include "io/map_formats.hpp"
#include "support/png_bytes.hpp"

namespace drover::io {
namespace {

using test::png_chunk;
using test::png_file;
using test::PngDef;
using test::PngKind;

constexpr std::uint8_t kOpen = 0, kBlocked = 1, kMarsh = 3, kDark = MapCells::kUnknown;

const std::string kBlackWhite("\0\0\0\xff\xff\xff", 6);
// wall, floor, swamp, unknown
const std::string kFour("\0\0\0\xff\xff\xff\x80\x80\0\x80\0\x80", 12);
constexpr std::uint8_t kFourMean[] = {kBlocked, kOpen, kMarsh, kDark};

MapFile read(const std::string& bytes, const MapFileOptions& options = {}) {
  Result<MapFile> map = parse_png_map(bytes, "m.png", options);
  EXPECT_TRUE(map.ok()) << map.status().message();
  return map ? *map : MapFile{};
}

void expect_refused(const std::string& bytes, StatusCode code, const std::string& what,
                    const MapFileOptions& options = {}) {
  const Result<MapFile> map = parse_png_map(bytes, "m.png", options);
  ASSERT_FALSE(map.ok());
  EXPECT_EQ(error_name(map.status().code()), std::string(error_name(code))) << map.status().message();
  EXPECT_EQ(map.status().message().rfind("m.png: ", 0), 0u) << map.status().message();
  EXPECT_NE(map.status().message().find(what), std::string::npos) << map.status().message();
}

MapFileOptions with_legend(const std::map<std::string, std::int16_t>& colors) {
  MapFileOptions options;
  options.legend = Legend{colors};
  return options;
}

std::vector<std::uint8_t> noise(std::size_t count, std::uint32_t most, std::uint32_t seed) {
  const base::CounterRng rng(seed, 1);
  std::vector<std::uint8_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(rng.uniform(i, most));
  return out;
}

struct Size {
  std::uint32_t width, height;
};
constexpr Size kSizes[] = {{1, 1}, {1, 9}, {3, 2}, {5, 1}, {8, 8}, {9, 17}, {33, 12}};

TEST(PngMap, PalettesOfEveryDepthReadAlikeInterlacedOrNot) {
  for (const Size size : kSizes) {
    for (const int bits : {1, 2, 4, 8}) {
      for (const bool interlaced : {false, true}) {
        const std::uint32_t colors = bits == 1 ? 2 : 4;
        const std::vector<std::uint8_t> drawn = noise(std::size_t{size.width} * size.height, colors, size.width);
        const PngDef def{.width = size.width,
                         .height = size.height,
                         .bits = bits,
                         .interlaced = interlaced,
                         .palette = bits == 1 ? kBlackWhite : kFour,
                         .idat_bytes = 3};
        const MapFile map = read(png_file(def, drawn));
        EXPECT_EQ(map.cells.width, size.width);
        EXPECT_EQ(map.cells.height, size.height);
        EXPECT_EQ(map.cells.layers, 1);
        ASSERT_EQ(map.cells.cells.size(), drawn.size());
        for (std::size_t i = 0; i < drawn.size(); ++i)
          ASSERT_EQ(map.cells.cells[i], kFourMean[drawn[i]]) << size.width << "x" << size.height << " " << bits
                                                             << " bits, interlaced " << interlaced << ", pixel " << i;
      }
    }
  }
}

TEST(PngMap, GreysAreSpreadOverTheFullRange) {
  for (const int bits : {1, 2, 4, 8}) {
    for (const bool interlaced : {false, true}) {
      const auto white = static_cast<std::uint8_t>((1 << bits) - 1);
      const PngDef def{.width = 3, .height = 1, .bits = bits, .kind = PngKind::grey, .interlaced = interlaced};
      EXPECT_EQ(read(png_file(def, {0, white, 0})).cells.cells, (std::vector<std::uint8_t>{kBlocked, kOpen, kBlocked}));
    }
  }
  // Two bits: 0, 85, 170, 255.
  const PngDef two{.width = 4, .height = 1, .bits = 2, .kind = PngKind::grey};
  EXPECT_EQ(
      read(png_file(two, {0, 1, 2, 3}), with_legend({{"#000000", 0}, {"#555555", 1}, {"#aaaaaa", 2}, {"#ffffff", 3}}))
          .cells.cells,
      (std::vector<std::uint8_t>{0, 1, 2, 3}));
}

TEST(PngMap, TrueColoursWithAndWithoutAlpha) {
  for (const bool interlaced : {false, true}) {
    const PngDef rgb{.width = 3, .height = 1, .kind = PngKind::rgb, .interlaced = interlaced};
    EXPECT_EQ(read(png_file(rgb, {0, 0, 0, 255, 255, 255, 0x80, 0x80, 0})).cells.cells,
              (std::vector<std::uint8_t>{kBlocked, kOpen, kMarsh}));
    const PngDef rgba{.width = 3, .height = 1, .kind = PngKind::rgba, .interlaced = interlaced};
    EXPECT_EQ(read(png_file(rgba, {0, 0, 0, 255, 255, 255, 255, 1, 0x80, 0x80, 0, 0})).cells.cells,
              (std::vector<std::uint8_t>{kBlocked, kOpen, kDark}))
        << "what cannot be seen is unknown, what can be seen at all is its colour";
    const PngDef grey{.width = 3, .height = 1, .kind = PngKind::grey_alpha, .interlaced = interlaced};
    EXPECT_EQ(read(png_file(grey, {0, 255, 255, 1, 7, 0})).cells.cells,
              (std::vector<std::uint8_t>{kBlocked, kOpen, kDark}));
  }
}

TEST(PngMap, TransparencyByPaletteEntryAndByColour) {
  PngDef palette{.width = 2, .height = 1, .palette = kBlackWhite, .transparency = std::string("\0", 1)};
  EXPECT_EQ(read(png_file(palette, {0, 1})).cells.cells, (std::vector<std::uint8_t>{kDark, kOpen}));
  const MapFileOptions open = with_legend({{"transparent", kOpen}, {"#ffffff", kBlocked}});
  EXPECT_EQ(read(png_file(palette, {0, 1}), open).cells.cells, (std::vector<std::uint8_t>{kOpen, kBlocked}));
  const MapFileOptions by_entry = with_legend({{"palette 0", kMarsh}, {"#ffffff", kBlocked}});
  EXPECT_EQ(read(png_file(palette, {0, 1}), by_entry).cells.cells, (std::vector<std::uint8_t>{kMarsh, kBlocked}));
  const PngDef grey{.width = 2, .height = 1, .bits = 1, .kind = PngKind::grey, .transparency = std::string("\0\1", 2)};
  EXPECT_EQ(read(png_file(grey, {0, 1})).cells.cells, (std::vector<std::uint8_t>{kBlocked, kDark}));
  const PngDef rgb{.width = 2, .height = 1, .kind = PngKind::rgb, .transparency = std::string("\0\xff\0\xff\0\xff", 6)};
  EXPECT_EQ(read(png_file(rgb, {255, 255, 255, 0, 0, 0})).cells.cells, (std::vector<std::uint8_t>{kDark, kBlocked}));
}

TEST(PngMap, ThePaletteEntryCountsBeforeItsColour) {
  const PngDef def{.width = 2, .height = 1, .palette = kBlackWhite + kBlackWhite};
  const MapFileOptions options = with_legend({{"#000000", kBlocked}, {"palette 2", kMarsh}});
  EXPECT_EQ(read(png_file(def, {0, 2}), options).cells.cells, (std::vector<std::uint8_t>{kBlocked, kMarsh}));
}

TEST(PngMap, StandardColours) {
  const std::uint8_t colors[][3] = {{255, 255, 255}, {0, 0, 0},    {192, 192, 192}, {128, 128, 0}, {0, 0, 255},
                                    {0, 128, 0},     {64, 64, 64}, {128, 128, 128}, {128, 0, 128}};
  std::vector<std::uint8_t> samples;
  for (const auto& color : colors) samples.insert(samples.end(), color, color + 3);
  EXPECT_EQ(read(png_file({.width = 9, .height = 1, .kind = PngKind::rgb}, samples)).cells.cells,
            (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, kDark}));
}

TEST(PngMap, ColoursWithoutMeaningAreNamedByPlaceThenCounted) {
  // 41 strange pixels on 10 x 12; the first is at 3,7.
  const auto strange = [](std::uint32_t x, std::uint32_t y) { return y * 10 + x >= 73 && y * 10 + x < 114; };
  for (const bool interlaced : {false, true}) {
    const PngDef def{.width = 10, .height = 12, .kind = PngKind::rgb, .interlaced = interlaced};
    std::vector<std::uint8_t> samples;
    for (std::uint32_t y = 0; y < 12; ++y) {
      for (std::uint32_t x = 0; x < 10; ++x) {
        for (std::uint32_t s = 1; s <= 3; ++s)
          samples.push_back(strange(x, y) ? static_cast<std::uint8_t>(s + x) : std::uint8_t{255});
      }
    }
    expect_refused(png_file(def, samples), StatusCode::png_color,
                   "m.png: #040506 at 3,7, #050607 at 4,7, #060708 at 5,7, #070809 at 6,7, #08090a at 7,7 and more, "
                   "41 in all; ");
  }
  expect_refused(png_file({.width = 2, .height = 1, .kind = PngKind::grey}, {255, 9}), StatusCode::png_color,
                 "m.png: #090909 at 1,0; ");
  expect_refused(png_file({.width = 2, .height = 1, .palette = kBlackWhite}, {0, 1}), StatusCode::png_color,
                 "#000000 at 0,0; colours of the legend (#ffffff) are expected", with_legend({{"#ffffff", 0}}));
}

std::string plain_picture() {
  return png_file({.width = 3, .height = 2, .bits = 2, .palette = kFour}, {0, 1, 2, 3, 1, 0});
}

TEST(PngMap, EveryCutAndEveryFlippedBitIsRefused) {
  const std::string whole = plain_picture();
  read(whole);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<MapFile> map = parse_png_map(whole.substr(0, size), "m.png");
    ASSERT_FALSE(map.ok()) << size;
    ASSERT_EQ(map.status().code(), StatusCode::png) << map.status().message();
  }
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    const Result<MapFile> map = parse_png_map(bytes, "m.png");
    ASSERT_FALSE(map.ok()) << bit;
    ASSERT_EQ(map.status().code(), StatusCode::png) << map.status().message();
  }
  EXPECT_EQ(read(whole + "something else").cells.cells, read(whole).cells.cells);
}

TEST(PngMap, DamageNamesTheChunkAndItsByte) {
  const std::string whole = plain_picture();
  expect_refused(whole.substr(0, 30), StatusCode::png, "IHDR at byte 8: the file ends at byte 30");
  expect_refused(whole.substr(0, whole.size() - 12), StatusCode::png, "before a chunk IEND");
  std::string bad = whole;
  bad[45] = static_cast<char>(bad[45] ^ 1);
  expect_refused(bad, StatusCode::png, "PLTE at byte 33: its checksum");
  expect_refused(test::kPngHead + test::png_header({.bits = 16, .kind = PngKind::rgb}), StatusCode::png,
                 "IHDR at byte 8: 16 bits a channel");
  expect_refused(test::kPngHead + test::png_header({.bits = 4, .kind = PngKind::rgb}), StatusCode::png,
                 "IHDR at byte 8: 4 bits of colour type 2");
  expect_refused("GIF89a", StatusCode::png, "the file begins with \"GIF89a\"");
  expect_refused(png_file({.width = 4, .height = 1, .bits = 4, .palette = kBlackWhite}, {0, 1, 0, 7}), StatusCode::png,
                 "IDAT at byte 51: 3,0 is colour 7 of the palette, PLTE has 2");
  expect_refused(png_file({.palette = kBlackWhite, .before = png_chunk("ABCD", "x")}, {0}), StatusCode::png,
                 "ABCD at byte 33: no chunk that is known");
  expect_refused(png_file({}, {0}), StatusCode::png, "at byte 33: ");  // no palette
  std::string comment = png_chunk("tEXt", std::string("Comment\0hello", 13));
  read(png_file({.palette = kBlackWhite, .before = comment}, {0}));
  comment.back() = static_cast<char>(comment.back() ^ 1);
  expect_refused(png_file({.palette = kBlackWhite, .before = comment}, {0}), StatusCode::png,
                 "tEXt at byte 33: its checksum");
}

TEST(PngMap, PixelsThatEndEarlyAreRefused) {
  const std::string head = test::kPngHead + test::png_header({.width = 64, .height = 64, .kind = PngKind::grey});
  const std::string few = png_chunk("IDAT", test::png_deflated(std::string(65 * 63, '\0'))) + png_chunk("IEND", "");
  expect_refused(head + few, StatusCode::png, "at byte ");
  const std::string bomb =
      png_chunk("zTXt", std::string("Comment\0\0", 9) + test::png_deflated(std::string(1 << 20, 'x')));
  read(png_file({.palette = kBlackWhite, .before = bomb}, {0}));
}

TEST(PngMap, SizesAreRefusedFromTheHeader) {
  const auto sized = [](std::uint32_t width, std::uint32_t height) {
    return test::kPngHead + test::png_header({.width = width, .height = height}) + png_chunk("IDAT", "") +
           png_chunk("IEND", "");
  };
  expect_refused(sized(65536, 65536), StatusCode::limit_cells, "65536x65536");
  expect_refused(sized(0xffffffff, 0xffffffff), StatusCode::limit_cells, "");
  expect_refused(sized(0, 5), StatusCode::map_size, "0x5");
  expect_refused(sized(16384, 16384), StatusCode::png, "IDAT: 0 bytes in all, too few for 16384x16384");
}

MapFile sample() {
  MapFile map;
  map.origin = {-5, 7, 0};
  map.terrain.push_back({"lava 100%\nhot", 'L', 7, true});
  map.terrain.push_back({"  t\xc3\xa4r ", '\0', 1, false});
  map.terrain[3].cost = 5;
  map.terrain[4].letter = '\0';
  map.cells = {4, 3, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, MapCells::kUnknown, 0}};
  return map;
}

void expect_same_terrain(const std::vector<TerrainClass>& a, const std::vector<TerrainClass>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].letter, b[i].letter) << a[i].name;
    EXPECT_EQ(a[i].cost, b[i].cost) << a[i].name;
    EXPECT_EQ(a[i].passable, b[i].passable) << a[i].name;
  }
}

TEST(PngMap, WhatIsWrittenReadsBackWhole) {
  const MapFile map = sample();
  std::vector<Warning> lost;
  const Result<std::string> bytes = png_map_bytes(map, lost);
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(lost.empty());
  const MapFile back = read(*bytes);
  EXPECT_EQ(back.cells.cells, map.cells.cells);
  EXPECT_EQ(back.origin, map.origin);
  expect_same_terrain(back.terrain, map.terrain);
}

TEST(PngMap, TheLegendThatIsGivenCountsBeforeThePicturesOwn) {
  std::vector<Warning> lost;
  MapFile map = sample();
  map.cells = {2, 1, 1, {0, 1}};
  const std::string bytes = *png_map_bytes(map, lost);
  const MapFile read_so = read(bytes, with_legend({{"#ffffff", 1}, {"#000000", 0}}));
  EXPECT_EQ(read_so.cells.cells, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(read_so.terrain.size(), 8u);
  EXPECT_EQ(read_so.origin, map.origin);
}

TEST(PngMap, GroundThatTheReaderHasDefinedKeepsItsValues) {
  std::vector<Warning> lost;
  const std::string bytes = *png_map_bytes(sample(), lost);
  MapFileOptions options;
  options.terrain.push_back({"sand", 'L', 2, true});
  options.terrain[3].cost = 9;
  const MapFile map = read(bytes, options);
  ASSERT_EQ(map.terrain.size(), 11u);
  EXPECT_EQ(map.terrain[8].name, "sand");
  EXPECT_EQ(map.terrain[3].cost, 9u) << "swamp is the reader's";
  EXPECT_EQ(map.terrain[9].name, "lava 100%\nhot");
  EXPECT_EQ(map.terrain[9].letter, '\0') << "L is sand's";
  EXPECT_EQ(map.cells.cells, (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, MapCells::kUnknown, 0}));
}

TEST(PngMap, TwoHundredFiftyFiveKindsOfGroundHaveColoursOfTheirOwn) {
  MapFile map;
  for (int i = 8; i < 255; ++i) map.terrain.push_back({"kind " + std::to_string(i), '\0', 1, true});
  map.cells = {256, 1, 1, {}};
  for (int i = 0; i < 256; ++i) map.cells.cells.push_back(static_cast<std::uint8_t>(i));
  std::vector<Warning> lost;
  const MapFile back = read(*png_map_bytes(map, lost));
  EXPECT_EQ(back.cells.cells, map.cells.cells);
  MapFileOptions more;
  more.terrain.push_back({"one more", '\0', 1, true});
  expect_refused(*png_map_bytes(map, lost), StatusCode::png, "more than 255", more);
}

TEST(PngMap, ALegendThatIsNotOneIsRefused) {
  const auto with_text = [](const std::string& text) {
    return png_file({.palette = kBlackWhite, .before = png_chunk("tEXt", std::string("drover map\0", 11) + text)}, {0});
  };
  read(with_text("1\norigin -3 4\n#000000 unknown\n"));
  expect_refused(with_text("2\n"), StatusCode::version_unsupported, "tEXt at byte 33: a legend of version 2");
  for (const char* bad :
       {"1\norigin 3\n", "1\norigin 3 99999999999\n", "1\nhello\n", "1\n#00 . 1 passable floor\n",
        "1\n#000000 . 1 open floor\n", "1\n#000000 ab 1 passable floor\n", "1\n#000000 \xfd 1 passable floor\n",
        "1\n#000000 ? 1 passable floor\n", "1\n#000000 . 1048577 passable floor\n", "1\n#000000 . -1 passable floor\n",
        "1\n#000000 . 1 passable\n", "1\n#000000 . 1 passable a%\n", "1\n#00000g unknown\n",
        "1\n#000000 . 1 passable a\n#000000 , 1 passable b\n", "1\n#000000 . 1 passable a\n#000001 , 1 passable a\n"}) {
    expect_refused(with_text(bad), StatusCode::png, "tEXt at byte 33: '");
  }
}

}  // namespace
}  // namespace drover::io
