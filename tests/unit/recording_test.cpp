// SPDX-License-Identifier: MIT
// Recordings: run again they are equal, cut they are equal as far as they go, and where two part is found.
#include <drover/recording.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "io/record_file.hpp"
#include "io/record_payload.hpp"
#include "io/recorded_run.hpp"
#include "property/crowd_world.hpp"
#include "sim/input_bytes.hpp"
#include "support/data.hpp"
#include "support/recordings.hpp"
#include "support/shapes.hpp"
#include "support/temp_folder.hpp"
#include "support/threads.hpp"

namespace drover::test {
namespace {

using io::Difference;
using io::ReplayOptions;

constexpr auto kEverything = ReplayOptions::Compare::everything;

io::RecordingInfo info() {
  io::RecordingInfo out;
  out.drover = "test";
  out.scenario = "world";
  out.goals = {"west", "east", "north"};
  return out;
}

// Records a run; `before_step` may give it something.
template <class BeforeStep>
void record(Simulation& sim, const std::string& path, std::uint64_t ticks, BeforeStep&& before_step) {
  Result<io::RecordingWriter> writer = io::RecordingWriter::create(path, info(), sim);
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  while (sim.tick() < ticks) {
    before_step(sim);
    sim.step();
    ASSERT_TRUE(writer->record(sim).ok());
  }
  ASSERT_TRUE(writer->close(sim, io::RunEnd::tick_limit).ok());
}

io::ReplayResult replayed(const std::string& path, std::uint64_t from = 0, const Host& host = {}) {
  ReplayOptions options;
  options.compare = kEverything;
  options.from_tick = from;
  Result<io::ReplayResult> result = io::replay(path, options, host);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *std::move(result) : io::ReplayResult{};
}

void expect_equal(const io::ReplayResult& result) {
  EXPECT_FALSE(result.difference) << io::to_text(*result.difference);
}

// Edits, goal changes, retargets, agents that come and go, that are put elsewhere and pushed.
void meddle(Simulation& sim, const World& w, Draw& draw) {
  std::vector<AgentView> agents;
  sim.agents(agents);
  const Cell cell{static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows[0].size()))),
                  static_cast<std::int32_t>(draw.below(static_cast<std::uint32_t>(w.rows.size())))};
  const auto someone = [&] {
    return *sim.find_agent(agents[draw.below(static_cast<std::uint32_t>(agents.size()))].key);
  };
  MapEdit edit;
  edit.cells = {{cell, CellChange::terrain, draw.chance(50) ? kWall : kFloor}};
  switch (draw.below(8)) {
    case 0:
      ASSERT_TRUE(sim.submit({sim.tick() + draw.below(5), 0, EditMap{edit}}).ok());
      break;
    case 1:
      ASSERT_TRUE(sim.set_goal({draw.below(3), 1}, w.goals[draw.below(3)].where).ok());
      break;
    case 2:
      if (!agents.empty()) {
        ASSERT_TRUE(sim.retarget(someone(), {draw.below(3), 1}).ok());
      }
      break;
    case 3:
      if (!agents.empty()) {
        ASSERT_TRUE(sim.remove_agent(someone()).ok());
      }
      break;
    case 4:
      static_cast<void>(sim.add_agent({20000 + sim.tick(), cell, {0, 1}, {1, 1}, {{2, 1}}, 0, 0}).ok());
      break;
    case 5:
    case 6:
      if (!agents.empty()) {
        const AgentId who = someone();
        const auto direction = static_cast<Direction>(draw.below(8));
        const Command order = draw.chance(50) ? Command{sim.tick() + draw.below(3), 0, Teleport{who, cell}}
                                              : Command{sim.tick() + draw.below(3), 0, Push{who, direction}};
        static_cast<void>(sim.submit(order).ok());
      }
      break;
    default:
      break;
  }
}

TEST(Recording, RunAgainEveryTickStepAndStateIsEqualAndTheBytesDoNotDependOnThreads) {
  const TempFolder temp;
  ThreadTasks threads(3);
  const std::uint64_t worlds = long_run() ? 400 : 40;
  std::uint64_t ran = 0;
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    const World w = seed % 3 == 0 ? timed_world(seed) : random_world(seed);
    const std::string names[2] = {temp / "serial.drv", temp / "threads.drv"};
    bool started = true;
    for (int k = 0; k < 2; ++k) {
      Simulation sim = make_simulation(w, k == 0 ? Host{} : threads.host());
      started = started && sim.start().ok();
      Draw draw(seed);
      if (started) record(sim, names[k], 150, [&](Simulation& s) { meddle(s, w, draw); });
    }
    if (!started) continue;
    ++ran;
    ASSERT_EQ(temp.read("serial.drv"), temp.read("threads.drv")) << "world " << seed;
    const io::ReplayResult result = replayed(names[0], 0, threads.host());
    expect_equal(result);
    EXPECT_EQ(result.last_tick, 150u);
    EXPECT_FALSE(result.recovered.damaged_at);
    for (const std::uint64_t from : {1u, 63u, 64u, 100u, 128u, 150u}) {
      const io::ReplayResult part = replayed(names[0], from);
      expect_equal(part);
      EXPECT_EQ(part.first_tick, from / 64 * 64);
      EXPECT_EQ(part.digests, result.digests);
    }
  }
  EXPECT_GT(ran, worlds / 2);
}

TEST(Recording, CutAnywhereItIsEqualAsFarAsItGoes) {
  const TempFolder temp;
  const World w = random_world(9);
  Simulation sim = make_simulation(w);
  ASSERT_TRUE(sim.start().ok());
  Draw draw(9);
  record(sim, temp / "whole.drv", 140, [&](Simulation& s) { meddle(s, w, draw); });
  const std::string whole = temp.read("whole.drv");
  const MemoryFile file;
  std::uint64_t last = 0;
  for (std::size_t bytes = 64; bytes <= whole.size(); bytes += 1 + whole.size() / 150) {
    const io::ReplayResult result = replayed(file.with(std::string_view{whole}.substr(0, bytes)));
    expect_equal(result);
    // Between the end record and the index nothing is missing that anybody needs.
    const bool ended = result.last_tick == 140 && !result.recovered.damaged_at;
    EXPECT_NE(result.recovered.cut, ended) << bytes;
    EXPECT_GE(result.recovered.ticks, last);
    EXPECT_EQ(result.last_tick, result.recovered.ticks);
    last = result.recovered.ticks;
  }
  EXPECT_GE(last, 100u);
}

/// 40 agents in a hall that are sent from side to side every 50 ticks.
Simulation hall() {
  const std::vector<std::string> rows(20, std::string(40, '.'));
  const std::vector<std::string_view> views(rows.begin(), rows.end());
  Simulation sim = *Simulation::create(*GridMap::from_rows(views));
  const ProfileId profile = *sim.add_profile({});
  for (const std::int32_t x : {0, 39}) {
    SimulationGoal goal;
    for (std::int32_t y = 0; y < 20; ++y) goal.where.cells.push_back({{x, y}, 0});
    EXPECT_TRUE(sim.add_goal(goal).ok());
  }
  for (std::int32_t i = 0; i < 40; ++i) {
    const std::int32_t x = 4 + i / 20, y = i % 20;
    EXPECT_TRUE(sim.add_agent({static_cast<std::uint64_t>(i + 1), {x, y}, profile, {1, 1}, {}, 0, 0}).ok());
  }
  // Both fields are there from the start.
  EXPECT_TRUE(sim.add_agent({1000, {20, 10}, profile, {0, 1}, {}, 0, 0}).ok());
  EXPECT_TRUE(sim.start().ok());
  return sim;
}

void send_across(Simulation& sim) {
  if (sim.tick() % 30 != 0) return;
  for (std::uint64_t key = 1; key <= 40; ++key)
    ASSERT_TRUE(sim.retarget(*sim.find_agent(key), {sim.tick() / 30 % 2 == 0 ? 1u : 0u, 1}).ok());
}

TEST(Recording, DiffFindsTheOneAgentThatPartsAtTick777Of1000) {
  const TempFolder temp;
  Simulation a = hall(), b = hall();
  record(a, temp / "a.drv", 1000, send_across);
  record(b, temp / "b.drv", 1000, [](Simulation& sim) {
    send_across(sim);
    if (sim.tick() == 776) {
      ASSERT_TRUE(sim.retarget(*sim.find_agent(12), {1, 1}).ok());
    }
  });
  const Result<io::DiffResult> diff = io::diff(temp / "a.drv", temp / "b.drv");
  ASSERT_TRUE(diff.ok()) << diff.status().message();
  ASSERT_TRUE(diff->difference);
  const Difference& d = *diff->difference;
  EXPECT_EQ(d.tick, 777u);
  EXPECT_EQ(d.subsystem, "agents");
  EXPECT_EQ(d.agent, 12u);
  EXPECT_EQ(d.field, "cell");
  // What the two runs themselves say of that tick.
  Simulation again_a = hall(), again_b = hall();
  while (again_a.tick() < 777) {
    send_across(again_a);
    send_across(again_b);
    if (again_b.tick() == 776) {
      ASSERT_TRUE(again_b.retarget(*again_b.find_agent(12), {1, 1}).ok());
    }
    again_a.step();
    again_b.step();
  }
  EXPECT_EQ(d.a, io::DifferenceValue(again_a.agent(*again_a.find_agent(12))->cell));
  EXPECT_EQ(d.b, io::DifferenceValue(again_b.agent(*again_b.find_agent(12))->cell));
  EXPECT_NE(d.a, d.b);
  EXPECT_TRUE(diff->again);
  EXPECT_TRUE(diff->inputs_a.empty());
  EXPECT_EQ(diff->inputs_b, std::vector<std::string>{"agent 12 walks to east"});

  const Result<io::DiffResult> same = io::diff(temp / "a.drv", temp / "a.drv");
  ASSERT_TRUE(same.ok());
  EXPECT_FALSE(same->difference);
}

// A jump is told in the record itself: what was ordered long before may stand in a state that is not there any more.
TEST(Recording, JumpsAndPushesAreStepsLikeAnyOther) {
  const TempFolder temp;
  Simulation sim = hall();
  std::vector<std::vector<MoveRecord>> moves(1);
  std::uint64_t jumps = 0;
  ASSERT_TRUE(sim.submit({70, 0, Teleport{*sim.find_agent(5), {33, 17}}}).ok());
  record(sim, temp / "run.drv", 80, [&](Simulation& s) {
    if (s.tick() > 0) moves.emplace_back(s.moves().begin(), s.moves().end());
    if (s.tick() % 5 == 2) static_cast<void>(s.teleport(*s.find_agent(9), {3, 1}).ok());
    if (s.tick() % 5 == 3) static_cast<void>(s.push(*s.find_agent(9), Direction::south).ok());
    if (s.tick() == 30) static_cast<void>(s.teleport(*s.find_agent(11), {39, 11}).ok());
  });
  moves.emplace_back(sim.moves().begin(), sim.moves().end());
  expect_equal(replayed(temp / "run.drv"));
  io::RecordedRun run = *io::RecordedRun::open(temp / "run.drv");
  ASSERT_TRUE(run.load(0, {}).ok());
  io::RecordedEvent event;
  while (*run.next(event)) {
    if (event.kind != io::RecordedEvent::Kind::tick) continue;
    const std::vector<MoveRecord>& want = moves[event.tick];
    ASSERT_EQ(event.record.moves.size(), want.size()) << "tick " << event.tick;
    for (std::size_t i = 0; i < want.size(); ++i) {
      const MoveRecord& got = event.record.moves[i];
      EXPECT_TRUE(got.agent == want[i].agent && got.from == want[i].from && got.to == want[i].to &&
                  got.ticks == want[i].ticks && got.start_tick == want[i].start_tick)
          << "tick " << event.tick << " agent " << got.agent;
      jumps += got.ticks == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(jumps, 5u);
}

TEST(Recording, DiffNamesTeleportsAndPushes) {
  const TempFolder temp;
  Simulation a = hall(), b = hall();
  record(a, temp / "a.drv", 60, [](Simulation& s) {
    if (s.tick() == 20) {
      ASSERT_TRUE(s.submit({22, 0, Push{*s.find_agent(7), Direction::north}}).ok());
    }
  });
  record(b, temp / "b.drv", 60, [](Simulation& s) {
    if (s.tick() == 20) {
      ASSERT_TRUE(s.submit({22, 0, Push{*s.find_agent(7), Direction::north}}).ok());
      ASSERT_TRUE(s.submit({22, 0, Teleport{*s.find_agent(12), {1, 1}}}).ok());
    }
  });
  const Result<io::DiffResult> diff = io::diff(temp / "a.drv", temp / "b.drv");
  ASSERT_TRUE(diff.ok() && diff->difference) << diff.status().message();
  EXPECT_EQ(diff->difference->tick, 22u);
  EXPECT_EQ(diff->difference->agent, 12u);
  EXPECT_TRUE(diff->inputs_a.empty());
  EXPECT_EQ(diff->inputs_b, std::vector<std::string>{"agent 12 is put to 1,1"});
}

TEST(Recording, DiffOfRecordingsOfDifferentLengthNamesTheTick) {
  const TempFolder temp;
  Simulation a = hall(), b = hall();
  record(a, temp / "a.drv", 100, send_across);
  record(b, temp / "b.drv", 70, send_across);
  const Result<io::DiffResult> diff = io::diff(temp / "a.drv", temp / "b.drv");
  ASSERT_TRUE(diff.ok() && diff->difference);
  EXPECT_EQ(diff->difference->subsystem, "ticks");
  EXPECT_EQ(diff->difference->tick, 71u);
  EXPECT_EQ(diff->difference->a, io::DifferenceValue(std::uint64_t{100}));
  EXPECT_EQ(diff->difference->b, io::DifferenceValue(std::uint64_t{70}));
}

TEST(Recording, DiffOfDifferentMapsNamesTheFirstCell) {
  const TempFolder temp;
  for (const char* name : {"a.drv", "b.drv"}) {
    std::vector<std::string> rows(6, std::string(8, '.'));
    if (name[0] == 'b') rows[3][5] = '#';
    const std::vector<std::string_view> views(rows.begin(), rows.end());
    Simulation sim = *Simulation::create(*GridMap::from_rows(views));
    ASSERT_TRUE(sim.start().ok());
    record(sim, temp / name, 5, [](Simulation&) {});
  }
  const Result<io::DiffResult> diff = io::diff(temp / "a.drv", temp / "b.drv");
  ASSERT_TRUE(diff.ok() && diff->difference);
  EXPECT_EQ(diff->difference->tick, 0u);
  EXPECT_EQ(diff->difference->subsystem, "world");
  EXPECT_EQ(diff->difference->cell, (Cell{5, 3, 0}));
}

// The recording with its records changed on the way, sealed again.
void rewrite(const std::string& from, const std::string& to, const std::function<void(io::Record&)>& change,
             std::optional<std::uint64_t> rules = std::nullopt) {
  io::RecordReader reader = *io::RecordReader::open(from);
  io::RecordingHeader header = reader.header();
  if (rules) header.rules_digest = *rules;
  io::RecordWriter writer = *io::RecordWriter::create(to, header);
  io::Record record;
  while (*reader.next(record)) {
    change(record);
    ASSERT_TRUE(writer.append(record.type, record.tick, record.head, record.body).ok());
  }
  ASSERT_TRUE(writer.close().ok());
}

TEST(Recording, ADigestThatDoesNotFitIsReportedWithBothValues) {
  const TempFolder temp;
  Simulation sim = hall();
  std::uint64_t right = 0;
  record(sim, temp / "right.drv", 100, send_across);
  rewrite(temp / "right.drv", temp / "wrong.drv", [&](io::Record& r) {
    if (r.type != io::RecordType::tick || r.tick != 77) return;
    base::ByteReader in(r.head);
    right = in.u64();
    r.head[0] ^= std::byte{1};
  });
  const io::ReplayResult result = replayed(temp / "wrong.drv");
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.difference->tick, 77u);
  EXPECT_EQ(result.difference->subsystem, "agents");
  EXPECT_EQ(result.difference->field, "digest");
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(right));
  EXPECT_EQ(result.difference->b, io::DifferenceValue(std::string(text)));
  EXPECT_NE(result.difference->a, result.difference->b);
  EXPECT_EQ(result.last_tick, 77u);
}

// A machine that computed something else: only what it wrote down can tell.
TEST(Recording, AStepThatRunningAgainDoesNotTakeIsNamedByAgentAndCells) {
  const TempFolder temp;
  Simulation sim = hall();
  record(sim, temp / "right.drv", 100, send_across);
  rewrite(temp / "right.drv", temp / "wrong.drv", [](io::Record& r) {
    if (r.type != io::RecordType::tick || r.tick < 77) return;
    r.head[0] ^= std::byte{1};   // agents
    r.head[32] ^= std::byte{1};  // the chain
    if (r.tick == 77) set_step(r, 41, 11, 1);
  });
  const io::ReplayResult result = replayed(temp / "wrong.drv");
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.difference->tick, 77u);
  EXPECT_EQ(result.difference->agent, 12u);
  EXPECT_EQ(result.difference->field, "cell");
  const Result<io::DiffResult> diff = io::diff(temp / "right.drv", temp / "wrong.drv");
  ASSERT_TRUE(diff.ok() && diff->difference);
  EXPECT_EQ(diff->difference->tick, 77u);
  EXPECT_EQ(diff->difference->agent, 12u);
  EXPECT_FALSE(diff->again);
}

// Obstacles that moved are in the states and their steps in the inputs; who moved one elsewhere is told so.
TEST(Recording, StepsOfObstaclesAreRunAgainAndNamed) {
  const TempFolder temp;
  const auto hall_with_ball = [] {
    const std::vector<std::string> rows(9, std::string(30, '.'));
    const std::vector<std::string_view> views(rows.begin(), rows.end());
    GridMap map = *GridMap::from_rows(views);
    EXPECT_TRUE(map.add_obstacle(circle(quarters(100, 18), quarters(6))).ok());
    SimulationDef def;
    def.on_stale = OnStale::keep_if_legal;
    Simulation sim = *Simulation::create(std::move(map), def);
    const ProfileId profile = *sim.add_profile({});
    SimulationGoal goal;
    for (std::int32_t y = 0; y < 9; ++y) goal.where.cells.push_back({{29, y}, 0});
    EXPECT_TRUE(sim.add_goal(goal).ok());
    for (std::int32_t i = 0; i < 9; ++i)
      EXPECT_TRUE(sim.add_agent({static_cast<std::uint64_t>(i + 1), {0, i}, profile, {0, 1}, {}, 0, 0}).ok());
    EXPECT_TRUE(sim.start().ok());
    return sim;
  };
  const auto roll = [](Simulation& sim, std::int32_t row) {
    MapEdit edit;
    edit.obstacles = {move_to(0, quarters(100 - static_cast<std::int32_t>(sim.tick()), row))};
    ASSERT_TRUE(sim.edit(edit).ok());
  };
  Simulation a = hall_with_ball(), b = hall_with_ball();
  record(a, temp / "a.drv", 80, [&](Simulation& sim) { roll(sim, 18); });
  record(b, temp / "b.drv", 80, [&](Simulation& sim) { roll(sim, sim.tick() == 20 ? 22 : 18); });
  expect_equal(replayed(temp / "a.drv"));
  expect_equal(replayed(temp / "a.drv", 70));
  const Result<io::DiffResult> diff = io::diff(temp / "a.drv", temp / "b.drv");
  ASSERT_TRUE(diff.ok() && diff->difference) << diff.status().message();
  EXPECT_EQ(io::to_text(*diff->difference),
            "tick 21: world differs: obstacle 0 shape circle at 20,4.5, again circle at 20,5.5");
  EXPECT_EQ(diff->inputs_a, std::vector<std::string>{"obstacle #0 to 20,4.5"});
  EXPECT_EQ(diff->inputs_b, std::vector<std::string>{"obstacle #0 to 20,5.5"});
}

// An edit that only one machine made, and nobody recorded: no input and no step shows it, the next states do.
TEST(Recording, AWallThatNobodyGaveIsNamedByTheNextStates) {
  const TempFolder temp;
  Simulation a = hall();
  record(a, temp / "a.drv", 140, send_across);
  Simulation b = hall();
  record(b, temp / "b.drv", 140, [](Simulation& sim) {
    send_across(sim);
    MapEdit edit;
    edit.cells = {{{1, 19}, CellChange::terrain, kWall}};
    if (sim.tick() == 40) {
      ASSERT_TRUE(sim.edit(edit).ok());
    }
  });
  rewrite(temp / "b.drv", temp / "hidden.drv", [](io::Record& r) {
    if (r.type != io::RecordType::tick || r.tick != 41) return;
    ASSERT_EQ(r.body.at(0), std::byte{1});
    base::ByteWriter plain;
    plain.number(0);
    base::ByteReader all(r.body);
    all.number();
    const std::size_t before = all.left();
    static_cast<void>(sim::read_input(all));
    plain.raw(std::span(r.body).last(all.left()));
    ASSERT_LT(all.left(), before);
    r.body.assign(plain.bytes().begin(), plain.bytes().end());
  });
  const Result<io::DiffResult> diff = io::diff(temp / "a.drv", temp / "hidden.drv");
  ASSERT_TRUE(diff.ok() && diff->difference) << diff.status().message();
  EXPECT_EQ(diff->difference->tick, 41u);
  EXPECT_EQ(diff->difference->subsystem, "world");
  EXPECT_EQ(diff->difference->cell, (Cell{1, 19, 0}));
  EXPECT_EQ(diff->difference->field, "terrain");
  EXPECT_FALSE(diff->again);
  EXPECT_EQ(diff->seen_tick, 64u);
}

TEST(Recording, OnlyTheTickThatFollowsIsRecorded) {
  const TempFolder temp;
  Simulation sim = hall(), other = hall();
  io::RecordingWriter writer = *io::RecordingWriter::create(temp / "run.drv", info(), sim);
  EXPECT_EQ(writer.record(sim).code(), StatusCode::argument) << "no step yet";
  for (int t = 0; t < 29; ++t) {
    sim.step();
    ASSERT_TRUE(writer.record(sim).ok());
    EXPECT_EQ(writer.record(sim).code(), StatusCode::argument) << "twice";
  }
  SimulationSnapshot snapshot;
  ASSERT_TRUE(sim.snapshot_into(snapshot).ok());
  for (int t = 0; t < 4; ++t) sim.step();
  EXPECT_EQ(writer.record(sim).code(), StatusCode::argument) << "ticks left out";
  ASSERT_TRUE(sim.restore(snapshot).ok());
  for (std::uint64_t key = 20; key < 40; ++key) {
    ASSERT_TRUE(other.remove_agent(*other.find_agent(key)).ok());
  }
  while (other.tick() < 30) other.step();
  const Status foreign = writer.record(other);
  EXPECT_EQ(foreign.code(), StatusCode::argument);
  EXPECT_NE(foreign.message().find("tick 30 does not follow tick 29"), std::string::npos) << foreign.message();
  sim.step();
  EXPECT_TRUE(writer.record(sim).ok()) << "what was refused wrote nothing";
  EXPECT_EQ(writer.close(other, io::RunEnd::finished).code(), StatusCode::argument);
  ASSERT_TRUE(writer.close(sim, io::RunEnd::tick_limit).ok());
  const io::ReplayResult result = replayed(temp / "run.drv");
  expect_equal(result);
  EXPECT_EQ(result.last_tick, 30u);
}

TEST(Recording, OtherRulesAreRefusedWithBothDigests) {
  const TempFolder temp;
  Simulation sim = hall();
  record(sim, temp / "right.drv", 10, send_across);
  rewrite(
      temp / "right.drv", temp / "wrong.drv", [](io::Record&) {}, 0x123);
  const Status status = io::replay(temp / "wrong.drv").status();
  EXPECT_EQ(status.code(), StatusCode::replay_mismatch);
  EXPECT_NE(status.message().find("rules of digest 0000000000000123, here it is "), std::string::npos)
      << status.message();
}

TEST(Recording, WhatWasGivenBeforeItBeganIsInItsFirstStateOnly) {
  const TempFolder temp;
  Simulation sim = hall();
  for (int t = 0; t < 5; ++t) sim.step();
  ASSERT_TRUE(sim.add_agent({2000, {30, 3}, {0, 1}, {0, 1}, {}, 0, 0}).ok());
  ASSERT_TRUE(sim.add_goal({{{{{20, 5}, 0}}, GoalPlacement::exact}, OnArrival::stay}).ok());
  record(sim, temp / "late.drv", 140, [](Simulation& s) {
    if (s.tick() % 7 == 0) {
      ASSERT_TRUE(s.retarget(*s.find_agent(2000), {s.tick() % 2 == 0 ? 0u : 2u, 1}).ok());
    }
  });
  expect_equal(replayed(temp / "late.drv"));
}

TEST(Recording, ItMayBeginInTheMiddleOfARun) {
  const TempFolder temp;
  Simulation sim = hall();
  for (int t = 0; t < 37; ++t) sim.step();
  record(sim, temp / "late.drv", 90, send_across);
  const io::ReplayResult result = replayed(temp / "late.drv");
  expect_equal(result);
  EXPECT_EQ(result.first_tick, 37u);
  EXPECT_EQ(result.last_tick, 90u);
}

}  // namespace
}  // namespace drover::test
