// SPDX-License-Identifier: MIT
// Every tick twice: equal where the code is right, and a task that goes missing in one pass is found.
#include <gtest/gtest.h>

#include <vector>

#include "io/paranoid.hpp"
#include "support/scene.hpp"
#include "support/threads.hpp"

namespace drover::io {
namespace {

using test::Scene;
using test::Walker;

// 5,000 agents are three tasks of the propose loop (2,048 each).
std::vector<Walker> five_thousand() {
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 5000; ++i)
    walkers.push_back({static_cast<std::uint64_t>(i + 1), {i % 100, i / 100}, {119, 25}, true});
  return walkers;
}

std::optional<Difference> step(ParanoidStepper& paranoid, Simulation& simulation) {
  Result<std::optional<Difference>> answer = paranoid.step(simulation);
  EXPECT_TRUE(answer.ok()) << answer.status().message();
  return answer.ok() ? *answer : std::nullopt;
}

TEST(Paranoid, BothPassesAgreeAndTheRunIsThatOfPlainSteps) {
  test::ThreadTasks threads(2);
  ParanoidStepper paranoid(threads.host());
  const std::vector<std::string> rows(60, std::string(60, '.') + "#" + std::string(59, '.'));
  std::vector<std::string> with_gaps = rows;
  for (const std::size_t y : {10u, 20u, 30u, 31u, 32u, 50u}) with_gaps[y][60] = '.';
  std::vector<Walker> walkers;
  for (std::int32_t i = 0; i < 3000; ++i)
    walkers.push_back(
        {static_cast<std::uint64_t>(i + 1), {i % 60, i / 60}, {119, 25}, true, static_cast<std::uint64_t>(i % 3)});
  const auto open = [&](Scene& s) {
    s.door("gate", {{60, 30}, {60, 31}, {60, 32}});
    s.open(walkers);
    ASSERT_TRUE(s.sim().submit({5, 0, EditMap{{{}, {{0, DoorState::closed}}}}}).ok());
    ASSERT_TRUE(s.sim().submit({9, 0, Retarget{s.id(17), s.goal("119,25v")}}).ok());
  };
  Scene twice(with_gaps, {}, paranoid.host()), once(with_gaps);
  open(twice);
  open(once);
  for (int t = 0; t < 20; ++t) {
    const std::optional<Difference> d = step(paranoid, twice.sim());
    ASSERT_FALSE(d) << to_text(*d);
    const StepReport plain = once.sim().step();
    ASSERT_EQ(twice.sim().tick(), plain.tick);
    ASSERT_EQ(twice.sim().digests(), plain.digests);
    ASSERT_EQ(twice.sim().moves().size(), once.sim().moves().size());
    ASSERT_EQ(twice.sim().events().size(), once.sim().events().size());
  }
  EXPECT_FALSE(twice.sim().map().doors()[0].open);
}

// Runs tasks one after the other, but for `missing` where the loop is run for the `in_loop`-th time.
struct Forgetful {
  std::uint32_t missing = ~0u, in_loop = ~0u, loops = 0;
  std::vector<std::uint32_t> counts;

  Host host() {
    Host h;
    h.tasks = {this, 1, run};
    return h;
  }
  static void run(void* context, std::uint32_t count, void (*task)(void*, std::uint32_t), void* argument) {
    auto& self = *static_cast<Forgetful*>(context);
    const bool forgets = self.loops++ == self.in_loop;
    self.counts.push_back(count);
    for (std::uint32_t i = 0; i < count; ++i)
      if (!forgets || i != self.missing) task(argument, i);
  }
};

TEST(Paranoid, ATaskLeftOutInTheFirstPassIsFoundByTickAgentAndField) {
  Forgetful tasks;
  ParanoidStepper paranoid(tasks.host());
  Scene s(test::open_rows(120, 60), {}, paranoid.host());
  s.open(five_thousand());
  tasks.loops = 0;
  tasks.missing = 1;
  tasks.in_loop = 0;
  const std::optional<Difference> d = step(paranoid, s.sim());
  ASSERT_TRUE(d);
  EXPECT_EQ(d->tick, 1u);
  EXPECT_EQ(d->subsystem, "agents");
  // The same two ticks side by side, without going back.
  Forgetful forgetful;
  forgetful.missing = 1;
  Scene whole(test::open_rows(120, 60)), part(test::open_rows(120, 60), {}, forgetful.host());
  whole.open(five_thousand());
  part.open(five_thousand());
  forgetful.in_loop = forgetful.loops;
  whole.sim().step();
  part.sim().step();
  std::uint64_t first = 1;
  const auto same = [](const AgentView& a, const AgentView& b) {
    return a.cell == b.cell && a.state == b.state && a.reason == b.reason && a.by == b.by && a.age_ticks == b.age_ticks;
  };
  while (first < 5000 && same(whole.agent(first), part.agent(first))) ++first;
  EXPECT_LE(first, 4096u) << "2049 .. 4096 never decided";
  EXPECT_EQ(d->agent, first);
  EXPECT_EQ(s.sim().digests(), whole.sim().digests()) << "the second pass, which was whole, is the run";
}

TEST(Paranoid, ATaskLeftOutInTheSecondPassIsFoundToo) {
  // Tick 1 deals the tasks out to two workers; leaving one worker out loses every second task.
  Forgetful tasks;
  ParanoidStepper paranoid(tasks.host());
  Scene s(test::open_rows(120, 60), {}, paranoid.host());
  s.open(five_thousand());
  tasks.loops = 0;
  tasks.missing = 1;
  tasks.in_loop = 1;
  const std::optional<Difference> d = step(paranoid, s.sim());
  ASSERT_TRUE(d);
  EXPECT_EQ(d->tick, 1u);
  EXPECT_EQ(d->subsystem, "agents");
}

TEST(Paranoid, TheSecondPassIsCutOrOrderedInAnotherWay) {
  Forgetful tasks;
  ParanoidStepper paranoid(tasks.host());
  Scene s(test::open_rows(120, 60), {}, paranoid.host());
  s.open(five_thousand());
  tasks.counts.clear();
  EXPECT_FALSE(step(paranoid, s.sim()));
  EXPECT_EQ(tasks.counts, (std::vector<std::uint32_t>{3, 2})) << "tick 1: three tasks, then two workers with shares";
  tasks.counts.clear();
  EXPECT_FALSE(step(paranoid, s.sim()));
  EXPECT_EQ(tasks.counts, (std::vector<std::uint32_t>{3})) << "tick 2: backwards on the caller's own thread";
}

}  // namespace
}  // namespace drover::io
