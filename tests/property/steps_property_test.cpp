// SPDX-License-Identifier: MIT
// Steps kept in a field equal those of the way walked cell by cell, for every engine, on plain and directed worlds.
#include "property/directed_world.hpp"
#include "support/data.hpp"

#include <optional>
#include <string>

namespace drover::test {
namespace {

constexpr FieldEngine kEngines[] = {FieldEngine::automatic,  FieldEngine::textbook, FieldEngine::breadth_first,
                                    FieldEngine::two_cursor, FieldEngine::buckets,  FieldEngine::heap,
                                    FieldEngine::directed,   FieldEngine::sweep};

struct Walk {
  WaySteps steps;
  CellIndex end;
};

Walk walk(const FlowField& field, CellIndex cell) {
  Walk walk{{}, cell};
  while (field.state(walk.end) != CellState::goal) {
    const Step step = field.step(walk.end);
    if (step.kind == Step::Kind::portal) {
      ++walk.steps.portals;
      walk.end = field.optimal_portals(walk.end).front().to;
    } else {
      ++(is_diagonal(step.direction) ? walk.steps.diagonal : walk.steps.straight);
      walk.end.value += field.shape().step(step.direction);
    }
  }
  return walk;
}

int portal_ways, diagonal_ways;

// `plain`: every step costs its base.
std::string fault_of(const FlowField& field, const MovementProfile& profile, bool plain) {
  const StepCosts base = step_costs(profile.costs);
  for (std::uint32_t i = 0; i < field.shape().padded_cells(); ++i) {
    const CellState state = field.state({i});
    const std::optional<WaySteps> steps = field.steps_to_goal({i});
    const bool has_way = state == CellState::goal || state == CellState::reachable;
    if (steps.has_value() != has_way) return "a cell without a way has steps, or one with a way has none";
    if (!has_way) continue;
    const Walk way = walk(field, {i});
    if (*steps != way.steps) return "padding " + std::to_string(i);
    if (steps->all() != way.steps.straight + way.steps.diagonal + way.steps.portals) return "the sum";
    portal_ways += steps->portals > 0 ? 1 : 0;
    diagonal_ways += steps->diagonal > 0 ? 1 : 0;
    const Cost cost = Cost{base.straight} * steps->straight + Cost{base.diagonal} * steps->diagonal;
    if (plain && field.cost_to_goal({i}) - field.cost_to_goal(way.end) != cost)
      return "the cost of padding " + std::to_string(i);
  }
  return {};
}

std::string fault_of_engines(const NavGraph& graph, const GoalDef& goal, const MovementProfile& profile, bool plain) {
  FieldBuilder builder;
  for (const FieldEngine engine : kEngines) {
    const Result<FieldRef> field = builder.build(graph, goal, {engine, true});
    if (!field) return field.status().message();
    if (std::string text = fault_of(**field, profile, plain); !text.empty()) return text;
    const Result<FieldRef> without = builder.build(graph, goal, {engine});
    if (!without) return without.status().message();
    if ((*without)->digest() != (*field)->digest()) return "the digest";
    if ((*without)->has_steps() || !(*field)->has_steps()) return "has_steps";
  }
  return {};
}

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

TEST(StepsProperty, EqualTheWayWalkedAndWithoutWeightsTheCost) {
  diagonal_ways = 0;
  for (int i = 0; i < rounds(1200); ++i) {
    WorldPlan plan = draw_world(static_cast<std::uint64_t>(i) + 500, i % 8 == 0 ? 40 : 12);
    plan.slope = {};
    if (i % 2 == 0) plan.least_weight = plan.most_weight = plan.weight_unit = 1;
    const World world = World::make(plan);
    if (world.targets.empty()) continue;
    const Result<NavGraph> graph = NavGraph::compile(world.map->view(), world.profile);
    ASSERT_TRUE(graph.ok());
    ASSERT_EQ(fault_of_engines(*graph, world.goal, world.profile, i % 2 == 0), "") << "world " << i;
  }
  EXPECT_GT(diagonal_ways, 10000);
}

TEST(StepsProperty, EqualTheWayWalkedOnDirectedWorlds) {
  portal_ways = 0;
  for (int i = 0; i < rounds(800); ++i) {
    const std::uint64_t seed = static_cast<std::uint64_t>(i) + 900000;
    const WorldPlan plan = draw_world(seed, 12);
    const DirectedWorld world(plan, draw_edges(seed, plan));
    if (world.world().targets.empty()) continue;
    const Result<NavGraph> graph = NavGraph::compile(world.view(), world.world().profile);
    ASSERT_TRUE(graph.ok());
    ASSERT_EQ(fault_of_engines(*graph, world.goal(), world.world().profile, false), "") << "world " << i;
  }
  EXPECT_GT(portal_ways, 5000);
}

}  // namespace
}  // namespace drover::test
