// SPDX-License-Identifier: MIT
// Bundles answer from one generation only; the store exchanges them as a whole.
#include <drover/bundle.hpp>

#include "nav/compiled_graph.hpp"
#include "nav/profile_digest.hpp"

#include <algorithm>
#include <tuple>

namespace drover {

const char* to_string(GuidancePolicy policy) noexcept { return policy == GuidancePolicy::plain ? "plain" : "forest"; }
namespace {

auto order_of(GoalId goal, ProfileId profile) {
  return std::make_tuple(goal.index, goal.generation, profile.index, profile.generation);
}

Lookup state_only(CellState state) { return {state, {}, kInfiniteCost}; }

Lookup read(const FlowField& field, CellIndex cell, LookupState state) {
  return {field.state(cell), field.step(cell, state), field.cost_to_goal(cell)};
}

// No goal cell can be stood on: nobody gets there.
CellState without_goal(Footing footing) {
  switch (footing) {
    case Footing::open:
      return CellState::unreachable;
    case Footing::blocked:
      return CellState::blocked;
    case Footing::no_room:
      return CellState::no_room;
    case Footing::unknown:
      return CellState::unknown;
    case Footing::outside:
      break;
  }
  return CellState::outside;
}

}  // namespace

NavBundle::NavBundle(std::uint64_t generation, MapView map, std::vector<std::pair<ProfileId, NavGraph>> graphs,
                     std::vector<BundleEntry> entries)
    : generation_(generation), map_(std::move(map)), graphs_(std::move(graphs)), entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(), [](const BundleEntry& a, const BundleEntry& b) {
    return order_of(a.goal, a.profile) < order_of(b.goal, b.profile);
  });
}

const NavGraph& NavBundle::graph(ProfileId profile) const noexcept {
  static const NavGraph kNone;
  for (const auto& [id, graph] : graphs_) {
    if (id == profile) return graph;
  }
  return kNone;
}

const BundleEntry* NavBundle::find(ProfileId profile, GoalId goal) const noexcept {
  const auto wanted = order_of(goal, profile);
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), wanted, [](const BundleEntry& e, const auto& key) {
    return order_of(e.goal, e.profile) < key;
  });
  return at != entries_.end() && order_of(at->goal, at->profile) == wanted ? &*at : nullptr;
}

Lookup NavBundle::look_up(ProfileId profile, GoalId goal, Cell cell, LookupState state) const noexcept {
  const NavGraph& own = graph(profile);
  if (own.null()) return state_only(CellState::profile_mismatch);
  const CellIndex index = own.shape().index(cell);
  if (!index.valid()) return state_only(CellState::outside);
  const BundleEntry* const entry = find(profile, goal);
  if (entry == nullptr || entry->freshness == Freshness::not_ready) return state_only(CellState::not_ready);
  if (entry->freshness == Freshness::stale) return state_only(CellState::stale);
  if (entry->field == nullptr) return state_only(without_goal(own.footing(cell)));
  // The field of an older map is stale whatever the entry says: it must never answer for this one.
  if (entry->field->graph_hash() == own.content_hash()) return read(*entry->field, index, state);
  if (entry->proved_hash != own.content_hash()) return state_only(CellState::stale);
  const Lookup answer = read(*entry->field, index, state);
  const bool leads = answer.state == CellState::reachable || answer.state == CellState::goal;
  return leads ? answer : state_only(without_goal(own.footing(cell)));
}

Lookup NavBundle::look_up(const FieldRef& field, ProfileId profile, Cell cell, LookupState state) const noexcept {
  const NavGraph& own = graph(profile);
  if (own.null()) return state_only(CellState::profile_mismatch);
  const CellIndex index = own.shape().index(cell);
  if (!index.valid()) return state_only(CellState::outside);
  if (field == nullptr) return state_only(CellState::not_ready);
  if (field->graph_hash() == own.content_hash()) return read(*field, index, state);
  const MovementProfile& asking = own.compiled().profile();
  const std::uint64_t maker = field->profile_digest();
  const bool same = maker == nav::profile_digest(asking) || maker == nav::body_digest(asking);
  const bool older = same && field->served(asking.faction);
  return state_only(older ? CellState::stale : CellState::profile_mismatch);
}

}  // namespace drover
