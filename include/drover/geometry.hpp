// SPDX-License-Identifier: MIT
// Cells, directions, fixed-point numbers, the shape of a map, and the one place where positions become cells.
#pragma once
#include <drover/status.hpp>

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover {

/// A cell of the world. x grows right, y grows down; both may be negative (a map has an origin). Layers count from 0.
struct Cell {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t layer = 0;

  friend constexpr bool operator==(const Cell&, const Cell&) noexcept = default;
};

/// The eight moves in tie order; the order decides everywhere between equal steps.
enum class Direction : std::uint8_t { north, east, south, west, north_east, south_east, south_west, north_west };

inline constexpr int kDirections = 8;
inline constexpr std::int8_t kDx[kDirections] = {0, 1, 0, -1, 1, 1, -1, -1};
inline constexpr std::int8_t kDy[kDirections] = {-1, 0, 1, 0, -1, 1, 1, -1};
inline constexpr bool is_diagonal(Direction d) noexcept { return static_cast<int>(d) >= 4; }
inline constexpr Direction opposite(Direction d) noexcept {
  return static_cast<Direction>((static_cast<int>(d) & 4) | ((static_cast<int>(d) + 2) & 3));
}
/// "N", "E", ... "NW".
const char* to_string(Direction d) noexcept;

/// A set of directions: bit 0 = north ... bit 7 = north-west.
struct DirectionSet {
  std::uint8_t bits = 0;

  constexpr bool empty() const noexcept { return bits == 0; }
  constexpr int size() const noexcept { return std::popcount(bits); }
  constexpr bool has(Direction d) const noexcept { return (bits >> static_cast<int>(d)) & 1; }
  /// First in tie order. Precondition: not empty.
  constexpr Direction first() const noexcept { return static_cast<Direction>(std::countr_zero(bits)); }
  friend constexpr bool operator==(DirectionSet, DirectionSet) noexcept = default;
};

/// Total cost of a way in the profile's declared units (`uniform` 1, `tens` 10/14, `octile` 985/1393). Never wraps.
using Cost = std::uint64_t;
inline constexpr Cost kInfiniteCost = ~Cost{0};

/// A 32.32 fixed-point number. Decimals are rounded once (half away from zero) when read and are exact thereafter.
struct Fixed {
  std::int64_t raw = 0;

  static constexpr int kFractionBits = 32;
  static constexpr Fixed from_int(std::int32_t n) noexcept {
    return {std::int64_t{n} * (std::int64_t{1} << kFractionBits)};
  }
  static constexpr Fixed ratio(std::int32_t numerator, std::int32_t denominator) noexcept {
    return {std::int64_t{numerator} * (std::int64_t{1} << kFractionBits) / denominator};
  }
  /// "-7.25", "0.5", "3"; no exponent. Refuses anything else, and what does not fit, with `number`.
  static Result<Fixed> parse(std::string_view decimal);

  /// Largest integer that is not above; floor also below zero.
  constexpr std::int64_t floor() const noexcept { return raw >> kFractionBits; }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 that <=> compares with for a pointer.
  friend constexpr auto operator<=>(Fixed, Fixed) noexcept = default;
  friend constexpr Fixed operator+(Fixed a, Fixed b) noexcept { return {a.raw + b.raw}; }
  friend constexpr Fixed operator-(Fixed a, Fixed b) noexcept { return {a.raw - b.raw}; }
};

struct Position {
  Fixed x, y;
  friend constexpr bool operator==(const Position&, const Position&) noexcept = default;
};

/// Index of a cell in padded storage: rows have a stride that is a multiple of 64 and a blocked border, so the eight
/// neighbours of every cell of the map exist in memory. The order of indices is the order layer, y, x. Valid for one
/// GridShape only.
struct CellIndex {
  std::uint32_t value = ~std::uint32_t{0};

  constexpr bool valid() const noexcept { return value != ~std::uint32_t{0}; }
  // NOLINTNEXTLINE(modernize-use-nullptr): as above
  friend constexpr auto operator<=>(CellIndex, CellIndex) noexcept = default;
};

inline constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 28;

/// Size and origin of a map, and the mapping Cell <-> CellIndex. A value; copy freely.
class GridShape {
 public:
  GridShape() = default;
  /// Refuses less than 1x1x1 (`map_size`) and more than kMaxCells cells or 2^32 padded cells (`limit_cells`), counted
  /// in 64 bits.
  static Result<GridShape> create(std::int64_t width, std::int64_t height, std::int64_t layers = 1, Cell origin = {});

  std::int32_t width() const noexcept { return width_; }
  std::int32_t height() const noexcept { return height_; }
  std::int32_t layers() const noexcept { return layers_; }
  /// World cell in the upper-left corner of every layer.
  Cell origin() const noexcept { return origin_; }
  std::uint64_t cell_count() const noexcept;

  bool contains(Cell c) const noexcept {
    // In unsigned arithmetic, so that no difference overflows.
    return static_cast<std::uint32_t>(c.x) - static_cast<std::uint32_t>(origin_.x) <
               static_cast<std::uint32_t>(width_) &&
           static_cast<std::uint32_t>(c.y) - static_cast<std::uint32_t>(origin_.y) <
               static_cast<std::uint32_t>(height_) &&
           static_cast<std::uint32_t>(c.layer) < static_cast<std::uint32_t>(layers_);
  }
  /// Invalid index when outside.
  CellIndex index(Cell c) const noexcept {
    return contains(c) ? CellIndex{at(c.x - origin_.x, c.y - origin_.y, c.layer)} : CellIndex{};
  }
  /// Precondition: an index of a cell of this map.
  Cell cell(CellIndex i) const noexcept;

  /// Padded storage: cells in all, distance between rows, index of column x of row y counted from the corner (x, y may
  /// be -1).
  std::uint32_t padded_cells() const noexcept { return padded_cells_; }
  std::uint32_t stride() const noexcept { return stride_; }
  std::uint32_t at(std::int32_t column, std::int32_t row, std::int32_t layer) const noexcept {
    return kFront + static_cast<std::uint32_t>(layer) * layer_stride_ + static_cast<std::uint32_t>(row + 1) * stride_ +
           static_cast<std::uint32_t>(column);
  }
  /// What to add to an index (modulo 2^32) for one step.
  std::uint32_t step(Direction d) const noexcept {
    return static_cast<std::uint32_t>(kDy[static_cast<int>(d)] * static_cast<std::int64_t>(stride_) +
                                      kDx[static_cast<int>(d)]);
  }
  friend bool operator==(const GridShape&, const GridShape&) noexcept = default;

  /// Padding before the first row and after the last, so that whole-word and vector reads never leave the storage.
  static constexpr std::uint32_t kFront = 64;

 private:
  std::int32_t width_ = 0, height_ = 0, layers_ = 0;
  std::uint32_t stride_ = 0, layer_stride_ = 0, padded_cells_ = 0;
  Cell origin_;
};

/// Where continuous positions meet cells: cell = origin + floor((p - corner) / cell_size), half-open, floor also below
/// zero.
class WorldFrame {
 public:
  /// Cells of one world unit, corner at position (origin.x, origin.y).
  explicit WorldFrame(const GridShape& shape) noexcept;
  /// Refuses a cell size that is not above 0.
  static Result<WorldFrame> create(const GridShape& shape, Position corner, Fixed cell_size);

  /// Status of a position: on a cell, or outside (never clamped).
  struct Located {
    bool inside = false;
    Cell cell;
  };
  Located locate(Position p, std::int32_t layer = 0) const noexcept;
  /// Centre of a k x k body anchored at `anchor` (its upper-left cell), rounded down to the fixed-point grid.
  Position centre(Cell anchor, int footprint = 1) const noexcept;
  /// A length in cells, 0 or more, in world units: rounded once, half away from zero; the largest number if it is too
  /// long.
  Fixed length(Fixed cells) const noexcept;
  /// Of the upper-left cell.
  Position corner() const noexcept { return corner_; }
  Fixed cell_size() const noexcept { return cell_size_; }
  friend bool operator==(const WorldFrame&, const WorldFrame&) noexcept = default;

 private:
  GridShape shape_;
  Position corner_;
  Fixed cell_size_;
};

}  // namespace drover
