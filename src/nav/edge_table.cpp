// SPDX-License-Identifier: MIT
// From rules of cells to rules of placements, in ascending order.
#include "nav/edge_table.hpp"

#include <algorithm>
#include <tuple>

namespace drover::nav {
namespace {

bool before(const StepRule& a, const StepRule& b) noexcept {
  return std::tie(a.from, a.direction) < std::tie(b.from, b.direction);
}

// Every placement that covers a rule's cell is under it.
std::vector<StepRule> rules_of_body(const MapView& map, int footprint) {
  const auto cells = map.step_rules();
  if (footprint == 1) return {cells.begin(), cells.end()};
  std::vector<StepRule> rules;
  for (const StepRule& rule : cells) {
    const Cell cell = map.shape().cell(rule.from);
    for (int dy = 0; dy < footprint; ++dy) {
      for (int dx = 0; dx < footprint; ++dx) {
        const CellIndex anchor = map.shape().index({cell.x - dx, cell.y - dy, cell.layer});
        if (anchor.valid()) rules.push_back({anchor, rule.direction, rule.allowed, rule.extra});
      }
    }
  }
  std::sort(rules.begin(), rules.end(), before);
  std::size_t kept = 0;
  for (const StepRule& rule : rules) {
    if (kept == 0 || before(rules[kept - 1], rule)) {
      rules[kept++] = rule;
      continue;
    }
    rules[kept - 1].allowed &= rule.allowed;
    rules[kept - 1].extra = std::max(rules[kept - 1].extra, rule.extra);
  }
  rules.resize(kept);
  return rules;
}

}  // namespace

std::shared_ptr<const EdgeTable> EdgeTable::of(const MapView& map, int footprint) {
  if (map.step_rules().empty()) return nullptr;
  auto table = std::make_shared<EdgeTable>();
  table->block_of_word_.assign(map.shape().padded_cells() / kWordCells, 0);
  for (const StepRule& rule : rules_of_body(map, footprint)) table->add(rule);
  return table;
}

void EdgeTable::add(const StepRule& rule) {
  const std::uint32_t bit = rule.from.value % kWordCells;
  std::uint32_t& number = block_of_word_[rule.from.value / kWordCells];
  if (number == 0) {
    number = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back({{}, 0, static_cast<std::uint32_t>(extras_.size())});
  }
  Block& block = blocks_[number];
  const auto k = static_cast<std::size_t>(rule.direction);
  if (!rule.allowed) block.forbidden[k] |= Word{1} << bit;
  any_forbidden_ |= !rule.allowed;
  if (rule.extra == 0) return;
  if ((block.dearer >> bit & 1) == 0) extras_.push_back({});
  block.dearer |= Word{1} << bit;
  extras_.back()[k] = rule.extra;
  max_extra_ = std::max(max_extra_, rule.extra);
}

}  // namespace drover::nav
