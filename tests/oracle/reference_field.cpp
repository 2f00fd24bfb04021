// SPDX-License-Identifier: MIT
// Label setting over an ordered set, then every rule of the contract asked of each cell by itself.
#include "oracle/reference_field.hpp"

#include <set>
#include <utility>

namespace drover::oracle {
namespace {

struct Move {
  int dx, dy;
};
constexpr Move kOrder[8] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};

using Label = std::pair<std::uint64_t, std::uint32_t>;  // cost, hops

class Solver {
 public:
  Solver(const Ground& ground, const Body& body) : g_(ground), b_(body), label_(ground.cells.size(), {kNever, ~0u}) {}

  Reference solve(const std::vector<Target>& targets) {
    for (const Target& t : targets) lower(g_.at(t.x, t.y, t.layer), {t.offset, 0});
    while (!waiting_.empty()) {
      const auto [label, cell] = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      expand(cell, label);
    }
    Reference r;
    for (std::size_t i = 0; i < label_.size(); ++i) {
      r.cost.push_back(label_[i].first);
      r.hops.push_back(label_[i].second);
      r.ties.push_back(ties_of(i));
      r.letters.push_back(letter_of(i, r.ties.back()));
    }
    name_goals(r, targets);
    return r;
  }

 private:
  int x_of(std::size_t i) const { return static_cast<int>(i) % g_.width; }
  int y_of(std::size_t i) const { return static_cast<int>(i) / g_.width % g_.height; }
  int layer_of(std::size_t i) const { return static_cast<int>(i) / g_.width / g_.height; }

  void lower(std::size_t cell, Label label) {
    if (label >= label_[cell]) return;
    waiting_.erase({label_[cell], cell});
    label_[cell] = label;
    waiting_.insert({label, cell});
  }

  bool may_step(int x, int y, int layer, const Move& m) const {
    if (!fits(g_, b_, x, y, layer) || !fits(g_, b_, x + m.dx, y + m.dy, layer)) return false;
    if (m.dx == 0 || m.dy == 0) return true;
    if (!b_.eight) return false;
    const int sides = int{fits(g_, b_, x + m.dx, y, layer)} + int{fits(g_, b_, x, y + m.dy, layer)};
    return sides >= b_.sides_needed;
  }

  // The dearest cell under the body decides.
  std::uint64_t step_cost(int to_x, int to_y, int layer, const Move& m) const {
    std::uint64_t factor = 0;
    for (int y = to_y; y < to_y + b_.size; ++y) {
      for (int x = to_x; x < to_x + b_.size; ++x) {
        const std::uint64_t here = g_.factor[g_.at(x, y, layer)];
        if (here > factor) factor = here;
      }
    }
    return factor * (m.dx != 0 && m.dy != 0 ? b_.diagonal : b_.straight);
  }

  void expand(std::size_t cell, Label label) {
    const int x = x_of(cell), y = y_of(cell), layer = layer_of(cell);
    for (const Move& m : kOrder) {
      if (!may_step(x - m.dx, y - m.dy, layer, m)) continue;
      lower(g_.at(x - m.dx, y - m.dy, layer), {label.first + step_cost(x, y, layer, m), label.second + 1});
    }
  }

  std::uint8_t ties_of(std::size_t cell) const {
    unsigned set = 0;
    if (label_[cell].first == kNever) return 0;
    for (int k = 0; k < 8; ++k) {
      const Move& m = kOrder[k];
      const int x = x_of(cell), y = y_of(cell), layer = layer_of(cell);
      if (!may_step(x, y, layer, m)) continue;
      const Label next = label_[g_.at(x + m.dx, y + m.dy, layer)];
      const bool explains = next.first + step_cost(x + m.dx, y + m.dy, layer, m) == label_[cell].first;
      if (explains && next < label_[cell]) set |= 1u << k;
    }
    return static_cast<std::uint8_t>(set);
  }

  char letter_of(std::size_t cell, std::uint8_t ties) const {
    for (int k = 0; k < 8; ++k) {
      if ((ties >> k & 1) != 0) return static_cast<char>('0' + k);
    }
    if (fits(g_, b_, x_of(cell), y_of(cell), layer_of(cell))) return 'x';
    return g_.cells[cell] == '.' ? 'o' : g_.cells[cell];
  }

  void name_goals(Reference& r, const std::vector<Target>& targets) const {
    r.goal_of.assign(label_.size(), ~0u);
    for (std::uint32_t i = 0; i < targets.size(); ++i) {
      const std::size_t cell = g_.at(targets[i].x, targets[i].y, targets[i].layer);
      r.letters[cell] = 'G';
      r.ties[cell] = 0;
      if (r.goal_of[cell] == ~0u || targets[i].offset < targets[r.goal_of[cell]].offset) r.goal_of[cell] = i;
    }
    for (std::size_t cell = 0; cell < label_.size(); ++cell) {
      std::size_t at = cell;
      while (r.letters[at] >= '0' && r.letters[at] <= '7') {
        const Move& m = kOrder[r.letters[at] - '0'];
        at = g_.at(x_of(at) + m.dx, y_of(at) + m.dy, layer_of(at));
      }
      if (r.letters[at] == 'G') r.goal_of[cell] = r.goal_of[at];
    }
  }

  const Ground& g_;
  const Body& b_;
  std::vector<Label> label_;
  std::set<std::pair<Label, std::size_t>> waiting_;
};

}  // namespace

bool fits(const Ground& ground, const Body& body, int x, int y, int layer) {
  if (x < 0 || y < 0 || x + body.size > ground.width || y + body.size > ground.height) return false;
  for (int dy = 0; dy < body.size; ++dy) {
    for (int dx = 0; dx < body.size; ++dx) {
      if (ground.cells[ground.at(x + dx, y + dy, layer)] != '.') return false;
    }
  }
  return true;
}

Reference reference_field(const Ground& ground, const Body& body, const std::vector<Target>& targets) {
  return Solver(ground, body).solve(targets);
}

}  // namespace drover::oracle
