// SPDX-License-Identifier: MIT
// What the oracle expects of single cells, worked out by hand, and what it answers where there is nothing to judge.
#include "support/grids.hpp"
#include "verify/ways.hpp"

#include <gtest/gtest.h>
#include <drover/verify.hpp>

#include <map>
#include <string>
#include <vector>

namespace drover::test {
namespace {

// A field that says nothing right, so that each cell comes back with what was expected of it.
CellClaim nothing(CellIndex) {
  CellClaim claim;
  claim.state = ClaimedState::none;
  return claim;
}

/// What is expected of `cell`: all others are claimed as the oracle wants them.
CellClaim expected_at(const GridMap& map, const MovementProfile& profile, const std::vector<FieldTarget>& targets,
                      Cell cell, std::uint64_t all_starts = 4096) {
  std::map<std::uint32_t, CellClaim> known;
  OracleOptions options;
  options.all_starts = all_starts;
  const FieldClaims claims{[&](CellIndex i) { return known.contains(i.value) ? known[i.value] : nothing(i); }, {}};
  for (;;) {
    const Result<FieldVerdict> verdict = verify_field(map.view(), profile, targets, claims, options);
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    if (!verdict.ok() || !verdict->first) return {};
    if (verdict->first->cell == cell) return verdict->first->expected;
    known[map.shape().index(verdict->first->cell).value] = verdict->first->expected;
  }
}

constexpr auto kN = static_cast<std::uint8_t>(1u << static_cast<int>(Direction::north));
constexpr auto kE = static_cast<std::uint8_t>(1u << static_cast<int>(Direction::east));

TEST(FieldOracle, CornersAreCutAsTheProfileSays) {
  const GridMap map = map_of({".#.", "...", "..."});
  const std::vector<FieldTarget> goal = {{{0, 0}, 0}};
  EXPECT_EQ(expected_at(map, body(1), goal, {1, 1}).cost, 20u);
  EXPECT_EQ(expected_at(map, body(1, CornerRule::one_free), goal, {1, 1}).cost, 14u);
  EXPECT_EQ(expected_at(map, body(1, CornerRule::one_free, Moves::four), goal, {1, 1}).cost, 20u);
  EXPECT_EQ(expected_at(map, body(1), goal, {1, 0}).state, ClaimedState::blocked);
}

TEST(FieldOracle, EveryOptimalStepIsExpectedTheFirstInTieOrderFirst) {
  const GridMap map = map_of({"...", "...", "..."});
  const CellClaim claim = expected_at(map, body(1, CornerRule::strict, Moves::four), {{{2, 0}, 0}}, {0, 2});
  EXPECT_EQ(claim.state, ClaimedState::reachable);
  EXPECT_EQ(claim.cost, 40u);
  EXPECT_EQ(claim.ties.bits, kN | kE);
  EXPECT_EQ(claim.step, 0u);
}

TEST(FieldOracle, StatesOfCellsWithoutAWay) {
  const GridMap map = map_of({"..#..", "..#?.", "..#.."});
  const std::vector<FieldTarget> goal = {{{0, 0}, 0}};
  EXPECT_EQ(expected_at(map, body(1), goal, {0, 0}).state, ClaimedState::goal);
  EXPECT_EQ(expected_at(map, body(1), goal, {4, 0}).state, ClaimedState::unreachable);
  EXPECT_EQ(expected_at(map, body(1), goal, {3, 1}).state, ClaimedState::unknown);
  EXPECT_EQ(expected_at(map, body(2), goal, {4, 0}).state, ClaimedState::no_room);
  EXPECT_EQ(expected_at(map, body(2), goal, {3, 0}).state, ClaimedState::no_room);
}

TEST(FieldOracle, ABodyPaysForItsDearestCell) {
  GridMap map = map_of({"....", "...."});
  const std::vector<std::uint32_t> weights = {1, 1, 1, 1, 1, 7, 1, 1};
  ASSERT_TRUE(map.set_weights(0, weights).ok());
  EXPECT_EQ(expected_at(map, body(2), {{{0, 0}, 0}}, {2, 0}).cost, 140u);
  EXPECT_EQ(expected_at(map, body(1), {{{0, 0}, 5}}, {2, 0}).cost, 25u);
}

TEST(FieldOracle, FreeGroundIsCrossedInTheFewestSteps) {
  GridMap map = map_of({"...", "..."});
  ASSERT_TRUE(map.set_weights(0, std::vector<std::uint32_t>(6, 0)).ok());
  const CellClaim claim = expected_at(map, body(1), {{{0, 0}, 0}}, {2, 0});
  EXPECT_EQ(claim.cost, 0u);
  // Two steps either way: W first in tie order, or SW and then NW.
  EXPECT_EQ(claim.step, static_cast<std::uint32_t>(Direction::west));
  EXPECT_EQ(claim.ties.bits, 1u << static_cast<int>(Direction::west) | 1u << static_cast<int>(Direction::south_west));
}

TEST(FieldOracle, OneWaysSlopesAndPortalsByTheirForwardCosts) {
  GridMapDef def;
  def.width = 4;
  def.height = 1;
  def.slope = {3, 0};
  GridMap map = *GridMap::create(def);
  ASSERT_TRUE(map.set_heights(0, std::vector<std::int32_t>{5, 2, 2, 2}).ok());
  ASSERT_TRUE(map.apply({{}, {}, {{{{2, 0}, Direction::west}, false, 0}}, {}}).ok());
  const std::vector<FieldTarget> goal = {{{0, 0}, 0}};
  EXPECT_EQ(expected_at(map, body(1), goal, {1, 0}).cost, 19u);  // 10 + three up
  EXPECT_EQ(expected_at(map, body(1), goal, {2, 0}).state, ClaimedState::unreachable);
  ASSERT_TRUE(map.add_portal({{3, 0}, {1, 0}, 1, true}).ok());
  const CellClaim claim = expected_at(map, body(1), goal, {3, 0}, 0);
  EXPECT_EQ(claim.cost, 20u);
  EXPECT_EQ(claim.step, CellClaim::kPortalStep);
  ASSERT_EQ(claim.portals.size(), 1u);
  EXPECT_EQ(claim.portals[0].to, map.shape().index({1, 0}));
  EXPECT_EQ(expected_at(map, body(1), goal, {2, 0}).cost, 30u);  // E, then the portal
}

TEST(FieldOracle, OpenDoorsAskTheirPriceAndClosedOnesBlock) {
  GridMap map = map_of({"...."});
  ASSERT_TRUE(map.add_door({"gate", {{1, 0}}, true, {{{3, 0}, Direction::west}}, 6}).ok());
  const std::vector<FieldTarget> goal = {{{0, 0}, 0}};
  EXPECT_EQ(expected_at(map, body(1), goal, {3, 0}).cost, 42u);
  ASSERT_TRUE(map.apply(set_door(0, DoorState::closed)).ok());
  EXPECT_EQ(expected_at(map, body(1), goal, {3, 0}).state, ClaimedState::unreachable);
  EXPECT_EQ(expected_at(map, body(1), goal, {1, 0}).state, ClaimedState::blocked);
}

TEST(FieldOracle, RefusesWhatItCannotJudge) {
  const GridMap map = map_of({".#"});
  const FieldClaims claims{nothing, {}};
  const auto code = [&](const MovementProfile& profile, const std::vector<FieldTarget>& targets) {
    return verify_field(map.view(), profile, targets, claims).status().code();
  };
  EXPECT_EQ(code(body(1), {}), StatusCode::argument);
  EXPECT_EQ(code(body(1), {{{1, 0}, 0}}), StatusCode::argument);
  EXPECT_EQ(code(body(1), {{{2, 0}, 0}}), StatusCode::argument);
  EXPECT_EQ(code(body(9), {{{0, 0}, 0}}), StatusCode::footprint);
}

TEST(FieldOracle, StopsWhenItIsToldTo) {
  const GridMap map = map_of({"....", "...."});
  OracleOptions options;
  options.progress = [](std::uint64_t done, std::uint64_t) { return done < 3; };
  const std::vector<FieldTarget> goal = {{{0, 0}, 0}};
  const FieldVerdict verdict = *verify_field(map.view(), body(1), goal, {nothing, {}}, options);
  EXPECT_TRUE(verdict.stopped);
  EXPECT_EQ(verdict.starts, 3u);
  EXPECT_EQ(verdict.wrong, 0u);
}

TEST(FieldOracle, SamplesAreDrawnBySeedAndNeverMoreThanThereArePlaces) {
  const GridMap map = map_of({"....", "...."});
  OracleOptions options;
  options.all_starts = 0;
  options.samples = 5;
  const std::vector<FieldTarget> goal = {{{0, 0}, 0}};
  EXPECT_EQ(verify_field(map.view(), body(1), goal, {nothing, {}}, options)->starts, 5u);
  options.samples = 50;
  EXPECT_EQ(verify_field(map.view(), body(1), goal, {nothing, {}}, options)->starts, 8u);
}

/// Claims on one row: letters are the ties, '*' a goal, '#' a wall.
std::optional<CellIndex> lost_on(const std::string& row, const std::vector<PortalClaim>& portals_of_first = {}) {
  const GridShape shape = *GridShape::create(static_cast<std::int64_t>(row.size()), 1);
  return verify::lost_walk(shape, [&](CellIndex i) {
    const std::int32_t x = shape.cell(i).x;
    CellClaim claim;
    const char letter = row[static_cast<std::size_t>(x)];
    claim.state = letter == '*' ? ClaimedState::goal : letter == '#' ? ClaimedState::blocked : ClaimedState::reachable;
    const unsigned east = 1u << static_cast<int>(Direction::east), west = 1u << static_cast<int>(Direction::west);
    if (letter == 'E' || letter == 'B') claim.ties.bits = static_cast<std::uint8_t>(claim.ties.bits | east);
    if (letter == 'W' || letter == 'B') claim.ties.bits = static_cast<std::uint8_t>(claim.ties.bits | west);
    if (x == 0) claim.portals = portals_of_first;
    return claim;
  });
}

TEST(LostWalk, CirclesAndDeadEndsAreFoundWhateverMemberOfTheTieSetLeadsThere) {
  const GridShape shape = *GridShape::create(4, 1);
  EXPECT_FALSE(lost_on("EEE*").has_value());
  EXPECT_FALSE(lost_on("*WE*").has_value());
  EXPECT_TRUE(lost_on("EEB*").has_value()) << "east again, then west: for ever";
  EXPECT_TRUE(lost_on("EW#*").has_value());
  EXPECT_TRUE(lost_on("EE#*").has_value()) << "into a wall";
  EXPECT_TRUE(lost_on("-#E*").has_value()) << "no step at all";
  EXPECT_TRUE(lost_on("E-E*").has_value());
  EXPECT_FALSE(lost_on("-#E*", {{0, {shape.at(2, 0, 0)}}}).has_value());
  EXPECT_TRUE(lost_on("EWE*", {{0, {shape.at(3, 0, 0)}}}).has_value()) << "the portal saves only one of two";
}

}  // namespace
}  // namespace drover::test
