// SPDX-License-Identifier: MIT
// Maps as pictures, one pixel a cell: chunks checked by hand, pixels unpacked by libpng, colours by the legend.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <unordered_map>
#include <utility>

#include "io/legend.hpp"
#include "io/map_formats.hpp"
#include "io/map_text.hpp"
#include "io/png_chunks.hpp"
#include "io/png_legend.hpp"

namespace drover::io {

namespace {

[[noreturn]] void refuse_png(const std::string& file, const std::string& what) {
  refuse(StatusCode::png, {file, 0, 0}, what + "; a whole PNG with 1, 2, 4 or 8 bits a channel is expected");
}

// What the chunks say before any pixel is unpacked.
struct Header {
  std::uint32_t width = 0, height = 0;
  int color_type = 0;
  bool interlaced = false;
  std::uint64_t bits = 0, packed_bytes = 0;  // of all pixels; of all IDAT
  std::size_t colors = 0;                    // of the palette
  std::string_view text;                     // of our own legend
  std::string text_chunk;
};

void read_ihdr(const PngChunk& chunk, const std::string& file, Header& header) {
  if (chunk.type != "IHDR" || chunk.data.size() != 13)
    refuse_png(file, chunk.name() + ": IHDR of 13 bytes comes first");
  header.width = big_endian_at(chunk.data, 0);
  header.height = big_endian_at(chunk.data, 4);
  check_map_size(header.width, header.height, 1, {file, 0, 0});
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(chunk.data[i]); };
  const int bits = byte(8), color = byte(9);
  if (bits == 16) refuse_png(file, chunk.name() + ": 16 bits a channel");
  const bool fits = color == PNG_COLOR_TYPE_GRAY || color == PNG_COLOR_TYPE_PALETTE
                        ? bits == 1 || bits == 2 || bits == 4 || bits == 8
                        : bits == 8 && (color == PNG_COLOR_TYPE_RGB || color == PNG_COLOR_TYPE_RGB_ALPHA ||
                                        color == PNG_COLOR_TYPE_GRAY_ALPHA);
  if (!fits || byte(10) != 0 || byte(11) != 0 || byte(12) > 1) {
    refuse_png(file, fmt::format("{}: {} bits of colour type {}, compression {}, filter {}, interlace {}", chunk.name(),
                                 bits, color, byte(10), byte(11), byte(12)));
  }
  header.color_type = color;
  header.bits = std::uint64_t{header.width} * header.height * static_cast<std::uint64_t>(bits);
  header.interlaced = byte(12) == 1;
}

bool is_read(std::string_view type) { return type == "IHDR" || type == "PLTE" || type == "tRNS" || type == "IDAT"; }

// Every checksum is compared, also of chunks that are not read: whatever damaged them may have touched others.
Header check_chunks(std::string_view bytes, const std::string& file) {
  if (bytes.substr(0, kPngSignature.size()) != kPngSignature) {
    refuse_png(file, fmt::format("the file begins with \"{}\"",
                                 printable(bytes.substr(0, std::min(bytes.size(), kPngSignature.size())))));
  }
  Header header;
  for (std::size_t at = kPngSignature.size();;) {
    const PngChunk chunk = png_chunk_at(bytes, at, file);
    if (!intact(chunk))
      refuse_png(file, fmt::format("{}: its checksum {:08x} does not fit", chunk.name(), chunk.checksum));
    if (header.width == 0) {
      read_ihdr(chunk, file, header);
    } else if (chunk.type == "IEND") {
      // Deflate makes at most 1032 bytes of one: nothing is taken for pixels that are not there.
      if (header.packed_bytes * 1032 < header.bits / 8)
        refuse_png(file, fmt::format("IDAT: {} bytes in all, too few for {}x{}", header.packed_bytes, header.width,
                                     header.height));
      return header;
    } else if (chunk.type[0] >= 'A' && chunk.type[0] <= 'Z' && !is_read(chunk.type)) {
      refuse_png(file, chunk.name() + ": no chunk that is known");
    } else if (chunk.type == "tEXt" && header.text.empty() && chunk.data.size() > kPngKeyword.size() &&
               chunk.data.substr(0, kPngKeyword.size()) == kPngKeyword && chunk.data[kPngKeyword.size()] == '\0') {
      header.text = chunk.data.substr(kPngKeyword.size() + 1);
      header.text_chunk = chunk.name();
    }
    if (chunk.type == "IDAT") header.packed_bytes += chunk.data.size();
    if (chunk.type == "PLTE") header.colors = chunk.data.size() / 3;
    // libpng would leave it out without a word.
    if (chunk.type == "tRNS" && header.color_type == PNG_COLOR_TYPE_PALETTE && chunk.data.size() > header.colors)
      refuse_png(file,
                 fmt::format("{}: {} values for a palette of {}", chunk.name(), chunk.data.size(), header.colors));
    at = chunk.next();
  }
}

// Hands libpng the chunks that it is to read and no other: nothing else can be unpacked, or kept.
struct Feed {
  std::string_view bytes;
  std::size_t at = 0, chunk = 0, end = kPngSignature.size();  // next byte; begin and end of the chunk that it is in
  bool last = false;
  char message[96] = {};  // of libpng

  void next_chunk() {
    std::string_view type;
    do {
      chunk = at = end;
      end = chunk + 12 + big_endian_at(bytes, chunk);
      type = bytes.substr(chunk + 4, 4);
      last = type == "IEND";
    } while (!last && !is_read(type));
  }
};

void take(png_structp png, png_bytep out, png_size_t size) {
  auto& feed = *static_cast<Feed*>(png_get_io_ptr(png));
  while (size > 0) {
    if (feed.at == feed.end && feed.last) png_error(png, "the picture goes on");
    if (feed.at == feed.end) feed.next_chunk();
    const std::size_t part = std::min(size, feed.end - feed.at);
    std::copy_n(feed.bytes.data() + feed.at, part, reinterpret_cast<char*>(out));
    feed.at += part;
    out += part;
    size -= part;
  }
}

void fail(png_structp png, png_const_charp message) {
  auto& feed = *static_cast<Feed*>(png_get_error_ptr(png));
  const std::string_view text = message == nullptr ? std::string_view() : message;
  std::copy_n(text.data(), std::min(text.size(), sizeof feed.message - 1), feed.message);
  std::longjmp(png_jmpbuf(png), 1);
}
void ignore(png_structp, png_const_charp) {}

// The three calls that may end in `fail`. No object with a destructor lives in them.
bool begin(png_structp png, png_infop info, Feed& feed) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, &feed, take);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(png, 1 << 16);
  png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);  // compared already
  png_read_info(png, info);
  const int color = png_get_color_type(png, info);
  if (color == PNG_COLOR_TYPE_PALETTE)
    png_set_packing(png);
  else if (png_get_valid(png, info, PNG_INFO_tRNS) != 0)
    png_set_tRNS_to_alpha(png);
  else if (color == PNG_COLOR_TYPE_GRAY)
    png_set_expand_gray_1_2_4_to_8(png);
  png_read_update_info(png, info);
  return true;
}

bool read_row(png_structp png, std::uint8_t* row) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_row(png, row, nullptr);
  return true;
}

bool finish(png_structp png) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_end(png, nullptr);
  return true;
}

// What colours mean, and entries of the palette that have a meaning of their own.
struct Meanings {
  std::unordered_map<std::uint32_t, std::int16_t> colors;  // looked up only
  std::array<std::int16_t, 256> palette;
  std::int16_t transparent = Alphabet::kUnknown;

  std::int16_t of(std::uint32_t rgb) const {
    const auto found = colors.find(rgb);
    return found == colors.end() ? Alphabet::kNone : found->second;
  }
};

Meanings meanings_of(const Header& header, const MapFileOptions& options, MapFile& map) {
  Meanings meanings;
  meanings.palette.fill(Alphabet::kNone);
  PictureLegend own;
  if (!header.text_chunk.empty()) own = parse_picture_text(header.text, map.file, header.text_chunk);
  map.origin = own.origin;
  if (options.legend) {
    bool colors = false;
    for (const auto& [key, meaning] : options.legend->colors) {
      const std::optional<std::string> color = legend_color(key);
      if (!color || meaning < 0 ||
          (meaning != Alphabet::kUnknown && std::cmp_greater_equal(meaning, map.terrain.size())))
        refuse(StatusCode::argument, {map.file, 0, 0}, fmt::format("{} in the legend; #rrggbb is expected", key));
      colors = colors || color->front() == '#';
      if (*color == "transparent")
        meanings.transparent = meaning;
      else if (color->front() == '#')
        meanings.colors[static_cast<std::uint32_t>(std::stoul(color->substr(1), nullptr, 16))] = meaning;
      else
        meanings.palette[std::stoul(color->substr(8))] = meaning;
    }
    if (colors) return meanings;
  }
  std::vector<TerrainClass> kinds;
  for (const PictureLegend::Entry& entry : own.entries) {
    if (!entry.unknown) kinds.push_back(entry.kind);
  }
  if (own.entries.empty()) kinds = standard_terrain();
  const auto index = join_terrain(map.terrain, kinds);
  if (!index) {
    refuse_png(map.file, fmt::format("{}: the legend and the kinds of ground that there are make more than 255",
                                     header.text_chunk));
  }
  const std::array<std::uint32_t, 256> standard = terrain_colors(kinds);
  if (own.entries.empty()) meanings.colors[standard[MapCells::kUnknown]] = Alphabet::kUnknown;
  for (std::size_t i = 0; own.entries.empty() && i < kinds.size(); ++i) meanings.colors[standard[i]] = (*index)[i];
  std::size_t kind = 0;
  for (const PictureLegend::Entry& entry : own.entries)
    meanings.colors[entry.color] = entry.unknown ? Alphabet::kUnknown : (*index)[kind++];
  return meanings;
}

class Unpacker {
 public:
  Unpacker(std::string_view bytes, const Header& header, const Meanings& meanings, MapFile& map)
      : header_(header), meanings_(meanings), map_(map) {
    feed_.bytes = bytes;
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &feed_, fail, ignore);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) throw std::bad_alloc();
  }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker() { png_destroy_read_struct(&png_, &info_, nullptr); }

  void run() {
    must(begin(png_, info_, feed_));
    map_.cells.width = header_.width;
    map_.cells.height = header_.height;
    map_.cells.cells.resize(std::size_t{header_.width} * header_.height);
    row_.resize(png_get_rowbytes(png_, info_));
    make_table();
    if (header_.interlaced) {
      for (std::size_t pass = 0; pass < 7; ++pass) read_pass(pass);
    } else {
      for (std::uint32_t y = 0; y < header_.height; ++y) {
        must(read_row(png_, row_.data()));
        store(y, 0, 1, header_.width);
      }
    }
    must(finish(png_));
    if (strange_ > 0) refuse_colors();
  }

 private:
  struct Strange {
    std::uint64_t at;
    std::uint32_t color;
  };
  static constexpr std::int16_t kNoEntry = -2;  // of the palette

  void must(bool done) const {
    if (!done)
      refuse_png(map_.file,
                 fmt::format("{}: {}",
                             png_chunk_at(feed_.bytes, std::max(feed_.chunk, kPngSignature.size()), map_.file).name(),
                             printable(feed_.message)));
  }

  // The seven passes of Adam7 as they are stored: rows of a part of the columns.
  void read_pass(std::size_t pass) {
    constexpr std::uint32_t kX[] = {0, 4, 0, 2, 0, 1, 0}, kY[] = {0, 0, 4, 0, 2, 0, 1};
    constexpr std::uint32_t kStepX[] = {8, 8, 4, 4, 2, 2, 1}, kStepY[] = {8, 8, 8, 4, 4, 2, 2};
    if (header_.width <= kX[pass]) return;
    const std::uint32_t columns = (header_.width - kX[pass] + kStepX[pass] - 1) / kStepX[pass];
    for (std::uint32_t y = kY[pass]; y < header_.height; y += kStepY[pass]) {
      must(read_row(png_, row_.data()));
      store(y, kX[pass], kStepX[pass], columns);
    }
  }

  // The meaning of each byte of a palette or grey picture.
  void make_table() {
    table_.fill(kNoEntry);
    channels_ = png_get_channels(png_, info_);
    if (header_.color_type != PNG_COLOR_TYPE_PALETTE) {
      for (std::uint32_t v = 0; v < 256; ++v) {
        rgb_[v] = v * 0x010101;
        table_[v] = meanings_.of(rgb_[v]);
      }
      return;
    }
    png_colorp palette = nullptr;
    png_bytep alpha = nullptr;
    int alphas = 0;
    png_get_PLTE(png_, info_, &palette, &colors_);
    png_get_tRNS(png_, info_, &alpha, &alphas, nullptr);
    for (int i = 0; i < colors_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      rgb_[at] = rgb(palette[i].red, palette[i].green, palette[i].blue);
      table_[at] = meanings_.palette[at];
      if (table_[at] != Alphabet::kNone) continue;
      table_[at] = i < alphas && alpha[i] == 0 ? meanings_.transparent : meanings_.of(rgb_[at]);
    }
  }

  static std::uint32_t rgb(std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    return std::uint32_t{r} << 16 | std::uint32_t{g} << 8 | b;
  }

  void store(std::uint32_t y, std::uint32_t x, std::uint32_t step, std::uint32_t count) {
    const std::uint8_t* from = row_.data();
    std::uint64_t at = std::uint64_t{y} * header_.width + x;
    for (std::uint32_t i = 0; i < count; ++i, at += step, from += channels_) {
      const std::int16_t meaning = channels_ <= 2 ? plain(from) : colored(from);
      if (meaning < 0) note(at, from, meaning);
      map_.cells.cells[at] = static_cast<std::uint8_t>(meaning);
    }
  }

  std::int16_t plain(const std::uint8_t* pixel) const {
    return channels_ == 2 && pixel[1] == 0 ? meanings_.transparent : table_[pixel[0]];
  }

  // Neighbours are mostly alike.
  std::int16_t colored(const std::uint8_t* pixel) {
    if (channels_ == 4 && pixel[3] == 0) return meanings_.transparent;
    const std::uint32_t color = rgb(pixel[0], pixel[1], pixel[2]);
    if (color != last_color_) {
      last_color_ = color;
      last_meaning_ = meanings_.of(color);
    }
    return last_meaning_;
  }

  std::string place(std::uint64_t at) const { return fmt::format("{},{}", at % header_.width, at / header_.width); }

  // Passes come out of order: the first five by place are kept.
  void note(std::uint64_t at, const std::uint8_t* pixel, std::int16_t meaning) {
    if (meaning == kNoEntry) {
      refuse_png(map_.file, fmt::format("IDAT at byte {}: {} is colour {} of the palette, PLTE has {}", feed_.chunk,
                                        place(at), pixel[0], colors_));
    }
    ++strange_;
    if (first_.size() == kShown && at > first_.back().at) return;
    const std::uint32_t color = channels_ <= 2 ? rgb_[pixel[0]] : rgb(pixel[0], pixel[1], pixel[2]);
    first_.insert(std::upper_bound(first_.begin(), first_.end(), at,
                                   [](std::uint64_t value, const Strange& s) { return value < s.at; }),
                  {at, color});
    if (first_.size() > kShown) first_.pop_back();
  }

  [[noreturn]] void refuse_colors() const {
    std::string places;
    for (const Strange& s : first_)
      places += fmt::format("{}#{:06x} at {}", places.empty() ? "" : ", ", s.color, place(s.at));
    if (strange_ > first_.size()) places += fmt::format(" and more, {} in all", strange_);
    std::string known;
    std::vector<std::uint32_t> colors;
    for (const auto& [color, meaning] : meanings_.colors) colors.push_back(color);
    std::sort(colors.begin(), colors.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(colors.size(), 12); ++i)
      known += fmt::format("{}#{:06x}", i == 0 ? "" : " ", colors[i]);
    refuse(
        StatusCode::png_color, {map_.file, 0, 0},
        fmt::format("{}; colours of the legend ({}{}) are expected", places, known, colors.size() > 12 ? " .." : ""));
  }

  static constexpr std::size_t kShown = 5;
  const Header& header_;
  const Meanings& meanings_;
  MapFile& map_;
  Feed feed_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::vector<std::uint8_t> row_;
  std::array<std::int16_t, 256> table_{};
  std::array<std::uint32_t, 256> rgb_{};
  int channels_ = 1, colors_ = 0;
  std::uint32_t last_color_ = ~std::uint32_t{0};
  std::int16_t last_meaning_ = 0;
  std::vector<Strange> first_;
  std::uint64_t strange_ = 0;
};

}  // namespace

Result<MapFile> parse_png_map(std::string_view bytes, const std::string& file, const MapFileOptions& options) {
  return guarded(fmt::format("the picture {} has {} bytes", printable(file), bytes.size()), [&] {
    const Header header = check_chunks(bytes, file);
    MapFile map;
    map.file = file;
    map.terrain = options.terrain;
    const Meanings meanings = meanings_of(header, options, map);
    Unpacker(bytes, header, meanings, map).run();
    return map;
  });
}

Result<std::string> png_map_bytes(const MapFile& map, std::vector<Warning>& lost) {
  return guarded(map_need(map.cells.width, map.cells.height, map.cells.layers), [&] {
    const std::array<std::uint32_t, 256> colors = terrain_colors(map.terrain);
    IndexedPicture picture{static_cast<std::uint32_t>(map.cells.width),
                           static_cast<std::uint32_t>(map.cells.height),
                           {},
                           picture_text(map, colors)};
    // Unknown follows the classes, so that few of them need few bits.
    std::vector<std::uint8_t> pixels = map.cells.cells;
    const auto unknown = static_cast<std::uint8_t>(map.terrain.size());
    std::replace(pixels.begin(), pixels.end(), MapCells::kUnknown, unknown);
    for (std::size_t i = 0; i < map.terrain.size(); ++i) picture.rgba.push_back(colors[i] << 8 | 0xff);
    picture.rgba.push_back(colors[MapCells::kUnknown] << 8 | 0xff);
    std::string bytes = indexed_png(picture, pixels.data(), bits_for(picture.rgba.size()));
    if (bytes.empty()) throw std::bad_alloc();
    add_lost(map, ".png", {.origin = true}, lost);
    return bytes;
  });
}

}  // namespace drover::io
