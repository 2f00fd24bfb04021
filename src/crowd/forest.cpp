// SPDX-License-Identifier: MIT
// Rules of queues, crossings.
#include "crowd/forest.hpp"

#include <algorithm>

namespace drover::crowd {

ForestRules ForestRules::of(const PairTable& table, std::uint8_t body, Following following) {
  ForestRules rules;
  rules.may_follow.fill(0xFF);
  if (!table.simple()) rules.directions = 0x0F;
  if (!table.simple() || following == Following::forbidden) {
    rules.spacing = 2;
    return rules;
  }
  for (std::uint8_t own = 0; own < kDirections; ++own) {
    rules.may_follow[own] = 0;
    for (std::uint8_t leader = 0; leader < kDirections; ++leader)
      if (table.clear(body, body, kDx[own], kDy[own], own, leader))
        rules.may_follow[own] = static_cast<std::uint8_t>(rules.may_follow[own] | 1u << leader);
  }
  return rules;
}

ForestGround::ForestGround(std::shared_ptr<const nav::CompiledGraph> graph_in, std::vector<std::uint32_t> gates_in,
                           ForestRules rules_in)
    : graph(std::move(graph_in)), gates(std::move(gates_in)), rules(rules_in) {
  for (int d = 0; d < kDirections; ++d)
    steps[static_cast<std::size_t>(d)] = graph->shape().step(static_cast<Direction>(d));
}

bool ForestGround::crosses(const ForestCell* cells, std::uint32_t from, std::uint8_t step) const noexcept {
  if (step < 4) return false;
  // NE, SE, SW, NW: the straight neighbours that span the block, and the diagonals between them.
  static constexpr std::uint8_t kAcross[] = {1, 1, 3, 3}, kAlong[] = {0, 2, 2, 0};
  const std::uint8_t across_back = static_cast<std::uint8_t>(11 - step), along_back = step ^ 1;
  return cells[from + steps[kAcross[step - 4]]].step == across_back ||
         cells[from + steps[kAlong[step - 4]]].step == along_back;
}

void ForestDraft::clear(const ForestGround& ground) {
  cells.assign(ground.cells(), ForestCell{});
  finish.assign(ground.gates.size(), 0);
  forecast = {};
  left_out = 0;
  for (std::size_t g = 0; g < ground.gates.size(); ++g) cells[ground.gates[g]].tree = static_cast<std::uint16_t>(g);
}

}  // namespace drover::crowd
