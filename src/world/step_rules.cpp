// SPDX-License-Identifier: MIT
// Merging edits and doors into one ascending list of rules.
#include "world/step_rules.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <iterator>

namespace drover::world {

std::uint64_t key_of(CellIndex from, Direction direction) noexcept {
  return std::uint64_t{from.value} * kDirections + static_cast<std::uint64_t>(direction);
}

namespace {

std::uint64_t key_of(const StepRule& rule) noexcept { return world::key_of(rule.from, rule.direction); }
bool less(const StepRule& a, const StepRule& b) noexcept { return key_of(a) < key_of(b); }
bool says_nothing(const StepRule& rule) noexcept { return rule.allowed && rule.extra == 0; }

// One rule a step: allowed where all allow it, extras added up. At most three: an edit, a door's step, a door's cell.
// `rules` ascend.
std::vector<StepRule> summed(std::vector<StepRule> rules) {
  std::size_t kept = 0;
  for (const StepRule& rule : rules) {
    if (kept > 0 && key_of(rules[kept - 1]) == key_of(rule)) {
      rules[kept - 1].allowed &= rule.allowed;
      rules[kept - 1].extra += rule.extra;
    } else {
      rules[kept++] = rule;
    }
  }
  rules.resize(kept);
  return rules;
}

void append_door(const GridShape& shape, const DoorDef& door, std::vector<StepRule>& rules) {
  for (const GridStep& step : door.steps) {
    if (!door.open || door.cost > 0) {
      rules.push_back({shape.index(step.from), step.direction, door.open, door.open ? door.cost : 0});
    }
  }
  if (!door.open || door.cost == 0) return;
  std::vector<CellIndex> cells;
  for (const Cell& cell : door.cells) cells.push_back(shape.index(cell));
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  for (const CellIndex i : cells) {
    const Cell cell = shape.cell(i);
    for (int d = 0; d < kDirections; ++d) {
      const Cell from{cell.x - kDx[d], cell.y - kDy[d], cell.layer};
      if (shape.contains(from)) rules.push_back({shape.index(from), static_cast<Direction>(d), true, door.cost});
    }
  }
}

}  // namespace

bool is_direction(Direction d) noexcept { return static_cast<int>(d) < kDirections; }

std::string to_text(const Cell& c, const GridShape& shape) { return base::cell_text(c, shape.layers()); }

std::string to_text(const GridShape& shape) {
  std::string text = base::concat(shape.width(), "x", shape.height());
  if (shape.layers() > 1) text += base::concat("x", shape.layers());
  if (shape.origin() != Cell{}) text += base::concat(" from ", shape.origin().x, ",", shape.origin().y);
  return text;
}

Status outside(const Cell& c, const GridShape& shape) {
  return {StatusCode::edit_outside, base::concat("cell ", to_text(c, shape), " is not on the map of ", to_text(shape))};
}

Status check_edge_cost(std::uint32_t cost, const std::string& what) {
  if (cost <= kMaxEdgeCost) return {};
  return {StatusCode::cost_range, base::concat(what, cost, "; expected 0 .. ", kMaxEdgeCost)};
}

Status check_steps(const GridShape& shape, std::span<const StepEdit> edits) {
  for (const StepEdit& edit : edits) {
    if (!shape.contains(edit.step.from)) return outside(edit.step.from, shape);
    if (!is_direction(edit.step.direction)) return {StatusCode::edit, "a step without a direction"};
    if (Status status = check_edge_cost(edit.extra, "extra of a step: "); !status.ok()) return status;
  }
  return {};
}

Status check_portals(std::size_t portals, std::span<const PortalEdit> edits) {
  for (const PortalEdit& edit : edits) {
    if (edit.portal >= portals) {
      return {StatusCode::handle, base::concat("portal ", edit.portal, "; the map has ", portals)};
    }
  }
  return {};
}

std::vector<StepRule> edited_rules(std::span<const StepRule> own, const GridShape& shape,
                                   std::span<const StepEdit> edits) {
  std::vector<StepRule> net;
  net.reserve(edits.size());
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
    net.push_back({shape.index(edit->step.from), edit->step.direction, edit->allowed, edit->extra});
  }
  // Backwards and stable: of one step the last edit comes first and is the one that stays.
  const auto same = [](const StepRule& a, const StepRule& b) { return key_of(a) == key_of(b); };
  std::stable_sort(net.begin(), net.end(), less);
  net.erase(std::unique(net.begin(), net.end(), same), net.end());
  std::vector<StepRule> rules;
  rules.reserve(own.size() + net.size());
  // Takes an edit where both lists have the step.
  std::set_union(net.begin(), net.end(), own.begin(), own.end(), std::back_inserter(rules), less);
  std::erase_if(rules, says_nothing);
  return rules;
}

std::vector<StepRule> with_doors(std::span<const StepRule> before, const GridShape& shape,
                                 std::span<const DoorDef> doors) {
  std::vector<StepRule> more, rules;
  for (const DoorDef& door : doors) append_door(shape, door, more);
  std::sort(more.begin(), more.end(), less);
  rules.reserve(before.size() + more.size());
  std::merge(before.begin(), before.end(), more.begin(), more.end(), std::back_inserter(rules), less);
  return more.empty() ? rules : summed(std::move(rules));
}

std::vector<CellIndex> changed_cells(std::span<const StepRule> before, std::span<const StepRule> after) {
  std::vector<CellIndex> cells;
  for (std::size_t b = 0, a = 0; b < before.size() || a < after.size();) {
    const bool old_one = b < before.size() && (a == after.size() || key_of(before[b]) <= key_of(after[a]));
    const bool new_one = a < after.size() && (b == before.size() || key_of(after[a]) <= key_of(before[b]));
    if (!(old_one && new_one && before[b] == after[a])) cells.push_back(old_one ? before[b].from : after[a].from);
    b += old_one ? 1u : 0u;
    a += new_one ? 1u : 0u;
  }
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

}  // namespace drover::world
