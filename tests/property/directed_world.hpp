// SPDX-License-Identifier: MIT
// Random worlds with one-ways, extras, slopes, portals and doors, made once for the library and once for the oracle.
#pragma once
#include "oracle/directed_field.hpp"
#include "property/field_world.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace drover::test {

/// What a directed world has beside its ground; percentages of steps or cells, counts of the rest.
struct EdgePlan {
  int forbidden_percent = 0, dearer_percent = 0, portals = 0, doors = 0, edits = 0;
  std::uint32_t most_extra = 20, most_portal = 60;
  int most_height = 0;
};

/// A world and its directed structure, once for the library and once for the oracle.
class DirectedWorld {
 public:
  DirectedWorld(const WorldPlan& plan, const EdgePlan& edges)
      : plan_(plan), edges_(edges), draw_(plan.seed ^ 0xd1ec7ed) {
    world_ = World::make(plan);
    ground_ = world_.ground.cells;
    add_rules();
    add_heights();
    for (int i = 0; i < edges_.portals; ++i) add_portal();
    for (int i = 0; i < edges_.doors; ++i) add_door();
    finish();
  }

  const World& world() const { return world_; }
  const oracle::Directed& directed() const { return directed_; }
  MapView view() const { return world_.map->view(); }
  GoalDef goal() const { return world_.goal; }

  /// One random batch; what it changed.
  std::vector<CellIndex> edit() {
    MapEdit edit;
    for (int i = draw_.below(4); i > 0; --i) edit.steps.push_back(random_rule());
    for (std::size_t i = 0; i < portals_.size(); ++i) {
      if (draw_.percent(20)) edit.portals.push_back({static_cast<std::uint32_t>(i), draw_.percent(50)});
    }
    for (std::size_t i = 0; i < doors_.size(); ++i) {
      if (!draw_.percent(40)) continue;
      const bool open = draw_.percent(60);
      edit.doors.push_back({static_cast<std::uint32_t>(i), open ? DoorState::open : DoorState::closed,
                            static_cast<std::uint32_t>(draw_.below(2) * draw_.below(30))});
    }
    if (draw_.percent(50)) {
      const std::size_t cell = any_cell();
      ground_[cell] = draw_.percent(50) ? '#' : '.';
      edit.cells.push_back({place(cell), CellChange::terrain, ground_[cell] == '#' ? kWall : kFloor});
    }
    if (plan_.factions > 0 && draw_.percent(50)) edit.cells.push_back(random_fog());
    for (const StepEdit& rule : edit.steps) note(rule);
    for (const PortalEdit& portal : edit.portals) portals_[portal.portal].open = portal.open;
    for (const DoorEdit& door : edit.doors) {
      doors_[door.door].open = door.state == DoorState::open;
      doors_[door.door].cost = door.cost;
    }
    const Result<EditReport> report = world_.map->apply(edit);
    EXPECT_TRUE(report.ok()) << report.status().message();
    finish();
    return report->dirty;
  }

 private:
  std::size_t any_cell() { return static_cast<std::size_t>(draw_.below(static_cast<int>(ground_.size()))); }
  Cell place(std::size_t cell) const {
    const int n = static_cast<int>(cell);
    const Cell origin = world_.map->shape().origin();
    return {origin.x + n % plan_.width, origin.y + n / plan_.width % plan_.height, n / plan_.width / plan_.height};
  }
  std::size_t number(Cell c) const {
    const Cell origin = world_.map->shape().origin();
    return world_.ground.at(c.x - origin.x, c.y - origin.y, c.layer);
  }
  std::uint32_t up_to(std::uint32_t most) {
    return static_cast<std::uint32_t>(draw_.next() % (std::uint64_t{most} + 1));
  }

  // Below every '?' is floor.
  CellEdit random_fog() {
    const std::size_t cell = any_cell();
    const auto own = world_.profile.faction, any = static_cast<FactionId>(draw_.below(plan_.factions));
    if (any != own && ground_[cell] != '?')
      return {place(cell), draw_.percent(50) ? CellChange::unknown : CellChange::known, kFloor, any};
    if (ground_[cell] == '#') return {place(cell), CellChange::known, kFloor, own};
    const bool hides = ground_[cell] == '.';
    ground_[cell] = hides ? '?' : '.';
    return {place(cell), hides ? CellChange::unknown : CellChange::known, kFloor, draw_.percent(50) ? own : kEveryone};
  }

  StepEdit random_rule() {
    const bool allowed = !draw_.percent(40);
    return {{place(any_cell()), static_cast<Direction>(draw_.below(8))}, allowed, up_to(edges_.most_extra)};
  }
  void note(const StepEdit& rule) {
    rules_[{number(rule.step.from), static_cast<int>(rule.step.direction)}] = {rule.allowed, rule.extra};
  }

  void add_rules() {
    MapEdit edit;
    for (std::size_t cell = 0; cell < ground_.size(); ++cell) {
      for (int k = 0; k < 8; ++k) {
        const bool allowed = !draw_.percent(edges_.forbidden_percent);
        const std::uint32_t extra = draw_.percent(edges_.dearer_percent) ? up_to(edges_.most_extra) : 0;
        if (!allowed || extra > 0) edit.steps.push_back({{place(cell), static_cast<Direction>(k)}, allowed, extra});
      }
    }
    for (const StepEdit& rule : edit.steps) note(rule);
    ASSERT_TRUE(world_.map->apply(edit).ok());
  }

  void add_heights() {
    if (edges_.most_height == 0) return;
    std::vector<std::int32_t> heights;
    for (std::size_t i = 0; i < ground_.size(); ++i) {
      heights.push_back(draw_.below(2 * edges_.most_height + 1) - edges_.most_height);
    }
    directed_.height.assign(heights.begin(), heights.end());
    directed_.up = plan_.slope.up;
    directed_.down = plan_.slope.down;
    const std::size_t layer = heights.size() / static_cast<std::size_t>(plan_.layers);
    for (int i = 0; i < plan_.layers; ++i) {
      ASSERT_TRUE(world_.map->set_heights(i, {heights.data() + static_cast<std::size_t>(i) * layer, layer}).ok());
    }
  }

  void add_portal() {
    const std::size_t from = any_cell(), to = any_cell();
    const oracle::PortalHere portal{from, to, up_to(edges_.most_portal), draw_.percent(80)};
    portals_.push_back(portal);
    ASSERT_TRUE(
        world_.map->add_portal({place(from), place(to), static_cast<std::uint32_t>(portal.cost), portal.open}).ok());
  }

  void add_door() {
    DoorDef door;
    door.open = draw_.percent(70);
    door.cost = up_to(30);
    for (int i = draw_.below(4); i > 0; --i) {
      const std::size_t cell = any_cell();
      if (taken_cells_.insert(cell).second) door.cells.push_back(place(cell));
    }
    for (int i = draw_.below(4); i > 0; --i) {
      const GridStep step{place(any_cell()), static_cast<Direction>(draw_.below(8))};
      if (taken_steps_.insert({number(step.from), static_cast<int>(step.direction)}).second) door.steps.push_back(step);
    }
    doors_.push_back(door);
    const Result<std::uint32_t> index = world_.map->add_door(door);
    ASSERT_TRUE(index.ok()) << index.status().message();
  }

  // Doors and rules as the oracle wants them, and goals where there is room now.
  void finish() {
    directed_.rules.clear();
    for (const auto& [step, rule] : rules_)
      directed_.rules.push_back({step.first, step.second, rule.first, rule.second});
    directed_.portals = portals_;
    directed_.price.assign(ground_.size(), 0);
    world_.ground.cells = ground_;
    for (const DoorDef& door : doors_) {
      for (const Cell& c : door.cells) {
        if (door.open)
          directed_.price[number(c)] = door.cost;
        else if (ground_[number(c)] != '?')
          world_.ground.cells[number(c)] = '#';
      }
      for (const GridStep& s : door.steps) {
        directed_.rules.push_back(
            {number(s.from), static_cast<int>(s.direction), door.open, door.open ? door.cost : 0});
      }
    }
    world_.place_goals(plan_, draw_);
  }

  WorldPlan plan_;
  EdgePlan edges_;
  Draw draw_;
  World world_;
  std::vector<char> ground_;  // without doors
  std::map<std::pair<std::size_t, int>, std::pair<bool, std::uint32_t>> rules_;
  std::vector<oracle::PortalHere> portals_;
  std::vector<DoorDef> doors_;
  std::set<std::size_t> taken_cells_;
  std::set<std::pair<std::size_t, int>> taken_steps_;
  oracle::Directed directed_;
};

inline WorldPlan draw_world(std::uint64_t seed, int most) {
  Draw draw(seed ^ 0x5eed);
  WorldPlan plan;
  plan.seed = seed;
  plan.width = draw.percent(8) ? 60 + draw.below(12) : 1 + draw.below(most);  // also across words of 64
  plan.height = 1 + draw.below(most);
  plan.layers = draw.percent(35) ? 1 + draw.below(3) : 1;
  plan.walls_percent = draw.below(45);
  plan.unknown_percent = draw.percent(20) ? draw.below(20) : 0;
  plan.footprint = std::min({draw.percent(70) ? 1 : 1 + draw.below(4), plan.width, plan.height});
  plan.moves = draw.percent(40) ? Moves::four : Moves::eight;
  plan.corner = static_cast<CornerRule>(draw.below(3));
  plan.costs = static_cast<CostBase>(draw.below(3));
  plan.goals = draw.percent(50) ? 1 : 1 + draw.below(6);
  if (draw.percent(40)) plan.most_offset = static_cast<std::uint64_t>(draw.below(300));
  switch (draw.below(5)) {
    case 0:
      plan.most_weight = 9;
      break;
    case 1:
      plan.least_weight = 0, plan.most_weight = 2;
      break;
    case 2:
      plan.least_weight = plan.most_weight = 3;
      break;
    default:
      break;
  }
  if (draw.percent(40))
    plan.slope = {static_cast<std::uint32_t>(draw.below(12)),
                  static_cast<std::uint32_t>(draw.below(3) * draw.below(9))};
  if (draw.percent(30)) {
    plan.factions = 1 + draw.below(3);
    plan.unknown_percent = draw.below(25);
  }
  return plan;
}

inline EdgePlan draw_edges(std::uint64_t seed, const WorldPlan& world) {
  Draw draw(seed ^ 0xed6e);
  EdgePlan plan;
  if (draw.percent(60)) plan.forbidden_percent = draw.below(30);
  if (draw.percent(60)) plan.dearer_percent = draw.below(30);
  if (draw.percent(60)) plan.portals = draw.below(12);
  if (draw.percent(50)) plan.doors = draw.below(5);
  if (world.slope != SlopeCost{}) plan.most_height = 1 + draw.below(9);
  if (draw.percent(10)) plan.most_extra = 40000;  // too uneven for buckets
  if (draw.percent(10)) plan.most_portal = 0;
  return plan;
}

}  // namespace drover::test
