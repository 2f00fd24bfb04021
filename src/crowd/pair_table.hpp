// SPDX-License-Identifier: MIT
// Which pairs of steps may run at once: a table per pair of bodies, filled by exact integer arithmetic.
#pragma once
#include "crowd/agents.hpp"

#include <drover/geometry.hpp>
#include <drover/profile.hpp>

#include <cstdint>
#include <vector>

namespace drover::crowd {

/// Size and speed of an agent as the arbiter needs them.
struct Body {
  int footprint = 1;
  Fixed radius;
  Fixed speed = Fixed::from_int(1);
  friend bool operator==(const Body&, const Body&) noexcept = default;
};

/// For two bodies at a relative offset, each with a step (or staying): do they stay apart during the tick?
///
/// Discs move linearly, so the squared distance is a quadratic in time and its minimum is rational: the comparison with
/// (r1 + r2)^2 is exact. `cells` asks for a distance above zero (no exchange of places, no crossing diagonals).
class PairTable {
 public:
  explicit PairTable(BodyRule rule) noexcept : rule_(rule) {}

  BodyRule rule() const noexcept { return rule_; }
  /// Index of this body; equal bodies share one. At most 255.
  std::uint8_t add(const Body& body);
  /// Forgets all but the first so many.
  void keep(std::size_t bodies);
  const Body& body(std::uint8_t index) const noexcept { return bodies_[index]; }
  std::size_t size() const noexcept { return bodies_.size(); }

  /// `dx`, `dy`: anchor of b minus anchor of a at the start. Far offsets are clear.
  bool clear(std::uint8_t a, std::uint8_t b, int dx, int dy, std::uint8_t move_a, std::uint8_t move_b) const noexcept {
    const Table& t = tables_[a * bodies_.size() + b];
    const unsigned column = static_cast<unsigned>(dx - t.first), row = static_cast<unsigned>(dy - t.first);
    if (column >= t.side || row >= t.side) return true;
    return (t.clear[(row * t.side + column) * 9 + move_a] >> move_b) & 1;
  }
  /// Cells around a body within which another one can matter to it.
  int reach(std::uint8_t a) const noexcept { return reach_[a]; }
  /// All bodies are one cell, and only an exchange, a crossing or a following step can bring two of them together.
  bool simple() const noexcept { return simple_; }

 private:
  struct Table {
    int first = 0;
    unsigned side = 0;
    std::vector<std::uint16_t> clear;  // [row][column][move of a], bit = move of b
  };
  Table make(const Body& a, const Body& b) const;
  bool apart(const Body& a, const Body& b, int dx, int dy, int vx, int vy) const noexcept;
  void arrange(std::size_t known);
  void measure(std::size_t known);

  BodyRule rule_;
  std::vector<Body> bodies_;
  std::vector<Table> tables_;
  std::vector<int> reach_;
  bool simple_ = true;
};

}  // namespace drover::crowd
