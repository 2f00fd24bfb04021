// SPDX-License-Identifier: MIT
// Planned forests on drawn maps: forecasts worked by hand, a gate cell that would be shut in, who goes first.
#include "crowd/forest_arbiter.hpp"
#include "crowd/forest_bytes.hpp"
#include "crowd/forest_planner.hpp"
#include "support/carry_out.hpp"
#include "support/grids.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace drover::test {
namespace {

// 'G' gate cells, 'a' agents with keys in reading order.
class Drawn {
 public:
  explicit Drawn(std::vector<std::string> rows, Moves moves = Moves::four, Following following = Following::allowed) {
    std::vector<Cell> gates, starts;
    for (std::size_t y = 0; y < rows.size(); ++y)
      for (std::size_t x = 0; x < rows[y].size(); ++x) {
        char& c = rows[y][x];
        const Cell cell{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0};
        if (c == 'G') gates.push_back(cell);
        if (c == 'a') starts.push_back(cell);
        if (c != '#') c = '.';
      }
    graph_ = graph_of(rows, body(1, CornerRule::strict, moves));
    crowd::PairTable table(BodyRule::cells);
    const std::uint8_t one = table.add({1, Fixed::ratio(35, 100)});
    std::vector<std::uint32_t> cells;
    for (const Cell c : gates) cells.push_back(graph_.shape().index(c).value);
    planner_.emplace(crowd::ForestGround({std::shared_ptr<const void>(), &graph_.compiled()}, cells,
                                         crowd::ForestRules::of(table, one, following)));
    for (const Cell c : starts) {
      const std::uint32_t a = agents.append();
      agents.key[a] = a + 1;
      agents.cell[a] = graph_.shape().index(c).value;
    }
  }

  std::shared_ptr<const crowd::Forest> plan(const crowd::Forest* kept = nullptr) {
    return planner_->plan(agents.cell, kept);
  }
  /// Keys in the order of arrival, tick by tick.
  std::vector<std::vector<std::uint64_t>> run() {
    crowd::ForestArbiter arbiter(graph_.shape());
    arbiter.adopt(plan());
    for (std::uint32_t a = 0; a < agents.size(); ++a) arbiter.add(agents, a);
    std::vector<std::vector<std::uint64_t>> out;
    while (arbiter.size() > 0 && out.size() < 100) {
      out.emplace_back();
      for (const std::uint32_t a : arbiter.decide(agents)) out.back().push_back(agents.key[a]);
      carry_out(agents, graph_.shape());
    }
    return out;
  }
  NavGraph& graph() { return graph_; }
  const crowd::ForestGround& ground() const { return planner_->ground(); }

  crowd::Agents agents;

 private:
  NavGraph graph_;
  std::optional<crowd::ForestPlanner> planner_;
};

using Arrivals = std::vector<std::vector<std::uint64_t>>;

TEST(ForestForecast, ATrainLeavesOneATick) {
  EXPECT_EQ(Drawn({"aaaG"}).plan()->forecast(), (crowd::Forecast{3, 6}));
  EXPECT_EQ(Drawn({"aa..G"}).plan()->forecast(), (crowd::Forecast{4, 7}));
}

TEST(ForestForecast, WhereNobodyMayFollowEverySecondTick) {
  EXPECT_EQ(Drawn({"aaaG"}, Moves::four, Following::forbidden).plan()->forecast(), (crowd::Forecast{5, 9}));
  EXPECT_EQ(Drawn({"a.a.G"}, Moves::four, Following::forbidden).plan()->forecast(), (crowd::Forecast{4, 6}));
  EXPECT_EQ(Drawn({"aaaG"}, Moves::four, Following::forbidden).run(), (Arrivals{{3}, {}, {2}, {}, {1}}));
}

TEST(ForestForecast, BranchesThatMergeAreOneQueue) {
  // Depths 1, 2, 2, 2: 1 + 2 + 3 + 4.
  EXPECT_EQ(Drawn({"#a#", "aaa", "#G#"}).plan()->forecast(), (crowd::Forecast{4, 10}));
}

TEST(ForestPlanner, AGateCellBehindAnotherBasinGetsALane) {
  // The left gate cell is nearest to all. Through both: 10 agents at depths 2 .. 6, at best done at tick 6.
  Drawn drawn({"aaaaa###", "aaaaa###", "G#......", "##G#####"});
  const auto forest = drawn.plan();
  EXPECT_EQ(forest->left_out(), 0u);
  EXPECT_GT(forest->finish()[1], 0u);
  EXPECT_LT(forest->forecast().finish, 10u);
}

TEST(ForestPlanner, AKeptPlanIsOnlyReplacedByABetterOne) {
  Drawn drawn({"aaaaaaa", "aaaaaaa", "aaaaaaa", "#G###G#"});
  std::shared_ptr<const crowd::Forest> forest = drawn.plan();
  for (int i = 0; i < 5; ++i) {
    const auto next = drawn.plan(forest.get());
    EXPECT_LE(next->forecast().finish, forest->forecast().finish);
    EXPECT_EQ(next->round(), forest->round() + 1);
    forest = next;
  }
  EXPECT_EQ(forest->forecast().finish, 11u);
}

TEST(ForestPlanner, TheAnswerDependsOnTheQuestionOnly) {
  const std::vector<std::string> rows{"aa#aaaaa#aaa", "aaaaa#aaaaaa", "aa#aaaaaa#aa", "aaaa#aaaa.aa", "#G##GGG##..#"};
  Drawn asked(rows, Moves::eight), fresh(rows, Moves::eight);
  std::shared_ptr<const crowd::Forest> kept = asked.plan();
  for (int i = 0; i < 20; ++i) kept = asked.plan(kept.get());
  const auto next = asked.plan(kept.get()), same = fresh.plan(kept.get());
  EXPECT_EQ(next->forecast(), same->forecast());
  for (std::uint32_t cell = 0; cell < asked.graph().shape().padded_cells(); ++cell) {
    ASSERT_EQ(next->at(cell).tree, same->at(cell).tree);
    ASSERT_EQ(next->at(cell).step, same->at(cell).step);
    ASSERT_EQ(next->at(cell).depth, same->at(cell).depth);
  }
}

TEST(ForestPlanner, AWayThatCannotBeTakenLeavesAgentsOut) {
  EXPECT_EQ(Drawn({"a#G"}).plan()->left_out(), 1u);
  EXPECT_EQ(Drawn({"a#GG"}).plan()->left_out(), 1u);
}

TEST(ForestArbiter, TheHigherClassThenTheOlderThenTheSmallerKeyGoesFirst) {
  const std::vector<std::string> rows{"#a#", "a.a", "#G#"};
  EXPECT_EQ(Drawn(rows).run(), (Arrivals{{}, {1}, {2}, {3}}));
  Drawn classes(rows);
  classes.agents.priority_class[2] = 1;
  EXPECT_EQ(classes.run(), (Arrivals{{}, {3}, {1}, {2}}));
  Drawn ages(rows);
  ages.agents.age[1] = 5;
  EXPECT_EQ(ages.run(), (Arrivals{{}, {2}, {1}, {3}}));
}

// Every cell's byte changed to every value: no forest, or one whose steps are legal and end at a gate cell.
TEST(ForestBytes, ComeBackAsTheyWereOrAreRefused) {
  Drawn drawn({"aa.a", "a..a", "#G#G"}, Moves::eight);
  const auto forest = drawn.plan();
  base::ByteWriter out{std::vector<std::byte>{}};
  crowd::write_forest(out, *forest);
  const std::vector<std::byte> bytes = out.take();
  const std::uint32_t cells = drawn.graph().shape().padded_cells();
  base::ByteReader whole(bytes);
  const auto same = crowd::read_forest(whole, drawn.ground());
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(whole.left(), 0u);
  EXPECT_EQ(same->forecast(), forest->forecast());
  for (std::uint32_t cell = 0; cell < cells; ++cell) EXPECT_EQ(same->at(cell).depth, forest->at(cell).depth);
  std::size_t refused = 0;
  for (std::uint32_t cell = 0; cell < cells; ++cell)
    for (int value = 0; value < 12; ++value) {
      std::vector<std::byte> other = bytes;
      other[cell] = static_cast<std::byte>(value);
      base::ByteReader in(other);
      const auto read = crowd::read_forest(in, drawn.ground());
      refused += read == nullptr ? 1u : 0u;
      if (read == nullptr) continue;
      for (std::uint32_t from = 0; from < cells; ++from) {
        const crowd::ForestCell& here = read->at(from);
        if (here.step == crowd::kStay) continue;
        ASSERT_NE(drawn.graph().compiled().moves()[from] >> here.step & 1, 0);
        ASSERT_EQ(read->at(from + drawn.ground().steps[here.step]).depth + 1, here.depth);
      }
    }
  EXPECT_GT(refused, cells);
}

TEST(ForestRules, SharpTurnsAreNotFollowedByDiscs) {
  crowd::PairTable table(BodyRule::discs);
  const std::uint8_t usual = table.add({1, Fixed::ratio(35, 100)});
  const crowd::ForestRules rules = crowd::ForestRules::of(table, usual, Following::allowed);
  const auto east = static_cast<std::uint8_t>(Direction::east);
  EXPECT_EQ(rules.spacing, 1u);
  EXPECT_TRUE(rules.follows(east, static_cast<std::uint8_t>(Direction::north)));
  EXPECT_TRUE(rules.follows(east, static_cast<std::uint8_t>(Direction::south_east)));
  EXPECT_FALSE(rules.follows(east, static_cast<std::uint8_t>(Direction::north_west)));
  EXPECT_FALSE(rules.follows(east, static_cast<std::uint8_t>(Direction::west)));
}

TEST(ForestRules, WideBodiesWalkStraightWithAFreeCellBetween) {
  crowd::PairTable table(BodyRule::discs);
  const crowd::ForestRules rules =
      crowd::ForestRules::of(table, table.add({1, Fixed::ratio(1, 2)}), Following::allowed);
  EXPECT_EQ(rules.spacing, 2u);
  EXPECT_EQ(rules.directions, 0x0F);
}

}  // namespace
}  // namespace drover::test
