// SPDX-License-Identifier: MIT
// The bounds of a scenario, counted by hand.
#include "io/run_bound.hpp"

#include <gtest/gtest.h>
#include <drover/io.hpp>

#include <optional>
#include <string>

namespace drover::io {
namespace {

std::optional<std::uint64_t> bound_of(const std::string& gate) {
  const Result<Scenario> s = parse_gate(gate, "g.gate");
  EXPECT_TRUE(s.ok()) << s.status().message();
  const Result<RunBounds> bounds = run_bounds(*s);
  EXPECT_TRUE(bounds.ok());
  return bounds ? bounds->queue : std::nullopt;
}

TEST(QueueBound, CountsTicksAtTheGate) {
  // 3 agents at 1, 2, 3 steps of one cell: the last at 3. Behind each other at 2 steps: 2, 3, 4.
  EXPECT_EQ(
      bound_of("type gate-evac-v1\nconnectivity 4\nheight 1\nwidth 5\nmap\n.....\ngate 1 0,0\nagents 3 1,0 2,0 3,0\n"),
      3u);
  EXPECT_EQ(bound_of("type gate-evac-v1\nconnectivity 4\nheight 3\nwidth 3\nmap\n#.#\n...\n#.#\ngate 1 1,0\nagents 3 "
                     "0,1 2,1 1,2\n"),
            4u);
  // Two gate cells halve the queue.
  EXPECT_EQ(bound_of("type gate-evac-v1\nconnectivity 4\nheight 3\nwidth 3\nmap\n...\n...\n...\ngate 2 0,0 2,0\nagents "
                     "3 0,2 1,1 2,2\n"),
            3u);
  // On the gate already, and cut off: nothing.
  EXPECT_EQ(bound_of("type gate-evac-v1\nconnectivity 4\nheight 1\nwidth 3\nmap\n..@\ngate 1 0,0\nagents 1 0,0\n"), 0u);
  EXPECT_EQ(bound_of("type gate-evac-v1\nconnectivity 4\nheight 1\nwidth 3\nmap\n.@.\ngate 1 0,0\nagents 1 2,0\n"),
            std::nullopt);
}

// Ten cells, and a portal from the far end to the cell beside the gate: two steps instead of nine, and no ring counts.
TEST(QueueBound, APortalIsAStep) {
  const Result<Scenario> s = parse_scenario(R"(
[map]
rows = [".........."]
[[portal]]
from = [9, 0]
to = [1, 0]
cost = 1000
[[profile]]
name = "p"
[[goal]]
name = "gate"
cells = [[0, 0]]
on_arrival = "vanish"
[[agent]]
at = [9, 0]
profile = "p"
goal = "gate"
)",
                                            "s.toml");
  ASSERT_TRUE(s.ok()) << s.status().message();
  const Result<RunBounds> bounds = run_bounds(*s, ExactBound::compute);
  ASSERT_TRUE(bounds.ok());
  EXPECT_EQ(bounds->queue, 2u);
  EXPECT_EQ(bounds->ring, std::nullopt);
  EXPECT_EQ(bounds->exact_note, "portals");
}

TEST(MostArrivals, OneATickAtAGateOfOneCell) {
  // Two steps away, three of them: 2, 3, 4. One behind another: when they can be there at the earliest.
  const auto curve = [](const std::string& gate, ExactBound exact) {
    const Result<Scenario> s = parse_gate(gate, "g.gate");
    EXPECT_TRUE(s.ok()) << s.status().message();
    return run_bounds(*s, exact)->most_arrivals;
  };
  using Curve = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const std::string crossing =
      "type gate-evac-v1\nconnectivity 4\nheight 3\nwidth 5\nmap\n##.##\n.....\n##.##\ngate 1 2,1\nagents 4 0,1 4,1 "
      "1,1 3,1\n";
  EXPECT_EQ(curve(crossing, ExactBound::skip), (Curve{{1, 1}, {2, 2}, {3, 3}, {4, 4}}));
  EXPECT_EQ(curve(crossing, ExactBound::compute), (Curve{{1, 1}, {2, 2}, {3, 3}, {4, 4}}));
  const std::string gap =
      "type gate-evac-v1\nconnectivity 4\nheight 1\nwidth 7\nmap\n.......\ngate 1 0,0\nagents 3 1,0 2,0 6,0\n";
  EXPECT_EQ(curve(gap, ExactBound::skip), (Curve{{1, 1}, {2, 2}, {6, 3}}));
  // Who has no way is not counted.
  EXPECT_EQ(curve("type gate-evac-v1\nconnectivity 4\nheight 1\nwidth 4\nmap\n..#.\ngate 1 0,0\nagents 2 1,0 3,0\n",
                  ExactBound::skip),
            (Curve{{1, 1}}));
}

TEST(QueueBound, gate_one_cell_rate_and_train) {
  std::string train = "type gate-evac-v1\nconnectivity 4\nheight 1\nwidth 40\nmap\n" + std::string(40, '.') +
                      "\ngate 1 39,0\nagents 30";
  for (int x = 0; x < 30; ++x) train += " " + std::to_string(x) + ",0";
  EXPECT_EQ(bound_of(train + "\n"), 39u);
  EXPECT_EQ(
      bound_of(
          "type gate-evac-v1\nconnectivity 4\nheight 6\nwidth "
          "8\nmap\n@@@@@@@@\n@......@\n@......@\n@......@\n@......@\n@@@@.@@@\n"
          "gate 1 4,5\nagents 20 1,1 2,1 3,1 5,1 6,1 1,2 2,2 3,2 5,2 6,2 1,3 2,3 3,3 5,3 6,3 1,4 2,4 3,4 5,4 6,4\n"),
      21u);
}

TEST(QueueBound, StaysBelowWhatADoorThatOpensLaterAllows) {
  // Shut at first, 7 steps round; open from tick 1: 3 steps. A bound of 7 would be wrong.
  const Result<Scenario> s = parse_scenario(
      "[map]\nrows = [\"....\", \".##.\", \"....\"]\n[[profile]]\nname = \"p\"\nmoves = 4\n[[goal]]\nname = \"g\"\n"
      "cells = [[3, 0]]\n[[agent]]\nat = [0, 0]\nprofile = \"p\"\ngoal = \"g\"\n"
      "[[door]]\nname = \"d\"\ncells = [[1, 0]]\nstate = \"closed\"\nschedule = [[1, \"open\"]]\n",
      "s.toml");
  ASSERT_TRUE(s.ok()) << s.status().message();
  EXPECT_EQ(run_bounds(*s)->queue, std::optional<std::uint64_t>(3));
}

Scenario scenario_of(const std::string& more, const std::string& goal = "on_arrival = \"vanish\"\n",
                     const std::string& agent = "") {
  Result<Scenario> s = parse_scenario(
      "[map]\nrows = [\".....\", \".....\"]\n[[profile]]\nname = \"p\"\nmoves = 4\n[[goal]]\nname = \"g\"\ncells = "
      "[[4, 0]]\n" +
          goal + "[[agent]]\nat = [0, 0]\nprofile = \"p\"\ngoal = \"g\"\n" + agent +
          "[[agent]]\nat = [0, 1]\nprofile = \"p\"\ngoal = \"g\"\n" + more,
      "s.toml");
  EXPECT_TRUE(s.ok()) << s.status().message();
  return *std::move(s);
}

// A corridor of ten cells with a bay above its middle. What stands makes the way longer; what moves may be gone in
// time.
TEST(QueueBound, ObstaclesThatStandCountAndThoseThatMoveDoNot) {
  const auto bound = [](const std::string& obstacle) -> std::optional<std::uint64_t> {
    const Result<Scenario> s = parse_scenario(R"(
[map]
rows = ["###...####", "..........", "##########"]
[policy]
on_stale = "keep_if_legal"
[[profile]]
name = "p"
[[goal]]
name = "gate"
cells = [[0, 1]]
on_arrival = "vanish"
[[agent]]
at = [9, 1]
profile = "p"
goal = "gate"
[[obstacle]]
shape = "circle"
radius = "0.25"
)" + obstacle,
                                              "s.toml");
    EXPECT_TRUE(s.ok()) << s.status().message();
    return run_bounds(*s)->queue;
  };
  EXPECT_EQ(bound("centre = [\"4.5\", 50]\n"), 9u);
  EXPECT_EQ(bound("centre = [\"4.5\", \"1.5\"]\n"), 11u) << "up, over it, down; no corner is cut";
  EXPECT_EQ(bound("path = [[0, \"4.5\", \"1.5\"], [9, \"4.5\", -9]]\n"), 9u);
  EXPECT_EQ(bound("path = [[0, \"4.5\", 50], [9, \"4.5\", \"1.5\"]]\n"), 9u);
}

TEST(RunBounds, SayUnderWhichRulesAndWhyNot) {
  const auto of = [](const Scenario& s) { return *run_bounds(s, ExactBound::compute); };
  RunBounds b = of(scenario_of("[policy]\nbodies = \"cells\"\n"));
  EXPECT_EQ(b.queue, 5u);
  EXPECT_EQ(b.ring, 5u);
  EXPECT_EQ(b.exact->makespan(), 5u);
  EXPECT_EQ(b.exact_note, "");
  b = of(scenario_of(""));
  EXPECT_EQ(b.exact->makespan(), 5u);
  EXPECT_EQ(b.exact_note, "the optimum of bodies as cells, a lower bound for discs");
  b = of(scenario_of("", ""));
  EXPECT_EQ(b.queue, 5u);
  EXPECT_EQ(b.ring, std::nullopt);
  EXPECT_FALSE(b.exact);
  EXPECT_EQ(b.exact_note, "agents that stay at the goal");
  b = of(scenario_of("", "on_arrival = \"vanish\"\n", "start_tick = 7\n"));
  EXPECT_EQ(b.queue, 11u);
  EXPECT_EQ(b.ring, 11u);
  EXPECT_EQ(b.exact_note, "agents that start later than tick 0");
  b = of(scenario_of("[[door]]\nname = \"d\"\ncells = [[1, 0]]\nschedule = [[3, \"close\"]]\n"));
  EXPECT_EQ(b.ring, 5u);
  EXPECT_EQ(b.exact_note, "the map changes during the run");
}

TEST(RunBounds, OffsetsOfGoalCellsAreNoSteps) {
  EXPECT_EQ(run_bounds(scenario_of("", "on_arrival = \"vanish\"\noffsets = [100]\n"))->queue, 5u);
}

TEST(RunBounds, AGoalThatMayMoveWithTheMapIsNotCounted) {
  const std::string door = "[[door]]\nname = \"d\"\ncells = [[4, 0]]\nschedule = [[3, \"close\"]]\n";
  EXPECT_EQ(run_bounds(scenario_of(door, "on_arrival = \"vanish\"\nnearest = true\n"))->queue, std::nullopt);
  EXPECT_EQ(run_bounds(scenario_of(door))->queue, 5u);
}

}  // namespace
}  // namespace drover::io
