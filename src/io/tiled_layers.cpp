// SPDX-License-Identifier: MIT
// Tile layers become cells: each is unpacked, merged and dropped before the next.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <set>

#include "io/map_text.hpp"
#include "io/tiled_data.hpp"
#include "io/tiled_map.hpp"

namespace drover::io::tiled {

namespace {

constexpr std::int64_t kMostTilePixels = 1 << 20;
constexpr std::uint64_t kMostLayer = 1 << 20;
// Cells of all tile layers together: what a small file can make us unpack.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 30;

struct Around {
  Position offset;
  std::optional<std::int32_t> layer;
};

void walk(const Source& source, const Element& parent, std::string_view tag, TileSize tile, const Around& around,
          std::vector<PlacedLayer>& out) {
  for (const Element& child : parent.children) {
    if (child.tag != tag && child.tag != "group") continue;
    if (bool_property(source, child, "ignore").value_or(false)) continue;
    Around here = around;
    const Fixed x = cells_or_0(source, child, "offsetx", tile.width),
                y = cells_or_0(source, child, "offsety", tile.height);
    here.offset = {here.offset.x + x, here.offset.y + y};
    constexpr std::int64_t kMost = Fixed::from_int(1 << 28).raw;
    if (std::abs(here.offset.x.raw) > kMost || std::abs(here.offset.y.raw) > kMost)
      source.refuse(StatusCode::tiled, child.at, "offsets of more than 2^28 cells; less is expected");
    if (const auto layer = integer_property(source, child, "layer", kMostLayer, StatusCode::value))
      here.layer = static_cast<std::int32_t>(*layer);
    if (child.tag == "group") {
      walk(source, child, tag, tile, here, out);
    } else {
      out.push_back({&child, here.offset, here.layer});
    }
  }
}

// A rectangle of gids, in cells of the world.
struct Block {
  const Element* data;  // says how it is packed
  const Element* part;
  std::int64_t x, y, width, height;
  std::string what;
  std::int32_t layer;
};

// Refuses two chunks of one layer that share a cell: of those that a row meets, neighbours by x.
void refuse_overlaps(const Source& source, const std::vector<Block>& blocks) {
  std::vector<const Block*> by_top, by_bottom;
  for (const Block& block : blocks) by_top.push_back(&block);
  by_bottom = by_top;
  std::sort(by_top.begin(), by_top.end(),
            [](auto* a, auto* b) { return std::pair(a->y, a->x) < std::pair(b->y, b->x); });
  std::sort(by_bottom.begin(), by_bottom.end(), [](auto* a, auto* b) { return a->y + a->height < b->y + b->height; });
  const auto left = [](const Block* a, const Block* b) { return a->x < b->x; };
  std::set<const Block*, decltype(left)> open(left);
  auto closing = by_bottom.begin();
  for (const Block* block : by_top) {
    for (; (*closing)->y + (*closing)->height <= block->y; ++closing) open.erase(*closing);
    const auto after = open.lower_bound(block);
    const bool right = after != open.end() && (*after)->x < block->x + block->width;
    const bool before = after != open.begin() && (*std::prev(after))->x + (*std::prev(after))->width > block->x;
    if (right || before) {
      source.refuse(StatusCode::tiled, block->part->at,
                    fmt::format("chunk {},{} of {} overlaps another; one is expected for a cell", block->x, block->y,
                                block->what));
    }
    open.insert(block);
  }
}

class CellReader {
 public:
  CellReader(const Source& source, const Element& map, const Tiles& tiles, MapFile& out)
      : source_(source), map_(map), tiles_(tiles), out_(out), infinite_(is_infinite()) {}

  void read() {
    const std::vector<PlacedLayer> layers = placed_layers(source_, map_, "layer");
    std::int64_t count = 1;
    for (const PlacedLayer& layer : layers) count = std::max<std::int64_t>(count, layer.layer.value_or(0) + 1);
    if (!infinite_) {
      out_.cells.width = integer_or(source_, map_, "width", 0);
      out_.cells.height = integer_or(source_, map_, "height", 0);
      check_map_size(out_.cells.width, out_.cells.height, 1, source_.place(map_.at));
    }
    for (const PlacedLayer& layer : layers) add_blocks(layer);
    if (infinite_) measure();
    check_map_size(out_.cells.width, out_.cells.height, count, source_.place(map_.at));
    out_.cells.layers = count;
    const auto cells = static_cast<std::size_t>(out_.cells.width * out_.cells.height * count);
    out_.cells.cells.assign(cells, void_cell());
    ranks_.assign(cells, Rank::none);
    for (const Block& block : blocks_) merge(block);
    add_steps();
  }

 private:
  bool is_infinite() const {
    const std::string_view infinite = map_.value("infinite");
    return infinite == "1" || infinite == "true";
  }

  std::uint8_t void_cell() const {
    const std::optional<Property> found = property(map_, "void");
    if (!found || found->value == "floor") return kFloor;
    if (found->value == "wall") return kWall;
    if (found->value == "unknown") return MapCells::kUnknown;
    source_.refuse(
        StatusCode::value, found->at,
        fmt::format("void is \"{}\"; floor, wall or unknown is expected", printable(found->value.substr(0, 40))));
  }

  void add_blocks(const PlacedLayer& placed) {
    const Element& layer = *placed.element;
    const std::string what = layer_name(layer);
    if (((placed.offset.x.raw | placed.offset.y.raw) & (Fixed::from_int(1).raw - 1)) != 0)
      source_.refuse(StatusCode::tiled, layer.at,
                     fmt::format("{} is moved by a part of a tile; whole tiles are expected", what));
    const std::int64_t dx = placed.offset.x.floor() + coordinate(layer, "x"),
                       dy = placed.offset.y.floor() + coordinate(layer, "y");
    const Element* data = layer.child("data");
    if (!infinite_) check_size(layer, what);
    if (data == nullptr)
      source_.refuse(StatusCode::tiled, layer.at, fmt::format("{} has no data; cells are expected", what));
    const std::int32_t on = placed.layer.value_or(0);
    if (!infinite_) {
      add_block({data, data, dx, dy, out_.cells.width, out_.cells.height, what, on});
      return;
    }
    const std::size_t first = blocks_.size();
    for (const Element& chunk : data->children) {
      if (chunk.tag != "chunk") continue;
      add_block({data, &chunk, dx + coordinate(chunk, "x"), dy + coordinate(chunk, "y"),
                 size_of(source_, chunk, "width", std::int64_t{kMaxCells}),
                 size_of(source_, chunk, "height", std::int64_t{kMaxCells}), what, on});
    }
    refuse_overlaps(source_, {blocks_.begin() + static_cast<std::ptrdiff_t>(first), blocks_.end()});
  }

  std::int64_t coordinate(const Element& element, std::string_view name) const {
    const std::int64_t at = integer_or(source_, element, name, 0);
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    if (at < -kMost || at >= kMost)
      source_.refuse(StatusCode::tiled, element.at, fmt::format("{} is {}; 32 bits are expected", name, at));
    return at;
  }

  void add_block(Block block) {
    unpacked_ += static_cast<std::uint64_t>(block.width) * static_cast<std::uint64_t>(block.height);
    if (unpacked_ > kMostUnpacked) {
      source_.refuse(StatusCode::limit_cells, block.part->at,
                     fmt::format("tile layers of {} cells in all; at most {} are supported", unpacked_, kMostUnpacked));
    }
    blocks_.push_back(std::move(block));
  }

  // Of finite maps: the first layer is as large as the map, every other one as large as the first.
  void check_size(const Element& layer, const std::string& what) {
    const std::int64_t width = integer_or(source_, layer, "width", out_.cells.width),
                       height = integer_or(source_, layer, "height", out_.cells.height);
    if (width != out_.cells.width || height != out_.cells.height) {
      source_.refuse(StatusCode::layer_size, layer.at,
                     fmt::format("{} is {}x{}; {} is {}x{}", what, width, height, first_name_, out_.cells.width,
                                 out_.cells.height));
    }
    if (blocks_.empty()) first_name_ = what;
  }

  // An infinite map is as large as the box of its tiles: chunks are how Tiled stores them, and differ from save to
  // save.
  void measure() {
    std::int64_t left = std::numeric_limits<std::int64_t>::max(), top = left, right = -left, bottom = right;
    for (const Block& block : blocks_) {
      const std::vector<std::uint32_t> gids = unpack(block);
      for (std::size_t i = 0; i < gids.size(); ++i) {
        if ((gids[i] & kGidMask) == 0) continue;
        const std::int64_t x = block.x + static_cast<std::int64_t>(i) % block.width,
                           y = block.y + static_cast<std::int64_t>(i) / block.width;
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
      }
    }
    if (right < left)
      source_.refuse(StatusCode::map_empty, map_.at, "an infinite map without tiles; at least one is expected");
    constexpr std::int64_t kLast = std::numeric_limits<std::int32_t>::max();
    if (left < -kLast - 1 || top < -kLast - 1 || right > kLast || bottom > kLast)
      source_.refuse(StatusCode::tiled, map_.at,
                     "tiles beyond the coordinates of 32 bits; cells within them are expected");
    out_.origin = {static_cast<std::int32_t>(left), static_cast<std::int32_t>(top), 0};
    out_.cells.width = right - left + 1;
    out_.cells.height = bottom - top + 1;
  }

  std::vector<std::uint32_t> unpack(const Block& block) const {
    return tiled::unpack(source_, *block.data, *block.part, static_cast<std::uint64_t>(block.width * block.height),
                         block.what);
  }

  void merge(const Block& block) {
    const std::vector<std::uint32_t> gids = unpack(block);
    std::uint32_t known = 0;
    const TileRule* rule = nullptr;
    for (std::size_t i = 0; i < gids.size(); ++i) {
      const std::uint32_t gid = gids[i] & kGidMask;
      if (gid == 0) continue;
      const std::int64_t x = block.x + static_cast<std::int64_t>(i) % block.width,
                         y = block.y + static_cast<std::int64_t>(i) / block.width;
      if (gid != known) rule = tiles_.find(gid);
      known = gid;
      if (rule == nullptr) {
        source_.refuse(
            StatusCode::tiled, block.part->at,
            fmt::format("gid {} at {},{} of {} belongs to no tileset; one that begins at or below it is expected", gid,
                        x, y, block.what));
      }
      const std::int64_t column = x - out_.origin.x, row = y - out_.origin.y;
      // What an offset moves off a finite map is not on it.
      if (column < 0 || row < 0 || column >= out_.cells.width || row >= out_.cells.height) continue;
      put(static_cast<std::size_t>((block.layer * out_.cells.height + row) * out_.cells.width + column), *rule,
          gids[i]);
    }
  }

  void put(std::size_t cell, const TileRule& rule, std::uint32_t gid) {
    if (rule.rank > Rank::plain && rule.rank >= ranks_[cell]) out_.cells.cells[cell] = rule.terrain;
    if (rule.rank == Rank::plain && ranks_[cell] == Rank::none) out_.cells.cells[cell] = kFloor;
    ranks_[cell] = std::max(ranks_[cell], rule.rank);
    if (!rule.allowed) return;
    if (forbidden_.empty()) forbidden_.resize(ranks_.size());
    forbidden_[cell] = static_cast<std::uint8_t>(~rule.allowed_as(gid).bits);
  }

  void add_steps() {
    std::size_t at = 0, count = 0;
    for (const std::uint8_t forbidden : forbidden_) count += static_cast<std::size_t>(std::popcount(forbidden));
    out_.steps.reserve(count);
    for (std::int32_t layer = 0; !forbidden_.empty() && layer < out_.cells.layers; ++layer) {
      for (std::int32_t y = 0; y < out_.cells.height; ++y) {
        for (std::int32_t x = 0; x < out_.cells.width; ++x, ++at) {
          for (int d = 0; forbidden_[at] != 0 && d < kDirections; ++d) {
            if ((forbidden_[at] >> d & 1) == 0) continue;
            out_.steps.push_back(
                {{{out_.origin.x + x, out_.origin.y + y, layer}, static_cast<Direction>(d)}, false, 0});
          }
        }
      }
    }
  }

  const Source& source_;
  const Element& map_;
  const Tiles& tiles_;
  MapFile& out_;
  bool infinite_;
  std::string first_name_ = "the map";
  std::vector<Block> blocks_;
  std::uint64_t unpacked_ = 0;
  std::vector<Rank> ranks_;
  std::vector<std::uint8_t> forbidden_;  // one a cell, if any tile says so
};

}  // namespace

Fixed cells_or_0(const Source& source, const Element& element, std::string_view name, std::int64_t pixels) {
  const Attribute* attribute = element.find(name);
  if (attribute == nullptr) return {};
  const Result<Fixed> cells = divided(attribute->value, pixels);
  if (!cells)
    source.refuse(cells.status().code(), attribute->at,
                  fmt::format("{} {}; pixels are expected", name, cells.status().message()));
  return *cells;
}

TileSize tile_size(const Source& source, const Element& map) {
  return {size_of(source, map, "tilewidth", kMostTilePixels), size_of(source, map, "tileheight", kMostTilePixels)};
}

std::vector<PlacedLayer> placed_layers(const Source& source, const Element& map, std::string_view tag) {
  std::vector<PlacedLayer> out;
  walk(source, map, tag, tile_size(source, map), {}, out);
  return out;
}

std::string layer_name(const Element& layer) {
  const std::string_view name = layer.value("name");
  return name.empty() ? fmt::format("layer {}", printable(layer.value("id")))
                      : fmt::format("layer \"{}\"", printable(name.substr(0, 40)));
}

void read_cells(const Source& source, const Element& map, const Tiles& tiles, MapFile& out) {
  CellReader(source, map, tiles, out).read();
}

}  // namespace drover::io::tiled
