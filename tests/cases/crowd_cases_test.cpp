// SPDX-License-Identifier: MIT
// Cases from users' reports about crowds, by the id of the report.
#include "support/scene.hpp"

#include <gtest/gtest.h>
#include <drover/simulation.hpp>

#include <algorithm>
#include <array>

namespace drover::test {
namespace {

const Fixed kRadius36 = *Fixed::parse("0.36");
const Fixed kRadius22 = *Fixed::parse("0.22");

SimulationDef with(BodyRule bodies, Following following = Following::allowed) {
  SimulationDef def;
  def.bodies = bodies;
  def.following = following;
  return def;
}

TEST(CrowdConflicts, crowd_edge_swap_is_refused) {
  Scene s({"..", ".."});
  s.moves(Moves::four).open({{1, {0, 0}, {1, 0}}, {2, {1, 0}, {0, 0}}});
  s.run(5);
  EXPECT_EQ(s.arrivals(), 2u);
  EXPECT_GE(s.refusals(Conflict::edge_swap), 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(CrowdConflicts, crowd_diagonals_do_not_cross) {
  for (const Following following : {Following::allowed, Following::forbidden}) {
    Scene s({"..", ".."}, with(BodyRule::discs, following));
    s.open({{1, {0, 0}, {1, 1}}, {2, {1, 0}, {0, 1}}});
    s.step();
    EXPECT_LE(s.arrivals(), 1u);
    s.step();
    EXPECT_EQ(s.arrivals(), 2u);
    EXPECT_GE(s.refusals(Conflict::diagonal_cross), 1u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

struct TableCase {
  const char* name;
  BodyRule bodies;
  std::optional<Fixed> radius;
  Cell from1, to1, from2, to2;
  std::uint64_t optimum;
};

TEST(CrowdConflicts, crowd_steps_by_the_exact_table) {
  const TableCase cases[] = {
      {"right angle at the default radius", BodyRule::discs, {}, {1, 0}, {1, 1}, {0, 0}, {1, 0}, 1},
      {"right angle at 0.36", BodyRule::discs, kRadius36, {1, 0}, {1, 1}, {0, 0}, {1, 0}, 2},
      {"135 degrees at the default radius", BodyRule::discs, {}, {1, 1}, {0, 0}, {0, 1}, {1, 1}, 2},
      {"135 degrees as cells", BodyRule::cells, {}, {1, 1}, {0, 0}, {0, 1}, {1, 1}, 1},
      {"135 degrees at 0.22", BodyRule::discs, kRadius22, {1, 1}, {0, 0}, {0, 1}, {1, 1}, 1},
  };
  for (const TableCase& c : cases) {
    Scene s({"..", ".."}, with(c.bodies));
    s.open({{1, c.from1, c.to1, false, 0, 1, c.radius}, {2, c.from2, c.to2, false, 0, 1, c.radius}});
    s.run(5);
    EXPECT_EQ(std::max(s.arrival(1), s.arrival(2)), c.optimum) << c.name;
    EXPECT_EQ(s.refusals(Conflict::following) > 0, c.optimum == 2) << c.name;
    EXPECT_EQ(s.violations(), 0u) << c.name << ": " << s.first_violation();
  }
}

std::vector<Walker> train() {
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 30; ++i)
    walkers.push_back({static_cast<std::uint64_t>(7 * i % 30 + 1), {i, 0}, {39, 0}, true});
  return walkers;
}

TEST(CrowdConflicts, crowd_train_moves_as_one) {
  Scene s({std::string(40, '.')});
  s.moves(Moves::four).open(train());
  for (std::uint64_t t = 1; t <= 39; ++t) {
    s.step();
    for (std::int32_t i = 0; i < 30; ++i) {
      const auto x = i + static_cast<std::int32_t>(t);
      if (x < 39) {
        EXPECT_EQ(s.at(t, static_cast<std::uint64_t>(7 * i % 30 + 1)), (Cell{x, 0, 0})) << "tick " << t;
      }
    }
    EXPECT_EQ(s.arrivals(), t < 10 ? 0u : t - 9);
  }
  EXPECT_TRUE(s.sim().finished());
  EXPECT_EQ(s.sim().metrics().waits, 0u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(CrowdConflicts, crowd_train_moves_as_one_when_following_is_forbidden) {
  Scene s({std::string(40, '.')}, with(BodyRule::discs, Following::forbidden));
  s.moves(Moves::four).open(train());
  std::vector<std::uint64_t> arrivals;
  for (int t = 0; t < 200 && !s.sim().finished(); ++t) {
    s.step();
    arrivals.push_back(s.arrivals());
  }
  ASSERT_TRUE(s.sim().finished());
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  // Steady state: one every two ticks.
  for (std::size_t t = 0; t + 2 < arrivals.size(); ++t)
    if (arrivals[t] > 0 && arrivals[t + 2] < 30) {
      EXPECT_EQ(arrivals[t + 2] - arrivals[t], 1u) << "tick " << t + 1;
    }
}

// The eight mirrored and turned forms of a w x h map.
struct Turn {
  int w, h;
  int form;
  Cell operator()(Cell c) const {
    int x = c.x, y = c.y;
    if (form & 1) x = w - 1 - x;
    if (form & 2) y = h - 1 - y;
    return form & 4 ? Cell{y, x, 0} : Cell{x, y, 0};
  }
  std::vector<std::string> rows() const { return form & 4 ? open_rows(h, w) : open_rows(w, h); }
};

TEST(CrowdConflicts, crowd_head_on_in_the_open) {
  for (const Moves moves : {Moves::eight, Moves::four})
    for (int form = 0; form < 8; ++form) {
      const Turn turn{11, 3, form};
      std::array<std::uint64_t, 2> digests{};
      for (std::uint64_t& digest : digests) {
        Scene s(turn.rows());
        s.moves(moves).open({{1, turn({0, 1}), turn({10, 1})}, {2, turn({10, 1}), turn({0, 1})}});
        s.run(40);
        EXPECT_LE(std::max(s.arrival(1), s.arrival(2)), moves == Moves::eight ? 12u : 14u) << "form " << form;
        EXPECT_EQ(s.violations(), 0u) << s.first_violation();
        digest = s.sim().digests().all;
      }
      EXPECT_EQ(digests[0], digests[1]);
    }
}

TEST(CrowdConflicts, crowd_parked_body_keeps_its_cell) {
  Scene s({".......", "......."});
  s.moves(Moves::four).open({{1, {3, 0}, {3, 0}}, {2, {0, 0}, {6, 0}, false, 50}});
  for (int t = 0; t < 80; ++t) {
    s.step();
    EXPECT_EQ(s.agent(1).cell, (Cell{3, 0, 0}));
  }
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_GE(s.arrival(2), 58u);
  EXPECT_LE(s.arrival(2), 66u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Goals, goal_on_another_island) {
  std::vector<std::string> rows;
  for (int y = 0; y < 40; ++y) rows.push_back(std::string(25, '.') + "#" + std::string(25, '.'));
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 1000; ++i)
    walkers.push_back({static_cast<std::uint64_t>(i + 1), {i % 25, i / 25}, {30, 1}});
  for (const OnStale policy : {OnStale::hold, OnStale::own_search}) {
    SimulationDef def;
    def.on_stale = policy;
    Scene s(rows, def);
    s.open(walkers);
    s.step();
    EXPECT_EQ(s.sim().state_counts()[static_cast<std::size_t>(AgentState::unreachable)], 1000u);
    EXPECT_EQ(s.agent(500).reason, Reason::unreachable);
    EXPECT_TRUE(s.sim().finished());
    const Metrics before = s.sim().metrics();
    for (int t = 0; t < 20; ++t) EXPECT_EQ(s.step().moved, 0u);
    EXPECT_EQ(s.sim().metrics().replans, before.replans);
    EXPECT_EQ(s.sim().metrics().fallbacks, before.fallbacks);
    EXPECT_EQ(s.sim().metrics().field_builds, 1u);
  }
}

TEST(Goals, goal_same_every_tick_is_free) {
  std::vector<std::vector<Digests>> runs;
  for (const bool every_tick : {false, true}) {
    Scene s(open_rows(16, 16));
    s.open({{1, {0, 0}, {15, 15}}});
    runs.emplace_back();
    for (int t = 0; t < 20; ++t) {
      if (every_tick) {
        GoalDef same;
        same.cells = {{{15, 15}, 0}};
        ASSERT_TRUE(s.sim().set_goal(s.goal("15,15"), same).ok());
      }
      runs.back().push_back(s.step().digests);
    }
    EXPECT_EQ(s.sim().metrics().field_builds, 1u);
    EXPECT_EQ(s.arrival(1), 15u);
  }
  EXPECT_EQ(runs[0], runs[1]);
}

// A goal cell counts as arrival also where another goal would be cheaper than its offset.
TEST(Goals, goal_two_sources_and_offset_dominated_goal_is_an_arrival) {
  const std::string_view rows[] = {"........."};
  Simulation sim = *Simulation::create(*GridMap::from_rows(rows));
  MovementProfile profile;
  profile.moves = Moves::four;
  const ProfileId p = *sim.add_profile(profile);
  SimulationGoal goal;
  goal.where.cells = {{{0, 0}, 0}, {{8, 0}, 95}};
  const GoalId g = *sim.add_goal(goal);
  AgentDef on, beside;
  on = {1, {8, 0}, p, g, {}, 0, 0};
  beside = {2, {7, 0}, p, g, {}, 0, 0};
  const AgentId a = *sim.add_agent(on);
  const AgentId b = *sim.add_agent(beside);
  ASSERT_TRUE(sim.start().ok());
  EXPECT_EQ(sim.agent(a)->state, AgentState::arrived);
  for (int t = 0; t < 7; ++t) sim.step();
  EXPECT_EQ(sim.agent(b)->cell, (Cell{0, 0, 0}));
  EXPECT_EQ(sim.agent(b)->state, AgentState::arrived);
}

TEST(Messages, message_why_gives_the_whole_chain) {
  Scene s({"......", "######"});
  s.moves(Moves::four).open({{1, {5, 0}, {5, 0}}, {2, {4, 0}, {5, 0}}, {3, {3, 0}, {5, 0}}});
  for (int t = 0; t < 12; ++t) s.step();
  const std::vector<WhyLink> three = *s.sim().why(s.id(3));
  ASSERT_EQ(three.size(), 2u);
  EXPECT_EQ(three[0].reason, Reason::reserved_by);
  EXPECT_EQ(three[0].by, 2u);
  EXPECT_EQ(three[1].key, 2u);
  EXPECT_EQ(three[1].reason, Reason::goal_occupied);
  EXPECT_EQ(three[1].by, 1u);
  EXPECT_EQ(to_text(three),
            "agent 3 waits 12 ticks: cell (4,0) held by agent 2, which waits: goal cell (5,0) occupied by agent 1");
  EXPECT_EQ(s.sim().why(s.id(2))->size(), 1u);
  const std::vector<WhyLink> one = *s.sim().why(s.id(1));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].state, AgentState::arrived);
}

// A wide body is held up before its goal cell; who holds it up has arrived.
TEST(Messages, message_why_names_an_arrived_body_in_the_way) {
  Scene s({"......", "......"});
  s.open({{1, {2, 0}, {0, 0}, false, 0, 2}, {2, {4, 0}, {0, 0}, false, 0, 2}});
  for (int t = 0; t < 12; ++t) s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(to_text(*s.sim().why(s.id(2))), "agent 2 waits 10 ticks: cell (1,0) held by agent 1, which has arrived");
}

TEST(Messages, message_why_of_a_moving_agent_has_no_chain) {
  Scene s({"......"});
  s.open({{1, {0, 0}, {5, 0}}});
  s.step();
  const std::vector<WhyLink> chain = *s.sim().why(s.id(1));
  ASSERT_EQ(chain.size(), 1u);
  EXPECT_EQ(to_text(chain), "agent 1 moves");
}

void close_and_open(Scene& s, std::uint32_t door, std::uint64_t close_tick) {
  ASSERT_TRUE(s.sim().submit({close_tick, 0, EditMap{{{}, {{door, DoorState::closed}}}}}).ok());
  ASSERT_TRUE(s.sim().submit({10, 0, EditMap{{{}, {{door, DoorState::open}}}}}).ok());
}

TEST(Messages, message_enclosed_by_a_door) {
  SimulationDef def;
  def.adopt_latency_ticks = 0;
  Scene s({"....."}, def);
  s.moves(Moves::four);
  const std::uint32_t door = s.door("d", {{2, 0}});
  s.open({{1, {0, 0}, {4, 0}}});
  close_and_open(s, door, 3);
  for (std::uint64_t t = 1; t <= 11; ++t) {
    s.step();
    if (t >= 3 && t <= 9) {
      EXPECT_EQ(s.agent(1).state, AgentState::enclosed) << "tick " << t;
      EXPECT_EQ(s.at(t, 1), (Cell{2, 0, 0}));
    }
  }
  EXPECT_EQ(s.at(2, 1), (Cell{2, 0, 0}));
  EXPECT_EQ(s.at(10, 1), (Cell{3, 0, 0}));
  EXPECT_EQ(s.at(11, 1), (Cell{4, 0, 0}));
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Messages, message_enclosed_by_a_door_that_closes_in_front) {
  SimulationDef def;
  def.adopt_latency_ticks = 0;
  Scene s({"....."}, def);
  s.moves(Moves::four);
  const std::uint32_t door = s.door("d", {{2, 0}});
  s.open({{1, {0, 0}, {4, 0}}});
  close_and_open(s, door, 2);
  for (std::uint64_t t = 1; t <= 13; ++t) {
    s.step();
    EXPECT_NE(s.agent(1).state, AgentState::enclosed) << "tick " << t;
    if (t >= 1 && t <= 9) {
      EXPECT_EQ(s.at(t, 1), (Cell{1, 0, 0})) << "tick " << t;
    }
  }
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
}

// The seed's timeline: the door shuts at tick 4, small field at 7, large field at 9; nobody borrows the other's.
TEST(Updates, update_door_timeline) {
  const std::string_view rows[] = {"#########", "....#....", ".........", "....#....",
                                   "....#....", ".........", ".........", "#########"};
  GridMap map = *GridMap::from_rows(rows);
  const std::uint32_t door = *map.add_door({"d", {{4, 2}}, true});
  Simulation sim = *Simulation::create(std::move(map));
  MovementProfile small_def, big_def;
  big_def.footprint = 2;
  const ProfileId small = *sim.add_profile(small_def, {3}), big = *sim.add_profile(big_def, {5});
  SimulationGoal near, far;
  near.where.cells = {{{8, 2}, 0}};
  far.where.cells = {{{7, 2}, 0}};
  far.on_arrival = OnArrival::vanish;  // it would cover the goal of the small one
  const GoalId goal = *sim.add_goal(near), goal_of_big = *sim.add_goal(far);
  const AgentId walker = *sim.add_agent({1, {0, 2}, small, goal, {}, 0, 0});
  const AgentId giant = *sim.add_agent({2, {0, 5}, big, goal_of_big, {}, 0, 0});
  ASSERT_TRUE(sim.start().ok());
  ASSERT_TRUE(sim.submit({4, 0, EditMap{{{}, {{door, DoorState::closed}}}}}).ok());
  const auto freshness = [&](ProfileId p, GoalId g) { return sim.snapshot()->find(p, g)->freshness; };
  EXPECT_EQ(sim.snapshot()->look_up(small, goal, {3, 2}).step.direction, Direction::east);
  EXPECT_EQ(sim.snapshot()->look_up(big, goal_of_big, {0, 2}).cost, 106u);
  const std::uint64_t overlay = sim.map().overlay_version();
  for (int t = 1; t <= 3; ++t) sim.step();
  EXPECT_EQ(sim.agent(walker)->cell, (Cell{3, 2, 0}));
  for (std::uint64_t t = 4; t <= 6; ++t) {
    sim.step();
    EXPECT_EQ(sim.map().overlay_version(), overlay + 1);
    EXPECT_EQ(freshness(small, goal), Freshness::stale);
    EXPECT_EQ(freshness(big, goal_of_big), Freshness::stale);
    EXPECT_EQ(sim.agent(walker)->cell, (Cell{3, 2, 0})) << "tick " << t;
    EXPECT_EQ(sim.agent(walker)->reason, Reason::stale);
    EXPECT_TRUE(sim.moves().empty());
  }
  for (std::uint64_t t = 7; t <= 8; ++t) {
    sim.step();
    EXPECT_EQ(freshness(small, goal), Freshness::current);
    EXPECT_EQ(freshness(big, goal_of_big), Freshness::stale);
    EXPECT_EQ(sim.agent(giant)->reason, Reason::stale);
  }
  EXPECT_EQ(sim.snapshot()->look_up(small, goal, {3, 2}).step.direction, Direction::south);
  EXPECT_EQ(sim.snapshot()->look_up(small, goal, {3, 2}).cost, 92u);
  EXPECT_EQ(sim.snapshot()->find(big, goal), nullptr);
  sim.step();
  EXPECT_EQ(freshness(big, goal_of_big), Freshness::current);
  EXPECT_EQ(sim.snapshot()->look_up(big, goal_of_big, {0, 2}).cost, 106u);
  for (int t = 0; t < 40; ++t) sim.step();
  EXPECT_EQ(sim.agent(walker)->state, AgentState::arrived);
  EXPECT_EQ(sim.agent(giant)->state, AgentState::arrived);
}

TEST(Updates, update_only_door_closes) {
  Scene s({"...#...", "...#...", ".......", "...#...", "...#..."});
  const std::uint32_t door = s.door("d", {{3, 2}});
  s.open({{1, {0, 2}, {6, 2}, true}, {2, {0, 2}, {6, 2}, true, 12}});
  ASSERT_TRUE(s.sim().submit({10, 0, EditMap{{{}, {{door, DoorState::closed}}}}}).ok());
  ASSERT_TRUE(s.sim().submit({30, 0, EditMap{{{}, {{door, DoorState::open}}}}}).ok());
  for (int t = 1; t <= 9; ++t) s.step();
  const BundleRef held = s.sim().snapshot();
  const FieldRef old = held->find(s.any_profile(), s.goal("6,2v"))->field;
  for (std::uint64_t t = 10; t <= 40; ++t) {
    s.step();
    if (t == 20) {
      EXPECT_EQ(held->look_up(s.any_profile(), s.goal("6,2v"), {0, 2}).cost, 60u);
      EXPECT_EQ(s.sim().snapshot()->look_up(old, s.any_profile(), {0, 2}).state, CellState::stale);
    }
    if (t >= 13 && t < 30) {
      EXPECT_EQ(s.agent(2).state, AgentState::unreachable) << "tick " << t;
      EXPECT_EQ(s.agent(2).reason, Reason::unreachable) << "tick " << t;
      EXPECT_EQ(s.at(t, 2), (Cell{0, 2, 0}));
    }
  }
  EXPECT_EQ(s.arrival(1), 6u);
  // The field of the open door is in force one tick after tick 30; six steps.
  EXPECT_EQ(s.arrival(2), 36u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Publication, publish_query_before_the_first) {
  std::array<std::vector<Digests>, 2> runs;
  for (int asked = 0; asked < 2; ++asked) {
    SimulationDef def;
    def.adopt_latency_ticks = 3;
    Scene s(open_rows(8, 8), def);
    s.open({});
    s.add({1, {0, 0}, {4, 4}});
    for (std::uint64_t t = 0; t < 10; ++t) {
      if (t > 0) runs[static_cast<std::size_t>(asked)].push_back(s.step().digests);
      for (int i = 0; i < (asked ? 1000 : 1); ++i) {
        const Lookup answer = s.sim().snapshot()->look_up(s.any_profile(), s.goal("4,4"), {1, 1});
        EXPECT_EQ(answer.state, t < 3 ? CellState::not_ready : CellState::reachable) << "tick " << t;
        if (t < 3) {
          EXPECT_EQ(answer.cost, kInfiniteCost);
        }
      }
      if (t > 0 && t < 3) {
        EXPECT_EQ(s.agent(1).state, AgentState::stopped);
        EXPECT_EQ(s.agent(1).reason, Reason::not_ready);
      }
    }
    EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(Unknown, unknown_is_not_free_and_its_reveal_makes_one_version) {
  Scene s({"...??...", "...??...", "...??..."});
  s.moves(Moves::four).open({{1, {0, 0}, {7, 0}}});
  MapEdit reveal;
  reveal.cells = {{{3, 0}, CellChange::terrain, kFloor}, {{4, 0}, CellChange::terrain, kFloor}};
  ASSERT_TRUE(s.sim().submit({20, 0, EditMap{reveal}}).ok());
  const std::uint64_t version = s.sim().map().map_version();
  for (int t = 1; t <= 19; ++t) s.step();
  EXPECT_EQ(s.agent(1).state, AgentState::unreachable);
  EXPECT_EQ(s.sim().snapshot()->look_up(s.any_profile(), s.goal("7,0"), {3, 0}).state, CellState::unknown);
  for (int t = 20; t <= 30; ++t) s.step();
  EXPECT_EQ(s.sim().map().map_version(), version + 1);
  EXPECT_EQ(s.sim().metrics().field_builds, 2u);
  EXPECT_EQ(s.agent(1).state, AgentState::arrived);
  EXPECT_EQ(s.arrival(1), 27u);
}

// What is free already of the deadlock and fairness reports.
TEST(Deadlock, deadlock_ring_rotates) {
  Scene s({"..", ".."});
  s.moves(Moves::four).open({{1, {0, 0}, {1, 0}}, {2, {1, 0}, {1, 1}}, {3, {1, 1}, {0, 1}}, {4, {0, 1}, {0, 0}}});
  s.step();
  EXPECT_EQ(s.arrivals(), 4u);
  EXPECT_EQ(s.sim().metrics().rotations, 1u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

TEST(Fairness, fairness_age_beats_id) {
  for (const bool reversed : {false, true}) {
    std::vector<Walker> walkers = {{1, {2, 0}, {3, 0}, true}, {2, {1, 0}, {3, 0}, true}, {9, {4, 0}, {3, 0}, true}};
    if (reversed) std::reverse(walkers.begin(), walkers.end());
    Scene s({"......."});
    s.moves(Moves::four).open(walkers);
    s.run(10);
    EXPECT_EQ(s.arrival(1), 1u);
    EXPECT_EQ(s.arrival(9), 2u);
    EXPECT_EQ(s.arrival(2), 3u);
    EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  }
}

// Two streams of 100 that meet before one gate.
TEST(Fairness, fairness_merge_one_to_one) {
  std::vector<Walker> walkers;
  for (std::uint64_t key = 1; key <= 200; ++key) walkers.push_back({key, {0, key <= 100 ? 0 : 2}, {7, 1}, true});
  Scene s({".......#", "######..", ".......#"});
  s.moves(Moves::four).open(walkers);
  s.run(400);
  ASSERT_EQ(s.arrivals(), 200u);
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
  std::vector<std::pair<std::uint64_t, bool>> arrivals;  // tick, of the upper stream
  std::array<std::vector<std::uint64_t>, 2> streams;
  for (std::uint64_t key = 1; key <= 200; ++key) {
    arrivals.emplace_back(s.arrival(key), key <= 100);
    streams[key <= 100 ? 0 : 1].push_back(s.arrival(key));
  }
  std::sort(arrivals.begin(), arrivals.end());
  for (std::size_t i = 20; i + 10 <= arrivals.size(); ++i) {
    const auto upper = std::count_if(arrivals.begin() + static_cast<std::ptrdiff_t>(i),
                                     arrivals.begin() + static_cast<std::ptrdiff_t>(i + 10),
                                     [](const auto& arrival) { return arrival.second; });
    EXPECT_GE(upper, 4) << "arrivals " << i << " to " << i + 9;
    EXPECT_LE(upper, 6) << "arrivals " << i << " to " << i + 9;
    EXPECT_EQ(arrivals[i].first, arrivals[i - 1].first + 1) << "one a tick";
  }
  for (std::vector<std::uint64_t>& stream : streams) std::sort(stream.begin(), stream.end());
  for (std::size_t k = 20; k < 100; ++k) {
    const auto [first, last] = std::minmax(streams[0][k], streams[1][k]);
    EXPECT_LE(last - first, 4u) << "the " << k + 1 << "th of each";
  }
}

// Twenty before a gate of one cell: it takes one in every tick from tick 2 on.
TEST(GateThroughput, gate_one_cell_rate) {
  std::vector<Walker> walkers;
  for (std::int32_t y = 1; y <= 4; ++y)
    for (const std::int32_t x : {1, 2, 3, 5, 6})
      walkers.push_back({static_cast<std::uint64_t>(walkers.size() + 1), {x, y}, {4, 5}, true});
  Scene s({"########", "#......#", "#......#", "#......#", "#......#", "####.###"}, with(BodyRule::cells));
  s.moves(Moves::four).open(walkers);
  for (std::uint64_t tick = 1; tick <= 21; ++tick) {
    s.step();
    EXPECT_EQ(s.arrivals(), tick - 1) << "tick " << tick;
  }
  EXPECT_TRUE(s.sim().finished());
  EXPECT_EQ(s.violations(), 0u) << s.first_violation();
}

// Five goal cells with somebody on each; ten who come too late.
TEST(GateThroughput, gate_standing_crowd) {
  std::vector<std::string> rows = open_rows(10, 5);
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  Simulation sim = *Simulation::create(*GridMap::from_rows(views));
  const ProfileId profile = *sim.add_profile({});
  SimulationGoal goal;
  for (std::int32_t y = 0; y < 5; ++y) goal.where.cells.push_back({{9, y}, 0});
  const GoalId full = *sim.add_goal(goal);
  for (std::uint64_t key = 1; key <= 15; ++key) {
    const auto i = static_cast<std::int32_t>(key) - 1;
    const Cell at = key <= 5 ? Cell{9, i} : Cell{(i - 5) / 5, (i - 5) % 5};
    ASSERT_TRUE(sim.add_agent({key, at, profile, full, {}, 0, 0}).ok());
  }
  ASSERT_TRUE(sim.start().ok());
  std::uint64_t last_move = 0;
  for (int t = 0; t < 200; ++t) {
    sim.step();
    if (!sim.moves().empty()) last_move = sim.tick();
  }
  EXPECT_LE(last_move, 30u) << "8 cells to walk, and 20 ticks to settle";
  for (std::uint64_t key = 1; key <= 5; ++key) {
    const AgentView stays = *sim.agent(*sim.find_agent(key));
    EXPECT_EQ(stays.cell, (Cell{9, static_cast<std::int32_t>(key) - 1, 0}));
    EXPECT_EQ(stays.state, AgentState::arrived);
  }
  for (std::uint64_t key = 6; key <= 15; ++key) {
    const std::vector<WhyLink> chain = *sim.why(*sim.find_agent(key));
    EXPECT_EQ(chain.front().state, AgentState::waiting) << key;
    EXPECT_EQ(chain.back().reason, Reason::goal_occupied) << to_text(chain);
    EXPECT_GE(chain.back().by, 1u);
    EXPECT_LE(chain.back().by, 5u) << to_text(chain);
  }
}

}  // namespace
}  // namespace drover::test
