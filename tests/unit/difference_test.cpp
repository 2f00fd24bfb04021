// SPDX-License-Identifier: MIT
// The first difference of two ticks: subsystem, whose value, both values.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "io/difference.hpp"
#include "io/input_text.hpp"
#include "support/scene.hpp"
#include "support/shapes.hpp"

namespace drover::io {
namespace {

using test::Scene;
using Json = nlohmann::json;

// Three walkers in a hall with a door, after three ticks.
TickState state_of(const std::function<void(Scene&)>& change = {}, const std::vector<Cell>& starts = {}) {
  Scene s({".....", ".....", "....."});
  s.door("gate", {{4, 2}});
  std::vector<test::Walker> walkers;
  for (std::int32_t i = 0; i < 3; ++i) walkers.push_back({10u + static_cast<std::uint64_t>(i), {0, i}, {4, i / 2}});
  for (std::size_t i = 0; i < starts.size(); ++i) walkers[i].at = starts[i];
  s.open(walkers);
  if (change) change(s);
  for (int t = 0; t < 3; ++t) s.step();
  TickState out;
  read_state(s.sim(), out);
  return out;
}

Json json_of(const std::optional<Difference>& d) { return d ? Json::parse(to_json(*d)) : Json(nullptr); }

TEST(FirstDifference, EqualTicksHaveNone) { EXPECT_FALSE(first_difference(state_of(), state_of())); }

TEST(FirstDifference, AnAgentIsNamedByKeyFieldAndBothValues) {
  const TickState a = state_of();
  TickState b = a;
  b.agents[1].cell = {2, 1};
  b.agents[1].state = AgentState::waiting;
  b.agents[2].cell = {0, 0};
  const std::optional<Difference> d = first_difference(a, b);
  EXPECT_EQ(json_of(d),
            Json::parse(R"({"tick":3,"subsystem":"agents","agent":11,"field":"cell","a":[3,1],"b":[2,1]})"));
  EXPECT_EQ(to_text(*d), "tick 3: agents differ: agent 11 cell 3,1, again 2,1");
  EXPECT_EQ(to_text(*d, "in B"), "tick 3: agents differ: agent 11 cell 3,1, in B 2,1");
}

TEST(FirstDifference, FieldsOfAnAgentCountInTheirOrder) {
  const TickState a = state_of();
  const auto field_after = [&](const std::function<void(AgentView&)>& change) {
    TickState b = a;
    change(b.agents[0]);
    return json_of(first_difference(a, b));
  };
  Json d = field_after([](AgentView& v) { v.arrival_tick = 99; });
  EXPECT_EQ(d["field"], "arrival_tick");
  EXPECT_EQ(d["b"], 99);
  d = field_after([](AgentView& v) { v.arrival_tick = v.age_ticks = 99; });
  EXPECT_EQ(d["field"], "age");
  d = field_after([](AgentView& v) { v.age_ticks = v.by = 99; });
  EXPECT_EQ(d["field"], "by") << "which no digest covers";
  d = field_after([](AgentView& v) { v.by = 99, v.reason = Reason::stale; });
  EXPECT_EQ(d["field"], "reason");
  EXPECT_EQ(d["b"], "stale");
  d = field_after([](AgentView& v) { v.reason = Reason::stale, v.goal.index = 7; });
  EXPECT_EQ(d["field"], "goal");
  d = field_after([](AgentView& v) { v.goal.index = 7, v.state = AgentState::stopped; });
  EXPECT_EQ(d["field"], "state");
  EXPECT_EQ(d["a"], "moving");
}

TEST(FirstDifference, AnAgentThatOnlyOneHasIsNamed) {
  const TickState a = state_of();
  TickState b = a;
  b.agents.erase(b.agents.begin() + 1);
  EXPECT_EQ(json_of(first_difference(a, b)),
            Json::parse(R"({"tick":3,"subsystem":"agents","agent":11,"field":"exists","a":"yes","b":"no"})"));
  EXPECT_EQ(json_of(first_difference(b, a))["a"], "no");
  b = a;
  b.agents.pop_back();
  EXPECT_EQ(json_of(first_difference(a, b))["agent"], 12);
}

TEST(FirstDifference, TheWorldComesFirstAndNamesTheCell) {
  const TickState a = state_of();
  const TickState wall = state_of([](Scene& s) {
    const Status done =
        s.sim().edit({{{{2, 2}, CellChange::terrain, kWall}, {{4, 1}, CellChange::unknown, kFloor}}, {}});
    ASSERT_TRUE(done.ok());
  });
  EXPECT_EQ(json_of(first_difference(a, wall)),
            Json::parse(R"({"tick":3,"subsystem":"world","cell":[4,1],"field":"unknown","a":0,"b":1})"));
  const TickState door = state_of([](Scene& s) { ASSERT_TRUE(s.sim().edit({{}, {{0, DoorState::closed}}}).ok()); });
  const std::optional<Difference> d = first_difference(a, door);
  ASSERT_TRUE(d);
  EXPECT_EQ(to_text(*d), "tick 3: world differs: cell 4,2 door open, again closed");
  const TickState and_back = state_of([](Scene& s) {
    ASSERT_TRUE(s.sim().submit({1, 0, EditMap{{{}, {{0, DoorState::closed}}}}}).ok());
    ASSERT_TRUE(s.sim().submit({2, 0, EditMap{{{}, {{0, DoorState::open}}}}}).ok());
  });
  EXPECT_EQ(json_of(first_difference(a, and_back)),
            Json::parse(R"({"tick":3,"subsystem":"world","field":"overlay_version","a":1,"b":3})"));
}

TEST(FirstDifference, AnObstacleIsNamedByItsNumberAndBothPlaces) {
  const auto with = [](const Obstacle& shape) {
    Scene s({".....", "....."});
    EXPECT_TRUE(s.map().add_obstacle(test::circle(test::quarters(2, 2), test::quarters(1))).ok());
    EXPECT_TRUE(s.map().add_obstacle(shape).ok());
    s.open({{1, {0, 1}, {4, 1}}});
    s.step();
    TickState out;
    read_state(s.sim(), out);
    return out;
  };
  const TickState a = with(test::circle(test::quarters(10, 2), test::quarters(1)));
  const std::optional<Difference> d = first_difference(a, with(test::circle(test::quarters(11, 2), test::quarters(1))));
  ASSERT_TRUE(d);
  EXPECT_EQ(to_text(*d), "tick 1: world differs: obstacle 1 shape circle at 2.5,0.5, again circle at 2.75,0.5");
  EXPECT_EQ(json_of(d), Json::parse(R"({"tick":1,"subsystem":"world","obstacle":1,"field":"shape",
                                        "a":"circle at 2.5,0.5","b":"circle at 2.75,0.5"})"));
  const std::optional<Difference> size =
      first_difference(a, with(test::circle(test::quarters(10, 2), test::quarters(2))));
  ASSERT_TRUE(size);
  EXPECT_EQ(size->obstacle, 1u);
  EXPECT_EQ(size->field, "digest");
  EXPECT_NE(size->a, size->b);
}

TEST(FirstDifference, FogIsNamedByTheFactionsThatDoNotSee) {
  const auto hidden_from = [](FactionId faction) {
    Scene s({"....."});
    EXPECT_TRUE(s.map().add_faction("blue").ok() && s.map().add_faction("red").ok());
    s.open({{1, {0, 0}, {4, 0}}});
    EXPECT_TRUE(s.sim().edit({{{{2, 0}, CellChange::unknown, kFloor, faction}}, {}}).ok());
    s.step();
    TickState out;
    read_state(s.sim(), out);
    return out;
  };
  EXPECT_EQ(json_of(first_difference(hidden_from(0), hidden_from(1))),
            Json::parse(R"({"tick":1,"subsystem":"world","cell":[2,0],"field":"hidden_from","a":1,"b":2})"));
}

TEST(FirstDifference, AFieldIsNamedByItsProfileAndGoal) {
  const TickState a = state_of();
  TickState b = state_of([](Scene& s) {
    ASSERT_TRUE(s.sim().set_goal(s.goal("4,1"), {{{{3, 1}, 0}}, GoalPlacement::exact}).ok());
  });
  b.agents = a.agents;  // they differ too, and come first
  const Json d = json_of(first_difference(a, b));
  EXPECT_EQ(d["subsystem"], "fields");
  EXPECT_EQ(d["profile"], 0);
  EXPECT_EQ(d["goal"], 1);
  EXPECT_EQ(d["field"], "field_version");
  EXPECT_EQ(d["a"], 1);
  EXPECT_EQ(d["b"], 2);
}

TEST(FirstDifference, AStepIsNamedByItsAgent) {
  const TickState a = state_of();
  TickState b = a;
  b.moves.erase(b.moves.begin());
  ++b.digests.reservations;
  EXPECT_EQ(json_of(first_difference(a, b)),
            Json::parse(R"({"tick":3,"subsystem":"reservations","agent":10,"field":"step","a":"E","b":"none"})"));
}

TEST(FirstDifference, WhatOnlyTheDigestKnowsIsStillADifference) {
  const TickState a = state_of();
  TickState b = a;
  ++b.digests.agents;
  EXPECT_EQ(json_of(first_difference(a, b))["subsystem"], "agents");
  EXPECT_EQ(json_of(first_difference(a, b))["field"], "digest");
  b = a;
  ++b.digests.all;
  EXPECT_EQ(json_of(first_difference(a, b))["subsystem"], "all");
}

TEST(InputText, NamesListsAndAreasOfGoals) {
  Scene s({"....."});
  s.open({{1, {0, 0}, {4, 0}}});
  RecordingInfo info;
  info.goals = {"post"};
  SetGoal goal{{0, 1}, {}};
  goal.where.area = GoalArea{GoalArea::Rule::within, {4, 0, 0}, 3};
  EXPECT_EQ(input_text({0, 0, goal}, s.sim(), info), "goal post to within 3 of 4,0");
  goal.where.area->rule = GoalArea::Rule::in_sight;
  EXPECT_EQ(input_text({0, 0, goal}, s.sim(), info), "goal post to in sight within 3 of 4,0");
  goal.where = {};
  goal.where.cells = {{{1, 0, 0}, 0}, {{2, 0, 0}, 5}};
  EXPECT_EQ(input_text({0, 0, goal}, s.sim(), info), "goal post to 1,0 2,0@5");
}

}  // namespace
}  // namespace drover::io
