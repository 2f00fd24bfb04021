// SPDX-License-Identifier: MIT
// Rows of docs/errors.md about Tiled maps, each through the program: what was found, where, what was expected.
#include "support/program.hpp"
#include "support/tiled_text.hpp"

namespace drover::test {
namespace {

constexpr std::uint64_t kSmall = 8u << 20;

Outcome field(const TempFolder& temp, const std::string& name, const std::string& text,
              const std::string& goal = "1,1") {
  temp.write(name, text);
  return run_drover(temp, {"field", name, "--goal", goal, "--json", "-"});
}

const std::string kGround = tiled_layer("ground", "1,1,1,1,1,1,1,1,1,1,1,1");

// Of a small map, now: what this program has in memory counts as that of the one it starts, and sanitizers add to both.
std::uint64_t usual_peak(const TempFolder& temp) { return field(temp, "usual.tmx", tiled_map(kGround)).peak_bytes; }

TEST(BadInputTiled, tmx_entities) {
  const TempFolder temp;
  temp.write("secret.txt", "hidden");
  const std::string nested = "<!DOCTYPE map [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n" + tiled_map(kGround);
  expect_refused(field(temp, "nested.tmx", nested), 3, "E_XML_DTD", "nested.tmx:1:1: a document type");
  const std::string outside =
      "<?xml version=\"1.0\"?>\n <!DOCTYPE map [<!ENTITY a SYSTEM \"secret.txt\">]>\n" + tiled_map(kGround);
  const Outcome refused = field(temp, "outside.tmx", outside);
  expect_refused(refused, 3, "E_XML_DTD", "outside.tmx:2:2: ");
  EXPECT_EQ(refused.err.find("hidden"), std::string::npos);
  expect_accepted(field(temp, "comment.tmx", "<!-- <!DOCTYPE map> -->\n" + tiled_map(kGround)));
}

TEST(BadInputTiled, tmj_deep) {
  const TempFolder temp;
  const Outcome deep = field(temp, "deep.tmj", std::string(200000, '['));
  expect_refused(deep, 3, "E_JSON_DEPTH", "deep.tmj:1:65: ");
  EXPECT_LT(deep.peak_bytes, usual_peak(temp) + kSmall);
  const std::string open =
      "{\"type\":\"map\",\"properties\":" + std::string(62, '[') + "1" + std::string(62, ']') + "}";
  EXPECT_EQ(field(temp, "63.tmj", open).err.find("E_JSON_DEPTH"), std::string::npos) << "64 levels are allowed";
}

TEST(BadInputTiled, tmx_deep) {
  const TempFolder temp;
  std::string text = "<map orientation=\"orthogonal\">";
  for (int i = 0; i < 200000; ++i) text += "<group>";
  for (int i = 0; i < 200000; ++i) text += "</group>";
  expect_refused(field(temp, "deep.tmx", text + "</map>"), 3, "E_XML", "nested deeper than 256 levels");
}

TEST(BadInputTiled, tmx_layer_inflates) {
  const TempFolder temp;
  const std::string exact = tiled_bytes(std::vector<std::uint32_t>(12, 1));
  const struct {
    const char* name;
    std::string (*pack)(const std::string&);
  } packings[] = {{"gzip", &gzip_packed},
                  {"zlib", [](const std::string& bytes) { return zlib_packed(bytes); }},
                  {"zstd", &zstd_packed}};
  for (const auto& [name, pack] : packings) {
    const std::string bomb = tiled_map(tiled_packed(pack(std::string(std::size_t{200} << 20, '\1')), name));
    const Outcome inflates = field(temp, "large.tmx", bomb);
    expect_refused(inflates, 3, "E_LAYER_SIZE", "more than 48 bytes; 12 cells of 4 bytes are expected");
    EXPECT_LT(inflates.peak_bytes, usual_peak(temp) + kSmall) << name;
    const auto packed = [&](const std::string& bytes) { return tiled_map(tiled_packed(pack(bytes), name)); };
    expect_refused(field(temp, "more.tmx", packed(exact + '\0')), 3, "E_LAYER_SIZE", "more than 48 bytes");
    expect_refused(field(temp, "less.tmx", packed(exact.substr(1))), 3, "E_LAYER_SIZE", "47 bytes");
    expect_accepted(field(temp, "exact.tmx", packed(exact)));
    const std::string damaged = pack(exact).replace(2, 6, "\xFF\x80\xFF\x80\xFF\x80");
    expect_refused(field(temp, "damaged.tmx", tiled_map(tiled_packed(damaged, name))), 3, "E_TILED",
                   std::string("damaged ") + name);
  }
}

TEST(BadInputTiled, tmx_huge_map_of_few_bytes) {
  const TempFolder temp;
  const std::string size = "width=\"16384\" height=\"16384\"";
  const std::string packed = tiled_packed(zlib_packed(std::string(1 << 20, '\0')), "zlib", size);
  const Outcome few = field(temp, "few.tmx", tiled_map(packed, size));
  expect_refused(few, 3, "E_LAYER_SIZE", "1048576 bytes; 268435456 cells");
  EXPECT_LT(few.peak_bytes, usual_peak(temp) + kSmall + (std::uint64_t{1} << 30)) << "cells and ranks, no layer";
  expect_refused(field(temp, "large.tmx", tiled_map("", "width=\"65536\" height=\"65536\"")), 5, "E_LIMIT_CELLS",
                 "large.tmx");
}

TEST(BadInputTiled, tmx_infinite) {
  const TempFolder temp;
  const std::string infinite = "width=\"4\" height=\"3\" infinite=\"1\"";
  const auto layer = [](const std::string& chunks) {
    return "<layer name=\"ground\"><data encoding=\"csv\">" + chunks + "</data></layer>";
  };
  const std::string first = "<chunk x=\"-3\" y=\"-2\" width=\"3\" height=\"2\">1,1,1,1,1,2</chunk>";
  const Outcome field_of =
      field(temp, "a.tmx",
            tiled_map(layer(first + "<chunk x=\"0\" y=\"0\" width=\"2\" height=\"1\">1,1</chunk>"), infinite), "-3,-2");
  expect_accepted(field_of);
  EXPECT_EQ(json_value(field_of.out, "width"), "5");
  EXPECT_EQ(json_value(field_of.out, "height"), "3");
  const std::string far = layer(first + "<chunk x=\"2147483640\" y=\"2147483640\" width=\"1\" height=\"1\">1</chunk>");
  const Outcome apart = field(temp, "far.tmx", tiled_map(far, infinite));
  expect_refused(apart, 5, "E_LIMIT_CELLS", "far.tmx");
  EXPECT_LT(apart.peak_bytes, usual_peak(temp) + kSmall);
  const std::string twice = layer(first + "<chunk x=\"-1\" y=\"-1\" width=\"2\" height=\"2\">1,1,1,1</chunk>");
  expect_refused(field(temp, "twice.tmx", tiled_map(twice, infinite)), 3, "E_TILED",
                 "chunk -1,-1 of layer \"ground\" overlaps another");
}

TEST(BadInputTiled, tmx_layer_sizes) {
  const TempFolder temp;
  const std::string walls = tiled_layer("walls", "0,2,0,0", "", "width=\"2\" height=\"2\"");
  expect_refused(field(temp, "a.tmx", tiled_map(kGround + walls)), 3, "E_LAYER_SIZE",
                 "layer \"walls\" is 2x2; layer \"ground\" is 4x3");
  expect_refused(field(temp, "b.tmx", tiled_map(walls)), 3, "E_LAYER_SIZE", "layer \"walls\" is 2x2; the map is 4x3");
  expect_refused(field(temp, "c.tmx", tiled_map(tiled_layer("short", "1,1,1"))), 3, "E_LAYER_SIZE",
                 "layer \"short\" has 3 cells; 12 cells");
}

}  // namespace
}  // namespace drover::test
