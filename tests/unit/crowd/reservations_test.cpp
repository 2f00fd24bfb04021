// SPDX-License-Identifier: MIT
// Steps through portals beside other steps: what is granted, what is refused, and why.
#include "crowd/reservations.hpp"

#include <gtest/gtest.h>
#include <drover/map.hpp>

#include <ostream>

namespace drover::crowd {
namespace {

/// Two floors of 12 x 12 without walls. Agents are numbered as they are placed.
class Floors {
 public:
  explicit Floors(BodyRule bodies, Following following = Following::allowed)
      : map_(GridMap::create({12, 12, 2}).value()), table_(agents_, map_.shape(), bodies, following) {}

  std::uint32_t place(Cell at, int footprint = 1, Fixed radius = Fixed::ratio(35, 100)) {
    const std::uint32_t agent = agents_.append();
    agents_.body[agent] = table_.table().add({footprint, radius});
    agents_.at[agent] = at;
    agents_.cell[agent] = index(at);
    agents_.move[agent] = kUndecided;
    table_.place(agent);
    return agent;
  }
  ReserveResult walk(std::uint32_t agent, Direction d) { return table_.reserve(agent, static_cast<std::uint8_t>(d)); }
  ReserveResult pass(std::uint32_t agent, Cell to) { return table_.reserve_portal(agent, {0, {index(to)}}); }
  void stays(std::uint32_t agent) { agents_.move[agent] = kStay; }
  void end_tick(const std::vector<std::uint32_t>& movers) { table_.commit(movers); }
  Reservations& table() { return table_; }
  Agents& agents() { return agents_; }
  std::uint32_t index(Cell c) const { return map_.shape().index(c).value; }

 private:
  GridMap map_;
  Agents agents_;
  Reservations table_;
};

bool refused(const ReserveResult& result, Conflict conflict, std::uint32_t by) {
  return !result.granted && result.conflict == conflict && result.by == by;
}

constexpr Cell kLow{4, 4, 0}, kHigh{8, 8, 1};
const Fixed kHalf = Fixed::ratio(1, 2);

TEST(Passage, DiscsNeitherFollowNorAreFollowed) {
  Floors f(BodyRule::discs);
  const auto first = f.place(kLow), behind = f.place({3, 4, 0}), ahead = f.place(kHigh), third = f.place({0, 0, 0});
  ASSERT_TRUE(f.walk(ahead, Direction::east).granted);
  EXPECT_TRUE(refused(f.pass(first, kHigh), Conflict::following, ahead));
  EXPECT_TRUE(f.pass(first, {1, 1, 1}).granted);
  EXPECT_TRUE(refused(f.walk(behind, Direction::east), Conflict::following, first));
  EXPECT_TRUE(refused(f.pass(third, {1, 1, 1}), Conflict::vertex, first));
}

TEST(Passage, NobodyPassesWhoseCellIsBeingEntered) {
  Floors f(BodyRule::discs);
  const auto first = f.place(kLow), behind = f.place({3, 4, 0});
  ASSERT_TRUE(f.walk(behind, Direction::east).granted);
  EXPECT_TRUE(refused(f.pass(first, kHigh), Conflict::following, behind));
  f.table().release(behind);
  EXPECT_TRUE(f.pass(first, kHigh).granted);
}

TEST(Passage, CellsFollowOnBothEndsUnlessItIsForbidden) {
  for (const Following following : {Following::allowed, Following::forbidden}) {
    Floors f(BodyRule::cells, following);
    const auto first = f.place(kLow), behind = f.place({3, 4, 0}), ahead = f.place(kHigh);
    ASSERT_TRUE(f.walk(ahead, Direction::east).granted);
    const bool allowed = following == Following::allowed;
    EXPECT_EQ(f.pass(first, kHigh).granted, allowed);
    EXPECT_EQ(f.walk(behind, Direction::east).granted, allowed);
  }
}

// Whichever of the two decides first, and whether the way back is a portal or a step.
TEST(Passage, CellsDoNotChangePlaces) {
  const Cell beside{5, 4, 0};
  {
    Floors f(BodyRule::cells);
    const auto one = f.place(kLow), two = f.place(kHigh);
    ASSERT_TRUE(f.pass(one, kHigh).granted);
    EXPECT_TRUE(refused(f.pass(two, kLow), Conflict::edge_swap, one));
  }
  {
    Floors f(BodyRule::cells);
    const auto one = f.place(kLow), two = f.place(beside);
    ASSERT_TRUE(f.pass(one, beside).granted);
    EXPECT_TRUE(refused(f.walk(two, Direction::west), Conflict::edge_swap, one));
  }
  {
    Floors f(BodyRule::cells);
    const auto one = f.place(kLow), two = f.place(beside);
    ASSERT_TRUE(f.walk(two, Direction::west).granted);
    EXPECT_TRUE(refused(f.pass(one, beside), Conflict::edge_swap, two));
  }
  {
    Floors f(BodyRule::cells);
    const auto one = f.place(kLow, 2), two = f.place({6, 4, 0});
    ASSERT_TRUE(f.pass(one, {6, 4, 0}).granted);
    EXPECT_TRUE(refused(f.walk(two, Direction::west), Conflict::edge_swap, one));
  }
}

// Radius 1 and 1/2: a diagonal past a corner of the wide one comes to 1.41 of 1.5.
TEST(Passage, WideDiscsStandAtTheFarEndForTheWholeTick) {
  {
    Floors f(BodyRule::discs);
    const auto wide = f.place(kLow, 2, Fixed::ratio(1, 1)), walker = f.place({10, 8, 1}, 1, kHalf);
    ASSERT_TRUE(f.pass(wide, kHigh).granted);
    EXPECT_TRUE(refused(f.walk(walker, Direction::north_west), Conflict::footprint, wide));
    EXPECT_TRUE(f.walk(walker, Direction::north).granted);
  }
  {
    Floors f(BodyRule::discs);
    const auto wide = f.place(kLow, 2, Fixed::ratio(1, 1)), walker = f.place({10, 8, 1}, 1, kHalf);
    ASSERT_TRUE(f.walk(walker, Direction::north_west).granted);
    EXPECT_TRUE(refused(f.pass(wide, kHigh), Conflict::footprint, walker));
  }
}

// The discs of a corner that is entered stay apart, but the cells are held until the tick is over.
TEST(Passage, CellsThatAreLeftAreHeldUntilTheTickIsOver) {
  Floors f(BodyRule::discs);
  const Fixed small = Fixed::ratio(1, 10);
  const auto wide = f.place(kLow, 2, small), walker = f.place({6, 6, 0}, 1, small);
  ASSERT_TRUE(f.pass(wide, kHigh).granted);
  EXPECT_TRUE(refused(f.walk(walker, Direction::north_west), Conflict::following, wide));
}

TEST(Passage, AFarEndThatIsBeingLeftIsKeptFreeForOneTick) {
  Floors f(BodyRule::discs);
  const auto waits = f.place(kLow), leaves = f.place(kHigh), follows = f.place({7, 8, 1});
  EXPECT_TRUE(refused(f.pass(waits, kHigh), Conflict::following, leaves));
  ASSERT_TRUE(f.walk(leaves, Direction::east).granted);
  EXPECT_TRUE(refused(f.walk(follows, Direction::east), Conflict::vertex, waits));
  f.stays(waits);
  f.stays(follows);
  f.end_tick({leaves});
  f.agents().move[waits] = f.agents().move[follows] = kUndecided;
  EXPECT_EQ(f.table().entering(f.index(kHigh)), kNobody);
  EXPECT_TRUE(f.pass(waits, kHigh).granted);
}

TEST(Passage, WhoStaysAtTheFarEndIsInTheWay) {
  for (const BodyRule bodies : {BodyRule::discs, BodyRule::cells}) {
    Floors f(bodies);
    const auto agent = f.place(kLow), other = f.place(kHigh);
    f.stays(other);
    EXPECT_TRUE(refused(f.pass(agent, kHigh), Conflict::vertex, other));
    EXPECT_EQ(f.table().entering(f.index(kHigh)), kNobody);
  }
}

}  // namespace
}  // namespace drover::crowd
