// SPDX-License-Identifier: MIT
// Fields: states, costs, goals, engines, memory.
#include <gtest/gtest.h>
#include <drover/field.hpp>

#include "field/field_bytes.hpp"
#include "support/grids.hpp"
#include "support/threads.hpp"

#include <map>
#include <mutex>
#include <thread>

namespace drover::test {
namespace {

GoalDef goals(std::vector<GoalCell> cells, GoalPlacement placement = GoalPlacement::exact) {
  return {std::move(cells), placement};
}
GoalDef goal(std::int32_t x, std::int32_t y) { return goals({{{x, y, 0}, 0}}); }

FieldRef build(const NavGraph& graph, const GoalDef& def, FieldEngine engine = FieldEngine::automatic,
               BuildReport* report = nullptr) {
  FieldBuilder builder;
  Result<FieldRef> field = builder.build(graph, def, {engine}, report);
  EXPECT_TRUE(field.ok()) << field.status().message();
  return field ? *std::move(field) : nullptr;
}

CellIndex at(const FieldRef& field, std::int32_t x, std::int32_t y, std::int32_t layer = 0) {
  return field->shape().index({x, y, layer});
}

TEST(Field, EachCellHasTheStateThatTheRulesGiveIt) {
  const FieldRef field = build(graph_of({"..#?.", "..#.#", "..###"}, body(2)), goal(0, 0));
  EXPECT_EQ(field->state(at(field, 0, 0)), CellState::goal);
  EXPECT_EQ(field->state(at(field, 0, 1)), CellState::reachable);
  EXPECT_EQ(field->state(at(field, 1, 0)), CellState::no_room);
  EXPECT_EQ(field->state(at(field, 2, 0)), CellState::blocked);
  EXPECT_EQ(field->state(at(field, 3, 0)), CellState::unknown);
  const FieldRef split = build(graph_of({".#."}), goal(0, 0));
  EXPECT_EQ(split->state(at(split, 2, 0)), CellState::unreachable);
  EXPECT_EQ(split->state({split->shape().at(3, 0, 0)}), CellState::outside);
}

TEST(Field, StepsAndCostsAreThereOnlyWhereAWayIs) {
  const FieldRef field = build(graph_of({"..#."}), goal(0, 0));
  EXPECT_EQ(field->step(at(field, 1, 0)).kind, Step::Kind::move);
  EXPECT_EQ(field->step(at(field, 1, 0)).direction, Direction::west);
  EXPECT_EQ(field->cost_to_goal(at(field, 1, 0)), 10u);
  for (const std::int32_t x : {0, 2, 3}) {
    EXPECT_EQ(field->step(at(field, x, 0)).kind, Step::Kind::none);
    EXPECT_TRUE(field->optimal_directions(at(field, x, 0)).empty());
  }
  EXPECT_EQ(field->cost_to_goal(at(field, 0, 0)), 0u);
  EXPECT_EQ(field->cost_to_goal(at(field, 2, 0)), kInfiniteCost);
  EXPECT_EQ(field->cost_to_goal(at(field, 3, 0)), kInfiniteCost);
}

TEST(FieldDirected, PortalsComeAfterStepsAndEndAtTheirCell) {
  GridMap map = map_of({".....", "##.##"});
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {4, 0, 0}, 60}).ok());
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {3, 0, 0}, 30}).ok());
  ASSERT_TRUE(map.add_portal({{4, 0, 0}, {0, 0, 0}, 1}).ok());  // leaves a goal: never a tie
  BuildReport report;
  const NavGraph graph = graph_of(map.view());
  const FieldRef field = build(graph, goal(4, 0), FieldEngine::automatic, &report);
  EXPECT_EQ(report.engine, FieldEngine::directed);
  EXPECT_EQ(field->cost_to_goal(at(field, 0, 0)), 40u);
  EXPECT_EQ(field->step(at(field, 0, 0)).kind, Step::Kind::move);
  ASSERT_EQ(field->optimal_portals(at(field, 0, 0)).size(), 1u);
  EXPECT_EQ(field->optimal_portals(at(field, 0, 0))[0], (PortalStep{1, at(field, 3, 0)}));
  EXPECT_TRUE(field->optimal_portals(at(field, 4, 0)).empty());
  EXPECT_TRUE(field->optimal_portals(at(field, 1, 0)).empty());

  ASSERT_TRUE(map.apply({{{{1, 0, 0}, CellChange::terrain, kWall}}, {}}).ok());
  const FieldRef cut = build(graph_of(map.view()), goal(4, 0));
  EXPECT_EQ(cut->step(at(cut, 0, 0)).kind, Step::Kind::portal);
  EXPECT_EQ(cut->step(at(cut, 0, 0)).portal, 1u);
  EXPECT_EQ(cut->state(at(cut, 0, 0)), CellState::reachable);
  EXPECT_TRUE(cut->optimal_directions(at(cut, 0, 0)).empty());
  EXPECT_EQ(cut->goal_indices()[at(cut, 0, 0).value], 0u);
}

TEST(FieldDirected, BytesKeepPortals) {
  GridMap map = map_of({"..#..", "..#.."});
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {3, 0, 0}, 30}).ok());
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {3, 1, 0}, 20}).ok());
  const FieldRef field = build(graph_of(map.view()), goal(3, 0));
  ASSERT_EQ(field->optimal_portals(at(field, 0, 0)).size(), 2u);
  base::ByteWriter out;
  field::write_field(out, *field);
  base::ByteReader in(out.bytes());
  const Result<FieldRef> read = field::read_field(in, field->shape(), {});
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(in.left(), 0u);
  EXPECT_EQ((*read)->digest(), field->digest());
  EXPECT_EQ((*read)->goal_indices(), field->goal_indices());
  EXPECT_EQ((*read)->step(at(field, 0, 0)).portal, 0u);
  // A field whose portal is missing leads nowhere.
  for (std::size_t size = 0; size < out.size(); ++size) {
    base::ByteReader cut(out.bytes().first(size));
    EXPECT_FALSE(field::read_field(cut, field->shape(), {}).ok()) << size;
  }
}

TEST(FieldDirected, FastEnginesStayOnGraphsWithoutDirections) {
  GridMap map = map_of({"...", "..."});
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {2, 0, 0}, 60, false}).ok());
  BuildReport report;
  build(graph_of(map.view()), goal(0, 0), FieldEngine::automatic, &report);
  EXPECT_EQ(report.engine, FieldEngine::two_cursor);
  build(graph_of(map.view()), goal(0, 0), FieldEngine::directed, &report);
  EXPECT_EQ(report.engine, FieldEngine::directed);
  ASSERT_TRUE(map.apply({{}, {}, {{{{1, 0, 0}, Direction::west}, false, 0}}, {}}).ok());
  for (const FieldEngine asked : {FieldEngine::automatic, FieldEngine::buckets, FieldEngine::heap}) {
    build(graph_of(map.view()), goal(0, 0), asked, &report);
    EXPECT_EQ(report.engine, FieldEngine::directed);
  }
}

// Two portals at the same price: hops decide between a free portal and a way of free steps.
TEST(FieldDirected, AFreePortalIsOneHop) {
  GridMap map = map_of({"....."});
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>(5, 0)).ok());
  ASSERT_TRUE(map.add_portal({{0, 0, 0}, {4, 0, 0}, 0}).ok());
  const FieldRef field = build(graph_of(map.view()), goal(4, 0));
  EXPECT_EQ(field->step(at(field, 0, 0)).kind, Step::Kind::portal);
  EXPECT_EQ(field->step(at(field, 1, 0)).direction, Direction::west);  // two hops; three the other way
  EXPECT_EQ(field->step(at(field, 2, 0)).direction, Direction::east);
}

TEST(Field, AMapOfSeveralPagesIsOneField) {
  GridMapDef def;
  def.width = 20000;
  def.height = 2;
  def.origin = {-300, 7, 0};
  const GridMap map = std::move(GridMap::create(def)).value();
  const FieldRef field = build(graph_of(map.view()), goal(-300, 7));
  EXPECT_EQ(field->cost_to_goal(at(field, 19699, 7)), 199990u);
  EXPECT_EQ(field->cost_to_goal(at(field, 19699, 8)), 199994u);
  EXPECT_EQ(field->step(at(field, 4000, 8)).direction, Direction::west);
}

TEST(Field, LayersAreApartUntilPortalsJoinThem) {
  GridMapDef def;
  def.width = def.height = 3;
  def.layers = 2;
  const GridMap map = std::move(GridMap::create(def)).value();
  BuildReport report;
  const FieldRef field = build(graph_of(map.view()), goals({{{1, 1, 1}, 0}}), FieldEngine::automatic, &report);
  EXPECT_EQ(field->state(at(field, 1, 1, 0)), CellState::unreachable);
  EXPECT_EQ(field->cost_to_goal(at(field, 0, 0, 1)), 14u);
  EXPECT_EQ(report.reachable, 9u);
  EXPECT_EQ(report.unreachable, 9u);
}

TEST(Field, ReportCountsCellsAndNamesTheEngine) {
  BuildReport report;
  build(graph_of({"...#.", "?...#"}), goal(0, 0), FieldEngine::automatic, &report);
  EXPECT_EQ(report.reachable, 6u);
  EXPECT_EQ(report.unreachable, 1u);
  EXPECT_EQ(report.unknown, 1u);
  EXPECT_EQ(report.max_cost, 34u);
  EXPECT_EQ(report.cost_bits, 32);
  EXPECT_EQ(report.engine, FieldEngine::two_cursor);
  EXPECT_STRNE(report.reason, "");
  EXPECT_GT(report.activations, 0u);
}

NavGraph weighted(std::uint32_t left, std::uint32_t right, MovementProfile profile = {}) {
  GridMap map = map_of({"..", ".."});
  const std::uint32_t weights[] = {left, right, left, right};
  EXPECT_TRUE(map.set_weights(0, weights).ok());
  return graph_of(map.view(), profile);
}

FieldEngine chosen(const NavGraph& graph) {
  BuildReport report;
  build(graph, goal(0, 0), FieldEngine::automatic, &report);
  return report.engine;
}

TEST(FieldEngines, TheChoiceFollowsTheCosts) {
  MovementProfile four = body(1, CornerRule::strict, Moves::four), equal;
  equal.costs = CostBase::uniform;
  EXPECT_EQ(chosen(graph_of({".."}, four)), FieldEngine::breadth_first);
  EXPECT_EQ(chosen(graph_of({".."}, equal)), FieldEngine::breadth_first);
  EXPECT_EQ(chosen(graph_of({".."})), FieldEngine::two_cursor);
  EXPECT_EQ(chosen(weighted(5, 5)), FieldEngine::two_cursor);
  EXPECT_EQ(chosen(weighted(5, 6)), FieldEngine::buckets);
  EXPECT_EQ(chosen(weighted(0, 6)), FieldEngine::buckets);
  EXPECT_EQ(chosen(weighted(0, 0)), FieldEngine::buckets);
  // The dearest step, 7 x weight, spans at most 8192 buckets, as wide as the cheapest step rounded down to a power of
  // two.
  EXPECT_EQ(chosen(weighted(1, 4681)), FieldEngine::buckets);
  EXPECT_EQ(chosen(weighted(1, 4682)), FieldEngine::heap);
  EXPECT_EQ(chosen(weighted(200, 936400)), FieldEngine::heap);
  EXPECT_EQ(chosen(weighted(1000, 1048576)), FieldEngine::buckets);
  EXPECT_EQ(chosen(weighted(0, 1170)), FieldEngine::buckets);
  EXPECT_EQ(chosen(weighted(0, 1171)), FieldEngine::buckets);  // divided by 1171: 0 and 1
}

TEST(FieldEngines, OneThatDoesNotApplyIsReplacedAndTheReportSaysSo) {
  BuildReport report;
  build(weighted(5, 6), goal(0, 0), FieldEngine::breadth_first, &report);
  EXPECT_EQ(report.engine, FieldEngine::buckets);
  EXPECT_NE(std::string(report.reason).find("does not apply"), std::string::npos);
}

TEST(FieldEngines, EachHasAName) {
  EXPECT_STREQ(to_string(FieldEngine::two_cursor), "two_cursor");
  EXPECT_STREQ(to_string(CellState::no_room), "no_room");
}

TEST(FieldDigest, DependsOnContentOnly) {
  const std::uint64_t one = build(graph_of({"...", "..."}), goal(0, 0))->digest();
  EXPECT_EQ(build(graph_of({"...", "..."}), goal(0, 0), FieldEngine::heap)->digest(), one);
  EXPECT_NE(build(graph_of({"...", "..."}), goal(1, 0))->digest(), one);
  EXPECT_NE(build(graph_of({"...", "..#"}), goal(0, 0))->digest(), one);
  EXPECT_NE(build(graph_of({"...", "..."}, body(1, CornerRule::strict, Moves::four)), goal(0, 0))->digest(), one);
}

TEST(FieldDigest, IsTheSameForAnyWorkers) {
  Draws draws(7);
  const NavGraph graph = graph_of(draws.rows(700, 300, 20));
  const GoalDef def = goals({{{350, 150, 0}, 0}}, GoalPlacement::nearest);
  const std::uint64_t one = build(graph, def)->digest();
  for (const std::uint32_t workers : {2u, 3u, 8u}) {
    ThreadTasks tasks(workers);
    FieldBuilder builder(tasks.host());
    const Result<FieldRef> field = builder.build(graph, def);
    ASSERT_TRUE(field.ok());
    EXPECT_EQ((*field)->digest(), one) << workers;
  }
}

StatusCode refusal(const NavGraph& graph, const GoalDef& def, std::string* message = nullptr,
                   BuildReport* report = nullptr) {
  FieldBuilder builder;
  const Result<FieldRef> field = builder.build(graph, def, {}, report);
  if (message != nullptr) *message = field.status().message();
  return field.status().code();
}

TEST(FieldGoals, EveryBadOneIsNamedInTheOrderGiven) {
  const NavGraph graph = graph_of({"....", ".#.?", "...."});
  std::string message;
  BuildReport report;
  const GoalDef def = goals({{{0, 0, 0}, 0}, {{3, 1, 0}, 0}, {{1, 1, 0}, 0}, {{9, 9, 0}, 0}, {{0, 0, 2}, 0}});
  EXPECT_EQ(refusal(graph, def, &message, &report), StatusCode::goal_unknown);
  EXPECT_EQ(message, "3,1 goal_unknown; 1,1 goal_blocked; 9,9 goal_outside; 0,0,2 goal_outside; the map is 4x3");
  ASSERT_EQ(report.goals.size(), 5u);
  EXPECT_EQ(report.goals[0].status, StatusCode::ok);
  EXPECT_EQ(report.goals[2].status, StatusCode::goal_blocked);
}

TEST(FieldGoals, ABodyWithoutRoomIsBlocked) {
  EXPECT_EQ(refusal(graph_of({"..", "..", ".#"}, body(2)), goal(0, 1)), StatusCode::goal_blocked);
}

TEST(FieldGoals, ListsHaveALeastAndALargestSize) {
  const NavGraph graph = graph_of({"."});
  EXPECT_EQ(refusal(graph, goals({})), StatusCode::goal_none);
  GoalDef many;
  many.cells.assign(kMaxGoalCells, {{0, 0, 0}, 0});
  EXPECT_EQ(refusal(graph, many), StatusCode::ok);
  many.cells.push_back({{0, 0, 0}, 0});
  EXPECT_EQ(refusal(graph, many), StatusCode::limit_goals);
}

TEST(FieldGoals, AnOffsetThatCouldWrapIsRefused) {
  const NavGraph graph = graph_of({".."});
  const Cost largest = Cost{1} << 62;
  const FieldRef field = build(graph, goals({{{0, 0, 0}, largest}}));
  EXPECT_EQ(field->cost_to_goal(at(field, 1, 0)), largest + 10);
  std::string message;
  EXPECT_EQ(refusal(graph, goals({{{0, 0, 0}, largest + 1}}), &message), StatusCode::cost_range);
  EXPECT_NE(message.find("0,0"), std::string::npos);
}

TEST(FieldGoals, OfOneCellNamedTwiceTheSmallerOffsetCounts) {
  const FieldRef field = build(graph_of({"..."}), goals({{{0, 0, 0}, 30}, {{0, 0, 0}, 5}, {{0, 0, 0}, 5}}));
  EXPECT_EQ(field->goals().size(), 3u);
  EXPECT_EQ(field->cost_to_goal(at(field, 0, 0)), 5u);
  EXPECT_EQ(field->cost_to_goal(at(field, 2, 0)), 25u);
  EXPECT_EQ(field->goal_indices()[at(field, 2, 0).value], 1u);
}

TEST(FieldGoals, IndicesSayWhereDirectionsEnd) {
  const FieldRef field = build(graph_of({".....#."}), goals({{{4, 0, 0}, 0}, {{0, 0, 0}, 0}}));
  const std::vector<std::uint32_t> owner = field->goal_indices();
  EXPECT_EQ(owner[at(field, 0, 0).value], 1u);
  EXPECT_EQ(owner[at(field, 1, 0).value], 1u);
  EXPECT_EQ(owner[at(field, 2, 0).value], 0u);  // equally far: east comes before west
  EXPECT_EQ(owner[at(field, 3, 0).value], 0u);
  EXPECT_EQ(owner[at(field, 5, 0).value], ~0u);
  EXPECT_EQ(owner[at(field, 6, 0).value], ~0u);
}

Cell nearest(const NavGraph& graph, Cell asked) {
  BuildReport report;
  build(graph, goals({{asked, 0}}, GoalPlacement::nearest), FieldEngine::automatic, &report);
  EXPECT_EQ(report.goals[0].asked, asked);
  return report.goals[0].placed;
}

TEST(FieldGoals, NearestIsTheClosestPlacementThenTheFirst) {
  const NavGraph graph = graph_of({"#####", "##.##", "#####", ".###.", "#####"});
  EXPECT_EQ(nearest(graph, {2, 1, 0}), (Cell{2, 1, 0}));
  EXPECT_EQ(nearest(graph, {2, 2, 0}), (Cell{2, 1, 0}));
  EXPECT_EQ(nearest(graph, {2, 3, 0}), (Cell{2, 1, 0}));  // 4, 4 and 4: the least index
  EXPECT_EQ(nearest(graph, {3, 4, 0}), (Cell{4, 3, 0}));
  EXPECT_EQ(nearest(graph, {-1000000, 1000000, 0}), (Cell{0, 3, 0}));
  EXPECT_EQ(nearest(graph, {2147483647, -2147483647 - 1, 0}), (Cell{2, 1, 0}));
}

// The third square ring holds a cell, the fourth a closer one.
TEST(FieldGoals, NearestMeasuresStraightLinesNotRings) {
  std::vector<std::string> rows(9, std::string(9, '#'));
  rows[7][7] = '.';  // 3, 3 away: 18
  rows[4][8] = '.';  // 4, 0 away: 16
  EXPECT_EQ(nearest(graph_of(rows), {4, 4, 0}), (Cell{8, 4, 0}));
}

// 3, 4 and 0, 5 are equally far; the second lies in a later ring but comes first on the map.
TEST(FieldGoals, NearestLooksIntoTheRingThatCanOnlyTie) {
  std::vector<std::string> rows(12, std::string(12, '#'));
  rows[9][8] = '.';
  rows[0][5] = '.';
  EXPECT_EQ(nearest(graph_of(rows), {5, 5, 0}), (Cell{5, 0, 0}));
}

TEST(FieldGoals, NearestEqualsLookingAtEveryCell) {
  Draws draws(3);
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::string> rows = draws.rows(draws.between(1, 14), draws.between(1, 14), 80);
    const NavGraph graph = graph_of(rows);
    if (graph.open_cells() == 0) continue;
    const Cell asked{draws.between(-4, 18), draws.between(-4, 18), 0};
    Cell best;
    std::int64_t least = -1;
    for (std::int32_t y = 0; y < graph.shape().height(); ++y) {
      for (std::int32_t x = 0; x < graph.shape().width(); ++x) {
        const std::int64_t distance = (x - asked.x) * (x - asked.x) + (y - asked.y) * (y - asked.y);
        if (graph.footing({x, y, 0}) != Footing::open || (least >= 0 && distance >= least)) continue;
        least = distance;
        best = {x, y, 0};
      }
    }
    ASSERT_EQ(nearest(graph, asked), best) << "round " << round;
  }
}

TEST(FieldGoals, NearestStaysOnTheLayerAndOnTheMap) {
  EXPECT_EQ(refusal(graph_of({"."}), goals({{{0, 0, 1}, 0}}, GoalPlacement::nearest)), StatusCode::goal_outside);
  EXPECT_EQ(refusal(graph_of({"#"}), goals({{{0, 0, 0}, 0}}, GoalPlacement::nearest)), StatusCode::goal_blocked);
}

TEST(FieldBuilderCalls, ThatMakeNoSenseAreRefused) {
  FieldBuilder builder;
  EXPECT_EQ(builder.build(NavGraph{}, goal(0, 0)).status().code(), StatusCode::argument);
  FieldBuilder moved = std::move(builder);
  EXPECT_TRUE(moved.build(graph_of({"."}), goal(0, 0)).ok());
}

TEST(FieldMemory, BlocksAreUsedAgain) {
  const NavGraph graph = graph_of({"....", "...."});
  FieldBuilder builder;
  FieldRef first = std::move(builder.build(graph, goal(0, 0))).value();
  const std::uint64_t one = first->bytes();
  EXPECT_EQ(builder.live_bytes(), one);
  EXPECT_EQ(builder.pooled_bytes(), 0u);
  FieldRef copy = first;
  first.reset();
  EXPECT_EQ(builder.live_bytes(), one);
  copy.reset();
  EXPECT_EQ(builder.live_bytes(), 0u);
  EXPECT_EQ(builder.pooled_bytes(), one);
  const FieldRef second = std::move(builder.build(graph, goal(3, 1))).value();
  EXPECT_EQ(builder.pooled_bytes(), 0u);
  EXPECT_EQ(second->cost_to_goal(at(second, 0, 0)), 34u);
}

TEST(FieldMemory, ThePoolIsBounded) {
  constexpr int kFields = 40;
  // One column: the padding makes it 5 MB a field, with little to compute.
  GridMapDef def;
  def.width = 1;
  def.height = 25000;
  const NavGraph graph = graph_of(std::move(GridMap::create(def)).value().view());
  FieldBuilder builder;
  std::vector<FieldRef> fields;
  for (int i = 0; i < kFields; ++i) fields.push_back(std::move(builder.build(graph, goal(0, i))).value());
  const std::uint64_t one = fields[0]->bytes();
  EXPECT_EQ(builder.live_bytes(), kFields * one);
  ASSERT_GT(kFields * one, std::uint64_t{128} << 20);
  fields.clear();
  EXPECT_EQ(builder.live_bytes(), 0u);
  EXPECT_GE(builder.pooled_bytes(), one);
  EXPECT_LE(builder.pooled_bytes(), std::uint64_t{128} << 20);
}

TEST(FieldMemory, AFieldOutlivesItsBuilder) {
  FieldRef field;
  {
    FieldBuilder builder;
    field = std::move(builder.build(graph_of({"..."}), goal(0, 0))).value();
  }
  EXPECT_EQ(field->cost_to_goal(at(field, 2, 0)), 20u);
}

/// Counts what is taken and given back; refuses from the n-th request on.
struct Ledger {
  std::mutex mutex;
  std::map<void*, std::size_t> taken;
  int requests = 0, refuse_from = -1;

  Host host() {
    Host h;
    h.allocator = {this,
                   [](void* c, std::size_t bytes, std::size_t alignment) {
                     return static_cast<Ledger*>(c)->take(bytes, alignment);
                   },
                   [](void* c, void* block, std::size_t bytes, std::size_t alignment) {
                     static_cast<Ledger*>(c)->give_back(block, bytes, alignment);
                   }};
    return h;
  }
  void* take(std::size_t bytes, std::size_t alignment) {
    const std::lock_guard lock(mutex);
    if (refuse_from >= 0 && requests >= refuse_from) return nullptr;
    ++requests;
    void* block = ::operator new (bytes, std::align_val_t{alignment});
    taken[block] = bytes;
    return block;
  }
  void give_back(void* block, std::size_t bytes, std::size_t alignment) {
    const std::lock_guard lock(mutex);
    ASSERT_EQ(taken[block], bytes);
    taken.erase(block);
    ::operator delete (block, std::align_val_t{alignment});
  }
};

TEST(FieldMemory, FieldsMayBeReleasedOnAnyThread) {
  Ledger ledger;
  {
    const NavGraph graph = graph_of({"....", "...."});
    FieldBuilder builder(ledger.host());
    for (int round = 0; round < 50; ++round) {
      std::vector<std::thread> readers;
      for (int i = 0; i < 4; ++i) {
        FieldRef field = std::move(builder.build(graph, goal(i, 0))).value();
        readers.emplace_back([held = std::move(field), i]() mutable {
          EXPECT_EQ(held->state(at(held, i, 0)), CellState::goal);
          held.reset();
        });
      }
      for (std::thread& reader : readers) reader.join();
      EXPECT_EQ(builder.live_bytes(), 0u);
    }
  }
  EXPECT_TRUE(ledger.taken.empty());
}

// Every request in turn is refused; the next build, with memory again, gives the same field as ever.
TEST(FieldMemory, RunningOutLeavesTheBuilderAsItWas) {
  Draws draws(5);
  const std::vector<std::string> rows = draws.rows(60, 40, 10);
  GridMap map = map_of(rows);
  std::vector<std::uint32_t> weights(60 * 40);
  for (std::uint32_t& w : weights) w = 1 + draws.below(9);
  ASSERT_TRUE(map.set_weights(0, weights).ok());
  const NavGraph uneven = graph_of(map.view()), even = graph_of(rows);
  const GoalDef def = goals({{{30, 20, 0}, 0}}, GoalPlacement::nearest);
  int refused = 0;
  for (const NavGraph& graph : {uneven, even}) {
    for (const FieldEngine engine :
         {FieldEngine::automatic, FieldEngine::heap, FieldEngine::breadth_first, FieldEngine::directed}) {
      const std::uint64_t want = build(graph, def, engine)->digest();
      Ledger ledger;
      {
        FieldBuilder builder(ledger.host());
        for (int allowed = 0;; ++allowed) {
          ledger.requests = 0;
          ledger.refuse_from = allowed;
          const Result<FieldRef> field = builder.build(graph, def, {engine});
          if (field) break;
          ++refused;
          ASSERT_EQ(field.status().code(), StatusCode::out_of_memory);
          EXPECT_EQ(builder.live_bytes(), 0u);
        }
        ledger.refuse_from = -1;
        const Result<FieldRef> field = builder.build(graph, def, {engine});
        ASSERT_TRUE(field.ok());
        EXPECT_EQ((*field)->digest(), want);
      }
      EXPECT_TRUE(ledger.taken.empty());
    }
  }
  EXPECT_GT(refused, 12);
}

}  // namespace
}  // namespace drover::test
