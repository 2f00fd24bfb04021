// SPDX-License-Identifier: MIT
// Directed worlds: every engine equals the oracle over an explicit edge list, also after edits, and walks end.
#include "oracle/directed_field.hpp"
#include "property/field_world.hpp"
#include "support/data.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace drover::test {
namespace {

constexpr FieldEngine kEngines[] = {FieldEngine::automatic, FieldEngine::textbook, FieldEngine::heap,
                                    FieldEngine::directed};

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

char letter_of(const FlowField& field, CellIndex i) {
  switch (field.state(i)) {
    case CellState::reachable: {
      const Step step = field.step(i);
      return step.kind == Step::Kind::portal ? 'P' : static_cast<char>('0' + static_cast<int>(step.direction));
    }
    case CellState::goal:
      return 'G';
    case CellState::unreachable:
      return 'x';
    case CellState::blocked:
      return '#';
    case CellState::no_room:
      return 'o';
    case CellState::unknown:
      return '?';
    default:
      return '!';
  }
}

// First difference between a field and the oracle, or an empty string.
std::string difference(const FlowField& field, const World& world, const oracle::DirectedReference& want) {
  const GridShape& shape = field.shape();
  const std::vector<std::uint32_t> goal_of = field.goal_indices();
  for (std::size_t n = 0; n < world.ground.cells.size(); ++n) {
    const int cell = static_cast<int>(n), width = world.ground.width, height = world.ground.height;
    const int x = cell % width, y = cell / width % height, layer = cell / width / height;
    const CellIndex i{shape.at(x, y, layer)};
    std::vector<std::uint32_t> portals;
    for (const PortalStep& step : field.optimal_portals(i)) portals.push_back(step.portal);
    const bool same = field.cost_to_goal(i) == want.cost[n] && letter_of(field, i) == want.letters[n] &&
                      field.optimal_directions(i).bits == want.ties[n] && portals == want.portals[n] &&
                      goal_of[i.value] == want.goal_of[n];
    if (same) continue;
    return "cell " + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(layer) + ": cost " +
           std::to_string(field.cost_to_goal(i)) + " not " + std::to_string(want.cost[n]) + ", " + letter_of(field, i) +
           " not " + want.letters[n] + ", ties " + std::to_string(field.optimal_directions(i).bits) + " not " +
           std::to_string(want.ties[n]) + ", portals " + std::to_string(portals.size()) + " not " +
           std::to_string(want.portals[n].size()) + ", goal " + std::to_string(goal_of[i.value]) + " not " +
           std::to_string(want.goal_of[n]);
  }
  return {};
}

// Steps and portals drawn from the ties come to a goal in at most as many steps as there are cells.
std::string lost_walk(const FlowField& field, std::uint64_t seed) {
  Draw draw(seed);
  const GridShape& shape = field.shape();
  for (std::uint32_t start = 0; start < shape.padded_cells(); ++start) {
    if (field.state({start}) != CellState::reachable) continue;
    std::uint32_t at = start;
    for (std::uint64_t steps = 0; field.state({at}) != CellState::goal; ++steps) {
      std::vector<std::uint32_t> choices;
      for (int k = 0; k < kDirections; ++k) {
        const auto d = static_cast<Direction>(k);
        if (field.optimal_directions({at}).has(d)) choices.push_back(at + shape.step(d));
      }
      for (const PortalStep& step : field.optimal_portals({at})) choices.push_back(step.to.value);
      if (choices.empty() || steps > shape.cell_count()) return "from padding " + std::to_string(start);
      at = choices[static_cast<std::size_t>(draw.below(static_cast<int>(choices.size())))];
    }
  }
  return {};
}

int bits64_fields, portal_fields, free_fields;

std::string fault_of_graph(const NavGraph& graph, const DirectedWorld& world, std::uint64_t seed) {
  if (world.world().targets.empty()) return {};
  const oracle::DirectedReference want =
      oracle::directed_field(world.world().ground, world.world().body, world.directed(), world.world().targets);
  FieldBuilder builder;
  std::optional<std::uint64_t> digest;
  for (const FieldEngine engine : kEngines) {
    BuildReport report;
    const Result<FieldRef> field = builder.build(graph, world.goal(), {engine}, &report);
    if (!field) return field.status().message();
    const std::string name = to_string(report.engine);
    if (graph.directed() && report.engine != FieldEngine::textbook && report.engine != FieldEngine::directed) {
      return name + " on a directed graph";
    }
    if (std::string text = difference(**field, world.world(), want); !text.empty()) return name + ": " + text;
    if (std::string text = lost_walk(**field, seed); !text.empty()) return name + ": " + text;
    if (digest && *digest != (*field)->digest()) return name + ": digest";
    digest = (*field)->digest();
    bits64_fields += report.cost_bits == 64 ? 1 : 0;
    for (const auto& portals : want.portals) portal_fields += portals.empty() ? 0 : 1;
  }
  for (std::size_t i = 0; i < want.cost.size(); ++i) free_fields += want.cost[i] == 0 && want.hops[i] > 0 ? 1 : 0;
  return {};
}

WorldPlan draw_world(std::uint64_t seed, int most) {
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
  return plan;
}

EdgePlan draw_edges(std::uint64_t seed, const WorldPlan& world) {
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

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

TEST(DirectedProperty, EveryEngineEqualsTheOracle) {
  for (int i = 0; i < rounds(6000); ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const WorldPlan plan = draw_world(seed, i % 10 == 0 ? 32 : 10);
    const DirectedWorld world(plan, draw_edges(seed, plan));
    const Result<NavGraph> graph = NavGraph::compile(world.view(), world.world().profile);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    ASSERT_EQ(fault_of_graph(*graph, world, seed), "") << "world " << i;
  }
  EXPECT_GT(portal_fields, 1000);
  EXPECT_GT(free_fields, 1000);
}

TEST(DirectedProperty, AfterEditsToo) {
  for (int i = 0; i < rounds(800); ++i) {
    const std::uint64_t seed = 1000000u + static_cast<std::uint64_t>(i);
    const WorldPlan plan = draw_world(seed, i % 4 == 0 ? 30 : 12);
    DirectedWorld world(plan, draw_edges(seed, plan));
    NavGraph graph = *NavGraph::compile(world.view(), world.world().profile);
    for (int step = 0; step < 5; ++step) {
      const std::vector<CellIndex> dirty = world.edit();
      const Result<NavGraph> updated = graph.updated(world.view(), dirty);
      ASSERT_TRUE(updated.ok()) << updated.status().message();
      graph = *updated;
      const NavGraph anew = *NavGraph::compile(world.view(), world.world().profile);
      ASSERT_EQ(graph.content_hash(), anew.content_hash()) << "world " << i << ", step " << step;
      ASSERT_EQ(fault_of_graph(graph, world, seed), "") << "world " << i << ", step " << step;
    }
  }
}

// The dearest extras and portals there may be: totals are stored in 64 bits and are exact.
TEST(DirectedProperty, TotalsBeyond32BitsAreExact) {
  bits64_fields = 0;
  for (int i = 0; i < rounds(300); ++i) {
    const std::uint64_t seed = 2000000u + static_cast<std::uint64_t>(i);
    WorldPlan plan = draw_world(seed, 14);
    plan.costs = CostBase::octile;
    plan.least_weight = 1;
    plan.most_weight = i % 2 == 0 ? kMaxCellCost : 1;
    plan.slope = {kMaxEdgeCost / 20, 1};
    EdgePlan edges = draw_edges(seed, plan);
    edges.most_extra = edges.most_portal = kMaxEdgeCost;
    edges.most_height = 10;
    const DirectedWorld world(plan, edges);
    const Result<NavGraph> graph = NavGraph::compile(world.view(), world.world().profile);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    ASSERT_EQ(fault_of_graph(*graph, world, seed), "") << "world " << i;
  }
  EXPECT_GT(bits64_fields, 300);
}

}  // namespace
}  // namespace drover::test
