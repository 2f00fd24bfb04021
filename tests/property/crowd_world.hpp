// SPDX-License-Identifier: MIT
// Random worlds for crowds: maps, mixed bodies, goals, agents that come later, edits and goal changes.
#pragma once
#include "base/counter_rng.hpp"

#include <drover/simulation.hpp>

#include "support/shapes.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace drover::test {

/// Draws of one world: a pure function of the seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : rng_(seed, 77) {}
  std::uint32_t below(std::uint32_t bound) { return rng_.uniform(counter_++, bound); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  base::CounterRng rng_;
  std::uint64_t counter_ = 0;
};

/// Cells of map for each cell of a wide body.
constexpr std::size_t kWideRoom = 8;

struct World {
  std::vector<std::string> rows;
  std::vector<std::string> upper;  // of a second layer; empty: there is none
  std::vector<PortalDef> portals;
  MapEdit rules;  // one-ways and dearer steps, fog
  std::vector<MovementProfile> profiles;
  std::vector<SimulationGoal> goals;
  std::vector<AgentDef> agents;
  std::vector<Command> edits;
  SimulationDef def;
  std::vector<std::string> factions;
  std::vector<Obstacle> obstacles;
};

inline GridMap map_of(const World& w);

/// Shapes that stand, and some that wander about for a while, a step a tick.
inline void add_obstacles(World& w, Draw& draw) {
  const GridMap map = map_of(w);
  ShapeDraws shapes(draw, map.shape(), map.view().frame());
  for (std::uint32_t i = 0; i <= draw.below(5); ++i) {
    w.obstacles.push_back(shapes.shape());
    if (draw.chance(40)) continue;
    Position at = w.obstacles.back().centre;
    const Position way = shapes.offset(2);
    const std::uint64_t first = 1 + draw.below(20), last = first + draw.below(40);
    for (std::uint64_t tick = first; tick < last; ++tick) {
      at = {at.x + way.x, at.y + way.y};
      MapEdit edit;
      edit.obstacles.push_back(draw.chance(95)   ? move_to(i, at)
                               : draw.chance(50) ? take_away(i)
                                                 : shape_of(i, shapes.shape()));
      w.edits.push_back({tick, 0, EditMap{edit}});
    }
  }
  if (draw.chance(50)) w.def.on_stale = OnStale::keep_if_legal;
}

// Profiles of two sides and of none, cells that one side does not know, and tidings of them later.
inline void add_factions(World& w, Draw& draw) {
  w.factions = {"blue", "red"};
  const auto any = [&] { return draw.chance(20) ? kEveryone : static_cast<FactionId>(draw.below(2)); };
  for (MovementProfile& p : w.profiles) p.faction = any();
  const auto fog = [&](CellChange change) -> CellEdit {
    const Cell cell{static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows[0].size()))),
                    static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows.size())))};
    return {cell, change, kFloor, any()};
  };
  for (std::uint32_t i = draw.below(20); i > 0; --i) w.rules.cells.push_back(fog(CellChange::unknown));
  for (std::uint32_t i = draw.below(8); i > 0; --i) {
    MapEdit edit;
    for (std::uint32_t n = draw.below(5); n > 0; --n) edit.cells.push_back(fog(static_cast<CellChange>(draw.below(3))));
    w.edits.push_back({1 + draw.below(40), 0, EditMap{edit}});
  }
}

/// A second floor in most cases, portals anywhere, some that close or open while the crowd walks.
inline void add_portals(World& w, Draw& draw) {
  const auto height = static_cast<std::uint32_t>(w.rows.size()), width = static_cast<std::uint32_t>(w.rows[0].size());
  if (draw.chance(70)) {
    const std::uint32_t walls = draw.below(30);
    for (std::uint32_t y = 0; y < height; ++y) {
      w.upper.emplace_back();
      for (std::uint32_t x = 0; x < width; ++x) w.upper.back() += draw.chance(walls) ? '#' : '.';
    }
  }
  const std::uint32_t layers = w.upper.empty() ? 1 : 2;
  const auto anywhere = [&] {
    return Cell{static_cast<std::int32_t>(draw.below(width)), static_cast<std::int32_t>(draw.below(height)),
                static_cast<std::int32_t>(draw.below(layers))};
  };
  for (std::uint32_t i = 0; i <= draw.below(14); ++i) {
    const PortalDef there{anywhere(), anywhere(), draw.below(60), draw.chance(90)};
    w.portals.push_back(there);
    if (draw.chance(40)) w.portals.push_back({there.to, there.from, draw.below(60), true});
  }
  for (std::uint32_t i = 0; i < draw.below(4); ++i) {
    const auto portal = draw.below(static_cast<std::uint32_t>(w.portals.size()));
    w.edits.push_back({1 + draw.below(40), 0, EditMap{{{}, {}, {}, {{portal, draw.chance(50)}}}}});
  }
  const auto lift = [&](Cell& cell) { cell.layer = static_cast<std::int32_t>(draw.below(layers)); };
  for (SimulationGoal& g : w.goals)
    for (GoalCell& c : g.where.cells) lift(c.cell);
  for (AgentDef& a : w.agents) lift(a.at);
}

/// Planned crowds: in most of them everyone is of one kind.
inline void add_plans(World& w, Draw& draw) {
  w.def.guidance = GuidancePolicy::forest;
  w.def.guidance_ticks = 1 + draw.below(5);
  if (draw.chance(30)) return;
  w.profiles[0].footprint = 1;
  w.goals[0].on_arrival = OnArrival::vanish;
  if (draw.chance(80))
    for (GoalCell& cell : w.goals[0].where.cells) cell.offset = 0;
  for (AgentDef& a : w.agents) {
    a.profile = {0, 1};
    a.goal = {0, 1};
    a.via.clear();
    if (draw.chance(70)) a.start_tick = 0;
  }
}

inline World random_world(std::uint64_t seed) {
  Draw draw(seed);
  World w;
  const auto width = static_cast<std::int32_t>(6 + draw.below(27)),
             height = static_cast<std::int32_t>(6 + draw.below(21));
  const std::uint32_t walls = draw.below(30);
  for (std::int32_t y = 0; y < height; ++y) {
    w.rows.emplace_back();
    for (std::int32_t x = 0; x < width; ++x) w.rows.back() += draw.chance(walls) ? '#' : draw.chance(2) ? '?' : '.';
  }
  w.def.bodies = draw.chance(50) ? BodyRule::discs : BodyRule::cells;
  w.def.following = draw.chance(20) ? Following::forbidden : Following::allowed;
  w.def.on_stale = draw.chance(50) ? OnStale::hold : OnStale::keep_if_legal;
  w.def.on_goal_change = draw.chance(50) ? OnGoalChange::hold : OnGoalChange::keep_going;
  w.def.adopt_latency_ticks = draw.below(4);
  const bool wide = draw.chance(60);
  const Moves moves = draw.chance(70) ? Moves::eight : Moves::four;
  for (std::uint32_t i = 0; i <= draw.below(3); ++i) {
    MovementProfile p;
    p.name = std::to_string(i);
    p.footprint = wide ? static_cast<int>(1 + draw.below(3)) : 1;
    p.moves = moves;
    p.corner = static_cast<CornerRule>(draw.below(3));
    if (p.footprint == 1 && draw.chance(30))
      p.body_radius = Fixed::ratio(static_cast<std::int32_t>(10 + draw.below(41)), 100);
    w.profiles.push_back(p);
  }
  for (int i = 0; i < 3; ++i) {
    SimulationGoal g;
    g.where.placement = GoalPlacement::nearest;
    for (std::uint32_t c = 0; c <= draw.below(4); ++c)
      g.where.cells.push_back({{static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(width))),
                                static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(height)))},
                               draw.below(50)});
    g.on_arrival = draw.chance(60) ? OnArrival::vanish : OnArrival::stay;
    w.goals.push_back(g);
  }
  const std::uint32_t crowd = 1 + draw.below(static_cast<std::uint32_t>(width * height) / 3);
  for (std::uint32_t i = 0; i < crowd; ++i) {
    AgentDef a;
    a.key = 1 + (std::uint64_t{i} * 7919) % 10007;
    a.at = {static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(width))),
            static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(height)))};
    a.profile = {draw.below(static_cast<std::uint32_t>(w.profiles.size())), 1};
    a.goal = {draw.below(3), 1};
    if (draw.chance(10)) a.via = {{draw.below(3), 1}};
    a.start_tick = draw.chance(20) ? draw.below(20) : 0;
    a.priority_class = draw.chance(10) ? 1 : 0;
    w.agents.push_back(a);
  }
  for (std::uint32_t i = 0; i < draw.below(12); ++i) {
    const std::uint64_t tick = 1 + draw.below(40);
    const Cell cell{static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(width))),
                    static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(height)))};
    MapEdit edit;
    edit.cells = {
        {cell, draw.chance(15) ? CellChange::unknown : CellChange::terrain, draw.chance(50) ? kWall : kFloor}};
    if (draw.chance(70)) {
      w.edits.push_back({tick, 0, EditMap{edit}});
    } else {
      GoalDef where = w.goals[draw.below(3)].where;
      where.cells[0].cell = cell;
      w.edits.push_back({tick, 0, SetGoal{{draw.below(3), 1}, where}});
    }
  }
  // Draws of its own: the worlds are what they were.
  if (Draw own(seed ^ 0x4ef4e5); own.chance(40)) w.def.refresh_latency_ticks = own.below(10);
  if (Draw own(seed ^ 0x5eac4); own.chance(40)) {
    constexpr std::uint64_t kBudgets[] = {0, 1, 40, 300, 20000};
    w.def.on_stale = OnStale::own_search;
    w.def.search_budget_cells = kBudgets[own.below(5)];
    if (own.chance(50)) w.def.adopt_latency_ticks = 20;
  }
  if (Draw own(seed ^ 0x4e91a7); w.def.on_stale == OnStale::own_search && own.chance(40)) {
    w.def.on_stale = OnStale::replan;
    w.def.refusals_before_replan = 1 + own.below(12);
  }
  const std::uint32_t ruled = draw.chance(40) ? draw.below(20) : 0;
  for (std::int32_t i = 0; i < 8 * width * height; ++i) {
    const GridStep step{{i / 8 % width, i / 8 / width}, static_cast<Direction>(i % 8)};
    if (!draw.chance(ruled)) continue;
    const StepEdit rule{step, draw.chance(60), draw.below(30)};
    if (draw.chance(95)) {
      w.rules.steps.push_back(rule);
    } else {
      w.edits.push_back({1 + draw.below(40), 0, EditMap{{{}, {}, {rule}, {}}}});
    }
  }
  if (draw.chance(40)) add_portals(w, draw);
  if (draw.chance(35)) add_factions(w, draw);
  if (draw.chance(35)) {
    const auto cell = [&]() -> Cell {
      return {static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(width))),
              static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(height))),
              w.upper.empty() ? 0 : static_cast<std::int32_t>(draw.below(2))};
    };
    GoalDef area;
    area.placement = GoalPlacement::nearest;
    area.area = {draw.chance(50) ? GoalArea::Rule::within : GoalArea::Rule::in_sight, cell(), draw.below(7)};
    w.goals[2].where = area;
    area.area->of = cell();
    w.edits.push_back({1 + draw.below(40), 0, SetGoal{{draw.below(3), 1}, area}});
  }
  // Draws of its own, as above.
  if (Draw own(seed ^ 0x5cafe); own.chance(35)) add_obstacles(w, own);
  if (Draw own(seed ^ 0xf0e57); own.chance(50)) add_plans(w, own);
  return w;
}

inline Fixed some_speed(Draw& draw) {
  constexpr const char* kSpeeds[] = {"1", "1", "0.75", "0.5", "0.333", "0.25", "0.7", "0.123", "0.9"};
  return Fixed::parse(kSpeeds[draw.below(9)]).value();
}

/// A random world whose steps take their time.
inline World timed_world(std::uint64_t seed) {
  World w = random_world(seed);
  Draw own(seed ^ 0x571de);
  w.def.step = StepPolicy::ground_speed;
  w.def.guidance = GuidancePolicy::plain;
  const Fixed common = some_speed(own);
  const bool one_speed = own.chance(25);
  for (MovementProfile& p : w.profiles) p.speed = one_speed ? common : some_speed(own);
  for (PortalDef& p : w.portals) p.ticks = own.chance(50) ? 0 : 1 + own.below(7);
  return w;
}

inline GridMap map_of(const World& w) {
  GridMapDef def;
  def.width = static_cast<std::int64_t>(w.rows[0].size());
  def.height = static_cast<std::int64_t>(w.rows.size());
  def.layers = w.upper.empty() ? 1 : 2;
  GridMap map = *GridMap::create(def);
  MapEdit cells;
  for (std::int32_t y = 0; y < def.height; ++y)
    for (std::int32_t x = 0; x < def.width; ++x) {
      const auto row = static_cast<std::size_t>(y), column = static_cast<std::size_t>(x);
      if (w.rows[row][column] == '#') cells.cells.push_back({{x, y}, CellChange::terrain, kWall});
      if (w.rows[row][column] == '?') cells.cells.push_back({{x, y}, CellChange::unknown, kFloor});
      if (!w.upper.empty() && w.upper[row][column] == '#')
        cells.cells.push_back({{x, y, 1}, CellChange::terrain, kWall});
    }
  static_cast<void>(map.apply(cells).ok());
  for (const std::string& faction : w.factions) static_cast<void>(map.add_faction(faction).ok());
  static_cast<void>(map.apply(w.rules).ok());
  for (const PortalDef& portal : w.portals) static_cast<void>(map.add_portal(portal).ok());
  for (const Obstacle& obstacle : w.obstacles) static_cast<void>(map.add_obstacle(obstacle).ok());
  return map;
}

/// Nothing started yet; agents that fit nowhere are left out.
inline Simulation make_simulation(const World& w, const Host& host = {}) {
  Simulation sim = *Simulation::create(map_of(w), w.def, host);
  for (const MovementProfile& p : w.profiles) static_cast<void>(sim.add_profile(p).ok());
  for (const SimulationGoal& g : w.goals) static_cast<void>(sim.add_goal(g).ok());
  for (const AgentDef& a : w.agents) static_cast<void>(sim.add_agent(a).ok());
  for (const Command& c : w.edits) static_cast<void>(sim.submit(c).ok());
  return sim;
}

}  // namespace drover::test
