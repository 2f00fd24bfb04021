// SPDX-License-Identifier: MIT
// Tiled maps: packings, merging of layers, tiles, objects, external tilesets, and what is refused by name and place.
#include "io/map_formats.hpp"
#include "io/tiled_map.hpp"
#include "support/temp_folder.hpp"
#include "support/tiled_text.hpp"

#include <numeric>

namespace drover::test {
namespace {

using Rows = std::vector<std::string>;

io::MapFile read(const std::string& text) {
  const Result<io::MapFile> map = io::parse_tmx(text, "a.tmx");
  EXPECT_TRUE(map.ok()) << map.status().message();
  return map ? *map : io::MapFile{};
}

Rows drawn(const io::MapFile& map, std::int32_t layer = 0) {
  Rows rows;
  auto cell = map.cells.cells.begin() + layer * map.cells.width * map.cells.height;
  for (std::int64_t y = 0; y < map.cells.height; ++y) {
    rows.emplace_back();
    for (std::int64_t x = 0; x < map.cells.width; ++x, ++cell)
      rows.back() += *cell == io::MapCells::kUnknown ? '?' : map.terrain[*cell].letter;
  }
  return rows;
}

void expect_refused(const Result<io::MapFile>& map, StatusCode code, const std::string& part) {
  ASSERT_FALSE(map.ok()) << part;
  EXPECT_EQ(error_name(map.status().code()), std::string(error_name(code))) << map.status().message();
  EXPECT_NE(map.status().message().find(part), std::string::npos)
      << "no \"" << part << "\" in: " << map.status().message();
}
void expect_refused(const std::string& text, StatusCode code, const std::string& part) {
  expect_refused(io::parse_tmx(text, "a.tmx"), code, part);
}

Fixed cells(const char* decimal) { return *Fixed::parse(decimal); }
Position at(const char* x, const char* y) { return {cells(x), cells(y)}; }

const Rows kDrawn{".#..",  //
                  "#.S.",  //
                  "..?."};
const std::vector<std::uint32_t> kGids{1, 2, 0, 1, 2, 1, 3, 1, 1, 4, 5, 0};

TEST(Tiled, EveryPackingHoldsTheSameCells) {
  const std::string bytes = tiled_bytes(kGids);
  EXPECT_EQ(drawn(read(tiled_map(tiled_packed(bytes, "")))), kDrawn);
  EXPECT_EQ(drawn(read(tiled_map(tiled_packed(gzip_packed(bytes), "gzip")))), kDrawn);
  EXPECT_EQ(drawn(read(tiled_map(tiled_packed(zlib_packed(bytes), "zlib")))), kDrawn);
  EXPECT_EQ(drawn(read(tiled_map(tiled_packed(zstd_packed(bytes), "zstd")))), kDrawn);
  EXPECT_EQ(drawn(read(tiled_map(tiled_layer("csv", "\n1,2,0,1,\r\n2,1,3,1,\n 1,4,5,0,\n")))), kDrawn);
  std::string tiles;
  for (const std::uint32_t gid : kGids) tiles += gid == 0 ? "<tile/>" : "<tile gid=\"" + std::to_string(gid) + "\"/>";
  EXPECT_EQ(drawn(read(tiled_map("<layer name=\"a\" width=\"4\" height=\"3\"><data>" + tiles + "</data></layer>"))),
            kDrawn);
}

TEST(Tiled, PackingsThatAreNoneAreNamed) {
  expect_refused(tiled_map(tiled_packed("", "lzma")), StatusCode::tiled, "compression \"lzma\" of layer \"packed\"");
  expect_refused(tiled_map("<layer name=\"a\" width=\"4\" height=\"3\"><data encoding=\"hex\">00</data></layer>"),
                 StatusCode::tiled, "encoding \"hex\"");
  expect_refused(tiled_map("<layer name=\"a\" width=\"4\" height=\"3\"><data encoding=\"base64\">AA*A</data></layer>"),
                 StatusCode::tiled, "a.tmx:3:64: '*' in layer \"a\"");
  expect_refused(tiled_map(tiled_layer("a", "1,2,\n3,x,1")), StatusCode::tiled, "a.tmx:4:3: \"x\" in layer \"a\"");
  expect_refused(tiled_map(tiled_layer("a", "1,1,1,1,1,1,1,1,1,1,1,4294967296")), StatusCode::tiled, "4294967296");
  expect_refused(tiled_map("<layer name=\"a\" width=\"4\" height=\"3\"/>"), StatusCode::tiled,
                 "layer \"a\" has no data");
}

TEST(Tiled, ATileOfNoTilesetIsNamedWithItsPlace) {
  const std::string text = tiled_map(tiled_layer("a", "0,0,0,0,0,0,1,0,0,0,0,0"));
  expect_refused(std::string(text).replace(text.find("firstgid=\"1\""), 12, "firstgid=\"9\""), StatusCode::tiled,
                 "gid 1 at 2,1 of layer \"a\"");
}

TEST(Tiled, VoidIsFloorUnlessTheMapSaysOtherwise) {
  const std::string layer = tiled_layer("walls", "0,2,0,0,0,0,0,0,0,0,0,1");
  EXPECT_EQ(drawn(read(tiled_map(layer))), (Rows{".#..", "....", "...."}));
  EXPECT_EQ(drawn(read(tiled_map(tiled_property("void", "wall") + layer))), (Rows{"####", "####", "###."}));
  EXPECT_EQ(drawn(read(tiled_map(tiled_property("void", "unknown") + layer))), (Rows{"?#??", "????", "???."}));
  expect_refused(tiled_map(tiled_property("void", "lava")), StatusCode::value, "void is \"lava\"");
  EXPECT_EQ(drawn(read(tiled_map(""))), (Rows{"....", "....", "...."})) << "objects alone make a map, too";
}

TEST(Tiled, UnknownBeatsBlockedBeatsPassableAndPlainTilesSayNothing) {
  // Columns: wall under swamp; unknown under wall; swamp under plain; plain under nothing.
  const std::string below = tiled_layer("below", "2,5,3,1,0,0,0,0,0,0,0,0"),
                    above = tiled_layer("above", "3,2,1,0,0,0,0,0,0,0,0,0");
  EXPECT_EQ(drawn(read(tiled_map(below + above)))[0], "#?S.");
  EXPECT_EQ(drawn(read(tiled_map(above + below)))[0], "#?S.");
}

TEST(Tiled, LayersGoWhereTheirPropertySays) {
  const std::string wall = "2,0,0,0,0,0,0,0,0,0,0,0";
  const io::MapFile map =
      read(tiled_map(tiled_layer("a", wall) + "<group>" + tiled_property("layer", "2") + tiled_layer("b", wall) +
                     tiled_layer("c", "0,2,0,0,0,0,0,0,0,0,0,0", tiled_property("layer", "1")) + "</group>"));
  EXPECT_EQ(map.cells.layers, 3);
  EXPECT_EQ(drawn(map, 0)[0], "#...");
  EXPECT_EQ(drawn(map, 1)[0], ".#..");
  EXPECT_EQ(drawn(map, 2)[0], "#...");
  expect_refused(tiled_map(tiled_layer("a", wall, tiled_property("layer", "-1"))), StatusCode::value, "layer is -1");
  expect_refused(tiled_map(tiled_layer("a", wall, tiled_property("layer", "1000000000"))), StatusCode::value,
                 "layer is 1000000000");
}

TEST(Tiled, HiddenLayersCountAndIgnoredOnesDoNot) {
  const std::string wall = "2,0,0,0,0,0,0,0,0,0,0,0";
  EXPECT_EQ(drawn(read(tiled_map(tiled_layer("a", wall, "", "width=\"4\" height=\"3\" visible=\"0\""))))[0], "#...");
  EXPECT_EQ(drawn(read(tiled_map(tiled_layer("a", wall, tiled_property("ignore", "true")))))[0], "....");
  EXPECT_EQ(
      drawn(read(tiled_map("<group>" + tiled_property("ignore", "true") + tiled_layer("a", wall) + "</group>")))[0],
      "....");
}

TEST(Tiled, OffsetsOfWholeTilesMoveALayer) {
  const std::string layer =
      tiled_layer("a", "2,0,0,2,0,0,0,0,0,0,0,0", "", "width=\"4\" height=\"3\" offsetx=\"16\" offsety=\"32.0\"");
  EXPECT_EQ(drawn(read(tiled_map(layer))), (Rows{"....", "....", ".#.."})) << "what leaves the map is gone";
  expect_refused(tiled_map(tiled_layer("a", "", "", "width=\"4\" height=\"3\" offsetx=\"8\"")), StatusCode::tiled,
                 "layer \"a\" is moved by a part of a tile");
}

std::string with_tile(const std::string& properties) {
  const std::string map = tiled_map(tiled_layer("a", "6,0,0,0,0,0,0,0,0,0,0,0"));
  const std::size_t end = map.find("</tileset>");
  return map.substr(0, end) + "<tile id=\"5\"><properties>" + properties + "</properties></tile>" + map.substr(end);
}
std::string with_tile(const std::string& name, const std::string& value) {
  return with_tile("<property name=\"" + name + "\" value=\"" + value + "\"/>");
}

TEST(Tiled, TilesSayWhatTheGroundIs) {
  const auto terrain = [](const std::string& properties) {
    const io::MapFile map = read(with_tile(properties));
    const std::uint8_t what = map.cells.cells.at(0);
    const TerrainClass& kind = map.terrain.at(what);
    return std::to_string(what) + " " + kind.name + " " + std::to_string(kind.cost) + (kind.passable ? "" : " blocked");
  };
  const auto is = [](const std::string& name, const std::string& value) {
    return "<property name=\"" + name + "\" value=\"" + value + "\"/>";
  };
  EXPECT_EQ(terrain(""), "0 floor 1");
  EXPECT_EQ(terrain(is("walkable", "true")), "0 floor 1");
  EXPECT_EQ(terrain(is("walkable", "false")), "1 wall 1 blocked");
  EXPECT_EQ(terrain(is("cost", "1")), "0 floor 1");
  EXPECT_EQ(terrain(is("cost", "0")), "8 cost 0 0");
  EXPECT_EQ(terrain(is("cost", "1048576")), "8 cost 1048576 1048576");
  EXPECT_EQ(terrain(is("cost", "7") + is("walkable", "false")), "8 blocked cost 7 7 blocked");
  EXPECT_EQ(terrain(is("terrain", "trees")), "5 trees 1 blocked");
  EXPECT_EQ(terrain(is("terrain", "trees") + is("cost", "3")), "5 trees 3") << "a cost makes passable";
  EXPECT_EQ(terrain(is("terrain", "swamp")), "3 swamp 5") << "as the tile before it";
  EXPECT_EQ(terrain(is("terrain", "swamp") + is("cost", "6")), "8 swamp cost 6 6") << "other than the tile before it";
  EXPECT_EQ(terrain(is("terrain", "tar")), "8 tar 1");
  EXPECT_EQ(read(with_tile("unknown", "true")).cells.cells[0], io::MapCells::kUnknown);
}

TEST(Tiled, GroundThatTheScenarioDefinesKeepsItsValues) {
  io::MapFileOptions options;
  options.terrain[5].cost = 9;
  options.terrain[5].passable = true;
  options.terrain.push_back({"lava", 'L', 4, true});
  const auto cost = [&](const std::string& name) {
    const std::string properties =
        "<property name=\"terrain\" value=\"" + name + "\"/><property name=\"cost\" value=\"3\"/>";
    const Result<io::MapFile> map = io::parse_tmx(with_tile(properties), "a.tmx", options);
    return map ? map->terrain.at(map->cells.cells.at(0)).cost : 0;
  };
  EXPECT_EQ(cost("trees"), 9u);
  EXPECT_EQ(cost("lava"), 4u);
  EXPECT_EQ(cost("water"), 3u) << "as standard_terrain() has it, so the tile's";
}

TEST(Tiled, WrongTilesAreRefusedWhereTheyStand) {
  expect_refused(with_tile("cost", "-1"), StatusCode::cost_negative, "cost is -1; 0 .. 1048576 is expected");
  expect_refused(with_tile("cost", "1048577"), StatusCode::cost_range, "a.tmx:2:");
  expect_refused(with_tile("cost", "1.5"), StatusCode::number, "cost is 1.5");
  expect_refused(with_tile("walkable", "maybe"), StatusCode::value, "walkable is \"maybe\"; true or false is expected");
  expect_refused(with_tile("one_way", "E,UP"), StatusCode::value, "one_way is \"E,UP\"; directions such as \"E,NE\"");
  expect_refused(with_tile("letter", "LL"), StatusCode::value, "letter \"LL\"");
  EXPECT_EQ(read(with_tile("one_way", "none")).steps.size(), 8u);
  EXPECT_EQ(read(with_tile("one_way", "N, SW")).steps.size(), 6u);
}

TEST(Tiled, ALetterOfAStandardTerrainMayBeGivenAway) {
  const io::MapFile map =
      read(with_tile("<property name=\"terrain\" value=\"snow\"/><property name=\"letter\" value=\"S\"/>"));
  EXPECT_EQ(map.terrain[8].letter, 'S');
  EXPECT_EQ(map.terrain[3].letter, '\0');
}

TEST(Tiled, MoreThan255KindsOfGroundAreRefused) {
  std::string tiles;
  for (int i = 0; i < 300; ++i)
    tiles +=
        "<tile id=\"" + std::to_string(10 + i) + "\">" + tiled_property("cost", std::to_string(10 + i)) + "</tile>";
  std::string map = tiled_map("");
  expect_refused(map.insert(map.find("</tileset>"), tiles), StatusCode::tiled, "255 is the limit");
}

// --- objects

Obstacle shape(const std::string& attributes, const std::string& inner = "",
               const std::string& tile = "tilewidth=\"16\" tileheight=\"16\"") {
  const io::MapFile map =
      read(tiled_map(tiled_object("obstacle", attributes, inner), "width=\"4\" height=\"3\"", tile));
  return map.obstacles.empty() ? Obstacle{} : map.obstacles[0].shape;
}

TEST(Tiled, ARectangleTurnsAboutItsCorner) {
  const std::string box = "x=\"32\" y=\"16\" width=\"32\" height=\"16\" ";
  EXPECT_EQ(shape(box).centre, at("3", "1.5"));
  EXPECT_EQ(shape(box).half, at("1", "0.5"));
  EXPECT_EQ(shape(box + "rotation=\"90\"").axis, (Axis{0, 1}));
  EXPECT_EQ(shape(box + "rotation=\"90\"").centre, at("1.5", "2"));
  EXPECT_EQ(shape(box + "rotation=\"180\"").axis, (Axis{-1, 0}));
  EXPECT_EQ(shape(box + "rotation=\"180\"").centre, at("1", "0.5"));
  EXPECT_EQ(shape(box + "rotation=\"-90\"").axis, (Axis{0, -1}));
  EXPECT_EQ(shape(box + "rotation=\"-90\"").centre, at("2.5", "0"));
  EXPECT_EQ(shape(box + "rotation=\"765\"").axis, (Axis{1, 1})) << "two turns and 45 degrees";
  EXPECT_EQ(shape(box + "rotation=\"126.87\"").axis, (Axis{-3, 4}));
  EXPECT_EQ(shape(box + "rotation=\"22.6199\"").axis, (Axis{12, 5}));
}

TEST(Tiled, TilesThatAreNotSquareStretchXAndYApart) {
  const std::string tile = "tilewidth=\"16\" tileheight=\"8\"";
  const Obstacle box = shape("x=\"16\" y=\"8\" width=\"32\" height=\"16\"", "", tile);
  EXPECT_EQ(box.centre, at("2", "2"));
  EXPECT_EQ(box.half, at("1", "1"));
  const Obstacle circle = shape("x=\"0\" y=\"0\" width=\"16\" height=\"8\"", "<ellipse/>", tile);
  EXPECT_EQ(circle.kind, ObstacleKind::circle) << "an ellipse of pixels, a circle of cells";
  const Obstacle ellipse = shape("x=\"0\" y=\"0\" width=\"16\" height=\"16\"", "<ellipse/>", tile);
  EXPECT_EQ(ellipse.kind, ObstacleKind::polygon);
  EXPECT_EQ(ellipse.points.at(8), at("0", "1"));
  const Obstacle turned = shape("x=\"16\" y=\"8\" width=\"32\" height=\"16\" rotation=\"90\"", "", tile);
  EXPECT_EQ(turned.kind, ObstacleKind::polygon);
  EXPECT_EQ(turned.centre, at("0.5", "3")) << "16,8 turned by 90 degrees is -8,16 pixels: -0.5, 2 cells";
  EXPECT_EQ(turned.points.at(0), at("0.5", "-2"));
}

TEST(Tiled, HolesAndLinesWithARadius) {
  const Obstacle ring = shape("x=\"0\" y=\"0\" rotation=\"90\"", tiled_property("holes", "4,4 12,4 4,12;0,0 1,0 0,1") +
                                                                     "<polygon points=\"0,0 32,0 32,32 0,32\"/>");
  ASSERT_EQ(ring.holes.size(), 2u);
  EXPECT_EQ(ring.holes[0], (std::vector{at("-0.25", "0.25"), at("-0.25", "0.75"), at("-0.75", "0.25")}))
      << "holes turn with it";
  const Obstacle capsule =
      shape("x=\"0\" y=\"0\"", tiled_property("radius", "0.5") + "<polyline points=\"0,0 32,0\"/>");
  EXPECT_EQ(capsule.kind, ObstacleKind::capsule);
  EXPECT_EQ(capsule.radius, cells("0.5"));
}

TEST(Tiled, ShapesThatAreNoneAreRefusedByTheirObject) {
  const auto refused = [](const std::string& attributes, const std::string& inner, StatusCode code,
                          const std::string& part) {
    expect_refused(tiled_map(tiled_object("obstacle", attributes, inner)), code, part);
  };
  refused("x=\"0\" y=\"0\"", "<point/>", StatusCode::tiled, "a.tmx:3:14: object 7 is a point; an obstacle has an area");
  refused("x=\"0\" y=\"0\"", "<polyline points=\"0,0 1,1\"/>", StatusCode::tiled, "object 7 is a line");
  refused("x=\"0\" y=\"0\"", tiled_property("radius", "1") + "<polyline points=\"0,0 1,1 2,2\"/>", StatusCode::tiled,
          "object 7 is a line");
  refused("x=\"0\" y=\"0\"", "<text>hi</text>", StatusCode::tiled, "object 7 is a text");
  refused("gid=\"1\" x=\"0\" y=\"0\"", "", StatusCode::tiled, "object 7 is a tile");
  refused("template=\"a.tx\"", "", StatusCode::tiled, "object 7 is a template");
  refused("x=\"0\" y=\"0\"", "<polygon points=\"0,0 1,1\"/>", StatusCode::obstacle, "object 7 is no shape");
  refused("x=\"0\" y=\"0\" width=\"0\" height=\"3\"", "<ellipse/>", StatusCode::obstacle, "object 7 is no shape");
  expect_refused(tiled_map(tiled_object("goal", "name=\"g\" x=\"0\" y=\"0\"", "<polygon points=\"0,0 1,1\"/>")),
                 StatusCode::tiled, "object 7 is a polygon of 2 points");
  refused("x=\"0\" y=\"0\"", "<polygon points=\"0,0 1;1 2,2\"/>", StatusCode::number, "corner \"1;1\"");
  refused("x=\"nan\" y=\"0\" width=\"9\" height=\"9\"", "", StatusCode::number, "x \"nan\" is no number");
  refused("x=\"1e300\" y=\"0\" width=\"9\" height=\"9\"", "", StatusCode::number,
          "x \"1e300\" is no number up to 2^28");
  refused("x=\"0\" y=\"0\" width=\"9\" height=\"9\"", tiled_property("path", "3,0,0;2,1,1"), StatusCode::value,
          "path has \"2,1,1\"");
  refused("x=\"0\" y=\"0\" width=\"9\" height=\"9\"", tiled_property("layer_mask", "all"), StatusCode::value,
          "layer_mask is no set of bits");
}

TEST(Tiled, ClassesOfObjectsAreReadUnderBothNamesAndNearMissesAreNamed) {
  const std::string group =
      "<objectgroup><object id=\"1\" class=\"obstacle\" x=\"0\" y=\"0\" width=\"9\" height=\"9\"/>"
      "<object id=\"2\" type=\"tree\" x=\"0\" y=\"0\"/><object id=\"3\" type=\"Obstacle\" x=\"0\" "
      "y=\"0\"/></objectgroup>";
  const io::MapFile map = read(tiled_map(group));
  EXPECT_EQ(map.obstacles.size(), 1u);
  ASSERT_EQ(map.warnings.size(), 1u);
  EXPECT_EQ(map.warnings[0].name, "W_CLASS");
  EXPECT_NE(map.warnings[0].message.find("object 3 of class Obstacle means nothing here; did you mean obstacle"),
            std::string::npos);
}

TEST(Tiled, GoalsHoldTheCellsWhoseCentresTheyHold) {
  const auto goal = [](const std::string& attributes, const std::string& inner = "") {
    const io::MapFile map = read(tiled_map(tiled_object("goal", "name=\"g\" " + attributes, inner)));
    return map.goals.empty() ? std::vector<Cell>{} : map.goals[0].cells;
  };
  EXPECT_EQ(goal("x=\"8\" y=\"8\" width=\"32\" height=\"16\""), (std::vector<Cell>{{0, 0, 0}, {1, 0, 0}}))
      << "left and upper edges are in";
  EXPECT_EQ(goal("x=\"63.9\" y=\"0\"", "<point/>"), (std::vector<Cell>{{3, 0, 0}}));
  EXPECT_EQ(goal("x=\"64\" y=\"0\"", "<point/>"), std::vector<Cell>{}) << "off the map";
  EXPECT_EQ(goal("x=\"20\" y=\"20\""), (std::vector<Cell>{{1, 1, 0}})) << "a rectangle of no size is a point";
  EXPECT_EQ(goal("x=\"-160\" y=\"-160\" width=\"320\" height=\"320\"", "<ellipse/>"), (std::vector<Cell>{{0, 0, 0},
                                                                                                         {1, 0, 0},
                                                                                                         {2, 0, 0},
                                                                                                         {3, 0, 0},
                                                                                                         {0, 1, 0},
                                                                                                         {1, 1, 0},
                                                                                                         {2, 1, 0},
                                                                                                         {3, 1, 0},
                                                                                                         {0, 2, 0},
                                                                                                         {1, 2, 0},
                                                                                                         {2, 2, 0},
                                                                                                         {3, 2, 0}}));
  EXPECT_EQ(goal("x=\"0\" y=\"0\" width=\"48\" height=\"48\"", "<ellipse/>").size(), 9u)
      << "a radius of 1.5 holds corners at sqrt(2)";
  EXPECT_EQ(goal("x=\"8\" y=\"8\" width=\"32\" height=\"32\"", "<ellipse/>").size(), 5u)
      << "a radius of 1 holds its rim";
  EXPECT_EQ(goal("x=\"0\" y=\"0\"", "<polygon points=\"0,0 64,0 64,48 0,48 0,0 16,0 16,48 0,48\"/>").size(), 9u)
      << "even and odd";
}

TEST(Tiled, ACircleHoldsWhatItsDistanceSays) {
  const auto size = std::string("width=\"40\" height=\"30\"");
  for (const int diameter : {0, 1, 15, 16, 17, 90, 333, 640, 2000}) {
    for (const int x : {-700, -61, 0, 7, 104, 500}) {
      const std::string circle = "name=\"g\" x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(x / 2 + 3) +
                                 "\" width=\"" + std::to_string(diameter) + "\" height=\"" + std::to_string(diameter) +
                                 "\"";
      const io::MapFile map = read(tiled_map(tiled_object("goal", circle, "<ellipse/>"), size));
      std::vector<Cell> wanted;
      for (std::int32_t row = 0; diameter > 0 && row < 30; ++row) {
        for (std::int32_t column = 0; column < 40; ++column) {
          // In half pixels.
          const int dx = 32 * column + 16 - 2 * x - diameter, dy = 32 * row + 16 - 2 * (x / 2 + 3) - diameter;
          if (dx * dx + dy * dy <= diameter * diameter) wanted.push_back({column, row, 0});
        }
      }
      ASSERT_EQ(map.goals.size(), 1u);
      EXPECT_EQ(map.goals[0].cells, wanted) << circle;
    }
  }
}

TEST(Tiled, PlacesOfAMapAreLimitedTogether) {
  // 4096 corners in 4096 rows: as much as one shape may cost.
  std::string points = "0,4096";
  for (int i = 0; i < 4095; ++i) points += " " + std::to_string(i) + ",0";
  const auto goals = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "<object id=\"" + std::to_string(i) + "\" name=\"g\" type=\"goal\"><polygon points=\"" + points +
              "\"/></object>";
    }
    return tiled_map("<objectgroup>" + text + "</objectgroup>", "width=\"1\" height=\"4096\"",
                     "tilewidth=\"1\" tileheight=\"1\"");
  };
  EXPECT_EQ(read(goals(4)).goals[0].cells.size(), 4095u);
  expect_refused(goals(5), StatusCode::limit_goals, "object 4 is too large a place");

  io::MapFile map;
  map.cells.width = 4, map.cells.height = 3, map.cells.layers = 1;
  Obstacle square;
  square.kind = ObstacleKind::box;
  square.centre = at("1", "1"), square.half = at("1", "1");
  io::tiled::PlaceRoom room;
  room.cells = 10;
  for (const bool fits : {true, true, false}) {
    std::vector<Cell> found;
    EXPECT_EQ(io::tiled::add_cells(square, map, 0, room, found), fits);
  }
}

TEST(Tiled, ObjectsOfOneNameAreOnePlace) {
  const io::MapFile map =
      read(tiled_map("<objectgroup><object id=\"1\" name=\"exit\" type=\"goal\" x=\"60\" y=\"0\"><point/></object>"
                     "<object id=\"2\" name=\"exit\" type=\"goal\" x=\"0\" y=\"0\">" +
                     tiled_property("on_arrival", "vanish") + "<point/></object></objectgroup>"));
  ASSERT_EQ(map.goals.size(), 1u);
  EXPECT_EQ(map.goals[0].cells, (std::vector<Cell>{{0, 0, 0}, {3, 0, 0}}));
  EXPECT_EQ(map.goals[0].on_arrival, OnArrival::vanish);
}

TEST(Tiled, PlacesThatSayTooLittleAreRefused) {
  expect_refused(tiled_map(tiled_object("goal", "x=\"0\" y=\"0\"")), StatusCode::tiled,
                 "object 7 is a goal without a name");
  expect_refused(tiled_map(tiled_object("spawn", "x=\"0\" y=\"0\"")), StatusCode::tiled,
                 "object 7 is a spawn without a name or a goal");
  expect_refused(tiled_map(tiled_object("goal", "name=\"a\" x=\"0\" y=\"0\"", tiled_property("on_arrival", "wave"))),
                 StatusCode::value, "on_arrival is \"wave\"");
  expect_refused(tiled_map(tiled_object("spawn", "name=\"a\" x=\"0\" y=\"0\"", tiled_property("count", "-3"))),
                 StatusCode::value, "count is -3");
  expect_refused(tiled_map("<objectgroup>" + tiled_property("layer", "3") +
                           "<object id=\"7\" name=\"a\" type=\"goal\" x=\"0\" y=\"0\"/></objectgroup>"),
                 StatusCode::value, "object 7 is on layer 3; a layer that tiles are on is expected, there are 1");
}

// --- files

TEST(Tiled, ExternalTilesetsLieBelowTheMapsFolder) {
  const TempFolder temp;
  const std::string tile = "<tile id=\"0\">" + tiled_property("walkable", "false") + "</tile>";
  temp.write("maps/sets/walls.tsx", "<tileset name=\"t\">" + tile + "</tileset>");
  temp.write("maps/walls.tsj",
             R"({"type":"tileset","tiles":[{"id":0,"properties":[{"name":"walkable","type":"bool","value":false}]}]})");
  temp.write("above.tsx", "<tileset name=\"t\">" + tile + "</tileset>");
  std::filesystem::create_symlink(temp.path() / "above.tsx", temp.path() / "maps/link.tsx");
  temp.write("maps/map.tsx", tiled_map(""));
  const auto map = [&](const std::string& source, io::PathRule rule = io::PathRule::below_scenario) {
    io::MapFileOptions options;
    options.paths = rule;
    return io::parse_tmx(
        "<map orientation=\"orthogonal\" width=\"2\" height=\"1\" tilewidth=\"8\" tileheight=\"8\">\n<tileset "
        "firstgid=\"1\" source=\"" +
            source + "\"/>" + tiled_layer("a", "1,0", "", "width=\"2\" height=\"1\"") + "</map>",
        temp / "maps/a.tmx", options);
  };
  for (const char* source : {"sets/walls.tsx", "walls.tsj", "./sets/../sets/walls.tsx"}) {
    const Result<io::MapFile> read = map(source);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(drawn(*read)[0], "#.");
  }
  expect_refused(map("../above.tsx"), StatusCode::path_outside,
                 "a.tmx:2:31: \"../above.tsx\" is outside the map's folder");
  expect_refused(map("link.tsx"), StatusCode::path_outside, "link.tsx");
  expect_refused(map(temp / "maps/sets/walls.tsx"), StatusCode::path_outside, "walls.tsx");
  EXPECT_TRUE(map("../above.tsx", io::PathRule::anywhere).ok());
  expect_refused(map("none.tsx"), StatusCode::cannot_open, "none.tsx");
  expect_refused(map("map.tsx"), StatusCode::tiled, "map.tsx:1:1: no tileset");
}

TEST(Tiled, WhatIsNoMapIsRefusedWhereItStands) {
  expect_refused("", StatusCode::map_empty, "a.tmx");
  expect_refused("<map", StatusCode::xml, "a.tmx:1:");
  expect_refused("<map>\n<layer></map>", StatusCode::xml, "a.tmx:2:");
  expect_refused("<tileset/>", StatusCode::tiled, "a.tmx:1:1: no map of Tiled");
  expect_refused("<map orientation=\"isometric\"/>", StatusCode::tiled,
                 "orientation \"isometric\"; orthogonal is expected");
  expect_refused(tiled_map("", "width=\"0\" height=\"3\""), StatusCode::map_size, "at least 1x1");
  expect_refused(tiled_map("", "width=\"x\" height=\"3\""), StatusCode::tiled, "width \"x\" of <map>");
  expect_refused(tiled_map("", "width=\"1\" height=\"1\"", "tileheight=\"1\""), StatusCode::tiled,
                 "<map> has no tilewidth");
  expect_refused(tiled_map("", "infinite=\"1\""), StatusCode::map_empty, "an infinite map without tiles");
  const auto json = [](const std::string& text) { return io::parse_tmj(text, "a.tmj"); };
  expect_refused(json("{\n \"type\": \"map\",\n \"type\": \"map\"}"), StatusCode::key_twice, "a.tmj:3:2");
  expect_refused(json("{\n \"type\": map}"), StatusCode::json, "a.tmj:2:");
  expect_refused(json("[]"), StatusCode::tiled, "a.tmj:1:1");
  expect_refused(json("{\"type\":\"map\",\"orientation\":\"orthogonal\",\"layers\":7}"), StatusCode::tiled,
                 "layers is no list");
  expect_refused(json("{\"type\":\"map\",\"orientation\":\"orthogonal\",\"layers\":[{\"type\":\"sky\"}]}"),
                 StatusCode::tiled, "a layer of type \"sky\"");
}

// --- numbers

TEST(TiledGeometry, DecimalsAreDividedAndRoundedOnce) {
  const auto raw = [](std::string_view text, std::int64_t divisor) { return io::tiled::divided(text, divisor)->raw; };
  constexpr std::int64_t kOne = std::int64_t{1} << 32;
  EXPECT_EQ(raw("1", 3), (kOne + 1) / 3);
  EXPECT_EQ(raw("-1", 3), -((kOne + 1) / 3));
  EXPECT_EQ(raw("2", 3), (2 * kOne + 1) / 3);
  EXPECT_EQ(raw("0.1", 1), Fixed::parse("0.1")->raw);
  EXPECT_EQ(raw("1.25e2", 5), 25 * kOne);
  EXPECT_EQ(raw("125E-2", 5), kOne / 4);
  EXPECT_EQ(raw("1e-400", 1), 0);
  EXPECT_EQ(raw("0000000000000000000000000000000000000000000000000032", 32), kOne);
  EXPECT_EQ(raw("268435456", 1), 268435456 * kOne);
  for (const char* bad :
       {"", "-", ".5", "5.", "1e", "e5", "+1", "1 ", "0x1", "1e99999999999", "268435457", "inf", "1.2.3"})
    EXPECT_FALSE(io::tiled::divided(bad, 1).ok()) << bad;
}

TEST(TiledGeometry, AnAxisIsFoundAgainFromItsDegrees) {
  for (std::int32_t x = -60; x <= 60; ++x) {
    for (std::int32_t y = -60; y <= 60; ++y) {
      if (std::gcd(x, y) != 1) continue;
      const std::string degrees = io::tiled::degrees_text({x, y});
      EXPECT_EQ(io::tiled::rotation_of(degrees)->axis, (Axis{x, y})) << degrees;
    }
  }
  for (const Axis axis : {Axis{16384, 16383}, Axis{16383, -16384}, Axis{-16381, 3}, Axis{1, 16384}})
    EXPECT_EQ(io::tiled::rotation_of(io::tiled::degrees_text(axis))->axis, axis);
}

}  // namespace
}  // namespace drover::test
