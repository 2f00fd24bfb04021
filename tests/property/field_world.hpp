// SPDX-License-Identifier: MIT
// Small random worlds, made once for the library and once for the oracle.
#pragma once
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "oracle/reference_field.hpp"

#include <optional>
#include <vector>

namespace drover::test {

/// What a random world is made from; every number can shrink.
struct WorldPlan {
  std::uint64_t seed = 1;
  int width = 8, height = 8, layers = 1;
  int walls_percent = 25, unknown_percent = 0, door_percent = 0;
  int footprint = 1;
  Moves moves = Moves::eight;
  CornerRule corner = CornerRule::strict;
  CostBase costs = CostBase::tens;
  std::uint32_t least_weight = 1, most_weight = 1, weight_unit = 1;
  int goals = 1;
  std::uint64_t most_offset = 0;
  SlopeCost slope = {};
  int factions = 0;  // the body is of the last; '?' is what that one does not know
};

/// xorshift64*: good enough to draw maps, the same everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 2685821657736338717u + 88172645463325252u) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 2685821657736338717u) >> 16;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool percent(int p) { return below(100) < p; }

 private:
  std::uint64_t state_;
};

/// The same world twice. No goals where the body fits nowhere.
struct World {
  std::optional<GridMap> map;
  MovementProfile profile;
  GoalDef goal;
  oracle::Ground ground;
  oracle::Body body;
  std::vector<oracle::Target> targets;

  static World make(const WorldPlan& plan);
  /// In place of those there are.
  void place_goals(const WorldPlan& plan, Draw& draw);

 private:
  void draw_ground(const WorldPlan& plan, Draw& draw);
  void build_map(const WorldPlan& plan, Draw& draw);
  void add_fog(const WorldPlan& plan, Draw& draw);
};

inline void World::draw_ground(const WorldPlan& plan, Draw& draw) {
  ground.width = plan.width;
  ground.height = plan.height;
  ground.layers = plan.layers;
  const int cells = plan.width * plan.height * plan.layers;
  for (int i = 0; i < cells; ++i) {
    ground.cells.push_back(draw.percent(plan.walls_percent) ? '#' : draw.percent(plan.unknown_percent) ? '?' : '.');
    const auto span = static_cast<int>(plan.most_weight - plan.least_weight + 1);
    ground.factor.push_back((plan.least_weight + static_cast<std::uint32_t>(draw.below(span))) * plan.weight_unit);
  }
  const StepCosts base = step_costs(plan.costs);
  const int sides = plan.corner == CornerRule::strict ? 2 : plan.corner == CornerRule::one_free ? 1 : 0;
  body = {plan.footprint, plan.moves == Moves::eight, sides, base.straight, base.diagonal};
}

inline void World::build_map(const WorldPlan& plan, Draw& draw) {
  GridMapDef def;
  def.width = plan.width;
  def.height = plan.height;
  def.layers = plan.layers;
  def.origin = {draw.below(9) - 4, draw.below(9) - 4, 0};
  def.slope = plan.slope;
  map.emplace(std::move(GridMap::create(def)).value());
  MapEdit edit;
  DoorDef shut{"shut", {}, false}, open{"open", {}, true};
  for (int layer = 0; layer < plan.layers; ++layer) {
    for (int y = 0; y < plan.height; ++y) {
      for (int x = 0; x < plan.width; ++x) {
        const Cell cell{def.origin.x + x, def.origin.y + y, layer};
        const char letter = ground.cells[ground.at(x, y, layer)];
        const bool door = draw.percent(plan.door_percent);
        if (letter == '?')
          edit.cells.push_back({cell, CellChange::unknown, kFloor});
        else if (letter == '#' && door)
          shut.cells.push_back(cell);
        else if (letter == '#')
          edit.cells.push_back({cell, CellChange::terrain, kWall});
        else if (door)
          open.cells.push_back(cell);
      }
    }
  }
  for (const DoorDef& door : {shut, open}) {
    ASSERT_TRUE(door.cells.empty() || map->add_door(door).ok());
  }
  ASSERT_TRUE(map->apply(edit).ok());
  if (plan.factions > 0) add_fog(plan, draw);
  const std::size_t layer_cells = static_cast<std::size_t>(plan.width) * static_cast<std::size_t>(plan.height);
  const bool weights = plan.most_weight * plan.weight_unit != 1 || plan.least_weight != 1;
  for (int layer = 0; weights && layer < plan.layers; ++layer) {
    const std::uint32_t* first = ground.factor.data() + static_cast<std::size_t>(layer) * layer_cells;
    ASSERT_TRUE(map->set_weights(layer, {first, layer_cells}).ok());
  }
  profile.footprint = plan.footprint;
  profile.moves = plan.moves;
  profile.corner = plan.corner;
  profile.costs = plan.costs;
}

// Everything '?' is unknown to everyone before.
inline void World::add_fog(const WorldPlan& plan, Draw& draw) {
  for (int f = 0; f < plan.factions; ++f) ASSERT_TRUE(map->add_faction(std::to_string(f)).ok());
  const auto own = static_cast<FactionId>(plan.factions - 1);
  const auto other = static_cast<FactionId>(draw.below(plan.factions));
  profile.faction = own;
  const Cell origin = map->shape().origin();
  MapEdit fog;
  const auto set = [&](int n, CellChange change, FactionId who) {
    fog.cells.push_back(
        {{origin.x + n % plan.width, origin.y + n / plan.width % plan.height, n / plan.width / plan.height},
         change,
         kFloor,
         who});
  };
  for (int n = 0; n < static_cast<int>(ground.cells.size()); ++n) {
    const int way = draw.below(4);
    if (ground.cells[static_cast<std::size_t>(n)] != '?') {
      if (other != own && way == 0) set(n, CellChange::unknown, other);
    } else if (way < 2) {
      set(n, CellChange::known, kEveryone);
      set(n, CellChange::unknown, own);
      if (way == 0 && other != own) set(n, CellChange::unknown, other);
    } else if (way == 2 && other != own) {
      set(n, CellChange::known, other);
    }
  }
  ASSERT_TRUE(map->apply(fog).ok());
}

inline void World::place_goals(const WorldPlan& plan, Draw& draw) {
  goal.cells.clear();
  targets.clear();
  std::vector<oracle::Target> places;
  for (int layer = 0; layer < plan.layers; ++layer) {
    for (int y = 0; y < plan.height; ++y) {
      for (int x = 0; x < plan.width; ++x) {
        if (oracle::fits(ground, body, x, y, layer)) places.push_back({x, y, layer, 0});
      }
    }
  }
  const Cell origin = map->shape().origin();
  for (int i = 0; i < plan.goals && !places.empty(); ++i) {
    oracle::Target target = places[static_cast<std::size_t>(draw.below(static_cast<int>(places.size())))];
    target.offset = plan.most_offset == 0 ? 0 : draw.next() % (plan.most_offset + 1);
    targets.push_back(target);
    goal.cells.push_back({{origin.x + target.x, origin.y + target.y, target.layer}, target.offset});
  }
}

inline World World::make(const WorldPlan& plan) {
  World world;
  Draw draw(plan.seed);
  world.draw_ground(plan, draw);
  world.build_map(plan, draw);
  world.place_goals(plan, draw);
  return world;
}

}  // namespace drover::test
