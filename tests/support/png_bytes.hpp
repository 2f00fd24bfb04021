// SPDX-License-Identifier: MIT
// PNG files of every kind, made from their samples by the specification; shares nothing with src/.
#pragma once
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace drover::test {

inline std::string be32(std::uint32_t v) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(v >> shift & 0xff);
  return out;
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string both = type + data;
  const uLong crc = ::crc32(0, reinterpret_cast<const Bytef*>(both.data()), static_cast<uInt>(both.size()));
  return be32(static_cast<std::uint32_t>(data.size())) + both + be32(static_cast<std::uint32_t>(crc));
}

inline std::string png_deflated(const std::string& raw) {
  uLongf size = ::compressBound(static_cast<uLong>(raw.size()));
  std::string out(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
             static_cast<uLong>(raw.size()));
  out.resize(size);
  return out;
}

enum class PngKind : int { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgba = 6 };

struct PngDef {
  std::uint32_t width = 1, height = 1;
  int bits = 8;
  PngKind kind = PngKind::palette;
  bool interlaced = false;
  std::string palette = {}, transparency = {};  // PLTE and tRNS
  std::string before = {};                      // whole chunks after IHDR
  std::size_t idat_bytes = 0;                   // largest IDAT, 0: one holds all

  std::size_t channels() const {
    return kind == PngKind::rgb ? 3 : kind == PngKind::rgba ? 4 : kind == PngKind::grey_alpha ? 2 : 1;
  }
};

inline const std::string kPngHead = "\x89PNG\r\n\x1a\n";

inline std::string png_header(const PngDef& def) {
  std::string data = be32(def.width) + be32(def.height);
  for (const int byte : {def.bits, static_cast<int>(def.kind), 0, 0, def.interlaced ? 1 : 0})
    data += static_cast<char>(byte);
  return png_chunk("IHDR", data);
}

/// `samples`: one byte a sample, pixel by pixel.
inline std::string png_file(const PngDef& def, const std::vector<std::uint8_t>& samples) {
  const std::size_t channels = def.channels();
  std::string raw;
  const auto add_row = [&](std::uint32_t y, std::uint32_t x0, std::uint32_t dx) {
    raw += '\0';  // no filter
    unsigned held = 0;
    int free = 8;
    for (std::uint32_t x = x0; x < def.width; x += dx) {
      for (std::size_t c = 0; c < channels; ++c) {
        free -= def.bits;
        held |= static_cast<unsigned>(samples[(std::size_t{y} * def.width + x) * channels + c]) << free;
        if (free > 0) continue;
        raw += static_cast<char>(held);
        held = 0;
        free = 8;
      }
    }
    if (free < 8) raw += static_cast<char>(held);
  };
  if (def.interlaced) {
    struct Pass {
      std::uint32_t x, y, dx, dy;
    };
    for (const Pass p : {Pass{0, 0, 8, 8}, Pass{4, 0, 8, 8}, Pass{0, 4, 4, 8}, Pass{2, 0, 4, 4}, Pass{0, 2, 2, 4},
                         Pass{1, 0, 2, 2}, Pass{0, 1, 1, 2}}) {
      for (std::uint32_t y = p.y; p.x < def.width && y < def.height; y += p.dy) add_row(y, p.x, p.dx);
    }
  } else {
    for (std::uint32_t y = 0; y < def.height; ++y) add_row(y, 0, 1);
  }
  std::string out = kPngHead + png_header(def) + def.before;
  if (!def.palette.empty()) out += png_chunk("PLTE", def.palette);
  if (!def.transparency.empty()) out += png_chunk("tRNS", def.transparency);
  const std::string data = png_deflated(raw);
  const std::size_t piece = def.idat_bytes == 0 ? data.size() : def.idat_bytes;
  for (std::size_t at = 0; at < data.size(); at += piece) out += png_chunk("IDAT", data.substr(at, piece));
  return out + png_chunk("IEND", "");
}

}  // namespace drover::test
