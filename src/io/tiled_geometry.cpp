// SPDX-License-Identifier: MIT
// Sines by Taylor's series, axes by continued fractions, decimals by long division: no floating point decides.
#include "io/tiled_geometry.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "io/text.hpp"

namespace drover::io::tiled {

namespace {

using base::Int128;

constexpr int kBits = 60;
constexpr std::int64_t kOne = std::int64_t{1} << kBits;
constexpr std::int64_t kRadian = 20122276272436452;  // pi / 180, times 2^60
constexpr std::int64_t kRight = std::int64_t{90} << Fixed::kFractionBits;

Int128 rounded(Int128 dividend, Int128 divisor) { return base::floor_div(dividend * 2 + divisor, divisor * 2); }

Fixed fixed(Int128 raw) { return {static_cast<std::int64_t>(raw)}; }

// Of 0 .. 45 degrees, times 2^32.
Turn small_turn(std::int64_t degrees) {
  const Int128 x = (Int128{degrees} * kRadian) >> Fixed::kFractionBits;
  Int128 sine = 0, cosine = 0, term = kOne;
  for (int n = 1; term != 0; ++n) {
    (n % 2 == 1 ? cosine : sine) += n % 4 == 1 || n % 4 == 2 ? term : -term;
    term = ((term * x) >> kBits) / n;
  }
  return {static_cast<std::int64_t>(sine), static_cast<std::int64_t>(cosine)};
}

// Of any angle, times 2^32.
Turn turn_of(std::int64_t degrees) {
  const auto quarter = static_cast<int>(base::floor_div(degrees, kRight) % 4 + 4) % 4;
  const std::int64_t rest = degrees - static_cast<std::int64_t>(base::floor_div(degrees, kRight)) * kRight;
  Turn turn = small_turn(std::min(rest, kRight - rest));
  if (rest > kRight / 2) std::swap(turn.sine, turn.cosine);
  for (int i = 0; i < quarter; ++i) turn = {turn.cosine, -turn.sine};
  return turn;
}

// The first convergent of the smaller part over the larger one that is as close as `slack`, else the last one whose
// parts fit: by Legendre's theorem no fraction that is closer than 1 / (2 q^2) is missed.
Axis axis_of(const Turn& turn, Int128 slack) {
  const Int128 a = std::abs(turn.sine), b = std::abs(turn.cosine);
  const Int128 small = std::min(a, b), large = std::max(a, b);
  Int128 p = 1, q = 0, p_before = 0, q_before = 1, n = small, d = large;
  while (d != 0) {
    const Int128 digit = n / d;
    const Int128 p_next = digit * p + p_before, q_next = digit * q + q_before;
    if (q_next > kMaxObstacleExtent) break;
    p_before = std::exchange(p, p_next);
    q_before = std::exchange(q, q_next);
    n = std::exchange(d, n - digit * d);
    const Int128 error = p * large - q * small;
    if ((error < 0 ? -error : error) <= slack * q) break;
  }
  const auto x = static_cast<std::int32_t>(a > b ? p : q), y = static_cast<std::int32_t>(a > b ? q : p);
  return {turn.cosine < 0 ? -x : x, turn.sine < 0 ? -y : y};
}

// The decimals that a rounded angle has: those written, or as many as make six digits.
int decimals_of(std::string_view degrees) {
  if (degrees.find_first_of("eE") != std::string_view::npos) return 9;
  const std::size_t point = std::min(degrees.find('.'), degrees.size());
  const auto whole = static_cast<int>(point) - (degrees.substr(0, 1) == "-" ? 1 : 0);
  const auto written = static_cast<int>(degrees.size() - point) - 1;
  return std::clamp(std::max(written, 6 - whole), 0, 9);
}

// floor(sqrt(n)) for n up to 2^120.
Int128 square_root(Int128 n) {
  Int128 root = 0;
  for (Int128 bit = Int128{1} << 60; bit != 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= n) root += bit;
  }
  return root;
}

}  // namespace

Result<Fixed> divided(std::string_view decimal, std::int64_t divisor) {
  const auto refused = [&] {
    return Status(StatusCode::number,
                  base::concat("\"", printable(decimal.substr(0, 40)), "\" is no number up to 2^28"));
  };
  const bool negative = decimal.substr(0, 1) == "-";
  const std::string_view number = decimal.substr(negative ? 1 : 0);
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::size_t point = std::min(number.find('.'), e);
  std::string digits(number.substr(0, point));
  const bool bare_point = point < e && point + 1 == e;
  if (point < e) digits += number.substr(point + 1, e - point - 1);
  if (point == 0 || bare_point || digits.find_first_not_of("0123456789") != std::string::npos) return refused();
  std::int64_t places = static_cast<std::int64_t>(point);  // digits before the point
  if (e < number.size()) {
    std::string_view exponent = number.substr(e + 1);
    if (exponent.substr(0, 1) == "+") exponent.remove_prefix(1);
    const ParsedInteger power = parse_integer(exponent);
    if (power.kind == NumberKind::malformed || exponent.size() > 10) return refused();
    places += power.value;
  }
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, zeros);
  places -= static_cast<std::int64_t>(zeros);
  constexpr std::int64_t kDecimals = 33, kMostPlaces = 40;
  if (digits.empty() || places < -kDecimals) return Fixed{};
  if (places > kMostPlaces) return refused();
  if (places < 0) digits.insert(0, static_cast<std::size_t>(-places), '0');
  places = std::max<std::int64_t>(places, 0);
  std::string quotient = negative ? "-0" : "0";
  Int128 rest = 0;
  // 33 decimals decide every rounding, as in Fixed::parse.
  for (std::int64_t i = 0; i < places + kDecimals; ++i) {
    const auto at = static_cast<std::size_t>(i);
    rest = rest * 10 + (at < digits.size() ? digits[at] - '0' : 0);
    if (i == places) quotient += '.';
    quotient += static_cast<char>('0' + static_cast<int>(rest / divisor));
    rest %= divisor;
  }
  Result<Fixed> result = Fixed::parse(quotient);
  constexpr std::int64_t kMost = std::int64_t{1} << (28 + Fixed::kFractionBits);
  if (!result || result->raw > kMost || result->raw < -kMost) return refused();
  return result;
}

Fixed divided(Fixed number, std::int64_t divisor) noexcept { return fixed(rounded(number.raw, divisor)); }

std::string decimal_text(Fixed number, std::int64_t factor) {
  Int128 value = Int128{number.raw} * factor;
  std::string text = value < 0 ? "-" : "";
  if (value < 0) value = -value;
  text += std::to_string(static_cast<std::int64_t>(value >> Fixed::kFractionBits));
  constexpr Int128 kMask = (Int128{1} << Fixed::kFractionBits) - 1;
  value &= kMask;
  if (value != 0) text += '.';
  for (; value != 0; value &= kMask) {
    value *= 10;
    text += static_cast<char>('0' + static_cast<int>(value >> Fixed::kFractionBits));
  }
  return text;
}

Position Turn::turned(Position p) const noexcept {
  const Int128 x = p.x.raw, y = p.y.raw;
  return {fixed(rounded(x * cosine - y * sine, kOne)), fixed(rounded(x * sine + y * cosine, kOne))};
}

Result<Rotation> rotation_of(std::string_view degrees) {
  const Result<Fixed> angle = divided(degrees, 1);
  if (!angle) return angle.status();
  const Turn turn = turn_of(angle->raw);
  std::int64_t parts = 2;
  for (int i = decimals_of(degrees); i > 0; --i) parts *= 10;
  return Rotation{turn, axis_of(turn, kRadian / parts)};
}

std::string degrees_text(Axis axis) {
  const std::int64_t a = std::abs(std::int64_t{axis.y}), b = std::abs(std::int64_t{axis.x});
  const std::int64_t small = std::min(a, b), large = std::max(a, b);
  std::int64_t low = 0, high = kRight / 2;
  // The angle whose tangent is small / large.
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const Turn turn = small_turn(middle);
    if (Int128{turn.sine} * large < Int128{turn.cosine} * small) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (a > b) low = kRight - low;
  if (axis.x < 0) low = 2 * kRight - low;
  std::string text = decimal_text({axis.y < 0 ? -low : low});
  constexpr std::size_t kDecimals = 10;
  if (const std::size_t point = text.find('.'); point != std::string::npos && text.size() > point + 1 + kDecimals)
    text.resize(point + 1 + kDecimals);
  return text;
}

Position turned_to(Axis axis, Position p) noexcept {
  const Int128 ax = axis.x, ay = axis.y, x = p.x.raw, y = p.y.raw;
  if (ay == 0 || ax == 0) {
    const int sx = ax > 0 ? 1 : ax < 0 ? -1 : 0, sy = ay > 0 ? 1 : ay < 0 ? -1 : 0;
    return {fixed(x * sx - y * sy), fixed(x * sy + y * sx)};
  }
  constexpr int kExtra = 32;
  const Int128 length = square_root((ax * ax + ay * ay) << (2 * kExtra));
  return {fixed(rounded((x * ax - y * ay) << kExtra, length)), fixed(rounded((x * ay + y * ax) << kExtra, length))};
}

Position ellipse_corner(Position half, int i) noexcept {
  const Turn turn = turn_of(std::int64_t{4 * 90} * i * (std::int64_t{1} << Fixed::kFractionBits) / kEllipseCorners);
  return {fixed(rounded(Int128{half.x.raw} * turn.cosine, kOne)), fixed(rounded(Int128{half.y.raw} * turn.sine, kOne))};
}

}  // namespace drover::io::tiled
