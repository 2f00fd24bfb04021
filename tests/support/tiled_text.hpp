// SPDX-License-Identifier: MIT
// Small Tiled maps as text.
#pragma once
#include <zlib.h>
#include <zstd.h>

#include "io/html.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace drover::test {

/// A map of 4 x 3 cells unless told otherwise, 16 pixels a tile; tiles 1 floor, 2 wall, 3 swamp at 5, 4 one-way E, 5
/// unknown.
inline std::string tiled_map(const std::string& body, const std::string& attributes = "width=\"4\" height=\"3\"",
                             const std::string& tile = "tilewidth=\"16\" tileheight=\"16\"") {
  return "<map version=\"1.8\" orientation=\"orthogonal\" " + attributes + " " + tile +
         ">\n<tileset firstgid=\"1\" name=\"t\" tilewidth=\"16\" tileheight=\"16\" tilecount=\"5\" columns=\"0\">"
         "<tile id=\"1\"><properties><property name=\"walkable\" type=\"bool\" value=\"false\"/></properties></tile>"
         "<tile id=\"2\"><properties><property name=\"terrain\" value=\"swamp\"/>"
         "<property name=\"cost\" type=\"int\" value=\"5\"/></properties></tile>"
         "<tile id=\"3\"><properties><property name=\"one_way\" value=\"E\"/></properties></tile>"
         "<tile id=\"4\"><properties><property name=\"terrain\" value=\"unknown\"/></properties></tile></tileset>\n" +
         body + "\n</map>\n";
}

inline std::string tiled_property(const std::string& name, const std::string& value) {
  return "<properties><property name=\"" + name + "\" value=\"" + value + "\"/></properties>";
}

inline std::string tiled_layer(const std::string& name, const std::string& csv, const std::string& properties = "",
                               const std::string& attributes = "width=\"4\" height=\"3\"") {
  return "<layer name=\"" + name + "\" " + attributes + ">" + properties + "<data encoding=\"csv\">" + csv +
         "</data></layer>";
}

inline std::string tiled_object(const std::string& kind, const std::string& attributes, const std::string& inner = "") {
  return "<objectgroup><object id=\"7\" type=\"" + kind + "\" " + attributes + ">" + inner + "</object></objectgroup>";
}

inline std::string tiled_bytes(const std::vector<std::uint32_t>& gids) {
  std::string bytes;
  for (const std::uint32_t gid : gids)
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(gid >> 8 * i);
  return bytes;
}

inline std::string zlib_packed(const std::string& bytes, int window_bits = 15) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
inline std::string gzip_packed(const std::string& bytes) { return zlib_packed(bytes, 15 + 16); }

inline std::string zstd_packed(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

inline std::string tiled_packed(const std::string& bytes, const std::string& compression,
                                const std::string& attributes = "width=\"4\" height=\"3\"") {
  return "<layer name=\"packed\" " + attributes + "><data encoding=\"base64\" compression=\"" + compression +
         "\">\n  " + io::base64(bytes) + "\n</data></layer>";
}

}  // namespace drover::test
