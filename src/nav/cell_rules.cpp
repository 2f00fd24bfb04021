// SPDX-License-Identifier: MIT
// Merges the classes of a map with the rules of a profile.
#include "nav/cell_rules.hpp"

#include <algorithm>

namespace drover::nav {

CellRules CellRules::of(const MapView& map, const MovementProfile& profile) {
  CellRules rules;
  const auto classes = map.terrain_classes();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    rules.passable[i] = classes[i].passable ? 1 : 0;
    rules.cost[i] = classes[i].cost;
  }
  for (const TerrainRule& rule : profile.terrain) {
    if (rule.passable) rules.passable[rule.terrain] = *rule.passable ? 1 : 0;
    if (rule.cost) rules.cost[rule.terrain] = *rule.cost;
  }
  rules.layers = profile.layers;
  std::sort(rules.layers.begin(), rules.layers.end());
  rules.faction = profile.faction;
  rules.weights = map.has_weights();

  rules.one_cost = !rules.weights;
  bool first = true;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (rules.passable[i] == 0) continue;
    if (first) rules.common_cost = rules.cost[i];
    first = false;
    if (rules.cost[i] != rules.common_cost) rules.one_cost = false;
  }
  return rules;
}

bool CellRules::allows_layer(std::int32_t layer) const noexcept {
  return layers.empty() || std::binary_search(layers.begin(), layers.end(), layer);
}

}  // namespace drover::nav
