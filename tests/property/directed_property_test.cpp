// SPDX-License-Identifier: MIT
// Directed worlds: every engine equals the oracle over an explicit edge list, also after edits, and walks end.
#include "property/directed_world.hpp"
#include "support/data.hpp"

#include <optional>
#include <string>
#include <vector>

namespace drover::test {
namespace {

constexpr FieldEngine kEngines[] = {FieldEngine::automatic, FieldEngine::textbook, FieldEngine::heap,
                                    FieldEngine::directed, FieldEngine::sweep};

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
    if (graph.directed() && report.engine != FieldEngine::textbook && report.engine != FieldEngine::directed &&
        report.engine != FieldEngine::sweep) {
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
