// SPDX-License-Identifier: MIT
// Every engine equals the oracle on thousands of random worlds, and following a field always arrives.
#include "property/field_world.hpp"

#include <rapidcheck/gtest.h>

#include "support/data.hpp"

#include <iostream>
#include <map>
#include <string>

namespace drover::test {
namespace {

constexpr FieldEngine kEngines[] = {FieldEngine::automatic,  FieldEngine::textbook,  FieldEngine::breadth_first,
                                    FieldEngine::two_cursor, FieldEngine::buckets,   FieldEngine::heap,
                                    FieldEngine::directed,   FieldEngine::bitboards, FieldEngine::sweep};

char letter_of(std::uint8_t code) {
  if (code < kDirections) return static_cast<char>('0' + code);
  switch (code) {
    case FlowField::kGoalCode:
      return 'G';
    case FlowField::kUnreachableCode:
      return 'x';
    case FlowField::kBlockedCode:
      return '#';
    case FlowField::kNoRoomCode:
      return 'o';
    case FlowField::kUnknownCode:
      return '?';
    default:
      return '!';
  }
}

// First difference between a field and the oracle, or an empty string.
std::string difference(const FlowField& field, const World& world, const oracle::Reference& want) {
  const GridShape& shape = field.shape();
  const std::vector<std::uint32_t> goal_of = field.goal_indices();
  for (int layer = 0; layer < shape.layers(); ++layer) {
    for (int y = 0; y < shape.height(); ++y) {
      for (int x = 0; x < shape.width(); ++x) {
        const CellIndex i{shape.at(x, y, layer)};
        const std::size_t n = world.ground.at(x, y, layer);
        const bool same = field.cost_to_goal(i) == want.cost[n] && letter_of(field.code(i)) == want.letters[n] &&
                          field.optimal_directions(i).bits == want.ties[n] && goal_of[i.value] == want.goal_of[n];
        if (same) continue;
        return "cell " + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(layer) + ": cost " +
               std::to_string(field.cost_to_goal(i)) + " not " + std::to_string(want.cost[n]) + ", " +
               letter_of(field.code(i)) + " not " + want.letters[n] + ", ties " +
               std::to_string(field.optimal_directions(i).bits) + " not " + std::to_string(want.ties[n]) + ", goal " +
               std::to_string(goal_of[i.value]) + " not " + std::to_string(want.goal_of[n]);
      }
    }
  }
  return {};
}

// Border cells are part of what is handed out: outside, without ties or costs.
std::string border_fault(const FlowField& field) {
  const GridShape& shape = field.shape();
  std::vector<bool> inside(shape.padded_cells(), false);
  for (int layer = 0; layer < shape.layers(); ++layer) {
    for (int y = 0; y < shape.height(); ++y) {
      for (int x = 0; x < shape.width(); ++x) inside[shape.at(x, y, layer)] = true;
    }
  }
  for (std::uint32_t p = 0; p < shape.padded_cells(); ++p) {
    if (inside[p]) continue;
    if (field.state({p}) != CellState::outside || !field.optimal_directions({p}).empty() ||
        field.cost_to_goal({p}) != kInfiniteCost) {
      return "padding " + std::to_string(p);
    }
  }
  return {};
}

// From every reachable cell, steps drawn from the tie sets come to a goal in at most as many steps as there are cells.
std::string lost_walk(const FlowField& field, std::uint64_t seed) {
  Draw draw(seed);
  const GridShape& shape = field.shape();
  for (std::uint32_t start = 0; start < shape.padded_cells(); ++start) {
    if (field.state({start}) != CellState::reachable) continue;
    std::uint32_t at = start;
    for (std::uint64_t steps = 0; field.state({at}) != CellState::goal; ++steps) {
      std::vector<Direction> choices;
      for (int k = 0; k < kDirections; ++k) {
        if (field.optimal_directions({at}).has(static_cast<Direction>(k))) choices.push_back(static_cast<Direction>(k));
      }
      if (choices.empty() || steps > shape.cell_count()) return "from padding " + std::to_string(start);
      at += shape.step(choices[static_cast<std::size_t>(draw.below(static_cast<int>(choices.size())))]);
    }
  }
  return {};
}

std::map<FieldEngine, int> engines_used;

// Empty when all engines that apply agree with the oracle.
std::string fault_of(const WorldPlan& plan) {
  const World world = World::make(plan);
  if (world.targets.empty()) return {};
  const Result<NavGraph> graph = NavGraph::compile(world.map->view(), world.profile);
  if (!graph) return graph.status().message();
  const oracle::Reference want = oracle::reference_field(world.ground, world.body, world.targets);
  std::uint64_t reached = 0, most = 0;
  for (const std::uint64_t cost : want.cost) {
    reached += cost != oracle::kNever ? 1 : 0;
    most = cost != oracle::kNever ? std::max(most, cost) : most;
  }
  FieldBuilder builder;
  std::optional<std::uint64_t> digest;
  for (const FieldEngine engine : kEngines) {
    BuildReport report;
    const Result<FieldRef> field = builder.build(*graph, world.goal, {engine}, &report);
    if (!field) return field.status().message();
    const std::string name = to_string(report.engine);
    if (engine != FieldEngine::automatic && report.engine != engine) continue;
    ++engines_used[report.engine];
    if (std::string text = difference(**field, world, want); !text.empty()) return name + ": " + text;
    if (std::string text = border_fault(**field); !text.empty()) return name + ": " + text;
    if (std::string text = lost_walk(**field, plan.seed); !text.empty()) return name + ": " + text;
    if (report.reachable != reached) return name + ": reachable " + std::to_string(report.reachable);
    if (report.max_cost != most) return name + ": max_cost " + std::to_string(report.max_cost);
    if (digest && *digest != (*field)->digest()) return name + ": digest";
    digest = (*field)->digest();
  }
  return {};
}

WorldPlan draw_plan(std::uint64_t seed, int most) {
  Draw draw(seed ^ 0x5eed);
  WorldPlan plan;
  plan.seed = seed;
  plan.width = 1 + draw.below(most);
  plan.height = 1 + draw.below(most);
  plan.layers = draw.percent(20) ? 2 : 1;
  plan.walls_percent = draw.below(60);
  plan.unknown_percent = draw.percent(30) ? draw.below(20) : 0;
  plan.door_percent = draw.percent(30) ? 50 : 0;
  plan.footprint = std::min({draw.percent(70) ? 1 : 1 + draw.below(4), plan.width, plan.height});
  plan.moves = draw.percent(40) ? Moves::four : Moves::eight;
  plan.corner = static_cast<CornerRule>(draw.below(3));
  plan.costs = static_cast<CostBase>(draw.below(3));
  plan.goals = draw.percent(50) ? 1 : 1 + draw.below(12);
  if (draw.percent(50)) plan.most_offset = static_cast<std::uint64_t>(draw.below(300));
  switch (draw.below(9)) {
    case 0:
      plan.most_weight = 9;
      break;
    case 1:
      plan.least_weight = 0, plan.most_weight = 2;
      break;
    case 2:
      plan.most_weight = 4, plan.weight_unit = 30;
      break;
    case 3:
      plan.least_weight = plan.most_weight = 7;
      break;
    case 4:
      plan.least_weight = 3, plan.most_weight = 400;
      break;
    case 5:
      plan.least_weight = 0, plan.most_weight = 4000;
      break;
    default:
      break;
  }
  return plan;
}

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

TEST(FieldProperty, EveryEngineEqualsTheOracleOnSmallWorlds) {
  for (int i = 0; i < rounds(8000); ++i) {
    const std::string fault = fault_of(draw_plan(static_cast<std::uint64_t>(i), 12));
    ASSERT_EQ(fault, "") << "world " << i;
  }
}

TEST(FieldProperty, EveryEngineEqualsTheOracleOnWorldsUpTo32) {
  for (int i = 0; i < rounds(1500); ++i) {
    const std::string fault = fault_of(draw_plan(1000000u + static_cast<std::uint64_t>(i), 32));
    ASSERT_EQ(fault, "") << "world " << i;
  }
  // No engine may drop out of the comparison unnoticed.
  for (const FieldEngine engine : kEngines) {
    EXPECT_TRUE(engine == FieldEngine::automatic || engines_used[engine] > 50) << to_string(engine);
  }
}

// 2^20 x 1393 a step and offsets beyond 32 bits: totals are stored in 64 bits.
TEST(FieldProperty, TotalsBeyond32BitsAreExact) {
  for (int i = 0; i < rounds(600); ++i) {
    WorldPlan plan = draw_plan(2000000u + static_cast<std::uint64_t>(i), 14);
    plan.costs = CostBase::octile;
    if (i % 2 == 0)
      plan.most_weight = kMaxCellCost, plan.weight_unit = 1;
    else
      plan.most_offset = std::uint64_t{1} << 61;
    ASSERT_EQ(fault_of(plan), "") << "world " << i;
  }
}

TEST(FieldProperty, EqualFactorsWithOffsetsThatShareNoDivisor) {
  for (int i = 0; i < rounds(1500); ++i) {
    WorldPlan plan = draw_plan(3000000u + static_cast<std::uint64_t>(i), 16);
    plan.least_weight = plan.most_weight = 1 + static_cast<std::uint32_t>(i % 5);
    plan.weight_unit = 1;
    plan.goals = 2 + i % 9;
    plan.most_offset = 97;
    ASSERT_EQ(fault_of(plan), "") << "world " << i;
  }
}

RC_GTEST_PROP(FieldProperty, EnginesAgreeWithTheOracle, ()) {
  WorldPlan plan;
  plan.seed = *rc::gen::arbitrary<std::uint32_t>();
  plan.width = *rc::gen::inRange(1, 20);
  plan.height = *rc::gen::inRange(1, 20);
  plan.walls_percent = *rc::gen::inRange(0, 70);
  plan.unknown_percent = *rc::gen::inRange(0, 15);
  plan.footprint = std::min({*rc::gen::inRange(1, 5), plan.width, plan.height});
  plan.moves = *rc::gen::element(Moves::four, Moves::eight);
  plan.corner = *rc::gen::element(CornerRule::strict, CornerRule::one_free, CornerRule::none);
  plan.costs = *rc::gen::element(CostBase::uniform, CostBase::tens, CostBase::octile);
  plan.least_weight = *rc::gen::inRange<std::uint32_t>(0, 3);
  plan.most_weight = plan.least_weight + *rc::gen::inRange<std::uint32_t>(0, 12);
  plan.goals = *rc::gen::inRange(1, 8);
  plan.most_offset = *rc::gen::inRange<std::uint64_t>(0, 200);
  const std::string fault = fault_of(plan);
  RC_ASSERT(fault.empty() || (std::cerr << fault << "\n", false));
}

}  // namespace
}  // namespace drover::test
