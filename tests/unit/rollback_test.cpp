// SPDX-License-Identifier: MIT
// Snapshots: back to a tick, and forward again to the same bytes.
#include "support/count_allocations.hpp"
#include "support/scene.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <vector>

namespace drover::test {
namespace {

Scene crowd_with_a_door(std::uint32_t& door) {
  SimulationDef def;
  def.adopt_latency_ticks = 2;
  std::vector<std::string> rows(12, std::string(15, '.') + "#" + std::string(14, '.'));
  rows[5][15] = rows[6][15] = '.';
  rows[11][15] = '.';
  Scene s(rows, def);
  door = s.door("gate", {{15, 5}, {15, 6}});
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 60; ++i)
    walkers.push_back(
        {static_cast<std::uint64_t>(i + 1), {i % 12, i / 12}, {29, 6}, true, static_cast<std::uint64_t>(i % 3)});
  s.open(walkers);
  return s;
}

Command gate(std::uint64_t tick, std::uint32_t door, DoorState state) {
  return {tick, 0, EditMap{{{}, {{door, state}}}}};
}

TEST(Rollback, EightTicksWithADoorAndAnAdoptionInsideGiveTheSameDigests) {
  std::uint32_t door = 0;
  Scene s = crowd_with_a_door(door);
  for (int t = 0; t < 6; ++t) s.step();
  SimulationSnapshot snapshot;
  ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  EXPECT_EQ(snapshot.tick(), 6u);
  std::vector<Digests> first;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(s.sim().submit(gate(8, door, DoorState::closed)).ok());
    std::vector<Digests> digests;
    std::size_t adoptions = 0;
    for (int t = 0; t < 8; ++t) {
      digests.push_back(s.sim().step().digests);
      adoptions += s.sim().adoptions().size();
    }
    EXPECT_EQ(adoptions, 1u);
    if (round == 0) first = digests;
    EXPECT_EQ(digests, first);
    ASSERT_TRUE(s.sim().restore(snapshot).ok());
    EXPECT_EQ(s.sim().tick(), 6u);
    EXPECT_TRUE(s.sim().events().empty());
  }
  // Another input after the same snapshot: another future, and the door of the first one is open again.
  for (int t = 0; t < 8; ++t) s.sim().step();
  EXPECT_NE(s.sim().digests(), first.back());
  EXPECT_TRUE(s.sim().map().doors()[door].open);
}

TEST(Rollback, CommandsThatWereWaitingAreStillWaiting) {
  std::uint32_t door = 0;
  Scene s = crowd_with_a_door(door);
  ASSERT_TRUE(s.sim().submit(gate(9, door, DoorState::closed)).ok());
  for (int t = 0; t < 4; ++t) s.sim().step();
  SimulationSnapshot snapshot;
  ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  std::vector<Digests> runs[2];
  for (auto& run : runs) {
    for (int t = 0; t < 12; ++t) run.push_back(s.sim().step().digests);
    EXPECT_FALSE(s.sim().map().doors()[door].open);
    ASSERT_TRUE(s.sim().restore(snapshot).ok());
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(Rollback, AgentsThatCameAndWentAreBackOrGoneAgain) {
  std::uint32_t door = 0;
  Scene s = crowd_with_a_door(door);
  for (int t = 0; t < 5; ++t) s.sim().step();
  const AgentId seventh = s.id(7);
  SimulationSnapshot before, after;
  ASSERT_TRUE(s.sim().snapshot_into(before).ok());
  ASSERT_TRUE(s.sim().remove_agent(seventh).ok());
  s.sim().step();
  const AgentId guest = s.add({1000, {0, 11}, {29, 6}, true});
  s.sim().step();
  ASSERT_TRUE(s.sim().snapshot_into(after).ok());
  const Digests with_guest = s.sim().step().digests;

  ASSERT_TRUE(s.sim().restore(before).ok());
  EXPECT_TRUE(s.sim().agent(seventh).ok());
  EXPECT_FALSE(s.sim().find_agent(1000).ok());
  EXPECT_EQ(s.sim().agent_count(), 60u);
  s.sim().step();
  // Another guest in the same slot: the roster of `after` must not be taken for this one.
  ASSERT_TRUE(s.sim().remove_agent(s.id(8)).ok());
  s.sim().step();

  ASSERT_TRUE(s.sim().restore(after).ok());
  EXPECT_FALSE(s.sim().agent(seventh).ok());
  EXPECT_TRUE(s.sim().agent(guest).ok());
  EXPECT_TRUE(s.sim().find_agent(8).ok());
  EXPECT_EQ(s.sim().step().digests, with_guest);
}

TEST(Rollback, ASnapshotIsAtMost64BytesAnAgentAndTheSecondAllocatesNothing) {
  Scene s(open_rows(120, 120));
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 10000; ++i)
    walkers.push_back({static_cast<std::uint64_t>(i + 1), {i % 100, i / 100}, {119, 60}, true});
  s.open(walkers);
  s.sim().step();
  SimulationSnapshot snapshot;
  ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  EXPECT_LE(snapshot.bytes(), 10000u * 64);
  s.sim().step();
  const std::uint64_t before = allocations;
  const bool saved = s.sim().snapshot_into(snapshot).ok();
  const bool restored = s.sim().restore(snapshot).ok();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(saved && restored);
}

TEST(Rollback, WhatWasGivenBeforeTheSnapshotIsStillToldAfterARestore) {
  std::uint32_t door = 0;
  Scene s = crowd_with_a_door(door);
  s.step();
  ASSERT_TRUE(s.sim().edit({{}, {{door, DoorState::closed}}}).ok());
  SimulationSnapshot snapshot;
  ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  s.sim().step();
  EXPECT_EQ(s.sim().inputs().size(), 1u);
  ASSERT_TRUE(s.sim().restore(snapshot).ok());
  EXPECT_EQ(s.sim().inputs_waiting(), 1u);
  s.sim().step();
  EXPECT_EQ(s.sim().inputs().size(), 1u);
  EXPECT_EQ(s.sim().commands().size(), 1u);
}

// A wide profile that was rolled back must not leave its body behind: the small ones would take the long way of
// deciding.
TEST(Rollback, ProfilesComeAndGoWithTheStateTheyBelongTo) {
  SimulationDef def;
  def.following = Following::forbidden;
  std::vector<Digests> runs[2];
  for (int round = 0; round < 2; ++round) {
    Scene s({"...", ".#.", "..."}, def);
    s.moves(Moves::four);
    std::vector<Walker> walkers;
    const Cell ring[8] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (std::uint64_t i = 0; i < 8; ++i) walkers.push_back({i + 1, ring[i], ring[(i + 3) % 8], true});
    s.open(walkers);
    SimulationSnapshot early, late;
    ASSERT_TRUE(s.sim().snapshot_into(early).ok());
    if (round == 1) {
      MovementProfile wide;
      wide.name = "wide";
      wide.footprint = 2;
      ASSERT_TRUE(s.sim().add_profile(wide).ok());
      ASSERT_TRUE(s.sim().snapshot_into(late).ok());
      ASSERT_TRUE(s.sim().restore(early).ok());
      EXPECT_EQ(s.sim().profiles().size(), 1u);
      ASSERT_TRUE(s.sim().restore(late).ok());
      ASSERT_EQ(s.sim().profiles().size(), 2u);
      EXPECT_EQ(s.sim().profiles()[1].footprint, 2);
      EXPECT_EQ(s.sim().profiles()[1].name, "wide");
      ASSERT_TRUE(s.sim().restore(early).ok());
    }
    for (int t = 0; t < 40; ++t) runs[round].push_back(s.sim().step().digests);
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(Rollback, ASnapshotOfASimulationThatIsGoneIsNobodys) {
  SimulationSnapshot snapshot;
  for (int round = 0; round < 4; ++round) {
    Scene s({"......"});
    s.open({{1, {0, 0}, {5, 0}}});
    if (round > 0) {
      EXPECT_EQ(s.sim().restore(snapshot).code(), StatusCode::argument) << "of the one before, maybe at this address";
    }
    ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  }
}

TEST(Profiles, OneOfItsOwnMayBeAddedAgain) {
  Scene s({"......"});
  s.open({{1, {0, 0}, {5, 0}}});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(s.sim().add_profile(s.sim().profiles()[0]).ok());
  EXPECT_EQ(s.sim().profiles()[20].name, s.sim().profiles()[0].name);
}

TEST(Rollback, SnapshotsOfOthersAreRefused) {
  Scene a({"...."}), b({"...."});
  a.open({{1, {0, 0}, {3, 0}}});
  b.open({{1, {0, 0}, {3, 0}}});
  SimulationSnapshot snapshot;
  EXPECT_EQ(a.sim().restore(snapshot).code(), StatusCode::argument);
  ASSERT_TRUE(a.sim().snapshot_into(snapshot).ok());
  EXPECT_EQ(b.sim().restore(snapshot).code(), StatusCode::argument);
  Simulation fresh = *Simulation::create(*GridMap::create({2, 2, 1, {}, standard_terrain()}));
  EXPECT_EQ(fresh.snapshot_into(snapshot).code(), StatusCode::argument);
}

TEST(Rollback, AHeldBundleOutlivesTheRestore) {
  std::uint32_t door = 0;
  Scene s = crowd_with_a_door(door);
  SimulationSnapshot snapshot;
  ASSERT_TRUE(s.sim().snapshot_into(snapshot).ok());
  const BundleRef open = s.sim().snapshot();
  ASSERT_TRUE(s.sim().submit(gate(1, door, DoorState::closed)).ok());
  for (int t = 0; t < 5; ++t) s.sim().step();
  const BundleRef closed = s.sim().snapshot();
  ASSERT_TRUE(s.sim().restore(snapshot).ok());
  EXPECT_EQ(s.sim().snapshot(), open);
  const Cost short_way = open->look_up(s.any_profile(), s.goal("29,6v"), {14, 6}).cost;
  const Cost long_way = closed->look_up(s.any_profile(), s.goal("29,6v"), {14, 6}).cost;
  EXPECT_EQ(short_way, 150u);
  EXPECT_GT(long_way, short_way);
}

}  // namespace
}  // namespace drover::test
