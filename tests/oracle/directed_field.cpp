// SPDX-License-Identifier: MIT
// Edges cell by cell from the rules, then labels (cost, hops) over a list of edges that enter each cell.
#include "oracle/directed_field.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace drover::oracle {
namespace {

constexpr int kStepX[8] = {0, 1, 0, -1, 1, 1, -1, -1};
constexpr int kStepY[8] = {-1, 0, 1, 0, -1, 1, 1, -1};

class Edges {
 public:
  Edges(const Ground& ground, const Body& body, const Directed& directed)
      : g_(ground), b_(body), d_(directed), said_(ground.cells.size() * 8) {
    for (const StepRuleHere& rule : d_.rules) {
      Said& said = said_[rule.cell * 8 + static_cast<std::size_t>(rule.k)];
      said.allowed = said.allowed && rule.allowed;
      said.extra += rule.extra;
    }
  }

  std::vector<Edge> all() const {
    std::vector<Edge> edges;
    for (int layer = 0; layer < g_.layers; ++layer) {
      for (int y = 0; y < g_.height; ++y) {
        for (int x = 0; x < g_.width; ++x) leaving(x, y, layer, edges);
      }
    }
    return edges;
  }

 private:
  struct Said {
    bool allowed = true;
    std::uint64_t extra = 0;
  };
  const Said& said(int x, int y, int layer, int k) const {
    return said_[g_.at(x, y, layer) * 8 + static_cast<std::size_t>(k)];
  }
  bool stands(int x, int y, int layer) const { return fits(g_, b_, x, y, layer); }
  bool stands(std::size_t cell) const {
    const int n = static_cast<int>(cell);
    return stands(n % g_.width, n / g_.width % g_.height, n / g_.width / g_.height);
  }

  void leaving(int x, int y, int layer, std::vector<Edge>& edges) const {
    if (!stands(x, y, layer)) return;
    const std::size_t here = g_.at(x, y, layer);
    for (int k = 0; k < (b_.eight ? 8 : 4); ++k) {
      const int to_x = x + kStepX[k], to_y = y + kStepY[k];
      if (!stands(to_x, to_y, layer)) continue;
      const int sides = int{stands(to_x, y, layer)} + int{stands(x, to_y, layer)};
      if (k >= 4 && sides < b_.sides_needed) continue;
      if (!allowed(x, y, layer, k)) continue;
      const std::uint64_t base = k < 4 ? b_.straight : b_.diagonal;
      edges.push_back({here, g_.at(to_x, to_y, layer),
                       base * dearest_factor(to_x, to_y, layer) + slope(x, y, layer, k) + extra(x, y, layer, k),
                       static_cast<std::size_t>(k)});
    }
    for (std::size_t i = 0; i < d_.portals.size(); ++i) {
      const PortalHere& p = d_.portals[i];
      if (p.open && p.from == here && stands(p.to)) edges.push_back({here, p.to, p.cost, 8 + i});
    }
  }

  template <class Of>
  auto most(int x, int y, Of&& of) const {
    auto result = of(x, y);
    for (int dy = 0; dy < b_.size; ++dy) {
      for (int dx = 0; dx < b_.size; ++dx) result = std::max(result, of(x + dx, y + dy));
    }
    return result;
  }
  std::uint64_t dearest_factor(int x, int y, int layer) const {
    return most(x, y, [&](int cx, int cy) { return std::uint64_t{g_.factor[g_.at(cx, cy, layer)]}; });
  }
  // A body stands as high as the highest cell below it.
  std::int64_t stands_at(int x, int y, int layer) const {
    return most(x, y, [&](int cx, int cy) { return d_.height[g_.at(cx, cy, layer)]; });
  }
  std::uint64_t slope(int x, int y, int layer, int k) const {
    if (d_.height.empty()) return 0;
    const std::int64_t climb = stands_at(x + kStepX[k], y + kStepY[k], layer) - stands_at(x, y, layer);
    return climb > 0 ? d_.up * static_cast<std::uint64_t>(climb) : d_.down * static_cast<std::uint64_t>(-climb);
  }
  // What is forbidden to any cell of the body is forbidden to the body; it pays the dearest extra.
  bool allowed(int x, int y, int layer, int k) const {
    return !most(x, y, [&](int cx, int cy) { return !said(cx, cy, layer, k).allowed; });
  }
  std::uint64_t extra(int x, int y, int layer, int k) const {
    return most(x, y, [&](int cx, int cy) {
      std::uint64_t sum = said(cx, cy, layer, k).extra;
      if (!d_.price.empty()) sum += d_.price[g_.at(cx + kStepX[k], cy + kStepY[k], layer)];
      return sum;
    });
  }

  const Ground& g_;
  const Body& b_;
  const Directed& d_;
  std::vector<Said> said_;
};

using Label = std::pair<std::uint64_t, std::uint32_t>;  // cost, hops

std::vector<Label> labels_of(const std::vector<Edge>& edges, std::size_t cells, const Ground& ground,
                             const std::vector<Target>& targets) {
  std::vector<std::vector<Edge>> entering(cells);
  for (const Edge& e : edges) entering[e.to].push_back(e);
  std::vector<Label> label(cells, {kNever, ~0u});
  std::set<std::pair<Label, std::size_t>> waiting;
  const auto lower = [&](std::size_t cell, Label to) {
    if (to >= label[cell]) return;
    waiting.erase({label[cell], cell});
    label[cell] = to;
    waiting.insert({to, cell});
  };
  for (const Target& t : targets) lower(ground.at(t.x, t.y, t.layer), {t.offset, 0});
  while (!waiting.empty()) {
    const auto [at, cell] = *waiting.begin();
    waiting.erase(waiting.begin());
    for (const Edge& e : entering[cell]) lower(e.from, {at.first + e.cost, at.second + 1});
  }
  return label;
}

}  // namespace

std::vector<Edge> edges_of(const Ground& ground, const Body& body, const Directed& directed) {
  return Edges(ground, body, directed).all();
}

DirectedReference directed_field(const Ground& ground, const Body& body, const Directed& directed,
                                 const std::vector<Target>& targets) {
  const std::vector<Edge> edges = edges_of(ground, body, directed);
  const std::size_t cells = ground.cells.size();
  const std::vector<Label> label = labels_of(edges, cells, ground, targets);
  DirectedReference r;
  r.ties.assign(cells, 0);
  r.portals.resize(cells);
  std::vector<std::size_t> next(cells, ~std::size_t{0});
  for (std::size_t i = 0; i < cells; ++i) {
    r.cost.push_back(label[i].first);
    r.hops.push_back(label[i].second);
    const int n = static_cast<int>(i);
    const bool room =
        fits(ground, body, n % ground.width, n / ground.width % ground.height, n / ground.width / ground.height);
    r.letters += room ? 'x' : ground.cells[i] == '.' ? 'o' : ground.cells[i];
  }
  for (const Edge& e : edges) {
    const bool explains = label[e.to].first != kNever && label[e.to].first + e.cost == label[e.from].first;
    if (!explains || label[e.to] >= label[e.from]) continue;
    if (r.letters[e.from] == 'x') {
      r.letters[e.from] = e.way < 8 ? static_cast<char>('0' + e.way) : 'P';
      next[e.from] = e.to;
    }
    if (e.way < 8)
      r.ties[e.from] = static_cast<std::uint8_t>(r.ties[e.from] | 1u << e.way);
    else
      r.portals[e.from].push_back(static_cast<std::uint32_t>(e.way - 8));
  }
  r.goal_of.assign(cells, ~0u);
  for (std::uint32_t i = 0; i < targets.size(); ++i) {
    const std::size_t cell = ground.at(targets[i].x, targets[i].y, targets[i].layer);
    r.letters[cell] = 'G';
    r.ties[cell] = 0;
    r.portals[cell].clear();
    next[cell] = ~std::size_t{0};
    if (r.goal_of[cell] == ~0u || targets[i].offset < targets[r.goal_of[cell]].offset) r.goal_of[cell] = i;
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::size_t at = cell;
    while (next[at] != ~std::size_t{0}) at = next[at];
    if (r.letters[at] == 'G') r.goal_of[cell] = r.goal_of[at];
  }
  return r;
}

}  // namespace drover::oracle
