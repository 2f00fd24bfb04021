// SPDX-License-Identifier: MIT
// The validator: every kind of violation provoked once, beside a neighbour that is allowed.
#include <gtest/gtest.h>
#include <drover/verify.hpp>

#include <initializer_list>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

namespace drover {

static std::ostream& operator<<(std::ostream& out, ViolationKind kind) { return out << to_string(kind); }

namespace {

using enum ViolationKind;
using Kinds = std::vector<ViolationKind>;
using Rows = std::vector<std::string_view>;

MovementProfile body(int footprint, Fixed radius) {
  MovementProfile p;
  p.footprint = footprint;
  p.body_radius = radius;
  return p;
}
MovementProfile disc(std::int32_t ten_thousandths) { return body(1, Fixed::ratio(ten_thousandths, 10000)); }
MovementProfile cutting(CornerRule rule) {
  MovementProfile p;
  p.corner = rule;
  return p;
}

struct Step {
  std::uint64_t agent;
  Cell from, to;
};

/// A map, a validator, and ticks that count themselves.
class Judge {
 public:
  explicit Judge(const Rows& rows, std::vector<MovementProfile> profiles = {MovementProfile{}},
                 ValidatorRules rules = {})
      : map_(GridMap::from_rows(rows).value()), validator_(map_.view(), profiles, rules) {}

  Judge& enter(std::uint64_t agent, Cell at, std::uint32_t profile = 0) {
    validator_.enter(agent, profile, at);
    return *this;
  }
  Judge& tick(std::initializer_list<Step> steps) {
    std::vector<MoveRecord> records;
    for (const Step& s : steps) records.push_back({s.agent, s.from, s.to, tick_});
    return raw_tick(records);
  }
  Judge& raw_tick(const std::vector<MoveRecord>& records) {
    validator_.tick(++tick_, records);
    return *this;
  }
  Judge& edit(const MapEdit& edit) {
    EXPECT_TRUE(map_.apply(edit).ok());
    validator_.set_map(map_.view());
    return *this;
  }
  Kinds kinds() const {
    Kinds all;
    for (const Violation& v : validator_.first()) all.push_back(v.kind);
    return all;
  }
  GridMap& map() { return map_; }
  Validator& validator() { return validator_; }

 private:
  GridMap map_;
  Validator validator_;
  std::uint64_t tick_ = 0;
};

const Rows kOpen = {"........", "........", "........", "........", "........", "........", "........", "........"};

/// What two agents of the given profiles are told for one tick in the open.
Kinds pair(ValidatorRules rules, const MovementProfile& first, Cell a, Cell a_to, const MovementProfile& second, Cell b,
           Cell b_to) {
  Judge judge(kOpen, {first, second}, rules);
  judge.enter(1, a, 0).enter(2, b, 1);
  std::vector<MoveRecord> records;
  if (!(a == a_to)) records.push_back({1, a, a_to, 0});
  if (!(b == b_to)) records.push_back({2, b, b_to, 0});
  return judge.raw_tick(records).kinds();
}
Kinds discs(std::int32_t ten_thousandths, Cell a, Cell a_to, Cell b, Cell b_to) {
  const MovementProfile p = disc(ten_thousandths);
  return pair({}, p, a, a_to, p, b, b_to);
}
Kinds cells(Cell a, Cell a_to, Cell b, Cell b_to) {
  const MovementProfile p = disc(5000);
  return pair({BodyRule::cells, Following::allowed}, p, a, a_to, p, b, b_to);
}

// --- what a record says

TEST(Record, LegalStepsAndStandingStillAreClean) {
  Judge judge(kOpen);
  judge.enter(7, {1, 1}).enter(8, {5, 5}).tick({{7, {1, 1}, {2, 2}}}).tick({}).tick({{7, {2, 2}, {2, 1}}});
  EXPECT_EQ(judge.kinds(), Kinds{});
  EXPECT_EQ(judge.validator().moves(), 2u);
  EXPECT_EQ(judge.validator().violations(), 0u);
}

TEST(Record, MustStartWhereTheAgentWasLastSeen) {
  Judge judge(kOpen);
  judge.enter(7, {1, 1}).tick({{7, {2, 1}, {3, 1}}});
  ASSERT_EQ(judge.kinds(), Kinds{unexplained});
  const Violation v = judge.validator().first()[0];
  EXPECT_EQ(v.tick, 1u);
  EXPECT_EQ(v.agent, 7u);
  EXPECT_EQ(v.other, 0u);
  EXPECT_EQ(v.cell, (Cell{3, 1}));
}

TEST(Record, AfterAFaultTheAgentIsWhereItsRecordEnded) {
  Judge judge(kOpen);
  judge.enter(7, {1, 1}).tick({{7, {2, 1}, {3, 1}}}).tick({{7, {3, 1}, {4, 1}}});
  EXPECT_EQ(judge.kinds(), Kinds{unexplained});
}

TEST(Record, OfAnAgentThatNeverEnteredOrHasLeftIsUnexplained) {
  Judge judge(kOpen);
  judge.tick({{7, {1, 1}, {2, 1}}}).enter(8, {4, 4});
  judge.validator().leave(8);
  judge.tick({{8, {4, 4}, {5, 4}}});
  EXPECT_EQ(judge.kinds(), (Kinds{unexplained, unexplained}));
}

TEST(Record, ThatStartsOnAnotherAgentsCellIsUnexplained) {
  Judge judge(kOpen);
  judge.enter(1, {1, 1}).enter(2, {5, 1}).tick({{1, {5, 1}, {6, 1}}});
  EXPECT_EQ(judge.kinds(), Kinds{unexplained});
}

TEST(Record, TheSecondOfATickIsADuplicateAndDoesNotCount) {
  Judge judge(kOpen);
  judge.enter(7, {1, 1}).tick({{7, {1, 1}, {2, 1}}, {7, {1, 1}, {1, 2}}});
  EXPECT_EQ(judge.kinds(), Kinds{duplicate_record});
  judge.tick({{7, {2, 1}, {3, 1}}});
  EXPECT_EQ(judge.kinds(), Kinds{duplicate_record});
}

TEST(Record, MustEndInTheTickThatIsChecked) {
  for (const std::uint64_t start : {std::uint64_t{1}, std::uint64_t{5}, ~std::uint64_t{0}}) {
    Judge judge(kOpen);
    judge.enter(7, {1, 1}).raw_tick({{7, {1, 1}, {2, 1}, start}});
    EXPECT_EQ(judge.kinds(), Kinds{unexplained}) << start;
  }
}

TEST(Record, OfMoreThanOneTickIsUnexplainedWhileStepsAreUnit) {
  Judge judge(kOpen);
  judge.enter(7, {1, 1}).enter(8, {1, 4});
  judge.raw_tick({}).raw_tick({{7, {1, 1}, {2, 1}, 0, 2}, {8, {1, 4}, {2, 4}, 1, 1, 3}});
  EXPECT_EQ(judge.kinds(), (Kinds{unexplained, unexplained}));
}

// --- jumps

MoveRecord jump(std::uint64_t agent, Cell from, Cell to, std::uint64_t start) { return {agent, from, to, start, 0}; }

TEST(Jump, IsExplainedByAnOrderOfThatTickAndByNothingElse) {
  Judge ordered(kOpen);
  ordered.enter(7, {1, 1}).validator().order(7, {6, 6});
  ordered.raw_tick({jump(7, {1, 1}, {6, 6}, 0)}).tick({{7, {6, 6}, {7, 7}}});
  EXPECT_EQ(ordered.kinds(), Kinds{});

  EXPECT_EQ(Judge(kOpen).enter(7, {1, 1}).raw_tick({jump(7, {1, 1}, {6, 6}, 0)}).kinds(), Kinds{unexplained});
  EXPECT_EQ(Judge(kOpen).enter(7, {1, 1}).raw_tick({jump(7, {1, 1}, {2, 1}, 0)}).kinds(), Kinds{unexplained});
  for (const auto& [agent, to] : {std::pair{8u, Cell{6, 6}}, std::pair{7u, Cell{6, 5}}}) {
    Judge other(kOpen);
    other.enter(7, {1, 1}).enter(8, {3, 3}).validator().order(agent, to);
    EXPECT_EQ(other.raw_tick({jump(7, {1, 1}, {6, 6}, 0)}).kinds(), Kinds{unexplained});
  }
  Judge late(kOpen);
  late.enter(7, {1, 1}).validator().order(7, {6, 6});
  late.raw_tick({}).raw_tick({jump(7, {1, 1}, {6, 6}, 1)});
  EXPECT_EQ(late.kinds(), Kinds{unexplained});
  Judge step(kOpen);  // an order explains no step
  step.enter(7, {1, 1}).validator().order(7, {6, 6});
  EXPECT_EQ(step.tick({{7, {1, 1}, {6, 6}}}).kinds(), Kinds{illegal_step});
}

TEST(Jump, EndsWhereTheBodyFitsAndNobodyIs) {
  const auto kinds = [](Cell to) {
    Judge judge({"....#", "....."});
    judge.enter(7, {0, 0}).enter(8, {2, 0}).validator().order(7, to);
    return judge.raw_tick({jump(7, {0, 0}, to, 0)}).kinds();
  };
  EXPECT_EQ(kinds({3, 1}), Kinds{});
  EXPECT_EQ(kinds({4, 0}), Kinds{wall});
  EXPECT_EQ(kinds({5, 0}), Kinds{wall});
  EXPECT_EQ(kinds({2, 0}), Kinds{overlap});
}

TEST(Jump, StartsWhereTheAgentIsAndOncePerTick) {
  Judge judge(kOpen);
  judge.enter(7, {1, 1});
  judge.validator().order(7, {6, 6});
  judge.raw_tick({jump(7, {2, 1}, {6, 6}, 0)});
  judge.validator().order(7, {1, 1});
  judge.validator().order(7, {3, 3});
  judge.raw_tick({jump(7, {6, 6}, {1, 1}, 1), jump(7, {6, 6}, {3, 3}, 1)});
  EXPECT_EQ(judge.kinds(), (Kinds{unexplained, duplicate_record}));
  EXPECT_EQ(Judge(kOpen).raw_tick({jump(3, {0, 0}, {1, 1}, 0)}).kinds(), Kinds{unexplained});
}

// All jumps are at the beginning of the tick: places are given up and taken at once, and steps follow from there.
TEST(Jump, ComesBeforeTheStepsOfTheTick) {
  Judge judge(kOpen);
  judge.enter(1, {0, 0}).enter(2, {4, 4});
  judge.validator().order(1, {4, 4});
  judge.validator().order(2, {0, 0});
  judge.raw_tick({jump(1, {0, 0}, {4, 4}, 0), {1, {4, 4}, {5, 4}, 0}, jump(2, {4, 4}, {0, 0}, 0)});
  EXPECT_EQ(judge.kinds(), Kinds{});
  judge.validator().order(2, {4, 4});
  judge.raw_tick({{1, {5, 4}, {4, 4}, 1}, jump(2, {0, 0}, {4, 4}, 1)});
  EXPECT_EQ(judge.kinds(), Kinds{overlap});
}

// --- the step itself

TEST(StepRule, OnlyNeighboursAreOneStepAway) {
  for (const Cell to : {Cell{5, 3}, Cell{3, 5}, Cell{4, 5}, Cell{3, 3}, Cell{0, 7}}) {
    EXPECT_EQ(Judge(kOpen).enter(7, {3, 3}).tick({{7, {3, 3}, to}}).kinds(), Kinds{illegal_step});
  }
  for (int d = 0; d < kDirections; ++d) {
    const Cell to{3 + kDx[d], 3 + kDy[d]};
    EXPECT_EQ(Judge(kOpen).enter(7, {3, 3}).tick({{7, {3, 3}, to}}).kinds(), Kinds{});
  }
}

TEST(StepRule, FourMovesHaveNoDiagonal) {
  MovementProfile p;
  p.moves = Moves::four;
  EXPECT_EQ(Judge(kOpen, {p}).enter(7, {3, 3}).tick({{7, {3, 3}, {4, 4}}}).kinds(), Kinds{illegal_step});
  EXPECT_EQ(Judge(kOpen, {p}).enter(7, {3, 3}).tick({{7, {3, 3}, {4, 3}}}).kinds(), Kinds{});
}

TEST(StepRule, NothingLeavesTheMap) {
  for (const Cell to : {Cell{-1, 0}, Cell{0, -1}, Cell{-1, -1}}) {
    EXPECT_EQ(Judge(kOpen).enter(7, {0, 0}).tick({{7, {0, 0}, to}}).tick({{7, {0, 0}, {1, 0}}}).kinds(), Kinds{wall});
  }
  EXPECT_EQ(Judge(kOpen).enter(7, {7, 7}).tick({{7, {7, 7}, {8, 7}}}).kinds(), Kinds{wall});
  constexpr std::int32_t kFar = 2147483647;
  EXPECT_EQ(Judge(kOpen).enter(7, {7, 7}).tick({{7, {7, 7}, {kFar, -kFar - 1}}}).kinds(), (Kinds{illegal_step, wall}));
}

TEST(StepRule, WallsAndUnknownCellsAreNotEntered) {
  const Rows rows = {".#", "?."};
  EXPECT_EQ(Judge(rows).enter(7, {0, 0}).tick({{7, {0, 0}, {1, 0}}}).kinds(), Kinds{wall});
  EXPECT_EQ(Judge(rows).enter(7, {0, 0}).tick({{7, {0, 0}, {0, 1}}}).kinds(), Kinds{wall});
}

TEST(StepRule, RevealedCellsAndOpenedWallsAreEnteredFromTheNextTickOn) {
  Judge judge({".#", "?."});
  judge.enter(7, {0, 0});
  judge.edit({.cells = {{{0, 1}, CellChange::terrain, kFloor}, {{1, 0}, CellChange::terrain, kFloor}}, .doors = {}});
  judge.tick({{7, {0, 0}, {0, 1}}}).tick({{7, {0, 1}, {1, 0}}});
  EXPECT_EQ(judge.kinds(), Kinds{});
}

TEST(StepRule, AOneWayAndAClosedDoorOfStepsAreNotPassed) {
  const MapEdit ledge{.cells = {}, .doors = {}, .steps = {{{{1, 0}, Direction::west}, false, 0}}, .portals = {}};
  Judge judge({"...", "..."});
  judge.edit(ledge).enter(7, {0, 0});
  judge.tick({{7, {0, 0}, {1, 0}}});
  EXPECT_EQ(judge.kinds(), Kinds{});
  judge.tick({{7, {1, 0}, {0, 0}}});
  EXPECT_EQ(judge.kinds(), Kinds{illegal_step});
  // Dearer is not forbidden; a wide body is bound by every cell it covers.
  judge.edit({.cells = {}, .doors = {}, .steps = {{{{0, 1}, Direction::east}, true, 9}}, .portals = {}});
  judge.tick({{7, {0, 0}, {0, 1}}}).tick({{7, {0, 1}, {1, 1}}});
  EXPECT_EQ(judge.kinds().size(), 1u);
  for (const std::int32_t x : {0, 1}) {
    Judge wide({"....", "...."}, {body(2, Fixed::ratio(85, 100))});
    wide.edit({.cells = {}, .doors = {}, .steps = {{{{1, 1}, Direction::east}, false, 0}}, .portals = {}});
    EXPECT_EQ(wide.enter(7, {x, 0}).tick({{7, {x, 0}, {x + 1, 0}}}).kinds(), Kinds{illegal_step}) << x;
  }
  Judge door({"..."});
  EXPECT_TRUE(door.map().add_door({"d", {}, false, {{{0, 0, 0}, Direction::east}}}).ok());
  door.validator().set_map(door.map().view());
  EXPECT_EQ(door.enter(7, {0, 0}).tick({{7, {0, 0}, {1, 0}}}).kinds(), Kinds{illegal_step});
}

TEST(StepRule, AProfileMayOverrideTheTerrain) {
  MovementProfile boat, cat;
  boat.terrain = {{4, std::nullopt, true}};
  cat.terrain = {{2, std::nullopt, false}};
  const Rows rows = {".W", "G."};
  EXPECT_EQ(Judge(rows, {boat}).enter(7, {0, 0}).tick({{7, {0, 0}, {1, 0}}}).kinds(), Kinds{});
  EXPECT_EQ(Judge(rows, {cat}).enter(7, {0, 0}).tick({{7, {0, 0}, {1, 0}}}).kinds(), Kinds{wall});
  EXPECT_EQ(Judge(rows, {boat}).enter(7, {0, 0}).tick({{7, {0, 0}, {0, 1}}}).kinds(), Kinds{});
  EXPECT_EQ(Judge(rows, {cat}).enter(7, {0, 0}).tick({{7, {0, 0}, {0, 1}}}).kinds(), Kinds{wall});
}

TEST(StepRule, EvenAProfileThatWalksThroughWallsStaysOnTheMap) {
  MovementProfile ghost;
  ghost.corner = CornerRule::none;
  ghost.terrain = {{kWall, std::nullopt, true}};
  EXPECT_EQ(Judge({".#"}, {ghost}).enter(7, {0, 0}).tick({{7, {0, 0}, {1, 0}}}).kinds(), Kinds{});
  EXPECT_EQ(Judge({".#"}, {ghost}).enter(7, {0, 0}).tick({{7, {0, 0}, {0, 1}}}).kinds(), Kinds{wall});
  ghost.footprint = 2;
  EXPECT_EQ(Judge({"...", "..."}, {ghost}).enter(7, {0, 0}).tick({{7, {0, 0}, {1, 0}}}).kinds(), Kinds{});
  EXPECT_EQ(Judge({"...", "..."}, {ghost}).enter(7, {1, 0}).tick({{7, {1, 0}, {2, 0}}}).kinds(), Kinds{wall});
  EXPECT_EQ(Judge({"..", "..", ".."}, {ghost}).enter(7, {0, 1}).tick({{7, {0, 1}, {0, 2}}}).kinds(), Kinds{wall});
}

TEST(StepRule, EveryCellOfAWideBodyMustBeFree) {
  const Rows rows = {"....", "...#", "...."};
  const std::vector<MovementProfile> wide = {body(2, Fixed::ratio(17, 20))};
  EXPECT_EQ(Judge(rows, wide).enter(7, {0, 0}).tick({{7, {0, 0}, {1, 0}}}).kinds(), Kinds{});
  EXPECT_EQ(Judge(rows, wide).enter(7, {1, 0}).tick({{7, {1, 0}, {2, 0}}}).kinds(), Kinds{wall});
  EXPECT_EQ(Judge(rows, wide).enter(7, {1, 1}).tick({{7, {1, 1}, {1, 2}}}).kinds(), Kinds{wall});
}

TEST(DoorRule, AClosedDoorIsNotEnteredNorLeftButMayBeWaitedUnder) {
  Judge judge({"...", "..."});
  const std::uint32_t door = judge.map().add_door({"gate", {{1, 0}, {1, 1}}, true}).value();
  judge.validator().set_map(judge.map().view());
  judge.enter(1, {0, 0}).enter(2, {1, 1});
  judge.edit({.cells = {}, .doors = {{door, DoorState::closed}}}).tick({});
  EXPECT_EQ(judge.kinds(), Kinds{});
  judge.tick({{1, {0, 0}, {1, 0}}});
  EXPECT_EQ(judge.kinds(), Kinds{wall});
  judge.tick({{2, {1, 1}, {2, 1}}});
  EXPECT_EQ(judge.kinds(), (Kinds{wall, wall}));
  judge.edit({.cells = {}, .doors = {{door, DoorState::open}}}).tick({{1, {1, 0}, {0, 1}}});
  EXPECT_EQ(judge.kinds(), (Kinds{wall, wall}));
}

TEST(DoorRule, ANewMapIsReadFromTheNextTickOn) {
  Judge judge({"...", "..."});
  const std::uint32_t door = judge.map().add_door({"gate", {{1, 0}}, true}).value();
  judge.tick({}).edit({.cells = {}, .doors = {{door, DoorState::closed}}});
  judge.enter(1, {1, 0});
  EXPECT_EQ(judge.kinds(), Kinds{});
  judge.tick({}).enter(2, {1, 0});
  EXPECT_EQ(judge.kinds(), (Kinds{wall, overlap}));
}

TEST(CornerRuleCheck, StrictNeedsBothOrthogonalCells) {
  const Step step{7, {0, 0}, {1, 1}};
  const auto told = [&](const Rows& rows, CornerRule rule) {
    return Judge(rows, {cutting(rule)}).enter(7, {0, 0}).tick({step}).kinds();
  };
  const Rows free = {"..", ".."}, half = {".#", ".."}, other_half = {"..", "#."}, shut = {".#", "#."};
  EXPECT_EQ(told(free, CornerRule::strict), Kinds{});
  EXPECT_EQ(told(half, CornerRule::strict), Kinds{corner});
  EXPECT_EQ(told(other_half, CornerRule::strict), Kinds{corner});
  EXPECT_EQ(told(half, CornerRule::one_free), Kinds{});
  EXPECT_EQ(told(other_half, CornerRule::one_free), Kinds{});
  EXPECT_EQ(told(shut, CornerRule::one_free), Kinds{corner});
  EXPECT_EQ(told(shut, CornerRule::none), Kinds{});
}

TEST(CornerRuleCheck, AWideBodyIsJudgedByItsOrthogonalPlacements) {
  const std::vector<MovementProfile> wide = {body(2, Fixed::ratio(17, 20))};
  const Rows free = {"...", "...", "..."}, blocked = {"..#", "...", "..."};
  EXPECT_EQ(Judge(free, wide).enter(7, {0, 0}).tick({{7, {0, 0}, {1, 1}}}).kinds(), Kinds{});
  EXPECT_EQ(Judge(blocked, wide).enter(7, {0, 0}).tick({{7, {0, 0}, {1, 1}}}).kinds(), Kinds{corner});
}

// --- layers and origins

TEST(Layers, AreSeparateFloors) {
  GridMapDef def;
  def.width = def.height = 4;
  def.layers = 2;
  def.origin = {-2, -3};
  const GridMap map = GridMap::create(def).value();
  MovementProfile upstairs;
  upstairs.layers = {1};
  const std::vector<MovementProfile> profiles = {MovementProfile{}, upstairs};
  Validator v(map.view(), profiles, {});
  v.enter(1, 0, {-2, -3, 0});
  v.enter(2, 1, {-2, -3, 1});
  v.enter(3, 0, {1, 0, 0});
  const std::vector<MoveRecord> legal = {{1, {-2, -3, 0}, {-1, -2, 0}, 0}, {2, {-2, -3, 1}, {-1, -2, 1}, 0}};
  v.tick(1, legal);
  EXPECT_EQ(v.violations(), 0u);
  const std::vector<MoveRecord> between_layers = {{1, {-1, -2, 0}, {0, -2, 1}, 1}, {3, {1, 0, 0}, {1, 1, 0}, 1}};
  v.tick(2, between_layers);
  ASSERT_EQ(v.violations(), 2u);
  EXPECT_EQ(v.first()[0].kind, illegal_step);
  EXPECT_EQ(v.first()[1].kind, wall);
  v.enter(4, 1, {0, 0, 0});
  ASSERT_EQ(v.violations(), 3u);
  EXPECT_EQ(v.first()[2].kind, wall);
  EXPECT_EQ(v.first()[2].cell, (Cell{0, 0, 0}));
}

// --- whole ticks

TEST(Overlap, TwoAgentsMayNotEndOnOneCell) {
  EXPECT_EQ(discs(3500, {1, 1}, {2, 1}, {3, 1}, {2, 1}), Kinds{overlap});
  EXPECT_EQ(discs(3500, {1, 1}, {2, 1}, {3, 1}, {3, 2}), Kinds{});
}

TEST(Overlap, NamesBothAgentsAndTheSharedCell) {
  Judge judge(kOpen);
  judge.enter(1, {1, 1}).enter(2, {2, 1}).tick({{1, {1, 1}, {2, 1}}});
  ASSERT_EQ(judge.kinds(), Kinds{overlap});
  const Violation v = judge.validator().first()[0];
  EXPECT_EQ(v.agent, 1u);
  EXPECT_EQ(v.other, 2u);
  EXPECT_EQ(v.cell, (Cell{2, 1}));
}

TEST(Overlap, WideBodiesAreSeenWithAllTheirCells) {
  const MovementProfile small = disc(3500), wide = body(2, Fixed::ratio(17, 20));
  EXPECT_EQ(pair({}, wide, {1, 1}, {2, 1}, small, {3, 2}, {3, 2}), Kinds{overlap});
  EXPECT_EQ(pair({}, wide, {1, 1}, {2, 1}, small, {4, 2}, {4, 2}), Kinds{});
  EXPECT_EQ(pair({}, wide, {1, 1}, {2, 1}, wide, {3, 2}, {3, 2}), Kinds{overlap});
  EXPECT_EQ(pair({}, wide, {1, 1}, {2, 1}, small, {3, 2}, {4, 2}), Kinds{});
}

TEST(Overlap, SomeoneWhoEntersNeedsAFreeCell) {
  EXPECT_EQ(Judge(kOpen).enter(1, {1, 1}).enter(2, {1, 1}).kinds(), Kinds{overlap});
  EXPECT_EQ(Judge(kOpen).enter(1, {1, 1}).enter(2, {1, 2}).kinds(), Kinds{});
}

TEST(Overlap, WhoeverLeavesCountsUntilTheTickOfItsArrivalEnds) {
  Judge judge(kOpen);
  judge.enter(1, {1, 1}).enter(2, {1, 3}).tick({{1, {1, 1}, {1, 2}}});
  judge.validator().leave(1);
  judge.tick({{2, {1, 3}, {1, 2}}});
  EXPECT_EQ(judge.kinds(), Kinds{});
  judge.enter(3, {1, 1}).tick({{2, {1, 2}, {1, 1}}});
  judge.validator().leave(2);
  EXPECT_EQ(judge.kinds(), Kinds{overlap});
}

TEST(Overlap, IsForgottenOnceThePairHasParted) {
  Judge judge(kOpen);
  judge.enter(1, {1, 1}).enter(2, {1, 1}).enter(3, {1, 1});
  EXPECT_EQ(judge.kinds(), (Kinds{overlap, overlap}));
  judge.tick({{1, {1, 1}, {0, 1}}}).tick({{3, {1, 1}, {2, 1}}}).tick({{2, {1, 1}, {1, 2}}});
  judge.tick({{1, {0, 1}, {1, 1}}});
  EXPECT_EQ(judge.kinds(), (Kinds{overlap, overlap}));
  judge.tick({{2, {1, 2}, {1, 1}}});
  EXPECT_EQ(judge.kinds(), (Kinds{overlap, overlap, overlap}));
}

TEST(Overlap, ACellStaysTakenWhileAnyoneOfSeveralIsOnIt) {
  Judge judge(kOpen);
  judge.enter(1, {1, 1}).enter(2, {1, 1}).tick({{1, {1, 1}, {1, 2}}});
  EXPECT_EQ(judge.kinds(), Kinds{overlap});
  judge.enter(4, {1, 1});
  EXPECT_EQ(judge.kinds(), (Kinds{overlap, overlap}));
}

// --- between ticks

TEST(Discs, StraightFollowingIsAllowed) {
  EXPECT_EQ(discs(3500, {1, 1}, {2, 1}, {2, 1}, {3, 1}), Kinds{});
  EXPECT_EQ(discs(5000, {1, 1}, {2, 1}, {2, 1}, {3, 1}), Kinds{});
  EXPECT_EQ(discs(5000, {1, 1}, {2, 2}, {2, 2}, {3, 3}), Kinds{});
}

// The least distance is the square root of 1/2 = 0.70710...
TEST(Discs, FollowingRoundARightAngleComesTo0707) {
  for (const std::int32_t radius : {3500, 3530, 3535}) {
    EXPECT_EQ(discs(radius, {1, 1}, {2, 1}, {2, 1}, {2, 2}), Kinds{}) << radius;
    EXPECT_EQ(discs(radius, {2, 1}, {2, 2}, {1, 1}, {2, 1}), Kinds{}) << radius;
  }
  for (const std::int32_t radius : {3536, 3600, 5000}) {
    EXPECT_EQ(discs(radius, {1, 1}, {2, 1}, {2, 1}, {2, 2}), Kinds{swept_overlap}) << radius;
    EXPECT_EQ(discs(radius, {2, 1}, {2, 2}, {1, 1}, {2, 1}), Kinds{swept_overlap}) << radius;
  }
}

// A follower to the east, its leader to the south-west: the square root of 1/5 = 0.44721...
TEST(Discs, FollowingAt135DegreesComesTo0447) {
  EXPECT_EQ(discs(3500, {1, 1}, {2, 1}, {2, 1}, {1, 2}), Kinds{swept_overlap});
  EXPECT_EQ(discs(2237, {1, 1}, {2, 1}, {2, 1}, {1, 2}), Kinds{swept_overlap});
  EXPECT_EQ(discs(2236, {1, 1}, {2, 1}, {2, 1}, {1, 2}), Kinds{});
  EXPECT_EQ(discs(2200, {1, 1}, {2, 1}, {2, 1}, {1, 2}), Kinds{});
  EXPECT_EQ(cells({1, 1}, {2, 1}, {2, 1}, {1, 2}), Kinds{});
}

TEST(Discs, RadiiMayDiffer) {
  const auto follow = [](std::int32_t first, std::int32_t second) {
    return pair({}, disc(first), {1, 1}, {2, 1}, disc(second), {2, 1}, {2, 2});
  };
  EXPECT_EQ(follow(5000, 2071), Kinds{});
  EXPECT_EQ(follow(5000, 2072), Kinds{swept_overlap});
  EXPECT_EQ(follow(2072, 5000), Kinds{swept_overlap});
}

TEST(Discs, TouchingIsAllowed) {
  EXPECT_EQ(discs(5000, {1, 1}, {1, 2}, {2, 1}, {2, 2}), Kinds{});
  EXPECT_EQ(discs(5000, {1, 1}, {1, 2}, {2, 1}, {2, 1}), Kinds{});
}

TEST(Discs, ADiagonalPastSomeoneWhoStaysComesTo0707) {
  EXPECT_EQ(discs(3535, {1, 1}, {2, 2}, {2, 1}, {2, 1}), Kinds{});
  EXPECT_EQ(discs(3536, {1, 1}, {2, 2}, {2, 1}, {2, 1}), Kinds{swept_overlap});
  EXPECT_EQ(cells({1, 1}, {2, 2}, {2, 1}, {2, 1}), Kinds{});
}

// Each heads for the cell beside the other: (t, 0) and (2 - t, t) are nearest at t = 4/5, the square root of 4/5 =
// 0.89443 apart.
TEST(Discs, TwoCellsApartCanStillBeTooNear) {
  EXPECT_EQ(discs(4472, {1, 1}, {2, 1}, {3, 1}, {2, 2}), Kinds{});
  EXPECT_EQ(discs(4473, {1, 1}, {2, 1}, {3, 1}, {2, 2}), Kinds{swept_overlap});
}

TEST(BothBodyRules, RefuseAnExchangeOfPlaces) {
  for (const Cell other : {Cell{2, 1}, Cell{1, 2}, Cell{2, 2}}) {
    EXPECT_EQ(discs(100, {1, 1}, other, other, {1, 1}), Kinds{swept_overlap});
    EXPECT_EQ(cells({1, 1}, other, other, {1, 1}), Kinds{swept_overlap});
  }
}

TEST(BothBodyRules, RefuseCrossingDiagonals) {
  EXPECT_EQ(discs(100, {1, 1}, {2, 2}, {2, 1}, {1, 2}), Kinds{swept_overlap});
  EXPECT_EQ(cells({1, 1}, {2, 2}, {2, 1}, {1, 2}), Kinds{swept_overlap});
  EXPECT_EQ(cells({1, 1}, {2, 2}, {2, 1}, {3, 2}), Kinds{});
}

TEST(BothBodyRules, AllowARing) {
  for (const BodyRule rule : {BodyRule::discs, BodyRule::cells}) {
    Judge judge(kOpen, {MovementProfile{}}, {rule, Following::allowed});
    judge.enter(1, {1, 1}).enter(2, {2, 1}).enter(3, {2, 2}).enter(4, {1, 2});
    judge.tick({{1, {1, 1}, {2, 1}}, {2, {2, 1}, {2, 2}}, {3, {2, 2}, {1, 2}}, {4, {1, 2}, {1, 1}}});
    EXPECT_EQ(judge.kinds(), Kinds{});
  }
}

// Centres: the wide body's at its anchor + 1, the small one's at its anchor + 1/2.
TEST(Discs, WideAndSmallBodies) {
  const MovementProfile small = disc(3500), wide = body(2, Fixed::ratio(17, 20));
  EXPECT_EQ(pair({}, small, {1, 1}, {2, 1}, wide, {2, 1}, {3, 1}), Kinds{});
  // Relative motion from (3/2, 1/2) by (-1, 1): |(1, 1)| = 1.414 >= 1.2.
  EXPECT_EQ(pair({}, small, {1, 1}, {2, 1}, wide, {2, 1}, {2, 2}), Kinds{});
  // From (3/2, -1/2) by (-1, 2): the square root of 5/4 = 1.118 < 1.2.
  EXPECT_EQ(pair({}, small, {1, 2}, {2, 2}, wide, {2, 1}, {2, 2}), Kinds{overlap});
  EXPECT_EQ(pair({}, small, {1, 2}, {2, 1}, wide, {2, 1}, {2, 2}), Kinds{swept_overlap});
  EXPECT_EQ(pair({BodyRule::cells, Following::allowed}, small, {1, 2}, {2, 1}, wide, {2, 1}, {2, 2}), Kinds{});
}

// --- following

TEST(FollowingRule, ForbiddenMeansNoCellThatWasHeldWhenTheTickBegan) {
  const ValidatorRules strict{BodyRule::discs, Following::forbidden};
  const MovementProfile small = disc(3500), wide = body(2, Fixed::ratio(17, 20));
  EXPECT_EQ(pair(strict, small, {1, 1}, {2, 1}, small, {2, 1}, {3, 1}), Kinds{followed});
  EXPECT_EQ(pair({}, small, {1, 1}, {2, 1}, small, {2, 1}, {3, 1}), Kinds{});
  EXPECT_EQ(pair(strict, small, {1, 1}, {2, 1}, small, {3, 1}, {4, 1}), Kinds{});
  EXPECT_EQ(pair(strict, wide, {1, 1}, {2, 1}, small, {3, 2}, {4, 2}), Kinds{followed});
  EXPECT_EQ(pair(strict, wide, {1, 1}, {2, 1}, wide, {3, 1}, {4, 1}), Kinds{followed});
  EXPECT_EQ(pair(strict, wide, {1, 1}, {2, 1}, small, {3, 3}, {4, 2}), Kinds{});
}

TEST(FollowingRule, ABodyMayEnterCellsOfItsOwn) {
  Judge judge(kOpen, {body(3, Fixed::ratio(13, 10))}, {BodyRule::discs, Following::forbidden});
  EXPECT_EQ(judge.enter(1, {1, 1}).tick({{1, {1, 1}, {2, 2}}}).kinds(), Kinds{});
}

// --- entering and leaving

TEST(Entering, NeedsAPlaceThatFits) {
  const Rows rows = {".#", "?."};
  EXPECT_EQ(Judge(rows).enter(1, {1, 0}).kinds(), Kinds{wall});
  EXPECT_EQ(Judge(rows).enter(1, {0, 1}).kinds(), Kinds{wall});
  EXPECT_EQ(Judge(rows).enter(1, {2, 0}).kinds(), Kinds{wall});
  EXPECT_EQ(Judge(rows).enter(1, {0, 0}).enter(2, {1, 1}).kinds(), Kinds{});
}

TEST(Entering, WithAKeyInUseOrAProfileThatIsNoneIsUnexplained) {
  EXPECT_EQ(Judge(kOpen).enter(1, {1, 1}).enter(1, {3, 3}).kinds(), Kinds{unexplained});
  EXPECT_EQ(Judge(kOpen).enter(1, {1, 1}, 1).kinds(), Kinds{unexplained});
  EXPECT_EQ(Judge(kOpen, {body(9, Fixed::ratio(1, 2))}).enter(1, {1, 1}).kinds(), Kinds{unexplained});
  EXPECT_EQ(Judge(kOpen, {body(1, Fixed::ratio(51, 100))}).enter(1, {1, 1}).kinds(), Kinds{unexplained});
  EXPECT_EQ(Judge(kOpen, {body(1, Fixed{})}).enter(1, {1, 1}).kinds(), Kinds{unexplained});
}

TEST(Leaving, WithoutHavingEnteredIsUnexplained) {
  Judge judge(kOpen);
  judge.enter(1, {1, 1}).validator().leave(1);
  EXPECT_EQ(judge.kinds(), Kinds{});
  judge.validator().leave(1);
  EXPECT_EQ(judge.kinds(), Kinds{unexplained});
}

TEST(Leaving, AKeyMayComeBackElsewhere) {
  Judge judge(kOpen);
  judge.enter(1, {1, 1}).validator().leave(1);
  judge.enter(1, {4, 4}).tick({{1, {4, 4}, {5, 4}}});
  EXPECT_EQ(judge.kinds(), Kinds{});
}

// --- the books

TEST(Counting, GoesOnWhereTheListEnds) {
  Judge judge(kOpen);
  for (std::uint64_t agent = 1; agent <= 130; ++agent) judge.tick({{agent, {1, 1}, {1, 2}}});
  EXPECT_EQ(judge.validator().violations(), 130u);
  EXPECT_EQ(judge.validator().moves(), 130u);
  ASSERT_EQ(judge.validator().first().size(), 100u);
  EXPECT_EQ(judge.validator().first()[99].agent, 100u);
  EXPECT_EQ(judge.validator().first()[99].tick, 100u);
}

TEST(Counting, AMapOfAnotherShapeIsUnexplained) {
  Judge judge(kOpen);
  const GridMap other = GridMap::from_rows(Rows{"..."}).value();
  judge.validator().set_map(other.view());
  judge.tick({});
  EXPECT_EQ(judge.kinds(), Kinds{unexplained});
}

TEST(Counting, AValidatorCanBeMoved) {
  Judge judge(kOpen);
  judge.enter(1, {1, 1});
  Validator moved = std::move(judge.validator());
  const std::vector<MoveRecord> records = {{1, {1, 1}, {3, 1}, 0}};
  moved.tick(1, records);
  EXPECT_EQ(moved.violations(), 1u);
}

TEST(Counting, EveryKindHasAName) {
  EXPECT_STREQ(to_string(unexplained), "unexplained");
  EXPECT_STREQ(to_string(illegal_step), "illegal_step");
  EXPECT_STREQ(to_string(wall), "wall");
  EXPECT_STREQ(to_string(corner), "corner");
  EXPECT_STREQ(to_string(overlap), "overlap");
  EXPECT_STREQ(to_string(swept_overlap), "swept_overlap");
  EXPECT_STREQ(to_string(followed), "followed");
  EXPECT_STREQ(to_string(duplicate_record), "duplicate_record");
}

// --- portals

/// Two floors of 8 x 8 and portal 0 from 4,4 below to 4,4 above; portal 1 is the way back, portal 2 is closed.
class PortalJudge {
 public:
  explicit PortalJudge(ValidatorRules rules = {}, int footprint = 1) : map_(GridMap::create({8, 8, 2}).value()) {
    EXPECT_TRUE(map_.add_portal({{4, 4, 0}, {4, 4, 1}, 1}).ok());
    EXPECT_TRUE(map_.add_portal({{4, 4, 1}, {4, 4, 0}, 1}).ok());
    EXPECT_TRUE(map_.add_portal({{4, 4, 0}, {1, 1, 1}, 1, false}).ok());
    const MovementProfile first = body(footprint, Fixed::ratio(footprint == 1 ? 35 : 50 * footprint, 100));
    validator_.emplace(map_.view(), std::vector<MovementProfile>{first, disc(5000)}, rules);
  }
  PortalJudge& enter(std::uint64_t agent, Cell at, std::uint32_t profile = 0) {
    validator_->enter(agent, profile, at);
    return *this;
  }
  PortalJudge& wall(Cell at) {
    EXPECT_TRUE(map_.apply({{{at, CellChange::terrain, kWall}}, {}, {}, {}}).ok());
    validator_->set_map(map_.view());
    return *this;
  }
  Kinds tick(const std::vector<MoveRecord>& records) {
    validator_->tick(1, records);
    Kinds all;
    for (const Violation& v : validator_->first()) all.push_back(v.kind);
    return all;
  }

 private:
  GridMap map_;
  std::optional<Validator> validator_;
};

constexpr Cell kLow{4, 4, 0}, kHigh{4, 4, 1};
MoveRecord through(std::uint64_t agent, Cell from, Cell to, std::uint32_t portal) {
  return {agent, from, to, 0, 1, 0, portal};
}
constexpr ValidatorRules kCellsOnly{BodyRule::cells, Following::allowed};

TEST(Passage, IsExplainedByAnOpenPortalWithTheseEnds) {
  EXPECT_EQ(PortalJudge().enter(1, kLow).tick({through(1, kLow, kHigh, 0)}), Kinds{});
  EXPECT_EQ(PortalJudge().enter(1, kLow).tick({through(1, kLow, kHigh, 1)}), Kinds{illegal_step});
  EXPECT_EQ(PortalJudge().enter(1, kLow).tick({through(1, kLow, kHigh, 7)}), Kinds{illegal_step});
  EXPECT_EQ(PortalJudge().enter(1, kLow).tick({through(1, kLow, {1, 1, 1}, 2)}), Kinds{illegal_step});
  EXPECT_EQ(PortalJudge().enter(1, kLow).tick({{1, kLow, kHigh, 0}}), Kinds{illegal_step});
  EXPECT_EQ(PortalJudge().enter(1, kLow).wall(kHigh).tick({through(1, kLow, kHigh, 0)}), Kinds{wall});
}

TEST(Passage, TheBodyStandsWhereItLeavesUntilTheTickIsOver) {
  const std::vector<MoveRecord> followed = {through(1, kLow, kHigh, 0), {2, {3, 4, 0}, kLow, 0}};
  EXPECT_EQ(PortalJudge().enter(1, kLow).enter(2, {3, 4, 0}).tick(followed), Kinds{swept_overlap});
  EXPECT_EQ(PortalJudge(kCellsOnly).enter(1, kLow).enter(2, {3, 4, 0}).tick(followed), Kinds{});
  // A diagonal past it keeps 0.707 cells.
  EXPECT_EQ(
      PortalJudge().enter(1, kLow).enter(2, {3, 4, 0}).tick({through(1, kLow, kHigh, 0), {2, {3, 4, 0}, {4, 5, 0}, 0}}),
      Kinds{});
}

TEST(Passage, TheBodyStandsWhereItArrivesFromTheBeginning) {
  const std::vector<MoveRecord> follows = {through(1, kLow, kHigh, 0), {2, kHigh, {5, 4, 1}, 0}};
  EXPECT_EQ(PortalJudge().enter(1, kLow).enter(2, kHigh).tick(follows), Kinds{swept_overlap});
  EXPECT_EQ(PortalJudge(kCellsOnly).enter(1, kLow).enter(2, kHigh).tick(follows), Kinds{});
  EXPECT_EQ(PortalJudge({BodyRule::cells, Following::forbidden}).enter(1, kLow).enter(2, kHigh).tick(follows),
            Kinds{followed});
  EXPECT_EQ(PortalJudge().enter(1, kLow).enter(2, kHigh).tick({through(1, kLow, kHigh, 0)}), Kinds{overlap});
}

// A 2 x 2 body of radius 1 arrives on 4,4 to 5,5; a disc of 0.5 comes to 1.41 of 1.5 cells where it cuts past its
// corner.
TEST(Passage, WideBodiesSweepWhoPassesTheFarEnd) {
  EXPECT_EQ(PortalJudge({}, 2)
                .enter(1, kLow)
                .enter(2, {3, 3, 1}, 1)
                .tick({through(1, kLow, kHigh, 0), {2, {3, 3, 1}, {2, 2, 1}, 0}}),
            Kinds{});
  EXPECT_EQ(PortalJudge({}, 2)
                .enter(1, kLow)
                .enter(2, {6, 4, 1}, 1)
                .tick({through(1, kLow, kHigh, 0), {2, {6, 4, 1}, {5, 3, 1}, 0}}),
            Kinds{swept_overlap});
}

TEST(Passage, ExchangesOfPlacesAreFoundUnderEitherRule) {
  const std::vector<MoveRecord> exchange = {through(1, kLow, kHigh, 0), through(2, kHigh, kLow, 1)};
  EXPECT_EQ(PortalJudge().enter(1, kLow).enter(2, kHigh).tick(exchange), Kinds{swept_overlap});
  EXPECT_EQ(PortalJudge(kCellsOnly).enter(1, kLow).enter(2, kHigh).tick(exchange), Kinds{swept_overlap});
}

}  // namespace
}  // namespace drover
