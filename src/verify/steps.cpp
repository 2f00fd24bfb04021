// SPDX-License-Identifier: MIT
// Rules of cells first, then what they mean for a body that covers several.
#include "verify/steps.hpp"

#include <algorithm>

namespace drover::verify {

namespace {

constexpr int kDiagonals = 4;  // directions from here on

template <class Rule, class Join>
void join_equal(std::vector<Rule>& rules, Join join) {
  std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.step < b.step; });
  std::size_t kept = 0;
  for (const Rule& rule : rules) {
    if (kept > 0 && rules[kept - 1].step == rule.step)
      join(rules[kept - 1], rule);
    else
      rules[kept++] = rule;
  }
  rules.resize(kept);
}

template <class Visit>
void each_index(const GridShape& shape, Visit visit) {
  for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
    for (std::int32_t row = 0; row < shape.height(); ++row) {
      for (std::int32_t x = 0; x < shape.width(); ++x) visit(shape.at(x, row, layer));
    }
  }
}

}  // namespace

Steps::Steps(const MapView& map, const MovementProfile& profile)
    : map_(map),
      ground_(map),
      body_(profile, ground_),
      base_(step_costs(profile.costs)),
      layers_(profile.layers),
      faction_(profile.faction) {
  for (int k = 0; k < kDirections; ++k) offsets_[k] = shape().step(static_cast<Direction>(k));
  find_places(profile);
  find_rules(map);
  find_moves(profile);
  find_portals(map);
}

ClaimedState Steps::without_goal(std::uint32_t index) const noexcept {
  if (stands(index)) return ClaimedState::unreachable;
  const Placement at = ground_.placement(shape().cell({index}));
  if (!layers_.empty() && std::count(layers_.begin(), layers_.end(), static_cast<std::int32_t>(at.layer)) == 0)
    return ClaimedState::blocked;
  if (map_.unknown({index}, faction_)) return ClaimedState::unknown;
  return map_.door_closed({index}) || !body_.passes(map_.terrain({index})) ? ClaimedState::blocked
                                                                           : ClaimedState::no_room;
}

void Steps::find_places(const MovementProfile& profile) {
  const GridShape& all = shape();
  stands_.assign(all.padded_cells(), 0);
  factors_.assign(all.padded_cells(), 0);
  std::vector<std::uint32_t> price;
  for (const TerrainClass& terrain : map_.terrain_classes()) price.push_back(terrain.cost);
  for (const TerrainRule& rule : profile.terrain) {
    if (rule.cost) price[rule.terrain] = *rule.cost;
  }
  const bool slopes = map_.has_heights() && map_.slope() != SlopeCost{};
  if (slopes) heights_.assign(all.padded_cells(), 0);
  each_index(all, [&](std::uint32_t anchor) {
    if (!body_.fits(ground_, ground_.placement(all.cell({anchor})))) return;
    stands_[anchor] = 1;
    if (slopes) heights_[anchor] = map_.height({anchor});
    for (std::uint32_t y = 0; y < static_cast<std::uint32_t>(profile.footprint); ++y) {
      for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(profile.footprint); ++x) {
        const CellIndex cell{anchor + y * all.stride() + x};
        const std::uint32_t factor = map_.has_weights() ? map_.weight(cell) : price[map_.terrain(cell)];
        factors_[anchor] = std::max(factors_[anchor], factor);
        if (slopes) heights_[anchor] = std::max(heights_[anchor], map_.height(cell));
      }
    }
  });
}

// What edits and doors say of the steps of single cells: allowed where all allow it, extras added up.
std::vector<Steps::Rule> Steps::rules_of_cells(const MapView& map) const {
  std::vector<Rule> rules;
  const auto step = [](CellIndex from, int k) {
    return std::uint64_t{from.value} * kDirections + static_cast<std::uint64_t>(k);
  };
  for (const StepRule& r : map.edited_step_rules())
    rules.push_back({step(r.from, static_cast<int>(r.direction)), r.allowed, Cost{r.extra}});
  for (const DoorDef& door : map.doors()) {
    const Cost price = door.open ? door.cost : 0;
    for (const GridStep& s : door.steps)
      rules.push_back({step(shape().index(s.from), static_cast<int>(s.direction)), door.open, price});
    if (price == 0) continue;
    std::vector<CellIndex> cells;
    for (const Cell& cell : door.cells) cells.push_back(shape().index(cell));
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    for (const CellIndex cell : cells) {
      for (int k = 0; k < kDirections; ++k) rules.push_back({step({cell.value - offsets_[k]}, k), true, price});
    }
  }
  join_equal(rules, [](Rule& sum, const Rule& more) {
    sum.allowed = sum.allowed && more.allowed;
    sum.extra += more.extra;
  });
  return rules;
}

// A step that is forbidden to one covered cell is forbidden to the body; it pays the dearest extra.
void Steps::find_rules(const MapView& map) {
  const auto size = static_cast<std::uint32_t>(body_.footprint());
  for (const Rule& rule : rules_of_cells(map)) {
    const auto index = static_cast<std::uint32_t>(rule.step / kDirections);
    for (std::uint32_t y = 0; y < size; ++y) {
      for (std::uint32_t x = 0; x < size && y * shape().stride() + x <= index; ++x) {
        const std::uint32_t anchor = index - y * shape().stride() - x;
        if (stands(anchor))
          rules_.push_back({std::uint64_t{anchor} * kDirections + rule.step % kDirections, rule.allowed, rule.extra});
      }
    }
  }
  join_equal(rules_, [](Rule& worst, const Rule& more) {
    worst.allowed = worst.allowed && more.allowed;
    worst.extra = std::max(worst.extra, more.extra);
  });
}

void Steps::find_moves(const MovementProfile& profile) {
  const int sides_needed = profile.corner == CornerRule::strict ? 2 : profile.corner == CornerRule::one_free ? 1 : 0;
  moves_.assign(shape().padded_cells(), 0);
  each_index(shape(), [&](std::uint32_t from) {
    if (!stands(from)) return;
    unsigned legal = 0;
    for (unsigned k = 0; k < kDirections; ++k) {
      if (!stands(from + offsets_[k])) continue;
      const std::uint32_t beside = from + static_cast<std::uint32_t>(kDx[k]);
      const std::uint32_t above = from + offsets_[kDy[k] < 0 ? 0 : 2];
      const int sides = int{stands(beside)} + int{stands(above)};
      if (k >= kDiagonals && (profile.moves == Moves::four || sides < sides_needed)) continue;
      const Rule* const said = rule(from, k);
      if (said == nullptr || said->allowed) legal |= 1u << k;
    }
    moves_[from] = static_cast<std::uint8_t>(legal);
  });
}

void Steps::find_portals(const MapView& map) {
  std::uint32_t number = 0;
  for (const PortalDef& portal : map.portals()) {
    const std::uint32_t from = shape().index(portal.from).value, to = shape().index(portal.to).value;
    if (portal.open && stands(from) && stands(to)) {
      from_.push_back({from, number, to, portal.cost});
      to_.push_back({to, number, from, portal.cost});
    }
    ++number;
  }
  const auto before = [](const Portal& a, const Portal& b) { return a.at != b.at ? a.at < b.at : a.number < b.number; };
  std::sort(from_.begin(), from_.end(), before);
  std::sort(to_.begin(), to_.end(), before);
}

const Steps::Rule* Steps::rule(std::uint32_t from, unsigned k) const noexcept {
  if (rules_.empty()) return nullptr;
  const std::uint64_t step = std::uint64_t{from} * kDirections + k;
  const auto found =
      std::lower_bound(rules_.begin(), rules_.end(), step, [](const Rule& r, std::uint64_t s) { return r.step < s; });
  return found != rules_.end() && found->step == step ? &*found : nullptr;
}

Cost Steps::cost(std::uint32_t from, unsigned k) const noexcept {
  const std::uint32_t to = from + offsets_[k];
  Cost sum = Cost{k < kDiagonals ? base_.straight : base_.diagonal} * factors_[to];
  if (!heights_.empty()) {
    const std::int64_t climb = std::int64_t{heights_[to]} - heights_[from];
    sum += climb > 0 ? map_.slope().up * static_cast<Cost>(climb) : map_.slope().down * static_cast<Cost>(-climb);
  }
  const Rule* const said = rule(from, k);
  return said == nullptr ? sum : sum + said->extra;
}

std::size_t Steps::first_of(const std::vector<Portal>& portals, std::uint32_t at) noexcept {
  const auto first = std::lower_bound(portals.begin(), portals.end(), at,
                                      [](const Portal& p, std::uint32_t index) { return p.at < index; });
  return static_cast<std::size_t>(first - portals.begin());
}

}  // namespace drover::verify
