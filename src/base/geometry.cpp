// SPDX-License-Identifier: MIT
// Fixed-point decimals, the padded layout of a map, and positions to cells in exact 128-bit arithmetic.
#include "base/int128.hpp"
#include "base/no_throw.hpp"
#include "base/text.hpp"

#include <drover/geometry.hpp>

#include <limits>
#include <string>

namespace drover {

using base::floor_div;
using base::Int128;
using base::UInt128;

const char* to_string(Direction d) noexcept {
  static constexpr const char* kNames[kDirections] = {"N", "E", "S", "W", "NE", "SE", "SW", "NW"};
  return kNames[static_cast<int>(d)];
}

namespace {

constexpr UInt128 power_of_five(int exponent) noexcept {
  UInt128 result = 1;
  while (exponent-- > 0) result *= 5;
  return result;
}

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

Status not_a_number(std::string_view text) {
  constexpr std::size_t kShown = 40;
  const std::string_view shown = text.substr(0, kShown), rest = text.size() > kShown ? "..." : "";
  return base::no_throw([&]() -> Status {
    return {StatusCode::number,
            base::concat("\"", shown, rest, "\" is not a decimal; expected one such as -7.25, within +-2147483648")};
  });
}

/// Sizes as asked for, in sentences.
struct Asked {
  std::int64_t width, height, layers;

  template <class... Parts>
  Status refused(StatusCode code, const Parts&... parts) const {
    return base::no_throw([&]() -> Status {
      const std::string size = base::concat("size ", width, "x", height);
      return {code, layers == 1 ? base::concat(size, parts...) : base::concat(size, "x", layers, parts...)};
    });
  }
};

}  // namespace

Result<Fixed> Fixed::parse(std::string_view decimal) {
  std::string_view rest = decimal;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (negative) rest.remove_prefix(1);

  constexpr std::uint64_t kTooBig = std::uint64_t{1} << 31;
  std::uint64_t whole = 0;
  std::size_t digits = 0;
  for (; digits < rest.size() && is_digit(rest[digits]); ++digits) {
    whole = whole * 10 + static_cast<std::uint64_t>(rest[digits] - '0');
    if (whole > kTooBig) return not_a_number(decimal);
  }
  if (digits == 0) return not_a_number(decimal);
  rest.remove_prefix(digits);

  // Multiples of 2^-33 have 33 decimals, so digits past the 33rd cannot move the value across one: the first 33 decide
  // floor(fraction x 2^33), which is digits / 5^33.
  constexpr int kDecimals = 33;
  UInt128 fraction = 0;
  if (!rest.empty()) {
    if (rest.front() != '.' || rest.size() == 1) return not_a_number(decimal);
    rest.remove_prefix(1);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (!is_digit(rest[i])) return not_a_number(decimal);
      if (i < kDecimals) fraction = fraction * 10 + static_cast<UInt128>(rest[i] - '0');
    }
    for (std::size_t i = rest.size(); i < kDecimals; ++i) fraction *= 10;
  }
  const UInt128 halves = fraction / power_of_five(kDecimals);
  const UInt128 magnitude = (UInt128{whole} << kFractionBits) + ((halves + 1) >> 1);
  const UInt128 limit = (UInt128{1} << 63) - (negative ? 0 : 1);
  if (magnitude > limit) return not_a_number(decimal);
  const Int128 value = negative ? -static_cast<Int128>(magnitude) : static_cast<Int128>(magnitude);
  return Fixed{static_cast<std::int64_t>(value)};
}

Result<GridShape> GridShape::create(std::int64_t width, std::int64_t height, std::int64_t layers, Cell origin) {
  const Asked asked{width, height, layers};
  if (width < 1 || height < 1 || layers < 1) {
    return asked.refused(StatusCode::map_size, "; expected at least 1x1");
  }
  const auto exceeds = [](std::uint64_t a, std::uint64_t b, std::uint64_t limit) { return a > limit / b; };
  const auto w = static_cast<std::uint64_t>(width), h = static_cast<std::uint64_t>(height),
             l = static_cast<std::uint64_t>(layers);
  if (exceeds(w, h, kMaxCells) || exceeds(w * h, l, kMaxCells)) {
    return asked.refused(StatusCode::limit_cells, "; at most ", kMaxCells, " cells in all");
  }
  // No factor is above 2^28 here, so nothing below leaves 64 bits.
  const std::uint64_t stride = (w + 1 + 63) / 64 * 64;
  const std::uint64_t layer_stride = (h + 2) * stride;
  constexpr std::uint64_t kMaxPadded = std::numeric_limits<std::uint32_t>::max();
  if (exceeds(layer_stride, l, kMaxPadded) || kFront + layer_stride * l + stride + 64 > kMaxPadded) {
    return asked.refused(StatusCode::limit_cells, " takes rows of ", stride, " cells in storage; at most ", kMaxPadded,
                         " stored cells in all");
  }
  constexpr std::int64_t kLast = std::numeric_limits<std::int32_t>::max();
  if (origin.x + width - 1 > kLast || origin.y + height - 1 > kLast) {
    return asked.refused(StatusCode::argument, " from origin ", origin.x, ",", origin.y, " passes coordinate ", kLast);
  }
  GridShape shape;
  shape.width_ = static_cast<std::int32_t>(width);
  shape.height_ = static_cast<std::int32_t>(height);
  shape.layers_ = static_cast<std::int32_t>(layers);
  shape.stride_ = static_cast<std::uint32_t>(stride);
  shape.layer_stride_ = static_cast<std::uint32_t>(layer_stride);
  shape.padded_cells_ = static_cast<std::uint32_t>(kFront + layer_stride * l + stride + 64);
  shape.origin_ = {origin.x, origin.y, 0};
  return shape;
}

std::uint64_t GridShape::cell_count() const noexcept {
  return static_cast<std::uint64_t>(width_) * static_cast<std::uint64_t>(height_) * static_cast<std::uint64_t>(layers_);
}

Cell GridShape::cell(CellIndex i) const noexcept {
  const std::uint32_t inside = i.value - kFront;
  const std::uint32_t layer = inside / layer_stride_, in_layer = inside % layer_stride_;
  return {origin_.x + static_cast<std::int32_t>(in_layer % stride_),
          origin_.y + static_cast<std::int32_t>(in_layer / stride_) - 1, static_cast<std::int32_t>(layer)};
}

WorldFrame::WorldFrame(const GridShape& shape) noexcept
    : shape_(shape),
      corner_{Fixed::from_int(shape.origin().x), Fixed::from_int(shape.origin().y)},
      cell_size_(Fixed::from_int(1)) {}

Result<WorldFrame> WorldFrame::create(const GridShape& shape, Position corner, Fixed cell_size) {
  if (cell_size.raw <= 0) {
    return base::no_throw([] { return Status(StatusCode::value, "cell size; expected above 0"); });
  }
  WorldFrame frame(shape);
  frame.corner_ = corner;
  frame.cell_size_ = cell_size;
  return frame;
}

WorldFrame::Located WorldFrame::locate(Position p, std::int32_t layer) const noexcept {
  const auto cells_from = [&](Fixed position, Fixed corner) {
    return floor_div(Int128{position.raw} - corner.raw, cell_size_.raw);
  };
  const Int128 column = cells_from(p.x, corner_.x), row = cells_from(p.y, corner_.y);
  if (column < 0 || column >= shape_.width() || row < 0 || row >= shape_.height()) return {};
  if (layer < 0 || layer >= shape_.layers()) return {};
  return {true,
          {shape_.origin().x + static_cast<std::int32_t>(column), shape_.origin().y + static_cast<std::int32_t>(row),
           layer}};
}

Position WorldFrame::centre(Cell anchor, int footprint) const noexcept {
  const auto middle = [&](std::int32_t cell, std::int32_t origin, Fixed corner) {
    const Int128 halves = (Int128{cell} - origin) * 2 + footprint;
    return Fixed{static_cast<std::int64_t>(corner.raw + floor_div(halves * cell_size_.raw, 2))};
  };
  return {middle(anchor.x, shape_.origin().x, corner_.x), middle(anchor.y, shape_.origin().y, corner_.y)};
}

Fixed WorldFrame::length(Fixed cells) const noexcept {
  const Int128 product = Int128{cells.raw} * cell_size_.raw + (Int128{1} << (Fixed::kFractionBits - 1));
  const Int128 length = product >> Fixed::kFractionBits;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return {length > kMost ? kMost : static_cast<std::int64_t>(length)};
}

}  // namespace drover
