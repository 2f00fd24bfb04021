// SPDX-License-Identifier: MIT
// What one faction knows and another does not, from the map up to a run.
#include <drover/bundle.hpp>
#include <drover/simulation.hpp>
#include <drover/verify.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/counting_allocator.hpp"
#include "support/grids.hpp"
#include "support/map_bytes.hpp"

namespace drover::test {
namespace {

constexpr FactionId kBlue = 0, kRed = 1, kGreen = 2;

GridMap sided(const std::vector<std::string>& rows, const Host& host = {}) {
  GridMap map = map_of(rows, host);
  for (const char* name : {"blue", "red", "green"}) EXPECT_TRUE(map.add_faction(name).ok());
  return map;
}

MapEdit fog(const std::vector<Cell>& cells, CellChange change, FactionId faction, TerrainId terrain = kFloor) {
  MapEdit edit;
  for (const Cell& cell : cells) edit.cells.push_back({cell, change, terrain, faction});
  return edit;
}

EditReport done(GridMap& map, const MapEdit& edit) {
  const Result<EditReport> report = map.apply(edit);
  EXPECT_TRUE(report.ok()) << report.status().message();
  return report.ok() ? *report : EditReport{};
}

MovementProfile of(FactionId faction, int footprint = 1) {
  MovementProfile profile = body(footprint);
  profile.faction = faction;
  return profile;
}

// Who does not know a cell: b r g, and a for everyone.
std::string strangers(const MapView& map, Cell cell) {
  std::string out;
  const CellIndex i = map.shape().index(cell);
  for (const auto& [letter, faction] : {std::pair{'b', kBlue}, {'r', kRed}, {'g', kGreen}, {'a', kEveryone}})
    if (map.unknown(i, faction)) out += letter;
  EXPECT_EQ(map.unknown(i), map.unknown(i, kEveryone));
  return out;
}

TEST(FogMap, ACellIsHiddenFromOneFactionAndShownAgain) {
  GridMap map = sided({"...", "..."});
  const std::uint64_t clear = map.view().content_digest(), version = map.view().map_version();
  const EditReport hidden = done(map, fog({{1, 1}}, CellChange::unknown, kBlue));
  EXPECT_EQ(strangers(map.view(), {1, 1}), "b");
  EXPECT_EQ(strangers(map.view(), {0, 1}), "");
  EXPECT_EQ(hidden.dirty, std::vector<CellIndex>{map.shape().index({1, 1})});
  EXPECT_EQ(hidden.map_version, version + 1);
  EXPECT_NE(map.view().content_digest(), clear);
  EXPECT_FALSE(done(map, fog({{1, 1}}, CellChange::unknown, kBlue)).changed);
  EXPECT_FALSE(done(map, fog({{1, 1}}, CellChange::known, kRed)).changed);
  EXPECT_EQ(done(map, fog({{1, 1}}, CellChange::known, kBlue)).dirty, hidden.dirty);
  EXPECT_EQ(strangers(map.view(), {1, 1}), "");
  EXPECT_EQ(map.view().content_digest(), clear);
}

TEST(FogMap, WhatNobodyKnowsAndOneIsShownStaysHiddenFromTheOthers) {
  GridMap map = sided({".?"});
  const std::uint64_t before = map.view().content_digest();
  EXPECT_EQ(strangers(map.view(), {1, 0}), "brga");
  EXPECT_FALSE(done(map, fog({{1, 0}}, CellChange::unknown, kRed)).changed);
  EXPECT_TRUE(done(map, fog({{1, 0}}, CellChange::known, kRed)).changed);
  EXPECT_EQ(strangers(map.view(), {1, 0}), "bg");
  EXPECT_EQ(map.view().terrain(map.shape().index({1, 0})), kFloor);
  done(map, fog({{1, 0}}, CellChange::terrain, kGreen, kWall));
  EXPECT_EQ(strangers(map.view(), {1, 0}), "b");
  EXPECT_EQ(map.view().terrain(map.shape().index({1, 0})), kWall);
  done(map, set_terrain({1, 0}, kFloor));
  EXPECT_EQ(strangers(map.view(), {1, 0}), "");
  done(map, fog({{1, 0}}, CellChange::unknown, kGreen));
  done(map, hide({1, 0}));
  EXPECT_EQ(map.view().content_digest(), before) << "hidden from everyone in one way only";
}

TEST(FogMap, EditsForOneFactionComeOnTopOfThoseBeforeThem) {
  GridMap map = sided({"..."});
  const auto batch = [&](const std::vector<CellEdit>& cells) {
    done(map, {cells, {}});
    return strangers(map.view(), {0, 0});
  };
  const auto hide_from = [](FactionId f, Cell c = {0, 0}) { return CellEdit{c, CellChange::unknown, kFloor, f}; };
  const auto show_to = [](FactionId f) { return CellEdit{{0, 0}, CellChange::known, kFloor, f}; };
  EXPECT_EQ(batch({hide_from(kBlue), hide_from(kRed, {2, 0}), hide_from(kGreen)}), "bg");
  EXPECT_EQ(strangers(map.view(), {2, 0}), "r");
  EXPECT_EQ(batch({hide_from(kRed), show_to(kEveryone), hide_from(kGreen)}), "g");
  EXPECT_EQ(batch({hide_from(kEveryone), show_to(kBlue), show_to(kGreen)}), "r");
  EXPECT_EQ(batch({show_to(kRed), hide_from(kRed), show_to(kRed)}), "");
  EXPECT_EQ(batch({{{0, 0}, CellChange::terrain, kWall}, hide_from(kBlue)}), "b");
  EXPECT_EQ(map.view().terrain(map.shape().index({0, 0})), kWall);
}

TEST(FogMap, AViewKeepsWhatItSaw) {
  GridMap map = sided({"..."});
  const MapView clear = map.view();
  EXPECT_EQ(clear.fog_plane(), nullptr) << "nothing to pay for while there is no fog";
  done(map, fog({{1, 0}}, CellChange::unknown, kRed));
  const MapView fogged = map.view();
  done(map, fog({{1, 0}}, CellChange::known, kRed));
  EXPECT_EQ(strangers(clear, {1, 0}), "");
  EXPECT_EQ(strangers(fogged, {1, 0}), "r");
  map.restore(fogged);
  EXPECT_EQ(strangers(map.view(), {1, 0}), "r");
}

TEST(FogMap, FactionsAreFewAndNamedOnce) {
  GridMap map = sided({"..."});
  EXPECT_EQ(map.add_faction("red").status().code(), StatusCode::name_twice);
  EXPECT_EQ(map.add_faction("").status().code(), StatusCode::argument);
  for (std::size_t n = 3; n < kMaxFactions; ++n) EXPECT_EQ(*map.add_faction(std::string(n, 'x')), n);
  const Status ninth = map.add_faction("white").status();
  EXPECT_EQ(ninth.code(), StatusCode::limit_factions);
  EXPECT_NE(ninth.message().find("white"), std::string::npos) << ninth.message();
  EXPECT_EQ(map.view().factions().size(), kMaxFactions);
  EXPECT_EQ(map.view().factions()[kRed], "red");
}

TEST(FogMap, FactionsThatAreNotThereAreRefused) {
  GridMap map = sided({"..."});
  const std::uint64_t digest = map.view().content_digest();
  MapEdit edit = fog({{0, 0}}, CellChange::unknown, kBlue);
  edit.cells.push_back({{1, 0}, CellChange::known, kFloor, 3});
  EXPECT_EQ(map.apply(edit).status().code(), StatusCode::edit);
  EXPECT_EQ(map.view().content_digest(), digest);
  EXPECT_EQ(NavGraph::compile(map.view(), of(3)).status().code(), StatusCode::argument);
  EXPECT_TRUE(NavGraph::compile(map.view(), of(kGreen)).ok());
  Simulation sim = *Simulation::create(std::move(map), {});
  EXPECT_EQ(sim.add_profile(of(3)).status().code(), StatusCode::argument);
  EXPECT_EQ(sim.edit(edit).code(), StatusCode::edit);
}

TEST(FogMap, AnEditWithoutMemoryForTheFogChangesNothing) {
  CountingAllocator memory;
  const Host host = memory.host();
  GridMap map = sided({"...", "..."}, host);
  const MapView before = map.view();
  memory.fail_at(0);
  EXPECT_EQ(map.apply(fog({{1, 0}}, CellChange::unknown, kBlue)).status().code(), StatusCode::out_of_memory);
  EXPECT_EQ(map.view().content_digest(), before.content_digest());
}

TEST(FogBytes, KeepNamesAndWhatEachKnows) {
  GridMap map = sided({"....", "?#..", "...."});
  done(map, fog({{0, 0}, {3, 2}, {1, 1}}, CellChange::unknown, kRed));
  done(map, fog({{0, 0}, {2, 1}}, CellChange::unknown, kGreen));
  done(map, fog({{0, 1}}, CellChange::known, kBlue));
  const MapView read = through_bytes(map.view()).view();
  EXPECT_EQ(strangers(read, {0, 0}), "rg");
  EXPECT_EQ(strangers(read, {0, 1}), "rg");
}

TEST(FogGraph, EachFactionHasAFootingOfItsOwn) {
  GridMap map = sided({"..?.", "...."});
  done(map, fog({{1, 0}}, CellChange::unknown, kBlue));
  done(map, fog({{2, 0}}, CellChange::known, kRed));
  const NavGraph blue = graph_of(map.view(), of(kBlue)), red = graph_of(map.view(), of(kRed)),
                 nobody = graph_of(map.view());
  EXPECT_EQ(blue.footing({1, 0}), Footing::unknown);
  EXPECT_EQ(blue.footing({2, 0}), Footing::unknown);
  EXPECT_FALSE(blue.moves({0, 0}).has(Direction::east));
  EXPECT_FALSE(blue.moves({0, 1}).has(Direction::north_east));
  for (const NavGraph& graph : {red, nobody}) {
    EXPECT_EQ(graph.footing({1, 0}), Footing::open);
    EXPECT_EQ(graph.footing({2, 0}), Footing::open);
    EXPECT_TRUE(graph.moves({0, 0}).has(Direction::east));
  }
  // Equal steps, equal hash, whoever has them; and the hash of a map where nobody knows what blue does not know.
  EXPECT_EQ(red.content_hash(), nobody.content_hash());
  EXPECT_EQ(blue.content_hash(), graph_of({".??.", "...."}).content_hash());
  EXPECT_EQ(graph_of(map.view(), of(kBlue, 2)).footing({0, 0}), Footing::no_room);
}

TEST(FogGraph, ARevealToBlueLeavesTheGraphOfRedAsItWas) {
  GridMap map = sided({"...."});
  done(map, fog({{1, 0}}, CellChange::unknown, kBlue));
  done(map, fog({{2, 0}}, CellChange::unknown, kRed));
  const NavGraph blue = graph_of(map.view(), of(kBlue)), red = graph_of(map.view(), of(kRed));
  const EditReport report = done(map, fog({{1, 0}}, CellChange::known, kBlue));
  EXPECT_EQ(red.updated(map.view(), report.dirty)->content_hash(), red.content_hash());
  const NavGraph later = *blue.updated(map.view(), report.dirty);
  EXPECT_NE(later.content_hash(), blue.content_hash());
  EXPECT_EQ(later.content_hash(), graph_of({"...."}).content_hash());
}

// A field is another's where it was built on other rules or on what the asking faction did not know in the same way.
class FogField : public ::testing::Test {
 protected:
  static constexpr ProfileId kOfBlue{1, 1}, kOfRed{2, 1}, kOfNone{3, 1}, kWide{4, 1};
  CellState answer(const FieldRef& field, ProfileId who) const {
    const NavBundle bundle(1, map.view(),
                           {{kOfBlue, graph_of(map.view(), of(kBlue))},
                            {kOfRed, graph_of(map.view(), of(kRed))},
                            {kOfNone, graph_of(map.view())},
                            {kWide, graph_of(map.view(), of(kBlue, 2))}},
                           {});
    return bundle.look_up(field, who, {0, 0}).state;
  }
  FieldRef field(FactionId who) { return *builder.build(graph_of(map.view(), of(who)), {{{{3, 0}, 0}}, {}}); }

  GridMap map = sided({"....", "....", "...."});
  FieldBuilder builder;
};

TEST_F(FogField, WhoKnowsTheSameReadsItUntilOneLearnsMore) {
  const FieldRef shared = field(kBlue);
  for (const ProfileId who : {kOfBlue, kOfRed, kOfNone}) EXPECT_EQ(answer(shared, who), CellState::reachable);
  EXPECT_EQ(answer(shared, kWide), CellState::profile_mismatch);
  done(map, fog({{2, 1}}, CellChange::unknown, kRed));
  EXPECT_EQ(answer(shared, kOfBlue), CellState::reachable);
  EXPECT_EQ(answer(shared, kOfNone), CellState::reachable);
  EXPECT_EQ(answer(shared, kOfRed), CellState::stale) << "it was red's field as well";
  done(map, fog({{2, 1}}, CellChange::known, kRed));
  EXPECT_EQ(answer(shared, kOfRed), CellState::reachable);
}

TEST_F(FogField, OfAnotherFactionItIsNeverBorrowed) {
  done(map, fog({{2, 1}}, CellChange::unknown, kRed));
  const FieldRef red = field(kRed), blue = field(kBlue);
  EXPECT_EQ(answer(red, kOfRed), CellState::reachable);
  EXPECT_EQ(answer(red, kOfBlue), CellState::profile_mismatch);
  EXPECT_EQ(answer(red, kOfNone), CellState::profile_mismatch);
  EXPECT_EQ(answer(blue, kOfRed), CellState::profile_mismatch);
  done(map, fog({{1, 1}}, CellChange::unknown, kEveryone));
  EXPECT_EQ(answer(red, kOfRed), CellState::stale);
  EXPECT_EQ(answer(red, kOfBlue), CellState::profile_mismatch);
  EXPECT_EQ(answer(blue, kOfBlue), CellState::stale);
  EXPECT_EQ(answer(blue, kOfNone), CellState::stale);
}

TEST_F(FogField, WhatLiesOnLayersOfOthersDoesNotCount) {
  GridMapDef def;
  def.width = 4;
  def.height = 1;
  def.layers = 2;
  map = *GridMap::create(def);
  ASSERT_TRUE(map.add_faction("blue").ok() && map.add_faction("red").ok());
  done(map, fog({{2, 0, 1}}, CellChange::unknown, kRed));
  MovementProfile blue = of(kBlue), red = of(kRed);
  blue.layers = red.layers = {0};
  const FieldRef shared = *builder.build(graph_of(map.view(), blue), {{{{3, 0}, 0}}, {}});
  done(map, fog({{2, 0, 0}}, CellChange::unknown, kRed));
  const NavBundle bundle(1, map.view(), {{kOfRed, graph_of(map.view(), red)}}, {});
  EXPECT_EQ(bundle.look_up(shared, kOfRed, {0, 0}).state, CellState::stale);
}

// Runs a map under the validator.
class FogRun : public ::testing::Test {
 protected:
  void open(GridMap map, const std::vector<std::pair<FactionId, Cell>>& walkers, Cell goal) {
    sim.emplace(*Simulation::create(std::move(map), {}));
    SimulationGoal where;
    where.where.cells = {{goal, 0}};
    where.on_arrival = OnArrival::vanish;
    const GoalId end = *sim->add_goal(where);
    std::uint64_t key = 0;
    for (const auto& [faction, at] : walkers) {
      profiles.push_back(*sim->add_profile(of(faction)));
      ASSERT_TRUE(sim->add_agent({++key, at, profiles.back(), end, {}, 0, 0}).ok());
    }
    ASSERT_TRUE(sim->start().ok());
    validator.emplace(sim->map(), sim->profiles(), ValidatorRules{});
    for (const Simulation::Entry& e : sim->entered()) validator->enter(e.key, e.profile.index, e.cell);
    goal_id = end;
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      sim->step();
      validator->set_map(sim->map());
      validator->tick(sim->tick(), sim->moves());
      for (const Simulation::Entry& e : sim->left()) validator->leave(e.key);
    }
  }
  AgentView agent(std::uint64_t key) { return *sim->agent(*sim->find_agent(key)); }
  const BundleEntry& entry(std::size_t profile) {
    bundle = sim->snapshot();
    return *bundle->find(profiles[profile], goal_id);
  }

  std::optional<Simulation> sim;
  std::optional<Validator> validator;
  std::vector<ProfileId> profiles;
  GoalId goal_id;
  BundleRef bundle;
};

// Red knows both gaps in the wall, blue neither.
TEST_F(FogRun, ARevealToBlueMakesOneMapVersionAndOneBuildAndRedsFieldStays) {
  GridMap map = sided({"..?..", "..#..", "....."});
  done(map, fog({{2, 0}}, CellChange::known, kRed));
  done(map, fog({{2, 2}}, CellChange::unknown, kBlue));
  open(std::move(map), {{kBlue, {0, 0}}, {kRed, {0, 2}}}, {4, 1});
  const std::uint64_t version = sim->map().map_version();
  EXPECT_EQ(sim->metrics().field_builds, 2u);
  const FieldRef red = entry(1).field;
  const Stamp stamp = entry(1).stamp;
  ASSERT_TRUE(sim->submit({20, 0, EditMap{fog({{2, 0}}, CellChange::known, kBlue)}}).ok());
  run(19);
  EXPECT_EQ(agent(1).cell, (Cell{0, 0}));
  EXPECT_EQ(agent(1).state, AgentState::unreachable);
  EXPECT_EQ(bundle->look_up(profiles[0], goal_id, {2, 0}).state, CellState::unknown);
  EXPECT_EQ(agent(2).state, AgentState::arrived);
  EXPECT_EQ(agent(2).arrival_tick, 4u);
  EXPECT_EQ(sim->map().map_version(), version);
  run(10);
  EXPECT_EQ(sim->map().map_version(), version + 1);
  EXPECT_EQ(sim->metrics().field_builds, 3u);
  EXPECT_EQ(entry(1).field, red) << "red knew that already";
  EXPECT_EQ(entry(1).stamp, stamp);
  EXPECT_EQ(entry(1).freshness, Freshness::current);
  EXPECT_EQ(agent(1).state, AgentState::arrived);
  EXPECT_EQ(validator->violations(), 0u);
}

TEST_F(FogRun, WhoseGroundIsHiddenUnderItStopsAndSaysSoOthersWalkOn) {
  open(sided({"........", "........"}), {{kBlue, {0, 0}}, {kRed, {0, 1}}}, {7, 0});
  EXPECT_EQ(sim->metrics().field_builds, 1u) << "the same knowledge, the same field";
  EXPECT_EQ(entry(0).field, entry(1).field);
  run(2);
  std::vector<Cell> ahead;
  for (std::int32_t i = 0; i < 16; ++i) ahead.push_back({i % 8, i / 8});
  ASSERT_TRUE(sim->edit(fog(ahead, CellChange::unknown, kBlue)).ok());
  run(12);
  EXPECT_EQ(agent(1).cell, (Cell{2, 0}));
  EXPECT_EQ(agent(1).state, AgentState::stopped);
  EXPECT_EQ(agent(1).reason, Reason::unknown);
  EXPECT_EQ(agent(2).state, AgentState::arrived);
  EXPECT_EQ(agent(2).arrival_tick, 7u);
}

TEST(FogValidator, OneFactionMayStepWhereAnotherMayNot) {
  GridMap map = sided({"..."});
  done(map, fog({{1, 0}}, CellChange::unknown, kBlue));
  for (const FactionId faction : {kBlue, kRed, kEveryone}) {
    const MovementProfile profile = of(faction);
    Validator validator(map.view(), {&profile, 1}, {});
    validator.enter(1, 0, {0, 0});
    const MoveRecord move{1, {0, 0}, {1, 0}, 0, 1, 0};
    validator.tick(1, {&move, 1});
    EXPECT_EQ(validator.violations(), faction == kBlue ? 1u : 0u);
    for (const Violation& v : validator.first()) EXPECT_EQ(v.kind, ViolationKind::wall);
  }
  const MovementProfile nobody = of(7);
  Validator validator(map.view(), {&nobody, 1}, {});
  validator.enter(1, 0, {0, 0});
  EXPECT_EQ(validator.violations(), 1u) << "the map has no such faction";
}

TEST(FogOracle, SeesWithTheEyesOfTheProfile) {
  GridMap map = sided({"...", "..."});
  done(map, fog({{1, 0}, {1, 1}}, CellChange::unknown, kBlue));
  const std::vector<FieldTarget> target{{{2, 0}, 0}};
  const auto first_wrong = [&](FactionId faction) {
    const auto nothing = [](CellIndex) { return CellClaim{}; };
    const Result<FieldVerdict> verdict = verify_field(map.view(), of(faction), target, {nothing, {}});
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    return verdict.ok() && verdict->first ? verdict->first.value() : WrongCell{};
  };
  EXPECT_EQ(first_wrong(kRed).cell, (Cell{0, 0}));
  EXPECT_EQ(first_wrong(kRed).expected.cost, 20u);
  EXPECT_EQ(first_wrong(kBlue).cell, (Cell{1, 0})) << "0,0 is cut off, as claimed";
  EXPECT_EQ(first_wrong(kBlue).expected.state, ClaimedState::unknown);
  EXPECT_EQ(place_targets(map.view(), of(kBlue), std::vector<Cell>{{1, 0}}, TargetPlacement::exact).front(),
            std::nullopt);
  EXPECT_EQ(place_targets(map.view(), of(kRed), std::vector<Cell>{{1, 0}}, TargetPlacement::exact).front(),
            (Cell{1, 0}));
  EXPECT_EQ(verify_field(map.view(), of(3), target, {{}, {}}).status().code(), StatusCode::argument);
}

}  // namespace
}  // namespace drover::test
