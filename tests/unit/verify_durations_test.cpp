// SPDX-License-Identifier: MIT
// The validator on steps of several ticks: every fault provoked once, beside a neighbour that is allowed.
#include <gtest/gtest.h>
#include <drover/verify.hpp>

#include <ostream>
#include <string_view>
#include <vector>

namespace drover {

static std::ostream& operator<<(std::ostream& out, ViolationKind kind) { return out << to_string(kind); }

namespace {

using enum ViolationKind;
using Kinds = std::vector<ViolationKind>;

constexpr std::uint64_t kHalf = 492;  // of a tick of 985 parts

MovementProfile body(std::int32_t speed_in_eighths, std::int32_t radius_in_hundredths = 35, int footprint = 1) {
  MovementProfile p;
  p.footprint = footprint;
  p.body_radius = Fixed::ratio(radius_in_hundredths, 100);
  p.speed = Fixed::ratio(speed_in_eighths, 8);
  return p;
}

/// Profiles: 0 full speed, 1 a half, 2 a quarter.
class Judge {
 public:
  explicit Judge(ValidatorRules rules = {}, std::vector<MovementProfile> profiles = {body(8), body(4), body(2)})
      : map_(*GridMap::create([] {
          GridMapDef def;
          def.width = def.height = 8;
          return def;
        }())) {
    rules.step = StepPolicy::ground_speed;
    map_.add_portal({{0, 7}, {4, 4}, 10, true, 3}).value();
    map_.add_portal({{4, 4}, {0, 7}, 10, true, 0}).value();
    validator_.emplace(map_.view(), profiles, rules);
  }
  Judge& enter(std::uint64_t agent, Cell at, std::uint32_t profile = 0) {
    validator_->enter(agent, profile, at);
    return *this;
  }
  Judge& tick(std::vector<MoveRecord> records = {}) {
    validator_->tick(++tick_, records);
    return *this;
  }
  Judge& ticks(int n) {
    for (; n > 0; --n) tick();
    return *this;
  }
  /// A step that begins in the next tick.
  MoveRecord step(std::uint64_t agent, Cell from, Cell to, std::uint32_t ticks, std::uint64_t remainder = kHalf) const {
    return {agent, from, to, tick_, ticks, remainder};
  }
  Kinds kinds() const {
    Kinds all;
    for (const Violation& v : validator_->first()) all.push_back(v.kind);
    return all;
  }
  GridMap& map() { return map_; }
  Validator& validator() { return *validator_; }

 private:
  GridMap map_;
  std::optional<Validator> validator_;
  std::uint64_t tick_ = 0;
};

TEST(TimedRecord, LastsWhatLengthAndSpeedSay) {
  EXPECT_EQ(Judge().enter(1, {0, 0}, 2).tick({{1, {0, 0}, {1, 0}, 0, 4, kHalf}}).ticks(5).kinds(), Kinds{});
  for (const std::uint32_t ticks : {1u, 3u, 5u}) {
    Judge judge;
    judge.enter(1, {0, 0}, 2).tick({{1, {0, 0}, {1, 0}, 0, ticks, kHalf}}).ticks(6);
    EXPECT_EQ(judge.kinds(), Kinds{unexplained}) << ticks;
  }
  EXPECT_EQ(Judge().enter(1, {0, 0}, 2).tick({{1, {0, 0}, {1, 0}, 0, 4, kHalf + 1}}).kinds(), Kinds{unexplained});
  EXPECT_EQ(Judge().enter(1, {0, 0}, 2).tick({{1, {0, 0}, {1, 0}, 0, 3, kHalf + 985}}).kinds(), Kinds{unexplained});
}

// 1393 + 492 = 1 x 985 + 900, and 1393 + 900 = 2 x 985 + 323.
TEST(TimedRecord, CarriesWhatIsLeftIntoAStepThatBeginsAtOnce) {
  Judge judge;
  judge.enter(1, {0, 0}).tick({judge.step(1, {0, 0}, {1, 1}, 1, 900)}).tick({judge.step(1, {1, 1}, {2, 2}, 2, 323)});
  judge.ticks(2).tick({judge.step(1, {2, 2}, {3, 3}, 1, 900)});
  EXPECT_EQ(judge.kinds(), Kinds{});
  Judge late;
  late.enter(1, {0, 0})
      .tick({late.step(1, {0, 0}, {1, 1}, 1, 900)})
      .tick()
      .tick({late.step(1, {1, 1}, {2, 2}, 2, 323)});
  EXPECT_EQ(late.kinds(), Kinds{unexplained});
}

TEST(TimedRecord, ASecondStepBeforeTheFirstIsOverIsADuplicate) {
  Judge judge;
  judge.enter(1, {0, 0}, 1).tick({judge.step(1, {0, 0}, {1, 0}, 2)}).tick({judge.step(1, {0, 0}, {0, 1}, 2)});
  EXPECT_EQ(judge.kinds(), Kinds{duplicate_record});
}

TEST(TimedRecord, APortalLastsItsTicksOrAStraightStep) {
  const auto passage = [](std::uint32_t profile, std::uint32_t portal, std::uint32_t ticks) {
    Judge judge;
    const Cell from = portal == 0 ? Cell{0, 7} : Cell{4, 4}, to = portal == 0 ? Cell{4, 4} : Cell{0, 7};
    judge.enter(1, from, profile).tick({{1, from, to, 0, ticks, kHalf, portal}}).ticks(5);
    return judge.kinds();
  };
  EXPECT_EQ(passage(0, 0, 3), Kinds{});
  EXPECT_EQ(passage(2, 0, 3), Kinds{});
  EXPECT_EQ(passage(2, 0, 4), Kinds{unexplained});
  EXPECT_EQ(passage(2, 1, 4), Kinds{});
  EXPECT_EQ(passage(0, 1, 1), Kinds{});
  EXPECT_EQ(passage(0, 1, 3), Kinds{unexplained});
}

// A leader of four ticks: who follows may not be there before it has left.
TEST(TimedPlaces, AFollowerNeverArrivesBeforeItsLeaderHasLeft) {
  const auto follow = [](int after) {
    Judge judge;
    judge.enter(1, {1, 0}, 2)
        .enter(2, {0, 0}, 0)
        .tick(after == 0 ? std::vector<MoveRecord>{judge.step(1, {1, 0}, {2, 0}, 4), judge.step(2, {0, 0}, {1, 0}, 1)}
                         : std::vector<MoveRecord>{judge.step(1, {1, 0}, {2, 0}, 4)});
    if (after > 0) judge.ticks(after - 1).tick({judge.step(2, {0, 0}, {1, 0}, 1)});
    return judge.ticks(3).kinds();
  };
  EXPECT_EQ(follow(3), Kinds{});
  EXPECT_FALSE(follow(2).empty());
  EXPECT_EQ(follow(2).front(), overlap);
  EXPECT_FALSE(follow(0).empty());
}

TEST(TimedPlaces, NobodyEntersACellWhoseHolderStandsThere) {
  Judge judge;  // agent 2 leaves when agent 1 is half way, in time and far enough
  judge.enter(1, {0, 0}, 2)
      .enter(2, {1, 0}, 0)
      .tick({judge.step(1, {0, 0}, {1, 0}, 4)})
      .tick({judge.step(2, {1, 0}, {2, 0}, 1)});
  EXPECT_EQ(judge.ticks(4).kinds(), Kinds{overlap});
}

TEST(TimedPlaces, TwoStepsToOneCellAreAnOverlapEvenIfOneIsGoneInTime) {
  Judge judge;
  judge.enter(1, {0, 0}, 2)
      .enter(2, {4, 0}, 0)
      .tick({judge.step(1, {0, 0}, {1, 0}, 4)})
      .tick({judge.step(2, {4, 0}, {3, 0}, 1)});
  EXPECT_EQ(judge.kinds(), Kinds{});
  Judge both;
  both.enter(1, {0, 0}, 2).enter(2, {2, 0}, 0).tick({both.step(1, {0, 0}, {1, 0}, 4), both.step(2, {2, 0}, {1, 0}, 1)});
  EXPECT_EQ(both.kinds().front(), overlap);
}

// Discs that follow round 135 degrees come within 0.447 together; three quarters later they do not.
TEST(TimedDiscs, AreJudgedByTheTimeTheyBegin) {
  const auto turn = [](int after, BodyRule rule) {
    Judge judge({rule, Following::allowed});
    judge.enter(1, {2, 1}, 2).enter(2, {1, 1}, 2);
    const MoveRecord leader = judge.step(1, {2, 1}, {1, 0}, 6, 154);  // 4 x 1393 + 492 = 6 x 985 + 154
    if (after == 0) {
      judge.tick({leader, judge.step(2, {1, 1}, {2, 1}, 4)});
    } else {
      judge.tick({leader}).ticks(after - 1).tick({judge.step(2, {1, 1}, {2, 1}, 4)});
    }
    return judge.ticks(8).kinds();
  };
  EXPECT_EQ(turn(2, BodyRule::discs), Kinds{swept_overlap}) << "one fault, however many ticks it lasts";
  EXPECT_EQ(turn(5, BodyRule::discs), Kinds{});
  EXPECT_EQ(turn(2, BodyRule::cells), Kinds{});
}

// The diagonal passes at 0.7071.
TEST(TimedDiscs, AWalkerTouchesWhoStandsBesideItsDiagonal) {
  for (const std::int32_t radius : {35, 36}) {
    Judge judge({}, {body(2, radius)});
    judge.enter(1, {0, 0}).enter(2, {1, 0}).tick({judge.step(1, {0, 0}, {1, 1}, 6, 154)}).ticks(7);
    EXPECT_EQ(judge.kinds().size(), radius == 35 ? 0u : 1u);
  }
}

TEST(TimedCells, ExchangesAndCrossingsAreFaultsWheneverBothAreOnTheirWay) {
  const ValidatorRules cells{BodyRule::cells, Following::allowed};
  Judge exchange(cells);
  exchange.enter(1, {0, 0}, 1).enter(2, {1, 0}, 1);
  exchange.tick({exchange.step(1, {0, 0}, {1, 0}, 2), exchange.step(2, {1, 0}, {0, 0}, 2)}).ticks(3);
  EXPECT_EQ(exchange.kinds(), Kinds{swept_overlap});
  Judge crossing(cells, {body(2), body(8)});
  crossing.enter(1, {0, 0}, 0).enter(2, {1, 0}, 1).tick({crossing.step(1, {0, 0}, {1, 1}, 6, 154)});
  crossing.tick().tick({crossing.step(2, {1, 0}, {0, 1}, 1, 900)}).ticks(4);
  EXPECT_EQ(crossing.kinds(), Kinds{swept_overlap});
}

TEST(TimedPortals, ABodyStandsAtBothEndsUntilItIsThrough) {
  const auto with = [](std::uint32_t at_tick, Cell from, Cell to, BodyRule rule = BodyRule::discs) {
    Judge judge({rule, Following::allowed});
    judge.enter(1, {0, 7}).enter(2, from);
    std::vector<MoveRecord> first{{1, {0, 7}, {4, 4}, 0, 3, kHalf, 0}};
    const MoveRecord other{2, from, to, at_tick, 1, kHalf};
    if (at_tick == 0) first.push_back(other);
    judge.tick(first);
    for (std::uint32_t t = 1; t < 5; ++t)
      judge.tick(t == at_tick ? std::vector<MoveRecord>{other} : std::vector<MoveRecord>{});
    return judge.kinds();
  };
  EXPECT_EQ(with(0, {1, 7}, {2, 7}), Kinds{});
  EXPECT_EQ(with(2, {1, 7}, {0, 7}), Kinds{swept_overlap});
  EXPECT_EQ(with(3, {1, 7}, {0, 7}), Kinds{});
  EXPECT_EQ(with(2, {1, 7}, {0, 7}, BodyRule::cells), Kinds{});
  EXPECT_EQ(with(0, {4, 4}, {5, 4}), Kinds{swept_overlap});
  EXPECT_EQ(with(0, {4, 4}, {5, 4}, BodyRule::cells), Kinds{});
  EXPECT_FALSE(with(1, {5, 4}, {4, 4}).empty());
}

TEST(TimedJumps, EndAStepAndFreeItsPlaces) {
  Judge judge;
  judge.enter(1, {0, 0}, 2).enter(2, {0, 1}).tick({judge.step(1, {0, 0}, {1, 0}, 4)});
  judge.validator().order(1, {5, 5});
  judge.tick({{1, {0, 0}, {5, 5}, 1, 0, 0}, {2, {0, 1}, {1, 0}, 1, 1, 900}});
  judge.tick({judge.step(1, {5, 5}, {6, 5}, 4)}).ticks(4);
  EXPECT_EQ(judge.kinds(), Kinds{});
}

TEST(TimedLeaves, FreeBothPlaces) {
  Judge judge;
  judge.enter(1, {0, 0}, 2).enter(2, {0, 1}).tick({judge.step(1, {0, 0}, {1, 0}, 4)});
  judge.validator().leave(1);
  judge.tick({judge.step(2, {0, 1}, {1, 0}, 1, 900)}).tick({judge.step(2, {1, 0}, {0, 0}, 1, 900)});
  EXPECT_EQ(judge.kinds(), Kinds{});
}

}  // namespace
}  // namespace drover
