// SPDX-License-Identifier: MIT
// Dijkstra (1959) with a binary heap; shares no rule, plane or table with the other engines.
#include "field/textbook.hpp"

#include "world/obstacle_index.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace drover::field {
namespace {

constexpr Cost kFar = kInfiniteCost;
constexpr int kStepX[8] = {0, 1, 0, -1, 1, 1, -1, -1};
constexpr int kStepY[8] = {-1, 0, 1, 0, -1, 1, 1, -1};

class Textbook {
 public:
  Textbook(const MapView& map, const MovementProfile& profile)
      : map_(map), profile_(profile), width_(map.shape().width()), height_(map.shape().height()) {
    obstacles_.adopt(map);
    reach_ = world::reach_of(map.frame(), profile);
    for (const StepRule& rule : map.step_rules()) rules_[{rule.from.value, static_cast<int>(rule.direction)}] = rule;
  }

  TextbookField run(const std::vector<GoalCell>& goals) {
    const std::size_t cells = static_cast<std::size_t>(map_.shape().cell_count());
    field_.costs.assign(cells, kFar);
    hops_.assign(cells, 0);
    stand_.resize(cells);
    price_.resize(cells);
    for_each_cell([this](int x, int y, int layer) {
      stand_[number(x, y, layer)] = fits(x, y, layer) ? 1 : 0;
      price_[number(x, y, layer)] = stand_[number(x, y, layer)] != 0 ? price(x, y, layer) : 0;
    });
    spread(goals);
    field_.codes.resize(cells);
    field_.ties.resize(cells);
    for_each_cell([this](int x, int y, int layer) { judge(x, y, layer); });
    for (const GoalCell& goal : goals) {
      field_.codes[number(goal.cell)] = FlowField::kGoalCode;
      field_.ties[number(goal.cell)] = 0;
    }
    judge_portals();
    return std::move(field_);
  }

 private:
  struct Entry {
    Cost cost;
    std::uint32_t hops;
    int x, y, layer;
    bool operator>(const Entry& o) const { return std::tie(cost, hops) > std::tie(o.cost, o.hops); }
  };

  template <class Body>
  void for_each_cell(Body&& body) {
    for (int layer = 0; layer < map_.shape().layers(); ++layer) {
      for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) body(x, y, layer);
      }
    }
  }
  bool inside(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  std::size_t number(int x, int y, int layer) const {
    return (static_cast<std::size_t>(layer) * static_cast<std::size_t>(height_) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }
  std::size_t number(Cell c) const {
    const Cell origin = map_.shape().origin();
    return number(c.x - origin.x, c.y - origin.y, c.layer);
  }
  CellIndex index(int x, int y, int layer) const { return {map_.shape().at(x, y, layer)}; }

  bool free(int x, int y, int layer) const {
    if (!inside(x, y)) return false;
    const std::vector<std::int32_t>& layers = profile_.layers;
    if (!layers.empty() && std::find(layers.begin(), layers.end(), layer) == layers.end()) return false;
    const CellIndex i = index(x, y, layer);
    if (map_.unknown(i, profile_.faction) || map_.door_closed(i)) return false;
    const TerrainId terrain = map_.terrain(i);
    bool passable = map_.terrain_classes()[terrain].passable;
    for (const TerrainRule& rule : profile_.terrain) {
      if (rule.terrain == terrain && rule.passable) passable = *rule.passable;
    }
    return passable;
  }
  bool fits(int x, int y, int layer) const {
    for (int dy = 0; dy < profile_.footprint; ++dy) {
      for (int dx = 0; dx < profile_.footprint; ++dx) {
        if (!free(x + dx, y + dy, layer)) return false;
      }
    }
    return !obstacles_.takes(x, y, layer, profile_.footprint, reach_);
  }
  std::uint32_t price_of_cell(CellIndex i) const {
    if (map_.has_weights()) return map_.weight(i);
    std::uint32_t cost = map_.terrain_classes()[map_.terrain(i)].cost;
    for (const TerrainRule& rule : profile_.terrain) {
      if (rule.terrain == map_.terrain(i) && rule.cost) cost = *rule.cost;
    }
    return cost;
  }
  std::uint32_t price(int x, int y, int layer) const {
    std::uint32_t dearest = 0;
    for (int dy = 0; dy < profile_.footprint; ++dy) {
      for (int dx = 0; dx < profile_.footprint; ++dx)
        dearest = std::max(dearest, price_of_cell(index(x + dx, y + dy, layer)));
    }
    return dearest;
  }

  bool stands(int x, int y, int layer) const { return inside(x, y) && stand_[number(x, y, layer)] != 0; }

  bool legal(int x, int y, int layer, int k) const {
    if (k >= 4 && profile_.moves != Moves::eight) return false;
    const int to_x = x + kStepX[k], to_y = y + kStepY[k];
    if (!stands(x, y, layer) || !stands(to_x, to_y, layer)) return false;
    for (int i = 0; !rules_.empty() && i < profile_.footprint * profile_.footprint; ++i) {
      if (!rule(x + i % profile_.footprint, y + i / profile_.footprint, layer, k).allowed) return false;
    }
    if (k < 4) return true;
    const int sides = (stands(to_x, y, layer) ? 1 : 0) + (stands(x, to_y, layer) ? 1 : 0);
    switch (profile_.corner) {
      case CornerRule::strict:
        return sides == 2;
      case CornerRule::one_free:
        return sides >= 1;
      case CornerRule::none:
        return true;
    }
    return false;
  }

  StepRule rule(int x, int y, int layer, int k) const {
    const auto found = rules_.find({index(x, y, layer).value, k});
    return found == rules_.end() ? StepRule{} : found->second;
  }

  std::int64_t stands_at(int x, int y, int layer) const {
    std::int64_t highest = map_.height(index(x, y, layer));
    for (int i = 1; i < profile_.footprint * profile_.footprint; ++i) {
      const CellIndex below = index(x + i % profile_.footprint, y + i / profile_.footprint, layer);
      highest = std::max<std::int64_t>(highest, map_.height(below));
    }
    return highest;
  }

  // The step k that ends at (to_x, to_y).
  Cost step(int to_x, int to_y, int layer, int k) const {
    const StepCosts base = step_costs(profile_.costs);
    const int x = to_x - kStepX[k], y = to_y - kStepY[k];
    Cost cost = Cost{k < 4 ? base.straight : base.diagonal} * price_[number(to_x, to_y, layer)];
    Cost extra = 0;
    for (int i = 0; !rules_.empty() && i < profile_.footprint * profile_.footprint; ++i) {
      extra = std::max<Cost>(extra, rule(x + i % profile_.footprint, y + i / profile_.footprint, layer, k).extra);
    }
    if (map_.has_heights()) {
      const std::int64_t climb = stands_at(to_x, to_y, layer) - stands_at(x, y, layer);
      cost += climb > 0 ? Cost{map_.slope().up} * static_cast<Cost>(climb)
                        : Cost{map_.slope().down} * static_cast<Cost>(-climb);
    }
    return cost + extra;
  }

  bool usable(const PortalDef& portal) const {
    return portal.open && stand_[number(portal.from)] != 0 && stand_[number(portal.to)] != 0;
  }

  void spread(const std::vector<GoalCell>& goals) {
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
    const Cell origin = map_.shape().origin();
    for (const GoalCell& goal : goals) {
      relax(open, {goal.offset, 0, goal.cell.x - origin.x, goal.cell.y - origin.y, goal.cell.layer});
    }
    while (!open.empty()) {
      const Entry e = open.top();
      open.pop();
      ++field_.pops;
      const std::size_t n = number(e.x, e.y, e.layer);
      if (std::tie(e.cost, e.hops) > std::tie(field_.costs[n], hops_[n])) continue;
      ++field_.reached;
      field_.last_cost = e.cost;
      for (int k = 0; k < 8; ++k) {
        // The wave runs against the steps: from u, whose step k leads to this cell.
        const int u_x = e.x - kStepX[k], u_y = e.y - kStepY[k];
        if (inside(u_x, u_y) && legal(u_x, u_y, e.layer, k)) {
          relax(open, {e.cost + step(e.x, e.y, e.layer, k), e.hops + 1, u_x, u_y, e.layer});
        }
      }
      for (const PortalDef& portal : map_.portals()) {
        if (!usable(portal) || number(portal.to) != n) continue;
        const Cell from = portal.from;
        relax(open, {e.cost + portal.cost, e.hops + 1, from.x - origin.x, from.y - origin.y, from.layer});
      }
    }
  }

  template <class Queue>
  void relax(Queue& open, const Entry& e) {
    const std::size_t n = number(e.x, e.y, e.layer);
    if (std::tie(e.cost, e.hops) >= std::tie(field_.costs[n], hops_[n])) return;
    field_.costs[n] = e.cost;
    hops_[n] = e.hops;
    open.push(e);
  }

  void judge(int x, int y, int layer) {
    const std::size_t n = number(x, y, layer);
    unsigned ties = 0;
    int first = -1;
    for (int k = 7; k >= 0 && field_.costs[n] != kFar; --k) {
      if (!legal(x, y, layer, k)) continue;
      const std::size_t to = number(x + kStepX[k], y + kStepY[k], layer);
      if (field_.costs[to] == kFar ||
          field_.costs[to] + step(x + kStepX[k], y + kStepY[k], layer, k) != field_.costs[n])
        continue;
      if (std::tie(field_.costs[to], hops_[to]) >= std::tie(field_.costs[n], hops_[n])) continue;
      ties |= 1u << k;
      first = k;
    }
    field_.ties[n] = static_cast<std::uint8_t>(ties);
    field_.codes[n] = first >= 0 ? static_cast<std::uint8_t>(first) : state(x, y, layer);
  }

  void judge_portals() {
    const auto portals = map_.portals();
    for (std::uint32_t i = 0; i < portals.size(); ++i) {
      if (!usable(portals[i])) continue;
      const std::size_t n = number(portals[i].from), to = number(portals[i].to);
      if (field_.costs[to] == kFar || field_.costs[to] + portals[i].cost != field_.costs[n]) continue;
      if (std::tie(field_.costs[to], hops_[to]) >= std::tie(field_.costs[n], hops_[n])) continue;
      if (field_.codes[n] == FlowField::kGoalCode) continue;
      if (field_.ties[n] == 0) field_.codes[n] = FlowField::kPortalCode;
      field_.portals.push_back({map_.shape().index(portals[i].from), {i, map_.shape().index(portals[i].to)}});
    }
    std::stable_sort(field_.portals.begin(), field_.portals.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  std::uint8_t state(int x, int y, int layer) const {
    if (stands(x, y, layer)) return FlowField::kUnreachableCode;
    if (map_.unknown(index(x, y, layer), profile_.faction)) return FlowField::kUnknownCode;
    return free(x, y, layer) ? FlowField::kNoRoomCode : FlowField::kBlockedCode;
  }

  const MapView& map_;
  const MovementProfile& profile_;
  int width_, height_;
  world::ObstacleIndex obstacles_;
  Fixed reach_;  // of the body, in world units
  std::map<std::pair<std::uint32_t, int>, StepRule> rules_;
  TextbookField field_;
  std::vector<std::uint32_t> hops_;
  std::vector<char> stand_;
  std::vector<std::uint32_t> price_;
};

}  // namespace

TextbookField textbook(const MapView& map, const MovementProfile& profile, const std::vector<GoalCell>& goals) {
  return Textbook(map, profile).run(goals);
}

}  // namespace drover::field
