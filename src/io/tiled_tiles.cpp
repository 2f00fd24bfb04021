// SPDX-License-Identifier: MIT
// walkable, cost, terrain, letter and one_way of tiles become kinds of ground and rules for leaving a cell.
#include "io/tiled_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/paths.hpp"

namespace drover::io::tiled {

namespace {

constexpr std::size_t kMostClasses = 255;

std::optional<Direction> direction_named(std::string_view name) {
  for (int i = 0; i < kDirections; ++i) {
    if (name == to_string(static_cast<Direction>(i))) return static_cast<Direction>(i);
  }
  return std::nullopt;
}

std::optional<DirectionSet> one_way_of(const Source& source, const Element& tile) {
  const std::optional<Property> found = property(tile, "one_way");
  if (!found || trimmed(found->value).empty()) return std::nullopt;
  DirectionSet allowed;
  if (found->value == "none") return allowed;
  for (const Word& word : split_at(found->value, ',')) {
    const std::optional<Direction> direction = direction_named(trimmed(word.text));
    if (!direction) {
      source.refuse(StatusCode::value, found->at,
                    fmt::format("one_way is \"{}\"; directions such as \"E,NE\", or none, are expected",
                                printable(found->value.substr(0, 40))));
    }
    allowed.bits = static_cast<std::uint8_t>(allowed.bits | 1u << static_cast<int>(*direction));
  }
  return allowed;
}

}  // namespace

struct Tiles::Ground {
  std::string name;
  std::optional<std::uint32_t> cost;
  std::optional<bool> walkable;
  char letter = '\0';
  std::size_t at = 0;
};

DirectionSet TileRule::allowed_as(std::uint32_t gid) const {
  constexpr std::uint32_t kHorizontal = 0x80000000, kVertical = 0x40000000, kDiagonal = 0x20000000;
  DirectionSet turned;
  for (int i = 0; i < kDirections; ++i) {
    if (!allowed->has(static_cast<Direction>(i))) continue;
    const std::int32_t x{kDx[i]}, y{kDy[i]};
    int dx = (gid & kDiagonal) != 0 ? y : x, dy = (gid & kDiagonal) != 0 ? x : y;
    if ((gid & kHorizontal) != 0) dx = -dx;
    if ((gid & kVertical) != 0) dy = -dy;
    for (int k = 0; k < kDirections; ++k) {
      if (kDx[k] == dx && kDy[k] == dy) turned.bits = static_cast<std::uint8_t>(turned.bits | 1u << k);
    }
  }
  return turned;
}

Tiles::Tiles(const Source& source, const Element& map, const MapFileOptions& options,
             std::vector<TerrainClass>& classes)
    : classes_(classes), given_(classes) {
  std::vector<std::pair<std::uint32_t, const Element*>> sets;
  for (const Element& child : map.children) {
    if (child.tag == "tileset")
      sets.emplace_back(static_cast<std::uint32_t>(size_of(source, child, "firstgid", kGidMask)), &child);
  }
  std::sort(sets.begin(), sets.end());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto [first, tileset] = sets[i];
    const std::uint32_t end = i + 1 < sets.size() ? sets[i + 1].first : kGidMask + 1;
    if (first == end) source.refuse(StatusCode::tiled, tileset->at, "two tilesets of one firstgid; one is expected");
    least_ = std::min(least_, first);
    const Attribute* file = tileset->find("source");
    if (file == nullptr) {
      read_tileset(source, *tileset, first, end);
      continue;
    }
    const std::string path = path_beside(source.file(), file->value, options.paths, source.place(file->at), "map");
    const std::string text = or_refuse(read_text_file(path, kTiledFile));
    files_.push_back(path);
    const Source outside(text, path);
    const std::string ending = std::filesystem::path(path).extension().string();
    const Element root = ending == ".tsx" || ending == ".xml" ? read_xml(outside) : read_json(outside);
    if (root.tag != "tileset")
      outside.refuse(StatusCode::tiled, root.at, "no tileset; what a map names as its source is expected to be one");
    read_tileset(outside, root, first, end);
  }
  std::stable_sort(rules_.begin(), rules_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

void Tiles::read_tileset(const Source& source, const Element& tileset, std::uint32_t first, std::uint32_t end) {
  for (const Element& tile : tileset.children) {
    if (tile.tag != "tile") continue;
    const std::int64_t id = integer_or(source, tile, "id", -1);
    if (id < 0 || id > kGidMask)
      source.refuse(StatusCode::tiled, tile.at, "a tile without an id; 0 or more is expected");
    const TileRule rule = rule_of(source, tile);
    // A tile that the next tileset hides has no gid.
    if (id < end - first) rules_.emplace_back(first + static_cast<std::uint32_t>(id), rule);
  }
}

const TileRule* Tiles::find(std::uint32_t gid) const {
  if (gid < least_) return nullptr;
  const auto found = std::lower_bound(rules_.begin(), rules_.end(), gid,
                                      [](const auto& rule, std::uint32_t wanted) { return rule.first < wanted; });
  return found != rules_.end() && found->first == gid ? &found->second : &plain_;
}

TileRule Tiles::rule_of(const Source& source, const Element& tile) {
  TileRule rule;
  rule.allowed = one_way_of(source, tile);
  Ground ground;
  ground.at = tile.at;
  ground.walkable = bool_property(source, tile, "walkable");
  if (const auto cost = integer_property(source, tile, "cost", kMaxCellCost, StatusCode::cost_range))
    ground.cost = static_cast<std::uint32_t>(*cost);
  if (const auto letter = property(tile, "letter"); letter && !letter->value.empty()) {
    ground.letter = letter->value[0];
    if (letter->value.size() != 1 || ground.letter <= ' ' || ground.letter > '~' || ground.letter == '?')
      source.refuse(StatusCode::value, letter->at,
                    fmt::format("letter \"{}\"; one printable ASCII letter other than ? is expected",
                                printable(letter->value.substr(0, 40))));
  }
  if (const auto name = property(tile, "terrain")) {
    ground.name = name->value;
  } else {
    // A class is a terrain only where one of that name is known: artists have classes of their own.
    const std::string_view kind = tile.find("class") != nullptr ? tile.value("class") : tile.value("type");
    const bool known = std::any_of(classes_.begin(), classes_.end(), [&](const auto& c) { return c.name == kind; });
    if (known || kind == "unknown") ground.name = kind;
  }
  if (ground.name == "unknown" || bool_property(source, tile, "unknown").value_or(false)) {
    rule.rank = Rank::unknown;
    rule.terrain = MapCells::kUnknown;
  } else if (!ground.name.empty() || ground.cost || !ground.walkable.value_or(true)) {
    rule.terrain = class_of(source, ground);
    rule.rank = classes_[rule.terrain].passable ? Rank::passable : Rank::blocked;
  }
  return rule;
}

std::uint8_t Tiles::class_of(const Source& source, const Ground& ground) {
  const auto fits = [&](const TerrainClass& c) {
    // A cost alone makes ground passable, as it does in a scenario.
    return ground.cost.value_or(c.cost) == c.cost &&
           ground.walkable.value_or(ground.cost ? true : c.passable) == c.passable;
  };
  const bool passable = ground.walkable.value_or(true);
  const std::string suffix =
      ground.cost ? fmt::format("{}cost {}", passable ? "" : "blocked ", *ground.cost) : "blocked";
  std::vector<std::string> names{ground.name, ground.name + ' ' + suffix};
  if (ground.name.empty()) names = {passable ? "floor" : "wall", suffix};
  for (const std::string& name : names) {
    const auto found =
        std::find_if(classes_.begin(), classes_.end(), [&](const TerrainClass& c) { return c.name == name; });
    const auto index = static_cast<std::size_t>(found - classes_.begin());
    if (found == classes_.end()) {
      if (&name == &names[0] && ground.name.empty()) continue;
      if (index == kMostClasses)
        source.refuse(StatusCode::tiled, ground.at, "more than 255 kinds of ground in all tilesets; 255 is the limit");
      classes_.push_back({name, '\0', ground.cost.value_or(1), passable});
    } else if (!fits(*found) && (ground.name.empty() || !defined(index))) {
      // A standard kind takes over what the first tile that names it says; what differs after that is another kind.
      if (ground.name.empty() || named_[index] || index >= given_.size()) continue;
      found->cost = ground.cost.value_or(found->cost);
      found->passable = ground.walkable.value_or(true);
    }
    if (!ground.name.empty()) named_[index] = true;
    give_letter(source, static_cast<std::uint8_t>(index), ground);
    return static_cast<std::uint8_t>(index);
  }
  source.refuse(StatusCode::name_twice, ground.at,
                fmt::format("terrain \"{}\" is something else already; another name is expected", printable(names[1])));
}

bool Tiles::defined(std::size_t index) const {
  if (index >= given_.size() || index >= standard_.size()) return index < given_.size();
  const TerrainClass &given = given_[index], &standard = standard_[index];
  return given.name != standard.name || given.cost != standard.cost || given.passable != standard.passable;
}

void Tiles::give_letter(const Source& source, std::uint8_t index, const Ground& ground) {
  if (ground.letter == '\0' || classes_[index].letter == ground.letter) return;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].letter != ground.letter) continue;
    if (i >= standard_.size() || standard_[i].letter != ground.letter) {
      source.refuse(StatusCode::name_twice, ground.at,
                    fmt::format("letter {} stands for two terrains; one is expected", ground.letter));
    }
    classes_[i].letter = '\0';
  }
  classes_[index].letter = ground.letter;
}

}  // namespace drover::io::tiled
