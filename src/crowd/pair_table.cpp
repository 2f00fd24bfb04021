// SPDX-License-Identifier: MIT
// Filling the table of compatible steps.
#include "crowd/pair_table.hpp"

#include <algorithm>
#include <cstdlib>

namespace drover::crowd {
namespace {

__extension__ using Wide = __int128;

int step_x(int move) { return move < kDirections ? kDx[move] : 0; }
int step_y(int move) { return move < kDirections ? kDy[move] : 0; }

bool share_cells(const Body& a, const Body& b, int dx, int dy) {
  return dx < a.footprint && dx > -b.footprint && dy < a.footprint && dy > -b.footprint;
}

}  // namespace

// Works in half cells: the middle of a k x k body lies at anchor + k / 2.
bool PairTable::apart(const Body& a, const Body& b, int dx, int dy, int vx, int vy) const noexcept {
  const std::int64_t ox = 2 * dx + b.footprint - a.footprint, oy = 2 * dy + b.footprint - a.footprint;
  const std::int64_t wx = 2 * vx, wy = 2 * vy;
  const std::int64_t along = -(ox * wx + oy * wy), speed2 = wx * wx + wy * wy;
  // Least squared distance as a fraction numerator / denominator, in half cells squared.
  Wide numerator = Wide{ox} * ox + Wide{oy} * oy, denominator = 1;
  if (along >= speed2) {
    numerator = Wide{ox + wx} * (ox + wx) + Wide{oy + wy} * (oy + wy);
  } else if (along > 0) {
    const Wide cross = Wide{ox} * wy - Wide{oy} * wx;
    numerator = cross * cross;
    denominator = speed2;
  }
  if (rule_ == BodyRule::cells) return numerator > 0;
  // 32 fraction bits of the radius, one more for half cells: both sides scaled by 2^64.
  const Wide radii = 2 * (Wide{a.radius.raw} + b.radius.raw);
  return (numerator << 64) >= radii * radii * denominator;
}

PairTable::Table PairTable::make(const Body& a, const Body& b) const {
  // Two discs of at most half a footprint that both move one cell cannot meet from farther away than this.
  Table t;
  const int far = std::max(a.footprint, b.footprint) + 2;
  t.first = -far;
  t.side = static_cast<unsigned>(2 * far + 1);
  t.clear.assign(std::size_t{t.side} * t.side * 9, 0);
  for (int dy = -far; dy <= far; ++dy)
    for (int dx = -far; dx <= far; ++dx)
      for (int i = 0; i <= kStay; ++i) {
        std::uint16_t bits = 0;
        for (int j = 0; j <= kStay; ++j) {
          const bool exchange =
              share_cells(a, b, dx - step_x(i), dy - step_y(i)) && share_cells(a, b, dx + step_x(j), dy + step_y(j));
          if (rule_ == BodyRule::cells && exchange) continue;
          if (apart(a, b, dx, dy, step_x(j) - step_x(i), step_y(j) - step_y(i)))
            bits = static_cast<std::uint16_t>(bits | 1 << j);
        }
        t.clear[(static_cast<std::size_t>(dy + far) * t.side + static_cast<std::size_t>(dx + far)) * 9 +
                static_cast<std::size_t>(i)] = bits;
      }
  return t;
}

std::uint8_t PairTable::add(const Body& body) {
  const auto found = std::find(bodies_.begin(), bodies_.end(), body);
  if (found != bodies_.end()) return static_cast<std::uint8_t>(found - bodies_.begin());
  const std::size_t known = bodies_.size();
  bodies_.push_back(body);
  arrange(known);
  return static_cast<std::uint8_t>(known);
}

void PairTable::keep(std::size_t bodies) {
  if (bodies >= bodies_.size()) return;
  bodies_.resize(bodies);
  tables_.clear();
  arrange(0);
}

// Tables of the first `known` bodies stay, those of the others are made.
void PairTable::arrange(std::size_t known) {
  std::vector<Table> tables;
  tables.reserve(bodies_.size() * bodies_.size());
  for (std::size_t a = 0; a < bodies_.size(); ++a)
    for (std::size_t b = 0; b < bodies_.size(); ++b)
      tables.push_back(a < known && b < known ? std::move(tables_[a * known + b]) : make(bodies_[a], bodies_[b]));
  tables_ = std::move(tables);
  measure(known);
}

// reach: the largest gap at which two bodies whose cells are apart at both ends of the tick still meet on the way.
void PairTable::measure(std::size_t known) {
  reach_.resize(known);
  reach_.resize(bodies_.size(), 1);
  if (known == 0) simple_ = true;
  for (std::size_t a = 0; a < bodies_.size(); ++a)
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (a < known && b < known) continue;
      const Body &body_a = bodies_[a], &body_b = bodies_[b];
      if (body_a.footprint != 1 || body_b.footprint != 1) simple_ = false;
      // Passing at 1 / sqrt 2 or closer is what following round a right angle comes to.
      if (rule_ == BodyRule::discs) {
        const Wide radii = Wide{body_a.radius.raw} + body_b.radius.raw;
        if (2 * radii * radii > (Wide{1} << 64)) simple_ = false;
      }
      const int far = -tables_[a * bodies_.size() + b].first;
      for (int dy = -far; dy <= far; ++dy)
        for (int dx = -far; dx <= far; ++dx) {
          if (share_cells(body_a, body_b, dx, dy)) continue;
          const int gap_x = dx >= 0 ? dx - body_a.footprint + 1 : -dx - body_b.footprint + 1;
          const int gap_y = dy >= 0 ? dy - body_a.footprint + 1 : -dy - body_b.footprint + 1;
          for (int i = 0; i <= kStay; ++i)
            for (int j = 0; j <= kStay; ++j) {
              const int ex = dx + step_x(j) - step_x(i), ey = dy + step_y(j) - step_y(i);
              if (share_cells(body_a, body_b, ex, ey)) continue;
              if (!clear(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), dx, dy,
                         static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)))
                reach_[a] = std::max(reach_[a], std::max(gap_x, gap_y));
            }
        }
    }
}

}  // namespace drover::crowd
