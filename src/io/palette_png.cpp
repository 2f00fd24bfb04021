// SPDX-License-Identifier: MIT
// PNG with a palette, written chunk by chunk (PNG specification, third edition, chapters 5 and 11).
#include <zlib.h>

#include <string_view>

#include "io/report_map.hpp"

namespace drover::io {

namespace {

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string checked = std::string(type) + std::string(data);
  const uLong crc = ::crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + checked + big_endian(static_cast<std::uint32_t>(crc));
}

}  // namespace

std::string palette_png(std::uint32_t width, std::uint32_t height, const std::vector<std::uint32_t>& rgba,
                        const std::vector<std::uint8_t>& pixels) {
  std::string rows;
  rows.reserve((std::size_t{width} + 1) * height);
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter: neighbours in a palette are not alike in value
    rows.append(reinterpret_cast<const char*>(pixels.data()) + y * width, width);
  }
  std::string packed(::compressBound(static_cast<uLong>(rows.size())), '\0');
  uLongf size = packed.size();
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
                  static_cast<uLong>(rows.size()), 9) != Z_OK)
    return {};
  packed.resize(size);
  std::string colours, opacity;
  for (const std::uint32_t c : rgba) {
    colours += big_endian(c).substr(0, 3);
    opacity += static_cast<char>(c);
  }
  constexpr std::string_view kIndexed("\x08\x03\x00\x00\x00", 5);  // 8 bits, palette, deflate, filters, not interlaced
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", big_endian(width) + big_endian(height) + std::string(kIndexed)) +
         chunk("PLTE", colours) + chunk("tRNS", opacity) + chunk("IDAT", packed) + chunk("IEND", "");
}

}  // namespace drover::io
