// SPDX-License-Identifier: MIT
// The oracle that ships against the one of the tests, and against fields with one fault.
#include "field/field_data.hpp"
#include "io/field_claims.hpp"
#include "property/directed_world.hpp"
#include "support/data.hpp"

#include <gtest/gtest.h>
#include <drover/verify.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace drover::test {
namespace {

int rounds(int usual) { return long_run() ? usual * 20 : usual; }

constexpr std::uint64_t kAllCells = 1u << 20;  // more than any world here has

DirectedWorld random_world(std::uint64_t seed, int most) {
  const WorldPlan plan = draw_world(seed, most);
  return DirectedWorld(plan, draw_edges(seed, plan));
}

std::vector<FieldTarget> targets_of(const World& world) {
  std::vector<FieldTarget> targets;
  for (const GoalCell& goal : world.goal.cells) targets.push_back({goal.cell, goal.offset});
  return targets;
}

/// The answers of tests/oracle in the words of the one that ships.
class ReferenceClaims {
 public:
  explicit ReferenceClaims(const DirectedWorld& world)
      : shape_(world.view().shape()),
        portals_(world.view().portals().begin(), world.view().portals().end()),
        want_(oracle::directed_field(world.world().ground, world.world().body, world.directed(),
                                     world.world().targets)) {}

  FieldClaims claims() const {
    return {[this](CellIndex i) { return claim(i); }, [this] { return goal_of(); }};
  }

 private:
  std::size_t number(CellIndex i) const {
    const Cell c = shape_.cell(i), origin = shape_.origin();
    return static_cast<std::size_t>((c.layer * shape_.height() + c.y - origin.y) * shape_.width() + c.x - origin.x);
  }
  CellClaim claim(CellIndex i) const {
    const std::size_t n = number(i);
    CellClaim c;
    c.cost = want_.cost[n];
    c.ties.bits = want_.ties[n];
    for (const std::uint32_t p : want_.portals[n]) c.portals.push_back({p, shape_.index(portals_[p].to)});
    switch (const char letter = want_.letters[n]) {
      case 'G':
        c.state = ClaimedState::goal;
        break;
      case 'x':
        c.state = ClaimedState::unreachable;
        break;
      case '#':
        c.state = ClaimedState::blocked;
        break;
      case 'o':
        c.state = ClaimedState::no_room;
        break;
      case '?':
        c.state = ClaimedState::unknown;
        break;
      default:
        c.state = ClaimedState::reachable;
        c.step = letter == 'P' ? CellClaim::kPortalStep + want_.portals[n].front()
                               : static_cast<std::uint32_t>(letter - '0');
    }
    return c;
  }
  std::vector<std::uint32_t> goal_of() const {
    std::vector<std::uint32_t> goals(shape_.padded_cells(), ~0u);
    for (std::uint32_t i = 0; i < goals.size(); ++i) {
      if (i >= GridShape::kFront && shape_.contains(shape_.cell({i})) && shape_.index(shape_.cell({i})).value == i)
        goals[i] = want_.goal_of[number({i})];
    }
    return goals;
  }

  GridShape shape_;
  std::vector<PortalDef> portals_;
  oracle::DirectedReference want_;
};

std::string text_of(const FieldVerdict& verdict) {
  if (!verdict.first) return verdict.stopped ? "stopped" : "";
  const WrongCell& w = *verdict.first;
  return std::to_string(verdict.wrong) + " wrong, first " + std::to_string(w.cell.x) + "," + std::to_string(w.cell.y) +
         "," + std::to_string(w.cell.layer) + " fault " + std::to_string(static_cast<int>(w.fault)) + ": " +
         to_string(w.found.state) + " " + std::to_string(w.found.cost) + " step " + std::to_string(w.found.step) +
         " ties " + std::to_string(w.found.ties.bits) + " not " + to_string(w.expected.state) + " " +
         std::to_string(w.expected.cost) + " step " + std::to_string(w.expected.step) + " ties " +
         std::to_string(w.expected.ties.bits);
}

FieldVerdict judge(const DirectedWorld& world, const FieldClaims& claims, std::uint64_t all_starts = kAllCells) {
  OracleOptions options;
  options.all_starts = all_starts;
  const Result<FieldVerdict> verdict =
      verify_field(world.view(), world.world().profile, targets_of(world.world()), claims, options);
  EXPECT_TRUE(verdict.ok()) << verdict.status().message();
  return verdict.ok() ? *verdict : FieldVerdict{};
}

TEST(FieldOracle, AgreesWithTheOracleOfTheTestsOnEveryCell) {
  int judged = 0;
  for (int i = 0; i < rounds(500); ++i) {
    DirectedWorld world = random_world(static_cast<std::uint64_t>(i), i % 10 == 0 ? 32 : 9);
    for (int change = 0; change < 2; ++change) {
      if (change > 0) world.edit();
      if (world.world().targets.empty()) continue;
      const ReferenceClaims reference(world);
      const std::uint64_t all_starts = i % 2 == 0 ? kAllCells : 0;
      const FieldVerdict verdict = judge(world, reference.claims(), all_starts);
      ASSERT_EQ(text_of(verdict), "") << "world " << i << ", change " << change;
      ASSERT_EQ(verdict.cells, world.view().shape().cell_count());
      ASSERT_EQ(verdict.sampled, all_starts == 0);
      ++judged;
    }
  }
  EXPECT_GT(judged, 800);
}

TEST(FieldOracle, AgreesWithTheProductWhateverTheTotals) {
  FieldBuilder builder;
  for (int i = 0; i < rounds(150); ++i) {
    const auto seed = 5000000u + static_cast<std::uint64_t>(i);
    WorldPlan plan = draw_world(seed, 12);
    EdgePlan edges = draw_edges(seed, plan);
    plan.most_weight = kMaxCellCost;
    edges.most_extra = edges.most_portal = kMaxEdgeCost;
    const DirectedWorld world(plan, edges);
    if (world.world().targets.empty()) continue;
    const NavGraph graph = *NavGraph::compile(world.view(), world.world().profile);
    const FieldRef field = *builder.build(graph, world.goal());
    ASSERT_EQ(text_of(judge(world, io::claims_of(*field), i % 2 == 0 ? kAllCells : 0)), "") << "world " << i;
  }
}

/// A field of which one byte is changed at a time.
class Mutant {
 public:
  Mutant(const DirectedWorld& world, std::uint64_t seed) : world_(world), draw_(seed) {
    const NavGraph graph = *NavGraph::compile(world.view(), world.world().profile);
    field_ = *FieldBuilder().build(graph, world.goal());
    // The builder makes nothing else, and the object itself is not const.
    data_ = const_cast<field::FlowFieldData*>(static_cast<const field::FlowFieldData*>(field_.get()));
  }

  std::vector<CellIndex> cells(bool (*wanted)(CellState)) const {
    std::vector<CellIndex> found;
    const GridShape& shape = field_->shape();
    for (std::int32_t layer = 0; layer < shape.layers(); ++layer) {
      for (std::int32_t y = 0; y < shape.height(); ++y) {
        for (std::int32_t x = 0; x < shape.width(); ++x) {
          const CellIndex i{shape.at(x, y, layer)};
          if (wanted(field_->state(i))) found.push_back(i);
        }
      }
    }
    return found;
  }
  field::FlowFieldData& data() { return *data_; }
  /// Calls change(what is stored as the cell's cost).
  template <class Change>
  void with_cost(CellIndex cell, Change&& change) {
    switch (data_->width()) {
      case field::FlowFieldData::Width::bits16:
        return change(data_->costs<std::uint16_t>()[cell.value]);
      case field::FlowFieldData::Width::bits32:
        return change(data_->costs<std::uint32_t>()[cell.value]);
      case field::FlowFieldData::Width::bits64:
        return change(data_->costs<std::uint64_t>()[cell.value]);
    }
  }
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(draw_.below(static_cast<int>(n))); }
  std::uint32_t other_than(std::uint32_t value, std::uint32_t count) {
    return (value + 1 + static_cast<std::uint32_t>(draw_.below(static_cast<int>(count - 1)))) % count;
  }

  /// Exactly this cell is wrong, whether all cells are starts or few.
  void expect_found(CellIndex cell, const std::string& what) {
    for (const std::uint64_t all_starts : {kAllCells, std::uint64_t{0}}) {
      const FieldVerdict verdict = judge(world_, io::claims_of(*field_), all_starts);
      ASSERT_EQ(verdict.wrong, 1u) << what << ": " << text_of(verdict);
      ASSERT_EQ(verdict.first->cell, field_->shape().cell(cell)) << what << ": " << text_of(verdict);
      ASSERT_EQ(verdict.first->fault, ClaimFault::cell) << what;
      ASSERT_NE(verdict.first->found, verdict.first->expected) << what;
    }
  }

 private:
  const DirectedWorld& world_;
  Draw draw_;
  FieldRef field_;
  field::FlowFieldData* data_ = nullptr;
};

bool is_reachable(CellState s) { return s == CellState::reachable; }
bool has_cost(CellState s) { return s == CellState::reachable || s == CellState::goal; }
bool is_any(CellState) { return true; }

template <class Alter>
void with_every_world(bool (*wanted)(CellState), Alter alter) {
  int altered = 0;
  for (int i = 0; i < rounds(150); ++i) {
    const DirectedWorld world = random_world(7000000u + static_cast<std::uint64_t>(i), 12);
    if (world.world().targets.empty()) continue;
    Mutant mutant(world, static_cast<std::uint64_t>(i));
    const std::vector<CellIndex> cells = mutant.cells(wanted);
    if (cells.empty()) continue;
    std::size_t at = mutant.pick(cells.size());
    std::string what = alter(mutant, cells[at]);
    for (std::size_t tries = 1; what.empty() && tries < cells.size(); ++tries) {
      at = (at + 1) % cells.size();
      what = alter(mutant, cells[at]);
    }
    if (what.empty()) continue;
    const CellIndex cell = cells[at];
    ++altered;
    mutant.expect_found(cell, "world " + std::to_string(i) + " " + what);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(altered, 30);
}

TEST(FieldOracleMutants, OneCostIsFound) {
  with_every_world(has_cost, [](Mutant& m, CellIndex cell) {
    const std::uint32_t by = m.pick(2) == 0 ? 1u : ~0u;
    m.with_cost(cell, [&](auto& cost) { cost = static_cast<std::remove_cvref_t<decltype(cost)>>(cost + by); });
    return std::string("cost");
  });
}

TEST(FieldOracleMutants, OneDirectionIsFound) {
  with_every_world(is_reachable, [](Mutant& m, CellIndex cell) {
    std::uint8_t& ties = m.data().ties()[cell.value];
    const std::uint8_t first = m.data().code(cell);
    if (first >= kDirections) return std::string();
    const std::uint32_t other = m.other_than(first, kDirections);
    // Later ties stay; where the other one comes after them, they go.
    const std::uint32_t rest = (ties & ~(1u << first)) >> other << other;
    ties = static_cast<std::uint8_t>(rest | 1u << other);
    return std::string("direction");
  });
}

TEST(FieldOracleMutants, AnotherMemberOfTheTieSetAsFirstStepIsFound) {
  with_every_world(is_reachable, [](Mutant& m, CellIndex cell) {
    const DirectionSet ties = m.data().optimal_directions(cell);
    if (ties.size() < 2) return std::string();
    m.data().ties()[cell.value] = static_cast<std::uint8_t>(ties.bits & (ties.bits - 1));
    return std::string("second tie");
  });
}

TEST(FieldOracleMutants, OneTieBitIsFoundAlsoOfGoalsAndWalls) {
  with_every_world(is_any, [](Mutant& m, CellIndex cell) {
    std::uint8_t& ties = m.data().ties()[cell.value];
    ties = static_cast<std::uint8_t>(ties ^ 1u << m.pick(kDirections));
    return std::string("tie bit");
  });
}

TEST(FieldOracleMutants, OneStateIsFound) {
  with_every_world(is_any, [](Mutant& m, CellIndex cell) {
    const std::uint8_t code = m.data().code(cell);
    const std::uint32_t state = code < FlowField::kGoalCode ? 0 : code - FlowField::kGoalCode + 1u;
    const std::uint32_t other = m.other_than(state, 7);
    if (other == 1 && !m.data().optimal_portals(cell).empty()) return std::string();
    m.data().ties()[cell.value] = other == 0 ? 1 : 0;
    m.with_cost(cell, [&](auto& cost) {
      using T = std::remove_cvref_t<decltype(cost)>;
      const T none = field::FlowFieldData::kNone<T>;
      if (other < 2 && cost >= none) cost = 0;
      if (other >= 2) cost = field::FlowFieldData::state_cost<T>(static_cast<std::uint8_t>(other - 2));
    });
    EXPECT_EQ(m.data().code(cell), other == 0 ? 0 : other - 1 + FlowField::kGoalCode);
    return std::string("state");
  });
}

TEST(FieldOracleMutants, OnePortalIsFound) {
  with_every_world(is_reachable, [](Mutant& m, CellIndex cell) {
    std::vector<std::uint32_t> cells(m.data().portal_cells().begin(), m.data().portal_cells().end());
    std::vector<PortalStep> steps(m.data().portal_steps().begin(), m.data().portal_steps().end());
    const auto after = std::upper_bound(cells.begin(), cells.end(), cell.value);
    steps.insert(steps.begin() + (after - cells.begin()), {1000, cell});
    cells.insert(after, cell.value);
    m.data().set_portal_steps(cells, steps);
    return std::string("portal");
  });
}

TEST(FieldOracle, AWrongGoalOfACellIsFound) {
  int found = 0;
  for (int i = 0; i < rounds(100); ++i) {
    const DirectedWorld world = random_world(8000000u + static_cast<std::uint64_t>(i), 10);
    if (world.world().targets.empty()) continue;
    const ReferenceClaims reference(world);
    FieldClaims claims = reference.claims();
    const CellIndex goal = world.view().shape().index(world.goal().cells.front().cell);
    claims.goal_of = [goals = claims.goal_of(), goal]() mutable {
      goals[goal.value] += 1;
      return goals;
    };
    const FieldVerdict verdict = judge(world, claims);
    ASSERT_EQ(verdict.wrong, 1u) << text_of(verdict);
    ASSERT_EQ(verdict.first->fault, ClaimFault::goal);
    ASSERT_EQ(verdict.first->found_goal, verdict.first->expected_goal + 1);
    ++found;
  }
  EXPECT_GT(found, 50);
}

TEST(FieldOracle, MovesGoalsAsTheProductDoes) {
  FieldBuilder builder;
  int moved = 0;
  for (int i = 0; i < rounds(400); ++i) {
    const DirectedWorld world = random_world(9000000u + static_cast<std::uint64_t>(i), 12);
    if (world.world().targets.empty()) continue;
    Draw draw(static_cast<std::uint64_t>(i));
    const GridShape& shape = world.view().shape();
    const Cell asked{shape.origin().x + draw.below(shape.width() + 6) - 3,
                     shape.origin().y + draw.below(shape.height() + 6) - 3, draw.below(shape.layers())};
    const NavGraph graph = *NavGraph::compile(world.view(), world.world().profile);
    for (const auto& [ours, theirs] : {std::pair{TargetPlacement::exact, GoalPlacement::exact},
                                       std::pair{TargetPlacement::nearest, GoalPlacement::nearest}}) {
      const Result<FieldRef> field = builder.build(graph, {{{asked, 0}}, theirs});
      const std::optional<Cell> place =
          place_targets(world.view(), world.world().profile, std::vector<Cell>{asked}, ours).front();
      ASSERT_EQ(field.ok(), place.has_value()) << "world " << i;
      if (!place) continue;
      ASSERT_EQ((*field)->goals().front().placed, *place) << "world " << i;
      moved += *place == asked ? 0 : 1;
    }
  }
  EXPECT_GT(moved, 50);
}

}  // namespace
}  // namespace drover::test
