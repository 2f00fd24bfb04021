// SPDX-License-Identifier: MIT
// One generation, and the root that exchanges it.
#include <drover/bundle.hpp>

#include "nav/compiled_graph.hpp"
#include "nav/profile_digest.hpp"

#include <algorithm>
#include <utility>

namespace drover {
namespace {

bool before(const BundleEntry& a, const BundleEntry& b) noexcept {
  return std::pair(a.goal.index, a.profile.index) < std::pair(b.goal.index, b.profile.index);
}

Lookup answer(const FlowField& field, Cell cell, LookupState state) noexcept {
  const CellIndex index = field.shape().index(cell);
  if (!index.valid()) return {CellState::outside, {}, kInfiniteCost};
  return {field.state(index), field.step(index, state), field.cost_to_goal(index)};
}

}  // namespace

NavBundle::NavBundle(std::uint64_t generation, MapView map, std::vector<std::pair<ProfileId, NavGraph>> graphs,
                     std::vector<BundleEntry> entries)
    : generation_(generation), map_(std::move(map)), graphs_(std::move(graphs)), entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(), before);
}

const NavGraph& NavBundle::graph(ProfileId profile) const noexcept {
  static const NavGraph kNone;
  for (const auto& [id, graph] : graphs_)
    if (id == profile) return graph;
  return kNone;
}

const BundleEntry* NavBundle::find(ProfileId profile, GoalId goal) const noexcept {
  BundleEntry key;
  key.profile = profile;
  key.goal = goal;
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), key, before);
  if (found == entries_.end() || found->profile != profile || found->goal != goal) return nullptr;
  return &*found;
}

Lookup NavBundle::look_up(ProfileId profile, GoalId goal, Cell cell, LookupState state) const noexcept {
  const BundleEntry* entry = find(profile, goal);
  if (entry == nullptr || entry->freshness == Freshness::not_ready) return {};
  if (entry->freshness == Freshness::stale) return {CellState::stale, {}, kInfiniteCost};
  if (entry->field) return answer(*entry->field, cell, state);
  // The goal itself is bad on this map: nobody gets there.
  const Footing footing = graph(profile).footing(cell);
  if (footing == Footing::outside) return {CellState::outside, {}, kInfiniteCost};
  if (footing == Footing::unknown) return {CellState::unknown, {}, kInfiniteCost};
  if (footing == Footing::open) return {CellState::unreachable, {}, kInfiniteCost};
  return {footing == Footing::blocked ? CellState::blocked : CellState::no_room, {}, kInfiniteCost};
}

Lookup NavBundle::look_up(const FieldRef& field, ProfileId profile, Cell cell, LookupState state) const noexcept {
  const NavGraph& own = graph(profile);
  if (!field || own.null()) return {CellState::profile_mismatch, {}, kInfiniteCost};
  if (field->graph_hash() == own.content_hash()) return answer(*field, cell, state);
  const bool older = field->profile_digest() == nav::profile_digest(own.compiled().profile());
  return {older ? CellState::stale : CellState::profile_mismatch, {}, kInfiniteCost};
}

BundleRef NavStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void NavStore::publish(BundleRef next) {
  const std::lock_guard lock(mutex_);
  current_.swap(next);  // the parameter outlives the lock: an old bundle dies outside of it
}

}  // namespace drover
