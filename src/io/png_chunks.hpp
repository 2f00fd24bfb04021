// SPDX-License-Identifier: MIT
// The chunks of a PNG file (PNG specification, third edition, chapters 5 and 11), one by one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::io {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

struct PngChunk {
  std::string_view type, data;
  std::size_t at = 0;  // byte of its length field
  std::uint32_t checksum = 0;
  /// Of the chunk after it.
  std::size_t next() const noexcept { return at + 12 + data.size(); }
  /// "IDAT at byte 41".
  std::string name() const;
};
/// The chunk that begins at this byte. Refuses with `png` one that is cut off or has no type or length; the checksum is
/// not compared. Precondition: `at` <= bytes.size().
PngChunk png_chunk_at(std::string_view bytes, std::size_t at, const std::string& file);
/// Whether the checksum fits.
bool intact(const PngChunk& chunk) noexcept;
std::uint32_t big_endian_at(std::string_view bytes, std::size_t at) noexcept;

struct IndexedPicture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> rgba;  // of the palette, at most 256
  std::string text;                 // "keyword\0text" of a tEXt chunk, or empty
  int level = 4;                    // of zlib; noise takes a quarter of the time of 6, and 3 % more bytes
};
/// A PNG with a palette and `bits` (1, 2, 4, 8) a pixel. `pixels`: one index each.
/// Empty if zlib refuses.
std::string indexed_png(const IndexedPicture& picture, const std::uint8_t* pixels, int bits);
/// 1, 2, 4 or 8: what so many colours need.
int bits_for(std::size_t colors) noexcept;

}  // namespace drover::io
