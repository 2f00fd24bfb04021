// SPDX-License-Identifier: MIT
// Clipping as by Liang and Barsky (ACM Transactions on Graphics, 1984), with fractions.
#include "oracle/sight.hpp"

#include <algorithm>

namespace drover::oracle {
namespace {

struct Fraction {
  long long top = 0, bottom = 1;  // bottom above 0
  bool operator<(const Fraction& o) const { return top * o.bottom < o.top * bottom; }
};

Fraction fraction(long long top, long long bottom) {
  return bottom < 0 ? Fraction{-top, -bottom} : Fraction{top, bottom};
}

// The part of 0 .. 1 in which start + t x way lies strictly between centre - 1/2 and centre + 1/2; false: none.
bool clip(long long start, long long way, long long centre, Fraction& low, Fraction& high) {
  const long long near = 2 * (centre - start) - 1, far = near + 2;
  if (way == 0) return near < 0 && far > 0;
  Fraction enter = fraction(near, 2 * way), leave = fraction(far, 2 * way);
  if (leave < enter) std::swap(enter, leave);
  low = std::max(low, enter);
  high = std::min(high, leave);
  return low < high;
}

}  // namespace

bool clear_line(const Ground& ground, int layer, int from_x, int from_y, int to_x, int to_y) {
  for (int y = std::min(from_y, to_y); y <= std::max(from_y, to_y); ++y) {
    for (int x = std::min(from_x, to_x); x <= std::max(from_x, to_x); ++x) {
      const bool end = (x == from_x && y == from_y) || (x == to_x && y == to_y);
      if (end || ground.cells[ground.at(x, y, layer)] == '.') continue;
      Fraction low{0, 1}, high{1, 1};
      if (clip(from_x, to_x - from_x, x, low, high) && clip(from_y, to_y - from_y, y, low, high)) return false;
    }
  }
  return true;
}

}  // namespace drover::oracle
