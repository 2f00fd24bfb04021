// SPDX-License-Identifier: MIT
// What each tile of a map's tilesets says about the ground.
#pragma once
#include "io/tiled_model.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace drover::io::tiled {

inline constexpr std::uint32_t kGidMask = 0x0FFFFFFF;

/// A higher rank wins a cell; among equal ranks from `passable` on the topmost tile.
enum class Rank : std::uint8_t { none, plain, passable, blocked, unknown };

struct TileRule {
  Rank rank = Rank::plain;
  std::uint8_t terrain = kFloor;        // or MapCells::kUnknown
  std::optional<DirectionSet> allowed;  // one_way: where the cell may be left to

  /// `allowed` after the turns and flips of a gid.
  DirectionSet allowed_as(std::uint32_t gid) const;
};

/// The tiles of all tilesets, external ones read from beside the map.
class Tiles {
 public:
  /// Kinds of ground that are not in `classes` are appended, in the order of the tiles.
  Tiles(const Source& source, const Element& map, const MapFileOptions& options, std::vector<TerrainClass>& classes);
  /// Null if no tileset has this gid (without its flip bits).
  const TileRule* find(std::uint32_t gid) const;
  /// External tilesets, as they were opened.
  const std::vector<std::string>& files() const noexcept { return files_; }

 private:
  struct Ground;
  void read_tileset(const Source& source, const Element& tileset, std::uint32_t first, std::uint32_t end);
  TileRule rule_of(const Source& source, const Element& tile);
  std::uint8_t class_of(const Source& source, const Ground& ground);
  /// A kind of ground that the scenario has given values: those count, whatever tiles say.
  bool defined(std::size_t index) const;
  void give_letter(const Source& source, std::uint8_t index, const Ground& ground);

  std::vector<TerrainClass>& classes_;
  std::vector<TerrainClass> given_, standard_ = standard_terrain();
  std::array<bool, 256> named_{};                          // classes that a tile has named already
  std::vector<std::pair<std::uint32_t, TileRule>> rules_;  // ascending by gid; other tiles are plain
  std::vector<std::string> files_;
  std::uint32_t least_ = ~std::uint32_t{0};
  TileRule plain_;
};

}  // namespace drover::io::tiled
