// SPDX-License-Identifier: MIT
// Bundles answer from one generation only; the store exchanges them as a whole.
#include <gtest/gtest.h>
#include <drover/bundle.hpp>

#include "support/grids.hpp"

#include <memory>
#include <vector>

namespace drover::test {
namespace {

constexpr ProfileId kWalker{1, 1}, kCart{2, 1}, kNobody{9, 1};
constexpr GoalId kGate{1, 1}, kYard{2, 1};

struct Site {
  GridMap map = map_of({"...", ".#.", "..?"});
  FieldBuilder builder;

  NavGraph graph(int footprint = 1) { return graph_of(map.view(), body(footprint)); }
  FieldRef field(const NavGraph& g, Cell cell = {0, 0, 0}) {
    return std::move(builder.build(g, GoalDef{{{cell, 0}}, GoalPlacement::exact})).value();
  }
  NavBundle bundle(std::vector<BundleEntry> entries) {
    return NavBundle(1, map.view(), {{kWalker, graph()}}, std::move(entries));
  }
};

BundleEntry entry(ProfileId profile, GoalId goal, Freshness freshness, FieldRef field = nullptr) {
  return {profile, goal, freshness, std::move(field), {}};
}

TEST(Bundle, AnswersWithStateStepAndCostOfOneField) {
  Site site;
  const NavBundle bundle = site.bundle({entry(kWalker, kGate, Freshness::current, site.field(site.graph()))});
  const Lookup beside = bundle.look_up(kWalker, kGate, {1, 0, 0});
  EXPECT_EQ(beside.state, CellState::reachable);
  EXPECT_EQ(beside.step.kind, Step::Kind::move);
  EXPECT_EQ(beside.step.direction, Direction::west);
  EXPECT_EQ(beside.cost, 10u);
  EXPECT_EQ(bundle.look_up(kWalker, kGate, {0, 0, 0}).state, CellState::goal);
  EXPECT_EQ(bundle.look_up(kWalker, kGate, {1, 1, 0}).state, CellState::blocked);
  EXPECT_EQ(bundle.look_up(kWalker, kGate, {2, 2, 0}).state, CellState::unknown);
  EXPECT_EQ(bundle.look_up(kWalker, kGate, {3, 0, 0}).state, CellState::outside);
  EXPECT_EQ(bundle.look_up(kWalker, kGate, {0, 0, 1}).state, CellState::outside);
}

void expect_no_answer(const Lookup& lookup, CellState state) {
  EXPECT_EQ(lookup.state, state);
  EXPECT_EQ(lookup.step.kind, Step::Kind::none);
  EXPECT_EQ(lookup.cost, kInfiniteCost);
}

TEST(Bundle, WithoutACurrentFieldThereIsNoAnswer) {
  Site site;
  const FieldRef field = site.field(site.graph());
  const Cell cell{1, 0, 0};
  expect_no_answer(site.bundle({}).look_up(kWalker, kGate, cell), CellState::not_ready);
  expect_no_answer(site.bundle({entry(kWalker, kGate, Freshness::not_ready)}).look_up(kWalker, kGate, cell),
                   CellState::not_ready);
  expect_no_answer(site.bundle({entry(kWalker, kGate, Freshness::stale, field)}).look_up(kWalker, kGate, cell),
                   CellState::stale);
  expect_no_answer(site.bundle({entry(kWalker, kGate, Freshness::current, field)}).look_up(kNobody, kGate, cell),
                   CellState::profile_mismatch);
  expect_no_answer(site.bundle({entry(kWalker, kGate, Freshness::current, field)}).look_up(kWalker, kYard, cell),
                   CellState::not_ready);
}

TEST(Bundle, AFieldOfAnOlderMapIsStaleEvenWhenTheEntrySaysCurrent) {
  Site site;
  const FieldRef old = site.field(site.graph());
  ASSERT_TRUE(site.map.apply(set_terrain({2, 0, 0}, kWall)).ok());
  expect_no_answer(site.bundle({entry(kWalker, kGate, Freshness::current, old)}).look_up(kWalker, kGate, {1, 0, 0}),
                   CellState::stale);
}

TEST(Bundle, CurrentWithoutAFieldMeansThatNobodyGetsThere) {
  Site site;
  const NavBundle bundle = site.bundle({entry(kWalker, kGate, Freshness::current)});
  expect_no_answer(bundle.look_up(kWalker, kGate, {0, 0, 0}), CellState::unreachable);
  expect_no_answer(bundle.look_up(kWalker, kGate, {1, 1, 0}), CellState::blocked);
  expect_no_answer(bundle.look_up(kWalker, kGate, {2, 2, 0}), CellState::unknown);
  expect_no_answer(bundle.look_up(kWalker, kGate, {5, 5, 0}), CellState::outside);
}

TEST(Bundle, AFieldAskedByHandAnswersOnlyForItsOwnSteps) {
  Site site;
  const NavGraph walker = site.graph(), cart = site.graph(2);
  const FieldRef field = site.field(walker);
  const Cell cell{1, 0, 0};
  {
    const NavBundle bundle(1, site.map.view(), {{kWalker, walker}, {kCart, cart}}, {});
    EXPECT_EQ(bundle.look_up(field, kWalker, cell).cost, 10u);
    expect_no_answer(bundle.look_up(field, kCart, cell), CellState::profile_mismatch);
    expect_no_answer(bundle.look_up(field, kNobody, cell), CellState::profile_mismatch);
    expect_no_answer(bundle.look_up(nullptr, kWalker, cell), CellState::not_ready);
    expect_no_answer(bundle.look_up(field, kWalker, {-1, 0, 0}), CellState::outside);
  }
  ASSERT_TRUE(site.map.apply(set_terrain({2, 0, 0}, kWall)).ok());
  const NavBundle later(2, site.map.view(), {{kWalker, site.graph()}, {kCart, site.graph(2)}}, {});
  expect_no_answer(later.look_up(field, kWalker, cell), CellState::stale);
  expect_no_answer(later.look_up(field, kCart, cell), CellState::profile_mismatch);
  // The edit undone: equal content, so the old field answers again.
  ASSERT_TRUE(site.map.apply(set_terrain({2, 0, 0}, kFloor)).ok());
  const NavBundle undone(3, site.map.view(), {{kWalker, site.graph()}}, {});
  EXPECT_EQ(undone.look_up(field, kWalker, cell).cost, 10u);
}

TEST(Bundle, EntriesAreFoundWhateverTheirOrder) {
  Site site;
  std::vector<BundleEntry> entries;
  for (std::uint32_t goal = 5; goal > 0; --goal) {
    for (const std::uint32_t profile : {3u, 1u, 2u})
      entries.push_back(entry({profile, 1}, {goal, 2}, Freshness::stale));
  }
  const NavBundle bundle = site.bundle(entries);
  ASSERT_EQ(bundle.entries().size(), 15u);
  for (const BundleEntry& e : entries) {
    const BundleEntry* found = bundle.find(e.profile, e.goal);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->profile, e.profile);
    EXPECT_EQ(found->goal, e.goal);
    EXPECT_EQ(bundle.find(e.profile, {e.goal.index, 3}), nullptr);
  }
  for (std::size_t i = 1; i < 15; ++i) {
    const BundleEntry &a = bundle.entries()[i - 1], &b = bundle.entries()[i];
    EXPECT_LT(std::pair(a.goal.index, a.profile.index), std::pair(b.goal.index, b.profile.index));
  }
}

TEST(Bundle, AnUnknownProfileHasANullGraph) {
  Site site;
  const NavBundle bundle = site.bundle({});
  EXPECT_TRUE(bundle.graph(kNobody).null());
  EXPECT_FALSE(bundle.graph(kWalker).null());
  EXPECT_EQ(bundle.generation(), 1u);
}

GoalDef goal_at(Cell cell, std::uint32_t offset = 0) { return {{{cell, offset}}, GoalPlacement::exact}; }

/// Asks a cache as a simulation does: what is missing is built and put in.
struct Asker {
  FieldCache cache{};
  FieldBuilder builder{};
  std::uint64_t builds = 0;

  FieldRef want(const NavGraph& graph, const GoalDef& goal, std::uint64_t tick = 0) {
    if (const FieldCache::Entry* entry = cache.ask(graph.content_hash(), goal, tick)) return entry->field;
    ++builds;
    FieldRef field = *builder.build(graph, goal);
    cache.put(graph.content_hash(), goal, field, 1000, tick);
    return field;
  }
  bool has(const NavGraph& graph, const GoalDef& goal) const {
    return cache.peek(graph.content_hash(), goal) != nullptr;
  }
};

TEST(Cache, update_cache_hits_again) {
  for (const bool asked_from_outside : {false, true}) {
    GridMap map = *GridMap::create({.width = 16, .height = 16});
    const GoalDef goal = goal_at({15, 15});
    Asker asker;
    const auto ask_three_times = [&] {
      FieldRef first;
      for (int i = 0; i < 3; ++i) {
        const FieldRef field = asker.want(graph_of(map.view(), body(1)), goal);
        if (first == nullptr) first = field;
        EXPECT_EQ(field, first);
        if (asked_from_outside) {
          EXPECT_FALSE(asker.has(graph_of(map.view(), body(2)), goal));
          EXPECT_TRUE(asker.has(graph_of(map.view(), body(1)), goal));
        }
      }
      return first;
    };
    const FieldRef open = ask_three_times();
    EXPECT_EQ(asker.builds, 1u);
    EXPECT_EQ(asker.cache.hits(), 2u);
    ASSERT_TRUE(map.apply(set_terrain({3, 3}, kWall)).ok());
    EXPECT_NE(ask_three_times(), open);
    EXPECT_EQ(asker.builds, 2u);
    EXPECT_EQ(asker.cache.hits(), 4u);
    ASSERT_TRUE(map.apply(set_terrain({3, 3}, kFloor)).ok());
    EXPECT_EQ(ask_three_times(), open);
    EXPECT_EQ(asker.builds, 2u);
    EXPECT_EQ(asker.cache.hits(), 7u);
    EXPECT_EQ(asker.cache.misses(), 2u);
  }
}

TEST(Cache, GoalsDifferByAllThatTheySay) {
  Site site;
  const NavGraph graph = site.graph();
  GoalDef within;
  within.area = GoalArea{GoalArea::Rule::within, {0, 0, 0}, 1};
  GoalDef in_sight = within, wider = within, nearest = goal_at({0, 0}), from = goal_at({0, 0});
  in_sight.area->rule = GoalArea::Rule::in_sight;
  wider.area->radius = 2;
  nearest.placement = GoalPlacement::nearest;
  from.placement = GoalPlacement::nearest;
  from.nearest_from = Cell{2, 0, 0};
  const std::vector<GoalDef> goals{
      goal_at({0, 0}), goal_at({0, 0}, 3), goal_at({1, 0}), within, in_sight, wider, nearest, from};
  Asker asker;
  for (const GoalDef& goal : goals) {
    EXPECT_FALSE(asker.has(graph, goal));
    asker.want(graph, goal);
    EXPECT_TRUE(asker.has(graph, goal));
  }
  EXPECT_EQ(asker.builds, goals.size());
  EXPECT_EQ(asker.cache.entries().size(), goals.size());
}

// Three fit. A look from outside saves nobody; of two that were used in the same tick the lesser key goes.
TEST(Cache, TheLeastRecentlyUsedGoesOut) {
  Site site;
  const NavGraph graph = site.graph();
  const std::vector<Cell> cells{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {2, 1}};
  Asker asker{FieldCache(3000)};
  for (std::size_t i = 0; i < 3; ++i) asker.want(graph, goal_at(cells[i]), 1 + i);
  EXPECT_EQ(asker.cache.bytes(), 3000u);
  asker.want(graph, goal_at(cells[0]), 4);
  EXPECT_TRUE(asker.has(graph, goal_at(cells[1])));
  asker.want(graph, goal_at(cells[3]), 5);
  EXPECT_FALSE(asker.has(graph, goal_at(cells[1]))) << "used at tick 2";
  EXPECT_EQ(asker.cache.evictions(), 1u);
  EXPECT_EQ(asker.cache.bytes(), 3000u);
  for (const std::size_t i : {0u, 2u, 3u}) asker.want(graph, goal_at(cells[i]), 6);
  const GoalDef first = *asker.cache.entries()[0].goal;
  asker.want(graph, goal_at(cells[4]), 7);
  EXPECT_FALSE(asker.has(graph, first));
  EXPECT_EQ(asker.builds, 5u);
}

TEST(Cache, WhatIsLargerThanTheBoundStaysOutside) {
  Site site;
  Asker asker{FieldCache(999)};
  asker.want(site.graph(), goal_at({0, 0}));
  asker.want(site.graph(), goal_at({0, 0}));
  EXPECT_EQ(asker.builds, 2u);
  EXPECT_TRUE(asker.cache.entries().empty());
}

TEST(Cache, ACopyKeepsWhatItHad) {
  Site site;
  Asker asker{FieldCache(2000)};
  asker.want(site.graph(), goal_at({0, 0}), 1);
  asker.want(site.graph(), goal_at({1, 0}), 2);
  const FieldCache kept = asker.cache;
  asker.want(site.graph(), goal_at({0, 0}), 3);
  asker.want(site.graph(), goal_at({2, 0}), 4);
  EXPECT_NE(kept.peek(site.graph().content_hash(), goal_at({1, 0})), nullptr);
  EXPECT_EQ(kept.peek(site.graph().content_hash(), goal_at({2, 0})), nullptr);
  EXPECT_EQ(kept.peek(site.graph().content_hash(), goal_at({0, 0}))->used_tick, 1u);
  EXPECT_EQ(kept.hits(), 0u);
  asker.cache = kept;
  asker.want(site.graph(), goal_at({1, 0}), 3);
  EXPECT_EQ(asker.builds, 3u) << "and again a hit";
}

TEST(Store, HandsOutWhatWasPublishedLast) {
  Site site;
  NavStore store;
  EXPECT_EQ(store.snapshot(), nullptr);
  const auto first = std::make_shared<const NavBundle>(site.bundle({}));
  store.publish(first);
  EXPECT_EQ(store.snapshot(), first);
  store.publish(std::make_shared<const NavBundle>(2, site.map.view(), std::vector<std::pair<ProfileId, NavGraph>>{},
                                                  std::vector<BundleEntry>{}));
  EXPECT_EQ(store.snapshot()->generation(), 2u);
  EXPECT_EQ(first->generation(), 1u);
}

TEST(Store, ABundleLivesAsLongAsAReaderHoldsIt) {
  Site site;
  NavStore store;
  store.publish(std::make_shared<const NavBundle>(site.bundle({})));
  const std::weak_ptr<const NavBundle> watched = store.snapshot();
  BundleRef held = store.snapshot();
  store.publish(nullptr);
  EXPECT_FALSE(watched.expired());
  held.reset();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace drover::test
