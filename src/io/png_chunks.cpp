// SPDX-License-Identifier: MIT
// PNG chunk by chunk, in and out.
#include "io/png_chunks.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "io/text.hpp"

namespace drover::io {

namespace {

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::uint32_t checksum_of(std::string_view type_and_data) noexcept {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(type_and_data.data()), static_cast<z_size_t>(type_and_data.size())));
}

void add_chunk(std::string& out, std::string_view type, std::string_view data) {
  out += big_endian(static_cast<std::uint32_t>(data.size()));
  const std::size_t checked = out.size();
  out += type;
  out += data;
  out += big_endian(checksum_of({out.data() + checked, out.size() - checked}));
}

// No filter: neighbours in a palette are not alike in value.
std::string scan_lines(const IndexedPicture& picture, const std::uint8_t* pixels, int bits) {
  const auto per_byte = static_cast<std::size_t>(8 / bits);
  const std::size_t row_bytes = (picture.width + per_byte - 1) / per_byte;
  std::string lines((row_bytes + 1) * picture.height, '\0');
  for (std::size_t y = 0; y < picture.height; ++y) {
    char* row = lines.data() + y * (row_bytes + 1) + 1;
    for (std::size_t x = 0; x < picture.width; ++x) {
      const unsigned shift = 8 - static_cast<unsigned>(bits) * static_cast<unsigned>(x % per_byte + 1);
      row[x / per_byte] =
          static_cast<char>(static_cast<unsigned char>(row[x / per_byte]) | static_cast<unsigned>(*pixels++) << shift);
    }
  }
  return lines;
}

std::string packed(const std::string& lines, int level) {
  std::string out(::compressBound(static_cast<uLong>(lines.size())), '\0');
  uLongf size = out.size();
  if (::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(lines.data()),
                  static_cast<uLong>(lines.size()), level) != Z_OK)
    return {};
  out.resize(size);
  return out;
}

}  // namespace

std::string PngChunk::name() const { return fmt::format("{} at byte {}", printable(type), at); }

std::uint32_t big_endian_at(std::string_view bytes, std::size_t at) noexcept {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

PngChunk png_chunk_at(std::string_view bytes, std::size_t at, const std::string& file) {
  const auto bad = [&](std::string_view what) {
    refuse(StatusCode::png, {file, 0, 0}, fmt::format("{}; a whole PNG is expected", what));
  };
  if (bytes.size() - at < 8) bad(fmt::format("the file ends at byte {}, before a chunk IEND", bytes.size()));
  PngChunk chunk{bytes.substr(at + 4, 4), {}, at, 0};
  const std::uint32_t length = big_endian_at(bytes, at);
  for (const char c : chunk.type) {
    if ((c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) bad(chunk.name() + ": no type of a chunk");
  }
  if (length > 0x7fffffff) bad(fmt::format("{}: a length of {}", chunk.name(), length));
  if (bytes.size() - at - 8 < std::size_t{length} + 4) {
    bad(fmt::format("{}: the file ends at byte {}, within this chunk of {} bytes", chunk.name(), bytes.size(), length));
  }
  chunk.data = bytes.substr(at + 8, length);
  chunk.checksum = big_endian_at(bytes, at + 8 + length);
  return chunk;
}

bool intact(const PngChunk& chunk) noexcept {
  return checksum_of({chunk.type.data(), chunk.type.size() + chunk.data.size()}) == chunk.checksum;
}

int bits_for(std::size_t colors) noexcept { return colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8; }

std::string indexed_png(const IndexedPicture& picture, const std::uint8_t* pixels, int bits) {
  const std::string data = packed(scan_lines(picture, pixels, bits), picture.level);
  if (data.empty()) return {};
  std::string colours, opacity, out(kPngSignature);
  bool opaque = true;
  for (const std::uint32_t c : picture.rgba) {
    colours += big_endian(c).substr(0, 3);
    opacity += static_cast<char>(c);
    opaque = opaque && (c & 0xff) == 0xff;
  }
  // Palette, deflate, filters, not interlaced.
  add_chunk(out, "IHDR",
            big_endian(picture.width) + big_endian(picture.height) + static_cast<char>(bits) +
                std::string("\x03\x00\x00\x00", 4));
  if (!picture.text.empty()) add_chunk(out, "tEXt", picture.text);
  add_chunk(out, "PLTE", colours);
  if (!opaque) add_chunk(out, "tRNS", opacity);
  add_chunk(out, "IDAT", data);
  add_chunk(out, "IEND", "");
  return out;
}

}  // namespace drover::io
