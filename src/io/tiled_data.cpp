// SPDX-License-Identifier: MIT
// CSV, and base64 of bytes that are raw or packed by gzip, zlib or zstd; unpacking stops at the size of the layer.
#include "io/tiled_data.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>

namespace drover::io::tiled {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

// What is being unpacked, and where: for messages.
struct Part {
  const Source& source;
  const Element& element;
  std::uint64_t cells;
  std::string_view what;

  std::size_t at() const { return element.text_at > 0 ? element.text_at : element.at; }
  [[noreturn]] void wrong_size(std::string_view found) const {
    source.refuse(StatusCode::layer_size, at(),
                  fmt::format("{} has {}; {} cells of 4 bytes are expected", what, found, cells));
  }
  [[noreturn]] void damaged(std::string_view packing) const {
    source.refuse(StatusCode::tiled, at(),
                  fmt::format("{}: damaged {} data; a whole layer is expected", what, packing));
  }
};

// Gids that arrive as little-endian bytes, at most as many as there are cells.
class Sink {
 public:
  explicit Sink(const Part& part) : part_(part) {}

  /// Room for more bytes: never beyond the layer, but for one byte that shows that there would be more.
  struct Room {
    unsigned char* begin;
    std::size_t size;
  };
  Room room() {
    const std::uint64_t all = part_.cells * 4;
    if (used_ == all) return {&beyond_, 1};
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;
    const std::uint64_t wanted = std::min(all, std::max(used_ * 2, kPiece));
    if (gids_.size() * 4 == used_) gids_.resize(static_cast<std::size_t>(wanted / 4));
    return {reinterpret_cast<unsigned char*>(gids_.data()) + used_, static_cast<std::size_t>(gids_.size() * 4 - used_)};
  }
  void took(std::size_t bytes) {
    if (bytes > 0 && used_ == part_.cells * 4) part_.wrong_size(fmt::format("more than {} bytes", used_));
    used_ += bytes;
  }
  std::vector<std::uint32_t> finish() {
    if (used_ != part_.cells * 4) part_.wrong_size(fmt::format("{} bytes", used_));
    if constexpr (std::endian::native == std::endian::big) {
      for (std::uint32_t& gid : gids_) gid = __builtin_bswap32(gid);
    }
    return std::move(gids_);
  }

 private:
  const Part& part_;
  std::vector<std::uint32_t> gids_;
  std::uint64_t used_ = 0;
  unsigned char beyond_ = 0;
};

std::string from_base64(const Part& part) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::int8_t, 256> value{};
  value.fill(-1);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    value[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
  const std::string_view text = part.element.text;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0, count = 0;
  bool ended = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kBlank.find(text[i]) != std::string_view::npos) continue;
    const std::int8_t digit = value[static_cast<unsigned char>(text[i])];
    ended |= text[i] == '=';
    if (ended && text[i] == '=') continue;
    if (digit < 0 || ended) {
      part.source.refuse(StatusCode::tiled, part.at() + i,
                         fmt::format("'{}' in {}; base64 is expected", printable(text.substr(i, 1)), part.what));
    }
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++count % 4 != 1) bytes += static_cast<char>(bits >> (6 - 2 * ((count - 1) % 4)));
  }
  if (count % 4 == 1) part.damaged("base64");
  return bytes;
}

std::vector<std::uint32_t> unpack_raw(const Part& part, const std::string& bytes) {
  if (bytes.size() != part.cells * 4) part.wrong_size(fmt::format("{} bytes", bytes.size()));
  std::vector<std::uint32_t> gids(static_cast<std::size_t>(part.cells));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    gids[i / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << 8 * (i % 4);
  return gids;
}

std::vector<std::uint32_t> unpack_zlib(const Part& part, const std::string& bytes, std::string_view name) {
  constexpr int kZlibOrGzip = 15 + 32;
  z_stream stream{};
  if (::inflateInit2(&stream, kZlibOrGzip) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, &::inflateEnd);
  Sink sink(part);
  std::size_t read = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const std::size_t piece = std::min<std::size_t>(bytes.size() - read, std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + read));
      stream.avail_in = static_cast<uInt>(piece);
      read += piece;
    }
    const Sink::Room room = sink.room();
    const auto size = static_cast<uInt>(std::min<std::size_t>(room.size, std::numeric_limits<uInt>::max()));
    stream.next_out = room.begin;
    stream.avail_out = size;
    state = ::inflate(&stream, Z_NO_FLUSH);
    sink.took(size - stream.avail_out);
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (state == Z_BUF_ERROR && read == bytes.size()) sink.finish();  // the data ends early: says how much is there
    if (state != Z_OK && state != Z_STREAM_END) part.damaged(name);
  }
  return sink.finish();
}

std::vector<std::uint32_t> unpack_zstd(const Part& part, const std::string& bytes) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(::ZSTD_createDCtx(), &::ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  // The window is memory too: as large as the layer, or the 8 MiB that every reader of zstd has to grant.
  const int window = std::clamp(static_cast<int>(std::bit_width(part.cells * 4)), 23, 30);
  if (::ZSTD_isError(::ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, window)) != 0) part.damaged("zstd");
  Sink sink(part);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (std::size_t state = 1; state != 0;) {
    const Sink::Room room = sink.room();
    ZSTD_outBuffer out{room.begin, room.size, 0};
    state = ::ZSTD_decompressStream(context.get(), &out, &in);
    if (::ZSTD_isError(state) != 0) part.damaged("zstd");
    sink.took(out.pos);
    if (state != 0 && out.pos == 0 && in.pos == in.size) sink.finish();
    if (state != 0 && out.pos == 0 && in.pos == in.size) part.damaged("zstd");
  }
  return sink.finish();
}

std::vector<std::uint32_t> unpack_csv(const Part& part) {
  std::vector<std::uint32_t> gids;
  std::string_view rest = part.element.text;
  const auto position = [&] { return part.at() + (part.element.text.size() - rest.size()); };
  for (bool more = !without_blanks(rest).empty(); more;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view word = without_blanks(rest.substr(0, end));
    const ParsedInteger number = parse_integer(word);
    more = end < rest.size();
    if (word.empty() && !more) break;  // a comma after the last cell
    if (number.kind != NumberKind::number || number.negative ||
        number.value > std::numeric_limits<std::uint32_t>::max()) {
      part.source.refuse(
          StatusCode::tiled, position(),
          fmt::format("\"{}\" in {}; a gid 0 .. 4294967295 is expected", printable(word.substr(0, 40)), part.what));
    }
    if (gids.size() == part.cells) part.wrong_size(fmt::format("more than {} cells", part.cells));
    gids.push_back(static_cast<std::uint32_t>(number.value));
    rest.remove_prefix(end + (more ? 1 : 0));
  }
  if (gids.size() != part.cells) part.wrong_size(fmt::format("{} cells", gids.size()));
  return gids;
}

}  // namespace

std::vector<std::uint32_t> unpack(const Source& source, const Element& data, const Element& part, std::uint64_t cells,
                                  std::string_view what) {
  const Part of{source, part, cells, what};
  const std::string_view encoding = data.value("encoding"), compression = data.value("compression");
  const auto unknown = [&](std::string_view name) {
    const Attribute* attribute = data.find(name);
    source.refuse(StatusCode::tiled, attribute == nullptr ? data.at : attribute->at,
                  fmt::format("{} \"{}\" of {}; tiles, csv, or base64 with gzip, zlib, zstd or none is expected", name,
                              printable(data.value(name)), what));
  };
  if (!part.gids.empty()) {
    if (part.gids.size() != cells) of.wrong_size(fmt::format("{} cells", part.gids.size()));
    return part.gids;
  }
  if (encoding == "csv" || (encoding.empty() && without_blanks(part.text).empty())) return unpack_csv(of);
  if (encoding != "base64") unknown("encoding");
  const std::string bytes = from_base64(of);
  if (compression.empty()) return unpack_raw(of, bytes);
  if (compression == "gzip" || compression == "zlib") return unpack_zlib(of, bytes, compression);
  if (compression != "zstd") unknown("compression");
  return unpack_zstd(of, bytes);
}

}  // namespace drover::io::tiled
